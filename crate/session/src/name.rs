//! What a name means: where it is bound, and where it is mentioned.
//!
//! Names were resolved when the text was lowered; this only looks up what stands at a place. Those of TensorScript are
//! read off the text.

mod tensorscript;

use crate::Analysis;
use base::{Span, Surface};
use hir::{CtorId, DefId, ExprKind, LocalId, PatKind, TypeExprKind};
use ty::{AdtId, Names, ParamId};

/// One of the texts that a program consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum File {
    User,
    Prelude,
}

/// A name that stands at some place of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// Where it was found.
    pub span: Span,
    /// The text in which it is bound.
    pub file: File,
    pub binding: Span,
    /// The definition whose name that is; of a variable, no more than the name.
    pub whole: Span,
    /// Whether the text gives it: an imported layer has its name, and a node applies its `forward`.
    pub is_given: bool,
    /// Everywhere it stands in the text that was asked about, its binding included where that is there.
    pub mentions: Vec<Span>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Local(LocalId),
    Def(DefId),
    Ctor(CtorId),
    Adt(AdtId),
    TypeParam(ParamId),
    /// In TensorScript, where it is bound, and whether the text gives it.
    Bound(Span, bool),
}

/// The name at a byte offset, or just before it.
pub fn name(analysis: &Analysis, file: File, offset: u32) -> Option<Name> {
    let mut found: Option<(Span, Meaning)> = None;
    each_mention(analysis, &mut |span, meaning| {
        let is_just_before = span.end == offset && !span.is_empty() && found.is_none();
        if span.contains(offset) || is_just_before {
            found = Some((span, meaning));
        }
    });
    let (span, meaning) = found?;
    let mut mentions = Vec::new();
    each_mention(analysis, &mut |span, other| {
        if other == meaning {
            mentions.push(span);
        }
    });
    let (is_own, binding, whole) = binding(analysis, meaning);
    let is_given = is_own && !matches!(meaning, Meaning::Bound(_, false));
    Some(Name { span, file: if is_own { file } else { File::Prelude }, binding, whole, is_given, mentions })
}

/// Whether a name is bound in this text, where, and in what.
fn binding(analysis: &Analysis, meaning: Meaning) -> (bool, Span, Span) {
    let module = &analysis.module;
    let start = module.start;
    let of_variable = |is_own: bool, span: Span| (is_own, span, span);
    match meaning {
        Meaning::Local(id) => of_variable(id.number() as usize >= start.locals, module.locals[id].span),
        Meaning::Def(id) => {
            let def = &module.defs[id];
            (id.number() as usize >= start.defs, def.name_span, module.functions[def.function].span)
        }
        Meaning::Ctor(id) => {
            (id.number() as usize >= start.ctors, module.ctors[id].name_span, extent(analysis, module.ctors[id].adt))
        }
        Meaning::Adt(id) => (id.number() as usize >= start.adts, module.adts[id].name_span, extent(analysis, id)),
        Meaning::Bound(span, _) => of_variable(true, span),
        Meaning::TypeParam(id) => of_variable(id.number() as usize >= start.type_params, module.type_params[id].span),
    }
}

/// A data type from its name to the last field that it declares.
pub(crate) fn extent(analysis: &Analysis, adt: AdtId) -> Span {
    let module = &analysis.module;
    let ctors = module.adts[adt].ctors.iter().map(|&ctor| &module.ctors[ctor]);
    ctors.fold(module.adts[adt].name_span, |span, ctor| {
        let fields = ctor.fields.iter().map(|&field| module.type_exprs[field].span);
        fields.fold(span.to(ctor.name_span), Span::to)
    })
}

/// Tells of every name of the text.
fn each_mention(analysis: &Analysis, tell: &mut dyn FnMut(Span, Meaning)) {
    let module = &analysis.module;
    if module.surface == Surface::TensorScript {
        let tree = syntax::parse(&analysis.text, module.surface).tree;
        return tensorscript::each_mention(&tree, &mut |span, bound, is_given| {
            tell(span, Meaning::Bound(bound, is_given))
        });
    }
    let start = module.start;
    // Constructs that begin with a name.
    let head = |span: Span, name: &str| Span::new(span.start, span.start + name.len() as u32);
    for expr in module.exprs.iter().skip(start.exprs) {
        match expr.kind {
            ExprKind::Local(id, _) if module.locals[id].origin.is_named() => {
                tell(expr.span, Meaning::Local(id));
            }
            ExprKind::Def(id) => tell(expr.span, Meaning::Def(id)),
            ExprKind::Ctor(id) => tell(expr.span, Meaning::Ctor(id)),
            _ => {}
        }
    }
    for pat in module.pats.iter().skip(start.pats) {
        if let PatKind::Ctor(id, _) = pat.kind {
            tell(head(pat.span, &module.ctors[id].name), Meaning::Ctor(id));
        }
    }
    for written in module.type_exprs.iter().skip(start.type_exprs) {
        match written.kind {
            TypeExprKind::Adt { adt, .. } => tell(head(written.span, &module.adts[adt].name), Meaning::Adt(adt)),
            TypeExprKind::Param(id) => tell(head(written.span, module.param(id)), Meaning::TypeParam(id)),
            _ => {}
        }
    }
    for (id, local) in module.locals.iter_enumerated().skip(start.locals) {
        if local.origin.is_named() {
            tell(local.span, Meaning::Local(local.shares.unwrap_or(id)));
        }
    }
    for (id, def) in module.defs.iter_enumerated().skip(start.defs) {
        tell(def.name_span, Meaning::Def(id));
    }
    for (id, ctor) in module.ctors.iter_enumerated().skip(start.ctors) {
        tell(ctor.name_span, Meaning::Ctor(id));
        ctor.result_span.into_iter().for_each(|span| tell(span, Meaning::Adt(ctor.adt)));
    }
    for (id, adt) in module.adts.iter_enumerated().skip(start.adts) {
        tell(adt.name_span, Meaning::Adt(id));
    }
    for (id, param) in module.type_params.iter_enumerated().skip(start.type_params) {
        tell(param.span, Meaning::TypeParam(id));
    }
}

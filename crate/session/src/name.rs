//! What a name means: where it is bound, and where it is mentioned.
//!
//! Names were resolved when the text was lowered; this only looks up what stands at a place.

use crate::Analysis;
use base::Span;
use hir::{CtorId, DefId, ExprKind, LocalId, LocalOrigin, PatKind, TypeExprKind};
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
}

/// The name at a byte offset, or just before it.
pub fn name(analysis: &Analysis, file: File, offset: u32) -> Option<Name> {
    let all = mentions(analysis);
    let touching = all.iter().filter(|(span, _)| span.contains(offset) || span.end == offset && !span.is_empty());
    let &(span, meaning) = touching.max_by_key(|(span, _)| span.contains(offset))?;
    let (is_own, binding) = binding(analysis, meaning);
    let mentions = all.iter().filter(|(_, other)| *other == meaning).map(|&(span, _)| span).collect();
    Some(Name { span, file: if is_own { file } else { File::Prelude }, binding, mentions })
}

/// Whether a name is bound in this text, and where.
fn binding(analysis: &Analysis, meaning: Meaning) -> (bool, Span) {
    let module = &analysis.module;
    let start = module.start;
    match meaning {
        Meaning::Local(id) => (id.0 as usize >= start.locals, module.locals[id].span),
        Meaning::Def(id) => (id.0 as usize >= start.defs, module.defs[id].name_span),
        Meaning::Ctor(id) => (id.0 as usize >= start.ctors, module.ctors[id].name_span),
        Meaning::Adt(id) => (id.0 as usize >= start.adts, module.adts[id].name_span),
        Meaning::TypeParam(id) => (id.0 as usize >= start.type_params, module.type_params[id].span),
    }
}

/// Every name of the text.
fn mentions(analysis: &Analysis) -> Vec<(Span, Meaning)> {
    let module = &analysis.module;
    let start = module.start;
    let mut all: Vec<(Span, Meaning)> = Vec::new();
    // Constructs that begin with a name.
    let head = |span: Span, name: &str| Span::new(span.start, span.start + name.len() as u32);
    for expr in module.exprs.iter().skip(start.exprs) {
        match expr.kind {
            ExprKind::Local(id, _) if module.locals[id].origin != LocalOrigin::Hole => {
                all.push((expr.span, Meaning::Local(id)));
            }
            ExprKind::Def(id) => all.push((expr.span, Meaning::Def(id))),
            ExprKind::Ctor(id) => all.push((expr.span, Meaning::Ctor(id))),
            _ => {}
        }
    }
    for pat in module.pats.iter().skip(start.pats) {
        if let PatKind::Ctor(id, _) = pat.kind {
            all.push((head(pat.span, &module.ctors[id].name), Meaning::Ctor(id)));
        }
    }
    for written in module.type_exprs.iter().skip(start.type_exprs) {
        match written.kind {
            TypeExprKind::Adt { adt, .. } => all.push((head(written.span, &module.adts[adt].name), Meaning::Adt(adt))),
            TypeExprKind::Param(id) => all.push((head(written.span, module.param(id)), Meaning::TypeParam(id))),
            _ => {}
        }
    }
    let locals = module.locals.iter_enumerated().skip(start.locals);
    let locals = locals.filter(|(_, local)| local.origin != LocalOrigin::Hole);
    all.extend(locals.map(|(id, local)| (local.span, Meaning::Local(id))));
    all.extend(module.defs.iter_enumerated().skip(start.defs).map(|(id, def)| (def.name_span, Meaning::Def(id))));
    all.extend(module.ctors.iter_enumerated().skip(start.ctors).map(|(id, ctor)| (ctor.name_span, Meaning::Ctor(id))));
    all.extend(module.adts.iter_enumerated().skip(start.adts).map(|(id, adt)| (adt.name_span, Meaning::Adt(id))));
    let type_params = module.type_params.iter_enumerated().skip(start.type_params);
    all.extend(type_params.map(|(id, param)| (param.span, Meaning::TypeParam(id))));
    all
}

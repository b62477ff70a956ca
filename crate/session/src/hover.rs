//! What is under the cursor.

mod tensorscript;

use crate::Analysis;
use base::{Join, Span, Surface, ToList};
use hir::net::Applied;
use hir::{CtorId, DefId, ExprId, ExprKind, LocalId, PatId, PatKind, TypeExprId, TypeExprKind};
use infer::Why;
use ty::{AdtId, Names, ParamId, Term, Terms};

/// The type at a place, as text; what it belongs to; and its documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    pub r#type: String,
    /// `%x: int32`, ready to show as code.
    pub code: String,
    /// Markdown, possibly empty.
    pub doc: String,
    /// The operator whose documentation it is.
    pub operator: Option<&'static str>,
    pub span: Span,
}

/// At most this many patterns that widened a sum are named.
const MAX_WIDENED: usize = 4;

/// A size and what is said of it.
const UNKNOWN: (&str, &str) = ("?", "A dim that is known only when the program runs.");

/// What a hover can be about.
#[derive(Clone, Copy)]
pub(crate) enum Subject {
    Expr(ExprId),
    /// The operator that a call names.
    Operator(ExprId),
    /// A layer of TensorScript, by its place among the module's stages.
    Layer(usize),
    Local(LocalId),
    Pattern(PatId),
    Written(TypeExprId),
    Def(DefId),
    Constructor(CtorId),
    Adt(AdtId),
    TypeParam(ParamId),
}

/// What is known of the innermost construct that holds a byte offset.
pub fn hover(analysis: &Analysis, offset: u32) -> Option<Hover> {
    let innermost = innermost(analysis, offset);
    if analysis.module.surface == Surface::TensorScript {
        let is_applied = matches!(innermost, Some((_, Subject::Layer(_))));
        let declared = tensorscript::declared(analysis, offset, is_applied);
        if declared.is_some() {
            return declared;
        }
    }
    match innermost {
        Some((span, subject)) => describe(analysis, span, subject),
        None => name_without_type(analysis, offset),
    }
}

/// What a name stands for that is no part of an expression or a type: a relation, and in TensorScript a layer or a node.
fn name_without_type(analysis: &Analysis, offset: u32) -> Option<Hover> {
    let Analysis { text, module, .. } = analysis;
    let (before, behind) = text.split_at_checked(offset as usize)?;
    let line = base::end_of_last(before, b'\n');
    if ["//", "#"].iter().any(|comment| base::find(&before[line..], comment).is_some()) {
        return None;
    }
    let word = |chars: &mut dyn Iterator<Item = char>| {
        chars.take_while(|&c| base::is_in_name(c)).fold(0, |len, c| len + c.len_utf8())
    };
    let start = before.len() - word(&mut before.chars().rev());
    let end = before.len() + word(&mut behind.chars());
    let name = &text[start..end];
    let (code, doc) = match module.surface {
        Surface::TensorScript if behind.starts_with('?') => (UNKNOWN.0.to_owned(), UNKNOWN.1),
        Surface::TensorScript => match module.nets.iter().find(|net| net.name == name) {
            Some(net) => (declaration(analysis, net.adt), ""),
            None => (tensorscript::called(analysis, offset, name)?, ""),
        },
        // It has no relations.
        Surface::Refine => return None,
        Surface::Relay if module.relations.relations.iter().any(|relation| relation.name == name) => {
            (clauses(text, name), "")
        }
        Surface::Relay => {
            let n_args = op::relations_named(name).first()?.n_args;
            let code = format!("relation {name}({})", base::filled("_", n_args).joined(", "));
            (code, crate::solver::sentence(name).unwrap_or_default())
        }
    };
    let span = Span::new(start as u32, end as u32);
    Some(Hover { r#type: name.to_owned(), code, doc: doc.to_owned(), operator: None, span })
}

/// The clauses of a relation as the text has them.
fn clauses(text: &str, name: &str) -> String {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = base::find(rest, "relation ") {
        rest = &rest[at..];
        let is_own = rest["relation ".len()..]
            .trim_ascii_start()
            .strip_prefix(name)
            .is_some_and(|behind| behind.starts_with('('));
        // Two full stops are a splice.
        let ends =
            |&(at, byte): &(usize, u8)| byte == b'.' && !rest[at + 1..].starts_with('.') && !rest[..at].ends_with('.');
        let end = rest.bytes().enumerate().find(ends).map_or(rest.len(), |(at, _)| at + 1);
        if is_own {
            found.push(rest[..end].to_owned());
        }
        rest = &rest[end..];
    }
    found.joined("\n")
}

/// The innermost construct that holds a byte offset.
pub(crate) fn innermost(analysis: &Analysis, offset: u32) -> Option<(Span, Subject)> {
    let mut innermost: Option<(Span, Subject)> = None;
    let mut offer = |span: Span, subject: Subject| {
        if span.contains(offset) && innermost.is_none_or(|(found, _)| span.len() <= found.len()) {
            innermost = Some((span, subject));
        }
    };
    let Analysis { module, inferred, .. } = analysis;
    // A weight that says what it takes binds that to its own name, where the value stands.
    let is_bound = |local: LocalId, span: Span| {
        module.surface == Surface::TensorScript && !module.local_name(local).starts_with(&analysis.text[span.range()])
    };
    for (id, expr) in module.exprs.iter_enumerated().skip(module.start.exprs) {
        let is_made = match &expr.kind {
            ExprKind::Error => true,
            ExprKind::Local(local, _) => is_bound(*local, expr.span),
            ExprKind::Block { tail, .. } => module.exprs[*tail].span == expr.span,
            _ => false,
        };
        if !is_made {
            offer(expr.span, Subject::Expr(id));
        }
        if let ExprKind::OpCall { name_span, .. } = expr.kind {
            offer(name_span, Subject::Operator(id));
        }
    }
    for (id, local) in
        module.locals.iter_enumerated().skip(module.start.locals).filter(|(id, _)| inferred.locals[*id].is_some())
    {
        if !is_bound(id, local.span) {
            offer(local.span, Subject::Local(id));
        }
    }
    for (id, pat) in
        module.pats.iter_enumerated().skip(module.start.pats).filter(|(id, _)| inferred.pats[*id].is_some())
    {
        offer(pat.span, Subject::Pattern(id));
    }
    for (id, type_expr) in module.type_exprs.iter_enumerated().skip(module.start.type_exprs) {
        if !matches!(type_expr.kind, TypeExprKind::Error) {
            offer(type_expr.span, Subject::Written(id));
        }
    }
    module.defs.iter_enumerated().skip(module.start.defs).for_each(|(id, def)| offer(def.name_span, Subject::Def(id)));
    module
        .ctors
        .iter_enumerated()
        .skip(module.start.ctors)
        .for_each(|(id, ctor)| offer(ctor.name_span, Subject::Constructor(id)));
    module.adts.iter_enumerated().skip(module.start.adts).for_each(|(id, adt)| offer(adt.name_span, Subject::Adt(id)));
    module
        .type_params
        .iter_enumerated()
        .skip(module.start.type_params)
        .for_each(|(id, param)| offer(param.span, Subject::TypeParam(id)));
    // A layer is more than its operators.
    for (at, stage) in module.stages.iter().enumerate() {
        if !matches!(stage.applied, Applied::Method(_))
            && stage.span.contains(offset)
            && innermost.is_none_or(|(found, _)| stage.span.len() <= found.len())
        {
            innermost = Some((stage.span, Subject::Layer(at)));
        }
    }
    innermost
}

fn describe(analysis: &Analysis, span: Span, subject: Subject) -> Option<Hover> {
    let Analysis { module, inferred, .. } = analysis;
    let named = |name: &str, r#type: String| Hover {
        code: format!("{name}: {type}"),
        r#type,
        doc: String::new(),
        operator: None,
        span,
    };
    match subject {
        Subject::Expr(id) => Some(expression(analysis, id, span)),
        Subject::Operator(id) => {
            let ExprKind::OpCall { op, args, .. } = &module.exprs[id].kind else { return None };
            let args: Vec<String> = args.iter().map(|&arg| analysis.type_of(arg)).list();
            let r#type = analysis.type_of(id);
            let row = op.row();
            let code = format!("{}: fn({}) -> {type}", row.name, args.joined(", "));
            Some(Hover { r#type, code, doc: row.doc.trim_ascii().to_owned(), operator: Some(row.name), span })
        }
        Subject::Layer(at) => {
            let stage = &module.stages[at];
            let (from, r#type) = (analysis.type_of(stage.input), analysis.type_of(stage.expr));
            let code = format!("{}\n{from} -> {type}", crate::summary::stage_title(module, stage));
            // Of one that is just the operator that is called so, what is known of that is said.
            let bare = |name: &str| name[base::end_of_last(name, b'.')..].replace('_', "");
            let row = match (&module.exprs[stage.expr].kind, &stage.applied) {
                (ExprKind::OpCall { op, .. }, Applied::Layer(layer, _)) if bare(op.row().name) == bare(layer.name) => {
                    Some(op.row())
                }
                _ => None,
            };
            let doc = row.map_or("", |row| row.doc.trim_ascii()).to_owned();
            Some(Hover { code, r#type, doc, operator: row.map(|row| row.name), span })
        }
        Subject::Local(id) => {
            let hover = named(module.local_name(id), inferred.print_local(module, id)?.text);
            Some(Hover { doc: widened(analysis, id), ..hover })
        }
        Subject::Pattern(id) => {
            let matched = inferred.print(module, inferred.pats[id]?).text;
            Some(match module.pats[id].kind {
                PatKind::Var(local) => {
                    let hover = named(module.local_name(local), inferred.print_local(module, local)?.text);
                    Hover { doc: widened(analysis, local), ..hover }
                }
                _ => {
                    let has_sums = !module.variants.is_empty();
                    let refined = if has_sums { inferred.print_refined(module, id).text } else { matched.clone() };
                    let comment = if module.surface == Surface::Refine { "#" } else { "//" };
                    let code = if refined == matched { matched } else { format!("{refined}\n{comment} of {matched}") };
                    Hover { code, r#type: refined, doc: String::new(), operator: None, span }
                }
            })
        }
        Subject::Written(id) => Some(written_type(analysis, &module.type_exprs[id].kind, span)),
        Subject::Def(id) => {
            let r#type = inferred.print_scheme(module, inferred.defs[id].as_ref()?).text;
            let hover = named(&format!("def {}", module.defs[id].name), r#type);
            Some(Hover { doc: doc_of_def(analysis, id), ..hover })
        }
        Subject::Constructor(id) => {
            let adt = module.ctors[id].adt;
            let r#type = module.adts[adt].name.clone();
            Some(Hover {
                r#type,
                code: declaration(analysis, adt),
                doc: doc_of_adt(analysis, adt),
                operator: None,
                span,
            })
        }
        Subject::Adt(id) => {
            let r#type = module.adts[id].name.clone();
            Some(Hover { r#type, code: declaration(analysis, id), doc: doc_of_adt(analysis, id), operator: None, span })
        }
        Subject::TypeParam(id) => Some(named(module.param(id), module.param_kind(id).name().to_owned())),
    }
}

fn expression(analysis: &Analysis, id: ExprId, span: Span) -> Hover {
    let Analysis { module, inferred, .. } = analysis;
    let r#type = analysis.type_of(id);
    let (code, doc) = match &module.exprs[id].kind {
        ExprKind::Local(local, _) => (format!("{}: {type}", module.local_name(*local)), widened(analysis, *local)),
        ExprKind::Ctor(ctor) => {
            let ctor = &module.ctors[*ctor];
            (format!("{}: {type}", ctor.name), doc_of_adt(analysis, ctor.adt))
        }
        ExprKind::Op(op) => (format!("{}: {type}", op.row().name), op.row().doc.trim_ascii().to_owned()),
        ExprKind::Def(def) => {
            let name = &module.defs[*def].name;
            let scheme = inferred.defs[*def].as_ref().filter(|scheme| !scheme.is_mono());
            let code = match scheme.map(|scheme| inferred.print_scheme(module, scheme).text) {
                Some(general) => format!("def {name}: {general}\n// here\n{name}: {type}"),
                None => format!("{name}: {type}"),
            };
            (code, doc_of_def(analysis, *def))
        }
        _ => (r#type.clone(), String::new()),
    };
    let operator = match module.exprs[id].kind {
        ExprKind::Op(op) => Some(op.row().name),
        _ => None,
    };
    Hover { r#type, code, doc, operator, span }
}

/// Which patterns brought variants into the inferred sum of a variable, a line each.
fn widened(analysis: &Analysis, local: LocalId) -> String {
    let Analysis { module, inferred, .. } = analysis;
    let solver = &inferred.solver;
    let Some(Term::Sum(row)) = inferred.locals[local].map(|term| solver.head(term)) else { return String::new() };
    // What its own pattern asks for is no news.
    let own = module.pats.iter().find(|pat| matches!(pat.kind, PatKind::As(_, bound) if bound == local));
    let own = own.map(|pat| pat.span);
    let patterns = solver.row(row).0.into_iter().filter_map(|variant| {
        let Why::Pattern(pat) = *inferred.whys.get(solver.store.origin(variant.cell).0 as usize)? else { return None };
        let span = module.pats[pat].span;
        let is_own = own.is_some_and(|own| own.start <= span.start && span.end <= own.end);
        (!is_own).then(|| (variant.name, analysis.lines().line_of(span.start)))
    });
    let said = patterns
        .take(MAX_WIDENED)
        .map(|(name, line)| format!("`{}` came into this sum with the pattern on line {line}.", module.variant(name)));
    said.list().joined("\n\n")
}

/// `type List[A] { Nil, Cons(A, List[A]) }` or `node Net<[?, 4] -> [?, 3]>`, from the source.
pub(crate) fn declaration(analysis: &Analysis, adt: ty::AdtId) -> String {
    let module = &analysis.module;
    if let Some(net) = module.nets.iter().find(|net| net.adt == adt) {
        let header = base::before(&analysis.text[net.name_span.start as usize..], "{");
        return format!("node {}", base::one_line(header));
    }
    let data = &module.adts[adt];
    let text = text_of(analysis, adt.number() as usize >= module.start.adts);
    let params: Vec<&str> = data.params.iter().map(|&param| module.param(param)).list();
    let params = if params.is_empty() { String::new() } else { format!("[{}]", params.joined(", ")) };
    if data.is_extern {
        return format!("extern type {}{params}", data.name);
    }
    let ctors: Vec<String> = data
        .ctors
        .iter()
        .map(|&ctor| {
            let ctor = &module.ctors[ctor];
            let fields = ctor.fields.iter().map(|&field| {
                let span = module.type_exprs[field].span;
                base::one_line(&text[span.range()])
            });
            let fields: Vec<String> = fields.list();
            if fields.is_empty() { ctor.name.clone() } else { format!("{}({})", ctor.name, fields.joined(", ")) }
        })
        .list();
    format!("type {}{params} {{ {} }}", data.name, ctors.joined(", "))
}

/// The text of the file, or of the library under it.
fn text_of(analysis: &Analysis, is_own: bool) -> &str {
    if is_own { &analysis.text } else { crate::PRELUDE_TEXT }
}

fn doc_of_def(analysis: &Analysis, def: DefId) -> String {
    let module = &analysis.module;
    doc_above(text_of(analysis, def.number() as usize >= module.start.defs), module.defs[def].name_span)
}

fn doc_of_adt(analysis: &Analysis, adt: AdtId) -> String {
    let module = &analysis.module;
    doc_above(text_of(analysis, adt.number() as usize >= module.start.adts), module.adts[adt].name_span)
}

/// What the `///` lines right above a place say.
fn doc_above(text: &str, place: Span) -> String {
    let mut lines = Vec::new();
    let mut above = &text[..base::end_of_last(&text[..place.start as usize], b'\n')];
    while let Some(rest) = above.strip_suffix('\n') {
        let start = base::end_of_last(rest, b'\n');
        let Some(line) = rest[start..].trim_ascii().strip_prefix("///") else { break };
        lines.push(line.strip_prefix(' ').unwrap_or(line));
        above = &rest[..start];
    }
    lines.reverse();
    lines.joined("\n")
}

fn written_type(analysis: &Analysis, kind: &TypeExprKind, span: Span) -> Hover {
    let module = &analysis.module;
    let written = analysis.text[span.range()].to_owned();
    let (code, doc) = match kind {
        TypeExprKind::Error => (written.clone(), ""),
        TypeExprKind::Hole => ("_".to_owned(), "To be inferred."),
        TypeExprKind::Any => (UNKNOWN.0.to_owned(), UNKNOWN.1),
        TypeExprKind::Dim(_) if written == UNKNOWN.0 => (written.clone(), UNKNOWN.1),
        TypeExprKind::Adt { adt, .. } => (declaration(analysis, *adt), &*doc_of_adt(analysis, *adt)),
        TypeExprKind::Param(param) => {
            (format!("{}: {}", module.param(*param), module.param_kind(*param).name()), "A type parameter.")
        }
        TypeExprKind::Scalar(dtype) => (format!("Tensor[(), {dtype}]"), "A tensor of rank 0."),
        TypeExprKind::Dtype(dtype) => (format!("{dtype}: BaseType"), ""),
        TypeExprKind::Shape(_) | TypeExprKind::Splice(_) => (format!("{written}: Shape"), ""),
        TypeExprKind::Dim(_) => (format!("{written}: Dim"), ""),
        TypeExprKind::Apply { function, .. } => (format!("{written}: {}", function.kind().name()), ""),
        TypeExprKind::If { .. } => (written.clone(), ""),
        TypeExprKind::Tensor { .. }
        | TypeExprKind::Tuple(_)
        | TypeExprKind::Func { .. }
        | TypeExprKind::Sum { .. }
        | TypeExprKind::RowOf(_)
        | TypeExprKind::Ref(_) => (written.clone(), ""),
    };
    Hover { r#type: written, code, doc: doc.to_owned(), operator: None, span }
}

//! What is under the cursor.

use crate::Analysis;
use base::Span;
use hir::{ExprKind, PatKind, TypeExprKind};
use ty::Names;

/// The type at a place, as text; what it belongs to; and its documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    pub r#type: String,
    /// `%x: int32`, ready to show as code.
    pub code: String,
    /// Markdown, possibly empty.
    pub doc: String,
    pub span: Span,
}

/// The innermost construct that holds a byte offset.
pub fn hover(analysis: &Analysis, offset: u32) -> Option<Hover> {
    let mut found: Option<Hover> = None;
    let mut offer = |span: Span, make: &mut dyn FnMut() -> Option<Hover>| {
        let is_narrower = found.as_ref().is_none_or(|found| span.len() <= found.span.len());
        if span.contains(offset)
            && is_narrower
            && let Some(hover) = make()
        {
            found = Some(hover);
        }
    };
    let Analysis { module, inferred, .. } = analysis;
    for (id, expr) in module.exprs.iter_enumerated() {
        if !expr.span.contains(offset) {
            continue;
        }
        let r#type = analysis.type_of(id);
        let plain = |span: Span| Hover { code: r#type.clone(), r#type: r#type.clone(), doc: String::new(), span };
        offer(expr.span, &mut || match &expr.kind {
            ExprKind::Error => None,
            ExprKind::Local(local, _) => {
                let name = &module.locals[*local].name;
                Some(Hover { code: format!("{name}: {type}"), ..plain(expr.span) })
            }
            ExprKind::Def(def) => {
                let mut code = format!("{}: {type}", module.defs[*def].name);
                if let Some(scheme) = inferred.defs[*def].as_ref().filter(|scheme| !scheme.is_mono()) {
                    let general = inferred.print_scheme(module, scheme).text;
                    code = format!("def {}: {general}\n// here\n{code}", module.defs[*def].name);
                }
                Some(Hover { code, ..plain(expr.span) })
            }
            ExprKind::Ctor(ctor) => {
                Some(Hover { code: format!("{}: {type}", module.ctors[*ctor].name), ..plain(expr.span) })
            }
            ExprKind::Op(op) => Some(Hover {
                code: format!("{}: {type}", op.row().name),
                doc: op.row().doc.trim().to_owned(),
                ..plain(expr.span)
            }),
            _ => Some(plain(expr.span)),
        });
        if let ExprKind::OpCall { op, name_span, args, .. } = &expr.kind {
            let row = op.row();
            offer(*name_span, &mut || {
                let args: Vec<String> = args.iter().map(|&arg| analysis.type_of(arg)).collect();
                Some(Hover {
                    code: format!("{}: fn({}) -> {type}", row.name, args.join(", ")),
                    doc: row.doc.trim().to_owned(),
                    ..plain(*name_span)
                })
            });
        }
    }
    for (id, local) in module.locals.iter_enumerated() {
        offer(local.span, &mut || {
            let r#type = inferred.print_local(module, id)?.text;
            Some(Hover { code: format!("{}: {type}", local.name), r#type, doc: String::new(), span: local.span })
        });
    }
    for (id, pat) in module.pats.iter_enumerated() {
        offer(pat.span, &mut || {
            let r#type = inferred.print(module, inferred.pats[id]?).text;
            let code = match &pat.kind {
                PatKind::Var(local) => format!("{}: {type}", module.locals[*local].name),
                _ => r#type.clone(),
            };
            Some(Hover { code, r#type, doc: String::new(), span: pat.span })
        });
    }
    for type_expr in module.type_exprs.iter() {
        offer(type_expr.span, &mut || written_type(analysis, &type_expr.kind, type_expr.span));
    }
    for (id, def) in module.defs.iter_enumerated() {
        offer(def.name_span, &mut || {
            let r#type = inferred.print_scheme(module, inferred.defs[id].as_ref()?).text;
            Some(Hover { code: format!("def {}: {type}", def.name), r#type, doc: String::new(), span: def.name_span })
        });
    }
    for ctor in module.ctors.iter() {
        offer(ctor.name_span, &mut || {
            let code = declaration(analysis, ctor.adt);
            Some(Hover { r#type: module.adts[ctor.adt].name.clone(), code, doc: String::new(), span: ctor.name_span })
        });
    }
    for (id, adt) in module.adts.iter_enumerated() {
        offer(adt.name_span, &mut || {
            let code = declaration(analysis, id);
            Some(Hover { r#type: adt.name.clone(), code, doc: String::new(), span: adt.name_span })
        });
    }
    for param in module.type_params.iter() {
        offer(param.span, &mut || {
            let r#type = param.kind.name().to_owned();
            Some(Hover { code: format!("{}: {type}", param.name), r#type, doc: String::new(), span: param.span })
        });
    }
    found
}

/// `type List[A] { Nil, Cons(A, List[A]) }`, from the source.
pub(crate) fn declaration(analysis: &Analysis, adt: ty::AdtId) -> String {
    let module = &analysis.module;
    let data = &module.adts[adt];
    let params: Vec<&str> = data.params.iter().map(|&param| module.param(param)).collect();
    let params = if params.is_empty() { String::new() } else { format!("[{}]", params.join(", ")) };
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
                analysis.text[span.range()].split_whitespace().collect::<Vec<_>>().join(" ")
            });
            let fields: Vec<String> = fields.collect();
            if fields.is_empty() { ctor.name.clone() } else { format!("{}({})", ctor.name, fields.join(", ")) }
        })
        .collect();
    format!("type {}{params} {{ {} }}", data.name, ctors.join(", "))
}

fn written_type(analysis: &Analysis, kind: &TypeExprKind, span: Span) -> Option<Hover> {
    let module = &analysis.module;
    let written = analysis.text[span.range()].to_owned();
    let hover = |code: String, doc: &str| {
        Some(Hover { r#type: written.clone(), code, doc: doc.to_owned(), span })
    };
    match kind {
        TypeExprKind::Error => None,
        TypeExprKind::Hole => hover("_".to_owned(), "To be inferred."),
        TypeExprKind::Any => hover("?".to_owned(), "A dim that is known only when the program runs."),
        TypeExprKind::Adt { adt, .. } => hover(declaration(analysis, *adt), ""),
        TypeExprKind::Param(param) => {
            hover(format!("{}: {}", module.param(*param), module.param_kind(*param).name()), "A type parameter.")
        }
        TypeExprKind::Scalar(dtype) => hover(format!("Tensor[(), {dtype}]"), "A tensor of rank 0."),
        TypeExprKind::Dtype(dtype) => hover(format!("{dtype}: BaseType"), ""),
        TypeExprKind::Shape(_) => hover(format!("{written}: Shape"), ""),
        TypeExprKind::Dim(_) => hover(format!("{written}: Dim"), ""),
        TypeExprKind::Tensor { .. } | TypeExprKind::Tuple(_) | TypeExprKind::Func { .. } | TypeExprKind::Ref(_) => {
            hover(written.clone(), "")
        }
    }
}

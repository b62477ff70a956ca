//! Relay: a data type for each node, a `def` for each function, a `let` for each operator. It reads back as a program
//! of the same types. What of the library it uses, it brings along.

use super::{FreshNames, inside_out};
use crate::Analysis;
use base::{Edited, HashMap, HashSet, Join, MapArray, Surface, ToList};
use hir::{DefId, ExprId, ExprKind, LocalId, Module, PatKind, Visit};
use std::fmt::Write;
use ty::{AdtId, Function, Kind, Names, ParamId, Term, TermId, Terms, Value, VariantId};

/// The program's names in Relay's spelling: `?` is a dim parameter `N`, and no parameter is called as a type is.
struct Spelling<'a, N> {
    names: &'a N,
    params: HashMap<ParamId, String>,
}

impl<N: Names> Names for Spelling<'_, N> {
    fn adt(&self, adt: AdtId) -> &str {
        self.names.adt(adt)
    }

    fn param(&self, param: ParamId) -> &str {
        self.params.get(&param).map_or(self.names.param(param), String::as_str)
    }

    fn param_kind(&self, param: ParamId) -> Kind {
        self.names.param_kind(param)
    }

    fn variant(&self, variant: VariantId) -> &str {
        self.names.variant(variant)
    }

    fn surface(&self) -> Surface {
        Surface::Relay
    }
}

pub(super) fn relay(analysis: &Analysis) -> String {
    let module = &analysis.module;
    let mut out = String::new();
    let order = inside_out(module);
    for &net in &order {
        let adt = &module.adts[module.nets[net].adt];
        let fields: Vec<String> = module.ctors[adt.ctors[0]].fields.iter().map(|&field| written(module, field)).list();
        let fields = if fields.is_empty() { String::new() } else { format!("({})", fields.joined(", ")) };
        let _ = writeln!(out, "type {0} {{ {0}{fields} }}", adt.name);
    }
    // The library keeps its names; `::` is `_`, so that two methods may come to be called the same.
    let mut fresh = FreshNames::new("_");
    let types: HashSet<&str> = module.adts.iter().map(|adt| adt.name.as_str()).collect();
    let mut globals = Globals { defs: HashMap::default(), types };
    for (id, def) in module.defs.iter_enumerated().take(module.start.defs) {
        globals.defs.insert(id, fresh.give(&def.name));
    }
    let methods = order.iter().list_all(|&net| &module.nets[net].methods);
    for method in &methods {
        let mut parts = base::split(&module.defs[method.def].name, b':');
        parts.keep(|part| !part.is_empty());
        let name = parts.joined("_");
        globals.defs.insert(method.def, fresh.give(&format!("@{name}")));
    }
    for method in methods {
        out.push('\n');
        Writer::new(analysis, &globals, method.def).def(&mut out);
    }
    let prelude = crate::analysis::prelude();
    let mut library: Vec<DefId> = Vec::new();
    for def in module.defs.iter().skip(module.start.defs) {
        for &used in &module.functions[def.function].uses_defs {
            if (used.number() as usize) < module.start.defs && !library.contains(&used) {
                library.push(used);
                let span = prelude.module.functions[prelude.module.defs[used].function].span;
                out.push('\n');
                out.push_str(&prelude.text()[span.range()]);
                out.push('\n');
            }
        }
    }
    out
}

/// The type of a field: a tensor of known sizes, or a node. What is not known is left out.
fn written(module: &Module, ty: hir::TypeExprId) -> String {
    match &module.type_exprs[ty].kind {
        hir::TypeExprKind::Adt { adt, .. } => module.adts[*adt].name.clone(),
        hir::TypeExprKind::Tensor { shape, .. } => match &module.type_exprs[*shape].kind {
            hir::TypeExprKind::Shape(dims) => {
                let size = |&dim: &hir::TypeExprId| match module.type_exprs[dim].kind {
                    hir::TypeExprKind::Dim(size) => size.to_string(),
                    _ => "_".to_owned(),
                };
                format!("Tensor[({}), float32]", dims.iter().map(size).list().joined(", "))
            }
            _ => "_".to_owned(),
        },
        _ => "_".to_owned(),
    }
}

/// Names of the whole program.
struct Globals<'a> {
    /// What definitions are called, such as `@Net_forward`.
    defs: HashMap<DefId, String>,
    types: HashSet<&'a str>,
}

struct Writer<'a> {
    analysis: &'a Analysis,
    globals: &'a Globals<'a>,
    def: DefId,
    names: HashMap<LocalId, String>,
    fresh: FreshNames,
    done: HashMap<ExprId, Text>,
}

/// What an expression has become: `let`s, and what has its value after them, a variable or a literal.
struct Text {
    before: Vec<String>,
    value: String,
}

impl Text {
    fn of(value: impl Into<String>) -> Text {
        Text { before: Vec::new(), value: value.into() }
    }
}

impl<'a> Writer<'a> {
    fn new(analysis: &'a Analysis, globals: &'a Globals<'a>, def: DefId) -> Writer<'a> {
        let (names, fresh) = (HashMap::default(), FreshNames::new("_"));
        Writer { analysis, globals, def, names, fresh, done: HashMap::default() }
    }

    fn global(&self, def: DefId) -> String {
        self.globals.defs.get(&def).cloned().unwrap_or_default()
    }

    fn def(mut self, out: &mut String) {
        let module = &self.analysis.module;
        let inferred = &self.analysis.inferred;
        let def = &module.defs[self.def];
        let function = &module.functions[def.function];
        let own = inferred.names(module);
        let Some(scheme) = inferred.defs[self.def].as_ref() else { return };
        let mut fresh = FreshNames::new("");
        let mut called = HashMap::default();
        for &param in &scheme.params {
            let name = Some(own.param(param)).filter(|&name| name != "?").unwrap_or("N");
            let mut given = fresh.give(name);
            while self.globals.types.contains(given.as_str()) {
                given = fresh.give(name);
            }
            called.insert(param, given);
        }
        let names = Spelling { names: &own, params: called };
        let print = |id: TermId| ty::print_term(&inferred.solver, &names, id).text;
        let params: Vec<String> = scheme
            .params
            .iter()
            .map(|&param| match names.param_kind(param) {
                Kind::Type => names.param(param).to_owned(),
                kind => format!("{}: {}", names.param(param), kind.name()),
            })
            .list();
        let brackets = if params.is_empty() { String::new() } else { format!("[{}]", params.joined(", ")) };
        let Term::Func { params, result } = inferred.solver.head(scheme.body) else { return };
        let types: Vec<TermId> = inferred.solver.items(params).to_vec();
        let locals = function.params.clone();
        let list: Vec<String> =
            locals.into_iter().zip(types).map(|(local, ty)| format!("{}: {}", self.name_of(local), print(ty))).list();
        // Not every condition that inference finds can be written; without types it finds them again.
        let (mut clause, mut is_written) = (String::new(), true);
        for obligation in &scheme.obligations {
            let name = obligation.relation.name();
            let has_name = name == "Equal" || !op::relations_named(name).is_empty();
            is_written &= has_name || Function::of(&obligation.attrs).is_some();
            clause.push_str(if clause.is_empty() { " where " } else { ", " });
            clause.push_str(&ty::print_obligation(&inferred.solver, &names, obligation).text);
        }
        let head = match is_written {
            true => format!("{brackets}({}) -> {}{clause}", list.joined(", "), print(result)),
            false => {
                let names: Vec<String> = function.params[1..].iter().map(|&local| self.name_of(local)).list();
                let this = list.first().cloned().unwrap_or_default();
                format!("({})", [&[this], &names[..]].concat().joined(", "))
            }
        };
        let _ = writeln!(out, "def {}{head} {{", self.global(self.def));
        for visit in &module.visits[function.visits.clone()] {
            if let Visit::Expr(expr) = *visit {
                let text = self.expr(expr);
                self.done.insert(expr, text);
            }
        }
        let Text { before, value: body } = self.take(function.body);
        let (head, close) = match &module.exprs[function.body].kind {
            // What takes the node apart.
            ExprKind::Match { scrutinee, arms, .. } if !arms.is_empty() => {
                let ExprKind::Local(scrutinee, _) = module.exprs[*scrutinee].kind else { return };
                let scrutinee = self.name_of(scrutinee);
                let PatKind::Ctor(ctor, pats) = &module.pats[arms[0].pat].kind else { return };
                let fields: Vec<String> = pats
                    .iter()
                    .map(|&pat| match module.pats[pat].kind {
                        PatKind::Var(local) => self.name_of(local),
                        _ => "_".to_owned(),
                    })
                    .list();
                let ctor = &module.ctors[*ctor].name;
                (Some(format!("match ({scrutinee}) {{ {ctor}({}) => {{", fields.joined(", "))), " } }")
            }
            _ => (None, ""),
        };
        if let Some(head) = head {
            let _ = writeln!(out, "  {head}");
        }
        for line in &before {
            let _ = writeln!(out, "  {line}");
        }
        let _ = writeln!(out, "  {body}{close}\n}}");
    }

    fn name_of(&mut self, local: LocalId) -> String {
        if let Some(name) = self.names.get(&local) {
            return name.clone();
        }
        let name = self.fresh.give(&format!("%{}", base::replace(self.analysis.module.local_name(local), ".", "_")));
        self.names.insert(local, name.clone());
        name
    }

    fn take(&mut self, expr: ExprId) -> Text {
        self.done.remove(&expr).unwrap_or_else(|| Text::of("_"))
    }

    /// The values of several expressions, after what must stand before any.
    fn list(&mut self, exprs: &[ExprId], before: &mut Vec<String>) -> String {
        let mut values: Vec<String> = Vec::new();
        for &expr in exprs {
            let mut text = self.take(expr);
            before.append(&mut text.before);
            values.push(text.value);
        }
        values.joined(", ")
    }

    fn expr(&mut self, expr: ExprId) -> Text {
        let module = &self.analysis.module;
        let mut before = Vec::new();
        let value = match &module.exprs[expr].kind {
            &ExprKind::Literal(dtype, scalar) => {
                return Text::of(ty::print_value(&Value::Scalar(dtype, scalar), module).text);
            }
            &ExprKind::Local(local, _) => return Text::of(self.name_of(local)),
            ExprKind::Def(def) => return Text::of(self.global(*def)),
            ExprKind::OpCall { op, args, attrs, .. } => {
                let mut call = format!("{}({}", op.row().name, self.list(args, &mut before));
                for ((name, value), _) in attrs.entries.iter().zip(&attrs.written).filter(|(_, written)| **written) {
                    let _ = write!(call, ", {name}={value}");
                }
                call + ")"
            }
            ExprKind::Call { callee, args, .. } => {
                let callee = self.list(&[*callee], &mut before);
                format!("{callee}({})", self.list(args, &mut before))
            }
            ExprKind::Tuple(fields) => {
                let comma = if fields.len() == 1 { "," } else { "" };
                format!("({}{comma})", self.list(fields, &mut before))
            }
            &ExprKind::Project { base, index } => format!("{}.{index}", self.list(&[base], &mut before)),
            &ExprKind::If { cond, then, otherwise } => {
                let cond = self.list(&[cond], &mut before);
                let [then, otherwise] = [then, otherwise].each(|branch| {
                    let Text { before, value } = self.take(branch);
                    [&before[..], &[value]].concat().joined(" ")
                });
                format!("if ({cond}) {{ {then} }} else {{ {otherwise} }}")
            }
            ExprKind::Block { lets, tail } => {
                for &(local, value) in lets {
                    let value = self.list(&[value], &mut before);
                    let name = match local {
                        Some(local) => self.name_of(local),
                        None => self.fresh.give("%v"),
                    };
                    let of = local.and_then(|local| module.locals[local].annotation);
                    let of = of.map_or(String::new(), |of| format!(": {}", written(module, of)));
                    before.push(format!("let {name}{of} = {value};"));
                }
                let tail = self.list(&[*tail], &mut before);
                return Text { before, value: tail };
            }
            // Around a body, what takes the node apart.
            ExprKind::Match { arms, .. } => {
                return arms.first().map_or_else(|| Text::of("_"), |arm| self.take(arm.body));
            }
            ExprKind::Error
            | ExprKind::TensorLit(_)
            | ExprKind::Ctor(_)
            | ExprKind::Op(_)
            | ExprKind::Variant(..)
            | ExprKind::Fn(_)
            | ExprKind::RefNew(_)
            | ExprKind::RefRead(_)
            | ExprKind::RefWrite { .. } => return Text::of("_"),
        };
        // What is computed has a name, so that no line is deep.
        let name = self.fresh.give("%v");
        before.push(format!("let {name} = {value};"));
        Text { before, value: name }
    }
}

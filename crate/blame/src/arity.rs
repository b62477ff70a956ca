//! Edits where something is missing or there is too much of it: arguments, fields of patterns and of declarations, the
//! bodies of arms that were added.

use crate::bench::{Bench, Checked, original};
use crate::call;
use crate::candidate::Candidate;
use crate::outline::Outline;
use crate::value::{self, short, zero_of};
use base::{Append, Diagnostic, Edit, Edited, Join, Span, ToList, apply};
use syntax::{NodeId, NodeKind};
use ty::{Dtype, Term, TermId, Terms};

/// At most so many patterns, and so many matches, are looked at for a variant.
const MAX_VARIANTS: usize = 12;

pub(crate) fn candidates(bench: &mut Bench, outline: &Outline, fault: &Diagnostic, out: &mut Vec<Candidate>) {
    let node = outline.covering(fault.span);
    match fault.code {
        "arity-too-few" if outline.kind(node) == NodeKind::Call => more_arguments(bench, outline, node, out),
        "arity-too-few" | "arity-too-many" | "pattern-arity" => {
            patterns(bench, outline, node, out);
            declarations(outline, fault, out);
        }
        "unbound-variable" if bench.faults.iter().any(|fault| fault.code == "arity-too-many") => {
            parameter(outline, node, out);
        }
        "not-in-sum" => variants(bench, outline, fault, out),
        _ => {}
    }
    if matches!(fault.code, "arity-too-few" | "arity-too-many") {
        declarations(outline, fault, out);
    }
}

/// A variant that a match lacks: one of its patterns is misspelt, or the variant where it is made, or an arm is missing.
fn variants(bench: &mut Bench, outline: &Outline, fault: &Diagnostic, out: &mut Vec<Candidate>) {
    let Some((_, rest)) = base::cut(&fault.message, " variant `") else { return };
    let name = base::before(rest, "`");
    let behind_sign = |node: NodeId| outline.text(node).strip_prefix('`').unwrap_or_default();
    let name_of = |node: NodeId| behind_sign(node).split(|c| !base::is_in_name(c)).next().unwrap_or_default();
    let mut renamed = |node: NodeId, new: &str, cost: u32| {
        let old = name_of(node);
        let span = Span::new(outline.span(node).start + 1, outline.span(node).start + 1 + old.len() as u32);
        if base::nearest(new, [old]).is_some() {
            out.push(Candidate::replace(cost, span, new, format!("write `{new}` for `{old}`")));
        }
    };
    let (patterns, made) = (outline.all(NodeKind::VariantPat), outline.all(NodeKind::Variant));
    let made = made.into_iter().filter(|&node| name_of(node) == name).list();
    for &pattern in patterns.iter().take(MAX_VARIANTS) {
        renamed(pattern, name, 4);
        made.iter().take(3).for_each(|&made| renamed(made, name_of(pattern), 5));
    }
    let n_fields = made.first().map_or(0, |&made| outline.tree.children(made).len());
    let fields = base::filled("_", n_fields).joined(", ");
    let pattern = if n_fields == 0 { format!("`{name}") } else { format!("`{name}({fields})") };
    for node in outline.all(NodeKind::Match).into_iter().take(MAX_VARIANTS) {
        let arms = outline.tree.children(node).into_iter().filter(|&arm| outline.kind(arm) == NodeKind::Arm).list();
        let is_of_variants = |&arm: &NodeId| {
            outline.tree.children(arm).first().is_some_and(|&pattern| outline.kind(pattern) == NodeKind::VariantPat)
        };
        let Some(&last) = arms.last().filter(|_| arms.iter().all(is_of_variants)) else { continue };
        let edit = Edit { span: outline.span(last).after(), text: format!(", {pattern} => _") };
        if let Some(edits) = filled(bench, &[edit]) {
            let title = format!("add an arm for `{name}`");
            out.push(Candidate { title, edits, place: outline.span(last), cost: 7 });
        }
    }
}

/// A parameter of the definition around a variable that nothing binds, where a call hands over too much.
fn parameter(outline: &Outline, variable: NodeId, out: &mut Vec<Candidate>) {
    let mut def = variable;
    while outline.kind(def) != NodeKind::Def {
        let Some(parent) = outline.parent(def) else { return };
        def = parent;
    }
    let Some(list) = outline.tree.child(def, NodeKind::ParamList) else { return };
    let params = outline.tree.children(list);
    let name = outline.text(variable);
    let title = format!("add the parameter `{name}`");
    let mut put = |at, text| out.push(Candidate::replace(4, Span::new(at, at), text, title.clone()));
    match params.last() {
        Some(&last) => put(outline.span(last).end, format!(", {name}")),
        None => put(outline.span(list).start + 1, name.to_owned()),
    }
    for &param in params.iter().take(8) {
        put(outline.span(param).start, format!("{name}, "));
    }
}

/// A variable of the right type at each place where an argument may be missing.
fn more_arguments(bench: &mut Bench, outline: &Outline, node: NodeId, out: &mut Vec<Candidate>) {
    let Some(parts) = call::parts(outline, node) else { return };
    for i in (0..=parts.args.len()).rev() {
        let (at, before, after) = match (parts.args.get(i), parts.args.last(), parts.attrs.first()) {
            (Some(&arg), _, _) => (outline.span(arg).start, "", ", "),
            (None, Some(&last), _) => (outline.span(last).end, ", ", ""),
            (None, None, Some(&attr)) => (outline.span(attr).start, "", ", "),
            (None, None, None) => (outline.span(parts.list).start + 1, "", ""),
        };
        let span = Span::new(at, at);
        let hole = Edit { span, text: format!("{before}_{after}") };
        let edits = [hole];
        let Some(outcome) = bench.try_edits(&edits) else { continue };
        let checked = &outcome.checked;
        // Where another argument becomes wrong, this place is.
        let is_new = |fault: &Diagnostic| {
            let at = original(&edits, fault.span.start).0;
            outline.span(node).contains(at) && bench.faults.iter().all(|old| old.span.start != at)
        };
        if outcome.removed == 0 || checked.faults.iter().any(is_new) {
            continue;
        }
        let hole_at = at + before.len() as u32;
        let mut values = fillings(bench.text, checked, hole_at);
        // A function is hardly its own argument.
        values.keep(|value| outline.tree.children(node).first().is_none_or(|&callee| outline.text(callee) != value));
        let callee = outline.tree.children(node).first().map_or("", |&callee| outline.text(callee));
        let wanted = op::by_name(callee).map_or(&[][..], |op| op.row().args);
        for (n, value) in values.into_iter().take(10).enumerate() {
            let mut given: Vec<&str> = parts.args.iter().map(|&arg| outline.text(arg)).list();
            given.insert(i, &value);
            let n_alike = wanted.iter().zip(given).count_where(|(wanted, given)| is_called(wanted, given));
            let title = format!("add the argument `{}`", short(&value));
            let text = format!("{before}{value}{after}");
            let candidate = Candidate::replace(5 + n as u32 - n_alike.min(5) as u32, span, text, title);
            out.push(candidate.at(outline.span(node)));
        }
    }
}

/// Whether a variable has the name of a parameter in its own: `%bn_gamma` is `gamma`, and `%mean` is `moving_mean`.
fn is_called(param: &str, variable: &str) -> bool {
    let last = |name: &str| name[base::end_of_last(name, b'_')..].to_owned();
    variable.strip_prefix('%').is_some_and(|name| last(name) == last(param))
}

/// What may fill a hole: variables of its type, those first that are used nowhere yet, then a plain value.
fn fillings(text: &str, checked: &Checked, at: u32) -> Vec<String> {
    let module = &checked.module;
    let Some(hole) = module.holes.iter().find(|hole| module.locals[hole.local].span.start == at) else {
        return Vec::new();
    };
    let Some(term) = checked.inferred.locals[hole.local] else { return Vec::new() };
    let wanted = checked.print(term);
    let is_open = !checked.is_known(term);
    let typed = hole.in_scope.iter().filter(|&&local| {
        let printed = checked.inferred.print_local(module, local);
        is_open || printed.is_some_and(|printed| printed.text == wanted)
    });
    let mut names: Vec<&str> = typed.map(|&local| module.local_name(local)).list();
    base::sort_by_key(&mut names, |name| base::all_places(text, name).len() > 1);
    let mut out: Vec<String> = names.into_iter().map(str::to_owned).list();
    out.dedup();
    out.truncate(if is_open { 9 } else { 5 });
    out.append_all(plain_value(checked, term));
    out
}

/// A value of a type, as text.
fn plain_value(checked: &Checked, term: TermId) -> Option<String> {
    let solver = &checked.inferred.solver;
    match solver.head(term) {
        Term::Tensor { .. } => {
            let shaped = checked.shaped(term)?;
            let (sizes, dtype) = (shaped.sizes()?, shaped.dtype.unwrap_or(Dtype::Float32));
            Some(if sizes.is_empty() {
                zero_of(dtype)
            } else {
                format!("zeros(shape={}, dtype=\"{dtype}\")", base::bracketed(&sizes))
            })
        }
        Term::Adt { adt, .. } => {
            let module = &checked.module;
            let ctor = module.adts[adt].ctors.iter().find(|&&ctor| module.ctors[ctor].fields.is_empty())?;
            Some(module.ctors[*ctor].name.clone())
        }
        Term::Tuple(fields) => {
            let fields = solver.items(fields);
            let is_flat = fields.iter().all(|&field| !matches!(solver.head(field), Term::Tuple(_)));
            let values: Option<Vec<String>> =
                if is_flat { fields.iter().map(|&field| plain_value(checked, field)).some_list() } else { None };
            values.map(|values| format!("({})", values.joined(", ")))
        }
        _ => None,
    }
}

/// Fields of a constructor's pattern.
fn patterns(bench: &Bench, outline: &Outline, node: NodeId, out: &mut Vec<Candidate>) {
    if outline.kind(node) == NodeKind::NamePat {
        let mut arm = node;
        while let Some(around) = outline.parent(arm).filter(|_| outline.kind(arm) != NodeKind::Arm) {
            arm = around;
        }
        // What the arm mentions and no one binds was meant to be bound here.
        let is_unbound =
            |fault: &&Diagnostic| fault.code == "unbound-variable" && outline.span(arm).contains(fault.span.start);
        let name = bench.faults.iter().find(is_unbound).map_or("_", |fault| &bench.text[fault.span.range()]);
        for n in 0..3 {
            for at in 0..=n {
                let fields = format!("({}{name}{})", "_, ".repeat(at), ", _".repeat(n - at));
                let title = format!("write `{}{fields}`", outline.text(node));
                let candidate = Candidate::replace(5 + at as u32, outline.span(node).after(), fields, title);
                out.push(candidate.at(outline.span(node)));
            }
        }
    }
    if !matches!(outline.kind(node), NodeKind::CtorPat | NodeKind::TuplePat) {
        return;
    }
    let fields = outline.tree.children(node);
    // What the arm mentions and no one binds was meant to be bound here.
    let arm = outline.parent(node).map_or(outline.span(node), |arm| outline.span(arm));
    let unbound = bench.faults.iter().find(|fault| fault.code == "unbound-variable" && arm.contains(fault.span.start));
    for (i, &field) in fields.iter().enumerate().filter(|_| unbound.is_some()) {
        let name = unbound.map_or("_", |fault| &bench.text[fault.span.range()]);
        let (start, end) = (outline.span(field).start, outline.span(field).end);
        let title = format!("bind `{name}`");
        let place = outline.span(node);
        let before = Candidate::replace(5, Span::new(start, start), format!("{name}, "), title.clone());
        out.push(before.at(place));
        if i + 1 == fields.len() {
            out.push(Candidate::replace(4, Span::new(end, end), format!(", {name}"), title).at(place));
        }
    }
    for (i, &field) in fields.iter().enumerate() {
        let span = outline.span(field);
        let before = Span::new(span.start, span.start);
        let place = outline.span(node);
        let last = i + 1 == fields.len();
        let cost = 5 + u32::from(!last);
        out.push(Candidate::replace(cost + 1, before, "_, ", "add the field `_`").at(place));
        if last {
            out.push(Candidate::replace(cost, span.after(), ", _", "add the field `_`").at(place));
        }
        let gone = match (fields.get(i + 1), i.checked_sub(1)) {
            (Some(&next), _) => Span::new(span.start, outline.span(next).start),
            (None, Some(before)) => Span::new(outline.span(fields[before]).end, span.end),
            (None, None) => continue,
        };
        let title = format!("drop the field `{}`", short(outline.text(field)));
        out.push(Candidate::replace(cost, gone, "", title).at(place));
        if let Some(&next) = fields.get(i + 1) {
            out.push(value::paired(outline, field, next, place, 7));
        }
    }
    let inside = outline.text(node);
    if fields.is_empty() && inside.ends_with("()") {
        let at = outline.span(node).end - 1;
        let candidate = Candidate::replace(5, Span::new(at, at), "_", "add the field `_`");
        out.push(candidate.at(outline.span(node)));
    }
}

/// Fields of a constructor's declaration.
fn declarations(outline: &Outline, fault: &Diagnostic, out: &mut Vec<Candidate>) {
    for label in &fault.labels {
        let mut node = outline.covering(label.span);
        if outline.kind(node) != NodeKind::Ctor {
            continue;
        }
        let ctor = node;
        while outline.kind(node) != NodeKind::TypeDef {
            match outline.parent(node) {
                Some(parent) => node = parent,
                None => return,
            }
        }
        let tree = outline.tree;
        let params: Vec<&str> = { tree.child(node, NodeKind::TypeParams).into_iter() }
            .flat_map(|params| tree.children(params))
            .map(|param| base::before(outline.text(param), ":").trim_ascii())
            .list();
        let Some(name) = tree.own_tokens(node).find(|&token| tree.token_kind(token) == syntax::TokenKind::Ident) else {
            // `type` itself is a word of the grammar.
            continue;
        };
        let name = tree.token_text(name);
        let whole = if params.is_empty() { name.to_owned() } else { format!("{name}[{}]", params.joined(", ")) };
        let mut types: Vec<String> = params.iter().map(|param| (*param).to_owned()).list();
        types.append_all([whole, "int32".to_owned(), "float32".to_owned()]);
        let fields = tree.child(ctor, NodeKind::CtorFields);
        let inside = fields.map(|fields| tree.children(fields)).unwrap_or_default();
        let place = outline.span(ctor);
        for (n, written) in types.iter().enumerate() {
            let title = format!("add a field of type `{written}` to the declaration");
            let mut put = |at: u32, text: String| {
                let candidate = Candidate::replace(6 + n as u32, Span::new(at, at), text, title.clone());
                out.push(candidate.at(place));
            };
            match (fields, inside.last()) {
                (None, _) => put(place.end, format!("({written})")),
                (Some(fields), None) => put(outline.span(fields).end - 1, written.clone()),
                (Some(_), Some(&last)) => {
                    put(outline.span(last).end, format!(", {written}"));
                    inside.iter().for_each(|&field| put(outline.span(field).start, format!("{written}, ")));
                }
            }
        }
    }
}

/// Edits whose texts have holes, with something in their places.
pub(crate) fn filled(bench: &mut Bench, edits: &[Edit]) -> Option<Vec<Edit>> {
    let outcome = bench.try_edits(edits)?;
    let checked = &outcome.checked;
    let mut edits = edits.to_vec();
    base::sort_by_key(&mut edits, |edit| edit.span.start);
    let text = apply(bench.text, &edits);
    let mut shift = 0i64;
    for edit in &mut edits {
        let start = (i64::from(edit.span.start) + shift) as u32;
        let end = start + edit.text.len() as u32;
        shift += edit.text.len() as i64 - i64::from(edit.span.len());
        let mut holes: Vec<u32> = { checked.module.holes.iter() }
            .map(|hole| checked.module.locals[hole.local].span.start)
            .filter(|&at| start <= at && at < end)
            .list();
        base::sort(&mut holes);
        for at in holes.into_iter().rev() {
            let value = fillings(&text, checked, at).into_iter().next()?;
            let at = (at - start) as usize;
            edit.text = format!("{}{value}{}", &edit.text[..at], &edit.text[at + 1..]);
        }
    }
    Some(edits)
}

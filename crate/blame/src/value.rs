//! Edits of expressions that are not calls' insides: another variable, another literal, a cast or a reshape around it.

use crate::bench::{Bench, Shaped};
use crate::call;
use crate::candidate::Candidate;
use crate::literal::as_dtype;
use crate::outline::Outline;
use crate::suspect::Suspect;
use crate::written::told;
use base::{Append, Edit, Join, MapArray, Span, ToList};
use hir::{Module, TypeExprId, TypeExprKind};
use syntax::{Event, NodeId, NodeKind, TokenKind};
use ty::{AdtId, Dtype, Term, Terms};

/// Of tensors of more axes nothing is rearranged.
pub(crate) const MAX_RANK: usize = 8;
/// Longer lists are not written anew.
const MAX_LIST: usize = 16;
/// Nobody means to pad an axis by more than this.
const MAX_PAD: i64 = 16;

pub(crate) fn candidates(bench: &Bench, outline: &Outline, suspect: &Suspect, out: &mut Vec<Candidate>) {
    let node = suspect.node;
    let span = outline.span(node);
    let far = suspect.n_hops;
    let text = outline.text(node);
    let have = outline.term(node);
    let have_text = have.map(|term| outline.checked.print(term));
    let have_shaped = have.and_then(|term| outline.checked.shaped(term));
    let want = suspect.want.as_deref();
    match outline.kind(node) {
        NodeKind::Literal => literal(outline, node, suspect, out),
        NodeKind::Tuple => tuple(outline, node, far, out),
        NodeKind::Project => projection(outline, node, far, out),
        NodeKind::RefRead => not(outline, node, far, out),
        NodeKind::ListLit => list(outline, suspect, out),
        NodeKind::RefWrite => {
            let cell = outline.tree.children(node).first().map_or("", |&cell| outline.text(cell));
            let title = format!("read it then: `!{cell}`");
            out.push(Candidate::replace(4 + far, span.after(), format!("; !{cell}"), title).at(span));
        }
        // A fold hands over what it has so far first, or last.
        NodeKind::Fn => {
            if let Some(params) = outline.tree.child(node, NodeKind::ParamList) {
                let params = outline.tree.children(params);
                swaps(outline, &params, 8 + far, "parameters", out);
                call::rotated(outline, &params, 6 + far, "parameters", out);
            }
        }
        _ => {}
    }
    let is_new = outline.kind(node) == NodeKind::RefNew;
    let is_operand = outline
        .parent(node)
        .is_some_and(|parent| matches!(outline.kind(parent), NodeKind::RefRead | NodeKind::RefWrite));
    // A hole that a file's variable is bound to says nothing, since it may be anything.
    let is_item = outline.parent(node).is_some_and(|parent| outline.kind(parent) == NodeKind::LetItem);
    let is_cell = is_item && bench.faults.iter().any(|fault| fault.message.starts_with("expected ref("));
    if (suspect.wants_ref || is_cell) && !is_new && !is_operand {
        let title = format!("hold it in a reference: `ref({})`", short(text));
        out.push(Candidate::replace(4 + far, span, format!("ref({text})"), title));
    }
    if !is_new && have.is_some_and(|term| matches!(outline.checked.inferred.solver.head(term), Term::Ref(_))) {
        let start = Span::new(span.start, span.start);
        let title = format!("read what it holds: `!{}`", short(text));
        out.push(Candidate::replace(7 + far, start, "!", title).at(span));
    }
    condition(outline, node, have_shaped.as_ref(), far, out);
    fields(outline, suspect, want, out);
    constructors(outline, suspect, want, have_text.as_deref(), out);
    if let (Some(want), Some(have)) = (want, &have_text) {
        delayed(outline, suspect, want, have, out);
    }
    called(bench, outline, suspect, out);
    bound_by_pattern(outline, suspect, out);
    variables(bench, outline, suspect, have_text.as_deref(), out);
    if let Some(sizes) = have_shaped.as_ref().and_then(Shaped::sizes).filter(|sizes| sizes.len() > 2) {
        flattened(outline, suspect, &sizes, &told(bench, suspect.removed), out);
    }
    if let Some(have) = &have_shaped {
        joined(bench, outline, suspect, have, out);
    }
    wraps(outline, suspect, have_shaped.as_ref(), want, out);
}

/// The condition of an `if`: a number is compared, and of many truths one is asked for.
fn condition(outline: &Outline, node: NodeId, have: Option<&Shaped>, far: u32, out: &mut Vec<Candidate>) {
    let (text, span) = (outline.text(node), outline.span(node));
    let is_condition = outline.parent(node).is_some_and(|parent| {
        outline.kind(parent) == NodeKind::If && outline.tree.children(parent).first() == Some(&node)
            || outline.kind(parent) == NodeKind::Paren
                && outline.parent(parent).is_some_and(|above| {
                    outline.kind(above) == NodeKind::If && outline.tree.children(above).first() == Some(&parent)
                })
    });
    if !is_condition {
        return;
    }
    if outline.kind(node) == NodeKind::Literal {
        let value = if text.starts_with('0') { "False" } else { "True" };
        out.push(Candidate::replace(8 + far, span, value, format!("write `{value}` for `{text}`")));
    } else if let Some(Shaped { dtype: Some(Dtype::Bool), .. }) = have {
        for op in ["all", "any"] {
            let title = format!("ask for one truth: `{op}`");
            out.push(Candidate::replace(5 + far, span, format!("{op}({text})"), title));
        }
    } else if let Some(Shaped { dims, dtype: Some(dtype) }) = have
        && dims.is_empty()
    {
        let zero = if matches!(dtype, Dtype::Int32) { "0".to_owned() } else { zero_of(*dtype) };
        out.push(Candidate {
            title: format!("compare it: `{text} > {zero}`"),
            edits: vec![Edit { span: span.after(), text: format!(" > {zero}") }],
            place: span,
            cost: 8 + far,
        });
    }
}

/// `!` of what is no reference: of a truth value it is meant as in other languages.
fn not(outline: &Outline, node: NodeId, far: u32, out: &mut Vec<Candidate>) {
    let Some(&operand) = outline.tree.children(node).first() else { return };
    let (span, text) = (outline.span(node), outline.text(operand));
    let shaped = outline.term(operand).and_then(|term| outline.checked.shaped(term));
    if shaped.is_none_or(|shaped| shaped.dtype.is_none_or(|dtype| dtype == Dtype::Bool)) {
        let negated = format!("logical_not({text})");
        out.push(Candidate::replace(5 + far, span, negated.clone(), format!("write `{}`", short(&negated))));
    }
    out.push(Candidate::replace(9 + far, span, text, "take `!` away"));
}

/// `[a, b]` where a value of a data type is wanted, or of what are no numbers.
fn list(outline: &Outline, suspect: &Suspect, out: &mut Vec<Candidate>) {
    let node = suspect.node;
    let elements: Vec<&str> = outline.tree.children(node).into_iter().map(|child| outline.text(child)).list();
    if elements.len() > MAX_LIST {
        return;
    }
    let (title, text) = match suspect.want_adt {
        Some(adt) => {
            let Some((cons, nil)) = list_constructors(&outline.checked.module, adt) else { return };
            let heads: String = elements.iter().map(|element| format!("{cons}({element}, ")).collect();
            let title = format!("write a list: `{cons}` and `{nil}`");
            (title, format!("{heads}{nil}{}", ")".repeat(elements.len())))
        }
        None => {
            let comma = if elements.len() == 1 { "," } else { "" };
            let text = format!("stack(({}{comma}), axis=0)", elements.joined(", "));
            ("put the tensors on one another: `stack`".to_owned(), text)
        }
    };
    out.push(Candidate::replace(4 + suspect.n_hops, outline.span(node), text, title));
}

/// The constructors of a list: one of an element and the rest, and one without fields.
fn list_constructors(module: &Module, adt: AdtId) -> Option<(&str, &str)> {
    let is_rest =
        |field: TypeExprId| matches!(module.type_exprs[field].kind, TypeExprKind::Adt { adt: rest, .. } if rest == adt);
    let ctors = module.adts[adt].ctors.iter().map(|&ctor| &module.ctors[ctor]);
    let cons = ctors.clone().find(|ctor| matches!(ctor.fields[..], [_, rest] if is_rest(rest)))?;
    let nil = ctors.clone().find(|ctor| ctor.fields.is_empty())?;
    Some((&cons.name, &nil.name))
}

/// A zero with the dtype's suffix.
pub(crate) fn zero_of(dtype: Dtype) -> String {
    if dtype == Dtype::Bool { "False".to_owned() } else { format!("0{}", dtype.suffix()) }
}

fn literal(outline: &Outline, node: NodeId, suspect: &Suspect, out: &mut Vec<Candidate>) {
    let text = outline.text(node);
    let of = |dtype: Dtype| as_dtype(text, dtype);
    // Where any dtype would do, the other one of the usual two; who writes a narrow one means it.
    let is_usual = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'f'));
    let written = match suspect.want_dtype {
        Some(dtype) => of(dtype),
        None if is_usual => of(Dtype::Float32).or_else(|| of(Dtype::Int32)),
        None => None,
    };
    out.append_all(written.map(|new| {
        let title = format!("write `{new}` for `{text}`");
        Candidate::replace(7 + suspect.n_hops, outline.span(node), new, title)
    }));
    let wanted = suspect.want_shaped.as_ref().and_then(|want| Some((want.sizes()?, want.dtype?)));
    if let Some((sizes, dtype)) = wanted.filter(|(sizes, _)| !sizes.is_empty()) {
        let shape = base::bracketed(&sizes);
        let is_zero = base::trim(text, "0.f").is_empty();
        let call = if is_zero { "zeros(".to_owned() } else { format!("full({text}, ") };
        let new = format!("{call}shape={shape}, dtype=\"{dtype}\")");
        // An argument that is a number may be another's.
        let is_argument = outline.parent(node).is_some_and(|parent| outline.kind(parent) == NodeKind::ArgList);
        let cost = suspect.n_hops + if is_argument { 13 } else { 7 };
        out.push(Candidate::replace(cost, outline.span(node), new.clone(), format!("write `{new}`")));
    }
}

/// One field of a tuple instead of the tuple.
fn tuple(outline: &Outline, node: NodeId, far: u32, out: &mut Vec<Candidate>) {
    let fields = outline.tree.children(node);
    let is_one = fields.len() > 1 && fields.iter().all(|&field| outline.text(field) == outline.text(fields[0]));
    // Of what is computed nothing was meant to be lost.
    let is_computed = |event| match event {
        Event::Enter(part) => matches!(outline.kind(part), NodeKind::Call | NodeKind::Binary | NodeKind::Unary),
        Event::Leave(_) => false,
    };
    let computed = fields.iter().copied().filter(|&field| outline.tree.walk(field).any(is_computed)).list();
    let n = if is_one { 1 } else { 4 };
    for &field in fields.iter().take(n).filter(|&field| is_one || computed.iter().all(|other| other == field)) {
        let text = outline.text(field);
        let cost = if is_one { 4 } else { 16 };
        out.push(Candidate::replace(cost + far, outline.span(node), text, format!("write `{text}` for the tuple")));
    }
    swaps(outline, &fields, 14 + far, "fields", out);
}

/// Any two of the first parts the other way round.
fn swaps(outline: &Outline, parts: &[NodeId], cost: u32, what: &str, out: &mut Vec<Candidate>) {
    for (i, &left) in parts.iter().enumerate().take(5) {
        for &right in parts.iter().take(5).skip(i + 1) {
            out.append_all(swap(outline, left, right, cost, what));
        }
    }
}

/// One field of what is a tuple, where something else is wanted.
fn fields(outline: &Outline, suspect: &Suspect, want: Option<&str>, out: &mut Vec<Candidate>) {
    let node = suspect.node;
    if matches!(outline.kind(node), NodeKind::Tuple | NodeKind::If | NodeKind::Match | NodeKind::Fn) {
        return;
    }
    let solver = &outline.checked.inferred.solver;
    let Some(Term::Tuple(fields)) = outline.term(node).map(|term| solver.head(term)) else { return };
    for (i, &field) in solver.items(fields).iter().enumerate().take(5) {
        if want.is_some_and(|want| want != outline.checked.print(field)) {
            continue;
        }
        let at = outline.span(node).after();
        let title = format!("take field {i} of `{}`", short(outline.text(node)));
        let candidate = Candidate::replace(9 + suspect.n_hops + i as u32, at, format!(".{i}"), title);
        out.push(candidate.at(outline.span(node)));
    }
}

/// A call with a variable, where a function of one parameter of its type stands.
fn called(bench: &Bench, outline: &Outline, suspect: &Suspect, out: &mut Vec<Candidate>) {
    let node = suspect.node;
    let (checked, span) = (outline.checked, outline.span(node));
    let Some(Term::Func { params, .. }) = outline.term(node).map(|term| checked.inferred.solver.head(term)) else {
        return;
    };
    let &[param] = checked.inferred.solver.items(params) else { return };
    let is_callee =
        |parent| outline.kind(parent) == NodeKind::Call && outline.tree.children(parent).first() == Some(&node);
    if outline.kind(node) == NodeKind::Fn || outline.parent(node).is_some_and(is_callee) {
        return;
    }
    let want = checked.print(param);
    let fits = suspect.in_scope.iter().filter(|(name, ty)| *ty == want && name.starts_with('%'));
    for (n, (name, _)) in fits.take(4).enumerate() {
        let call = format!("({name})");
        // What other functions are called with comes first.
        let cost = if base::find(bench.text, &call).is_some() { 6 } else { 8 } + suspect.n_hops + n as u32;
        let title = format!("call it: `{}{call}`", short(outline.text(node)));
        out.push(Candidate::replace(cost, span.after(), call, title).at(span));
    }
}

/// The fields of the pattern that binds a variable, the other way round.
fn bound_by_pattern(outline: &Outline, suspect: &Suspect, out: &mut Vec<Candidate>) {
    let Some(binder) = outline.local(suspect.node).map(|local| outline.binder(local)) else { return };
    let Some(pattern) = outline.parent(binder) else { return };
    if !matches!(outline.kind(pattern), NodeKind::CtorPat | NodeKind::TuplePat) {
        return;
    }
    for other in outline.tree.children(pattern).into_iter().filter(|&other| other != binder).take(4) {
        out.append_all(swap(outline, binder, other, 10 + suspect.n_hops, "fields"));
    }
}

/// A constructor of one field around a value, where a value of its data type is wanted.
fn constructors(
    outline: &Outline,
    suspect: &Suspect,
    want: Option<&str>,
    have: Option<&str>,
    out: &mut Vec<Candidate>,
) {
    let module = &outline.checked.module;
    let Some(name) = want.map(|want| base::before(want, "[")) else { return };
    if have.is_some_and(|have| have.starts_with(name)) {
        return;
    }
    let Some(adt) = module.adts.iter().find(|adt| adt.name == name) else { return };
    let span = outline.span(suspect.node);
    let is_tuple = outline.kind(suspect.node) == NodeKind::Tuple;
    let n_fields = if is_tuple { outline.tree.children(suspect.node).len() } else { 0 };
    let ctors = || adt.ctors.iter().map(|&ctor| &module.ctors[ctor]);
    for ctor in ctors().filter(|ctor| ctor.fields.len() == n_fields && n_fields > 1) {
        let title = format!("write `{}` before it", ctor.name);
        let start = Span::new(span.start, span.start);
        out.push(Candidate::replace(4 + suspect.n_hops, start, ctor.name.as_str(), title).at(span));
    }
    for ctor in ctors().filter(|ctor| ctor.fields.len() == 1) {
        let text = format!("{}({})", ctor.name, outline.text(suspect.node));
        let title = format!("wrap it in `{}`", ctor.name);
        out.push(Candidate::replace(9 + suspect.n_hops, span, text, title));
    }
}

/// A call of a function without parameters for the function; the field of a constructor for the whole.
fn delayed(outline: &Outline, suspect: &Suspect, want: &str, have: &str, out: &mut Vec<Candidate>) {
    let (node, far) = (suspect.node, suspect.n_hops);
    let (span, text) = (outline.span(node), outline.text(node));
    if have.strip_prefix("fn() -> ") == Some(want) {
        out.push(Candidate::replace(4 + far, span.after(), "()", format!("call it: `{}()`", short(text))).at(span));
    }
    let parts = if outline.kind(node) == NodeKind::Call { call::parts(outline, node) } else { None };
    if let Some(call::Parts { callee, args, .. }) = parts
        && let [field] = args[..]
        && outline.text(callee).starts_with(|c: char| c.is_ascii_uppercase())
        && outline.term(field).is_some_and(|term| outline.checked.print(term) == want)
    {
        let title = format!("take `{}` away", outline.text(callee));
        out.push(Candidate::replace(6 + far, span, outline.text(field), title));
    }
}

/// Two parts the other way round.
pub(crate) fn swap(outline: &Outline, left: NodeId, right: NodeId, cost: u32, what: &str) -> Option<Candidate> {
    let (a, b) = (outline.text(left), outline.text(right));
    let edit = |at: NodeId, text: &str| Edit { span: outline.span(at), text: text.to_owned() };
    let is_there = !a.is_empty() && !b.is_empty();
    (is_there && a != b).then(|| Candidate {
        title: format!("swap the {what} `{}` and `{}`", short(a), short(b)),
        edits: vec![edit(left, b), edit(right, a)],
        place: outline.span(left).to(outline.span(right)),
        cost,
    })
}

/// Two parts as one tuple.
pub(crate) fn paired(outline: &Outline, left: NodeId, right: NodeId, place: Span, cost: u32) -> Candidate {
    let (a, b) = (outline.text(left), outline.text(right));
    let start = outline.span(left).start;
    let ends = [(Span::new(start, start), "("), (outline.span(right).after(), ")")];
    Candidate {
        title: format!("put `{}` and `{}` into a tuple", short(a), short(b)),
        edits: ends.each(|(span, text)| Edit { span, text: text.to_owned() }).into(),
        place,
        cost,
    }
}

fn projection(outline: &Outline, node: NodeId, far: u32, out: &mut Vec<Candidate>) {
    let tree = outline.tree;
    let Some(token) = tree.own_tokens(node).find(|&token| tree.token_kind(token) == TokenKind::Int) else { return };
    let span = tree.token_span(token);
    let old = tree.token_text(token);
    let last = base::parse_u32(old).unwrap_or(0);
    let whole = tree.children(node).first().copied();
    if let Some(whole) =
        whole.filter(|&whole| outline.term(whole).is_some_and(|term| outline.checked.shaped(term).is_some()))
    {
        let gone = Span::new(outline.span(whole).end, outline.span(node).end);
        out.push(Candidate::replace(4 + far, gone, "", format!("take `.{old}` away")).at(outline.span(node)));
    }
    let beside = outline.parent(node).map(|parent| outline.tree.children(parent)).unwrap_or_default();
    let whole = whole.map_or("", |whole| outline.text(whole));
    // The first ones, and those around it.
    for index in (0..5).chain(last.saturating_sub(4).max(5)..last.saturating_add(5)) {
        if index == last {
            continue;
        }
        let title = format!("take field {index} instead of {old}");
        // Nobody means to combine a field with itself.
        let same = format!("{whole}.{index}");
        let is_beside = beside.iter().take(MAX_LIST).any(|&other| outline.text(other) == same);
        let cost = 8 + far + index.abs_diff(last).min(5) + if is_beside { 12 } else { 0 };
        out.push(Candidate::replace(cost, span, index.to_string(), title).at(outline.span(node)));
    }
}

/// Other variables that are of the type that is wanted; what is used nowhere else, and what has a near name, first.
fn variables(bench: &Bench, outline: &Outline, suspect: &Suspect, have: Option<&str>, out: &mut Vec<Candidate>) {
    let node = suspect.node;
    let (text, span) = (outline.text(node), outline.span(node));
    let is_name = matches!(outline.kind(node), NodeKind::LocalRef | NodeKind::GraphRef | NodeKind::NameRef);
    if !is_name && suspect.in_scope.is_empty() {
        return;
    }
    // A variable for a whole computation is no mend.
    let kind = outline.kind(node);
    if matches!(kind, NodeKind::If | NodeKind::Match | NodeKind::Fn | NodeKind::Tuple | NodeKind::RefWrite) {
        return;
    }
    let is_unbound = is_name && outline.local(node).is_none();
    // With a name in it that nothing binds, a computation is none.
    let is_bound = |event| match event {
        Event::Enter(part) => outline.kind(part) != NodeKind::LocalRef || outline.local(part).is_some(),
        Event::Leave(_) => true,
    };
    let computes = matches!(outline.kind(node), NodeKind::Call | NodeKind::Binary | NodeKind::Unary)
        && outline.tree.walk(node).all(is_bound);
    let is_used_here_alone = is_name && !is_unbound && mentions(bench.text, text) < 3;
    let is_computed = outline.local(node).is_some_and(|local| outline.kind(outline.binder(local)) != NodeKind::Param);
    let mut n = 0;
    let beside = outline.parent(node).map(|parent| outline.tree.children(parent)).unwrap_or_default();
    let is_beside = |name: &str| beside.iter().take(MAX_LIST).any(|&other| outline.text(other) == name);
    let near = base::nearest(text, suspect.in_scope.iter().map(|(name, _)| name.as_str()));
    for (name, ty) in &suspect.in_scope {
        let fits = match suspect.want.as_deref() {
            Some(want) => want == ty,
            // Another one that fits by the rules of broadcasting alone was hardly meant.
            None => {
                have.is_none_or(|have| have != ty && (n_axes(have) == n_axes(ty) || !have.starts_with('T'))) && is_name
            }
        };
        // Who writes no sigil means no variable, unless its name is near.
        let is_far = outline.kind(node) == NodeKind::NameRef && near != Some(name.as_str());
        // Nobody means to combine a variable with itself.
        if !fits || is_far || is_beside(name) || name == text || n >= 8 || !name.starts_with('%') {
            continue;
        }
        n += 1;
        let is_unused = mentions(bench.text, name) < 2;
        // Nor does anybody compute something in the place of a variable that is used elsewhere, or bind it to a name that
        // nothing uses.
        if !is_unused && (computes || is_used_here_alone) || is_used_here_alone && is_computed {
            continue;
        }
        let mut cost = if is_unbound {
            6
        } else if is_name {
            19
        } else {
            26
        } + suspect.n_hops;
        cost = match (is_unused, is_name && !is_unbound) {
            // What nothing uses was meant to be used.
            (true, true) => cost - 6,
            (true, false) => cost - 3 + n,
            (false, _) if suspect.want.is_none() && !is_unbound => cost + 6 + n,
            (false, _) => cost + n,
        };
        if near == Some(name.as_str()) {
            cost -= 2;
        }
        out.push(Candidate::replace(cost, span, name.clone(), format!("write `{name}` for `{}`", short(text))));
    }
}

/// How many commas there are in the shape of a tensor's type as it prints.
fn n_axes(ty: &str) -> usize {
    ty.bytes().take_while(|&byte| byte != b')').count_where(|&byte| byte == b',')
}

/// How often a name stands in a text as a whole.
pub(crate) fn mentions(text: &str, name: &str) -> usize {
    let ends = |at: usize| !text[at + name.len()..].starts_with(base::is_in_name);
    base::all_places(text, name).into_iter().count_where(|&at| ends(at))
}

pub(crate) fn short(text: &str) -> String {
    let line = base::before(text, "\n");
    if line.len() == text.len() && text.chars().count() <= 40 {
        return text.to_owned();
    }
    line.chars().take(36).chain(['…']).collect()
}

/// A picture where its features in one row are wanted: as many of them as the fault speaks of.
fn flattened(outline: &Outline, suspect: &Suspect, sizes: &[i64], told: &[i64], out: &mut Vec<Candidate>) {
    if told.contains(&product(&sizes[1..])) {
        let text = outline.text(suspect.node);
        let title = format!("wrap `{}` in `nn.batch_flatten`", short(text));
        let span = outline.span(suspect.node);
        out.push(Candidate::replace(4 + suspect.n_hops, span, format!("nn.batch_flatten({text})"), title));
    }
}

/// Operators around an expression that make of it what is wanted.
struct Wraps<'a> {
    outline: &'a Outline<'a>,
    node: NodeId,
    cost: u32,
    out: &'a mut Vec<Candidate>,
}

impl Wraps<'_> {
    /// `rest` is what stands in the call behind the expression.
    fn put(&mut self, extra: u32, op: &str, rest: String) {
        let span = self.outline.span(self.node);
        self.out.push(Candidate {
            title: format!("wrap `{}` in `{op}`", short(self.outline.text(self.node))),
            edits: vec![
                Edit { span: Span::new(span.start, span.start), text: format!("{op}(") },
                Edit { span: span.after(), text: format!("{rest})") },
            ],
            place: span,
            cost: self.cost + extra,
        });
    }

    /// The same where much speaks for it.
    fn likely(&mut self, less: u32, op: &str, rest: String) {
        let cost = self.cost;
        self.cost = cost.saturating_sub(less);
        self.put(0, op, rest);
        self.cost = cost;
    }

    /// Where a dtype is wanted it is that one, and where nothing is known the usual ones.
    fn casts(&mut self, have: Option<Dtype>, wanted: Option<Dtype>, is_known: bool) {
        if let Some(dtype) = wanted.filter(|&dtype| Some(dtype) != have) {
            self.put(0, "cast", format!(", dtype=\"{dtype}\""));
        } else if !is_known && wanted.is_none() {
            for dtype in [Dtype::Float32, Dtype::Int32] {
                if have != Some(dtype) {
                    self.put(2, "cast", format!(", dtype=\"{dtype}\""));
                }
            }
        }
    }

    /// Of all elements one number.
    fn reduced(&mut self, have: Option<Dtype>) {
        if have.is_none_or(Dtype::is_float) {
            self.likely(12, "mean", String::new());
        }
        if have != Some(Dtype::Bool) {
            self.likely(11, "sum", String::new());
        }
    }

    /// Numbers of classes, where a float for each class is wanted.
    fn one_hot(&mut self, have: &Shaped, want: &Shaped) {
        if let ([first @ .., Some(n_classes)], Some(to), Some(from)) = (&want.dims[..], want.dtype, have.dtype)
            && first == have.dims
            && to.is_float()
            && !from.is_float()
        {
            self.likely(9, "one_hot", format!(", 1f, 0f, depth={n_classes}, axis=-1, dtype=\"{to}\""));
        }
    }

    /// From these sizes to those that are wanted, as far as they are known.
    fn reshaping(&mut self, from: &[i64], want: &Shaped) {
        let rank = from.len();
        let fits = |shape: &[i64]| {
            shape.len() == want.dims.len()
                && shape.iter().zip(&want.dims).all(|(size, want)| want.is_none_or(|want| want == *size))
        };
        let with_axis = |axis: &usize| fits(&[&from[..*axis], &[1], &from[*axis..]].concat());
        if let Some(axis) = (0..=rank).find(with_axis) {
            self.put(0, "expand_dims", format!(", axis={axis}"));
        }
        let without_axis = |axis: &usize| from[*axis] == 1 && fits(&[&from[..*axis], &from[*axis + 1..]].concat());
        if let Some(axis) = (0..rank).find(without_axis) {
            self.put(0, "squeeze", format!(", axis=[{axis}]"));
        }
        let turned = |axes: &Vec<usize>| fits(&axes.iter().map(|&axis| from[axis]).list());
        if let Some(axes) = permutations(rank).into_iter().find(turned) {
            self.put(0, "transpose", format!(", axes={}", base::bracketed(&axes)));
        }
        if rank > 1 && fits(&[from[0], product(&from[1..])]) {
            self.put(0, "nn.batch_flatten", String::new());
        }
        if let Some(sizes) = want.sizes() {
            if product(&sizes) == product(from) {
                self.put(3, "reshape", format!(", newshape={}", base::bracketed(&sizes)));
            }
            if sizes.len() == rank && rank > 0 {
                self.padded(from, &sizes);
            }
        }
    }

    fn padded(&mut self, from: &[i64], to: &[i64]) {
        let more: Vec<i64> = to.iter().zip(from).map(|(want, have)| want.saturating_sub(*have)).list();
        if more.iter().all(|more| (0..=MAX_PAD).contains(more)) {
            let widths: Vec<String> = more.iter().map(|more| base::bracketed(&[more / 2, more - more / 2])).list();
            let widths = base::bracketed(&widths);
            let shaped = self.outline.term(self.node).and_then(|term| self.outline.checked.shaped(term));
            let zero = zero_of(shaped.and_then(|shaped| shaped.dtype).unwrap_or(Dtype::Float32));
            self.put(6, "nn.pad", format!(", {zero}, pad_width={widths}"));
        }
    }

    /// Where nothing is known of what is wanted: axes in another order, one more, one less.
    fn guesses(&mut self, have: &Shaped, from: &[i64]) {
        let rank = from.len();
        for (i, axes) in permutations(rank).into_iter().take(6).enumerate() {
            let extra = if rank == 2 { 0 } else { 2 + 2 * u32::from(i > 0) };
            self.put(extra, "transpose", format!(", axes={}", base::bracketed(&axes)));
        }
        let Outline { tree, checked, .. } = *self.outline;
        let beside = self.outline.parent(self.node).map(|parent| tree.children(parent)).unwrap_or_default();
        let mut most = None;
        let node = self.node;
        for &other in beside.iter().take(8).filter(|&&other| other != node) {
            let Some(shaped) = self.outline.term(other).and_then(|term| checked.shaped(term)) else { continue };
            most = most.max(Some(shaped.dims.len()));
            self.one_hot(have, &shaped);
            // In the order of the other operand, whose axes they meet then.
            let meets = |(&axis, want): (&usize, &Option<i64>)| Some(from[axis]) == *want || from[axis] == 1;
            let turned =
                |axes: &Vec<usize>| axes.len() == shaped.dims.len() && axes.iter().zip(&shaped.dims).all(meets);
            if let Some(axes) = permutations(rank).into_iter().find(turned) {
                self.put(0, "transpose", format!(", axes={}", base::bracketed(&axes)));
            }
            if let Some((axis, n_axes)) = lacking(from, &shaped.dims) {
                let n_axes = if n_axes == 1 { String::new() } else { format!(", num_newaxis={n_axes}") };
                self.likely(8, "expand_dims", format!(", axis={axis}{n_axes}"));
            }
        }
        // The operand of fewer axes is the one that lacks some.
        let is_largest = most.is_some_and(|other| other < rank);
        let extra = if most == Some(rank) { 5 } else { 1 };
        for axis in (0..=rank.min(4)).filter(|_| !is_largest) {
            self.put(extra, "expand_dims", format!(", axis={axis}"));
        }
        for axis in (0..rank).filter(|&axis| from[axis] == 1) {
            self.put(2 * u32::from(axis == 0), "squeeze", format!(", axis=[{axis}]"));
        }
        if rank > 2 {
            self.put(1, "nn.batch_flatten", String::new());
        }
        if rank > 0 && rank < 3 && !is_largest {
            self.put(2, "expand_dims", ", axis=1, num_newaxis=2".to_owned());
        }
    }
}

fn wraps(outline: &Outline, suspect: &Suspect, have: Option<&Shaped>, want: Option<&str>, out: &mut Vec<Candidate>) {
    let node = suspect.node;
    let Some(have) = have else { return };
    // `let %x = %y` says nothing: an operator may have been forgotten there. What has been computed may lack a step;
    // what was handed in is as it was written.
    let is_param = outline.local(node).is_some_and(|local| outline.kind(outline.binder(local)) == NodeKind::Param);
    let cost = if is_alias(outline, node) { 8 } else { 17 } + suspect.n_hops + u32::from(is_param);
    let mut wraps = Wraps { outline, node, cost, out };
    let wanted = suspect.want_shaped.as_ref();
    wraps.casts(have.dtype, suspect.want_dtype, want.is_some());
    // Where a number is handed over, one of them was meant.
    let is_result = outline.parent(node).is_some_and(|parent| {
        matches!(outline.kind(parent), NodeKind::Block | NodeKind::LetStmt | NodeKind::GraphStmt)
    });
    if is_result && !have.dims.is_empty() && wanted.is_some_and(|want| want.dims.is_empty()) {
        wraps.reduced(have.dtype);
    }
    let Some(from) = have.sizes().filter(|sizes| sizes.len() <= MAX_RANK) else { return };
    if let Some(want) = wanted {
        wraps.one_hot(have, want);
    }
    let differs = |want: &Shaped| {
        let pairs = want.dims.iter().zip(&from);
        want.dims.len() != from.len() || pairs.into_iter().any(|(want, have)| want.is_some_and(|want| want != *have))
    };
    match wanted {
        Some(want) if differs(want) => wraps.reshaping(&from, want),
        Some(_) => {}
        None => wraps.guesses(have, &from),
    }
}

/// What nothing uses, beside a value that lacks just that along an axis.
fn joined(bench: &Bench, outline: &Outline, suspect: &Suspect, have: &Shaped, out: &mut Vec<Candidate>) {
    let (Some(from), Some(dtype)) = (have.sizes(), have.dtype) else { return };
    let (text, span) = (outline.text(suspect.node), outline.span(suspect.node));
    for want in told(bench, suspect.removed).into_iter().take(4) {
        for axis in (0..from.len()).filter(|&axis| from[axis] < want) {
            let mut lacks = from.clone();
            lacks[axis] = want - from[axis];
            let shape = base::bracketed(&lacks);
            let lacks = format!("Tensor[({}), {dtype}]", base::trim(&shape, "[]"));
            let is_it = |(name, ty): &&(String, String)| *ty == lacks && mentions(bench.text, name) < 2;
            if let Some((name, _)) = suspect.in_scope.iter().find(is_it) {
                let new = format!("concatenate(({text}, {name}), axis={axis})");
                let title = format!("put `{name}` beside it: `concatenate`");
                out.push(Candidate::replace(5 + suspect.n_hops, span, new, title));
            }
        }
    }
}

/// The axis before which axes are missing, and how many, if a shape has all others of another one, in their order, and
/// some behind its first: a mask of `(2, 9)` beside `(2, 5, 9)` lacks axis 1. A vector that has but the size of the
/// first axis, the samples of a batch, does not: as a bias it is too long.
fn lacking(sizes: &[i64], of: &[Option<i64>]) -> Option<(usize, usize)> {
    let mut places = Vec::new();
    let mut end = of.len();
    for &size in sizes.iter().rev() {
        end = of[..end].iter().rposition(|&other| other == Some(size))?;
        places.push(end);
    }
    places.reverse();
    places.push(of.len());
    let gaps = places.windows(2).enumerate().filter(|(_, two)| two[1] > two[0] + 1);
    let gaps = gaps.map(|(at, two)| (at + 1, two[1] - two[0] - 1)).list();
    let is_of_samples = sizes.len() == 1 && places[0] == 0;
    if let [gap] = gaps[..] { Some(gap).filter(|_| !is_of_samples) } else { None }
}

/// How many elements a shape holds.
pub(crate) fn product(sizes: &[i64]) -> i64 {
    sizes.iter().fold(1, |product, size| product.saturating_mul(*size))
}

/// Whether an expression is a variable that is the whole value of another one.
pub(crate) fn is_alias(outline: &Outline, node: NodeId) -> bool {
    let is_value = outline.parent(node).is_some_and(|parent| {
        matches!(outline.kind(parent), NodeKind::LetStmt | NodeKind::GraphStmt | NodeKind::LetItem)
    });
    is_value && matches!(outline.kind(node), NodeKind::LocalRef | NodeKind::GraphRef)
}

/// Orders of axes but the first, none for large ranks: those that move one axis before those that swap two, and before
/// others those that leave the first axes, as of a batch, where they are.
pub(crate) fn permutations(rank: usize) -> Vec<Vec<usize>> {
    let mut out = Vec::new();
    if !(2..=5).contains(&rank) {
        return out;
    }
    let identity: Vec<usize> = (0..rank).list();
    let pairs = || (0..rank).rev().flat_map(move |low| (low + 1..rank).map(move |high| (low, high)));
    let mut add = |axes: Vec<usize>| {
        if !out.contains(&axes) {
            out.push(axes);
        }
    };
    for (low, high) in pairs() {
        for (from, to) in [(high, low), (low, high)] {
            let mut axes = identity.clone();
            let axis = axes.remove(from);
            axes.insert(to, axis);
            add(axes);
        }
    }
    for (low, high) in pairs() {
        let mut axes = identity.clone();
        axes.swap(low, high);
        add(axes);
    }
    for shift in 2..rank {
        let mut axes = identity.clone();
        axes.rotate_left(shift);
        add(axes);
    }
    out
}

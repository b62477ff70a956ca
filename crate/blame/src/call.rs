//! Edits inside calls: arguments, attributes, and the operator itself.

use crate::bench::{Bench, Shaped};
use crate::candidate::{Candidate, numbers};
use crate::outline::{Outline, is_expr};
use crate::slip;
use crate::suspect::Suspect;
use crate::value::{MAX_RANK, mentions, paired, permutations, product, short, swap};
use crate::written::{MAX_MESSAGE, told};
use base::{Append, Edit, Edited, Join, MapArray, Span, ToList};
use op::{AttrForm, AttrSpec, Op};
use syntax::{NodeId, NodeKind};
use ty::Dtype;

/// Operators that are taken for one another.
const CONFUSED: &[(&str, &str)] = &[
    ("stack", "concatenate"),
    ("nn.dense", "nn.matmul"),
    ("nn.batch_matmul", "nn.matmul"),
    ("nn.dense", "nn.batch_matmul"),
    ("nn.conv2d", "nn.conv2d_transpose"),
    ("nn.global_avg_pool2d", "nn.avg_pool2d"),
    ("squeeze", "nn.batch_flatten"),
    ("take", "gather"),
    ("tile", "repeat"),
    ("expand_dims", "squeeze"),
    ("broadcast_to", "reshape"),
    ("nn.layer_norm", "nn.instance_norm"),
    ("@foldl", "@foldr"),
];

/// Operators that change a shape or a dtype and nothing else.
const REARRANGING: &[&str] =
    &["transpose", "reshape", "cast", "squeeze", "expand_dims", "nn.batch_flatten", "copy", "layout_transform"];

/// The largest step of a window that is tried.
const MOST_MOVED: i64 = 8;

/// What speaks against another axis than that along which values are joined without a fault.
const MEANT: u32 = 12;

/// A call in pieces.
pub(crate) struct Parts {
    pub callee: NodeId,
    pub list: NodeId,
    pub args: Vec<NodeId>,
    pub attrs: Vec<NodeId>,
}

pub(crate) fn parts(outline: &Outline, node: NodeId) -> Option<Parts> {
    let children = outline.tree.children(node);
    let list = children.iter().copied().find(|&child| outline.kind(child) == NodeKind::ArgList)?;
    let inside = outline.tree.children(list);
    let (attrs, args) = inside.into_iter().partition(|&child| outline.kind(child) == NodeKind::Attr);
    Some(Parts { callee: *children.first()?, list, args, attrs })
}

/// What stands before the `=`.
pub(crate) fn attr_name<'a>(outline: &Outline<'a>, attr: NodeId) -> &'a str {
    base::before(outline.text(attr), "=").trim_ascii()
}

pub(crate) fn candidates(bench: &Bench, outline: &Outline, suspect: &Suspect, out: &mut Vec<Candidate>) {
    let node = suspect.node;
    let far = suspect.n_hops;
    if outline.kind(node) == NodeKind::Binary {
        let sides = outline.tree.children(node);
        if let [left, right] = sides[..] {
            out.append_all(swap(outline, left, right, 20 + far, "operands"));
            bias(outline, node, [left, right], far, out);
            matrices(outline, node, [left, right], far, out);
            between(outline, node, [left, right], far, out);
        }
        return;
    }
    if outline.kind(node) != NodeKind::Call {
        return;
    }
    let Some(parts) = parts(outline, node) else { return };
    let name = outline.text(parts.callee);
    let row = op::by_name(name).map(|op| op.row());
    let too = |code: &str| bench.faults.iter().any(|fault| fault.code == code && fault.span == outline.span(node));
    let too_many = too("arity-too-many");
    slip::candidates(outline, &parts, too_many, far, out);
    // Arguments the other way round.
    for (i, &left) in parts.args.iter().enumerate().take(5) {
        for &right in parts.args.iter().take(5).skip(i + 1) {
            out.append_all(swap(outline, left, right, 9 + far, "arguments"));
        }
    }
    // A condition that stands behind what it chooses from, which keeps its order.
    let is_choice = name == "where" && parts.args.last().is_some_and(|&last| is_truth(outline, last));
    rotated(outline, &parts.args, if is_choice { 8 } else { 11 } + far, "arguments", out);
    if too_many {
        for (i, &arg) in parts.args.iter().enumerate() {
            if let Some(&next) = parts.args.get(i + 1).filter(|_| row.is_none() && i < 5) {
                out.push(paired(outline, arg, next, outline.span(node), 4 + far));
                // Of `Cons(1, 2, Nil)` nothing was meant to be lost.
                if i > 0 && outline.text(parts.callee).starts_with(|c: char| c.is_ascii_uppercase()) {
                    let (start, end) =
                        (outline.span(arg).start, outline.span(parts.args[parts.args.len() - 1]).after());
                    let edits = [(Span::new(start, start), format!("{name}(")), (end, ")".to_owned())];
                    let title = format!("write one `{name}` in the other");
                    let edits = edits.each(|(span, text)| Edit { span, text });
                    out.push(Candidate { title, edits: edits.into(), place: outline.span(node), cost: 3 + far });
                }
            }
            let twice = parts.args.iter().count_where(|&&other| outline.text(other) == outline.text(arg)) > 1;
            let cost = 5 + far - u32::from(twice) + u32::from(i == 0);
            let title = format!("drop the argument `{}`", short(outline.text(arg)));
            let edit = Edit { span: without(outline, &parts.args, &parts.attrs, i), text: String::new() };
            out.push(Candidate { title, place: outline.span(arg), edits: vec![edit], cost });
        }
    }
    if let (Some(row), [first, .., last]) = (row, &parts.args[..])
        && row.args.len() == 1
    {
        out.push(Candidate {
            title: "put the arguments into one tuple".to_owned(),
            edits: vec![
                Edit { span: Span::new(outline.span(*first).start, outline.span(*first).start), text: "(".to_owned() },
                Edit { span: outline.span(*last).after(), text: ")".to_owned() },
            ],
            place: outline.span(node),
            cost: 4 + far,
        });
    }
    let is_at_fault =
        bench.faults.iter().any(|fault| fault.code == "relation-check" && fault.span == outline.span(node));
    // What rearranges may be too much, but who does not know how to write a call wants it.
    let is_slip = bench.faults.iter().any(|fault| {
        let is_form = fault.code.starts_with("arity") || matches!(fault.code, "attribute-error" | "string-expression");
        (is_form || fault.code == "unterminated-string") && outline.span(node).contains(fault.span.start)
    });
    for &arg in parts.args.iter().take(2).filter(|_| REARRANGING.contains(&name) && !is_slip) {
        let text = outline.text(arg);
        let cost = if is_at_fault { 20 } else { 8 };
        out.push(Candidate::replace(cost + far, outline.span(node), text, format!("take `{name}` away")));
        if outline.kind(arg) != NodeKind::LocalRef {
            break;
        }
    }
    // Axes that become one stand together.
    if let ("reshape", [data]) = (name, &parts.args[..])
        && let Some(shaped) = shaped(outline, *data)
        && shaped.sizes().is_none()
    {
        let (text, span) = (outline.text(*data), outline.span(*data));
        for (i, axes) in permutations(shaped.dims.len()).into_iter().take(6).enumerate() {
            let wrapped = format!("transpose({text}, axes={})", base::bracketed(&axes));
            let title = format!("write `{}`", short(&wrapped));
            out.push(Candidate::replace(7 + far + i as u32, span, wrapped, title));
        }
    }
    for &(a, b) in CONFUSED {
        let other = if a == name {
            b
        } else if b == name {
            a
        } else {
            continue;
        };
        let title = format!("write `{other}` for `{name}`");
        // Who puts values beside one another where they fit means that.
        let far = far + if name == "concatenate" { 5 } else { 0 };
        out.push(Candidate::replace(15 + far, outline.span(parts.callee), other, title.clone()));
        // Who takes one for the other does so each time.
        let edit = |callee: NodeId| Edit { span: outline.span(callee), text: other.to_owned() };
        let edits: Vec<Edit> = calls_of(outline, node, name).into_iter().map(edit).list();
        in_all_calls(&title, edits, outline.span(parts.callee), 16 + far, out);
    }
    if let Some(row) = row {
        attributes(bench, outline, suspect, &parts, row, out);
    }
}

fn in_all_calls(title: &str, edits: Vec<Edit>, place: Span, cost: u32, out: &mut Vec<Candidate>) {
    if edits.len() > 1 {
        let calls = if edits.len() == 2 { "both".to_owned() } else { format!("all {}", edits.len()) };
        out.push(Candidate { title: format!("{title} in {calls} calls"), edits, place, cost });
    }
}

/// Three parts, the last two or the last one first.
pub(crate) fn rotated(outline: &Outline, parts: &[NodeId], cost: u32, what: &str, out: &mut Vec<Candidate>) {
    let [a, _, c] = parts[..] else { return };
    for first in [1, 2] {
        let order = [first, (first + 1) % 3, (first + 2) % 3].map(|at| outline.text(parts[at]));
        let edits = parts.iter().zip(order).map(|(&at, text)| Edit { span: outline.span(at), text: text.to_owned() });
        let title = format!("write the {what} in another order: `{}`", short(&order.joined(", ")));
        let place = outline.span(a).to(outline.span(c));
        out.push(Candidate { title, edits: edits.list(), place, cost });
    }
}

fn is_truth(outline: &Outline, node: NodeId) -> bool {
    outline.term(node).is_some_and(|term| outline.checked.dtype(term) == Some(Dtype::Bool))
}

/// The names of all calls of one function in the definition around a node.
fn calls_of(outline: &Outline, mut node: NodeId, name: &str) -> Vec<NodeId> {
    while let Some(parent) = outline.parent(node).filter(|_| outline.kind(node) != NodeKind::Def) {
        node = parent;
    }
    let (mut out, mut pending) = (Vec::new(), vec![node]);
    while let Some(node) = pending.pop() {
        let callee = outline.tree.children(node).first().copied().filter(|_| outline.kind(node) == NodeKind::Call);
        out.append_all(callee.filter(|&callee| outline.text(callee) == name));
        pending.append_all(outline.tree.children_rev(node));
    }
    out
}

/// A vector that is added along another axis than the last, as the bias of channels is.
fn bias(outline: &Outline, node: NodeId, [data, bias]: [NodeId; 2], far: u32, out: &mut Vec<Candidate>) {
    let Some(shape) = shaped(outline, data) else { return };
    let length = shaped(outline, bias);
    let axis = match (shape.sizes(), length.as_ref().map(|length| &length.dims[..])) {
        (Some(shape), Some(&[Some(size)])) => shape.iter().rposition(|&other| other == size),
        // In a function whose callers say the sizes, images have their channels there.
        (None, None | Some([None])) if shape.dims.len() > 2 => Some(1),
        _ => None,
    };
    let between = Span::new(outline.span(data).end, outline.span(bias).start);
    let Some(axis) = axis.filter(|_| outline.checked.tree.text()[between.range()].trim_ascii() == "+") else { return };
    let which = if axis == 1 { String::new() } else { format!(", axis={axis}") };
    let (data, bias) = (outline.text(data), outline.text(bias));
    let title = format!("add it along axis {axis}: `nn.bias_add`");
    let text = format!("nn.bias_add({data}, {bias}{which})");
    out.push(Candidate::replace(5 + far, outline.span(node), text, title));
}

/// The product of two matrices, where `*` is that of their elements.
fn matrices(outline: &Outline, node: NodeId, sides: [NodeId; 2], far: u32, out: &mut Vec<Candidate>) {
    let [left, right] = sides.map(|side| outline.span(side));
    let sign = outline.tree.text()[left.end as usize..right.start as usize].trim_ascii();
    let (Some(a), Some(b)) = (shaped(outline, sides[0]), shaped(outline, sides[1])) else { return };
    let are_alike = a.dtype.zip(b.dtype).is_none_or(|(a, b)| a == b);
    if sign != "*" || a.dims.len() != 2 || b.dims.len() != 2 || !are_alike {
        return;
    }
    for (op, cost) in [("nn.matmul", 5), ("nn.dense", 6)] {
        let text = format!("{op}({}, {})", outline.text(sides[0]), outline.text(sides[1]));
        let title = format!("multiply matrices: `{op}`");
        out.push(Candidate::replace(cost + far, outline.span(node), text, title));
    }
}

/// `a < b < c`: what is between two things is above the one and below the other.
fn between(outline: &Outline, node: NodeId, [left, right]: [NodeId; 2], far: u32, out: &mut Vec<Candidate>) {
    let [_, middle] = outline.tree.children(left)[..] else { return };
    let sign = |left: NodeId, right: NodeId| {
        let between = Span::new(outline.span(left).end, outline.span(right).start);
        base::begins_with(outline.tree.text()[between.range()].trim_ascii(), "<>")
    };
    let is_chain = outline.kind(left) == NodeKind::Binary && sign(outline.tree.children(left)[0], middle);
    if !is_chain || !sign(left, right) {
        return;
    }
    let rest = &outline.tree.text()[outline.span(left).end as usize..outline.span(node).end as usize];
    let text = format!("logical_and({}, {}{rest})", outline.text(left), outline.text(middle));
    let title = format!("write `{}`", short(&text));
    out.push(Candidate::replace(4 + far, outline.span(node), text, title));
}

/// The span of one argument with one comma.
fn without(outline: &Outline, args: &[NodeId], attrs: &[NodeId], i: usize) -> Span {
    let span = outline.span(args[i]);
    let next = args.get(i + 1).or(attrs.first().filter(|attr| outline.span(**attr).start > span.start));
    match (next, i.checked_sub(1)) {
        (Some(next), _) => Span::new(span.start, outline.span(*next).start),
        (None, Some(before)) => Span::new(outline.span(args[before]).end, span.end),
        (None, None) => span,
    }
}

/// The sizes that the fault speaks of, those of the operands, and those that are wanted.
fn pool(bench: &Bench, outline: &Outline, suspect: &Suspect, parts: &Parts) -> Vec<i64> {
    let mut pool = Vec::new();
    let fault = bench.faults.iter().enumerate().find(|(i, _)| *i < 64 && suspect.removed >> i & 1 == 1);
    for size in suspect.want_shaped.iter().flat_map(|want| want.dims.iter().flatten()) {
        if !pool.contains(size) {
            pool.push(*size);
        }
    }
    for &arg in parts.args.iter().rev() {
        if let Some(shaped) = outline.term(arg).and_then(|term| outline.checked.shaped(term)) {
            for size in shaped.dims.into_iter().flatten() {
                if !pool.contains(&size) {
                    pool.push(size);
                }
            }
        }
    }
    if let Some((_, fault)) = fault
        && fault.message.len() < MAX_MESSAGE
    {
        numbers(&fault.message, &mut pool);
    }
    // What nothing is left of is hardly meant.
    pool.keep(|&size| size != 0);
    pool.truncate(14);
    pool
}

fn attributes(bench: &Bench, outline: &Outline, suspect: &Suspect, parts: &Parts, row: &Op, out: &mut Vec<Candidate>) {
    let pool = pool(bench, outline, suspect, parts);
    let operand = parts.args.first().and_then(|&arg| shaped(outline, arg));
    // Several operands stand in a tuple, and have as many axes as what becomes of them.
    let of_result = if operand.is_none() { shaped(outline, suspect.node) } else { None };
    let rank = operand.as_ref().or(of_result.as_ref()).map_or(4, |shaped| shaped.dims.len().min(MAX_RANK) as i64);
    let along = along_vector(outline, parts, row);
    let span = outline.span(suspect.node);
    let is_joined = ["concatenate", "stack", "split"].contains(&row.name)
        && !bench.faults.iter().any(|fault| span.contains(fault.span.start));
    for &attr in &parts.attrs {
        let Some(value) = outline.tree.children(attr).first().copied() else { continue };
        let spec = row.attrs.iter().find(|spec| spec.name == attr_name(outline, attr));
        let mut written = Written { outline, suspect, value, name: attr_name(outline, attr), out };
        if ["axis", "axes"].iter().any(|axis| base::find(written.name, axis).is_some()) {
            written.axes(rank, along, is_joined);
        } else {
            written.wanted_shape();
            written.sizes(&pool);
            if written.name == "newshape" {
                written.new_shape(operand.as_ref());
            }
        }
        written.words(spec);
        // Left out, the attribute is found out, or has its usual value.
        if spec.is_some_and(|spec| spec.default.value().is_some()) {
            let inside: Vec<NodeId> = outline.tree.children(parts.list).into_iter().list();
            let i = inside.iter().position(|&node| node == attr).unwrap_or(0);
            let edit = Edit { span: without(outline, &inside, &[], i), text: String::new() };
            let title = format!("leave `{}` out", attr_name(outline, attr));
            let far = suspect.n_hops + if is_joined { MEANT } else { 0 };
            out.push(Candidate { title, place: outline.span(attr), edits: vec![edit], cost: 17 + far });
        }
    }
    scales(outline, suspect, parts, out);
    missing(outline, suspect, parts, row, (rank, &pool, along), out);
    from_weight(outline, suspect, parts, out);
    width(bench, outline, suspect, parts, out);
}

/// The axis of the data that has the size of the vector behind it, as a bias has.
fn along_vector(outline: &Outline, parts: &Parts, row: &Op) -> Option<i64> {
    let dims = |arg: usize| Some(shaped(outline, *parts.args.get(arg)?)?.dims);
    let (data, vector) = (dims(0)?, dims(1)?);
    let &[size @ Some(_)] = &vector[..] else { return None };
    // Channels are the second axis or the last one.
    let is_along = |&axis: &usize| data[axis] == size && (axis == 1 || axis + 1 == data.len());
    let axis = (0..data.len()).find(is_along).filter(|_| row.name.starts_with("nn."));
    axis.map(|axis| axis as i64)
}

/// What is known of an expression's tensor type.
fn shaped(outline: &Outline, node: NodeId) -> Option<Shaped> {
    outline.checked.shaped(outline.term(node)?)
}

/// The value that is written for an attribute, and what else may be.
struct Written<'a> {
    outline: &'a Outline<'a>,
    suspect: &'a Suspect,
    value: NodeId,
    name: &'a str,
    out: &'a mut Vec<Candidate>,
}

impl<'a> Written<'a> {
    fn text(&self) -> &'a str {
        self.outline.text(self.value)
    }

    /// Puts `new` for a part of the value, or all of it.
    fn put(&mut self, cost: u32, part: NodeId, new: String) {
        let at = self.outline.span(part);
        if new != self.outline.text(part) {
            let title = format!("write `{}={}`", self.name, rewritten(self.outline, self.value, at, &new));
            self.out.push(Candidate::replace(cost + self.suspect.n_hops, at, new, title));
        }
    }

    fn number(&self, node: NodeId) -> Option<i64> {
        base::parse_i64(self.outline.text(node))
    }

    /// Other axes of that many, first one that a vector lies along, then the near ones, and all of them.
    fn axes(&mut self, rank: i64, along: Option<i64>, is_joined: bool) {
        let numbers = numbers_in(self.outline, self.value);
        if self.name == "axes" {
            self.order(&numbers, rank);
        }
        let is_positive = !base::has(self.text(), b'-');
        for &number in numbers.iter().take(3) {
            let now = self.number(number).unwrap_or(i64::MAX);
            for axis in -rank..=rank {
                // An axis that is counted from the last is meant where it cannot be.
                let is_same = now < 0 && axis == now + rank;
                let near = if is_same { 0 } else { axis.abs_diff(now).min(3) as u32 };
                let extra = if (axis < 0) == is_positive { 3 } else { 0 };
                let extra = extra + if is_joined && now != 0 { MEANT } else { 0 };
                let cost = if along == Some(axis) { 2 } else { 9 + extra + near };
                self.put(cost, number, axis.to_string());
            }
        }
        if numbers.len() > 1 {
            self.put(12, self.value, base::bracketed(&(0..rank).list()));
            let before = numbers.iter().filter_map(|&number| self.number(number)?.checked_sub(1)).list();
            self.put(9, self.value, base::bracketed(&before));
        }
    }

    /// An order of all axes in which some are not: in the place of one that is there twice, or that is none, or behind
    /// the others.
    fn order(&mut self, numbers: &[NodeId], rank: i64) {
        let axes = numbers.iter().filter_map(|&number| self.number(number)).list();
        let from_front = |axis: i64| if axis < 0 { axis + rank } else { axis };
        let has = |axis: i64| axes.iter().any(|&other| from_front(other) == axis);
        let missing = (0..rank).filter(|&axis| !has(axis)).list();
        if let ([axis], true) = (&missing[..], axes.len() as i64 == rank) {
            for (i, &number) in numbers.iter().enumerate() {
                let own = from_front(axes[i]);
                let is_twice = |others: &[i64]| others.iter().any(|&other| from_front(other) == own);
                if !(0..rank).contains(&own) || is_twice(&axes[..i]) {
                    self.put(6, number, axis.to_string());
                } else if is_twice(&axes[i + 1..]) {
                    self.put(7, number, axis.to_string());
                }
            }
        } else if axes.len() + missing.len() == rank as usize {
            if let [_] = missing[..] {
                // Those of one sample.
                let of_batch =
                    [0].into_iter().chain(axes.iter().map(|&axis| from_front(axis).saturating_add(1))).list();
                self.put(6, self.value, base::bracketed(&of_batch));
            }
            self.put(7, self.value, base::bracketed(&[&axes[..], &missing].concat()));
            let others = permutations(if missing.is_empty() { axes.len() } else { 0 });
            for (i, other) in others.into_iter().enumerate() {
                self.put(10 + i as u32 / 4, self.value, base::bracketed(&other));
            }
        }
    }

    /// The shape that is wanted, where the value is the shape of the result.
    fn wanted_shape(&mut self) {
        let wanted = self.suspect.want_shaped.as_ref().and_then(Shaped::sizes);
        let is_shape = self.name == "shape" || self.name == "newshape";
        let Some(shape) = wanted.filter(|sizes| is_shape && !sizes.contains(&0)) else { return };
        let numbers = numbers_in(self.outline, self.value);
        if numbers.len() != shape.len() {
            return self.put(11, self.value, base::bracketed(&shape));
        }
        let differing: Vec<usize> = (0..shape.len()).filter(|&i| self.number(numbers[i]) != Some(shape[i])).list();
        match differing[..] {
            [one] => self.put(8, numbers[one], shape[one].to_string()),
            _ => self.put(10, self.value, base::bracketed(&shape)),
        }
    }

    /// The sizes that the text speaks of, and small ones where a window is described.
    fn sizes(&mut self, pool: &[i64]) {
        let numbers = numbers_in(self.outline, self.value);
        let small: &[i64] = match self.name {
            "padding" | "strides" | "dilation" | "groups" => &[0, 1, 2, 3],
            "indices_or_sections" => &[2, 3, 4, 5, 6, 8],
            _ => &[],
        };
        let is_shape = self.name == "newshape";
        // Nobody moves a window by the size of a picture, pads by it, or cuts an axis into its elements.
        let is_small = matches!(self.name, "padding" | "strides" | "dilation" | "indices_or_sections");
        let rest: &[i64] = if is_shape { &[-1] } else { &[] };
        // A picture may be as high as it is wide.
        let own = numbers.iter().filter(|_| self.name == "shape").filter_map(|&number| self.number(number)).list();
        for &number in numbers.iter().take(6) {
            let now = self.number(number).unwrap_or(i64::MAX);
            for &size in small.iter().chain(rest).chain(pool).chain(&own) {
                if is_small && size > MOST_MOVED {
                    continue;
                }
                let near = u32::from(size.abs_diff(now) > 3);
                self.put(11 + near, number, size.to_string());
            }
        }
        let is_uniform = numbers.windows(2).all(|two| self.outline.text(two[0]) == self.outline.text(two[1]));
        if numbers.len() > 1 && is_uniform && !is_shape {
            for size in small.iter().chain(pool).take(12) {
                if is_small && *size > MOST_MOVED {
                    continue;
                }
                let all = base::filled(*size, numbers.len());
                self.put(13, self.value, base::bracketed(&all));
            }
        }
    }

    /// A new shape that holds as much as the operand does.
    fn new_shape(&mut self, operand: Option<&Shaped>) {
        let Some(operand) = operand else { return };
        if let Some(first) = operand.dims.first().copied().flatten() {
            self.put(12, self.value, format!("[{first}, -1]"));
        }
        let Some(all) = operand.sizes() else { return };
        let numbers = numbers_in(self.outline, self.value);
        // A row for each sample.
        if let ([_, row], [_, rest @ ..]) = (&numbers[..], &all[..]) {
            self.put(9, *row, product(rest).to_string());
        }
        let n_elements = product(&all);
        let sizes: Vec<i64> = numbers.iter().filter_map(|&number| self.number(number)).list();
        if sizes.len() != numbers.len() || sizes.iter().any(|&size| size <= 0) {
            return;
        }
        for (i, &number) in numbers.iter().enumerate() {
            let others = product(&[&sizes[..i], &sizes[i + 1..]].concat());
            if others > 0 && n_elements % others == 0 {
                // The first axis is the samples of a batch, which stay as many as they were.
                let is_batch = i == 0 && all.first() == sizes.first();
                self.put(9 + u32::from(i == 0) + 4 * u32::from(is_batch), number, (n_elements / others).to_string());
            }
        }
    }

    /// Another truth, dtype, layout or choice.
    fn words(&mut self, spec: Option<&AttrSpec>) {
        match self.text() {
            "True" => self.put(10, self.value, "False".to_owned()),
            // Else an axis is as near.
            "False" => self.put(if self.name == "keepdims" { 8 } else { 10 }, self.value, "True".to_owned()),
            _ => {}
        }
        let quoted = |text: &'a str| text.strip_prefix('"')?.strip_suffix('"');
        let Some(now) = quoted(self.text()) else { return };
        if let Some(now) = Dtype::parse(now) {
            let few = [Dtype::Float32, Dtype::Int32, Dtype::Bool, Dtype::Int64, Dtype::Float64, Dtype::Float16];
            match self.suspect.want_dtype {
                Some(want) if want != now => self.put(6, self.value, format!("\"{want}\"")),
                _ => few.iter().for_each(|dtype| self.put(8, self.value, format!("\"{dtype}\""))),
            }
        } else if let Some(AttrForm::OneOf(names)) = spec.map(|spec| spec.form) {
            names.iter().take(6).for_each(|name| self.put(10, self.value, format!("\"{name}\"")));
        } else {
            layouts(now).iter().for_each(|other| self.put(9, self.value, format!("\"{other}\"")));
        }
    }
}

/// The channels and the size of the kernel as the weight of a convolution has them.
fn from_weight(outline: &Outline, suspect: &Suspect, parts: &Parts, out: &mut Vec<Candidate>) {
    let find = |name: &str| {
        let named = |attr: &&NodeId| attr_name(outline, **attr) == name;
        parts.attrs.iter().find(named).and_then(|&attr| outline.tree.children(attr).first().copied())
    };
    let (Some(channels), Some(kernel), Some(&weight)) = (find("channels"), find("kernel_size"), parts.args.get(1))
    else {
        return;
    };
    let shaped = outline.term(weight).and_then(|term| outline.checked.shaped(term));
    let Some(sizes) = shaped.and_then(|shaped| shaped.sizes()).filter(|sizes| sizes.len() > 2) else { return };
    let texts = [sizes[0].to_string(), base::bracketed(&sizes[2..])];
    let edits: Vec<Edit> = { [channels, kernel].into_iter().zip(texts) }
        .filter(|(node, text)| outline.text(*node) != text)
        .map(|(node, text)| Edit { span: outline.span(node), text })
        .list();
    if let [first, ..] = &edits[..] {
        let title = "take channels and kernel size from the weight".to_owned();
        out.push(Candidate { title, place: first.span, cost: 12 + suspect.n_hops, edits });
    }
}

/// How much larger a picture becomes, in both directions.
fn scales(outline: &Outline, suspect: &Suspect, parts: &Parts, out: &mut Vec<Candidate>) {
    let is_scale = |attr: &&NodeId| attr_name(outline, **attr).starts_with("scale_");
    let values = parts.attrs.iter().filter(is_scale).filter_map(|&attr| outline.tree.children(attr).first().copied());
    let values: Vec<NodeId> = values.list();
    for scale in ["2f", "4f"].into_iter().filter(|_| !values.is_empty()) {
        let edits = values.iter().map(|&at| Edit { span: outline.span(at), text: scale.to_owned() }).list();
        let title = format!("write the scale `{scale}`");
        out.push(Candidate { title, place: outline.span(values[0]), edits, cost: 9 + suspect.n_hops });
    }
}

/// How much a layer gives, in the type of its weight and in the attribute that says it once more.
fn width(bench: &Bench, outline: &Outline, suspect: &Suspect, parts: &Parts, out: &mut Vec<Candidate>) {
    let is_width = |attr: &&NodeId| ["units", "channels"].contains(&attr_name(outline, **attr));
    let attr = parts.attrs.iter().find(is_width).and_then(|&attr| outline.tree.children(attr).first().copied());
    let weight = parts.args.get(1).and_then(|&weight| outline.local(weight)).map(|local| outline.binder(local));
    let (Some(attr), Some(weight)) = (attr, weight) else { return };
    let old = outline.text(attr);
    let mut sizes = outline.inside(weight, NodeKind::DimNum).into_iter();
    let Some(size) = sizes.find(|&size| outline.text(size) == old) else { return };
    let mut wanted = suspect.want_shaped.iter().flat_map(|want| want.dims.iter().flatten().copied()).list();
    wanted.append_all(told(bench, suspect.removed));
    for new in wanted.into_iter().map(|size| size.to_string()).filter(|new| new != old).take(4) {
        let edits = [size, attr].map(|at| Edit { span: outline.span(at), text: new.clone() }).into();
        let title = format!("write `{new}` for `{old}` in the weight and the call");
        out.push(Candidate { title, edits, place: outline.span(size), cost: 15 + suspect.n_hops });
    }
}

/// Attributes that are not written.
fn missing(
    outline: &Outline,
    suspect: &Suspect,
    parts: &Parts,
    row: &Op,
    (rank, pool, along): (i64, &[i64], Option<i64>),
    out: &mut Vec<Candidate>,
) {
    let end_of = |parts: &Parts| parts.args.iter().chain(&parts.attrs).map(|&node| outline.span(node).end).max();
    let Some(end) = end_of(parts) else { return };
    let has = |parts: &Parts, name: &str| parts.attrs.iter().any(|&attr| attr_name(outline, attr) == name);
    let written = |name: &str| has(parts, name);
    // Whether there is a filter for each channel, and whether the data has the weight's channels on its last axis.
    let dims = |arg: usize| Some(shaped(outline, *parts.args.get(arg)?)?.dims);
    let (is_depthwise, is_turned) = match (dims(0).as_deref(), dims(1).as_deref()) {
        (Some([_, channels, .., last]), Some([filters, inputs, ..])) => {
            (*inputs == Some(1) && channels == filters, inputs.is_some() && last == inputs)
        }
        _ => (false, false),
    };
    // A square picture, with its channels behind.
    let looks_turned = matches!(dims(0).as_deref(), Some([_, rows, columns, last]) if rows == columns && last != rows);
    // Whether both operands have the same size so far from the last axis.
    let from_end = |at: usize| {
        let size = |arg: usize| dims(arg).and_then(|dims| *dims.get(dims.len().checked_sub(at)?)?);
        size(0).is_some() && size(0) == size(1)
    };
    let pool_size = parts.attrs.iter().find(|&&attr| attr_name(outline, attr) == "pool_size");
    let pool_size = pool_size.and_then(|&attr| outline.tree.children(attr).first().map(|&value| outline.text(value)));
    let is_used_again = parts.args.first().is_some_and(|&arg| {
        outline.kind(arg) == NodeKind::LocalRef && mentions(outline.tree.text(), outline.text(arg)) > 2
    });
    for spec in row.attrs.iter().filter(|spec| !written(spec.name)) {
        let values: Vec<String> = match (spec.name, spec.form) {
            ("layout" | "data_layout", _) => vec!["\"NHWC\"".to_owned()],
            ("kernel_layout", _) => vec!["\"HWIO\"".to_owned()],
            ("padding", _) if rank == 3 || rank == 4 => [1, 2, 3].iter().map(|n| format!("[{n}, {n}]")).list(),
            ("groups", _) => pool.iter().filter(|&&size| size > 1).take(5).map(|size| size.to_string()).list(),
            ("output_padding", _) if rank == 4 => vec!["[1, 1]".to_owned()],
            ("strides", _) if rank == 4 => vec![pool_size.unwrap_or("[2, 2]").to_owned()],
            ("axis", AttrForm::Int) => (0..rank).map(|axis| axis.to_string()).list(),
            ("axis", AttrForm::Ints) => (0..rank).map(|axis| format!("[{axis}]")).list(),
            ("keepdims" | "transpose_a" | "transpose_b" | "ceil_mode", _) => vec!["True".to_owned()],
            ("ignore_index", _) => vec!["-100".to_owned()],
            (_, AttrForm::Int) if matches!(spec.default, op::Default::Required) => vec!["1".to_owned()],
            (_, AttrForm::Dtype) if matches!(spec.default, op::Default::Required) => vec!["\"float32\"".to_owned()],
            _ => continue,
        };
        for (i, value) in values.into_iter().enumerate() {
            let text = format!("{}={value}", spec.name);
            let title = format!("add `{text}`");
            let cost = match (spec.default, spec.name) {
                (op::Default::Required, _) => 3,
                // What was reduced is likely to be combined with what it came from, if that is used once more.
                (_, "keepdims") if is_used_again => 5,
                (_, "keepdims") => 8,
                (_, "groups") if is_depthwise => 5,
                (_, "data_layout") if is_turned => 5,
                (_, "layout" | "data_layout") if looks_turned => 9,
                // Along the first axis are the samples of a batch.
                (_, "axis") if ["concatenate", "split", "take"].contains(&row.name) => 4,
                (_, "axis") if along == Some(i as i64) => 2,
                // Rows against rows, and columns against columns.
                (_, "transpose_b") if from_end(1) => 11,
                (_, "transpose_a") if from_end(2) => 12,
                (_, "transpose_b") => 14,
                // Both layouts are another library's.
                (_, "kernel_layout") if written("data_layout") => 9,
                // In other libraries the windows of a pool stand side by side.
                (_, "strides") if pool_size.is_some() => 9,
                // As another call has it.
                _ if base::find(outline.tree.text(), &text).is_some() => 10,
                _ => 15,
            };
            let (cost, at) = (cost + suspect.n_hops + i as u32, Span::new(end, end));
            // Who forgets it does so each time.
            if spec.name == "keepdims" {
                let calls = calls_of(outline, suspect.node, outline.text(parts.callee)).into_iter();
                let others = calls.filter_map(|callee| self::parts(outline, outline.parent(callee)?));
                let ends = others.filter(|other| !has(other, spec.name)).filter_map(|other| end_of(&other));
                let edits = ends.map(|end| Edit { span: Span::new(end, end), text: format!(", {text}") }).list();
                in_all_calls(&title, edits, outline.span(suspect.node), cost + 1, out);
            }
            let candidate = Candidate::replace(cost, at, format!(", {text}"), title);
            out.push(candidate.at(outline.span(suspect.node)));
        }
    }
}

/// The numbers of an attribute's value, with their signs.
fn numbers_in(outline: &Outline, value: NodeId) -> Vec<NodeId> {
    let mut out = Vec::new();
    let mut pending = vec![value];
    while let Some(node) = pending.pop() {
        match outline.kind(node) {
            NodeKind::Literal | NodeKind::Unary => {
                if base::parse_i64(outline.text(node)).is_some() {
                    out.push(node);
                }
            }
            _ => pending.append_all(outline.tree.children_rev(node).filter(|&child| is_expr(outline.kind(child)))),
        }
    }
    out
}

/// A value as it reads after one part of it is replaced.
fn rewritten(outline: &Outline, value: NodeId, at: Span, new: &str) -> String {
    let span = outline.span(value);
    let text = outline.text(value);
    let (from, to) = ((at.start - span.start) as usize, (at.end - span.start) as usize);
    short(&format!("{}{new}{}", &text[..from], &text[to..]))
}

/// Other orders of the axes of a layout.
fn layouts(now: &str) -> &'static [&'static str] {
    match now {
        "NCHW" => &["NHWC"],
        "NHWC" => &["NCHW"],
        "OIHW" => &["HWIO", "OHWI"],
        "HWIO" => &["OIHW", "HWOI"],
        "NCW" => &["NWC"],
        "NWC" => &["NCW"],
        "NCDHW" => &["NDHWC"],
        "NDHWC" => &["NCDHW"],
        _ => &[],
    }
}

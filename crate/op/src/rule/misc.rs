//! Rules of the operators in `misc`.

use super::broadcast::axis_result;
use super::dims::{equate, number};
use super::form::{self, Form};
use super::index::expect_scalars;
use super::shape::tensors_of;
use super::{attr_error, can_be_tensor, can_have_rank, expect_rank, expect_tensor, peek_rank, rank_error, same_dtypes};
use base::{Append, ToList};
use ty::{Dtype, Facts, Reason, Relation, Size, Step, Stop, Term, TermId};

/// The data's shape with the dtype of a second tensor.
pub static CAST_LIKE: Relation = Relation { name: "CastLike", n_outputs: 1, rule: cast_like };
/// The data's shape with another dtype.
pub static REINTERPRET: Relation = Relation { name: "Reinterpret", n_outputs: 1, rule: reinterpret };
/// The type of the data, filled with a scalar.
pub static FULL_LIKE: Relation = Relation { name: "FullLike", n_outputs: 1, rule: full_like };
/// The data's shape, or a vector of all elements when no axis is named.
pub static CUMSUM: Relation = Relation { name: "Cumsum", n_outputs: 1, rule: scan };
pub static CUMPROD: Relation = Relation { name: "Cumprod", n_outputs: 1, rule: scan };
/// A pair of tensors, as the operands.
pub static DFT: Relation = Relation { name: "DFT", n_outputs: 1, rule: dft };
/// Frequencies by frames by two, for one signal or many.
pub static STFT: Relation = Relation { name: "stft", n_outputs: 1, rule: stft };
/// The sizes of the letters that the equation keeps.
pub static EINSUM: Relation = Relation { name: "Einsum", n_outputs: 1, rule: einsum };
/// The type of the data.
pub static FIXED_POINT_MULTIPLY_PER_AXIS: Relation =
    Relation { name: "FixedPointMultiplyPerAxis", n_outputs: 1, rule: fixed_point_multiply_per_axis };
/// The argument, whatever it is.
pub static SAME: Relation = Relation { name: "Identity", n_outputs: 1, rule: same };
/// As [`SAME`].
pub static DEBUG: Relation = Relation { name: "Debug", n_outputs: 1, rule: same };
/// The type of the data, and three `float32` scalars.
pub static SIMULATED_QUANTIZE: Relation =
    Relation { name: "SimulatedQuantize", n_outputs: 1, rule: simulated_quantize };
/// A function and the tuple of its arguments give its result.
pub static CALL_LOWERED: Relation = Relation { name: "CallLoweredRel", n_outputs: 1, rule: call_lowered };
/// A function, the tuple of its arguments and the tuple of its results give nothing.
pub static INVOKE_TVM_OP: Relation = Relation { name: "InvokeTVMOp", n_outputs: 1, rule: invoke_tvm_op };
/// The shape and dtype attributes.
pub static ALLOC_TENSOR: Relation = Relation { name: "AllocTensor", n_outputs: 1, rule: alloc_tensor };
/// Nothing.
pub static KILL: Relation = Relation { name: "Kill", n_outputs: 1, rule: kill };

fn cast_like(r: &mut dyn Facts) -> Step {
    let (shape, _) = r.tensor_parts(0)?;
    let (_, dtype) = r.tensor_parts(1)?;
    let tensor = r.make(Term::Tensor { shape, dtype });
    r.result_is(tensor)
}

fn reinterpret(r: &mut dyn Facts) -> Step {
    let Some(to) = r.attrs().dtype("dtype") else { return attr_error(r, "dtype", "the name of a dtype") };
    let (shape, from) = r.tensor_parts(0)?;
    let from = r.dtype(from)?;
    let same_width = from.bits().div_ceil(8) == to.bits().div_ceil(8);
    r.check(
        same_width,
        format_args!("{from} and {to} differ in width, so the bits of one are not those of the other"),
    )?;
    let dtype = r.make_dtype(to);
    let tensor = r.make(Term::Tensor { shape, dtype });
    r.result_is(tensor)
}

fn full_like(r: &mut dyn Facts) -> Step {
    can_be_tensor(r, 0)?;
    can_have_rank(r, 1, 0)?;
    let data = r.arg(0);
    expect_tensor(r, data)?;
    expect_scalars(r, 1..2)?;
    r.result_is(data)
}

fn scan(r: &mut dyn Facts) -> Step {
    can_be_tensor(r, 0)?;
    r.check(peek_rank(r, 0) != Some(0), format_args!("a scalar has no axis to go along"))?;
    let shape = match r.attrs().int("axis") {
        Some(axis) => {
            let (dims, _) = r.tensor(0)?;
            r.axis("axis", axis, dims.len())?;
            Form::Dims(dims)
        }
        None => {
            // That a shape has a first axis is what the product of the others asks for.
            let (data, _) = Form::operand(r, 0)?;
            let all = [data.dim(r, 0)?, data.product_from(r, 1)?];
            Form::Dims(vec![r.product_of(&all)?])
        }
    };
    let dtype = match r.attrs().dtype("dtype") {
        Some(dtype) => r.make_dtype(dtype),
        None => r.tensor_parts(0)?.1,
    };
    form::result(r, &shape, dtype)
}

fn dft(r: &mut dyn Facts) -> Step {
    let (real, _) = r.tensor(0)?;
    let (imaginary, _) = r.tensor(1)?;
    let (rank, found) = (real.len(), imaginary.len());
    r.check(rank == found, format_args!("a real part of rank {rank} has no imaginary one of rank {found}"))?;
    let pairs: Vec<_> = real.into_iter().zip(imaginary).list();
    equate(r, &pairs, "real and imaginary part have one shape")?;
    let parts = [r.arg(0), r.arg(1)];
    let tuple = r.make_tuple(&parts);
    r.result_is(tuple)
}

fn stft(r: &mut dyn Facts) -> Step {
    let Some(n_fft) = r.attrs().int("n_fft").filter(|&n| n > 0) else {
        return attr_error(r, "n_fft", "a number above 0");
    };
    let hop = match r.attrs().int("hop_length").unwrap_or(-1) {
        hop if hop > 0 => hop,
        -1 => (n_fft / 4).max(1),
        _ => return attr_error(r, "hop_length", "a number above 0"),
    };
    let (data, dtype) = r.tensor(0)?;
    let (&[.., len], true) = (&data[..], data.len() <= 2) else {
        return rank_error(r, 0, "1 or 2", data.len());
    };
    can_have_rank(r, 1, 1)?;
    let window = r.arg(1);
    expect_rank(r, window, 1)?;
    let least = number(r, n_fft);
    r.at_most(least, len, &|_, len| format!("{len} samples are less than one window of {n_fft}"))?;
    let frequencies = if r.attrs().flag("onesided") { n_fft / 2 + 1 } else { n_fft };
    let steps = r.affine(len, 1, -n_fft)?;
    let steps = r.floor_div(steps, hop)?;
    let frames = r.affine(steps, 1, 1)?;
    let mut dims = data[..data.len() - 1].to_vec();
    dims.append_all([number(r, frequencies), frames, number(r, 2)]);
    r.result(&dims, dtype)
}

/// An axis of an einsum: a letter, or one of those that `...` stands for, counted from the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Label {
    Letter(char),
    Rest(usize),
}

/// The letters of one term; `None` in them is the `...`.
fn letters(term: &str) -> Option<Vec<Option<char>>> {
    let mut letters = Vec::new();
    let mut rest = term.trim_ascii();
    while let Some(c) = rest.chars().next() {
        if let Some(behind) = rest.strip_prefix("...") {
            letters.push(None);
            rest = behind;
        } else if c.is_ascii_alphabetic() || c == ' ' {
            letters.append_all((c != ' ').then_some(Some(c)));
            rest = &rest[1..];
        } else {
            return None;
        }
    }
    (letters.iter().count_where(|letter| letter.is_none()) <= 1).then_some(letters)
}

/// The labels of the axes when `...` stands for `n_rest` of them.
fn labels(letters: &[Option<char>], n_rest: usize) -> Vec<Label> {
    let one = |letter: &Option<char>| match letter {
        Some(c) => vec![Label::Letter(*c)],
        None => (0..n_rest).rev().map(Label::Rest).list(),
    };
    letters.iter().list_all(one)
}

/// Without `->`, the result has what `...` stands for and then the letters that occur once, in their order.
fn implicit(terms: &[Vec<Option<char>>]) -> Vec<Option<char>> {
    let all: Vec<Option<char>> = terms.concat();
    let mut output = if all.contains(&None) { vec![None] } else { Vec::new() };
    for letter in ('A'..='z').map(Some) {
        if all.iter().count_where(|&&other| other == letter) == 1 {
            output.push(letter);
        }
    }
    output
}

/// A term and its result for a tensor with fewer axes than the term has letters at both ends of `...`: those next to it
/// name axes that the other end names too, which are where either end moves them. `ab...Z->aZ...b` is `ab->ab` for 2.
fn overlapping(term: &[Option<char>], output: &[Option<char>], rank: usize) -> Option<[Vec<Option<char>>; 2]> {
    let ends = |letters: &[Option<char>]| {
        let front = letters.iter().position(Option::is_none)?;
        let back = letters.len() - front - 1;
        (front.max(back) <= rank && front + back > rank).then(|| (front, rank - back))
    };
    let ((front, back), (out_front, out_back)) = (ends(term)?, ends(output)?);
    let axis = |letter: &Option<char>| {
        let at = term.iter().position(|own| own == letter)?;
        Some(if at < front { at } else { back + at - front - 1 })
    };
    let order = (0..rank).map(|slot| {
        let first = output[..out_front].get(slot).and_then(axis);
        let last = slot.checked_sub(out_back).and_then(|slot| output.get(out_front + 1 + slot)).and_then(axis);
        first.filter(|&axis| axis != slot).or(last).or(first)
    });
    let letters = (0..rank).map(|axis| if axis < front { term[axis] } else { term[front + 1 + axis - back] }).list();
    let output = order.map(|axis| axis.map(|axis| letters[axis])).some_list()?;
    Some([letters, output])
}

/// The labels of the axes of each term and of the result, for operands of these ranks. `None` where the relation fails.
pub fn einsum_labels(equation: &str, ranks: &[usize]) -> Option<(Vec<Vec<Label>>, Vec<Label>)> {
    let (inputs, output) = base::cut(equation, "->").map_or((equation, None), |(i, o)| (i, Some(o)));
    let mut terms = base::split(inputs, b',').into_iter().map(letters).some_list()?;
    let mut output = output.map_or_else(|| Some(implicit(&terms)), letters)?;
    if let ([term], &[rank]) = (&mut terms[..], ranks)
        && let Some(overlapping) = overlapping(term, &output, rank)
    {
        [*term, output] = overlapping;
    }
    let mut n_rest = 0;
    let mut labelled = Vec::with_capacity(terms.len());
    for (term, rank) in terms.iter().zip(ranks) {
        let n_letters = term.iter().flatten().count();
        let rest = rank.checked_sub(n_letters)?;
        n_rest = n_rest.max(rest);
        labelled.push(labels(term, rest));
    }
    Some((labelled, labels(&output, n_rest)))
}

/// The labels of the axes that are more than one element long, and how long these are. Others are repeated where another
/// tensor has more.
pub fn long_axes(labels: &[Label], shape: &[usize]) -> (Vec<Label>, Vec<usize>) {
    labels.iter().zip(shape).filter(|(_, size)| **size != 1).unzip()
}

/// How long the axis of a label is, if these axes have these sizes.
pub fn size_of(label: Label, labels: &[Label], sizes: &[usize]) -> usize {
    labels.iter().position(|&known| known == label).map_or(1, |axis| sizes[axis])
}

/// What the labels of two tensors are to the product of the two, which is one of matrices, one for each of a batch. Each
/// label of either is in the other, or kept.
pub struct Roles {
    /// In both, and kept.
    pub batch: Vec<Label>,
    /// Of the first alone.
    pub rows: Vec<Label>,
    /// Of the second alone.
    pub columns: Vec<Label>,
    /// In both, and not kept.
    pub summed: Vec<Label>,
}

impl Roles {
    /// Kept ones are in the order of `kept`, summed ones in that of `a`.
    pub fn new(a: &[Label], b: &[Label], kept: &[Label]) -> Roles {
        let chosen = |labels: &[Label], is_one: &dyn Fn(&Label) -> bool| labels.iter().copied().filter(is_one).list();
        Roles {
            batch: chosen(kept, &|label| a.contains(label) && b.contains(label)),
            rows: chosen(kept, &|label| a.contains(label) && !b.contains(label)),
            columns: chosen(kept, &|label| b.contains(label) && !a.contains(label)),
            summed: chosen(a, &|label| b.contains(label) && !kept.contains(label)),
        }
    }
}

/// Which axis of the only operand each axis of the result is, if nothing is summed nor multiplied.
pub fn einsum_order(equation: &str, rank: usize) -> Option<Vec<usize>> {
    let (terms, output) = einsum_labels(equation, &[rank])?;
    let term = terms.first().filter(|term| term.len() == rank && !base::has(equation, b','))?;
    let order = output.iter().map(|label| term.iter().position(|own| own == label)).some_list()?;
    (order.len() == rank).then_some(order)
}

fn einsum(r: &mut dyn Facts) -> Step {
    const WANT: &str = "terms of letters such as \"ij,jk->ik\"";
    let equation = r.attrs().str("equation").to_owned();
    let (inputs, output) = base::cut(&equation, "->").map_or((&equation[..], None), |(i, o)| (i, Some(o)));
    let Some(mut terms) = base::split(inputs, b',').into_iter().map(letters).some_list() else {
        return attr_error(r, "equation", WANT);
    };
    let mut output = match output.map(letters) {
        None => implicit(&terms),
        Some(Some(output)) => output,
        Some(None) => return attr_error(r, "equation", WANT),
    };
    let tensors = tensors_of(r, 0)?;
    let (n, found) = (terms.len(), tensors.len());
    let s = if n == 1 { "" } else { "s" };
    r.check(n == found, format_args!("the equation has {n} term{s}, but there are {found} tensors"))?;
    if let ([term], [(dims, _)]) = (&mut terms[..], &tensors[..])
        && let Some(overlapping) = overlapping(term, &output, dims.len())
    {
        [*term, output] = overlapping;
        r.check(*term != output, format_args!("the equation moves an axis to itself"))?;
    }
    let dtype = tensors[0].1;
    let mut axes: Vec<(Label, Vec<TermId>)> = Vec::new();
    for (i, (term, (dims, other))) in terms.iter().zip(&tensors).enumerate() {
        same_dtypes(r, (0, dtype), (0, *other))?;
        let (rank, open) = (dims.len(), term.contains(&None));
        let n_letters = term.len() - usize::from(open);
        r.check(
            rank == n_letters || (open && rank > n_letters),
            format_args!("tensor {i} has rank {rank}, but its term has {n_letters} letters"),
        )?;
        for (label, &dim) in labels(term, rank - n_letters).into_iter().zip(dims) {
            match axes.iter_mut().find(|(known, _)| *known == label) {
                Some((_, sizes)) => sizes.push(dim),
                None => axes.push((label, vec![dim])),
            }
        }
    }
    let n_rest = axes.iter().count_where(|(label, _)| matches!(label, Label::Rest(_)));
    let mut kept: Vec<Label> = Vec::new();
    for label in labels(&output, n_rest) {
        if let Label::Letter(letter) = label {
            let is_known = axes.iter().any(|(known, _)| *known == label);
            r.check(is_known, format_args!("the result has the letter {letter}, which is in no term"))?;
            r.check(!kept.contains(&label), format_args!("the result has the letter {letter} twice"))?;
        }
        kept.push(label);
    }
    // Also the letters that are summed over must agree.
    let mut joined: Vec<(Label, TermId)> = Vec::with_capacity(axes.len());
    for (label, sizes) in axes {
        let dim = sizes[1..].iter().try_fold(sizes[0], |a, &b| axis_result(r, a, b))?;
        joined.push((label, dim));
    }
    tensors[1..].iter().try_for_each(|(_, other)| r.unify(dtype, *other))?;
    let dims: Vec<TermId> =
        kept.iter().filter_map(|label| joined.iter().find(|(known, _)| known == label)).map(|(_, dim)| *dim).list();
    r.result(&dims, dtype)
}

fn fixed_point_multiply_per_axis(r: &mut dyn Facts) -> Step {
    let axes = r.attrs().ints("axes").unwrap_or_default();
    let (dims, _) = r.tensor(0)?;
    (1..4).try_for_each(|operand| r.tensor_parts(operand).map(|_| ()))?;
    axes.into_iter().try_for_each(|axis| r.axis("axes", axis, dims.len()).map(|_| ()))?;
    let data = r.arg(0);
    r.result_is(data)
}

fn same(r: &mut dyn Facts) -> Step {
    let data = r.arg(0);
    r.result_is(data)
}

fn simulated_quantize(r: &mut dyn Facts) -> Step {
    let (dims, _) = r.tensor(0)?;
    if dims.is_empty() {
        return rank_error(r, 0, "1 or more", 0);
    }
    for operand in 1..4 {
        let dtype = r.make_dtype(Dtype::Float32);
        let (scalar, given) = (r.make_tensor(&[], dtype), r.arg(operand));
        r.unify(scalar, given)?;
    }
    let data = r.arg(0);
    r.result_is(data)
}

/// Parameters (as a tuple) and result of an operand that must be a function.
fn function(r: &mut dyn Facts) -> Result<(TermId, TermId), Stop> {
    match r.known(r.arg(0))? {
        Term::Func { params, result } => Ok((r.make(Term::Tuple(params)), result)),
        Term::Error(_) | Term::Param(..) => Err(Stop::wait(&[r.arg(0)])),
        _ => r.fail(Reason::Check("the first argument must be a function".into())),
    }
}

fn call_lowered(r: &mut dyn Facts) -> Step {
    let (params, result) = function(r)?;
    let args = r.arg(1);
    r.unify(params, args)?;
    r.result_is(result)
}

fn invoke_tvm_op(r: &mut dyn Facts) -> Step {
    let (params, result) = function(r)?;
    // A function of one result writes a tuple of one; which it is must be known.
    let results = match r.known(result)? {
        Term::Tuple(_) => result,
        _ => r.make_tuple(&[result]),
    };
    let (ins, outs) = (r.arg(1), r.arg(2));
    r.unify(params, ins)?;
    r.unify(results, outs)?;
    let nothing = r.make_tuple(&[]);
    r.result_is(nothing)
}

fn alloc_tensor(r: &mut dyn Facts) -> Step {
    let shape = r.attrs().ints("const_shape").or(r.attrs().ints("assert_shape"));
    let Some(shape) = shape.filter(|shape| shape.iter().all(|&size| size >= 0)) else {
        return attr_error(r, "const_shape", "a list of sizes of at least 0, here or as `assert_shape`");
    };
    let dtype = r.attrs().dtype("dtype").unwrap_or(Dtype::Float32);
    let dtype = r.make_dtype(dtype);
    // The offset is a tensor; where the storage comes from is not seen here.
    if !r.peek(r.arg(1)).is_hole() {
        r.tensor_parts(1)?;
    }
    let sizes: Vec<Size> = shape.into_iter().map(Size::known).list();
    r.result_sizes(&sizes, dtype)
}

fn kill(r: &mut dyn Facts) -> Step {
    let nothing = r.make_tuple(&[]);
    r.result_is(nothing)
}

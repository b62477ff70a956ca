//! Operators on tensors with operands in tuples, or with several results: each result has a plan of its own.
//!
//! What was found out for the shapes that came to a place last is kept, as [`crate::tensor`] does for those of one word.

use crate::code::Assembly;
use crate::fault::Stop;
use crate::heap::Heap;
use crate::kind::{BlockKind, shape_at};
use crate::tensor::{TensorCall, around, part};
use crate::value::{data_offset, take_tensor};
use base::ToList;
use layout::{Kind, LayoutId, Layouts, Tag, Words};
use op::{OpId, Operators, Plan, ResultType, Scratch, Source};
use std::ops::Range;
use std::sync::Arc;
use ty::{Attrs, RunFault};

/// What was found out about operands of some shapes.
pub(crate) struct Many {
    /// Of the operands, as they are in memory.
    types: Vec<ResultType>,
    /// The types of the results with a plan for each, where they have plans.
    planned: Option<(Vec<ResultType>, Vec<Plan>)>,
}

/// One operand, or a field of a tuple.
struct Operand {
    of: ResultType,
    /// A pointer, or the bits of a scalar.
    word: u64,
    is_tensor: bool,
}

/// Calls the operator, if its results have plans, and takes over the operands. Otherwise nothing has changed.
pub(crate) fn call(
    heap: &mut Heap,
    code: &Assembly,
    operators: &mut Operators,
    (known, scratch): (&mut Option<Many>, &mut Scratch),
    (op, attrs): (OpId, &Arc<Attrs>),
    call: &TensorCall,
) -> Result<Option<Words>, Stop> {
    if !op.has_tuples() {
        return Ok(None);
    }
    let mut operands = Vec::new();
    for (&layout, words) in call.layouts.iter().zip(&call.words) {
        if read(heap, code, layout, words, &mut operands).is_none() {
            return Ok(None);
        }
    }
    let is_known = |many: &Many| many.types.iter().eq(operands.iter().map(|operand| &operand.of));
    let many = match known {
        Some(many) if is_known(many) => many,
        known => {
            let types: Vec<ResultType> = operands.iter().map(|operand| operand.of.clone()).list();
            let planned = operators.plan_all(op, attrs, &types)?;
            known.insert(Many { types, planned })
        }
    };
    let Some((results, plans)) = &many.planned else { return Ok(None) };
    let layouts = &code.program.layouts;
    let Some(places) = places(layouts, call.result, results.len()) else { return Ok(None) };
    if !is_in_place(layouts, call.layouts.iter().copied(), call.result, results) {
        return Ok(None);
    }
    let mut made: Vec<u32> = Vec::with_capacity(results.len());
    for result in results {
        match take_tensor(heap, &code.kinds, result.dtype, &result.shape) {
            Some(at) => made.push(at),
            None => {
                made.iter().for_each(|&at| heap.release(code, at));
                return Err(Stop::Fault(RunFault::OutOfMemory { limit: heap.limit }));
            }
        }
    }
    let mut done = Ok(());
    for ((&at, result), plan) in made.iter().zip(results).zip(plans) {
        let elements = data(result);
        let place = at + elements.start..at + elements.end;
        let (before, to, after) = around(heap.bytes_mut(), &place);
        let sources = operands.iter().map(|operand| match operand.is_tensor {
            true => Some(part(before, after, &place, operand.word as u32, &data(&operand.of))),
            false => bytemuck::bytes_of(&operand.word).get(..operand.of.dtype.n_bytes()),
        });
        let sources: Vec<Source> = sources.list();
        done = done.and_then(|()| plan.run(&sources, to, scratch));
    }
    if let Err(fault) = done {
        made.iter().for_each(|&at| heap.release(code, at));
        return Err(op::CallFault::of(op.row(), fault).into());
    }
    for (&layout, words) in call.layouts.iter().zip(&call.words) {
        heap.release_value(code, layout, words);
    }
    let bits = code.program.layouts[call.result].bits;
    let mut words = layout::zeros(bits);
    for (at, place) in made.into_iter().zip(places) {
        layout::write_bits(&mut words, place, 32, at.into());
    }
    Ok(Some(words))
}

/// Where the elements are in a tensor's block.
fn data(of: &ResultType) -> Range<u32> {
    let start = data_offset(of.shape.len());
    start..start + (of.shape.iter().product::<usize>() * of.dtype.n_bytes()) as u32
}

/// Reads an operand, or the fields of a tuple. `None` if there is something else in it than tensors.
fn read(heap: &Heap, code: &Assembly, layout: LayoutId, words: &[u64], to: &mut Vec<Operand>) -> Option<()> {
    let layouts = &code.program.layouts;
    let mut one = |layout: LayoutId, word: u64| match layouts[layout].kind {
        Kind::Scalar(dtype) => {
            to.push(Operand { of: ResultType { shape: Vec::new(), dtype }, word, is_tensor: false });
            Some(())
        }
        Kind::Tensor => {
            let BlockKind::Tensor(dtype) = code.kinds.kind_at(heap, word as u32) else { return None };
            let of = ResultType { shape: shape_at(heap, word as u32), dtype };
            to.push(Operand { of, word: u64::from(word as u32), is_tensor: true });
            Some(())
        }
        _ => None,
    };
    match fields(layouts, layout) {
        None => one(layout, *words.first()?),
        Some(fields) => fields.iter().try_for_each(|field| {
            one(field.layout, layout::read_bits(words, field.offset, layouts[field.layout].bits))
        }),
    }
}

/// Whether results of these types are computed where operands and result lie, if they have plans: all are tensors, alone
/// or in tuples that are held in place.
pub fn is_in_place(
    layouts: &Layouts,
    operands: impl IntoIterator<Item = LayoutId>,
    result: LayoutId,
    results: &[ResultType],
) -> bool {
    let is_tensor = |layout: LayoutId| matches!(layouts[layout].kind, Kind::Tensor | Kind::Scalar(_));
    let mut all = operands.into_iter();
    all.all(|layout| match fields(layouts, layout) {
        Some(fields) => fields.iter().all(|field| is_tensor(field.layout)),
        None => is_tensor(layout),
    }) && places(layouts, result, results.len()).is_some()
        && results.iter().all(|result| !result.shape.is_empty())
}

/// The fields of a tuple that is held in place.
fn fields(layouts: &Layouts, layout: LayoutId) -> Option<&[layout::Field]> {
    match &layouts[layout].kind {
        Kind::Sum { tag: Tag::None, variants } => match &variants[..] {
            [tuple] => Some(&tuple.fields),
            _ => None,
        },
        _ => None,
    }
}

/// At which bits of the result the pointers to `n` tensors stand.
fn places(layouts: &Layouts, layout: LayoutId, n: usize) -> Option<Vec<u32>> {
    let is_tensor = |layout: LayoutId| matches!(layouts[layout].kind, Kind::Tensor);
    match fields(layouts, layout) {
        None => (n == 1 && is_tensor(layout)).then(|| vec![0]),
        Some(fields) => (fields.len() == n && fields.iter().all(|field| is_tensor(field.layout)))
            .then(|| fields.iter().map(|field| field.offset).list()),
    }
}

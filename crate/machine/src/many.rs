//! Operators on tensors with operands in tuples, or with several results: each result has a plan of its own.
//!
//! What was found out for the types that came to a place last is kept, as [`crate::tensor`] does for those of one word.

use crate::code::Assembly;
use crate::fault::Stop;
use crate::heap::Heap;
use crate::tensor::{Block, TensorCall, around, part, type_of};
use base::ToList;
use layout::{Kind, LayoutId, Layouts, Tag, Words};
use op::{MAX_OPERANDS, OpId, Operators, Plan, ResultType, Scratch, Source};
use smallvec::SmallVec;
use std::sync::Arc;
use ty::{Attrs, RunFault};

/// What was found out about operands of some types.
pub(crate) struct Many {
    /// The operands, or the fields of tuples.
    operands: Vec<Operand>,
    /// `None`: they have no plans, or are not computed in place.
    results: Option<Results>,
}

enum Operand {
    /// A scalar, of so many bytes. Its dtype is in the program.
    Scalar(usize),
    Tensor(Block),
    Other,
}

struct Results {
    plans: Vec<Plan>,
    blocks: Vec<Block>,
    /// At which bits of the result their pointers stand.
    places: Vec<u32>,
    /// Bytes that the plans work in, one after the other.
    n_working: u64,
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
    let mut words: SmallVec<[u64; MAX_OPERANDS]> = SmallVec::new();
    each(&code.program.layouts, call, &mut |_, word| words.push(word));
    let many = match known {
        Some(many) if many.is_for(heap, &words) => many,
        known => known.insert(Many::new(heap, code, operators, (op, attrs), call)?),
    };
    let Some(results) = &many.results else { return Ok(None) };
    if results.n_working > 0 {
        let bytes = results.blocks.iter().fold(results.n_working, |bytes, block| bytes + u64::from(block.size));
        if !heap.has_room(bytes) {
            return Err(Stop::NoRoom(bytes));
        }
    }
    let mut made: SmallVec<[u64; MAX_OPERANDS]> = SmallVec::new();
    for block in &results.blocks {
        match block.take(heap) {
            Ok(at) => made.push(at.into()),
            Err(_) => {
                made.iter().for_each(|&at| heap.release(code, at as u32));
                return Err(Stop::Fault(RunFault::OutOfMemory { limit: heap.limit }));
            }
        }
    }
    let mut done = Ok(());
    for ((&at, block), plan) in made.iter().zip(&results.blocks).zip(&results.plans) {
        let place = block.place(at as u32);
        let (before, to, after) = around(heap.bytes_mut(), &place);
        let mut sources: SmallVec<[Source; MAX_OPERANDS]> = SmallVec::new();
        for (operand, word) in many.operands.iter().zip(&words) {
            sources.push(match operand {
                Operand::Scalar(n_bytes) => bytemuck::bytes_of(word).get(..*n_bytes),
                Operand::Other => None,
                Operand::Tensor(block) => Some(part(before, after, &place, *word as u32, &block.data)),
            });
        }
        done = done.and_then(|()| plan.run(&sources, to, scratch));
    }
    if let Err(fault) = done {
        made.iter().for_each(|&at| heap.release(code, at as u32));
        return Err(op::CallFault::of(op.row(), fault).into());
    }
    for (operand, &word) in many.operands.iter().zip(&words) {
        if let Operand::Tensor(block) = operand {
            heap.release_leaf(word as u32, block.size);
        }
    }
    let mut words = layout::zeros(code.program.layouts[call.result].bits);
    for (&at, &place) in made.iter().zip(&results.places) {
        layout::write_bits(&mut words, place, 32, at);
    }
    Ok(Some(words))
}

impl Many {
    #[inline(never)]
    fn new(
        heap: &Heap,
        code: &Assembly,
        operators: &mut Operators,
        (op, attrs): (OpId, &Arc<Attrs>),
        call: &TensorCall,
    ) -> Result<Many, Stop> {
        let layouts = &code.program.layouts;
        let (mut operands, mut types) = (Vec::new(), Vec::new());
        each(layouts, call, &mut |layout, word| {
            let of = type_of(heap, code, layout, word);
            let is_scalar = matches!(layouts[layout].kind, Kind::Scalar(_));
            operands.push(match &of {
                Some(of) if is_scalar => Operand::Scalar(of.dtype.n_bytes()),
                Some(of) => Block::new(code, of).map_or(Operand::Other, Operand::Tensor),
                None => Operand::Other,
            });
            types.extend(of);
        });
        let mut many = Many { operands, results: None };
        if types.len() == many.operands.len()
            && let Some((types, plans)) = operators.plan_all(op, attrs, &types)?
            && is_in_place(layouts, call.layouts.iter().copied(), call.result, &types)
        {
            let places = places(layouts, call.result, types.len()).unwrap_or_default();
            let mut blocks = Vec::with_capacity(types.len());
            types.iter().for_each(|of| blocks.extend(Block::new(code, of)));
            let n_working = plans.iter().map(Plan::n_working_bytes).max().unwrap_or(0);
            many.results = (blocks.len() == types.len()).then_some(Results { plans, blocks, places, n_working });
        }
        Ok(many)
    }

    /// Whether these are operands of the types that it knows.
    fn is_for(&self, heap: &Heap, words: &[u64]) -> bool {
        self.operands.len() == words.len()
            && self.operands.iter().zip(words).all(|(operand, &word)| match operand {
                Operand::Scalar(_) | Operand::Other => true,
                Operand::Tensor(block) => block.owners(heap, word as u32).is_some(),
            })
    }
}

/// Looks at each operand, and each field of those that are tuples: its layout, and a pointer or the bits of a scalar.
fn each(layouts: &Layouts, call: &TensorCall, see: &mut dyn FnMut(LayoutId, u64)) {
    for (&layout, words) in call.layouts.iter().zip(&call.words) {
        match fields(layouts, layout) {
            None => see(layout, words.first().copied().unwrap_or_default()),
            Some(fields) => fields.iter().for_each(|field| {
                see(field.layout, layout::read_bits(words, field.offset, layouts[field.layout].bits));
            }),
        }
    }
}

/// Whether results of these types are computed where operands and result lie, if they have plans: all are tensors,
/// alone or in tuples that are held in place.
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

//! Operators on tensors with operands in tuples, or with several results: each result has a plan of its own.
//!
//! What was found out for the types that came to a place last is kept, as [`crate::tensor`] does for those of one word.

use crate::code::{Assembly, Part, Reg, WINDOW};
use crate::fault::Stop;
use crate::heap::Heap;
use crate::tensor::{Block, Each, type_of};
use base::ToList;
use kernel::apart::Apart;
use layout::{Kind, LayoutId, Layouts, Tag};
use op::{Fault, OpId, Operators, Plan, ResultType, Scratch, Source};
use std::ops::Range;
use std::sync::Arc;
use ty::{Attrs, RunFault};

/// Such an operator in the program. Its tuples are held in place.
#[derive(Clone, Debug)]
pub struct TupleCall {
    op: OpId,
    attrs: Arc<Attrs>,
    /// The layouts of the operands, or of the fields of those that are tuples.
    operands: Vec<LayoutId>,
    /// How registers become a word for each of them.
    reads: Vec<Part>,
    n_results: usize,
    /// How pointers to the results become the words of the result, counted from its first.
    writes: Vec<Part>,
    n_words: usize,
}

impl TupleCall {
    /// `None`: it is none of those operators, or not on such tuples. Operands and result have their layout, and their
    /// first register.
    pub fn new(
        layouts: &Layouts,
        (op, attrs): (OpId, &Arc<Attrs>),
        args: &[(LayoutId, u32)],
        result: LayoutId,
    ) -> Option<TupleCall> {
        let is_tuple = |&(layout, _): &(LayoutId, u32)| fields(layouts, layout).is_some();
        if !op.has_tuples() || !args.iter().chain([&(result, 0)]).any(is_tuple) {
            return None;
        }
        let (mut operands, mut reads, mut writes) = (Vec::new(), Vec::new(), Vec::new());
        let mut read = |from: u32, offset: u32, layout: LayoutId| {
            Part::read(from, offset, operands.len() as u32, layouts[layout].bits, &mut reads);
            operands.push(layout);
        };
        for &(layout, from) in args {
            match fields(layouts, layout) {
                Some(fields) => fields.iter().for_each(|field| read(from, field.offset, field.layout)),
                None => read(from, 0, layout),
            }
        }
        let n_results = fields(layouts, result).map_or(1, <[_]>::len);
        let places = places(layouts, result, n_results)?;
        for (at, &place) in (0..).zip(&places) {
            Part::write(at, 0, place, 32, &mut writes);
        }
        let n_words = layout::n_words(layouts[result].bits);
        if operands.len() > usize::from(Reg::MAX) {
            return None;
        }
        let call = TupleCall { op, attrs: attrs.clone(), operands, reads, n_results, writes, n_words };
        call.operands.iter().all(|&layout| is_tensor(layouts, layout)).then_some(call)
    }
}

/// What was found out about operands of some types.
pub(crate) struct Many {
    operands: Vec<Operand>,
    /// `None`: they have no plans, or are not computed in place.
    results: Option<Results>,
}

enum Operand {
    /// A scalar, of so many bytes. Its dtype is in the program.
    Scalar(usize),
    Tensor(Block),
}

struct Results {
    plans: Vec<(Plan, Block)>,
    /// Bytes of all results, and of what the plans work in, one after the other.
    n_bytes: u64,
    n_working: u64,
}

/// Calls the operator, if its results have plans, and takes over the operands. Otherwise nothing has changed, and the
/// answer is no.
pub(crate) fn call(
    heap: &mut Heap,
    code: &Assembly,
    operators: &mut Operators,
    (known, scratch): (&mut Option<Many>, &mut Scratch),
    (call, to): (&TupleCall, Reg),
    registers: &mut [u64; WINDOW],
) -> Result<bool, Stop> {
    let mut words = Each::default();
    let words: &mut [u64] = words.list(call.operands.len());
    for part in &call.reads {
        words[usize::from(part.to)] |= part.bits.of(registers[usize::from(part.from)]) << (part.shift & 63);
    }
    let many = match known {
        Some(many) if many.is_for(heap, words) => many,
        known => known.insert(Many::new(heap, code, operators, call, words)?),
    };
    let Some(results) = &many.results else { return Ok(false) };
    if results.n_working > 0 && !heap.has_room(results.n_working + results.n_bytes) {
        return Err(Stop::NoRoom(results.n_working + results.n_bytes));
    }
    let mut made = Each::default();
    let made: &mut [u64] = made.list(results.plans.len());
    for (i, (plan, block)) in results.plans.iter().enumerate() {
        let done = match block.take(heap) {
            Ok(at) => {
                heap.settle();
                made[i] = at.into();
                let fault = many.run(heap, (plan, block.place(at)), words, scratch).err();
                fault.map_or(Ok(()), |fault| Err(op::CallFault::of(call.op.row(), fault).into()))
            }
            // Where there was no room for the first, all of them may have it later.
            Err(_) if i == 0 => return Err(Stop::NoMemory(results.n_bytes)),
            Err(_) => Err(Stop::Fault(RunFault::OutOfMemory { limit: heap.limit })),
        };
        if done.is_err() {
            let is_made = made.iter().filter(|&&at| at != 0);
            is_made.for_each(|&at| heap.release(code, at as u32));
            return done.map(|()| false);
        }
    }
    for (operand, &word) in many.operands.iter().zip(&*words) {
        if let Operand::Tensor(block) = operand {
            heap.release_leaf(word as u32, block.size);
        }
    }
    let to = usize::from(to);
    let result = registers.get_mut(to..to + call.n_words).unwrap_or(&mut []);
    // Pointers stand in order, so the first of a word is what it begins with.
    let mut begun = 0;
    for part in &call.writes {
        let (at, bits) = (usize::from(part.to), part.bits.of(made[usize::from(part.from)]) << (part.shift & 63));
        result[at] = if at < begun { result[at] | bits } else { bits };
        begun = at + 1;
    }
    Ok(true)
}

impl Many {
    #[inline(never)]
    fn new(
        heap: &Heap,
        code: &Assembly,
        operators: &mut Operators,
        call: &TupleCall,
        words: &[u64],
    ) -> Result<Many, Stop> {
        let layouts = &code.program.layouts;
        let broken = Stop::Fault(RunFault::Broken);
        let types = call.operands.iter().zip(words).map(|(&layout, &word)| type_of(heap, code, layout, word));
        let types: Vec<ResultType> = types.some_list().ok_or(broken.clone())?;
        let operands = call.operands.iter().zip(&types).map(|(&layout, of)| match layouts[layout].kind {
            Kind::Scalar(dtype) => Some(Operand::Scalar(dtype.n_bytes())),
            _ => Block::new(code, of).map(Operand::Tensor),
        });
        let mut many = Many { operands: operands.some_list().ok_or(broken)?, results: None };
        if let Some((types, plans)) = operators.plan_all(call.op, &call.attrs, &types)?
            && types.len() == call.n_results
            && plans.len() == call.n_results
            && are_tensors(&types)
        {
            let n_working = plans.iter().map(Plan::n_working_bytes).max().unwrap_or(0);
            let blocks: Option<Vec<Block>> = types.iter().map(|of| Block::new(code, of)).some_list();
            many.results = blocks.map(|blocks| {
                let n_bytes = blocks.iter().map(|block| u64::from(block.size)).total();
                Results { plans: plans.into_iter().zip(blocks).list(), n_bytes, n_working }
            });
        }
        Ok(many)
    }

    /// Computes a result where there is memory for it.
    fn run(
        &self,
        heap: &mut Heap,
        (plan, place): (&Plan, Range<usize>),
        words: &[u64],
        scratch: &mut Scratch,
    ) -> Result<(), Fault> {
        let (to, others) = Apart::new(heap.bytes_mut(), place);
        let mut sources = Each::default();
        let sources: &mut [Source] = sources.list(words.len());
        for ((source, operand), word) in sources.iter_mut().zip(&self.operands).zip(words) {
            *source = match operand {
                Operand::Scalar(n_bytes) => bytemuck::bytes_of(word).get(..*n_bytes),
                Operand::Tensor(block) => Some(others.get(block.place(*word as u32))),
            };
        }
        plan.run(sources, to, scratch)
    }

    /// Whether these are operands of the types that it knows.
    fn is_for(&self, heap: &Heap, words: &[u64]) -> bool {
        self.operands.iter().zip(words).all(|(operand, &word)| match operand {
            Operand::Scalar(_) => true,
            Operand::Tensor(block) => block.owners(heap, word as u32).is_some(),
        })
    }
}

fn are_tensors(results: &[ResultType]) -> bool {
    results.iter().all(|result| !result.shape.is_empty())
}

/// Whether results of these types are computed where operands and result lie, if they have plans: all are tensors,
/// alone or in tuples that are held in place.
pub fn is_in_place(
    layouts: &Layouts,
    operands: impl IntoIterator<Item = LayoutId>,
    result: LayoutId,
    results: &[ResultType],
) -> bool {
    let mut all = operands.into_iter();
    all.all(|layout| match fields(layouts, layout) {
        Some(fields) => fields.iter().all(|field| is_tensor(layouts, field.layout)),
        None => is_tensor(layouts, layout),
    }) && places(layouts, result, results.len()).is_some()
        && are_tensors(results)
}

/// A tensor, or a scalar, which is one without axes.
fn is_tensor(layouts: &Layouts, layout: LayoutId) -> bool {
    matches!(layouts[layout].kind, Kind::Tensor | Kind::Scalar(_))
}

/// The fields of a tuple that is held in place.
pub(crate) fn fields(layouts: &Layouts, layout: LayoutId) -> Option<&[layout::Field]> {
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

//! Operators on tensors.
//!
//! Where an operator stands, the machine remembers the types of the operands that came there last, and what it found
//! out about them: the result's type and the [`Plan`] of the call. As long as operands of the same types come, a call
//! costs a comparison of headers, a block (or none, where an operand has no other owner and the plan takes it), and the
//! arithmetic. What has no plan is read out of the heap and computed on values; tuples are in [`crate::many`].

use crate::code::{Assembly, HIGH, Reg, WINDOW};
use crate::collect::join;
use crate::fault::Stop;
use crate::heap::{Heap, is_pointer};
use crate::kind::{BlockKind, shape_at, shape_size, tensor_size};
use crate::many::{self, Many};
use crate::quick::{Quick, slots};
use crate::value::{Blocks, data_offset};
use crate::weights::Weights;
use base::{HashMap, MapArray, ToList};
use kernel::apart::Apart;
use layout::{Kind, LayoutId, Words, decode, encode};
use op::{CallFault, MAX_OPERANDS, OpId, Operators, Plan, ResultType, Scratch, Source, Step, bytes_on_values};
use std::ops::Range;
use std::sync::Arc;
use ty::{Attrs, Fields, RunFault, Value};

/// What is remembered of operators, by place in the program, and memory for their bodies.
#[derive(Default)]
pub(crate) struct Sites {
    /// By number of the operator in [`Assembly::operators`].
    planned: Vec<Option<Box<Site>>>,
    /// By instruction, of others: the shapes of the operands that were there last, and the types of their results.
    known: HashMap<u32, (Vec<usize>, Vec<ResultType>)>,
    /// By number of the operator in [`Assembly::tuple_calls`].
    tuple_calls: Vec<Option<Many>>,
    scratch: Scratch,
    /// Bytes of weights.
    pub n_kept: u64,
}

/// Operators whose operands and result are scalars and tensors, and not all of them scalars; or one on the tensors of a
/// tuple.
#[derive(Clone, Debug)]
pub struct Place {
    pub call: Called,
    /// The layouts of the operands and of the result.
    pub operands: Vec<LayoutId>,
    /// By operand, whether it is the same at each call.
    pub is_constant: Vec<bool>,
    pub result: LayoutId,
}

#[derive(Clone, Debug)]
pub enum Called {
    One(OpId, Arc<Attrs>),
    /// The operands are the fields of its tuple.
    OnTuple(OpId, Arc<Attrs>),
    Fused(Vec<Step>),
}

/// What was found out about operands of some types.
struct Site {
    operands: Box<[Expected]>,
    way: Way,
}

#[allow(
    clippy::large_enum_variant,
    reason = "a site is in a box of its own, and the first of these is for the sake of speed"
)]
enum Way {
    Quick(Quick),
    Planned(Box<Planned>),
    /// On values; the types of the results, if they do not depend on values.
    Values(Option<Vec<ResultType>>),
}

pub(crate) enum Expected {
    /// A scalar, of so many bytes. Its dtype is in the program.
    Scalar(usize),
    /// A tensor, and whether the result may be where it is.
    Tensor(Block, bool),
}

struct Planned {
    plan: Plan,
    result: Made,
    weights: Option<Weights>,
    /// Bytes that it works in.
    n_working: u64,
}

pub(crate) enum Made {
    /// Of so many bytes.
    Scalar(usize),
    Tensor(Block),
}

/// What all tensors of one type have in common.
#[derive(Clone, PartialEq)]
pub(crate) struct Block {
    /// In bytes.
    pub size: u32,
    kind: u32,
    /// Rank and sizes, as they stand behind the header.
    shape: Box<[u64]>,
    /// The first three words of these; where there are fewer, the first stands for the others.
    head: [u64; 3],
    /// Where the second and the third of them are, behind the first.
    places: [usize; 2],
    /// Where the elements are.
    pub data: Range<u32>,
}

impl Block {
    #[inline(never)]
    pub fn new(code: &Assembly, of: &ResultType) -> Option<Block> {
        let size = tensor_size(of.dtype, &of.shape)?;
        let kind = code.kinds.number(BlockKind::Tensor(of.dtype));
        let start = data_offset(of.shape.len());
        let end = start + of.shape.iter().product::<usize>() as u32 * of.dtype.n_bytes() as u32;
        let shape = shape_words(&of.shape);
        let places = [1, 2].each(|i| if shape.len() > i { i } else { 0 });
        let head = [0, places[0], places[1]].each(|i| shape[i]);
        Some(Block { size, kind, shape, head, places, data: start..end })
    }

    /// How many owners the tensor at `at` has; `None` if it is of another type.
    #[inline(never)]
    pub fn owners(&self, heap: &Heap, at: u32) -> Option<u32> {
        self.owners_here(heap, at)
    }

    /// The same, in the caller's own code.
    #[inline(always)]
    pub fn owners_here(&self, heap: &Heap, at: u32) -> Option<u32> {
        let words = heap.from(at);
        let header = *words.first()?;
        let is_shape = match words.first_chunk::<4>() {
            Some(words) if self.shape.len() <= 3 => {
                let ([a, b, c], [second, third]) = (self.head, self.places);
                (words[1] ^ a) | (words[1 + (second & 1)] ^ b) | (words[1 + (third & 2)] ^ c) == 0
            }
            // There are more dims, or the heap ends here.
            _ => words.get(1..=self.shape.len()) == Some(&self.shape),
        };
        (is_shape && (header >> 32) as u32 == self.kind).then_some(header as u32)
    }

    #[inline(always)]
    pub fn take(&self, heap: &mut Heap) -> Result<u32, Fail> {
        match heap.take_tensor(self.size, self.kind, &self.shape) {
            Some(at) => Ok(at),
            None => Err(Fail::Memory(self.size.into())),
        }
    }

    /// Makes a block that nobody else owns a tensor of this type.
    #[inline(always)]
    pub fn set(&self, heap: &mut Heap, at: u32) {
        heap.set_tensor(at, self.kind, &self.shape);
    }

    /// Which bytes of the heap the elements of the tensor at `at` are.
    #[inline(always)]
    pub fn place(&self, at: u32) -> Range<usize> {
        place(&self.data, at)
    }
}

/// What there is for each operand or result. A longer array would be cleared by an instruction that takes long to begin.
#[derive(Default)]
pub(crate) struct Each<T> {
    few: [T; 5],
    more: Vec<T>,
}

impl<T: Copy + Default> Each<T> {
    /// For `n` of them, once.
    #[inline(always)]
    pub fn list(&mut self, n: usize) -> &mut [T] {
        match self.few.get_mut(..n) {
            Some(few) => few,
            None => {
                self.more.resize(n, T::default());
                &mut self.more
            }
        }
    }
}

/// The words of an instruction's operands, where they are: in the registers of its frame, or in their high halves.
#[derive(Clone, Copy)]
pub(crate) struct Operands<'a> {
    pub registers: &'a [u64; WINDOW],
    pub args: &'a [Reg],
    /// By bit, those that the operator does not take over, and no result may be where they are.
    pub kept: u8,
}

impl<'a> Operands<'a> {
    #[inline(always)]
    pub fn of(self, arg: Reg) -> u64 {
        let word = self.registers[usize::from(arg & !HIGH)];
        word >> (arg / HIGH * 32)
    }

    #[inline(always)]
    pub fn is_kept(self, i: usize) -> bool {
        self.kept >> i & 1 == 1
    }

    /// With one owner more of each that is kept, all are taken over.
    #[inline(never)]
    fn owned(self, heap: &mut Heap) -> Operands<'a> {
        for i in 0..self.args.len() {
            let at = self.word(i) as u32;
            if self.is_kept(i) && is_pointer(at) {
                heap.dup(at);
            }
        }
        Operands { kept: 0, ..self }
    }

    #[inline(always)]
    fn word(self, i: usize) -> u64 {
        self.of(self.args[i])
    }

    /// The same, of a scalar.
    #[inline(always)]
    fn scalar(self, i: usize) -> &'a u64 {
        &self.registers[usize::from(self.args[i])]
    }

    #[inline(always)]
    fn iter(self) -> impl Iterator<Item = u64> {
        self.args.iter().map(move |&arg| self.of(arg))
    }
}

/// Calls the operator with this number on words, which it takes over, but for those that are kept. Where it fails, they
/// have an owner more, and where that is for want of memory, nothing else has changed.
pub(crate) fn call(
    heap: &mut Heap,
    code: &Assembly,
    operators: &mut Operators,
    sites: &mut Sites,
    number: u32,
    operands: Operands,
) -> Result<u64, Stop> {
    let Sites { planned, scratch, n_kept, .. } = sites;
    let mut site = planned.get_mut(number as usize).and_then(Option::as_deref_mut);
    let quick = match &site {
        Some(Site { way: Way::Quick(quick), .. }) => quick.run(heap, scratch, operands),
        Some(_) | None => None,
    };
    if let Some(Ok(word)) = quick {
        return Ok(word);
    }
    let operands = operands.owned(heap);
    let done = match &mut site {
        Some(Site { way: Way::Planned(planned), operands: expected }) => {
            planned.run(heap, (scratch, n_kept), expected, operands)
        }
        Some(_) | None => quick,
    };
    match done {
        Some(Ok(word)) => Ok(word),
        Some(Err(fail)) => Err(fail.stop(code, number)),
        None => find_and_call(heap, code, operators, sites, number, operands),
    }
}

/// As [`call`], where nothing is planned for operands of these types yet, or can be.
#[cold]
#[inline(never)]
fn find_and_call(
    heap: &mut Heap,
    code: &Assembly,
    operators: &mut Operators,
    sites: &mut Sites,
    number: u32,
    operands: Operands,
) -> Result<u64, Stop> {
    let broken = Stop::Fault(RunFault::Broken);
    let Some(place) = code.operators.get(number as usize) else { return Err(broken) };
    if sites.planned.len() < code.operators.len() {
        sites.planned.resize_with(code.operators.len(), || None);
    }
    let Sites { planned, scratch, n_kept, .. } = sites;
    let site = match &mut planned[number as usize] {
        Some(site) if matches!(site.way, Way::Values(_)) && site.is_for(heap, operands) => site,
        site => {
            let found = Box::new(find(heap, code, operators, place, operands)?);
            *n_kept -= site.as_ref().map_or(0, |before| before.n_kept());
            site.insert(found)
        }
    };
    let done = match &mut site.way {
        Way::Quick(quick) => quick.run(heap, scratch, operands).ok_or(broken)?,
        Way::Planned(planned) => planned.run(heap, (scratch, n_kept), &site.operands, operands).ok_or(broken)?,
        Way::Values(results) => {
            let words = operands.iter().map(|word| vec![word]).list();
            let call = TensorCall { layouts: place.operands.clone(), words, result: place.result };
            let op = match place.call {
                Called::One(op, _) | Called::OnTuple(op, _) => Some(op),
                Called::Fused(_) => None,
            };
            let value = call.compute(heap, code, (op, results.as_deref()), |args| {
                let tuple;
                let (op, attrs, args) = match &place.call {
                    Called::One(op, attrs) => (*op, attrs, args),
                    Called::OnTuple(op, attrs) => {
                        tuple = [Value::Tuple(Fields::new(args.to_vec()))];
                        (*op, attrs, &tuple[..])
                    }
                    Called::Fused(steps) => return run_steps(operators, steps, args),
                };
                Ok(match &results {
                    Some(results) => operators.run_unplanned(op, args, attrs, results)?,
                    None => operators.run(op, args, attrs)?,
                })
            });
            return call.finish(heap, code, &value?)?.first().copied().ok_or(broken);
        }
    };
    done.map_err(|fail| fail.stop(code, number))
}

/// Calls the operator on tuples with this number on registers, and takes its operands over, if there are plans for it.
/// Otherwise nothing has changed, and the answer is no.
#[inline(never)]
pub(crate) fn call_on_tuples(
    heap: &mut Heap,
    code: &Assembly,
    operators: &mut Operators,
    sites: &mut Sites,
    (number, to): (u32, Reg),
    registers: &mut [u64; WINDOW],
) -> Result<bool, Stop> {
    let Some(call) = code.tuple_calls.get(number as usize) else { return Err(Stop::Fault(RunFault::Broken)) };
    if sites.tuple_calls.len() < code.tuple_calls.len() {
        sites.tuple_calls.resize_with(code.tuple_calls.len(), || None);
    }
    let known = (&mut sites.tuple_calls[number as usize], &mut sites.scratch);
    many::call(heap, code, operators, known, (call, to), registers)
}

impl Site {
    /// Bytes of weights.
    fn n_kept(&self) -> u64 {
        match &self.way {
            Way::Planned(planned) => planned.weights.as_ref().map_or(0, Weights::n_kept),
            Way::Quick(_) | Way::Values(_) => 0,
        }
    }

    /// Whether these are operands of the types that it knows.
    fn is_for(&self, heap: &Heap, operands: Operands) -> bool {
        self.operands.iter().zip(operands.iter()).all(|(expected, word)| match expected {
            Expected::Scalar(_) => true,
            Expected::Tensor(block, _) => block.owners(heap, word as u32).is_some(),
        })
    }
}

/// Finds out what there is to know about operands of these types.
fn find(
    heap: &Heap,
    code: &Assembly,
    operators: &mut Operators,
    place: &Place,
    operands: Operands,
) -> Result<Site, Stop> {
    let layouts = &code.program.layouts;
    let types = place.operands.iter().zip(operands.iter()).map(|(&layout, word)| type_of(heap, code, layout, word));
    let types: Vec<ResultType> = types.some_list().ok_or(Stop::Fault(RunFault::Broken))?;
    let found = match &place.call {
        Called::One(op, attrs) => operators.plan(*op, attrs, &types)?,
        Called::OnTuple(op, attrs) => {
            let all = operators.plan_all(*op, attrs, &types)?;
            all.map(|(results, plans)| (results, plans.into_iter().next()))
        }
        Called::Fused(steps) => operators.plan_steps(steps, &types).map_err(Stop::at)?,
    };
    let (results, plan) = found.map_or((None, None), |(results, plan)| (Some(results), plan));
    let plan = plan.filter(|_| types.len() <= MAX_OPERANDS);
    let result =
        results.as_ref().and_then(|results| results.first()).and_then(|result| match layouts[place.result].kind {
            Kind::Scalar(dtype) => {
                (dtype == result.dtype && result.shape.is_empty()).then(|| Made::Scalar(dtype.n_bytes()))
            }
            _ if result.shape.is_empty() => None,
            _ => Block::new(code, result).map(Made::Tensor),
        });
    let is_tensor = |&layout: &LayoutId| !matches!(layouts[layout].kind, Kind::Scalar(_));
    let expected = place.operands.iter().zip(&types).enumerate().map(|(i, (layout, of))| match is_tensor(layout) {
        false => Some(Expected::Scalar(of.dtype.n_bytes())),
        true => {
            let block = Block::new(code, of)?;
            // The elements are in the same place of a block of the same size.
            let fits =
                matches!(&result, Some(Made::Tensor(made)) if made.data == block.data && made.size == block.size);
            let is_taken = fits && plan.as_ref().is_some_and(|plan| plan.takes(i));
            Some(Expected::Tensor(block, is_taken))
        }
    });
    let operands: Vec<Expected> = expected.some_list().ok_or(Stop::Fault(RunFault::Broken))?;
    let way = match plan.zip(result) {
        Some((plan, result)) => {
            let (weights, n_working) = (Weights::new(&plan, place), plan.n_working_bytes());
            let slots = if weights.is_none() && n_working == 0 { slots(&operands, &result) } else { None };
            match slots {
                Some((operands, result)) => Way::Quick(Quick::new(plan, operands, result)),
                None => Way::Planned(Box::new(Planned { plan, result, weights, n_working })),
            }
        }
        None => Way::Values(results),
    };
    Ok(Site { operands: operands.into(), way })
}

/// The type of a scalar or a tensor; `None` for what is something else.
#[inline(never)]
pub(crate) fn type_of(heap: &Heap, code: &Assembly, layout: LayoutId, word: u64) -> Option<ResultType> {
    match (&code.program.layouts[layout].kind, code.kinds.kind_at(heap, word as u32)) {
        (&Kind::Scalar(dtype), _) => Some(ResultType { shape: Vec::new(), dtype }),
        (Kind::Tensor, BlockKind::Tensor(dtype)) => Some(ResultType { shape: shape_at(heap, word as u32), dtype }),
        _ => None,
    }
}

/// Rank and sizes as a block has them.
fn shape_words(shape: &[usize]) -> Box<[u64]> {
    let mut words = vec![0; shape_size(shape.len()) as usize / 8].into_boxed_slice();
    for (i, &size) in std::iter::once(&shape.len()).chain(shape).enumerate() {
        words[i / 2] |= (size as u64) << (i % 2 * 32);
    }
    words
}

/// Why a plan was not carried out.
pub(crate) enum Fail {
    /// This many bytes are missing. Nothing has changed.
    Memory(u64),
    /// The same, of memory to work in.
    Room(u64),
    Kernel(op::Fault),
}

impl Fail {
    #[cold]
    fn stop(self, code: &Assembly, number: u32) -> Stop {
        match (self, code.operators.get(number as usize).map(|place| &place.call)) {
            (Fail::Memory(bytes), _) => Stop::NoMemory(bytes),
            (Fail::Room(bytes), _) => Stop::NoRoom(bytes),
            (Fail::Kernel(fault), Some(Called::One(op, _) | Called::OnTuple(op, _))) => {
                CallFault::of(op.row(), fault).into()
            }
            // Operators that fail on some numbers are in no group.
            (Fail::Kernel(_), Some(Called::Fused(_)) | None) => Stop::Fault(RunFault::Broken),
        }
    }
}

/// Where elements are of a block that begins at `at`, counted in what the range is.
#[inline(always)]
pub(crate) fn place(data: &Range<u32>, at: u32) -> Range<usize> {
    at.wrapping_add(data.start) as usize..at.wrapping_add(data.end) as usize
}

impl Planned {
    /// `None`, and nothing has changed: the operands are of other types.
    fn run(
        &mut self,
        heap: &mut Heap,
        (scratch, n_kept): (&mut Scratch, &mut u64),
        expected: &[Expected],
        operands: Operands,
    ) -> Option<Result<u64, Fail>> {
        if operands.args.len() != expected.len() {
            return None;
        }
        let mut taken = None;
        for (i, expected) in expected.iter().enumerate() {
            if let Expected::Tensor(block, is_taken) = expected {
                let at = operands.word(i) as u32;
                let owners = block.owners(heap, at)?;
                if *is_taken && owners == 1 && taken.is_none() {
                    taken = Some((i, at));
                }
            }
        }
        if self.n_working > 0 {
            let made = match (&self.result, taken) {
                (Made::Tensor(block), None) => block.size,
                (Made::Tensor(_), Some(_)) | (Made::Scalar(_), _) => 0,
            };
            let bytes = self.n_working + u64::from(made);
            if !heap.has_room(bytes) {
                return Some(Err(Fail::Room(bytes)));
            }
        }
        let (at, place) = match (&self.result, taken) {
            (Made::Scalar(_), _) => (0, 0..0),
            (Made::Tensor(block), Some((_, at))) => {
                block.set(heap, at);
                (at, block.place(at))
            }
            (Made::Tensor(block), None) => match block.take(heap) {
                Ok(at) => (at, block.place(at)),
                Err(fail) => return Some(Err(fail)),
            },
        };
        let taken = taken.map(|(i, _)| i);
        let n_free = heap.limit.saturating_sub(heap.in_use);
        let (to, others) = Apart::new(heap.bytes_mut(), place);
        let mut scalar = [0_u64];
        let to = match &self.result {
            Made::Scalar(n_bytes) => &mut bytemuck::bytes_of_mut(&mut scalar)[..*n_bytes],
            Made::Tensor(_) => to,
        };
        let done = {
            let mut sources = Each::default();
            let sources: &mut [Source] = sources.list(expected.len());
            for (i, (source, expected)) in sources.iter_mut().zip(expected).enumerate() {
                *source = match expected {
                    Expected::Scalar(n_bytes) => bytemuck::bytes_of(operands.scalar(i)).get(..*n_bytes),
                    Expected::Tensor(..) if taken == Some(i) => None,
                    Expected::Tensor(block, _) => Some(others.get(block.place(operands.word(i) as u32))),
                };
            }
            match &mut self.weights {
                Some(weights) => weights.run(&self.plan, sources, to, scratch, (n_kept, n_free)),
                None => self.plan.run(sources, to, scratch),
            }
        };
        for (i, expected) in expected.iter().enumerate() {
            if let Expected::Tensor(block, _) = expected
                && taken != Some(i)
            {
                heap.release_leaf(operands.word(i) as u32, block.size);
            }
        }
        if let Err(fault) = done {
            return Some(Err(Fail::Kernel(fault)));
        }
        Some(Ok(match &self.result {
            Made::Scalar(_) => scalar[0],
            Made::Tensor(_) => u64::from(at),
        }))
    }
}

/// Operands, which are taken over, and where the result goes.
pub(crate) struct TensorCall {
    pub layouts: Vec<LayoutId>,
    pub words: Vec<Words>,
    pub result: LayoutId,
}

/// Calls the operator at a place in the program on whatever operands there are.
pub(crate) fn on_values(
    heap: &mut Heap,
    code: &Assembly,
    operators: &mut Operators,
    sites: &mut Sites,
    pc: u32,
    (op, attrs): (OpId, &Arc<Attrs>),
    call: &TensorCall,
) -> Result<Words, Stop> {
    let value = call.compute(heap, code, (Some(op), None), |args| {
        if op.row().looks_at_values(attrs) {
            return Ok(operators.run(op, args, attrs)?);
        }
        let shapes = shapes(args);
        let results = match sites.known.get(&pc) {
            Some((before, results)) if *before == shapes => results.clone(),
            Some(_) | None => {
                let results = operators.result_types(op, args, attrs)?;
                sites.known.insert(pc, (shapes, results.clone()));
                results
            }
        };
        Ok(operators.run_with(op, args, attrs, &results)?)
    });
    call.finish(heap, code, &value?)
}

/// Fused operators, one after the other.
pub(crate) fn steps_on_values(
    heap: &mut Heap,
    code: &Assembly,
    operators: &mut Operators,
    steps: &[Step],
    call: &TensorCall,
) -> Result<Words, Stop> {
    let value = call.compute(heap, code, (None, None), |args| run_steps(operators, steps, args));
    call.finish(heap, code, &value?)
}

fn run_steps(operators: &mut Operators, steps: &[Step], args: &[Value]) -> Result<Value, Stop> {
    let mut results: Vec<Value> = Vec::with_capacity(steps.len());
    for step in steps {
        let operands = step.inputs.iter().filter_map(|input| input.of(args, &results).cloned());
        let operands: Vec<Value> = operands.list();
        results.push(operators.run(step.op, &operands, &step.attrs).map_err(|fault| Stop::at((step.span, fault)))?);
    }
    results.pop().ok_or(Stop::Fault(RunFault::Broken))
}

impl TensorCall {
    /// What the operands come to as values. The memory that this works in is counted as used meanwhile.
    fn compute(
        &self,
        heap: &mut Heap,
        code: &Assembly,
        (op, results): (Option<OpId>, Option<&[ResultType]>),
        work: impl FnOnce(&[Value]) -> Result<Value, Stop>,
    ) -> Result<Value, Stop> {
        let n_results: u64 = results.unwrap_or(&[]).iter().map(ResultType::n_elements).total();
        let bytes = bytes_on_values(op, self.n_elements(heap, code).saturating_add(n_results));
        if !heap.charge(bytes) {
            return Err(Stop::NoRoom(bytes));
        }
        let value = work(&self.args(heap, code));
        // Of a result whose size only the values decide it is known by now.
        if let (None, Ok(value)) = (results, &value) {
            heap.has_room(bytes_on_values(op, n_elements(value)));
        }
        heap.in_use -= bytes;
        value
    }

    /// How many elements the tensors in the operands have.
    fn n_elements(&self, heap: &Heap, code: &Assembly) -> u64 {
        let layouts = &code.program.layouts;
        let (mut found, mut n) = (Vec::new(), 0);
        for (&layout, words) in self.layouts.iter().zip(&self.words) {
            code.kinds.pointers(layouts, layout, words, &mut found);
        }
        while let Some((_, at)) = found.pop() {
            match code.kinds.kind_at(heap, at) {
                BlockKind::Tensor(dtype) => n += ResultType { shape: shape_at(heap, at), dtype }.n_elements(),
                BlockKind::Free | BlockKind::Token | BlockKind::Box(_) | BlockKind::Ref(_) | BlockKind::Closure(_) => {
                    code.kinds.pointers_at(layouts, heap, at, &mut found);
                }
            }
        }
        n
    }

    fn args(&self, heap: &mut Heap, code: &Assembly) -> Vec<Value> {
        let blocks = Blocks::new(heap, &code.kinds);
        let operands = self.layouts.iter().zip(&self.words);
        operands.map(|(&layout, words)| decode(&code.program.layouts, &blocks, layout, words)).list()
    }

    /// Lets go of the operands, and puts the result in the heap.
    fn finish(&self, heap: &mut Heap, code: &Assembly, value: &Value) -> Result<Words, Stop> {
        for (&layout, words) in self.layouts.iter().zip(&self.words) {
            heap.release_value(code, layout, words);
        }
        if heap.is_wasteful(u32::try_from(n_elements(value).saturating_mul(8)).unwrap_or(u32::MAX)) {
            join(heap, code);
        }
        // It is made as a whole: nobody can be asked to join between its parts.
        heap.settle();
        let mut blocks = Blocks::new(heap, &code.kinds);
        let words = encode(&code.program.layouts, &mut blocks, self.result, value);
        if blocks.has_failed.get() {
            return Err(Stop::Fault(RunFault::OutOfMemory { limit: heap.limit }));
        }
        words.map_err(|_| Stop::Fault(RunFault::Broken))
    }
}

/// How many elements the tensors of a result have.
fn n_elements(value: &Value) -> u64 {
    match value {
        Value::Tensor(tensor) => tensor.elements.len() as u64,
        Value::Tuple(fields) => fields.iter().map(n_elements).total(),
        Value::Scalar(..) | Value::Data(..) | Value::Variant(..) | Value::Func(..) | Value::Ref(_) => 0,
    }
}

/// The ranks and sizes of tensors and of those in tuples.
fn shapes(args: &[Value]) -> Vec<usize> {
    let mut shapes = Vec::new();
    let mut one = |value: &Value| match value {
        Value::Tensor(tensor) => {
            shapes.push(tensor.shape.len());
            shapes.extend_from_slice(&tensor.shape);
        }
        Value::Scalar(..)
        | Value::Tuple(_)
        | Value::Data(..)
        | Value::Variant(..)
        | Value::Func(..)
        | Value::Ref(_) => shapes.push(0),
    };
    for arg in args {
        match arg {
            Value::Tuple(fields) => fields.iter().for_each(&mut one),
            Value::Scalar(..)
            | Value::Tensor(_)
            | Value::Data(..)
            | Value::Variant(..)
            | Value::Func(..)
            | Value::Ref(_) => one(arg),
        }
    }
    shapes
}

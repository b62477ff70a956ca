//! Operators on tensors.
//!
//! Where an operator stands, the machine remembers the types of the operands that came there last, and what it found out
//! about them: the result's type and the [`Plan`] of the call. As long as operands of the same types come, a call costs
//! a comparison of headers, a block (or none, where an operand has no other owner and the plan takes it), and the
//! arithmetic. What has no plan, and operands in tuples, are read out of the heap and computed on values.

use crate::code::{Assembly, Reg};
use crate::fault::Stop;
use crate::heap::{HEADER, Heap};
use crate::kind::{BlockKind, shape_at, shape_size, tensor_size};
use crate::many::{self, Many};
use crate::value::{Blocks, data_offset};
use base::HashMap;
use kernel::elementwise::Source as From;
use layout::{Kind, LayoutId, Words, decode, encode};
use op::{AttrForm, CallFault, Elementwise, MAX_OPERANDS, OpId, Operators, Plan, ResultType, Scratch, Step};
use smallvec::{SmallVec, smallvec};
use std::ops::Range;
use std::sync::Arc;
use ty::{Attrs, Dtype, RunFault, Value};

/// What is remembered of operators, by place in the program, and memory for their bodies.
#[derive(Default)]
pub(crate) struct Sites {
    /// By number of the operator in [`Assembly::operators`].
    planned: Vec<Option<Box<Site>>>,
    /// By instruction, of others: the shapes of the operands that were there last, and the types of their results.
    known: HashMap<u32, (Vec<usize>, Vec<ResultType>)>,
    /// By instruction, of those whose operands or results are tuples and have plans.
    many: HashMap<u32, Option<Many>>,
    scratch: Scratch,
}

/// Operators whose operands and result are scalars and tensors, and not all of them scalars.
#[derive(Clone, Debug)]
pub struct Place {
    pub call: Called,
    /// The layouts of the operands and of the result.
    pub operands: Vec<LayoutId>,
    pub result: LayoutId,
}

#[derive(Clone, Debug)]
pub enum Called {
    One(OpId, Arc<Attrs>),
    Fused(Vec<Step>),
}

/// What was found out about operands of some types.
struct Site {
    operands: SmallVec<[Expected; 3]>,
    way: Way,
}

enum Way {
    Quick(Quick),
    Planned(Box<Planned>),
    /// On values; the types of the results, if they do not depend on values.
    Values(Option<Vec<ResultType>>),
}

enum Expected {
    /// A scalar, of so many bytes. Its dtype is in the program.
    Scalar(usize),
    Tensor {
        /// The kind of its block, rank and sizes.
        kind: u32,
        shape: SmallVec<[u64; 3]>,
        /// Of the block, and where the elements are in it, in bytes.
        size: u32,
        data: Range<u32>,
        /// Whether the result may be where it is.
        is_taken: bool,
    },
}

struct Planned {
    plan: Plan,
    result: Made,
}

enum Made {
    /// Of so many bytes.
    Scalar(usize),
    Tensor {
        size: u32,
        kind: u32,
        shape: SmallVec<[u64; 3]>,
        data: Range<u32>,
    },
}

/// The words of an instruction's operands, where they are: in the registers of its frame.
#[derive(Clone, Copy)]
pub(crate) struct Operands<'a> {
    pub registers: &'a [u64],
    pub args: &'a [Reg],
}

impl<'a> Operands<'a> {
    fn iter(self) -> impl Iterator<Item = u64> + 'a {
        self.args.iter().map(move |&arg| self.registers[usize::from(arg)])
    }
}

/// Calls the operator with this number on words, which it takes over. Nothing has changed where there is no memory.
pub(crate) fn call(
    heap: &mut Heap,
    code: &Assembly,
    operators: &mut Operators,
    sites: &mut Sites,
    number: u32,
    operands: Operands,
) -> Result<u64, Stop> {
    if let Some(Some(site)) = sites.planned.get(number as usize) {
        let done = match &site.way {
            Way::Quick(quick) => quick.run(heap, operands),
            Way::Planned(planned) if site.is_for(heap, operands) => {
                Some(planned.run(heap, &mut sites.scratch, &site.operands, operands))
            }
            Way::Planned(_) | Way::Values(_) => None,
        };
        match done {
            Some(Ok(word)) => return Ok(word),
            Some(Err(fail)) => return Err(fail.stop(code, number)),
            None => {}
        }
    }
    find_and_call(heap, code, operators, sites, number, operands)
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
    let site = match &mut sites.planned[number as usize] {
        Some(site) if matches!(site.way, Way::Values(_)) && site.is_for(heap, operands) => site,
        site => site.insert(Box::new(find(heap, code, operators, place, operands)?)),
    };
    let done = match &site.way {
        Way::Quick(quick) => quick.run(heap, operands).ok_or(broken)?,
        Way::Planned(planned) => planned.run(heap, &mut sites.scratch, &site.operands, operands),
        Way::Values(results) => {
            let words = operands.iter().map(|word| smallvec![word]).collect();
            let call = TensorCall { layouts: place.operands.clone(), words, result: place.result };
            let args = call.args(heap, code);
            let value = match (&place.call, results) {
                (Called::One(op, attrs), Some(results)) => operators.run_with(*op, &args, attrs, results)?,
                (Called::One(op, attrs), None) => operators.run(*op, &args, attrs)?,
                (Called::Fused(steps), _) => run_steps(operators, steps, &args)?,
            };
            return call.finish(heap, code, &value)?.first().copied().ok_or(broken);
        }
    };
    done.map_err(|fail| fail.stop(code, number))
}

impl Site {
    /// Whether these are operands of the types that it knows.
    fn is_for(&self, heap: &Heap, operands: Operands) -> bool {
        self.operands.iter().zip(operands.iter()).all(|(expected, word)| match expected {
            Expected::Scalar(_) => true,
            Expected::Tensor { kind, shape, .. } => has_type(heap, word as u32, *kind, shape),
        })
    }
}

/// Whether a tensor is of this kind, and of this rank and these sizes.
#[inline]
fn has_type(heap: &Heap, at: u32, kind: u32, shape: &[u64]) -> bool {
    heap.kind(at) == kind && (0_u32..).zip(shape).all(|(i, &word)| heap.aligned(at + HEADER + i * 8) == word)
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
    let types = place.operands.iter().zip(operands.iter()).map(|(&layout, word)| match layouts[layout].kind {
        Kind::Scalar(dtype) => Some(ResultType { shape: Vec::new(), dtype }),
        _ => match code.kinds.kind_at(heap, word as u32) {
            BlockKind::Tensor(dtype) => Some(ResultType { shape: shape_at(heap, word as u32), dtype }),
            BlockKind::Free | BlockKind::Token | BlockKind::Box(_) | BlockKind::Ref(_) | BlockKind::Closure(_) => None,
        },
    });
    let types: Vec<ResultType> = types.collect::<Option<_>>().ok_or(Stop::Fault(RunFault::Broken))?;
    let found = match &place.call {
        Called::One(op, attrs) => operators.plan(*op, attrs, &types)?,
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
            _ => Some(Made::Tensor {
                size: tensor_size(result.dtype, &result.shape)?,
                kind: code.kinds.number(BlockKind::Tensor(result.dtype)),
                shape: shape_words(&result.shape),
                data: data(result.dtype, &result.shape)?,
            }),
        });
    let is_tensor = |&layout: &LayoutId| !matches!(layouts[layout].kind, Kind::Scalar(_));
    let expected = place.operands.iter().zip(&types).enumerate().map(|(i, (layout, of))| match is_tensor(layout) {
        false => Some(Expected::Scalar(of.dtype.n_bytes())),
        true => {
            let (data, size) = (data(of.dtype, &of.shape)?, tensor_size(of.dtype, &of.shape)?);
            // The elements are in the same place of a block of the same size.
            let fits = matches!(&result, Some(Made::Tensor { size: of, data: to, .. }) if data == *to && size == *of);
            let is_taken = fits && plan.as_ref().is_some_and(|plan| plan.takes(i));
            let kind = code.kinds.number(BlockKind::Tensor(of.dtype));
            Some(Expected::Tensor { kind, shape: shape_words(&of.shape), size, data, is_taken })
        }
    });
    let operands: SmallVec<[Expected; 3]> = expected.collect::<Option<_>>().ok_or(Stop::Fault(RunFault::Broken))?;
    let way = match plan.zip(result) {
        Some((plan, result)) => match Quick::new(&plan, &operands, &result) {
            Some(quick) => Way::Quick(quick),
            None => Way::Planned(Box::new(Planned { plan, result })),
        },
        None => Way::Values(results),
    };
    Ok(Site { operands, way })
}

/// Where the elements are in a tensor's block.
fn data(dtype: Dtype, shape: &[usize]) -> Option<Range<u32>> {
    tensor_size(dtype, shape)?;
    let from = data_offset(shape.len());
    Some(from..from + shape.iter().product::<usize>() as u32 * dtype.n_bytes() as u32)
}

/// Rank and sizes as a block has them.
fn shape_words(shape: &[usize]) -> SmallVec<[u64; 3]> {
    let mut words: SmallVec<[u64; 3]> = smallvec![0; shape_size(shape.len()) as usize / 8];
    for (i, &size) in std::iter::once(&shape.len()).chain(shape).enumerate() {
        words[i / 2] |= (size as u64) << (i % 2 * 32);
    }
    words
}

/// Why a plan was not carried out.
enum Fail {
    /// So many bytes are missing. Nothing has changed.
    Memory(u64),
    Kernel(op::Fault),
}

impl Fail {
    #[cold]
    fn stop(self, code: &Assembly, number: u32) -> Stop {
        match (self, code.operators.get(number as usize).map(|place| &place.call)) {
            (Fail::Memory(bytes), _) => Stop::NoMemory(bytes),
            (Fail::Kernel(fault), Some(Called::One(op, _))) => CallFault::of(op.row(), fault).into(),
            // Steps on float32 have a value for each number.
            (Fail::Kernel(_), Some(Called::Fused(_)) | None) => Stop::Fault(RunFault::Broken),
        }
    }
}

/// An elementwise operator on float32 whose tensors are all of the result's shape, so that their blocks differ in nothing
/// but their elements. For small tensors this is most of what there is to do.
struct Quick {
    op: Elementwise,
    /// Which operands are tensors; the others are scalars. Of one operand the second is a scalar.
    is_tensor: [bool; 2],
    /// Of all blocks: their size, kind, sizes, and where their elements are.
    size: u32,
    kind: u32,
    shape: SmallVec<[u64; 3]>,
    data: Range<u32>,
}

impl Quick {
    fn new(plan: &Plan, operands: &[Expected], result: &Made) -> Option<Quick> {
        let (op, Made::Tensor { size, kind, shape, data }) = (plan.elementwise()?, result) else { return None };
        let mut is_tensor = [false; 2];
        for (operand, is_tensor) in operands.iter().zip(&mut is_tensor) {
            if let Expected::Tensor { kind: its, shape: sizes, .. } = operand {
                if its != kind || sizes != shape {
                    return None;
                }
                *is_tensor = true;
            }
        }
        Some(Quick { op, is_tensor, size: *size, kind: *kind, shape: shape.clone(), data: data.clone() })
    }

    /// `None`, and nothing has changed: the operands are of other types.
    fn run(&self, heap: &mut Heap, operands: Operands) -> Option<Result<u64, Fail>> {
        let mut words = [0; 2];
        for (to, word) in words.iter_mut().zip(operands.iter()) {
            *to = word;
        }
        let mut taken = None;
        for (&word, is_tensor) in words.iter().zip(self.is_tensor) {
            if is_tensor {
                if !has_type(heap, word as u32, self.kind, &self.shape) {
                    return None;
                }
                if heap.count(word as u32) == 1 {
                    taken = Some(word as u32);
                }
            }
        }
        let at = match taken {
            Some(at) => at,
            None => match heap.take_tensor(self.size, self.kind, &self.shape) {
                Some(at) => at,
                None => return Some(Err(Fail::Memory(self.size.into()))),
            },
        };
        let place = at + self.data.start..at + self.data.end;
        let (before, to, after) = heap.around(place.clone());
        let scalars = words.map(|word| [f32::from_bits(word as u32)]);
        let source = |i: usize| {
            let scalar: &[f32] = &scalars[i];
            match self.is_tensor[i] {
                false => From::Other(scalar),
                true if words[i] as u32 == at => From::Result,
                true => From::Other(bytemuck::cast_slice(part(before, after, &place, words[i] as u32, &self.data))),
            }
        };
        self.op.run(source(0), source(1), bytemuck::cast_slice_mut(to));
        for (&word, is_tensor) in words.iter().zip(self.is_tensor) {
            if is_tensor && word as u32 != at {
                heap.release_leaf(word as u32, self.size);
            }
        }
        Some(Ok(u64::from(at)))
    }
}

/// The elements of the block at `at`, which are before or after `place`.
#[inline]
pub(crate) fn part<'a>(before: &'a [u8], after: &'a [u8], place: &Range<u32>, at: u32, data: &Range<u32>) -> &'a [u8] {
    let from = at.wrapping_add(data.start);
    let (part, from) = match from.checked_sub(place.end) {
        Some(from) => (after, from as usize),
        None => (before, from as usize),
    };
    part.get(from..from + data.len()).unwrap_or(&[])
}

impl Planned {
    fn run(
        &self,
        heap: &mut Heap,
        scratch: &mut Scratch,
        expected: &[Expected],
        operands: Operands,
    ) -> Result<u64, Fail> {
        let (mut words, mut sources) = ([0_u64; MAX_OPERANDS], [None; MAX_OPERANDS]);
        words.iter_mut().zip(operands.iter()).for_each(|(to, word)| *to = word);
        let taken = expected.iter().zip(words).position(|(expected, word)| {
            matches!(expected, Expected::Tensor { is_taken: true, .. }) && heap.count(word as u32) == 1
        });
        let (at, place) = match &self.result {
            Made::Scalar(_) => (0, 0..0),
            Made::Tensor { size, kind, shape, data } => {
                let at = match taken {
                    Some(taken) => {
                        let at = words[taken] as u32;
                        heap.set_tensor(at, *kind, shape);
                        at
                    }
                    None => heap.take_tensor(*size, *kind, shape).ok_or(Fail::Memory(u64::from(*size)))?,
                };
                (at, at + data.start..at + data.end)
            }
        };
        let (before, to, after) = heap.around(place.clone());
        for (i, ((expected, word), source)) in expected.iter().zip(&words).zip(&mut sources).enumerate() {
            *source = match expected {
                Expected::Scalar(n_bytes) => bytemuck::bytes_of(word).get(..*n_bytes),
                Expected::Tensor { .. } if taken == Some(i) => None,
                Expected::Tensor { data, .. } => Some(part(before, after, &place, *word as u32, data)),
            };
        }
        let mut scalar = [0_u64];
        let to = match &self.result {
            Made::Scalar(n_bytes) => &mut bytemuck::bytes_of_mut(&mut scalar)[..*n_bytes],
            Made::Tensor { .. } => to,
        };
        let done = self.plan.run(&sources[..expected.len()], to, scratch);
        for (i, (expected, &word)) in expected.iter().zip(&words).enumerate() {
            if let Expected::Tensor { size, .. } = expected
                && taken != Some(i)
            {
                heap.release_leaf(word as u32, *size);
            }
        }
        match (done, &self.result) {
            (Ok(()), Made::Scalar(_)) => Ok(scalar[0]),
            (Ok(()), Made::Tensor { .. }) => Ok(u64::from(at)),
            (Err(fault), _) => Err(Fail::Kernel(fault)),
        }
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
    let found = sites.many.entry(pc).or_default();
    if let Some(words) = many::call(heap, code, operators, (found, &mut sites.scratch), (op, attrs), call)? {
        return Ok(words);
    }
    let args = call.args(heap, code);
    let value = if op.row().attrs.iter().any(|spec| matches!(spec.form, AttrForm::Argument(_))) {
        operators.run(op, &args, attrs)?
    } else {
        let shapes = shapes(&args);
        let results = match sites.known.get(&pc) {
            Some((before, results)) if *before == shapes => results.clone(),
            Some(_) | None => {
                let results = operators.result_types(op, &args, attrs)?;
                sites.known.insert(pc, (shapes, results.clone()));
                results
            }
        };
        operators.run_with(op, &args, attrs, &results)?
    };
    call.finish(heap, code, &value)
}

/// Fused operators, one after the other.
pub(crate) fn steps_on_values(
    heap: &mut Heap,
    code: &Assembly,
    operators: &mut Operators,
    steps: &[Step],
    call: &TensorCall,
) -> Result<Words, Stop> {
    let value = run_steps(operators, steps, &call.args(heap, code))?;
    call.finish(heap, code, &value)
}

fn run_steps(operators: &mut Operators, steps: &[Step], args: &[Value]) -> Result<Value, Stop> {
    let mut results: Vec<Value> = Vec::with_capacity(steps.len());
    for step in steps {
        let operands = step.inputs.iter().filter_map(|input| input.of(args, &results).cloned());
        let operands: Vec<Value> = operands.collect();
        results.push(operators.run(step.op, &operands, &step.attrs).map_err(|fault| Stop::at((step.span, fault)))?);
    }
    results.pop().ok_or(Stop::Fault(RunFault::Broken))
}

impl TensorCall {
    fn args(&self, heap: &mut Heap, code: &Assembly) -> Vec<Value> {
        let blocks = Blocks::new(heap, &code.kinds);
        let operands = self.layouts.iter().zip(&self.words);
        operands.map(|(&layout, words)| decode(&code.program.layouts, &blocks, layout, words)).collect()
    }

    /// Lets go of the operands, and puts the result in the heap.
    fn finish(&self, heap: &mut Heap, code: &Assembly, value: &Value) -> Result<Words, Stop> {
        for (&layout, words) in self.layouts.iter().zip(&self.words) {
            heap.release_value(code, layout, words);
        }
        let mut blocks = Blocks::new(heap, &code.kinds);
        let words = encode(&code.program.layouts, &mut blocks, self.result, value);
        if blocks.has_failed {
            return Err(Stop::Fault(RunFault::OutOfMemory { limit: heap.limit }));
        }
        words.map_err(|_| Stop::Fault(RunFault::Broken))
    }
}

/// The ranks and sizes of tensors and of those in tuples.
fn shapes(args: &[Value]) -> Vec<usize> {
    let mut shapes = Vec::new();
    let mut one = |value: &Value| match value {
        Value::Tensor(tensor) => {
            shapes.push(tensor.shape.len());
            shapes.extend(&tensor.shape);
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

//! Operators on tensors.
//!
//! Where an operator stands, the machine remembers the types of the operands that came there last, and what it found out
//! about them: the result's type and the [`Plan`] of the call. As long as operands of the same types come, a call costs
//! a comparison of headers, a block (or none, where an operand has no other owner and the plan takes it), and the
//! arithmetic. What has no plan, and operands in tuples, are read out of the heap and computed on values.

use crate::code::Assembly;
use crate::fault::Stop;
use crate::heap::{HEADER, Heap};
use crate::kind::{BlockKind, shape_at, shape_size, tensor_size};
use crate::many::{self, Many};
use crate::value::{Blocks, data_offset};
use layout::{Kind, LayoutId, Words, decode, encode};
use op::{AttrForm, CallFault, OpId, Operators, Plan, ResultType, Scratch, Step};
use rustc_hash::FxHashMap;
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
    known: FxHashMap<u32, (Vec<usize>, Vec<ResultType>)>,
    /// By instruction, of those whose operands or results are tuples and have plans.
    many: FxHashMap<u32, Option<Many>>,
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
        /// Where the elements are in the block, in bytes.
        data: Range<u32>,
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

/// Calls the operator with this number on words, which it takes over. Nothing has changed where there is no memory.
pub(crate) fn call(
    heap: &mut Heap,
    code: &Assembly,
    operators: &mut Operators,
    sites: &mut Sites,
    number: u32,
    operands: &[u64],
) -> Result<u64, Stop> {
    let broken = Stop::Fault(RunFault::Broken);
    let place = code.operators.get(number as usize).ok_or(broken.clone())?;
    if sites.planned.len() <= number as usize {
        sites.planned.resize_with(code.operators.len(), || None);
    }
    let site = match &mut sites.planned[number as usize] {
        Some(site) if site.is_for(heap, operands) => site,
        site => site.insert(Box::new(find(heap, code, operators, place, operands)?)),
    };
    match &site.way {
        Way::Planned(planned) => {
            planned.run(heap, code, &mut sites.scratch, &site.operands, operands).map_err(|stop| match stop {
                Fail::Memory(bytes) => Stop::NoMemory(bytes),
                Fail::Kernel(fault) => match &place.call {
                    Called::One(op, _) => CallFault::of(op.row(), fault).into(),
                    // Steps on float32 have a value for each number.
                    Called::Fused(_) => broken,
                },
            })
        }
        Way::Values(results) => {
            let words = operands.iter().map(|&word| smallvec![word]).collect();
            let call = TensorCall { layouts: place.operands.clone(), words, result: place.result };
            let args = call.args(heap, code);
            let value = match (&place.call, results) {
                (Called::One(op, attrs), Some(results)) => operators.run_with(*op, &args, attrs, results)?,
                (Called::One(op, attrs), None) => operators.run(*op, &args, attrs)?,
                (Called::Fused(steps), _) => run_steps(operators, steps, &args)?,
            };
            call.finish(heap, code, &value)?.first().copied().ok_or(broken)
        }
    }
}

impl Site {
    /// Whether these are operands of the types that it knows.
    fn is_for(&self, heap: &Heap, operands: &[u64]) -> bool {
        self.operands.len() == operands.len()
            && self.operands.iter().zip(operands).all(|(expected, &word)| match expected {
                Expected::Scalar(_) => true,
                Expected::Tensor { kind, shape, .. } => {
                    let at = word as u32;
                    heap.kind(at) == *kind
                        && (0_u32..).zip(shape).all(|(i, &word)| heap.word(at + HEADER + i * 8) == word)
                }
            })
    }
}

/// Finds out what there is to know about operands of these types.
fn find(
    heap: &Heap,
    code: &Assembly,
    operators: &mut Operators,
    place: &Place,
    operands: &[u64],
) -> Result<Site, Stop> {
    let layouts = &code.program.layouts;
    let types = place.operands.iter().zip(operands).map(|(&layout, &word)| match layouts[layout].kind {
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
            let data = data(of.dtype, &of.shape)?;
            // The elements are in the same place of a block of the same size.
            let fits = matches!(&result, Some(Made::Tensor { size, data: to, .. })
                if data == *to && tensor_size(of.dtype, &of.shape) == Some(*size));
            let is_taken = fits && plan.as_ref().is_some_and(|plan| plan.takes(i));
            let kind = code.kinds.number(BlockKind::Tensor(of.dtype));
            Some(Expected::Tensor { kind, shape: shape_words(&of.shape), data, is_taken })
        }
    });
    let operands = expected.collect::<Option<_>>().ok_or(Stop::Fault(RunFault::Broken))?;
    let way = match plan.zip(result) {
        Some((plan, result)) => Way::Planned(Box::new(Planned { plan, result })),
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

impl Planned {
    fn run(
        &self,
        heap: &mut Heap,
        code: &Assembly,
        scratch: &mut Scratch,
        expected: &[Expected],
        operands: &[u64],
    ) -> Result<u64, Fail> {
        let mut ranges: SmallVec<[Range<usize>; 4]> = SmallVec::new();
        let mut taken = None;
        for (expected, &word) in expected.iter().zip(operands) {
            ranges.push(match expected {
                Expected::Scalar(_) => 0..0,
                Expected::Tensor { data, is_taken, .. } => {
                    if *is_taken && taken.is_none() && heap.count(word as u32) == 1 {
                        taken = Some(word as u32);
                    }
                    word as usize + data.start as usize..word as usize + data.end as usize
                }
            });
        }
        let mut scalar = [0_u64];
        let (word, done) = match &self.result {
            &Made::Scalar(n_bytes) => {
                let (_, mut sources) = heap.operands(0..0, &ranges);
                scalars(expected, operands, &mut sources);
                let to = &mut bytemuck::bytes_of_mut(&mut scalar)[..n_bytes];
                (0, self.plan.run(&sources, to, scratch))
            }
            Made::Tensor { size, kind, shape, data } => {
                let at = match taken {
                    Some(at) => at,
                    None => {
                        let at = heap.take(*size, *kind).ok_or(Fail::Memory(u64::from(*size)))?;
                        // What pads the elements is zero.
                        heap.set_word(at + size - 8, 0);
                        at
                    }
                };
                heap.set_header(at, 1, *kind);
                (0_u32..).zip(shape).for_each(|(i, &word)| heap.set_word(at + HEADER + i * 8, word));
                let to = at as usize + data.start as usize..at as usize + data.end as usize;
                let (to, mut sources) = heap.operands(to, &ranges);
                scalars(expected, operands, &mut sources);
                let done = self.plan.run(&sources, to, scratch);
                (u64::from(at), done)
            }
        };
        for (expected, &operand) in expected.iter().zip(operands) {
            if matches!(expected, Expected::Tensor { .. }) && taken.take_if(|taken| *taken == operand as u32).is_none()
            {
                heap.release(code, operand as u32);
            }
        }
        match done {
            Ok(()) if matches!(self.result, Made::Scalar(_)) => Ok(scalar[0]),
            Ok(()) => Ok(word),
            Err(fault) => Err(Fail::Kernel(fault)),
        }
    }
}

/// Scalars are read where the registers are.
fn scalars<'a>(expected: &[Expected], operands: &'a [u64], sources: &mut [Option<&'a [u8]>]) {
    for ((expected, word), source) in expected.iter().zip(operands).zip(sources) {
        if let Expected::Scalar(n_bytes) = expected {
            *source = Some(&bytemuck::bytes_of(word)[..*n_bytes]);
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

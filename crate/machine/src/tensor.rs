//! Operators on tensors.
//!
//! Elementwise ones on operands of one shape, or a tensor and a scalar, go over the bytes, in place if an operand has no
//! other owner. All others read their operands out of the heap, go through [`op::Operators`], and write the results
//! where the operands were if there is room for them.

use crate::code::Assembly;
use crate::fault::Stop;
use crate::heap::Heap;
use crate::kind::{BlockKind, shape_at, tensor_size, width};
use crate::scalar::{bits_of_f32, by_kernel, elementwise};
use crate::value::{Blocks, data_offset, element, take_tensor};
use layout::{Kind, LayoutId, Words, decode, encode};
use op::{AttrForm, Kernel, OpId, Operators, ResultType};
use rustc_hash::FxHashMap;
use smallvec::smallvec;
use std::sync::Arc;
use ty::{Attrs, Dtype, RunFault, Value};

/// By place in the program: the shapes of the operands that were there last, and the types of their results.
pub(crate) type KnownShapes = FxHashMap<u32, (Vec<usize>, Vec<ResultType>)>;

/// An operand of an elementwise operator.
#[derive(Clone, Copy)]
enum Operand {
    Scalar(u64),
    /// The address of a tensor.
    Tensor(u32),
}

/// An operator and its operands, which it takes over.
pub(crate) struct OperatorCall<'a> {
    /// Where it stands.
    pub pc: u32,
    pub op: OpId,
    pub attrs: &'a Arc<Attrs>,
    pub layouts: &'a [LayoutId],
    pub words: &'a [Words],
    pub result: LayoutId,
}

pub(crate) fn operator(
    heap: &mut Heap,
    code: &Assembly,
    operators: &mut Operators,
    known: &mut KnownShapes,
    call: &OperatorCall,
) -> Result<Words, Stop> {
    let &OperatorCall { pc, op, attrs, layouts, words, result } = call;
    if let Some(at) = in_place(heap, code, call)? {
        return Ok(smallvec![at.into()]);
    }
    let table = &code.program.layouts;
    let args: Vec<Value> = {
        let blocks = Blocks::new(heap, &code.kinds);
        layouts.iter().zip(words).map(|(&layout, words)| decode(table, &blocks, layout, words)).collect()
    };
    let value = if op.row().attrs.iter().any(|spec| matches!(spec.form, AttrForm::Argument(_))) {
        operators.run(op, &args, attrs)?
    } else {
        let shapes = shapes(&args);
        let results = match known.get(&pc) {
            Some((before, results)) if *before == shapes => results.clone(),
            Some(_) | None => {
                let results = operators.result_types(op, &args, attrs)?;
                known.insert(pc, (shapes, results.clone()));
                results
            }
        };
        operators.run_with(op, &args, attrs, &results)?
    };
    drop(args);
    for (&layout, words) in layouts.iter().zip(words) {
        heap.release_value(code, layout, words);
    }
    let mut blocks = Blocks::new(heap, &code.kinds);
    let words = encode(table, &mut blocks, result, &value);
    if blocks.has_failed {
        return Err(Stop::Fault(RunFault::OutOfMemory { limit: heap.limit }));
    }
    words.map_err(|_| Stop::Fault(RunFault::Broken))
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

/// The address of the result, if the operator is an elementwise one on operands of one shape. Nothing has changed
/// where it is not.
fn in_place(heap: &mut Heap, code: &Assembly, call: &OperatorCall) -> Result<Option<u32>, Stop> {
    let &OperatorCall { op, layouts, words, result, .. } = call;
    let kernel = &op.row().kernel;
    let mut operands: Vec<Operand> = Vec::new();
    let (mut of, mut shape): (Option<Dtype>, Option<Vec<usize>>) = (None, None);
    for (&layout, words) in layouts.iter().zip(words) {
        let word = words.first().copied().unwrap_or(0);
        let dtype = match code.program.layouts[layout].kind {
            Kind::Scalar(dtype) => {
                operands.push(Operand::Scalar(word));
                dtype
            }
            Kind::Tensor => {
                let BlockKind::Tensor(dtype) = code.kinds.kind_at(heap, word as u32) else { return Ok(None) };
                let found = shape_at(heap, word as u32);
                if shape.as_ref().is_some_and(|shape| *shape != found) {
                    return Ok(None);
                }
                shape = Some(found);
                operands.push(Operand::Tensor(word as u32));
                dtype
            }
            _ => return Ok(None),
        };
        if of.is_some_and(|of| of != dtype) {
            return Ok(None);
        }
        of = Some(dtype);
    }
    let (Some(dtype), Some(shape), Kind::Tensor) = (of, shape, &code.program.layouts[result].kind) else {
        return Ok(None);
    };
    let Some((to, n)) = elementwise(kernel, dtype) else { return Ok(None) };
    if usize::from(n) != operands.len() {
        return Ok(None);
    }
    let n_elements: usize = shape.iter().product();
    let is_unique = |operand: &Operand| match *operand {
        Operand::Tensor(at) if heap.count(at) == 1 && width(to) == width(dtype) => Some(at),
        Operand::Tensor(_) | Operand::Scalar(_) => None,
    };
    let reused = operands.iter().find_map(is_unique);
    let at = match reused {
        Some(at) => at,
        None => match take_tensor(heap, &code.kinds, to, &shape) {
            Some(at) => at,
            None => return Err(Stop::NoMemory(tensor_size(to, &shape).map_or(u64::MAX, u64::from))),
        },
    };
    let offset = data_offset(shape.len());
    let (size, to_size) = (width(dtype) as usize, width(to) as usize);
    let bytes = |operand: &Operand| match *operand {
        Operand::Scalar(bits) => bits.to_le_bytes()[..size].to_vec(),
        Operand::Tensor(at) => heap.slice(at + offset, n_elements * size).to_vec(),
    };
    let a = bytes(&operands[0]);
    let b = operands.get(1).map(bytes);
    let out = heap.slice_mut(at + offset, n_elements * to_size);
    let done = each(kernel, dtype, (&a, b.as_deref().unwrap_or(&a)), out);
    if reused.is_some() {
        heap.set_header(at, 1, code.kinds.number(BlockKind::Tensor(to)));
    }
    let mut kept = reused;
    for operand in operands {
        if let Operand::Tensor(at) = operand
            && kept.take_if(|kept| *kept == at).is_none()
        {
            heap.release(code, at);
        }
    }
    match done {
        Ok(()) => Ok(Some(at)),
        Err(op::Fault::DivisionByZero) => Err(Stop::Fault(RunFault::DivisionByZero)),
        Err(_) => Err(Stop::Fault(RunFault::Broken)),
    }
}

/// Computes each element of `out`. An operand of one element serves for all.
fn each(kernel: &Kernel, dtype: Dtype, (a, b): (&[u8], &[u8]), out: &mut [u8]) -> Result<(), op::Fault> {
    let size = width(dtype) as usize;
    let out_size = elementwise(kernel, dtype).map_or(size, |(to, _)| width(to) as usize);
    let (mut a_at, mut b_at) = (0, 0);
    let step = |bytes: &[u8]| if bytes.len() == size { 0 } else { size };
    let (a_step, b_step) = (step(a), step(b));
    let float = |bytes: &[u8]| f64::from(f32::from_bits(element(bytes) as u32));
    for to in out.chunks_exact_mut(out_size) {
        let (x, y) = (&a[a_at..a_at + size], &b[b_at..b_at + size]);
        let bits = match (kernel, dtype) {
            (Kernel::Map1 { float: f, .. }, Dtype::Float32) => bits_of_f32(f(float(x))),
            (Kernel::Map2 { float: f, .. }, Dtype::Float32) => bits_of_f32(f(float(x), float(y))),
            _ => by_kernel(kernel, dtype, element(x), element(y))?,
        };
        to.copy_from_slice(&bits.to_le_bytes()[..out_size]);
        a_at += a_step;
        b_at += b_step;
    }
    Ok(())
}

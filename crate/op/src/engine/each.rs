//! Elementwise operators on any dtype: by loops of [`kernel::native`], or a block at a time by those of
//! [`kernel::wide`], or element by element by the scalar meaning; all answer the same.

use super::blocks::{Blocks, format, half};
use super::single::broadcasts;
use super::values::Elementwise;
use super::{Source, count, single};
use crate::Op;
use crate::run::{Fault, Kernel, ResultType, WellTyped, bits_of, call_scalar, truncated, widen};
use kernel::elementwise::broadcast::{FEW, Walk};
use kernel::elementwise::{self as singles, Binary, Source as From, Unary};
use kernel::halves::Half;
use kernel::native::{Bits, Loop};
use kernel::wide::{self, BLOCK};
use ty::{Attrs, Dtype, scalar_bits, scalar_of};

pub struct Each {
    kernel: &'static Kernel,
    /// There may be loops for it.
    op: Option<Elementwise>,
    /// On elements as they are in memory.
    pub native: Option<Loop>,
    /// On elements of 16 bits as float32, if that comes to the same.
    half: Option<(Half, Elementwise)>,
    /// Of the operands, and of the result.
    dtypes: [Dtype; 2],
    /// One operand is there twice.
    walk: Walk<2>,
    /// Whether an operand has an element for each of the result's.
    is_whole: [bool; 2],
    n_operands: usize,
}

impl Each {
    /// `None` if the row is no elementwise operator, or the types are not what one makes.
    pub fn new(row: &'static Op, attrs: &Attrs, operands: &[ResultType], result: &ResultType) -> Option<Each> {
        let (first, last) = (operands.first()?, operands.last()?);
        let (to, n_operands) = elementwise(&row.kernel, first.dtype)?;
        let second = single::second(row.name, attrs, [&first.shape, &last.shape])?;
        let shapes = [&first.shape[..], &second];
        let is_same = last.dtype == first.dtype && shapes.iter().all(|shape| broadcasts(shape, &result.shape));
        if !is_same || to != result.dtype || usize::from(n_operands) != operands.len() {
            return None;
        }
        count(&result.shape)?;
        let one = || single::unary(row.name, attrs).map(Elementwise::Unary);
        let two = single::binary(row.name);
        let op = two.map(Elementwise::Binary).or_else(one);
        Some(Each {
            kernel: &row.kernel,
            op,
            half: half(to).zip(op.filter(is_rounded_once)),
            native: if operands.len() == 2 && to == first.dtype { native(row.name, to) } else { None },
            dtypes: [first.dtype, to],
            walk: Walk::new(shapes, &result.shape),
            is_whole: shapes.map(|shape| count(shape) == count(&result.shape)),
            n_operands: n_operands.into(),
        })
    }

    /// The loop that is all there is to do. `n_tensors` of the operands are tensors, the others scalars.
    pub fn native(&self, n_tensors: usize) -> Option<Loop> {
        self.native.filter(|_| n_tensors < 2 || self.is_whole == [true; 2])
    }

    pub fn takes(&self, operand: usize) -> bool {
        self.is_whole.get(operand) == Some(&true) && self.dtypes[0].n_bytes() == self.dtypes[1].n_bytes()
    }

    pub fn run(&self, sources: &[Source], result: &mut [u8], blocks: &mut Blocks) -> Result<(), Fault> {
        let [from, to] = self.dtypes;
        let Walk { n, run, moves, .. } = self.walk;
        if sources.len() != self.n_operands || result.len() != n * to.n_bytes() {
            return Err(Fault::ill_typed());
        }
        if let (Some(native), &[a, b], 1..) = (self.native, sources, n) {
            return self.run_native(native, [a, b], result, blocks).well_typed();
        }
        let (mut first, mut number) = (0, 0);
        while first < n {
            let offsets = if number == 0 { [0; 2] } else { self.walk.offsets(number) };
            let mut at = 0;
            while at < run {
                let length = BLOCK.min(run - at);
                for (operand, source) in sources.iter().enumerate() {
                    // What stays put along a run is there already.
                    if at > 0 && !moves[operand] {
                        continue;
                    }
                    let (start, n_read) =
                        if moves[operand] { (offsets[operand] + at, length) } else { (offsets[operand], 1) };
                    let bytes = source.unwrap_or(result).get(start * from.n_bytes()..(start + n_read) * from.n_bytes());
                    let bytes = bytes.well_typed()?;
                    match self.half {
                        Some((half, _)) => blocks.read_half(operand, half, bytes, length)?,
                        None => blocks.read(operand, from, bytes, length)?,
                    }
                }
                let to_bytes = &mut result[(first + at) * to.n_bytes()..][..length * to.n_bytes()];
                match self.half {
                    Some((half, op)) => {
                        compute_single(op, &mut blocks.singles, length);
                        blocks.write_half(half, to_bytes);
                    }
                    None => {
                        self.compute(blocks, length)?;
                        blocks.write(to, to_bytes);
                    }
                }
                at += length;
            }
            (first, number) = (first + run, number + 1);
        }
        Ok(())
    }

    fn run_native(&self, native: Loop, operands: [Source; 2], result: &mut [u8], blocks: &mut Blocks) -> Option<()> {
        let Walk { run, moves, n, .. } = self.walk;
        let width = self.dtypes[1].n_bytes();
        if run == n {
            return native.run(operands, result);
        }
        if n <= FEW {
            let mut whole = operands;
            for (at, (part, room)) in whole.iter_mut().zip(&mut blocks.ints).enumerate() {
                if let Some(bytes) = part.filter(|bytes| bytes.len() != result.len()) {
                    let room = &mut bytemuck::cast_slice_mut(room)[..result.len()];
                    self.walk.gather(at, bytes, room)?;
                    *part = Some(room);
                }
            }
            return native.run(whole, result);
        }
        for (number, to) in result.chunks_exact_mut(run * width).enumerate() {
            let offsets = self.walk.offsets(number);
            let mut parts = operands;
            for (at, part) in parts.iter_mut().enumerate() {
                if let Some(bytes) = part {
                    let length = if moves[at] { to.len() } else { width };
                    let start = offsets[at] * width;
                    *part = Some(bytes.get(start..start + length)?);
                }
            }
            native.run(parts, to)?;
        }
        Some(())
    }

    /// The first elements of the result, from those of the operands.
    fn compute(&self, blocks: &mut Blocks, n: usize) -> Result<(), Fault> {
        let [dtype, to] = self.dtypes;
        let is_unsigned = dtype == Dtype::UInt64;
        let Blocks { ints: [a, b, whole], floats: [x, y, number], .. } = blocks;
        let is_done = match (self.op, dtype.is_float()) {
            (Some(Elementwise::Unary(op)), true) => wide::unary_floats(op, x, number, n),
            (Some(Elementwise::Unary(op)), false) => wide::unary_ints(op, is_unsigned, a, whole, n),
            (Some(Elementwise::Binary(op)), true) if to == Dtype::Bool => wide::compare_floats(op, [x, y], whole, n),
            (Some(Elementwise::Binary(op)), false) => wide::binary_ints(op, is_unsigned, [a, b], whole, n),
            (Some(Elementwise::Binary(_)), true) | (None, _) => false,
        };
        if is_done {
            return Ok(());
        }
        let value = |a: i64| widen(dtype, a);
        match (*self.kernel, dtype.is_float()) {
            (Kernel::Map1 { float, .. }, true) => (0..n).for_each(|i| number[i] = float(x[i])),
            (Kernel::Map1 { int: Some(int), .. }, false) => (0..n).for_each(|i| whole[i] = int(value(a[i])) as i64),
            (Kernel::Map1 { float, int: None }, false) => {
                (0..n).for_each(|i| whole[i] = truncated(to, float(value(a[i]) as f64)));
            }
            (Kernel::Bits(_), true) => number.fill(f64::NAN),
            (Kernel::Bits(int), false) => {
                (0..n).for_each(|i| whole[i] = (int(value(a[i])) & bits_of(dtype)) as i64);
            }
            (Kernel::Map2 { float, .. }, true) => (0..n).for_each(|i| number[i] = float(x[i], y[i])),
            (Kernel::Map2 { int, .. }, false) => {
                for i in 0..n {
                    whole[i] = int(value(a[i]), value(b[i])).ok_or_else(Fault::division_by_zero)? as i64;
                }
            }
            (Kernel::Compare { float, .. }, true) => (0..n).for_each(|i| whole[i] = float(x[i], y[i]).into()),
            (Kernel::Compare { int, .. }, false) => {
                (0..n).for_each(|i| whole[i] = int(value(a[i]), value(b[i])).into());
            }
            (Kernel::Test(test), true) => (0..n).for_each(|i| whole[i] = test(x[i]).into()),
            (Kernel::Test(test), false) => whole.fill(test(0.0).into()),
            (Kernel::Missing | Kernel::Argument | Kernel::Whole(_) | Kernel::Planned(_), _) => {
                return Err(Fault::ill_typed());
            }
        }
        Ok(())
    }
}

/// Whether the result on float32 is exact, or the nearest one.
fn is_rounded_once(op: &Elementwise) -> bool {
    use Binary::{Add, Divide, Maximum, Minimum, Multiply, Subtract};
    use Unary::{Abs, Ceil, Floor, Negative, Relu, Round, Sign, Sqrt, Trunc};
    match op {
        Elementwise::Unary(op) => {
            matches!(op, Abs | Ceil | Floor | Negative | Relu | Round | Sign | Sqrt | Trunc)
        }
        Elementwise::Binary(op) => matches!(op, Add | Subtract | Multiply | Divide | Maximum | Minimum),
    }
}

/// The first elements of the result, which is the last, from those of the operands.
fn compute_single(op: Elementwise, [a, b, to]: &mut [[f32; BLOCK]; 3], n: usize) {
    let (a, b, to) = (From::Other(&a[..n]), From::Other(&b[..n]), &mut to[..n]);
    match op {
        Elementwise::Unary(op) => singles::unary(&op, a, to),
        Elementwise::Binary(op) => singles::binary(op, a, b, to),
    }
}

/// The loop for an operator whose operands are of the result's dtype.
fn native(name: &str, dtype: Dtype) -> Option<Loop> {
    let bits = match name {
        "bitwise_and" if !dtype.is_float() => Bits::And,
        "bitwise_or" if !dtype.is_float() => Bits::Or,
        "bitwise_xor" if !dtype.is_float() => Bits::Xor,
        // Of bools, all but 0 is true.
        "logical_and" | "multiply" | "minimum" if dtype == Dtype::Bool => Bits::And,
        "logical_or" | "add" | "maximum" if dtype == Dtype::Bool => Bits::Or,
        "logical_xor" | "subtract" if dtype == Dtype::Bool => Bits::Xor,
        _ => return Loop::new(single::binary(name)?, format(dtype)),
    };
    Some(Loop::of_bits(bits, format(dtype)))
}

/// The dtype of an elementwise operator's result on operands of one dtype, and how many it has.
pub fn elementwise(kernel: &Kernel, dtype: Dtype) -> Option<(Dtype, u8)> {
    match kernel {
        Kernel::Map1 { .. } | Kernel::Bits(_) => Some((dtype, 1)),
        Kernel::Map2 { .. } => Some((dtype, 2)),
        Kernel::Compare { .. } => Some((Dtype::Bool, 2)),
        Kernel::Test(_) => Some((Dtype::Bool, 1)),
        Kernel::Missing | Kernel::Argument | Kernel::Whole(_) | Kernel::Planned(_) => None,
    }
}

/// An elementwise operator on the bits of scalars of one dtype; the result's dtype is the second.
pub fn by_kernel(kernel: &Kernel, [from, to]: [Dtype; 2], a: u64, b: u64) -> Result<u64, Fault> {
    Ok(scalar_bits(to, call_scalar(kernel, from, scalar_of(from, a), scalar_of(from, b))?))
}

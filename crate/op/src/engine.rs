//! Operators on elements in memory.
//!
//! A [`Plan`] is what can be decided about a call before its elements are there: which body computes it, and with which
//! sizes, strides and attributes. It is made once for a place in the program and the types that come there, and run as
//! often as the program asks. Elements are bytes in row-major order, little-endian, a byte for a `bool`; floats are
//! where their dtype wants them (at multiples of its width). One operand may be where the result goes, if the plan
//! [`takes`](Plan::takes) it.
//!
//! float32 has bodies of its own (`single`; an `einsum` of two tensors is products there, `contraction`), in which
//! products, convolutions, pools and norms on float16 and bfloat16 are computed as well (`half`); `variance` is several
//! steps (`fused`). Elementwise operators, casts and reductions of other dtypes go by loops on elements as
//! they are where there are such (`each`, `folds`), else a block at a time (`blocks`), pools of other dtypes and layouts
//! and resizing a row at a time (`pools`, `resample`), sorting and what else goes along one axis a line at a time
//! (`lines`); what only moves elements is for bytes (`moves`, `indexed`, `overwrites`). Where there is no body here, a call is computed
//! on values by the meaning of its kernel, in which products and convolutions of integers are those of float32 where these
//! are exact (`exact`). [`crate::run`] asks here first where results may be rounded in another way, so all that run
//! programs agree to the bit.

mod blocks;
mod contraction;
mod convs;
mod each;
mod exact;
mod folds;
mod fused;
mod half;
mod indexed;
mod layers;
mod lines;
mod moves;
mod overwrites;
mod places;
mod pools;
mod resample;
mod single;
mod values;

use base::ToList;
use blocks::Blocks;
pub use blocks::{elements_at, write_elements};
pub(crate) use convs::Convolution;
pub(crate) use each::by_kernel;
pub use each::elementwise;
use exact::Products;
pub(crate) use exact::sums;
pub use fused::{Class, Input, Step};
pub(crate) use single::{Single, along};
pub use values::{Direct, Elementwise, on_scalars};
pub(crate) use values::{each_on_values, on_values, planned_on_values};

use crate::call::counted;
use crate::run::{Fault, ResultType, WellTyped};
use crate::{Kernel, Op, OpId};
use each::Each;
use folds::Folded;
use fused::Fused;
use half::Halves;
use indexed::Indexed;
use kernel::gemm::Batch;
use kernel::native::{Loop, copy_short};
use lines::Lines;
use moves::Moves;
use overwrites::Overwrites;
use places::Places;
use pools::Pool;
use resample::Resampled;
use std::sync::Arc;
use ty::Attrs;

/// Operators that run as one have at most this many operands together, so that lists of them need no memory.
pub const MAX_OPERANDS: usize = 8;

/// Elements of eight bytes: more have no plan where they are moved, so that bytes can be counted.
const MOST: usize = 1 << 28;

/// How one call is computed, for operands and a result of these types.
pub struct Plan {
    body: Body,
}

enum Body {
    Single(Single),
    Half(Halves),
    Each(Each),
    Moves(Moves),
    Folded(Folded),
    /// One that is not called as often as those above, so that a way more does not matter.
    Work(Arc<dyn Work>),
    /// Several operators.
    Fused(Fused),
    /// The same elements; the shape is another.
    Copy,
}

/// A body that is not copied with its plan, and whose code for copying and dropping is there once.
trait Work: Send + Sync {
    fn run(&self, sources: &[Source], result: &mut [u8], scratch: &mut Scratch) -> Result<(), Fault>;

    /// Whether the result may be computed where this operand is.
    fn takes(&self, _operand: usize) -> bool {
        false
    }

    /// Bytes that it works in, beside operands and result.
    fn n_working_bytes(&self) -> u64 {
        0
    }

    /// Whether there is nothing in it that could be rounded in another way than the meaning has it.
    #[cfg(test)]
    fn is_exact(&self) -> bool {
        true
    }
}

fn work(work: impl Work + 'static) -> Body {
    Body::Work(Arc::new(work))
}

/// Memory that bodies use between calls. What is in it does not matter.
#[derive(Default)]
pub struct Scratch {
    conv: kernel::conv::Scratch,
    /// Between two reductions of one operator, or around a convolution.
    between: [Vec<f32>; 2],
    /// Blocks of what is between operators that are called as one.
    registers: Vec<f32>,
    /// Elements of half the width as float32.
    halves: Vec<f32>,
    /// As [`Plan::run_with_panels`] was given them.
    right: Option<Vec<f32>>,
    blocks: Option<Box<Blocks>>,
    /// Rows of elements of any dtype.
    rows: pools::Rooms,
    lines: lines::Rooms,
    numbers: [Vec<f64>; 2],
    places: Vec<usize>,
    /// Blocks of any dtype between operators that are called as one.
    chained: Vec<u64>,
    /// What stages of such a call give the next ones.
    staged: Vec<Vec<u64>>,
}

impl Scratch {
    fn blocks(&mut self) -> &mut Blocks {
        self.blocks.get_or_insert_default()
    }
}

/// The right operand of a product that has few rows: to bring it into panels takes as long as to multiply by it, and if
/// it is the same at each call, they can be kept. Of a convolution, the weight in the order that it is read in.
pub struct Right {
    pub operand: usize,
    /// How many floats the panels take.
    pub n_floats: usize,
}

/// The elements of an operand, or `None` if they are where the result goes.
pub type Source<'a> = Option<&'a [u8]>;

impl OpId {
    /// Whether [`Operators::plan_all`](crate::Operators::plan_all) may know it: its operand or its result is a tuple.
    pub fn has_tuples(self) -> bool {
        matches!(self.row().name, "concatenate" | "einsum" | "stack" | "split" | "nn.dropout" | "topk")
            || self.first_field().is_some()
    }
}

impl Plan {
    /// `None`: this operator on these types is computed on values. A call without exactly one result has no plan.
    pub fn new(row: &'static Op, attrs: &Attrs, operands: &[ResultType], results: &[ResultType]) -> Option<Plan> {
        let [result] = results else { return None };
        let overwrites = Overwrites::new(row.name, attrs, operands, result).map(work);
        if matches!(row.kernel, Kernel::Planned(_)) && count(&result.shape) == Some(0) && overwrites.is_none() {
            return Some(Plan { body: Body::Moves(Moves::Known(Vec::new())) });
        }
        let same = match row.name {
            "reshape"
            | "squeeze"
            | "expand_dims"
            | "nn.batch_flatten"
            | "contrib_reverse_reshape"
            | "copy"
            | "cast"
            | "cast_like"
            | "reshape_like"
            | "vm.reshape_tensor" => same_elements(operands, result),
            _ => None,
        };
        let moves = || Moves::new(row.name, attrs, operands, result).map(Body::Moves);
        let rounded = || Plan::rounded(row.name, attrs, operands, result).map(|plan| plan.body);
        let folded = || Folded::new(row.name, attrs, operands, result).map(Body::Folded);
        let indexed = || Indexed::new(row.name, attrs, operands, result).map(work);
        let lines = || Lines::new(row.name, attrs, operands, result, 0).map(work);
        let products = || Products::new(row.name, attrs, operands, result).map(work);
        let resampled = || Resampled::new(row.name, attrs, operands, result).map(work);
        let each = || Each::new(row, attrs, operands, result).map(Body::Each);
        let body = same
            .or(overwrites)
            .or_else(indexed)
            .or_else(moves)
            .or_else(rounded)
            .or_else(folded)
            .or_else(lines)
            .or_else(products)
            .or_else(resampled)
            .or_else(each)?;
        Some(Plan { body })
    }

    /// One of those that may be rounded in another way than the meaning has it, so that whoever computes on values asks
    /// for it too.
    fn rounded(name: &str, attrs: &Attrs, operands: &[ResultType], result: &ResultType) -> Option<Plan> {
        let single = Single::new(name, attrs, operands, result).map(Body::Single);
        let half = || Halves::new(name, attrs, operands, result).map(Body::Half);
        let pool = || Pool::new(name, attrs, operands, result).map(work);
        let variance = || (name == "variance").then(|| Fused::variance(attrs, operands, result)).flatten();
        Some(Plan { body: single.or_else(half).or_else(pool).or_else(|| variance().map(Body::Fused))? })
    }

    /// A plan for each result of a call, all on the same operands. `None` if one of them has none.
    pub fn all(row: &'static Op, attrs: &Attrs, operands: &[ResultType], results: &[ResultType]) -> Option<Vec<Plan>> {
        let name = row.name;
        let part = |(operand, axis, start): (usize, usize, usize), result: &ResultType| {
            if count(&result.shape) == Some(0) {
                return Some(Body::Moves(Moves::Known(Vec::new())));
            }
            Some(Body::Moves(Moves::Places(Places::part(operand, operands.get(operand)?, axis, start, result)?)))
        };
        let bodies: Option<Vec<Body>> = match (name, results) {
            (_, [_]) => return Plan::new(row, attrs, operands, results).map(|plan| vec![plan]),
            ("split", _) => {
                let axis = single::axis_of(attrs, 0, operands.first()?.shape.len())?;
                let mut start = 0;
                let one = |result: &ResultType| {
                    let body = part((0, axis, start), result)?;
                    start += result.shape[axis];
                    Some(body)
                };
                results.iter().map(one).some_list()
            }
            ("nn.batch_norm", [normal, mean, variance]) => {
                let single = Single::new(name, attrs, operands, normal).map(Body::Single);
                let half = || Halves::new(name, attrs, operands, normal).map(Body::Half);
                let lines = || Lines::new(name, attrs, operands, normal, 0).map(work);
                let normal = single.or_else(half).or_else(lines);
                [normal, part((3, 0, 0), mean), part((4, 0, 0), variance)].into_iter().some_list()
            }
            ("nn.dropout", [data, mask]) => {
                let ones = Body::Moves(Moves::fill(1.0, mask.dtype));
                (operands.len() == 1 && count(&data.shape).is_some()).then(|| vec![Body::Copy, ones])
            }
            ("topk", _) => {
                let one = |(result, at)| Lines::new(name, attrs, operands, result, at).map(work);
                results.iter().zip(0..).map(one).some_list()
            }
            _ => None,
        };
        Some(bodies?.into_iter().map(|body| Plan { body }).list())
    }

    /// The operand whose panels are worth being kept, if it is always the same.
    pub fn right(&self) -> Option<Right> {
        let (product, operand) = match &self.body {
            Body::Single(single) => (single, 1),
            Body::Fused(fused) => fused.product()?,
            Body::Half(_) | Body::Each(_) | Body::Moves(_) | Body::Folded(_) | Body::Work(_) | Body::Copy => {
                return None;
            }
        };
        Some(Right { operand, n_floats: product.n_right_floats()? })
    }

    fn fused(fused: Fused) -> Plan {
        Plan { body: Body::Fused(fused) }
    }

    /// The same for calls on words. `n_tensors` of its operands are tensors, the others scalars.
    pub fn direct(self, n_tensors: usize) -> Direct {
        match self.body {
            Body::Single(Single::Unary(op)) => Direct::Each(Elementwise::Unary(op)),
            Body::Single(Single::Binary { op, is_whole, .. }) if n_tensors < 2 || is_whole == [true; 2] => {
                Direct::Each(Elementwise::Binary(op))
            }
            Body::Single(Single::Product { small: Some(small), batch: Batch { size: 1, .. }, .. }) => {
                Direct::Product(small)
            }
            Body::Single(
                single @ (Single::Binary { .. }
                | Single::Fold { .. }
                | Single::Softmax(_)
                | Single::LogSoftmax(_)
                | Single::Product { .. }),
            ) => Direct::Single(Box::new(single)),
            Body::Moves(Moves::Permute(permutation, 4)) => Direct::Permute(permutation),
            Body::Each(each) => match each.native(n_tensors) {
                Some(native) => Direct::Native(native),
                None => Direct::Plan(Box::new(Plan { body: Body::Each(each) })),
            },
            body => Direct::Plan(Box::new(Plan { body })),
        }
    }

    /// The loop that is all there is to do on tensors of one dimension or scalars, if there is one.
    fn native(&self) -> Option<Loop> {
        let Body::Each(each) = &self.body else { return None };
        each.native
    }

    /// Whether there is nothing in it that could be rounded in another way.
    #[cfg(test)]
    pub(crate) fn is_exact(&self) -> bool {
        match &self.body {
            Body::Single(_) | Body::Half(_) | Body::Fused(_) => false,
            Body::Work(work) => work.is_exact(),
            Body::Each(_) | Body::Moves(_) | Body::Folded(_) | Body::Copy => true,
        }
    }

    /// Whether the result may be computed where this operand is.
    pub fn takes(&self, operand: usize) -> bool {
        match &self.body {
            Body::Single(single) => single.takes(operand),
            Body::Each(each) => each.takes(operand),
            Body::Fused(fused) => fused.takes(operand),
            Body::Work(work) => work.takes(operand),
            Body::Copy => operand == 0,
            Body::Half(_) | Body::Moves(_) | Body::Folded(_) => false,
        }
    }

    /// Bytes that it works in, beside operands and result, where they are many.
    pub fn n_working_bytes(&self) -> u64 {
        counted(match &self.body {
            Body::Fused(fused) => fused.n_working_bytes(),
            Body::Half(half) => half.n_working_bytes(),
            Body::Work(work) => work.n_working_bytes(),
            Body::Single(single) => single.n_working_bytes(),
            Body::Folded(folded) => folded.n_working_bytes(),
            Body::Each(_) | Body::Moves(_) | Body::Copy => 0,
        })
    }

    /// As [`Plan::run`], with the panels of [`Plan::right`] that the first such call has left; empty before it.
    pub fn run_with_panels(
        &self,
        sources: &[Source],
        result: &mut [u8],
        panels: &mut Vec<f32>,
        scratch: &mut Scratch,
    ) -> Result<(), Fault> {
        scratch.right = Some(std::mem::take(panels));
        let done = self.run(sources, result, scratch);
        *panels = scratch.right.take().unwrap_or_default();
        done
    }

    /// Computes the elements of the result. `sources` are as many, and of the types, that the plan was made for.
    pub fn run(&self, sources: &[Source], result: &mut [u8], scratch: &mut Scratch) -> Result<(), Fault> {
        match &self.body {
            Body::Single(single) => single.run(sources, result, scratch),
            Body::Half(half) => half.run(sources, result, scratch),
            Body::Each(each) => each.run(sources, result, scratch.blocks()),
            Body::Fused(fused) => fused.run(sources, result, scratch),
            Body::Moves(moves) => moves.run(sources, result, scratch),
            Body::Folded(folded) => folded.run(sources, result, scratch.blocks()).well_typed(),
            Body::Work(work) => work.run(sources, result, scratch),
            Body::Copy => match sources {
                [Some(source), ..] if source.len() == result.len() => {
                    copy_short(source, result);
                    Ok(())
                }
                [None, ..] => Ok(()),
                _ => Err(Fault::ill_typed()),
            },
        }
    }
}

fn same_elements(operands: &[ResultType], result: &ResultType) -> Option<Body> {
    let from = operands.first()?;
    (from.dtype == result.dtype && count(&from.shape) == count(&result.shape)).then_some(Body::Copy)
}

/// How many elements a shape has; `None` if they cannot be counted.
fn count(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1_usize, |n, &size| n.checked_mul(size))
}

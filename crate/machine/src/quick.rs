//! Operators on at most three operands whose result is a tensor.
//!
//! For small tensors the way to the body is most of what there is to do, so each operand is gone through by code of its
//! own: code that is compiled for size calls functions for what loops over operands would need.

use crate::heap::Heap;
use crate::tensor::{Block, Expected, Fail, Made, Operands, place};
use kernel::apart::Apart;
use kernel::elementwise::Source as From;
use op::{Direct, Plan, Scratch};
use std::ops::Range;

pub(crate) struct Quick {
    body: Direct,
    operands: [Slot; 3],
    result: InWords,
    /// Whether what is taken has another type.
    is_reshaped: bool,
}

/// An operand; what is none counts as a scalar.
#[derive(Default)]
pub(crate) struct Slot {
    /// How many words of four bytes a scalar has, 1 or 2.
    n_of_scalar: usize,
    tensor: Option<InWords>,
    /// Whether the result may be where it is.
    is_taken: bool,
}

/// What all tensors of a type have in common, and where their elements are, counted in words of four bytes.
pub(crate) struct InWords {
    block: Block,
    data: Range<u32>,
}

impl InWords {
    /// `None`: there are no elements, or they are no whole words.
    fn new(block: &Block) -> Option<InWords> {
        let data = block.data.start / 4..block.data.end / 4;
        (!data.is_empty() && block.data.end.is_multiple_of(4)).then(|| InWords { block: block.clone(), data })
    }
}

/// At most three operands and a result, if all are of whole words.
pub(crate) fn slots(operands: &[Expected], result: &Made) -> Option<([Slot; 3], InWords)> {
    let (Made::Tensor(result), 1..=3) = (result, operands.len()) else { return None };
    let result = InWords::new(result)?;
    let mut slots = <[Slot; 3]>::default();
    for (slot, operand) in slots.iter_mut().zip(operands) {
        match operand {
            Expected::Tensor(block, is_taken) => {
                (slot.tensor, slot.is_taken) = (Some(InWords::new(block)?), *is_taken);
            }
            Expected::Scalar(n_bytes) if n_bytes.is_multiple_of(4) => slot.n_of_scalar = n_bytes / 4,
            Expected::Scalar(_) => return None,
        }
    }
    Some((slots, result))
}

/// A call on so many operands, each of which is gone through by code of its own.
macro_rules! on {
    ($run:ident($($i:tt $word:ident),*)) => {
        #[inline(never)]
        fn $run(&self, heap: &mut Heap, scratch: &mut Scratch, operands: Operands) -> Option<Result<u64, Fail>> {
            let [$($word),*] = *operands.args else { return None };
            let words = [$(operands.of($word)),*];
            let mut taken: Option<u32> = None;
            $(
                let (slot, at) = (&self.operands[$i], words[$i] as u32);
                if let Some(tensor) = &slot.tensor
                    && tensor.block.owners_here(heap, at)? == 1
                    && slot.is_taken
                    && !operands.is_kept($i)
                {
                    taken = Some(at);
                }
            )*
            let made = &self.result;
            let result = match taken {
                Some(at) => {
                    if self.is_reshaped {
                        made.block.set(heap, at);
                    }
                    at
                }
                None => match made.block.take(heap) {
                    Ok(at) => at,
                    Err(fail) => return Some(Err(fail)),
                },
            };
            let (to, others) = Apart::new(heap.floats_mut(), place(&made.data, result / 4));
            $(
                let (slot, at) = (&self.operands[$i], words[$i] as u32);
                let $word = match &slot.tensor {
                    Some(_) if at == result => From::Result,
                    Some(tensor) => From::Other(others.get(place(&tensor.data, at / 4))),
                    None => {
                        let scalar = bytemuck::cast_slice(std::slice::from_ref(&words[$i]));
                        From::Other(scalar.get(..slot.n_of_scalar).unwrap_or_default())
                    }
                };
            )*
            let done = self.body.run([$($word),*], to, scratch);
            $(
                let at = words[$i] as u32;
                if let Some(tensor) = &self.operands[$i].tensor
                    && at != result
                    && !operands.is_kept($i)
                {
                    heap.release_leaf(at, tensor.block.size);
                }
            )*
            Some(match done {
                Ok(()) => Ok(u64::from(result)),
                Err(fault) => Err(Fail::Kernel(fault)),
            })
        }
    };
}

impl Quick {
    pub fn new(plan: Plan, operands: [Slot; 3], result: InWords) -> Quick {
        let tensors = || operands.iter().filter_map(|slot| Some((slot.tensor.as_ref()?, slot.is_taken)));
        let n_tensors = tensors().count();
        let is_reshaped = tensors().any(|(tensor, is_taken)| is_taken && tensor.block != result.block);
        Quick { body: plan.direct(n_tensors), operands, result, is_reshaped }
    }

    /// `None`, and nothing has changed: the operands are of other types.
    #[inline(always)]
    pub fn run(&self, heap: &mut Heap, scratch: &mut Scratch, operands: Operands) -> Option<Result<u64, Fail>> {
        match operands.args.len() {
            1 => self.run_on_one(heap, scratch, operands),
            2 => self.run_on_two(heap, scratch, operands),
            _ => self.run_on_three(heap, scratch, operands),
        }
    }

    on! { run_on_one(0 a) }
    on! { run_on_two(0 a, 1 b) }
    on! { run_on_three(0 a, 1 b, 2 c) }
}

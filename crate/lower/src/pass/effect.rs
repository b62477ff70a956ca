//! Which instructions only give values.
//!
//! Effects are calls, what reads or writes a `ref`, `global` (its first use runs code), `check`, `fuel` and operators
//! that can fail. They are neither left out nor repeated, and keep their order.

use ir::{Function, Instr, Op, Program, VarId};
use layout::{Layouts, Types};
use op::Kernel;
use ty::{Dtype, Scalar};

/// The types of a program's variables, while its functions are being changed.
#[derive(Clone, Copy)]
pub(super) struct Facts<'a> {
    pub types: &'a Types,
    pub layouts: &'a Layouts,
}

impl<'a> Facts<'a> {
    pub fn of(program: &'a Program) -> Facts<'a> {
        Facts { types: &program.types, layouts: &program.layouts }
    }

    /// The dtype of a variable that is a tensor of rank 0.
    pub fn scalar(self, function: &Function, var: VarId) -> Option<Dtype> {
        self.types.as_scalar(self.layouts[function.vars[var].layout].ty)
    }

    /// The dtype of a variable that is a tensor of which each dim is known.
    pub fn known_tensor(self, function: &Function, var: VarId) -> Option<Dtype> {
        let (dims, dtype) = self.types.as_tensor(self.layouts[function.vars[var].layout].ty)?;
        dims.iter().all(Option::is_some).then_some(dtype)
    }

    /// Whether the instruction does nothing but give its results. `literal` says which variables are known numbers.
    pub fn is_pure(self, function: &Function, instr: &Instr, literal: &dyn Fn(VarId) -> Option<Scalar>) -> bool {
        match &instr.op {
            Op::Scalar(_)
            | Op::Tensor(_)
            | Op::Pack { .. }
            | Op::Open { .. }
            | Op::Field { .. }
            | Op::Box
            | Op::Unbox
            | Op::Retype
            | Op::Closure(_) => true,
            Op::Operator { op, .. } => {
                op.row().name == "nn.dropout" || self.is_total(function, instr, &op.row().kernel, literal)
            }
            Op::Call(_) | Op::RefNew | Op::RefRead | Op::RefWrite | Op::Global(_) | Op::Check { .. } | Op::Fuel(_) => {
                false
            }
            // These come late.
            Op::Fused(_) | Op::Peek { .. } | Op::Load | Op::Free | Op::Dup | Op::Drop => false,
        }
    }

    /// Whether an operator answers whatever its arguments are: an elementwise map of known shape, which has a value
    /// for each number. Whether a map of integers has one depends on its right operand alone, and one that has none
    /// refuses 0 (divisions), -1 (powers) or 64 (shifts).
    fn is_total(
        self,
        function: &Function,
        instr: &Instr,
        kernel: &Kernel,
        literal: &dyn Fn(VarId) -> Option<Scalar>,
    ) -> bool {
        let mut vars = instr.args.iter().chain(&instr.results);
        if !vars.all(|&var| self.known_tensor(function, var).is_some()) {
            return false;
        }
        match kernel {
            Kernel::Map1 { .. } | Kernel::Bits(_) | Kernel::Compare { .. } | Kernel::Test(_) => true,
            Kernel::Map2 { int, .. } => {
                let Some(&right) = instr.args.get(1) else { return false };
                let is_unsigned = match self.known_tensor(function, right) {
                    Some(dtype) if dtype.is_float() => return true,
                    dtype => dtype == Some(Dtype::UInt64),
                };
                match literal(right) {
                    Some(Scalar::Int(value)) if is_unsigned => int(1, i128::from(value as u64)).is_some(),
                    Some(Scalar::Int(value)) => int(1, i128::from(value)).is_some(),
                    Some(Scalar::Float(_)) => false,
                    None => [0, -1, 64].into_iter().all(|value| int(1, value).is_some()),
                }
            }
            Kernel::Missing | Kernel::Argument | Kernel::Whole(_) | Kernel::Planned(_) => false,
        }
    }
}

/// By variable: the number, where a `scalar` gives it.
pub(super) fn literals(function: &Function) -> Vec<Option<Scalar>> {
    let mut known = base::filled(None, function.vars.len());
    for instr in function.blocks.iter().flat_map(|block| &block.instrs) {
        if let (Op::Scalar(value), [result]) = (&instr.op, &instr.results[..]) {
            known[result.number() as usize] = Some(*value);
        }
    }
    known
}

//! What the parts of a program mention.

use crate::{BlockId, End, Function, Op, VarId};
use base::ToList;

impl End {
    /// The variables that it uses, in order.
    pub fn args(&self) -> &[VarId] {
        match self {
            End::Return(value) => std::slice::from_ref(value),
            End::Jump(_, args) | End::TailCall(_, args) => args,
            End::Switch { on, .. } => std::slice::from_ref(on),
            End::Fail(_) => &[],
        }
    }

    pub fn args_mut(&mut self) -> &mut [VarId] {
        match self {
            End::Return(value) => std::slice::from_mut(value),
            End::Jump(_, args) | End::TailCall(_, args) => args,
            End::Switch { on, .. } => std::slice::from_mut(on),
            End::Fail(_) => &mut [],
        }
    }

    /// The blocks that it leads to, in the order of the text.
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            End::Jump(block, _) => vec![*block],
            End::Switch { cases, default, .. } => cases.iter().map(|case| case.block).chain(*default).list(),
            End::Return(_) | End::TailCall(..) | End::Fail(_) => Vec::new(),
        }
    }
}

impl Op {
    /// Whether it takes over its counted arguments.
    pub fn takes(&self) -> bool {
        match self {
            Op::Peek { .. } | Op::Field { .. } | Op::Load | Op::Check { .. } | Op::Dup => false,
            Op::Scalar(_)
            | Op::Tensor(_)
            | Op::Pack { .. }
            | Op::Open { .. }
            | Op::Box
            | Op::Unbox
            | Op::Free
            | Op::Retype
            | Op::Closure(_)
            | Op::Call(_)
            | Op::Operator { .. }
            | Op::Fused(_)
            | Op::RefNew
            | Op::RefRead
            | Op::RefWrite
            | Op::Global(_)
            | Op::Fuel(_)
            | Op::Drop => true,
        }
    }

    /// Whether its results are owned by another value.
    pub fn lends(&self) -> bool {
        matches!(self, Op::Peek { .. } | Op::Load)
    }
}

impl Function {
    /// Calls `f` with each variable where it is given.
    pub fn for_given(&self, f: &mut dyn FnMut(VarId)) {
        self.params.iter().for_each(|&param| f(param));
        for block in self.blocks.iter() {
            block.params.iter().for_each(|&param| f(param));
            block.instrs.iter().flat_map(|instr| &instr.results).for_each(|&var| f(var));
        }
    }

    /// Calls `f` with each use of a variable.
    pub fn for_uses(&self, f: &mut dyn FnMut(VarId)) {
        for block in self.blocks.iter() {
            block.instrs.iter().flat_map(|instr| &instr.args).for_each(|&var| f(var));
            block.end.args().iter().for_each(|&var| f(var));
        }
    }
}

//! Why an instruction of the machine is not done.

use base::Span;
use op::CallFault;
use ty::RunFault;

/// Why an instruction cannot be done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stop {
    Fault(RunFault),
    /// Here is an operator of which somebody wants to know what it costs.
    Pause,
    /// In a part of the instruction that comes from this place of its text.
    FaultAt(Span, RunFault),
    /// This many bytes are missing. Nothing has changed: if there is room later, the instruction can be done again.
    NoMemory(u64),
    /// As [`NoMemory`](Stop::NoMemory), of memory that an operator works in.
    NoRoom(u64),
    /// A tensor of so many bytes cannot be had in any case, there if it is for a part of the instruction.
    LargeTensor(Option<Span>, u64),
}

impl From<CallFault> for Stop {
    fn from(fault: CallFault) -> Stop {
        match fault {
            CallFault::OutOfMemory => Stop::NoMemory(u64::MAX),
            CallFault::LargeTensor(bytes) => Stop::LargeTensor(None, bytes),
            fault => Stop::Fault(fault.of_run(u64::MAX)),
        }
    }
}

impl Stop {
    /// What goes wrong in a step of fused operators.
    pub fn at((span, fault): (Span, CallFault)) -> Stop {
        match Stop::from(fault) {
            Stop::Fault(fault) | Stop::FaultAt(_, fault) => Stop::FaultAt(span, fault),
            Stop::Pause => Stop::Pause,
            Stop::NoMemory(bytes) => Stop::NoMemory(bytes),
            Stop::NoRoom(bytes) => Stop::NoRoom(bytes),
            Stop::LargeTensor(_, bytes) => Stop::LargeTensor(Some(span), bytes),
        }
    }
}

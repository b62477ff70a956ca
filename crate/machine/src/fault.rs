//! Why an instruction of the machine is not done.

use base::Span;
use op::CallFault;
use ty::RunFault;

/// Why an instruction cannot be done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stop {
    Fault(RunFault),
    /// In a part of the instruction that comes from this place of its text.
    FaultAt(Span, RunFault),
    /// So many bytes are missing. Nothing has changed: if there is room later, the instruction can be done again.
    NoMemory(u64),
}

impl From<CallFault> for Stop {
    fn from(fault: CallFault) -> Stop {
        match fault {
            CallFault::OutOfMemory => Stop::NoMemory(u64::MAX),
            fault => Stop::Fault(fault.of_run(u64::MAX)),
        }
    }
}

impl Stop {
    /// What goes wrong in a step of fused operators.
    pub fn at((span, fault): (Span, CallFault)) -> Stop {
        match Stop::from(fault) {
            Stop::Fault(fault) | Stop::FaultAt(_, fault) => Stop::FaultAt(span, fault),
            Stop::NoMemory(bytes) => Stop::NoMemory(bytes),
        }
    }
}

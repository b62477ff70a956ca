//! Why an instruction of the machine is not done.

use op::CallFault;
use ty::RunFault;

/// Why an instruction cannot be done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stop {
    Fault(RunFault),
    /// So many bytes are missing. Nothing has changed: if there is room later, the instruction can be done again.
    NoMemory(u64),
    /// A tensor of so many bytes cannot be had in any case.
    LargeTensor(u64),
}

impl From<CallFault> for Stop {
    fn from(fault: CallFault) -> Stop {
        match fault {
            CallFault::OutOfMemory => Stop::NoMemory(u64::MAX),
            CallFault::LargeTensor(bytes) => Stop::LargeTensor(bytes),
            fault => Stop::Fault(fault.of_run(u64::MAX)),
        }
    }
}

//! Why an instruction of the machine is not done.

use op::CallFault;
use ty::RunFault;

/// Why an instruction cannot be done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stop {
    Fault(RunFault),
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

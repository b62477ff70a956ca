//! What a run can come to instead of a value.

use base::Span;
use op::CallFault;

/// What a run may use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Source calls and match tests of one run.
    pub fuel: u64,
    /// Bytes of blocks and frames.
    pub memory: u64,
}

/// Why there is no value, and where it was noticed.
#[derive(Clone, Debug, PartialEq)]
pub struct RunError {
    pub span: Span,
    pub fault: RunFault,
}

#[derive(Clone, Debug, PartialEq)]
pub enum RunFault {
    OutOfFuel {
        fuel: u64,
    },
    OutOfMemory {
        limit: u64,
    },
    NoArm,
    DivisionByZero,
    IndexOutOfRange(i64),
    NoKernel(&'static str),
    FreeVariable(String),
    SelfReference(String),
    /// The operands have types that the operator's relation refuses.
    Shapes(String),
    /// The program had errors where it was run, or is none that the verifier lets pass.
    Broken,
}

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
            CallFault::DivisionByZero => Stop::Fault(RunFault::DivisionByZero),
            CallFault::IndexOutOfRange(index) => Stop::Fault(RunFault::IndexOutOfRange(index)),
            CallFault::NoKernel(name) => Stop::Fault(RunFault::NoKernel(name)),
            CallFault::OutOfMemory => Stop::NoMemory(u64::MAX),
            CallFault::Shapes(sentence) => Stop::Fault(RunFault::Shapes(sentence)),
            CallFault::IllTyped => Stop::Fault(RunFault::Broken),
        }
    }
}

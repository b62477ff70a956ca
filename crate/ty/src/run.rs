//! What a run may use up, and what it can come to instead of a value: the same for everything that runs programs.

use base::Span;

/// What a run may use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Source calls and match tests of one run.
    pub fuel: u64,
    /// Bytes of values, and of what keeps account of the calls under way.
    pub memory: u64,
}

/// Why there is no value, and where it was noticed.
#[derive(Clone, Debug, PartialEq)]
pub struct RunError {
    pub span: Span,
    pub fault: RunFault,
}

/// So many calls inside each other.
#[derive(Clone, Debug, PartialEq)]
pub struct DeepCalls {
    pub limit: u64,
    pub calls: u64,
}

/// A tensor of so many bytes, beside those that others have.
#[derive(Clone, Debug, PartialEq)]
pub struct LargeTensor {
    pub limit: u64,
    pub bytes: u64,
    pub held: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub enum RunFault {
    OutOfFuel {
        fuel: u64,
    },
    OutOfMemory {
        limit: u64,
    },
    /// The same, where it is the calls under way that take it.
    DeepCalls(Box<DeepCalls>),
    /// A tensor does not fit beside those that are there, as it is or as it is computed.
    LargeTensor(Box<LargeTensor>),
    /// A value has so many elements that it cannot be shown.
    LargeValue {
        limit: u64,
    },
    NoArm,
    DivisionByZero,
    /// An operator on integers has no integer as its result. A sentence.
    NoInteger(&'static str),
    IndexOutOfRange(i64),
    NoKernel(&'static str),
    FreeVariable(String),
    SelfReference(String),
    /// The operands have types that the operator's relation refuses.
    Shapes(String),
    /// The program had errors where it was run, or is none that can be.
    Broken,
}

const _: () = assert!(size_of::<RunFault>() <= 4 * size_of::<usize>());

impl RunFault {
    #[cold]
    #[inline(never)]
    pub fn large_tensor(limit: u64, bytes: u64, held: u64) -> RunFault {
        RunFault::LargeTensor(Box::new(LargeTensor { limit, bytes, held }))
    }
}

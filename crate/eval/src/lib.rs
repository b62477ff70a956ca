//! The definitional evaluator: what programs mean.
//!
//! In: a module without errors in the parts that are run. Out: values, or a located reason why there is none. It is
//! small and obvious rather than fast; a faster machine is tested against it.
//!
//! A stack of tasks stands for what is left to do, so no program can exhaust the host's stack: recursion costs heap,
//! and a call in tail position costs nothing. Operators compute their result types by their own relations, run on the
//! concrete types of the arguments. Where a type with sizes that are numbers or parameters is written (of a variable, a
//! function's result, a constructor's field; in tuples too) and some type of the program may hold a `?`, the value that
//! arrives is checked against them; a parameter is what the first that has it says. A call in tail position then costs
//! nothing if what it calls checks the same. Fuel counts calls and match tests.
//!
//! Worked example: of `2 * (3 + 4)` the task `Eval(*)` is replaced by `Eval(2)`, `Eval(+)` and, below them,
//! `OpCall(*)`. `Eval(2)` pushes the value 2; `Eval(+)` is replaced in the same way, and 3 and 4 are pushed above the
//! 2. `OpCall(+)` takes these two and pushes 7, and `OpCall(*)` takes 2 and 7 and pushes 14.
//!
//! Deliberately absent: types at run time other than dtypes and shapes of tensors; any optimisation.

mod evaluator;

pub use evaluator::Evaluator;

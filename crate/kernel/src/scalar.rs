//! One number at a time: what each elementwise operator answers.
//!
//! [`float`] works on `f64` and always answers (1 / 0 is infinite). [`int`] works on the value of any integer dtype or
//! bool as an `i128`; where the operator has no answer, it is `None`. The two use the same names as the operators.
//!
//! ```
//! use kernel::scalar::{float, int};
//! assert_eq!(float::floor_divide(-7.0, 2.0), -4.0);
//! assert_eq!(int::floor_divide(-7, 2), Some(-4));
//! assert_eq!(int::divide(-7, 2), Some(-3));
//! assert_eq!(int::divide(1, 0), None);
//! ```

pub mod float;
pub mod int;

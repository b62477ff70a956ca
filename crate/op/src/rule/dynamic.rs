//! Rules of the operators in `dynamic`.

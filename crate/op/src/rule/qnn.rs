//! Rules of the operators in `qnn`.

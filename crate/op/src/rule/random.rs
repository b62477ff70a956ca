//! Rules of the operators in `random`.

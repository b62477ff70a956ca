//! Rules of the operators in `nn`.

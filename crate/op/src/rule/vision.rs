//! Rules of the operators in `vision`.

//! Rules of the operators in `pool`.

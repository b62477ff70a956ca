//! Rules of the operators in `index`.

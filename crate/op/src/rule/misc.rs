//! Rules of the operators in `misc`.

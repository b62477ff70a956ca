//! Rules of the operators in `sparse`.

//! Rules of the operators in `conv_nd`.

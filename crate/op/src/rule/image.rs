//! Rules of the operators in `image`.

//! Rules of the operators in `rearrange`.

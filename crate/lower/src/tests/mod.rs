//! Programs from their text to their values.

mod polymorphic;

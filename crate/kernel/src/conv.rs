//! Convolutions of float32 data, fast.

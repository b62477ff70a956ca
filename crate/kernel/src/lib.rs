//! What every operator means on numbers, and how it is computed fast.
//!
//! Three layers. The *meaning* of operators is loops over slices and strides, written to be read: [`linear`],
//! [`normal`], [`reduce`], [`shape`], [`slide`] and those beside them. The *bodies* for float32 go four elements at a
//! time ([`lanes`]): [`math`] and [`elementwise`], [`fold`], [`rows`], [`pool`], [`permute`], [`gemm`] and [`conv`].
//! Each says the order of its sums and its error bound, and is tested against the meaning; its bits are the same
//! natively and in every browser. Between the two, [`wide`] has elements of every dtype as *blocks* of `i64` or `f64`,
//! with loops that mean the same to the bit, [`native`] loops on elements as they are in memory, and [`halves`] those of
//! 16 bits as float32. What follows is about the meaning.
//!
//! In come slices with their shapes ([`strided::View`]), already checked by whoever knows the types; out come owned
//! vectors in row-major order. A number of any float dtype is an `f64`. A number of any integer dtype, or a bool, is
//! an `i128` (its value) or an `i64` (its bits, for loops that only add and multiply). Results are those of `f64` or
//! `i128` arithmetic; the caller brings them back to the dtype with [`number::round_f32`], [`number::wrap`] and the
//! like, once per result.
//!
//! Invariants:
//! - Bit-equal everywhere. Transcendental functions come from `libm`, which is plain Rust; from `std` only exact
//!   operations are used (`sqrt`, `floor`, `abs`, …). Nothing is fused, and every sum runs in row-major order.
//! - Nothing panics if shapes, axes and lengths agree. What depends on values (a zero divisor, an index out of range)
//!   is an `Option` or a `Result`.
//! - NaN goes through: `maximum`, `relu` and the reductions built on them answer NaN if a NaN took part. Its bits are
//!   canonical only after a `number::round_*`.
//!
//! Deliberately absent: dtypes (a [`wide::Format`] says how an element lies in memory, no more), types and values of
//! the language; shape inference (the output shape is an argument where it is not implied); negative axes, `keepdims`
//! and layouts other than NCHW (the caller normalises, and may [`shape::transpose`] around a kernel).
//!
//! ```
//! use kernel::{number, scalar, strided};
//! // [[1], [2]] + [10, 20], in float16.
//! let column = strided::View::new(&[1.0, 2.0], &[2, 1]);
//! let row = strided::View::new(&[10.0, 20.0], &[2]);
//! let sum = strided::map2(column, row, &[2, 2], |a, b| number::round_f16(scalar::float::add(a, b)));
//! assert_eq!(sum, [11.0, 21.0, 12.0, 22.0]);
//! ```

pub mod along;
pub mod apart;
pub mod bent;
pub mod conv;
pub mod elementwise;
pub mod fixed;
pub mod fold;
pub mod gemm;
pub mod halves;
pub mod image;
pub mod index;
pub mod lanes;
pub mod linear;
pub mod lines;
pub mod math;
pub mod native;
pub mod normal;
pub mod number;
pub mod permute;
pub mod pool;
pub mod reduce;
pub mod resample;
pub mod rows;
pub mod scalar;
pub mod shape;
pub mod slide;
pub mod strided;
pub mod threefry;
#[cfg(test)]
mod trial;
pub mod wide;
pub mod winograd;

//! Where the bits of a value are.
//!
//! In: closed types ([`Types`]). Out: for each, under a [`Strategy`], a [`Layout`]: its width, and for each of its
//! variants a code and the places of the fields. Then values as bits and back ([`encode`], [`decode`]), and what people
//! ask of a layout ([`facts()`], [`structure`], [`rust_bytes`]).
//!
//! Two kinds of layout belong to a type. A variable of the type has [`Layouts::of`]; what a box of the type points to
//! has [`Layouts::content`]. Under `packed` and `aligned` these are the same bits, and only a field that closes a cycle
//! of types is a box; under `uniform` (OCaml's) every variable of a sum or tuple is a box, and so are the fields. A
//! field may be a box for its size alone (past 8 kB in one case), so whoever reads a field asks its layout.
//!
//! A value of a polymorphic function type is a tuple of functions, one for each way in which the program uses it.
//!
//! Types without values take no space and their variants no code ([`Kind::Never`]): those without a case that could be
//! built, holes, errors, and data types that were not defined.
//!
//! Pointers are 32 bits wide, as in wasm32, and lead to blocks at addresses that are multiples of 8. So the codes 0
//! and those that are no multiples of 8 are spare: boxes use them for variants that store nothing, sums for niches
//! ([`spare_pointer`]).
//!
//! Deliberately absent: the heap, which is the machine's ([`Heap`] is what is asked of it), counts of owners, and
//! conversions between the layouts of two types, which are code (`lower`).
//!
//! ```
//! use layout::{Layouts, Strategy, Types, facts, structure};
//! let mut types = Types::default();
//! let bool = types.scalar(ty::Dtype::Bool);
//! let option = types.sum(&[(ty::VariantId::numbered(0), vec![]), (ty::VariantId::numbered(1), vec![bool])]);
//! let mut layouts = Layouts::new(Strategy::Packed);
//! let layout = layouts.of(&types, option);
//! assert_eq!(structure(&layouts, layout), "{ tag: 1 bit, union { {} | { 1 bit } } }");
//! assert_eq!(facts(&layouts, layout).cardinality, Some(3));
//! ```

mod aligned;
mod bits;
mod code;
mod facts;
mod layout;
mod layouts;
mod natural;
mod packed;
mod rust;
mod same;
mod sum;
#[cfg(test)]
mod tests;
mod types;
mod uniform;

pub use bits::{Words, n_words, read_bits, slice_bits, splice_bits, write_bits, zeros};
pub use code::{CodeError, Heap, bit_string, decode, encode};
pub use facts::{Facts, VariantFacts, facts, structure};
pub use layout::{Codes, Field, Kind, Layout, LayoutId, Spare, Strategy, Tag, Variant, spare_pointer};
pub use layouts::Layouts;
pub use rust::rust_bytes;
pub use sum::{immediate_content, immediate_of, immediate_variant, pack, set_variant, variant_in, variant_of};
pub use types::{Case, Constructor, Head, Types};

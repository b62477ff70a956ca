//! Views as objects of JavaScript, by way of bytes: one call for a view, where an object that is made field by field
//! needs several for each field.
//!
//! In: what `serde` can write. Out: an object of JavaScript, which `object.js` makes of the bytes that [`bytes`] writes.
//! A value is a tag and what it needs. Numbers are LEB128; so are lengths, in front of the items of a list and of the
//! fields of an object. The name of a field is its number among those that came up, and where it is a new one the name
//! itself follows:
//!
//! ```
//! #[derive(serde::Serialize)]
//! struct Edit {
//!     line: u32,
//! }
//! let edits = [Edit { line: 300 }, Edit { line: 2 }];
//! let (list, object, natural) = (6, 7, 3);
//! let first = [object, 1, 0, 4, b'l', b'i', b'n', b'e', natural, 0xac, 2];
//! let second = [object, 1, 0, natural, 2];
//! assert_eq!(object::bytes(&edits), [&[list, 2][..], &first, &second].concat());
//! ```
//!
//! Nothing can fail, so no caller has an error to hand on, which is most of what the general way weighs. Deliberately
//! absent: what no view has, which is maps, bytes, enums with values but for those that say their kind in a field, and
//! integers of more than 32 bits.

mod write;

use serde::Serialize;
// What derives the trait stands where the trait does, as in the crate `tsify`, whose place this one takes.
pub use tsify_macros::Tsify;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
pub use write::bytes;

#[wasm_bindgen(module = "/src/object.js")]
extern "C" {
    fn object(bytes: &[u8]) -> JsValue;
}

/// A view that has a type in TypeScript, which `#[derive(Tsify)]` writes beside what the module exports.
pub trait Tsify {
    /// Objects of that type.
    type JsType: JsCast;
    /// The type as it is declared there.
    const DECL: &'static str;
    /// What the macro says as well; a view has none of it.
    const SERIALIZATION_CONFIG: SerializationConfig;
}

/// How optional, mapped and large values are to be written: what the macro writes must exist, and nothing reads it.
pub struct SerializationConfig {
    pub missing_as_null: bool,
    pub hashmap_as_object: bool,
    pub large_number_types_as_bigints: bool,
}

/// A view on the other side.
pub type Shown<T> = <T as Tsify>::JsType;

/// As an object of JavaScript.
pub fn shown<T: Tsify + Serialize>(view: T) -> Shown<T> {
    object(&bytes(&view)).unchecked_into()
}

/// As [`shown`], of what may not be there.
pub fn perhaps<T: Tsify + Serialize>(view: Option<T>) -> Option<Shown<T>> {
    view.map(shown)
}

//! What every other crate stands on: ids and arenas, collections, places in a text, diagnostics, and the names of the
//! surfaces.
//!
//! Nothing here knows the language. A [`Span`] is a pair of byte offsets into one source text; lines and columns
//! are computed from a [`LineIndex`] only when something is shown. A [`Diagnostic`] is finished words with places;
//! the stage that raised it owned the structured error and worded it.
//!
//! What the page loads should be small, and some of the standard library is large as machine code, mostly for that it
//! is compiled anew for each type. So there is something smaller here in its place: [`ToList::list`],
//! [`ToList::some_list`] and [`Append::append_all`] for `collect` and `extend`, [`ToList::count_where`] and
//! [`ToList::total`] for `count` and `sum`, [`filled`] for `vec!`, [`sort()`] and [`sort_by_key`],
//! [`HashMap`] and [`HashSet`], [`parse_f32`] and [`parse_f64`] for `str::parse`, [`shortest`] for `{:?}` of
//! floats, [`find`] for `str::find`, and [`is_in_name`] for `char::is_alphanumeric`. The file of each says what was
//! saved and how. An [`IdMap`] is a map that allocates nothing while it has few entries.
//!
//! Deliberately absent: I/O, colours, files. The command line draws diagnostics; the page hands them to its editor.
//!
//! ```
//! use base::{LineIndex, Span};
//! let text = "let %x = 1;\n%x + é";
//! let index = LineIndex::new(text);
//! assert_eq!(index.position(12), base::Position { line: 2, column: 1 });
//! assert_eq!(&text[Span::new(4, 6).range()], "%x");
//! ```

mod decimal;
mod diagnostic;
mod find;
mod graph;
mod hash_map;
mod id_map;
mod idx;
mod integer;
mod line_index;
mod list;
mod name;
mod nearest;
mod shortest;
mod sort;
mod span;
mod surface;
mod table;
mod words;

pub use decimal::{BFLOAT16, FLOAT16, FLOAT32, FLOAT64, Format, parse_f32, parse_f64};
pub use diagnostic::{Diagnostic, Edit, Fix, Label, Severity, apply};
pub use find::{
    all_places, before, begins_with, cut, end_of_last, find, has, place, replace, split, trim, trim_end, trim_start,
};
pub use graph::components;
pub use hash_map::{HashMap, HashSet};
pub use id_map::IdMap;
pub use idx::{Idx, IndexVec, Layered};
pub use integer::{parse_digits, parse_i64, parse_u32, parse_u64};
pub use line_index::{LineIndex, Position};
pub use list::{Append, Edited, Join, MapArray, ToList, filled};
pub use name::is_in_name;
pub use nearest::nearest;
pub use shortest::shortest;
pub use sort::{Rank, sort, sort_by_key};
pub use span::Span;
pub use surface::Surface;
pub use words::{bracketed, count, decimal, listed, one_line, quoted, words};

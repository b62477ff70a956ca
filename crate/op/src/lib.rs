//! The operators, one row each, and their type relations.
//!
//! A row names its attributes, its relation and its kernel, and documents itself with an example that is a test.
//! Name lookup, inference, evaluation, hovers and the operator chapter read the table. What makes some operators fast
//! and says what they cost stands beside it, by their names: bodies in `engine`, formulas in `cost`. An operator
//! without a body is computed by its kernel's meaning. Names, attributes and shape rules are those of TVM Relay.
//!
//! In: nothing; the table is constant. Out: rows by name or infix spelling, relations for `solve`, and [`run`], which
//! evaluates one call on values (by the bodies that a [`Plan`] uses where there are some, else by the meaning of the
//! kernel, with results rounded to their dtype). [`Operators`] finds the types of the results first. A [`Plan`] is a
//! call whose types are known, on elements in memory.
//!
//! Deliberately absent: anything that decides types outside a relation. A result's shape when the program runs is the
//! relation's too, on concrete shapes.
//!
//! ```
//! let dense = op::by_name("nn.dense").unwrap().row();
//! assert_eq!(dense.args, ["data", "weight"]);
//! assert_eq!(op::by_infix("+").unwrap().row().name, "add");
//! ```

mod binary;
mod call;
mod conv;
mod conv_nd;
mod cost;
mod create;
mod dynamic;
mod engine;
#[cfg(test)]
mod fuzz;
mod image;
mod index;
mod linear;
mod misc;
mod nn;
mod norm;
mod places;
mod pool;
mod qnn;
mod random;
mod rearrange;
mod reduce;
mod row;
mod rule;
mod run;
mod shape;
mod sparse;
mod unary;
mod vision;

pub use call::{CallFault, Operand, Operators, bytes_on_values};
pub use cost::{COSTS, Cost, flops, reads_part};
pub use engine::{
    Class, Direct, Elementwise, Input, MAX_OPERANDS, Plan, Right, Scratch, Source, Step, elements_at, elementwise,
    on_scalars, write_elements,
};
pub use row::{AttrForm, AttrSpec, Default, Op};
pub use rule::TUPLE_GET_ITEM;
pub use run::{Call, Fault, Kernel, MAX_SIZE, OPEN, ResultType, cast_between, round_to, run, widen};

use base::{HashMap, Idx, ToList};
use std::sync::LazyLock;

base::idx!(
    /// A row of the table.
    OpId,
    "op"
);

const NORMAL_DATA: &str = "nn.batch_norm.0";

impl OpId {
    pub fn row(self) -> &'static Op {
        TABLE.rows[self.number() as usize]
    }

    /// The row that gives the first field of this one's result alone, if there is one.
    pub fn first_field(self) -> Option<OpId> {
        let first = spelt(NORMAL_DATA)?;
        (self.row().name == first.row().name && self != first).then_some(first)
    }

    /// Whether it is that of `nn.batch_norm`.
    pub(crate) fn gives_normal_data(self) -> bool {
        self.index() == all().len()
    }

    /// The row's name, or where it gives the first field of another one, that one's with the field.
    pub fn spelling(self) -> &'static str {
        if self.gives_normal_data() { NORMAL_DATA } else { self.row().name }
    }
}

/// The rows of families as slices, each as this build has them.
macro_rules! families {
    ($($family:ident),*) => {
        [$(&const { in_this_build::<{ $family::ROWS.len() }>($family::ROWS) } as &'static [Op]),*]
    };
}

/// Rows, without their documentation where the build leaves it out: the page has it in a file of its own.
const fn in_this_build<const N: usize>(rows: &'static [Op]) -> [Op; N] {
    let mut found = [rows[0]; N];
    let mut at = 0;
    while at < N {
        let doc = if cfg!(any(feature = "docs", test)) { rows[at].doc } else { "" };
        found[at] = Op { doc, ..rows[at] };
        at += 1;
    }
    found
}

struct Table {
    /// Every row, by family, and behind them the one of [`OpId::first_field`].
    rows: Vec<&'static Op>,
    by_name: HashMap<&'static str, OpId>,
    by_infix: HashMap<&'static str, OpId>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let families = families!(
        unary, binary, reduce, linear, conv, conv_nd, pool, norm, nn, shape, rearrange, index, create, dynamic, random,
        misc, sparse, image, vision, qnn
    );
    let mut rows: Vec<&'static Op> = families.into_iter().list_all(|rows| rows);
    let ids = || rows.iter().enumerate().map(|(i, row)| (OpId::numbered(i as u32), row));
    let by_name = ids().map(|(id, row)| (row.name, id)).collect();
    let by_infix = ids().filter_map(|(id, row)| Some((row.infix?, id))).collect();
    rows.push(&norm::NORMAL);
    Table { rows, by_name, by_infix }
});

/// Every row, by family.
pub fn all() -> &'static [&'static Op] {
    &TABLE.rows[..TABLE.rows.len() - 1]
}

pub fn by_name(name: &str) -> Option<OpId> {
    TABLE.by_name.get(name).copied()
}

/// The row that is [spelt](OpId::spelling) so.
pub fn spelt(name: &str) -> Option<OpId> {
    if name == NORMAL_DATA { Some(OpId::new(all().len())) } else { by_name(name) }
}

/// The operators, and functions of the prelude, that may be meant by a name which others have for them: without its
/// family, in the wrong one or in another library's (`matmul`, `nn.exp`, `torch.cat`).
pub fn called(elsewhere: &str) -> Vec<&'static str> {
    let bare = &elsewhere[base::end_of_last(elsewhere, b'.')..];
    let known = row::OPERATORS.iter().find(|(other, _)| *other == bare).map(|&(_, own)| own);
    let families = ["nn.", "image.", "vision.", ""].map(|family| by_name(&format!("{family}{bare}")));
    let own = families.into_iter().flatten().map(|id| id.row().name).filter(|&own| own != elsewhere);
    known.into_iter().chain(own).list()
}

/// What to write for an operator of others that is none here.
pub fn made_of(elsewhere: &str) -> Option<&'static str> {
    Some(match &elsewhere[base::end_of_last(elsewhere, b'.')..] {
        "embedding" => "write `take(weights, indices, axis=0)`",
        "eye" => "write `one_hot(arange(0, n, 1), 1f, 0f, depth=n, dtype=\"float32\")`",
        "gelu" => "write `x * (0.5f + 0.5f * erf(x * 0.70710677f))`",
        "index_select" => "write `take(x, indices, axis=axis)`",
        "masked_fill" => "write `where(mask, full_like(x, value), x)`",
        "scatter_add" => "write `scatter_elements(x, indices, updates, axis=axis, reduction=\"add\")`",
        "silu" | "swish" => "write `x * sigmoid(x)`",
        "threefry_key" => {
            "write `[0u64, 0u64, 0u64, 0u64, 0u64, 0u64, 0u64, 0u64, 9223372036854775808u64, 0u64]`, which begins with the seed"
        }
        "tril" => "write `trilu(x, 0, upper=False)`",
        "triu" => "write `trilu(x, 0)`",
        _ => return None,
    })
}

/// The operator spelt `+`, `==` and so on.
pub fn by_infix(spelling: &str) -> Option<OpId> {
    TABLE.by_infix.get(spelling).copied()
}

/// A built-in relation as a `where` clause or a written relation may name it.
pub struct NamedRelation {
    pub relation: &'static ty::Relation,
    /// The kind of its arguments, results included, and how many there are.
    pub kind: ty::Kind,
    pub n_args: usize,
    /// A row that it is the relation of, whose attributes it takes.
    pub row: Option<&'static Op>,
}

/// Rows for the attributes of relations that belong to no operator: that of `%t.0`, and what is left of some to check.
static UNNAMED: [Op; 6] = [
    unnamed(&TUPLE_GET_ITEM, &["tuple"], &[AttrSpec::required("index", AttrForm::Int)]),
    unnamed(&rule::qnn::PER_AXIS, &["data", "vector"], &[AttrSpec::int("axis", -1)]),
    unnamed(&rule::qnn::PER_AXIS, &["data", "vector"], &[AttrSpec::int("lhs_axis", -1)]),
    unnamed(&rule::qnn::PER_AXIS, &["data", "vector"], &[AttrSpec::int("rhs_axis", -1)]),
    unnamed(&rule::qnn::PER_UNIT, &["weight", "vector"], &[]),
    unnamed(
        &rule::qnn::PER_CHANNEL,
        &["weight", "vector"],
        &[AttrSpec::int("groups", 1), AttrSpec::int_or_none("channels"), AttrSpec::str("kernel_layout", "OIHW")],
    ),
];

const fn unnamed(relation: &'static ty::Relation, args: &'static [&'static str], attrs: &'static [AttrSpec]) -> Op {
    Op { name: relation.name, infix: None, args, attrs, relation, kernel: Kernel::Missing, doc: "" }
}

/// All rows, those included.
fn rows() -> impl Iterator<Item = &'static Op> {
    all().iter().copied().chain(&UNNAMED)
}

/// The relations of a name: `Broadcast` is one over types, one over shapes and one over dims. A relation of operators with
/// other attributes each is there once for each list of them.
pub fn relations_named(name: &str) -> Vec<NamedRelation> {
    let mut found: Vec<NamedRelation> = Vec::new();
    for row in rows().filter(|row| row.relation.name == name) {
        let (relation, n_args) = (row.relation, row.args.len() + row.relation.n_outputs);
        let is_known = |known: &NamedRelation| {
            let alike = |known: &Op| {
                known.attrs.len() == row.attrs.len()
                    && known.attrs.iter().zip(row.attrs).all(|(known, own)| known.name == own.name)
            };
            std::ptr::eq(known.relation, relation) && known.n_args == n_args && known.row.is_some_and(alike)
        };
        if !found.iter().any(is_known) {
            found.push(NamedRelation { relation, kind: ty::Kind::Type, n_args, row: Some(row) });
        }
    }
    for &(relation, kind, n_args) in rule::PARTS.iter().filter(|(relation, ..)| relation.name == name) {
        found.push(NamedRelation { relation, kind, n_args, row: None });
    }
    found
}

/// The relation of two shapes and what they broadcast to.
pub fn broadcast_of_shapes() -> &'static ty::Relation {
    rule::PARTS[0].0
}

/// The names that [`relations_named`] knows.
pub fn relation_names() -> impl Iterator<Item = &'static str> {
    let parts = rule::PARTS.iter().map(|(relation, ..)| relation.name);
    rows().map(|row| row.relation.name).chain(parts)
}

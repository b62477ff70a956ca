//! Programs over a table of layouts made by hand, as texts and at random.

mod fuse;
mod large;
mod machine;
mod random;
mod texts;

use base::IndexVec;
use ir::{Names, Program, Stage};
use layout::{Field, Head, Kind, Layout, LayoutId, Layouts, Strategy, Tag, Types, Variant};
use ty::{Dtype, FixedNames, VariantId};

const FIXED: FixedNames = FixedNames { adt: "Adt", param: "A", variants: &["A", "B"], constructors: &["C"] };
const NAMES: Names = Names { types: &FIXED, values: &FIXED };

const INT: LayoutId = LayoutId::numbered(0);
const BOOL: LayoutId = LayoutId::numbered(1);
/// `` `A | `B(int32) ``
const SUM: LayoutId = LayoutId::numbered(2);
/// `(int32, SUM)`
const PAIR: LayoutId = LayoutId::numbered(3);
/// A box of `SUM`.
const BOX: LayoutId = LayoutId::numbered(4);
/// From `int32` to `int32`.
const FUNC: LayoutId = LayoutId::numbered(5);
/// A cell of `int32`.
const CELL: LayoutId = LayoutId::numbered(6);
const UNIT: LayoutId = LayoutId::numbered(7);
const FLOAT: LayoutId = LayoutId::numbered(8);
// l9 and l10 are tensors of shape (2, 3) and (2, ?).

/// A program of layouts and constants.
fn base() -> Program {
    let mut types = Types::default();
    let (int, flag, float) = (types.scalar(Dtype::Int32), types.scalar(Dtype::Bool), types.scalar(Dtype::Float32));
    let (known, open) =
        (types.tensor(&[Some(2), Some(3)], Dtype::Float32), types.tensor(&[Some(2), None], Dtype::Float32));
    let sum = types.sum(&[(VariantId::numbered(0), Vec::new()), (VariantId::numbered(1), vec![int])]);
    let (unit, pair) = (types.tuple(&[]), types.tuple(&[int, sum]));
    let (func, cell) = (types.func(&[int], int), types.reference(int));
    let variant = |head: Head, fields: &[LayoutId]| {
        let fields = fields.iter().map(|&layout| Field { offset: 0, layout }).collect();
        Variant { head, code: None, is_inhabited: true, fields }
    };
    let named = |number: u32, fields: &[LayoutId]| variant(Head::Variant(VariantId::numbered(number)), fields);
    let sum_of = |variants: Vec<Variant>| Kind::Sum { tag: Tag::None, variants };
    let rows = [
        (int, 32, Kind::Scalar(Dtype::Int32)),
        (flag, 8, Kind::Scalar(Dtype::Bool)),
        (sum, 64, sum_of(vec![named(0, &[]), named(1, &[INT])])),
        (pair, 96, sum_of(vec![variant(Head::Tuple, &[INT, SUM])])),
        (sum, 32, Kind::Box { content: SUM, immediates: vec![Some(0), None] }),
        (func, 32, Kind::Closure),
        (cell, 32, Kind::Ref { content: INT }),
        (unit, 0, sum_of(vec![variant(Head::Tuple, &[])])),
        (float, 32, Kind::Scalar(Dtype::Float32)),
        (known, 32, Kind::Tensor),
        (open, 32, Kind::Tensor),
    ];
    let mut layouts = Layouts::new(Strategy::Aligned);
    for (ty, bits, kind) in rows {
        layouts.table.push(Layout { ty, bits, align: 1, kind });
    }
    Program { types, layouts, functions: IndexVec::new(), globals: IndexVec::new(), constants: IndexVec::new() }
}

fn assert_is_in_order(program: &Program, about: &str) {
    let violations = ir::verify(program, Stage::Before);
    let texts: Vec<String> = violations.iter().map(ToString::to_string).collect();
    assert!(texts.is_empty(), "{about}: {texts:#?}\n{}", ir::print(program, NAMES, ir::Detail::Plain));
}

//! Sizes that rustc 1.95 gives on x86-64. Our pointers are half as wide, so ours are hardly ever larger.

use super::{adt, define, list_of, sum};
use crate::{Layouts, Strategy, Types, rust_bytes};
use ty::{Dtype, TermId};

#[test]
fn aligned_is_no_larger_than_rust() {
    let mut types = Types::default();
    let t = &mut types;
    let bool = t.scalar(Dtype::Bool);
    let (u8, u16, u32, u64) =
        (t.scalar(Dtype::UInt8), t.scalar(Dtype::UInt16), t.scalar(Dtype::UInt32), t.scalar(Dtype::UInt64));
    let f64 = t.scalar(Dtype::Float64);
    let (unit, void) = (t.tuple(&[]), t.nothing());
    let pointer = t.reference(u8);
    let function = t.func(&[], unit);
    let option = |t: &mut Types, ty: TermId| sum(t, &[&[], &[ty]]);
    let result = |t: &mut Types, ok: TermId, error: TermId| sum(t, &[&[error], &[ok]]);
    let enumeration = |t: &mut Types, n: usize| sum(t, &vec![&[][..]; n]);

    let mut rows: Vec<(&str, TermId, u32)> = vec![
        ("bool", bool, 1),
        ("&u8", pointer, 8),
        ("u8", u8, 1),
        ("u32", u32, 4),
        ("()", unit, 0),
        ("Void", void, 0),
        ("fn()", function, 8),
    ];
    let mut row = |name, ty, bytes| rows.push((name, ty, bytes));
    let mut nested = bool;
    for name in ["Option<bool>", "Option<Option<bool>>", "Option<Option<Option<bool>>>"] {
        nested = option(t, nested);
        row(name, nested, 1);
    }
    let option_pointer = option(t, pointer);
    row("Option<&u8>", option_pointer, 8);
    row("Option<Option<&u8>>", option(t, option_pointer), 16);
    row("Option<u8>", option(t, u8), 2);
    row("Option<u16>", option(t, u16), 4);
    row("Option<u32>", option(t, u32), 8);
    row("Option<u64>", option(t, u64), 16);
    row("Option<f64>", option(t, f64), 16);
    row("Option<fn()>", option(t, function), 8);
    let option_unit = option(t, unit);
    row("Option<()>", option_unit, 1);
    row("Option<Option<()>>", option(t, option_unit), 1);
    row("Option<Void>", option(t, void), 0);
    row("Result<u32, Void>", result(t, u32, void), 4);
    for (n, bytes, option_bytes) in [(1, 0, 1), (2, 1, 1), (3, 1, 1), (255, 1, 1), (256, 1, 2), (257, 2, 2)] {
        let ty = enumeration(t, n);
        row("an enum", ty, bytes);
        row("Option<an enum>", option(t, ty), option_bytes);
    }
    let either = result(t, bool, bool);
    row("Result<bool, bool>", either, 2);
    row("Result<Result<bool, bool>, bool>", result(t, either, bool), 2);
    row("Result<bool, ()>", result(t, bool, unit), 1);
    row("Result<(), ()>", result(t, unit, unit), 1);
    let bools = t.tuple(&[bool, bool]);
    row("Option<(bool, bool)>", option(t, bools), 2);
    let byte_bool = t.tuple(&[u8, bool]);
    row("Option<(u8, bool)>", option(t, byte_bool), 2);
    let three = t.tuple(&[bool, bool, bool]);
    row("Option<[bool; 3]>", option(t, three), 3);
    row("(u8, u32, u8)", t.tuple(&[u8, u32, u8]), 8);
    row("A(bool, u32), B(u32)", sum(t, &[&[bool, u32], &[u32]]), 8);
    row("A(u8, bool), B(u8)", sum(t, &[&[u8, bool], &[u8]]), 2);
    row("A(u8, bool), B(u8), C", sum(t, &[&[u8, bool], &[u8], &[]]), 2);
    row("X(bool), Y, Z", sum(t, &[&[bool], &[], &[]]), 1);
    row("A(&u8), B, C", sum(t, &[&[pointer], &[], &[]]), 16);
    row("A(Void, u64), B(u32), C", sum(t, &[&[void, u64], &[u32], &[]]), 16);
    // What has no values has the room of what it holds.
    let (void_u64, void_u32) = (t.tuple(&[void, u64]), t.tuple(&[void, u32]));
    let u8_void_u32 = t.tuple(&[u8, void_u32]);
    let without = sum(t, &[&[void, u64]]);
    row("(Void, u64)", void_u64, 8);
    row("A((Void, u64)), B(u8)", sum(t, &[&[void_u64], &[u8]]), 16);
    row("A(Void, u64)", without, 8);
    row("A(X), B(u8) of X = A(Void, u64)", sum(t, &[&[without], &[u8]]), 16);
    row("A(X, u8), B(u8), C", sum(t, &[&[without, u8], &[u8], &[]]), 16);
    row("A((u8, (Void, u32))), C", sum(t, &[&[u8_void_u32], &[]]), 12);
    // A tag that is as wide as what follows it, and fields that are shifted as they are.
    let (some_u32, some_u64, some_u16, some_bool) = (option(t, u32), option(t, u64), option(t, u16), option(t, bool));
    row("A(bool, u32), B(Option<u32>)", sum(t, &[&[bool, u32], &[some_u32]]), 12);
    row("A(Option<bool>, u64), B(Option<u64>)", sum(t, &[&[some_bool, u64], &[some_u64]]), 24);
    row("A(Option<bool>, u16), B(Option<u16>)", sum(t, &[&[some_bool, u16], &[some_u16]]), 6);
    row("Nil, Cons(u32, Box)", list_of(t, 1, u32), 16);
    let tree = adt(t, 2);
    row("Leaf, Node(Box, Box)", define(t, 2, &[&[], &[tree, tree]]), 16);

    for (name, ty, bytes) in rows {
        let mut layouts = Layouts::new(Strategy::Aligned);
        let layout = layouts.of(&types, ty);
        assert!(layouts[layout].bits <= bytes * 8, "{name}: {} bits", layouts[layout].bits);
        assert_eq!(rust_bytes(&layouts, layout), bytes, "{name}");
    }
}

/// Rust leaves the last field of a tuple where it is, so that the niche of `(bool, u32)` is at its beginning, and D has
/// room behind it. Ours is behind the `u32`, as in a struct.
#[test]
fn where_rust_is_smaller() {
    let mut types = Types::default();
    let [bool, u16, u32] = [Dtype::Bool, Dtype::UInt16, Dtype::UInt32].map(|dtype| types.scalar(dtype));
    let (bool_u32, u16_bool) = (types.tuple(&[bool, u32]), types.tuple(&[u16, bool]));
    let ty = sum(&mut types, &[&[bool_u32], &[u16, u16_bool]]);
    let mut layouts = Layouts::new(Strategy::Aligned);
    let layout = layouts.of(&types, ty);
    assert_eq!((rust_bytes(&layouts, layout), layouts[layout].bits), (8, 96));
}

#[test]
fn codes_are_those_that_rust_gives() {
    let mut types = Types::default();
    let bool = types.scalar(Dtype::Bool);
    let option = sum(&mut types, &[&[bool], &[]]);
    let nested = sum(&mut types, &[&[option], &[]]);
    let mut layouts = Layouts::new(Strategy::Aligned);
    for (ty, none) in [(option, 2), (nested, 3)] {
        let layout = layouts.of(&types, ty);
        let crate::Kind::Sum { tag, variants } = &layouts[layout].kind else { panic!("a sum") };
        assert_eq!(*tag, crate::Tag::Niche { offset: 0, bits: 8, dataful: 0 });
        assert_eq!(variants[1].code, Some(none));
    }
    let nested = layouts.of(&types, nested);
    assert_eq!(layouts.spare(nested).map(|spare| (spare.first, spare.n)), Some((4, 252)));
}

mod anchors;
mod by_hand;
mod heap;
mod laws;
mod random;

use crate::{Constructor, Head, LayoutId, Layouts, Strategy, Types};
use ty::{AdtId, Dtype, Term, TermId, VariantId};

/// An anonymous sum of variants `0, 1, …` with these fields.
fn sum(types: &mut Types, variants: &[&[TermId]]) -> TermId {
    let variants: Vec<(VariantId, Vec<TermId>)> =
        (0..).zip(variants).map(|(name, fields)| (VariantId::numbered(name), fields.to_vec())).collect();
    types.sum(&variants)
}

/// The data type of this number, without parameters.
fn adt(types: &mut Types, number: u32) -> TermId {
    let args = types.list(&[]);
    types.intern(Term::Adt { adt: AdtId::numbered(number), args })
}

/// Defines a data type with these constructors, which are numbered from 100 times its own number on.
fn define(types: &mut Types, number: u32, constructors: &[&[TermId]]) -> TermId {
    let ty = adt(types, number);
    let constructor =
        |(place, fields): (u32, &&[TermId])| Constructor { number: number * 100 + place, fields: fields.to_vec() };
    types.define(ty, (0..).zip(constructors).map(constructor).collect());
    ty
}

fn list_of(types: &mut Types, number: u32, element: TermId) -> TermId {
    let list = adt(types, number);
    define(types, number, &[&[], &[element, list]])
}

fn fields(layouts: &Layouts, layout: LayoutId, variant: usize) -> Vec<(u32, u32)> {
    match &layouts[layout].kind {
        crate::Kind::Sum { variants, .. } => {
            variants[variant].fields.iter().map(|field| (field.offset, layouts[field.layout].bits)).collect()
        }
        kind => panic!("no sum: {kind:?}"),
    }
}

#[test]
fn spare_pointers_are_no_addresses() {
    let codes: Vec<u32> = (0..10).map(crate::spare_pointer).collect();
    assert_eq!(codes, [0, 1, 2, 3, 4, 5, 6, 7, 9, 10]);
    let all = crate::Spare::pointers(0);
    assert_eq!(all.code(all.n - 1), u32::MAX);
}

#[test]
fn a_list_is_a_sum_whose_tail_is_a_box() {
    let mut types = Types::default();
    let int32 = types.scalar(Dtype::Int32);
    let list = list_of(&mut types, 1, int32);

    let mut packed = Layouts::new(Strategy::Packed);
    let layout = packed.of(&types, list);
    assert_eq!(packed[layout].bits, 1 + 32 + 32);
    assert_eq!(fields(&packed, layout, 1), [(1, 32), (33, 32)]);
    let tail = packed.boxed(&types, list);
    assert_eq!(packed[tail].kind, crate::Kind::Box { content: layout, immediates: vec![Some(0), None] });
    assert_eq!(packed.content(&types, list), layout);

    let mut aligned = Layouts::new(Strategy::Aligned);
    let layout = aligned.of(&types, list);
    assert_eq!(aligned[layout].bits, 64);
    let crate::Kind::Sum { tag, variants } = &aligned[layout].kind else { panic!("a list is a sum") };
    assert_eq!(*tag, crate::Tag::Niche { offset: 0, bits: 32, dataful: 1 });
    // 0 is `Nil` in the tail, so the list itself says it with 1.
    assert_eq!(variants[0].code, Some(1));

    let mut uniform = Layouts::new(Strategy::Uniform);
    let layout = uniform.of(&types, list);
    let content = uniform.content(&types, list);
    assert_eq!(uniform[layout].kind, crate::Kind::Box { content, immediates: vec![Some(1), None] });
    assert_eq!(fields(&uniform, content, 1), [(32, 32), (64, 32)]);
    assert_eq!(uniform.boxed(&types, list), layout);
}

#[test]
fn types_in_no_cycle_are_stored_in_place() {
    let mut types = Types::default();
    let unit = types.tuple(&[]);
    let list = list_of(&mut types, 1, unit);
    let rose = adt(&mut types, 2);
    let children = list_of(&mut types, 3, rose);
    define(&mut types, 2, &[&[list, children]]);
    let mut layouts = Layouts::new(Strategy::Packed);
    let layout = layouts.of(&types, rose);
    // The list of units is outside the cycle of trees and lists of trees.
    assert_eq!(fields(&layouts, layout, 0), [(0, 1 + 32), (33, 32)]);
}

#[test]
fn a_cell_may_hold_what_holds_it() {
    for strategy in Strategy::ALL {
        let mut types = Types::default();
        let node = adt(&mut types, 1);
        let cell = types.reference(node);
        define(&mut types, 1, &[&[], &[cell]]);
        let mut layouts = Layouts::new(strategy);
        let layout = layouts.of(&types, cell);
        let content = layouts.of(&types, node);
        assert_eq!(layouts[layout].kind, crate::Kind::Ref { content });
        assert!(layouts[content].bits > 0);
    }
}

#[test]
fn what_has_no_values_is_not_stored() {
    for strategy in Strategy::ALL {
        let mut types = Types::default();
        let int32 = types.scalar(Dtype::Int32);
        let stream = adt(&mut types, 1);
        define(&mut types, 1, &[&[int32, stream]]);
        let extern_type = adt(&mut types, 2);
        let hole = types.nothing();
        let mut layouts = Layouts::new(strategy);
        for ty in [stream, extern_type, hole] {
            let layout = layouts.of(&types, ty);
            assert_eq!((layouts[layout].bits, &layouts[layout].kind), (0, &crate::Kind::Never));
            assert_eq!(layouts.boxed(&types, ty), layout);
            let option = sum(&mut types, &[&[], &[int32, ty]]);
            let content = layouts.content(&types, option);
            let crate::Kind::Sum { variants, .. } = &layouts[content].kind else { panic!("a sum") };
            let inhabited: Vec<bool> = variants.iter().map(|variant| variant.is_inhabited).collect();
            assert_eq!(inhabited, [true, false]);
            assert_eq!(variants[1].head, Head::Variant(VariantId::numbered(1)));
            let bits = if strategy == Strategy::Uniform { 32 } else { 0 };
            assert_eq!(layouts[content].bits, bits);
        }
    }
}

#[test]
fn ten_thousand_nested_sums() {
    for strategy in Strategy::ALL {
        let mut types = Types::default();
        let mut ty = sum(&mut types, &[&[], &[]]);
        for _ in 0..10_000 {
            ty = sum(&mut types, &[&[], &[ty]]);
        }
        let mut layouts = Layouts::new(strategy);
        let layout = layouts.of(&types, ty);
        let facts = crate::facts(&layouts, layout);
        assert_eq!((facts.cardinality, facts.min_bits), (Some(10_002), Some(14)));
        let bits = match strategy {
            Strategy::Packed => 10_001,
            // 254 codes of the innermost byte are spare, then one byte more is needed, and so on.
            Strategy::Aligned => 40 * 8,
            Strategy::Uniform => 32,
        };
        assert_eq!(facts.bits, bits);
        assert!(crate::structure(&layouts, layout).len() < 21_000);
    }
}

#[test]
fn what_doubles_with_each_line_is_boxed() {
    for strategy in Strategy::ALL {
        let mut types = Types::default();
        let mut ty = types.scalar(Dtype::Int64);
        for _ in 0..200 {
            ty = types.tuple(&[ty, ty]);
        }
        let mut layouts = Layouts::new(strategy);
        let layout = layouts.of(&types, ty);
        assert!(layouts[layout].bits <= 1 << 16);
        let facts = crate::facts(&layouts, layout);
        assert_eq!((facts.cardinality, facts.min_bits), (None, None));
    }
}

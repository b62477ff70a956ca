//! Sizes and bits of small types: those that A. Hafiz's article gives (`packed.rs` names it), and others that were
//! worked out by hand.

use super::heap::TestHeap;
use super::random::all;
use super::sum;
use crate::{Layouts, Strategy, Types, bit_string, encode, facts, structure};
use base::Join;
use ty::{Dtype, TermId};

fn packed(types: &Types, ty: TermId) -> (Layouts, crate::LayoutId) {
    let mut layouts = Layouts::new(Strategy::Packed);
    let layout = layouts.of(types, ty);
    (layouts, layout)
}

fn enumeration(types: &mut Types, n: usize) -> TermId {
    sum(types, &vec![&[][..]; n])
}

#[test]
fn two_variants_are_one_bit_and_four_are_two() {
    let mut types = Types::default();
    for (n, bits) in [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (9, 4), (32, 5)] {
        let ty = enumeration(&mut types, n);
        let (layouts, layout) = packed(&types, ty);
        assert_eq!(layouts[layout].bits, bits);
        assert_eq!(structure(&layouts, layout), format!("{bits} bit"));
    }
}

#[test]
fn the_example_of_four_bits() {
    let mut types = Types::default();
    let (two, four) = (enumeration(&mut types, 2), enumeration(&mut types, 4));
    let ty = sum(&mut types, &[&[two, two], &[four, two]]);
    let (layouts, layout) = packed(&types, ty);
    let facts = facts(&layouts, layout);
    assert_eq!((facts.bits, facts.tag_bits, facts.payload_bits, facts.padding_bits), (4, 1, 3, 0));
    assert_eq!((facts.cardinality, facts.min_bits), (Some(12), Some(4)));
    assert_eq!((facts.variants[0].payload_bits, facts.variants[0].padding_bits), (2, 1));
    assert_eq!(structure(&layouts, layout), "{ tag: 1 bit, union { { 1 bit, 1 bit } | { 2 bit, 1 bit } } }");
    assert_eq!(super::fields(&layouts, layout, 0), [(1, 1), (2, 1)]);
    assert_eq!(super::fields(&layouts, layout, 1), [(1, 2), (3, 1)]);
    let mut heap = TestHeap::default();
    let text = |value| bit_string(&layouts, layout, &encode(&layouts, &mut heap, layout, &value).expect("a value"));
    let texts: Vec<String> = all(&types, ty, &mut Vec::new()).into_iter().map(text).collect();
    let expected = "000x 001x 010x 011x 1000 1001 1010 1011 1100 1101 1110 1111";
    assert_eq!(texts.joined(" "), expected);
    assert_eq!(crate::rust_bytes(&layouts, layout), 3);
}

#[test]
fn one_variant_is_stored_as_its_fields() {
    let mut types = Types::default();
    let two = enumeration(&mut types, 2);
    let one = sum(&mut types, &[&[two]]);
    let tower = sum(&mut types, &[&[one]]);
    let (layouts, layout) = packed(&types, tower);
    assert_eq!((layouts[layout].bits, structure(&layouts, layout)), (1, "{ { 1 bit } }".to_owned()));
}

#[test]
fn variants_without_values_take_no_code() {
    let mut types = Types::default();
    let (void, two) = (types.nothing(), enumeration(&mut types, 2));
    let ty = sum(&mut types, &[&[void, two], &[two], &[]]);
    let (layouts, layout) = packed(&types, ty);
    let facts = facts(&layouts, layout);
    assert_eq!((facts.bits, facts.tag_bits, facts.cardinality), (2, 1, Some(3)));
    assert_eq!(structure(&layouts, layout), "{ tag: 1 bit, union { { 1 bit } | {} } }");
}

#[test]
fn more_values_than_a_number_of_128_bits_says() {
    let mut types = Types::default();
    let int64 = types.scalar(Dtype::Int64);
    let three = types.tuple(&[int64, int64, int64]);
    let option = sum(&mut types, &[&[], &[three]]);
    for (ty, bits) in [(three, 192), (option, 193)] {
        let (layouts, layout) = packed(&types, ty);
        let facts = facts(&layouts, layout);
        assert_eq!((facts.cardinality, facts.min_bits, facts.bits), (None, Some(bits), bits));
    }
    let bool = types.scalar(Dtype::Bool);
    let two = types.tuple(&[int64, bool]);
    let (layouts, layout) = packed(&types, two);
    assert_eq!(facts(&layouts, layout).cardinality, Some(1 << 65));
}

#[test]
fn words_of_ocaml() {
    let mut types = Types::default();
    let bool = types.scalar(Dtype::Bool);
    let option = super::define(&mut types, 1, &[&[], &[bool]]);
    let anonymous = sum(&mut types, &[&[], &[bool], &[bool, bool]]);
    let words = |ty| {
        let (layouts, layout) = packed(&types, ty);
        facts(&layouts, layout).variants.iter().map(|variant| variant.ocaml_words).collect::<Vec<_>>()
    };
    assert_eq!(words(option), [0, 2]);
    assert_eq!(words(anonymous), [0, 3, 6]);
}

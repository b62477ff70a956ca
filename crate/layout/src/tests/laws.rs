//! What holds of every type under every strategy.

use super::heap::TestHeap;
use super::random::{self, Random, make};
use super::{define, list_of};
use crate::{
    Head, Kind, LayoutId, Layouts, Strategy, Tag, Types, Words, decode, encode, facts, n_words, read_bits, rust_bytes,
    slice_bits, splice_bits, write_bits,
};
use base::HashMap;
use std::cell::RefCell;
use std::rc::Rc;
use ty::{Code, Dtype, Fields, Scalar, TermId, Value, VariantId, scalar_bits, scalar_of};

fn is_same(left: &Value, right: &Value) -> bool {
    let mut pairs = vec![(left.clone(), right.clone())];
    while let Some((left, right)) = pairs.pop() {
        let same = match (&left, &right) {
            (Value::Scalar(left, a), Value::Scalar(right, b)) => {
                left == right && scalar_bits(*left, *a) == scalar_bits(*right, *b)
            }
            (Value::Tensor(left), Value::Tensor(right)) => left == right,
            (Value::Tuple(left), Value::Tuple(right)) => push(&mut pairs, left, right),
            (Value::Data(a, left), Value::Data(b, right)) => a == b && push(&mut pairs, left, right),
            (Value::Variant(a, left), Value::Variant(b, right)) => a == b && push(&mut pairs, left, right),
            (_, _) => false,
        };
        if !same {
            return false;
        }
    }
    true
}

fn push(pairs: &mut Vec<(Value, Value)>, left: &Fields, right: &Fields) -> bool {
    pairs.extend(left.iter().cloned().zip(right.iter().cloned()));
    left.len() == right.len()
}

/// The bits that a value uses.
fn used(layouts: &Layouts, layout: LayoutId, words: &[u64]) -> Words {
    let bits = layouts[layout].bits;
    let mut mask = crate::zeros(bits);
    let Kind::Sum { tag, variants } = &layouts[layout].kind else {
        (0..bits).for_each(|bit| write_bits(&mut mask, bit, 1, 1));
        return mask;
    };
    let variant = &variants[crate::variant_of(layouts, layout, words)];
    assert!(variant.is_inhabited);
    if let (Some(_), Tag::Bits { offset, bits } | Tag::Niche { offset, bits, .. }) = (variant.code, *tag) {
        write_bits(&mut mask, offset, bits, u64::MAX);
    }
    for field in &variant.fields {
        let n = layouts[field.layout].bits;
        let part = used(layouts, field.layout, &slice_bits(words, field.offset, n));
        for bit in (0..n).filter(|&bit| read_bits(&part, bit, 1) == 1) {
            assert_eq!(read_bits(&mask, field.offset + bit, 1), 0, "bits are used twice");
            write_bits(&mut mask, field.offset + bit, 1, 1);
        }
    }
    mask
}

/// Encodes and decodes these values, which are all different.
fn check_values(layouts: &Layouts, layout: LayoutId, values: &[Value]) {
    let mut heap = TestHeap::default();
    let mut seen: HashMap<Words, usize> = HashMap::default();
    let mut texts: Vec<String> = Vec::new();
    for (number, value) in values.iter().enumerate() {
        let words = encode(layouts, &mut heap, layout, value).expect("a value of the type");
        assert_eq!(words.len(), n_words(layouts[layout].bits));
        let mask = used(layouts, layout, &words);
        assert!(words.iter().zip(&mask).all(|(word, mask)| word & !mask == 0), "unused bits are zero");
        assert!(is_same(&decode(layouts, &heap, layout, &words), value), "{value:?}");
        let text = crate::bit_string(layouts, layout, &words);
        assert_eq!(text.len(), layouts[layout].bits as usize);
        if number < 64 && !text.is_empty() {
            let may_be =
                |other: &String| other.bytes().zip(text.bytes()).all(|(a, b)| a == b || a == b'x' || b == b'x');
            let twin = texts.iter().position(may_be);
            assert!(twin.is_none_or(|other| is_same(&values[other], value)), "{value:?} is written {text}");
            texts.push(text);
        }
        let other = seen.get(&words).copied();
        seen.insert(words, number);
        if let Some(other) = other {
            assert!(is_same(&values[other], value), "{value:?} and {:?}", values[other]);
        }
    }
}

fn check_places(layouts: &Layouts) {
    for layout in layouts.table.iter() {
        if layouts.strategy != Strategy::Packed {
            assert!(layout.bits.is_multiple_of(8));
        }
        if layouts.strategy == Strategy::Aligned {
            assert!((layout.bits / 8).is_multiple_of(layout.align), "{layout:?}");
        }
        let Kind::Sum { tag, variants } = &layout.kind else { continue };
        for variant in variants.iter().filter(|variant| variant.is_inhabited) {
            let mut spans: Vec<(u32, u32)> =
                variant.fields.iter().map(|field| (field.offset, field.offset + layouts[field.layout].bits)).collect();
            if let (Some(_), Tag::Bits { offset, bits } | Tag::Niche { offset, bits, .. }) = (variant.code, *tag) {
                spans.push((offset, offset + bits));
            }
            spans.retain(|(from, to)| from < to);
            spans.sort_unstable();
            assert!(spans.iter().all(|&(_, to)| to <= layout.bits));
            assert!(spans.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{layout:?}");
            if layouts.strategy == Strategy::Aligned {
                let is_aligned = |field: &crate::Field| field.offset.is_multiple_of(layouts[field.layout].align * 8);
                assert!(variant.fields.iter().all(is_aligned));
            }
        }
    }
}

fn check_type(types: &Types, random: &mut Random, ty: TermId) -> bool {
    let mut is_small = false;
    for strategy in Strategy::ALL {
        let mut layouts = Layouts::new(strategy);
        let layout = layouts.of(types, ty);
        check_places(&layouts);
        let unasked = layouts.clone();
        let facts = facts(&layouts, layout);
        for part in layouts.table.ids() {
            let at_once = (crate::facts(&unasked.clone(), part), rust_bytes(&unasked.clone(), part));
            assert_eq!((crate::facts(&layouts, part), rust_bytes(&layouts, part)), at_once);
        }
        is_small = facts.cardinality.is_some_and(|n| n <= 1 << 16);
        let values = match is_small {
            true => random::all(types, ty, &mut Vec::new()),
            false => (0..50).filter_map(|_| random::value(types, random, ty, 7)).collect(),
        };
        if is_small {
            assert_eq!(facts.cardinality, Some(values.len() as u128));
            assert!(facts.min_bits <= Some(facts.bits));
        }
        check_values(&layouts, layout, &values);
        let spare = layouts.spare(layout);
        let is_spare = |words: &Words| match spare {
            Some(spare) if spare.offset + spare.bits <= layouts[layout].bits => {
                let code = read_bits(words, spare.offset, spare.bits) as u32;
                (0..spare.n.min(300)).any(|index| spare.code(index) == code)
            }
            Some(_) | None => false,
        };
        let mut heap = TestHeap::default();
        for value in values.iter().take(300) {
            let words = encode(&layouts, &mut heap, layout, value).expect("a value of the type");
            assert!(!is_spare(&words), "{value:?} has a spare code");
        }
    }
    is_small
}

#[test]
fn values_of_random_types() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut n_small, mut n_types) = (0, 0);
    while n_small < 300 {
        let mut types = Types::default();
        let named = random::data_types(&mut types, &mut random);
        let ty = random::ty(&mut types, &mut random, 3, &named);
        n_small += usize::from(check_type(&types, &mut random, ty));
        n_types += 1;
    }
    assert!(n_types > 400);
}

#[test]
fn bits_are_replaced_and_read() {
    let mut random = Random(7);
    let mut bits = [false; 300];
    let mut words = crate::zeros(300);
    for _ in 0..2_000 {
        let n = random.below(65) as u32;
        let offset = random.below(300 - n as usize) as u32;
        let value = ((random.below(1 << 31) as u64) << 33) ^ (random.below(1 << 31) as u64 * 5);
        write_bits(&mut words, offset, n, value);
        (0..n).for_each(|bit| bits[(offset + bit) as usize] = value >> bit & 1 == 1);
        let mask = if n == 64 { u64::MAX } else { (1 << n) - 1 };
        assert_eq!(read_bits(&words, offset, n), value & mask);
    }
    assert!((0..300).all(|bit| read_bits(&words, bit, 1) == u64::from(bits[bit as usize])));
    let part = slice_bits(&words, 37, 200);
    let mut copy = crate::zeros(300);
    splice_bits(&mut copy, 37, 200, &part);
    assert!((0..300).all(|bit| read_bits(&copy, bit, 1) == u64::from(bits[bit as usize] && (37..237).contains(&bit))));
}

#[test]
fn sixteen_bit_floats_are_those_of_their_formats() {
    for bits in 0..=u16::MAX {
        let pairs = [
            (Dtype::Float16, half::f16::from_bits(bits).to_f64()),
            (Dtype::BFloat16, half::bf16::from_bits(bits).to_f64()),
        ];
        for (dtype, value) in pairs {
            let Scalar::Float(found) = scalar_of(dtype, u64::from(bits)) else { panic!("a float") };
            if value.is_nan() {
                assert!(found.is_nan());
            } else {
                assert_eq!(found.to_bits(), value.to_bits());
                assert_eq!(scalar_bits(dtype, Scalar::Float(value)), u64::from(bits));
            }
        }
    }
    assert_eq!(scalar_bits(Dtype::Float16, Scalar::Float(f64::NAN)), 0x7e00);
    assert_eq!(scalar_bits(Dtype::BFloat16, Scalar::Float(-f64::NAN)), 0x7fc0);
    assert_eq!(scalar_bits(Dtype::Float32, Scalar::Float(-f64::NAN)), 0x7fc0_0000);
    assert_eq!(scalar_bits(Dtype::Int8, Scalar::Int(-1)), 0xff);
    assert_eq!(scalar_of(Dtype::UInt64, u64::MAX), Scalar::Int(-1));
}

#[test]
fn a_list_of_a_million() {
    for (strategy, n) in [(Strategy::Packed, 1_000), (Strategy::Aligned, 1_000_000), (Strategy::Uniform, 1_000)] {
        let mut types = Types::default();
        let int32 = types.scalar(Dtype::Int32);
        let list = list_of(&mut types, 1, int32);
        let mut value = make(Head::Constructor(100), Vec::new());
        for number in 0..n {
            value = make(Head::Constructor(101), vec![Value::int32(number), value]);
        }
        let mut layouts = Layouts::new(strategy);
        let layout = layouts.of(&types, list);
        let mut heap = TestHeap::default();
        let words = encode(&layouts, &mut heap, layout, &value).expect("a list");
        assert!(is_same(&decode(&layouts, &heap, layout, &words), &value));
    }
}

#[test]
fn shared_blocks_decode_to_shared_values() {
    let mut types = Types::default();
    let tree = super::adt(&mut types, 1);
    define(&mut types, 1, &[&[], &[tree, tree]]);
    let mut layouts = Layouts::new(Strategy::Aligned);
    let layout = layouts.of(&types, tree);
    let boxed = layouts.boxed(&types, tree);
    let mut heap = TestHeap::default();
    let mut words = encode(&layouts, &mut heap, layout, &make(Head::Constructor(100), Vec::new())).expect("a leaf");
    // Each level has twice the leaves of the one before.
    for _ in 0..60 {
        let pointer = crate::immediate_of(&layouts, boxed, &words);
        let pointer = pointer.unwrap_or_else(|| crate::Heap::new_block(&mut heap, layout, &words));
        let field: Words = [u64::from(pointer)][..].into();
        words = crate::pack(&layouts, layout, 1, &[field.clone(), field]);
    }
    let mut value = decode(&layouts, &heap, layout, &words);
    let mut depth = 0;
    while let Value::Data(101, fields) = value.clone() {
        value = fields[0].clone();
        depth += 1;
    }
    assert_eq!(depth, 60);
}

#[test]
fn cells_are_shared_and_may_be_cyclic() {
    for strategy in Strategy::ALL {
        let mut types = Types::default();
        let node = super::adt(&mut types, 1);
        let cell = types.reference(node);
        define(&mut types, 1, &[&[], &[cell, cell]]);
        let mut layouts = Layouts::new(strategy);
        let (layout, inner) = (layouts.of(&types, cell), layouts.of(&types, node));
        let leaf = Value::Ref(Rc::new(RefCell::new(make(Head::Constructor(100), Vec::new()))));
        let pair = make(Head::Constructor(101), vec![leaf.clone(), leaf]);
        let mut heap = TestHeap::default();
        let words = encode(&layouts, &mut heap, inner, &pair).expect("a pair of one cell");
        assert_eq!(heap.n_retained, 1);
        let Value::Data(101, fields) = decode(&layouts, &heap, inner, &words) else { panic!("a pair") };
        let (Value::Ref(left), Value::Ref(right)) = (&fields[0], &fields[1]) else { panic!("cells") };
        assert!(Rc::ptr_eq(left, right));

        let whole = encode(&layouts, &mut heap, layout, &Value::Ref(Rc::new(RefCell::new(pair)))).expect("a cell");
        let content = crate::Heap::cell(&heap, whole[0] as u32, n_words(layouts[inner].bits));
        // A node of two cells, both of which are the cell that it is in.
        let mut block = None;
        if let Kind::Box { content, .. } = &layouts[inner].kind {
            block = Some(*content);
        }
        let node = crate::pack(&layouts, block.unwrap_or(inner), 1, &[whole.clone(), whole.clone()]);
        match block {
            Some(_) => heap.set(content[0] as u32, &node),
            None => heap.set(whole[0] as u32, &node),
        }
        let Value::Ref(cyclic) = decode(&layouts, &heap, layout, &whole) else { panic!("a cell") };
        let again = match &*cyclic.borrow() {
            Value::Data(101, fields) => fields[1].clone(),
            value => panic!("{value:?}"),
        };
        assert!(matches!(&again, Value::Ref(again) if Rc::ptr_eq(again, &cyclic)));
        assert_eq!(encode(&layouts, &mut heap, layout, &again), Err(crate::CodeError::Cycle));
        cyclic.replace(Value::unit());
    }
}

#[test]
fn what_has_no_bits_is_refused() {
    let mut types = Types::default();
    let int32 = types.scalar(Dtype::Int32);
    let func = types.func(&[int32], int32);
    let mut layouts = Layouts::new(Strategy::Packed);
    let (number, function) = (layouts.of(&types, int32), layouts.of(&types, func));
    let mut heap = TestHeap::default();
    let value = decode(&layouts, &heap, function, &[16]);
    assert!(matches!(value, Value::Func(Code::Function(16), _)));
    assert_eq!(encode(&layouts, &mut heap, function, &value), Err(crate::CodeError::Function));
    assert_eq!(encode(&layouts, &mut heap, number, &Value::unit()), Err(crate::CodeError::Mismatch));
}

#[test]
fn under_uniform_a_value_has_the_same_bits_in_every_sum() {
    let mut types = Types::default();
    let (int8, int32) = (types.scalar(Dtype::Int8), types.scalar(Dtype::Int32));
    let small = types.sum(&[(VariantId::numbered(3), vec![]), (VariantId::numbered(7), vec![int8])]);
    let large = types.sum(&[
        (VariantId::numbered(1), vec![]),
        (VariantId::numbered(3), vec![]),
        (VariantId::numbered(5), vec![int32, int32]),
        (VariantId::numbered(7), vec![int8]),
    ]);
    let mut layouts = Layouts::new(Strategy::Uniform);
    let (small, large) = (layouts.of(&types, small), layouts.of(&types, large));
    let mut heap = TestHeap::default();
    let constant = make(Head::Variant(VariantId::numbered(3)), Vec::new());
    for layout in [small, large] {
        assert_eq!(encode(&layouts, &mut heap, layout, &constant).expect("a constant")[0], 7);
    }
    let number = Value::Scalar(Dtype::Int8, Scalar::Int(-1));
    let value = make(Head::Variant(VariantId::numbered(7)), vec![number]);
    for (layout, words) in [(small, vec![7 | 0x1ff << 32]), (large, vec![7 | 0x1ff << 32, 0])] {
        let pointer = encode(&layouts, &mut heap, layout, &value).expect("a block")[0] as u32;
        assert_eq!(crate::Heap::block(&heap, pointer, words.len()).to_vec(), words);
    }
}

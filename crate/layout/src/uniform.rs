//! `uniform`: every variable and every field is a word of 32 bits, as in OCaml.
//!
//! A variant without fields is an odd word; others are pointers to a block. An anonymous variant's code is the number
//! of its name in the whole program, so that a value has the same bits in every sum that it belongs to.
//!
//! Worked example: in `type T { A, B(int8), C }` A is 1, C is 3, and B a pointer to a word 1 (its place) and the field.

use crate::layout::{Field, Tag, Variant};
use crate::layouts::{Case, Plan};
use crate::types::Head;
use base::ToList;

const WORD: u32 = 32;

/// The layout of the block.
pub(crate) fn plan(cases: &[Case]) -> Plan {
    let has_tag = match cases {
        [case] => matches!(case.head, Head::Variant(_)),
        _ => true,
    };
    let first = if has_tag { WORD } else { 0 };
    let mut bits = first;
    let mut variants = Vec::with_capacity(cases.len());
    for (place, case) in (0_u32..).zip(cases) {
        let place = match case.head {
            Head::Variant(name) => name.number(),
            Head::Constructor(_) | Head::Tuple | Head::Functions => place,
        };
        let mut offset = first;
        let field = |&layout| {
            let field = Field { offset: if case.is_inhabited { offset } else { 0 }, layout };
            offset += WORD;
            field
        };
        let fields = case.fields.iter().map(field).list();
        let code = (has_tag && case.is_inhabited).then_some(place);
        variants.push(Variant { head: case.head, code, is_inhabited: case.is_inhabited, fields });
        if case.is_inhabited {
            bits = bits.max(offset);
        }
    }
    let tag = if has_tag { Tag::Bits { offset: 0, bits: WORD } } else { Tag::None };
    Plan { bits, align: 4, tag, variants, spare: None }
}

/// The words of the variants without fields.
pub(crate) fn immediates(cases: &[Case]) -> Vec<Option<u32>> {
    let mut n_constants = 0;
    let immediate = |case: &Case| {
        case.fields.is_empty().then(|| {
            n_constants += 1;
            match case.head {
                Head::Variant(name) => 2 * name.number() + 1,
                Head::Constructor(_) | Head::Tuple | Head::Functions => 2 * n_constants - 1,
            }
        })
    };
    cases.iter().map(immediate).list()
}

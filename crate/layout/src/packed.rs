//! `packed`: a tag of ⌈log2 n⌉ bits, then the fields, one after the other. It is the layout of A. Hafiz, *Simple
//! Refinement of Anonymous Sum Types in Pattern Matches*, 2022, "Compilation model", as is the example.
//!
//! Worked example: `[A [B, C] [B, C], D [E, F, G, H] [I, J]]` has a tag of 1 bit; `A` has fields of 1 bit at 1 and 2,
//! `D` one of 2 bits at 1 and one of 1 bit at 3; so 4 bits.

use crate::layout::{Codes, Field, Spare, Tag, Variant};
use crate::layouts::{Case, Layouts, Plan};
use base::ToList;

/// How many bits it takes to tell `n` things apart.
pub(crate) fn tag_bits(n: usize) -> u32 {
    n.max(1).next_power_of_two().trailing_zeros()
}

pub(crate) fn plan(layouts: &Layouts, cases: &[Case]) -> Plan {
    let n_inhabited = cases.iter().count_where(|case| case.is_inhabited);
    let tag_bits = tag_bits(n_inhabited);
    let (mut bits, mut n_codes) = (tag_bits, 0);
    let mut variants = Vec::with_capacity(cases.len());
    for case in cases {
        let mut offset = tag_bits;
        let field = |&layout| {
            let field = Field { offset: if case.is_inhabited { offset } else { 0 }, layout };
            offset += layouts[layout].bits;
            field
        };
        let fields = case.fields.iter().map(field).list();
        let has_code = case.is_inhabited && tag_bits > 0;
        let code = has_code.then_some(n_codes);
        variants.push(Variant { head: case.head, code, is_inhabited: case.is_inhabited, fields });
        if case.is_inhabited {
            bits = bits.max(offset);
            n_codes += 1;
        }
    }
    let tag = if tag_bits == 0 { Tag::None } else { Tag::Bits { offset: 0, bits: tag_bits } };
    let spare = Spare::some(Spare {
        offset: 0,
        bits: tag_bits,
        codes: Codes::Numbers,
        first: n_codes,
        n: (1_u64 << tag_bits) as u32 - n_codes,
    });
    Plan { bits, align: 1, tag, variants, spare }
}

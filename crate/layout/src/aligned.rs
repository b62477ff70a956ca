//! `aligned`: bytes, natural alignment, niches, as Rust lays out its enums.
//!
//! A sum of several variants with values is laid out twice, and the smaller one is taken; of two equal ones that with
//! more spare codes left, the tag if that is equal too:
//! - with a tag of 1, 2 or 4 bytes in front;
//! - with the variants told apart by spare codes in a field of the longest variant, if the fields of all the others fit
//!   before or behind that field.
//!
//! Worked example: `[A(bool), B]` is 1 byte: 0 and 1 are A's `bool`, 2 is B. Around it `[None, Some([A(bool), B])]` is
//! 1 byte too: 3 is `None`.

use crate::layout::{Codes, Field, LayoutId, Spare, Tag, Variant};
use crate::layouts::{Case, Layouts, Plan};
use base::ToList;

/// What is stored in a field.
#[derive(Clone, Copy)]
struct Part {
    pub bytes: u32,
    /// At most 8.
    pub align: u32,
    pub spare: Option<Spare>,
}

/// Where everything in a sum is, in bytes.
struct Placed {
    pub bytes: u32,
    pub align: u32,
    pub tag: Tag,
    pub spare: Option<Spare>,
    /// By variant, then field.
    pub offsets: Vec<Vec<u32>>,
    /// By variant.
    pub codes: Vec<Option<u32>>,
}

/// Which field is placed at an end, whatever the alignments.
#[derive(Clone, Copy)]
enum End {
    Neither,
    First(usize),
    Last(usize),
}

pub(crate) fn plan(layouts: &Layouts, cases: &[Case]) -> Plan {
    let part = |&layout: &LayoutId| {
        let entry = &layouts[layout];
        Part { bytes: entry.bits / 8, align: entry.align, spare: layouts.spare(layout) }
    };
    let parts = |case: &Case| case.is_inhabited.then(|| case.fields.iter().map(part).list());
    let placed = place(&cases.iter().map(parts).list());
    let mut variants = Vec::with_capacity(cases.len());
    for ((case, offsets), code) in cases.iter().zip(placed.offsets).zip(placed.codes) {
        // A variant without values has no places.
        let places = offsets.into_iter().chain(std::iter::repeat(0));
        let fields = case.fields.iter().zip(places).map(|(&layout, place)| Field { offset: place * 8, layout });
        variants.push(Variant { head: case.head, code, is_inhabited: case.is_inhabited, fields: fields.list() });
    }
    Plan { bits: placed.bytes * 8, align: placed.align, tag: placed.tag, variants, spare: placed.spare }
}

/// Places the parts of the variants; `None` are variants that take no part in it.
fn place(variants: &[Option<Vec<Part>>]) -> Placed {
    let present = variants.iter().flatten();
    let (n_present, align) = (present.clone().count() as u32, present.flatten().map(|part| part.align).max());
    let align = align.unwrap_or(1);
    if n_present < 2 {
        return without_tag(variants, align);
    }
    let tagged = with_tag(variants, align, n_present);
    match with_niche(variants, align, n_present) {
        Some(niche) if (niche.bytes, !n_spare(niche.spare)) < (tagged.bytes, !n_spare(tagged.spare)) => niche,
        Some(_) | None => tagged,
    }
}

fn n_spare(spare: Option<Spare>) -> u32 {
    spare.map_or(0, |spare| spare.n)
}

fn without_tag(variants: &[Option<Vec<Part>>], align: u32) -> Placed {
    let (mut end, mut spare) = (0, None);
    let mut offsets: Vec<Vec<u32>> = base::filled(Vec::new(), variants.len());
    for (places, parts) in offsets.iter_mut().zip(variants) {
        if let Some(parts) = parts {
            (*places, end) = in_a_row(parts, 0, End::Neither);
            spare = widest(parts).and_then(|at| spare_at(parts, places, at));
        }
    }
    let codes = base::filled(None, variants.len());
    Placed { bytes: end.next_multiple_of(align), align, tag: Tag::None, spare, offsets, codes }
}

fn with_tag(variants: &[Option<Vec<Part>>], align: u32, n_present: u32) -> Placed {
    let bytes = match n_present {
        0..=0x100 => 1,
        0x101..=0x1_0000 => 2,
        _ => 4,
    };
    let (align, bits) = (align.max(bytes), bytes * 8);
    let (mut longest, mut n_codes) = (bytes, 0);
    let mut offsets = Vec::with_capacity(variants.len());
    let mut codes = Vec::with_capacity(variants.len());
    for parts in variants {
        let Some(parts) = parts else {
            offsets.push(Vec::new());
            codes.push(None);
            continue;
        };
        let (places, end) = in_a_row(parts, bytes, End::Neither);
        longest = longest.max(end);
        offsets.push(places);
        codes.push(Some(n_codes));
        n_codes += 1;
    }
    let n_unused = ((1_u64 << bits) - u64::from(n_present)) as u32;
    let spare = Spare { offset: 0, bits, codes: Codes::Numbers, first: n_present, n: n_unused };
    Placed {
        bytes: longest.next_multiple_of(align),
        align,
        tag: Tag::Bits { offset: 0, bits },
        spare: Spare::some(spare),
        offsets,
        codes,
    }
}

fn with_niche(variants: &[Option<Vec<Part>>], align: u32, n_present: u32) -> Option<Placed> {
    let mut alone: Vec<(Vec<u32>, u32)> = Vec::with_capacity(variants.len());
    let (mut dataful, mut most) = (0, (0, 0));
    for (number, parts) in variants.iter().enumerate() {
        let Some(parts) = parts else {
            alone.push((Vec::new(), 0));
            continue;
        };
        let (places, end) = in_a_row(parts, 0, End::Neither);
        let merit = (end, widest(parts).map_or(0, |at| n_spare(parts[at].spare)));
        if merit > most {
            (dataful, most) = (number, merit);
        }
        alone.push((places, end));
    }
    let parts = variants[dataful].as_ref()?;
    let niche = widest(parts).filter(|&at| n_spare(parts[at].spare) >= n_present - 1)?;
    let mut best: Option<Placed> = None;
    for end in [End::Neither, End::First(niche), End::Last(niche)] {
        let found = around(variants, &alone, dataful, niche, end, align, n_present);
        let is_better = |found: &Placed| best.as_ref().is_none_or(|best| found.bytes < best.bytes);
        if let Some(found) = found.filter(is_better) {
            best = Some(found);
        }
    }
    best
}

/// The layout with the niche in this field of this variant, which is placed at this end; the others go before or
/// behind it. `alone` are the variants by themselves, from 0 on.
fn around(
    variants: &[Option<Vec<Part>>],
    alone: &[(Vec<u32>, u32)],
    dataful: usize,
    niche: usize,
    end: End,
    align: u32,
    n_present: u32,
) -> Option<Placed> {
    let parts = variants[dataful].as_ref()?;
    let (places, bytes) = in_a_row(parts, 0, end);
    let bytes = bytes.next_multiple_of(align);
    let spare = spare_at(parts, &places, niche)?;
    let (from, to) = (spare.offset / 8, (spare.offset + spare.bits) / 8);
    let mut n_codes = 0;
    let mut offsets = Vec::with_capacity(variants.len());
    let mut codes = Vec::with_capacity(variants.len());
    for (number, parts) in variants.iter().enumerate() {
        let Some(parts) = parts.as_ref().filter(|_| number != dataful) else {
            offsets.push(if number == dataful { places.clone() } else { Vec::new() });
            codes.push(None);
            continue;
        };
        let (before, end) = &alone[number];
        if *end <= from {
            offsets.push(before.clone());
        } else {
            let (behind, end) = in_a_row(parts, to, End::Neither);
            if end > bytes {
                return None;
            }
            offsets.push(behind);
        }
        codes.push(Some(spare.code(n_codes)));
        n_codes += 1;
    }
    let tag = Tag::Niche { offset: spare.offset, bits: spare.bits, dataful };
    Some(Placed { bytes, align, tag, spare: spare.without(n_present - 1), offsets, codes })
}

/// The part with the most spare codes.
fn widest(parts: &[Part]) -> Option<usize> {
    let mut best = None;
    for (at, part) in parts.iter().enumerate() {
        if n_spare(part.spare) > best.map_or(0, |best: usize| n_spare(parts[best].spare)) {
            best = Some(at);
        }
    }
    best
}

fn spare_at(parts: &[Part], places: &[u32], at: usize) -> Option<Spare> {
    parts[at].spare.map(|spare| Spare { offset: places[at] * 8 + spare.offset, ..spare })
}

/// Places parts from `start` on: each time the one of the largest alignment that needs no padding here, of these the
/// one with the most spare codes first, then as declared. So from 0 on there is no padding. Also the first place behind
/// them.
fn in_a_row(parts: &[Part], start: u32, end: End) -> (Vec<u32>, u32) {
    let mut offsets = base::filled(start, parts.len());
    let mut at = start;
    let mut put = |part: usize, at: &mut u32| {
        offsets[part] = at.next_multiple_of(parts[part].align);
        *at = offsets[part] + parts[part].bytes;
    };
    let (first, last) = match end {
        End::Neither => (widest(parts), None),
        End::First(part) => {
            put(part, &mut at);
            (None, Some(part))
        }
        End::Last(part) => (None, Some(part)),
    };
    // By alignment 1, 2, 4 and 8, the next one at the end.
    let mut waiting: [Vec<usize>; 4] = Default::default();
    let behind = (0..parts.len()).rev().filter(|&part| Some(part) != first && Some(part) != last);
    for part in behind.chain(first) {
        if parts[part].bytes > 0 {
            waiting[parts[part].align.trailing_zeros() as usize % 4].push(part);
        }
    }
    loop {
        let fits = |power: usize| at.is_multiple_of(1 << power);
        let next = (0..4).rev().find(|&power| fits(power) && !waiting[power].is_empty());
        let next = next.or_else(|| (0..4).find(|&power| !waiting[power].is_empty()));
        let Some(part) = next.and_then(|power| waiting[power].pop()) else { break };
        put(part, &mut at);
    }
    if let End::Last(part) = end {
        put(part, &mut at);
    }
    (offsets, at)
}

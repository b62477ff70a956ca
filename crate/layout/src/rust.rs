//! What a type takes in Rust: the layouts of rustc 1.95 on a 64-bit machine, with a `Box` or reference for every
//! pointer.
//!
//! After `rustc_abi::layout` of the Rust compiler, for enums and tuples without attributes. Fields are sorted by
//! alignment, those with the widest niche first, or last where that leaves more room beside it. An enum is laid out
//! with a tag as wide as what stands behind it allows, and with its variants told apart in the widest niche of the
//! largest variant, if each of the others fits, as it is, before or behind that niche; the smaller layout is taken, and
//! of two equal ones that with the wider niche.
//!
//! Worked example: `enum T { A(bool, i32), B(Option<i32>) }` takes 12 bytes. The tag of the `Option` is 4 bytes wide,
//! since an `i32` follows, and behind it there is no room for A's 8.
//!
//! What is uninhabited has the room of its fields in Rust, if it has fields of some bytes, though it takes nothing elsewhere.

use crate::facts::children_first;
use crate::layout::{Kind, LayoutId};
use crate::layouts::{Case, Layouts};
use crate::types::Head;
use base::{Append, IndexVec, ToList};
use ty::Dtype;

/// A type; sizes, alignments and places are bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Type {
    size: u64,
    align: u64,
    niche: Option<Niche>,
}

/// A place whose bits could say more than the values there are.
#[derive(Clone, Copy, Debug)]
struct Niche {
    offset: u64,
    size: u64,
    /// How many values these bits could have besides, at most 2⁶⁴ - 1.
    available: u64,
}

/// Which end of a struct a niche is wanted at.
#[derive(Clone, Copy, PartialEq)]
enum Bias {
    Start,
    End,
}

/// What fields are sorted for.
#[derive(Clone, Copy)]
enum Form {
    Struct,
    /// The last field stays where it is.
    Tuple,
    /// Behind a tag of so many bytes.
    Variant(u64),
}

/// Fields with their places.
struct Struct {
    ty: Type,
    offsets: Vec<u64>,
}

/// The bytes that the type of a layout has in Rust.
pub fn rust_bytes(layouts: &Layouts, root: LayoutId) -> u32 {
    let types = layouts.rust_types.get_or_init(|| types(layouts));
    u32::try_from(types[root].size).unwrap_or(u32::MAX)
}

/// Of all layouts, what is held before what holds it.
fn types(layouts: &Layouts) -> IndexVec<LayoutId, Type> {
    let nothing = Type { size: 0, align: 1, niche: None };
    let mut types = IndexVec::filled(nothing, layouts.table.len());
    let cases: Vec<Vec<Case>> = layouts.table.ids().map(|layout| cases_of(layouts, layout)).list();
    let cases = |layout: LayoutId| &cases[layout.number() as usize];
    let order = children_first(layouts, |layout, parts| {
        parts.append_all(cases(layout).iter().flat_map(|case| case.fields.iter().copied()));
    });
    for layout in order {
        let ty = match &layouts[layout].kind {
            Kind::Scalar(dtype) | Kind::Immediate(dtype) => scalar(*dtype),
            Kind::Sum { .. } | Kind::Never => sum(cases(layout), &types),
            Kind::Tensor | Kind::Closure | Kind::Ref { .. } | Kind::Box { .. } | Kind::Token { .. } => {
                Type { size: 8, align: 8, niche: Some(Niche { offset: 0, size: 8, available: 1 }) }
            }
        };
        types[layout] = ty;
    }
    types
}

/// What a layout holds in place, whether or not it has values.
fn cases_of(layouts: &Layouts, layout: LayoutId) -> Vec<Case> {
    match &layouts[layout].kind {
        Kind::Sum { variants, .. } => {
            let cases = variants.iter().map(|variant| Case {
                head: variant.head,
                is_inhabited: variant.is_inhabited,
                fields: variant.fields.iter().map(|field| field.layout).list(),
            });
            cases.list()
        }
        Kind::Never => layouts.without_values.get(&layout).cloned().unwrap_or_default(),
        _ => Vec::new(),
    }
}

fn scalar(dtype: Dtype) -> Type {
    let size = u64::from(dtype.bits().div_ceil(8));
    let niche = (dtype == Dtype::Bool).then_some(Niche { offset: 0, size, available: 254 });
    Type { size, align: size, niche }
}

fn sum(cases: &[Case], types: &IndexVec<LayoutId, Type>) -> Type {
    let fields = |case: &Case| case.fields.iter().map(|&field| types[field]).list();
    if let [Case { head: Head::Tuple | Head::Functions, .. }] = cases {
        return structure(&fields(&cases[0]), Form::Tuple).ty;
    }
    let cases: Vec<(Vec<Type>, bool)> = cases.iter().map(|case| (fields(case), case.is_inhabited)).list();
    // A variant without values is not there, unless it has fields of some bytes.
    let is_present =
        |(fields, has_values): &(Vec<Type>, bool)| *has_values || fields.iter().any(|field| field.size > 0);
    let present: Vec<usize> = (0..cases.len()).filter(|&at| is_present(&cases[at])).list();
    match present[..] {
        [] => Type { size: 0, align: 1, niche: None },
        [one] => structure(&cases[one].0, Form::Struct).ty,
        [..] => {
            let tagged = tagged(&cases);
            let available = |ty: &Type| ty.niche.map_or(0, |niche| niche.available);
            match in_niche(&cases, &present) {
                Some(other) if [other.size, !available(&other)] < [tagged.size, !available(&tagged)] => other,
                Some(_) | None => tagged,
            }
        }
    }
}

/// With a tag in front.
fn tagged(cases: &[(Vec<Type>, bool)]) -> Type {
    let with_values: Vec<usize> = (0..cases.len()).filter(|&at| cases[at].1).list();
    let (min, max) = (with_values.first().map_or(0, |&at| at), with_values.last().map_or(0, |&at| at));
    let least: u64 = match max {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        _ => 4,
    };
    let structs: Vec<Struct> = cases.iter().map(|(fields, _)| structure(fields, Form::Variant(least))).list();
    let align = structs.iter().map(|it| it.ty.align).max().unwrap_or(1);
    // The tag is as wide as the first fields leave room for.
    let first_align = |(fields, it): (&Vec<Type>, &Struct)| {
        let stored = fields.iter().zip(&it.offsets).filter(|(field, _)| field.size > 0 || field.align > 1);
        stored.min_by_key(|(_, offset)| **offset).map(|(field, _)| field.align)
    };
    let room = cases.iter().map(|(fields, _)| fields).zip(&structs).filter_map(first_align).min();
    let tag = room.filter(|&room| room > least && room <= 8).unwrap_or(least);
    let size = structs.iter().map(|it| it.ty.size.max(tag)).max().unwrap_or(tag).next_multiple_of(align);
    let available = (u64::MAX >> (64 - 8 * tag)) - (max - min) as u64;
    Type { size, align, niche: Some(Niche { offset: 0, size: tag, available }).filter(|niche| niche.available > 0) }
}

/// With the variants told apart in the niche of the largest.
fn in_niche(cases: &[(Vec<Type>, bool)], present: &[usize]) -> Option<Type> {
    let structs: Vec<Struct> = cases.iter().map(|(fields, _)| structure(fields, Form::Struct)).list();
    let align = structs.iter().map(|it| it.ty.align).max()?;
    let largest = (0..structs.len()).max_by_key(|&at| structs[at].ty.size)?;
    let mut others = present.iter().copied().filter(|&at| at != largest);
    let first = others.next()?;
    let last = others.next_back().unwrap_or(first);
    // Codes are given to all from the first of them to the last.
    let n_codes = (last - first + 1) as u64;
    let niche = structs[largest].ty.niche.filter(|niche| niche.available >= n_codes)?;
    let size = structs[largest].ty.size.next_multiple_of(align);
    let fits = |at: usize| {
        let ty = &structs[at].ty;
        let behind = (niche.offset + niche.size).next_multiple_of(ty.align);
        at == largest || ty.size <= niche.offset || behind + ty.size <= size
    };
    let left = Niche { available: niche.available - n_codes, ..niche };
    (0..structs.len()).all(fits).then_some(Type { size, align, niche: Some(left).filter(|left| left.available > 0) })
}

/// Fields in the order that rustc gives them.
fn structure(fields: &[Type], form: Form) -> Struct {
    let found = biased(fields, form, Bias::Start);
    let Some(niche) = found.ty.niche.filter(|_| !matches!(form, Form::Tuple) && fields.len() > 1) else { return found };
    let room = |ty: &Type, niche: &Niche| (niche.offset, ty.size - niche.offset - niche.size);
    let (before, behind) = room(&found.ty, &niche);
    if before == 0 || behind == 0 {
        return found;
    }
    let other = biased(fields, form, Bias::End);
    match other.ty.niche.map(|niche| room(&other.ty, &niche)) {
        Some((other_before, other_behind)) if other_before.min(other_behind) < before.min(behind) => other,
        Some(_) | None => found,
    }
}

fn biased(fields: &[Type], form: Form, bias: Bias) -> Struct {
    let available = |field: &Type| field.niche.map_or(0, |niche| niche.available);
    let mut order: Vec<usize> = (0..fields.len()).list();
    let n_sorted = if matches!(form, Form::Tuple) { fields.len().saturating_sub(1) } else { fields.len() };
    let sorted = &fields[..n_sorted];
    let max_align = sorted.iter().map(|field| field.align).max().unwrap_or(1);
    let widest = sorted.iter().map(available).max().unwrap_or(0);
    // What is as long as a larger alignment goes with fields of that.
    let group = |field: &Type| {
        let by_size = field.align.max(field.size).trailing_zeros();
        u64::from(match bias {
            _ if widest == 0 => by_size,
            Bias::Start => by_size.min(max_align.trailing_zeros()),
            Bias::End if available(field) == widest => field.align.trailing_zeros(),
            Bias::End => by_size,
        })
    };
    // Of widths that are equal the one that is nearest to the end wanted.
    let key = |&at: &usize| {
        let field = &fields[at];
        let (width, place) = match (bias, field.niche) {
            (Bias::Start, niche) => (!available(field), niche.map_or(0, |niche| niche.offset)),
            (Bias::End, None) => (0, 0),
            (Bias::End, Some(niche)) => (niche.available, !(field.size - niche.size - niche.offset)),
        };
        match form {
            Form::Variant(_) => [group(field), available(field), 0, 0],
            Form::Struct | Form::Tuple => [u64::from(field.size > 0), u64::MAX - group(field), width, place],
        }
    };
    // The first part of a key decides, and of equal ones the next: equal ones keep the order that the later parts gave.
    for part in (0..4).rev() {
        base::sort_by_key(&mut order[..n_sorted], |at| key(at)[part]);
    }
    let mut offset = if let Form::Variant(tag) = form { tag } else { 0 };
    let mut align = offset.max(1);
    let mut niche: Option<Niche> = None;
    let mut offsets = base::filled(0, fields.len());
    for at in order {
        let field = fields[at];
        offset = offset.next_multiple_of(field.align);
        align = align.max(field.align);
        offsets[at] = offset;
        if let Some(own) = field.niche {
            let most = niche.map_or(0, |niche| niche.available);
            if own.available > most || own.available == most && bias == Bias::End {
                niche = Some(Niche { offset: own.offset + offset, ..own });
            }
        }
        offset += field.size;
    }
    Struct { ty: Type { size: offset.next_multiple_of(align), align, niche }, offsets }
}

//! Whether an `as` has anything to do.
//!
//! Worked example: `` `B `` of `` [`A, `B, `C] `` and of `` [`A, `B, `D] `` is the code 1 in 2 bits, so such a value
//! changes its type and no bit; of `` [`B, `C] `` it is the code 0 in 1 bit.

use crate::layout::{Kind, LayoutId, Strategy, Variant};
use crate::layouts::Layouts;
use base::{Append, HashSet};

impl Layouts {
    /// Whether every value that the types of two layouts share has the same bits in both. Under `uniform` a block may
    /// then be larger or smaller than the content of a box that it is used for; the values that fit both fit it.
    pub fn has_same_bits(&self, from: LayoutId, to: LayoutId) -> bool {
        let mut pairs = vec![(from, to)];
        let mut seen: HashSet<(LayoutId, LayoutId)> = HashSet::default();
        while let Some((from, to)) = pairs.pop() {
            if from == to || !seen.insert((from, to)) {
                continue;
            }
            let (a, b) = (&self[from], &self[to]);
            match (&a.kind, &b.kind) {
                (Kind::Sum { tag, variants }, Kind::Sum { tag: other_tag, variants: others }) => {
                    let has_size = a.bits == b.bits || self.strategy == Strategy::Uniform;
                    if !has_size {
                        return false;
                    }
                    for (variant, other) in shared(variants, others) {
                        let (variant, other) = (&variants[variant], &others[other]);
                        let fields = || variant.fields.iter().zip(&other.fields);
                        // What has no code of its own has the same bits however others are told from it.
                        let is_told_alike = tag == other_tag || variant.code.is_none();
                        if !is_told_alike || variant.code != other.code || fields().any(|(a, b)| a.offset != b.offset) {
                            return false;
                        }
                        pairs.append_all(fields().map(|(a, b)| (a.layout, b.layout)));
                    }
                }
                (Kind::Box { content: a, immediates }, Kind::Box { content: b, immediates: others }) => {
                    let (Kind::Sum { variants: own, .. }, Kind::Sum { variants: other, .. }) =
                        (&self[*a].kind, &self[*b].kind)
                    else {
                        return a == b;
                    };
                    if shared(own, other).any(|(variant, other)| immediates.get(variant) != others.get(other)) {
                        return false;
                    }
                    pairs.push((*a, *b));
                }
                (a, b) => {
                    if a != b {
                        return false;
                    }
                }
            }
        }
        true
    }
}

/// The places of the variants that two sums share, of those that have values.
fn shared<'a>(variants: &'a [Variant], others: &'a [Variant]) -> impl Iterator<Item = (usize, usize)> + 'a {
    let inhabited = variants.iter().enumerate().filter(|(_, variant)| variant.is_inhabited);
    inhabited.filter_map(|(at, variant)| Some((at, others.iter().position(|other| other.head == variant.head)?)))
}

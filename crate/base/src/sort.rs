//! Sorting that is small as machine code: the standard library's sorts are fast for long slices of numbers, and several
//! kilobytes for each type. What is sorted here is short or nearly in order.

use crate::Idx;

/// What is sorted, by its places: the sorting itself is the same code for all.
trait Rows {
    fn is_before(&self, a: usize, b: usize) -> bool;
    fn swap(&mut self, a: usize, b: usize);
}

struct Items<'a, T>(&'a mut [T]);

impl<T: Ord> Rows for Items<'_, T> {
    fn is_before(&self, a: usize, b: usize) -> bool {
        self.0[a] < self.0[b]
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.0.swap(a, b);
    }
}

/// Sorts in place; equal items may change places.
pub fn sort<T: Ord>(items: &mut [T]) {
    let n = items.len();
    heapsort(&mut Items(items), n);
}

/// A key as a number, which is in the same order.
pub trait Rank {
    fn rank(self) -> u64;
}

impl Rank for u64 {
    fn rank(self) -> u64 {
        self
    }
}

impl Rank for u32 {
    fn rank(self) -> u64 {
        self.into()
    }
}

impl Rank for usize {
    fn rank(self) -> u64 {
        self as u64
    }
}

impl<I: Idx> Rank for I {
    fn rank(self) -> u64 {
        self.index() as u64
    }
}

impl Rank for bool {
    fn rank(self) -> u64 {
        self.into()
    }
}

/// The first decides, and where it is the same, the second.
impl Rank for (u32, u32) {
    fn rank(self) -> u64 {
        u64::from(self.0) << 32 | u64::from(self.1)
    }
}

/// What has a rank, by its places.
trait Ranked {
    fn rank(&self, at: usize) -> u64;
    fn swap(&mut self, a: usize, b: usize);
}

struct Keyed<'a, T, F> {
    items: &'a mut [T],
    key: F,
}

impl<T, K: Rank, F: Fn(&T) -> K> Ranked for Keyed<'_, T, F> {
    fn rank(&self, at: usize) -> u64 {
        (self.key)(&self.items[at]).rank()
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.items.swap(a, b);
    }
}

/// Sorts by a key, which is computed once for each; items with equal keys keep their order. By two keys, sort by the
/// second before the first.
pub fn sort_by_key<T, K: Rank>(items: &mut [T], key: impl Fn(&T) -> K) {
    let n = items.len();
    sort_ranked(&mut Keyed { items, key }, n);
}

fn sort_ranked(rows: &mut dyn Ranked, n: usize) {
    let mut order = Vec::new();
    for at in 0..n {
        order.push((rows.rank(at), at));
    }
    sort(&mut order);
    // Each cycle of places ends where it began.
    for start in 0..n {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut order[at].1, at);
            if from == start {
                break;
            }
            rows.swap(at, from);
            at = from;
        }
    }
}

/// Williams, *Algorithm 232* (1964); what is in order already takes one pass.
fn heapsort(rows: &mut dyn Rows, n: usize) {
    if (1..n).all(|row| !rows.is_before(row, row - 1)) {
        return;
    }
    for root in (0..n / 2).rev() {
        sift_down(rows, root, n);
    }
    for end in (1..n).rev() {
        rows.swap(0, end);
        sift_down(rows, 0, end);
    }
}

fn sift_down(rows: &mut dyn Rows, mut root: usize, end: usize) {
    loop {
        let mut child = 2 * root + 1;
        if child >= end {
            return;
        }
        if child + 1 < end && rows.is_before(child, child + 1) {
            child += 1;
        }
        if !rows.is_before(root, child) {
            return;
        }
        rows.swap(root, child);
        root = child;
    }
}

#[cfg(test)]
mod tests {
    use super::{sort, sort_by_key};

    #[test]
    fn every_short_order() {
        for mut seed in 0..5_000u32 {
            let mut items: Vec<u32> = Vec::new();
            while seed > 0 {
                items.push(seed % 5);
                seed /= 5;
            }
            let mut sorted = items.clone();
            sorted.sort_unstable();
            let mut pairs: Vec<(u32, usize)> = items.iter().copied().zip(0..).collect();
            let mut stable = pairs.clone();
            stable.sort_by_key(|&(key, _)| key);
            sort_by_key(&mut pairs, |&(key, _)| key);
            sort(&mut items);
            assert_eq!((items, pairs), (sorted, stable));
        }
    }
}

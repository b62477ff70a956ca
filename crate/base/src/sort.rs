//! Sorting that is small as machine code: the standard library's sorts are fast for long slices of numbers, and several
//! kilobytes for each type. What is sorted here is short or nearly in order.

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

/// Items, and for each its key and the place that it had.
struct Keyed<'a, T, K> {
    items: &'a mut [T],
    keys: Vec<(K, usize)>,
}

impl<T, K: Ord> Rows for Keyed<'_, T, K> {
    fn is_before(&self, a: usize, b: usize) -> bool {
        self.keys[a] < self.keys[b]
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.items.swap(a, b);
        self.keys.swap(a, b);
    }
}

/// Sorts in place; equal items may change places.
pub fn sort<T: Ord>(items: &mut [T]) {
    let n = items.len();
    heapsort(&mut Items(items), n);
}

/// Sorts by a key, which is computed once for each; items with equal keys keep their order.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    let n = items.len();
    let mut keys = Vec::new();
    for item in items.iter() {
        keys.push((key(item), keys.len()));
    }
    heapsort(&mut Keyed { items, keys }, n);
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

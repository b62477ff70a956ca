//! Sorting that is small as machine code: the standard library's sorts are fast for long slices of numbers, and several
//! kilobytes for each type. What is sorted here is short or nearly in order.

/// Sorts in place by heapsort; equal items may change places.
pub fn sort<T: Ord>(items: &mut [T]) {
    let n = items.len();
    if items.is_sorted() {
        return;
    }
    for root in (0..n / 2).rev() {
        sift_down(items, root, n);
    }
    for end in (1..n).rev() {
        items.swap(0, end);
        sift_down(items, 0, end);
    }
}

fn sift_down<T: Ord>(items: &mut [T], mut root: usize, end: usize) {
    loop {
        let mut child = 2 * root + 1;
        if child >= end {
            return;
        }
        if child + 1 < end && items[child] < items[child + 1] {
            child += 1;
        }
        if items[root] >= items[child] {
            return;
        }
        items.swap(root, child);
        root = child;
    }
}

/// Sorts by a key; items with equal keys keep their order.
pub fn sort_by_key<T, K: Ord>(items: &mut Vec<T>, key: impl Fn(&T) -> K) {
    if items.is_sorted_by_key(&key) {
        return;
    }
    let mut order: Vec<(K, usize)> = items.iter().enumerate().map(|(i, item)| (key(item), i)).collect();
    sort(&mut order);
    let mut taken: Vec<Option<T>> = items.drain(..).map(Some).collect();
    items.extend(order.into_iter().filter_map(|(_, i)| taken[i].take()));
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

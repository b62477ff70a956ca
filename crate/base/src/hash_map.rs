//! Maps and sets by hash whose code is small: the keys are one list and the values another, in the order in which they
//! came; what finds a key is the same for all kinds of values, and the table of hashes beside it for all keys, too
//! (`table.rs`). The standard library's is compiled anew for each kind of entry: its instances were a twelfth of what the
//! page loads.
//!
//! The order of the entries is that of their coming, until one is removed: then the last takes its place.
//!
//! ```
//! let mut seen = base::HashMap::default();
//! *seen.entry("a").or_insert(0) += 1;
//! *seen.entry("b").or_insert(0) += 2;
//! assert_eq!(seen.remove("a"), Some(1));
//! assert_eq!(seen.iter().collect::<Vec<_>>(), [(&"b", &2)]);
//! ```

use crate::table::{NOWHERE, Table};
use rustc_hash::FxHasher;
use std::borrow::Borrow;
use std::fmt::{self, Debug, Formatter};
use std::hash::{Hash, Hasher};
use std::ops::Index;
use std::{slice, vec};

/// The values of distinct keys: each in the place of its key.
#[derive(Clone)]
pub struct HashMap<K, V> {
    keys: HashSet<K>,
    values: Vec<V>,
}

/// Distinct keys; the table has the hash of each, with its place.
#[derive(Clone)]
pub struct HashSet<K> {
    list: Vec<K>,
    table: Table,
}

fn hash_of<K: Hash + ?Sized>(key: &K) -> u32 {
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    spread(hasher.finish() as u32)
}

/// The slot is chosen by the low bits. The hasher is a product whose high bits, the best ones, it has turned to the low
/// end: on 32 bits so many as serve 2¹⁵ slots. Above them are the product's low bits, which are 0 for addresses, until
/// others are mixed in.
fn spread(hash: u32) -> u32 {
    hash ^ hash >> 11
}

impl<K> Default for HashSet<K> {
    fn default() -> HashSet<K> {
        HashSet { list: Vec::new(), table: Table::default() }
    }
}

impl<K> HashSet<K> {
    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn iter(&self) -> slice::Iter<'_, K> {
        self.list.iter()
    }

    pub fn clear(&mut self) {
        self.table.clear();
        self.list.clear();
    }
}

impl<K: Hash + Eq> HashSet<K> {
    /// [`NOWHERE`] where the key is not there.
    fn place<Q: Hash + Eq + ?Sized>(&self, key: &Q, hash: u32) -> usize
    where
        K: Borrow<Q>,
    {
        let mut slot = hash;
        loop {
            let place = self.table.next(hash, &mut slot);
            if self.list.get(place).is_none_or(|other| other.borrow() == key) {
                return place;
            }
        }
    }

    fn find<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> usize
    where
        K: Borrow<Q>,
    {
        self.place(key, hash_of(key))
    }

    /// Where the key is now: behind the last, if it is new.
    fn put(&mut self, key: K) -> usize {
        let hash = hash_of(&key);
        let (place, n) = (self.place(&key, hash), self.list.len());
        if place < n {
            return place;
        }
        self.table.insert(hash, n);
        self.list.push(key);
        n
    }

    /// Where the key was, and now the last is; or [`NOWHERE`].
    fn take<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> usize
    where
        K: Borrow<Q>,
    {
        let hash = hash_of(key);
        let place = self.place(key, hash);
        if place < self.list.len() {
            self.table.remove(hash, place);
            let last = self.list.len() - 1;
            if place != last {
                self.table.moved(hash_of(&self.list[last]), last, place);
            }
            self.list.swap_remove(place);
        }
        place
    }

    /// Leaves the first `n` keys, which have come to other places.
    fn shorten(&mut self, n: usize) {
        self.list.truncate(n);
        self.table.clear();
        for (place, key) in self.list.iter().enumerate() {
            self.table.insert(hash_of(key), place);
        }
    }

    pub fn contains<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key) < self.len()
    }

    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&K>
    where
        K: Borrow<Q>,
    {
        self.list.get(self.find(key))
    }

    /// Whether the key is new.
    pub fn insert(&mut self, key: K) -> bool {
        let n_before = self.len();
        self.put(key) == n_before
    }

    /// Whether the key was there.
    pub fn remove<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.take(key) != NOWHERE
    }

    pub fn retain(&mut self, mut is_kept: impl FnMut(&K) -> bool) {
        let mut n = 0;
        for at in 0..self.list.len() {
            if is_kept(&self.list[at]) {
                self.list.swap(n, at);
                n += 1;
            }
        }
        self.shorten(n);
    }
}

impl<K, V> Default for HashMap<K, V> {
    fn default() -> HashMap<K, V> {
        HashMap { keys: HashSet::default(), values: Vec::new() }
    }
}

impl<K, V> HashMap<K, V> {
    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub fn iter(&self) -> Iter<'_, K, V> {
        Pairs(self.keys.iter(), self.values.iter())
    }

    pub fn keys(&self) -> slice::Iter<'_, K> {
        self.keys.iter()
    }

    pub fn values(&self) -> slice::Iter<'_, V> {
        self.values.iter()
    }

    pub fn values_mut(&mut self) -> slice::IterMut<'_, V> {
        self.values.iter_mut()
    }

    pub fn into_keys(self) -> vec::IntoIter<K> {
        self.keys.list.into_iter()
    }

    pub fn into_values(self) -> vec::IntoIter<V> {
        self.values.into_iter()
    }

    pub fn clear(&mut self) {
        self.keys.clear();
        self.values.clear();
    }
}

impl<K: Hash + Eq, V> HashMap<K, V> {
    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.values.get(self.keys.find(key))
    }

    pub fn get_mut<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.values.get_mut(self.keys.find(key))
    }

    pub fn contains_key<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.keys.contains(key)
    }

    /// In the place of the value that the key had before.
    pub fn insert(&mut self, key: K, value: V) {
        let place = self.keys.put(key);
        match self.values.get_mut(place) {
            Some(before) => *before = value,
            None => self.values.push(value),
        }
    }

    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        Entry { map: self, key }
    }

    pub fn remove<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let place = self.keys.take(key);
        (place != NOWHERE).then(|| self.values.swap_remove(place))
    }

    pub fn retain(&mut self, mut is_kept: impl FnMut(&K, &mut V) -> bool) {
        let mut n = 0;
        for at in 0..self.values.len() {
            if is_kept(&self.keys.list[at], &mut self.values[at]) {
                self.keys.list.swap(n, at);
                self.values.swap(n, at);
                n += 1;
            }
        }
        self.values.truncate(n);
        self.keys.shorten(n);
    }

    /// Makes room for `n_more` more.
    pub fn reserve(&mut self, n_more: usize) {
        self.keys.list.reserve(n_more);
        self.keys.table.reserve(n_more);
        self.values.reserve(n_more);
    }
}

/// A key, and the map where its value is or will be.
pub struct Entry<'a, K, V> {
    map: &'a mut HashMap<K, V>,
    key: K,
}

impl<'a, K: Hash + Eq, V> Entry<'a, K, V> {
    pub fn or_insert_with(self, value: impl FnOnce() -> V) -> &'a mut V {
        let values = &mut self.map.values;
        let place = self.map.keys.put(self.key);
        if place == values.len() {
            values.push(value());
        }
        &mut values[place]
    }

    pub fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }

    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }

    pub fn and_modify(self, change: impl FnOnce(&mut V)) -> Entry<'a, K, V> {
        if let Some(value) = self.map.get_mut(&self.key) {
            change(value);
        }
        self
    }
}

/// Each key with its value.
#[derive(Clone)]
pub struct Pairs<Keys, Values>(Keys, Values);

pub type Iter<'a, K, V> = Pairs<slice::Iter<'a, K>, slice::Iter<'a, V>>;

impl<Keys: Iterator, Values: Iterator> Iterator for Pairs<Keys, Values> {
    type Item = (Keys::Item, Values::Item);

    fn next(&mut self) -> Option<Self::Item> {
        Some((self.0.next()?, self.1.next()?))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<Keys: DoubleEndedIterator, Values: DoubleEndedIterator> DoubleEndedIterator for Pairs<Keys, Values> {
    fn next_back(&mut self) -> Option<Self::Item> {
        Some((self.0.next_back()?, self.1.next_back()?))
    }
}

impl<Keys: ExactSizeIterator, Values: ExactSizeIterator> ExactSizeIterator for Pairs<Keys, Values> {}

impl<'a, K, V> IntoIterator for &'a HashMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Iter<'a, K, V> {
        self.iter()
    }
}

impl<'a, K, V> IntoIterator for &'a mut HashMap<K, V> {
    type Item = (&'a K, &'a mut V);
    type IntoIter = Pairs<slice::Iter<'a, K>, slice::IterMut<'a, V>>;

    fn into_iter(self) -> Self::IntoIter {
        Pairs(self.keys.iter(), self.values.iter_mut())
    }
}

impl<K, V> IntoIterator for HashMap<K, V> {
    type Item = (K, V);
    type IntoIter = Pairs<vec::IntoIter<K>, vec::IntoIter<V>>;

    fn into_iter(self) -> Self::IntoIter {
        Pairs(self.keys.list.into_iter(), self.values.into_iter())
    }
}

impl<K: Hash + Eq, V> Extend<(K, V)> for HashMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Hash + Eq, V> FromIterator<(K, V)> for HashMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> HashMap<K, V> {
        let mut map = HashMap::default();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

impl<K: Hash + Eq + Borrow<Q>, Q: Hash + Eq + ?Sized, V> Index<&Q> for HashMap<K, V> {
    type Output = V;

    /// Panics where the key is absent.
    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("the key is there")
    }
}

/// Whatever their order.
impl<K: Hash + Eq, V: PartialEq> PartialEq for HashMap<K, V> {
    fn eq(&self, other: &HashMap<K, V>) -> bool {
        self.len() == other.len() && self.iter().all(|(key, value)| other.get(key) == Some(value))
    }
}

impl<K: Hash + Eq, V: Eq> Eq for HashMap<K, V> {}

impl<K: Debug, V: Debug> Debug for HashMap<K, V> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<'a, K> IntoIterator for &'a HashSet<K> {
    type Item = &'a K;
    type IntoIter = slice::Iter<'a, K>;

    fn into_iter(self) -> slice::Iter<'a, K> {
        self.iter()
    }
}

impl<K> IntoIterator for HashSet<K> {
    type Item = K;
    type IntoIter = vec::IntoIter<K>;

    fn into_iter(self) -> vec::IntoIter<K> {
        self.list.into_iter()
    }
}

impl<K: Hash + Eq> Extend<K> for HashSet<K> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        for key in keys {
            self.insert(key);
        }
    }
}

impl<'a, K: Hash + Eq + Copy + 'a> Extend<&'a K> for HashSet<K> {
    fn extend<I: IntoIterator<Item = &'a K>>(&mut self, keys: I) {
        for key in keys {
            self.insert(*key);
        }
    }
}

impl<K: Hash + Eq> FromIterator<K> for HashSet<K> {
    fn from_iter<I: IntoIterator<Item = K>>(keys: I) -> HashSet<K> {
        let mut set = HashSet::default();
        for key in keys {
            set.insert(key);
        }
        set
    }
}

/// Whatever their order.
impl<K: Hash + Eq> PartialEq for HashSet<K> {
    fn eq(&self, other: &HashSet<K>) -> bool {
        self.len() == other.len() && self.iter().all(|key| other.contains(key))
    }
}

impl<K: Hash + Eq> Eq for HashSet<K> {}

impl<K: Debug> Debug for HashSet<K> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap as Std;
    use std::iter;

    /// Keys that often share their hash's first slot.
    fn numbers(n: usize, n_keys: u64) -> impl Iterator<Item = u64> {
        iter::successors(Some(7_u64), |x| Some(x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99)))
            .map(move |x| (x >> 33) % n_keys)
            .take(n)
    }

    #[test]
    fn addresses_spread_over_a_large_table() {
        // As the hasher has them on 32 bits.
        let hash = |address: u32| address.wrapping_mul(0x93d7_65dd).rotate_left(15);
        let mut n_in_slot = vec![0; 1 << 18];
        for i in 0..1 << 17 {
            n_in_slot[spread(hash(0x10_0000 + 16 * i)) as usize % (1 << 18)] += 1;
        }
        assert!(n_in_slot.iter().all(|&n| n < 10));
        assert!(n_in_slot.iter().filter(|&&n| n > 0).count() > 90_000);
    }

    #[test]
    fn a_map_does_as_the_standard_library_s() {
        for n_keys in [1, 5, 40, 3_000] {
            let (mut own, mut std) = (HashMap::default(), Std::new());
            for (step, number) in numbers(20_000, n_keys).enumerate() {
                let key = number.to_string();
                match step % 7 {
                    0 | 1 => {
                        own.insert(key.clone(), step);
                        std.insert(key, step);
                    }
                    2 => {
                        *own.entry(key.clone()).or_insert(0) += 1;
                        *std.entry(key).or_insert(0) += 1;
                    }
                    3 | 4 => assert_eq!(own.remove(key.as_str()), std.remove(key.as_str())),
                    5 => assert_eq!(own.get(&key), std.get(&key)),
                    _ if step % 997 == 6 => {
                        own.retain(|_, value| *value % 3 > 0);
                        std.retain(|_, value| *value % 3 > 0);
                    }
                    _ => assert_eq!(own.contains_key(&key), std.contains_key(&key)),
                }
                assert_eq!(own.len(), std.len());
            }
            assert!(own.iter().all(|(key, value)| std.get(key) == Some(value)));
            assert_eq!(own, own.clone().into_iter().rev().collect());
        }
    }

    /// All keys in one row of slots, around the end of the table.
    #[test]
    fn a_gap_is_closed_wherever_it_is() {
        let hashes = [6_u32, 14, 7, 22, 0, 1];
        for gone in 0..hashes.len() {
            let mut table = Table::default();
            hashes.iter().enumerate().for_each(|(place, &hash)| table.insert(hash, place));
            table.remove(hashes[gone], gone);
            for (place, &hash) in hashes.iter().enumerate() {
                let mut slot = hash;
                let mut found = table.next(hash, &mut slot);
                while found != place && found != NOWHERE {
                    found = table.next(hash, &mut slot);
                }
                assert_eq!(found == place, place != gone, "{gone}: {place}");
            }
        }
    }

    #[test]
    fn entries_come_in_their_order() {
        let set: HashSet<u64> = numbers(100, 1 << 40).collect();
        assert!(set.iter().copied().eq(numbers(100, 1 << 40)));
    }
}

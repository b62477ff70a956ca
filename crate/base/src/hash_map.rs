//! Maps and sets by hash whose code is small: the entries are one list, in the order in which they came, and the table
//! of hashes beside it is the same for all (`table.rs`). The standard library's is compiled anew for each kind of
//! entry: its instances were a twelfth of what the page loads.
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

use crate::table::Table;
use rustc_hash::FxHasher;
use std::borrow::Borrow;
use std::fmt::{self, Debug, Formatter};
use std::hash::{Hash, Hasher};
use std::ops::Index;
use std::{iter, slice, vec};

/// Of distinct keys; the table has the hash of each, with its place.
#[derive(Clone)]
pub struct HashMap<K, V> {
    entries: Vec<(K, V)>,
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

impl<K, V> Default for HashMap<K, V> {
    fn default() -> HashMap<K, V> {
        HashMap { entries: Vec::new(), table: Table::default() }
    }
}

impl<K, V> HashMap<K, V> {
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn iter(&self) -> Iter<'_, K, V> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator + Clone {
        self.entries.iter().map(|entry| &entry.0)
    }

    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator + Clone {
        self.entries.iter().map(|entry| &entry.1)
    }

    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> + ExactSizeIterator {
        self.entries.iter_mut().map(|entry| &mut entry.1)
    }

    pub fn into_keys(self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator {
        self.entries.into_iter().map(|entry| entry.0)
    }

    pub fn into_values(self) -> impl DoubleEndedIterator<Item = V> + ExactSizeIterator {
        self.entries.into_iter().map(|entry| entry.1)
    }

    /// Empties the map.
    pub fn drain(&mut self) -> vec::Drain<'_, (K, V)> {
        self.table.clear();
        self.entries.drain(..)
    }

    pub fn clear(&mut self) {
        self.table.clear();
        self.entries.clear();
    }
}

impl<K: Hash + Eq, V> HashMap<K, V> {
    /// [`NOWHERE`](table::NOWHERE) where the key is not there.
    fn place<Q: Hash + Eq + ?Sized>(&self, key: &Q, hash: u32) -> usize
    where
        K: Borrow<Q>,
    {
        let mut slot = hash;
        loop {
            let place = self.table.next(hash, &mut slot);
            if self.entries.get(place).is_none_or(|entry| entry.0.borrow() == key) {
                return place;
            }
        }
    }

    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        Some(&self.entries.get(self.place(key, hash_of(key)))?.1)
    }

    pub fn get_mut<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let place = self.place(key, hash_of(key));
        Some(&mut self.entries.get_mut(place)?.1)
    }

    pub fn contains_key<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.get(key).is_some()
    }

    fn push(&mut self, key: K, value: V, hash: u32) {
        self.table.insert(hash, self.entries.len());
        self.entries.push((key, value));
    }

    /// The value that the key had before.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let hash = hash_of(&key);
        let place = self.place(&key, hash);
        match self.entries.get_mut(place) {
            Some(entry) => Some(std::mem::replace(&mut entry.1, value)),
            None => {
                self.push(key, value, hash);
                None
            }
        }
    }

    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        let hash = hash_of(&key);
        let place = self.place(&key, hash);
        Entry { place, key, hash, map: self }
    }

    pub fn remove<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let hash = hash_of(key);
        let place = self.place(key, hash);
        self.entries.get(place)?;
        self.table.remove(hash, place);
        let last = self.entries.len() - 1;
        if place != last {
            self.table.moved(hash_of(&self.entries[last].0), last, place);
        }
        Some(self.entries.swap_remove(place).1)
    }

    pub fn retain(&mut self, mut is_kept: impl FnMut(&K, &mut V) -> bool) {
        let n_before = self.entries.len();
        self.entries.retain_mut(|(key, value)| is_kept(key, value));
        if self.entries.len() < n_before {
            self.table.clear();
            for (place, (key, _)) in self.entries.iter().enumerate() {
                self.table.insert(hash_of(key), place);
            }
        }
    }

    /// Makes room for `n_more` more.
    pub fn reserve(&mut self, n_more: usize) {
        self.entries.reserve(n_more);
        self.table.reserve(n_more);
    }
}

/// Where a key's value is, or would be.
pub struct Entry<'a, K, V> {
    map: &'a mut HashMap<K, V>,
    place: usize,
    key: K,
    hash: u32,
}

impl<'a, K: Hash + Eq, V> Entry<'a, K, V> {
    pub fn or_insert_with(self, value: impl FnOnce() -> V) -> &'a mut V {
        let place = self.place.min(self.map.len());
        if place == self.map.len() {
            self.map.push(self.key, value(), self.hash);
        }
        &mut self.map.entries[place].1
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
        if let Some(entry) = self.map.entries.get_mut(self.place) {
            change(&mut entry.1);
        }
        self
    }
}

pub type Iter<'a, K, V> = iter::Map<slice::Iter<'a, (K, V)>, fn(&'a (K, V)) -> (&'a K, &'a V)>;

impl<'a, K, V> IntoIterator for &'a HashMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Iter<'a, K, V> {
        self.iter()
    }
}

impl<'a, K, V> IntoIterator for &'a mut HashMap<K, V> {
    type Item = (&'a K, &'a mut V);
    type IntoIter = iter::Map<slice::IterMut<'a, (K, V)>, fn(&'a mut (K, V)) -> (&'a K, &'a mut V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter_mut().map(|(key, value)| (key, value))
    }
}

impl<K, V> IntoIterator for HashMap<K, V> {
    type Item = (K, V);
    type IntoIter = vec::IntoIter<(K, V)>;

    fn into_iter(self) -> vec::IntoIter<(K, V)> {
        self.entries.into_iter()
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
        map.extend(entries);
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

/// The keys of a map.
#[derive(Clone, PartialEq, Eq)]
pub struct HashSet<K: Hash + Eq>(HashMap<K, ()>);

impl<K: Hash + Eq> Default for HashSet<K> {
    fn default() -> HashSet<K> {
        HashSet(HashMap::default())
    }
}

impl<K: Hash + Eq> HashSet<K> {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> Keys<'_, K> {
        self.0.entries.iter().map(|entry| &entry.0)
    }

    pub fn contains<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.0.contains_key(key)
    }

    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&K>
    where
        K: Borrow<Q>,
    {
        Some(&self.0.entries.get(self.0.place(key, hash_of(key)))?.0)
    }

    /// Whether the key is new.
    pub fn insert(&mut self, key: K) -> bool {
        self.0.insert(key, ()).is_none()
    }

    /// Whether the key was there.
    pub fn remove<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.0.remove(key).is_some()
    }

    pub fn retain(&mut self, mut is_kept: impl FnMut(&K) -> bool) {
        self.0.retain(|key, ()| is_kept(key));
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }
}

pub type Keys<'a, K> = iter::Map<slice::Iter<'a, (K, ())>, fn(&'a (K, ())) -> &'a K>;

impl<'a, K: Hash + Eq> IntoIterator for &'a HashSet<K> {
    type Item = &'a K;
    type IntoIter = Keys<'a, K>;

    fn into_iter(self) -> Keys<'a, K> {
        self.iter()
    }
}

impl<K: Hash + Eq> IntoIterator for HashSet<K> {
    type Item = K;
    type IntoIter = iter::Map<vec::IntoIter<(K, ())>, fn((K, ())) -> K>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.entries.into_iter().map(|entry| entry.0)
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
        set.extend(keys);
        set
    }
}

impl<K: Hash + Eq + Debug> Debug for HashSet<K> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::NOWHERE;
    use std::collections::HashMap as Std;

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
                    0 | 1 => assert_eq!(own.insert(key.clone(), step), std.insert(key, step)),
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

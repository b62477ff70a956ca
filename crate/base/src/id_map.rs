//! A map from ids for questions that mostly meet few of them.

use crate::HashMap;
use crate::Idx;
use std::marker::PhantomData;

/// At most this many entries are searched one by one; more are hashed.
const FEW: usize = 12;

/// A map from ids that is searched from end to end while it is small.
#[derive(Clone, Debug)]
pub struct IdMap<I, V> {
    few: Vec<(u32, V)>,
    /// Everything, once there are more.
    many: HashMap<u32, V>,
    id: PhantomData<fn(I)>,
}

impl<I: Idx, V: Copy> IdMap<I, V> {
    pub fn get(&self, id: I) -> Option<V> {
        let id = id.index() as u32;
        match self.many.is_empty() {
            true => self.few.iter().find(|entry| entry.0 == id).map(|entry| entry.1),
            false => self.many.get(&id).copied(),
        }
    }

    pub fn contains(&self, id: I) -> bool {
        self.get(id).is_some()
    }

    /// Whether the id is new.
    pub fn insert(&mut self, id: I, value: V) -> bool {
        let key = id.index() as u32;
        if !self.many.is_empty() {
            let n_before = self.many.len();
            self.many.insert(key, value);
            return self.many.len() > n_before;
        }
        if let Some(entry) = self.few.iter_mut().find(|entry| entry.0 == key) {
            entry.1 = value;
            return false;
        }
        if self.few.len() == FEW {
            self.many.reserve(2 * FEW);
            self.many.extend(self.few.drain(..));
            self.many.insert(key, value);
        } else {
            self.few.reserve_exact(FEW - self.few.len());
            self.few.push((key, value));
        }
        true
    }
}

impl<I, V> Default for IdMap<I, V> {
    fn default() -> Self {
        IdMap { few: Vec::new(), many: HashMap::default(), id: PhantomData }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::idx!(Id, "i");

    #[test]
    fn few_and_many_are_found() {
        let mut map: IdMap<Id, usize> = IdMap::default();
        for n in 0..100 {
            assert!(map.insert(Id::new(7 * n), n));
            assert!(!map.insert(Id::new(7 * n), n + 1));
            assert!((0..=n).all(|n| map.get(Id::new(7 * n)) == Some(n + 1)));
            assert!(!map.contains(Id::new(7 * n + 1)));
        }
    }
}

//! Numbers for keys: equal keys have equal numbers, which count from zero.

use rustc_hash::FxHashMap;

/// One kind of key for all that is shared here, so that there is one hash table in machine code.
#[derive(Default)]
pub(crate) struct Interner {
    ids: FxHashMap<Box<[u32]>, u32>,
}

impl Interner {
    /// The number of a key, and whether this is the first time it is asked for.
    pub(crate) fn id(&mut self, key: &[u32]) -> (u32, bool) {
        if let Some(&id) = self.ids.get(key) {
            return (id, false);
        }
        let id = self.ids.len() as u32;
        self.ids.insert(key.into(), id);
        (id, true)
    }

    pub(crate) fn get(&self, key: &[u32]) -> Option<u32> {
        self.ids.get(key).copied()
    }
}

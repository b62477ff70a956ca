//! Numbers for keys: equal keys have equal numbers, which count from zero.
//!
//! All keys stand in one vector, and a table with linear probing finds them: a map of boxed keys would be slower by the
//! time it takes to allocate them, which is most of what matching does.

/// One kind of key for all that is shared here.
#[derive(Default)]
pub(crate) struct Interner {
    keys: Vec<u32>,
    /// Where each key ends.
    ends: Vec<usize>,
    /// A number plus one, or zero. At least half of the slots are free, and there are a power of two.
    slots: Vec<u32>,
}

impl Interner {
    /// The number of a key, and whether this is the first time it is asked for.
    pub(crate) fn id(&mut self, key: &[u32]) -> (u32, bool) {
        if let Some(id) = self.get(key) {
            return (id, false);
        }
        let id = self.ends.len() as u32;
        self.keys.extend_from_slice(key);
        self.ends.push(self.keys.len());
        if self.slots.len() < 2 * self.ends.len() {
            self.slots = base::filled(0, 4 * self.ends.len().next_power_of_two());
            for id in 0..=id {
                self.put(id);
            }
        } else {
            self.put(id);
        }
        (id, true)
    }

    pub(crate) fn get(&self, key: &[u32]) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mut slot = self.first_slot(key);
        loop {
            let id = self.slots[slot].checked_sub(1)?;
            if self.key(id) == key {
                return Some(id);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    fn put(&mut self, id: u32) {
        let mut slot = self.first_slot(self.key(id));
        while self.slots[slot] != 0 {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = id + 1;
    }

    fn key(&self, id: u32) -> &[u32] {
        let start = if id == 0 { 0 } else { self.ends[id as usize - 1] };
        &self.keys[start..self.ends[id as usize]]
    }

    fn first_slot(&self, key: &[u32]) -> usize {
        let mut hash = key.len() as u64;
        for &word in key {
            hash = (hash.rotate_left(23) ^ u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        (hash >> 32) as usize & (self.slots.len() - 1)
    }
}

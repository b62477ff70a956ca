//! Where a hash is in a table, without what is hashed: code for all maps at once.
//!
//! Open addressing with linear probing. A slot holds a whole hash of 32 bits beside the place of its entry, so growing
//! and closing gaps ask nobody. What is removed leaves no mark: the slots behind it move up (Knuth, *The Art of
//! Computer Programming* 3, 6.4, algorithm R).
//!
//! Worked example: with 8 slots, the hashes 3, 11 and 4 come to lie in the slots 3, 4 and 5. When 3 goes, 11 moves to
//! its own slot 3, and 4 to its own slot 4.

/// Of the entry with a hash, or nothing.
#[derive(Clone, Copy)]
struct Slot {
    hash: u32,
    /// One more than the place of the entry; 0 in a slot that is free.
    next_place: u32,
}

const FREE: Slot = Slot { hash: 0, next_place: 0 };

/// No place: one number tells more easily of it than an `Option`.
pub const NOWHERE: usize = usize::MAX;

/// Tables of fewer slots are not made.
const FEWEST: usize = 8;

/// Slots in a number that is a power of two, or none. At most three quarters are taken.
#[derive(Clone, Default)]
pub struct Table {
    slots: Vec<Slot>,
    n_taken: usize,
}

impl Table {
    /// The place of the next entry with a hash, whose slot comes behind `slot`, which the hash itself is at first; or
    /// [`NOWHERE`].
    pub fn next(&self, hash: u32, slot: &mut u32) -> usize {
        loop {
            let Some(entry) = self.slots.get(*slot as usize & self.mask()) else { return NOWHERE };
            *slot = slot.wrapping_add(1);
            if entry.next_place == 0 {
                return NOWHERE;
            }
            if entry.hash == hash {
                return entry.next_place as usize - 1;
            }
        }
    }

    fn mask(&self) -> usize {
        self.slots.len().wrapping_sub(1)
    }

    /// Puts an entry in that is not there.
    pub fn insert(&mut self, hash: u32, place: usize) {
        self.reserve(1);
        self.put(Slot { hash, next_place: place as u32 + 1 });
        self.n_taken += 1;
    }

    fn put(&mut self, entry: Slot) {
        let mask = self.mask();
        let mut slot = entry.hash as usize & mask;
        while self.slots[slot].next_place != 0 {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = entry;
    }

    /// Makes room for `n_more` more.
    pub fn reserve(&mut self, n_more: usize) {
        let n_wanted = self.n_taken + n_more;
        if n_wanted * 4 <= self.slots.len() * 3 {
            return;
        }
        let n_slots = (n_wanted + n_wanted / 2).next_power_of_two().max(FEWEST);
        let old = std::mem::replace(&mut self.slots, crate::filled(FREE, n_slots));
        for entry in old {
            if entry.next_place != 0 {
                self.put(entry);
            }
        }
    }

    /// The slot of an entry that is there.
    fn slot_of(&self, hash: u32, place: usize) -> usize {
        let mask = self.mask();
        let mut slot = hash as usize & mask;
        while self.slots[slot].next_place != place as u32 + 1 {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// Takes an entry out.
    pub fn remove(&mut self, hash: u32, place: usize) {
        let mask = self.mask();
        let mut gap = self.slot_of(hash, place);
        self.n_taken -= 1;
        let mut slot = gap;
        loop {
            slot = (slot + 1) & mask;
            let entry = self.slots[slot];
            if entry.next_place == 0 {
                break;
            }
            // Whether the entry may lie in the gap: it is not before the slot where its hash begins.
            let home = entry.hash as usize & mask;
            if slot.wrapping_sub(home) & mask >= slot.wrapping_sub(gap) & mask {
                self.slots[gap] = entry;
                gap = slot;
            }
        }
        self.slots[gap] = FREE;
    }

    /// Says where an entry has gone.
    pub fn moved(&mut self, hash: u32, from: usize, to: usize) {
        let slot = self.slot_of(hash, from);
        self.slots[slot].next_place = to as u32 + 1;
    }

    pub fn clear(&mut self) {
        self.slots.fill(FREE);
        self.n_taken = 0;
    }
}

//! Parts of one memory: one that is written, and others that are read meanwhile.
//!
//! ```
//! use kernel::apart::Apart;
//! let mut memory = [1, 2, 3, 4];
//! let (to, others) = Apart::new(&mut memory, 2..4);
//! to.copy_from_slice(others.get(0..2));
//! assert!(others.get(1..3).is_empty() && others.get(3..5).is_empty());
//! assert_eq!(memory, [1, 2, 1, 2]);
//! ```

#![allow(unsafe_code, reason = "what is read and what is written are of one slice, and do not overlap")]

use std::marker::PhantomData;
use std::ops::Range;
use std::slice;

/// A memory without the part of it that is written.
pub struct Apart<'a, T> {
    all: *const T,
    n: usize,
    written: Range<usize>,
    memory: PhantomData<&'a [T]>,
}

impl<'a, T> Apart<'a, T> {
    /// The part that is written, and the others. Where there is no such part, it is empty.
    #[inline(always)]
    pub fn new(memory: &'a mut [T], part: Range<usize>) -> (&'a mut [T], Apart<'a, T>) {
        let (all, n) = (memory.as_mut_ptr(), memory.len());
        let written = if part.start <= part.end && part.end <= n { part } else { 0..0 };
        // SAFETY: the part is inside the memory, which is borrowed for as long, and no other part that is handed out
        // overlaps it.
        let to = unsafe { slice::from_raw_parts_mut(all.add(written.start), written.end - written.start) };
        (to, Apart { all, n, written, memory: PhantomData })
    }

    /// Another part. Where there is none, or it overlaps what is written, it is empty.
    #[inline(always)]
    pub fn get(&self, part: Range<usize>) -> &'a [T] {
        let is_inside = part.start <= part.end && part.end <= self.n;
        if is_inside && (part.end <= self.written.start || self.written.end <= part.start) {
            // SAFETY: the part is inside the memory, which is borrowed for as long, and apart from what is written.
            unsafe { slice::from_raw_parts(self.all.add(part.start), part.end - part.start) }
        } else {
            &[]
        }
    }
}

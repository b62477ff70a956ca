//! The relations that are to be run, in order. What is put before the first stands on a list of its own, the other way
//! round, so that either end costs the same.

use crate::solver::RelationId;

#[derive(Clone, Default)]
pub(crate) struct Queue {
    /// The last is the first of all.
    first: Vec<RelationId>,
    then: Vec<RelationId>,
    /// How many of those have left.
    n_gone: usize,
}

impl Queue {
    pub fn len(&self) -> usize {
        self.first.len() + self.then.len() - self.n_gone
    }

    /// Where the one with this number stands: in the first list, or in the other.
    fn place(&self, at: usize) -> Result<usize, usize> {
        match self.first.len().checked_sub(at + 1) {
            Some(place) => Ok(place),
            None => Err(at - self.first.len() + self.n_gone),
        }
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = RelationId> {
        (0..self.len()).map(|at| match self.place(at) {
            Ok(place) => self.first[place],
            Err(place) => self.then[place],
        })
    }

    pub fn push_front(&mut self, id: RelationId) {
        self.first.push(id);
    }

    pub fn push_back(&mut self, id: RelationId) {
        self.then.push(id);
    }

    /// Takes out the one with this number, if there are as many.
    pub fn remove(&mut self, at: usize) -> Option<RelationId> {
        if at >= self.len() {
            return None;
        }
        let removed = match self.place(at) {
            Ok(place) => return Some(self.first.remove(place)),
            Err(place) if place == self.n_gone => {
                self.n_gone += 1;
                self.then[place]
            }
            Err(place) => self.then.remove(place),
        };
        if self.n_gone == self.then.len() {
            self.then.clear();
            self.n_gone = 0;
        }
        Some(removed)
    }

    /// Takes out the last one.
    pub fn pop_back(&mut self) {
        self.remove(self.len().wrapping_sub(1));
    }

    pub fn reserve(&mut self, n: usize) {
        self.then.reserve(n);
    }

    pub fn clear(&mut self) {
        *self = Queue::default();
    }
}

impl PartialEq for Queue {
    fn eq(&self, other: &Queue) -> bool {
        self.iter().eq(other.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    #[test]
    fn it_is_a_queue_with_two_ends() {
        let (mut queue, mut model) = (Queue::default(), VecDeque::new());
        let mut state = 7_u64;
        for step in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (id, at) = (RelationId::numbered(step), (state >> 40) as usize % (model.len() + 1));
            match (state >> 33) % 6 {
                0 => {
                    queue.push_front(id);
                    model.push_front(id);
                }
                1 | 2 => {
                    queue.push_back(id);
                    model.push_back(id);
                }
                3 => assert_eq!(queue.remove(0), model.pop_front()),
                4 => assert_eq!(queue.remove(at), model.remove(at)),
                _ => {
                    queue.pop_back();
                    model.pop_back();
                }
            }
            assert_eq!(queue.len(), model.len());
            if step % 64 == 0 {
                assert!(queue.iter().eq(model.iter().copied()) && queue.clone() == queue);
            }
        }
    }
}

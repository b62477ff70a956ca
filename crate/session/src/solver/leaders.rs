//! Which classes there are at an event, without a look at every cell.
//!
//! A class of the table goes by the first of its cells that is listed, its *leader*. It is made a leader by its own
//! event, and stops being one at the link that joins its class with an earlier one's. Both are read off the trace once.
//!
//! Worked example. Of the listed cells `a b c`, `c` is linked with `b` at event 7 and `b` with `a` at event 9: `c`
//! leads until 7 and is then under `b`, which leads until 9.

use base::Idx;
use solve::Event;
use ty::TermId;

/// No cell, or no event.
const NONE: u32 = u32::MAX;

/// Cells are meant by their places in the list.
pub(super) struct Leaders {
    /// The event from which on each is no leader.
    until: Vec<u32>,
    /// The last one that came under each, and the one that had come under the same before.
    under: Vec<u32>,
    before: Vec<u32>,
    /// By cell of the store, the last that led the class of which it was the root.
    last: Vec<u32>,
    led: Vec<Led>,
}

/// Who has led the class of a root from an event on.
struct Led {
    from: u32,
    leader: u32,
    /// What was so before, as an index.
    before: u32,
}

impl Leaders {
    /// Of a store of `n_terms` terms; the listed cells are in order, and each is made in the trace.
    pub fn new(events: &[Event], listed: &[TermId], n_terms: usize) -> Leaders {
        let n = listed.len();
        let mut leaders = Leaders {
            until: base::filled(NONE, n),
            under: base::filled(NONE, n),
            before: base::filled(NONE, n),
            last: base::filled(NONE, n_terms),
            led: Vec::with_capacity(n),
        };
        let mut n_made = 0;
        for (at, event) in (0..).zip(events) {
            match *event {
                Event::Fresh { id, .. } if listed.get(n_made) == Some(&id) => {
                    leaders.lead(id, at, n_made as u32);
                    n_made += 1;
                }
                Event::Link { child, parent, .. } => {
                    let (own, other) = (leaders.latest(parent), leaders.latest(child));
                    if other < own {
                        leaders.lead(parent, at, other);
                    }
                    let (first, later) = (own.min(other) as usize, own.max(other) as usize);
                    // With no listed cell on a side nothing is joined.
                    if later < n {
                        leaders.until[later] = at;
                        leaders.before[later] = leaders.under[first];
                        leaders.under[first] = later as u32;
                    }
                }
                Event::Fresh { .. }
                | Event::Bind { .. }
                | Event::Post { .. }
                | Event::Step { .. }
                | Event::Quantify { .. } => {}
            }
        }
        leaders
    }

    fn lead(&mut self, root: TermId, from: u32, leader: u32) {
        let before = std::mem::replace(&mut self.last[root.index()], self.led.len() as u32);
        self.led.push(Led { from, leader, before });
    }

    fn latest(&self, root: TermId) -> u32 {
        self.led.get(self.last[root.index()] as usize).map_or(NONE, |led| led.leader)
    }

    /// Whether a cell that has been made leads when `event` events are done.
    pub fn leads(&self, cell: usize, event: u32) -> bool {
        self.until[cell] >= event
    }

    /// Who leads the class of a root when `event` events are done.
    pub fn of_root(&self, root: TermId, event: u32) -> Option<usize> {
        let mut at = self.last[root.index()];
        while let Some(led) = self.led.get(at as usize) {
            if led.from < event {
                return Some(led.leader as usize);
            }
            at = led.before;
        }
        None
    }

    /// The listed cells of a leader's class when `event` events are done, itself first.
    pub fn members(&self, leader: usize, event: u32) -> Vec<usize> {
        let mut found = vec![leader];
        let mut at = 0;
        while let Some(&cell) = found.get(at) {
            at += 1;
            let mut next = self.under[cell] as usize;
            while next < self.until.len() {
                if self.until[next] < event {
                    found.push(next);
                }
                next = self.before[next] as usize;
            }
        }
        found
    }
}

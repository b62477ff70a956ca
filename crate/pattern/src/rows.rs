//! Places in a value, and rows of a matrix as shared lists of goals.
//!
//! A row says of some places what pattern the value there must fit, in the order of the places; of the others it says
//! nothing, so a column of wildcards does not exist. Equal lists and equal rows have equal ids.
//!
//! Worked example: of `(_, Link(True, _))` the row is the one goal `o2: Link(True, _)` where `o2` is field 1 of the
//! tuple. Where `o2` begins with `Link`, the goal gives way to `o3: True`, field 0 of that.

use crate::intern::Interner;
use crate::pattern::{Head, PatternId, TyId};
use base::{IndexVec, idx};

idx!(
    /// A place in the value that is matched. Place 0 is all of it.
    PlaceId,
    "o"
);

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// It is this field of what is at that place, if that begins with that head.
    pub within: Option<(PlaceId, Head, u32)>,
    pub(crate) ty: TyId,
}

pub(crate) struct Places {
    pub(crate) places: IndexVec<PlaceId, Place>,
    ids: Interner,
}

impl Places {
    pub(crate) fn new(ty: TyId) -> Places {
        let mut places = IndexVec::new();
        places.push(Place { within: None, ty });
        Places { places, ids: Interner::default() }
    }

    pub(crate) fn field(&mut self, place: PlaceId, head: Head, field: u32, ty: TyId) -> PlaceId {
        let [kind, number] = head.key();
        let (id, is_new) = self.ids.id(&[place.number(), kind, number, field]);
        if is_new {
            self.places.push(Place { within: Some((place, head, field)), ty });
        }
        PlaceId::numbered(id + 1)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Goal {
    pub(crate) place: PlaceId,
    pub(crate) pattern: PatternId,
}

struct Cell {
    goal: Goal,
    next: u32,
    /// The smallest place from here on.
    least: PlaceId,
}

/// The empty list.
pub(crate) const NIL: u32 = u32::MAX;

#[derive(Clone, Copy)]
pub(crate) struct Row {
    /// Whose row it is.
    pub(crate) tag: u32,
    /// Which alternatives were chosen, where that says what the variables are.
    pub(crate) choice: u32,
    pub(crate) goals: u32,
}

#[derive(Default)]
pub(crate) struct Rows {
    cells: Vec<Cell>,
    rows: Vec<Row>,
    cell_ids: Interner,
    row_ids: Interner,
    /// The goals before the one that was found last.
    before: Vec<Goal>,
    /// How many goals were passed.
    pub(crate) work: usize,
}

impl Rows {
    pub(crate) fn row(&self, id: u32) -> Row {
        self.rows[id as usize]
    }

    pub(crate) fn is_done(&self, id: u32) -> bool {
        self.row(id).goals == NIL
    }

    pub(crate) fn intern(&mut self, row: Row) -> u32 {
        let (id, is_new) = self.row_ids.id(&[row.tag, row.choice, row.goals]);
        if is_new {
            self.rows.push(row);
        }
        id
    }

    pub(crate) fn push(&mut self, goal: Goal, next: u32) -> u32 {
        let (id, is_new) = self.cell_ids.id(&[goal.place.number(), goal.pattern.number(), next]);
        if is_new {
            let least = if next == NIL { goal.place } else { goal.place.min(self.cells[next as usize].least) };
            self.cells.push(Cell { goal, next, least });
        }
        id
    }

    /// The first goals of a row, at most `n`.
    pub(crate) fn first_goals(&self, id: u32, n: usize) -> Vec<Goal> {
        let mut goals = Vec::new();
        let mut list = self.row(id).goals;
        while list != NIL && goals.len() < n {
            goals.push(self.cells[list as usize].goal);
            list = self.cells[list as usize].next;
        }
        goals
    }

    /// The goal of a row at a place, and the list behind it. What stands before is kept for [`Rows::replace`].
    pub(crate) fn find(&mut self, id: u32, place: PlaceId) -> Option<(PatternId, u32)> {
        self.before.clear();
        let mut list = self.row(id).goals;
        while list != NIL {
            self.work += 1;
            let cell = &self.cells[list as usize];
            if cell.goal.place == place {
                return Some((cell.goal.pattern, cell.next));
            }
            if place < cell.least {
                return None;
            }
            self.before.push(cell.goal);
            list = cell.next;
        }
        None
    }

    /// The list in which other goals stand for the one that was found last.
    pub(crate) fn replace(&mut self, goals: &[Goal], rest: u32) -> u32 {
        let mut list = rest;
        for &goal in goals.iter().rev() {
            list = self.push(goal, list);
        }
        for i in (0..self.before.len()).rev() {
            list = self.push(self.before[i], list);
        }
        self.work += goals.len() + self.before.len();
        list
    }
}

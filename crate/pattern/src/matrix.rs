//! The matrices that matching comes to, each once: the states of an automaton.
//!
//! A state is a list of rows, the most preferred first. Where the first row has goals, the state splits at the place of
//! one of them into a state per head, and one for the heads that no row names. Where the first row has none, it is
//! taken; nothing after it matters. Equal lists of rows are one state, so the number of states is that of the
//! different questions and not of the paths to them.
//!
//! Where: a place at which all values begin alike is split without a question. Else the place is one that the first
//! row asks about, as nothing else can decide that row; among these the one that most rows ask about, then the one
//! with the fewest ways on, then the leftmost. These are the heuristics f, d, b of Scott and Ramsey 2000 (small
//! default, small branching), as compared by Maranget 2008, who finds that it pays most to ask what is needed.
//!
//! Worked example, W(2): the rows `T T _ _`, `_ _ T T`, `_ _ _ _`. The first place splits into `T` (then the second,
//! which leads to row 0 or on) and `F`; both ways on are the one state of rows 1 and 2. W(n) has 2n + 2 states below
//! the tuple's.

use crate::intern::Interner;
use crate::pattern::{Head, Pattern, PatternId, Patterns, TyId};
use crate::rows::{Goal, NIL, PlaceId, Places, Row, Rows};
use crate::space::{Fit, Space};
use base::{Append, IndexVec, ToList};

/// How many goals and rows may be looked at.
const MAX_WORK: usize = 8_000_000;

/// How many rows all states may have together.
const MAX_CELLS: usize = 2_000_000;

/// How many of the first row's goals are compared.
const MAX_CANDIDATES: usize = 16;

/// The tag of rows that say which values are asked about.
pub(crate) const FILTER: u32 = u32::MAX;

/// What the states are for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Purpose {
    /// Which rows and alternatives are taken.
    Usefulness,
    /// Which rows take values that the last one, the filter, fits.
    Cover,
    /// Which row is taken, and which variables it binds.
    Tree,
    /// The same, one row after another: more tests, but no more states than patterns.
    Sequence,
}

/// A way on from a state.
pub(crate) struct Edge {
    /// `None`: all heads that no other edge names.
    pub(crate) head: Option<Head>,
    pub(crate) to: usize,
    /// By row of the state it leads to: the row that it comes from, and the alternative that was chosen.
    pub(crate) from: Vec<(u32, Option<PatternId>)>,
}

pub(crate) struct State {
    pub(crate) rows: Box<[u32]>,
    /// Where to go on if no row fits.
    otherwise: Option<usize>,
    pub(crate) split: Option<PlaceId>,
    pub(crate) edges: Vec<Edge>,
}

pub(crate) struct Matrix<'a, 't> {
    pub(crate) patterns: &'a Patterns,
    pub(crate) space: Space<'t>,
    pub(crate) places: Places,
    pub(crate) rows: Rows,
    pub(crate) states: Vec<State>,
    /// By choice, the chosen alternatives in order.
    pub(crate) choices: Vec<Vec<PatternId>>,
    /// Whether a pattern was met that is of another type than its place.
    pub(crate) has_misfit: bool,
    purpose: Purpose,
    pub(crate) binding: IndexVec<PatternId, bool>,
    state_ids: Interner,
    choice_ids: Interner,
    n_cells: usize,
}

/// A state in the making.
#[derive(Default)]
struct Child {
    head: Option<Head>,
    rows: Vec<u32>,
    from: Vec<(u32, Option<PatternId>)>,
    is_decided: bool,
    /// The rows, once they are many.
    met: Option<Interner>,
}

/// Fewer rows are searched one by one.
const FEW_ROWS: usize = 16;

impl Child {
    /// Whether a row is there; one that is not is taken in next.
    fn has(&mut self, row: u32) -> bool {
        if self.rows.len() < FEW_ROWS {
            return self.rows.contains(&row);
        }
        let Child { rows, met, .. } = self;
        let met = met.get_or_insert_with(|| {
            let mut met = Interner::default();
            for &row in rows.iter() {
                met.id(&[row]);
            }
            met
        });
        !met.id(&[row]).1
    }
}

impl<'a, 't> Matrix<'a, 't> {
    pub(crate) fn new(patterns: &'a Patterns, space: Space<'t>, ty: TyId, purpose: Purpose) -> Matrix<'a, 't> {
        let binding = match purpose {
            Purpose::Tree | Purpose::Sequence => patterns.binding(),
            Purpose::Usefulness | Purpose::Cover => IndexVec::new(),
        };
        Matrix {
            patterns,
            space,
            places: Places::new(ty),
            rows: Rows::default(),
            states: Vec::new(),
            choices: Vec::new(),
            has_misfit: false,
            purpose,
            binding,
            state_ids: Interner::default(),
            choice_ids: Interner::default(),
            n_cells: 0,
        }
    }

    /// Finds all states; the answer is the first one. `None`: there are too many.
    pub(crate) fn explore(&mut self, rows: &[(u32, PatternId)]) -> Option<usize> {
        let mut ids = Vec::new();
        let choice = self.choice(Vec::new());
        for &(tag, pattern) in rows {
            let mut goals = Vec::new();
            if self.goal(PlaceId::numbered(0), pattern, &mut goals) {
                let goals = goals.into_iter().rev().fold(NIL, |list, goal| self.rows.push(goal, list));
                ids.push((self.rows.intern(Row { tag, choice, goals }), (tag, None)));
            }
        }
        let mut child = Child::default();
        for (row, from) in ids {
            self.add(&mut child, row, from);
        }
        let root = self.enter(&child.rows, None);
        let mut next = 0;
        while next < self.states.len() {
            if self.rows.work > MAX_WORK || self.n_cells > MAX_CELLS {
                return None;
            }
            self.split(next);
            next += 1;
        }
        Some(root)
    }

    /// How many goals and rows have been looked at.
    pub(crate) fn n_steps(&self) -> usize {
        self.rows.work + self.n_cells
    }

    /// The states, those that others lead to first.
    pub(crate) fn order(&self, root: usize) -> Vec<usize> {
        let mut order = Vec::new();
        let mut seen = base::filled(false, self.states.len());
        let mut stack = vec![(root, 0)];
        seen[root] = true;
        while let Some((state, edge)) = stack.pop() {
            match self.states[state].edges.get(edge) {
                None => order.push(state),
                Some(edge_to) => {
                    stack.push((state, edge + 1));
                    if !std::mem::replace(&mut seen[edge_to.to], true) {
                        stack.push((edge_to.to, 0));
                    }
                }
            }
        }
        order
    }

    /// The row that a state takes, if no question is open.
    pub(crate) fn taken(&self, state: usize) -> Option<Row> {
        let first = *self.states[state].rows.first().filter(|_| self.states[state].split.is_none())?;
        self.rows.is_done(first).then(|| self.rows.row(first))
    }

    fn enter(&mut self, rows: &[u32], mut otherwise: Option<usize>) -> usize {
        if self.purpose == Purpose::Sequence && !rows.is_empty() {
            for &row in rows[1..].iter().rev() {
                otherwise = Some(self.state(&[row], otherwise));
            }
            return self.state(&rows[..1], otherwise);
        }
        match otherwise {
            Some(otherwise) if rows.is_empty() => otherwise,
            _ => self.state(rows, otherwise),
        }
    }

    fn state(&mut self, rows: &[u32], otherwise: Option<usize>) -> usize {
        let mut key = rows.to_vec();
        if let Some(otherwise) = otherwise {
            key.append_all([u32::MAX, otherwise as u32]);
        }
        let (id, is_new) = self.state_ids.id(&key);
        if is_new {
            self.n_cells += rows.len() + 1;
            self.states.push(State { rows: rows.into(), otherwise, split: None, edges: Vec::new() });
        }
        id as usize
    }

    fn choice(&mut self, chosen: Vec<PatternId>) -> u32 {
        let key: Vec<u32> = chosen.iter().map(|pattern| pattern.number()).list();
        let (id, is_new) = self.choice_ids.id(&key);
        if is_new {
            self.choices.push(chosen);
        }
        id
    }

    /// What a pattern at a place asks, if anything. False if no value fits it.
    fn goal(&mut self, place: PlaceId, pattern: PatternId, goals: &mut Vec<Goal>) -> bool {
        match &self.patterns.nodes[pattern] {
            Pattern::Wild => return true,
            Pattern::Or(_) => {}
            Pattern::Head(head, _) => match self.space.fit(self.places.places[place].ty, *head) {
                Fit::Misfit => {
                    self.has_misfit = true;
                    return false;
                }
                Fit::Impossible => return false,
                Fit::Listed(_) | Fit::Unlisted => {}
            },
        }
        goals.push(Goal { place, pattern });
        true
    }

    /// What the fields of a pattern ask. Fields that the type does not have were reported by others.
    fn fields(&mut self, place: PlaceId, head: Head, fit: Fit, fields: &[PatternId], goals: &mut Vec<Goal>) -> bool {
        let ty = self.places.places[place].ty;
        for (i, &pattern) in fields.iter().enumerate() {
            if matches!(self.patterns.nodes[pattern], Pattern::Wild) {
                continue;
            }
            if let Some(ty) = self.space.field(ty, fit, i) {
                let place = self.places.field(place, head, i as u32, ty);
                if !self.goal(place, pattern, goals) {
                    return false;
                }
            }
        }
        true
    }

    /// The heads that rows name at a place, in the order of the type's.
    fn named(&mut self, rows: &[u32], place: PlaceId) -> Vec<Head> {
        let ty = self.places.places[place].ty;
        let mut found: Vec<(usize, Head)> = Vec::new();
        let mut seen = Interner::default();
        for &row in rows {
            let Some((pattern, _)) = self.rows.find(row, place) else { continue };
            for pattern in self.patterns.alternatives(pattern) {
                self.rows.work += 1;
                let Pattern::Head(head, _) = self.patterns.nodes[pattern] else { continue };
                if !seen.id(&head.key()).1 {
                    continue;
                }
                match self.space.fit(ty, head) {
                    Fit::Listed(position) => found.push((position, head)),
                    Fit::Unlisted => found.push((usize::MAX, head)),
                    Fit::Impossible => {}
                    Fit::Misfit => self.has_misfit = true,
                }
            }
        }
        base::sort_by_key(&mut found, |&(position, _)| position);
        found.into_iter().map(|(_, head)| head).list()
    }

    /// The row that says where to split, if there is anything to ask.
    fn asking(&self, rows: &[u32]) -> Option<u32> {
        let first = *rows.first()?;
        let is_filter = |&row: &u32| self.rows.row(row).tag == FILTER;
        if !self.rows.is_done(first) {
            // Where only filters are left, nothing takes what they fit.
            return (!is_filter(&first)).then_some(first);
        }
        // The row is taken by what the filter fits, if that is anything.
        let mut filters = rows.iter().copied().filter(is_filter);
        if filters.clone().any(|row| self.rows.is_done(row)) { None } else { filters.next() }
    }

    /// Where to split.
    fn choose(&mut self, rows: &[u32], asking: u32) -> PlaceId {
        let goals = self.rows.first_goals(asking, MAX_CANDIDATES);
        let mut best = goals[0].place;
        if goals.len() == 1 {
            return best;
        }
        // Where all values begin alike there is nothing to look at, only parts to find.
        for goal in &goals {
            let ty = self.places.places[goal.place].ty;
            if self.space.n_possible(ty) == Some(1) {
                return goal.place;
            }
        }
        let mut most = 0;
        let mut ties: Vec<PlaceId> = Vec::new();
        for goal in goals {
            let n = rows.iter().count_where(|&&row| self.rows.find(row, goal.place).is_some());
            if n > most {
                most = n;
                ties.clear();
            }
            if n == most {
                ties.push(goal.place);
            }
        }
        let mut fewest = usize::MAX;
        for place in ties {
            let ty = self.places.places[place].ty;
            let n_named = self.named(rows, place).len();
            let n_edges = if self.space.n_possible(ty) == Some(n_named) { n_named } else { n_named + 1 };
            if n_edges < fewest {
                fewest = n_edges;
                best = place;
            }
        }
        best
    }

    fn split(&mut self, state: usize) {
        let rows = std::mem::take(&mut self.states[state].rows);
        let otherwise = self.states[state].otherwise;
        if let Some(asking) = self.asking(&rows) {
            let place = self.choose(&rows, asking);
            let children = self.children(&rows, place);
            let mut edges = Vec::new();
            for child in children {
                let is_asked = child.rows.last().is_some_and(|&row| self.rows.row(row).tag == FILTER);
                if self.purpose != Purpose::Cover || is_asked {
                    let to = self.enter(&child.rows, otherwise);
                    self.n_cells += child.from.len() + 1;
                    edges.push(Edge { head: child.head, to, from: child.from });
                }
            }
            self.states[state].split = Some(place);
            self.states[state].edges = edges;
        }
        self.states[state].rows = rows;
    }

    /// The rows that remain, by head. The last is for the heads that no row names, if there are any.
    fn children(&mut self, rows: &[u32], place: PlaceId) -> Vec<Child> {
        let ty = self.places.places[place].ty;
        let named = self.named(rows, place);
        let mut positions = Interner::default();
        let mut children: Vec<Child> = Vec::new();
        for &head in &named {
            positions.id(&head.key());
            children.push(Child { head: Some(head), ..Child::default() });
        }
        if self.space.n_possible(ty) != Some(named.len()) {
            children.push(Child::default());
        }
        for (i, &id) in rows.iter().enumerate() {
            let row = self.rows.row(id);
            let Some((pattern, rest)) = self.rows.find(id, place) else {
                self.rows.work += children.len();
                children.iter_mut().for_each(|child| self.add(child, id, (i as u32, None)));
                continue;
            };
            for chosen in self.patterns.alternatives(pattern) {
                let alternative = (chosen != pattern).then_some(chosen);
                let mut choice = row.choice;
                if alternative.is_some() && self.binding.get(pattern) == Some(&true) {
                    let mut all = self.choices[choice as usize].clone();
                    all.push(chosen);
                    base::sort(&mut all);
                    choice = self.choice(all);
                }
                match &self.patterns.nodes[chosen] {
                    Pattern::Or(_) => {}
                    Pattern::Wild => {
                        let goals = self.rows.replace(&[], rest);
                        let row = self.rows.intern(Row { choice, goals, ..row });
                        self.rows.work += children.len();
                        children.iter_mut().for_each(|child| self.add(child, row, (i as u32, alternative)));
                    }
                    Pattern::Head(head, fields) => {
                        let Some(child) = positions.get(&head.key()) else { continue };
                        let fit = self.space.fit(ty, *head);
                        let mut new = Vec::new();
                        if self.fields(place, *head, fit, fields, &mut new) {
                            let goals = self.rows.replace(&new, rest);
                            let row = self.rows.intern(Row { choice, goals, ..row });
                            self.add(&mut children[child as usize], row, (i as u32, alternative));
                        }
                    }
                }
            }
        }
        children
    }

    /// Adds a row to a state in the making, unless a row before takes all that it could.
    fn add(&self, child: &mut Child, row: u32, from: (u32, Option<PatternId>)) {
        let tag = self.rows.row(row).tag;
        if (child.is_decided && tag != FILTER) || child.has(row) {
            return;
        }
        child.rows.push(row);
        child.from.push(from);
        child.is_decided |= tag != FILTER && self.rows.is_done(row);
    }
}

//! What the arms of a match leave out, and what of them is never taken.
//!
//! Usefulness (Maranget 2007, "Warnings for pattern matching"), read off the states of the matrix: an arm is taken if
//! one of its rows is taken in some state; an alternative, if a row that chose it is. What covers the others is
//! asked of the matrix of everything before them, on the values that they fit.
//!
//! Worked example: `A | B => …, B | C => …`. The only place splits into `A`, `B`, `C`. For `B` the row of arm 1 that
//! chose its first alternative stands behind the row of arm 0, which is done; so that alternative is never taken, and
//! arm 0 covers it.

use crate::matrix::{FILTER, Matrix, Purpose};
use crate::pattern::{Pattern, PatternId, Patterns, TyId};
use crate::space::{Space, Types};
use crate::witness::{Missing, missing};
use base::{Append, IndexVec, ToList};

/// How many patterns may be copied to say what covers others.
const MAX_COPIES: usize = 200_000;
/// How many goals and rows may be looked at to say what covers others. What is never taken behind that is not told.
const MAX_ASKED: usize = 1_000_000;

/// What is asked of a match.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// What its arms leave out.
    Missing,
    /// That, and what of them is never taken.
    All,
}

/// What comes before and takes the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cover {
    Arm(usize),
    /// An earlier alternative in the same arm.
    Alternative(PatternId),
}

/// What was found of a match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    pub missing: Missing,
    /// Arms that are never taken, each with what covers it: nothing, if no value fits it at all.
    pub arms: Vec<(usize, Vec<Cover>)>,
    /// Alternatives of other arms that are never taken.
    pub alternatives: Vec<(PatternId, Vec<Cover>)>,
    /// The match was too large; the rest says nothing.
    pub is_given_up: bool,
    /// How many goals and rows were looked at.
    pub n_steps: usize,
}

/// Examines a match on a value of a type. A match with a pattern of another type is not judged.
pub(crate) fn examine(
    patterns: &Patterns,
    types: &mut dyn Types,
    ty: TyId,
    arms: &[PatternId],
    wanted: Wanted,
) -> Findings {
    let mut space = Space::new(types);
    if !space.is_inhabited(ty) {
        return Findings { arms: (0..arms.len()).map(|arm| (arm, Vec::new())).list(), ..Findings::default() };
    }
    let rows: Vec<(u32, PatternId)> = (0..).zip(arms.iter().copied()).list();
    let mut matrix = Matrix::new(patterns, space, ty, Purpose::Usefulness);
    let Some(root) = matrix.explore(&rows) else {
        return Findings { is_given_up: true, n_steps: matrix.n_steps(), ..Findings::default() };
    };
    if matrix.has_misfit {
        return Findings::default();
    }
    let missing = missing(&mut matrix, root);
    if wanted == Wanted::Missing {
        return Findings { missing, n_steps: matrix.n_steps(), ..Findings::default() };
    }
    let taken = Taken::new(&matrix, root, arms.len());
    let n_steps = matrix.n_steps();
    let space = matrix.space;
    let wholes = patterns.wholes();
    let mut covers =
        Covers { patterns: patterns.clone(), wholes, space: Some(space), ty, arms, n_copies: 0, n_asked: 0 };
    let mut findings = Findings { missing, n_steps, ..Findings::default() };
    for (arm, &pattern) in arms.iter().enumerate() {
        if !taken.arms[arm] {
            findings.arms.append_all(covers.of(arm, pattern).map(|by| (arm, by)));
            continue;
        }
        let mut pending = vec![pattern];
        while let Some(id) = pending.pop() {
            if matches!(patterns.nodes[id], Pattern::Or(_)) {
                let (live, dead): (Vec<PatternId>, _) =
                    patterns.parts(id).iter().copied().partition(|&part| taken.alternatives[part]);
                pending.append_all(live.into_iter().rev());
                for alternative in dead {
                    findings.alternatives.append_all(covers.of(arm, alternative).map(|by| (alternative, by)));
                }
            } else {
                pending.append_all(patterns.parts(id).iter().rev().copied());
            }
        }
    }
    findings
}

/// Which arms and alternatives are taken by some value.
struct Taken {
    arms: Vec<bool>,
    alternatives: IndexVec<PatternId, bool>,
}

impl Taken {
    fn new(matrix: &Matrix<'_, '_>, root: usize, n_arms: usize) -> Taken {
        let patterns = matrix.patterns;
        let mut taken =
            Taken { arms: base::filled(false, n_arms), alternatives: IndexVec::filled(false, patterns.nodes.len()) };
        // By state and row, whether some value takes the row.
        let mut useful: Vec<Vec<bool>> = base::filled(Vec::new(), matrix.states.len());
        for state in matrix.order(root) {
            let data = &matrix.states[state];
            let mut of_rows = base::filled(false, data.rows.len());
            if let Some(row) = matrix.taken(state) {
                of_rows[0] = true;
                taken.arms[row.tag as usize] = true;
            }
            for edge in &data.edges {
                for (&(row, alternative), &is_useful) in edge.from.iter().zip(&useful[edge.to]) {
                    if is_useful {
                        of_rows[row as usize] = true;
                        alternative.iter().for_each(|&alternative| taken.alternatives[alternative] = true);
                    }
                }
            }
            useful[state] = of_rows;
        }
        // An or-pattern among alternatives is taken if one of its own is.
        for id in patterns.nodes.ids() {
            if let Pattern::Or(parts) = &patterns.nodes[id] {
                taken.alternatives[id] = parts.iter().any(|&part| taken.alternatives[part]);
            }
        }
        taken
    }
}

struct Covers<'a, 't> {
    /// Grows by copies.
    patterns: Patterns,
    wholes: IndexVec<PatternId, Option<PatternId>>,
    space: Option<Space<'t>>,
    ty: TyId,
    arms: &'a [PatternId],
    n_copies: usize,
    n_asked: usize,
}

impl Covers<'_, '_> {
    /// What takes the values that this part of an arm, an alternative or all of it, is for. `None` if too much has been
    /// asked before.
    fn of(&mut self, arm: usize, part: PatternId) -> Option<Vec<Cover>> {
        if self.n_asked > MAX_ASKED {
            return None;
        }
        let mut rows: Vec<(Cover, PatternId)> = Vec::new();
        // The innermost or-pattern decides last.
        let mut id = part;
        while let Some(whole) = self.wholes[id] {
            if let Pattern::Or(parts) = &self.patterns.nodes[whole] {
                let earlier: Vec<PatternId> = parts.iter().copied().take_while(|&other| other != id).list();
                for other in earlier.into_iter().rev() {
                    let row = self.choosing(other);
                    rows.push((Cover::Alternative(other), row));
                }
            }
            id = whole;
        }
        rows.append_all(self.arms[..arm].iter().enumerate().map(|(arm, &pattern)| (Cover::Arm(arm), pattern)).rev());
        rows.reverse();
        let filter = self.choosing(part);
        if self.n_copies > MAX_COPIES {
            return Some(Vec::new());
        }
        let mut tagged: Vec<(u32, PatternId)> = (0..).zip(rows.iter().map(|&(_, pattern)| pattern)).list();
        tagged.push((FILTER, filter));
        let space = self.space.take()?;
        let mut matrix = Matrix::new(&self.patterns, space, self.ty, Purpose::Cover);
        let mut is_cover = base::filled(false, rows.len());
        // Of a filter that fits no value at all there is no row.
        let is_explored = matrix.explore(&tagged).is_some();
        for state in 0..matrix.states.len() {
            let is_asked = matrix.states[state].rows.last().is_some_and(|&row| matrix.rows.row(row).tag == FILTER);
            if let (true, true, Some(row)) = (is_explored, is_asked, matrix.taken(state))
                && row.tag != FILTER
            {
                is_cover[row.tag as usize] = true;
            }
        }
        self.n_asked += matrix.n_steps();
        self.space = Some(matrix.space);
        Some(rows.iter().zip(is_cover).filter(|&(_, is_cover)| is_cover).map(|(&(cover, _), _)| cover).list())
    }

    /// The arm of an alternative, with it and those around it chosen.
    fn choosing(&mut self, part: PatternId) -> PatternId {
        let mut new = part;
        let mut id = part;
        while let Some(whole) = self.wholes[id] {
            if self.n_copies > MAX_COPIES {
                return part;
            }
            if let Pattern::Head(head, fields) = &self.patterns.nodes[whole] {
                let fields = fields.iter().map(|&field| if field == id { new } else { field }).list();
                self.n_copies += 1;
                new = self.patterns.nodes.push(Pattern::Head(*head, fields));
            }
            id = whole;
        }
        new
    }
}

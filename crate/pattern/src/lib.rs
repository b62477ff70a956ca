//! Which values a match does not handle, and which arms are never reached.
//!
//! In: a module and one match. Out: witnesses of the missing cases, and the arms that earlier ones cover.
//!
//! A matrix of patterns, one row per arm, is specialised by each constructor of the first column that its first row
//! takes apart (Maranget 2007, "Warnings for pattern matching"). A matrix without rows is a missing case; a first row
//! of wildcards is the arm that is taken there. Matrices wait on an explicit stack, and the work is bounded.
//!
//! Worked example, for `type Seq { Link(int32, Seq), End }` and the one arm `Link(_, Link(_, _))`: the column splits
//! into `Link` (whose second field splits into `Link`, taken, and `End`, without a row) and `End`, without a row. The
//! witnesses are `Link(_, End)` and `End`.
//!
//! Deliberately absent: types. Constructors say to which type they belong.

use hir::{Arm, CtorId, Module, PatId, PatKind, TypeExprKind};
use std::rc::Rc;
use ty::{Dtype, Scalar, Term, TermId, Terms};

/// How many matrices one match may cost.
const MAX_MATRICES: usize = 20_000;

/// What a match does not do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coverage {
    /// Missing cases as patterns, at most [`MAX_WITNESSES`].
    pub missing: Vec<String>,
    /// Whether there are more than are listed, or the search was cut short.
    pub more: bool,
    /// Arms that are never taken, by index.
    pub unreachable: Vec<usize>,
}

pub const MAX_WITNESSES: usize = 8;

/// What a pattern asks of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Head {
    Ctor(CtorId),
    Tuple(usize),
    Literal(Dtype, Scalar),
    /// Any value of an endless type that no literal names.
    Other,
}

/// What was decided of a place in the value, newest first.
struct Decision {
    place: usize,
    head: Head,
    first_field: usize,
    earlier: Option<Rc<Decision>>,
}

#[derive(Clone)]
struct Row {
    arm: usize,
    /// `None` is a wildcard.
    patterns: Vec<Option<PatId>>,
}

struct Matrix {
    /// By column, the place that it stands for. Place 0 is the scrutinee.
    places: Vec<usize>,
    rows: Vec<Row>,
    decisions: Option<Rc<Decision>>,
}

/// Checks one match. `scrutinee` is its type, which matters only when there is no arm.
pub fn check(module: &Module, terms: &impl Terms, scrutinee: TermId, arms: &[Arm]) -> Coverage {
    if arms.is_empty() {
        let is_empty = matches!(terms.head(scrutinee), Term::Adt { adt, .. }
            if module.adts[adt].ctors.is_empty() && !module.adts[adt].is_extern);
        let missing = if is_empty { Vec::new() } else { vec!["_".to_owned()] };
        return Coverage { missing, ..Coverage::default() };
    }
    // What an arm that could not be read would take is not known.
    if arms.iter().any(|arm| is_broken(module, arm.pat)) {
        return Coverage::default();
    }
    let mut search = Search { module, n_places: 1, stack: Vec::new() };
    let rows = arms.iter().enumerate().map(|(arm, a)| Row { arm, patterns: vec![Some(a.pat)] }).collect();
    search.stack.push(Matrix { places: vec![0], rows, decisions: None });
    let mut reached = vec![false; arms.len()];
    let mut coverage = Coverage::default();
    let mut n_matrices = 0;
    while let Some(mut matrix) = search.stack.pop() {
        n_matrices += 1;
        if n_matrices > MAX_MATRICES {
            coverage.more = true;
            return Coverage { unreachable: Vec::new(), ..coverage };
        }
        search.strip(&mut matrix);
        let Some(first) = matrix.rows.first() else {
            if coverage.missing.len() < MAX_WITNESSES {
                coverage.missing.push(search.witness(matrix.decisions.as_deref()));
            } else {
                coverage.more = true;
            }
            continue;
        };
        match first.patterns.iter().position(Option::is_some) {
            None => reached[first.arm] = true,
            Some(column) => search.split(matrix, column),
        }
    }
    coverage.unreachable = (0..arms.len()).filter(|&arm| !reached[arm]).collect();
    coverage
}

fn is_broken(module: &Module, pat: PatId) -> bool {
    let mut pending = vec![pat];
    while let Some(pat) = pending.pop() {
        match &module.pats[pat].kind {
            PatKind::Error | PatKind::Or(_) | PatKind::Variant(..) => return true,
            PatKind::Wild | PatKind::Var(_) | PatKind::Literal(..) => {}
            PatKind::As(inner, _) => pending.push(*inner),
            PatKind::Ctor(_, fields) | PatKind::Tuple(fields) => pending.extend(fields),
        }
    }
    false
}

struct Search<'m> {
    module: &'m Module,
    n_places: usize,
    stack: Vec<Matrix>,
}

impl Search<'_> {
    /// Replaces variables and `as` by what they are: wildcards and the pattern inside.
    fn strip(&self, matrix: &mut Matrix) {
        for pattern in matrix.rows.iter_mut().flat_map(|row| &mut row.patterns) {
            while let Some(id) = *pattern {
                match self.module.pats[id].kind {
                    PatKind::Error | PatKind::Or(_) | PatKind::Variant(..) | PatKind::Wild | PatKind::Var(_) => {
                        *pattern = None;
                    }
                    PatKind::As(inner, _) => *pattern = Some(inner),
                    PatKind::Ctor(..) | PatKind::Tuple(_) | PatKind::Literal(..) => break,
                }
            }
        }
    }

    fn head(&self, pat: PatId) -> Head {
        match &self.module.pats[pat].kind {
            PatKind::Ctor(ctor, _) => Head::Ctor(*ctor),
            PatKind::Tuple(fields) => Head::Tuple(fields.len()),
            PatKind::Literal(dtype, scalar) => Head::Literal(*dtype, *scalar),
            _ => Head::Other,
        }
    }

    fn n_fields(&self, head: Head) -> usize {
        match head {
            Head::Ctor(ctor) => self.module.ctors[ctor].fields.len(),
            Head::Tuple(n) => n,
            Head::Literal(..) | Head::Other => 0,
        }
    }

    /// All the heads that a value in this column can have, as far as they must be told apart.
    fn heads(&self, matrix: &Matrix, column: usize) -> Vec<Head> {
        let mut named: Vec<Head> = Vec::new();
        for pat in matrix.rows.iter().filter_map(|row| row.patterns[column]) {
            let head = self.head(pat);
            if !named.contains(&head) {
                named.push(head);
            }
        }
        match named[0] {
            Head::Ctor(ctor) => {
                let ctors = &self.module.adts[self.module.ctors[ctor].adt].ctors;
                ctors.iter().filter(|&&ctor| self.is_inhabited(ctor)).map(|&ctor| Head::Ctor(ctor)).collect()
            }
            Head::Tuple(n) => vec![Head::Tuple(n)],
            Head::Literal(Dtype::Bool, _) => {
                [0, 1].map(|value| Head::Literal(Dtype::Bool, Scalar::Int(value))).to_vec()
            }
            Head::Literal(..) | Head::Other => {
                named.push(Head::Other);
                named
            }
        }
    }

    /// Whether no field is of a type without values.
    fn is_inhabited(&self, ctor: CtorId) -> bool {
        self.module.ctors[ctor].fields.iter().all(|&field| match self.module.type_exprs[field].kind {
            TypeExprKind::Adt { adt, .. } => self.module.adts[adt].is_extern || !self.module.adts[adt].ctors.is_empty(),
            _ => true,
        })
    }

    /// Pushes the matrix specialised by every head of the column, the first on top.
    fn split(&mut self, matrix: Matrix, column: usize) {
        for head in self.heads(&matrix, column).into_iter().rev() {
            let n_fields = self.n_fields(head);
            let first_field = self.n_places;
            self.n_places += n_fields;
            let mut places = matrix.places.clone();
            places.splice(column..=column, first_field..first_field + n_fields);
            let rows = matrix.rows.iter().filter_map(|row| self.specialise(row, column, head, n_fields)).collect();
            let decision =
                Decision { place: matrix.places[column], head, first_field, earlier: matrix.decisions.clone() };
            self.stack.push(Matrix { places, rows, decisions: Some(Rc::new(decision)) });
        }
    }

    fn specialise(&self, row: &Row, column: usize, head: Head, n_fields: usize) -> Option<Row> {
        let mut fields: Vec<Option<PatId>> = vec![None; n_fields];
        if let Some(pat) = row.patterns[column] {
            if self.head(pat) != head {
                return None;
            }
            if let PatKind::Ctor(_, given) | PatKind::Tuple(given) = &self.module.pats[pat].kind {
                // A wrong number of fields was reported; the rest counts as wildcards.
                fields.iter_mut().zip(given).for_each(|(field, &pat)| *field = Some(pat));
            }
        }
        let mut patterns = row.patterns.clone();
        patterns.splice(column..=column, fields);
        Some(Row { arm: row.arm, patterns })
    }

    /// The value that was decided on, as a pattern.
    fn witness(&self, mut decisions: Option<&Decision>) -> String {
        let mut by_place = std::collections::HashMap::new();
        while let Some(decision) = decisions {
            by_place.insert(decision.place, decision);
            decisions = decision.earlier.as_deref();
        }
        enum Piece {
            Text(&'static str),
            Place(usize),
        }
        let mut text = String::new();
        let mut stack = vec![Piece::Place(0)];
        while let Some(piece) = stack.pop() {
            let place = match piece {
                Piece::Text(piece) => {
                    text.push_str(piece);
                    continue;
                }
                Piece::Place(place) => place,
            };
            let Some(decision) = by_place.get(&place) else {
                text.push('_');
                continue;
            };
            let n_fields = self.n_fields(decision.head);
            match decision.head {
                Head::Ctor(ctor) => text.push_str(&self.module.ctors[ctor].name),
                Head::Tuple(_) => {}
                Head::Literal(_, Scalar::Int(value)) => {
                    text.push_str(if value == 0 { "False" } else { "True" });
                    continue;
                }
                Head::Literal(..) | Head::Other => {
                    text.push('_');
                    continue;
                }
            }
            if n_fields > 0 || matches!(decision.head, Head::Tuple(_)) {
                text.push('(');
                let one_tuple = matches!(decision.head, Head::Tuple(1));
                stack.push(Piece::Text(if one_tuple { ",)" } else { ")" }));
                for field in (0..n_fields).rev() {
                    stack.push(Piece::Place(decision.first_field + field));
                    if field > 0 {
                        stack.push(Piece::Text(", "));
                    }
                }
            }
        }
        text
    }
}

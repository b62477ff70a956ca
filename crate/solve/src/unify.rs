//! Unification by worklist, without recursion and linear in shared types.
//!
//! Worked example: `(a, Tensor[(n, 4), f]) ~ (int32, Tensor[(3, m), float32])` binds `a`, `n`, `f` and `m`, then
//! links the shapes, the tensors and the tuples, in that order: composites are linked only when everything in them
//! has unified.

use crate::solver::Solver;
use crate::store::Cause;
use base::{Append, HashMap, HashSet, MapArray, ToList};
use ty::{Atom, Dim, Extent, Kind, List, ParamId, Poly, Term, TermId, Terms, Variant, VariantId};

/// From this many steps on, pairs that were met are remembered, so that shared (or cyclic) types are walked once.
const REMEMBER_FROM: usize = 64;

/// Terms to be made equal.
type Pairs = Vec<(TermId, TermId)>;

/// The two terms that differ, of the expected side and of the found side.
pub(crate) type Conflict = (TermId, TermId);

impl Solver {
    /// Makes two terms equal. On a conflict, what was learned before it stays.
    pub(crate) fn unify(&mut self, expected: TermId, found: TermId, cause: Cause) -> Result<(), Conflict> {
        // Most often the first pair is all there is, for which no list is made.
        let mut first = Some((expected, found));
        let (mut pairs, mut composites) = (Pairs::new(), Pairs::new());
        let mut met: HashSet<(TermId, TermId)> = HashSet::default();
        let mut n_steps = 0;
        while let Some((expected, found)) = first.take().or_else(|| pairs.pop()) {
            let (a, b) = (self.root(expected), self.root(found));
            n_steps += 1;
            if a == b || (n_steps > REMEMBER_FROM && !met.insert((a, b))) {
                continue;
            }
            let (left, right) = (self.store.head(a), self.store.head(b));
            match (left, right) {
                // An unknown never stands for a polymorphic type: it is one use of it.
                (Term::Hole(Kind::Type), Term::Forall { first, n, body }) => {
                    let instance = self.open_fresh(first, n, body, cause);
                    pairs.push((a, instance));
                }
                (Term::Forall { first, n, body }, Term::Hole(Kind::Type)) => {
                    let instance = self.open_fresh(first, n, body, cause);
                    pairs.push((instance, b));
                }
                (Term::Forall { first, n, body }, Term::Forall { first: other, n: m, body: other_body }) if n == m => {
                    let kinds = self.forall_kinds(first, n, body).into_iter();
                    let rigid =
                        kinds.zip(first.number()..).map(|(kind, param)| Term::param(ParamId::numbered(param), kind));
                    let rigid: Vec<Term> = rigid.list();
                    let rigid: Vec<TermId> = rigid.into_iter().map(|param| self.fresh(param, cause)).list();
                    let renamed = self.open(other, other_body, &rigid, cause);
                    pairs.push((body, renamed));
                }
                // A row is a set: what is before an unknown may be in it as well.
                (Term::Hole(Kind::Row), Term::Row { .. }) if self.end_of_row(b) == a => {
                    let rest = self.fresh(Term::hole(Kind::Row), cause);
                    let variants = self.row(b).0.into_iter();
                    let all = self.extend_row(variants, rest);
                    pairs.push((a, all));
                }
                (Term::Row { .. }, Term::Hole(Kind::Row)) if self.end_of_row(a) == b => pairs.push((b, a)),
                (Term::Hole(_), _) if left.kind() == right.kind() => self.union((expected, found), right, cause),
                (_, Term::Hole(_)) if left.kind() == right.kind() => self.union((expected, found), left, cause),
                (Term::Error(_), _) | (_, Term::Error(_)) => {}
                (Term::Dim(left), Term::Dim(right)) => match merge_dims(left, right) {
                    None if self.is_assumed_zero(left, right) => {}
                    None => return Err((expected, found)),
                    Some(dim) => {
                        let settled = left == right && left.extent != Extent::Unknown;
                        if !settled || self.dynamics {
                            self.union((expected, found), Term::Dim(dim), cause);
                        }
                    }
                },
                (Term::Dtype(left), Term::Dtype(right)) if left == right => {}
                (Term::Param(left, _), Term::Param(right, _)) if left == right => {}
                (Term::Slice { .. }, Term::Slice { .. }) if left == right => {}
                (Term::EmptyRow, Term::EmptyRow) => {}
                (Term::Row { .. }, Term::Row { .. }) => {
                    self.push_row(a, b, cause, &mut pairs)?;
                    composites.push((expected, found));
                }
                (Term::Shape(left), Term::Shape(right)) if self.clashing_sizes(left, right).is_some() => {
                    return Err(self.clashing_sizes(left, right).unwrap_or((a, b)));
                }
                _ if self.push_parts(left, right, &mut pairs) => composites.push((expected, found)),
                _ => return Err((expected, found)),
            }
        }
        while let Some(pair) = composites.pop() {
            let (a, b) = (self.root(pair.0), self.root(pair.1));
            if a != b {
                let term = self.store.head(self.latter(a, b));
                self.union(pair, term, cause);
            }
        }
        Ok(())
    }

    /// A dim's number or what it is made of; `None` if it is unknown.
    pub fn dim_poly(&self, dim: Dim) -> Option<Poly<Atom>> {
        match dim.extent {
            Extent::Unknown => None,
            Extent::Number(number) => Some(Poly::constant(number)),
            Extent::Param(param) => Some(Poly::atom(Atom::Param(param))),
            Extent::Poly(poly) => Some(self.store.poly(poly).clone()),
        }
    }

    /// Whether two different dims are taken to be equal.
    fn is_assumed_zero(&self, left: Dim, right: Dim) -> bool {
        let difference = || self.dim_poly(left)?.minus(&self.dim_poly(right)?);
        if self.zeros.is_empty() {
            return false;
        }
        difference().is_some_and(|difference| difference.vanishes(&self.zeros))
    }

    /// Two shapes' first dims with different numbers: looked for before any dim is told anything, so that both shapes
    /// are reported as they were.
    fn clashing_sizes(&self, left: List, right: List) -> Option<Conflict> {
        let number = |id| match self.head(id) {
            Term::Dim(Dim { extent: Extent::Number(number), .. }) => Some(number),
            _ => None,
        };
        let mut pairs = self.items(left).iter().zip(self.items(right)).filter(|_| left.len == right.len);
        pairs.find(|&(&a, &b)| number(a).zip(number(b)).is_some_and(|(a, b)| a != b)).map(|(&a, &b)| (a, b))
    }

    /// Pushes what makes two rows equal: the fields of variants of one name, what the longer row lacks against its
    /// rest, and the longer row against the rest of the shorter one, which has some variants twice then.
    fn push_row(&mut self, a: TermId, b: TermId, cause: Cause, pairs: &mut Pairs) -> Result<(), Conflict> {
        let is_long = [a, b].each(|row| self.is_long(row));
        let ((left, left_rest), (right, right_rest)) = match is_long {
            [true, false] => {
                let right = self.row(b);
                (self.beside(a, &right), right)
            }
            [false, true] => {
                let left = self.row(a);
                let right = self.beside(b, &left);
                (left, right)
            }
            _ => (self.row(a), self.row(b)),
        };
        let Shared { equal, only_left, only_right } = shared(&left, &right);
        for (left, right) in equal.into_iter().rev() {
            if left.fields.len != right.fields.len {
                return Err((left.cell, right.cell));
            }
            let (left, right) = (self.items(left.fields), self.items(right.fields));
            pairs.append_all(left.iter().copied().zip(right.iter().copied()).rev());
        }
        let is_open = |rest: TermId| matches!(self.head(rest), Term::Hole(_) | Term::Error(_));
        match (only_left.first(), only_right.first()) {
            (Some(lacking), _) if !is_open(right_rest) => return Err((lacking.cell, right_rest)),
            (_, Some(lacking)) if !is_open(left_rest) => return Err((left_rest, lacking.cell)),
            (None, None) => {
                pairs.push((left_rest, right_rest));
                return Ok(());
            }
            _ => {}
        }
        let is_left = if is_long[0] == is_long[1] { left.len() >= right.len() } else { is_long[0] };
        let (longer, longer_rest, shorter_rest, lacking, more) = if is_left {
            (a, left_rest, right_rest, only_right, only_left)
        } else {
            (b, right_rest, left_rest, only_left, only_right)
        };
        if left_rest == right_rest {
            // One rest for both: it holds what either lacks.
            let rest = self.fresh(Term::hole(Kind::Row), cause);
            let all = self.extend_row(lacking.into_iter().chain(more), rest);
            pairs.push((left_rest, all));
            return Ok(());
        }
        if more.is_empty() {
            let lacking = self.extend_row(lacking.into_iter(), shorter_rest);
            pairs.push((longer_rest, lacking));
            return Ok(());
        }
        pairs.push((longer, shorter_rest));
        if !lacking.is_empty() {
            let rest = self.fresh(Term::hole(Kind::Row), cause);
            let lacking = self.extend_row(lacking.into_iter(), rest);
            pairs.push((longer_rest, lacking));
        }
        Ok(())
    }

    fn is_long(&self, row: TermId) -> bool {
        let mut rest = row;
        for _ in 0..=FEW {
            let Term::Row { rest: next, .. } = self.head(rest) else { return false };
            rest = next;
        }
        true
    }

    /// Of a long row the variants that a short one has, with one more for all others, so that a match of many arms does
    /// not walk what it knows once for each arm. All of them, where it matters which the others are, or where they
    /// differ: what is told of a variant is read off its cell, which may have come to stand for others.
    fn beside(&mut self, long: TermId, (few, rest): &(Vec<Variant>, TermId)) -> (Vec<Variant>, TermId) {
        let is_open = matches!(self.head(*rest), Term::Hole(_));
        let walked = self.walked(long);
        let mut found = Vec::new();
        let mut is_alike = is_open && *rest != walked.end;
        for variant in few {
            let known = walked.variant(variant.name);
            is_alike &= known.is_none_or(|known| known.fields.len == variant.fields.len);
            found.append_all(known);
        }
        let is_asked = |other: &&Variant| few.iter().any(|variant| variant.name == other.name);
        match walked.variants.iter().find(|other| !is_asked(other)) {
            Some(&other) if is_alike => {
                found.push(other);
                (found, walked.end)
            }
            _ => self.row(long),
        }
    }

    fn end_of_row(&mut self, row: TermId) -> TermId {
        if self.is_long(row) { self.walked(row).end } else { self.row(row).1 }
    }

    pub(crate) fn forget_rows(&mut self) {
        self.rows.clear();
        self.walked.clear();
    }

    /// A row that has been walked to its end, from where it ended when it was walked before.
    fn walked(&mut self, row: TermId) -> &Walked {
        let root = self.root(row);
        let at = *self.rows.entry(root).or_insert(self.walked.len());
        if at == self.walked.len() {
            self.walked.push(Walked { variants: Vec::new(), by_name: HashMap::default(), end: root });
        }
        let walked = &mut self.walked[at];
        let (variants, end) = self.store.row(walked.end);
        for variant in variants {
            if *walked.by_name.entry(variant.name).or_insert(walked.variants.len()) == walked.variants.len() {
                walked.variants.push(variant);
            }
        }
        walked.end = end;
        walked
    }

    /// The fields of a variant, if a row has it.
    pub fn fields_in_row(&mut self, row: TermId, name: VariantId) -> Option<List> {
        self.walked(row).variant(name).map(|variant| variant.fields)
    }

    /// Of a row and one that it goes on with the latter, which stands for both, or it would go on with itself; of
    /// others the first.
    fn latter(&self, a: TermId, b: TermId) -> TermId {
        let leads = |mut from: TermId, to: TermId| {
            (0..FEW).any(|_| match self.head(from) {
                Term::Row { rest, .. } => {
                    from = self.root(rest);
                    from == to
                }
                _ => false,
            })
        };
        // Most often one is short.
        let is_later = leads(a, b) || (!leads(b, a) && self.row(a).0.iter().any(|variant| variant.cell == b));
        if is_later { b } else { a }
    }

    /// A row of variants that were mentioned elsewhere, before a rest.
    fn extend_row(&mut self, variants: impl DoubleEndedIterator<Item = Variant>, rest: TermId) -> TermId {
        variants.rev().fold(rest, |rest, Variant { cell, name, fields }| {
            let origin = self.store.origin(cell);
            self.fresh(Term::Row { variant: name, fields, rest }, origin)
        })
    }

    /// Pushes the parts of two terms pairwise, the first on top; false if the terms have different forms.
    fn push_parts(&self, left: Term, right: Term, pairs: &mut Pairs) -> bool {
        let lists = match (left, right) {
            (Term::Tensor { shape: s1, dtype: d1 }, Term::Tensor { shape: s2, dtype: d2 }) => {
                pairs.append_all([(d1, d2), (s1, s2)]);
                return true;
            }
            (Term::Ref(left), Term::Ref(right)) | (Term::Sum(left), Term::Sum(right)) => {
                pairs.push((left, right));
                return true;
            }
            (Term::Func { params: p1, result: r1 }, Term::Func { params: p2, result: r2 }) if p1.len == p2.len => {
                pairs.push((r1, r2));
                (p1, p2)
            }
            (Term::Tuple(left), Term::Tuple(right))
            | (Term::Shape(left), Term::Shape(right))
            | (Term::Splice(left), Term::Splice(right)) => (left, right),
            (Term::Adt { adt: d1, args: left }, Term::Adt { adt: d2, args: right }) if d1 == d2 => (left, right),
            _ => return false,
        };
        let (left, right) = (self.items(lists.0), self.items(lists.1));
        if left.len() != right.len() {
            return false;
        }
        pairs.append_all(left.iter().copied().zip(right.iter().copied()).rev());
        true
    }

    /// Links the classes of two cells, the smaller class below the larger, which then stands for `term`.
    fn union(&mut self, cells: (TermId, TermId), term: Term, cause: Cause) {
        let (a, b) = (self.root(cells.0), self.root(cells.1));
        let (child, parent) = if self.store.size(a) > self.store.size(b) { (b, a) } else { (a, b) };
        if self.store.head(parent) != term {
            let source = self.store.source(if self.store.head(child) == term { child } else { parent });
            self.bind_from(parent, term, source, cause);
        }
        self.link(child, parent, cells, cause);
    }
}

/// Both facts grow: at most one number or parameter, and the flag of either. A `?` says nothing of a parameter's
/// number, so the two go together.
fn merge_dims(left: Dim, right: Dim) -> Option<Dim> {
    let dynamic = left.dynamic || right.dynamic;
    let extent = match (left.extent, right.extent) {
        (Extent::Unknown, extent) | (extent, Extent::Unknown) => extent,
        (left, right) if left == right => left,
        _ => return None,
    };
    Some(Dim { extent, dynamic })
}

/// The variants of two rows, by whether both have them. Either may have one twice: none is lacking of which the other
/// has the name.
struct Shared {
    equal: Vec<(Variant, Variant)>,
    only_left: Vec<Variant>,
    only_right: Vec<Variant>,
}

/// A row of at most this many variants is compared with another one by one.
const FEW: usize = 4;

/// A row as far as it was walked. What is added to a row is added at its end.
#[derive(Clone)]
pub(crate) struct Walked {
    /// Each name once.
    variants: Vec<Variant>,
    by_name: HashMap<VariantId, usize>,
    end: TermId,
}

impl Walked {
    fn variant(&self, name: VariantId) -> Option<Variant> {
        self.by_name.get(&name).map(|&at| self.variants[at])
    }
}

fn shared(left: &[Variant], right: &[Variant]) -> Shared {
    let mut found = Shared { equal: Vec::new(), only_left: Vec::new(), only_right: Vec::new() };
    if left.len() <= FEW && right.len() > FEW {
        let Shared { equal, only_left, only_right } = shared(right, left);
        let equal = equal.into_iter().map(|(right, left)| (left, right)).list();
        return Shared { equal, only_left: only_right, only_right: only_left };
    }
    if right.len() <= FEW {
        let mut met = [false; FEW];
        for &variant in left {
            let n_equal = found.equal.len();
            let same = right.iter().zip(&mut met).filter(|(other, _)| other.name == variant.name);
            for (&other, met) in same {
                *met = true;
                found.equal.push((variant, other));
            }
            if found.equal.len() == n_equal {
                found.only_left.push(variant);
            }
        }
        found.only_right.append_all(right.iter().zip(met).filter(|(_, met)| !met).map(|(variant, _)| *variant));
        return found;
    }
    let (mut left, mut right) = (left.to_vec(), right.to_vec());
    base::sort_by_key(&mut left, |variant| variant.name);
    base::sort_by_key(&mut right, |variant| variant.name);
    let mut rights = right.into_iter().peekable();
    for (at, &variant) in left.iter().enumerate() {
        if let Some(&before) = at.checked_sub(1).map(|before| &left[before])
            && before.name == variant.name
        {
            found.equal.push((before, variant));
            continue;
        }
        while let Some(other) = rights.next_if(|other| other.name < variant.name) {
            found.only_right.push(other);
        }
        let n_equal = found.equal.len();
        while let Some(other) = rights.next_if(|other| other.name == variant.name) {
            found.equal.push((variant, other));
        }
        if found.equal.len() == n_equal {
            found.only_left.push(variant);
        }
    }
    found.only_right.append_all(rights);
    found
}

//! Waiting relations that say the same: they are one, and what they determine is equal.
//!
//! Worked example: of `Broadcast(S, R, Q)` and `Broadcast(R, S, P)`, which wait for a rank, both results are the same
//! shape, since a broadcast does not depend on the order of its operands.

use crate::group::Member;
use crate::walk::Inference;
use base::{Append, Edited, HashMap, HashSet, ToList};
use solve::{Posted, RelationId};
use ty::{Dim, Extent, FUNCTION, Function, Kind, List, Poly, Term, TermId, Terms};

/// A term of more parts than this is compared by its class.
const MAX_KEY: usize = 64;

/// What relations are compared by.
pub(crate) type Key = Vec<(Option<Term>, TermId)>;

/// A relation, by its address, and its inputs, or all that it is about.
pub(crate) type Question = ((usize, usize), Vec<Key>);

/// A broadcast of more shapes than this is not compared with others.
const MAX_JOINED: usize = 16;

impl Inference<'_> {
    /// The waiting broadcasts of shapes with their operands and result, each behind those that give it an operand.
    /// What others imply is none of them: it would imply those in turn.
    fn open_broadcasts(&self, first_relation: usize) -> Vec<(RelationId, [TermId; 3])> {
        let is_broadcast = |id| self.solver.relation(id).relation.is(op::broadcast_of_shapes());
        let mut open: Vec<(RelationId, [TermId; 3])> = { self.relations(first_relation) }
            .filter(|id| is_broadcast(*id) && !self.implied.contains(id) && self.is_open(*id))
            .filter_map(|id| {
                let shapes = <[TermId; 3]>::try_from(&self.solver.relation(id).args[..]).ok()?;
                Some((id, shapes.map(|shape| self.solver.root(shape))))
            })
            .list();
        let mut ordered = Vec::with_capacity(open.len());
        let mut pending: HashMap<TermId, usize> = HashMap::default();
        // One that gives what it takes keeps no other waiting.
        let gives = |[left, right, result]: [TermId; 3]| (left != result && right != result).then_some(result);
        for result in open.iter().filter_map(|&(_, shapes)| gives(shapes)) {
            *pending.entry(result).or_default() += 1;
        }
        loop {
            let n_open = open.len();
            open.keep(|&(id, shapes)| {
                let is_ready = |operand: &TermId| pending.get(operand).is_none_or(|&n| n == 0);
                let ready = shapes[..2].iter().all(is_ready);
                if ready {
                    ordered.push((id, shapes));
                    gives(shapes).map(|result| pending.entry(result).and_modify(|n| *n -= 1));
                }
                !ready
            });
            if open.len() == n_open {
                ordered.append(&mut open);
                return ordered;
            }
        }
    }

    /// Broadcasts of the same shapes are the same shape, in whatever order and however often each is taken: the
    /// operation is associative, commutative and idempotent. Whether something was learned.
    ///
    /// What this implies need not be asked for, unless the definitions of a group do not know the same of it: what implies
    /// it may be another's alone.
    fn join_broadcasts(&mut self, group: &[Member], first_relation: usize) -> bool {
        let mut shapes_of: HashMap<TermId, Vec<TermId>> = HashMap::default();
        let mut known: HashMap<Vec<TermId>, TermId> = HashMap::default();
        let mut equal = Vec::new();
        for (id, [left, right, result]) in self.open_broadcasts(first_relation) {
            let posted = self.solver.relation(id);
            let mut all: Vec<TermId> = Vec::new();
            for operand in [left, right] {
                match shapes_of.get(&operand) {
                    Some(shapes) => all.extend_from_slice(shapes),
                    None => all.push(operand),
                }
            }
            base::sort(&mut all);
            all.dedup();
            if all.len() > MAX_JOINED {
                continue;
            }
            let same = [left, right].into_iter().find(|operand| shapes_of.get(operand) == Some(&all));
            match same.or_else(|| known.get(&all).copied()) {
                // Once: what cannot be equal has been told.
                Some(other) if other != result => {
                    if self.joined.insert(id) {
                        equal.push((other, result, posted.cause));
                    }
                }
                // The same shapes are the same result before.
                Some(_) if group.len() == 1 => drop(self.implied.insert(id)),
                Some(_) => {}
                None => known.insert(all.clone(), result),
            }
            shapes_of.entry(result).or_insert(all);
        }
        let learned = !equal.is_empty();
        for (expected, found, cause) in equal {
            self.solver.equal(expected, found, cause);
        }
        learned
    }

    /// A broadcast of an unknown shape with itself, but for 1 in the place of some dims, is that shape: `x - max(x)` with
    /// `keepdims`. Whether something was learned. Of parameters, [`ty::covers`] knows the same.
    fn absorb_broadcasts(&mut self, group: &[Member], first_relation: usize) -> bool {
        let open = self.open_broadcasts(first_relation);
        if open.is_empty() {
            return false;
        }
        let known = self.part_equations(&mut self.relations(first_relation));
        let is_one = |part: TermId| matches!(self.solver.head(part), Term::Dim(Dim { extent: Extent::Number(1), .. }));
        // The base of which a term is a part, and from where on to where.
        let part = |term: TermId| {
            let posted = known.get(&term)?;
            let (from, to) = match *Function::of(&posted.attrs)? {
                Function::Slice(from, to) => (from.unwrap_or(0), to),
                Function::Index(at) => (at, Some(at.saturating_add(1)).filter(|&next| next != 0)),
                _ => return None,
            };
            Some((self.solver.root(posted.args[0]), from, to))
        };
        // Each part begins where the one before ends, and the last one at the end of the shape.
        let covers = |whole: TermId, other: TermId| {
            let concat = known.get(&other).filter(|posted| Function::of(&posted.attrs) == Some(&Function::Concat));
            let Some(posted) = concat else { return false };
            let mut place = Some(0);
            for &of in &posted.args[..posted.n_inputs()] {
                let (of, Some(at)) = (self.solver.root(of), place) else { return false };
                place = match part(of) {
                    Some((base, from, to)) if base == whole && from == at => to,
                    _ if is_one(of) => Some(at.saturating_add(1)).filter(|&next| next != 0),
                    _ => return false,
                };
            }
            place.is_none()
        };
        let mut absorbed = Vec::new();
        for (id, [left, right, result]) in open {
            let found = [[left, right], [right, left]].into_iter().find(|&[whole, other]| covers(whole, other));
            absorbed.append_all(found.map(|[whole, _]| (id, whole, result)));
        }
        let mut learned = false;
        for (id, whole, result) in absorbed {
            if group.len() == 1 {
                self.implied.insert(id);
            }
            if whole != result && self.joined.insert(id) {
                let cause = self.solver.relation(id).cause;
                self.solver.equal(whole, result, cause);
                learned = true;
            }
        }
        learned
    }

    /// A place in an unknown shape that is put together of dims there is one of them: `(..s, n)[-1]` is `n`. Whether
    /// something was learned. Of parameters, the function itself knows.
    fn find_places(&mut self, group: &[Member], first_relation: usize) -> bool {
        let is_place = |id: &RelationId| {
            let is_index = matches!(Function::of(&self.solver.relation(*id).attrs), Some(Function::Index(_)));
            is_index && !self.implied.contains(id) && self.is_open(*id)
        };
        let asked = self.relations(first_relation).filter(is_place).list();
        if asked.is_empty() {
            return false;
        }
        let known = self.part_equations(&mut self.relations(first_relation));
        let is_dim = |&part: &TermId| self.solver.head(part).kind() == Kind::Dim;
        let part_at = |parts: &mut dyn Iterator<Item = TermId>, n: usize| parts.take_while(is_dim).nth(n);
        let place = |id: RelationId| {
            let posted = self.solver.relation(id);
            let (Some(&Function::Index(at)), &[shape, dim]) = (Function::of(&posted.attrs), &posted.args[..]) else {
                return None;
            };
            let concat = known.get(&self.solver.root(shape))?;
            if Function::of(&concat.attrs) != Some(&Function::Concat) {
                return None;
            }
            let mut parts = concat.args[..concat.n_inputs()].iter().copied();
            let n = if at < 0 { -1 - at } else { at } as usize;
            let part = if at < 0 { part_at(&mut parts.rev(), n) } else { part_at(&mut parts, n) };
            Some((id, part?, dim))
        };
        let found = asked.into_iter().filter_map(place).list();
        let mut learned = false;
        for (id, part, dim) in found {
            if group.len() == 1 {
                self.implied.insert(id);
            }
            if self.solver.root(part) != self.solver.root(dim) && self.joined.insert(id) {
                let cause = self.solver.relation(id).cause;
                self.solver.equal(part, dim, cause);
                learned = true;
            }
        }
        learned
    }

    /// A relation determines its outputs: two that wait with the same inputs have the same ones, and are one.
    pub(crate) fn merge_equal_relations(&mut self, group: &[Member], first_relation: usize) {
        let mut done: HashSet<RelationId> = HashSet::default();
        while !self.solver.gave_up() {
            let mut seen: HashMap<Question, Vec<RelationId>> = HashMap::default();
            let mut merged = Vec::new();
            let mut classes = HashMap::default();
            let mut polynomials: HashMap<Poly<usize>, RelationId> = HashMap::default();
            for id in self.relations(first_relation) {
                if self.implied.contains(&id) || !self.is_open(id) {
                    continue;
                }
                let posted = self.solver.relation(id);
                let n_inputs = posted.n_inputs();
                if let Some(form) = self.normal_form(posted, &mut classes) {
                    match polynomials.get(&form) {
                        Some(&first) => merged.push((first, id)),
                        None => polynomials.insert(form, id),
                    }
                    continue;
                }
                let inputs: Vec<_> = posted.args[..n_inputs].iter().map(|&arg| self.key(arg)).list();
                let same = seen.entry((posted.relation.address(), inputs)).or_default();
                let first = same.iter().find(|&&first| self.solver.relation(first).attrs == posted.attrs);
                match first {
                    Some(&first) => merged.push((first, id)),
                    None => same.push(id),
                }
            }
            let n_queued = self.solver.relations().len();
            merged.keep(|&(_, other)| done.insert(other));
            for (first, other) in merged {
                if !self.assumed.contains(&other) {
                    self.implied.insert(other);
                }
                let (first, other) = (self.solver.relation(first), self.solver.relation(other));
                let cause = other.cause;
                let (outputs, others) = (&first.args[first.n_inputs()..], &other.args[other.n_inputs()..]);
                let outputs = outputs.iter().copied().zip(others.iter().copied());
                for (expected, found) in outputs.list() {
                    if self.solver.root(expected) != self.solver.root(found) {
                        self.solver.equal(expected, found, cause);
                    }
                }
            }
            self.equate_polynomials(first_relation);
            let learned = self.find_places(group, first_relation)
                | self.absorb_broadcasts(group, first_relation)
                | self.join_broadcasts(group, first_relation);
            if !learned && self.solver.relations().len() == n_queued {
                return;
            }
            self.solver.solve();
        }
    }

    /// The normal form of a polynomial relation over classes; equal ones have equal values.
    fn normal_form(&self, posted: &Posted, classes: &mut HashMap<Key, usize>) -> Option<Poly<usize>> {
        let Some(Function::Polynomial(poly)) = Function::of(&posted.attrs) else { return None };
        poly.substitute(|&arg| {
            let arg = posted.args[arg as usize];
            if let Term::Dim(Dim { extent: Extent::Number(number), .. }) = self.solver.head(arg) {
                return Some(Poly::constant(number));
            }
            let next = classes.len();
            Some(Poly::atom(*classes.entry(self.key(arg)).or_insert(next)))
        })
    }

    /// Two polynomials that are the same unknown are equal, which may decide what neither does alone.
    fn equate_polynomials(&mut self, first_relation: usize) {
        let mut first_of: HashMap<TermId, RelationId> = HashMap::default();
        let mut pairs = Vec::new();
        for id in self.relations(first_relation) {
            let posted = self.solver.relation(id);
            let is_polynomial = matches!(Function::of(&posted.attrs), Some(Function::Polynomial(_)));
            let Some(&result) = posted.args.last().filter(|_| is_polynomial) else { continue };
            let result = self.solver.root(result);
            if !self.solver.head(result).is_hole() || self.implied.contains(&id) || !self.is_open(id) {
                continue;
            }
            match first_of.get(&result) {
                Some(&first) => pairs.push((first, id)),
                None => first_of.insert(result, id),
            }
        }
        for (first, other) in pairs {
            if !self.equated.insert((first, other)) {
                continue;
            }
            let (left, right) = (self.solver.relation(first), self.solver.relation(other));
            let (Some(Function::Polynomial(a)), Some(Function::Polynomial(b))) =
                (Function::of(&left.attrs), Function::of(&right.attrs))
            else {
                continue;
            };
            let (left_args, right_args) = (&left.args[..left.n_inputs()], &right.args[..right.n_inputs()]);
            let shift = left_args.len() as u32;
            let difference = b.substitute(|&arg| Some(Poly::atom(arg + shift))).and_then(|b| a.minus(&b));
            let Some(difference) = difference else { continue };
            let mut args: Vec<TermId> = left_args.iter().chain(right_args).copied().list();
            let cause = right.cause;
            args.push(self.solver.fresh(Term::Dim(Dim::number(0)), cause));
            let attrs = Function::Polynomial(difference).attrs();
            let posted = self.solver.post(&FUNCTION, &args, attrs, cause);
            self.implied.insert(posted);
        }
    }

    /// Whether two terms are one class, or rigid and equal.
    pub(crate) fn is_same(&self, a: TermId, b: TermId) -> bool {
        self.key(a) == self.key(b)
    }

    /// What stands for a term when relations are compared: its form, with the roots of what is unknown in it and the
    /// parameters themselves. A term with many parts is only itself.
    pub(crate) fn key(&self, id: TermId) -> Key {
        let mut key = Key::new();
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            let (root, head) = (self.solver.root(id), self.solver.head(id));
            let bare = |list: List| List { start: 0, len: list.len };
            let none = TermId::numbered(0);
            let form = match head {
                Term::Hole(_) | Term::Error(_) => None,
                Term::Dim(dim) if dim.extent == Extent::Unknown => None,
                Term::Param(..) | Term::Slice { .. } | Term::EmptyRow | Term::Dim(_) | Term::Dtype(_) => Some(head),
                Term::Tensor { .. } => Some(Term::Tensor { shape: none, dtype: none }),
                Term::Tuple(list) => Some(Term::Tuple(bare(list))),
                Term::Shape(list) => Some(Term::Shape(bare(list))),
                Term::Splice(list) => Some(Term::Splice(bare(list))),
                Term::Func { params, .. } => Some(Term::Func { params: bare(params), result: none }),
                Term::Adt { adt, args } => Some(Term::Adt { adt, args: bare(args) }),
                Term::Forall { first, n, .. } => Some(Term::Forall { first, n, body: none }),
                Term::Ref(_) => Some(Term::Ref(none)),
                Term::Sum(_) => Some(Term::Sum(none)),
                Term::Row { variant, fields, .. } => Some(Term::Row { variant, fields: bare(fields), rest: none }),
            };
            if key.len() >= MAX_KEY {
                return vec![(None, self.solver.root(id))];
            }
            key.push((form, if form.is_some() { none } else { root }));
            self.solver.for_parts(head, |part| stack.push(part));
        }
        key
    }
}

//! What values a type has: its heads, and whether any value begins with them.
//!
//! A type is inhabited if one of its heads has only fields of inhabited types, as a least fixpoint: a list without an
//! end that must have an element is not. The heads are clauses, and the marking is that of Dowling and Gallier 1984,
//! linear in the types looked at.
//!
//! Worked example: of `type Stream { More(int32, Stream) }` there is no finite value; the clause of `More` waits for
//! `Stream` itself. With `type Seq { End, More(int32, Seq) }` the clause of `End` waits for nothing.

use crate::intern::Interner;
use crate::pattern::{Head, TyId};
use base::{Idx, ToList};

/// How many types are looked at to find one value. A type past it counts as inhabited.
const MAX_TYPES: usize = 10_000;

/// The heads of a type.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    /// Each with the types of its fields.
    pub heads: Vec<(Head, Vec<TyId>)>,
    /// Whether there are values besides: numbers, the rest of an open row, a type that is not known.
    pub is_open: bool,
}

/// Says what the types are. Asked at most once for each.
pub(crate) trait Types {
    fn shape(&mut self, ty: TyId) -> Shape;
}

struct Known {
    shape: Shape,
    /// By head, whether a value can begin with it. Empty until asked for.
    possible: Vec<bool>,
    is_inhabited: Option<bool>,
}

/// What is known of the types.
pub(crate) struct Space<'t> {
    types: &'t mut dyn Types,
    known: Vec<Option<Known>>,
    /// Type and head; the values are in `positions`.
    heads: Interner,
    positions: Vec<usize>,
}

/// Whether a value of a type can begin with a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// At this position among the type's heads.
    Listed(usize),
    /// One of the others of an open type.
    Unlisted,
    /// A field of it has no value.
    Impossible,
    /// It is of another type.
    Misfit,
}

impl<'t> Space<'t> {
    pub(crate) fn new(types: &'t mut dyn Types) -> Space<'t> {
        Space { types, known: Vec::new(), heads: Interner::default(), positions: Vec::new() }
    }

    /// The heads of a type, with which of them are possible.
    pub(crate) fn look(&mut self, ty: TyId) -> (&Shape, &[bool]) {
        self.load(ty);
        if self.at(ty).possible.len() != self.at(ty).shape.heads.len() {
            for position in 0..self.at(ty).shape.heads.len() {
                let fields = self.at(ty).shape.heads[position].1.clone();
                let is_possible = fields.into_iter().all(|field| self.is_inhabited(field));
                self.at_mut(ty).possible.push(is_possible);
            }
        }
        let known = self.at(ty);
        (&known.shape, &known.possible)
    }

    pub(crate) fn fit(&mut self, ty: TyId, head: Head) -> Fit {
        let (shape, _) = self.look(ty);
        let is_open = shape.is_open;
        let [kind, number] = head.key();
        match self.heads.get(&[ty.number(), kind, number]) {
            Some(id) => {
                let position = self.positions[id as usize];
                if self.at(ty).possible[position] { Fit::Listed(position) } else { Fit::Impossible }
            }
            None if is_open => Fit::Unlisted,
            None => Fit::Misfit,
        }
    }

    /// The type of a field.
    pub(crate) fn field(&mut self, ty: TyId, fit: Fit, field: usize) -> Option<TyId> {
        match fit {
            Fit::Listed(position) => self.at(ty).shape.heads[position].1.get(field).copied(),
            Fit::Unlisted | Fit::Impossible | Fit::Misfit => Some(TyId::UNKNOWN),
        }
    }

    /// How many fields a head is known to have.
    pub(crate) fn n_fields(&self, ty: TyId, fit: Fit) -> usize {
        match fit {
            Fit::Listed(position) => self.at(ty).shape.heads[position].1.len(),
            Fit::Unlisted | Fit::Impossible | Fit::Misfit => 0,
        }
    }

    /// How many heads the values have, unless the type is open.
    pub(crate) fn n_possible(&mut self, ty: TyId) -> Option<usize> {
        let (shape, possible) = self.look(ty);
        if shape.is_open { None } else { Some(possible.iter().count_where(|&&possible| possible)) }
    }

    pub(crate) fn is_inhabited(&mut self, ty: TyId) -> bool {
        self.load(ty);
        if let Some(is_inhabited) = self.at(ty).is_inhabited {
            return is_inhabited;
        }
        let mut found = vec![ty];
        let mut local = Interner::default();
        local.id(&[ty.number()]);
        // By clause: whose head it is and how many fields are not known to have values. By type: the clauses it is in.
        let mut clauses: Vec<(usize, usize)> = Vec::new();
        let mut uses: Vec<Vec<usize>> = vec![Vec::new()];
        let mut marked: Vec<usize> = Vec::new();
        let mut next = 0;
        while let Some(&ty) = found.get(next) {
            if found.len() > MAX_TYPES {
                found.iter().for_each(|&ty| {
                    self.load(ty);
                    self.at_mut(ty).is_inhabited = Some(true);
                });
                return true;
            }
            self.load(ty);
            for position in 0..self.at(ty).shape.heads.len() {
                let mut n_waiting = 0;
                let mut is_dead = false;
                for field in self.at(ty).shape.heads[position].1.clone() {
                    self.load(field);
                    match self.at(field).is_inhabited {
                        Some(true) => {}
                        Some(false) => is_dead = true,
                        None => {
                            let (index, is_new) = local.id(&[field.number()]);
                            if is_new {
                                found.push(field);
                                uses.push(Vec::new());
                            }
                            uses[index as usize].push(clauses.len());
                            n_waiting += 1;
                        }
                    }
                }
                if n_waiting == 0 && !is_dead {
                    marked.push(next);
                }
                clauses.push((next, if is_dead { usize::MAX } else { n_waiting }));
            }
            next += 1;
        }
        while let Some(index) = marked.pop() {
            if self.at_mut(found[index]).is_inhabited.replace(true).is_some() {
                continue;
            }
            for &clause in &uses[index] {
                let (target, n_waiting) = &mut clauses[clause];
                if *n_waiting != usize::MAX {
                    *n_waiting -= 1;
                    if *n_waiting == 0 {
                        marked.push(*target);
                    }
                }
            }
        }
        for &ty in &found {
            self.at_mut(ty).is_inhabited.get_or_insert(false);
        }
        self.at(ty).is_inhabited == Some(true)
    }

    fn load(&mut self, ty: TyId) {
        if self.known.len() <= ty.index() {
            self.known.resize_with(ty.index() + 1, || None);
        }
        if self.known[ty.index()].is_some() {
            return;
        }
        let is_unknown = ty == TyId::UNKNOWN;
        let shape = if is_unknown { Shape { heads: Vec::new(), is_open: true } } else { self.types.shape(ty) };
        for (position, &(head, _)) in shape.heads.iter().enumerate() {
            let [kind, number] = head.key();
            if self.heads.id(&[ty.number(), kind, number]).1 {
                self.positions.push(position);
            }
        }
        // A value without fields is found at once, which also keeps types that grow from being followed.
        let is_inhabited = shape.is_open || shape.heads.iter().any(|(_, fields)| fields.is_empty());
        let is_inhabited = if is_inhabited { Some(true) } else { None };
        self.known[ty.index()] = Some(Known { shape, possible: Vec::new(), is_inhabited });
    }

    fn at(&self, ty: TyId) -> &Known {
        self.known[ty.index()].as_ref().expect("loaded before")
    }

    fn at_mut(&mut self, ty: TyId) -> &mut Known {
        self.known[ty.index()].as_mut().expect("loaded before")
    }
}

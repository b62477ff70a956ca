//! Copies of a scheme's type, one per use.

use crate::solver::{Args, Solver};
use crate::store::Cause;
use base::{Append, HashMap, IdMap, ToList};
use ty::{Atom, Dim, Extent, Function, Kind, List, ParamId, Poly, PolyId, Scheme, Term, TermId, Terms};

/// A substitution of parameters, memoised over the nodes of shared types.
pub struct Copier {
    params: IdMap<ParamId, TermId>,
    copies: IdMap<TermId, TermId>,
    /// What is being copied, and whether its parts have been.
    pending: Vec<(TermId, bool)>,
    /// Each `?` of a signature is a new dim at every use, and its numbers are not to be flagged by one caller for
    /// the others.
    copy_dims: bool,
    /// What stands for a `?`, where it is to be unknown.
    opened: Option<Vec<TermId>>,
    cause: Cause,
}

impl Copier {
    pub fn new(params: impl IntoIterator<Item = (ParamId, TermId)>, copy_dims: bool, cause: Cause) -> Copier {
        let mut copier = Copier { copy_dims, ..Copier::plain(cause) };
        for (param, term) in params {
            copier.params.insert(param, term);
        }
        copier
    }

    /// One that changes nothing.
    fn plain(cause: Cause) -> Copier {
        let (params, copies) = (IdMap::default(), IdMap::default());
        Copier { params, copies, pending: Vec::new(), copy_dims: false, opened: None, cause }
    }

    /// Puts given terms in the place of whole classes, by their roots.
    #[must_use]
    pub fn replacing(mut self, classes: impl IntoIterator<Item = (TermId, TermId)>) -> Copier {
        for (class, term) in classes {
            self.copies.insert(class, term);
        }
        self
    }
}

impl Solver {
    /// A fresh use of a scheme: its type with `args` (or fresh unknowns) for its parameters. Its obligations are
    /// posted.
    pub fn instantiate(&mut self, scheme: &Scheme, args: &[TermId], cause: Cause) -> TermId {
        if self.gave_up_all() {
            return self.fresh(Term::Error(Kind::Type), cause);
        }
        let params = scheme.params.iter().copied().zip(args.iter().copied());
        let mut copier = Copier::new(params, self.dynamics, cause);
        let body = self.copy(&mut copier, scheme.body);
        for obligation in &scheme.obligations {
            let args: Args = obligation.args.iter().map(|&arg| self.copy(&mut copier, arg)).list();
            self.charge(cause, 1);
            self.post(obligation.relation.clone(), &args, obligation.attrs.clone(), cause);
        }
        body
    }

    /// A type with an unknown dim for each `?` in it, but for what is in functions, cells and data types; and those dims.
    pub fn open_any(&mut self, id: TermId, cause: Cause) -> (TermId, Vec<TermId>) {
        let mut copier = Copier { opened: Some(Vec::new()), ..Copier::plain(cause) };
        let copy = self.copy(&mut copier, id);
        (copy, copier.opened.unwrap_or_default())
    }

    /// Copies what a substitution changes and shares the rest.
    pub fn copy(&mut self, copier: &mut Copier, id: TermId) -> TermId {
        copier.pending.push((id, false));
        while let Some((id, parts_done)) = copier.pending.pop() {
            let root = self.root(id);
            let term = self.store.head(root);
            if parts_done {
                let copied = self.with_copied_parts(copier, root, term);
                copier.copies.insert(root, copied);
            } else if !copier.copies.contains(root) {
                let leaf = match term {
                    Term::Dim(Dim::ANY) if let Some(opened) = &mut copier.opened => {
                        let unknown = self.store.fresh(Term::hole(Kind::Dim), copier.cause);
                        opened.push(unknown);
                        Some(unknown)
                    }
                    Term::Func { .. } | Term::Ref(_) | Term::Adt { .. } | Term::Sum(_) if copier.opened.is_some() => {
                        Some(root)
                    }
                    Term::Param(param, _) | Term::Dim(Dim { extent: Extent::Param(param), .. }) => {
                        Some(copier.params.get(param).unwrap_or(root))
                    }
                    Term::Dim(Dim { extent: Extent::Poly(poly), dynamic: false }) => {
                        Some(self.copy_poly(copier, poly).unwrap_or(root))
                    }
                    Term::Slice { shape, front, back } => Some(match copier.params.get(shape) {
                        Some(shape) => self.slice(shape, front, back, copier.cause),
                        None => root,
                    }),
                    Term::Dim(dim) if copier.copy_dims && !term.is_hole() => {
                        Some(self.store.fresh(Term::Dim(dim), copier.cause))
                    }
                    Term::Dim(_) | Term::Hole(_) | Term::Error(_) | Term::EmptyRow | Term::Dtype(_) => Some(root),
                    Term::Tensor { .. }
                    | Term::Tuple(_)
                    | Term::Func { .. }
                    | Term::Ref(_)
                    | Term::Adt { .. }
                    | Term::Forall { .. }
                    | Term::Sum(_)
                    | Term::Row { .. }
                    | Term::Splice(_)
                    | Term::Shape(_) => None,
                };
                // A composite stands for itself while its parts are copied, so that a cycle ends.
                copier.copies.insert(root, leaf.unwrap_or(root));
                if leaf.is_none() {
                    copier.pending.push((root, true));
                    self.for_parts(term, |part| copier.pending.push((part, false)));
                }
            }
        }
        self.copy_of(copier, id)
    }

    /// What has been copied already.
    fn copy_of(&self, copier: &Copier, id: TermId) -> TermId {
        let root = self.root(id);
        copier.copies.get(root).unwrap_or(root)
    }

    fn with_copied_parts(&mut self, copier: &Copier, root: TermId, term: Term) -> TermId {
        let copy_of = |solver: &Self, id: TermId| solver.copy_of(copier, id);
        let mut unchanged = true;
        self.for_parts(term, |part| unchanged &= copy_of(self, part) == self.root(part));
        if unchanged {
            return root;
        }
        let copy_list = |solver: &mut Self, list: List| {
            let items: Args = solver.items(list).iter().map(|&item| copy_of(solver, item)).list();
            solver.store.list(&items)
        };
        let copied = match term {
            Term::Tensor { shape, dtype } => Term::Tensor { shape: copy_of(self, shape), dtype: copy_of(self, dtype) },
            Term::Tuple(list) => Term::Tuple(copy_list(self, list)),
            Term::Shape(list) => Term::Shape(copy_list(self, list)),
            Term::Adt { adt, args } => Term::Adt { adt, args: copy_list(self, args) },
            Term::Func { params, result } => {
                Term::Func { params: copy_list(self, params), result: copy_of(self, result) }
            }
            Term::Forall { first, n, body } => Term::Forall { first, n, body: copy_of(self, body) },
            Term::Ref(inner) => Term::Ref(copy_of(self, inner)),
            Term::Sum(row) => Term::Sum(copy_of(self, row)),
            Term::Row { variant, fields, rest } => {
                Term::Row { variant, fields: copy_list(self, fields), rest: copy_of(self, rest) }
            }
            Term::Splice(list) => {
                let items: Vec<TermId> = self.items(list).iter().map(|&item| copy_of(self, item)).list();
                return self.apply(&Function::Concat, &items, copier.cause);
            }
            Term::Hole(_)
            | Term::Error(_)
            | Term::Param(..)
            | Term::Slice { .. }
            | Term::EmptyRow
            | Term::Dim(_)
            | Term::Dtype(_) => term,
        };
        self.store.fresh(copied, copier.cause)
    }

    /// The body of a polymorphic type with given terms for its parameters.
    pub fn open(&mut self, first: ParamId, body: TermId, args: &[TermId], cause: Cause) -> TermId {
        let params = args.iter().enumerate().map(|(i, &arg)| (ParamId::numbered(first.number() + i as u32), arg));
        let mut copier = Copier::new(params, false, cause);
        self.copy(&mut copier, body)
    }

    /// The kinds of the parameters of a polymorphic type, by their mentions in its body.
    pub fn forall_kinds(&self, first: ParamId, n: u32, body: TermId) -> Vec<Kind> {
        let mut kinds = base::filled(Kind::Type, n as usize);
        for root in self.roots_where(&[body], Term::is_param) {
            if let Term::Param(param, _) | Term::Dim(Dim { extent: Extent::Param(param), .. }) = self.head(root)
                && let Some(at) = param.number().checked_sub(first.number())
                && at < n
            {
                kinds[at as usize] = self.head(root).kind();
            }
        }
        kinds
    }

    /// A use of a polymorphic type: its body with fresh unknowns.
    pub fn open_fresh(&mut self, first: ParamId, n: u32, body: TermId, cause: Cause) -> TermId {
        let args = self.fresh_args(first, n, body, cause);
        self.open(first, body, &args, cause)
    }

    /// Fresh unknowns for the parameters of a polymorphic type.
    pub fn fresh_args(&mut self, first: ParamId, n: u32, body: TermId, cause: Cause) -> Vec<TermId> {
        let kinds = self.forall_kinds(first, n, body);
        kinds.into_iter().map(|kind| self.fresh(Term::hole(kind), cause)).list()
    }

    fn slice(&mut self, shape: TermId, front: u32, back: u32, cause: Cause) -> TermId {
        let to = (back > 0).then(|| -i64::from(back));
        let from = (front > 0).then(|| i64::from(front));
        self.apply(&Function::Slice(from, to), &[shape], cause)
    }

    /// A polynomial with the substitution's terms for its parameters; `None` if it mentions none of them. Those inside
    /// a polynomial have smaller ids than it has.
    fn copy_poly(&mut self, copier: &Copier, id: PolyId) -> Option<TermId> {
        let mut inner: Vec<PolyId> = vec![id];
        let mut mentions = false;
        let mut at = 0;
        while let Some(&poly) = inner.get(at) {
            at += 1;
            for &atom in self.store.poly(poly).atoms() {
                match atom {
                    Atom::Param(param) | Atom::Index(param, _) | Atom::Rank(param) | Atom::Prod(param, ..) => {
                        mentions |= copier.params.contains(param);
                    }
                    Atom::Max(a, b) | Atom::Min(a, b) | Atom::FloorDiv(a, b) => {
                        inner.append_all([a, b].into_iter().filter(|poly| !inner.contains(poly)).list());
                    }
                }
            }
        }
        if !mentions {
            return None;
        }
        base::sort(&mut inner);
        inner.dedup();
        let mut copies: HashMap<PolyId, TermId> = HashMap::default();
        for poly in inner {
            let whole = self.store.poly(poly).clone();
            let mut atoms: Vec<Atom> = whole.atoms().copied().list();
            base::sort(&mut atoms);
            atoms.dedup();
            let args: Vec<TermId> = atoms.iter().map(|&atom| self.copy_atom(copier, atom, &copies)).list();
            let place = |atom: &Atom| u32::try_from(atoms.iter().position(|other| other == atom)?).ok();
            let over_args = whole.substitute(|atom| Some(Poly::atom(place(atom)?))).unwrap_or_default();
            let copy = self.apply(&Function::Polynomial(over_args), &args, copier.cause);
            copies.insert(poly, copy);
        }
        copies.get(&id).copied()
    }

    fn copy_atom(&mut self, copier: &Copier, atom: Atom, copies: &HashMap<PolyId, TermId>) -> TermId {
        let cause = copier.cause;
        let param = |solver: &mut Self, param: ParamId, kind: Kind| match copier.params.get(param) {
            Some(term) => term,
            None => solver.store.fresh(Term::param(param, kind), cause),
        };
        match atom {
            Atom::Param(dim) => param(self, dim, Kind::Dim),
            Atom::Index(shape, at) => {
                let shape = param(self, shape, Kind::Shape);
                self.apply(&Function::Index(at), &[shape], cause)
            }
            Atom::Rank(shape) => {
                let shape = param(self, shape, Kind::Shape);
                self.apply(&Function::Rank, &[shape], cause)
            }
            Atom::Prod(shape, front, back) => {
                let mut shape = param(self, shape, Kind::Shape);
                if (front, back) != (0, 0) {
                    shape = self.slice(shape, front, back, cause);
                }
                self.apply(&Function::Prod, &[shape], cause)
            }
            Atom::Max(a, b) => self.apply(&Function::Max, &[copies[&a], copies[&b]], cause),
            Atom::Min(a, b) => self.apply(&Function::Min, &[copies[&a], copies[&b]], cause),
            Atom::FloorDiv(a, b) => self.apply(&Function::FloorDiv, &[copies[&a], copies[&b]], cause),
        }
    }
}

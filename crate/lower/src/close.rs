//! Inferred types as closed ones, under a choice of type arguments.
//!
//! Worked example: with `A = int32` the term `fn(A, List[A]) -> B` is the closed type `fn(int32, List[int32]) -> _`,
//! where nothing was found out about `B`.

use crate::instance::Lowering;
use crate::polymorphic::Origin;
use base::{Append, HashMap, HashSet, ToList, idx};
use layout::Types;
use ty::{Atom, Dim, Extent, Kind, ParamId, PolyId, Term, TermId, Terms, VariantId};

idx!(
    /// A choice of type arguments.
    SubstId,
    "s"
);

/// Closed types for parameters, in the order of the parameters.
pub(crate) type Subst = Vec<(ParamId, TermId)>;

/// Arithmetic that is nested deeper is not computed: the size is `?`.
const MAX_ARITHMETIC: usize = 64;

/// Choices of type arguments, each once; 0 chooses nothing.
pub(crate) struct Substs {
    all: Vec<Subst>,
    ids: HashMap<Subst, SubstId>,
}

impl Substs {
    pub(crate) const NONE: SubstId = SubstId::numbered(0);

    pub(crate) fn new() -> Substs {
        Substs { all: vec![Vec::new()], ids: HashMap::from_iter([(Vec::new(), Substs::NONE)]) }
    }

    pub(crate) fn intern(&mut self, mut subst: Subst) -> SubstId {
        base::sort(&mut subst);
        if let Some(&id) = self.ids.get(&subst) {
            return id;
        }
        let id = SubstId::numbered(self.all.len() as u32);
        self.all.push(subst.clone());
        self.ids.insert(subst, id);
        id
    }

    /// The choice with more parameters chosen; what is chosen again is chosen anew.
    pub(crate) fn extended(&mut self, id: SubstId, more: Subst) -> SubstId {
        if more.is_empty() {
            return id;
        }
        let mut subst = more;
        let old = self.all[id.number() as usize].iter().filter(|(param, _)| !subst.iter().any(|(new, _)| new == param));
        let old: Subst = old.copied().list();
        subst.append_all(old);
        self.intern(subst)
    }

    pub(crate) fn get(&self, id: SubstId, param: ParamId) -> Option<TermId> {
        let subst = &self.all[id.number() as usize];
        subst.binary_search_by_key(&param, |&(param, _)| param).ok().map(|at| subst[at].1)
    }
}

/// Whether anything of a kind that has no default is left open: such a type has no values.
pub(crate) fn hole(types: &mut Types, kind: Kind) -> TermId {
    match kind {
        Kind::Dim => types.intern(Term::Dim(Dim::ANY)),
        Kind::Row => types.intern(Term::EmptyRow),
        Kind::Type | Kind::BaseType | Kind::Shape => types.intern(Term::Hole(kind)),
    }
}

impl Lowering<'_> {
    /// The closed type of a term of the store, with the sizes that are known.
    pub(crate) fn close(&mut self, root: TermId, subst: SubstId) -> TermId {
        let closed = self.close_only(root, subst);
        self.define_types();
        closed
    }

    /// As [`Lowering::close`], for who defines the types that are met.
    pub(crate) fn close_only(&mut self, root: TermId, subst: SubstId) -> TermId {
        let terms = &self.inferred.solver;
        let root = terms.root(root);
        if let Some(&closed) = self.closed.get(&(subst, root)) {
            return closed;
        }
        let mut stack = vec![(subst, root, false)];
        let mut open: HashSet<(SubstId, TermId)> = HashSet::default();
        while let Some((subst, term, is_entered)) = stack.pop() {
            if self.closed.contains_key(&(subst, term)) {
                continue;
            }
            let head = self.inferred.solver.head(term);
            if is_entered {
                let closed = self.close_head(head, subst);
                open.remove(&(subst, term));
                self.closed.insert((subst, term), closed);
            } else if open.insert((subst, term)) {
                stack.push((subst, term, true));
                let subst = match head {
                    Term::Forall { first, n, .. } => self.bound(subst, first, n),
                    _ => subst,
                };
                let terms = &self.inferred.solver;
                self.parts(head).into_iter().for_each(|part| stack.push((subst, terms.root(part), false)));
            } else {
                // A type that contains itself was reported.
                let nothing = self.program.types.nothing();
                self.closed.insert((subst, term), nothing);
            }
        }
        self.closed[&(subst, root)]
    }

    fn parts(&self, head: Term) -> Vec<TermId> {
        let terms = &self.inferred.solver;
        let mut parts = Vec::new();
        match head {
            Term::Row { .. } => {}
            Term::Sum(row) => return self.row_parts(row),
            _ => terms.for_parts(head, |part| parts.push(part)),
        }
        if let Term::Row { fields, rest, .. } = head {
            parts.extend_from_slice(terms.items(fields));
            parts.append(&mut self.row_parts(rest));
        }
        parts
    }

    fn row_parts(&self, row: TermId) -> Vec<TermId> {
        let terms = &self.inferred.solver;
        let (variants, _) = terms.row(row);
        variants.into_iter().list_all(|variant| terms.items(variant.fields).iter().copied())
    }

    fn part(&self, term: TermId, subst: SubstId) -> TermId {
        self.closed[&(subst, self.inferred.solver.root(term))]
    }

    fn param(&mut self, param: ParamId, kind: Kind, subst: SubstId) -> TermId {
        match self.substs.get(subst, param) {
            Some(closed) => closed,
            None => hole(&mut self.program.types, kind),
        }
    }

    /// A term whose parts are closed.
    fn close_head(&mut self, head: Term, subst: SubstId) -> TermId {
        let inferred = self.inferred;
        let terms = &inferred.solver;
        let items = |cx: &Self, list| -> Vec<TermId> { terms.items(list).iter().map(|&id| cx.part(id, subst)).list() };
        let term = match head {
            Term::Hole(kind) | Term::Error(kind) => return hole(&mut self.program.types, kind),
            Term::Param(param, kind) => return self.param(param, kind, subst),
            Term::Dim(dim) => return self.close_dim(dim, subst),
            Term::Dtype(_) | Term::EmptyRow => head,
            Term::Tensor { shape, dtype } => {
                let (shape, dtype) = (self.part(shape, subst), self.part(dtype, subst));
                return self.tensor(shape, dtype);
            }
            Term::Tuple(fields) => Term::Tuple(self.list(items(self, fields))),
            Term::Func { params, result } => {
                let result = self.part(result, subst);
                Term::Func { params: self.list(items(self, params)), result }
            }
            Term::Forall { first, n, body } => {
                let inner = self.bound(subst, first, n);
                let closed = self.part(body, inner);
                return self.polymorphic((first, n), closed, Origin::Term(body), subst);
            }
            Term::Ref(inner) => Term::Ref(self.part(inner, subst)),
            Term::Adt { adt, args } => {
                let args = self.list(items(self, args));
                return self.adt(adt, args);
            }
            Term::Sum(row) => {
                let row = self.close_row(Vec::new(), row, subst);
                Term::Sum(row)
            }
            Term::Row { variant, fields, rest } => {
                let first = (variant, items(self, fields));
                return self.close_row(vec![first], rest, subst);
            }
            Term::Shape(dims) => Term::Shape(self.list(items(self, dims))),
            Term::Slice { shape, front, back } => {
                let whole = self.param(shape, Kind::Shape, subst);
                return self.slice(whole, front as usize, back as usize);
            }
            Term::Splice(parts) => {
                let parts = items(self, parts);
                return self.splice(&parts);
            }
        };
        self.program.types.intern(term)
    }

    pub(crate) fn list(&mut self, items: Vec<TermId>) -> ty::List {
        self.program.types.list(&items)
    }

    /// A tensor type, or nothing where its rank or dtype is not known.
    pub(crate) fn tensor(&mut self, shape: TermId, dtype: TermId) -> TermId {
        let types = &mut self.program.types;
        match (types.head(shape), types.head(dtype)) {
            (Term::Hole(_) | Term::Error(_), _) | (_, Term::Hole(_) | Term::Error(_)) => types.nothing(),
            _ => types.intern(Term::Tensor { shape, dtype }),
        }
    }

    pub(crate) fn slice(&mut self, whole: TermId, front: usize, back: usize) -> TermId {
        let types = &mut self.program.types;
        let dims = match types.head(whole) {
            Term::Shape(dims) => types.items(dims).to_vec(),
            Term::Param(shape, _) => {
                return types.intern(Term::Slice { shape, front: front as u32, back: back as u32 });
            }
            _ => return hole(types, Kind::Shape),
        };
        let to = dims.len().saturating_sub(back).max(front.min(dims.len()));
        let list = types.list(&dims[front.min(dims.len())..to]);
        types.intern(Term::Shape(list))
    }

    /// The shape of dims and shapes in a row.
    pub(crate) fn splice(&mut self, parts: &[TermId]) -> TermId {
        let types = &mut self.program.types;
        let (mut dims, mut is_known) = (Vec::new(), true);
        for &part in parts {
            match types.head(part) {
                Term::Dim(_) => dims.push(part),
                Term::Shape(list) => dims.extend_from_slice(types.items(list)),
                Term::Param(..) | Term::Slice { .. } | Term::Splice(_) => {
                    is_known = false;
                    match types.head(part) {
                        Term::Splice(list) => dims.extend_from_slice(types.items(list)),
                        _ => dims.push(part),
                    }
                }
                _ => return hole(types, Kind::Shape),
            }
        }
        if let (false, &[only]) = (is_known, &dims[..]) {
            return only;
        }
        let list = types.list(&dims);
        types.intern(if is_known { Term::Shape(list) } else { Term::Splice(list) })
    }

    fn close_row(&mut self, mut variants: Vec<(VariantId, Vec<TermId>)>, row: TermId, subst: SubstId) -> TermId {
        let inferred = self.inferred;
        let (own, rest) = inferred.solver.row(row);
        for variant in own {
            let fields = inferred.solver.items(variant.fields).iter().map(|&field| self.part(field, subst));
            variants.push((variant.name, fields.list()));
        }
        if let Term::Param(param, _) = inferred.solver.head(rest) {
            let rest = self.param(param, Kind::Row, subst);
            variants.append(&mut self.row_variants(rest));
            let end = self.program.types.row(rest).1;
            return self.program.types.row_before(&variants, end);
        }
        self.program.types.row_of(&variants)
    }

    /// The variants of a closed row.
    pub(crate) fn row_variants(&self, row: TermId) -> Vec<(VariantId, Vec<TermId>)> {
        let types = &self.program.types;
        let variants = types.row(row).0.into_iter();
        variants.map(|variant| (variant.name, types.items(variant.fields).to_vec())).list()
    }

    fn close_dim(&mut self, dim: Dim, subst: SubstId) -> TermId {
        let size = if dim.dynamic { None } else { self.extent(dim.extent, subst, 0) };
        self.dim(size)
    }

    pub(crate) fn dim(&mut self, size: Option<i64>) -> TermId {
        let dim = size.filter(|&size| size >= 0).map_or(Dim::ANY, Dim::number);
        self.program.types.intern(Term::Dim(dim))
    }

    /// The number of a closed dim.
    pub(crate) fn number(&self, dim: TermId) -> Option<i64> {
        match self.program.types.head(dim) {
            Term::Dim(Dim { extent: Extent::Number(number), dynamic: false }) => Some(number),
            _ => None,
        }
    }

    /// The dims of a closed shape.
    pub(crate) fn dims(&self, shape: TermId) -> Option<Vec<TermId>> {
        match self.program.types.head(shape) {
            Term::Shape(dims) => Some(self.program.types.items(dims).to_vec()),
            _ => None,
        }
    }

    fn extent(&mut self, extent: Extent, subst: SubstId, depth: usize) -> Option<i64> {
        match extent {
            Extent::Unknown => None,
            Extent::Number(number) => Some(number),
            Extent::Param(param) => self.number(self.substs.get(subst, param)?),
            Extent::Poly(poly) => self.value_of(poly, subst, depth),
        }
    }

    fn value_of(&mut self, poly: PolyId, subst: SubstId, depth: usize) -> Option<i64> {
        if depth > MAX_ARITHMETIC {
            return None;
        }
        let inferred = self.inferred;
        let mut sum = 0_i64;
        for (atoms, factor) in inferred.solver.poly(poly).terms() {
            let mut product = *factor;
            for &atom in atoms {
                product = product.checked_mul(self.atom(atom, subst, depth + 1)?)?;
            }
            sum = sum.checked_add(product)?;
        }
        Some(sum)
    }

    fn atom(&mut self, atom: Atom, subst: SubstId, depth: usize) -> Option<i64> {
        let shape = |cx: &Self, param| cx.substs.get(subst, param).and_then(|shape| cx.dims(shape));
        match atom {
            Atom::Param(param) => self.number(self.substs.get(subst, param)?),
            Atom::Rank(param) => Some(shape(self, param)?.len() as i64),
            Atom::Index(param, at) => {
                let dims = shape(self, param)?;
                let at = if at < 0 { at + dims.len() as i64 } else { at };
                self.number(*dims.get(usize::try_from(at).ok()?)?)
            }
            Atom::Prod(param, front, back) => {
                let dims = shape(self, param)?;
                let to = dims.len().checked_sub(back as usize)?;
                let sizes = dims.get(front as usize..to)?.iter().map(|&dim| self.number(dim));
                { sizes }.try_fold(1_i64, |product, size| product.checked_mul(size?))
            }
            Atom::Max(a, b) => Some(self.value_of(a, subst, depth)?.max(self.value_of(b, subst, depth)?)),
            Atom::Min(a, b) => Some(self.value_of(a, subst, depth)?.min(self.value_of(b, subst, depth)?)),
            Atom::FloorDiv(a, b) => {
                let (a, b) = (self.value_of(a, subst, depth)?, self.value_of(b, subst, depth)?);
                if b > 0 { Some(a.div_euclid(b)) } else { None }
            }
        }
    }

    /// What the parameters in terms stand for, if the terms are these closed types.
    ///
    /// Worked example: `Tensor[(..s, N), t]` is `Tensor[(2, 3), int32]` with `s = (2)`, `N = 3`, `t = int32`.
    pub(crate) fn matching(&mut self, mut pairs: Vec<(TermId, TermId)>, subst: SubstId) -> Subst {
        let inferred = self.inferred;
        let terms = &inferred.solver;
        let mut found = Subst::new();
        let mut seen: HashSet<(TermId, TermId)> = HashSet::default();
        while let Some((term, closed)) = pairs.pop() {
            let term = terms.root(term);
            if !seen.insert((term, closed)) {
                continue;
            }
            let types = &self.program.types;
            let is_new = |found: &Subst, param: ParamId| {
                self.substs.get(subst, param).is_none() && found.iter().all(|&(known, _)| known != param)
            };
            let lists = |a, b| terms.items(a).iter().copied().zip(types.items(b).iter().copied());
            match (terms.head(term), types.head(closed)) {
                (Term::Param(param, _) | Term::Dim(Dim { extent: Extent::Param(param), .. }), _) => {
                    found.append_all(is_new(&found, param).then_some((param, closed)));
                }
                (Term::Tensor { shape, dtype }, Term::Tensor { shape: other, dtype: of }) => {
                    pairs.append_all([(shape, other), (dtype, of)]);
                }
                (Term::Tuple(a), Term::Tuple(b))
                | (Term::Shape(a), Term::Shape(b))
                | (Term::Adt { args: a, .. }, Term::Adt { args: b, .. }) => pairs.append_all(lists(a, b)),
                (Term::Func { params, result }, Term::Func { params: others, result: of }) => {
                    pairs.append_all(lists(params, others));
                    pairs.push((result, of));
                }
                (Term::Ref(a), Term::Ref(b)) => pairs.push((a, b)),
                (
                    Term::Sum(row) | Term::Row { rest: row, .. },
                    Term::Sum(closed_row) | Term::Row { rest: closed_row, .. },
                ) => {
                    let (variants, rest) = terms.row(row);
                    let mut others = self.row_variants(closed_row);
                    for variant in variants {
                        let Some(at) = others.iter().position(|(name, _)| *name == variant.name) else { continue };
                        let (_, fields) = others.remove(at);
                        pairs.append_all(terms.items(variant.fields).iter().copied().zip(fields));
                    }
                    if let Term::Param(param, _) = terms.head(rest)
                        && is_new(&found, param)
                    {
                        found.push((param, self.program.types.row_of(&others)));
                    }
                }
                (Term::Splice(parts), Term::Shape(dims)) => {
                    let (parts, dims) = (terms.items(parts).to_vec(), types.items(dims).to_vec());
                    self.match_splice(&parts, &dims, subst, &mut found, &mut pairs);
                }
                _ => {}
            }
        }
        found
    }

    /// Dims and shapes in a row against dims: one shape of unknown rank takes what the others leave.
    fn match_splice(
        &mut self,
        parts: &[TermId],
        dims: &[TermId],
        subst: SubstId,
        found: &mut Subst,
        pairs: &mut Vec<(TermId, TermId)>,
    ) {
        let inferred = self.inferred;
        let terms = &inferred.solver;
        let mut lens: Vec<Option<usize>> = Vec::with_capacity(parts.len());
        for &part in parts {
            let whole = |cx: &Self, param: ParamId| {
                let known = cx.substs.get(subst, param);
                let known = known.or_else(|| found.iter().find(|&&(other, _)| other == param).map(|&(_, shape)| shape));
                known.and_then(|shape| cx.dims(shape)).map(|dims| dims.len())
            };
            lens.push(match terms.head(part) {
                Term::Dim(_) => Some(1),
                Term::Shape(list) => Some(list.len as usize),
                Term::Param(param, _) => whole(self, param),
                Term::Slice { shape, front, back } => {
                    whole(self, shape).map(|rank| rank.saturating_sub((front + back) as usize))
                }
                _ => None,
            });
        }
        let known: usize = lens.iter().flatten().total();
        if lens.iter().count_where(|len| len.is_none()) > 1 || known > dims.len() {
            return;
        }
        let mut at = 0;
        for (&part, len) in parts.iter().zip(lens) {
            let len = len.unwrap_or(dims.len() - known);
            let Some(own) = dims.get(at..at + len) else { return };
            at += len;
            match terms.head(part) {
                Term::Dim(_) => pairs.append_all(own.first().map(|&dim| (part, dim))),
                _ => {
                    let shape = self.splice(own);
                    pairs.push((part, shape));
                }
            }
        }
    }

    /// The type without sizes: what layouts and instances depend on.
    pub(crate) fn erase(&mut self, root: TermId) -> TermId {
        let erased = self.without_sizes(root);
        self.define_types();
        erased
    }

    /// As [`Lowering::erase`], for who defines the types that are met.
    pub(crate) fn without_sizes(&mut self, root: TermId) -> TermId {
        if let Some(&known) = self.erased.get(&root) {
            return known;
        }
        let mut erased = std::mem::take(&mut self.erased);
        let found = self.rebuild(root, &mut erased);
        self.erased = erased;
        found
    }

    /// A closed type without sizes, with other types for some of its parts.
    pub(crate) fn rebuild(&mut self, root: TermId, made: &mut HashMap<TermId, TermId>) -> TermId {
        let mut stack = vec![(root, false)];
        while let Some((ty, is_entered)) = stack.pop() {
            if made.contains_key(&ty) {
                continue;
            }
            let head = self.program.types.head(ty);
            if !is_entered {
                stack.push((ty, true));
                self.program.types.for_parts(head, |part| stack.push((part, false)));
                continue;
            }
            let parts = |cx: &mut Self, list| {
                let items = cx.program.types.items(list).iter().map(|item| made[item]).list();
                cx.list(items)
            };
            let term = match head {
                Term::Dim(_) => Term::Dim(Dim::ANY),
                Term::Hole(_) | Term::Error(_) | Term::Param(..) | Term::EmptyRow | Term::Dtype(_) => head,
                Term::Slice { shape, front, back } => {
                    let whole = self.program.types.intern(Term::Param(shape, Kind::Shape));
                    match made.get(&whole).map(|&new| self.program.types.head(new)) {
                        Some(Term::Param(shape, _)) => Term::Slice { shape, front, back },
                        _ => head,
                    }
                }
                Term::Splice(list) => Term::Splice(parts(self, list)),
                Term::Forall { first, n, body } => {
                    self.meet_polymorphic(ty);
                    Term::Forall { first, n, body: made[&body] }
                }
                Term::Tensor { shape, dtype } => Term::Tensor { shape: made[&shape], dtype: made[&dtype] },
                Term::Tuple(fields) => Term::Tuple(parts(self, fields)),
                Term::Shape(dims) => Term::Shape(parts(self, dims)),
                Term::Func { params, result } => Term::Func { params: parts(self, params), result: made[&result] },
                Term::Ref(inner) => Term::Ref(made[&inner]),
                Term::Sum(row) => Term::Sum(made[&row]),
                Term::Row { variant, fields, rest } => {
                    Term::Row { variant, fields: parts(self, fields), rest: made[&rest] }
                }
                Term::Adt { adt, args } => {
                    let args = parts(self, args);
                    let erased = self.adt(adt, args);
                    made.insert(ty, erased);
                    continue;
                }
            };
            let erased = self.program.types.intern(term);
            made.insert(ty, erased);
        }
        made[&root]
    }
}

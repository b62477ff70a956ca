//! Closed types: nothing in them is unknown, and no parameter is left.
//!
//! Equal types have equal ids, so asking whether two types are the same is asking whether two numbers are. Shapes keep
//! the dims that are known; the others are `?`. A type of which nothing was found out (`Nil` alone is a list of it) is
//! a hole, which has no values.
//!
//! A polymorphic function type mentions its own parameters, as those past [`ParamId::BOUND`]; equal ones have equal ids
//! too.
//!
//! Data types are known by what they are instances of; [`Types::define`] says what their constructors hold. It may come
//! after the type is mentioned, which is how a list mentions itself.

use base::{HashMap, IndexVec, ToList};
use ty::{Atom, Dim, Dtype, Kind, List, Poly, PolyId, Term, TermId, Terms, VariantId};

/// A constructor of an instance of a data type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constructor {
    /// As values number them.
    pub number: u32,
    pub fields: Vec<TermId>,
}

/// What a value of a sum begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Head {
    /// A constructor of a data type, as values number them.
    Constructor(u32),
    /// An anonymous variant.
    Variant(VariantId),
    /// A tuple has one case.
    Tuple,
    /// And so has a polymorphic function type.
    Functions,
}

/// One of the cases of a sum, data type or tuple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub head: Head,
    pub fields: Vec<TermId>,
}

/// A store of closed types.
#[derive(Clone, Debug, Default)]
pub struct Types {
    terms: IndexVec<TermId, Term>,
    ids: HashMap<Term, TermId>,
    pool: Vec<TermId>,
    lists: HashMap<Vec<TermId>, List>,
    constructors: HashMap<TermId, Vec<Constructor>>,
    written: HashMap<TermId, Vec<Vec<TermId>>>,
}

impl Types {
    /// The type with this head; its parts, and the lists in it, are of this store.
    pub fn intern(&mut self, term: Term) -> TermId {
        *self.ids.entry(term).or_insert_with(|| self.terms.push(term))
    }

    pub fn list(&mut self, items: &[TermId]) -> List {
        if let Some(&list) = self.lists.get(items) {
            return list;
        }
        let list = List { start: self.pool.len() as u32, len: items.len() as u32 };
        self.pool.extend_from_slice(items);
        self.lists.insert(items.to_vec(), list);
        list
    }

    /// `None` is `?`.
    pub fn tensor(&mut self, dims: &[Option<u64>], dtype: Dtype) -> TermId {
        let dim = |size: &Option<u64>| match size {
            Some(size) => Dim::number(i64::try_from(*size).unwrap_or(i64::MAX)),
            None => Dim::ANY,
        };
        let dims: Vec<TermId> = dims.iter().map(|size| self.intern(Term::Dim(dim(size)))).list();
        let dims = self.list(&dims);
        let (shape, dtype) = (self.intern(Term::Shape(dims)), self.intern(Term::Dtype(dtype)));
        self.intern(Term::Tensor { shape, dtype })
    }

    pub fn scalar(&mut self, dtype: Dtype) -> TermId {
        self.tensor(&[], dtype)
    }

    pub fn tuple(&mut self, fields: &[TermId]) -> TermId {
        let fields = self.list(fields);
        self.intern(Term::Tuple(fields))
    }

    pub fn func(&mut self, params: &[TermId], result: TermId) -> TermId {
        let params = self.list(params);
        self.intern(Term::Func { params, result })
    }

    pub fn reference(&mut self, content: TermId) -> TermId {
        self.intern(Term::Ref(content))
    }

    /// The anonymous sum of these variants.
    pub fn sum(&mut self, variants: &[(VariantId, Vec<TermId>)]) -> TermId {
        let row = self.row_of(variants);
        self.intern(Term::Sum(row))
    }

    /// The row of these variants, that nothing can be added to. Their order does not matter.
    pub fn row_of(&mut self, variants: &[(VariantId, Vec<TermId>)]) -> TermId {
        let end = self.intern(Term::EmptyRow);
        self.row_before(variants, end)
    }

    /// The row of these variants and then `end`, which has none.
    pub fn row_before(&mut self, variants: &[(VariantId, Vec<TermId>)], end: TermId) -> TermId {
        let mut sorted: Vec<&(VariantId, Vec<TermId>)> = variants.iter().list();
        base::sort_by_key(&mut sorted, |(name, _)| *name);
        sorted.dedup_by_key(|(name, _)| *name);
        let mut row = end;
        for (variant, fields) in sorted.into_iter().rev() {
            let fields = self.list(fields);
            row = self.intern(Term::Row { variant: *variant, fields, rest: row });
        }
        row
    }

    /// The type without values, for what nothing was found out about.
    pub fn nothing(&mut self) -> TermId {
        self.intern(Term::Hole(Kind::Type))
    }

    /// Says what the constructors of an instance of a data type hold, in the order of its declaration; of a polymorphic
    /// function type, which functions its values hold, as the fields of one constructor.
    pub fn define(&mut self, adt: TermId, constructors: Vec<Constructor>) {
        self.constructors.insert(adt, constructors);
    }

    /// Keeps what the declaration says of the fields, by constructor, where layouts do without the sizes of tensors.
    pub fn note_written(&mut self, adt: TermId, fields: Vec<Vec<TermId>>) {
        self.written.insert(adt, fields);
    }

    /// The types of the fields of a case for people: as the declaration has them.
    pub fn written_fields(&self, ty: TermId, case_idx: usize) -> Option<&[TermId]> {
        self.written.get(&ty)?.get(case_idx).map(Vec::as_slice)
    }

    /// The cases of a tuple, an anonymous sum (by name), or a data type or polymorphic function type that has been
    /// defined; `None` for others.
    pub fn cases(&self, ty: TermId) -> Option<Vec<Case>> {
        match self.terms[ty] {
            Term::Tuple(fields) => Some(vec![Case { head: Head::Tuple, fields: self.items(fields).to_vec() }]),
            Term::Forall { .. } => {
                let case = |held: &Vec<Constructor>| {
                    held.iter().map(|held| Case { head: Head::Functions, fields: held.fields.clone() }).list()
                };
                self.constructors.get(&ty).map(case)
            }
            Term::Sum(row) => {
                let case = |variant: ty::Variant| Case {
                    head: Head::Variant(variant.name),
                    fields: self.items(variant.fields).to_vec(),
                };
                Some(self.row(row).0.into_iter().map(case).list())
            }
            Term::Adt { .. } => {
                let case =
                    |ctor: &Constructor| Case { head: Head::Constructor(ctor.number), fields: ctor.fields.clone() };
                self.constructors.get(&ty).map(|constructors| constructors.iter().map(case).list())
            }
            _ => None,
        }
    }

    /// Shape and dtype of a tensor type; `None` in a shape is `?`.
    pub fn as_tensor(&self, ty: TermId) -> Option<(Vec<Option<u64>>, Dtype)> {
        let Term::Tensor { shape, dtype } = self.terms[ty] else { return None };
        let (Term::Shape(dims), Term::Dtype(dtype)) = (self.terms[shape], self.terms[dtype]) else { return None };
        let size = |&dim: &TermId| match self.terms[dim] {
            Term::Dim(Dim { extent: ty::Extent::Number(size), dynamic: false }) => u64::try_from(size).ok(),
            _ => None,
        };
        Some((self.items(dims).iter().map(size).list(), dtype))
    }

    /// The dtype of a tensor of rank 0.
    pub fn as_scalar(&self, ty: TermId) -> Option<Dtype> {
        self.as_tensor(ty).filter(|(dims, _)| dims.is_empty()).map(|(_, dtype)| dtype)
    }
}

impl Terms for Types {
    fn root(&self, id: TermId) -> TermId {
        id
    }

    fn head(&self, id: TermId) -> Term {
        self.terms[id]
    }

    fn items(&self, list: List) -> &[TermId] {
        &self.pool[list.start as usize..(list.start + list.len) as usize]
    }

    fn poly(&self, _: PolyId) -> &Poly<Atom> {
        unreachable!("the dims of closed types are numbers or `?`")
    }
}

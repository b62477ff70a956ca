//! Where a text speaks of a sum type, or names one of its variants.
//!
//! A type of the text is an open one, a type with a layout a closed one: the first closed type that is an instance of
//! it is meant. For `def @f(%x: List[A])` that is the first list of the program.

use crate::layouts::Laid;
use crate::page::span_view;
use crate::view::MentionView;
use crate::{Analysis, layouts::Laying};
use base::{Append, HashMap, HashSet, Span, Surface, ToList};
use hir::{ExprKind, PatKind};
use layout::Head;
use ty::{Dim, Term, TermId, Terms};

/// At most this many places of a text are listed.
const MAX_MENTIONS: usize = 5_000;
/// Types whose first pairs of parts agree, this many, are taken for the same.
const MAX_COMPARED: usize = 1_000;

/// A place of the text that is of a type.
struct Found {
    span: Span,
    entry: usize,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Part,
    /// Of a variable or a data type.
    Name,
    Variant(Head),
}

pub(crate) fn mentions(analysis: &Analysis, laid: &Laid) -> Vec<MentionView> {
    let Analysis { module, inferred, lines, .. } = analysis;
    let mut search = Search::new(analysis, laid);
    let mut found: Vec<Found> = Vec::new();
    let mut say = |span: Span, entry: usize, what: What| found.push(Found { span, entry, what });
    // A name stands first in what it begins.
    let name = |span: Span, len: usize| Span::new(span.start, span.end.min(span.start + len as u32));
    let sigil = if module.surface == Surface::Relay { 1 } else { 0 };
    for (id, expr) in module.exprs.iter_enumerated().skip(module.start.exprs) {
        let Some(entry) = inferred.exprs[id].and_then(|term| search.entry(term)) else { continue };
        say(expr.span, entry, What::Part);
        let callee = match &expr.kind {
            ExprKind::Call { callee, .. } => *callee,
            _ => id,
        };
        match &module.exprs[callee].kind {
            ExprKind::Variant(variant, _) => {
                let span = name(expr.span, sigil + module.variants[*variant].len());
                say(span, entry, What::Variant(Head::Variant(*variant)));
            }
            ExprKind::Ctor(ctor) => {
                say(module.exprs[callee].span, entry, What::Variant(Head::Constructor(ctor.number())))
            }
            _ => {}
        }
    }
    for (id, pat) in module.pats.iter_enumerated().skip(module.start.pats) {
        let Some(entry) = inferred.pats[id].and_then(|term| search.entry(term)) else { continue };
        say(pat.span, entry, What::Part);
        match &pat.kind {
            PatKind::Variant(variant, _) => {
                let span = name(pat.span, sigil + module.variants[*variant].len());
                say(span, entry, What::Variant(Head::Variant(*variant)));
            }
            PatKind::Ctor(ctor, _) => {
                say(
                    name(pat.span, module.ctors[*ctor].name.len()),
                    entry,
                    What::Variant(Head::Constructor(ctor.number())),
                );
            }
            _ => {}
        }
    }
    for (id, local) in module.locals.iter_enumerated().skip(module.start.locals) {
        if let Some(entry) = inferred.locals[id].and_then(|term| search.entry(term)) {
            say(local.span, entry, What::Name);
        }
    }
    for (id, data) in module.adts.iter_enumerated().skip(module.start.adts) {
        let is_instance = |sum: &Laying| matches!(laid.types.head(sum.ty), Term::Adt { adt, .. } if adt == id);
        let Some(entry) = laid.sums.iter().position(is_instance) else { continue };
        say(data.name_span, entry, What::Name);
        for &ctor in &data.ctors {
            say(module.ctors[ctor].name_span, entry, What::Variant(Head::Constructor(ctor.number())));
        }
    }
    // Names come behind the parts with the same span.
    base::sort_by_key(&mut found, |found| found.what != What::Part);
    base::sort_by_key(&mut found, |found| (found.span.start, !found.span.end));
    found.truncate(MAX_MENTIONS);
    let mut places: HashMap<(usize, Head), u32> = HashMap::default();
    let mut known: HashSet<usize> = HashSet::default();
    let view = |Found { span, entry, what }: Found| {
        if known.insert(entry) {
            let cases = laid.types.cases(laid.sums[entry].ty).unwrap_or_default();
            places.extend((0..).zip(cases).map(|(at, case)| ((entry, case.head), at)));
        }
        let variant = match what {
            What::Variant(head) => places.get(&(entry, head)).copied(),
            What::Part | What::Name => None,
        };
        MentionView { span: span_view(lines, span), entry: entry as u32, variant, is_name: what != What::Part }
    };
    found.into_iter().map(view).list()
}

pub(crate) struct Search<'a> {
    analysis: &'a Analysis,
    laid: &'a Laid,
    known: HashMap<TermId, Option<usize>>,
}

impl<'a> Search<'a> {
    pub(crate) fn new(analysis: &'a Analysis, laid: &'a Laid) -> Search<'a> {
        Search { analysis, laid, known: HashMap::default() }
    }

    /// The first of the types that is an instance of an inferred one.
    pub(crate) fn entry(&mut self, term: TermId) -> Option<usize> {
        let solver = &self.analysis.inferred.solver;
        let root = solver.root(term);
        if !matches!(solver.head(root), Term::Sum(_) | Term::Adt { .. } | Term::Tuple(_)) {
            return None;
        }
        if let Some(&known) = self.known.get(&root) {
            return known;
        }
        let found = self.laid.sums.iter().position(|sum| self.is_instance(root, sum.ty));
        self.known.insert(root, found);
        found
    }

    fn is_instance(&self, open: TermId, closed: TermId) -> bool {
        let (terms, types) = (&self.analysis.inferred.solver, &self.laid.types);
        let mut pairs = vec![(open, closed)];
        let mut n_compared = 0;
        while let Some((open, closed)) = pairs.pop() {
            n_compared += 1;
            if n_compared > MAX_COMPARED {
                return true;
            }
            match (terms.head(open), types.head(closed)) {
                (Term::Hole(_) | Term::Error(_) | Term::Param(..) | Term::Forall { .. }, _) => {}
                (Term::Slice { .. } | Term::Splice(_), Term::Shape(_)) => {}
                (Term::Tuple(a), Term::Tuple(b)) | (Term::Shape(a), Term::Shape(b)) => {
                    if a.len != b.len {
                        return false;
                    }
                    pairs.append_all(terms.items(a).iter().copied().zip(types.items(b).iter().copied()));
                }
                (Term::Adt { adt, args }, Term::Adt { adt: other, args: others }) => {
                    if adt != other {
                        return false;
                    }
                    pairs.append_all(terms.items(args).iter().copied().zip(types.items(others).iter().copied()));
                }
                (Term::Func { params, result }, Term::Func { params: others, result: other }) => {
                    if params.len != others.len {
                        return false;
                    }
                    pairs.push((result, other));
                    pairs.append_all(terms.items(params).iter().copied().zip(types.items(others).iter().copied()));
                }
                (Term::Tensor { shape, dtype }, Term::Tensor { shape: other, dtype: others }) => {
                    pairs.append_all([(shape, other), (dtype, others)]);
                }
                (Term::Ref(a), Term::Ref(b)) => pairs.push((a, b)),
                (Term::Sum(a), Term::Sum(b)) => {
                    let ((own, rest), (others, _)) = (terms.row(a), types.row(b));
                    let is_closed = matches!(terms.head(rest), Term::EmptyRow);
                    let mut names: Vec<u32> = own.iter().map(|variant| variant.name.number()).list();
                    base::sort(&mut names);
                    names.dedup();
                    if names.len() > others.len() || (is_closed && names.len() < others.len()) {
                        return false;
                    }
                    for variant in own {
                        let Some(other) = others.iter().find(|other| other.name == variant.name) else { return false };
                        let (fields, others) = (terms.items(variant.fields), types.items(other.fields));
                        pairs.append_all(fields.iter().copied().zip(others.iter().copied()));
                    }
                }
                (Term::Dtype(a), Term::Dtype(b)) => {
                    if a != b {
                        return false;
                    }
                }
                (Term::Dim(a), Term::Dim(b)) => {
                    let is_known = |dim: Dim| !dim.dynamic && matches!(dim.extent, ty::Extent::Number(_));
                    if is_known(a) && is_known(b) && a != b {
                        return false;
                    }
                }
                _ => return false,
            }
        }
        true
    }
}

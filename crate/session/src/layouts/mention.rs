//! Where a text speaks of a sum type, or names one of its variants.
//!
//! A type of the text is an open one, a type with a layout a closed one: the first closed type that is an instance of it
//! is meant. For `def @f(%x: List[A])` that is the first list of the program.

use crate::layouts::Laid;
use crate::page::span_view;
use crate::view::MentionView;
use crate::{Analysis, layouts::Laying};
use base::{Span, Surface};
use hir::{ExprKind, PatKind};
use layout::Head;
use rustc_hash::FxHashMap;
use ty::{Dim, Term, TermId, Terms};

/// As many places are known.
const MAX_MENTIONS: usize = 5_000;
/// Types that agree so far are taken for the same.
const MAX_COMPARED: usize = 1_000;

pub(crate) fn mentions(analysis: &Analysis, laid: &Laid) -> Vec<MentionView> {
    let Analysis { module, inferred, lines, .. } = analysis;
    let mut search = Search::new(analysis, laid);
    let mut found: Vec<(Span, usize, Option<Head>)> = Vec::new();
    let variant_name = |span: Span, name| {
        let sigil = if module.surface == Surface::Relay { 1 } else { 0 };
        let len = module.variants[name].len() as u32 + sigil;
        Span::new(span.start, span.end.min(span.start + len))
    };
    for (id, expr) in module.exprs.iter_enumerated().skip(module.start.exprs) {
        let Some(entry) = inferred.exprs[id].and_then(|term| search.entry(term)) else { continue };
        found.push((expr.span, entry, None));
        match &expr.kind {
            ExprKind::Variant(name, _) => {
                found.push((variant_name(expr.span, *name), entry, Some(Head::Variant(*name))));
            }
            ExprKind::Ctor(ctor) => found.push((expr.span, entry, Some(Head::Constructor(ctor.0)))),
            ExprKind::Call { callee, .. } => {
                if let ExprKind::Ctor(ctor) = module.exprs[*callee].kind {
                    found.push((module.exprs[*callee].span, entry, Some(Head::Constructor(ctor.0))));
                }
            }
            _ => {}
        }
    }
    for (id, pat) in module.pats.iter_enumerated().skip(module.start.pats) {
        let Some(entry) = inferred.pats[id].and_then(|term| search.entry(term)) else { continue };
        found.push((pat.span, entry, None));
        match &pat.kind {
            PatKind::Variant(name, _) => {
                found.push((variant_name(pat.span, *name), entry, Some(Head::Variant(*name))));
            }
            PatKind::Ctor(ctor, _) => {
                let len = module.ctors[*ctor].name.len() as u32;
                let span = Span::new(pat.span.start, pat.span.end.min(pat.span.start + len));
                found.push((span, entry, Some(Head::Constructor(ctor.0))));
            }
            _ => {}
        }
    }
    for (id, local) in module.locals.iter_enumerated().skip(module.start.locals) {
        let entry = inferred.locals[id].and_then(|term| search.entry(term));
        found.extend(entry.map(|entry| (local.span, entry, None)));
    }
    for (id, data) in module.adts.iter_enumerated().skip(module.start.adts) {
        let is_instance = |sum: &Laying| matches!(laid.types.head(sum.ty), Term::Adt { adt, .. } if adt == id);
        let Some(entry) = laid.sums.iter().position(is_instance) else { continue };
        found.push((data.name_span, entry, None));
        let ctors =
            data.ctors.iter().map(|&ctor| (module.ctors[ctor].name_span, entry, Some(Head::Constructor(ctor.0))));
        found.extend(ctors);
    }
    // What names a variant comes behind what has the same span and does not.
    base::sort_by_key(&mut found, |&(span, _, head)| (span.start, std::cmp::Reverse(span.end), head.is_some()));
    found.truncate(MAX_MENTIONS);
    let view = |(span, entry, head): (Span, usize, Option<Head>)| {
        let cases = || laid.types.cases(laid.sums[entry].ty).unwrap_or_default();
        let variant = head.and_then(|head| cases().iter().position(|case| case.head == head));
        MentionView { span: span_view(lines, span), entry: entry as u32, variant: variant.map(|at| at as u32) }
    };
    found.into_iter().map(view).collect()
}

pub(crate) struct Search<'a> {
    analysis: &'a Analysis,
    laid: &'a Laid,
    known: FxHashMap<TermId, Option<usize>>,
}

impl<'a> Search<'a> {
    pub(crate) fn new(analysis: &'a Analysis, laid: &'a Laid) -> Search<'a> {
        Search { analysis, laid, known: FxHashMap::default() }
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
                    pairs.extend(terms.items(a).iter().copied().zip(types.items(b).iter().copied()));
                }
                (Term::Adt { adt, args }, Term::Adt { adt: other, args: others }) => {
                    if adt != other {
                        return false;
                    }
                    pairs.extend(terms.items(args).iter().copied().zip(types.items(others).iter().copied()));
                }
                (Term::Func { params, result }, Term::Func { params: others, result: other }) => {
                    if params.len != others.len {
                        return false;
                    }
                    pairs.push((result, other));
                    pairs.extend(terms.items(params).iter().copied().zip(types.items(others).iter().copied()));
                }
                (Term::Tensor { shape, dtype }, Term::Tensor { shape: other, dtype: others }) => {
                    pairs.extend([(shape, other), (dtype, others)]);
                }
                (Term::Ref(a), Term::Ref(b)) => pairs.push((a, b)),
                (Term::Sum(a), Term::Sum(b)) => {
                    let ((own, rest), (others, _)) = (terms.row(a), types.row(b));
                    let is_closed = matches!(terms.head(rest), Term::EmptyRow);
                    let mut names: Vec<u32> = own.iter().map(|variant| variant.name.0).collect();
                    base::sort(&mut names);
                    names.dedup();
                    if names.len() > others.len() || (is_closed && names.len() < others.len()) {
                        return false;
                    }
                    for variant in own {
                        let Some(other) = others.iter().find(|other| other.name == variant.name) else { return false };
                        let (fields, others) = (terms.items(variant.fields), types.items(other.fields));
                        pairs.extend(fields.iter().copied().zip(others.iter().copied()));
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

//! Texts that differ a little from the one at fault, checked one after the other until the work is used up.

use crate::Ground;
use base::{Append, Diagnostic, Edit, Span, ToList, apply};
use hir::{Item, Module, TypeExprKind};
use infer::{Inferred, TypeError, Why, Wording};
use pattern::Wanted;
use solve::Trace;
use syntax::Tree;
use ty::{Dim, Dtype, Extent, Kind, ParamId, Term, TermId, Terms};

/// A text with all that inference says of it.
pub(crate) struct Checked {
    pub tree: Tree,
    pub module: Module,
    pub inferred: Inferred,
    pub faults: Vec<Diagnostic>,
    /// How many of them, the first, stand there whatever the types are.
    pub n_untyped: usize,
    /// Of judging its matches.
    n_steps: usize,
}

/// What an edit does to the faults of the text.
pub(crate) struct Outcome {
    /// A bit for each of the first 64 faults that is gone.
    pub removed: u64,
    pub checked: Checked,
}

/// A tensor type as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shaped {
    pub dims: Vec<Option<i64>>,
    pub dtype: Option<Dtype>,
}

impl Shaped {
    /// The sizes, if all are known.
    pub fn sizes(&self) -> Option<Vec<i64>> {
        self.dims.iter().copied().some_list()
    }
}

/// The text, its faults, and how many bytes may still be checked.
pub(crate) struct Bench<'a> {
    pub ground: &'a Ground<'a>,
    pub text: &'a str,
    pub faults: Vec<Diagnostic>,
    pub work_left: usize,
    /// Statements in which faults may appear that were hidden, since nothing was known of something in them.
    pub hiding: Vec<Span>,
}

impl<'a> Bench<'a> {
    /// The faults that an edit takes away, if it brings none but such as were hidden. Relations that wait for what a hole
    /// would say are not faults.
    pub fn try_edits(&mut self, edits: &[Edit]) -> Option<Outcome> {
        let checked = self.checked(edits)?;
        self.judged(edits, checked).ok()
    }

    /// The same of a text that has been checked, which comes back if there are others.
    #[allow(clippy::result_large_err, reason = "it is looked at once, where it comes back")]
    pub fn judged(&self, edits: &[Edit], checked: Checked) -> Result<Outcome, Checked> {
        let mut stays = 0u64;
        let mut appeared: Vec<&str> = Vec::new();
        for (n_before, fault) in checked.faults.iter().enumerate() {
            let (at, is_inside) = original(edits, fault.span.start);
            let is_same = |old: &Diagnostic| {
                old.span.start == at || is_inside.is_some_and(|edited| edited.contains(old.span.start))
            };
            // Of several in one place each stands for one.
            let is_taken = |place: usize| place < 64 && stays >> place & 1 == 1;
            let mut numbered = self.faults.iter().enumerate();
            let place = numbered.position(|(i, old)| is_same(old) && old.code == fault.code && !is_taken(i));
            let place = place.or_else(|| self.faults.iter().position(is_same));
            match place {
                Some(place) if place < 64 => stays |= 1 << place,
                Some(_) => {}
                None if n_before >= checked.n_untyped && self.hiding.iter().any(|statement| statement.contains(at)) => {
                    appeared.push(&fault.message);
                }
                None => return Err(checked),
            }
        }
        let n_faults = self.faults.len().min(64) as u32;
        let all = u64::MAX.checked_shr(64 - n_faults).unwrap_or(0);
        let removed = all & !stays;
        // What has gone and stands elsewhere in the same words has only moved.
        let mut gone = self.faults.iter().enumerate().take(64).filter(|(i, _)| removed >> i & 1 == 1);
        if gone.any(|(_, old)| appeared.contains(&old.message.as_str())) {
            return Err(checked);
        }
        Ok(Outcome { removed, checked })
    }

    /// Whether edits bring a fault of their own: one that was not there, and is told of what they change.
    pub fn brings(&self, edits: &[Edit], checked: &Checked) -> bool {
        checked.faults.iter().any(|fault| {
            let ((start, is_inside), (end, _)) = (original(edits, fault.span.start), original(edits, fault.span.end));
            let is_old = |old: &Diagnostic| old.span.start == start && old.code == fault.code;
            let is_around = |edit: &Edit| start <= edit.span.start && edit.span.start < end;
            (is_inside.is_some() || edits.iter().any(is_around)) && !self.faults.iter().any(is_old)
        })
    }

    /// The text after edits, unless they overlap.
    pub fn applied(&self, edits: &[Edit]) -> Option<String> {
        let mut spans: Vec<Span> = edits.iter().map(|edit| edit.span).list();
        base::sort_by_key(&mut spans, |span| (span.start, span.end));
        let is_apart = spans.windows(2).all(|two| two[0].end <= two[1].start);
        is_apart.then(|| apply(self.text, edits))
    }

    /// The text after edits, unless they overlap, its syntax is worse then, or too much has been checked already.
    pub fn checked(&mut self, edits: &[Edit]) -> Option<Checked> {
        let text = self.applied(edits)?;
        // Even a text of one line costs the setting up.
        self.work_left = self.work_left.checked_sub(text.len() + 400)?;
        let n_before = self.faults.iter().count_where(|fault| fault.code == "syntax-error");
        let checked = check(self.ground, &text, |n_errors| n_errors <= n_before)?;
        self.work_left = self.work_left.saturating_sub(checked.extra_work(text.len()));
        Some(checked)
    }
}

/// Where an offset of the edited text was before, and the span that was replaced if it is in what came instead.
pub(crate) fn original(edits: &[Edit], offset: u32) -> (u32, Option<Span>) {
    let mut sorted: Vec<&Edit> = edits.iter().list();
    base::sort_by_key(&mut sorted, |edit| edit.span.start);
    let mut shift = 0i64;
    for edit in sorted {
        let start = i64::from(edit.span.start) + shift;
        let end = start + edit.text.len() as i64;
        if i64::from(offset) < start {
            break;
        }
        if i64::from(offset) < end {
            return (edit.span.start, Some(edit.span));
        }
        shift += edit.text.len() as i64 - i64::from(edit.span.len());
    }
    ((i64::from(offset) - shift) as u32, None)
}

/// Everything that is wrong with a text, unless its syntax already is worse than wanted.
pub(crate) fn check(ground: &Ground, text: &str, wanted: impl Fn(usize) -> bool) -> Option<Checked> {
    let parse = syntax::parse(text, ground.surface);
    if !wanted(parse.errors.len()) {
        return None;
    }
    let (module, hir_errors) = hir::lower(&parse.tree, Module::above(ground.library));
    let (inferred, errors) = infer::infer(&module, Some(ground.inferred), Trace::off(), solve::Order::Queue);
    let mut faults: Vec<Diagnostic> = parse.errors.iter().map(|error| error.diagnostic()).list();
    faults.append_all(hir_errors.iter().map(|error| error.diagnostic()));
    let n_untyped = faults.len();
    let wording = Wording { module: &module, inferred: &inferred };
    let n_holes = module.holes.len();
    let is_told = |error: &&TypeError| n_holes == 0 || !matches!(error, TypeError::UnderConstrained { .. });
    faults.append_all(errors.iter().filter(is_told).map(|error| wording.diagnostic(error)));
    let mut n_steps = 0;
    for expr in module.exprs.iter().skip(module.start.exprs) {
        let hir::ExprKind::Match { scrutinee, arms, is_partial: false } = &expr.kind else { continue };
        let Some(term) = inferred.exprs[*scrutinee].filter(|&term| !inferred.is_unknown(term)) else { continue };
        let coverage = pattern::check(&module, &inferred.solver, term, arms, Wanted::Missing);
        n_steps += coverage.n_steps;
        if !coverage.missing.is_empty() {
            let keyword = Span::new(expr.span.start, expr.span.start + 5);
            faults.push(Diagnostic::error("match-not-exhaustive", keyword, ""));
        }
    }
    Some(Checked { tree: parse.tree, module, inferred, faults, n_untyped, n_steps })
}

impl Checked {
    /// What checking cost beyond the usual for a text of so many bytes: a short text may post many relations, or have
    /// matches that are hard to judge; and for each fault names are looked through.
    pub fn extra_work(&self, n_bytes: usize) -> usize {
        let solver = &self.inferred.solver;
        let solved = solver.store.len() + 4 * solver.relations().len() + self.n_steps / 8;
        solved.saturating_sub(4 * n_bytes) + self.faults.len() * n_bytes / 256
    }

    /// How much of it type-checks and is likely to be a mistake.
    pub fn warnings(&self) -> usize {
        lint::check(self.tree.text(), &self.module, &self.inferred).len()
    }

    /// The types of the definitions, in source order.
    pub fn types(&self) -> Vec<(String, String)> {
        let items = self.module.items.iter();
        items
            .filter_map(|item| match *item {
                Item::Def(def) => {
                    let scheme = self.inferred.defs[def].as_ref()?;
                    let text = self.inferred.print_scheme(&self.module, scheme).text;
                    Some((self.module.defs[def].name.clone(), text))
                }
                Item::Let(local, _) => {
                    let text = self.inferred.print_local(&self.module, local)?.text;
                    Some((self.module.local_name(local).to_owned(), text))
                }
                Item::Expr(_) | Item::Adt(_) => None,
            })
            .list()
    }

    /// What differs from such types of another text: name, before, after.
    pub fn changes(&self, before: &[(String, String)]) -> Vec<(String, String, String)> {
        let after = self.types();
        let pairs = before.iter().zip(&after).filter(|(before, after)| before.0 == after.0 && before.1 != after.1);
        pairs.map(|(before, after)| (before.0.clone(), before.1.clone(), after.1.clone())).list()
    }

    pub fn print(&self, term: TermId) -> String {
        self.inferred.print(&self.module, term).text
    }

    /// What a `_` that stands at an offset turned out to be.
    pub fn hole_at(&self, offset: u32) -> Option<TermId> {
        let module = &self.module;
        let hole = module.holes.iter().find(|hole| module.locals[hole.local].span.start == offset);
        if let Some(hole) = hole {
            return self.inferred.locals[hole.local];
        }
        let solver = &self.inferred.solver;
        let is_hole = |why: &Why| match *why {
            Why::Written(id) if id.number() as usize >= module.start.type_exprs => {
                let written = &module.type_exprs[id];
                written.span.start == offset && matches!(written.kind, TypeExprKind::Hole)
            }
            _ => false,
        };
        let causes: Vec<u32> = (self.inferred.n_library_whys..self.inferred.whys.len())
            .filter(|&cause| is_hole(&self.inferred.whys[cause]))
            .map(|cause| cause as u32)
            .list();
        let made = (0..solver.store.len() as u32).map(TermId::numbered);
        let mut terms = made.filter(|&term| causes.contains(&solver.store.made_by(term).0));
        let first = terms.next()?;
        // Of several copies one that is known says more.
        Some(if self.is_known(first) { first } else { terms.find(|&term| self.is_known(term)).unwrap_or(first) })
    }

    /// Whether a type can be written down as it prints: nothing in it is unknown, or a parameter that no one wrote.
    pub fn is_known(&self, term: TermId) -> bool {
        let n_written = self.module.type_params.len() as u32;
        let is_made = |param: ParamId| param.number() >= n_written;
        let unknown = |head: Term| match head {
            Term::Hole(_) | Term::Error(_) => true,
            Term::Param(param, _) => is_made(param),
            Term::Dim(Dim { extent: Extent::Param(param), .. }) => is_made(param),
            Term::Dim(Dim { extent: Extent::Unknown, dynamic }) => !dynamic,
            _ => false,
        };
        self.inferred.solver.roots_where(&[term], unknown).is_empty()
    }

    pub fn shaped(&self, term: TermId) -> Option<Shaped> {
        let solver = &self.inferred.solver;
        let Term::Tensor { shape, .. } = solver.head(term) else { return None };
        let Term::Shape(dims) = solver.head(shape) else { return None };
        let size = |&dim: &TermId| match solver.head(dim) {
            Term::Dim(Dim { extent: Extent::Number(number), .. }) => Some(number),
            _ => None,
        };
        let dims = solver.items(dims).iter().map(size).list();
        Some(Shaped { dims, dtype: self.dtype(term) })
    }

    /// The dtype of a tensor, whatever its shape.
    pub fn dtype(&self, term: TermId) -> Option<Dtype> {
        let solver = &self.inferred.solver;
        let Term::Tensor { dtype, .. } = solver.head(term) else { return None };
        if let Term::Dtype(dtype) = solver.head(dtype) { Some(dtype) } else { None }
    }

    pub fn kind(&self, term: TermId) -> Kind {
        self.inferred.solver.head(term).kind()
    }
}

//! Which stops are about a place of the text, or about a problem.

use super::Recording;
use super::about::{About, about};
use super::places::Place;
use crate::Analysis;
use crate::hover::{Subject, innermost};
use crate::page::span_view;
use crate::view::solver::PlaceStopsView;
use base::{HashSet, Span, ToList};
use hir::{ExprId, ExprKind, Item, LocalId};
use infer::{TypeError, Wording};
use solve::{Event, RelationId};
use ty::{TermId, Terms};

/// Parts of a type whose stops count as its own.
const MAX_PARTS: usize = 200;
/// Terms of a type that are compared.
const MAX_TERMS: usize = 2_000;

/// What a cursor means: the innermost construct around it, or before it. On a `let` that is its variable, on what else there
/// is of a function the function.
fn meant(analysis: &Analysis, offset: u32) -> Option<(Span, Subject)> {
    let module = &analysis.module;
    let (head, rest) = analysis.text().split_at_checked(offset as usize)?;
    // Behind `let %x = e;` is still of it, and right behind a name the name.
    let before = base::trim_end(head, "; \t").len() as u32;
    let is_in_word = |of: Option<&u8>| of.is_some_and(|of| of.is_ascii_alphanumeric() || *of == b'_');
    let is_word_end = is_in_word(head.as_bytes().last()) && !is_in_word(rest.as_bytes().first());
    let offset = if is_word_end { offset - 1 } else { offset };
    let local = |id: LocalId| (module.locals[id].span, Subject::Local(id));
    let expr = |id: ExprId| (module.exprs[id].span, Subject::Expr(id));
    let found = innermost(analysis, offset).or_else(|| innermost(analysis, before.checked_sub(1)?));
    match found {
        Some((_, Subject::Expr(block))) if let ExprKind::Block { lets, tail } = &module.exprs[block].kind => {
            Some(match lets.iter().find(|(_, value)| module.exprs[*value].span.end >= before) {
                Some(&(Some(variable), _)) => local(variable),
                Some(&(None, value)) => expr(value),
                None => expr(*tail),
            })
        }
        None => {
            let mut items = module.items.iter().filter_map(|item| match *item {
                Item::Def(def) => {
                    let hir::Def { name_span, function, .. } = module.defs[def];
                    Some(((name_span, Subject::Def(def)), function))
                }
                Item::Let(variable, function) => Some((local(variable), function)),
                Item::Expr(_) | Item::Adt(_) => None,
            });
            let (item, _) = items.find(|&(_, function)| module.functions[function].span.end >= before)?;
            let lead = analysis.text().get(before as usize..item.0.start as usize).unwrap_or_default();
            (!base::has(lead, b'\n')).then_some(item)
        }
        found => found,
    }
}

impl Recording {
    /// The type at a byte offset: where, what has it, and its cell.
    fn cell_at(&self, analysis: &Analysis, offset: u32) -> Option<(Span, Place, TermId)> {
        let (span, subject) = meant(analysis, offset)?;
        let (place, cell) = match subject {
            Subject::Expr(expr) | Subject::Operator(expr) => (Place::Expr(expr), self.inferred.exprs[expr]),
            Subject::Layer(at) => {
                let expr = analysis.module.stages[at].expr;
                (Place::Expr(expr), self.inferred.exprs[expr])
            }
            Subject::Local(local) => (Place::Local(local), self.inferred.locals[local]),
            Subject::Pattern(pat) => (Place::Pattern(pat), self.inferred.pats[pat]),
            Subject::Def(def) => (Place::Def(def), self.inferred.defs[def].as_ref().map(|scheme| scheme.body)),
            Subject::Written(_) | Subject::Constructor(_) | Subject::Adt(_) | Subject::TypeParam(_) => return None,
        };
        cell.map(|cell| (span, place, cell))
    }

    /// What the trace says of the type at a byte offset.
    pub fn stops_at(&mut self, analysis: &Analysis, offset: u32) -> Option<PlaceStopsView> {
        let (span, place, cell) = self.cell_at(analysis, offset)?;
        let decided = self.decided(analysis, cell);
        Some(PlaceStopsView {
            span: span_view(analysis.lines(), span),
            of: self.words(analysis).text.name(place),
            stops: self.stops_of(cell),
            decided: decided as u32,
            node: self.variable_of(cell).map(|node| format!("t{}", self.number(node))),
        })
    }

    /// The stop from which on the type at a byte offset is what it is in the end.
    pub fn decided_at(&mut self, analysis: &Analysis, offset: u32) -> Option<usize> {
        let (.., cell) = self.cell_at(analysis, offset)?;
        Some(self.decided(analysis, cell))
    }

    /// The class of the type at a byte offset and those of its parts, as they are at a stop.
    pub fn classes_at(&mut self, analysis: &Analysis, offset: u32, stop: usize) -> Vec<u32> {
        let Some((.., cell)) = self.cell_at(analysis, offset) else { return Vec::new() };
        self.solver_at(stop);
        let seen = self.seen();
        match seen.has(cell) {
            true => parts(&seen, cell).into_iter().map(|root| self.number(root)).list(),
            false => Vec::new(),
        }
    }

    /// Information only grows, so the stop is found by halves.
    fn decided(&mut self, analysis: &Analysis, cell: TermId) -> usize {
        let (mut low, mut high) = (0, self.n_stops() - 1);
        let first = TermId::numbered(self.index.first_term);
        let beginning = ty::Beginning { max_nodes: MAX_TERMS, first, n_terms: self.inferred.solver.store.len() };
        let text_at = |recording: &mut Recording, stop: usize| {
            recording.solver_at(stop);
            let seen = recording.seen();
            let names = recording.inferred.names(&analysis.module);
            seen.has(cell).then(|| ty::print_beginning(&seen, &names, cell, beginning).text)
        };
        let last = text_at(self, high);
        while low < high {
            let middle = low + (high - low) / 2;
            if text_at(self, middle) == last { high = middle } else { low = middle + 1 }
        }
        low
    }

    /// The stops whose steps tell the class of a cell something, or a part of it, and those of relations over it.
    fn stops_of(&self, cell: TermId) -> Vec<u32> {
        let solver = &self.inferred.solver;
        let wanted: HashSet<TermId> = parts(solver, cell).into_iter().collect();
        let root = solver.root(cell);
        let is_wanted = |id: TermId| wanted.contains(&solver.root(id));
        let mut found: Vec<u32> = Vec::new();
        for (at, event) in (0..).zip(self.events()) {
            let touches = match *event {
                Event::Bind { id, .. } => is_wanted(id),
                Event::Link { child, .. } => is_wanted(child),
                Event::Step { relation, .. } => {
                    solver.relation(relation).args.iter().any(|&arg| solver.root(arg) == root)
                }
                Event::Fresh { .. } | Event::Post { .. } | Event::Quantify { .. } => false,
            };
            if touches {
                let stop = self.index.stop_behind(at);
                if found.last() != Some(&stop) {
                    found.push(stop);
                }
            }
        }
        found
    }

    /// The stop where a problem of the text arose, by its number among the diagnostics.
    pub fn stop_of_diagnostic(&self, analysis: &Analysis, diagnostic: usize) -> Option<usize> {
        let wanted = analysis.diagnostics().get(diagnostic)?;
        let wording = Wording { module: &analysis.module, inferred: &self.inferred };
        let error = self.errors.iter().find(|error| wording.diagnostic(error) == *wanted)?;
        self.stop_of_error(error)
    }

    fn stop_of_error(&self, error: &TypeError) -> Option<usize> {
        let last_run =
            |id: RelationId| self.index.relations[id.number() as usize].runs.last().map(|&stop| stop as usize);
        match about(error)? {
            About::Failed(failure) => last_run(failure.relation),
            About::NotAssumed(relation) => last_run(relation),
            About::Stuck(relation) => {
                let is_left = |event: &Event| match event {
                    Event::Quantify { relations, .. } => relations.iter().any(|woken| woken.relation == relation),
                    _ => false,
                };
                match self.events().iter().position(is_left) {
                    Some(at) => Some(self.index.stop_behind(at as u32) as usize),
                    None => last_run(relation),
                }
            }
            About::Cycle(term) => {
                let cut = self
                    .events()
                    .iter()
                    .rposition(|event| matches!(event, Event::Bind { id, new: ty::Term::Error(_), .. } if *id == term));
                cut.map(|at| self.index.stop_behind(at as u32) as usize)
            }
        }
    }

    /// For each of these stops the diagnostic that came of it.
    pub(super) fn failure_diagnostics(&self, analysis: &Analysis, failures: &[u32]) -> Vec<Option<u32>> {
        let mut of_stop: Vec<Option<u32>> = base::filled(None, failures.len());
        if failures.is_empty() {
            return of_stop;
        }
        let wording = Wording { module: &analysis.module, inferred: &self.inferred };
        for error in &self.errors {
            let Some(stop) = self.stop_of_error(error) else { continue };
            let Ok(at) = failures.binary_search(&(stop as u32)) else { continue };
            let diagnostic = wording.diagnostic(error);
            let number = analysis.diagnostics().iter().position(|other| *other == diagnostic);
            of_stop[at] = of_stop[at].or(number.map(|number| number as u32));
        }
        of_stop
    }
}

/// The classes below a term, itself first.
fn parts(terms: &dyn Terms, cell: TermId) -> Vec<TermId> {
    let mut found = vec![terms.root(cell)];
    let mut at = 0;
    while let Some(&root) = found.get(at).filter(|_| found.len() < MAX_PARTS) {
        at += 1;
        let mut new: Vec<TermId> = Vec::new();
        ty::for_parts(terms, terms.head(root), &mut |part| new.push(terms.root(part)));
        for part in new {
            if !found.contains(&part) {
                found.push(part);
            }
        }
    }
    found
}

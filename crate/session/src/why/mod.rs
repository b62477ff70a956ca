//! *Why is this so?* The shortest derivation of a part of a type, in words.
//!
//! `solve::derive` finds the derivation; here its steps are named after the program ([`naming`]) and worded by the
//! rules of the operators ([`words`], [`window`]). A step whose fact came through a call gets a line for the call.
//!
//! Worked example. Of `let %f = nn.batch_flatten(%p);`, with `%p` of shape `(2, 4, 5)` by its annotation, axis 1 of
//! `%f` is 20: "20 = 4 · 5: `nn.batch_flatten` on line 2 multiplies axes of `%p`, whose 4 is written on line 1".

mod conflict;
mod naming;
mod pieces;
mod text;
mod window;
mod words;

pub(crate) use conflict::{core_laws, why_not};
pub(crate) use text::{why_not_text, why_text};

use crate::Analysis;
use crate::page::span_view;
use crate::view::solver::{DerivationView, WhyView};
use base::{Span, ToList};
use hir::{ExprId, ExprKind, LocalId};
use naming::Naming;
use pieces::{Piece, pieces};
use solve::derive::{Graph, Place};
use ty::{Kind, TermId, Terms};
use words::{Line, Words};

/// What inference did, with everything that the solver did.
pub(crate) type Recorded = crate::solver::Recording;

impl Recorded {
    fn graph(&self) -> Graph<'_> {
        Graph::new(&self.inferred.solver, crate::prelude().inferred.solver.store.len())
    }
}

/// Something of the program that has a type.
pub(crate) struct Subject {
    pub span: Span,
    pub of: String,
    pub term: TermId,
}

/// The innermost thing with a type at a byte offset.
fn subject(analysis: &Analysis, recorded: &Recorded, graph: &Graph, offset: u32) -> Option<Subject> {
    let module = &analysis.module;
    let mut innermost: Option<Subject> = None;
    let mut offer = |span: Span, of: &dyn Fn() -> String, term: Option<TermId>| {
        let is_inner = innermost.as_ref().is_none_or(|found| span.len() <= found.span.len());
        if let (true, true, Some(term)) = (span.contains(offset), is_inner, term) {
            innermost = Some(Subject { span, of: of(), term });
        }
    };
    let naming = Naming::new(analysis, recorded, graph);
    for (id, expr) in module.exprs.iter_enumerated().skip(module.start.exprs) {
        let of = || naming.expr(id);
        match &expr.kind {
            ExprKind::Error => continue,
            // Its name stands for what it gives.
            ExprKind::OpCall { name_span, .. } => offer(*name_span, &of, recorded.inferred.exprs[id]),
            _ => {}
        }
        offer(expr.span, &of, recorded.inferred.exprs[id]);
    }
    for (id, local) in module.locals.iter_enumerated().skip(module.start.locals) {
        let of = || format!("`{}`", module.local_name(id));
        offer(local.span, &of, type_of_local(recorded, id));
    }
    for (id, pat) in module.pats.iter_enumerated().skip(module.start.pats) {
        offer(pat.span, &|| "this pattern".to_owned(), recorded.inferred.pats[id]);
    }
    for (id, def) in module.defs.iter_enumerated().skip(module.start.defs) {
        let term = recorded.inferred.defs[id].as_ref().map(|scheme| scheme.body);
        offer(def.name_span, &|| format!("`{}`", def.name), term);
    }
    innermost
}

/// The type of a variable; of a polymorphic function's name, that of the function, where each use has an instance.
fn type_of_local(recorded: &Recorded, local: LocalId) -> Option<TermId> {
    let scheme = recorded.inferred.local_schemes.get(&local);
    scheme.map(|scheme| scheme.body).or(recorded.inferred.locals[local])
}

/// The variable or definition of a name, which was bound last if there are several.
pub(crate) fn named_subject(analysis: &Analysis, recorded: &Recorded, name: &str) -> Option<Subject> {
    let module = &analysis.module;
    let locals = module.locals.iter_enumerated().skip(module.start.locals);
    let local = locals.filter(|(id, _)| module.local_name(*id) == name).last();
    let of = format!("`{name}`");
    if let Some((id, local)) = local {
        return Some(Subject { span: local.span, of, term: type_of_local(recorded, id)? });
    }
    let (id, def) = module.defs.iter_enumerated().skip(module.start.defs).find(|(_, def)| def.name == name)?;
    Some(Subject { span: def.name_span, of, term: recorded.inferred.defs[id].as_ref()?.body })
}

/// Why a piece of the type at a byte offset is what it is; without a number, the most telling piece.
pub(crate) fn why(analysis: &Analysis, recorded: &Recorded, offset: u32, piece: Option<u32>) -> Option<WhyView> {
    let graph = recorded.graph();
    let subject = subject(analysis, recorded, &graph, offset)?;
    let pieces = pieces(analysis, recorded, subject.term);
    let asked = match piece {
        Some(piece) => piece as usize,
        None => most_telling(&graph, &subject, &pieces),
    };
    let path = pieces.get(asked)?.path.clone()?;
    let place = Place { cell: subject.term, path };
    let lines = analysis.lines();
    let words = Words::new(analysis, recorded, &graph);
    let (told, sentence) = words.tell(&subject, &place);
    let line = |line: Line| DerivationView {
        depth: line.depth,
        fact: line.fact,
        of: line.of,
        by: line.by,
        line: line.span.map(|span| lines.line_of(span.start)),
        span: line.span.map(|span| span_view(lines, span)),
        stop: None,
        event: line.event,
    };
    Some(WhyView {
        span: span_view(lines, subject.span),
        of: subject.of,
        pieces: pieces.iter().map(Piece::view).list(),
        asked: asked as u32,
        sentence,
        event: told.first().map(|line| line.event),
        steps: told.into_iter().map(line).list(),
        stop: None,
    })
}

/// The dim that took most steps to find out, else the whole.
fn most_telling(graph: &Graph, subject: &Subject, pieces: &[Piece]) -> usize {
    let mut best = (0, pieces.iter().position(|piece| piece.path.is_some()).unwrap_or(0));
    for (at, piece) in pieces.iter().enumerate() {
        let Some(path) = &piece.path else { continue };
        let place = Place { cell: subject.term, path: path.clone() };
        let is_dim = graph.at(&place).is_some_and(|id| graph.solver().head(id).kind() == Kind::Dim);
        let n_steps = if is_dim { graph.derive(&place).len() } else { 0 };
        if n_steps > best.0 {
            best = (n_steps, at);
        }
    }
    best.1
}

/// The types of expressions of a text of which some piece has no derivation, for the test that there are none.
pub(crate) fn unexplained(analysis: &Analysis) -> Vec<String> {
    let recorded = Recorded::new(analysis);
    let graph = recorded.graph();
    let module = &analysis.module;
    let mut found = Vec::new();
    for (id, expr) in module.exprs.iter_enumerated().skip(module.start.exprs) {
        let Some(term) = recorded.inferred.exprs[id] else { continue };
        for piece in pieces(analysis, &recorded, term) {
            let Some(path) = &piece.path else { continue };
            if graph.derive(&Place { cell: term, path: path.clone() }).is_empty() {
                let (line, ty) = (analysis.lines().line_of(expr.span.start), analysis.type_of(id));
                found.push(format!("line {line}: `{}` in {ty}", piece.view().text));
            }
        }
    }
    found
}

/// The call whose callee is this expression.
fn call_of(analysis: &Analysis, callee: ExprId) -> Option<(ExprId, &[ExprId])> {
    analysis.module.exprs.iter_enumerated().skip(analysis.module.start.exprs).find_map(|(id, expr)| match &expr.kind {
        ExprKind::Call { callee: called, args, .. } if *called == callee => Some((id, args.as_slice())),
        _ => None,
    })
}

//! What of the program has which term: names and pieces of text for cells.

use super::stops::Index;
use crate::Analysis;
use base::{Append, Edited, HashMap, Span, ToList};
use hir::{DefId, ExprId, ExprKind, LocalId, Module, PatId, PatKind};
use infer::{Inferred, Why};
use solve::{Cause, Event};
use ty::{ParamId, TermId};

/// Pieces of the text are cut here.
const MAX_PIECE: usize = 40;

/// Something that has a type, in the order of preference where a cell belongs to several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Local(LocalId),
    Def(DefId),
    Expr(ExprId),
    Pattern(PatId),
    /// What a use of a polymorphic name has for one of its parameters.
    Instance(ExprId, ParamId),
}

pub(super) struct Places {
    /// By cell, the best ones first.
    all: Vec<(TermId, Place)>,
    /// Cells that have places or began as unknowns, in order: what the table of classes is about.
    pub listed: Vec<TermId>,
    /// By callee, the call.
    pub calls: HashMap<ExprId, ExprId>,
}

impl Places {
    pub fn new(analysis: &Analysis, inferred: &Inferred, index: &Index) -> Places {
        let module = &analysis.module;
        let start = module.start;
        let first = TermId::numbered(index.first_term);
        let mut all: Vec<(TermId, Place)> = Vec::new();
        let mut calls = HashMap::default();
        let mut add = |term: Option<TermId>, place: Place| all.append_all(term.map(|term| (term, place)));
        for (id, expr) in module.exprs.iter_enumerated().skip(start.exprs) {
            match &expr.kind {
                // The variable and the last expression stand for them.
                ExprKind::Block { .. } | ExprKind::Error => continue,
                ExprKind::Local(local, _) if inferred.exprs[id] == inferred.locals[*local] => continue,
                ExprKind::Call { callee, .. } => calls.insert(*callee, id),
                _ => {}
            }
            add(inferred.exprs[id], Place::Expr(id));
        }
        for (id, _) in module.locals.iter_enumerated().skip(start.locals) {
            add(inferred.locals[id], Place::Local(id));
        }
        for (id, pat) in module.pats.iter_enumerated().skip(start.pats) {
            if !matches!(pat.kind, PatKind::Var(_)) {
                add(inferred.pats[id], Place::Pattern(id));
            }
        }
        for (id, _) in module.defs.iter_enumerated().skip(start.defs) {
            add(inferred.defs[id].as_ref().map(|scheme| scheme.body), Place::Def(id));
        }
        for (&id, args) in &inferred.instances {
            let params = params_of(module, inferred, id);
            for (&arg, &param) in args.iter().zip(params) {
                add(Some(arg), Place::Instance(id, param));
            }
        }
        all.keep(|&(term, _)| term >= first);
        base::sort(&mut all);
        let events = &inferred.solver.store.log.events;
        let unknown = index.made.iter().filter_map(|&at| match events[at as usize] {
            Event::Fresh { id, term, .. } if term.is_hole() => Some(id),
            _ => None,
        });
        let mut listed: Vec<TermId> = all.iter().map(|&(term, _)| term).chain(unknown).list();
        base::sort(&mut listed);
        listed.dedup();
        Places { all, listed, calls }
    }

    pub fn of(&self, cell: TermId) -> Option<Place> {
        let at = self.all.partition_point(|&(other, _)| other < cell);
        self.all.get(at).filter(|&&(other, _)| other == cell).map(|&(_, place)| place)
    }
}

fn params_of<'a>(module: &'a Module, inferred: &'a Inferred, id: ExprId) -> &'a [ParamId] {
    match module.exprs[id].kind {
        ExprKind::Def(def) => inferred.defs[def].as_ref().map_or(&[], |scheme| &scheme.params),
        ExprKind::Ctor(ctor) => &module.adts[module.ctors[ctor].adt].params,
        ExprKind::Local(local, _) => inferred.local_schemes.get(&local).map_or(&[], |scheme| &scheme.params),
        _ => &[],
    }
}

/// The program's own words for its parts.
pub(super) struct Text<'a> {
    pub analysis: &'a Analysis,
    pub inferred: &'a Inferred,
}

impl Text<'_> {
    /// A piece of the text on one line.
    pub fn piece(&self, span: Span) -> String {
        let text = self.analysis.text().get(span.range()).unwrap_or("");
        let mut piece = String::new();
        for word in base::words(text) {
            if !piece.is_empty() {
                piece.push(' ');
            }
            piece.push_str(word);
            if piece.len() > MAX_PIECE {
                let cut = piece.char_indices().nth(MAX_PIECE).map_or(piece.len(), |(at, _)| at);
                piece.truncate(cut);
                piece.push('…');
                break;
            }
        }
        piece
    }

    /// A name for what has a type.
    pub fn name(&self, place: Place) -> String {
        let module = &self.analysis.module;
        match place {
            Place::Local(local) => module.local_name(local).to_owned(),
            Place::Def(def) => module.defs[def].name.clone(),
            Place::Expr(expr) => self.piece(module.exprs[expr].span),
            Place::Pattern(pat) => self.piece(module.pats[pat].span),
            Place::Instance(expr, param) => {
                let name = ty::Names::param(&self.inferred.names(module), param).to_owned();
                format!("{name} of {}", self.piece(module.exprs[expr].span))
            }
        }
    }

    pub fn span(&self, place: Place) -> Span {
        let module = &self.analysis.module;
        match place {
            Place::Local(local) => module.locals[local].span,
            Place::Def(def) => module.defs[def].name_span,
            Place::Expr(expr) | Place::Instance(expr, _) => module.exprs[expr].span,
            Place::Pattern(pat) => module.pats[pat].span,
        }
    }

    pub fn why(&self, cause: Cause) -> Why {
        self.inferred.whys[cause.0 as usize]
    }

    /// Where in the text a cause stands, if that is not the library's.
    pub fn span_of_cause(&self, cause: Cause) -> Option<Span> {
        let is_own = cause.0 as usize >= self.inferred.n_library_whys;
        is_own.then(|| self.why(cause).span(&self.analysis.module))
    }
}

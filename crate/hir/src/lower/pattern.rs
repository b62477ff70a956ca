//! Patterns and the variables they bind.

use super::{Lowered, Lowering};
use crate::data::{LocalId, LocalOrigin, Pat, PatId, PatKind, Visit};
use crate::error::{Duplicated, HirError};
use base::{Edited, HashMap, Span, ToList};
use syntax::{NodeId, NodeKind, TokenKind};

impl Lowering<'_> {
    pub(super) fn leave_pattern(&mut self, node: NodeId, kind: NodeKind) -> Lowered {
        let span = self.tree.span(node);
        let children = self.tree.children(node);
        let pat_kind = match kind {
            NodeKind::WildPat => PatKind::Wild,
            NodeKind::VarPat => match self.own_token(node, &[TokenKind::Local]) {
                Some((name, span)) => {
                    let local = self.pattern_local(name, span);
                    if let Some(&annotation) = children.first() {
                        let annotation = self.type_at(annotation, ty::Kind::Type);
                        self.module.locals[local].annotation = Some(annotation);
                    }
                    PatKind::Var(local)
                }
                None => PatKind::Error,
            },
            NodeKind::NamePat => self.name_pattern(self.tree.node_text(node), span),
            NodeKind::CtorPat => {
                let fields: Vec<PatId> = children.into_iter().map(|child| self.pat_of(child)).list();
                match self.own_token(node, &[TokenKind::Ident]) {
                    Some((name, name_span)) => self.ctor_pattern(name, name_span, fields),
                    None => self.lost_pattern(fields),
                }
            }
            NodeKind::TuplePat => PatKind::Tuple(children.into_iter().map(|child| self.pat_of(child)).list()),
            NodeKind::LitPat => {
                let negative = self.tree.first_token(node, TokenKind::Minus).is_some();
                match self.scalar(node, negative, true) {
                    Some((dtype, scalar)) => PatKind::Literal(dtype, scalar),
                    None => PatKind::Error,
                }
            }
            NodeKind::AsPat => match (children.first(), self.own_token(node, &[TokenKind::Local, TokenKind::Ident])) {
                (Some(&inner), Some((name, span))) => {
                    let inner = self.pat_of(inner);
                    PatKind::As(inner, self.pattern_local(name, span))
                }
                _ => PatKind::Error,
            },
            NodeKind::OrPat => {
                let alternatives: Vec<PatId> = children.into_iter().map(|child| self.pat_of(child)).list();
                self.share_variables(&alternatives);
                PatKind::Or(alternatives)
            }
            _ => {
                let fields: Vec<PatId> = children.into_iter().map(|child| self.pat_of(child)).list();
                match self.own_token(node, &[TokenKind::Ident]) {
                    Some((name, _)) => PatKind::Variant(self.variant(name), fields),
                    None => PatKind::Error,
                }
            }
        };
        let pat = self.module.pats.push(Pat { kind: pat_kind, span });
        self.bind_arm_pattern(node, pat);
        Lowered::Pat(pat)
    }

    /// The pattern of an arm brings its variables into the arm's scope and takes the scrutinee apart.
    fn bind_arm_pattern(&mut self, node: NodeId, pat: PatId) {
        let [.., matching, arm] = self.open[..] else { return };
        let is_arm_pattern = self.tree.kind(arm) == NodeKind::Arm && self.tree.children(arm).first() == Some(&node);
        if !is_arm_pattern || self.tree.kind(matching) != NodeKind::Match {
            return;
        }
        let scrutinee = match self.last_match {
            Some((last, scrutinee)) if last == matching => scrutinee,
            _ => self.tree.children(matching)[0],
        };
        self.last_match = Some((matching, scrutinee));
        let scrutinee = self.expr_of(scrutinee);
        let bound = self.bound_once(pat);
        bound.into_iter().for_each(|local| self.bind_local(local));
        for local in std::mem::take(&mut self.lost_variables) {
            self.bind_to_error(local);
        }
        self.module.visits.push(Visit::Pattern(scrutinee, pat));
    }

    /// The variables that a pattern binds, in source order. One that is bound twice is an error.
    fn bound_once(&mut self, pat: PatId) -> Vec<LocalId> {
        let mut bound: Vec<LocalId> = Vec::new();
        let mut pending = vec![pat];
        while let Some(pat) = pending.pop() {
            match &self.module.pats[pat].kind {
                PatKind::Error | PatKind::Wild | PatKind::Literal(..) => {}
                PatKind::Var(local) => bound.push(*local),
                PatKind::As(inner, local) => {
                    bound.push(*local);
                    pending.push(*inner);
                }
                PatKind::Or(fields)
                | PatKind::Ctor(_, fields)
                | PatKind::Variant(_, fields)
                | PatKind::Tuple(fields) => pending.extend_from_slice(fields),
            }
        }
        base::sort(&mut bound);
        // Alternatives share theirs.
        bound.dedup();
        let mut first_of: HashMap<&str, LocalId> = HashMap::default();
        let mut twice = Vec::new();
        for &local in &bound {
            let name = self.module.local_name(local);
            match first_of.get(name) {
                Some(&first) => twice.push((name.to_owned(), local, first)),
                None => first_of.insert(name, local),
            }
        }
        for (name, local, first) in twice {
            let (span, first) = (self.module.locals[local].span, self.module.locals[first].span);
            self.duplicate(Duplicated::PatternVariable, &name, span, first);
        }
        bound
    }

    /// Gives the variables of the alternatives to those of the first one: an arm has one variable of a name.
    fn share_variables(&mut self, alternatives: &[PatId]) {
        let Some((&first, others)) = alternatives.split_first() else { return };
        let own: Vec<LocalId> = self.bound_once(first);
        let name_of = |cx: &Self, local: LocalId| cx.module.local_name(local).to_owned();
        let mut own: HashMap<String, LocalId> = own.into_iter().map(|local| (name_of(self, local), local)).collect();
        for &alternative in others {
            let bound = self.bound_once(alternative);
            let span = self.module.pats[alternative].span;
            let mut shared: HashMap<LocalId, LocalId> = HashMap::default();
            let mut missing: Vec<LocalId> = own.values().copied().list();
            for local in bound {
                let name = name_of(self, local);
                match own.get(&name) {
                    Some(&first) => {
                        missing.keep(|&other| other != first);
                        shared.insert(local, first);
                        self.module.locals[local].shares = Some(first);
                    }
                    None => {
                        let (bound, lacking) = (self.module.locals[local].span, self.module.pats[first].span);
                        self.errors.push(HirError::OrPatternVariable { name: name.clone(), bound, lacking });
                        // What reads it is no mistake of its own.
                        own.insert(name, local);
                    }
                }
            }
            base::sort(&mut missing);
            for local in missing {
                let (name, bound) = (name_of(self, local), self.module.locals[local].span);
                self.errors.push(HirError::OrPatternVariable { name, bound, lacking: span });
            }
            self.rename_variables(alternative, &shared);
        }
    }

    fn rename_variables(&mut self, pat: PatId, shared: &HashMap<LocalId, LocalId>) {
        let mut pending = vec![pat];
        while let Some(pat) = pending.pop() {
            match &mut self.module.pats[pat].kind {
                PatKind::Error | PatKind::Wild | PatKind::Literal(..) => {}
                PatKind::Var(local) => *local = shared.get(local).copied().unwrap_or(*local),
                PatKind::As(inner, local) => {
                    *local = shared.get(local).copied().unwrap_or(*local);
                    pending.push(*inner);
                }
                PatKind::Or(fields)
                | PatKind::Ctor(_, fields)
                | PatKind::Variant(_, fields)
                | PatKind::Tuple(fields) => pending.extend(fields.iter()),
            }
        }
    }

    fn pattern_local(&mut self, name: &str, span: Span) -> LocalId {
        self.new_local(name, span, LocalOrigin::Pattern)
    }

    /// A constructor without fields, or (as Relay's manual writes) a variable without a sigil.
    fn name_pattern(&mut self, name: &str, span: Span) -> PatKind {
        if self.ctors.contains(name) || name.as_bytes().first().is_some_and(u8::is_ascii_uppercase) {
            return self.ctor_pattern(name, span, Vec::new());
        }
        PatKind::Var(self.pattern_local(name, span))
    }

    /// A pattern that could not be read. Its variables are bound all the same, so that their uses are no mistakes.
    fn lost_pattern(&mut self, fields: Vec<PatId>) -> PatKind {
        for field in fields {
            let mut bound = self.bound_once(field);
            self.lost_variables.append(&mut bound);
        }
        PatKind::Error
    }

    fn ctor_pattern(&mut self, name: &str, span: Span, fields: Vec<PatId>) -> PatKind {
        match self.ctors.get(name) {
            Some(ctor) => PatKind::Ctor(ctor, fields),
            None => {
                let truth = || base::nearest(name, ["True", "False"]).map(str::to_owned);
                let nearest = self.nearest(name, &self.ctors).or_else(truth);
                let meant = nearest.as_deref().and_then(|nearest| self.ctors.get(nearest));
                let meant = meant.filter(|&ctor| self.module.ctors[ctor].fields.len() == fields.len());
                self.errors.push(HirError::UnknownConstructor { name: name.to_owned(), span, nearest });
                match meant {
                    Some(ctor) => PatKind::Ctor(ctor, fields),
                    None => self.lost_pattern(fields),
                }
            }
        }
    }
}

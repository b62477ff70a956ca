//! Definitions that use each other.
//!
//! Inside a group a definition whose type is not written is monomorphic. One whose type is written in full is used at its
//! written type, as often and as differently as one likes; so it does not hold the others together: those that use it
//! are generalised before its body is looked at. What its body turns out to ask for then has to hold at those uses as
//! well, and nothing but a `where` clause can have told them.
//!
//! Worked example: `def @size[A](%t: Rose[A]) -> int32 { … @sizes(%k) … }` and `def @sizes(%k) { … @size(%h) … }`, which
//! is `fn[B](List[Rose[B]]) -> int32` before `@size` is checked.

use crate::error::TypeError;
use crate::group::Member;
use crate::walk::Inference;
use crate::why::Why;
use base::ToList;
use hir::{DefId, ExprId, ExprKind, Visit};
use solve::{Posted, RelationId, State};
use std::sync::Arc;
use ty::{AT_MOST, Dim, Extent, Obligation, Scheme, Term, TermId, Terms};

impl Inference<'_> {
    /// A group in the parts that are generalised one after the other. What is used before its part has its type.
    pub(crate) fn parts(&mut self, group: Vec<Member>) -> Vec<Vec<Member>> {
        let known = |member: &Member| {
            let Member::Def(def) = *member else { return None };
            let id = self.module.defs[def].function;
            (!self.module.functions[id].type_params.is_empty() && self.is_annotated(id)).then_some(def)
        };
        let known: Vec<DefId> = if group.len() > 1 { group.iter().filter_map(known).list() } else { Vec::new() };
        if known.is_empty() {
            return vec![group];
        }
        let place = |member: &dyn Fn(&Member) -> bool| group.iter().position(member);
        let edges: Vec<Vec<usize>> = { group.iter() }
            .map(|member| {
                let function = &self.module.functions[member.function(self.module)];
                let defs = function.uses_defs.iter().filter(|def| !known.contains(def));
                let defs = defs.filter_map(|&def| place(&|other| matches!(other, Member::Def(id) if *id == def)));
                let lets = { function.uses_lets.iter() }
                    .filter_map(|&local| place(&|other| matches!(other, Member::Let(id, _) if *id == local)));
                defs.chain(lets).list()
            })
            .list();
        for &def in &known {
            let scheme = self.written_scheme(def);
            self.defs[def] = Some(Arc::new(scheme));
        }
        base::components(&edges).into_iter().map(|part| part.into_iter().map(|at| group[at]).list()).list()
    }

    /// The type that a definition is written with.
    fn written_scheme(&mut self, def: DefId) -> Scheme {
        let id = self.module.defs[def].function;
        let function = &self.module.functions[id];
        let cause = self.cause(Why::Function(id));
        let inside = if function.wheres.is_empty() {
            let params = function.params.iter().map(|&param| self.local(param)).list();
            let result = match function.result {
                Some(result) => self.written(result),
                None => self.hole(cause),
            };
            self.solver.func(&params, result, cause)
        } else {
            self.hole(cause)
        };
        self.annotated_scheme(def, inside, cause)
    }

    /// Errors for what the bodies of a group's definitions ask for at the types at which they are used inside it. What they
    /// ask for axes is handed on, as often as there are parameters to hand it on to.
    pub(crate) fn check_uses_within(&mut self, group: &[Member]) {
        let n_errors = self.errors.len();
        let n_params = |member: &Member| match *member {
            Member::Def(def) => self.defs[def].as_ref().map_or(0, |scheme| scheme.params.len()),
            Member::Let(..) | Member::Expr(_) => 0,
        };
        let n_rounds = group.iter().map(n_params).sum::<usize>() + 1;
        for round in 0..=n_rounds {
            let changed = self.check_uses_once(group, round < n_rounds);
            if !changed || self.errors.len() > n_errors {
                return;
            }
        }
    }

    /// Whether a definition was found to owe more. It may if `may_owe`.
    fn check_uses_once(&mut self, group: &[Member], may_owe: bool) -> bool {
        let module = self.module;
        let asks = |member: &Member| {
            let Member::Def(def) = *member else { return None };
            let scheme = self.defs[def].as_ref()?;
            let is_written = !module.functions[module.defs[def].function].wheres.is_empty();
            let uses_it = |member: &Member| module.functions[member.function(module)].uses_defs.contains(&def);
            let is_asking = !scheme.obligations.is_empty() && !is_written && group.iter().any(uses_it);
            is_asking.then(|| (def, scheme.clone()))
        };
        let asking: Vec<(DefId, Arc<Scheme>)> = group.iter().filter_map(asks).list();
        let mut changed = false;
        if asking.is_empty() {
            return changed;
        }
        for member in group {
            for visit in module.functions[member.function(module)].visits.clone() {
                if let Visit::Expr(mention) = module.visits[visit]
                    && let ExprKind::Def(def) = module.exprs[mention].kind
                    && let Some((_, scheme)) = asking.iter().find(|(asking, _)| *asking == def)
                {
                    changed |= self.check_use_within(mention, scheme, *member, may_owe);
                }
            }
        }
        changed
    }

    /// Whether the definition around a use was found to owe more.
    fn check_use_within(&mut self, mention: ExprId, scheme: &Scheme, around: Member, may_owe: bool) -> bool {
        // What a written clause says inside is not known any more here, but for what it says of axes.
        let has_clause = !self.module.functions[around.function(self.module)].wheres.is_empty();
        let may_owe = may_owe && !has_clause;
        let Some(given) = self.instances.get(&mention).cloned() else {
            // Those whose types are found together have the same parameters.
            let Member::Def(def) = around else { return false };
            let owes = |owed: &Obligation| self.owe_axes(def, owed, may_owe) == Some(true);
            return scheme.obligations.iter().map(owes).fold(false, |any, owes| any | owes);
        };
        let is_itself = |(&arg, &param)| match self.solver.head(arg) {
            Term::Param(found, _) | Term::Dim(Dim { extent: Extent::Param(found), .. }) => found == param,
            _ => false,
        };
        if given.iter().zip(&scheme.params).all(is_itself) {
            return false;
        }
        let cause = self.cause(Why::Expr(mention));
        let mut args = given;
        for &param in &scheme.params[args.len().min(scheme.params.len())..] {
            let hole = Term::hole(self.param_kind(param));
            args.push(self.solver.fresh(hole, cause));
        }
        let first_relation = self.solver.relations().len();
        self.solver.instantiate(scheme, &args, cause);
        self.solver.solve();
        if let Some(failure) = self.new_failures().into_iter().next() {
            self.errors.push(TypeError::Failed(failure));
            return false;
        }
        self.instances.insert(mention, args);
        let told = match around {
            Member::Def(def) if !has_clause => self.defs[def].clone(),
            Member::Def(_) | Member::Let(..) | Member::Expr(_) => None,
        };
        let told = told.map_or_else(Vec::new, |scheme| scheme.obligations.clone());
        let n_relations = self.solver.relations().len();
        let new = (first_relation..n_relations).map(|at| RelationId::numbered(at as u32)).list();
        // What is told of the same inputs says what the outputs are, which may be inputs of others.
        let mut owed = new;
        loop {
            let is_told = |&id: &RelationId| self.outputs_told(&told, id).map(<[TermId]>::to_vec);
            let Some((at, outputs)) = owed.iter().enumerate().find_map(|(at, id)| Some((at, is_told(id)?))) else {
                break;
            };
            let relation = owed.remove(at);
            let posted = self.solver.relation(relation);
            let found = posted.args[posted.n_inputs()..].to_vec();
            for (told, found) in outputs.into_iter().zip(found) {
                self.solver.equal(told, found, cause);
            }
            self.solver.solve();
            if self.solver.failures.len() > self.n_reported {
                self.n_reported = self.solver.failures.len();
                self.errors.push(TypeError::OwedWithin { relation, mention });
                return false;
            }
        }
        let is_waiting = |id: &RelationId| matches!(self.solver.relation(*id).state, State::Waiting(_));
        let mut waiting = owed.into_iter().filter(is_waiting).list();
        self.without_free_ranks(&mut waiting);
        let mut changed = false;
        for relation in waiting {
            let Posted { relation: asked, args, attrs, .. } = self.solver.relation(relation).clone();
            let owed = Obligation { relation: asked, args: args.to_vec(), attrs };
            let owes = match around {
                Member::Def(def) => self.owe_axes(def, &owed, may_owe),
                Member::Let(..) | Member::Expr(_) => None,
            };
            match owes {
                Some(true) => {
                    changed = true;
                    self.solver.quantify(&[relation], &[], cause);
                }
                Some(false) => {}
                None if has_clause && !self.solver.relation(relation).relation.is(&AT_MOST) => {}
                None => {
                    self.errors.push(TypeError::OwedWithin { relation, mention });
                    return false;
                }
            }
        }
        changed
    }

    /// The outputs that obligations say a waiting relation has.
    fn outputs_told<'a>(&self, told: &'a [Obligation], id: RelationId) -> Option<&'a [TermId]> {
        let posted = self.solver.relation(id);
        if !matches!(posted.state, State::Waiting(_)) {
            return None;
        }
        let same = told.iter().find(|told| {
            let n_inputs = told.args.len().saturating_sub(told.relation.n_outputs());
            let is_alike = told.relation.address() == posted.relation.address() && told.attrs == posted.attrs;
            let mut inputs = told.args[..n_inputs].iter().zip(&posted.args[..posted.n_inputs()]);
            is_alike && n_inputs == posted.n_inputs() && inputs.all(|(&told, &found)| self.is_same(told, found))
        })?;
        Some(&same.args[posted.n_inputs()..])
    }
}

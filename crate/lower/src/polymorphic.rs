//! Functions of every type as values.
//!
//! A value of a type `fn[A](…) -> …` is a tuple of closures: one for each way in which the program uses a value of that
//! type. The ways are found by lowering again until no way is missed. The type is closed without sizes, and its
//! parameters are renamed by how deep polymorphic types stand in it, so equal types are one.
//!
//! Worked example: in `def @both(%f: fn[A](A) -> A) { (%f(1), %f(True)) }` the first lowering misses `int32` and
//! `bool`. In the second `%f` is `(fn(int32) -> int32, fn(bool) -> bool)`, and a mention is one of the fields.
//!
//! What a value is made of captures nothing whose type depends on the type arguments (`infer` sees to that), so it can be
//! made once for each way where it stands.

use crate::body::Body;
use crate::close::{Subst, SubstId, Substs, hole};
use crate::instance::{LowerError, Lowering};
use base::{HashMap, HashSet, MapArray, Span, ToList};
use hir::{ExprId, ExprKind, LocalId, TypeExprId};
use ir::{Fault, Op, VarId};
use layout::{Constructor, Head};
use ty::{Kind, ParamId, Term, TermId, Terms};

/// How often a program is lowered.
pub(crate) const MAX_ROUNDS: usize = 8;

/// A type that is used in more ways is used in ways without end: each is met in a function that another makes.
const MAX_USES: usize = 64;

/// Where a polymorphic function type is written or was inferred.
#[derive(Clone, Copy)]
pub(crate) enum Origin {
    /// The type below its parameters.
    Term(TermId),
    Written(TypeExprId),
}

/// What is known of the polymorphic function types of a program, in closed types.
#[derive(Default)]
pub(crate) struct Polymorphic {
    /// The type arguments of each way in which its values are used, in the order of the tuple.
    uses: HashMap<TermId, Vec<Vec<TermId>>>,
    /// Its first parameter there, and what is chosen for those around it.
    origins: HashMap<TermId, (Origin, ParamId, SubstId)>,
    missed: Vec<(TermId, Vec<TermId>)>,
    defined: HashSet<TermId>,
    pub undefined: Vec<TermId>,
    n_rounds: usize,
}

impl Polymorphic {
    /// Takes in what was missed; whether anything was.
    pub(crate) fn next_round(&mut self) -> bool {
        self.n_rounds += 1;
        self.defined.clear();
        let is_missing = !self.missed.is_empty();
        for (ty, args) in std::mem::take(&mut self.missed) {
            self.uses.entry(ty).or_default().push(args);
        }
        is_missing
    }
}

impl Lowering<'_> {
    /// A choice in which the parameters of a polymorphic type stand for themselves.
    pub(crate) fn bound(&mut self, subst: SubstId, first: ParamId, n: u32) -> SubstId {
        let own: Subst = (first.number()..first.number() + n)
            .map(|param| {
                let (param, kind) = (ParamId::numbered(param), self.module.type_params[ParamId::numbered(param)].kind);
                let types = &mut self.program.types;
                let own = if kind == Kind::Dim { hole(types, kind) } else { types.intern(Term::Param(param, kind)) };
                (param, own)
            })
            .list();
        self.substs.extended(subst, own)
    }

    /// The closed type of a polymorphic function, of which `body` is closed under [`Lowering::bound`].
    pub(crate) fn polymorphic(
        &mut self,
        (first, n): (ParamId, u32),
        body: TermId,
        origin: Origin,
        subst: SubstId,
    ) -> TermId {
        let body = self.without_sizes(body);
        let own = self.parameters_past(body);
        let mut renamed: HashMap<TermId, TermId> = HashMap::default();
        for at in 0..n.min(ParamId::N_BOUND) {
            let (old, new) = (ParamId::numbered(first.number() + at), ParamId::numbered(own.number() + at));
            let kind = self.module.type_params[old].kind;
            let [old, new] = [old, new].each(|param| self.program.types.intern(Term::Param(param, kind)));
            renamed.insert(old, new);
        }
        let body = self.rebuild(body, &mut renamed);
        let ty = self.program.types.intern(Term::Forall { first: own, n, body });
        let known = self.polymorphic.origins.entry(ty).or_insert((origin, first, subst));
        if let Origin::Written(_) = known.0 {
            *known = (origin, first, subst);
        }
        self.meet_polymorphic(ty);
        ty
    }

    /// The first parameters that are larger than those of the polymorphic types in a closed type.
    fn parameters_past(&self, root: TermId) -> ParamId {
        let types = &self.program.types;
        let mut own = ParamId::BOUND;
        let mut seen: HashSet<TermId> = HashSet::default();
        let mut stack = vec![root];
        while let Some(ty) = stack.pop() {
            match types.head(ty) {
                Term::Forall { first, .. } => own = own.max(ParamId::numbered(first.number() + ParamId::N_BOUND)),
                head if seen.insert(ty) => types.for_parts(head, |part| stack.push(part)),
                _ => {}
            }
        }
        own
    }

    /// A closed polymorphic type is defined in each round in which it is met.
    pub(crate) fn meet_polymorphic(&mut self, ty: TermId) {
        if self.polymorphic.origins.contains_key(&ty) && self.polymorphic.defined.insert(ty) {
            self.polymorphic.undefined.push(ty);
        }
    }

    pub(crate) fn define_polymorphic(&mut self, ty: TermId) {
        let Some(&(origin, first, subst)) = self.polymorphic.origins.get(&ty) else { return };
        let uses = self.polymorphic.uses.get(&ty).cloned().unwrap_or_default();
        let mut fields = Vec::with_capacity(uses.len());
        for args in uses {
            let subst = self.substs.extended(subst, (first.number()..).map(ParamId::numbered).zip(args).list());
            let field = match origin {
                Origin::Term(body) => self.close_only(body, subst),
                Origin::Written(id) => self.close_written(id, subst),
            };
            fields.push(self.without_sizes(field));
        }
        self.program.types.define(ty, vec![Constructor { number: 0, fields }]);
    }

    pub(crate) fn is_polymorphic(&self, ty: TermId) -> bool {
        matches!(self.program.types.head(ty), Term::Forall { .. })
    }

    /// The type of a variable that holds a polymorphic function.
    pub(crate) fn polymorphic_local(&self, local: LocalId) -> Option<(TermId, ParamId)> {
        let is_library = (local.number() as usize) < self.module.start.locals;
        let ty = if is_library { self.library } else { self.inferred }.locals[local]?;
        match self.inferred.solver.head(ty) {
            Term::Forall { first, .. } => Some((ty, first)),
            _ => None,
        }
    }

    /// Where the value of an expression is a polymorphic function and one of its types is wanted: its type, and the
    /// type arguments.
    pub(crate) fn used_at(&self, expr: ExprId) -> Option<(TermId, Vec<TermId>)> {
        let inferred = self.of_expr(expr);
        if inferred.handed.contains_key(&expr) {
            return None;
        }
        if let Some(opened) = inferred.opened.get(&expr) {
            return Some((opened.ty, opened.args.clone()));
        }
        let ExprKind::Local(local, _) = self.module.exprs[expr].kind else { return None };
        let (ty, _) = self.polymorphic_local(local)?;
        Some((ty, inferred.instances.get(&expr)?.clone()))
    }

    /// The closed type of what an expression comes to before one of its types is taken.
    pub(crate) fn whole_type(&mut self, expr: ExprId, subst: SubstId) -> TermId {
        match self.used_at(expr) {
            Some((ty, _)) => self.close(ty, subst),
            None => self.expr_type(expr, subst),
        }
    }

    /// The function in a polymorphic one for the type arguments of a use.
    pub(crate) fn function_at(
        &mut self,
        body: &mut Body,
        whole: VarId,
        expr: ExprId,
        (ty, args): (TermId, Vec<TermId>),
    ) -> VarId {
        let span = self.module.exprs[expr].span;
        let closed = self.close(ty, body.subst);
        let erased = |arg| {
            let arg = self.close(arg, body.subst);
            self.erase(arg)
        };
        let args: Vec<TermId> = args.into_iter().map(erased).list();
        let ty = self.expr_type(expr, body.subst);
        match self.place_of_use(closed, args, span) {
            Some(index) => self.project(body, whole, closed, index as u32, ty, span),
            None => {
                let layout = self.of(ty);
                body.fail(Fault::Broken, layout, span)
            }
        }
    }

    /// The function of this type in a polymorphic one, where it was found late that it is one: the type arguments are
    /// what the parameters stand for in the type.
    pub(crate) fn function_of(&mut self, body: &mut Body, whole: VarId, from: TermId, to: TermId, span: Span) -> VarId {
        let args = match self.polymorphic.origins.get(&from).copied() {
            Some((Origin::Term(term), first, _)) => {
                let Term::Forall { n, .. } = self.program.types.head(from) else { return whole };
                let found: HashMap<ParamId, TermId> =
                    self.matching(vec![(term, to)], Substs::NONE).into_iter().collect();
                let arg = |cx: &mut Self, param| {
                    let kind = cx.module.type_params[param].kind;
                    let arg = found.get(&param).copied().filter(|_| kind != Kind::Dim);
                    arg.unwrap_or_else(|| hole(&mut cx.program.types, kind))
                };
                Some((first.number()..first.number() + n).map(|param| arg(self, ParamId::numbered(param))).list())
            }
            Some((Origin::Written(_), ..)) | None => None,
        };
        let index = match args {
            Some(args) => self.place_of_use(from, args, span),
            None => {
                self.errors.push(LowerError::PolymorphicValue { span });
                None
            }
        };
        match index {
            Some(index) => self.project(body, whole, from, index as u32, to, span),
            None => {
                let layout = self.of(to);
                body.fail(Fault::Broken, layout, span)
            }
        }
    }

    /// Which of the functions of a polymorphic type has these arguments; if none has, the next round knows of it.
    fn place_of_use(&mut self, ty: TermId, args: Vec<TermId>, span: Span) -> Option<usize> {
        let Polymorphic { uses, missed, n_rounds, .. } = &mut self.polymorphic;
        let uses = uses.get(&ty).map_or(&[][..], |uses| uses);
        if let Some(at) = uses.iter().position(|known| *known == args) {
            return Some(at);
        }
        let others = || missed.iter().filter(|(other, _)| *other == ty);
        if others().any(|(_, known)| *known == args) {
            return None;
        }
        if *n_rounds + 1 < MAX_ROUNDS && uses.len() + others().count() < MAX_USES {
            missed.push((ty, args));
        } else {
            let error = LowerError::PolymorphicValue { span };
            if !self.errors.contains(&error) {
                self.errors.push(error);
            }
        }
        None
    }

    /// A name or literal where a polymorphic function is wanted: its instances, one for each use.
    pub(crate) fn functions(&mut self, body: &mut Body, expr: ExprId, ty: TermId) -> VarId {
        let span = self.module.exprs[expr].span;
        let closed = self.close(ty, body.subst);
        let uses = self.polymorphic.uses.get(&closed).cloned().unwrap_or_default();
        let Term::Forall { first, .. } = self.inferred.solver.head(ty) else { return self.broken(body, expr) };
        let around = body.subst;
        let mut functions = Vec::with_capacity(uses.len());
        for args in uses {
            body.subst = self.substs.extended(around, (first.number()..).map(ParamId::numbered).zip(args).list());
            functions.push(self.function_value(body, expr));
        }
        body.subst = around;
        self.pack(body, closed, Head::Functions, &functions, span)
    }

    /// A closure of what a name or literal means under the choice of the body.
    pub(crate) fn function_value(&mut self, body: &mut Body, expr: ExprId) -> VarId {
        use crate::instance::Source;
        let span = self.module.exprs[expr].span;
        let ty = self.own_type(expr, body.subst);
        let ty = self.erase(ty);
        let layout = self.of(ty);
        let found = match self.module.exprs[expr].kind {
            ExprKind::Def(def) => self.def_instance(def, expr, body.subst).map(|func| (func, Vec::new())),
            ExprKind::Ctor(ctor) => Some((self.func(Source::Constructor(ctor, ty)), Vec::new())),
            ExprKind::Op(op) => Some((self.func(Source::Operator(op, ty)), Vec::new())),
            ExprKind::Fn(function) => self.literal(body, function, expr),
            ExprKind::Local(local, _) if body.env.contains_key(&local) => self.named_function(body, expr, local),
            ExprKind::Local(local, _) => {
                if let Some(global) = self.global(local, expr, body.subst) {
                    return body.value(Op::Global(global), &[], layout, span);
                }
                None
            }
            _ => None,
        };
        let Some((func, captures)) = found else { return body.fail(Fault::Broken, layout, span) };
        self.closures.entry(func).or_insert(ty);
        body.value(Op::Closure(func), &captures, layout, span)
    }
}

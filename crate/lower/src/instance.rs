//! Functions at the types that they are used at.

use crate::body::{Body, Bound};
use crate::close::{Subst, SubstId, Substs, hole};
use crate::convert::Conversion;
use crate::polymorphic::Polymorphic;
use base::{Append, HashMap, HashSet, IndexVec, Span, ToList};
use hir::{CtorId, DefId, ExprId, FnId, LocalId, Module, TakenSizes};
use infer::Inferred;
use ir::{End, FuncId, Function, Global, GlobalId, Op, Program, VarId};
use layout::{LayoutId, Layouts, Strategy, Types};
use op::OpId;
use pattern::MatchTree;
use std::rc::Rc;
use std::sync::Arc;
use ty::{AdtId, Code, ParamId, Term, TermId, Terms};

/// A `def` with more instances may have infinitely many, each made by a call of another.
const MAX_INSTANCES: usize = 500;

/// It has, if so many of them were made one by the other: what is lowered next is what was asked for last.
const MAX_MADE: usize = 100;

/// How many instances there may be besides the first of each `def`: more hardly fit into memory.
const MAX_MORE: usize = 10_000;

/// Why a program cannot be lowered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LowerError {
    /// A function that calls itself at ever new types.
    EndlessInstances { span: Span, function: FnId },
    /// Functions at more types than are compiled, each of which asks for others.
    ManyInstances { span: Span, function: FnId },
    /// A data type that holds itself at ever new types.
    EndlessType { span: Span, adt: AdtId },
    /// A match whose variables can stand in too many ways.
    LargeMatch { span: Span },
    /// A polymorphic function that comes as a value is used at ever new types.
    PolymorphicValue { span: Span },
}

/// A program and what there is to say of how it came about.
pub struct Lowered {
    pub program: Program,
    /// The functions that were asked for, in order.
    pub entries: Vec<FuncId>,
    /// The types of variables and expressions in the order in which they were met, with the sizes that are known.
    pub types: Vec<TermId>,
    /// By type, the one without sizes, as which it is laid out.
    pub erased: HashMap<TermId, TermId>,
    /// The refinements by `as`.
    pub conversions: Vec<Conversion>,
    pub errors: Vec<LowerError>,
}

/// What a function of the program is made from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    /// A `def` or a function literal, with what is chosen for the parameters in scope.
    Function(FnId, SubstId),
    /// A constructor as a function of this type.
    Constructor(CtorId, TermId),
    /// An operator as a function of this type.
    Operator(OpId, TermId),
    /// From one type to another.
    Conversion(TermId, TermId),
}

pub(crate) struct Lowering<'m> {
    pub module: &'m Module,
    pub inferred: &'m Inferred,
    pub library: &'m Inferred,
    pub program: Program,
    pub errors: Vec<LowerError>,
    pub substs: Substs,
    pub closed: HashMap<(SubstId, TermId), TermId>,
    pub erased: HashMap<TermId, TermId>,
    pub adts: HashSet<TermId>,
    pub undefined: Vec<(TermId, AdtId, ty::List)>,
    /// How many instances there are of each data type, and which have them without end.
    pub n_of_type: HashMap<AdtId, usize>,
    pub endless: HashSet<AdtId>,
    defs: HashMap<FnId, DefId>,
    /// The top-level `let`s, by variable and by function.
    lets: HashMap<LocalId, FnId>,
    /// By function, those that are evaluated before its body.
    forced: &'m HashMap<FnId, Vec<LocalId>>,
    pub(crate) variables: HashMap<FnId, LocalId>,
    functions: HashMap<Source, FuncId>,
    pending: Vec<(Source, FuncId)>,
    /// Which one is lowered.
    here: Option<FuncId>,
    /// By function of the program, what it is an instance of, and which one asked for it first.
    makers: IndexVec<FuncId, (Option<FnId>, Option<FuncId>)>,
    n_instances: HashMap<FnId, usize>,
    /// Besides the first of each.
    n_more: usize,
    globals: HashMap<(FnId, SubstId), GlobalId>,
    /// The variables that are names for functions.
    pub function_names: HashMap<LocalId, FnId>,
    /// The types of the functions that closures are made of.
    pub closures: HashMap<FuncId, TermId>,
    /// What a function literal captures, names for functions replaced by what those capture.
    captures: HashMap<FnId, Vec<LocalId>>,
    pub trees: HashMap<ExprId, Option<std::rc::Rc<MatchTree>>>,
    types: Vec<TermId>,
    met: HashSet<TermId>,
    pub conversions: Vec<Conversion>,
    pub converted: HashSet<Conversion>,
    /// By the variable of an `as`, the pattern before it.
    pub refinements: Option<HashMap<LocalId, hir::PatId>>,
    pub polymorphic: Polymorphic,
    /// The sizes that are checked where a value is taken out of another.
    pub taken: Rc<TakenSizes>,
}

/// Lowers what is needed to run functions of a module that stands on a library. `forced`: by function, the top-level
/// variables that are evaluated before its body.
pub fn lower(
    module: &Module,
    inferred: &Inferred,
    library: &Inferred,
    functions: &[FnId],
    forced: &HashMap<FnId, Vec<LocalId>>,
    strategy: Strategy,
) -> Lowered {
    let mut carried = (Types::default(), Substs::new(), Polymorphic::default());
    let taken = Rc::new(inferred.taken_sizes(module));
    loop {
        let (lowered, substs, mut polymorphic) =
            lower_once(module, inferred, library, (functions, forced), strategy, taken.clone(), carried);
        if !polymorphic.next_round() {
            return lowered;
        }
        carried = (lowered.program.types, substs, polymorphic);
    }
}

/// One round, with the closed types of those before and what was found out about polymorphic ones.
fn lower_once(
    module: &Module,
    inferred: &Inferred,
    library: &Inferred,
    (functions, forced): (&[FnId], &HashMap<FnId, Vec<LocalId>>),
    strategy: Strategy,
    taken: Rc<TakenSizes>,
    (types, substs, polymorphic): (Types, Substs, Polymorphic),
) -> (Lowered, Substs, Polymorphic) {
    let lets = || {
        module.items.iter().filter_map(|item| match *item {
            hir::Item::Let(local, function) => Some((local, function)),
            hir::Item::Def(_) | hir::Item::Expr(_) | hir::Item::Adt(_) => None,
        })
    };
    let mut cx = Lowering {
        module,
        inferred,
        library,
        program: Program {
            types,
            layouts: Layouts::new(strategy),
            functions: IndexVec::new(),
            globals: IndexVec::new(),
            constants: IndexVec::new(),
        },
        errors: Vec::new(),
        substs,
        closed: HashMap::default(),
        erased: HashMap::default(),
        adts: HashSet::default(),
        undefined: Vec::new(),
        n_of_type: HashMap::default(),
        endless: HashSet::default(),
        defs: module.defs.iter_enumerated().map(|(id, def)| (def.function, id)).collect(),
        lets: lets().collect(),
        forced,
        variables: lets().map(|(local, function)| (function, local)).collect(),
        functions: HashMap::default(),
        pending: Vec::new(),
        here: None,
        makers: IndexVec::new(),
        n_instances: HashMap::default(),
        n_more: 0,
        globals: HashMap::default(),
        function_names: HashMap::default(),
        closures: HashMap::default(),
        captures: HashMap::default(),
        trees: HashMap::default(),
        types: Vec::new(),
        met: HashSet::default(),
        conversions: Vec::new(),
        converted: HashSet::default(),
        refinements: None,
        polymorphic,
        taken,
    };
    let entries: Vec<FuncId> = functions.iter().map(|&function| cx.entry(function)).list();
    // Those asked for first come first in the program, each before what it calls.
    cx.pending.reverse();
    while let Some((source, id)) = cx.pending.pop() {
        cx.here = Some(id);
        let function = cx.function(&source);
        cx.program.functions[id] = function;
    }
    // Data types that nothing mentions are of interest too.
    for (adt, data) in module.adts.iter_enumerated().skip(module.start.adts) {
        if data.params.is_empty() && !data.is_extern {
            let none = cx.list(Vec::new());
            let ty = cx.adt(adt, none);
            cx.define_types();
            if cx.met.insert(ty) {
                cx.types.push(ty);
            }
        }
    }
    for (&id, &ty) in &cx.closures {
        cx.program.functions[id].ty = Some(ty);
    }
    for at in 0..cx.types.len() {
        cx.erase(cx.types[at]);
    }
    let Lowering { program, types, erased, conversions, errors, substs, polymorphic, .. } = cx;
    (Lowered { program, entries, types, erased, conversions, errors }, substs, polymorphic)
}

impl Lowering<'_> {
    fn entry(&mut self, function: FnId) -> FuncId {
        let scheme = self.defs.get(&function).and_then(|&def| self.inferred.defs[def].clone());
        // An entry is run at no type in particular.
        let params = scheme.map(|scheme| scheme.params.clone()).unwrap_or_default();
        let subst: Subst = params.into_iter().map(|param| (param, self.any(param))).list();
        let subst = self.substs.intern(subst);
        self.func(Source::Function(function, subst))
    }

    fn any(&mut self, param: ParamId) -> TermId {
        let kind = ty::Names::param_kind(&self.inferred.names(self.module), param);
        hole(&mut self.program.types, kind)
    }

    /// The function of the program that something becomes.
    pub(crate) fn func(&mut self, source: Source) -> FuncId {
        if let Some(&id) = self.functions.get(&source) {
            return id;
        }
        let unit = self.unit();
        let stand_in = Body::new(String::new(), unit, Substs::NONE, Span::new(0, 0)).function;
        let id = self.program.functions.push(stand_in);
        self.functions.insert(source.clone(), id);
        let function = if let Source::Function(function, _) = source { Some(function) } else { None };
        self.makers.push((function, self.here));
        self.pending.push((source, id));
        id
    }

    fn function(&mut self, source: &Source) -> Function {
        match *source {
            Source::Function(function, subst) => self.lower_function(function, subst),
            Source::Constructor(ctor, ty) => self.constructor_function(ctor, ty),
            Source::Operator(op, ty) => self.operator_function(op, ty),
            Source::Conversion(from, to) => self.conversion_function(from, to),
        }
    }

    /// A `def` at type arguments. Without an entry in `instances` it is mentioned in its own group, where it has the
    /// parameters of the mentioning body.
    pub(crate) fn def_instance(&mut self, def: DefId, mention: ExprId, subst: SubstId) -> Option<FuncId> {
        let function = self.module.defs[def].function;
        let scheme = self.inferred.defs[def].clone();
        let params = scheme.map(|scheme| scheme.params.clone()).unwrap_or_default();
        let chosen = self.chosen(&params, mention, subst);
        let subst = self.substs.intern(chosen);
        self.instance(function, subst, mention)
    }

    /// A function at type arguments; `None` if there are infinitely many, or too many.
    pub(crate) fn instance(&mut self, function: FnId, subst: SubstId, mention: ExprId) -> Option<FuncId> {
        let source = Source::Function(function, subst);
        if !self.functions.contains_key(&source) {
            let n = self.n_instances.entry(function).or_default();
            *n += 1;
            let n = *n;
            self.n_more += usize::from(n > 1);
            if self.n_more > MAX_MORE {
                let is_told = |error: &LowerError| matches!(error, LowerError::ManyInstances { .. });
                if !self.errors.iter().any(is_told) {
                    let span = self.module.exprs[mention].span;
                    self.errors.push(LowerError::ManyInstances { span, function });
                }
                return None;
            }
            if n > MAX_INSTANCES {
                let is_told = |error: &LowerError| matches!(error, LowerError::EndlessInstances { function: known, .. } if *known == function);
                if self.errors.iter().any(is_told) {
                    return None;
                }
                if self.n_makers(function) > MAX_MADE {
                    let span = self.module.exprs[mention].span;
                    self.errors.push(LowerError::EndlessInstances { span, function });
                    return None;
                }
            }
        }
        Some(self.func(source))
    }

    /// How many instances of a function there are among what led to the one that is lowered.
    fn n_makers(&self, function: FnId) -> usize {
        let (mut n, mut here) = (0, self.here);
        while let Some(id) = here {
            let (of, maker) = self.makers[id];
            n += usize::from(of == Some(function));
            here = maker;
        }
        n
    }

    /// What a mention chooses for the parameters of what it mentions.
    pub(crate) fn chosen(&mut self, params: &[ParamId], mention: ExprId, subst: SubstId) -> Subst {
        let args = self.of_expr(mention).instances.get(&mention).cloned();
        let mut chosen = Subst::new();
        for (i, &param) in params.iter().enumerate() {
            let closed = match args.as_ref().and_then(|args| args.get(i)) {
                Some(&arg) => self.close(arg, subst),
                None => match self.substs.get(subst, param) {
                    Some(closed) => closed,
                    None => self.any(param),
                },
            };
            chosen.push((param, self.erase(closed)));
        }
        chosen
    }

    /// What was inferred of the text that an expression stands in.
    pub(crate) fn of_expr(&self, expr: ExprId) -> &Inferred {
        if (expr.number() as usize) < self.module.start.exprs { self.library } else { self.inferred }
    }

    /// The closed type of an expression; where a polymorphic function is wanted, that type.
    pub(crate) fn expr_type(&mut self, expr: ExprId, subst: SubstId) -> TermId {
        match self.of_expr(expr).handed.get(&expr).copied() {
            Some(ty) => self.met(ty, subst, (expr.number() as usize) < self.module.start.exprs),
            None => self.own_type(expr, subst),
        }
    }

    /// The closed type of an expression as it was inferred.
    pub(crate) fn own_type(&mut self, expr: ExprId, subst: SubstId) -> TermId {
        let is_library = (expr.number() as usize) < self.module.start.exprs;
        match self.of_expr(expr).exprs[expr] {
            Some(term) => self.met(term, subst, is_library),
            None => self.program.types.nothing(),
        }
    }

    /// The closed type of a variable.
    pub(crate) fn local_type(&mut self, local: LocalId, subst: SubstId) -> TermId {
        let is_library = (local.number() as usize) < self.module.start.locals;
        let inferred = if is_library { self.library } else { self.inferred };
        match inferred.locals[local] {
            Some(term) => self.met(term, subst, is_library),
            None => self.program.types.nothing(),
        }
    }

    fn met(&mut self, term: TermId, subst: SubstId, is_library: bool) -> TermId {
        let ty = self.close(term, subst);
        if !is_library && self.met.insert(ty) {
            self.types.push(ty);
        }
        ty
    }

    /// The layout of variables of a type.
    pub(crate) fn of(&mut self, ty: TermId) -> LayoutId {
        let ty = self.erase(ty);
        let Program { layouts, types, .. } = &mut self.program;
        layouts.of(types, ty)
    }

    /// The layout of values of a type in place.
    pub(crate) fn content(&mut self, ty: TermId) -> LayoutId {
        let ty = self.erase(ty);
        let Program { layouts, types, .. } = &mut self.program;
        layouts.content(types, ty)
    }

    pub(crate) fn unit(&mut self) -> LayoutId {
        let unit = self.program.types.tuple(&[]);
        self.of(unit)
    }

    pub(crate) fn global(&mut self, local: LocalId, mention: ExprId, subst: SubstId) -> Option<GlobalId> {
        let mut params =
            self.inferred.local_schemes.get(&local).map(|scheme| scheme.params.clone()).unwrap_or_default();
        // The parameters of a polymorphic value's own type are chosen by who takes one of its functions.
        if self.polymorphic_local(local).is_some_and(|(_, first)| params.first() == Some(&first)) {
            params.clear();
        }
        let chosen = self.chosen(&params, mention, subst);
        let subst = self.substs.intern(chosen);
        self.global_at(local, subst)
    }

    /// A top-level variable at type arguments.
    fn global_at(&mut self, local: LocalId, subst: SubstId) -> Option<GlobalId> {
        let function = *self.lets.get(&local)?;
        if let Some(&id) = self.globals.get(&(function, subst)) {
            return Some(id);
        }
        let ty = self.local_type(local, subst);
        let layout = self.of(ty);
        let init = self.func(Source::Function(function, subst));
        let name = self.module.local_name(local).to_owned();
        let id = self.program.globals.push(Global { name, layout, init });
        self.globals.insert((function, subst), id);
        Some(id)
    }

    /// The variables that a function literal captures. A name for a function stands for what that captures.
    pub(crate) fn captures_of(&mut self, function: FnId, env: &HashMap<LocalId, Bound>) -> Vec<LocalId> {
        if let Some(known) = self.captures.get(&function) {
            return known.clone();
        }
        let mut found: Vec<LocalId> = Vec::new();
        for &(local, _) in &self.module.functions[function].captures {
            let inner = match env.get(&local) {
                Some(Bound::Function { function, .. }) => self.captures.get(function).cloned().unwrap_or_default(),
                Some(Bound::Var(_)) | None => vec![local],
            };
            inner.into_iter().for_each(|local| {
                if !found.contains(&local) {
                    found.push(local);
                }
            });
        }
        self.captures.insert(function, found.clone());
        found
    }

    fn lower_function(&mut self, id: FnId, subst: SubstId) -> Function {
        let module = self.module;
        let data = &module.functions[id];
        let subst = self.inner_subst(id, subst);
        let result = self.expr_type(data.body, subst);
        let result = self.of(result);
        let mut body = Body::new(self.name(id), result, subst, data.span);
        let captures = self.captures.get(&id).cloned().unwrap_or_default();
        body.function.is_library = (id.number() as usize) < module.start.functions;
        body.function.n_captures = captures.len();
        body.source = Some(id);
        for &local in captures.iter().chain(&data.params) {
            let var = self.parameter(&mut body, local);
            body.env.insert(local, Bound::Var(var));
        }
        // The names for functions around this one mean here what they mean there; what is captured is a variable,
        // though inside its own literal it is a name.
        for (local, _) in data.captures.iter().filter(|(local, _)| !captures.contains(local)) {
            if let Some(&function) = self.function_names.get(local) {
                body.env.insert(*local, Bound::Function { function, subst });
            }
        }
        if let Some((local, _)) = data.self_local {
            self.function_names.insert(local, id);
            body.env.insert(local, Bound::Function { function: id, subst });
        }
        for &param in &data.params {
            if let Some(Bound::Var(var)) = body.env.get(&param).copied() {
                self.check_parameter(&mut body, param, var);
            }
        }
        for &local in self.forced.get(&id).into_iter().flatten() {
            // What is polymorphic is a function.
            if !self.inferred.local_schemes.contains_key(&local)
                && let Some(global) = self.global_at(local, Substs::NONE)
            {
                body.value(Op::Global(global), &[], self.program.globals[global].layout, data.span);
            }
        }
        self.lower_body(&mut body, data.body);
        body.finish()
    }

    /// What is chosen for the parameters inside a `def`. Behind a `where` clause the body is typed with others than the
    /// signature, which its own parameters, the types of the variables and that of the result determine.
    fn inner_subst(&mut self, id: FnId, subst: SubstId) -> SubstId {
        let module = self.module;
        let data = &module.functions[id];
        if data.wheres.is_empty() {
            return subst;
        }
        let def = self.defs.get(&id);
        let Some(scheme) = def.and_then(|&def| self.inferred.defs[def].clone()) else { return subst };
        let signature = self.close(scheme.body, subst);
        let (params, result) = self.signature(signature);
        let mut pairs: Vec<(TermId, TermId)> = Vec::new();
        let own = data.params.iter().map(|&param| self.inferred.locals[param]);
        pairs.append_all(own.zip(params).filter_map(|(own, closed)| Some((own?, closed))));
        pairs.append_all(self.inferred.exprs[data.body].map(|own| (own, result)));
        let inside = |param| Some((*self.inferred.inside.get(param)?, self.substs.get(subst, *param)?));
        pairs.append_all(data.type_params.iter().filter_map(inside));
        pairs.reverse();
        let more = self.matching(pairs, subst);
        self.substs.extended(subst, more)
    }

    fn parameter(&mut self, body: &mut Body, local: LocalId) -> VarId {
        let ty = self.local_type(local, body.subst);
        let layout = self.of(ty);
        let name = self.module.local_name(local);
        body.param(layout, (!name.is_empty()).then(|| name.to_owned()))
    }

    /// The name of a function of the program, for people.
    pub(crate) fn name(&self, id: FnId) -> String {
        let module = self.module;
        let def = self.defs.get(&id).map(|&def| module.defs[def].name.clone());
        let variable = || self.variables.get(&id).copied();
        let own = || module.functions[id].self_local.map(|(local, _)| local);
        let local = || variable().or_else(own).map(|local| module.local_name(local).to_owned());
        def.or_else(local).unwrap_or_else(|| "fn".to_owned())
    }

    /// A constructor that is handed on as a function.
    fn constructor_function(&mut self, ctor: CtorId, ty: TermId) -> Function {
        let (params, result) = self.signature(ty);
        let layout = self.of(result);
        let data = &self.module.ctors[ctor];
        let (span, name) = (data.name_span, data.name.clone());
        let mut body = Body::new(name, layout, Substs::NONE, span);
        let args: Vec<VarId> = params
            .iter()
            .map(|&param| {
                let layout = self.of(param);
                body.param(layout, None)
            })
            .list();
        body.function.stands_for = Some(Code::Constructor(ctor.number()));
        self.check_fields(&mut body, ctor, &args);
        let value = self.pack(&mut body, result, layout::Head::Constructor(ctor.number()), &args, span);
        body.end(End::Return(value), span);
        body.finish()
    }

    /// An operator that is handed on as a function, with its default attributes.
    fn operator_function(&mut self, op: OpId, ty: TermId) -> Function {
        let (params, result) = self.signature(ty);
        let layout = self.of(result);
        let row = op.row();
        let span = Span::new(0, 0);
        let mut body = Body::new(row.name.to_owned(), layout, Substs::NONE, span);
        let args: Vec<VarId> = params
            .iter()
            .map(|&param| {
                let layout = self.of(param);
                body.param(layout, None)
            })
            .list();
        body.function.stands_for = Some(Code::Operator(op.number()));
        let value = self.operator(&mut body, op, Arc::new(row.default_attrs()), &args, result, span);
        body.end(End::Return(value), span);
        body.finish()
    }

    /// Parameters and result of a closed function type.
    pub(crate) fn signature(&mut self, ty: TermId) -> (Vec<TermId>, TermId) {
        match self.program.types.head(ty) {
            Term::Func { params, result } => (self.program.types.items(params).to_vec(), result),
            _ => (Vec::new(), self.program.types.nothing()),
        }
    }
}

//! What `@main` is given: values from JSON, and values made up for the rest.

use crate::Analysis;
use crate::data::from_json;
use crate::node::{node_value, outermost_net, parameters};
use crate::run::{HAS_INPUTS, Options};
use crate::sizes::{Form, Ty};
use base::{Append, IndexVec, Span, ToList};
use hir::layers::LayerKind;
use hir::{CtorId, ExprId, ExprKind, FnId, LocalId, Module, TypeExprKind};
use serde_json::Value as Json;
use solve::{Cause, Trace};
use ty::{
    AdtId, Atom, Dim, Dtype, Elements, Extent, Fields, Kind, Names, ParamId, Poly, Tensor, Term, TermId, Terms, Value,
};

const TOO_LARGE: &str = "it is too large to be made up";

/// Sizes that nobody says are between these.
const LEAST_OPEN: i64 = 2;
const MOST_OPEN: i64 = 64;
/// Behind those, the multiples of this are tried, up to 32 times it.
const STEP: i64 = 16;

/// An argument of `@main` that cannot be made.
pub struct InputError {
    pub span: Span,
    pub message: String,
}

/// Arguments for `@main`: from the inputs by name, otherwise random from the seed. A size that has a name is the same
/// wherever an input has it, and in what is made up.
pub fn main_arguments(analysis: &Analysis, function: FnId, options: &Options) -> Result<Vec<Value>, InputError> {
    let mut random = SplitMix(options.seed);
    let module = &analysis.module;
    let params = &module.functions[function].params;
    let mut sizes = Sizes { named: Vec::new(), open: LEAST_OPEN };
    // A node's weights are given by their names, as PyTorch gives them: `fc1.weight`.
    let net = outermost_net(module);
    let weights = net.map(|net| parameters(module, net)).transpose()?.unwrap_or_default();
    let names: Vec<&str> = params[usize::from(net.is_some())..].iter().map(|&param| module.local_name(param)).list();
    let known = |key: &&String| {
        names.iter().any(|name| same_name(name, key)) || weights.iter().any(|weight| weight.path == **key)
    };
    if let Some(unknown) = options.given().and_then(|given| given.keys().find(|key| !known(key))) {
        let message = match net {
            Some(net) => format!("`{}` has no weight and no parameter `{unknown}`", module.nets[net].name),
            None => format!("`@main` has no parameter `{unknown}`"),
        };
        return Err(InputError { span: module.functions[function].span, message });
    }
    let node = net.map(|net| node_value(module, net, &weights, options, &mut random)).transpose()?;
    let told = |param: LocalId, message: String| InputError {
        span: module.locals[param].span,
        message: format!("the input `{}`: {message}", module.local_name(param)),
    };
    let mut inputs: Vec<(LocalId, TermId, Option<&Json>)> = Vec::new();
    for &param in &params[usize::from(net.is_some())..] {
        let (name, span) = (module.local_name(param), module.locals[param].span);
        let term = analysis.inferred.locals[param];
        let term = term.ok_or_else(|| InputError { span, message: "this has no type".to_owned() })?;
        let given = options.given().and_then(|given| given.iter().find(|(key, _)| same_name(name, key)));
        inputs.push((param, term, given.map(|(_, json)| json)));
    }
    let mut heights = Heights::new();
    // What is given says what sizes are.
    let mut given: Vec<Option<Value>> = Vec::with_capacity(inputs.len());
    for &(param, term, json) in &inputs {
        let value = json.filter(|_| HAS_INPUTS).map(|_| {
            let value = Maker::new(analysis, &mut heights, &sizes, Numbers::Any, &mut random).input(term, json)?;
            sizes.name(analysis, term, &value).map(|()| value)
        });
        given.push(value.transpose().map_err(|message| told(param, message))?);
    }
    while HAS_INPUTS {
        let n_named = sizes.named.len();
        for (&(param, term, _), given) in inputs.iter().zip(&given) {
            if let Some(value) = given {
                sizes.solve(analysis, term, value).map_err(|message| told(param, message))?;
            }
        }
        if sizes.named.len() == n_named {
            break;
        }
    }
    sizes.choose(analysis, function);
    let mut values: Vec<Value> = Vec::with_capacity(params.len());
    if let Some(node) = node {
        values.push(node);
    }
    for ((param, term, _), given) in inputs.into_iter().zip(given) {
        let value = match given.filter(|_| HAS_INPUTS) {
            Some(value) => sizes.agree(analysis, term, &value).map(|()| value),
            None => {
                let numbers = numbers_of(module, function, param);
                Maker::new(analysis, &mut heights, &sizes, numbers, &mut random).input(term, None)
            }
        };
        values.push(value.map_err(|message| told(param, message))?);
    }
    Ok(values)
}

/// What the sizes in the types of inputs are.
struct Sizes {
    /// Those of parameters that an input has.
    named: Vec<(ParamId, i64)>,
    /// Those of the other parameters.
    open: i64,
}

impl Sizes {
    fn named(&self, param: ParamId) -> Option<i64> {
        self.named.iter().find(|(other, _)| *other == param).map(|(_, size)| *size)
    }

    /// Chooses those that nobody says: 2, or the least with which no size in the function's type is below 1 and nothing
    /// fails that it says of its sizes. So `H` is 3 where the result has a size `H - 2`, and 5 where a window of 5 goes
    /// along it.
    fn choose(&mut self, analysis: &Analysis, function: FnId) {
        let Analysis { module, inferred, .. } = analysis;
        let def = module.defs.iter_enumerated().find(|(_, def)| def.function == function);
        let Some(scheme) = def.and_then(|(id, _)| inferred.defs[id].as_ref()).filter(|scheme| !scheme.is_mono()) else {
            return;
        };
        let names = inferred.names(module);
        // Of examples there are two, however large each is.
        for &param in &scheme.params {
            if names.param(param) == "?" && self.named(param).is_none() {
                self.named.push((param, LEAST_OPEN));
            }
        }
        let is_computed = |term| matches!(term, Term::Dim(Dim { extent: Extent::Poly(_), .. }));
        let computed = inferred.solver.roots_where(&[scheme.body], is_computed);
        let mut solver = inferred.solver.beginning(Trace::off());
        let fits = |open: &i64| {
            self.open = *open;
            solver.failures.clear();
            let args = scheme.params.iter().map(|&param| {
                let term = match names.param_kind(param) {
                    Kind::Dim => Term::Dim(Dim::number(self.named(param).unwrap_or(*open))),
                    kind => Term::param(param, kind),
                };
                solver.fresh(term, Cause(0))
            });
            let args = args.list();
            solver.instantiate(scheme, &args, Cause(0));
            solver.solve();
            solver.failures.is_empty() && computed.iter().all(|&dim| self.of(&solver, dim).is_some_and(|size| size > 0))
        };
        self.open = (LEAST_OPEN..=MOST_OPEN)
            .chain((MOST_OPEN / STEP + 1..=32).map(|n| n * STEP))
            .find(fits)
            .unwrap_or(LEAST_OPEN);
    }

    /// A size that has a name, or is computed from such.
    fn of(&self, solver: &solve::Solver, dim: TermId) -> Option<i64> {
        let named = |param: &ParamId| self.named(*param).unwrap_or(self.open);
        match solver.head(dim) {
            Term::Dim(Dim { extent: Extent::Param(param), .. }) => Some(named(&param)),
            Term::Dim(Dim { extent: Extent::Poly(poly), .. }) => {
                let number = |atom: &Atom| match atom {
                    Atom::Param(param) => named(param),
                    _ => self.open,
                };
                solver.poly(poly).substitute(|atom| Some(Poly::<Atom>::constant(number(atom))))?.as_constant()
            }
            _ => None,
        }
    }

    /// Takes the sizes of an input for those that are a parameter, or says which has another already.
    fn name(&mut self, analysis: &Analysis, term: TermId, value: &Value) -> Result<(), String> {
        each_size(analysis, term, value, &mut |dim, axis, size| {
            let Term::Dim(Dim { extent: Extent::Param(param), dynamic: false }) = analysis.inferred.solver.head(dim)
            else {
                return Ok(());
            };
            match self.named(param) {
                None => self.named.push((param, size)),
                Some(named) if named != size => {
                    let names = analysis.inferred.names(&analysis.module);
                    let name = names.param(param);
                    return Err(format!("axis {axis} has size {size}, but `{name}` is {named}"));
                }
                Some(_) => {}
            }
            Ok(())
        })
    }

    /// Takes the sizes of an input for what is computed from one parameter that has no size yet: of `N * 2` or `N - 1`.
    fn solve(&mut self, analysis: &Analysis, term: TermId, value: &Value) -> Result<(), String> {
        let solver = &analysis.inferred.solver;
        each_size(analysis, term, value, &mut |dim, axis, size| {
            let Term::Dim(Dim { extent: Extent::Poly(poly), dynamic: false }) = solver.head(dim) else { return Ok(()) };
            let known = solver.poly(poly).substitute(|&atom| match atom {
                Atom::Param(param) => Some(self.named(param).map_or(Poly::atom(atom), Poly::constant)),
                _ => Some(Poly::atom(atom)),
            });
            let Some(known) = known else { return Ok(()) };
            let (constants, parts): (Vec<_>, Vec<_>) = known.terms().iter().partition(|(atoms, _)| atoms.is_empty());
            let &[(atoms, factor)] = &parts[..] else { return Ok(()) };
            let &[Atom::Param(param)] = &atoms[..] else { return Ok(()) };
            let rest = i128::from(size) - constants.iter().map(|(_, number)| i128::from(*number)).sum::<i128>();
            let (number, is_whole) = (rest / i128::from(*factor), rest % i128::from(*factor) == 0);
            match i64::try_from(number).ok().filter(|number| is_whole && *number >= 0) {
                Some(number) => self.named.push((param, number)),
                None => {
                    let names = analysis.inferred.names(&analysis.module);
                    let name = names.param(param);
                    return Err(format!("axis {axis} has size {size}, which no whole number `{name}` gives"));
                }
            }
            Ok(())
        })
    }

    /// An error if a size of an input is not what is computed from the others.
    fn agree(&self, analysis: &Analysis, term: TermId, value: &Value) -> Result<(), String> {
        let solver = &analysis.inferred.solver;
        each_size(analysis, term, value, &mut |dim, axis, size| {
            let Term::Dim(Dim { extent: Extent::Poly(poly), dynamic: false }) = solver.head(dim) else { return Ok(()) };
            let is_named = |atom: &Atom| matches!(atom, Atom::Param(param) if self.named(*param).is_some());
            match self.of(solver, dim).filter(|_| solver.poly(poly).atoms().all(is_named)) {
                Some(want) if want != size => Err(format!("axis {axis} has size {size}, but must have {want}")),
                _ => Ok(()),
            }
        })
    }
}

/// Hands on the dims of the tensors in a type, with axis and size in a value of it.
fn each_size(
    analysis: &Analysis,
    term: TermId,
    value: &Value,
    see: &mut dyn FnMut(TermId, usize, i64) -> Result<(), String>,
) -> Result<(), String> {
    let mut left = vec![(Ty::Found(term), value.clone())];
    while let Some((ty, value)) = left.pop() {
        match (analysis.form(&ty), value) {
            (Form::Tuple(types), Value::Tuple(values)) => {
                left.append_all(types.into_iter().zip(values.iter().cloned()))
            }
            (Form::Adt { args, .. }, Value::Data(ctor, values)) => {
                let types = analysis.fields(CtorId::numbered(ctor), &args);
                left.append_all(types.into_iter().zip(values.iter().cloned()));
            }
            (Form::Tensor { shape, .. }, Value::Tensor(tensor)) => {
                let dims = analysis.dims(&shape).unwrap_or_default();
                for (axis, (dim, &size)) in dims.iter().zip(&tensor.shape).enumerate() {
                    if let &Ty::Found(dim) = dim {
                        see(dim, axis, size as i64)?;
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn same_name(param: &str, key: &str) -> bool {
    base::trim_start(param, "%") == base::trim_start(key, "%")
}

/// Which numbers are made up for an input.
#[derive(Clone, Copy)]
enum Numbers {
    /// Of floats from -1 to 1.
    Any,
    /// Whole ones.
    Below(i64),
    /// Around 1.
    Variance,
}

/// What an input is for: for an `Embedding` its numbers are places of rows, and `nn.batch_norm` takes the root of a
/// variance.
fn numbers_of(module: &Module, function: FnId, param: LocalId) -> Numbers {
    let is_param = |expr: ExprId| matches!(module.exprs[expr].kind, ExprKind::Local(local, _) if local == param);
    // The same numbers may be taken by other tables, of other nodes too.
    let (mut is_taken, mut fewest) = (false, i64::MAX);
    for stage in &module.stages {
        if let Some((layer, args)) = stage.layer(module)
            && layer.kind == LayerKind::Embedding
        {
            is_taken |= is_param(stage.input);
            fewest = fewest.min(hir::layers::int(args, "num_embeddings"));
        }
    }
    let mut visits = module.functions[function].visits.clone();
    let is_variance = visits.any(|visit| match module.visits[visit] {
        hir::Visit::Expr(expr) => match &module.exprs[expr].kind {
            ExprKind::OpCall { op, args, .. } => {
                args.get(4).is_some_and(|&arg| is_param(arg)) && op.row().name == "nn.batch_norm"
            }
            _ => false,
        },
        hir::Visit::Let(..) | hir::Visit::Pattern(..) => false,
    });
    match (is_taken, is_variance) {
        (true, _) => Numbers::Below(fewest),
        (false, true) => Numbers::Variance,
        (false, false) => Numbers::Any,
    }
}

/// A value of a data type that is made up has constructors of data types in each other this deep, and then the nearest
/// end: a list has three elements. Where that is too large, or not possible, it is flatter.
const MADE_UP_DEPTHS: [usize; 3] = [3, 1, 0];

/// And no value has more constructors and tensors than this, none in each other deeper than that, and no more elements.
const MAX_PARTS: usize = 10_000;
const MAX_DEPTH: usize = 200;
const MAX_ELEMENTS: usize = 1 << 26;

/// Of each constructor how deep the flattest of its values is, if there is one that ends; nothing before somebody asks.
type Heights = IndexVec<CtorId, Option<usize>>;

/// Makes the value of an input.
struct Maker<'a> {
    analysis: &'a Analysis,
    sizes: &'a Sizes,
    /// Which are made up.
    numbers: Numbers,
    random: &'a mut SplitMix,
    heights: &'a mut Heights,
    depth: usize,
    n_parts: usize,
    n_elements: usize,
}

impl Maker<'_> {
    fn new<'a>(
        analysis: &'a Analysis,
        heights: &'a mut Heights,
        sizes: &'a Sizes,
        numbers: Numbers,
        random: &'a mut SplitMix,
    ) -> Maker<'a> {
        Maker { analysis, sizes, numbers, random, heights, depth: 0, n_parts: 0, n_elements: 0 }
    }

    /// The value of an input of a type.
    fn input(&mut self, term: TermId, given: Option<&Json>) -> Result<Value, String> {
        let mut made = Err(String::new());
        for depth in MADE_UP_DEPTHS {
            (self.depth, self.n_parts, self.n_elements) = (depth, 0, 0);
            made = self.value(&Ty::Found(term), given, 0);
            if made.is_ok() || given.is_some() || self.heights.is_empty() {
                break;
            }
        }
        made
    }

    /// A value of a type, inside of `depth` others.
    fn value(&mut self, ty: &Ty, given: Option<&Json>, depth: usize) -> Result<Value, String> {
        let given = given.filter(|_| HAS_INPUTS);
        self.n_parts += 1;
        if depth > MAX_DEPTH || self.n_parts > MAX_PARTS {
            return Err(TOO_LARGE.to_owned());
        }
        match self.analysis.form(ty) {
            Form::Tuple(fields) => {
                let given = given.map(|json| list(json, "tuple").ok_or("expected {\"tuple\":[…]}")).transpose()?;
                if given.is_some_and(|given| given.len() != fields.len()) {
                    return Err(format!("expected a tuple of {}", fields.len()));
                }
                Ok(Value::Tuple(self.all(&fields, given, depth)?))
            }
            Form::Adt { adt, args } => {
                let ctor = match given {
                    Some(json) => self.named(adt, json)?,
                    None => self.chosen(adt, depth)?,
                };
                let fields = self.analysis.fields(ctor, &args);
                let given = given.map(|json| list(json, "args").unwrap_or_default());
                if given.is_some_and(|given| given.len() != fields.len()) {
                    let name = &self.analysis.module.ctors[ctor].name;
                    return Err(format!("`{name}` has {}", base::count(fields.len(), "field")));
                }
                Ok(Value::Data(ctor.number(), self.all(&fields, given, depth + 1)?))
            }
            Form::Scalar(dtype) => self.tensor(&[], dtype, given),
            Form::Tensor { shape, dtype } => {
                let dtype = self.analysis.dtype(&dtype).ok_or_else(|| unknown("dtype"))?;
                let dims = self.analysis.dims(&shape).ok_or_else(|| unknown("rank"))?;
                self.tensor(&dims, dtype, given)
            }
            Form::Open => Err(unknown("type")),
            Form::Other => Err("only tensors, and tuples and data types of them, can be given".to_owned()),
        }
    }

    fn all(&mut self, types: &[Ty], given: Option<&[Json]>, depth: usize) -> Result<Fields, String> {
        let mut values = Vec::with_capacity(types.len());
        for (i, ty) in types.iter().enumerate() {
            values.push(self.value(ty, given.and_then(|given| given.get(i)), depth)?);
        }
        Ok(Fields::new(values))
    }

    fn tensor(&mut self, dims: &[Ty], dtype: Dtype, given: Option<&Json>) -> Result<Value, String> {
        let (mut want, mut shape, mut n) = (Vec::new(), Vec::new(), 1_usize);
        for dim in dims {
            // Where a `?` has met a number it is that one.
            let size = match self.analysis.dim(dim).extent {
                Extent::Number(size) => Some(number_of(size)?),
                _ => None,
            };
            want.push(size);
            if given.is_some() {
                continue;
            }
            let size = match (size, dim) {
                (Some(size), _) => size,
                (None, &Ty::Found(dim)) => {
                    number_of(self.sizes.of(&self.analysis.inferred.solver, dim).unwrap_or(LEAST_OPEN))?
                }
                (None, Ty::Written(..)) => return Err("a size in it is computed, and is not made up".to_owned()),
            };
            n = n.saturating_mul(size);
            shape.push(size);
        }
        if let Some(json) = given {
            return from_json(json, dtype, &want);
        }
        self.n_elements = self.n_elements.saturating_add(n);
        if self.n_elements > MAX_ELEMENTS {
            return Err(TOO_LARGE.to_owned());
        }
        Ok(random_tensor(shape, dtype, self.numbers, self.random))
    }

    /// The constructor that an input names.
    fn named(&self, adt: AdtId, json: &Json) -> Result<CtorId, String> {
        let module = &self.analysis.module;
        let name = json.get("ctor").and_then(Json::as_str).ok_or("expected {\"ctor\":\"…\",\"args\":[…]}")?;
        let ctors = module.adts[adt].ctors.iter().copied();
        let ctor = ctors.into_iter().find(|&ctor| module.ctors[ctor].name == name);
        ctor.ok_or_else(|| format!("`{}` has no constructor `{name}`", module.adts[adt].name))
    }

    /// One of those that have the deepest values, or from some depth on the flattest.
    fn chosen(&mut self, adt: AdtId, depth: usize) -> Result<CtorId, String> {
        let Analysis { module, .. } = self.analysis;
        if self.heights.is_empty() {
            *self.heights = heights(module);
        }
        // What comes first is the greatest.
        let rank = |&ctor: &CtorId| {
            let (height, n_fields) = (self.heights[ctor]? as isize, module.ctors[ctor].fields.len() as isize);
            Some(if depth < self.depth { (height, n_fields.min(1)) } else { (-height, -n_fields) })
        };
        let adt = &module.adts[adt];
        let best = adt.ctors.iter().filter_map(rank).max();
        let best = best.ok_or_else(|| format!("no value of `{}` can be made up", adt.name))?;
        let ctors = adt.ctors.iter().filter(|&ctor| rank(ctor) == Some(best)).list();
        Ok(*ctors[self.random.below(ctors.len() as i64) as usize])
    }
}

/// Of each constructor how deep the flattest of its values is: 1 for one without fields of data types. What a type
/// parameter stands for does not count.
fn heights(module: &Module) -> Heights {
    let n_ctors = module.ctors.len();
    let mut heights = IndexVec::filled(None, n_ctors);
    let mut known: IndexVec<AdtId, bool> = IndexVec::filled(false, module.adts.len());
    for height in 1..=MAX_DEPTH {
        let mut reached = Vec::new();
        for ctor in (0..n_ctors as u32).map(CtorId::numbered) {
            let mut parts = module.ctors[ctor].fields.clone();
            let mut is_reached = heights[ctor].is_none();
            while let Some(part) = parts.pop() {
                match &module.type_exprs[part].kind {
                    TypeExprKind::Adt { adt, .. } => is_reached &= known[*adt],
                    TypeExprKind::Tuple(items) => parts.extend_from_slice(items),
                    TypeExprKind::Func { .. } | TypeExprKind::Ref(_) => is_reached = false,
                    _ => {}
                }
            }
            if is_reached {
                reached.push(ctor);
            }
        }
        if reached.is_empty() {
            break;
        }
        for ctor in reached {
            (heights[ctor], known[module.ctors[ctor].adt]) = (Some(height), true);
        }
    }
    heights
}

fn list<'a>(json: &'a Json, key: &str) -> Option<&'a [Json]> {
    json.get(key).and_then(Json::as_array).map(|items| &items[..])
}

/// What is said of an input that could be of any type.
fn unknown(what: &str) -> String {
    format!("its {what} is not known: give it a type, such as `Tensor[(2, 3), float32]`")
}

/// A size as memory counts.
fn number_of(size: i64) -> Result<usize, String> {
    if size < 0 {
        return Err("it would have a size below 0".to_owned());
    }
    let size = u32::try_from(size).ok().filter(|&size| size <= op::MAX_SIZE);
    size.map(|size| size as usize).ok_or_else(|| TOO_LARGE.to_owned())
}

fn random_tensor(shape: Vec<usize>, dtype: Dtype, numbers: Numbers, random: &mut SplitMix) -> Value {
    let n = shape.iter().product::<usize>();
    let mut whole = |below: i64| random.below(below);
    let elements = match (dtype, numbers) {
        (_, Numbers::Below(below)) if dtype.is_float() => Elements::Float((0..n).map(|_| whole(below) as f64).list()),
        (_, Numbers::Below(below)) => Elements::Int((0..n).map(|_| whole(below)).list()),
        _ if dtype.is_float() => {
            let (middle, scale) = if let Numbers::Variance = numbers { (1.0, 0.5) } else { (0.0, 1.0) };
            Elements::Float((0..n).map(|_| op::round_to(dtype, middle + scale * random.unit())).list())
        }
        (Dtype::Bool, _) => Elements::Int((0..n).map(|_| (random.next() >> 63) as i64).list()),
        _ => Elements::Int((0..n).map(|_| whole(10)).list()),
    };
    Value::tensor(Tensor { dtype, shape, elements })
}

/// Steele, Lea and Flood's SplitMix64: a seed of any value gives a good sequence.
pub(crate) struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A whole number from 0.
    fn below(&mut self, below: i64) -> i64 {
        (self.next() >> 40) as i64 % below
    }

    /// Uniform in -1..1, from the upper 24 bits.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 40) as f64 / f64::from(1 << 23) - 1.0
    }

    /// Nearly normal around 0 with a deviation of 1: the sum of twelve, each of a variance of 1/3, halved. It needs no
    /// logarithm, whose last bit is not the same in every engine.
    pub(crate) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() / 2.0
    }
}

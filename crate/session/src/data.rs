//! Values as JSON and JSON as values.

use crate::Analysis;
use crate::node::{node_value, outermost_net, parameters};
use crate::run::{HAS_INPUTS, Options};
use base::{Append, Join, Span, ToList};
use hir::layers::LayerKind;
use hir::{ExprId, ExprKind, FnId, LocalId, Module};
use serde_json::value::RawValue;
use serde_json::{Number, Value as Json};
use solve::{Cause, Trace};
use ty::{Atom, Dim, Dtype, Elements, Extent, Kind, Names, ParamId, Poly, Scalar, Tensor, Term, TermId, Terms, Value};

/// `data` is absent past this depth.
const MAX_DEPTH: usize = 500;
/// And past this many numbers and fields.
const MAX_NODES: usize = 1_000_000;

/// A value as JSON: a tensor as nested lists (a scalar bare), a tuple as `{"tuple":[…]}`, an instance as
/// `{"ctor","args"}`. Written with a stack of its own, since values nest without bound.
pub fn to_json(module: &Module, value: &Value) -> Option<Box<RawValue>> {
    enum Piece {
        Text(&'static str),
        Value(Value, usize),
    }
    let mut out = String::new();
    let mut n_nodes = 0;
    let mut stack = vec![Piece::Value(value.clone(), 0)];
    while let Some(piece) = stack.pop() {
        let (value, depth) = match piece {
            Piece::Text(text) => {
                out.push_str(text);
                continue;
            }
            Piece::Value(value, depth) => (value, depth),
        };
        n_nodes += 1;
        if depth > MAX_DEPTH || n_nodes > MAX_NODES {
            return None;
        }
        let fields = match &value {
            Value::Scalar(dtype, scalar) => {
                out.push_str(&number(*dtype, *scalar).to_string());
                continue;
            }
            Value::Tensor(tensor) => {
                n_nodes += tensor.elements.len();
                if n_nodes > MAX_NODES {
                    return None;
                }
                nested(tensor, &mut out);
                continue;
            }
            Value::Func(..) => {
                out.push_str("{\"fn\":true}");
                continue;
            }
            Value::Ref(cell) => {
                out.push_str("{\"ref\":");
                stack.append_all([Piece::Text("}"), Piece::Value(cell.borrow().clone(), depth + 1)]);
                continue;
            }
            Value::Tuple(fields) => {
                out.push_str("{\"tuple\":[");
                fields
            }
            Value::Variant(variant, fields) => {
                let name = Json::from(module.variants[*variant].as_str());
                out.push_str(&format!("{{\"ctor\":{name},\"args\":["));
                fields
            }
            Value::Data(ctor, fields) => {
                let name = Json::from(module.ctors[hir::CtorId::numbered(*ctor)].name.as_str());
                out.push_str(&format!("{{\"ctor\":{name},\"args\":["));
                fields
            }
        };
        stack.push(Piece::Text("]}"));
        for (i, field) in fields.iter().enumerate().rev() {
            stack.push(Piece::Value(field.clone(), depth + 1));
            if i > 0 {
                stack.push(Piece::Text(","));
            }
        }
    }
    RawValue::from_string(out).ok()
}

fn number(dtype: Dtype, scalar: Scalar) -> Json {
    match scalar {
        Scalar::Int(value) if dtype == Dtype::Bool => Json::from(value != 0),
        Scalar::Int(value) if dtype == Dtype::UInt64 => Json::from(value as u64),
        Scalar::Int(value) => Json::from(value),
        Scalar::Float(value) if value.is_nan() => Json::from("nan"),
        Scalar::Float(value) if value.is_infinite() => Json::from(if value > 0.0 { "inf" } else { "-inf" }),
        Scalar::Float(value) => {
            // Narrow floats are given by their shortest decimal, as they print.
            let shortest =
                if dtype == Dtype::Float64 { value } else { (value as f32).to_string().parse().unwrap_or(value) };
            Number::from_f64(shortest).map_or(Json::Null, Json::from)
        }
    }
}

const TOO_LARGE: &str = "it is too large to be made up";

/// Sizes that nobody says are between these.
const LEAST_OPEN: i64 = 2;
const MOST_OPEN: i64 = 64;

/// A tensor without elements that would be more lists than this is `null`.
const MAX_EMPTY_LISTS: usize = 1 << 20;

/// The elements in brackets, a pair for each axis.
fn nested(tensor: &Tensor, out: &mut String) {
    if tensor.elements.is_empty() {
        // A list for each place before the first axis of size 0.
        let n_outer = tensor.shape.iter().take_while(|&&size| size > 0).count();
        let n_lists = tensor.shape[..n_outer].iter().fold(1_usize, |n, &size| n.saturating_mul(size));
        if n_lists > MAX_EMPTY_LISTS {
            out.push_str("null");
            return;
        }
        let empty = tensor.shape[..n_outer]
            .iter()
            .rev()
            .fold("[]".to_owned(), |inner, &size| format!("[{}]", vec![inner; size].joined(",")));
        out.push_str(&empty);
        return;
    }
    let mut sizes = tensor.shape.clone();
    for axis in (0..sizes.len().saturating_sub(1)).rev() {
        sizes[axis] *= sizes[axis + 1];
    }
    for index in 0..tensor.elements.len() {
        if index > 0 {
            out.push(',');
        }
        sizes.iter().filter(|&&size| index % size == 0).for_each(|_| out.push('['));
        out.push_str(&number(tensor.dtype, tensor.elements.get(index)).to_string());
        sizes.iter().filter(|&&size| (index + 1) % size == 0).for_each(|_| out.push(']'));
    }
}

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
    // What is given says what sizes are.
    let mut given: Vec<Option<Value>> = Vec::with_capacity(inputs.len());
    for &(param, term, json) in &inputs {
        let value = json.filter(|_| HAS_INPUTS).map(|_| {
            let value = argument(analysis, term, json, (&sizes, Numbers::Any), &mut random)?;
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
            None => argument(analysis, term, None, (&sizes, numbers_of(module, function, param)), &mut random),
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
        self.open = (LEAST_OPEN..=MOST_OPEN).find(fits).unwrap_or(LEAST_OPEN);
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
    let solver = &analysis.inferred.solver;
    let mut left = vec![(term, value.clone())];
    while let Some((term, value)) = left.pop() {
        match (solver.head(term), value) {
            (Term::Tuple(fields), Value::Tuple(values)) => {
                left.append_all(solver.items(fields).iter().copied().zip(values.iter().cloned()));
            }
            (Term::Tensor { shape, .. }, Value::Tensor(tensor)) => {
                let Term::Shape(dims) = solver.head(shape) else { continue };
                for (axis, (&dim, &size)) in solver.items(dims).iter().zip(&tensor.shape).enumerate() {
                    see(dim, axis, size as i64)?;
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

/// A value of a type that is a tensor or a tuple of such, if need be of `numbers` that are made up.
fn argument(
    analysis: &Analysis,
    term: TermId,
    given: Option<&Json>,
    (sizes, numbers): (&Sizes, Numbers),
    random: &mut SplitMix,
) -> Result<Value, String> {
    let solver = &analysis.inferred.solver;
    let given = given.filter(|_| HAS_INPUTS);
    match solver.head(term) {
        Term::Tuple(fields) => {
            let fields = solver.items(fields).to_vec();
            let given = given.map(|json| json.get("tuple").and_then(Json::as_array).ok_or("expected {\"tuple\":[…]}"));
            let given = given.transpose()?;
            if given.is_some_and(|given| given.len() != fields.len()) {
                return Err(format!("expected a tuple of {}", fields.len()));
            }
            let values = fields.iter().enumerate().map(|(i, &field)| {
                argument(analysis, field, given.and_then(|given| given.get(i)), (sizes, numbers), random)
            });
            Ok(Value::Tuple(ty::Fields::new(values.ok_list()?)))
        }
        Term::Tensor { shape, dtype } => {
            let Term::Dtype(dtype) = solver.head(dtype) else { return Err(unknown("dtype")) };
            let Term::Shape(dims) = solver.head(shape) else { return Err(unknown("rank")) };
            let want = solver.items(dims).iter().map(|&dim| match solver.head(dim) {
                Term::Dim(Dim { extent: Extent::Number(number), .. }) => number_of(number).map(Some),
                _ => Ok(None),
            });
            let want = want.ok_list()?;
            match given {
                Some(json) => from_json(json, dtype, &want),
                None => {
                    let shape = want.into_iter().zip(solver.items(dims)).map(|(size, &dim)| match size {
                        Some(size) => Ok(size),
                        None => number_of(sizes.of(solver, dim).unwrap_or(LEAST_OPEN)),
                    });
                    random_tensor(shape.ok_list()?, dtype, numbers, random)
                }
            }
        }
        Term::Param(..) => Err(unknown("type")),
        _ => Err("only tensors and tuples of them can be given".to_owned()),
    }
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

fn random_tensor(shape: Vec<usize>, dtype: Dtype, numbers: Numbers, random: &mut SplitMix) -> Result<Value, String> {
    let n = shape.iter().try_fold(1_usize, |n, &size| n.checked_mul(size)).filter(|&n| n <= 1 << 26);
    let n = n.ok_or(TOO_LARGE)?;
    let mut whole = |below: i64| (random.next() >> 40) as i64 % below;
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
    Ok(Value::tensor(Tensor { dtype, shape, elements }))
}

pub(crate) fn from_json(json: &Json, dtype: Dtype, want: &[Option<usize>]) -> Result<Value, String> {
    if !want.is_empty() && !matches!(json, Json::Array(_) | Json::Number(_)) {
        return Err(format!("{} is no tensor", written(json)));
    }
    let mut shape: Vec<usize> = Vec::new();
    let mut level = json;
    while let Json::Array(items) = level {
        shape.push(items.len());
        match items.first() {
            Some(first) => level = first,
            None => break,
        }
    }
    // Inside of nothing no list says how long those in it would be.
    if shape.last() == Some(&0) {
        shape.append_all(want.iter().skip(shape.len()).map(|want| want.unwrap_or(0)));
    }
    let fits =
        shape.len() == want.len() && shape.iter().zip(want).all(|(&size, want)| want.is_none_or(|want| want == size));
    if !fits {
        let want: Vec<String> = want.iter().map(|size| size.map_or("?".to_owned(), |size| size.to_string())).list();
        return Err(format!("expected the shape ({}), found {}", want.joined(", "), base::bracketed(&shape)));
    }
    let mut scalars = Vec::new();
    let mut pending = vec![(json, 0)];
    while let Some((json, axis)) = pending.pop() {
        match json {
            Json::Array(items) if axis < shape.len() && items.len() == shape[axis] => {
                pending.append_all(items.iter().rev().map(|item| (item, axis + 1)));
            }
            Json::Array(_) => return Err("its rows have different lengths".to_owned()),
            leaf if axis == shape.len() => scalars.push(scalar(leaf, dtype)?),
            _ => return Err("its rows have different lengths".to_owned()),
        }
    }
    let elements = match dtype.is_float() {
        true => {
            Elements::Float(scalars.into_iter().map(|s| if let Scalar::Float(value) = s { value } else { 0.0 }).list())
        }
        false => Elements::Int(scalars.into_iter().map(|s| if let Scalar::Int(value) = s { value } else { 0 }).list()),
    };
    Ok(Value::tensor(Tensor { dtype, shape, elements }))
}

fn scalar(json: &Json, dtype: Dtype) -> Result<Scalar, String> {
    let bad = || format!("{} is no {dtype}", written(json));
    if dtype.is_float() {
        let value = match json.as_str() {
            Some("nan") => f64::NAN,
            Some("inf") => f64::INFINITY,
            Some("-inf") => f64::NEG_INFINITY,
            Some(_) => return Err(bad()),
            None => json.as_f64().ok_or_else(bad)?,
        };
        let rounded = op::round_to(dtype, value);
        return if rounded.is_infinite() && value.is_finite() { Err(bad()) } else { Ok(Scalar::Float(rounded)) };
    }
    let value = match json {
        Json::Bool(value) if dtype == Dtype::Bool => i128::from(*value),
        Json::Number(value) => value.as_i64().map(i128::from).or(value.as_u64().map(i128::from)).ok_or_else(bad)?,
        Json::Null | Json::Bool(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => return Err(bad()),
    };
    let (low, high) = dtype.int_range().ok_or_else(bad)?;
    if (low..=high).contains(&value) { Ok(Scalar::Int(value as i64)) } else { Err(bad()) }
}

/// A part of an input in words, without `serde_json`'s own writer and the standard library's quoting, whose tables
/// would be in the page for this.
fn written(json: &Json) -> String {
    match json {
        Json::Null => "null".to_owned(),
        Json::Bool(value) => value.to_string(),
        Json::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(number), ..) => number.to_string(),
            (_, Some(number), _) => number.to_string(),
            (.., number) => format!("{:?}", number.unwrap_or(f64::NAN)),
        },
        Json::String(text) => format!("\"{text}\""),
        Json::Array(_) => "a list".to_owned(),
        Json::Object(_) => "an object".to_owned(),
    }
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

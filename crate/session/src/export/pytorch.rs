//! Modules of PyTorch: a class for each node, with the layers' own names and every argument that is not PyTorch's
//! default.

use super::{FreshNames, inside_out};
use crate::Analysis;
use base::{Append, HashMap, HashSet, Join, ToList};
use hir::layers::{Default, Layer, LayerKind};
use hir::net::{Applied, Args, Argument, Init, MadeOf, Net, Stage, method_name};
use hir::{Def, ExprId, ExprKind, FnId, LocalId, Visit};
use std::fmt::Write;
use ty::{Dtype, Scalar, Term, Terms};

const INDENT: &str = "    ";

/// Words of Python, and names that every module has, which nothing of a program can be called.
const TAKEN: &str = "\
    False None True and apply as assert async await bfloat16 break buffers children class compile continue cpu cuda \
    def del double elif else eval except finally float for from global half if import in int is lambda modules nn \
    nonlocal not or parameters pass raise return self to torch train training try type while with yield F super \
    named_parameters named_buffers named_modules named_children state_dict load_state_dict requires_grad_ zero_grad \
    share_memory add_module extra_repr get_parameter get_buffer get_submodule get_extra_state set_submodule \
    set_extra_state to_empty ipu xpu mtia T_destination dump_patches call_super_init";

/// A name of the program as one of Python. Modules have private names too, which begin as the program's own may.
fn name(name: &str) -> String {
    // Of two names that differ by the sign alone, both get one.
    let bare = base::trim_end(name, "_");
    let is_taken = |taken| taken == name || taken == bare;
    match base::split(TAKEN, b' ').into_iter().any(is_taken) || name.starts_with('_') || name.starts_with("register_") {
        true => format!("{name}_"),
        false => name.to_owned(),
    }
}

pub(super) fn pytorch(analysis: &Analysis) -> String {
    let module = &analysis.module;
    let stages: HashMap<ExprId, &Stage> = module.stages.iter().map(|stage| (stage.expr, stage)).collect();
    let mut out = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n".to_owned();
    for net in inside_out(module) {
        let net = &module.nets[net];
        let _ = write!(out, "\n\nclass {}(nn.Module):\n", name(&net.name));
        initialise(analysis, net, &mut out);
        for method in &net.methods {
            let def = &module.defs[method.def];
            Writer::new(analysis, &stages, def).method(&method.name, &mut out);
        }
    }
    out
}

/// `__init__`: the layers, then what `new` does to them.
fn initialise(analysis: &Analysis, net: &Net, out: &mut String) {
    let _ = write!(out, "{INDENT}def __init__(self):\n{INDENT}{INDENT}super().__init__()\n");
    for weight in &net.weights {
        let made = match &weight.made_of {
            MadeOf::Layer(layer, args) => {
                let first = if takes_sequences(layer) { ", batch_first=True" } else { "" };
                format!("{}({}{first})", layer.torch, arguments(layer, args, 2))
            }
            MadeOf::Net(inner) => format!("{}()", name(&analysis.module.nets[*inner].name)),
            MadeOf::Unknown => continue,
        };
        let _ = writeln!(out, "{INDENT}{INDENT}self.{} = {made}", name(&weight.name));
    }
    for weight in &net.weights {
        let Some(Init { name: function, args }) = &weight.init else { continue };
        let function = function.strip_prefix("init_").unwrap_or(function);
        let args: String = args.iter().map(|(name, value)| format!(", {name}={value}")).collect();
        let _ = writeln!(out, "{INDENT}{INDENT}nn.init.{function}_(self.{}.weight{args})", name(&weight.name));
    }
}

/// Whether PyTorch has to be told that the first axis is the batch's, not time.
fn takes_sequences(layer: &Layer) -> bool {
    matches!(layer.kind, LayerKind::Lstm | LayerKind::Gru | LayerKind::MultiheadAttention)
}

/// The arguments that are not PyTorch's own defaults; the first sizes without their names.
fn arguments(layer: &Layer, args: &Args, n_unnamed: usize) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (place, (param, (_, value))) in layer.params.iter().zip(args).enumerate() {
        let is_size = place < n_unnamed && place == parts.len() && param.default == Default::Required;
        if is_size && matches!(param.takes, hir::layers::Takes::Int(_)) {
            parts.push(value.to_string());
            // PyTorch would flatten all axes.
        } else if layer.kind == LayerKind::Flatten || !param.is_default(value, args) {
            let value = match value {
                Argument::Flag(true) => "True".to_owned(),
                Argument::Flag(false) => "False".to_owned(),
                Argument::Ints(_) | Argument::Float(_) => value.to_string(),
            };
            parts.push(format!("{}={value}", param.torch));
        }
    }
    parts.joined(", ")
}

/// What an expression has become: statements, and what has its value after them.
#[derive(Clone, Default)]
struct Python {
    before: Vec<String>,
    value: String,
    /// How tightly the outermost operator of the value binds; [`ATOM`] if it needs no parentheses anywhere.
    binds: u8,
    /// The variable that a chain of layers goes through, where the value is a layer's.
    chain: Option<String>,
}

const ATOM: u8 = 10;
/// `a if c else b`.
const CONDITIONAL: u8 = 0;

impl Python {
    fn atom(value: impl Into<String>) -> Python {
        Python { value: value.into(), binds: ATOM, ..Python::default() }
    }

    /// As an operand of an operator that binds so tightly.
    fn operand(&self, binds: u8) -> String {
        match self.binds >= binds {
            true => self.value.clone(),
            false => format!("({})", self.value),
        }
    }
}

/// The statements of several, in their order.
fn before(parts: &[Python]) -> Vec<String> {
    let mut before = Vec::new();
    for part in parts {
        before.extend_from_slice(&part.before);
    }
    before
}

/// The operators that Python has signs for, and how tightly these bind.
const SIGNS: &[(&str, &str, u8)] = &[
    ("add", "+", 4),
    ("subtract", "-", 4),
    ("multiply", "*", 5),
    ("divide", "/", 5),
    ("floor_mod", "%", 5),
    ("less", "<", 2),
    ("less_equal", "<=", 2),
    ("greater", ">", 2),
    ("greater_equal", ">=", 2),
    ("equal", "==", 2),
    ("not_equal", "!=", 2),
];

struct Writer<'a> {
    analysis: &'a Analysis,
    stages: &'a HashMap<ExprId, &'a Stage>,
    function: FnId,
    names: HashMap<LocalId, String>,
    fresh: FreshNames,
    /// How often each variable is mentioned.
    n_uses: HashMap<LocalId, u32>,
    done: HashMap<ExprId, Python>,
}

impl<'a> Writer<'a> {
    fn new(analysis: &'a Analysis, stages: &'a HashMap<ExprId, &'a Stage>, def: &Def) -> Writer<'a> {
        Writer {
            analysis,
            stages,
            function: def.function,
            names: HashMap::default(),
            fresh: FreshNames::new(""),
            n_uses: HashMap::default(),
            done: HashMap::default(),
        }
    }

    fn method(mut self, method: &str, out: &mut String) {
        let module = &self.analysis.module;
        let function = &module.functions[self.function];
        let params: Vec<String> = function.params[1..].iter().map(|&param| self.name_of(param)).list();
        let list: String = params.iter().map(|param| format!(", {param}")).collect();
        let _ = write!(out, "\n{INDENT}def {}(self{list}):\n", name(method));
        // What layers are made of stays inside them.
        let inside: HashSet<ExprId> = module
            .stages
            .iter()
            .flat_map(|stage| (stage.first.number()..stage.expr.number()).map(ExprId::numbered))
            .collect();
        for visit in &module.visits[function.visits.clone()] {
            if let Visit::Expr(expr) = visit
                && !inside.contains(expr)
                && let ExprKind::Local(local, _) = module.exprs[*expr].kind
            {
                *self.n_uses.entry(local).or_default() += 1;
            }
        }
        for visit in &module.visits[function.visits.clone()] {
            if let Visit::Expr(expr) = *visit
                && !inside.contains(&expr)
            {
                let python = self.expr(expr);
                self.done.insert(expr, python);
            }
        }
        let body = self.take(function.body);
        for line in &body.before {
            let _ = writeln!(out, "{INDENT}{INDENT}{line}");
        }
        let _ = writeln!(out, "{INDENT}{INDENT}return {}", body.value);
    }

    /// The name of a variable, its own if no other has it.
    fn name_of(&mut self, local: LocalId) -> String {
        if let Some(name) = self.names.get(&local) {
            return name.clone();
        }
        let found = self.fresh.give(&name(self.analysis.module.local_name(local)));
        self.names.insert(local, found.clone());
        found
    }

    fn take(&mut self, expr: ExprId) -> Python {
        self.done.remove(&expr).unwrap_or_else(|| Python::atom("None"))
    }

    fn is_int(&self, expr: ExprId) -> bool {
        let solver = &self.analysis.inferred.solver;
        let Some(Term::Tensor { dtype, .. }) = self.analysis.inferred.exprs[expr].map(|ty| solver.head(ty)) else {
            return false;
        };
        solver.head(dtype) == Term::Dtype(Dtype::Int32)
    }

    fn expr(&mut self, expr: ExprId) -> Python {
        if let Some(&stage) = self.stages.get(&expr) {
            return self.stage(stage);
        }
        let module = &self.analysis.module;
        match &module.exprs[expr].kind {
            &ExprKind::Literal(dtype, scalar) => Python::atom(match scalar {
                Scalar::Int(value) if dtype == Dtype::Bool => if value != 0 { "True" } else { "False" }.to_owned(),
                Scalar::Int(value) => value.to_string(),
                Scalar::Float(value) => base::shortest((value as f32).into(), &base::FLOAT32),
            }),
            &ExprKind::Local(local, _) => Python::atom(self.name_of(local)),
            ExprKind::OpCall { op, args, .. } => {
                let row = op.row().name;
                let args: Vec<Python> = args.clone().into_iter().map(|arg| self.take(arg)).list();
                let before = before(&args);
                match (SIGNS.iter().find(|(name, ..)| *name == row), &args[..]) {
                    // Python's quotient of whole numbers is none.
                    (Some(_), [left, right]) if row == "divide" && self.is_int(expr) => {
                        let value = format!("int({} / {})", left.operand(5), right.operand(6));
                        Python { before, ..Python::atom(value) }
                    }
                    (Some(&(_, sign, binds)), [left, right]) => {
                        // Comparisons do not chain.
                        let left = left.operand(if binds == 2 { 3 } else { binds });
                        let value = format!("{left} {sign} {}", right.operand(binds + 1));
                        Python { before, value, binds, chain: None }
                    }
                    (_, [only]) if row == "negative" => {
                        Python { before, value: format!("-{}", only.operand(6)), binds: 6, chain: None }
                    }
                    _ => Python { before, ..Python::atom("None") },
                }
            }
            ExprKind::Tuple(fields) => {
                let fields: Vec<Python> = fields.clone().into_iter().map(|field| self.take(field)).list();
                let list: Vec<&str> = fields.iter().map(|field| field.value.as_str()).list();
                let comma = if list.len() == 1 { "," } else { "" };
                let value = format!("({}{comma})", list.joined(", "));
                Python { before: before(&fields), ..Python::atom(value) }
            }
            &ExprKind::If { cond, then, otherwise } => {
                let (cond, then, otherwise) = (self.take(cond), self.take(then), self.take(otherwise));
                if then.before.is_empty() && otherwise.before.is_empty() {
                    let (then, cond_value) = (then.operand(1), cond.operand(1));
                    let value = format!("{then} if {cond_value} else {}", otherwise.operand(1));
                    return Python { before: cond.before, value, binds: CONDITIONAL, chain: None };
                }
                let result = self.fresh.give("y");
                let mut before = cond.before;
                for (head, branch) in [(format!("if {}:", cond.value), then), ("else:".to_owned(), otherwise)] {
                    before.push(head);
                    before.append_all(branch.before.iter().map(|line| format!("{INDENT}{line}")));
                    before.push(format!("{INDENT}{result} = {}", branch.value));
                }
                Python { before, ..Python::atom(result) }
            }
            ExprKind::Block { lets, tail } => {
                let (lets, tail) = (lets.clone(), *tail);
                let mut before = Vec::new();
                for (local, value) in lets {
                    let mut value = self.take(value);
                    before.append(&mut value.before);
                    match local {
                        Some(local) => before.push(format!("{} = {}", self.name_of(local), value.value)),
                        None => before.push(value.value),
                    }
                }
                let tail = self.take(tail);
                before.append_all(tail.before.clone());
                Python { before, ..tail }
            }
            // Around a body, what takes the node apart.
            ExprKind::Match { arms, .. } => match arms.first() {
                Some(arm) => {
                    let body = arm.body;
                    self.take(body)
                }
                None => Python::atom("None"),
            },
            ExprKind::Project { .. }
            | ExprKind::Error
            | ExprKind::TensorLit(_)
            | ExprKind::Def(_)
            | ExprKind::Ctor(_)
            | ExprKind::Op(_)
            | ExprKind::Call { .. }
            | ExprKind::Variant(..)
            | ExprKind::Fn(_)
            | ExprKind::RefNew(_)
            | ExprKind::RefRead(_)
            | ExprKind::RefWrite { .. } => Python::atom("None"),
        }
    }

    /// A layer on a value. What was a layer's itself is kept in a variable first, so that a chain is a line for each.
    fn stage(&mut self, stage: &Stage) -> Python {
        let module = &self.analysis.module;
        let root = match module.exprs[stage.input].kind {
            ExprKind::Local(local, _) if self.n_uses.get(&local) == Some(&1) => Some(local),
            _ => None,
        };
        let mut input = self.take(stage.input);
        let chain = match (input.chain.take(), root) {
            (Some(chain), _) => {
                input.before.push(format!("{chain} = {}", input.value));
                input.value = chain.clone();
                chain
            }
            // Nothing else needs the variable.
            (None, Some(local)) => self.name_of(local),
            (None, None) => self.fresh.give("y"),
        };
        let x = &input.value;
        let mut before = input.before;
        let value = match &stage.applied {
            &Applied::Weight(net, weight) => {
                let weight = &module.nets[net].weights[weight];
                match &weight.made_of {
                    MadeOf::Layer(layer, _) if layer.kind == LayerKind::Embedding => {
                        format!("self.{}({x}.long())", name(&weight.name))
                    }
                    // These give more than the sequence.
                    MadeOf::Layer(layer, _) if matches!(layer.kind, LayerKind::Lstm | LayerKind::Gru) => {
                        format!("self.{}({x})[0]", name(&weight.name))
                    }
                    MadeOf::Layer(layer, _) if layer.kind == LayerKind::MultiheadAttention => {
                        format!("self.{}({x}, {x}, {x}, need_weights=False)[0]", name(&weight.name))
                    }
                    _ => format!("self.{}({x})", name(&weight.name)),
                }
            }
            Applied::Layer(layer, args) => {
                let mut args = arguments(layer, args, 0);
                // A second value.
                if let (2, ExprKind::OpCall { args: values, .. }) = (layer.n_values(), &module.exprs[stage.expr].kind) {
                    let mut other = self.take(values[1]);
                    before.append(&mut other.before);
                    args = other.value;
                }
                format!("{}({x}{}{args})", layer.torch, if args.is_empty() { "" } else { ", " })
            }
            Applied::View(dims) => {
                let dims: Vec<String> = dims.iter().map(i64::to_string).list();
                format!("{x}.reshape({})", dims.joined(", "))
            }
            Applied::Method(def) => {
                let ExprKind::Call { args, .. } = &module.exprs[stage.expr].kind else { return Python::atom("None") };
                let callee = match module.exprs[args[0]].kind {
                    // A function of a node inside this one.
                    ExprKind::Local(local, _) if Some(&local) != module.functions[self.function].params.first() => {
                        format!("self.{}", name(module.local_name(local)))
                    }
                    _ => "self".to_owned(),
                };
                let rest: Vec<Python> = args[2..].iter().copied().map(|arg| self.take(arg)).list();
                before.append(&mut self::before(&rest));
                let rest: String = rest.iter().map(|arg| format!(", {}", arg.value)).collect();
                let method = method_name(&module.defs[*def].name);
                match method {
                    "forward" => format!("{callee}({x}{rest})"),
                    _ => format!("{callee}.{}({x}{rest})", name(method)),
                }
            }
        };
        Python { before, value, binds: ATOM, chain: Some(chain) }
    }
}

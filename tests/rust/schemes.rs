//! The property of generalisation: in programs without `?`, a call type-checks against the scheme of
//! its function, with type `T`, exactly if it does with the function's body in its place.
//!
//! A seeded generator makes a few small functions that say nothing of their types and may call each other, and a call
//! with random argument types. The program is printed twice from one tree: with definitions and calls, and with every
//! call replaced by its body, as a `let` for each argument or as a function literal that is applied. What is accepted
//! by one and refused by the other, or typed differently, is made smaller as long as that stays so, and printed.

use session::{Analysis, check_order};
use solve::Order;
use std::fmt::Write;
use tests::facts::{errors, is_soak};

const N_CASES: u64 = 3_000;
const N_SOAK: u64 = 20_000;
/// Lists of argument types that are tried for a case, at most.
const N_TRIES: usize = 24;

/// Differences that are known, by the seed of the case, each with its reason. FIXME when the reason is gone.
const KNOWN: &[(u64, &str)] = &[];

#[derive(Clone, Debug)]
enum Expr {
    Param(usize),
    Local(usize),
    Number(&'static str),
    /// `name(arg, …, attributes)`.
    Op {
        name: &'static str,
        args: Vec<Expr>,
        attrs: &'static str,
    },
    Infix(&'static str, Vec<Expr>),
    /// An operator that takes a tuple of all.
    Joined {
        name: &'static str,
        args: Vec<Expr>,
        attrs: &'static str,
    },
    Tuple(Vec<Expr>),
    Field(usize, Vec<Expr>),
    If(Vec<Expr>),
    /// A local, then its value and what it is bound in.
    Let(usize, Vec<Expr>),
    Call(usize, Vec<Expr>),
}

#[derive(Clone, Debug)]
struct Function {
    n_params: usize,
    body: Expr,
}

/// Functions, each of which may call those before it, and the argument types of a call of the last.
#[derive(Clone, Debug)]
struct Case {
    functions: Vec<Function>,
    args: Vec<String>,
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

const UNARY: &[(&str, &str)] = &[
    ("nn.relu", ""),
    ("exp", ""),
    ("negative", ""),
    ("nn.softmax", ""),
    ("nn.softmax", "axis=1"),
    ("zeros_like", ""),
    ("cast", "dtype=\"float32\""),
    ("cast", "dtype=\"int32\""),
    ("transpose", ""),
    ("transpose", "axes=[1, 0]"),
    ("transpose", "axes=[0, 2, 1]"),
    ("sum", ""),
    ("sum", "axis=[0]"),
    ("sum", "axis=[-1], keepdims=True"),
    ("mean", "axis=[1]"),
    ("max", "axis=[0, 1]"),
    ("argmax", "axis=[-1]"),
    ("expand_dims", "axis=0"),
    ("expand_dims", "axis=1"),
    ("expand_dims", "axis=-1, num_newaxis=2"),
    ("squeeze", "axis=[0]"),
    ("reshape", "newshape=[-1]"),
    ("reshape", "newshape=[0, -1]"),
    ("reshape", "newshape=[-1, 2]"),
    ("reshape", "newshape=[2, 3]"),
    ("reshape", "newshape=[-1, 0, 2]"),
    ("reshape", "newshape=[-3, -2]"),
    ("nn.batch_flatten", ""),
    ("reverse", "axis=0"),
    ("repeat", "repeats=2, axis=0"),
    ("tile", "reps=[2, 1]"),
    ("strided_slice", "begin=[0], end=[2]"),
    ("strided_slice", "begin=[1], end=[3], axes=[1]"),
    ("nn.max_pool2d", "pool_size=[2, 2], strides=[2, 2]"),
    ("nn.avg_pool2d", "pool_size=[3, 3], padding=[1, 1]"),
    ("nn.global_avg_pool2d", ""),
    ("broadcast_to", "shape=[2, 3]"),
];

const BINARY: &[(&str, &str)] = &[
    ("nn.dense", ""),
    ("nn.dense", "units=4"),
    ("nn.matmul", ""),
    ("nn.batch_matmul", ""),
    ("nn.bias_add", ""),
    ("nn.bias_add", "axis=-1"),
    ("maximum", ""),
    ("multiply", ""),
    ("take", "axis=0"),
    ("nn.conv2d", "padding=[1, 1]"),
    ("nn.conv2d", "strides=[2, 2]"),
    ("reshape_like", ""),
    ("broadcast_to_like", ""),
    ("collapse_sum_like", ""),
];

const JOINED: &[(&str, &str)] = &[
    ("concatenate", "axis=0"),
    ("concatenate", "axis=-1"),
    ("concatenate", "axis=1"),
    ("stack", "axis=0"),
    ("stack", "axis=-1"),
];

/// What a function's body is made from.
struct Generator<'a> {
    random: &'a mut Random,
    functions: &'a [Function],
    /// Operators of few arguments that need no attribute.
    rows: &'a [&'static op::Op],
    n_params: usize,
    /// The locals in scope, and how many there have been.
    locals: Vec<usize>,
    n_locals: usize,
    /// Operators that may still be used.
    budget: usize,
    /// Whether there is nothing but arithmetic, so that relations wait for one another.
    is_arithmetic: bool,
    /// What may be written once more: parts without locals.
    made: Vec<Expr>,
}

impl Generator<'_> {
    fn leaf(&mut self) -> Expr {
        let n = self.n_params + self.locals.len();
        if self.random.one_in(10) {
            return Expr::Number(self.random.pick(&["1f", "2f", "0.5f", "3"]));
        }
        match self.random.below(n) {
            at if at < self.n_params => Expr::Param(at),
            at => Expr::Local(self.locals[at - self.n_params]),
        }
    }

    fn expr(&mut self, depth: usize) -> Expr {
        if self.budget == 0 || depth == 0 {
            return self.leaf();
        }
        if !self.made.is_empty() && self.random.one_in(if self.is_arithmetic { 2 } else { 8 }) {
            return self.made[self.random.below(self.made.len())].clone();
        }
        self.budget -= 1;
        let made = self.operation(depth - 1);
        if !made.has_local() {
            self.made.push(made.clone());
        }
        made
    }

    fn operation(&mut self, depth: usize) -> Expr {
        let kind = if self.is_arithmetic { 6 } else { self.random.below(25) };
        match kind {
            0..=5 => {
                let (name, attrs) = self.random.pick(UNARY);
                Expr::Op { name, args: vec![self.expr(depth)], attrs }
            }
            6..=9 => {
                let sign = self.random.pick(&["+", "-", "*", "/"]);
                Expr::Infix(sign, vec![self.expr(depth), self.expr(depth)])
            }
            10..=12 => {
                let (name, attrs) = self.random.pick(BINARY);
                Expr::Op { name, args: vec![self.expr(depth), self.expr(depth)], attrs }
            }
            13 => {
                let (name, attrs) = self.random.pick(JOINED);
                Expr::Joined { name, args: vec![self.expr(depth), self.expr(depth)], attrs }
            }
            14 => {
                let attrs = self.random.pick(&["indices_or_sections=2", "indices_or_sections=[1], axis=1"]);
                let parts = Expr::Op { name: "split", args: vec![self.expr(depth)], attrs };
                Expr::Field(self.random.below(2), vec![parts])
            }
            15 => {
                let condition = Expr::Infix(self.random.pick(&["<", "=="]), vec![self.expr(depth), self.expr(depth)]);
                Expr::Op { name: "where", args: vec![condition, self.expr(depth), self.expr(depth)], attrs: "" }
            }
            16 => {
                let pair = Expr::Tuple(vec![self.expr(depth), self.expr(depth)]);
                Expr::Field(self.random.below(2), vec![pair])
            }
            17 if self.random.one_in(2) => {
                let pair = Expr::Param(self.random.below(self.n_params));
                Expr::Field(self.random.below(2), vec![pair])
            }
            17 => {
                Expr::If(vec![Expr::Infix("<", vec![self.leaf(), Expr::Number("1f")]), self.expr(depth), self.leaf()])
            }
            18 | 19 => {
                let value = self.expr(depth);
                let local = self.n_locals;
                self.n_locals += 1;
                self.locals.push(local);
                let body = self.expr(depth);
                self.locals.pop();
                Expr::Let(local, vec![value, body])
            }
            20 | 21 => {
                let row = self.random.pick(self.rows);
                Expr::Op { name: row.name, args: row.args.iter().map(|_| self.expr(depth)).collect(), attrs: "" }
            }
            _ if self.functions.is_empty() => self.leaf(),
            _ => {
                let callee = self.random.below(self.functions.len());
                let args = (0..self.functions[callee].n_params).map(|_| self.expr(depth)).collect();
                Expr::Call(callee, args)
            }
        }
    }
}

fn random_type(random: &mut Random) -> String {
    if random.one_in(12) {
        return format!("({}, {})", random_tensor(random), random_tensor(random));
    }
    random_tensor(random)
}

fn random_tensor(random: &mut Random) -> String {
    let rank = random.pick(&[0, 1, 2, 2, 2, 3, 3, 4]);
    let dims: Vec<String> = (0..rank).map(|_| random.pick(&[1, 2, 2, 3, 3, 4, 6]).to_string()).collect();
    let dtype = if random.one_in(12) { "int32" } else { "float32" };
    format!("Tensor[({}), {dtype}]", dims.join(", "))
}

/// The operators of at most three arguments that may be called without an attribute.
fn rows() -> Vec<&'static op::Op> {
    let needs_none = |row: &&&op::Op| row.attrs.iter().all(|attr| attr.default.value().is_some());
    op::all().iter().filter(needs_none).filter(|row| (1..=3).contains(&row.args.len())).copied().collect()
}

fn random_case(random: &mut Random, rows: &[&'static op::Op]) -> Case {
    let mut functions: Vec<Function> = Vec::new();
    let mut n_params = 0;
    for _ in 0..=random.below(3) {
        n_params = 1 + random.below(3);
        let is_arithmetic = random.one_in(4);
        let budget = 1 + random.below(if is_arithmetic { 8 } else { 5 });
        let (locals, made) = (Vec::new(), Vec::new());
        let mut generator = Generator {
            random,
            functions: &functions,
            rows,
            n_params,
            locals,
            n_locals: 0,
            budget,
            is_arithmetic,
            made,
        };
        let body = generator.expr(4);
        functions.push(Function { n_params, body });
    }
    let mut case = Case { functions, args: random_args(random, n_params) };
    // Of most cases the last argument types that were tried are right, if any are.
    for _ in 0..random.below(N_TRIES) {
        if verdict(&program(&case, Style::Lets)).is_ok() {
            break;
        }
        case.args = random_args(random, n_params);
    }
    case
}

fn random_args(random: &mut Random, n: usize) -> Vec<String> {
    // Equal types are right more often.
    let one = random_type(random);
    (0..n).map(|_| if random.one_in(3) { one.clone() } else { random_type(random) }).collect()
}

impl Expr {
    fn parts(&self) -> &[Expr] {
        match self {
            Expr::Param(_) | Expr::Local(_) | Expr::Number(_) => &[],
            Expr::Op { args, .. }
            | Expr::Joined { args, .. }
            | Expr::Infix(_, args)
            | Expr::Tuple(args)
            | Expr::Field(_, args)
            | Expr::If(args)
            | Expr::Let(_, args)
            | Expr::Call(_, args) => args,
        }
    }

    fn parts_mut(&mut self) -> &mut [Expr] {
        match self {
            Expr::Param(_) | Expr::Local(_) | Expr::Number(_) => &mut [],
            Expr::Op { args, .. }
            | Expr::Joined { args, .. }
            | Expr::Infix(_, args)
            | Expr::Tuple(args)
            | Expr::Field(_, args)
            | Expr::If(args)
            | Expr::Let(_, args)
            | Expr::Call(_, args) => args,
        }
    }

    fn has_local(&self) -> bool {
        matches!(self, Expr::Local(_)) || self.parts().iter().any(Expr::has_local)
    }

    /// Numbers the parameters anew without one; whether that was not used.
    fn forget(&mut self, at: usize) -> bool {
        if let Expr::Param(param) = self {
            let is_other = *param != at;
            *param -= usize::from(*param > at);
            return is_other;
        }
        self.parts_mut().iter_mut().all(|part| part.forget(at))
    }

    fn calls(&self, found: &mut Vec<usize>) {
        if let Expr::Call(callee, _) = self {
            found.push(*callee);
        }
        self.parts().iter().for_each(|part| part.calls(found));
    }
}

/// How a program is written.
#[derive(Clone, Copy, PartialEq)]
enum Style {
    /// With definitions and calls.
    Calls,
    /// With bodies behind a `let` for each argument.
    Lets,
    /// With function literals that are applied.
    Literals,
}

struct Printer<'a> {
    case: &'a Case,
    style: Style,
    /// Bodies that have been put in the place of calls.
    n_copies: usize,
}

impl Printer<'_> {
    /// An expression; its parameters and locals end in `copy`.
    fn expr(&mut self, expr: &Expr, copy: usize) -> String {
        let all = |cx: &mut Self, args: &[Expr]| -> Vec<String> { args.iter().map(|arg| cx.expr(arg, copy)).collect() };
        let call = |name: &str, mut args: Vec<String>, attrs: &str| {
            args.extend((!attrs.is_empty()).then(|| attrs.to_owned()));
            format!("{name}({})", args.join(", "))
        };
        match expr {
            Expr::Param(at) => format!("%p{at}_{copy}"),
            Expr::Local(at) => format!("%l{at}_{copy}"),
            Expr::Number(number) => (*number).to_owned(),
            Expr::Op { name, args, attrs } => call(name, all(self, args), attrs),
            Expr::Joined { name, args, attrs } => {
                let tuple = format!("({})", all(self, args).join(", "));
                call(name, vec![tuple], attrs)
            }
            Expr::Infix(sign, args) => format!("({})", all(self, args).join(&format!(" {sign} "))),
            Expr::Tuple(args) => format!("({})", all(self, args).join(", ")),
            Expr::Field(at, args) => format!("{}.{at}", all(self, args).join(", ")),
            Expr::If(args) => {
                let [condition, then, otherwise] = &all(self, args)[..] else { return String::new() };
                format!("(if ({condition}) {{ {then} }} else {{ {otherwise} }})")
            }
            Expr::Let(local, args) => {
                let [value, body] = &all(self, args)[..] else { return String::new() };
                format!("(let %l{local}_{copy} = {value}; {body})")
            }
            Expr::Call(callee, args) => {
                let args = all(self, args);
                self.call(*callee, &args)
            }
        }
    }

    fn call(&mut self, callee: usize, args: &[String]) -> String {
        if self.style == Style::Calls {
            return format!("@f{callee}({})", args.join(", "));
        }
        let case = self.case;
        self.n_copies += 1;
        let copy = self.n_copies;
        let body = self.expr(&case.functions[callee].body, copy);
        let params: Vec<String> = (0..args.len()).map(|at| format!("%p{at}_{copy}")).collect();
        match self.style {
            Style::Calls | Style::Literals => format!("(fn({}) {{ {body} }})({})", params.join(", "), args.join(", ")),
            Style::Lets => {
                let bindings = params.iter().zip(args);
                let bindings: String = bindings.map(|(param, arg)| format!("let {param} = {arg}; ")).collect();
                format!("({bindings}{body})")
            }
        }
    }
}

/// The program of a case; `@call` is the call.
fn program(case: &Case, style: Style) -> String {
    let mut printer = Printer { case, style, n_copies: 0 };
    let mut text = String::new();
    let last = case.functions.len() - 1;
    if style == Style::Calls {
        let mut called = vec![last];
        let mut at = 0;
        while let Some(&function) = called.get(at) {
            at += 1;
            let mut found = Vec::new();
            case.functions[function].body.calls(&mut found);
            found.retain(|function| !called.contains(function));
            called.extend(found);
        }
        called.sort_unstable();
        called.dedup();
        for function in called {
            let Function { n_params, body } = &case.functions[function];
            let params: Vec<String> = (0..*n_params).map(|at| format!("%p{at}_0")).collect();
            let _ = writeln!(text, "def @f{function}({}) {{ {} }}", params.join(", "), printer.expr(body, 0));
        }
    }
    let params = case.args.iter().enumerate().map(|(at, r#type)| format!("%a{at}: {type}"));
    let params: Vec<String> = params.collect();
    let args: Vec<String> = (0..params.len()).map(|at| format!("%a{at}")).collect();
    let call = printer.call(last, &args);
    let _ = writeln!(text, "def @call({}) {{ {call} }}", params.join(", "));
    text
}

/// The type of `@call`, or what is wrong with the program.
fn verdict(program: &str) -> Result<String, Vec<String>> {
    let analysis = Analysis::new(program);
    let errors = errors(&analysis);
    if !errors.is_empty() {
        return Err(errors);
    }
    let call = analysis.definitions().into_iter().find(|definition| definition.name == "@call");
    Ok(call.map_or_else(String::new, |call| call.r#type))
}

/// What differs between a call and its body; `None` if nothing does.
fn difference(case: &Case, style: Style) -> Option<String> {
    let (calls, inlined) = (program(case, Style::Calls), program(case, style));
    let (left, right) = (verdict(&calls), verdict(&inlined));
    let same = match (&left, &right) {
        (Ok(left), Ok(right)) => left == right,
        (Err(_), Err(_)) => true,
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
    };
    let words = |verdict: Result<String, Vec<String>>| verdict.unwrap_or_else(|errors| errors.join("\n    "));
    (!same).then(|| format!("{calls}  {}\ninlined:\n{inlined}  {}", words(left), words(right)))
}

/// Every case that is one step smaller.
fn smaller(case: &Case) -> Vec<Case> {
    let mut found = Vec::new();
    for function in 0..case.functions.len() {
        for body in smaller_exprs(&case.functions[function].body) {
            let mut smaller = case.clone();
            smaller.functions[function].body = body;
            found.push(smaller);
        }
    }
    if case.functions.len() > 1 {
        // A function that the last calls may do without it.
        let mut smaller = case.clone();
        smaller.functions.pop();
        let n_params = smaller.functions.last().map_or(0, |function| function.n_params);
        smaller.args.resize(n_params, "Tensor[(2, 3), float32]".to_owned());
        found.push(smaller);
    }
    for at in 0..case.args.len() {
        found.extend(without_param(case, at));
        for simple in ["float32", "Tensor[(2), float32]", "Tensor[(2, 3), float32]"] {
            if case.args[at].len() > simple.len() {
                let mut smaller = case.clone();
                smaller.args[at] = simple.to_owned();
                found.push(smaller);
            }
        }
    }
    found
}

/// The case without a parameter that the last function does not use.
fn without_param(case: &Case, at: usize) -> Option<Case> {
    let mut smaller = case.clone();
    let function = smaller.functions.last_mut()?;
    if function.n_params == 1 || !function.body.forget(at) {
        return None;
    }
    function.n_params -= 1;
    smaller.args.remove(at);
    Some(smaller)
}

/// The expression with one of its parts in the place of what it is a part of, or a parameter in the place of anything.
fn smaller_exprs(expr: &Expr) -> Vec<Expr> {
    let mut found: Vec<Expr> = expr.parts().to_vec();
    if !matches!(expr, Expr::Param(_)) {
        found.push(Expr::Param(0));
    }
    for at in 0..expr.parts().len() {
        for part in smaller_exprs(&expr.parts()[at]) {
            let mut smaller = expr.clone();
            smaller.parts_mut()[at] = part;
            found.push(smaller);
        }
    }
    found
}

fn minimal(mut case: Case, style: Style) -> Case {
    while let Some(smaller) = smaller(&case).into_iter().find(|case| difference(case, style).is_some()) {
        case = smaller;
    }
    case
}

#[test]
fn a_call_is_typed_as_its_body() {
    let n = if is_soak() { N_SOAK } else { N_CASES };
    let rows = rows();
    let (mut n_accepted, mut found, mut settled) = (0, Vec::new(), Vec::new());
    for seed in 0..n {
        let case = random_case(&mut Random(seed), &rows);
        let style = if seed % 2 == 0 { Style::Lets } else { Style::Literals };
        n_accepted += usize::from(verdict(&program(&case, Style::Calls)).is_ok());
        let is_known = KNOWN.iter().any(|&(known, _)| known == seed);
        match difference(&case, style) {
            Some(_) if is_known => {}
            Some(_) => {
                let minimal = minimal(case, style);
                found.push(format!("seed {seed}:\n{}", difference(&minimal, style).unwrap_or_default()));
            }
            None if is_known => settled.push(seed),
            None => {}
        }
    }
    println!("calls against their bodies: {n} cases, {n_accepted} of them accepted");
    assert!(found.is_empty(), "{} of {n} calls are not typed as their bodies:\n{}", found.len(), found.join("\n"));
    assert!(settled.is_empty(), "known as different, but they agree: {settled:?}");
    assert!(n_accepted * 5 > n as usize, "too few of the cases are programs without an error: {n_accepted}");
}

#[test]
fn every_order_of_the_queue_types_the_call_alike() {
    let (n, rows) = (if is_soak() { N_SOAK } else { N_CASES }, rows());
    for seed in 0..n {
        let text = program(&random_case(&mut Random(!seed), &rows), Style::Calls);
        let (accepts, types) = check_order(&text, Order::Queue);
        for order in 1..3 {
            let (also_accepts, other_types) = check_order(&text, Order::Shuffled(seed * 7919 + order));
            assert_eq!(accepts, also_accepts, "seed {seed}: order {order} decides otherwise\n{text}");
            assert!(
                !accepts || types.last() == other_types.last(),
                "seed {seed}: {types:?} or {other_types:?}\n{text}"
            );
        }
    }
}

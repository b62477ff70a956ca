//! The items of a program: data types, definitions, top-level bindings and expressions.

use super::scope::{Function, LIST, Local, NAT, OPTION, Recursion, TREE, holes, list, prelude};
use super::r#type::{FLOAT, INT, Type, function, joined, tensor};
use super::{Adt, Expr, Generator, Item, Program, Random, expr};
use std::collections::BTreeSet;

/// Depth of the body of a definition or of an expression.
const DEPTH: usize = 4;

/// Parts of one item, at most.
const BUDGET: usize = 16;

/// What a definition says of its types.
#[derive(Clone, Copy, PartialEq)]
enum Says {
    All,
    Params,
    Nothing,
}

/// A definition but for its body.
struct Header {
    name: String,
    says: Says,
    params: Vec<usize>,
    args: Vec<(String, Type)>,
    result: Type,
}

pub(crate) fn program(seed: u64) -> Program {
    let adt = |name: &str, params: Vec<usize>, ctors: Vec<(&str, Vec<Type>)>| Adt {
        name: name.to_owned(),
        params,
        ctors: ctors.into_iter().map(|(name, fields)| (name.to_owned(), fields)).collect(),
    };
    let a = Type::Param(0);
    let mut adts = vec![
        adt("List", vec![0], vec![("Nil", vec![]), ("Cons", vec![a.clone(), list(a.clone())])]),
        adt("Option", vec![0], vec![("None", vec![]), ("Some", vec![a.clone()])]),
    ];
    let branches = list(Type::Adt(TREE, vec![a.clone()]));
    adts.push(adt("Tree", vec![0], vec![("Rose", vec![a, branches])]));
    adts.push(adt("nat", vec![], vec![("zero", vec![]), ("succ", vec![Type::Adt(NAT, Vec::new())])]));
    let mut generator = Generator {
        random: Random(seed),
        adts,
        functions: prelude(),
        locals: Vec::new(),
        recursions: Vec::new(),
        rigid: Vec::new(),
        silent: Vec::new(),
        n_names: 0,
        n_params: 3,
        budget: BUDGET,
        n_nested: 0,
        rounds: 1,
        cost: 0,
        features: BTreeSet::new(),
    };
    let mut items = generator.data_types();
    let n_declared = generator.functions.len();
    for _ in 0..1 + generator.random.below(3) {
        generator.begin_item();
        if generator.random.one_in(4) {
            items.push(generator.top_let());
        }
        generator.definition(&mut items);
    }
    for at in n_declared..generator.functions.len() {
        for _ in 0..1 + generator.random.below(2) {
            items.push(generator.use_of(at));
        }
    }
    if generator.random.one_in(2) {
        let [definitions, uses] = generator.known();
        items.extend(definitions);
        items.extend(uses);
    }
    for _ in 0..generator.random.below(3) {
        generator.begin_item();
        let want = generator.r#type(2);
        let value = generator.expr(&want, DEPTH);
        items.push(Item { template: "$;".to_owned(), parts: vec![value] });
    }
    if generator.features.contains("dim polymorphism") {
        let text =
            "def @doubled[N: Dim](%x: Tensor[(N), float32]) -> Tensor[(N * 2), float32] { concatenate((%x, %x)) }";
        items.insert(0, Item { template: text.to_owned(), parts: Vec::new() });
    }
    Program { items, adts: generator.adts, features: generator.features }
}

impl Generator {
    pub(crate) fn begin_item(&mut self) {
        self.budget = BUDGET;
        self.rounds = 1;
        self.cost = 0;
    }

    /// Up to three data types, of which two may hold each other.
    fn data_types(&mut self) -> Vec<Item> {
        let n = self.random.below(4);
        let first = self.adts.len();
        let is_mutual = n > 1 && self.random.one_in(2);
        let mut items = Vec::new();
        for at in first..first + n {
            // Those that hold each other have as many parameters.
            let n_params = match at > first && is_mutual {
                true => self.adts[first].params.len(),
                false => self.random.pick(&[0, 0, 1, 1, 2]),
            };
            let params: Vec<usize> = (0..n_params).map(|_| self.new_param()).collect();
            self.adts.push(Adt { name: format!("T{at}"), params, ctors: vec![(format!("C{at}Of0"), Vec::new())] });
        }
        for at in first..first + n {
            let params = self.adts[at].params.clone();
            let own = |adt| Type::Adt(adt, params.iter().map(|&param| Type::Param(param)).collect());
            // A field mentions only what is before, and its own type where that is allowed.
            let later = self.adts.split_off(at);
            let mut ctors: Vec<(String, Vec<Type>)> = Vec::new();
            self.rigid = params.clone();
            for number in 0..self.random.pick(&[1, 2, 2, 3, 4]) {
                let mut fields: Vec<Type> =
                    (0..self.random.pick(&[0, 1, 1, 2, 2, 3, 4])).map(|_| self.field()).collect();
                if number > 0 {
                    for field in &mut fields {
                        if self.random.one_in(3) {
                            self.uses("recursive data type");
                            *field = match self.random.below(8) {
                                0 => list(own(at)),
                                1 => function(vec![INT], own(at)),
                                2 => Type::Tuple(vec![INT, own(at)]),
                                3 | 4 if is_mutual && at < first + 2 => {
                                    self.uses("mutually recursive data types");
                                    own(first + first + 1 - at)
                                }
                                _ => own(at),
                            };
                        }
                    }
                }
                if fields.iter().any(|field| matches!(field, Type::Fn(..))) {
                    self.uses("function in data");
                }
                ctors.push((format!("C{at}Of{number}"), fields));
            }
            self.rigid.clear();
            self.adts.extend(later);
            if !params.is_empty() {
                self.uses("polymorphic data type");
            }
            self.uses("data type");
            self.adts[at].ctors = ctors;
        }
        for at in first..first + n {
            let Adt { name, params, ctors } = &self.adts[at];
            let fields = |fields: &[Type]| match fields.is_empty() {
                true => String::new(),
                false => format!("({})", joined(fields.iter().map(|field| self.print(field)))),
            };
            let ctors = joined(ctors.iter().map(|(name, types)| format!("{name}{}", fields(types))));
            items.push(Item {
                template: format!("type {name}{} {{ {ctors} }}", in_brackets(params)),
                parts: Vec::new(),
            });
        }
        items
    }

    fn field(&mut self) -> Type {
        if !self.rigid.is_empty() && self.random.one_in(3) {
            return Type::Param(self.random.pick(&self.rigid));
        }
        let depth = self.random.pick(&[0, 0, 0, 1, 1, 2]);
        self.r#type(depth)
    }

    fn top_let(&mut self) -> Item {
        self.begin_item();
        self.uses("top-level let");
        let of = self.r#type(2);
        let value = self.expr(&of, DEPTH - 1);
        let name = self.new_name();
        let annotation = if self.random.one_in(2) { self.annotation(&of) } else { String::new() };
        self.bind(&name, &of);
        Item { template: format!("let {name}{annotation} = $;"), parts: vec![value] }
    }

    fn definition(&mut self, items: &mut Vec<Item>) {
        match self.random.below(10) {
            0..=2 => self.plain(items),
            3 | 4 => self.countdown(items),
            5..=7 => self.fold(items),
            8 => self.elementwise_definition(items),
            _ => self.mutual(items),
        }
    }

    /// A name, up to two type parameters, and arguments: these, one of each parameter, and some more.
    fn header(&mut self, given: Vec<(String, Type)>, given_params: Vec<usize>, result: Option<Type>) -> Header {
        let says = self.random.pick(&[Says::All, Says::All, Says::Params, Says::Nothing]);
        let mut params = given_params;
        let more: Vec<usize> = (0..self.random.pick(&[0, 0, 1, 1, 2])).map(|_| self.new_param()).collect();
        params.extend(&more);
        self.rigid.clone_from(&params);
        let mut args = given;
        for &param in &params {
            args.push((self.new_name(), Type::Param(param)));
        }
        for _ in 0..self.random.pick(&[0, 1, 1, 2]) {
            args.push((self.new_name(), self.r#type(2)));
        }
        let result = result.unwrap_or_else(|| match self.random.one_in(2) && !params.is_empty() {
            true => self.around(params[0]),
            false => self.r#type(2),
        });
        self.uses(match says {
            Says::All => "def with annotations",
            Says::Params => "def without a result type",
            Says::Nothing => "def without annotations",
        });
        if !params.is_empty() {
            self.uses("polymorphic def");
        }
        if args.iter().any(|(_, of)| matches!(of, Type::Fn(..))) {
            self.uses("higher-order def");
        }
        self.n_names += 1;
        Header { name: format!("@f{}", self.n_names), says, params, args, result }
    }

    /// Binds the parameters, so that a body can be written. Pinned ones are not hidden.
    fn enter(&mut self, header: &Header, n_pinned: usize) {
        self.rigid.clone_from(&header.params);
        if header.says == Says::Nothing {
            self.silent.clone_from(&header.params);
        }
        for (at, (name, of)) in header.args.iter().enumerate() {
            let of = if *of == Type::Count { INT } else { of.clone() };
            self.locals.push(Local { name: name.clone(), r#type: of, is_fresh: false, is_pinned: at < n_pinned });
        }
    }

    /// The definition with this body; it may be called from now on if it is `declared`.
    fn leave(&mut self, header: Header, n_locals: usize, cost: u64, template: &str, parts: Vec<Expr>) -> Item {
        self.locals.truncate(n_locals);
        self.recursions.clear();
        self.rigid.clear();
        self.silent.clear();
        let Header { name, says, params, args, result } = header;
        let arg = |(name, of): &(String, Type)| match says {
            Says::All | Says::Params => format!("{name}: {}", self.print(of)),
            Says::Nothing => name.clone(),
        };
        let given = joined(args.iter().map(arg));
        let brackets = if says == Says::Nothing { String::new() } else { in_brackets(&params) };
        let said = if says == Says::All { format!(" -> {}", self.print(&result)) } else { String::new() };
        let template = format!("def {name}{brackets}({given}){said} {{\n{template}\n}}");
        let args = args.into_iter().map(|(_, of)| of).collect();
        self.functions.push(Function { name, params, args, result, cost: cost + 1, is_elementwise: false });
        Item { template, parts }
    }

    fn plain(&mut self, items: &mut Vec<Item>) {
        let header = self.header(Vec::new(), Vec::new(), None);
        let n_locals = self.locals.len();
        self.enter(&header, 0);
        let body = self.expr(&header.result, DEPTH);
        let cost = self.cost;
        items.push(self.leave(header, n_locals, cost, "$", vec![body]));
    }

    /// A loop: with one less, at times as a tail call.
    fn countdown(&mut self, items: &mut Vec<Item>) {
        let count = self.new_name();
        let header = self.header(vec![(count.clone(), Type::Count)], Vec::new(), None);
        let n_locals = self.locals.len();
        self.enter(&header, 1);
        let last = self.expr(&header.result, DEPTH - 2);
        self.rounds = 5;
        let recursion = self.recursion_of(&header, format!("{}({count} - 1", header.name), ")", 2);
        self.recursions.push(recursion);
        let step = if self.random.one_in(2) {
            self.uses("tail call");
            self.recursion(&header.result, DEPTH - 1)
        } else {
            None
        };
        let step = step.unwrap_or_else(|| self.expr(&header.result, DEPTH));
        self.uses("countdown");
        let cost = self.cost;
        let template = format!("if ({count} <= 0) {{ $ }} else {{ $ }}");
        items.push(self.leave(header, n_locals, cost + 5, &template, vec![last, step]));
    }

    fn recursion_of(&self, header: &Header, before: String, after: &str, n_left: usize) -> Recursion {
        let args = header.args.iter().skip(1).map(|(_, of)| of.clone()).collect();
        Recursion { before, args, after: after.to_owned(), result: header.result.clone(), n_left }
    }

    /// Two that count down in turns.
    fn mutual(&mut self, items: &mut Vec<Item>) {
        self.uses("mutual recursion");
        let count = self.new_name();
        let mut first = self.header(vec![(count.clone(), Type::Count)], Vec::new(), None);
        // Without the types of results, the parameters of one would be those of the other.
        if first.says == Says::Params {
            first.says = Says::All;
        }
        let other = Header {
            name: format!("{}b", first.name),
            says: first.says,
            params: first.params.clone(),
            args: first.args.clone(),
            result: first.result.clone(),
        };
        let names = [first.name.clone(), other.name.clone()];
        let n_functions = self.functions.len();
        for (at, header) in [first, other].into_iter().enumerate() {
            let n_locals = self.locals.len();
            self.enter(&header, 1);
            let last = self.expr(&header.result, DEPTH - 2);
            self.rounds = 5;
            for (callee, n_left) in [(1 - at, 2), (at, 1)] {
                let recursion = self.recursion_of(&header, format!("{}({count} - 1", names[callee]), ")", n_left);
                self.recursions.push(recursion);
            }
            let (step, depth) = (self.random.one_in(2), DEPTH - 1);
            let step = if step { self.recursion(&header.result, depth) } else { None };
            let step = step.unwrap_or_else(|| self.expr(&header.result, depth));
            let cost = self.cost + 10;
            let template = format!("if ({count} <= 0) {{ $ }} else {{ $ }}");
            items.push(self.leave(header, n_locals, cost, &template, vec![last, step]));
            // The first is not to be called by the second but with less.
            if at == 0 {
                let hidden = self.functions.split_off(n_functions);
                self.begin_item();
                self.functions.extend(hidden.into_iter().map(|function| Function { cost: u64::MAX >> 32, ..function }));
            }
        }
        for function in &mut self.functions[n_functions..] {
            function.cost = 40;
        }
    }

    /// A definition by the constructors of a data type, each of which may go on with what it holds.
    fn fold(&mut self, items: &mut Vec<Item>) {
        let adt = match self.random.below(6) {
            0 | 1 => self.random.pick(&[LIST, LIST, OPTION, TREE, NAT]),
            _ => self.adts.len() - 1 - self.random.below(self.adts.len().min(3)),
        };
        let params: Vec<usize> = self.adts[adt].params.clone().iter().map(|_| self.new_param()).collect();
        let of = Type::Adt(adt, params.iter().map(|&param| Type::Param(param)).collect());
        let subject = self.new_name();
        let header = self.header(vec![(subject.clone(), of.clone())], params, None);
        let n_locals = self.locals.len();
        self.enter(&header, 0);
        self.uses("fold over data");
        let (mut arms, mut bodies) = (String::new(), Vec::new());
        let cases = self.cases(&of);
        let is_deep = cases.iter().flat_map(|(_, fields)| fields).any(|field| field.mentions(adt));
        for (ctor, fields) in cases {
            let (n_locals, names): (usize, Vec<String>) =
                (self.locals.len(), fields.iter().map(|_| self.new_name()).collect());
            let (name, depth) = (header.name.clone(), DEPTH - 1);
            for (field, of_field) in names.iter().zip(&fields) {
                let (n, r#type) = (field.clone(), of_field.clone());
                self.locals.push(Local { name: n, r#type, is_fresh: false, is_pinned: true });
                if *of_field == of {
                    let recursion = self.recursion_of(&header, format!("{name}({field}"), ")", 1);
                    self.recursions.push(recursion);
                } else if *of_field == list(of.clone()) {
                    let inner = self.new_name();
                    let before = format!("@map(fn({inner}) {{ {name}({inner}");
                    let recursion = self.recursion_of(&header, before, format!(") }}, {field})").as_str(), 1);
                    self.recursions.push(Recursion { result: list(header.result.clone()), ..recursion });
                } else if *of_field == Type::Tuple(vec![INT, of.clone()]) {
                    let recursion = self.recursion_of(&header, format!("{name}({field}.1"), ")", 1);
                    self.recursions.push(recursion);
                } else if *of_field == function(vec![INT], of.clone()) {
                    let recursion = self.recursion_of(&header, format!("{name}({field}(1)"), ")", 1);
                    self.recursions.push(recursion);
                }
            }
            self.rounds = if is_deep { 8 } else { 1 };
            let body = match self.random.one_in(2) {
                true => self.recursion(&header.result, depth),
                false => None,
            };
            bodies.push(body.unwrap_or_else(|| self.expr(&header.result, depth)));
            self.rounds = 1;
            self.recursions.clear();
            self.locals.truncate(n_locals);
            let fields = if names.is_empty() { String::new() } else { format!("({})", names.join(", ")) };
            arms.push_str(&format!("  {ctor}{fields} => $,\n"));
        }
        let cost = self.cost + if is_deep { 10 } else { 1 };
        items.push(self.leave(header, n_locals, cost, &format!("match ({subject}) {{\n{arms}}}"), bodies));
    }

    /// For tensors of any shape, without annotations.
    fn elementwise_definition(&mut self, items: &mut Vec<Item>) {
        self.uses("def for any shape");
        let param = self.new_param();
        let of = Type::Param(param);
        let names: Vec<String> = (0..1 + self.random.below(2)).map(|_| self.new_name()).collect();
        let n_locals = self.locals.len();
        names.iter().for_each(|name| self.bind(name, &of));
        let body = self.any_shape(&of, 3);
        self.locals.truncate(n_locals);
        self.n_names += 1;
        let name = format!("@f{}", self.n_names);
        let template = format!("def {name}({}) {{ {} + $ }}", names.join(", "), names.join(" * "));
        items.push(Item { template, parts: vec![body] });
        let args = vec![of.clone(); names.len()];
        self.functions.push(Function { name, params: vec![param], args, result: of, cost: 1, is_elementwise: true });
    }

    /// An expression that calls a definition.
    fn use_of(&mut self, at: usize) -> Item {
        self.begin_item();
        let function = self.functions[at].clone();
        let types: Vec<Type> = (0..function.params.len())
            .map(|_| match function.is_elementwise {
                true if self.random.one_in(4) => FLOAT,
                true => tensor(self.dims(), super::r#type::Dtype::Float32),
                false => self.r#type(1),
            })
            .collect();
        let result = function.result.with(&function.params, &types);
        let mut call = self.call_function(&function, &result, DEPTH - 1);
        // A function says nothing by itself.
        while let Type::Fn(params, result) = call.r#type.clone() {
            let mut parts = vec![call];
            parts.extend(params.iter().map(|param| self.expr(param, 1)));
            call = expr(&result, format!("$({})", holes(params.len())), parts);
        }
        Item { template: "$;".to_owned(), parts: vec![call] }
    }
}

fn in_brackets(params: &[usize]) -> String {
    if params.is_empty() {
        String::new()
    } else {
        format!("[{}]", joined(params.iter().map(|param| format!("P{param}"))))
    }
}

//! Expressions of a wanted type.

use super::scope::{Function, Local, Recursion, holes};
use super::r#type::{BOOL, INT, Type, function};
use super::{Expr, Generator, expr};

impl Generator {
    /// An expression of this type.
    pub(crate) fn expr(&mut self, want: &Type, depth: usize) -> Expr {
        if let Type::Count = want {
            return expr(want, self.random.below(6).to_string(), Vec::new());
        }
        if depth == 0 || self.budget == 0 {
            let variable = if self.random.one_in(4) { None } else { self.variable(want) };
            return variable.unwrap_or_else(|| self.construct(want, 0));
        }
        self.budget -= 1;
        let depth = depth - 1;
        // Numbers are mostly computed.
        let is_number = matches!(want, Type::Scalar(_) | Type::Tensor(..));
        for _ in 0..2 {
            let found = match self.random.below(if is_number { 56 } else { 36 }) {
                0..=5 => self.variable(want),
                6..=11 => self.call(want, depth),
                12 | 13 => Some(self.r#let(want, depth)),
                14 => Some(self.r#if(want, depth)),
                15..=18 => Some(self.r#match(want, depth)),
                19 => self.project(want, depth),
                20 => self.read(want, depth),
                21 if self.random.one_in(2) => Some(self.applied(want, depth)),
                22 if self.random.one_in(2) => Some(self.polymorphic(want, depth)),
                23 if self.random.one_in(2) => Some(self.written(want, depth)),
                24 | 25 => self.expanded(want, depth),
                26..=28 => self.recursion(want, depth),
                29 if self.random.one_in(4) => Some(self.local_loop(want, depth)),
                _ => return self.construct(want, depth),
            };
            if let Some(found) = found {
                return found;
            }
        }
        self.construct(want, depth)
    }

    /// What makes a value of the type: a literal, a constructor, an operator.
    pub(crate) fn construct(&mut self, want: &Type, depth: usize) -> Expr {
        match want {
            Type::Count => expr(want, "0", Vec::new()),
            Type::Scalar(dtype) => self.scalar(*dtype, depth),
            Type::Tensor(dims, dtype) => self.tensor(dims, *dtype, depth),
            Type::Tuple(fields) => {
                self.uses("tuple");
                let parts: Vec<Expr> = fields.iter().map(|field| self.expr(field, depth)).collect();
                let comma = if fields.len() == 1 { "," } else { "" };
                expr(want, format!("({}{comma})", holes(fields.len())), parts)
            }
            Type::Fn(params, result) => self.function(params, result, depth),
            Type::Ref(inner) => {
                self.uses("ref");
                let inner = self.expr(inner, depth);
                expr(want, "ref($)", vec![inner])
            }
            Type::Adt(..) | Type::Sum(_) => {
                let is_sum = matches!(want, Type::Sum(_));
                self.uses(if is_sum { "anonymous variant" } else { "constructor" });
                let cases = self.cases(want);
                let mut at = self.random.below(cases.len());
                let goes_on =
                    matches!(want, Type::Adt(adt, _) if cases[at].1.iter().any(|field| self.returns_to(field, *adt)));
                // The first constructor of a data type ends it.
                if depth == 0 && goes_on && (self.n_nested >= 3 || self.random.one_in(4)) {
                    at = 0;
                }
                self.n_nested += usize::from(depth == 0);
                let (name, fields) = &cases[at];
                let parts: Vec<Expr> = fields.iter().map(|field| self.expr(field, depth)).collect();
                self.n_nested -= usize::from(depth == 0);
                let fields = if fields.is_empty() { String::new() } else { format!("({})", holes(fields.len())) };
                expr(want, format!("{name}{fields}"), parts)
            }
            Type::Param(_) => self.variable(want).expect("there is always a variable of a parameter's type"),
        }
    }

    /// Whether a field may hold something of its own type.
    fn returns_to(&self, field: &Type, adt: usize) -> bool {
        // Those that hold each other stand side by side.
        [adt.saturating_sub(1), adt, adt + 1].into_iter().any(|adt| adt < self.adts.len() && field.mentions(adt))
    }

    fn r#let(&mut self, want: &Type, depth: usize) -> Expr {
        self.uses("let");
        let (of, value) = if let Some(value) = self.parted(depth) {
            (value.r#type.clone(), value)
        } else {
            // What it is bound in may come from it.
            let of = match self.random.below(8) {
                0 => Type::Tuple(vec![self.r#type(1), want.clone()]),
                1 => function(vec![self.r#type(1)], want.clone()),
                2 => Type::Ref(Box::new(want.clone())),
                3 => super::scope::list(want.clone()),
                4 => want.clone(),
                _ => self.r#type(2),
            };
            let value = self.expr(&of, depth);
            (of, value)
        };
        // A function would see itself, not what it hides.
        let name = if matches!(of, Type::Fn(..)) { self.new_name() } else { self.name() };
        let annotation = if self.random.one_in(2) { self.annotation(&of) } else { String::new() };
        let n_locals = self.locals.len();
        self.bind(&name, &of);
        let body = self.expr(want, depth);
        self.locals.truncate(n_locals);
        expr(want, format!("(let {name}{annotation} = $;\n$)"), vec![value, body])
    }

    /// What a variable gives: a function its result, a tuple a field, a cell what it holds.
    fn parted(&mut self, depth: usize) -> Option<Expr> {
        let is_compound = |local: &Local| match &local.r#type {
            Type::Fn(..) | Type::Ref(_) => true,
            Type::Tuple(fields) => !fields.is_empty(),
            Type::Scalar(_) | Type::Tensor(..) | Type::Adt(..) | Type::Sum(_) | Type::Param(_) | Type::Count => false,
        };
        let found = self.visible(is_compound);
        if found.is_empty() || self.random.one_in(2) {
            return None;
        }
        let at = found[self.random.below(found.len())];
        self.locals[at].is_fresh = false;
        let Local { name, r#type, .. } = self.locals[at].clone();
        match r#type {
            Type::Fn(params, result) => {
                self.uses("call of a local");
                Some(self.call_of(&name, &params, "", &result, depth))
            }
            Type::Tuple(fields) => {
                self.uses("projection");
                let at = self.random.below(fields.len());
                Some(expr(&fields[at], format!("{name}.{at}"), Vec::new()))
            }
            Type::Ref(inner) => {
                self.uses("read of a ref");
                Some(expr(&inner, format!("!{name}"), Vec::new()))
            }
            Type::Scalar(_) | Type::Tensor(..) | Type::Adt(..) | Type::Sum(_) | Type::Param(_) | Type::Count => None,
        }
    }

    fn r#if(&mut self, want: &Type, depth: usize) -> Expr {
        self.uses("if");
        let condition = match depth < 2 || self.budget == 0 {
            true => self.comparison(depth.min(1)),
            false => self.expr(&BOOL, depth),
        };
        let parts = vec![condition, self.expr(want, depth), self.expr(want, depth)];
        expr(want, "(if ($) { $ } else { $ })", parts)
    }

    /// A field of a tuple, of a variable if there is one.
    fn project(&mut self, want: &Type, depth: usize) -> Option<Expr> {
        let found = self.visible(|local| matches!(&local.r#type, Type::Tuple(fields) if fields.contains(want)));
        if !found.is_empty() {
            let Local { name, r#type: Type::Tuple(fields), .. } =
                self.locals[found[self.random.below(found.len())]].clone()
            else {
                return None;
            };
            let at = fields.iter().position(|field| field == want)?;
            self.uses("projection");
            return Some(expr(want, format!("{name}.{at}"), Vec::new()));
        }
        let other = self.r#type(1);
        let of = Type::Tuple(vec![other, want.clone()]);
        let annotation = self.annotation(&of);
        if annotation.is_empty() {
            return None;
        }
        // A projection waits until it is known of what.
        let (tuple, name) = (self.expr(&of, depth), self.new_name());
        Some(expr(want, format!("(let {name}{annotation} = $;\n{name}.1)"), vec![tuple]))
    }

    /// What a cell holds.
    fn read(&mut self, want: &Type, depth: usize) -> Option<Expr> {
        let of = Type::Ref(Box::new(want.clone()));
        let cell = match self.variable(&of) {
            Some(cell) => cell,
            None if self.random.one_in(2) => self.expr(&of, depth),
            None => return None,
        };
        self.uses("read of a ref");
        Some(expr(want, "!($)", vec![cell]))
    }

    /// A cell is written, and then something is done.
    fn written(&mut self, want: &Type, depth: usize) -> Expr {
        self.uses("write of a ref");
        let found = self.visible(|local| matches!(local.r#type, Type::Ref(_)));
        if !found.is_empty() {
            let Local { name, r#type, .. } = self.locals[found[self.random.below(found.len())]].clone();
            if let Type::Ref(inner) = r#type {
                let parts = vec![self.expr(&inner, depth), self.expr(want, depth)];
                return expr(want, format!("({name} := $;\n$)"), parts);
            }
        }
        let inner = self.r#type(1);
        let first = self.expr(&inner, depth);
        let (name, n_locals) = (self.name(), self.locals.len());
        self.bind(&name, &Type::Ref(Box::new(inner.clone())));
        let parts = vec![first, self.expr(&inner, depth), self.expr(want, depth)];
        self.locals.truncate(n_locals);
        expr(want, format!("(let {name} = ref($);\n{name} := $;\n$)"), parts)
    }

    /// A literal function that is applied.
    fn applied(&mut self, want: &Type, depth: usize) -> Expr {
        self.uses("applied function");
        let of = self.r#type(1);
        let parts = vec![self.lambda(std::slice::from_ref(&of), want, depth), self.expr(&of, depth)];
        expr(want, "($)($)", parts)
    }

    /// A polymorphic local function, and something that may use it at several types.
    fn polymorphic(&mut self, want: &Type, depth: usize) -> Expr {
        self.uses("local polymorphic function");
        let param = self.new_param();
        let (name, n_functions, n_locals) = (self.new_name(), self.functions.len(), self.locals.len());
        self.rigid.push(param);
        let mut args = vec![Type::Param(param)];
        if self.random.one_in(2) {
            args.push(self.r#type(1));
        }
        let result = match self.random.below(4) {
            0 => self.r#type(2),
            1 | 2 => want.clone(),
            _ => self.around(param),
        };
        let names: Vec<String> = args.iter().map(|_| self.new_name()).collect();
        for (name, arg) in names.iter().zip(&args) {
            self.bind(name, arg);
        }
        let params: Vec<String> =
            names.iter().zip(&args).map(|(name, arg)| format!("{name}{}", self.annotation(arg))).collect();
        let said = self.annotation(&result).replacen(": ", " -> ", 1);
        let rounds = self.rounds;
        self.rounds *= 4;
        let body = self.expr(&result, depth);
        self.rounds = rounds;
        self.locals.truncate(n_locals);
        self.rigid.pop();
        let template = format!("(let {name} = fn[P{param}]({}){said} {{ $ }};\n$)", params.join(", "));
        self.functions.push(Function { name, params: vec![param], args, result, cost: 4, is_elementwise: false });
        let own = self.functions[n_functions].clone();
        let fits = own.result.matches(want, &own.params, &mut [None]);
        let rest = match fits && self.random.one_in(2) {
            true => self.call_function(&own, want, depth),
            false => self.expr(want, depth),
        };
        self.functions.truncate(n_functions);
        expr(want, template, vec![body, rest])
    }

    /// A type that holds what a parameter stands for.
    pub(crate) fn around(&mut self, param: usize) -> Type {
        let param = Type::Param(param);
        let other = self.r#type(1);
        match self.random.below(6) {
            0 => param,
            1 => Type::Tuple(vec![param, other]),
            2 => super::scope::list(param),
            3 => function(vec![other], param),
            4 => Type::Sum(vec![("A", Vec::new()), ("B", vec![param])]),
            _ => {
                let adt = self.random.below(self.adts.len());
                Type::Adt(adt, vec![param; self.adts[adt].params.len()])
            }
        }
    }

    /// A smaller sum that is made a larger one.
    fn expanded(&mut self, want: &Type, depth: usize) -> Option<Expr> {
        let Type::Sum(variants) = want else { return None };
        let mut fewer = variants.clone();
        if fewer.len() > 1 {
            fewer.remove(self.random.below(fewer.len()));
        }
        self.uses("as expands");
        let inner = self.expr(&Type::Sum(fewer), depth);
        let name = self.new_name();
        Some(expr(want, format!("match ($) {{ _ as {name} => {name} }}"), vec![inner]))
    }

    /// A function literal, a name, or an operator.
    fn function(&mut self, params: &[Type], result: &Type, depth: usize) -> Expr {
        let want = function(params.to_vec(), result.clone());
        let is_same = |other: &Function| {
            let mut found = vec![None; other.params.len()];
            other.args.len() == params.len()
                && !other.is_elementwise
                && function(other.args.clone(), other.result.clone()).matches(&want, &other.params, &mut found)
        };
        let named = self.functions.iter().filter(|other| other.cost * self.rounds < 100 && is_same(other));
        let mut names: Vec<String> = named.map(|other| other.name.clone()).collect();
        if let [Type::Scalar(left), Type::Scalar(right)] = params {
            let is_int = left == right && *result == params[0] && *left != super::r#type::Dtype::Bool;
            names.extend(["add", "multiply", "maximum"].iter().filter(|_| is_int).map(|&name| name.to_owned()));
        }
        let ctors = self.cases(result).into_iter().filter(|(_, fields)| fields == params);
        names.extend(ctors.map(|(name, _)| name).filter(|name| !name.starts_with('`')));
        if !names.is_empty() && self.random.one_in(2) {
            self.uses("named function as a value");
            return expr(&want, names[self.random.below(names.len())].clone(), Vec::new());
        }
        self.lambda(params, result, depth)
    }

    fn lambda(&mut self, params: &[Type], result: &Type, depth: usize) -> Expr {
        self.uses("function literal");
        let n_locals = self.locals.len();
        let mut names: Vec<String> = Vec::new();
        for _ in params {
            let name = self.name();
            let is_new = !names.contains(&name);
            names.push(if is_new { name } else { self.new_name() });
        }
        for (name, param) in names.iter().zip(params) {
            self.bind(name, param);
        }
        let says = !self.random.one_in(6);
        let param = |cx: &Generator, (name, param): (&String, &Type)| match says {
            true => format!("{name}{}", cx.annotation(param)),
            false => name.clone(),
        };
        let header: Vec<String> = names.iter().zip(params).map(|pair| param(self, pair)).collect();
        let said =
            if self.random.one_in(3) { self.annotation(result).replacen(": ", " -> ", 1) } else { String::new() };
        let rounds = self.rounds;
        self.rounds *= 2;
        let body = self.expr(result, depth);
        self.rounds = rounds;
        self.locals.truncate(n_locals);
        let template = format!("fn({}){said} {{ $ }}", header.join(", "));
        expr(&function(params.to_vec(), result.clone()), template, vec![body])
    }

    /// A local function that calls itself as often as it is told.
    fn local_loop(&mut self, want: &Type, depth: usize) -> Expr {
        self.uses("local recursive function");
        let (name, count, state) = (self.new_name(), self.new_name(), self.new_name());
        let n_locals = self.locals.len();
        let first = self.expr(want, depth);
        self.locals.push(Local { name: count.clone(), r#type: INT, is_fresh: false, is_pinned: true });
        self.bind(&state, want);
        let rounds = self.rounds;
        self.rounds *= 5;
        let last = self.expr(want, depth.min(1));
        self.recursions.push(Recursion {
            before: format!("{name}({count} - 1"),
            args: vec![want.clone()],
            after: ")".to_owned(),
            result: want.clone(),
            n_left: 1,
        });
        let step = match self.recursion(want, depth) {
            Some(step) => step,
            None => self.expr(want, depth.min(1)),
        };
        self.rounds = rounds;
        self.recursions.pop();
        self.locals.truncate(n_locals);
        let (said, result) = (self.annotation(want), self.annotation(want).replacen(": ", " -> ", 1));
        let n = self.random.below(5);
        let template = format!(
            "(let {name} = fn({count}: int32, {state}{said}){result} {{ if ({count} <= 0) {{ $ }} else {{ $ }} }};\n\
             {name}({n}, $))"
        );
        expr(want, template, vec![last, step, first])
    }
}

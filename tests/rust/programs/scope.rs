//! What may be mentioned: variables, functions, recursive calls; and the functions that every program has.

use super::r#type::{BOOL, INT, Type, function};
use super::{Expr, Generator, expr};

#[derive(Clone, Debug)]
pub(crate) struct Local {
    pub(crate) name: String,
    pub(crate) r#type: Type,
    /// Bound by `as` and not yet used: its sums may still grow.
    pub(crate) is_fresh: bool,
    /// What must not be hidden by another of its name.
    pub(crate) is_pinned: bool,
}

/// A definition, or a polymorphic function bound by `let`.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// The types that it is polymorphic over.
    pub(crate) params: Vec<usize>,
    pub(crate) args: Vec<Type>,
    pub(crate) result: Type,
    /// Calls that a call makes, about.
    pub(crate) cost: u64,
    /// Whether it is for tensors of floats only, of any shape.
    pub(crate) is_elementwise: bool,
}

/// A call with a smaller value, which may be made here: `before`, the other arguments, `after`.
#[derive(Clone, Debug)]
pub(crate) struct Recursion {
    pub(crate) before: String,
    pub(crate) args: Vec<Type>,
    pub(crate) after: String,
    pub(crate) result: Type,
    /// How often it may still be written.
    pub(crate) n_left: usize,
}

pub(crate) const LIST: usize = 0;
pub(crate) const OPTION: usize = 1;
pub(crate) const TREE: usize = 2;
pub(crate) const NAT: usize = 3;

/// Those of the prelude that want a list with enough elements.
const PARTIAL: [&str; 7] = ["@hd", "@tl", "@nth", "@update", "@foldr1", "@nat_nth", "@nat_update"];

/// Calls in one item, at most.
const MAX_COST: u64 = 1_500;

pub(crate) fn list(of: Type) -> Type {
    Type::Adt(LIST, vec![of])
}

/// The functions of the prelude whose arguments may be any of their types.
pub(crate) fn prelude() -> Vec<Function> {
    let [a, b, c] = [Type::Param(0), Type::Param(1), Type::Param(2)];
    let (option, tree) = (|of| Type::Adt(OPTION, vec![of]), |of| Type::Adt(TREE, vec![of]));
    let pair = |left: &Type, right: &Type| Type::Tuple(vec![left.clone(), right.clone()]);
    let nat = || Type::Adt(NAT, Vec::new());
    let to = |params: &[&Type], result: &Type| function(params.iter().copied().cloned().collect(), result.clone());
    let all = |of: &Type| list(of.clone());
    let rows: Vec<(&str, u64, Vec<Type>, Type)> = vec![
        ("@id", 1, vec![a.clone()], a.clone()),
        ("@compose", 3, vec![to(&[&b], &c), to(&[&a], &b)], to(&[&a], &c)),
        ("@flip", 2, vec![to(&[&a, &b], &c)], to(&[&b, &a], &c)),
        ("@hd", 2, vec![all(&a)], a.clone()),
        ("@tl", 2, vec![all(&a)], all(&a)),
        ("@nth", 10, vec![all(&a), Type::Count], a.clone()),
        ("@length", 10, vec![all(&a)], INT),
        ("@update", 12, vec![all(&a), Type::Count, a.clone()], all(&a)),
        ("@map", 15, vec![to(&[&a], &b), all(&a)], all(&b)),
        ("@foldl", 15, vec![to(&[&a, &b], &a), a.clone(), all(&b)], a.clone()),
        ("@foldr", 15, vec![to(&[&a, &b], &b), b.clone(), all(&a)], b.clone()),
        ("@foldr1", 15, vec![to(&[&a, &a], &a), all(&a)], a.clone()),
        ("@sum", 15, vec![list(INT)], INT),
        ("@concat", 12, vec![all(&a), all(&a)], all(&a)),
        ("@filter", 15, vec![to(&[&a], &BOOL), all(&a)], all(&a)),
        ("@zip", 10, vec![all(&a), all(&b)], list(pair(&a, &b))),
        ("@rev", 15, vec![all(&a)], all(&a)),
        ("@map_accumr", 20, vec![to(&[&a, &b], &pair(&a, &c)), a.clone(), all(&b)], pair(&a, &list(c.clone()))),
        ("@map_accuml", 20, vec![to(&[&a, &b], &pair(&a, &c)), a.clone(), all(&b)], pair(&a, &list(c.clone()))),
        ("@tmap", 30, vec![to(&[&a], &b), tree(a.clone())], tree(b.clone())),
        ("@size", 40, vec![tree(a.clone())], INT),
        ("@iterate", 10, vec![to(&[&a], &a), Type::Count], to(&[&a], &a)),
        ("@nat_double", 8, vec![nat()], nat()),
        ("@nat_add", 8, vec![nat(), nat()], nat()),
        ("@nat_nth", 8, vec![all(&a), nat()], a.clone()),
        ("@nat_iterate", 10, vec![to(&[&a], &a), nat()], to(&[&a], &a)),
        ("Some", 1, vec![a.clone()], option(a.clone())),
    ];
    let row = |(name, cost, args, result): (&str, u64, Vec<Type>, Type)| {
        let name = name.to_owned();
        Function { name, params: vec![0, 1, 2], args, result, cost, is_elementwise: false }
    };
    rows.into_iter().map(row).collect()
}

impl Generator {
    /// A name for a variable of a type, at times one that hides another.
    pub(crate) fn name(&mut self) -> String {
        let hidden = self.locals.iter().filter(|local| !local.is_pinned && !matches!(local.r#type, Type::Param(_)));
        let hidden: Vec<String> = hidden.map(|local| local.name.clone()).collect();
        if !hidden.is_empty() && self.random.one_in(8) {
            self.uses("shadowing");
            return hidden[self.random.below(hidden.len())].clone();
        }
        self.new_name()
    }

    pub(crate) fn new_name(&mut self) -> String {
        self.n_names += 1;
        format!("%x{}", self.n_names)
    }

    pub(crate) fn new_param(&mut self) -> usize {
        self.n_params += 1;
        self.n_params
    }

    pub(crate) fn bind(&mut self, name: &str, r#type: &Type) {
        let (name, r#type) = (name.to_owned(), r#type.clone());
        self.locals.push(Local { name, r#type, is_fresh: false, is_pinned: false });
    }

    pub(crate) fn uses(&mut self, feature: &'static str) {
        self.features.insert(feature);
    }

    /// Positions of the variables that may be mentioned and are like this.
    pub(crate) fn visible(&self, is_wanted: impl Fn(&Local) -> bool) -> Vec<usize> {
        let is_visible = |&at: &usize| self.locals[at + 1..].iter().all(|other| other.name != self.locals[at].name);
        (0..self.locals.len()).filter(|&at| is_wanted(&self.locals[at])).filter(is_visible).collect()
    }

    /// A visible variable of this type; one that `as` bound may grow into it.
    pub(crate) fn variable(&mut self, want: &Type) -> Option<Expr> {
        let found = self.visible(|local| local.r#type == *want || (local.is_fresh && local.r#type.grows_to(want)));
        if found.is_empty() {
            return None;
        }
        // What is near is used more.
        let at = found[self.random.below(found.len()).max(self.random.below(found.len()))];
        if self.locals[at].r#type != *want {
            self.uses("as expands");
        }
        self.locals[at].r#type = want.clone();
        self.locals[at].is_fresh = false;
        Some(expr(want, self.locals[at].name.clone(), Vec::new()))
    }

    /// A call of a function that can have this result, a local one or one with a name.
    pub(crate) fn call(&mut self, want: &Type, depth: usize) -> Option<Expr> {
        let locals = self.visible(|local| matches!(&local.r#type, Type::Fn(_, result) if **result == *want));
        if !locals.is_empty() && self.random.one_in(2) {
            let at = locals[self.random.below(locals.len())];
            let Local { name, r#type: Type::Fn(params, _), .. } = self.locals[at].clone() else { return None };
            self.uses("call of a local");
            return Some(self.call_of(&name, &params, "", want, depth));
        }
        let may_fail = self.random.one_in(60);
        let fits = |function: &Function| {
            let mut found = vec![None; function.params.len()];
            function.cost * self.rounds + self.cost <= MAX_COST
                && function.result.matches(want, &function.params, &mut found)
                && (!function.is_elementwise || is_float_tensor(want))
                && (may_fail || !PARTIAL.contains(&&*function.name))
        };
        let found: Vec<usize> = (0..self.functions.len()).filter(|&at| fits(&self.functions[at])).collect();
        if found.is_empty() {
            return None;
        }
        // The program's own functions are used more.
        let at = found[self.random.below(found.len()).max(self.random.below(found.len()))];
        let function = self.functions[at].clone();
        Some(self.call_function(&function, want, depth))
    }

    pub(crate) fn call_function(&mut self, function: &Function, want: &Type, depth: usize) -> Expr {
        self.uses(match function.name.starts_with('@') {
            _ if function.params == [0, 1, 2] => "prelude function",
            true if function.params.is_empty() => "call of a def",
            true => "call of a polymorphic def",
            false => "call of a local polymorphic function",
        });
        self.cost += function.cost * self.rounds;
        let mut found = vec![None; function.params.len()];
        function.result.matches(want, &function.params, &mut found);
        let args: Vec<Type> = found.into_iter().map(|found| found.unwrap_or_else(|| self.r#type(1))).collect();
        let params: Vec<Type> = function.args.iter().map(|arg| arg.with(&function.params, &args)).collect();
        self.call_of(&function.name, &params, "", want, depth)
    }

    /// `before(…)`, with arguments of these types.
    pub(crate) fn call_of(&mut self, before: &str, params: &[Type], after: &str, want: &Type, depth: usize) -> Expr {
        let args: Vec<Expr> = params.iter().map(|param| self.expr(param, depth)).collect();
        expr(want, format!("{before}({}){after}", holes(args.len())), args)
    }

    /// A call of what is being defined, with something smaller.
    pub(crate) fn recursion(&mut self, want: &Type, depth: usize) -> Option<Expr> {
        let is_possible = |recursion: &Recursion| recursion.result == *want && recursion.n_left > 0;
        let found: Vec<usize> = (0..self.recursions.len()).filter(|&at| is_possible(&self.recursions[at])).collect();
        let at = *found.get(self.random.below(found.len().max(1)))?;
        self.recursions[at].n_left -= 1;
        self.uses("recursive call");
        let Recursion { before, args, after, .. } = self.recursions[at].clone();
        let args: Vec<Expr> = args.iter().map(|arg| self.expr(arg, depth.min(2))).collect();
        let rest: String = args.iter().map(|_| ", $").collect();
        Some(expr(want, format!("{before}{rest}{after}"), args))
    }

    /// `: T`, where the type may be written; else nothing.
    pub(crate) fn annotation(&self, r#type: &Type) -> String {
        let silent = |param: &usize| r#type.with(&[*param], &[INT]) != *r#type;
        match self.silent.iter().any(silent) {
            true => String::new(),
            false => format!(": {}", self.print(r#type)),
        }
    }
}

/// `n` holes, with commas between them.
pub(crate) fn holes(n: usize) -> String {
    vec!["$"; n].join(", ")
}

pub(crate) fn is_float_tensor(r#type: &Type) -> bool {
    match r#type {
        Type::Scalar(dtype) | Type::Tensor(_, dtype) => dtype.name() == "float32",
        Type::Count | Type::Tuple(_) | Type::Fn(..) | Type::Ref(_) => false,
        Type::Adt(..) | Type::Sum(_) | Type::Param(_) => false,
    }
}

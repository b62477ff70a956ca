//! Matches: patterns at any depth, then arms that take what is left.

use super::scope::Local;
use super::r#type::{Dtype, Type, union};
use super::{Expr, Generator, expr};

/// A pattern, what it binds, and the type of the values that it takes.
struct Pattern {
    text: String,
    bound: Vec<Local>,
    taken: Type,
}

impl Pattern {
    fn new(text: impl Into<String>, taken: &Type) -> Pattern {
        Pattern { text: text.into(), bound: Vec::new(), taken: taken.clone() }
    }

    /// Fields within a constructor or tuple.
    fn of_fields(name: &str, fields: Vec<Pattern>, taken: Type) -> Pattern {
        let texts: Vec<&str> = fields.iter().map(|field| field.text.as_str()).collect();
        let text = match (name, texts.len()) {
            ("", 1) => format!("({},)", texts[0]),
            (_, 0) if !name.is_empty() => name.to_owned(),
            _ => format!("{name}({})", texts.join(", ")),
        };
        Pattern { text, bound: fields.into_iter().flat_map(|field| field.bound).collect(), taken }
    }
}

/// Which patterns are wanted.
#[derive(Clone, Copy)]
struct Wanted {
    /// Takes every value.
    is_whole: bool,
    /// May bind variables.
    binds: bool,
}

impl Generator {
    pub(crate) fn r#match(&mut self, want: &Type, depth: usize) -> Expr {
        self.uses("match");
        let (scrutinee, of) = self.scrutinee(depth);
        let (mut arms, mut bodies) = (Vec::new(), vec![scrutinee]);
        let mut patterns = Vec::new();
        for _ in 0..self.random.below(3) {
            patterns.push(self.pattern(&of, 2, Wanted { is_whole: false, binds: true }));
        }
        // A partial match would close the sums in what it takes apart.
        let is_partial = self.random.one_in(20) && !patterns.is_empty() && !self.print(&of).contains('`');
        if is_partial {
            self.uses("match?");
        } else {
            self.closing(&of, &mut patterns);
        }
        for Pattern { text, bound, .. } in patterns {
            let n_locals = self.locals.len();
            self.locals.extend(bound);
            bodies.push(self.expr(want, depth));
            self.locals.truncate(n_locals);
            arms.push(format!("  {text} => $,\n"));
        }
        let sign = if is_partial { "?" } else { "" };
        expr(want, format!("match{sign} ($) {{\n{}}}", arms.concat()), bodies)
    }

    /// What to take apart: a variable, a tuple of things, or anything.
    fn scrutinee(&mut self, depth: usize) -> (Expr, Type) {
        let is_matched = |local: &Local| match &local.r#type {
            Type::Adt(..) | Type::Sum(_) | Type::Tuple(_) => true,
            Type::Scalar(dtype) => !dtype.is_float(),
            Type::Count | Type::Tensor(..) | Type::Fn(..) | Type::Ref(_) | Type::Param(_) => false,
        };
        let found = self.visible(is_matched);
        if !found.is_empty() && !self.random.one_in(4) {
            let of = self.locals[found[self.random.below(found.len())]].r#type.clone();
            if let Some(variable) = self.variable(&of) {
                return (variable, of);
            }
        }
        let of = match self.random.below(4) {
            0 => self.sum(2),
            1 => Type::Tuple(vec![self.r#type(1), self.r#type(2)]),
            _ => {
                let adt = self.random.below(self.adts.len());
                Type::Adt(adt, (0..self.adts[adt].params.len()).map(|_| self.r#type(1)).collect())
            }
        };
        (self.expr(&of, depth), of)
    }

    /// Arms that take every value, beside what earlier ones take.
    fn closing(&mut self, of: &Type, patterns: &mut Vec<Pattern>) {
        let whole = Wanted { is_whole: true, binds: true };
        if let (Type::Scalar(Dtype::Bool), true) = (of, self.random.one_in(2)) {
            patterns.push(Pattern::new("True", of));
            patterns.push(Pattern::new("False", of));
            return;
        }
        let mut cases = self.cases(of);
        if cases.is_empty() || self.random.one_in(4) {
            let pattern = self.pattern(of, 2, whole);
            patterns.push(pattern);
            return;
        }
        while !cases.is_empty() {
            let first = cases.remove(self.random.below(cases.len()));
            if !cases.is_empty() && self.random.one_in(3) {
                let second = cases.remove(self.random.below(cases.len()));
                let pattern = self.either(of, &first, &second, true);
                patterns.push(pattern);
            } else {
                let fields = first.1.iter().map(|field| self.pattern(field, 1, whole)).collect();
                let pattern = Pattern::of_fields(&first.0, fields, of.clone());
                let pattern = Pattern { taken: taken_by(of, &first.0, &[]), ..pattern };
                let pattern = if self.random.one_in(4) { self.named(pattern) } else { pattern };
                patterns.push(pattern);
            }
        }
    }

    /// Two constructors as alternatives, which bind a field that both have.
    fn either(&mut self, of: &Type, first: &(String, Vec<Type>), second: &(String, Vec<Type>), whole: bool) -> Pattern {
        self.uses("or-pattern");
        let shared = first
            .1
            .iter()
            .enumerate()
            .find_map(|(i, field)| Some((i, second.1.iter().position(|other| other == field)?, field.clone())));
        let name = self.new_name();
        let quiet = Wanted { is_whole: whole, binds: false };
        let one = |cx: &mut Generator, case: &(String, Vec<Type>), at: Option<usize>| -> Pattern {
            let fields = case.1.iter().enumerate();
            let fields: Vec<Pattern> = fields
                .map(|(i, field)| match at == Some(i) {
                    true => Pattern::new(name.clone(), field),
                    false => cx.pattern(field, 1, quiet),
                })
                .collect();
            let kept: Vec<Type> = fields.iter().map(|field| field.taken.clone()).collect();
            Pattern::of_fields(&case.0, fields, taken_by(of, &case.0, &kept))
        };
        let left = one(self, first, shared.as_ref().map(|shared| shared.0));
        let right = one(self, second, shared.as_ref().map(|shared| shared.1));
        let bound = shared.into_iter().map(|(_, _, r#type)| Local {
            name: name.clone(),
            r#type,
            is_fresh: false,
            is_pinned: false,
        });
        let text = format!("{} | {}", left.text, right.text);
        let pattern = Pattern { text, bound: bound.collect(), taken: union(left.taken, &right.taken) };
        if self.random.one_in(2) { self.named(pattern) } else { pattern }
    }

    /// `pattern as %x`.
    fn named(&mut self, pattern: Pattern) -> Pattern {
        self.uses("as pattern");
        let Pattern { text, mut bound, taken } = pattern;
        let name = self.new_name();
        let is_fresh = taken.has_sum();
        bound.push(Local { name: name.clone(), r#type: taken.clone(), is_fresh, is_pinned: false });
        Pattern { text: format!("{text} as {name}"), bound, taken }
    }

    fn pattern(&mut self, of: &Type, depth: usize, wanted: Wanted) -> Pattern {
        if depth == 0 || self.random.one_in(4) {
            return self.simple(of, wanted);
        }
        let depth = depth - 1;
        if wanted.binds && self.random.one_in(6) {
            let pattern = self.pattern(of, depth, wanted);
            return self.named(pattern);
        }
        let cases = self.cases(of);
        match of {
            Type::Tuple(fields) => {
                let fields: Vec<Pattern> = fields.iter().map(|field| self.pattern(field, depth, wanted)).collect();
                self.uses("tuple pattern");
                let taken = Type::Tuple(fields.iter().map(|field| field.taken.clone()).collect());
                Pattern::of_fields("", fields, taken)
            }
            Type::Adt(..) | Type::Sum(_) if !wanted.is_whole || cases.len() == 1 => {
                let case = cases[self.random.below(cases.len())].clone();
                if cases.len() > 1 && self.random.one_in(4) {
                    let other = cases[self.random.below(cases.len())].clone();
                    if other.0 != case.0 {
                        let pattern = self.either(of, &case, &other, wanted.is_whole);
                        // What is not to bind variables, binds none.
                        if wanted.binds || pattern.bound.is_empty() {
                            return pattern;
                        }
                    }
                }
                self.uses("nested pattern");
                let fields: Vec<Pattern> = case.1.iter().map(|field| self.pattern(field, depth, wanted)).collect();
                let kept: Vec<Type> = fields.iter().map(|field| field.taken.clone()).collect();
                Pattern::of_fields(&case.0, fields, taken_by(of, &case.0, &kept))
            }
            Type::Scalar(dtype) if !wanted.is_whole && self.random.one_in(2) => {
                self.uses("literal pattern");
                let text = self.literal(*dtype);
                Pattern::new(text, of)
            }
            Type::Count | Type::Scalar(_) | Type::Tensor(..) | Type::Fn(..) => self.simple(of, wanted),
            Type::Ref(_) | Type::Adt(..) | Type::Sum(_) | Type::Param(_) => self.simple(of, wanted),
        }
    }

    /// A wildcard or a variable.
    fn simple(&mut self, of: &Type, wanted: Wanted) -> Pattern {
        if !wanted.binds || self.random.one_in(3) {
            self.uses("wildcard");
            return Pattern::new("_", of);
        }
        let name = self.new_name();
        let bound = Local { name: name.clone(), r#type: of.clone(), is_fresh: false, is_pinned: false };
        Pattern { text: name, bound: vec![bound], taken: of.clone() }
    }
}

/// The values of a type that have this constructor; of an anonymous one only it is kept, with these fields where they
/// are given.
fn taken_by(of: &Type, name: &str, kept: &[Type]) -> Type {
    let Type::Sum(variants) = of else { return of.clone() };
    let mut left = variants.clone();
    left.retain(|(other, _)| name.strip_prefix('`') == Some(other));
    for (_, fields) in &mut left {
        if !kept.is_empty() {
            *fields = kept.to_vec();
        }
    }
    Type::Sum(left)
}

//! Random programs in the refine surface against an evaluator of their own.
//!
//! The generator writes a program as text and evaluates its own tree without any types: a match takes the first arm
//! that fits, and `as` binds the value itself. The compiler must find the same value, and the value must be one of the
//! type that was inferred.

use base::{Severity, Surface};
use session::{Analysis, Options, run};
use std::collections::BTreeMap;
use std::fmt::Write;
use tests::facts::{errors, is_soak};

const N_CASES: u64 = 2_000;
const N_SOAK: u64 = 100_000;

/// The value as text; `None` if the run failed.
fn value_of(analysis: &Analysis) -> Option<String> {
    let outcome = run(analysis, &Options::default());
    outcome.values.first().and_then(|value| analysis.show(value))
}

// Random programs

/// Knuth's MMIX generator; the high bits are the random ones.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n.max(1)
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
}

/// The names with their numbers of fields: one name has one number in all programs.
const NAMES: [(&str, usize); 9] =
    [("A", 0), ("B", 0), ("C", 0), ("D", 0), ("F", 1), ("G", 1), ("H", 1), ("P", 2), ("Q", 2)];

/// A closed sum: the variants by number, in order.
#[derive(Clone, PartialEq)]
struct Sum(Vec<(usize, Vec<Sum>)>);

#[derive(Clone, Debug, PartialEq)]
struct Value(usize, Vec<Value>);

#[derive(Clone)]
enum Expr {
    Variable(String),
    Variant(usize, Vec<Expr>),
    Let { name: String, annotation: Option<Sum>, value: Box<Expr>, body: Box<Expr> },
    Match { scrutinee: String, arms: Vec<(Pattern, Expr)> },
}

#[derive(Clone)]
enum Pattern {
    Wild,
    Variable(String),
    Variant(usize, Vec<Pattern>),
    Or(Vec<Pattern>),
    As(Box<Pattern>, String),
}

/// What may be mentioned: the name, and its type where the generator knows it.
type Scope = Vec<(String, Option<Sum>)>;

struct Generator {
    random: Random,
    n_names: usize,
}

impl Generator {
    fn name(&mut self) -> String {
        self.n_names += 1;
        // Names repeat, so that inner ones hide outer ones.
        format!("{}{}", ["x", "y", "z"][self.random.below(3)], self.n_names % 7)
    }

    fn sum(&mut self, depth: usize) -> Sum {
        let mut variants: Vec<(usize, Vec<Sum>)> = Vec::new();
        for (number, (_, arity)) in NAMES.into_iter().enumerate() {
            if variants.len() < 4 && (arity == 0 || depth > 0) && self.random.chance(3) {
                variants.push((number, (0..arity).map(|_| self.sum(depth - 1)).collect()));
            }
        }
        if variants.is_empty() {
            variants.push((self.random.below(4), Vec::new()));
        }
        Sum(variants)
    }

    fn value(&mut self, sum: &Sum) -> Expr {
        let (number, fields) = &sum.0[self.random.below(sum.0.len())];
        Expr::Variant(*number, fields.iter().map(|field| self.value(field)).collect())
    }

    fn expr(&mut self, scope: &mut Scope, depth: usize) -> Expr {
        match self.random.below(if depth == 0 { 4 } else { 10 }) {
            0 if !scope.is_empty() => Expr::Variable(scope[self.random.below(scope.len())].0.clone()),
            0..4 => {
                let number = self.random.below(NAMES.len());
                let fields = (0..NAMES[number].1).map(|_| self.expr(scope, depth.saturating_sub(1).min(1))).collect();
                Expr::Variant(number, fields)
            }
            4..7 => {
                let annotation = (!self.random.chance(4)).then(|| self.sum(2));
                let value = match &annotation {
                    Some(sum) => self.value(sum),
                    None => self.expr(scope, depth - 1),
                };
                let name = self.name();
                scope.push((name.clone(), annotation.clone()));
                let body = self.expr(scope, depth - 1);
                scope.pop();
                Expr::Let { name, annotation, value: Box::new(value), body: Box::new(body) }
            }
            _ => {
                // A name that is hidden by another cannot be mentioned.
                let visible = |at: &usize| scope[at + 1..].iter().all(|(name, _)| *name != scope[*at].0);
                let known: Vec<usize> = (0..scope.len()).filter(visible).filter(|&at| scope[at].1.is_some()).collect();
                if known.is_empty() {
                    return self.expr(scope, depth - 1);
                }
                let (scrutinee, sum) = scope[known[self.random.below(known.len())]].clone();
                let arms = self.arms(scope, &sum.expect("known"), depth);
                Expr::Match { scrutinee, arms }
            }
        }
    }

    /// Arms that handle every value of a sum.
    fn arms(&mut self, scope: &mut Scope, sum: &Sum, depth: usize) -> Vec<(Pattern, Expr)> {
        let mut arms = Vec::new();
        let mut is_whole = true;
        let mut pending: Vec<&(usize, Vec<Sum>)> = sum.0.iter().collect();
        while !pending.is_empty() {
            let n = 1 + self.random.below(pending.len());
            let mut alternatives = Vec::new();
            for _ in 0..n {
                let (number, fields) = pending.swap_remove(self.random.below(pending.len()));
                let fields: Vec<Pattern> = fields.iter().map(|field| self.pattern(field, &mut is_whole)).collect();
                alternatives.push(Pattern::Variant(*number, fields));
            }
            let pattern = match alternatives.len() {
                1 => alternatives.remove(0),
                _ => Pattern::Or(alternatives),
            };
            arms.push(self.arm(scope, pattern, depth));
        }
        if !is_whole || self.random.chance(6) {
            arms.push(self.arm(scope, Pattern::Wild, depth));
        }
        arms
    }

    fn arm(&mut self, scope: &mut Scope, pattern: Pattern, depth: usize) -> (Pattern, Expr) {
        let n_scope = scope.len();
        let mut pattern = pattern;
        if let Pattern::Variant(_, fields) = &mut pattern {
            for field in fields.iter_mut().filter(|field| matches!(field, Pattern::Wild)) {
                if self.random.chance(2) {
                    // Not `name`: two variables of one pattern must differ.
                    self.n_names += 1;
                    let name = format!("v{}", self.n_names);
                    *field = Pattern::Variable(name.clone());
                    scope.push((name, None));
                }
            }
        }
        if self.random.chance(2) {
            let name = self.name();
            scope.push((name.clone(), None));
            pattern = Pattern::As(Box::new(pattern), name);
        }
        let body = match scope.last() {
            Some((name, _)) if scope.len() > n_scope && self.random.chance(2) => Expr::Variable(name.clone()),
            _ => self.expr(scope, depth - 1),
        };
        scope.truncate(n_scope);
        (pattern, body)
    }

    /// A pattern without variables for one field.
    fn pattern(&mut self, sum: &Sum, is_whole: &mut bool) -> Pattern {
        if !self.random.chance(3) {
            return Pattern::Wild;
        }
        let mut alternatives: Vec<Pattern> = Vec::new();
        for (number, fields) in &sum.0 {
            if self.random.chance(2) {
                alternatives.push(Pattern::Variant(
                    *number,
                    fields.iter().map(|field| self.pattern(field, is_whole)).collect(),
                ));
            }
        }
        *is_whole &= alternatives.len() == sum.0.len();
        match alternatives.len() {
            0 => Pattern::Wild,
            1 => alternatives.remove(0),
            _ => Pattern::Or(alternatives),
        }
    }
}

// As text

fn print_sum(sum: &Sum, out: &mut String) {
    out.push('[');
    for (i, (number, fields)) in sum.0.iter().enumerate() {
        out.push_str(if i == 0 { "" } else { ", " });
        out.push_str(NAMES[*number].0);
        for field in fields {
            out.push(' ');
            print_sum(field, out);
        }
    }
    out.push(']');
}

fn print_expr(expr: &Expr, is_field: bool, out: &mut String) {
    let open = |out: &mut String, wanted: bool| out.push_str(if wanted { "(" } else { "" });
    match expr {
        Expr::Variable(name) => out.push_str(name),
        Expr::Variant(number, fields) => {
            let wraps = is_field && !fields.is_empty();
            open(out, wraps);
            out.push_str(NAMES[*number].0);
            for field in fields {
                out.push(' ');
                print_expr(field, true, out);
            }
            out.push_str(if wraps { ")" } else { "" });
        }
        Expr::Let { name, annotation, value, body } => {
            open(out, is_field);
            let _ = write!(out, "let {name}");
            if let Some(sum) = annotation {
                out.push_str(" : ");
                print_sum(sum, out);
            }
            out.push_str(" = ");
            print_expr(value, false, out);
            out.push_str(" in\n");
            print_expr(body, false, out);
            out.push_str(if is_field { ")" } else { "" });
        }
        Expr::Match { scrutinee, arms } => {
            let _ = write!(out, "(match {scrutinee} with");
            for (pattern, body) in arms {
                out.push_str("\n| ");
                print_pattern(pattern, false, out);
                out.push_str(" -> ");
                print_expr(body, false, out);
            }
            out.push(')');
        }
    }
}

fn print_pattern(pattern: &Pattern, is_field: bool, out: &mut String) {
    match pattern {
        Pattern::Wild => out.push('_'),
        Pattern::Variable(name) => out.push_str(name),
        Pattern::Variant(number, fields) => {
            let wraps = is_field && !fields.is_empty();
            out.push_str(if wraps { "(" } else { "" });
            out.push_str(NAMES[*number].0);
            for field in fields {
                out.push(' ');
                print_pattern(field, true, out);
            }
            out.push_str(if wraps { ")" } else { "" });
        }
        Pattern::Or(alternatives) => {
            out.push_str(if is_field { "(" } else { "" });
            for (i, alternative) in alternatives.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { " | " });
                print_pattern(alternative, false, out);
            }
            out.push_str(if is_field { ")" } else { "" });
        }
        Pattern::As(inner, name) => {
            print_pattern(inner, false, out);
            let _ = write!(out, " as {name}");
        }
    }
}

fn print_value(value: &Value, is_field: bool, out: &mut String) {
    let wraps = is_field && !value.1.is_empty();
    out.push_str(if wraps { "(" } else { "" });
    out.push_str(NAMES[value.0].0);
    for field in &value.1 {
        out.push(' ');
        print_value(field, true, out);
    }
    out.push_str(if wraps { ")" } else { "" });
}

// The evaluator

fn evaluate(expr: &Expr, values: &mut Vec<(String, Value)>) -> Value {
    let look_up = |values: &[(String, Value)], name: &str| {
        { values }.iter().rev().find(|(other, _)| other == name).expect("in scope").1.clone()
    };
    match expr {
        Expr::Variable(name) => look_up(values, name),
        Expr::Variant(number, fields) => Value(*number, fields.iter().map(|field| evaluate(field, values)).collect()),
        Expr::Let { name, value, body, .. } => {
            let value = evaluate(value, values);
            values.push((name.clone(), value));
            let result = evaluate(body, values);
            values.pop();
            result
        }
        Expr::Match { scrutinee, arms } => {
            let value = look_up(values, scrutinee);
            let n_values = values.len();
            for (pattern, body) in arms {
                if fits(pattern, &value, values) {
                    let result = evaluate(body, values);
                    values.truncate(n_values);
                    return result;
                }
                values.truncate(n_values);
            }
            panic!("the arms handle every value")
        }
    }
}

fn fits(pattern: &Pattern, value: &Value, values: &mut Vec<(String, Value)>) -> bool {
    match pattern {
        Pattern::Wild => true,
        Pattern::Variable(name) => {
            values.push((name.clone(), value.clone()));
            true
        }
        Pattern::Variant(number, fields) => {
            *number == value.0 && fields.iter().zip(&value.1).all(|(field, value)| fits(field, value, values))
        }
        Pattern::Or(alternatives) => alternatives.iter().any(|alternative| fits(alternative, value, values)),
        Pattern::As(inner, name) => {
            let fits = fits(inner, value, values);
            values.push((name.clone(), value.clone()));
            fits
        }
    }
}

/// The words of a printed type.
fn words(r#type: &str) -> Vec<String> {
    let spaced = r#type.replace('[', " [ ").replace(']', " ] ").replace(',', " , ");
    spaced.split_whitespace().map(str::to_owned).collect()
}

/// Whether a value is of the type that begins at `at`, and where it ends; variants are told apart by name alone.
fn is_of(value: Option<&Value>, words: &[String], at: &mut usize) -> bool {
    let mut found = false;
    *at += 1;
    while words[*at] != "]" {
        let mine = value.filter(|value| NAMES[value.0].0 == words[*at]);
        *at += 1;
        let mut fits = mine.is_some();
        let mut n_fields = 0;
        while matches!(words[*at].as_str(), "[" | "'_") {
            if words[*at] == "'_" {
                fits = false;
                *at += 1;
            } else {
                fits &= is_of(mine.and_then(|value| value.1.get(n_fields)), words, at);
            }
            n_fields += 1;
        }
        found |= fits && mine.is_some_and(|value| value.1.len() == n_fields);
        if words[*at] == "," {
            *at += 1;
        }
    }
    *at += 1;
    found
}

#[test]
fn random_programs_have_the_value_of_their_evaluator() {
    let n = if is_soak() { N_SOAK } else { N_CASES };
    let (mut n_accepted, mut n_read, mut refused) = (0, 0, BTreeMap::<&str, u64>::new());
    for seed in 0..n {
        let mut generator = Generator { random: Random(seed), n_names: 0 };
        generator.random.next();
        let expr = generator.expr(&mut Vec::new(), 5);
        let mut program = String::new();
        print_expr(&expr, false, &mut program);
        let analysis = Analysis::in_surface(&program, Surface::Refine);
        let error = analysis.diagnostics().iter().find(|said| said.severity == Severity::Error);
        if let Some(error) = error {
            // The generator does not look ahead: a sum that is written may be too small for a branch, and a branch may
            // be a field of what another one is.
            let is_known = ["not-in-sum", "occurs-check"].contains(&error.code);
            assert!(is_known, "seed {seed}: {}: {}\n{program}", error.code, error.message);
            *refused.entry(error.code).or_default() += 1;
            continue;
        }
        n_accepted += 1;
        let value = evaluate(&expr, &mut Vec::new());
        let mut want = String::new();
        print_value(&value, false, &mut want);
        assert_eq!(value_of(&analysis).as_deref(), Some(&*want), "seed {seed}:\n{program}");
        let r#type = analysis.expressions()[0].r#type.clone();
        assert!(is_of(Some(&value), &words(&r#type), &mut 0), "seed {seed}: {want} is not of {type}\n{program}");
        // Of an unknown payload nothing can be written.
        if !r#type.contains("'_") {
            n_read += 1;
            let again = format!("let v : {type} = {want} in v");
            let analysis = Analysis::in_surface(&again, Surface::Refine);
            assert_eq!(errors(&analysis), Vec::<String>::new(), "seed {seed}: {again}");
            assert_eq!(analysis.expressions()[0].r#type, r#type, "seed {seed}: {again}");
            assert_eq!(value_of(&analysis).as_deref(), Some(&*want), "seed {seed}: {again}");
        }
    }
    println!("random programs of refine: {n} of which {n_accepted} are accepted and {n_read} read again, {refused:?}");
    assert!(n_read * 2 > n_accepted, "too few types can be written: {n_read} of {n_accepted}");
    assert!(n_accepted * 2 > n, "too few programs are accepted: {n_accepted} of {n}");
}

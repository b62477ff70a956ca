//! Random programs of the whole Relay surface, each from a seed.
//!
//! The generator goes by types: it is asked for an expression of a type in a scope, and picks among all forms that can
//! have it. Recursion goes down a value or counts down, so nearly every program ends. Types of a scope are those of an
//! inference in which nothing is more general than needed, so what has no annotation still type-checks, but for a few
//! programs in which a relation waits in vain.
//!
//! A program is a tree of texts with holes, each with its type: it is made smaller by putting a part in the place of
//! a whole of the same type.
//!
//! Deliberately absent: dims that are parameters (but for a few fixed definitions), imports of models, `@main`.

mod expr;
mod item;
mod known;
mod pattern;
mod scope;
mod tensor;
mod r#type;

use scope::{Function, Local, Recursion};
use std::collections::BTreeSet;
use r#type::Type;

/// A text with a `$` for each part.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    r#type: Type,
    template: String,
    parts: Vec<Expr>,
}

/// A declaration, definition or expression of the top level.
#[derive(Clone, Debug)]
struct Item {
    template: String,
    parts: Vec<Expr>,
}

#[derive(Clone, Debug)]
pub struct Program {
    items: Vec<Item>,
    adts: Vec<Adt>,
    /// What it uses of the language.
    pub features: BTreeSet<&'static str>,
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

/// A data type; its parameters are those of its number.
#[derive(Clone, Debug)]
struct Adt {
    name: String,
    params: Vec<usize>,
    /// The first one holds nothing of its own type, so that its values end.
    ctors: Vec<(String, Vec<Type>)>,
}

/// What is known while a program is written.
struct Generator {
    random: Random,
    adts: Vec<Adt>,
    functions: Vec<Function>,
    locals: Vec<Local>,
    recursions: Vec<Recursion>,
    /// The type parameters that stand for themselves here.
    rigid: Vec<usize>,
    /// Those of them that have no name, so that no annotation may mention them.
    silent: Vec<usize>,
    n_names: usize,
    n_params: usize,
    /// Parts that may still be written in this item.
    budget: usize,
    /// Constructors around what is being written where it should end.
    n_nested: usize,
    /// How often what is being written may run, and what it has called, at most.
    rounds: u64,
    cost: u64,
    features: BTreeSet<&'static str>,
}

/// An expression; every `$` of the template is a part.
fn expr(r#type: &Type, template: impl Into<String>, parts: Vec<Expr>) -> Expr {
    let template = template.into();
    debug_assert_eq!(template.matches('$').count(), parts.len(), "{template}");
    Expr { r#type: r#type.clone(), template, parts }
}

fn write(template: &str, parts: &[Expr], out: &mut String) {
    let mut parts = parts.iter();
    for (i, piece) in template.split('$').enumerate() {
        if let Some(part) = (i > 0).then(|| parts.next()).flatten() {
            write(&part.template, &part.parts, out);
        }
        out.push_str(piece);
    }
}

impl Expr {
    /// Every expression that may stand in the place of this one and is smaller.
    fn smaller(&self, adts: &[Adt]) -> Vec<Expr> {
        let mut found = Vec::new();
        let least = r#type::least(&self.r#type, adts);
        found.extend(least.filter(|least| least.template.len() < self.len()));
        let mut pending: Vec<&Expr> = self.parts.iter().rev().collect();
        while let Some(part) = pending.pop() {
            if part.r#type == self.r#type {
                found.push(part.clone());
            } else {
                pending.extend(part.parts.iter().rev());
            }
        }
        for at in 0..self.parts.len() {
            for part in self.parts[at].smaller(adts) {
                let mut whole = self.clone();
                whole.parts[at] = part;
                found.push(whole);
            }
        }
        found
    }

    fn len(&self) -> usize {
        self.template.len() + self.parts.iter().map(Expr::len).sum::<usize>()
    }
}

impl Program {
    /// The program of a seed.
    pub fn new(seed: u64) -> Program {
        item::program(seed)
    }

    pub fn text(&self) -> String {
        let mut text = String::new();
        for item in &self.items {
            write(&item.template, &item.parts, &mut text);
            text.push('\n');
        }
        text
    }

    /// The smallest program found of which this still holds, by dropping items and then parts as long as it does.
    pub fn reduced(mut self, holds: impl Fn(&str) -> bool) -> Program {
        let adts = self.adts.clone();
        'smaller: loop {
            for at in (0..self.items.len()).rev() {
                let mut fewer = self.clone();
                fewer.items.remove(at);
                if holds(&fewer.text()) {
                    self = fewer;
                    continue 'smaller;
                }
            }
            for at in 0..self.items.len() {
                for part in 0..self.items[at].parts.len() {
                    for smaller in self.items[at].parts[part].smaller(&adts) {
                        let mut program = self.clone();
                        program.items[at].parts[part] = smaller;
                        if holds(&program.text()) {
                            self = program;
                            continue 'smaller;
                        }
                    }
                }
            }
            return self;
        }
    }
}

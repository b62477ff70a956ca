//! What the counts of small functions are, and that random programs free all that they make.

mod machine;
mod random;
mod texts;

use crate::pass::{counts, reuse};
use base::IndexVec;
use ir::{Detail, Names, Program, Stage};
use layout::{Constructor, LayoutId, Layouts, Strategy, Types};
use std::sync::Arc;
use ty::{AdtId, Dtype, Elements, FixedNames, Tensor, Term, TermId, VariantId};

const FIXED: FixedNames =
    FixedNames { adt: "List", param: "A", variants: &["A", "B", "C"], constructors: &["Nil", "Cons"] };
const NAMES: Names = Names { types: &FIXED, values: &FIXED };

/// Types that programs are made of, with the layouts of their variables.
struct Known {
    int: LayoutId,
    flag: LayoutId,
    tensor: LayoutId,
    /// Of `int32`.
    list: LayoutId,
    /// Of tensors.
    tensors: LayoutId,
    /// `(tensors, list)`
    pair: LayoutId,
    /// `` `A | `B(list) | `C(tensor) ``
    sum: LayoutId,
    /// From `int32` to `list`.
    func: LayoutId,
    /// To `tensors`.
    cell: LayoutId,
    unit: LayoutId,
    /// What is switched on.
    flag_content: LayoutId,
}

fn base(strategy: Strategy) -> (Program, Known) {
    let mut types = Types::default();
    let (int, flag) = (types.scalar(Dtype::Int32), types.scalar(Dtype::Bool));
    let tensor = types.tensor(&[Some(2)], Dtype::Float32);
    let list_of = |types: &mut Types, item: TermId| {
        let args = types.list(&[item]);
        let list = types.intern(Term::Adt { adt: AdtId::numbered(0), args });
        let nil = Constructor { number: 0, fields: Vec::new() };
        types.define(list, vec![nil, Constructor { number: 1, fields: vec![item, list] }]);
        list
    };
    let (list, tensors) = (list_of(&mut types, int), list_of(&mut types, tensor));
    let pair = types.tuple(&[tensors, list]);
    let sum = types.sum(&[
        (VariantId::numbered(0), vec![]),
        (VariantId::numbered(1), vec![list]),
        (VariantId::numbered(2), vec![tensor]),
    ]);
    let (func, cell, unit) = (types.func(&[int], list), types.reference(tensors), types.tuple(&[]));
    let mut layouts = Layouts::new(strategy);
    let mut of = |ty: TermId| layouts.of(&types, ty);
    let known = Known {
        int: of(int),
        flag: of(flag),
        tensor: of(tensor),
        list: of(list),
        tensors: of(tensors),
        pair: of(pair),
        sum: of(sum),
        func: of(func),
        cell: of(cell),
        unit: of(unit),
        flag_content: layouts.content(&types, flag),
    };
    for ty in [list, tensors, pair, sum] {
        layouts.boxed(&types, ty);
    }
    let mut constants = IndexVec::new();
    let elements = Elements::Float(vec![1.0, 2.5]);
    constants.push(Arc::new(Tensor { dtype: Dtype::Float32, shape: vec![2], elements }));
    (Program { types, layouts, functions: IndexVec::new(), globals: IndexVec::new(), constants }, known)
}

fn assert_is_in_order(program: &Program, stage: Stage, about: &str) {
    let violations = ir::verify(program, stage);
    let texts: Vec<String> = violations.iter().map(ToString::to_string).collect();
    assert!(texts.is_empty(), "{about}: {texts:#?}\n{}", ir::print(program, NAMES, Detail::Plain));
}

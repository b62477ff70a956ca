//! Texts of small programs over a table of layouts made by hand.

use crate::{Detail, Names, Program, lines, parse, print, tables};
use base::IndexVec;
use layout::{Case, Constructor, Field, Kind, Layout, LayoutId, Layouts, Strategy, Tag, Types, Variant};
use std::sync::Arc;
use ty::{AdtId, Dtype, Elements, FixedNames, Tensor, Term, TermId, VariantId};

const FIXED: FixedNames = FixedNames { adt: "List", param: "A", variants: &["A", "B"], constructors: &["Nil", "Cons"] };
pub(crate) const NAMES: Names = Names { types: &FIXED, values: &FIXED };

/// The layouts are, in order: `int32`, `bool`, a tensor, what a list is, a box of one, a function from `int32`, a cell
/// with one, a token of a list, the empty tuple, a pair of `int32` and tensor, an anonymous sum, a word with an
/// `int32`, none, `float32`, a cell with a list.
pub(crate) fn base() -> Program {
    let mut types = Types::default();
    let (int, flag, float) = (types.scalar(Dtype::Int32), types.scalar(Dtype::Bool), types.scalar(Dtype::Float32));
    let tensor = types.tensor(&[Some(2), None], Dtype::Float32);
    let args = types.list(&[int]);
    let list = types.intern(Term::Adt { adt: AdtId::numbered(0), args });
    let nil = Constructor { number: 0, fields: Vec::new() };
    types.define(list, vec![nil, Constructor { number: 1, fields: vec![int, list] }]);
    let func = types.func(&[int], int);
    let (cell, cell_of_list) = (types.reference(int), types.reference(list));
    let (unit, pair) = (types.tuple(&[]), types.tuple(&[int, tensor]));
    let sum = types.sum(&[(VariantId::numbered(0), Vec::new()), (VariantId::numbered(1), vec![tensor])]);
    let nothing = types.nothing();
    let sum_of = |types: &Types, ty: TermId, fields: &[LayoutId]| {
        let mut fields = fields.iter();
        let mut variant = |Case { head, fields: types }: Case| {
            let field = |_: &TermId| Field { offset: 0, layout: *fields.next().unwrap() };
            Variant { head, code: None, is_inhabited: true, fields: types.iter().map(field).collect() }
        };
        let variants = types.cases(ty).unwrap().into_iter().map(&mut variant).collect();
        Kind::Sum { tag: Tag::None, variants }
    };
    let l = LayoutId::numbered;
    let content = l(3);
    let rows: Vec<(TermId, u32, Kind)> = vec![
        (int, 32, Kind::Scalar(Dtype::Int32)),
        (flag, 8, Kind::Scalar(Dtype::Bool)),
        (tensor, 32, Kind::Tensor),
        (list, 72, sum_of(&types, list, &[l(0), l(4)])),
        (list, 32, Kind::Box { content, immediates: vec![Some(0), None] }),
        (func, 32, Kind::Closure),
        (cell, 32, Kind::Ref { content: l(0) }),
        (list, 32, Kind::Token { content }),
        (unit, 0, sum_of(&types, unit, &[])),
        (pair, 64, sum_of(&types, pair, &[l(0), l(2)])),
        (sum, 33, sum_of(&types, sum, &[l(2)])),
        (int, 32, Kind::Immediate(Dtype::Int32)),
        (nothing, 0, Kind::Never),
        (float, 32, Kind::Scalar(Dtype::Float32)),
        (cell_of_list, 32, Kind::Ref { content: l(4) }),
        (pair, 64, Kind::Token { content: l(9) }),
    ];
    let mut layouts = Layouts::new(Strategy::Aligned);
    for (ty, bits, kind) in rows {
        layouts.table.push(Layout { ty, bits, align: 1, kind });
    }
    let mut constants = IndexVec::new();
    let elements = Elements::Float(vec![1.0, 2.5]);
    constants.push(Arc::new(Tensor { dtype: Dtype::Float32, shape: vec![2, 1], elements }));
    Program { types, layouts, functions: IndexVec::new(), globals: IndexVec::new(), constants }
}

/// Prints what a text parses to, and requires that an exact text of it parses to an equal program.
fn round(text: &str) -> String {
    let base = base();
    let program = parse(text, &base, NAMES).unwrap_or_else(|error| panic!("{error:?}"));
    let exact = print(&program, NAMES, Detail::Exact);
    let again = parse(&exact, &base, NAMES).unwrap_or_else(|error| panic!("{error:?}\n{exact}"));
    assert_eq!(again.functions, program.functions, "{exact}");
    assert_eq!(again.globals, program.globals, "{exact}");
    let texts = lines(&program, NAMES, Detail::Plain).into_iter().map(|line| line.text + "\n");
    texts.collect()
}

const MAP: &str = "\
global g0 %k: l0 = init

fn f0 init() -> l0 {
b0:
  v0: l0 = 3
  return v0
}

fn f1 @map(%f: l5, %l: l4) -> l4 {
b0:
  fuel 2
  v4: l3 = unbox %l
  switch v4 { Nil: b1, Cons: b2 }
b1:
  v5: l3 = pack Nil()
  v6: l4 = box v5
  return v6
b2:
  %h: l0, %t: l4 = open Cons v4
  %x.7: l0 = call %f(%h)
  %x.8: l4 = call @map(%f, %t)
  v9: l3 = pack Cons(%x.7, %x.8)
  v10: l4 = box v9
  return v10
}
";

const EVERYTHING: &str = "\
fn f0 \"f9\"[%a: l2](%x.1: l0, $plain: l1, v3 \"odd name\": l14) -> l9 {
b0:
  %k: l2 = tensor k0
  v5: l2 = add(%k, %a)
  v6: l2 = sum(v5, axis=[1], keepdims=True)
  v7: l2 = sum(v6; axis=[[], [-1]])
  v31: l2 = fused(%k, %a) { s0 = nn.bias_add(%k, %a); s1 = clip(s0, a_min=-1.5f, a_max=2.0f); s2 = add(s1, s0) }
  v8: l9 = pack (%x.1, v7)
  v9: l0 = field .0 v8
  v10: l0, v11: l2 = open v8
  v12: l13 = -0.1f
  v13: l13 = inff
  v14: l1 = True
  check \"%x.1\" [2, ?] v11
  v15: l10 = pack `B(v11)
  switch v15 { `A: b1, _: b2 }
b1:
  fail free \"%y\"
b2:
  switch %x.1 { 0: b3, -7: b4, _: b5 }
b3:
  fail no_arm
b4:
  fail broken
b5:
  v16: l5 = closure f0(%a)
  v17: l6 = ref_new %x.1
  v18: l0 = ref_read v17
  v19: l8 = ref_write v17, v18
  v20: l4 = ref_read v3
  v21: l3, v22: l7 = unbox v20
  dup v21
  v23: l4 = box v21, v22
  v24: l3 = load v23
  v25: l0, v26: l4 = peek Cons v24
  v27: l0 = field Cons.0 v24
  drop v23
  v28: l3 = pack #7()
  free v22
  jump b6(%x.1, v11)
b6(%x.29: l0, v30: l2):
  tail call f0(v30, %x.29)
}
";

#[test]
fn texts_print_as_they_were() {
    for text in [MAP, EVERYTHING] {
        assert_eq!(round(text), text);
    }
}

#[test]
fn variables_without_numbers_get_those_that_are_free() {
    let program = parse("fn f0 g(%a: l0, v0: l0, %b: l0) -> l0 {\nb0:\n  return %b\n}", &base(), NAMES).unwrap();
    let params: Vec<u32> = program.functions.iter().flat_map(|f| &f.params).map(|param| param.number()).collect();
    assert_eq!(params, [1, 0, 2]);
}

#[test]
fn the_table_stands_in_front() {
    let lines = tables(&base(), NAMES);
    let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "layout l0 = int32, 4 bytes",
            "layout l1 = bool, 1 byte",
            "layout l2 = Tensor[(2, ?), float32], pointer, 4 bytes",
            "layout l3 = List[int32], Nil | Cons(l0, l4), 9 bytes",
            "layout l4 = List[int32], box of l3, 4 bytes",
            "layout l5 = fn(int32) -> int32, closure, 4 bytes",
            "layout l6 = ref(int32), cell of l0, 4 bytes",
            "layout l7 = List[int32], token of l3, 4 bytes",
            "layout l8 = (), (), 0 bytes",
            "layout l9 = (int32, Tensor[(2, ?), float32]), (l0, l2), 8 bytes",
            "layout l10 = [`A, `B(Tensor[(2, ?), float32])], `A | `B(l2), 33 bits",
            "layout l11 = int32, immediate, 4 bytes",
            "layout l12 = _, 0 bytes",
            "layout l13 = float32, 4 bytes",
            "layout l14 = ref(List[int32]), cell of l4, 4 bytes",
            "layout l15 = (int32, Tensor[(2, ?), float32]), token of l9, 8 bytes",
            "const k0 = [[1f], [2.5f]]",
            ""
        ]
    );
}

#[test]
fn lines_say_where_they_come_from() {
    let text = "fn f0 g(%a: l0) -> l0 @5..9 {\nb0:\n  fuel 1 @1..2\n  return %a @3..4\n}\n";
    let program = parse(text, &base(), NAMES).unwrap();
    let found: Vec<(String, Option<u32>, Option<usize>)> = lines(&program, NAMES, Detail::Plain)
        .into_iter()
        .map(|line| (line.text, line.span.map(|span| span.start), line.at.map(|(_, index)| index)))
        .collect();
    let expected = [
        ("fn f0 g(%a: l0) -> l0 {", Some(5), None),
        ("b0:", None, None),
        ("  fuel 1", Some(1), Some(0)),
        ("  return %a", Some(3), Some(1)),
        ("}", None, None),
    ];
    assert_eq!(found, expected.map(|(text, span, at)| (text.to_owned(), span, at)));
}

#[test]
fn bad_text_is_an_error_at_its_place() {
    let cases = [
        ("x", "x", "expected a global or function, found x"),
        ("fn f1 g", "f1", "expected f0, found f1"),
        ("fn f0 g(%a) -> l0", ")", "expected :, found )"),
        ("fn f0 g() -> l0 {\nb0:\n  return %x\n}", "%x", "this variable is given nowhere"),
        ("fn f0 g() -> l0 {\nb0:\n  frob\n}", "frob", "expected an instruction, found frob"),
        (
            "fn f0 g(%a: l3) -> l0 {\nb0:\n  v4: l0 = open Other %a\n}",
            "Other",
            "expected a variant of the layout, found Other",
        ),
        ("fn f0 g() -> l0 {\nb0:\n  return v99999999\n}", "v99999999", "expected a lesser number, found v99999999"),
        ("fn f0 g() -> l0 {\nb0:\n  fuel 99999999999\n}", "99999999999", "expected less, found 99999999999"),
        ("fn f0 \"g", "\"g", "expected a text in quotes, found \"g"),
        ("fn f0 g() -> l0 {\nb0:\n  v0: l2 = sum(axis=[[1], 2)\n}", ")", "expected ,, found )"),
        ("fn f0 g() -> l0 {", "", "expected b0, found the end of the text"),
    ];
    for (text, place, message) in cases {
        let error = parse(text, &base(), NAMES).unwrap_err();
        assert_eq!((&text[error.span.range()], error.message.as_str()), (place, message), "{text}");
    }
}

/// Cuts and changed bytes of good texts are errors or programs, and what they parse to prints.
#[test]
fn any_text_parses_or_is_an_error() {
    let mut seed: u64 = 1;
    let mut random = move |n: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % n
    };
    let base = base();
    for _ in 0..3_000 {
        let mut bytes = [MAP, EVERYTHING][random(2)].as_bytes().to_vec();
        for _ in 0..=random(3) {
            let at = random(bytes.len());
            match random(3) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes[at] = b"%v0129@.({[,:}\"\n -"[random(18)],
                _ => drop(bytes.remove(at)),
            }
        }
        let text = String::from_utf8(bytes).unwrap();
        if let Ok(program) = parse(&text, &base, NAMES) {
            let violations = crate::verify(&program, crate::Stage::Counted);
            let exact = print(&program, NAMES, Detail::Exact);
            // Which layout a variable has is not clear then.
            if violations.iter().any(|violation| violation.message.contains("given twice")) {
                continue;
            }
            let again = parse(&exact, &base, NAMES).unwrap_or_else(|error| panic!("{error:?}\n{text}\n{exact}"));
            assert_eq!((again.functions, again.globals), (program.functions, program.globals), "{text}\n{exact}");
        }
    }
}

#[test]
fn no_operator_is_called_as_an_instruction() {
    let words = "tensor pack open peek field box unbox load free closure call ref_new ref_read ref_write global check fuel \
                 dup drop return jump tail switch fail";
    assert!(words.split_whitespace().all(|word| op::by_name(word).is_none()));
}

//! Definitions that the generator would not come to, with the calls in which it fills the holes.

use super::scope::list;
use super::r#type::{BOOL, Dtype, FLOAT, INT, Type, tensor};
use super::{Generator, Item};

/// A feature, what is defined for it, and its uses.
struct Known {
    feature: &'static str,
    definitions: &'static str,
    uses: &'static [(&'static str, &'static [Hole])],
}

#[derive(Clone, Copy)]
enum Hole {
    Int,
    Bool,
    Float,
    Any,
    Ints,
    /// One to three floats.
    Floats,
    Pair,
}

use Hole::{Any, Bool, Float, Floats, Int, Ints, Pair};

const KNOWN: &[Known] = &[
    Known {
        feature: "parameter of polymorphic type",
        definitions: "def @k0(%f: fn[A](A) -> A, %n: int32, %b: bool) { (%f(%n), %f(%b)) }
type K0 { K0(fn[A](A) -> A) }
def @k0_open(%b: K0, %n) { match (%b) { K0(%f) => (%f(%n), %f(2f)) } }",
        uses: &[
            ("@k0(fn(%x) { %x }, $, $)", &[Int, Bool]),
            ("@k0(@id, $, $)", &[Int, Bool]),
            ("@k0_open(K0(fn(%x) { let %y = %x; %y }), $)", &[Any]),
        ],
    },
    Known {
        feature: "unknown dims",
        definitions: "def @k1(%x: Tensor[(?), float32], %y: Tensor[(?), float32]) { %x + %y }
def @k1_sum(%x: Tensor[(?), float32]) -> float32 { sum(%x * 2f) }
def @k1_grow(%n: int32, %x: Tensor[(?), float32]) -> Tensor[(?), float32] {
  if (%n <= 0) { %x } else { @k1_grow(%n - 1, concatenate((%x, [1f]))) }
}",
        uses: &[
            ("@k1($, $)", &[Floats, Floats]),
            ("@k1_sum(@k1_grow(3, $))", &[Floats]),
            ("@k1(@k1_grow(1, $), @k1_grow(2, $))", &[Floats, Floats]),
        ],
    },
    Known {
        feature: "functions that share a cell",
        definitions: "def @k2(%start) {
  let %cell = ref(%start);
  (fn(%x) { %cell := %x; !%cell }, fn() { !%cell })
}",
        uses: &[
            ("(let %c = @k2($); %c.0($); %c.0($); %c.1())", &[Int, Int, Int]),
            ("(let %c = @k2($); let %d = @k2($); %c.0($); (%c.1(), %d.1()))", &[Pair, Any, Pair]),
        ],
    },
    Known {
        feature: "cycle through a ref",
        definitions: "type K3 { K3(int32, ref(List[K3])) }
def @k3(%n: int32) {
  let %r = ref(fn(%k: int32) { %k });
  %r := fn(%k: int32) { if (%k <= 0) { 7 } else { 1 + (!%r)(%k - 1) } };
  (!%r)(%n)
}
def @k3_ring(%n: int32) {
  let %r = ref(Nil);
  let %node = K3(%n, %r);
  %r := Cons(%node, !%r);
  match (!%r) { Cons(K3(%m, %s), _) => (%m, @length(!%s)), Nil => (0, 0) }
}
type K3Loop { K3Open, K3Closed(ref(K3Loop), int32) }
def @k3_closed(%n: int32) { let %r = ref(K3Open); %r := K3Closed(%r, %n); !%r }
def @k3_around(%times: int32, %loop: K3Loop) -> int32 {
  match (%loop) {
    K3Closed(%r, %n) => if (%times <= 0) { %n } else { @k3_around(%times - 1, !%r) },
    K3Open => 0
  }
}",
        uses: &[("@k3(3)", &[]), ("@k3_ring($)", &[Int]), ("@k3_around(5, @k3_closed($))", &[Int])],
    },
    Known {
        feature: "row polymorphism",
        definitions: "def @k4(%results) {
  match (%results) { Nil => Nil, Cons(`Ok(%x), %rest) => Cons(%x, @k4(%rest)), Cons(_, %rest) => @k4(%rest) }
}
def @k4_map(%f, %x) {
  match (%x) { `Ok(%value) => `Ok(%f(%value)), `Short | `Left(_) as %failure => %failure }
}
def @k4_more[r: Row](%x: [`Ok(int32) | r]) -> [`Ok(int32), `More | r] { match (%x) { _ as %y => %y } }",
        uses: &[
            ("@k4(Cons(`Ok($), Cons(`Short, Cons(`Left($, 1), Nil))))", &[Any, Any]),
            ("@k4_map(fn(%x) { (%x, $) }, `Ok($))", &[Int, Any]),
            ("@k4_map(fn(%x: int32) { %x }, `Left($))", &[Any]),
            ("(@k4_more(`Ok($)), @k4_more(`Q($)), @k4_more(`More))", &[Int, Any]),
        ],
    },
    Known {
        feature: "continuations",
        definitions: "def @k5(%n, %k) { if (%n == 0) { %k(0) } else { @k5(%n - 1, fn(%r) { %k(%r + %n) }) } }
def @k5_compose(%fs) { match (%fs) { Nil => fn(%x) { %x }, Cons(%f, %rest) => @compose(%f, @k5_compose(%rest)) } }",
        uses: &[
            ("@k5(20, fn(%r) { (%r, $) })", &[Any]),
            ("@k5_compose(Cons(fn(%x) { %x + $ }, Cons(fn(%x) { %x * $ }, Nil)))($)", &[Int, Int, Int]),
            ("@map(fn(%f) { %f($) }, Cons(fn(%x) { (%x, $) }, Nil))", &[Any, Any]),
        ],
    },
    Known {
        feature: "deep recursion",
        definitions: "def @k6(%n: int32, %total: int64) -> int64 {
  if (%n == 0) { %total } else { @k6(%n - 1, %total * 3i64 + 1i64) }
}
def @k6_range(%n: int32) -> List[int32] { if (%n == 0) { Nil } else { Cons(%n, @k6_range(%n - 1)) } }",
        uses: &[
            ("@k6(3000, 1i64)", &[]),
            ("@sum(@rev(@k6_range(800)))", &[]),
            ("@length(@concat(@k6_range(90), $))", &[Ints]),
        ],
    },
    Known {
        feature: "tensor in a loop",
        definitions: "def @k7(%n: int32, %t) { if (%n <= 0) { %t } else { @k7(%n - 1, %t * 2f + 1f) } }
def @k7_kept(%n: int32, %t: Tensor[(2), float32], %all: List[Tensor[(2), float32]]) {
  if (%n <= 0) { %all } else { @k7_kept(%n - 1, tanh(%t + 0.5f), Cons(%t, %all)) }
}",
        uses: &[("@k7(9, $)", &[Floats]), ("@k7(2, $)", &[Float]), ("@k7_kept(3, [1f, 0.5f] + $, Nil)", &[Float])],
    },
    Known {
        feature: "polymorphic in the dtype",
        definitions:
            "def @k8[T: BaseType](%x: Tensor[(2), T], %y: Tensor[(2), T]) { (sum(%x * %y), %x == %y, stack((%x, %y))) }
def @k8_max(%l) { @foldr1(maximum, %l) }",
        uses: &[
            ("(@k8([1, 2], $ + [2, 3]), @k8([1f, 4f] * $, [2f, 3f]), @k8([1u8, 255u8], [3u8, 2u8]))", &[Int, Float]),
            ("(@k8_max(Cons(3, $)), @k8_max(Cons(1f, Cons($, Nil))))", &[Ints, Float]),
        ],
    },
    Known {
        feature: "type without values",
        definitions: "type Never {}
def @k9(%l: List[Never]) -> int32 { match (%l) { Nil => 0 } }
def @k9_result(%x: [`Ok(int32), `Bad(Never)]) -> int32 { match (%x) { `Ok(%n) => %n } }",
        uses: &[("(@k9(Nil), @length(Nil), Nil, None)", &[]), ("@k9_result(`Ok($))", &[Int])],
    },
    Known {
        feature: "mutual polymorphic data",
        definitions: "type Rose[A] { Rose2(A, Forest[A]) }
type Forest[A] { Empty, More(Rose[A], Forest[A]) }
def @ka(%f, %t) { match (%t) { Rose2(%x, %more) => Rose2(%f(%x), @ka_forest(%f, %more)) } }
def @ka_forest(%f, %t) { match (%t) { Empty => Empty, More(%x, %rest) => More(@ka(%f, %x), @ka_forest(%f, %rest)) } }",
        uses: &[
            ("@ka(fn(%x) { (%x, $) }, Rose2($, More(Rose2($, Empty), Empty)))", &[Bool, Int, Int]),
            ("@ka(fn(%x: int32) { `V(%x) }, Rose2($, Empty))", &[Int]),
        ],
    },
];

impl Generator {
    /// Definitions of one kind, and two uses.
    pub(crate) fn known(&mut self) -> [Vec<Item>; 2] {
        let known = &KNOWN[self.random.below(KNOWN.len())];
        self.uses(known.feature);
        let item = |template: String| Item { template, parts: Vec::new() };
        let mut items: Vec<Item> = Vec::new();
        for line in known.definitions.lines() {
            match items.last_mut() {
                Some(last) if line.starts_with([' ', '}']) => last.template = format!("{}\n{line}", last.template),
                _ => items.push(item(line.to_owned())),
            }
        }
        let mut uses = Vec::new();
        for _ in 0..2 {
            let (template, holes) = self.random.pick(known.uses);
            self.begin_item();
            let mut parts = Vec::new();
            for hole in holes {
                let want = match hole {
                    Int => INT,
                    Bool => BOOL,
                    Float => FLOAT,
                    Ints => list(INT),
                    Floats => tensor(vec![1 + self.random.below(3)], Dtype::Float32),
                    Pair => Type::Tuple(vec![INT, BOOL]),
                    Any => self.r#type(2),
                };
                parts.push(self.expr(&want, 2));
            }
            uses.push(Item { template: format!("{template};"), parts });
        }
        [items, uses]
    }
}

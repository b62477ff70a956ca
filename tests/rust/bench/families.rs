//! Programs that grow with a number, and how long Relay's `InferType` took for each (CPU ms, parsing not counted, on
//! the machine where the Python loop of [`crate::calibration`] took 562 ms).

use std::fmt::Write;

pub struct Family {
    pub name: &'static str,
    pub program: fn(usize) -> String,
    /// Operators, functions or levels for each step of N.
    pub n_ops: usize,
    /// N, and Relay's ms where it was measured.
    pub sizes: &'static [(usize, Option<f64>)],
}

const fn relay(n: usize, ms: f64) -> (usize, Option<f64>) {
    (n, Some(ms))
}

const fn ours(n: usize) -> (usize, Option<f64>) {
    (n, None)
}

/// Relay's own sizes, and ten times the largest of them; nested programs stay below our limit of 1,000 levels.
pub const FAMILIES: &[Family] = &[
    Family {
        name: "dataflow",
        program: |n| dataflow("(4, 4)", n),
        n_ops: 1,
        sizes: &[relay(100, 1.9), relay(1_000, 14.6), relay(10_000, 169.0), ours(100_000)],
    },
    Family {
        name: "broadcast",
        program: |n| dataflow("(1, 4)", n),
        n_ops: 1,
        sizes: &[relay(100, 1.9), relay(1_000, 13.5), relay(10_000, 146.0), ours(100_000)],
    },
    Family {
        name: "diamond",
        program: diamond,
        n_ops: 2,
        sizes: &[relay(100, 3.2), relay(1_000, 27.5), relay(10_000, 362.0), ours(100_000)],
    },
    Family {
        name: "lets",
        program: lets,
        n_ops: 1,
        sizes: &[relay(100, 2.9), relay(1_000, 23.6), relay(10_000, 276.0), ours(100_000)],
    },
    // Linear and relu, of which TensorScript's own compiler checked 40 in 2.7 s.
    Family { name: "layers", program: layers, n_ops: 2, sizes: &[ours(10), ours(100), ours(1_000)] },
    Family {
        name: "closures",
        program: closures,
        n_ops: 1,
        sizes: &[relay(100, 2.9), relay(400, 10.9), relay(800, 22.0)],
    },
    Family { name: "ifs", program: ifs, n_ops: 1, sizes: &[relay(100, 3.0), relay(400, 15.0), relay(800, 44.0)] },
    Family {
        name: "maps",
        program: maps,
        n_ops: 1,
        sizes: &[relay(10, 1.7), relay(100, 13.0), relay(1_000, 126.0), ours(10_000)],
    },
    Family {
        name: "split",
        program: split,
        n_ops: 2,
        sizes: &[relay(100, 4.0), relay(300, 19.0), relay(1_000, 162.0), ours(3_000), ours(10_000)],
    },
    Family { name: "concat", program: concat, n_ops: 1, sizes: &[relay(100, 1.7), relay(1_000, 16.0), ours(10_000)] },
    Family {
        name: "late",
        program: late,
        n_ops: 1,
        sizes: &[relay(100, 2.1), relay(1_000, 14.0), relay(10_000, 142.0), ours(100_000)],
    },
    Family {
        name: "pairs",
        program: pairs,
        n_ops: 1,
        sizes: &[relay(8, 1.4), relay(10, 4.7), relay(12, 18.0), ours(80), ours(100), ours(120)],
    },
    Family { name: "mixed", program: mixed, n_ops: 1, sizes: &[ours(100), ours(1_000), ours(10_000), ours(100_000)] },
    Family { name: "unannotated", program: unannotated, n_ops: 1, sizes: &[ours(100), ours(1_000), ours(10_000)] },
    Family { name: "as-fields", program: as_fields, n_ops: 1, sizes: &[ours(100), ours(1_000), ours(10_000)] },
    Family { name: "as-chain", program: as_chain, n_ops: 1, sizes: &[ours(100), ours(1_000)] },
    Family { name: "or-bodies", program: or_bodies, n_ops: 1, sizes: &[ours(100), ours(1_000)] },
    Family { name: "arms", program: arms, n_ops: 1, sizes: &[ours(100), ours(1_000)] },
    Family { name: "matrix", program: matrix, n_ops: 2, sizes: &[ours(8), ours(16), ours(32)] },
];

/// Relay's ms for the text of N graph bindings with parsing counted: `dataflow`, measured whole.
pub const GRAPH_TEXT: &[(usize, Option<f64>)] = &[relay(100, 3.3), relay(1_000, 28.0), relay(5_000, 144.0)];

/// Polymorphic functions with Relay's parsing counted.
pub const MAPS_TEXT: &[(usize, Option<f64>)] = &[relay(10, 2.4), relay(100, 22.0), relay(1_000, 220.0)];

/// `%1 = add(%0, %y); %2 = …`, as Relay's own printer writes networks.
pub fn dataflow(shape: &str, n: usize) -> String {
    let mut text =
        format!("def @main(%x: Tensor[(4, 4), float32], %y: Tensor[{shape}, float32]) {{\n  %0 = add(%x, %y);\n");
    for i in 1..n {
        let _ = writeln!(text, "  %{i} = add(%{}, %y);", i - 1);
    }
    let _ = writeln!(text, "  %{}\n}}", n - 1);
    text
}

/// x = (x + x) * x.
fn diamond(n: usize) -> String {
    let mut text =
        String::from("def @main(%x: Tensor[(4, 4), float32]) {\n  %0 = add(%x, %x);\n  %1 = multiply(%0, %x);\n");
    for i in 1..n {
        let x = 2 * i - 1;
        let _ = writeln!(text, "  %{} = add(%{x}, %{x});\n  %{} = multiply(%{}, %{x});", x + 1, x + 2, x + 1);
    }
    let _ = writeln!(text, "  %{}\n}}", 2 * n - 1);
    text
}

fn lets(n: usize) -> String {
    let mut text = String::from("def @main(%x0: Tensor[(4, 4), float32]) {\n");
    for i in 1..=n {
        let _ = writeln!(text, "  let %x{i} = add(%x{}, %x0);", i - 1);
    }
    let _ = writeln!(text, "  %x{n}\n}}");
    text
}

fn closures(n: usize) -> String {
    let mut text = String::from("def @main(%x0: Tensor[(4, 4), float32]) {\n");
    for i in 1..=n {
        let _ = writeln!(text, "fn (%x{i}: Tensor[(4, 4), float32]) {{");
    }
    let _ = writeln!(text, "add(%x0, %x{n})\n{}}}", "}\n".repeat(n));
    text
}

fn ifs(n: usize) -> String {
    let head = "def @main(%c: bool, %x: Tensor[(4, 4), float32]) {\n";
    let (open, close) = ("if (%c) {\n".repeat(n), "} else { add(%x, %x) }\n".repeat(n));
    format!("{head}{open}%x\n{close}}}\n")
}

pub fn maps(n: usize) -> String {
    let mut text = String::from("type Seq[A] { Link(A, Seq[A]), End }\n");
    for i in 0..n {
        let _ = writeln!(
            text,
            "def @map{i}[A, B](%f: fn(A) -> B, %l: Seq[A]) -> Seq[B] {{\n  match (%l) {{\n    \
             Link(%h, %t) => Link(%f(%h), @map{i}(%f, %t)),\n    End => End,\n  }}\n}}"
        );
    }
    text
}

/// A tensor split into N, each part projected, all added up.
fn split(n: usize) -> String {
    let mut text = format!(
        "def @main(%x: Tensor[({n}, 4), float32]) {{\n  let %parts = split(%x, indices_or_sections={n}, axis=0);\n  \
         %0 = %parts.0;\n"
    );
    for i in 1..n {
        let sum = 2 * i;
        let _ = writeln!(text, "  %{} = %parts.{i};\n  %{sum} = add(%{}, %{});", sum - 1, sum - 2, sum - 1);
    }
    let _ = writeln!(text, "  %{}\n}}", 2 * n - 2);
    text
}

fn concat(n: usize) -> String {
    let fields = vec!["%x"; n].join(", ");
    format!("def @main(%x: Tensor[(4, 4), float32]) {{\n  concatenate(({fields}), axis=0)\n}}\n")
}

/// A lambda with N operators whose argument comes last.
fn late(n: usize) -> String {
    let mut text = String::from("def @main(%a: Tensor[(4, 4), float32]) {\n  (fn (%x) {\n    %0 = add(%x, %x);\n");
    for i in 1..n {
        let _ = writeln!(text, "    %{i} = add(%{}, %x);", i - 1);
    }
    let _ = writeln!(text, "    %{}\n  }})(%a)\n}}", n - 1);
    text
}

/// A pair of the pair before: the type doubles.
fn pairs(n: usize) -> String {
    let mut text = String::from("def @main(%x0: Tensor[(4, 4), float32]) {\n");
    for i in 1..=n {
        let _ = writeln!(text, "  let %x{i} = (%x{0}, %x{0});", i - 1);
    }
    let _ = writeln!(text, "  %x{n}\n}}");
    text
}

/// A chain of `let`s over tensors: operators, attributes and calls, as a model has them.
pub fn mixed(n: usize) -> String {
    let mut text = String::from("def @main(%x0: Tensor[(8, 16), float32], %w: Tensor[(16, 16), float32]) {\n");
    for i in 1..=n {
        let before = i - 1;
        let _ = match i % 4 {
            0 => writeln!(text, "  let %x{i} = nn.dense(%x{before}, %w, units=16);"),
            1 => writeln!(text, "  let %x{i} = nn.relu(%x{before});"),
            2 => writeln!(text, "  let %x{i} = %x{before} + %x0;"),
            _ => writeln!(text, "  let %x{i} = reshape(%x{before}, newshape=[8, 16]);"),
        };
    }
    let _ = writeln!(text, "  %x{n}\n}}");
    text
}

/// Independent functions, each polymorphic and unannotated, which Relay does not type.
pub fn unannotated(n: usize) -> String {
    (0..n)
        .map(|i| format!("def @f{i}(%x, %y, %b) {{ if (%b) {{ %x * %y + 1f }} else {{ nn.relu(%x) * %y }} }}\n"))
        .collect()
}

/// `as` around a variant of N fields with three values each: the original makes code for each of the 3^N.
fn as_fields(n: usize) -> String {
    let [sums, values, patterns] = [" [A, B, C]", " A", " _"].map(|text| text.repeat(n));
    format!("#lang refine\nlet x : [V{sums}, W] = V{values} in\nmatch x with\n| V{patterns} as y -> y\n| W -> U\n")
}

/// N times `as` that changes nothing: the original makes nine times the code for every two.
fn as_chain(n: usize) -> String {
    let mut text = "#lang refine\nlet x0 : [A, B, C] = A in\n".to_owned();
    for i in 0..n {
        let _ = writeln!(text, "let x{} = match x{i} with | A | B | C as y -> y in", i + 1);
    }
    text + &format!("x{n}\n")
}

/// N matches inside each other with two alternatives each: the original makes twice the code for every one.
fn or_bodies(n: usize) -> String {
    let open = "match x with | A | B -> ".repeat(n);
    format!("#lang refine\nlet x : [A, B] = A in\n{open}R\n")
}

/// One match of N arms.
fn arms(n: usize) -> String {
    let mut text = "#lang refine\nlet x : [".to_owned();
    for i in 0..n {
        let _ = write!(text, "{}V{i}", if i == 0 { "" } else { ", " });
    }
    text.push_str("] = V1 in\nmatch x with\n");
    for i in 0..n {
        let _ = writeln!(text, "| V{i} -> R{i}");
    }
    text
}

/// W(N): a tuple of 2N values of two kinds each; arm i asks two of them, and the last arm nothing. OCaml takes 30 s for
/// 16.
fn matrix(n: usize) -> String {
    let row = |first: usize| {
        let fields = (0..2 * n).map(|i| if i / 2 == first { "T" } else { "_" });
        format!("V {}", fields.collect::<Vec<_>>().join(" "))
    };
    let mut text =
        format!("#lang refine\nlet x : [V{}] = V{} in\nmatch x with\n", " [T, F]".repeat(2 * n), " F".repeat(2 * n));
    for i in 0..=n {
        let _ = writeln!(text, "| {} -> R", row(i));
    }
    text
}

/// A TensorScript node of so many layers.
fn layers(n: usize) -> String {
    let mut text =
        "#lang tensorscript\nuse lin::Linear;\nuse nonlin::relu;\nnode Net<[?, 8] -> [?, 8]> {}\n".to_owned();
    text.push_str("weights Net<[?, 8] -> [?, 8]> {\n");
    for i in 0..n {
        let _ = writeln!(text, "  fc{i} = Linear::new(in=8, out=8);");
    }
    text.push_str("}\ngraph Net<[?, 8] -> [?, 8]> {\n  def forward(x) {\n    x\n");
    for i in 0..n {
        let _ = writeln!(text, "    |> fc{i} |> relu");
    }
    text + "  }\n}\n"
}

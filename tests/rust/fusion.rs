//! Operators that are fused give what they give one by one: the same values to the bit, errors at the same places, and
//! nothing left. The programs are random trees of what may be in a group: elementwise operators on floats, integers and
//! truths, other shapes of the same elements, products and reductions. Programs of the whole language are run both ways
//! in `differential`.

use layout::Strategy;
use session::{Analysis, Fusion, Options, compile, evaluate, run};
use std::fmt::Write;
use tests::facts::errors;

const N_CASES: u64 = 2_000;

const FLOATS: &[&str] = &["0.5f", "-2f", "1f", "0f", "-0f", "3f", "1000f", "-0.125f"];
const INTS: &[&str] = &["0", "1", "-1", "7", "-100", "2147483647", "-2147483648"];

struct Random {
    state: u64,
    /// Columns of `%x`.
    width: usize,
}

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % n
    }

    fn of<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }

    /// An expression of float32 over `%x`, `%y`, `%r`, `%c`, `%s`, `%w`, `%i` and the variables so far.
    fn expr(&mut self, depth: usize, n_lets: usize) -> String {
        if depth == 0 || self.below(8) == 0 {
            return match self.below(8) {
                at @ 0..5 => ["%x", "%y", "%r", "%c", "%s"][at].to_owned(),
                _ if n_lets > 0 => format!("%t{}", self.below(n_lets)),
                _ => "%x".to_owned(),
            };
        }
        let a = self.expr(depth - 1, n_lets);
        match self.below(13) {
            12 => {
                let test = self.of(&["<", ">=", "=="]);
                let other = self.expr(depth - 1, n_lets);
                match self.below(3) {
                    0 => format!("where(({a}) {test} %x, {other}, %y)"),
                    1 => format!("where(logical_not(%i {test} %j), %c, {other})"),
                    _ => format!("cast(({a}) {test} ({other}), dtype=\"float32\")"),
                }
            }
            11 => match self.below(3) {
                0 => {
                    format!("cast(%i * cast(clip({a}, a_min=-9f, a_max=9f), dtype=\"int32\") - %j, dtype=\"float32\")")
                }
                1 => format!("cast(bitwise_and(%i, %j) + negative(%i), dtype=\"float32\") * ({a})"),
                _ => format!("cast(cast({a}, dtype=\"float64\") * 3.0f64, dtype=\"float32\")"),
            },
            10 => match self.below(3) {
                0 => format!("reshape(exp(reshape(%x + ({a}), newshape=[-1])), newshape=[-1, {}])", self.width),
                1 => format!("squeeze(expand_dims({a}, axis=0) * 2f, axis=[0])"),
                _ => {
                    let name = self.of(&["sum", "mean", "max", "min", "prod"]);
                    let axes = self.of(&["", ", axis=[0], keepdims=True", ", axis=[1]", ", axis=[-1], keepdims=True"]);
                    format!("{name}(%x - ({a}){axes})")
                }
            },
            9 => match self.below(3) {
                0 => format!("nn.dense(%x * ({a}), %w)"),
                1 => format!("nn.relu(nn.bias_add(nn.dense(%y + ({a}), %w), %r))"),
                _ => format!("(nn.matmul(%y - ({a}), %w) + %r)"),
            },
            0 => match self.below(4) {
                0 | 1 => format!("nn.bias_add(%x * ({a}), %r)"),
                2 => {
                    let attrs = self.of(&["", ", epsilon=0.5f", ", scale=False", ", center=False"]);
                    let field = self.of(&["0", "0", "1 + %x"]);
                    format!("nn.batch_norm(%y - ({a}), %r, exp(%r), %r, abs(%r){attrs}).{field}")
                }
                _ => format!("nn.dropout({a}).{}", self.of(&["0", "0", "1"])),
            },
            1 => format!("nn.leaky_relu({a}, alpha=0.25f)"),
            2 => format!("clip({a}, a_min=-1f, a_max=3f)"),
            3 | 4 => {
                let name =
                    self.of(&["exp", "tanh", "sigmoid", "nn.relu", "negative", "abs", "sqrt", "floor", "erf", "sum"]);
                format!("{name}({a})")
            }
            5 => format!("@half({a})"),
            _ => {
                let b = self.expr(depth - 1, n_lets);
                let infix = self.of(&["+", "-", "*", "/", "maximum", "power"]);
                match infix.len() {
                    1 => format!("(({a}) {infix} ({b}))"),
                    _ => format!("{infix}({a}, {b})"),
                }
            }
        }
    }

    fn tensor(&mut self, sizes: &[usize], elements: &[&str]) -> String {
        match sizes.split_first() {
            None => self.of(elements).to_owned(),
            Some((&n, rest)) => {
                let items: Vec<String> = (0..n).map(|_| self.tensor(rest, elements)).collect();
                format!("[{}]", items.join(", "))
            }
        }
    }

    fn program(&mut self) -> String {
        let is_open = self.below(2) == 0;
        let dim = |n: usize| if is_open { "?".to_owned() } else { n.to_string() };
        let [a, b] = [[2, 3], [1, 3], [4, 1], [3, 3]][self.below(4)];
        self.width = b;
        let mut text = "def @half(%h) { %h * 0.5f }\n".to_owned();
        let _ = writeln!(
            text,
            "def @main_of(%x: Tensor[({0}, {1}), float32], %y: Tensor[({0}, {1}), float32], \
             %r: Tensor[({1},), float32], %c: Tensor[({0}, 1), float32], %s: float32, %w: Tensor[({1}, {1}), float32], \
             %i: Tensor[({0}, {1}), int32], %j: Tensor[({1},), int32]) {{",
            dim(a),
            dim(b)
        );
        let n_lets = self.below(4);
        for at in 0..n_lets {
            let _ = writeln!(text, "  let %t{at} = {};", self.expr(3, at));
        }
        let _ = writeln!(text, "  {}\n}}", self.expr(4, n_lets));
        for _ in 0..2 {
            // Sizes that are not known may not fit.
            let mut other = |n: usize| if is_open && self.below(6) == 0 { 1 + self.below(3) } else { n };
            let shapes = [
                vec![other(a), other(b)],
                vec![other(a), other(b)],
                vec![other(b)],
                vec![other(a), 1],
                vec![],
                vec![b, other(b)],
                vec![other(a), other(b)],
                vec![other(b)],
            ];
            let kinds = [FLOATS; 6].into_iter().chain([INTS; 2]);
            let args: Vec<String> = shapes.iter().zip(kinds).map(|(shape, kind)| self.tensor(shape, kind)).collect();
            let _ = writeln!(text, "@main_of({})", args.join(", "));
        }
        text
    }
}

#[test]
fn fused_operators_mean_what_they_mean_one_by_one() {
    let mut random = Random { state: 3, width: 0 };
    let (mut n_fused, mut n_values, mut n_failing, mut n_refused) = (0, 0, 0, 0);
    for _ in 0..N_CASES {
        let text = random.program();
        let analysis = Analysis::new(&text);
        let seen = |outcome: &session::Outcome| {
            let values = outcome.values.iter().map(|value| analysis.show(value).unwrap_or_default());
            let said = outcome.diagnostics.iter().map(|said| format!("{} {:?} {}", said.code, said.span, said.message));
            values.chain(said).collect::<Vec<String>>()
        };
        if !errors(&analysis).is_empty() {
            n_refused += 1;
            continue;
        }
        let options = Options::default();
        let meaning = evaluate(&analysis, &options);
        for layout in Strategy::ALL {
            let mut is_fused = false;
            compile(&analysis, &analysis.runnable(), layout, Fusion::On, &mut |pass, program| {
                let stage = if pass == "counts" { ir::Stage::Counted } else { ir::Stage::Before };
                let violations = if pass == "reuse" { Vec::new() } else { ir::verify(program, stage) };
                assert!(violations.is_empty(), "after {pass}: {violations:?}\n{text}");
                let instrs = program.functions.iter().flat_map(|f| f.blocks.iter()).flat_map(|block| &block.instrs);
                is_fused |= instrs.into_iter().any(|instr| matches!(instr.op, ir::Op::Fused(_)));
            });
            n_fused += usize::from(is_fused);
            let [on, off] =
                [Fusion::On, Fusion::Off].map(|fusion| run(&analysis, &Options { layout, fusion, ..options.clone() }));
            assert_eq!(seen(&on), seen(&off), "with and without fusion\n{text}");
            let codes =
                |outcome: &session::Outcome| outcome.diagnostics.iter().map(|said| said.code).collect::<Vec<_>>();
            let values = |outcome: &session::Outcome| seen(outcome)[..outcome.values.len()].to_vec();
            assert_eq!((values(&on), codes(&on)), (values(&meaning), codes(&meaning)), "by the evaluator\n{text}");
            assert_eq!((on.live_bytes, off.live_bytes), (0, 0), "{text}");
            assert_eq!(on.fuel, off.fuel, "{text}");
            let bits = |outcome: &session::Outcome| {
                let values = outcome.values.iter().map(|value| match &value.value {
                    Some(ty::Value::Tensor(tensor)) => {
                        let mut bytes = vec![0; tensor.elements.len() * tensor.dtype.n_bytes()];
                        op::write_elements(&tensor.elements, tensor.dtype, &mut bytes);
                        bytes
                    }
                    Some(ty::Value::Scalar(dtype, scalar)) => ty::scalar_bits(*dtype, *scalar).to_le_bytes().to_vec(),
                    _ => Vec::new(),
                });
                values.collect::<Vec<Vec<u8>>>()
            };
            assert_eq!(bits(&on), bits(&off), "{text}");
        }
        n_values += meaning.values.iter().filter(|value| value.value.is_some()).count();
        n_failing += meaning.diagnostics.len();
    }
    println!("{n_values} values, {n_failing} errors, {n_refused} programs refused; fused in {n_fused} ways");
    assert!(n_values > 1_500 && n_failing > 50 && n_fused > 3_000, "{n_values} {n_failing} {n_refused} {n_fused}");
}

/// What follows a convolution in a network.
#[test]
fn a_norm_and_an_activation_are_one_with_a_convolution() {
    let text = "\
def @main(%x: Tensor[(1, 3, 8, 8), float32], %w: Tensor[(4, 3, 3, 3), float32], %v: Tensor[(4,), float32]) {
  let %c = nn.conv2d(%x, %w, kernel_size=[3, 3], channels=4);
  let %n = nn.batch_norm(nn.dropout(%c).0, %v, %v, %v, %v);
  nn.relu(%n.0)
}
";
    let analysis = Analysis::new(text);
    let mut fused = Vec::new();
    compile(&analysis, &analysis.runnable(), Strategy::Aligned, Fusion::On, &mut |pass, program| {
        if pass == "fuse" {
            for instr in program.functions.iter().flat_map(|f| f.blocks.iter()).flat_map(|block| &block.instrs) {
                let ir::Op::Fused(steps) = &instr.op else { panic!("{:?} is in no group", instr.op) };
                fused.push(steps.iter().map(|step| step.op.spelling()).collect::<Vec<_>>());
            }
        }
    });
    assert_eq!(fused, [["nn.conv2d", "nn.batch_norm.0", "nn.relu"]]);
}

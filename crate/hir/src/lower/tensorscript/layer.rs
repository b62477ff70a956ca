//! What each layer computes: a table of calls of operators, and how these become expressions.

use super::Lowering;
use crate::data::{Attr, ExprId, ExprKind, LocalId, LocalOrigin, Place, TypeExprKind, Visit};
use crate::layers::{Layer, LayerKind, flag, float, int, ints};
use crate::net::Args;
use Operand::{Number, Of, Part, Scale, Weight, X};
use Value::{Flag, Given, GivenFlag, GivenFloat, GivenList, Int, List, Word};
use base::{Span, ToList};
use ty::{AttrValue, Dtype, Scalar};

/// An operator's name, its operands and attributes. Without a name it is its operand.
type Step = (&'static str, &'static [Operand], &'static [(&'static str, Value)]);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operand {
    /// What the layer is applied to.
    X,
    /// A parameter, in the order of [`Layer::parameters`].
    Weight(u8),
    /// The result of an earlier step.
    Of(u8),
    /// A field of the tuple that one gave.
    Part(u8, u8),
    Number(f32),
    /// 1 / √(the size of one head).
    Scale,
}

/// What an attribute is.
#[derive(Clone, Copy, Debug)]
enum Value {
    /// An argument of the layer: one number, one for each axis, or one with a point.
    Given(&'static str),
    GivenList(&'static str),
    GivenFloat(&'static str),
    GivenFlag(&'static str),
    Int(i64),
    Flag(bool),
    Word(&'static str),
    List(&'static [i64]),
    /// A shape whose third size is an argument, and whose fourth follows.
    ByHeads(&'static str),
}

const CONVOLUTION: &[(&str, Value)] = &[
    ("strides", GivenList("stride")),
    ("padding", GivenList("padding")),
    ("dilation", GivenList("dilation")),
    ("groups", Given("groups")),
    ("channels", Given("out_ch")),
    ("kernel_size", GivenList("kernel_size")),
];
/// The operator that the kind of the layer names.
const NAMED: &str = "_";
const BIAS: Step = ("nn.bias_add", &[Of(0), Weight(1)], &[]);
const LAST: &[(&str, Value)] = &[("axis", Int(-1))];
const ALONG: &[(&str, Value)] = &[("axis", Given("dim"))];
const SWAPPED: &[(&str, Value)] = &[("axes", List(&[0, 2, 1, 3]))];
const BY_HEADS: &[(&str, Value)] = &[("newshape", Value::ByHeads("num_heads"))];
const ONE_BATCH: &[(&str, Value)] = &[("newshape", List(&[-3, -2]))];

/// In the order in which they run; the last is the layer's result.
fn steps(kind: LayerKind) -> &'static [Step] {
    match kind {
        LayerKind::Conv1d => &[("nn.conv1d", &[X, Weight(0)], CONVOLUTION), BIAS],
        LayerKind::Conv2d => &[("nn.conv2d", &[X, Weight(0)], CONVOLUTION), BIAS],
        LayerKind::Conv3d => &[("nn.conv3d", &[X, Weight(0)], CONVOLUTION), BIAS],
        LayerKind::ConvTranspose2d => &[
            (
                "nn.conv2d_transpose",
                &[X, Weight(0)],
                &[
                    ("channels", Given("out_ch")),
                    ("kernel_size", GivenList("kernel_size")),
                    ("strides", GivenList("stride")),
                    ("padding", GivenList("padding")),
                    ("output_padding", GivenList("output_padding")),
                ],
            ),
            BIAS,
        ],
        LayerKind::MaxPool(_) => &[(
            NAMED,
            &[X],
            &[
                ("pool_size", GivenList("kernel_size")),
                ("strides", GivenList("stride")),
                ("padding", GivenList("padding")),
                ("dilation", GivenList("dilation")),
            ],
        )],
        LayerKind::AvgPool(_) => &[(
            NAMED,
            &[X],
            &[
                ("pool_size", GivenList("kernel_size")),
                ("strides", GivenList("stride")),
                ("padding", GivenList("padding")),
                ("count_include_pad", Flag(true)),
            ],
        )],
        LayerKind::AdaptiveAvgPool(_) => &[(NAMED, &[X], &[("output_size", GivenList("output_size"))])],
        LayerKind::Linear => &[("nn.dense", &[X, Weight(0)], &[]), ("nn.bias_add", &[Of(0), Weight(1)], LAST)],
        // The layer says which operator.
        LayerKind::Each(_) => &[(NAMED, &[X], &[])],
        LayerKind::Reduce(_) => &[(NAMED, &[X], &[("axis", GivenList("dim")), ("keepdims", GivenFlag("keepdim"))])],
        LayerKind::Silu => &[("sigmoid", &[X], &[]), ("multiply", &[X, Of(0)], &[])],
        LayerKind::LeakyRelu => &[("nn.leaky_relu", &[X], &[("alpha", GivenFloat("p"))])],
        // x · (1 + erf(x / √2)) / 2.
        LayerKind::Gelu => &[
            ("multiply", &[X, Number(std::f32::consts::FRAC_1_SQRT_2)], &[]),
            ("erf", &[Of(0)], &[]),
            ("add", &[Of(1), Number(1.0)], &[]),
            ("multiply", &[X, Of(2)], &[]),
            ("multiply", &[Of(3), Number(0.5)], &[]),
        ],
        LayerKind::Softmax => &[("nn.softmax", &[X], ALONG)],
        LayerKind::LogSoftmax => &[("nn.log_softmax", &[X], ALONG)],
        // A run is not training: nothing is dropped.
        LayerKind::Dropout => &[("nn.dropout", &[X], &[("rate", GivenFloat("p"))]), ("", &[Part(0, 0)], &[])],
        LayerKind::BatchNorm => &[
            (
                "nn.batch_norm",
                &[X, Weight(0), Weight(1), Weight(2), Weight(3)],
                &[("axis", Int(1)), ("epsilon", GivenFloat("eps"))],
            ),
            ("", &[Part(0, 0)], &[]),
        ],
        LayerKind::LayerNorm => {
            &[("nn.layer_norm", &[X, Weight(0), Weight(1)], &[("axis", Int(-1)), ("epsilon", GivenFloat("eps"))])]
        }
        LayerKind::GroupNorm => &[(
            "nn.group_norm",
            &[X, Weight(0), Weight(1)],
            &[("num_groups", Given("num_groups")), ("axis", Int(1)), ("epsilon", GivenFloat("eps"))],
        )],
        LayerKind::Cat => &[("concatenate", &[X], ALONG)],
        LayerKind::Matmul => &[("nn.batch_matmul", &[X, Weight(0)], &[])],
        LayerKind::Permute => &[("transpose", &[X], &[("axes", GivenList("dims"))])],
        LayerKind::Squeeze => &[("squeeze", &[X], &[("axis", GivenList("dim"))])],
        LayerKind::Unsqueeze => &[("expand_dims", &[X], ALONG)],
        // TensorScript has no tensors of integers: the numbers are rounded towards zero. That no row
        // is clipped to another is called `fast` in Relay: there must be one, and running it is an error where there is none.
        LayerKind::Embedding => &[
            ("cast", &[X], &[("dtype", Word("int32"))]),
            ("take", &[Weight(0), Of(0)], &[("axis", Int(0)), ("mode", Word("fast"))]),
        ],
        // Each element of a sequence as the mean of all, weighed by how like their projections are: by heads, on parts
        // of the projections, whose results stand side by side again in the end.
        LayerKind::MultiheadAttention => &[
            ("nn.dense", &[X, Weight(0)], &[]),
            ("nn.bias_add", &[Of(0), Weight(1)], LAST),
            ("split", &[Of(1)], &[("indices_or_sections", Int(3)), ("axis", Int(-1))]),
            // [batch, time, n] as [batch, heads, time, n / heads], of which all heads are one batch.
            ("reshape", &[Part(2, 0)], BY_HEADS),
            ("transpose", &[Of(3)], SWAPPED),
            ("reshape", &[Of(4)], ONE_BATCH),
            ("reshape", &[Part(2, 1)], BY_HEADS),
            ("transpose", &[Of(6)], SWAPPED),
            ("reshape", &[Of(7)], ONE_BATCH),
            ("nn.batch_matmul", &[Of(5), Of(8)], &[("transpose_b", Flag(true))]),
            ("multiply", &[Of(9), Scale], &[]),
            ("nn.softmax", &[Of(10)], LAST),
            ("reshape", &[Part(2, 2)], BY_HEADS),
            ("transpose", &[Of(12)], SWAPPED),
            ("reshape", &[Of(13)], ONE_BATCH),
            ("nn.batch_matmul", &[Of(11), Of(14)], &[]),
            ("reshape_like", &[Of(15), Of(4)], &[]),
            ("transpose", &[Of(16)], SWAPPED),
            ("reshape", &[Of(17)], &[("newshape", List(&[0, 0, -3]))]),
            ("nn.dense", &[Of(18), Weight(2)], &[]),
            ("nn.bias_add", &[Of(19), Weight(3)], LAST),
        ],
        // These are no fixed number of steps.
        LayerKind::Lstm | LayerKind::Gru | LayerKind::Flatten | LayerKind::Transpose => &[],
    }
}

/// Where a layer's operators stand: the layer's name, and the whole application.
#[derive(Clone, Copy)]
struct At {
    name: Span,
    whole: Span,
}

fn list(ints: &[i64]) -> AttrValue {
    AttrValue::List(ints.iter().map(|&int| AttrValue::Int(int)).list())
}

/// Two axes swapped as an equation, whatever the rank is: `abc...->acb...` for 1 and 2, `ab...Z->aZ...b` for 1 and -1.
fn swap(first: i64, second: i64) -> String {
    // Of the axes from the beginning and of those from the end, as many as are needed.
    let before = first.max(second).max(-1) + 1;
    let after = -first.min(second).min(0);
    let letter = |at: i64| char::from(if at < 0 { b'[' - (-at) as u8 } else { b'a' + at as u8 });
    let side = |turn: &dyn Fn(i64) -> i64| {
        let letters = |axes: std::ops::Range<i64>| axes.map(|axis| letter(turn(axis))).collect::<String>();
        format!("{}...{}", letters(0..before), letters(-after..0))
    };
    let swapped = |axis| match axis {
        _ if axis == first => second,
        _ if axis == second => first,
        _ => axis,
    };
    format!("{}->{}", side(&|axis| axis), side(&swapped))
}

fn value(value: Value, args: &Args) -> AttrValue {
    match value {
        Given(name) => AttrValue::Int(int(args, name)),
        GivenList(name) => list(ints(args, name)),
        GivenFloat(name) => AttrValue::Float(float(args, name)),
        GivenFlag(name) => AttrValue::Bool(flag(args, name)),
        Int(int) => AttrValue::Int(int),
        Flag(flag) => AttrValue::Bool(flag),
        Word(word) => AttrValue::Str(word.into()),
        List(ints) => list(ints),
        Value::ByHeads(name) => list(&[0, 0, int(args, name), -1]),
    }
}

impl Lowering<'_> {
    /// A layer on a value; `weights` are its parameters in the order of [`Layer::parameters`], or further values.
    pub(super) fn layer(
        &mut self,
        layer: &'static Layer,
        args: &Args,
        x: ExprId,
        weights: &[ExprId],
        name: Span,
        whole: Span,
    ) -> ExprId {
        let at = At { name, whole };
        if layer.kind == LayerKind::Flatten {
            let start = int(args, "start_dim").clamp(-64, 64);
            if start < -1 {
                // From the last axis on, each goes into the one before it.
                return (start..-1).fold(x, |x, _| {
                    self.operator("contrib_reverse_reshape", vec![x], vec![("newshape", list(&[-2, -3]))], at)
                });
            }
            let kept = base::filled(0, start.max(0) as usize);
            let dims = if start < 0 { vec![-2] } else { [&kept[..], &[-1]].concat() };
            return self.reshape(x, &dims, name, whole);
        }
        if layer.kind == LayerKind::Transpose {
            let tuple = self.expr(ExprKind::Tuple(vec![x]), whole);
            let equation = AttrValue::Str(swap(int(args, "dim0"), int(args, "dim1")).into());
            return self.operator("einsum", vec![tuple], vec![("equation", equation)], at);
        }
        let mut steps = steps(layer.kind);
        // The last of two is the bias.
        if !flag(args, "bias") {
            steps = &steps[..1];
        }
        // What is used more than once is a variable.
        let is_shared = |wanted: Operand| {
            let is_use = |&on: &Operand| on == wanted || matches!(on, Part(step, _) if Of(step) == wanted);
            steps.iter().flat_map(|(_, on, _)| on.iter()).count_where(|on| is_use(on)) > 1
        };
        let mut lets: Vec<(Option<LocalId>, ExprId)> = Vec::new();
        let sequences = match layer.kind {
            LayerKind::Lstm | LayerKind::Gru => ints(args, "input_size").first(),
            LayerKind::MultiheadAttention => ints(args, "embed_dim").first(),
            _ => None,
        };
        let mut results: Vec<(ExprId, Option<LocalId>)> = Vec::new();
        let mut input = (x, None);
        if sequences.is_some() || is_shared(X) {
            input.1 = Some(self.held(x, at, &mut lets));
        }
        if let (Some(&n), (_, Some(local))) = (sequences, input) {
            // A batch of sequences of so many numbers each, which not every operator below demands.
            let dims = [TypeExprKind::Hole, TypeExprKind::Hole, TypeExprKind::Dim(n)];
            let annotation = self.tensor_type(dims.into_iter().map(|dim| (dim, name)).list(), name);
            self.module.locals[local].annotation = Some(annotation);
        }
        for (step, (op, on, attrs)) in (0..).zip(steps) {
            let mut operands = Vec::with_capacity(on.len());
            for &operand in *on {
                operands.push(match operand {
                    X => self.used(input, at),
                    Weight(weight) => match weights.get(usize::from(weight)) {
                        Some(&weight) => weight,
                        None => self.expr(ExprKind::Error, whole),
                    },
                    Of(step) => self.used(results[usize::from(step)], at),
                    Part(step, index) => {
                        let base = self.used(results[usize::from(step)], at);
                        self.expr(ExprKind::Project { base, index: index.into() }, whole)
                    }
                    Number(number) => self.number(number, at),
                    Scale => {
                        let of_head = int(args, "embed_dim") as f32 / int(args, "num_heads") as f32;
                        self.number(1.0 / of_head.sqrt(), at)
                    }
                });
            }
            let expr = match op.is_empty() {
                true => operands[0],
                false => {
                    let attrs = attrs.iter().map(|&(name, of)| (name, value(of, args))).list();
                    let op = match layer.kind {
                        LayerKind::Each(name)
                        | LayerKind::Reduce(name)
                        | LayerKind::MaxPool(name)
                        | LayerKind::AvgPool(name)
                        | LayerKind::AdaptiveAvgPool(name) => name,
                        _ => op,
                    };
                    self.operator(op, operands, attrs, at)
                }
            };
            let local = is_shared(Of(step)).then(|| self.held(expr, at, &mut lets));
            results.push((expr, local));
        }
        let mut tail = match results.last() {
            Some(&(tail, _)) => tail,
            None => self.used(input, at),
        };
        let walk = match layer.kind {
            LayerKind::Lstm => Some("@lstm"),
            LayerKind::Gru => Some("@gru"),
            _ => None,
        };
        if let Some(walk) = walk {
            let Some(&def) = self.module.library_names.defs.get(walk) else { return tail };
            for weights in weights.chunks_exact(4) {
                tail = self.call_def(def, [&[tail], weights].concat(), name, whole);
            }
        }
        match lets.is_empty() {
            true => tail,
            false => self.expr(ExprKind::Block { lets, tail }, whole),
        }
    }

    pub(super) fn reshape(&mut self, x: ExprId, dims: &[i64], name: Span, whole: Span) -> ExprId {
        self.operator("reshape", vec![x], vec![("newshape", list(dims))], At { name, whole })
    }

    /// A variable that holds a value, which a block binds.
    fn held(&mut self, value: ExprId, at: At, lets: &mut Vec<(Option<LocalId>, ExprId)>) -> LocalId {
        let local = self.new_local("x", at.name, LocalOrigin::Let);
        self.module.visits.push(Visit::Let(local, value));
        lets.push((Some(local), value));
        local
    }

    /// A value, or the variable that holds it.
    fn used(&mut self, (expr, local): (ExprId, Option<LocalId>), at: At) -> ExprId {
        match local {
            Some(local) => {
                let place = Place::Own(self.module.locals[local].slot);
                self.expr(ExprKind::Local(local, place), at.whole)
            }
            None => expr,
        }
    }

    fn number(&mut self, number: f32, at: At) -> ExprId {
        self.expr(ExprKind::Literal(Dtype::Float32, Scalar::Float(f64::from(number))), at.whole)
    }

    fn operator(&mut self, name: &str, args: Vec<ExprId>, attrs: Vec<(&'static str, AttrValue)>, at: At) -> ExprId {
        let Some(op) = op::by_name(name) else { return self.expr(ExprKind::Error, at.whole) };
        let written: Vec<Attr> = attrs
            .into_iter()
            .map(|(name, value)| Attr { name: name.to_owned(), name_span: at.name, value, value_span: at.name })
            .list();
        self.op_call(op, at.name, args, &written, at.whole)
    }
}

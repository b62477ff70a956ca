//! What each layer computes, as calls of operators.

use super::Lowering;
use crate::data::{Attr, ExprId, ExprKind, LocalId, LocalOrigin, Place, TypeExprKind, Visit};
use crate::layers::{Layer, LayerKind, float, int, ints};
use crate::net::Args;
use base::{Span, ToList};
use ty::{AttrValue, Dtype, Scalar};

/// Where a layer's operators stand: the layer's name, and the whole application.
#[derive(Clone, Copy)]
struct At {
    name: Span,
    whole: Span,
}

fn list(ints: &[i64]) -> AttrValue {
    AttrValue::List(ints.iter().map(|&int| AttrValue::Int(int)).list())
}

impl Lowering<'_> {
    /// A layer on a value; `weights` are its parameters in the order of [`Layer::parameters`].
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
        match (layer.kind, weights) {
            (LayerKind::Conv1d, &[w, b]) => self.convolution("nn.conv1d", args, [x, w, b], at),
            (LayerKind::Conv2d, &[w, b]) => self.convolution("nn.conv2d", args, [x, w, b], at),
            (LayerKind::Conv3d, &[w, b]) => self.convolution("nn.conv3d", args, [x, w, b], at),
            (LayerKind::ConvTranspose2d, &[w, b]) => {
                let attrs = vec![
                    ("channels", AttrValue::Int(int(args, "out_ch"))),
                    ("kernel_size", list(ints(args, "kernel_size"))),
                    ("strides", list(ints(args, "stride"))),
                    ("padding", list(ints(args, "padding"))),
                    ("output_padding", list(ints(args, "output_padding"))),
                ];
                let y = self.operator("nn.conv2d_transpose", vec![x, w], attrs, at);
                self.operator("nn.bias_add", vec![y, b], Vec::new(), at)
            }
            (LayerKind::MaxPool2d, _) => {
                let attrs = [&pooled(args)[..], &[("dilation", list(ints(args, "dilation")))]].concat();
                self.operator("nn.max_pool2d", vec![x], attrs, at)
            }
            (LayerKind::AvgPool2d, _) => {
                let attrs = [&pooled(args)[..], &[("count_include_pad", AttrValue::Bool(true))]].concat();
                self.operator("nn.avg_pool2d", vec![x], attrs, at)
            }
            (LayerKind::AdaptiveAvgPool2d, _) => {
                let attrs = vec![("output_size", list(ints(args, "output_size")))];
                self.operator("nn.adaptive_avg_pool2d", vec![x], attrs, at)
            }
            (LayerKind::Linear, &[w, b]) => {
                let y = self.operator("nn.dense", vec![x, w], Vec::new(), at);
                self.operator("nn.bias_add", vec![y, b], vec![("axis", AttrValue::Int(-1))], at)
            }
            (LayerKind::Relu, _) => self.operator("nn.relu", vec![x], Vec::new(), at),
            (LayerKind::Tanh, _) => self.operator("tanh", vec![x], Vec::new(), at),
            (LayerKind::Sigmoid, _) => self.operator("sigmoid", vec![x], Vec::new(), at),
            (LayerKind::LeakyRelu, _) => {
                self.operator("nn.leaky_relu", vec![x], vec![("alpha", AttrValue::Float(float(args, "p")))], at)
            }
            (LayerKind::Gelu, _) => self.gelu(x, at),
            (LayerKind::Softmax, _) => {
                self.operator("nn.softmax", vec![x], vec![("axis", AttrValue::Int(int(args, "dim")))], at)
            }
            (LayerKind::LogSoftmax, _) => {
                self.operator("nn.log_softmax", vec![x], vec![("axis", AttrValue::Int(int(args, "dim")))], at)
            }
            // A run is not training: nothing is dropped.
            (LayerKind::Dropout, _) => {
                let attrs = vec![("rate", AttrValue::Float(float(args, "p")))];
                let base = self.operator("nn.dropout", vec![x], attrs, at);
                self.expr(ExprKind::Project { base, index: 0 }, at.whole)
            }
            (LayerKind::BatchNorm, &[gamma, beta, mean, var]) => {
                let attrs = vec![("axis", AttrValue::Int(1)), ("epsilon", AttrValue::Float(float(args, "eps")))];
                let base = self.operator("nn.batch_norm", vec![x, gamma, beta, mean, var], attrs, at);
                self.expr(ExprKind::Project { base, index: 0 }, at.whole)
            }
            (LayerKind::LayerNorm, &[gamma, beta]) => {
                let attrs = vec![("axis", AttrValue::Int(-1)), ("epsilon", AttrValue::Float(float(args, "eps")))];
                self.operator("nn.layer_norm", vec![x, gamma, beta], attrs, at)
            }
            // TensorScript has no tensors of integers: the numbers are rounded towards zero.
            (LayerKind::Embedding, &[w]) => {
                let dtype = vec![("dtype", AttrValue::Str("int32".into()))];
                let indices = self.operator("cast", vec![x], dtype, at);
                self.operator("take", vec![w, indices], vec![("axis", AttrValue::Int(0))], at)
            }
            (LayerKind::Lstm, weights) => {
                let sequences = self.sequences(x, int(args, "input_size"), at);
                let input = self.value_of(sequences, at);
                let call = |y, weights: &[ExprId]| self.library_call("@lstm", [&[y], weights].concat(), at);
                let tail = weights.chunks_exact(4).fold(input, call);
                self.expr(ExprKind::Block { lets: vec![(Some(sequences), x)], tail }, at.whole)
            }
            (LayerKind::MultiheadAttention, &[all_w, all_b, w, b]) => self.attention(args, x, [all_w, all_b, w, b], at),
            (LayerKind::Flatten, _) => {
                let kept = vec![0; int(args, "start_dim").clamp(1, 64) as usize];
                self.reshape(x, &[&kept[..], &[-1]].concat(), at.name, at.whole)
            }
            (
                LayerKind::Conv1d
                | LayerKind::Conv2d
                | LayerKind::Conv3d
                | LayerKind::ConvTranspose2d
                | LayerKind::Linear
                | LayerKind::BatchNorm
                | LayerKind::LayerNorm
                | LayerKind::MultiheadAttention
                | LayerKind::Embedding,
                _,
            ) => self.expr(ExprKind::Error, at.whole),
        }
    }

    pub(super) fn reshape(&mut self, x: ExprId, dims: &[i64], name: Span, whole: Span) -> ExprId {
        self.operator("reshape", vec![x], vec![("newshape", list(dims))], At { name, whole })
    }

    fn convolution(&mut self, op: &str, args: &Args, [x, w, b]: [ExprId; 3], at: At) -> ExprId {
        let attrs = vec![
            ("strides", list(ints(args, "stride"))),
            ("padding", list(ints(args, "padding"))),
            ("dilation", list(ints(args, "dilation"))),
            ("groups", AttrValue::Int(int(args, "groups"))),
            ("channels", AttrValue::Int(int(args, "out_ch"))),
            ("kernel_size", list(ints(args, "kernel_size"))),
        ];
        let y = self.operator(op, vec![x, w], attrs, at);
        self.operator("nn.bias_add", vec![y, b], Vec::new(), at)
    }

    /// x · (1 + erf(x / √2)) / 2.
    fn gelu(&mut self, x: ExprId, at: At) -> ExprId {
        // It is computed once, so that it is a variable.
        let name = self.held(x, at);
        let first = self.value_of(name, at);
        let root = self.expr(
            ExprKind::Literal(Dtype::Float32, Scalar::Float(f64::from(std::f32::consts::FRAC_1_SQRT_2))),
            at.whole,
        );
        let scaled = self.operator("multiply", vec![first, root], Vec::new(), at);
        let erf = self.operator("erf", vec![scaled], Vec::new(), at);
        let one = self.expr(ExprKind::Literal(Dtype::Float32, Scalar::Float(1.0)), at.whole);
        let sum = self.operator("add", vec![erf, one], Vec::new(), at);
        let again = self.value_of(name, at);
        let product = self.operator("multiply", vec![again, sum], Vec::new(), at);
        let half = self.expr(ExprKind::Literal(Dtype::Float32, Scalar::Float(0.5)), at.whole);
        let tail = self.operator("multiply", vec![product, half], Vec::new(), at);
        self.expr(ExprKind::Block { lets: vec![(Some(name), x)], tail }, at.whole)
    }

    /// Each element of a sequence as the mean of all, weighed by how like their projections are: by heads, on parts of the
    /// projections, whose results stand side by side again in the end.
    fn attention(&mut self, args: &Args, x: ExprId, [all_w, all_b, w, b]: [ExprId; 4], at: At) -> ExprId {
        let (n, n_heads) = (int(args, "embed_dim"), int(args, "num_heads"));
        let of_head = n / n_heads;
        let linear = |cx: &mut Self, x, w, b| {
            let y = cx.operator("nn.dense", vec![x, w], Vec::new(), at);
            cx.operator("nn.bias_add", vec![y, b], vec![("axis", AttrValue::Int(-1))], at)
        };
        let sequences = self.sequences(x, n, at);
        let input = self.value_of(sequences, at);
        let all = linear(self, input, all_w, all_b);
        let attrs = vec![("indices_or_sections", AttrValue::Int(3)), ("axis", AttrValue::Int(-1))];
        let parts = self.operator("split", vec![all], attrs, at);
        let split = self.held(parts, at);
        // [batch, time, n] as [batch, heads, time, n / heads].
        let [query, key, value] = [0, 1, 2].map(|index| {
            let base = self.value_of(split, at);
            let part = self.expr(ExprKind::Project { base, index }, at.whole);
            let part = self.reshape(part, &[0, 0, n_heads, of_head], at.name, at.whole);
            self.operator("transpose", vec![part], vec![("axes", list(&[0, 2, 1, 3]))], at)
        });
        let (first, by_heads) = (query, self.held(query, at));
        let query = self.value_of(by_heads, at);
        // All heads of all sequences are one batch.
        let [query, key, value] = [query, key, value].map(|part| self.reshape(part, &[-3, -2], at.name, at.whole));
        let transposed = vec![("transpose_b", AttrValue::Bool(true))];
        let scores = self.operator("nn.batch_matmul", vec![query, key], transposed, at);
        let scale = Scalar::Float(f64::from((1.0 / (of_head as f64).sqrt()) as f32));
        let scale = self.expr(ExprKind::Literal(Dtype::Float32, scale), at.whole);
        let scaled = self.operator("multiply", vec![scores, scale], Vec::new(), at);
        let weights = self.operator("nn.softmax", vec![scaled], vec![("axis", AttrValue::Int(-1))], at);
        let heads = self.operator("nn.batch_matmul", vec![weights, value], Vec::new(), at);
        let shape = self.value_of(by_heads, at);
        let heads = self.operator("reshape_like", vec![heads, shape], Vec::new(), at);
        let heads = self.operator("transpose", vec![heads], vec![("axes", list(&[0, 2, 1, 3]))], at);
        let joined = self.reshape(heads, &[0, 0, -3], at.name, at.whole);
        let tail = linear(self, joined, w, b);
        let lets = vec![(Some(sequences), x), (Some(split), parts), (Some(by_heads), first)];
        self.expr(ExprKind::Block { lets, tail }, at.whole)
    }

    /// A variable that holds a batch of sequences of so many numbers each.
    fn sequences(&mut self, x: ExprId, n: i64, at: At) -> LocalId {
        let dims = [TypeExprKind::Hole, TypeExprKind::Hole, TypeExprKind::Dim(n)];
        let annotation = self.tensor_type(dims.into_iter().map(|dim| (dim, at.name)).list(), at.name);
        let local = self.held(x, at);
        self.module.locals[local].annotation = Some(annotation);
        local
    }

    /// A variable that holds a value, which a block binds.
    fn held(&mut self, value: ExprId, at: At) -> LocalId {
        let local = self.new_local("x", at.name, LocalOrigin::Let);
        self.module.visits.push(Visit::Let(local, value));
        local
    }

    fn value_of(&mut self, local: LocalId, at: At) -> ExprId {
        let place = Place::Own(self.module.locals[local].slot);
        self.expr(ExprKind::Local(local, place), at.whole)
    }

    /// A call of a definition of the library.
    fn library_call(&mut self, name: &str, args: Vec<ExprId>, at: At) -> ExprId {
        match self.module.library_names.defs.get(name) {
            Some(&def) => self.call_def(def, args, at.name, at.whole),
            None => self.expr(ExprKind::Error, at.whole),
        }
    }

    fn operator(&mut self, name: &str, args: Vec<ExprId>, attrs: Vec<(&str, AttrValue)>, at: At) -> ExprId {
        let Some(op) = op::by_name(name) else { return self.expr(ExprKind::Error, at.whole) };
        let written: Vec<Attr> = attrs
            .into_iter()
            .map(|(name, value)| Attr { name: name.to_owned(), name_span: at.name, value, value_span: at.name })
            .list();
        self.op_call(op, at.name, args, &written, at.whole)
    }
}

/// The window of a pool.
fn pooled(args: &Args) -> Vec<(&'static str, AttrValue)> {
    vec![
        ("pool_size", list(ints(args, "kernel_size"))),
        ("strides", list(ints(args, "stride"))),
        ("padding", list(ints(args, "padding"))),
    ]
}

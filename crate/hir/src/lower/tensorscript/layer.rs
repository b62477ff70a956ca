//! What each layer computes, as calls of operators.

use super::Lowering;
use crate::data::{Attr, ExprId, ExprKind};
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
        let name = self.new_local("x", at.name, crate::data::LocalOrigin::Let);
        self.module.visits.push(crate::data::Visit::Let(name, x));
        let place = crate::data::Place::Own(self.module.locals[name].slot);
        let first = self.expr(ExprKind::Local(name, place), at.whole);
        let root = self.expr(
            ExprKind::Literal(Dtype::Float32, Scalar::Float(f64::from(std::f32::consts::FRAC_1_SQRT_2))),
            at.whole,
        );
        let scaled = self.operator("multiply", vec![first, root], Vec::new(), at);
        let erf = self.operator("erf", vec![scaled], Vec::new(), at);
        let one = self.expr(ExprKind::Literal(Dtype::Float32, Scalar::Float(1.0)), at.whole);
        let sum = self.operator("add", vec![erf, one], Vec::new(), at);
        let again = self.expr(ExprKind::Local(name, place), at.whole);
        let product = self.operator("multiply", vec![again, sum], Vec::new(), at);
        let half = self.expr(ExprKind::Literal(Dtype::Float32, Scalar::Float(0.5)), at.whole);
        let tail = self.operator("multiply", vec![product, half], Vec::new(), at);
        self.expr(ExprKind::Block { lets: vec![(Some(name), x)], tail }, at.whole)
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

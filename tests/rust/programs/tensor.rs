//! Scalars and tensors: literals and operators.

use super::scope::{TREE, list};
use super::r#type::{BOOL, DTYPES, Dtype, INT, Type, tensor};
use super::{Expr, Generator, expr};

impl Generator {
    /// A literal, at times from the end of the dtype.
    pub(crate) fn literal(&mut self, dtype: Dtype) -> String {
        let suffix = dtype.suffix();
        let number = match dtype {
            Dtype::Bool => return self.random.pick(&["True", "False"]).to_owned(),
            Dtype::Float32 | Dtype::Float64 => {
                self.random.pick(&["0", "1", "2", "0.5", "-1.5", "3.25", "100", "-0.1", "1e20"]).to_owned()
            }
            _ if !self.random.one_in(8) => {
                let least = if dtype == Dtype::Uint8 { 0 } else { 2 };
                (self.random.below(8) as i64 - least).to_string()
            }
            Dtype::Int8 => self.random.pick(&["127", "-127", "100"]).to_owned(),
            Dtype::Int16 => self.random.pick(&["32767", "-32767", "300"]).to_owned(),
            Dtype::Int32 => self.random.pick(&["2147483647", "-2147483647", "65536"]).to_owned(),
            Dtype::Int64 => self.random.pick(&["9223372036854775807", "4294967296"]).to_owned(),
            Dtype::Uint8 => self.random.pick(&["255", "128", "200"]).to_owned(),
        };
        format!("{number}{suffix}")
    }

    fn literal_of(&mut self, dims: &[usize], dtype: Dtype) -> String {
        match dims {
            [] => self.literal(dtype),
            [n, rest @ ..] => {
                let items: Vec<String> = (0..*n).map(|_| self.literal_of(rest, dtype)).collect();
                format!("[{}]", items.join(", "))
            }
        }
    }

    pub(crate) fn scalar(&mut self, dtype: Dtype, depth: usize) -> Expr {
        let want = Type::Scalar(dtype);
        if depth == 0 || self.random.one_in(4) {
            return expr(&want, self.literal(dtype), Vec::new());
        }
        let depth = depth - 1;
        match self.random.below(8) {
            0 => {
                self.uses("reduction");
                let of = tensor(self.dims(), dtype);
                let name = match dtype {
                    Dtype::Bool => self.random.pick(&["all", "any"]),
                    Dtype::Float32 | Dtype::Float64 => self.random.pick(&["sum", "max", "min", "mean", "prod"]),
                    _ => self.random.pick(&["sum", "max", "min", "prod"]),
                };
                let part = self.expr(&of, depth);
                expr(&want, format!("{name}($)"), vec![part])
            }
            1 if dtype == Dtype::Int32 => {
                let param = self.r#type(1);
                let (of, name) = match self.random.below(3) {
                    0 => (Type::Adt(TREE, vec![param]), "@size"),
                    _ => (list(param), "@length"),
                };
                let part = self.expr(&of, depth);
                self.cost += 15 * self.rounds;
                expr(&want, format!("{name}($)"), vec![part])
            }
            2 => {
                let n = 1 + self.random.below(4);
                let part = self.expr(&tensor(vec![n], dtype), depth);
                self.uses("indexing");
                // Past the end, `take` clips.
                let index = self.expr(&INT, depth.min(1));
                expr(&want, "take($, $, axis=0)", vec![part, index])
            }
            _ => self.elementwise(&[], dtype, depth),
        }
    }

    /// Two shapes that broadcast to this one.
    fn operands(&mut self, dims: &[usize]) -> (Vec<usize>, Vec<usize>) {
        let mut other = dims.to_vec();
        if !dims.is_empty() && self.random.one_in(3) {
            self.uses("broadcast");
            match self.random.below(3) {
                0 => other.clear(),
                1 => _ = other.remove(0),
                _ => {
                    let at = self.random.below(other.len());
                    other[at] = 1;
                }
            }
        }
        if self.random.one_in(2) { (dims.to_vec(), other) } else { (other, dims.to_vec()) }
    }

    /// An operator on elements.
    fn elementwise(&mut self, dims: &[usize], dtype: Dtype, depth: usize) -> Expr {
        let want = tensor(dims.to_vec(), dtype);
        if !dims.is_empty() {
            self.uses("elementwise on tensors");
        }
        let (left, right) = self.operands(dims);
        if self.random.one_in(8) {
            let from = self.random.pick(&DTYPES);
            if from != dtype {
                self.uses("cast");
                let part = self.expr(&tensor(dims.to_vec(), from), depth);
                return expr(&want, format!("cast($, dtype=\"{}\")", dtype.name()), vec![part]);
            }
        }
        if self.random.one_in(10) {
            self.uses("where");
            let cond = self.expr(&tensor(left, Dtype::Bool), depth);
            let parts = vec![cond, self.expr(&want, depth), self.expr(&tensor(right, dtype), depth)];
            return expr(&want, "where($, $, $)", parts);
        }
        if dtype == Dtype::Bool {
            if self.random.one_in(6) {
                let part = self.expr(&want, depth);
                return expr(&want, "logical_not($)", vec![part]);
            }
            let of = if self.random.one_in(3) { Dtype::Bool } else { self.random.pick(&DTYPES) };
            let template = match of {
                Dtype::Bool => self.random.pick(&[
                    "logical_and($, $)",
                    "logical_or($, $)",
                    "logical_xor($, $)",
                    "($ == $)",
                    "($ != $)",
                ]),
                _ => self.random.pick(&["($ < $)", "($ <= $)", "($ > $)", "($ >= $)", "($ == $)", "($ != $)"]),
            };
            self.uses("comparison");
            let parts = vec![self.expr(&tensor(left, of), depth), self.expr(&tensor(right, of), depth)];
            return expr(&want, template, parts);
        }
        let is_float = dtype.is_float();
        if self.random.one_in(4) {
            let template = match is_float {
                true => self.random.pick(&[
                    "exp($)",
                    "tanh($)",
                    "sqrt($)",
                    "nn.relu($)",
                    "sigmoid($)",
                    "floor($)",
                    "abs($)",
                    "-($)",
                ]),
                false => self.random.pick(&["abs($)", "-($)", "negative($)", "clip($, a_min=-3f, a_max=5f)"]),
            };
            let template = if dtype == Dtype::Uint8 { "bitwise_not($)" } else { template };
            let part = self.expr(&want, depth);
            return expr(&want, template, vec![part]);
        }
        let template = match is_float {
            true => self.random.pick(&["($ + $)", "($ - $)", "($ * $)", "($ / $)", "maximum($, $)", "minimum($, $)"]),
            false => self.random.pick(&[
                "($ + $)",
                "($ - $)",
                "($ * $)",
                "($ + $)",
                "($ / $)",
                "floor_mod($, $)",
                "floor_divide($, $)",
                "bitwise_xor($, $)",
                "bitwise_and($, $)",
                "maximum($, $)",
            ]),
        };
        if !is_float {
            self.uses(if template.contains('/') || template.contains("floor") {
                "integer division"
            } else {
                "integer arithmetic"
            });
        }
        let parts = vec![self.expr(&tensor(left, dtype), depth), self.expr(&tensor(right, dtype), depth)];
        expr(&want, template, parts)
    }

    pub(crate) fn tensor(&mut self, dims: &[usize], dtype: Dtype, depth: usize) -> Expr {
        self.uses("tensor");
        let want = Type::Tensor(dims.to_vec(), dtype);
        let shape = |dims: &[usize]| super::r#type::joined(dims.iter().map(usize::to_string));
        if depth == 0 || self.random.one_in(5) {
            if dims.iter().product::<usize>() <= 12 {
                return expr(&want, self.literal_of(dims, dtype), Vec::new());
            }
            let value = self.literal(dtype);
            return expr(&want, format!("full({value}, shape=[{}])", shape(dims)), Vec::new());
        }
        let depth = depth - 1;
        let axis = self.random.below(dims.len());
        let with = |at: usize, n: usize| {
            let mut other = dims.to_vec();
            other[at] = n;
            other
        };
        match self.random.below(16) {
            0 => {
                self.uses("reshape");
                let of = tensor(vec![dims.iter().product()], dtype);
                let part = self.expr(&of, depth);
                expr(&want, format!("reshape($, newshape=[{}])", shape(dims)), vec![part])
            }
            1 => {
                self.uses("transpose");
                let part = self.expr(&tensor(dims.iter().rev().copied().collect(), dtype), depth);
                expr(&want, "transpose($)", vec![part])
            }
            2 | 3 if dims[axis] > 1 => {
                self.uses("concatenate");
                let n = 1 + self.random.below(dims[axis] - 1);
                let (left, right) = (tensor(with(axis, n), dtype), tensor(with(axis, dims[axis] - n), dtype));
                let parts = vec![self.expr(&left, depth), self.expr(&right, depth)];
                expr(&want, format!("concatenate(($, $), axis={axis})"), parts)
            }
            4 if dims[0] > 1 && dims.len() > 1 => {
                self.uses("stack");
                let of = tensor(dims[1..].to_vec(), dtype);
                let parts: Vec<Expr> = (0..dims[0]).map(|_| self.expr(&of, depth)).collect();
                expr(&want, format!("stack(({}), axis=0)", super::scope::holes(dims[0])), parts)
            }
            5 | 6 if dims.len() < 3 && dtype != Dtype::Bool => {
                self.uses("reduction");
                let mut of = dims.to_vec();
                of.insert(axis, 2);
                let name = self.random.pick(&["sum", "max", "min"]);
                let part = self.expr(&tensor(of, dtype), depth);
                expr(&want, format!("{name}($, axis=[{axis}])"), vec![part])
            }
            7 if dims.len() == 2 && dtype.is_float() => {
                self.uses("dense");
                let k = 1 + self.random.below(3);
                let (left, right) = (tensor(vec![dims[0], k], dtype), tensor(vec![dims[1], k], dtype));
                let parts = vec![self.expr(&left, depth), self.expr(&right, depth)];
                expr(&want, "nn.dense($, $)", parts)
            }
            8 => {
                self.uses("indexing");
                let of = tensor(with(axis, 1 + self.random.below(3)), dtype);
                let part = self.expr(&of, depth);
                let indices: Vec<String> = (0..dims[axis]).map(|_| self.random.below(2).to_string()).collect();
                expr(&want, format!("take($, [{}], axis={axis})", indices.join(", ")), vec![part])
            }
            9 => {
                let part = self.expr(&tensor(with(axis, dims[axis] + 1), dtype), depth);
                let begin = self.random.below(2);
                let end = begin + dims[axis];
                expr(&want, format!("strided_slice($, begin=[{begin}], end=[{end}], axes=[{axis}])"), vec![part])
            }
            10 if dtype == Dtype::Float32 && dims.len() == 1 && dims[0].is_multiple_of(2) => {
                self.uses("dim polymorphism");
                let part = self.expr(&tensor(vec![dims[0] / 2], dtype), depth);
                expr(&want, "@doubled($)", vec![part])
            }
            11 => {
                let part = self.expr(&want, depth);
                expr(&want, self.random.pick(&["reverse($, axis=0)", "copy($)", "zeros_like($)"]), vec![part])
            }
            12 if dims.len() == 1 && dtype == Dtype::Float32 => {
                let part = self.expr(&want, depth);
                expr(&want, "nn.softmax($)", vec![part])
            }
            13 if dims[axis] > 1 => {
                let part = self.expr(&tensor(with(axis, 1), dtype), depth);
                expr(&want, format!("repeat($, repeats={}, axis={axis})", dims[axis]), vec![part])
            }
            _ => self.elementwise(dims, dtype, depth),
        }
    }

    /// A body for tensors of any shape, made of its parameters.
    pub(crate) fn any_shape(&mut self, of: &Type, depth: usize) -> Expr {
        if depth == 0 || self.random.one_in(4) {
            return self.variable(of).unwrap_or_else(|| expr(of, "1f", Vec::new()));
        }
        let depth = depth - 1;
        let one = |cx: &mut Generator, template: &str| {
            let part = cx.any_shape(of, depth);
            expr(of, template, vec![part])
        };
        match self.random.below(8) {
            0 => one(self, "tanh($)"),
            1 => one(self, "nn.relu($)"),
            2 => one(self, "(0.5f * $)"),
            3 => one(self, "where($ > 0f, 2f, 3f)"),
            at => {
                let template = ["($ + $)", "($ * $)", "($ - $)", "maximum($, $)"][at - 4];
                let parts = vec![self.any_shape(of, depth), self.any_shape(of, depth)];
                expr(of, template, parts)
            }
        }
    }

    /// A question about two whole numbers.
    pub(crate) fn comparison(&mut self, depth: usize) -> Expr {
        let template = self.random.pick(&["($ < $)", "($ == $)", "($ >= $)"]);
        let parts = vec![self.expr(&INT, depth), self.expr(&INT, depth)];
        expr(&BOOL, template, parts)
    }
}

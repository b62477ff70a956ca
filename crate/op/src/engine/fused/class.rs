//! What an operator is to a group (after the classes of Relay's `FuseOps`; Chen and others 2018, "TVM").

use super::super::each::elementwise;
use super::super::single::{binary, is_matrix, unary};
use crate::OpId;
use crate::run::Kernel;
use ty::{Attrs, Dtype};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// An element of the result comes from the same one of the operand.
    Elementwise,
    /// The same of several operands, which broadcast.
    Broadcast,
    /// The elements of the operand in the same order, in another shape. What moves elements to other places is opaque:
    /// it has bodies that go through memory in the order of both.
    Injective,
    /// Comes last in its group, and makes an element of several.
    Reduction,
    /// A product or convolution: others may read its result in its group, but its operands come from outside.
    OutFusable,
    /// None of a group.
    Opaque,
}

impl Class {
    /// Whether it has a value for each element of the result, or the elements of another.
    pub fn goes_along(self) -> bool {
        matches!(self, Class::Elementwise | Class::Broadcast | Class::Injective)
    }
}

/// What integers refuse, if anything: the divisor 0, the power -1, the shift by 64.
const REFUSED: [i128; 3] = [0, -1, 64];

impl OpId {
    /// On a first operand of this dtype. Operators that have no value for some integers are opaque: where one of a group
    /// fails, those before it must have been computed whole.
    pub fn class(self, attrs: &Attrs, dtype: Dtype) -> Class {
        let row = self.row();
        match row.name {
            "reshape" | "squeeze" | "expand_dims" | "nn.batch_flatten" | "copy" => return Class::Injective,
            "cast" => return Class::Elementwise,
            "where" => return Class::Broadcast,
            _ => {}
        }
        if dtype == Dtype::Float32 {
            if is_matrix(row.name, attrs) {
                return Class::OutFusable;
            }
            if matches!(row.name, "sum" | "mean" | "prod" | "max" | "min") {
                return Class::Reduction;
            }
            if binary(row.name).is_some() || self.gives_normal_data() {
                return Class::Broadcast;
            }
            if unary(row.name, attrs).is_some() {
                return Class::Elementwise;
            }
        }
        match row.kernel {
            Kernel::Map1 { .. } | Kernel::Bits(_) | Kernel::Test(_) => Class::Elementwise,
            Kernel::Compare { .. } => Class::Broadcast,
            Kernel::Map2 { int, .. } => {
                let is_total = dtype.is_float() || REFUSED.into_iter().all(|value| int(1, value).is_some());
                if is_total { Class::Broadcast } else { Class::Opaque }
            }
            Kernel::Missing | Kernel::Argument | Kernel::Whole(_) | Kernel::Planned(_) => Class::Opaque,
        }
    }

    /// The dtype of the result of an operator that a group may have.
    pub fn fused_dtype(self, attrs: &Attrs, operands: &[Dtype]) -> Option<Dtype> {
        let row = self.row();
        let first = *operands.first()?;
        match row.name {
            "cast" => attrs.dtype("dtype"),
            "where" => operands.get(1).copied(),
            _ => Some(elementwise(&row.kernel, first).map_or(first, |(dtype, _)| dtype)),
        }
    }
}

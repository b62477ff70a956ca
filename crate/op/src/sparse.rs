//! Operators on sparse tensors: rows of indices beside the values that stand there.

use crate::rule::sparse::{SPARSE_FILL_EMPTY_ROWS, SPARSE_RESHAPE, SPARSE_TO_DENSE};
use crate::{AttrForm, AttrSpec, Kernel, Op};

pub const ROWS: &[Op] = &[
    Op {
        name: "sparse_fill_empty_rows",
        infix: None,
        args: &["sparse_indices", "sparse_values", "dense_shape", "default_value"],
        attrs: &[],
        relation: &SPARSE_FILL_EMPTY_ROWS,
        kernel: Kernel::Missing,
        doc: "
Puts a default value into each row of a sparse matrix that has none: the indices, the values, and which rows were empty.
```relay
def @f(%i: Tensor[(5, 2), int64], %v: Tensor[(5), int64], %s: Tensor[(2), int64]) {
    sparse_fill_empty_rows(%i, %v, %s, 0i64)
#   ^? (Tensor[(?, 2), int64], Tensor[(?), int64], Tensor[(?), int64])
}
```
",
    },
    Op {
        name: "sparse_reshape",
        infix: None,
        args: &["sparse_indices", "prev_shape", "new_shape"],
        attrs: &[],
        relation: &SPARSE_RESHAPE,
        kernel: Kernel::Missing,
        doc: "
The indices of the same elements in another shape, and that shape.
```relay
def @f(%i: Tensor[(4, 3), int64], %s: Tensor[(3), int64], %t: Tensor[(2), int64]) {
    sparse_reshape(%i, %s, %t)
#   ^? (Tensor[(4, 2), int64], Tensor[(2), int64])
}
```
",
    },
    Op {
        name: "sparse_to_dense",
        infix: None,
        args: &["sparse_indices", "sparse_values", "default_value"],
        attrs: &[AttrSpec::required("output_shape", AttrForm::Ints)],
        relation: &SPARSE_TO_DENSE,
        kernel: Kernel::Missing,
        doc: "
A tensor of `default_value` with the values where the rows of indices say.
```relay
def @f(%i: Tensor[(3, 2), int64], %v: Tensor[(3), float32]) {
    sparse_to_dense(%i, %v, 0f, output_shape=[4, 5])
#   ^? Tensor[(4, 5), float32]
}
```
",
    },
];

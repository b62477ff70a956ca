//! Random numbers. A key decides them; each operator gives the next key beside its result.

use crate::rule::random::{MULTINOMIAL, NORMAL, THREEFRY_GENERATE, THREEFRY_SPLIT, UNIFORM};
use crate::{AttrForm, AttrSpec, Kernel, Op};

pub const ROWS: &[Op] = &[
    Op {
        name: "random.threefry_generate",
        infix: None,
        args: &["key"],
        attrs: &[AttrSpec::required("out_shape", AttrForm::Ints)],
        relation: &THREEFRY_GENERATE,
        kernel: Kernel::Missing,
        doc: "
The next key, and a tensor of random bits.
```relay
def @f(%key: Tensor[(10), uint64]) { random.threefry_generate(%key, out_shape=[3, 4]) }
#                                    ^? (Tensor[(10), uint64], Tensor[(3, 4), uint64])
```
",
    },
    Op {
        name: "random.threefry_split",
        infix: None,
        args: &["key"],
        attrs: &[],
        relation: &THREEFRY_SPLIT,
        kernel: Kernel::Missing,
        doc: "
Two keys from one, whose numbers have nothing to do with each other.
```relay
def @f(%key: Tensor[(10), uint64]) { random.threefry_split(%key) }
#                                    ^? (Tensor[(10), uint64], Tensor[(10), uint64])
```
",
    },
    Op {
        name: "random.uniform",
        infix: None,
        args: &["key", "low", "high"],
        attrs: &[AttrSpec::required("out_shape", AttrForm::Ints), AttrSpec::dtype("out_dtype")],
        relation: &UNIFORM,
        kernel: Kernel::Missing,
        doc: "
The next key, and floats that lie evenly between `low` and `high`, as `float32` unless `out_dtype` says otherwise.
```relay
def @f(%key) { random.uniform(%key, 0f, 1f, out_shape=[5]) }
#              ^? (Tensor[(10), uint64], Tensor[(5), float32])
```
",
    },
    Op {
        name: "random.normal",
        infix: None,
        args: &["key", "mean", "scale"],
        attrs: &[AttrSpec::required("out_shape", AttrForm::Ints), AttrSpec::dtype("out_dtype")],
        relation: &NORMAL,
        kernel: Kernel::Missing,
        doc: "
The next key, and floats that lie about `mean` with standard deviation `scale`, as `float32` unless `out_dtype` says
otherwise.
```relay
def @f(%key: Tensor[(10), uint64]) { random.normal(%key, 0f, 1f, out_shape=[2, 2]) }
#                                    ^? (Tensor[(10), uint64], Tensor[(2, 2), float32])
```
",
    },
    Op {
        name: "random.multinomial",
        infix: None,
        args: &["key", "probs"],
        attrs: &[AttrSpec::int("num_samples", 1)],
        relation: &MULTINOMIAL,
        kernel: Kernel::Missing,
        doc: "
The next key, and positions drawn along the last axis by the probabilities there.
```relay
def @f(%key: Tensor[(10), uint64], %p: Tensor[(3, 4), float32]) {
    random.multinomial(%key, %p, num_samples=2)
#   ^? (Tensor[(10), uint64], Tensor[(3, 2), int32])
}
```
",
    },
];

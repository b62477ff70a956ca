//! Elementwise operators of two tensors, whose shapes broadcast: arithmetic, bits, logic, comparison.

use crate::Op;
use crate::rule::{BROADCAST, BROADCAST_COMP};
use crate::run::Kernel;
use kernel::scalar::{float, int};

/// Floats have no bits to speak of.
fn no_bits(_: f64, _: f64) -> f64 {
    f64::NAN
}

pub const ROWS: &[Op] = &[
    Op {
        name: "add",
        infix: Some("+"),
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST,
        kernel: Kernel::Map2 { float: float::add, int: int::add },
        doc: "
Sum, element by element; shapes broadcast.
```relay
[[1f], [2f]] + [10f, 20f]
#=> [[11f, 21f], [12f, 22f]]
```
",
    },
    Op {
        name: "subtract",
        infix: Some("-"),
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST,
        kernel: Kernel::Map2 { float: float::subtract, int: int::subtract },
        doc: "
Difference, element by element; shapes broadcast.
```relay
[1f, 2f] - 3f
#=> [-2f, -1f]
```
",
    },
    Op {
        name: "multiply",
        infix: Some("*"),
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST,
        kernel: Kernel::Map2 { float: float::multiply, int: int::multiply },
        doc: "
Product, element by element; shapes broadcast.
```relay
[1f, 2f] * [3f, 4f]
#=> [3f, 8f]
```
",
    },
    Op {
        name: "divide",
        infix: Some("/"),
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST,
        kernel: Kernel::Map2 { float: float::divide, int: int::divide },
        doc: "
Quotient; integers are divided towards zero, element by element; shapes broadcast.
```relay
[1f, -7f] / 2f
#=> [0.5f, -3.5f]
```
",
    },
    Op {
        name: "floor_divide",
        infix: None,
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST,
        kernel: Kernel::Map2 { float: float::floor_divide, int: int::floor_divide },
        doc: "
Quotient rounded down, element by element; shapes broadcast.
```relay
floor_divide([7, -7], 2)
#=> [3, -4]
```
",
    },
    Op {
        name: "floor_mod",
        infix: None,
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST,
        kernel: Kernel::Map2 { float: float::floor_mod, int: int::floor_mod },
        doc: "
Remainder with the sign of the divisor, element by element; shapes broadcast.
```relay
floor_mod([7, -7], 3)
#=> [1, 2]
```
",
    },
    Op {
        name: "mod",
        infix: None,
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST,
        kernel: Kernel::Map2 { float: float::r#mod, int: int::r#mod },
        doc: "
Remainder with the sign of the dividend, element by element; shapes broadcast.
```relay
mod([7, -7], 3)
#=> [1, -1]
```
",
    },
    Op {
        name: "trunc_divide",
        infix: None,
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST,
        kernel: Kernel::Map2 { float: float::trunc_divide, int: int::trunc_divide },
        doc: "
Quotient rounded towards zero, element by element; shapes broadcast.
```relay
trunc_divide([7, -7], 2)
#=> [3, -3]
```
",
    },
    Op {
        name: "trunc_mod",
        infix: None,
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST,
        kernel: Kernel::Map2 { float: float::trunc_mod, int: int::trunc_mod },
        doc: "
Remainder with the sign of the dividend, element by element; shapes broadcast.
```relay
trunc_mod([7, -7], 3)
#=> [1, -1]
```
",
    },
    Op {
        name: "power",
        infix: None,
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST,
        kernel: Kernel::Map2 { float: float::power, int: int::power },
        doc: "
The left to the power of the right, element by element; shapes broadcast.
```relay
power([2f, 3f], 2f)
#=> [4f, 9f]
```
",
    },
    Op {
        name: "maximum",
        infix: None,
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST,
        kernel: Kernel::Map2 { float: float::maximum, int: int::maximum },
        doc: "
The larger, element by element; shapes broadcast.
```relay
maximum([1, 5], [4, 2])
#=> [4, 5]
```
",
    },
    Op {
        name: "minimum",
        infix: None,
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST,
        kernel: Kernel::Map2 { float: float::minimum, int: int::minimum },
        doc: "
The smaller, element by element; shapes broadcast.
```relay
minimum([1, 5], [4, 2])
#=> [1, 2]
```
",
    },
    Op {
        name: "bitwise_and",
        infix: None,
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST,
        kernel: Kernel::Map2 { float: no_bits, int: int::bitwise_and },
        doc: "
Bits set in both, element by element; shapes broadcast.
```relay
bitwise_and(12, 10)
#=> 8
```
",
    },
    Op {
        name: "bitwise_or",
        infix: None,
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST,
        kernel: Kernel::Map2 { float: no_bits, int: int::bitwise_or },
        doc: "
Bits set in either, element by element; shapes broadcast.
```relay
bitwise_or(12, 10)
#=> 14
```
",
    },
    Op {
        name: "bitwise_xor",
        infix: None,
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST,
        kernel: Kernel::Map2 { float: no_bits, int: int::bitwise_xor },
        doc: "
Bits set in one, element by element; shapes broadcast.
```relay
bitwise_xor(12, 10)
#=> 6
```
",
    },
    Op {
        name: "left_shift",
        infix: None,
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST,
        kernel: Kernel::Map2 { float: no_bits, int: int::left_shift },
        doc: "
Bits moved to the left, element by element; shapes broadcast.
```relay
left_shift([1, 3], 4)
#=> [16, 48]
```
",
    },
    Op {
        name: "right_shift",
        infix: None,
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST,
        kernel: Kernel::Map2 { float: no_bits, int: int::right_shift },
        doc: "
Bits moved to the right; the sign is kept, element by element; shapes broadcast.
```relay
right_shift([-16, 48], 4)
#=> [-1, 3]
```
",
    },
    Op {
        name: "logical_and",
        infix: None,
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST,
        kernel: Kernel::Map2 { float: no_bits, int: int::logical_and },
        doc: "
True where both are, element by element; shapes broadcast.
```relay
logical_and([True, True], [True, False])
#=> [True, False]
```
",
    },
    Op {
        name: "logical_or",
        infix: None,
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST,
        kernel: Kernel::Map2 { float: no_bits, int: int::logical_or },
        doc: "
True where either is, element by element; shapes broadcast.
```relay
logical_or([False, True], [False, False])
#=> [False, True]
```
",
    },
    Op {
        name: "logical_xor",
        infix: None,
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST,
        kernel: Kernel::Map2 { float: no_bits, int: int::logical_xor },
        doc: "
True where one is, element by element; shapes broadcast.
```relay
logical_xor([True, True], [True, False])
#=> [False, True]
```
",
    },
    Op {
        name: "equal",
        infix: Some("=="),
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST_COMP,
        kernel: Kernel::Compare { float: float::equal, int: int::equal },
        doc: "
Whether both are equal, element by element; shapes broadcast.
```relay
[1, 2, 3] == 2
#=> [False, True, False]
```
",
    },
    Op {
        name: "not_equal",
        infix: Some("!="),
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST_COMP,
        kernel: Kernel::Compare { float: float::not_equal, int: int::not_equal },
        doc: "
Whether they differ, element by element; shapes broadcast.
```relay
[1, 2, 3] != 2
#=> [True, False, True]
```
",
    },
    Op {
        name: "less",
        infix: Some("<"),
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST_COMP,
        kernel: Kernel::Compare { float: float::less, int: int::less },
        doc: "
Whether the left is smaller, element by element; shapes broadcast.
```relay
[1, 2, 3] < 2
#=> [True, False, False]
```
",
    },
    Op {
        name: "less_equal",
        infix: Some("<="),
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST_COMP,
        kernel: Kernel::Compare { float: float::less_equal, int: int::less_equal },
        doc: "
Whether the left is not larger, element by element; shapes broadcast.
```relay
[1, 2, 3] <= 2
#=> [True, True, False]
```
",
    },
    Op {
        name: "greater",
        infix: Some(">"),
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST_COMP,
        kernel: Kernel::Compare { float: float::greater, int: int::greater },
        doc: "
Whether the left is larger, element by element; shapes broadcast.
```relay
[1, 2, 3] > 2
#=> [False, False, True]
```
",
    },
    Op {
        name: "greater_equal",
        infix: Some(">="),
        args: &["lhs", "rhs"],
        attrs: &[],
        relation: &BROADCAST_COMP,
        kernel: Kernel::Compare { float: float::greater_equal, int: int::greater_equal },
        doc: "
Whether the left is not smaller, element by element; shapes broadcast.
```relay
[1, 2, 3] >= 2
#=> [False, True, True]
```
",
    },
];

//! What takes as long as its elements take to come and go: elementwise operators, reductions, moves.

use crate::{Plan, result, tensor};
use kernel::elementwise::broadcast::{self, Walk};
use kernel::elementwise::program::{Place, Program, Step};
use kernel::elementwise::{Binary, Source, Unary, binary, unary};
use kernel::fold::{Extent, Fold, fold};
use kernel::permute::Permutation;
use kernel::{pool, rows};

/// `x[n_rows, n_columns] + y`, which is as large as `x`, or one row.
///
/// # Safety
/// The tensors have the sizes that are given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn add(
    x: *const f32,
    y: *const f32,
    to: *mut f32,
    n_rows: usize,
    n_columns: usize,
    y_len: usize,
) {
    let n = n_rows * n_columns;
    unsafe {
        let (x, y, to) = (tensor(x, n), tensor(y, y_len), result(to, n));
        if y_len == n {
            binary(Binary::Add, Source::Other(x), Source::Other(y), to);
        } else {
            let shape = [n_rows, n_columns];
            let walk = Walk::new([&shape, &[n_columns]], &shape);
            broadcast::binary(Binary::Add, &walk, [Source::Other(x), Source::Other(y)], to);
        }
    }
}

/// One of four operators.
///
/// # Safety
/// As [`add`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn map(op: usize, x: *const f32, to: *mut f32, n: usize) {
    let op = [Unary::Relu, Unary::Exp, Unary::Tanh, Unary::Sigmoid][op];
    unsafe { unary(&op, Source::Other(tensor(x, n)), result(to, n)) }
}

/// `abs(relu((x + y) * 0.5 - y) * x + 1) + y`, in one pass.
///
/// # Safety
/// As [`add`]; the plan is for `n`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chain(x: *const f32, y: *const f32, to: *mut f32, n: usize, plan: *mut Plan) {
    unsafe {
        let Plan { chain, floats, .. } = &mut *plan;
        chain.run(&[Source::Other(tensor(x, n)), Source::Other(tensor(y, n))], result(to, n), floats);
    }
}

pub fn chain_of_eight(n: usize) -> Program {
    use Place::{Constant, Operand, Register};
    let two = |op, a, b| Step::Binary { op, operands: [a, b], to: 0 };
    let one = |op| Step::Unary { op, from: Register(0), to: 0 };
    let steps = vec![
        two(Binary::Add, Operand(0), Operand(1)),
        two(Binary::Multiply, Register(0), Constant(0.5)),
        two(Binary::Subtract, Register(0), Operand(1)),
        one(Unary::Relu),
        two(Binary::Multiply, Register(0), Operand(0)),
        two(Binary::Add, Register(0), Constant(1.0)),
        one(Unary::Abs),
        two(Binary::Add, Register(0), Operand(1)),
    ];
    let whole = Walk::new([&[n]], &[n]);
    Program::new(vec![whole.clone(), whole], steps).expect("each step reads what there is")
}

/// # Safety
/// As [`add`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn softmax(x: *const f32, to: *mut f32, n_rows: usize, n_columns: usize, plan: *mut Plan) {
    let extent = Extent { outer: n_rows, reduced: n_columns, inner: 1 };
    let n = extent.n_elements();
    unsafe { rows::softmax(extent, Source::Other(tensor(x, n)), result(to, n), &mut (*plan).floats) }
}

/// The sums of `[outer, reduced, inner]` over its middle.
///
/// # Safety
/// As [`add`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sum(x: *const f32, to: *mut f32, outer: usize, reduced: usize, inner: usize, plan: *mut Plan) {
    let extent = Extent { outer, reduced, inner };
    unsafe {
        let (x, to) = (tensor(x, extent.n_elements()), result(to, extent.n_results()));
        fold(Fold::Sum, extent, x, to, &mut (*plan).floats);
    }
}

/// # Safety
/// As [`add`]: gamma and beta have `n_columns` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layer_norm(
    x: *const f32,
    gamma: *const f32,
    beta: *const f32,
    to: *mut f32,
    n_rows: usize,
    n_columns: usize,
    epsilon: f32,
    plan: *mut Plan,
) {
    let extent = Extent { outer: n_rows, reduced: n_columns, inner: 1 };
    let n = extent.n_elements();
    unsafe {
        let (gamma, beta) = (Some(tensor(gamma, n_columns)), Some(tensor(beta, n_columns)));
        let parameters = rows::Affine { gamma, beta, epsilon };
        rows::layer_norm(extent, parameters, Source::Other(tensor(x, n)), result(to, n), &mut (*plan).floats);
    }
}

/// Planes of `size` by `size` under a square window with padding on all sides.
///
/// # Safety
/// As [`add`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn max_pool(
    x: *const f32,
    to: *mut f32,
    n_planes: usize,
    size: usize,
    kernel: usize,
    stride: usize,
    padding: usize,
    plan: *mut Plan,
) {
    let output = (size + 2 * padding - kernel) / stride + 1;
    let window = pool::Window {
        kernel: [1, kernel, kernel],
        strides: [1, stride, stride],
        before: [0, padding, padding],
        after: [0, padding, padding],
        ..pool::Window::new([1, size, size], [1, output, output])
    };
    unsafe {
        let (x, to) = (tensor(x, n_planes * size * size), result(to, n_planes * output * output));
        pool::max_pool(&window, x, to, &mut (*plan).floats);
    }
}

/// # Safety
/// As [`add`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpose(x: *const f32, to: *mut f32, n_rows: usize, n_columns: usize) {
    let bytes = 4 * n_rows * n_columns;
    let turn = Permutation::new(&[n_rows, n_columns], &[1, 0]);
    unsafe {
        let (x, to) = (std::slice::from_raw_parts(x.cast(), bytes), std::slice::from_raw_parts_mut(to.cast(), bytes));
        turn.run(4, x, to);
    }
}

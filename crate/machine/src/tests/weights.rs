//! Panels of weights, and when they are kept.

use super::*;

const PRODUCTS: &str = "
global g0 %w: {any} = f0

fn f0 @weights() -> {any} {
b0:
  %ones: {any} = ones(shape=[64, 40], dtype=\"float32\")
  %rows: {any} = cumsum(%ones, axis=0)
  %numbers: {any} = cumsum(%rows, axis=1)
  %w: {any} = cos(%numbers)
  return %w
}

fn f1 @dense(%x: {any}) -> {any} {
b0:
  %w: {any} = global %w
  %y: {any} = nn.dense(%x, %w)
  return %y
}

fn f2 @passed(%x: {any}, %w: {any}) -> {any} {
b0:
  %y: {any} = nn.dense(%x, %w)
  return %y
}

fn f3 @fused(%x: {any}) -> {any} {
b0:
  %w: {any} = global %w
  %y: {any} = fused(%w, %x) { s0 = nn.dense(%x, %w) @1..2; s1 = nn.relu(s0) @3..4 } @3..4
  return %y
}
";

const CONVOLUTIONS: &str = "
global g0 %w: {any} = f0

fn f0 @weights() -> {any} {
b0:
  %ones: {any} = ones(shape=[72], dtype=\"float32\")
  %numbers: {any} = cumsum(%ones, axis=0)
  %waves: {any} = cos(%numbers)
  %w: {any} = reshape(%waves, newshape=[3, 3, 4, 2])
  return %w
}

fn f1 @last(%x: {any}) -> {any} {
b0:
  %w: {any} = global %w
  %y: {any} = nn.conv2d(%x, %w, data_layout=\"NHWC\", kernel_layout=\"HWIO\", channels=2, kernel_size=[3, 3])
  return %y
}

fn f2 @passed(%x: {any}, %w: {any}) -> {any} {
b0:
  %y: {any} = nn.conv2d(%x, %w, data_layout=\"NHWC\", kernel_layout=\"HWIO\", channels=2, kernel_size=[3, 3])
  return %y
}
";

const PANELS: u64 = 64 * 40 * 4;

fn rows(n: usize) -> Value {
    let elements = Elements::Float((0..n * 40).map(|i| f64::from((i as f32).sin())).collect());
    Value::tensor(Tensor { dtype: Dtype::Float32, shape: vec![n, 40], elements })
}

#[test]
fn weights_that_are_the_same_at_every_call_are_packed_once() {
    let mut machine = aligned(PRODUCTS);
    let weights = try_run(&mut machine, "@weights", &[]).unwrap();
    for n in [1, 2, 3, 4, 9] {
        let expected = run(&mut machine, "@passed", &[rows(n), weights.clone()]);
        let mut kept = Vec::new();
        for _ in 0..4 {
            assert_eq!(run(&mut machine, "@dense", &[rows(n)]), expected, "{n} rows");
            kept.push(machine.sites.n_kept);
        }
        assert_eq!(kept, [0, PANELS, PANELS, PANELS], "{n} rows");
    }
    // Many rows take much longer than the packing.
    run(&mut machine, "@dense", &[rows(100)]);
    run(&mut machine, "@dense", &[rows(100)]);
    assert_eq!(machine.sites.n_kept, 0);
    // What is passed may be another one next time.
    run(&mut machine, "@passed", &[rows(1), weights.clone()]);
    run(&mut machine, "@passed", &[rows(1), weights]);
    assert_eq!(machine.sites.n_kept, 0);
}

#[test]
fn a_weight_in_another_order_is_turned_once() {
    let mut machine = aligned(CONVOLUTIONS);
    let weights = try_run(&mut machine, "@weights", &[]).unwrap();
    let image = |shift: f64| {
        let elements =
            Elements::Float((0..4 * 5 * 4).map(|at| f64::from((f64::from(at) + shift).sin() as f32)).collect());
        Value::tensor(Tensor { dtype: Dtype::Float32, shape: vec![1, 4, 5, 4], elements })
    };
    for (at, n_kept) in [0, 72 * 4, 72 * 4].into_iter().enumerate() {
        let expected = run(&mut machine, "@passed", &[image(at as f64), weights.clone()]);
        assert_eq!(run(&mut machine, "@last", &[image(at as f64)]), expected);
        assert_eq!(machine.sites.n_kept, n_kept);
    }
}

#[test]
fn a_fused_product_has_its_weights_packed_too() {
    let mut machine = aligned(PRODUCTS);
    let first = run(&mut machine, "@fused", &[rows(2)]);
    for _ in 0..3 {
        assert_eq!(run(&mut machine, "@fused", &[rows(2)]), first);
    }
    assert_eq!(machine.sites.n_kept, PANELS);
    let copy = machine.clone();
    assert_eq!((copy.sites.n_kept, machine.live_bytes()), (0, copy.live_bytes()));
    // The values of top-level variables are gone with a program's end.
    assert_eq!(run_clean(&mut machine, "@fused", &[rows(2)]), first);
    assert_eq!(machine.sites.n_kept, 0);
    assert_eq!(run_clean(&mut machine, "@fused", &[rows(2)]), first);
}

#[test]
fn weights_are_packed_into_memory_that_is_left() {
    let program = Arc::new(Table::new(Strategy::Aligned).program(PRODUCTS));
    for (memory, is_kept) in [(40_000, true), (21_300, false)] {
        let mut machine = Machine::new(program.clone(), Limits { memory, ..LIMITS });
        for _ in 0..3 {
            run(&mut machine, "@fused", &[rows(2)]);
        }
        assert_eq!(machine.sites.n_kept > 0, is_kept, "{} of {memory} bytes", machine.peak_bytes());
    }
}

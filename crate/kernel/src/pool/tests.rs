//! Against what windows see by the definition, on random windows and planes.

use super::*;
use crate::scalar::float;
use crate::slide::{self, Along, Look, Share};
use crate::strided::View;
use crate::trial::{Random, Worst, assert_same, wide};

/// One axis of a random window; few of them reach far beyond the data.
fn random_axis(random: &mut Random, window: &mut Window, axis: usize) {
    let size = random.size(if axis == 2 { 70 } else { 12 }).max(1);
    let kernel = 1 + random.pick(&[0, 1, 1, 2, 2, 3, 4, 6]);
    let is_far = random.one_in(30);
    let stride = if is_far { 1 + random.below(100_000) } else { 1 + random.pick(&[0, 0, 1, 1, 1, 2, 3]) };
    let dilation =
        if is_far && random.one_in(2) { 1 + random.below(70_000) } else { 1 + random.pick(&[0, 0, 0, 1, 2]) };
    let reach = (kernel - 1) * dilation + 1;
    let [before, after] = [0, 1].map(|_| if random.one_in(2) { 0 } else { random.below(reach + 2) });
    let room = (size + before + after).saturating_sub(reach);
    (window.size[axis], window.kernel[axis], window.strides[axis]) = (size, kernel, stride);
    (window.dilation[axis], window.before[axis], window.after[axis]) = (dilation, before, after);
    // One position more may see what lies beyond the padding.
    window.output[axis] = room / stride + 1 + usize::from(random.one_in(4));
}

/// Windows over one to three axes, many of them as [`halves`] likes them.
fn random_window(random: &mut Random) -> Window {
    let mut window = Window::new([1; 3], [1; 3]);
    for axis in random.pick(&[0, 1, 1, 1, 2])..3 {
        random_axis(random, &mut window, axis);
    }
    if window.size[0] == 1 && random.one_in(2) {
        let n = 4 + random.size(30);
        let is_padded = random.one_in(2);
        let kernel = if is_padded { 3 } else { 2 };
        (window.kernel[1], window.dilation) = (1 + random.below(4), [1; 3]);
        (window.kernel[2], window.strides[2], window.before[2]) = (kernel, 2, usize::from(is_padded));
        (window.size[2], window.output[2], window.after[2]) = (2 * n, n, usize::from(is_padded));
        window.strides[1] = 1 + random.below(3);
        window.before[1] = random.below(window.kernel[1] + 1);
        let room = (window.size[1] + window.before[1] + window.after[1]).saturating_sub(window.kernel[1]);
        window.output[1] = room / window.strides[1] + 1;
    }
    window
}

/// What each position along each axis sees, by the definition.
fn looks_of(window: &Window) -> [Vec<Look>; 3] {
    [0, 1, 2].map(|axis| {
        let [stride, dilation, before, after] =
            [window.strides, window.dilation, window.before, window.after].map(|of| of[axis] as i64);
        let along = Along { stride, dilation, before, after };
        slide::forward(&along, window.size[axis], window.kernel[axis] as i64, window.output[axis])
    })
}

/// Random windows, what they see, and as many planes of their size.
fn each(seed: u64, mut check: impl FnMut(&mut Random, &Window, &[Vec<Look>; 3], usize)) {
    let mut random = Random(seed);
    let mut n_halved = 0;
    for _ in 0..2000 {
        let window = random_window(&mut random);
        if window.output.iter().product::<usize>() > 3000 {
            continue;
        }
        n_halved += usize::from(halves(&window).is_some());
        let n_planes = random.below(3);
        check(&mut random, &window, &looks_of(&window), n_planes);
    }
    assert!(n_halved > 100, "{n_halved}");
}

fn folded(window: &Window, looks: &[Vec<Look>; 3], from: &[f32], init: f64, step: fn(f64, f64) -> f64) -> Vec<f64> {
    let [depth, height, width] = window.size;
    let shape = [1, from.len() / (depth * height * width), depth, height, width];
    slide::pool(View::new(&wide(from), &shape), looks, init, step)
}

#[test]
fn maxima_are_their_meaning() {
    each(41, |random, window, looks, n_planes| {
        let size = window.size.iter().product::<usize>();
        let n = n_planes * size;
        let odd = random.numbers(n);
        let no_nan: Vec<f32> = odd.iter().map(|&x| if x.is_nan() { -3.0 } else { x }).collect();
        // One NaN anywhere is found, whichever of the vectors it is in.
        let mut one_nan = random.floats(n);
        if n > 0 {
            one_nan[random.below(n)] = f32::NAN;
        }
        for from in [odd, no_nan, one_nan] {
            let want = folded(window, looks, &from, f64::NEG_INFINITY, float::maximum);
            let want: Vec<f32> = want.into_iter().map(|x| x as f32 + 0.0).collect();
            let mut got = vec![7.0; want.len()];
            max_pool(window, &from, &mut got, &mut vec![3.0]);
            assert_same(format_args!("{window:?}"), &got, &want);
        }
    });
}

/// The order of the module, one element at a time.
fn averaged(window: &Window, [z, y, x]: [Look; 3], plane: &[f32], share: Share) -> f32 {
    let [_, height, width] = window.size;
    let column = |column: usize| {
        let rows = z.pairs().flat_map(|(_, slice)| y.pairs().map(move |(_, row)| slice * height + row));
        rows.map(|row| plane[row * width + column]).fold(0.0_f32, |sum, x| sum + x)
    };
    let sum = x.pairs().map(|(_, at)| column(at)).fold(0.0_f32, |sum, x| sum + x);
    (sum + 0.0) / slide::n_counted([z, y, x], share) as f32
}

#[test]
fn averages_keep_their_order_and_their_bound() {
    let mut worst = Worst::new("averages of what is promised");
    each(42, |random, window, looks, n_planes| {
        let size = window.size.iter().product::<usize>();
        let from = if random.one_in(4) { random.numbers(n_planes * size) } else { random.line(n_planes * size) };
        for (divisor, share) in
            [(Divisor::Elements, Share::Elements), (Divisor::ElementsAndPadding, Share::ElementsAndPadding)]
        {
            let positions = || slide::positions(looks);
            let planes = from.chunks_exact(size);
            let want: Vec<f32> =
                planes.flat_map(|plane| positions().map(move |at| averaged(window, at, plane, share))).collect();
            let mut got = vec![7.0; want.len()];
            avg_pool(window, divisor, &from, &mut got, &mut vec![2.0]);
            assert_same(format_args!("{window:?} {divisor:?}"), &got, &want);
            let sums = folded(window, looks, &from, 0.0, float::add);
            let sizes = folded(window, looks, &from, 0.0, |sum, x| sum + x.abs());
            for (((got, sum), size), at) in got.iter().zip(sums).zip(sizes).zip(positions().cycle()) {
                let [z, y, x] = at.map(|look| look.n_elements() as f64);
                let count = slide::n_counted(at, share) as f64;
                let far = (f64::from(*got) - sum / count).abs();
                if size.is_finite() && far > 0.0 {
                    let allowed = (z * y + x) * f64::powi(2.0, -24) * size / count;
                    worst.see(far / allowed, format_args!("{window:?}"));
                }
            }
        }
    });
    worst.assert_within(1.0);
}

#[test]
fn nothing_to_see() {
    let mut to = [7.0; 2];
    max_pool(&Window::new([1, 1, 0], [1, 1, 2]), &[], &mut to, &mut vec![]);
    assert_eq!(to, [f32::NEG_INFINITY; 2]);
    avg_pool(&Window::new([1, 1, 0], [1, 1, 2]), Divisor::Elements, &[], &mut to, &mut vec![]);
    assert_eq!(to, [0.0; 2]);
    max_pool(&Window { kernel: [1, 1, 0], ..Window::new([1, 1, 2], [1, 1, 2]) }, &[1.0, 2.0], &mut to, &mut vec![]);
    assert_eq!(to, [f32::NEG_INFINITY; 2]);
    max_pool(&Window::new([1, 1, 2], [0, 1, 2]), &[1.0, 2.0], &mut [], &mut vec![]);
}

//! Fourier transforms by their definition. Angles are reduced before they are computed, so that long transforms stay
//! exact; sums are of `f64` and rounded once.

use crate::places::tuple;
use crate::run::{Call, Fault, floats};
use base::{Append, ToList};
use kernel::scalar::float;
use ty::Value;

/// Cosine and sine of each `n`th part of the circle; those of right angles are whole.
fn circle(n: usize) -> Vec<(f64, f64)> {
    let part = |k: usize| match (4 * k as u64).checked_rem(n as u64) {
        Some(0) => [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)][4 * k / n],
        _ => {
            let angle = 2.0 * std::f64::consts::PI * k as f64 / n as f64;
            (float::cos(angle), float::sin(angle))
        }
    };
    (0..n).map(part).list()
}

/// `Σ x[k] · e^(∓2πi · k · n / N)` along the last axis, the inverse divided by N.
pub(super) fn dft_of(call: &Call) -> Result<Value, Fault> {
    let (real, imaginary) = (call.tensor(0)?, call.tensor(1)?);
    let Some(&len) = real.shape().last() else {
        return Err(Fault::Other("a number has no axis to transform along".into()));
    };
    let inverse = call.attrs.flag("inverse");
    let (sign, factor) = if inverse { (1.0, 1.0 / len as f64) } else { (-1.0, 1.0) };
    let parts = circle(len);
    let (x, y) = (real.floats(), imaginary.floats());
    let (mut re, mut im) = (Vec::with_capacity(x.len()), Vec::with_capacity(x.len()));
    for (x, y) in x.chunks_exact(len.max(1)).zip(y.chunks_exact(len.max(1))) {
        for n in 0..len {
            let (mut a, mut b) = (0.0, 0.0);
            for k in 0..len {
                let (cos, sin) = parts[(k as u64 * n as u64 % len as u64) as usize];
                a += x[k] * cos - sign * y[k] * sin;
                b += sign * x[k] * sin + y[k] * cos;
            }
            re.push(a * factor);
            im.push(b * factor);
        }
    }
    let (re, im) = (floats(call.result(0)?.dtype, re.into_iter()), floats(call.result(1)?.dtype, im.into_iter()));
    Ok(tuple(vec![call.value(0, re)?, call.value(1, im)?]))
}

/// Frequencies by frames by real and imaginary part. As in Relay, a frame is `win_length` samples, whose angles go
/// round once in `win_length`.
pub(super) fn stft_of(call: &Call) -> Result<Value, Fault> {
    let (x, window, result) = (call.tensor(0)?, call.tensor(1)?, call.result(0)?);
    let n_fft = call.attrs.int("n_fft").unwrap_or(1).max(1) as usize;
    let hop = call.attrs.int("hop_length").filter(|&hop| hop > 0).map_or((n_fft / 4).max(1), |hop| hop as usize);
    let len = call.attrs.int("win_length").filter(|&len| len > 0).map_or(n_fft, |len| len as usize);
    let weights = window.floats();
    if len > n_fft || len > weights.len() {
        return Err(Fault::Other("a window is no longer than `n_fft`, and its weights are as many".into()));
    }
    let (Some(&n_samples), [.., n_rows, n_frames, _]) = (x.shape().last(), &result.shape[..]) else {
        return Err(Fault::IllTyped);
    };
    let factor = if call.attrs.flag("normalized") { 1.0 / (n_fft as f64).sqrt() } else { 1.0 };
    let parts = circle(len);
    let samples = x.floats();
    let mut transformed = Vec::with_capacity(kernel::strided::count(&result.shape));
    for signal in samples.chunks_exact(n_samples.max(1)) {
        for row in 0..*n_rows {
            for frame in 0..*n_frames {
                let frame = &signal[frame * hop..][..len];
                let (mut re, mut im) = (0.0, 0.0);
                for (k, (sample, weight)) in frame.iter().zip(&weights).enumerate() {
                    let (cos, sin) = parts[(k as u64 * row as u64 % len as u64) as usize];
                    re += weight * sample * cos;
                    im -= weight * sample * sin;
                }
                transformed.append_all([re * factor, im * factor]);
            }
        }
    }
    call.one(floats(result.dtype, transformed.into_iter()))
}

//! Fourier transforms. Angles are reduced before they are computed, so that long transforms stay exact; sums are of `f64`
//! and rounded once. Lengths that halves have are halved (Cooley and Tukey, *An algorithm for the machine calculation of
//! complex Fourier series*, 1965); what is odd then is summed by the definition.

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

/// `Σ x[k] · e^(±2πi · k · n / N)` of complex numbers, by the cosines and sines of the `N`th parts of the circle.
///
/// Every `s`th number from `r` on has a transform of `N / s` numbers, which stand one behind the other by `r`. Where each
/// is of an odd length it is a sum; from those of every `2s`th number, two by two, come those of every `s`th.
fn transform(x: &[(f64, f64)], parts: &[(f64, f64)], sign: f64) -> Vec<(f64, f64)> {
    let len = x.len();
    let times = |(re, im): (f64, f64), (cos, sin): (f64, f64)| {
        let sin = sign * sin;
        (re * cos - im * sin, re * sin + im * cos)
    };
    let mut apart = 1 << len.trailing_zeros();
    let mut last: Vec<(f64, f64)> = Vec::with_capacity(len);
    for first in 0..apart {
        for n in 0..len / apart {
            let (mut sum, mut at) = ((0.0, 0.0), 0);
            for &number in x[first..].iter().step_by(apart) {
                let (re, im) = times(number, parts[at]);
                sum = (sum.0 + re, sum.1 + im);
                at += n * apart;
                at -= if at >= len { len } else { 0 };
            }
            last.push(sum);
        }
    }
    while apart > 1 {
        let half = len / apart;
        apart /= 2;
        let mut next = Vec::with_capacity(len);
        for first in 0..apart {
            let (even, odd) = (&last[first * half..][..half], &last[(first + apart) * half..][..half]);
            for n in 0..2 * half {
                let (re, im) = times(odd[n % half], parts[n * apart]);
                next.push((even[n % half].0 + re, even[n % half].1 + im));
            }
        }
        last = next;
    }
    last
}

/// Along the last axis, the inverse divided by its length.
pub(super) fn dft_of(call: &Call) -> Result<Value, Fault> {
    let (real, imaginary) = (call.tensor(0)?, call.tensor(1)?);
    let Some(&len) = real.shape().last() else {
        return Err(Fault::other("a number has no axis to transform along"));
    };
    let inverse = call.attrs.flag("inverse");
    let (sign, factor) = if inverse { (1.0, 1.0 / len as f64) } else { (-1.0, 1.0) };
    let parts = circle(len);
    let (x, y) = (real.floats(), imaginary.floats());
    let (mut re, mut im) = (Vec::with_capacity(x.len()), Vec::with_capacity(x.len()));
    for (x, y) in x.chunks_exact(len.max(1)).zip(y.chunks_exact(len.max(1))) {
        let row = x.iter().copied().zip(y.iter().copied()).list();
        for (a, b) in transform(&row, &parts, sign) {
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
        return Err(Fault::other("a window is no longer than `n_fft`, and its weights are as many"));
    }
    let (Some(&n_samples), [.., n_rows, n_frames, _]) = (x.shape().last(), &result.shape[..]) else {
        return Err(Fault::ill_typed());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_come_to_what_the_definition_does() {
        for len in [1, 2, 3, 5, 6, 8, 12, 15, 16, 40, 96, 128] {
            let parts = circle(len);
            let x: Vec<(f64, f64)> = (0..len).map(|k| ((k * 7 % 11) as f64 - 5.0, (k * k % 13) as f64 / 3.0)).list();
            for sign in [1.0, -1.0] {
                for (n, (re, im)) in transform(&x, &parts, sign).into_iter().enumerate() {
                    let (mut a, mut b) = (0.0, 0.0);
                    for (k, (x, y)) in x.iter().enumerate() {
                        let (cos, sin) = parts[k * n % len];
                        a += x * cos - sign * y * sin;
                        b += sign * x * sin + y * cos;
                    }
                    assert!((a - re).abs() + (b - im).abs() < 1e-11, "{n} of {len}: {a} {re} {b} {im}");
                }
            }
        }
    }
}

//! Convolutions and pools of every number of spatial axes, from their attributes to the loops of `kernel::slide`.

use super::layout::{by_letters, in_layout, parse, sizes};
use crate::engine::{Convolution, Single, along, sums};
use crate::rule::DataLayout;
use crate::run::{Arg, Call, Fault, floats, ints};
use base::{MapArray, ToList};
use kernel::conv::{Direction, Prepared};
use kernel::scalar::float;
use kernel::slide::{self, Along, Look, Share, adaptive, forward, transposed};
use kernel::strided::{View, count};
use ty::{Elements, Tensor, Value};

/// The letters of a convolution's data and weight; the spatial axes are the last ones.
pub(crate) struct Space {
    pub data: &'static str,
    /// Of a weight whose outputs come first.
    pub forward: &'static str,
    /// Of one whose inputs come first.
    pub transposed: &'static str,
}

pub(crate) const LINE: Space = Space { data: "NCW", forward: "OIW", transposed: "IOW" };
pub(crate) const PLANE: Space = Space { data: "NCHW", forward: "OIHW", transposed: "IOHW" };
pub(crate) const VOLUME: Space = Space { data: "NCDHW", forward: "OIDHW", transposed: "IODHW" };

impl Space {
    /// How many spatial axes there are.
    pub fn rank(&self) -> usize {
        self.data.len() - 2
    }
}

/// A number for each of `n` axes, of the three of which the first may be missing.
pub(crate) fn per_axis(call: &Call, name: &str, n: usize) -> [i64; 3] {
    let mut all = [1; 3];
    match call.attrs.ints(name).as_deref() {
        Some(&[one]) => all[3 - n..].fill(one),
        Some(each) if each.len() == n => all[3 - n..].copy_from_slice(each),
        Some(_) | None => {}
    }
    all.map(|number| number.max(1))
}

/// How the window of a call moves; a missing axis has one position.
pub(crate) fn steps(call: &Call, n: usize) -> [Along; 3] {
    let (strides, dilation) = (per_axis(call, "strides", n), per_axis(call, "dilation", n));
    let sides = call.attrs.ints("padding").unwrap_or_default();
    let side = |axis: usize, last: usize| match (sides.len(), axis.checked_sub(3 - n)) {
        (_, None) | (0, _) => 0,
        (1, Some(_)) => sides[0],
        (len, Some(at)) => sides.get(if len == 2 * n { at + last * n } else { at }).copied().unwrap_or(0),
    };
    [0, 1, 2].each(|axis| Along {
        stride: strides[axis],
        dilation: dilation[axis],
        before: side(axis, 0).max(0),
        after: side(axis, 1).max(0),
    })
}

/// `[n, c, d, h, w]` from fewer spatial sizes.
pub(crate) fn five(shape: &[usize]) -> [usize; 5] {
    let mut all = [1; 5];
    let n = shape.len().min(5);
    all[..2.min(n)].copy_from_slice(&shape[..2.min(n)]);
    all[5 - n.saturating_sub(2)..].copy_from_slice(&shape[2.min(n)..n]);
    all
}

pub(crate) fn fault<T>(sentence: String) -> Result<T, Fault> {
    Err(Fault::other(sentence))
}

/// The layout of the result: that of the data unless `out_layout` says another.
pub(crate) fn out_layout(call: &Call, data: &DataLayout, letters: &str) -> Result<DataLayout, Fault> {
    match call.attrs.str("out_layout") {
        "" => Ok(data.clone()),
        text => parse(text, letters),
    }
}

/// The result if it has no elements: its other sizes may then be any, and nothing walks over them.
pub(crate) fn nothing(call: &Call) -> Option<Elements> {
    let result = call.results.first().filter(|result| result.shape.contains(&0))?;
    Some(if result.dtype.is_float() { Elements::Float(Vec::new()) } else { Elements::Int(Vec::new()) })
}

/// The elements as `f64`.
pub(crate) fn numbers(x: &Tensor) -> Vec<f64> {
    Arg::Tensor(x).floats()
}

/// Rounds floats and wraps integers to the dtype.
pub(crate) fn rounded(elements: Elements, dtype: ty::Dtype) -> Elements {
    match elements {
        Elements::Float(values) => floats(dtype, values.into_iter()),
        Elements::Int(values) => ints(dtype, values.into_iter()),
    }
}

/// The convolution of data with a weight, in the layouts of the call.
pub(crate) fn convolve(call: &Call, x: &Tensor, w: &Tensor, space: &Space, way: Direction) -> Result<Value, Fault> {
    if let Some(nothing) = nothing(call) {
        return call.one(nothing);
    }
    let result = call.result(0)?;
    let data_layout = parse(call.attrs.str("data_layout"), space.data)?;
    let kernel_layout = parse(call.attrs.str("kernel_layout"), space.forward)?;
    let out_layout = out_layout(call, &data_layout, space.data)?;
    let data = by_letters(x, &data_layout, space.data)?;
    let weight =
        by_letters(w, &kernel_layout, if way == Direction::Forward { space.forward } else { space.transposed })?;
    let (shape, mut window) = (five(&data.shape), five(&weight.shape));
    let out = five(&sizes(&result.shape, &out_layout, space.data));
    let groups = groups(call, [shape[1], out[1]])?;
    if way == Direction::Forward
        && [window[0], shape[1]] == [groups; 2]
        && window[0].checked_mul(window[1]) == Some(out[1])
    {
        // A row for each channel, with the windows of all that it makes.
        (window[0], window[1]) = (out[1], 1);
    }
    let (takes, makes) = match way {
        Direction::Forward => (window[1].saturating_mul(groups), window[0]),
        Direction::Transposed => (window[0], window[1].saturating_mul(groups)),
    };
    let size = per_axis(call, "kernel_size", space.rank());
    let is_said = call.attrs.ints("kernel_size").is_some();
    let same_size = !is_said || (0..3).all(|axis| i64::try_from(window[2 + axis]) == Ok(size[axis]));
    if takes != shape[1] || makes != out[1] || !same_size {
        return fault(format!("a weight of the shape {} does not fit", base::bracketed(&w.shape)));
    }
    let steps = steps(call, space.rank());
    let looks = [0, 1, 2].each(|axis| {
        let (size, window, n) = (shape[2 + axis], window[2 + axis], out[2 + axis]);
        match way {
            Direction::Forward => forward(&steps[axis], size, window as i64, n),
            Direction::Transposed => transposed(&steps[axis], size, window, n),
        }
    });
    let elements = match (&data.elements, &weight.elements) {
        (Elements::Int(data), Elements::Int(weight)) if !result.dtype.is_float() => {
            let shapes = [&x.shape[..], &w.shape, &result.shape];
            if let (Elements::Int(x), Elements::Int(w)) = (&x.elements, &w.elements)
                && let Some(body) = Convolution::of((space, way), call.attrs, shapes, Prepared::new)
                && let outputs = along(shapes[1], kernel_layout.axis('O'))
                && let Some(sums) = sums(&Single::Conv(body), [x, w], outputs, count(shapes[2]))
            {
                return call.one(rounded(Elements::Int(sums), result.dtype));
            }
            let (data, weight) = (View::new(data, &shape), View::new(weight, &window));
            Elements::Int(slide::conv(data, weight, &looks, groups, way))
        }
        (Elements::Float(_) | Elements::Int(_), _) => {
            let (data, weight) = (numbers(&data), numbers(&weight));
            let (data, weight) = (View::new(&data, &shape), View::new(&weight, &window));
            Elements::Float(slide::conv(data, weight, &looks, groups, way))
        }
    };
    call.one(in_layout(&rounded(elements, result.dtype), &result.shape, &out_layout, space.data)?)
}

/// The attribute `groups`, which divides all of these.
pub(crate) fn groups(call: &Call, channels: [usize; 2]) -> Result<usize, Fault> {
    let groups = call.attrs.int("groups").unwrap_or(1);
    match usize::try_from(groups) {
        Ok(groups) if groups > 0 && channels.iter().all(|n| n.is_multiple_of(groups)) => Ok(groups),
        _ => fault(format!("{groups} groups do not divide the channels")),
    }
}

/// What a pool makes of the elements that a window sees.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fold {
    Largest,
    Mean(Share),
}

/// What the windows of a pool are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Windows {
    /// Of `pool_size`, moved by the attributes.
    Moved,
    /// Side by side, one for each place of the result.
    Parts,
}

/// Whether an average counts the padding.
pub(crate) fn share(call: &Call) -> Share {
    if call.attrs.flag("count_include_pad") { Share::ElementsAndPadding } else { Share::Elements }
}

/// The layout of a pool, in which the result is too.
pub(crate) fn pool_layout(call: &Call, letters: &str) -> Result<DataLayout, Fault> {
    let (text, out) = (call.attrs.str("layout"), call.attrs.str("out_layout"));
    if !out.is_empty() && out != text {
        return fault(format!("the result is in the layout {text}, not in {out}"));
    }
    parse(text, letters)
}

/// What each window of a pool over these sizes sees.
pub(crate) fn pool_looks(
    call: &Call,
    n: usize,
    windows: Windows,
    shape: [usize; 5],
    out: [usize; 5],
) -> [Vec<Look>; 3] {
    let (size, steps) = (per_axis(call, "pool_size", n), steps(call, n));
    [0, 1, 2].each(|axis| match windows {
        Windows::Moved => forward(&steps[axis], shape[2 + axis], size[axis], out[2 + axis]),
        Windows::Parts => adaptive(shape[2 + axis], out[2 + axis]),
    })
}

/// A pool of the data, in the layout of the call, with the data's dtype.
pub(crate) fn pooled(call: &Call, x: &Tensor, space: &Space, windows: Windows, fold: Fold) -> Result<Elements, Fault> {
    if let Some(nothing) = nothing(call) {
        return Ok(nothing);
    }
    let result = call.result(0)?;
    let layout = pool_layout(call, space.data)?;
    let data = by_letters(x, &layout, space.data)?;
    let (shape, out) = (five(&data.shape), five(&sizes(&result.shape, &layout, space.data)));
    let looks = pool_looks(call, space.rank(), windows, shape, out);
    let counts = |share: Share| slide::positions(&looks).map(move |looks| slide::n_counted(looks, share)).cycle();
    let elements = match &data.elements {
        Elements::Float(values) => {
            let view = View::new(values, &shape);
            Elements::Float(match fold {
                Fold::Largest => slide::pool(view, &looks, f64::NEG_INFINITY, float::maximum),
                Fold::Mean(share) => {
                    let sums = slide::pool(view, &looks, 0.0, float::add).into_iter();
                    // A part of nothing has no mean, and a window that sees only padding has the mean 0.
                    let is_nothing = windows == Windows::Parts && shape.contains(&0);
                    sums.zip(counts(share)).map(|(sum, n)| if is_nothing { f64::NAN } else { sum / n as f64 }).list()
                }
            })
        }
        Elements::Int(_) => {
            let values = Arg::Tensor(&data).wide_ints();
            let view = View::new(&values, &shape);
            let folded = match fold {
                Fold::Largest => slide::pool(view, &looks, crate::reduce::lowest(call), i128::max),
                Fold::Mean(share) => {
                    let sums = slide::pool(view, &looks, 0, i128::wrapping_add).into_iter();
                    sums.zip(counts(share)).map(|(sum, n)| sum / n).list()
                }
            };
            ints(x.dtype, folded.into_iter().map(|folded| folded as i64))
        }
    };
    let elements = match elements {
        Elements::Float(values) => floats(x.dtype, values.into_iter()),
        integers @ Elements::Int(_) => integers,
    };
    in_layout(&elements, &result.shape, &layout, space.data)
}

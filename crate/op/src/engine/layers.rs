//! Pools, norms and places of extremes on float32.

use super::fused::Fused;
use super::single::{axis_of, floats};
use super::{Input, Scratch, Source, Step, count};
use crate::by_name;
use crate::conv::window::{LINE, PLANE, Space, VOLUME, per_axis, share, steps};
use crate::rule::reduced_axes;
use crate::run::{Call, ResultType};
use base::{Span, ToList};
use kernel::elementwise::Source as From;
use kernel::fold::{self, Extent, Fold};
use kernel::pool::Divisor;
use kernel::pool::{Window, avg_pool, max_pool};
use kernel::reduce::Tie;
use kernel::rows::{self, Affine, Groups};
use kernel::slide::Share;
use std::sync::Arc;
use ty::{Attrs, Dtype};

pub enum Layer {
    /// The largest element, where there is no divisor.
    Pool(Window, Option<Divisor>),
    /// Factors and summands are of channels.
    GroupNorm(Groups, Scales),
    BatchNorm(Fused),
    L2 {
        extent: Extent,
        epsilon: f32,
    },
    Position {
        op: Fold,
        tie: Tie,
        extent: Extent,
    },
}

/// What is done after normalisation.
#[derive(Clone, Copy)]
pub struct Scales {
    epsilon: f32,
    is_scaled: bool,
    is_centered: bool,
}

impl Scales {
    pub fn of(attrs: &Attrs) -> Scales {
        let epsilon = attrs.float("epsilon") as f32;
        Scales { epsilon, is_scaled: attrs.flag("scale"), is_centered: attrs.flag("center") }
    }

    /// With the vectors, each of `n` elements.
    pub fn affine<'a>(&self, gamma: &'a [f32], beta: &'a [f32], n: usize) -> Option<Affine<'a>> {
        let (gamma, beta, epsilon) = (Some(gamma), Some(beta), self.epsilon);
        [gamma, beta].iter().flatten().all(|vector| vector.len() == n).then_some(Affine {
            gamma: gamma.filter(|_| self.is_scaled),
            beta: beta.filter(|_| self.is_centered),
            epsilon,
        })
    }
}

/// Which axes are pooled, whether windows are as many as the result has places, and whether means are taken.
pub fn pool_of(name: &str) -> Option<(&'static Space, bool, bool)> {
    Some(match name {
        "nn.max_pool1d" => (&LINE, false, false),
        "nn.max_pool2d" => (&PLANE, false, false),
        "nn.max_pool3d" => (&VOLUME, false, false),
        "nn.avg_pool1d" => (&LINE, false, true),
        "nn.avg_pool2d" => (&PLANE, false, true),
        "nn.avg_pool3d" => (&VOLUME, false, true),
        "nn.adaptive_max_pool1d" => (&LINE, true, false),
        "nn.adaptive_max_pool2d" | "nn.global_max_pool2d" => (&PLANE, true, false),
        "nn.adaptive_max_pool3d" => (&VOLUME, true, false),
        "nn.adaptive_avg_pool1d" => (&LINE, true, true),
        "nn.adaptive_avg_pool2d" | "nn.global_avg_pool2d" => (&PLANE, true, true),
        "nn.adaptive_avg_pool3d" => (&VOLUME, true, true),
        _ => return None,
    })
}

fn pool(name: &str, attrs: &Attrs, x: &[usize], out: &[usize]) -> Option<Layer> {
    let (space, is_shared_out, is_mean) = pool_of(name)?;
    let n = space.rank();
    let is_plain = attrs.str("layout") == space.data && ["", space.data].contains(&attrs.str("out_layout"));
    // Nothing is seen by no windows, and of no elements there is no mean.
    if !is_plain || x.len() != n + 2 || out.len() != n + 2 || x[..2] != out[..2] || x.contains(&0) || out.contains(&0) {
        return None;
    }
    let call = Call { args: &[], attrs, results: &[], memory: 0 };
    let (along, kernel) = (steps(&call, n), per_axis(&call, "pool_size", n));
    let mut window = Window::new([1; 3], [1; 3]);
    for axis in 3 - n..3 {
        let (size, places) = (x[axis + n - 1], out[axis + n - 1]);
        (window.size[axis], window.output[axis]) = (size, places);
        if is_shared_out {
            // Parts that are not all of one size have windows that are not.
            size.is_multiple_of(places).then_some(())?;
            (window.kernel[axis], window.strides[axis]) = (size / places, size / places);
            continue;
        }
        let small = |number: i64| usize::try_from(number).ok().filter(|&number| number < 1 << 28);
        window.kernel[axis] = small(kernel[axis])?;
        window.strides[axis] = small(along[axis].stride)?;
        window.dilation[axis] = small(along[axis].dilation)?;
        (window.before[axis], window.after[axis]) = (small(along[axis].before)?, small(along[axis].after)?);
    }
    let divisor = match share(&call) {
        Share::ElementsAndPadding if !is_shared_out => Divisor::ElementsAndPadding,
        Share::Largest | Share::Elements | Share::ElementsAndPadding => Divisor::Elements,
    };
    Some(Layer::Pool(window, is_mean.then_some(divisor)))
}

/// The axes as one extent, if they stand side by side.
fn extent_of(shape: &[usize], axes: &[usize]) -> Option<Extent> {
    match fold::groups(shape, axes)[..] {
        [extent] => Some(extent),
        _ => None,
    }
}

impl Layer {
    /// `None`: there is no body for this operator on operands of these shapes, all of float32.
    pub fn new(name: &str, attrs: &Attrs, operands: &[&[usize]], result: &ResultType) -> Option<Layer> {
        let &[x, ref vectors @ ..] = operands else { return None };
        let is_single = result.dtype == Dtype::Float32;
        let n = count(x)?;
        if matches!(name, "argmax" | "argmin") {
            let reduced = reduced_axes(attrs, x.len()).ok()?;
            let axes: Vec<usize> = (0..x.len()).filter(|&axis| reduced[axis]).list();
            let extent = extent_of(x, &axes).filter(|extent| extent.reduced > 0 && extent.reduced < 1 << 28)?;
            let op = if name == "argmax" { Fold::Maximum } else { Fold::Minimum };
            let tie = if attrs.flag("select_last_index") { Tie::Last } else { Tie::First };
            let fits = result.dtype == Dtype::Int32 && count(&result.shape)? == extent.n_results();
            return fits.then_some(Layer::Position { op, tie, extent });
        }
        if !is_single {
            return None;
        }
        if pool_of(name).is_some() {
            return pool(name, attrs, x, &result.shape);
        }
        if *x != result.shape[..] || n == 0 {
            return None;
        }
        let channels = |axis: usize| vectors.iter().all(|vector| **vector == [x[axis]]);
        match name {
            "nn.batch_norm" => {
                channels(axis_of(attrs, 1, x.len())?).then_some(())?;
                let single = |shape: &&[usize]| ResultType { shape: shape.to_vec(), dtype: Dtype::Float32 };
                let step = Step {
                    op: by_name(name)?.first_field()?,
                    attrs: Arc::new(attrs.clone()),
                    inputs: (0..operands.len()).map(Input::Operand).list(),
                    span: Span::default(),
                };
                let operands: Vec<ResultType> = operands.iter().map(single).list();
                Fused::new(&[step], &operands, std::slice::from_ref(result)).map(Layer::BatchNorm)
            }
            "nn.group_norm" | "nn.instance_norm" => {
                let axis = axis_of(attrs, 1, x.len())?;
                let n_groups = match name {
                    "nn.group_norm" => usize::try_from(attrs.int("num_groups")?).ok()?,
                    _ => x[axis],
                };
                let divides = n_groups > 0 && x[axis].is_multiple_of(n_groups);
                let fits = divides && channels(axis) && vectors.len() == 2 && (name == "nn.group_norm" || axis == 1);
                let Extent { outer, reduced, inner } = super::single::along(x, axis);
                let groups = Groups { n_images: outer, n_channels: reduced, inner, n_groups };
                fits.then(|| Layer::GroupNorm(groups, Scales::of(attrs)))
            }
            "nn.l2_normalize" => {
                let from_start = |axis: i64| usize::try_from(if axis < 0 { axis + x.len() as i64 } else { axis }).ok();
                let mut axes: Vec<usize> = attrs.ints("axis")?.into_iter().map(from_start).some_list()?;
                if axes.is_empty() {
                    axes = (0..x.len()).list();
                }
                axes.iter().all(|&axis| axis < x.len()).then_some(())?;
                Some(Layer::L2 { extent: extent_of(x, &axes)?, epsilon: attrs.float("eps") as f32 })
            }
            _ => None,
        }
    }

    /// Whether the result may be computed where the first operand is.
    pub fn takes_first(&self) -> bool {
        match self {
            Layer::GroupNorm(..) => true,
            Layer::BatchNorm(fused) => fused.takes(0),
            Layer::Pool(..) | Layer::L2 { .. } | Layer::Position { .. } => false,
        }
    }

    pub fn run(&self, sources: &[Source], result: &mut [u8], scratch: &mut Scratch) -> Option<()> {
        let other = |i: usize| floats((*sources.get(i)?)?);
        if let Layer::BatchNorm(fused) = self {
            return fused.run(sources, result, scratch).ok();
        }
        let scratch = &mut scratch.conv.panels;
        if let Layer::Position { op, tie, extent } = self {
            let (x, to) = (other(0)?, bytemuck::try_cast_slice_mut(result).ok()?);
            (x.len() == extent.n_elements() && to.len() == extent.n_results()).then_some(())?;
            fold::position(*op, *tie, *extent, x, to, scratch);
            return Some(());
        }
        let to: &mut [f32] = bytemuck::try_cast_slice_mut(result).ok()?;
        let from = match sources.first()? {
            Some(bytes) => {
                From::Other(floats(bytes).filter(|x| matches!(self, Layer::Pool(..)) || x.len() == to.len())?)
            }
            None => From::Result,
        };
        match self {
            Layer::Pool(window, divisor) => {
                let x = other(0)?;
                let product = |[a, b, c]: [usize; 3]| a * b * c;
                let (size, output) = (product(window.size), product(window.output));
                (x.len().is_multiple_of(size) && to.len() == x.len() / size * output).then_some(())?;
                match divisor {
                    None => max_pool(window, x, to, scratch),
                    Some(divisor) => avg_pool(window, *divisor, x, to, scratch),
                }
            }
            Layer::GroupNorm(groups, scales) => {
                (to.len() == groups.n_images * groups.n_channels * groups.inner).then_some(())?;
                rows::group_norm(*groups, scales.affine(other(1)?, other(2)?, groups.n_channels)?, from, to);
            }
            Layer::L2 { extent, epsilon } => {
                (to.len() == extent.n_elements()).then_some(())?;
                rows::l2_normalize(*extent, *epsilon, other(0)?, to, scratch);
            }
            Layer::BatchNorm(_) | Layer::Position { .. } => return None,
        }
        Some(())
    }
}

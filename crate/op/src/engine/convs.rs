//! Convolutions of float32: from attributes to `kernel::conv`, which has channels before places.
//!
//! Where a layout has other orders (`NHWC`, `HWIO`), data and weight are turned on the way in and the result on the way
//! out. Layouts with blocks have no body.

use super::{Scratch, count};
use crate::conv::window::{LINE, PLANE, Space, VOLUME, steps};
use crate::run::Call;
use base::{MapArray, ToList};
use kernel::conv::{Axis, Direction, Geometry, Prepared};
use kernel::gemm::Activation;
use kernel::permute::Permutation;
use std::sync::Arc;
use ty::Attrs;

pub struct Convolution {
    prepared: Arc<Prepared>,
    /// Of data, weight and result, where one of them is in another order.
    turns: Option<Box<[Permutation; 3]>>,
    /// Whether the weight is in another order.
    is_weight_turned: bool,
    /// The axis of the result that is the channels.
    pub channel: usize,
}

fn space_of(name: &str) -> Option<(&'static Space, Direction)> {
    Some(match name {
        "nn.conv1d" => (&LINE, Direction::Forward),
        "nn.conv2d" => (&PLANE, Direction::Forward),
        "nn.conv3d" => (&VOLUME, Direction::Forward),
        "nn.conv1d_transpose" => (&LINE, Direction::Transposed),
        "nn.conv2d_transpose" => (&PLANE, Direction::Transposed),
        "nn.conv3d_transpose" => (&VOLUME, Direction::Transposed),
        _ => return None,
    })
}

/// Where each of `letters` stands in the layouts of data, weight and result. `None` if one has blocks.
fn orders(attrs: &Attrs, space: &Space, direction: Direction) -> Option<[Vec<usize>; 3]> {
    let weight = match direction {
        Direction::Forward => space.forward,
        Direction::Transposed => space.transposed,
    };
    let data = attrs.str("data_layout");
    let out = if attrs.str("out_layout").is_empty() { data } else { attrs.str("out_layout") };
    let order = |letters: &str, layout: &str| -> Option<Vec<usize>> {
        let places: Vec<usize> = letters.bytes().map(|letter| base::place(layout, letter)).some_list()?;
        (layout.len() == places.len()).then_some(places)
    };
    Some([order(space.data, data)?, order(weight, attrs.str("kernel_layout"))?, order(space.data, out)?])
}

impl Convolution {
    /// Whether a row is a convolution that has a body, if its sizes are.
    pub fn is_one(name: &str, attrs: &Attrs) -> bool {
        space_of(name).is_some_and(|(space, direction)| orders(attrs, space, direction).is_some())
    }

    pub fn new(name: &str, attrs: &Attrs, shapes: [&[usize]; 3]) -> Option<Convolution> {
        Convolution::of(space_of(name)?, attrs, shapes, Prepared::fast)
    }

    /// One with these attributes, whatever the name of its row, and prepared for sums in order or for any.
    pub(crate) fn of(
        (space, direction): (&Space, Direction),
        attrs: &Attrs,
        shapes: [&[usize]; 3],
        prepare: fn(Geometry) -> Option<Prepared>,
    ) -> Option<Convolution> {
        let orders = orders(attrs, space, direction)?;
        let n = space.rank();
        if shapes.iter().any(|shape| shape.len() != n + 2) {
            return None;
        }
        let by_letters = |at: usize| -> Vec<usize> { orders[at].iter().map(|&axis| shapes[at][axis]).list() };
        let [x, w, out] = [0, 1, 2].each(by_letters);
        let steps = steps(&Call { args: &[], attrs, results: &[], memory: 0 }, n);
        let mut axes = [Axis::new(1); 3];
        for (i, axis) in axes.iter_mut().enumerate().skip(3 - n) {
            let (at, step) = (i + n - 1, &steps[i]);
            *axis = Axis {
                size: x[at],
                kernel: w[at],
                output: out[at],
                stride: usize::try_from(step.stride).ok()?,
                dilation: usize::try_from(step.dilation).ok()?,
                padding: usize::try_from(step.before).ok()?,
            };
        }
        let n_groups = usize::try_from(attrs.int("groups").unwrap_or(1)).ok()?;
        let geometry = Geometry { n_images: x[0], n_channels: x[1], n_outputs: out[1], n_groups, direction, axes };
        let lengths = [count(&x)?, count(&w)?, count(&out)?];
        let prepared = prepare(geometry).filter(|prepared| prepared.lengths() == lengths)?;
        let channel = orders[2][1];
        let is_plain = |order: &Vec<usize>| order.iter().enumerate().all(|(at, &axis)| at == axis);
        let is_weight_turned = !is_plain(&orders[1]);
        let turns = (!orders.iter().all(is_plain)).then(|| {
            let mut back = vec![0; n + 2];
            orders[2].iter().enumerate().for_each(|(letter, &axis)| back[axis] = letter);
            let turn = |at: usize| Permutation::new(shapes[at], &orders[at]);
            Box::new([turn(0), turn(1), Permutation::new(&out, &back)])
        });
        Some(Convolution { prepared: Arc::new(prepared), turns, is_weight_turned, channel })
    }

    /// How many floats the weight takes in the order that is computed in, if it comes in another.
    pub fn n_turned_floats(&self) -> Option<usize> {
        self.is_weight_turned.then_some(self.prepared.lengths()[1])
    }

    pub fn n_working_bytes(&self) -> u64 {
        let [x, w, to] = self.prepared.lengths().map(|n| n as u64);
        let turned = if self.turns.is_some() { x + w + to } else { 0 };
        4 * (turned + self.prepared.n_working() as u64)
    }

    /// The convolution, a bias for each channel and the activation. A weight that is kept between calls is in
    /// [`Scratch::right`], in its order here; empty before the first.
    pub fn run(
        &self,
        [x, w]: [&[f32]; 2],
        (bias, activation): (Option<&[f32]>, Activation),
        to: &mut [f32],
        scratch: &mut Scratch,
    ) -> Option<()> {
        if [x.len(), w.len(), to.len()] != self.prepared.lengths() {
            return None;
        }
        let Some(turns) = &self.turns else {
            return self.prepared.run([x, w], bias, activation, to, &mut scratch.conv);
        };
        let Scratch { conv: memory, between: [data, turned], registers: result, right, .. } = scratch;
        let turn = |at: usize, from: &[f32], to: &mut Vec<f32>| {
            to.resize(from.len(), 0.0);
            turns[at].run(4, bytemuck::cast_slice(from), bytemuck::cast_slice_mut(to));
        };
        turn(0, x, data);
        let weight = match right {
            _ if !self.is_weight_turned => w,
            Some(kept) => {
                if kept.len() != w.len() {
                    turn(1, w, kept);
                }
                kept
            }
            None => {
                turn(1, w, turned);
                turned
            }
        };
        result.resize(to.len(), 0.0);
        self.prepared.run([data, weight], bias, activation, result, memory)?;
        turns[2].run(4, bytemuck::cast_slice(result), bytemuck::cast_slice_mut(to));
        Some(())
    }
}

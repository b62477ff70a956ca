//! By the definition, for windows that reach far beyond the data and weights that must not meet the zeros around it.

use super::{Direction, Geometry, split};
use crate::gemm::tile::Finish;
use crate::lanes::Lanes;

#[inline(never)]
pub(super) fn conv(geometry: &Geometry, data: &[f32], weight: &[f32], finish: &Finish, out: &mut [f32]) {
    let [_, rows, columns] = &geometry.axes;
    let (n_positions, n_places) = (geometry.n_positions(), geometry.n_places());
    let plane_size: usize = geometry.each(|axis| axis.size).iter().product();
    for (at, result) in out.iter_mut().enumerate() {
        let (position, output) = (at % n_positions, at / n_positions % geometry.n_outputs);
        let image = at / n_positions / geometry.n_outputs * geometry.n_channels;
        let position = split(position, rows.output, columns.output);
        let mut sum = 0.0;
        for channel in 0..geometry.group_channels() {
            let [channel, kernel] = channel_and_kernel(geometry, output, channel);
            for place in 0..n_places {
                if let Some(element) = look(geometry, position, split(place, rows.kernel, columns.kernel)) {
                    let element = data[(image + channel) * plane_size + element];
                    sum = Lanes::mul_add(element, weight[kernel * n_places + place], sum);
                }
            }
        }
        *result = sum;
        unsafe { finish.at(output, 0).apply_all(result, 1) }
    }
}

/// The index of a group's channel among all, and that of the kernel between it and an output.
fn channel_and_kernel(geometry: &Geometry, output: usize, channel: usize) -> [usize; 2] {
    let (n_channels, n_outputs) = (geometry.group_channels(), geometry.group_outputs());
    let of_all = output / n_outputs * n_channels + channel;
    match geometry.direction {
        Direction::Forward => [of_all, output * n_channels + channel],
        Direction::Transposed => [of_all, of_all * n_outputs + output % n_outputs],
    }
}

/// The element of a plane that a position sees through a place of the window.
#[inline(never)]
fn look(geometry: &Geometry, position: [usize; 3], place: [usize; 3]) -> Option<usize> {
    let mut element = 0;
    for (at, axis) in geometry.axes.iter().enumerate() {
        let (stride, size) = (axis.stride as i64, axis.size as i64);
        let (position, reach) = (position[at] as i64, place[at] as i64 * axis.dilation as i64 - axis.padding as i64);
        let index = match geometry.direction {
            Direction::Forward => position * stride + reach,
            Direction::Transposed if (position - reach) % stride == 0 => (position - reach) / stride,
            Direction::Transposed => return None,
        };
        if !(0..size).contains(&index) {
            return None;
        }
        element = element * axis.size + index as usize;
    }
    Some(element)
}

//! By the definition, for windows that reach far beyond the data and weights that must not meet the zeros around it.

use super::{Axis, Direction, Geometry};
use crate::gemm::tile::Finish;
use crate::lanes::Lanes;

pub(super) fn conv(geometry: &Geometry, data: &[f32], weight: &[f32], finish: &Finish, out: &mut [f32]) {
    let [planes, rows, columns] = &geometry.axes;
    let (n_positions, direction) = (geometry.n_positions(), geometry.direction);
    for (at, result) in out.iter_mut().enumerate() {
        let (position, output) = (at % n_positions, at / n_positions % geometry.n_outputs);
        let image = at / n_positions / geometry.n_outputs;
        let (row, column) = (position / columns.output, position % columns.output);
        let mut sum = 0.0;
        for channel in 0..geometry.group_channels() {
            let [channel, kernel] = channel_and_kernel(geometry, output, channel);
            let channel = (image * geometry.n_channels + channel) * planes.size;
            for (i, plane) in looks(direction, planes, row / rows.output) {
                for (j, row) in looks(direction, rows, row % rows.output) {
                    for (k, column) in looks(direction, columns, column) {
                        let element = data[((channel + plane) * rows.size + row) * columns.size + column];
                        let place = ((kernel * planes.kernel + i) * rows.kernel + j) * columns.kernel + k;
                        sum = Lanes::mul_add(element, weight[place], sum);
                    }
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

/// The places along an axis through which a position sees elements, and those elements.
fn looks(direction: Direction, axis: &Axis, position: usize) -> impl Iterator<Item = (usize, usize)> {
    let (stride, dilation, padding) = (axis.stride as i64, axis.dilation as i64, axis.padding as i64);
    let (position, size) = (position as i64, axis.size as i64);
    (0..axis.kernel).filter_map(move |place| {
        let reach = place as i64 * dilation;
        let look = match direction {
            Direction::Forward => position * stride + reach - padding,
            Direction::Transposed => {
                let spread = position + padding - reach;
                if spread % stride != 0 {
                    return None;
                }
                spread / stride
            }
        };
        (0..size).contains(&look).then_some((place, look as usize))
    })
}

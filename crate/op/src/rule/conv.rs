//! Convolution and pooling over two spatial axes.

use super::{DataLayout, attr_error};
use ty::{Facts, Reason, Relation, Size, Step, Stop};

/// Data and weight in any layout; output sizes are ⌊(in + padding − reach) / stride⌋ + 1.
pub static CONV2D: Relation = Relation { name: "Conv2D", n_outputs: 1, rule: conv2d };
/// The output sizes of a window sliding over the data.
pub static MAX_POOL2D: Relation = Relation { name: "MaxPool2D", n_outputs: 1, rule: pool2d };
pub static AVG_POOL2D: Relation = Relation { name: "AvgPool2D", n_outputs: 1, rule: pool2d };
/// Both spatial sizes become 1.
pub static GLOBAL_AVG_POOL2D: Relation = Relation { name: "GlobalAvgPool2D", n_outputs: 1, rule: global_pool2d };

pub(super) fn layout(r: &dyn Facts, attr: &'static str, letters: &str) -> Result<DataLayout, Stop> {
    match DataLayout::parse(r.attrs().str(attr), letters) {
        Some(layout) => Ok(layout),
        None => attr_error(r, attr, format!("a layout of the axes {letters}")),
    }
}

/// Two positive numbers; one stands for both.
fn pair(r: &dyn Facts, attr: &'static str) -> Result<[i64; 2], Stop> {
    match r.attrs().ints(attr).as_deref() {
        Some(&[both]) if both > 0 => Ok([both, both]),
        Some(&[height, width]) if height > 0 && width > 0 => Ok([height, width]),
        _ => attr_error(r, attr, "one or two numbers above 0"),
    }
}

/// Padding added along height and width in total: one number for all sides, two for height and width, four for top,
/// left, bottom and right.
fn padding(r: &dyn Facts) -> Result<[i64; 2], Stop> {
    let sides = r.attrs().ints("padding");
    match sides.as_deref() {
        _ if sides.iter().flatten().any(|&side| side < 0) => attr_error(r, "padding", "numbers of at least 0"),
        Some(&[all]) => Ok([all.saturating_mul(2); 2]),
        Some(&[height, width]) => Ok([height.saturating_mul(2), width.saturating_mul(2)]),
        Some(&[top, left, bottom, right]) => Ok([top.saturating_add(bottom), left.saturating_add(right)]),
        _ => attr_error(r, "padding", "1, 2 or 4 numbers"),
    }
}

struct Window {
    kernel: [Size; 2],
    strides: [i64; 2],
    dilation: [i64; 2],
    padding: [i64; 2],
    ceil: bool,
}

impl Window {
    /// The output size along one spatial axis (0 is height).
    fn slide(&self, r: &dyn Facts, input: Size, axis: usize) -> Result<Size, Stop> {
        let reach = self.kernel[axis].map(|kernel| (kernel - 1).saturating_mul(self.dilation[axis]).saturating_add(1));
        let padded = input.map(|size| size.saturating_add(self.padding[axis]));
        if let (Some(reach), Some(padded)) = (reach.number, padded.number) {
            let name = ["height", "width"][axis];
            r.check(reach <= padded, || {
                format!("a window {reach} in {name} is larger than the padded input, {padded}")
            })?;
        }
        let round_up = if self.ceil { self.strides[axis] - 1 } else { 0 };
        Ok(padded.combine(reach, |padded, reach| (padded - reach).saturating_add(round_up) / self.strides[axis] + 1))
    }
}

pub(super) fn conv2d(r: &mut dyn Facts) -> Step {
    let data_layout = layout(r, "data_layout", "NCHW")?;
    let kernel_layout = layout(r, "kernel_layout", "OIHW")?;
    let out_layout = match r.attrs().str("out_layout") {
        "" => data_layout.clone(),
        _ => layout(r, "out_layout", "NCHW")?,
    };
    let (strides, dilation, padding) = (pair(r, "strides")?, pair(r, "dilation")?, padding(r)?);
    let groups = r.attrs().int("groups").unwrap_or(1);
    if groups < 1 {
        return attr_error(r, "groups", "a number of at least 1");
    }
    let (data, dtype) = r.tensor_of_rank(0, data_layout.rank())?;
    let data = r.sizes(&data)?;
    let in_channels = data_layout.size(&data, 'C');
    let group_channels = in_channels.map(|channels| channels / groups);
    if let Some(channels) = in_channels.number {
        r.check(channels % groups == 0, || format!("{channels} input channels do not divide into {groups} groups"))?;
    }
    let channels_attr = r.attrs().int("channels");
    let kernel_attr = r.attrs().ints("kernel_size").map(|_| pair(r, "kernel_size")).transpose()?;
    let (channels, kernel, weight) = match (channels_attr, kernel_attr) {
        (Some(channels), Some([height, width])) => {
            if channels < 1 {
                return attr_error(r, "channels", "a number of at least 1");
            }
            let kernel = [Size::known(height), Size::known(width)];
            let weight = kernel_layout.sizes(|letter| match letter {
                'O' => Size::known(channels),
                'I' => group_channels,
                'H' => kernel[0],
                _ => kernel[1],
            });
            (Size::known(channels), kernel, Some(weight))
        }
        _ => {
            let (weight, _) = r.tensor_of_rank(1, kernel_layout.rank())?;
            let weight = r.sizes(&weight)?;
            let size = |letter| kernel_layout.size(&weight, letter);
            let kernel = [size('H'), size('W')];
            if let (Some(want), Some(found)) = (group_channels.number, size('I').number) {
                r.check(want == found, || {
                    let of_group = if groups == 1 { String::new() } else { format!(" per group ({groups} groups)") };
                    format!("the data has {want} channels{of_group} but the weight takes {found}")
                })?;
            }
            if let (Some(want), Some(found)) = (channels_attr, size('O').number) {
                r.check(want == found, || format!("channels={want} but the weight makes {found}"))?;
            }
            if let Some(want) = kernel_attr {
                for (axis, name) in ["height", "width"].into_iter().enumerate() {
                    if let Some(found) = kernel[axis].number {
                        let want = want[axis];
                        r.check(want == found, || format!("kernel_size has {name} {want} but the weight has {found}"))?;
                    }
                }
            }
            (size('O'), kernel, None)
        }
    };
    if let Some(channels) = channels.number {
        r.check(channels % groups == 0, || format!("{channels} output channels do not divide into {groups} groups"))?;
    }
    let window = Window { kernel, strides, dilation, padding, ceil: false };
    let height = window.slide(r, data_layout.size(&data, 'H'), 0)?;
    let width = window.slide(r, data_layout.size(&data, 'W'), 1)?;
    if let Some(weight) = weight {
        let dims: Vec<_> = weight.iter().map(|&size| r.make_size(size)).collect();
        // With a dtype of its own for the result, the operands' may differ.
        let weight_dtype = match r.attrs().dtype("out_dtype") {
            Some(_) => r.make_hole(ty::Kind::BaseType),
            None => dtype,
        };
        let weight = r.make_tensor(&dims, weight_dtype);
        let given = r.arg(1);
        r.unify(weight, given)?;
    }
    let out = out_layout.sizes(|letter| match letter {
        'N' => data_layout.size(&data, 'N'),
        'C' => channels,
        'H' => height,
        _ => width,
    });
    let dtype = match r.attrs().dtype("out_dtype") {
        Some(dtype) => r.make_dtype(dtype),
        None => dtype,
    };
    r.result_sizes(&out, dtype)
}

/// A layout in which height and width are whole axes; all else may be split.
fn pool_layout(r: &dyn Facts) -> Result<DataLayout, Stop> {
    let layout = layout(r, "layout", "NCHW")?;
    match layout.is_blocked('H') || layout.is_blocked('W') {
        true => attr_error(r, "layout", "a layout that does not split H or W"),
        false => Ok(layout),
    }
}

pub(super) fn pool2d(r: &mut dyn Facts) -> Step {
    let layout = pool_layout(r)?;
    let kernel = pair(r, "pool_size")?.map(Size::known);
    let (strides, dilation, padding) = (pair(r, "strides")?, pair(r, "dilation")?, padding(r)?);
    let window = Window { kernel, strides, dilation, padding, ceil: r.attrs().flag("ceil_mode") };
    let (mut dims, dtype) = r.tensor_of_rank(0, layout.rank())?;
    let mut out = [Size::ANY; 2];
    for (axis, letter) in ['H', 'W'].into_iter().enumerate() {
        out[axis] = window.slide(r, r.size(dims[layout.axis(letter)])?, axis)?;
    }
    for (axis, letter) in ['H', 'W'].into_iter().enumerate() {
        dims[layout.axis(letter)] = r.make_size(out[axis]);
    }
    r.result(&dims, dtype)
}

pub(super) fn global_pool2d(r: &mut dyn Facts) -> Step {
    let layout = pool_layout(r)?;
    let (mut dims, dtype) = r.tensor(0)?;
    if dims.len() != layout.rank() {
        return r.fail(Reason::Rank { operand: 0, want: layout.rank().to_string().into(), found: dims.len() });
    }
    for letter in ['H', 'W'] {
        dims[layout.axis(letter)] = r.make_size(Size::known(1));
    }
    r.result(&dims, dtype)
}

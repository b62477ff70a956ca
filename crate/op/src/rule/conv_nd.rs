//! Convolutions over one, two or three spatial axes, their transposes and their relatives.
//!
//! Every rule reads its tensors by the letters of their layouts ([`Lettered`]). A letter that a rule does not compute
//! with passes its dim on as it is, known or not.
//!
//! Worked example: a window of 3 with dilation 2 reaches over (3 − 1) · 2 + 1 = 5 places, so over 16 places with a
//! stride of 2 it takes ⌊(16 − 5) / 2⌋ + 1 = 6 positions.

use super::conv::layout;
use super::linear::out_dtype;
use super::{DataLayout, attr_error};
use ty::{Facts, Kind, Reason, Relation, Size, Step, Stop, TermId};

/// As `CONV2D`, over one axis and over three.
pub static CONV1D: Relation = Relation { name: "Conv1D", n_outputs: 1, rule: conv1d };
pub static CONV3D: Relation = Relation { name: "Conv3D", n_outputs: 1, rule: conv3d };
/// Output sizes are (in − 1) · stride + reach − padding + output padding; the weight has the data's channels first.
pub static CONV1D_TRANSPOSE: Relation = Relation { name: "Conv1DTranspose", n_outputs: 1, rule: conv1d_transpose };
pub static CONV2D_TRANSPOSE: Relation = Relation { name: "Conv2DTranspose", n_outputs: 1, rule: conv2d_transpose };
pub static CONV3D_TRANSPOSE: Relation = Relation { name: "Conv3DTranspose", n_outputs: 1, rule: conv3d_transpose };
/// As `CONV2D`, with an offset of two numbers for each element under the window and each position.
pub static DEFORMABLE_CONV2D: Relation = Relation { name: "DeformableConv2D", n_outputs: 1, rule: deformable_conv2d };
/// As `CONV2D`, but the weight has been rearranged, so only `channels` and `kernel_size` speak of it.
pub static CONV2D_PACKED: Relation = Relation { name: "Conv2DNCHWc", n_outputs: 1, rule: conv2d_packed };
pub static CONV2D_WINOGRAD: Relation = Relation { name: "Conv2DWinograd", n_outputs: 1, rule: conv2d_packed };
pub static BINARY_CONV2D: Relation = Relation { name: "BinaryConv2D", n_outputs: 1, rule: conv2d_packed };
/// The weight's shape from the gradient's channels, the data's channels and `kernel_size`.
pub static CONV2D_BACKWARD_WEIGHT: Relation =
    Relation { name: "Conv2DBackwardWeight", n_outputs: 1, rule: conv2d_backward_weight };
/// `(o, i, h, w) → (tile + h − 1, tile + w − 1, o, i)`.
pub static WINOGRAD_WEIGHT: Relation =
    Relation { name: "Conv2DWinogradWeightTransform", n_outputs: 1, rule: winograd_weight };
/// One channel for each displacement of the second tensor against the first.
pub static CORRELATION: Relation = Relation { name: "Correlation", n_outputs: 1, rule: correlation };

/// The axes that a window slides over.
pub(super) struct Space {
    /// Letters of the data's axes, of the weight's, and of the spatial ones among them.
    pub data: &'static str,
    pub kernel: &'static str,
    pub spatial: &'static [char],
}

pub(super) const LINE: Space = Space { data: "NCW", kernel: "OIW", spatial: &['W'] };
pub(super) const PLANE: Space = Space { data: "NCHW", kernel: "OIHW", spatial: &['H', 'W'] };
pub(super) const VOLUME: Space = Space { data: "NCDHW", kernel: "OIDHW", spatial: &['D', 'H', 'W'] };

/// The name of a spatial axis in a sentence.
fn axis_name(letter: char) -> &'static str {
    match letter {
        'D' => "depth",
        'H' => "height",
        _ => "width",
    }
}

/// A tensor whose axes have letters.
pub(super) struct Lettered {
    pub layout: DataLayout,
    pub dims: Vec<TermId>,
    pub dtype: TermId,
}

/// What stands along one letter: a dim as it is, or a computed size.
#[derive(Clone, Copy)]
pub(super) enum Along {
    Dim(TermId),
    Size(Size),
}

impl Lettered {
    pub fn operand(r: &dyn Facts, operand: usize, layout: DataLayout) -> Result<Lettered, Stop> {
        let (dims, dtype) = r.tensor_of_rank(operand, layout.rank())?;
        Ok(Lettered { layout, dims, dtype })
    }

    /// The one dim along a letter, unless it is split into blocks.
    pub fn dim(&self, letter: char) -> Option<TermId> {
        (!self.layout.is_blocked(letter)).then(|| self.dims[self.layout.axis(letter)])
    }

    /// The full size along a letter; the other axes need not be known.
    pub fn size(&self, r: &dyn Facts, letter: char) -> Result<Size, Stop> {
        match self.dim(letter) {
            Some(dim) => r.size(dim),
            None => Ok(self.layout.size(&r.sizes(&self.dims)?, letter)),
        }
    }

    /// What stands along `letter`, to go along `to_letter` of the layout `to`.
    pub fn along(&self, r: &dyn Facts, letter: char, to: &DataLayout, to_letter: char) -> Result<Along, Stop> {
        match self.dim(letter) {
            Some(dim) if !to.is_blocked(to_letter) => Ok(Along::Dim(dim)),
            _ => self.size(r, letter).map(Along::Size),
        }
    }
}

/// The dims of a layout from what stands along each of its letters.
pub(super) fn dims_of(r: &mut dyn Facts, layout: &DataLayout, along: &[(char, Along)]) -> Vec<TermId> {
    let sizes = layout.sizes(|letter| match along.iter().find(|(c, _)| *c == letter) {
        Some(&(_, Along::Size(size))) => size,
        Some((_, Along::Dim(_))) | None => Size::ANY,
    });
    let mut dims: Vec<TermId> = sizes.into_iter().map(|size| r.make_size(size)).collect();
    for &(letter, what) in along {
        if let Along::Dim(dim) = what {
            dims[layout.axis(letter)] = dim;
        }
    }
    dims
}

/// One number for each of `n` axes, each at least `least`; a single number stands for all.
pub(super) fn per_axis(r: &dyn Facts, attr: &'static str, n: usize, least: i64) -> Result<Vec<i64>, Stop> {
    let numbers = r.attrs().ints(attr).unwrap_or_default();
    match numbers.as_slice() {
        numbers if numbers.iter().any(|&number| number < least) => {
            attr_error(r, attr, format!("numbers of at least {least}"))
        }
        &[all] => Ok(vec![all; n]),
        each if each.len() == n => Ok(each.to_vec()),
        _ if n == 1 => attr_error(r, attr, "one number"),
        _ => attr_error(r, attr, format!("1 or {n} numbers")),
    }
}

/// Padding added along each of `n` axes in total: one number for all sides, `n` for both sides of each axis, or `n`
/// for the first sides and `n` for the last.
pub(super) fn padding(r: &dyn Facts, n: usize) -> Result<Vec<i64>, Stop> {
    let sides = r.attrs().ints("padding").unwrap_or_default();
    if sides.iter().any(|&side| side < 0) {
        return attr_error(r, "padding", "numbers of at least 0");
    }
    match sides.as_slice() {
        &[all] => Ok(vec![all.saturating_mul(2); n]),
        each if each.len() == n => Ok(each.iter().map(|side| side.saturating_mul(2)).collect()),
        each if each.len() == 2 * n => Ok((0..n).map(|i| each[i].saturating_add(each[n + i])).collect()),
        _ if n == 1 => attr_error(r, "padding", "1 or 2 numbers"),
        _ => attr_error(r, "padding", format!("1, {n} or {} numbers", 2 * n)),
    }
}

/// How far a window reaches over its input.
pub(super) fn reach(kernel: Size, dilation: i64) -> Size {
    kernel.map(|kernel| kernel.saturating_sub(1).saturating_mul(dilation).saturating_add(1))
}

/// The steps of a window along each spatial axis.
pub(super) struct Window {
    pub strides: Vec<i64>,
    pub dilation: Vec<i64>,
    pub padding: Vec<i64>,
    pub ceil: bool,
}

impl Window {
    /// Read from `strides`, `padding` and the attribute that the row calls its dilation; without one it is 1.
    pub fn of_attrs(r: &dyn Facts, n: usize, dilation: &'static str) -> Result<Window, Stop> {
        let dilation = match r.attrs().get(dilation) {
            ty::AttrValue::None => vec![1; n],
            _ => per_axis(r, dilation, n, 1)?,
        };
        let ceil = r.attrs().flag("ceil_mode");
        Ok(Window { strides: per_axis(r, "strides", n, 1)?, dilation, padding: padding(r, n)?, ceil })
    }

    /// How many positions a window has along the spatial axis `at`, whose letter is given.
    pub fn slide(&self, r: &dyn Facts, input: Size, kernel: Size, at: usize, letter: char) -> Result<Size, Stop> {
        let reach = reach(kernel, self.dilation[at]);
        let padded = input.map(|size| size.saturating_add(self.padding[at]));
        if let (Some(reach), Some(padded)) = (reach.number, padded.number) {
            let name = axis_name(letter);
            r.check(reach <= padded, || {
                format!("a window {reach} in {name} is larger than the padded input, {padded}")
            })?;
        }
        let stride = self.strides[at];
        let round_up = if self.ceil { stride - 1 } else { 0 };
        Ok(padded.combine(reach, |padded, reach| padded.saturating_sub(reach).saturating_add(round_up) / stride + 1))
    }
}

fn out_layout(r: &dyn Facts, space: &Space, data: &DataLayout) -> Result<DataLayout, Stop> {
    match r.attrs().str("out_layout") {
        "" => Ok(data.clone()),
        _ => layout(r, "out_layout", space.data),
    }
}

fn groups(r: &dyn Facts) -> Result<i64, Stop> {
    match r.attrs().int("groups") {
        Some(groups) if groups < 1 => attr_error(r, "groups", "a number of at least 1"),
        groups => Ok(groups.unwrap_or(1)),
    }
}

fn channels_attr(r: &dyn Facts) -> Result<Option<i64>, Stop> {
    match r.attrs().int("channels") {
        Some(channels) if channels < 1 => attr_error(r, "channels", "a number of at least 1"),
        channels => Ok(channels),
    }
}

fn kernel_attr(r: &dyn Facts, n: usize) -> Result<Option<Vec<i64>>, Stop> {
    r.attrs().ints("kernel_size").map(|_| per_axis(r, "kernel_size", n, 1)).transpose()
}

/// A size divided among groups.
fn per_group(r: &dyn Facts, size: Size, groups: i64, what: &str) -> Result<Size, Stop> {
    if let Some(size) = size.number {
        r.check(size % groups == 0, || format!("{size} {what} channels do not divide into {groups} groups"))?;
    }
    Ok(size.map(|size| size / groups))
}

/// Whether a weight's output channels or its input channels stand for one group: the others stand for all.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    Transposed,
}

/// What a rule has learned of a weight without asserting anything.
struct Weight {
    kernel: Vec<Size>,
    channels: Along,
    /// The weight's dims, where the attributes give them.
    dims: Option<(DataLayout, Vec<(char, Along)>)>,
    /// Data channels and weight channels that are the same.
    same: Option<(TermId, TermId)>,
}

impl Weight {
    fn read(r: &dyn Facts, operand: usize, space: &Space, data: &Lettered, way: Direction) -> Result<Weight, Stop> {
        let n = space.spatial.len();
        let layout = layout(r, "kernel_layout", space.kernel)?;
        let groups = groups(r)?;
        let (channels, kernel) = (channels_attr(r)?, kernel_attr(r, n)?);
        if let Some(channels) = channels {
            per_group(r, Size::known(channels), groups, "output")?;
        }
        match (channels, kernel) {
            (Some(channels), Some(kernel)) => Weight::given(r, space, data, way, layout, channels, &kernel),
            (channels, kernel) => {
                let weight = Lettered::operand(r, operand, layout)?;
                Weight::found(r, space, data, way, &weight, channels, kernel.as_deref())
            }
        }
    }

    /// From the attributes `channels` and `kernel_size`.
    fn given(
        r: &dyn Facts,
        space: &Space,
        data: &Lettered,
        way: Direction,
        layout: DataLayout,
        channels: i64,
        kernel: &[i64],
    ) -> Result<Weight, Stop> {
        let groups = groups(r)?;
        let inputs = match (way, groups) {
            (Direction::Forward, 2..) => Along::Size(per_group(r, data.size(r, 'C')?, groups, "input")?),
            _ => data.along(r, 'C', &layout, 'I')?,
        };
        let outputs = match way {
            Direction::Forward => channels,
            Direction::Transposed => channels / groups,
        };
        let kernel: Vec<Size> = kernel.iter().map(|&size| Size::known(size)).collect();
        let mut along = vec![('O', Along::Size(Size::known(outputs))), ('I', inputs)];
        along.extend(space.spatial.iter().zip(&kernel).map(|(&letter, &size)| (letter, Along::Size(size))));
        let channels = Along::Size(Size::known(channels));
        Ok(Weight { kernel, channels, dims: Some((layout, along)), same: None })
    }

    /// From the weight itself, which the attributes must not contradict.
    fn found(
        r: &dyn Facts,
        space: &Space,
        data: &Lettered,
        way: Direction,
        weight: &Lettered,
        channels: Option<i64>,
        kernel_size: Option<&[i64]>,
    ) -> Result<Weight, Stop> {
        let groups = groups(r)?;
        let sizes = space.spatial.iter().map(|&letter| weight.size(r, letter));
        let kernel: Vec<Size> = sizes.collect::<Result<_, _>>()?;
        for ((&letter, size), want) in space.spatial.iter().zip(&kernel).zip(kernel_size.into_iter().flatten()) {
            if let Some(found) = size.number {
                let name = axis_name(letter);
                r.check(*want == found, || format!("kernel_size has {name} {want} but the weight has {found}"))?;
            }
        }
        let outputs = match (way, groups) {
            (Direction::Forward, 2..) => {
                let outputs = weight.size(r, 'O')?;
                per_group(r, outputs, groups, "output")?;
                Along::Size(outputs)
            }
            (Direction::Transposed, 2..) => Along::Size(weight.size(r, 'O')?.map(|size| size.saturating_mul(groups))),
            _ => match weight.dim('O') {
                Some(dim) => Along::Dim(dim),
                None => Along::Size(weight.size(r, 'O')?),
            },
        };
        if let Some(want) = channels {
            let found = match outputs {
                Along::Dim(dim) => r.size(dim)?,
                Along::Size(size) => size,
            };
            if let Some(found) = found.number {
                r.check(want == found, || format!("channels={want} but the weight makes {found}"))?;
            }
        }
        let split = way == Direction::Forward && groups > 1;
        let (inputs, same) = match (data.dim('C'), weight.dim('I')) {
            (Some(data), Some(weight)) if !split => {
                let numbers = r.peek_number(data).zip(r.peek_number(weight));
                (numbers, (!r.is_dynamic(data) && !r.is_dynamic(weight)).then_some((data, weight)))
            }
            _ => {
                let inputs = data.size(r, 'C')?;
                let inputs = if split { per_group(r, inputs, groups, "input")? } else { inputs };
                (inputs.number.zip(weight.size(r, 'I')?.number), None)
            }
        };
        if let Some((want, found)) = inputs {
            r.check(want == found, || {
                let of_group = if split { format!(" per group ({groups} groups)") } else { String::new() };
                format!("the data has {want} channels{of_group} but the weight takes {found}")
            })?;
        }
        Ok(Weight { kernel, channels: outputs, dims: None, same })
    }

    /// What stands along the channels of a result in the layout `to`.
    fn channels(&self, r: &dyn Facts, to: &DataLayout) -> Result<Along, Stop> {
        match self.channels {
            Along::Dim(dim) if to.is_blocked('C') => r.size(dim).map(Along::Size),
            along @ (Along::Dim(_) | Along::Size(_)) => Ok(along),
        }
    }

    /// Tells the weight what follows from the attributes, or the channels that they are the same.
    fn assert(self, r: &mut dyn Facts, operand: usize, dtype: TermId) -> Step {
        if let Some((data, weight)) = self.same {
            r.unify(data, weight)?;
        }
        let Some((layout, along)) = self.dims else { return Ok(()) };
        let dims = dims_of(r, &layout, &along);
        // With a dtype of its own for the result, the operands' may differ.
        let dtype = match r.attrs().dtype("out_dtype") {
            Some(_) => r.make_hole(Kind::BaseType),
            None => dtype,
        };
        let weight = r.make_tensor(&dims, dtype);
        let given = r.arg(operand);
        r.unify(weight, given)
    }
}

fn conv1d(r: &mut dyn Facts) -> Step {
    conv(r, &LINE)
}

fn conv3d(r: &mut dyn Facts) -> Step {
    conv(r, &VOLUME)
}

fn conv(r: &mut dyn Facts, space: &Space) -> Step {
    let data_layout = layout(r, "data_layout", space.data)?;
    let out_layout = out_layout(r, space, &data_layout)?;
    let window = Window::of_attrs(r, space.spatial.len(), "dilation")?;
    let data = Lettered::operand(r, 0, data_layout)?;
    let weight = Weight::read(r, 1, space, &data, Direction::Forward)?;
    let mut along = vec![('N', data.along(r, 'N', &out_layout, 'N')?), ('C', weight.channels(r, &out_layout)?)];
    for (at, &letter) in space.spatial.iter().enumerate() {
        let size = window.slide(r, data.size(r, letter)?, weight.kernel[at], at, letter)?;
        along.push((letter, Along::Size(size)));
    }
    weight.assert(r, 1, data.dtype)?;
    let dims = dims_of(r, &out_layout, &along);
    let dtype = out_dtype(r, data.dtype);
    r.result(&dims, dtype)
}

fn conv1d_transpose(r: &mut dyn Facts) -> Step {
    conv_transpose(r, &LINE)
}

pub(super) fn conv2d_transpose(r: &mut dyn Facts) -> Step {
    conv_transpose(r, &PLANE)
}

fn conv3d_transpose(r: &mut dyn Facts) -> Step {
    conv_transpose(r, &VOLUME)
}

fn conv_transpose(r: &mut dyn Facts, space: &Space) -> Step {
    let n = space.spatial.len();
    let data_layout = layout(r, "data_layout", space.data)?;
    let out_layout = out_layout(r, space, &data_layout)?;
    let window = Window::of_attrs(r, n, "dilation")?;
    let extra = per_axis(r, "output_padding", n, 0)?;
    let data = Lettered::operand(r, 0, data_layout)?;
    let weight = Weight::read(r, 1, space, &data, Direction::Transposed)?;
    let mut along = vec![('N', data.along(r, 'N', &out_layout, 'N')?), ('C', weight.channels(r, &out_layout)?)];
    for (at, &letter) in space.spatial.iter().enumerate() {
        let reach = reach(weight.kernel[at], window.dilation[at]);
        let size = data.size(r, letter)?.combine(reach, |size, reach| {
            let spread = size.saturating_sub(1).saturating_mul(window.strides[at]);
            spread.saturating_add(reach).saturating_sub(window.padding[at]).saturating_add(extra[at])
        });
        if let Some(size) = size.number {
            let name = axis_name(letter);
            r.check(size >= 0, || format!("the padding leaves a {name} of {size}"))?;
        }
        along.push((letter, Along::Size(size)));
    }
    weight.assert(r, 1, data.dtype)?;
    let dims = dims_of(r, &out_layout, &along);
    let dtype = out_dtype(r, data.dtype);
    r.result(&dims, dtype)
}

fn deformable_conv2d(r: &mut dyn Facts) -> Step {
    let data_layout = layout(r, "data_layout", PLANE.data)?;
    let out_layout = out_layout(r, &PLANE, &data_layout)?;
    let window = Window::of_attrs(r, 2, "dilation")?;
    let offset_groups = r.attrs().int("deformable_groups").unwrap_or(1);
    if offset_groups < 1 {
        return attr_error(r, "deformable_groups", "a number of at least 1");
    }
    let data = Lettered::operand(r, 0, data_layout)?;
    let weight = Weight::read(r, 2, &PLANE, &data, Direction::Forward)?;
    let mut positions = [Size::ANY; 2];
    for (at, &letter) in PLANE.spatial.iter().enumerate() {
        positions[at] = window.slide(r, data.size(r, letter)?, weight.kernel[at], at, letter)?;
    }
    let [height, width] = positions.map(Along::Size);
    let offsets = super::product(&[Size::known(2), weight.kernel[0], weight.kernel[1], Size::known(offset_groups)]);
    let batch = data.along(r, 'N', &data.layout, 'N')?;
    let offset = [('N', batch), ('C', Along::Size(offsets)), ('H', height), ('W', width)];
    let batch = data.along(r, 'N', &out_layout, 'N')?;
    let along = [('N', batch), ('C', weight.channels(r, &out_layout)?), ('H', height), ('W', width)];
    weight.assert(r, 2, data.dtype)?;
    let offset = dims_of(r, &data.layout, &offset);
    let offset = r.make_tensor(&offset, data.dtype);
    let given = r.arg(1);
    r.unify(offset, given)?;
    let dims = dims_of(r, &out_layout, &along);
    let dtype = out_dtype(r, data.dtype);
    r.result(&dims, dtype)
}

fn conv2d_packed(r: &mut dyn Facts) -> Step {
    let data_layout = layout(r, "data_layout", PLANE.data)?;
    let out_layout = out_layout(r, &PLANE, &data_layout)?;
    let window = Window::of_attrs(r, 2, "dilation")?;
    let Some(channels) = channels_attr(r)? else { return attr_error(r, "channels", "the number of output channels") };
    let Some(kernel) = kernel_attr(r, 2)? else { return attr_error(r, "kernel_size", "the size of the window") };
    let data = Lettered::operand(r, 0, data_layout)?;
    let mut along = vec![('N', data.along(r, 'N', &out_layout, 'N')?), ('C', Along::Size(Size::known(channels)))];
    for (at, &letter) in PLANE.spatial.iter().enumerate() {
        let size = window.slide(r, data.size(r, letter)?, Size::known(kernel[at]), at, letter)?;
        along.push((letter, Along::Size(size)));
    }
    let dims = dims_of(r, &out_layout, &along);
    let dtype = out_dtype(r, data.dtype);
    r.result(&dims, dtype)
}

fn conv2d_backward_weight(r: &mut dyn Facts) -> Step {
    // The attributes are those of a convolution, put to another use: the gradient's layout, the data's, the weight's.
    let grad_layout = layout(r, "data_layout", PLANE.data)?;
    let data_layout = layout(r, "kernel_layout", PLANE.data)?;
    let weight_layout = layout(r, "out_layout", PLANE.kernel)?;
    let groups = groups(r)?;
    let Some(kernel) = kernel_attr(r, 2)? else { return attr_error(r, "kernel_size", "the size of the window") };
    let grad = Lettered::operand(r, 0, grad_layout)?;
    let data = Lettered::operand(r, 1, data_layout)?;
    let inputs = match groups {
        1 => data.along(r, 'C', &weight_layout, 'I')?,
        _ => Along::Size(per_group(r, data.size(r, 'C')?, groups, "input")?),
    };
    let [height, width] = [kernel[0], kernel[1]].map(|size| Along::Size(Size::known(size)));
    let outputs = grad.along(r, 'C', &weight_layout, 'O')?;
    let dims = dims_of(r, &weight_layout, &[('O', outputs), ('I', inputs), ('H', height), ('W', width)]);
    let dtype = out_dtype(r, grad.dtype);
    r.result(&dims, dtype)
}

fn winograd_weight(r: &mut dyn Facts) -> Step {
    let tile = r.attrs().int("tile_size").unwrap_or(0);
    if tile < 1 {
        return attr_error(r, "tile_size", "a number of at least 1");
    }
    let (weight, dtype) = r.tensor_of_rank(0, 4)?;
    let size = |r: &dyn Facts, dim| Ok(r.size(dim)?.map(|size| size.saturating_add(tile - 1)));
    let (height, width) = (size(r, weight[2])?, size(r, weight[3])?);
    let (height, width) = (r.make_size(height), r.make_size(width));
    r.result(&[height, width, weight[0], weight[1]], dtype)
}

fn correlation(r: &mut dyn Facts) -> Step {
    if r.attrs().str("layout") != "NCHW" {
        return attr_error(r, "layout", "\"NCHW\", the only layout of `nn.correlation`");
    }
    let number = |r: &dyn Facts, attr, least| match r.attrs().int(attr) {
        Some(number) if number >= least => Ok(number),
        _ => attr_error(r, attr, format!("a number of at least {least}")),
    };
    let (kernel, far) = (number(r, "kernel_size", 1)?, number(r, "max_displacement", 0)?);
    let (stride, step) = (number(r, "stride1", 1)?, number(r, "stride2", 1)?);
    let padding = padding(r, 2)?;
    let (first, dtype) = r.tensor_of_rank(0, 4)?;
    let (second, _) = r.tensor_of_rank(1, 4)?;
    let border = far.saturating_add((kernel - 1) / 2).saturating_mul(2);
    let mut sizes = [Size::ANY; 2];
    for (at, name) in ["height", "width"].into_iter().enumerate() {
        let padded = r.size(first[at + 2])?.map(|size| size.saturating_add(padding[at]));
        if let Some(padded) = padded.number {
            r.check(padded >= border, || format!("borders of {border} in {name} do not fit into {padded}"))?;
        }
        sizes[at] = padded.map(|padded| padded.saturating_sub(border).saturating_add(stride - 1) / stride);
    }
    for (&left, &right) in first.iter().zip(&second) {
        if let (Some(left), Some(right)) = (r.peek_number(left), r.peek_number(right)) {
            let sentence = || format!("the tensors must have one shape, found {left} beside {right}");
            if left != right {
                return r.fail(Reason::Check(sentence().into()));
            }
        }
    }
    let across = (far / step).saturating_mul(2).saturating_add(1);
    let channels = r.make_size(Size::known(across.saturating_mul(across)));
    let [height, width] = sizes.map(|size| r.make_size(size));
    r.result(&[first[0], channels, height, width], dtype)
}

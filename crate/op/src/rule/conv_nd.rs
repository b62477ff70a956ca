//! Convolutions over one, two or three spatial axes, their transposes and their relatives.
//!
//! Every rule reads its tensors by the letters of their layouts ([`Lettered`]). Layouts say the rank, so that much is
//! certain of operands that are not known; every size is computed or related by an equation.
//!
//! Worked example: a window of 3 with dilation 2 reaches over (3 − 1) · 2 + 1 = 5 places, so over 16 places with a
//! stride of 2 it takes ⌊(16 − 5) / 2⌋ + 1 = 6 positions.

use super::dims::{equate, is_number, must_be, number, numbers};
use super::linear::out_dtype;
use super::{DataLayout, all_tensors, attr_error, can_all_be_tensors, can_have_rank, expect_rank, expect_type};
use base::{Append, ToList};
use ty::{Facts, Kind, Relation, Size, Step, Stop, TermId};

/// Data and weight in any layout; output sizes are ⌊(in + padding − reach) / stride⌋ + 1.
pub static CONV1D: Relation = Relation { name: "Conv1D", n_outputs: 1, rule: conv1d };
pub static CONV2D: Relation = Relation { name: "Conv2D", n_outputs: 1, rule: conv2d };
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
pub static CONV3D_WINOGRAD: Relation = Relation { name: "Conv3DWinograd", n_outputs: 1, rule: conv3d_packed };
pub static CONV2D_GEMM: Relation = Relation { name: "Conv2DGemm", n_outputs: 1, rule: conv2d_packed };
pub static BINARY_CONV2D: Relation = Relation { name: "BinaryConv2D", n_outputs: 1, rule: conv2d_packed };
/// The weight's shape from the gradient's channels, the data's channels and `kernel_size`.
pub static CONV2D_BACKWARD_WEIGHT: Relation =
    Relation { name: "Conv2DBackwardWeight", n_outputs: 1, rule: conv2d_backward_weight };
/// `(o, i, h, w) → (tile + h − 1, tile + w − 1, o, i)`.
pub static WINOGRAD_WEIGHT: Relation =
    Relation { name: "Conv2DWinogradWeightTransform", n_outputs: 1, rule: winograd_weight };
pub static WINOGRAD_WEIGHT3D: Relation =
    Relation { name: "Conv3DWinogradWeightTransform", n_outputs: 1, rule: winograd_weight3d };
/// `(o, i, h, w) → (o, i, 8, 8)`.
pub static NNPACK_WEIGHT: Relation =
    Relation { name: "Conv2DWinogradNNPACKWeightTransform", n_outputs: 1, rule: nnpack_weight };
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

pub(super) fn layout(r: &dyn Facts, attr: &'static str, letters: &str) -> Result<DataLayout, Stop> {
    match DataLayout::parse(r.attrs().str(attr), letters) {
        Some(layout) => Ok(layout),
        None => attr_error(r, attr, format!("a layout of the axes {letters}")),
    }
}

/// A tensor whose axes have letters.
pub(super) struct Lettered {
    pub layout: DataLayout,
    pub dims: Vec<TermId>,
    pub dtype: TermId,
}

impl Lettered {
    /// Asserts that an operand is a tensor in a layout; [`can_have_rank`] has asked.
    pub fn operand(r: &mut dyn Facts, operand: usize, layout: DataLayout) -> Result<Lettered, Stop> {
        let id = r.arg(operand);
        let (dims, dtype) = expect_rank(r, id, layout.rank())?;
        are_blocks(r, &layout, &dims)?;
        Ok(Lettered { layout, dims, dtype })
    }

    /// The full size along a letter: the dim itself, unless it is split into blocks.
    pub fn full(&self, r: &mut dyn Facts, letter: char) -> Result<TermId, Stop> {
        r.product_of(&self.layout.parts(&self.dims, letter))
    }
}

/// Asserts that the axes of blocks are as long as a layout says.
pub(super) fn are_blocks(r: &mut dyn Facts, layout: &DataLayout, dims: &[TermId]) -> Step {
    layout.axes().iter().zip(dims).try_for_each(|(&(letter, inner), &dim)| match inner {
        Some(block) => must_be(r, dim, block, &format!("a block of {letter} in this layout")),
        None => Ok(()),
    })
}

/// The dims of a layout from the full size along each of its letters.
pub(super) fn dims_of(r: &mut dyn Facts, layout: &DataLayout, along: &[(char, TermId)]) -> Result<Vec<TermId>, Stop> {
    let axes = layout.axes().iter().map(|&(letter, inner)| match inner {
        Some(block) => Ok(number(r, block)),
        None => {
            let full = along.iter().find(|(c, _)| *c == letter).map(|&(_, full)| full);
            let full = full.unwrap_or_else(|| r.make_size(Size::ANY));
            r.floor_div(full, layout.block_of(letter))
        }
    });
    axes.ok_list()
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
        each if each.len() == n => Ok(each.iter().map(|side| side.saturating_mul(2)).list()),
        each if each.len() == 2 * n => Ok((0..n).map(|i| each[i].saturating_add(each[n + i])).list()),
        _ if n == 1 => attr_error(r, "padding", "1 or 2 numbers"),
        _ => attr_error(r, "padding", format!("1, {n} or {} numbers", 2 * n)),
    }
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
    pub fn slide(
        &self,
        r: &mut dyn Facts,
        input: TermId,
        kernel: TermId,
        at: usize,
        letter: char,
    ) -> Result<TermId, Stop> {
        let (stride, dilation, padding) = (self.strides[at], self.dilation[at], self.padding[at]);
        let name = axis_name(letter);
        // The window reaches over (kernel − 1) · dilation + 1 places.
        let more = padding.saturating_sub(1 - dilation);
        let round_up = if self.ceil { stride - 1 } else { 0 };
        let Some(size) = r.peek_number(kernel) else {
            let mut args = vec![r.affine(kernel, dilation, 0)?, input];
            if more.saturating_add(round_up) > 0 {
                args.push(number(r, more.saturating_add(round_up)));
            }
            fits(r, &args, name)?;
            let offset = more.saturating_add(round_up).saturating_add(i64::from(stride == 1));
            let steps = r.linear(&[(input, 1), (kernel, -dilation)], offset)?;
            return if stride == 1 { Ok(steps) } else { positions(r, steps, stride, 1) };
        };
        r.check(size != 0, format_args!("a window has at least one place in {name}"))?;
        let reach = size.saturating_sub(1).saturating_mul(dilation).saturating_add(1);
        let least = reach.saturating_sub(padding);
        let least_input = least.saturating_sub(round_up);
        if least_input > 1 {
            match r.peek_number(input) {
                Some(size) => {
                    let padded = size.saturating_add(padding);
                    let is_inside = size == 0 || least_input <= size;
                    let sentence = format_args!("a window {reach} in {name} is larger than the padded input, {padded}");
                    r.check(is_inside, sentence)?;
                }
                None => {
                    let least = number(r, least_input);
                    fits(r, &[least, input], name)?;
                }
            }
        }
        // ⌊(in + offset) / stride⌋ + 1, the offset such that no sum is below 0.
        let offset = round_up.saturating_sub(least);
        let sum = r.affine(input, 1, offset.rem_euclid(stride))?;
        positions(r, sum, stride, offset.div_euclid(stride).saturating_add(1))
    }
}

/// ⌊sum / stride⌋ and some more.
fn positions(r: &mut dyn Facts, sum: TermId, stride: i64, more: i64) -> Result<TermId, Stop> {
    let steps = r.floor_div(sum, stride)?;
    r.affine(steps, 1, more)
}

/// A window of at least one place, a size into which it fits, and perhaps how many places more there are than that.
/// Into nothing any window fits: it has no positions there.
pub(super) static FITS: Relation = Relation { name: "Fits", n_outputs: 0, rule: fits_rule };

/// States that a window fits, where that is not certain.
fn fits(r: &mut dyn Facts, args: &[TermId], name: &str) -> Step {
    match fit(r, args) {
        Ok(None) => Ok(()),
        Ok(Some((window, places))) => {
            r.refuse(format!("a window {window} in {name} does not fit into the padded input, {places}"))
        }
        Err(_) => {
            super::post_part(r, &FITS, args);
            Ok(())
        }
    }
}

fn fits_rule(r: &mut dyn Facts) -> Step {
    match fit(r, r.args())? {
        None => Ok(()),
        Some((window, places)) => r.refuse(format!("a window of {window} does not fit into {places}")),
    }
}

/// The sizes of a window and of what it does not fit into. Of parameters it must fit whatever they are, except 0.
fn fit(r: &dyn Facts, args: &[TermId]) -> Result<Option<(i64, i64)>, Stop> {
    let (window, size) = (args[0], args[1]);
    let more = args.get(2).map_or(Some(0), |&more| r.peek_number(more)).unwrap_or(0);
    match (r.peek_number(window), r.peek_number(size)) {
        (Some(0), size) => return Ok(Some((0, size.unwrap_or(0)))),
        (Some(_), Some(0)) => return Ok(None),
        (Some(window), Some(size)) => {
            let places = size.saturating_add(more);
            return Ok((window > places).then_some((window, places)));
        }
        (Some(_) | None, _) => {}
    }
    if r.is_dynamic(window) || r.is_dynamic(size) {
        return Ok(None);
    }
    let certain = r.peek_number(window).map(|window| window.saturating_sub(more)).is_some_and(|least| {
        // A sum of multiples is at least the smallest of them, or 0.
        let multiples = r.known_poly(size).map(|poly| poly.terms().to_vec()).unwrap_or_default();
        least <= 1
            || (!multiples.is_empty() && multiples.iter().all(|(atoms, factor)| !atoms.is_empty() && *factor >= least))
    });
    if certain { Ok(None) } else { Err(Stop::wait(&[window, size])) }
}

fn out_layout(r: &dyn Facts, space: &Space, data: &DataLayout) -> Result<DataLayout, Stop> {
    match r.attrs().str("out_layout") {
        "" => Ok(data.clone()),
        _ => layout(r, "out_layout", space.data),
    }
}

/// A number attribute of at least this, which is the default.
pub(super) fn at_least(r: &dyn Facts, attr: &'static str, least: i64) -> Result<i64, Stop> {
    match r.attrs().int(attr) {
        Some(number) if number < least => attr_error(r, attr, format!("a number of at least {least}")),
        number => Ok(number.unwrap_or(least)),
    }
}

fn channels_attr(r: &dyn Facts) -> Result<Option<i64>, Stop> {
    match r.attrs().int("channels") {
        Some(_) => at_least(r, "channels", 1).map(Some),
        None => Ok(None),
    }
}

fn kernel_attr(r: &dyn Facts, n: usize) -> Result<Option<Vec<i64>>, Stop> {
    match r.attrs().ints("kernel_size") {
        Some(_) => per_axis(r, "kernel_size", n, 1).map(Some),
        None => Ok(None),
    }
}

/// Whether a weight's output channels or its input channels stand for one group: the others stand for all.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    Transposed,
}

/// What the attributes say of a weight.
struct Weight {
    operand: usize,
    layout: DataLayout,
    way: Direction,
    groups: i64,
    channels: Option<i64>,
    kernel: Option<Vec<i64>>,
    /// Whether a row holds the windows of all output channels of a group, where it otherwise holds those of one.
    is_by_group: bool,
}

impl Weight {
    fn ask(r: &dyn Facts, operand: usize, space: &Space, way: Direction) -> Result<Weight, Stop> {
        let layout = layout(r, "kernel_layout", space.kernel)?;
        let groups = at_least(r, "groups", 1)?;
        let (channels, kernel) = (channels_attr(r)?, kernel_attr(r, space.spatial.len())?);
        can_have_rank(r, operand, layout.rank())?;
        Ok(Weight { operand, layout, way, groups, channels, kernel, is_by_group: false })
    }

    /// Relay's depthwise weight, `(C, channels / C, H, W)`: the attributes say all, and each group has one channel of
    /// the data and one row. Both must be known for that, unless one of them already says no.
    fn ask_rows(&mut self, r: &dyn Facts, data: &DataLayout) -> Step {
        let groups = self.groups;
        if groups == 1 || self.kernel.is_none() || self.channels.is_none_or(|channels| channels == groups) {
            return Ok(());
        }
        let mut waits = vec![];
        for (operand, layout, letter) in [(0, data, 'C'), (self.operand, &self.layout, 'O')] {
            let (mut full, others) = (1_i64, waits.len());
            match r.tensor_of_rank(operand, layout.rank()) {
                Ok((dims, _)) => {
                    for part in layout.parts(&dims, letter) {
                        match r.peek_number(part) {
                            Some(size) => full = full.saturating_mul(size),
                            // What depends on parameters alone is no number.
                            None if r.is_rigid(part) || r.is_dynamic(part) => return Ok(()),
                            None => waits.push(part),
                        }
                    }
                }
                Err(stop) => match stop.waits() {
                    Some(terms) => waits.extend_from_slice(terms),
                    None => return Err(stop),
                },
            }
            if waits.len() == others && full != groups {
                return Ok(());
            }
        }
        self.is_by_group = waits.is_empty();
        if self.is_by_group { Ok(()) } else { Err(Stop::wait(&waits)) }
    }

    /// The window's size along each spatial axis, and how many channels it makes.
    fn assert(self, r: &mut dyn Facts, space: &Space, data: &Lettered) -> Result<(Vec<TermId>, TermId), Stop> {
        let weight = Lettered::operand(r, self.operand, self.layout)?;
        let Weight { way, groups, .. } = self;
        let all_inputs = data.full(r, 'C')?;
        let split = way == Direction::Forward && groups > 1;
        let inputs = if split { r.divided(all_inputs, groups, "the number of input channels")? } else { all_inputs };
        if let Some(channels) = self.channels {
            r.check(
                channels % groups == 0,
                format_args!("{groups} does not divide the number of output channels, {channels}"),
            )?;
        }
        if let (Some(channels), Some(kernel)) = (self.channels, &self.kernel) {
            // The attributes say all of the weight; with a dtype of its own for the result, the operands' may differ.
            let (outputs, inputs) = match way {
                Direction::Forward if self.is_by_group => (groups, number(r, channels / groups)),
                Direction::Forward => (channels, inputs),
                Direction::Transposed => (channels / groups, inputs),
            };
            let kernel: Vec<TermId> = kernel.iter().map(|&size| number(r, size)).list();
            let mut along = vec![('O', number(r, outputs)), ('I', inputs)];
            along.append_all(space.spatial.iter().copied().zip(kernel.iter().copied()));
            let dims = dims_of(r, &weight.layout, &along)?;
            let dtype = if r.attrs().dtype("out_dtype").is_some() { r.make_hole(Kind::BaseType) } else { data.dtype };
            expect_type(r, self.operand, &dims, dtype)?;
            return Ok((kernel, number(r, channels)));
        }
        let taken = weight.full(r, 'I')?;
        if let (Some(want), Some(found)) = (r.peek_number(inputs), r.peek_number(taken))
            && want != found
        {
            let of_group = if split { format!(" per group ({groups} groups)") } else { String::new() };
            return r.refuse(format!("the data has {want} channels{of_group} but the weight takes {found}"));
        }
        equate(r, &[(inputs, taken)], "data and weight have the same channels")?;
        let mut kernel = Vec::with_capacity(space.spatial.len());
        for (at, &letter) in space.spatial.iter().enumerate() {
            let size = weight.full(r, letter)?;
            kernel.push(match &self.kernel {
                None => size,
                Some(want) => {
                    is_number(r, size, want[at], &|want, found| {
                        let name = axis_name(letter);
                        format!("kernel_size has {name} {want} but the weight has {found}")
                    })?;
                    number(r, want[at])
                }
            });
        }
        let outputs = weight.full(r, 'O')?;
        let channels = match way {
            Direction::Forward => outputs,
            Direction::Transposed => r.affine(outputs, groups, 0)?,
        };
        let Some(want) = self.channels else {
            if split {
                r.divides(groups, outputs, "the number of output channels")?;
            }
            return Ok((kernel, channels));
        };
        is_number(r, channels, want, &|want, found| format!("channels={want} but the weight makes {found}"))?;
        Ok((kernel, number(r, want)))
    }
}

fn conv1d(r: &mut dyn Facts) -> Step {
    conv(r, &LINE)
}

pub(super) fn conv2d(r: &mut dyn Facts) -> Step {
    conv(r, &PLANE)
}

fn conv3d(r: &mut dyn Facts) -> Step {
    conv(r, &VOLUME)
}

fn conv(r: &mut dyn Facts, space: &Space) -> Step {
    let data_layout = layout(r, "data_layout", space.data)?;
    let out_layout = out_layout(r, space, &data_layout)?;
    let window = Window::of_attrs(r, space.spatial.len(), "dilation")?;
    let mut weight = Weight::ask(r, 1, space, Direction::Forward)?;
    can_have_rank(r, 0, data_layout.rank())?;
    if space.spatial.len() == PLANE.spatial.len() {
        weight.ask_rows(r, &data_layout)?;
    }
    let data = Lettered::operand(r, 0, data_layout)?;
    let (kernel, channels) = weight.assert(r, space, &data)?;
    let mut along = vec![('N', data.full(r, 'N')?), ('C', channels)];
    for (at, &letter) in space.spatial.iter().enumerate() {
        let size = data.full(r, letter)?;
        along.push((letter, window.slide(r, size, kernel[at], at, letter)?));
    }
    lettered_result(r, &out_layout, &along, data.dtype)
}

/// The result has these sizes along its letters, and the dtype of the data unless `out_dtype` says another.
pub(super) fn lettered_result(r: &mut dyn Facts, layout: &DataLayout, along: &[(char, TermId)], dtype: TermId) -> Step {
    let dims = dims_of(r, layout, along)?;
    let dtype = out_dtype(r, dtype);
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
    let extra = match r.attrs().ints("output_padding").as_deref() {
        // Two numbers for one axis: Relay reads the first.
        Some(&[first, other]) if n == 1 && first.min(other) >= 0 => vec![first],
        _ => per_axis(r, "output_padding", n, 0)?,
    };
    let weight = Weight::ask(r, 1, space, Direction::Transposed)?;
    can_have_rank(r, 0, data_layout.rank())?;
    let data = Lettered::operand(r, 0, data_layout)?;
    let (kernel, channels) = weight.assert(r, space, &data)?;
    let mut along = vec![('N', data.full(r, 'N')?), ('C', channels)];
    for (at, &letter) in space.spatial.iter().enumerate() {
        // (in − 1) · stride and the reach of the window, (kernel − 1) · dilation + 1.
        let (stride, dilation) = (window.strides[at], window.dilation[at]);
        let offset = extra[at].saturating_sub(window.padding[at]).saturating_sub(stride).saturating_sub(dilation - 1);
        let size = data.full(r, letter)?;
        along.push((letter, r.linear(&[(size, stride), (kernel[at], dilation)], offset)?));
    }
    lettered_result(r, &out_layout, &along, data.dtype)
}

fn deformable_conv2d(r: &mut dyn Facts) -> Step {
    let data_layout = layout(r, "data_layout", PLANE.data)?;
    let out_layout = out_layout(r, &PLANE, &data_layout)?;
    let window = Window::of_attrs(r, 2, "dilation")?;
    let offset_groups = at_least(r, "deformable_groups", 1)?;
    let weight = Weight::ask(r, 2, &PLANE, Direction::Forward)?;
    can_have_rank(r, 0, data_layout.rank())?;
    can_have_rank(r, 1, data_layout.rank())?;
    let data = Lettered::operand(r, 0, data_layout)?;
    let (kernel, channels) = weight.assert(r, &PLANE, &data)?;
    let mut along = vec![('N', data.full(r, 'N')?), ('C', channels)];
    for (at, &letter) in PLANE.spatial.iter().enumerate() {
        let size = data.full(r, letter)?;
        along.push((letter, window.slide(r, size, kernel[at], at, letter)?));
    }
    // Two numbers for each element of the window, at each of its positions.
    let each = r.product_of(&kernel)?;
    let offsets = r.affine(each, offset_groups.saturating_mul(2), 0)?;
    let offset = [along[0], ('C', offsets), along[2], along[3]];
    let offset = dims_of(r, &data.layout, &offset)?;
    expect_type(r, 1, &offset, data.dtype)?;
    lettered_result(r, &out_layout, &along, data.dtype)
}

fn conv2d_packed(r: &mut dyn Facts) -> Step {
    conv_packed(r, &PLANE)
}

fn conv3d_packed(r: &mut dyn Facts) -> Step {
    conv_packed(r, &VOLUME)
}

fn conv_packed(r: &mut dyn Facts, space: &Space) -> Step {
    let n = space.spatial.len();
    let data_layout = layout(r, "data_layout", space.data)?;
    let out_layout = out_layout(r, space, &data_layout)?;
    let window = Window::of_attrs(r, n, "dilation")?;
    let Some(channels) = channels_attr(r)? else { return attr_error(r, "channels", "the number of output channels") };
    let Some(kernel) = kernel_attr(r, n)? else { return attr_error(r, "kernel_size", "the size of the window") };
    can_all_be_tensors(r)?;
    can_have_rank(r, 0, data_layout.rank())?;
    let data = Lettered::operand(r, 0, data_layout)?;
    let mut along = vec![('N', data.full(r, 'N')?), ('C', number(r, channels))];
    for (at, &letter) in space.spatial.iter().enumerate() {
        let (size, kernel) = (data.full(r, letter)?, number(r, kernel[at]));
        along.push((letter, window.slide(r, size, kernel, at, letter)?));
    }
    lettered_result(r, &out_layout, &along, data.dtype)?;
    all_tensors(r)
}

fn conv2d_backward_weight(r: &mut dyn Facts) -> Step {
    // The attributes are those of a convolution, put to another use: the gradient's layout, the data's, the weight's.
    let grad_layout = layout(r, "data_layout", PLANE.data)?;
    let data_layout = layout(r, "kernel_layout", PLANE.data)?;
    let weight_layout = layout(r, "out_layout", PLANE.kernel)?;
    let groups = at_least(r, "groups", 1)?;
    let Some(kernel) = kernel_attr(r, 2)? else { return attr_error(r, "kernel_size", "the size of the window") };
    can_have_rank(r, 0, grad_layout.rank())?;
    can_have_rank(r, 1, data_layout.rank())?;
    let grad = Lettered::operand(r, 0, grad_layout)?;
    let data = Lettered::operand(r, 1, data_layout)?;
    let inputs = data.full(r, 'C')?;
    let inputs = r.divided(inputs, groups, "the number of input channels")?;
    let outputs = grad.full(r, 'C')?;
    let [height, width] = numbers(r, [kernel[0], kernel[1]]);
    lettered_result(r, &weight_layout, &[('O', outputs), ('I', inputs), ('H', height), ('W', width)], grad.dtype)
}

/// The sizes of windows that a transformation to tiles makes larger.
fn tiled(r: &mut dyn Facts, windows: &[TermId]) -> Result<Vec<TermId>, Stop> {
    let tile = at_least(r, "tile_size", 1)?;
    windows.iter().map(|&size| r.affine(size, 1, tile - 1)).ok_list()
}

fn winograd_weight(r: &mut dyn Facts) -> Step {
    at_least(r, "tile_size", 1)?;
    can_have_rank(r, 0, 4)?;
    let weight = r.arg(0);
    let (weight, dtype) = expect_rank(r, weight, 4)?;
    let tiled = tiled(r, &weight[2..])?;
    r.result(&[&tiled[..], &weight[..2]].concat(), dtype)
}

fn winograd_weight3d(r: &mut dyn Facts) -> Step {
    at_least(r, "tile_size", 1)?;
    let (weight, dtype) = r.tensor_of_rank(0, 5)?;
    // Only a depth from 3 to 7 is transformed like height and width.
    let Size { number: depth, .. } = r.size(weight[2])?;
    let dims = match depth {
        Some(3..=7) => tiled(r, &weight[2..])?,
        _ => [tiled(r, &weight[3..])?, vec![weight[2]]].concat(),
    };
    r.result(&[&dims[..], &weight[..2]].concat(), dtype)
}

fn nnpack_weight(r: &mut dyn Facts) -> Step {
    can_have_rank(r, 0, 4)?;
    let weight = r.arg(0);
    let (weight, dtype) = expect_rank(r, weight, 4)?;
    let [tile, also] = numbers(r, [8, 8]);
    let dtype = out_dtype(r, dtype);
    r.result(&[weight[0], weight[1], tile, also], dtype)
}

fn correlation(r: &mut dyn Facts) -> Step {
    let (kernel, far) = (at_least(r, "kernel_size", 1)?, at_least(r, "max_displacement", 0)?);
    let (stride, step) = (at_least(r, "stride1", 1)?, at_least(r, "stride2", 1)?);
    let padding = padding(r, 2)?;
    can_have_rank(r, 0, 4)?;
    can_have_rank(r, 1, 4)?;
    let [first, second] = [r.arg(0), r.arg(1)];
    let (first, dtype) = expect_rank(r, first, 4)?;
    let (second, _) = expect_rank(r, second, 4)?;
    let pairs: Vec<_> = first.iter().copied().zip(second).list();
    equate(r, &pairs, "the tensors have one shape")?;
    let border = far.saturating_add((kernel - 1) / 2).saturating_mul(2);
    let mut sizes = [first[2], first[3]];
    for (at, name) in ["height", "width"].into_iter().enumerate() {
        if border > padding[at] {
            let least = number(r, border - padding[at]);
            r.at_most(least, sizes[at], &|_, size| {
                format!("borders of {border} in {name} do not fit into {}", size.saturating_add(padding[at]))
            })?;
        }
        let inner = r.affine(sizes[at], 1, padding[at].saturating_sub(border).saturating_add(stride - 1))?;
        sizes[at] = r.floor_div(inner, stride)?;
    }
    let across = (far / step).saturating_mul(2).saturating_add(1);
    let channels = number(r, across.saturating_mul(across));
    r.result(&[first[0], channels, sizes[0], sizes[1]], dtype)
}

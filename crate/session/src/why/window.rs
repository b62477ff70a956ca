//! The arithmetic of windows that slide: convolutions and pooling, with the numbers that their attributes say.
//!
//! Worked example: a kernel of 5 with a padding of 2 on both sides and a stride of 1 over 28 places takes
//! `(28 + 2·2 − 5)/1 + 1` positions, which is 28.

use base::ToList;
use std::fmt::Write;
use ty::Attrs;

/// What is known of a window along one axis.
pub(crate) struct Window {
    pub size: i64,
    pub stride: i64,
    pub dilation: i64,
    /// Before and behind.
    pub padding: [i64; 2],
    pub is_ceil: bool,
}

impl Window {
    /// Along the spatial axis at this place of the result, where `layout` is the attribute with the letters; without a
    /// window in the attributes it is the weight's, whose sizes are given by letter.
    pub fn read(attrs: &Attrs, axis: usize, weight: impl Fn(u8) -> Option<i64>) -> Option<Window> {
        let layout = ["data_layout", "layout"].into_iter().map(|name| attrs.str(name)).find(|text| !text.is_empty())?;
        let letter = *layout.as_bytes().get(axis)?;
        let spatial: Vec<u8> = "DHW".bytes().filter(|&letter| base::has(layout, letter)).list();
        let (at, n) = (spatial.iter().position(|&other| other == letter)?, spatial.len());
        let each = |name: &str| match attrs.ints(name).unwrap_or_default().as_slice() {
            &[all] => Some(all),
            each if each.len() == n => Some(each[at]),
            _ => None,
        };
        let padding = match attrs.ints("padding").unwrap_or_default().as_slice() {
            &[all] => [all, all],
            each if each.len() == n => [each[at], each[at]],
            each if each.len() == 2 * n => [each[at], each[n + at]],
            _ => return None,
        };
        Some(Window {
            size: each("pool_size").or_else(|| weight(letter))?,
            stride: each("strides")?,
            dilation: each("dilation").unwrap_or(1),
            padding,
            is_ceil: attrs.flag("ceil_mode"),
        })
    }

    /// How many positions it takes over so many places.
    fn positions(&self, input: i64) -> Option<(i64, bool)> {
        let reach = self.size.checked_sub(1)?.checked_mul(self.dilation)?.checked_add(1)?;
        let room = input.checked_add(self.padding[0])?.checked_add(self.padding[1])?.checked_sub(reach)?;
        let is_exact = room.checked_rem(self.stride)? == 0;
        let steps = room.div_euclid(self.stride) + i64::from(self.is_ceil && !is_exact);
        Some((steps + 1, is_exact))
    }

    /// The formula over an input: of these `sizes`, if it comes to the second one, or of any.
    pub fn formula(&self, input: &str, sizes: Option<[i64; 2]>) -> Option<String> {
        let is_exact = match sizes {
            Some([input, output]) => {
                let (positions, is_exact) = self.positions(input)?;
                (positions == output).then_some(is_exact)?
            }
            None => self.stride == 1,
        };
        let mut text = match self.padding {
            [0, 0] => format!("({input}"),
            [before, behind] if before == behind => format!("({input} + 2·{before}"),
            [before, behind] => format!("({input} + {before} + {behind}"),
        };
        let _ = match self.dilation {
            1 => write!(text, " − {})/{}", self.size, self.stride),
            dilation => write!(text, " − (({} − 1)·{dilation} + 1))/{}", self.size, self.stride),
        };
        let (open, close) = match (is_exact, self.is_ceil) {
            (true, _) => ("", ""),
            (false, false) => ("⌊", "⌋"),
            (false, true) => ("⌈", "⌉"),
        };
        Some(format!("{open}{text}{close} + 1"))
    }
}

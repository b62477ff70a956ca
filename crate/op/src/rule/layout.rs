//! Data layouts such as `NCHW`, `NHWC` and `NCHW8c`: which axis of a tensor means what.
//!
//! A capital letter is an axis; a number and the small letter split off an inner part of it: in `NCHW8c` the channels
//! are axis 1 in blocks of the 8 on axis 4.
//!
//! Worked example: `NCHW8c` over `(1, 2, 4, 4, 8)` has `C` = 2 · 8 = 16 channels.
use base::ToList;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataLayout {
    /// The capital letter of each axis, and the block size if the axis is an inner part.
    axes: Vec<(char, Option<i64>)>,
}

impl DataLayout {
    /// `None` unless each of `letters` is there exactly once as a whole axis, and nothing else but inner parts.
    pub fn parse(text: &str, letters: &str) -> Option<DataLayout> {
        let mut axes = Vec::new();
        let mut block: Option<i64> = None;
        for c in text.chars() {
            match c {
                '0'..='9' => block = Some(block.unwrap_or(0).checked_mul(10)?.checked_add(i64::from(c as u8 - b'0'))?),
                'A'..='Z' if block.is_none() => axes.push((c, None)),
                'a'..='z' => axes.push((c.to_ascii_uppercase(), Some(block.take().filter(|&block| block > 0)?))),
                _ => return None,
            }
        }
        let once = |letter| axes.iter().count_where(|&&(c, inner)| c == letter && inner.is_none()) == 1;
        let known = axes.iter().all(|&(c, _)| letters.chars().any(|letter| letter == c));
        (block.is_none() && known && letters.chars().all(once)).then_some(DataLayout { axes })
    }

    pub fn rank(&self) -> usize {
        self.axes.len()
    }

    /// Where the whole axis of a letter stands.
    pub fn axis(&self, letter: char) -> usize {
        self.axes.iter().position(|&(c, inner)| c == letter && inner.is_none()).expect("every letter has an axis")
    }

    /// Whether an axis is split into blocks.
    pub fn is_blocked(&self, letter: char) -> bool {
        self.axes.iter().any(|&(c, inner)| c == letter && inner.is_some())
    }

    pub fn has_blocks(&self) -> bool {
        self.axes.iter().any(|(_, inner)| inner.is_some())
    }

    /// The letter of each axis, and its size if it is an inner part.
    pub fn axes(&self) -> &[(char, Option<i64>)] {
        &self.axes
    }

    /// What stands along a letter: its axis and the blocks split off it. Their product is the full size.
    pub fn parts<T: Copy>(&self, axes: &[T], letter: char) -> Vec<T> {
        self.axes.iter().zip(axes).filter(|((c, _), _)| *c == letter).map(|(_, &part)| part).list()
    }

    /// How many elements the inner parts of a letter hold together.
    pub fn block_of(&self, letter: char) -> i64 {
        let blocks = self.axes.iter().filter(|(c, _)| *c == letter).filter_map(|(_, block)| *block);
        blocks.fold(1, i64::saturating_mul)
    }
}

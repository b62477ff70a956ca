//! Byte offsets to lines and columns, and to the UTF-16 offsets of editors in a browser; and back.
//!
//! Characters are counted once per block of 256 bytes, so every question costs a search and at most one block, however
//! long the lines are.

/// A line and a column, both from 1; a column counts Unicode scalar values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// How much text lies before a place.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    /// Unicode scalar values.
    chars: u32,
    /// UTF-16 code units.
    units: u32,
}

const BLOCK: usize = 256;

/// Where the lines of one text begin. Lines end at `\n`; a `\r` before it belongs to the line.
#[derive(Clone, Debug)]
pub struct LineIndex {
    text: Box<str>,
    line_starts: Vec<u32>,
    /// Before each block of the text's bytes.
    counts: Vec<Count>,
}

impl LineIndex {
    pub fn new(text: &str) -> LineIndex {
        let mut line_starts = vec![0];
        let mut counts = Vec::with_capacity(text.len() / BLOCK + 1);
        let mut count = Count::default();
        for (i, block) in text.as_bytes().chunks(BLOCK).enumerate() {
            counts.push(count);
            let ends = block.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
            line_starts.extend(ends.map(|(at, _)| (i * BLOCK + at) as u32 + 1));
            match block.is_ascii() {
                true => {
                    count = Count { chars: count.chars + block.len() as u32, units: count.units + block.len() as u32 }
                }
                false => block.iter().for_each(|&byte| count.add(byte)),
            }
        }
        counts.push(count);
        LineIndex { text: text.into(), line_starts, counts }
    }

    fn count(&self, offset: u32) -> Count {
        let offset = (offset as usize).min(self.text.len());
        let block = offset / BLOCK;
        let mut count = self.counts[block.min(self.counts.len() - 1)];
        let from = (block * BLOCK).min(offset);
        self.text.as_bytes()[from..offset].iter().for_each(|&byte| count.add(byte));
        count
    }

    /// The first character boundary where at least `want` of what `of` counts lies before.
    fn find(&self, want: u32, of: impl Fn(Count) -> u32) -> u32 {
        let block = self.counts.partition_point(|&count| of(count) <= want).saturating_sub(1);
        let mut count = self.counts[block];
        let bytes = self.text.as_bytes();
        let mut at = (block * BLOCK).min(bytes.len());
        while at < bytes.len() {
            let mut next = count;
            next.add(bytes[at]);
            if of(next) > want && self.text.is_char_boundary(at) {
                break;
            }
            count = next;
            at += 1;
        }
        at as u32
    }

    /// The position of a byte offset; an offset past the end is the end.
    pub fn position(&self, offset: u32) -> Position {
        let offset = offset.min(self.text.len() as u32);
        let line = self.line_of(offset);
        let start = self.line_starts[line as usize - 1];
        Position { line, column: self.count(offset).chars - self.count(start).chars + 1 }
    }

    /// The line, from 1, that holds a byte offset.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.line_starts.partition_point(|&start| start <= offset) as u32
    }

    /// The byte offset of a position, if the text has that line; a column past the line's end is its end.
    pub fn offset(&self, position: Position) -> Option<u32> {
        let line = (position.line as usize).checked_sub(1)?;
        let start = *self.line_starts.get(line)?;
        let end = self.line_starts.get(line + 1).map_or(self.text.len() as u32, |&next| next - 1);
        let want = self.count(start).chars.saturating_add(position.column.saturating_sub(1));
        Some(self.find(want, |count| count.chars).min(end))
    }

    /// The offset in UTF-16 code units from the start of the text.
    pub fn utf16_offset(&self, offset: u32) -> u32 {
        self.count(offset).units
    }

    /// The byte offset of the character that holds a UTF-16 offset; past the end it is the end.
    pub fn from_utf16(&self, units: u32) -> u32 {
        self.find(units, |count| count.units)
    }

    pub fn n_lines(&self) -> u32 {
        self.line_starts.len() as u32
    }
}

impl Count {
    /// Counts the character that begins with a byte; a byte inside a character counts nothing.
    fn add(&mut self, byte: u8) {
        let is_start = byte & 0b1100_0000 != 0b1000_0000;
        self.chars += u32::from(is_start);
        // Characters of four bytes are two units.
        self.units += u32::from(is_start) + u32::from(byte >= 0b1111_0000);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_offset_comes_back() {
        let text = "aé😀\r\n\n".repeat(200) + "é";
        let index = LineIndex::new(&text);
        for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
            let offset = offset as u32;
            let units = text[..offset as usize].encode_utf16().count() as u32;
            assert_eq!(index.utf16_offset(offset), units);
            assert_eq!(index.from_utf16(units), offset);
            let position = index.position(offset);
            assert_eq!(index.offset(position), Some(offset), "{position:?}");
            let line_start = crate::end_of_last(&text[..offset as usize], b'\n');
            assert_eq!(position.column as usize, text[line_start..offset as usize].chars().count() + 1);
        }
    }
}

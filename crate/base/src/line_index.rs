//! Byte offsets to lines and columns, and back.

/// A line and a column, both from 1; a column counts Unicode scalar values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// Where the lines of one text begin. Lines end at `\n`; a `\r` before it belongs to the line.
#[derive(Clone, Debug)]
pub struct LineIndex {
    text: Box<str>,
    line_starts: Vec<u32>,
}

impl LineIndex {
    pub fn new(text: &str) -> LineIndex {
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(i, _)| i as u32 + 1));
        LineIndex { text: text.into(), line_starts }
    }

    /// The position of a byte offset; an offset past the end is the end.
    pub fn position(&self, offset: u32) -> Position {
        let offset = (offset as usize).min(self.text.len());
        let line = self.line_of(offset as u32);
        let start = self.line_starts[line as usize - 1] as usize;
        Position { line, column: self.text[start..offset].chars().count() as u32 + 1 }
    }

    /// The line, from 1, that holds a byte offset.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.line_starts.partition_point(|&start| start <= offset) as u32
    }

    /// The byte offset of a position, if the text has that line; a column past the line's end is its end.
    pub fn offset(&self, position: Position) -> Option<u32> {
        let start = *self.line_starts.get((position.line as usize).checked_sub(1)?)? as usize;
        let line = self.text[start..].split('\n').next()?;
        let within: usize = line.chars().take(position.column.saturating_sub(1) as usize).map(char::len_utf8).sum();
        Some((start + within) as u32)
    }

    /// The offset in UTF-16 code units from the start of the text, as editors in a browser count.
    pub fn utf16_offset(&self, offset: u32) -> u32 {
        self.text[..(offset as usize).min(self.text.len())].encode_utf16().count() as u32
    }

    pub fn n_lines(&self) -> u32 {
        self.line_starts.len() as u32
    }
}

//! Byte offsets to UTF-16 offsets and back, for editors in a browser.

/// By line start, its offset in both units; within a line characters are counted.
pub struct Offsets<'t> {
    text: &'t str,
    line_starts: Vec<(u32, u32)>,
}

impl<'t> Offsets<'t> {
    pub fn new(text: &'t str) -> Offsets<'t> {
        let mut line_starts = vec![(0, 0)];
        let (mut bytes, mut units) = (0, 0);
        for c in text.chars() {
            bytes += c.len_utf8() as u32;
            units += c.len_utf16() as u32;
            if c == '\n' {
                line_starts.push((bytes, units));
            }
        }
        Offsets { text, line_starts }
    }

    pub fn to_utf16(&self, offset: u32) -> u32 {
        let at = self.line_starts.partition_point(|&(start, _)| start <= offset) - 1;
        let (start, units) = self.line_starts[at];
        let end = (offset as usize).min(self.text.len());
        units + self.text[start as usize..end].chars().map(|c| c.len_utf16() as u32).sum::<u32>()
    }

    /// The byte offset of the character that holds a UTF-16 offset; past the end it is the end.
    pub fn from_utf16(&self, offset: u32) -> u32 {
        let at = self.line_starts.partition_point(|&(_, start)| start <= offset) - 1;
        let (start, mut units) = self.line_starts[at];
        for (i, c) in self.text[start as usize..].char_indices() {
            let next = units + c.len_utf16() as u32;
            if next > offset {
                return start + i as u32;
            }
            units = next;
        }
        self.text.len() as u32
    }
}

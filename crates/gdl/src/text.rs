//! Positions in source text: byte spans, and lines and columns made from them on demand.

use std::fmt;

/// A half-open range of bytes in the source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span of bytes `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// The smallest span that contains both.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// As a range usable for slicing.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether `other` lies inside.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// A line and a column, both counted from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Where each line of a text begins.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Finds the lines of `text`.
    pub fn new(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(
            text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1),
        );
        Self { starts }
    }

    /// The line of a byte offset, counted from 0.
    pub fn line_of(&self, offset: u32) -> usize {
        self.starts.partition_point(|&start| start <= offset) - 1
    }

    /// The position of a byte offset in `text` (the text this index was made of).
    pub fn position(&self, text: &str, offset: u32) -> Position {
        let line = self.line_of(offset);
        let start = self.starts[line] as usize;
        let end = floor_boundary(text, (offset as usize).min(text.len()));
        Position { line: line + 1, column: text[start..end.max(start)].chars().count() + 1 }
    }

    /// The text of a line counted from 0, without its line break.
    pub fn line_text<'t>(&self, text: &'t str, line: usize) -> &'t str {
        let start = self.starts[line] as usize;
        let end = self.starts.get(line + 1).map_or(text.len(), |&next| next as usize);
        text[start..end].trim_end_matches(['\n', '\r'])
    }

    /// The byte at which a line (counted from 0) begins.
    pub fn line_start(&self, line: usize) -> u32 {
        self.starts[line]
    }

    /// The number of lines.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Never true: even an empty text has one line.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let text = "ab\nçd\n";
        let index = LineIndex::new(text);
        assert_eq!(index.position(text, 0), Position { line: 1, column: 1 });
        assert_eq!(index.position(text, 3), Position { line: 2, column: 1 });
        assert_eq!(index.position(text, 5), Position { line: 2, column: 2 });
        assert_eq!(index.position(text, 7), Position { line: 3, column: 1 });
        assert_eq!(index.line_text(text, 1), "çd");
    }
}

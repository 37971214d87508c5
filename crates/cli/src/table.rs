//! Plain columns: text to the left, numbers to the right, no frames.

/// Lays out rows in columns parted by two blanks. Columns in `right` are aligned to the right.
pub fn columns(rows: &[Vec<String>], right: &[usize]) -> Vec<String> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |text: &str| text.chars().count();
    let widths: Vec<usize> = (0..count)
        .map(|c| rows.iter().filter_map(|row| row.get(c)).map(|t| width(t)).max().unwrap_or(0))
        .collect();
    let cell = |(c, text): (usize, &String)| {
        let pad = " ".repeat(widths[c].saturating_sub(width(text)));
        if right.contains(&c) { format!("{pad}{text}") } else { format!("{text}{pad}") }
    };
    rows.iter()
        .map(|row| {
            let cells: Vec<String> = row.iter().enumerate().map(cell).collect();
            cells.join("  ").trim_end().to_owned()
        })
        .collect()
}

/// Fills lines of at most `width` characters with items in columns of equal width.
pub fn fill(items: &[String], width: usize) -> Vec<String> {
    let widest = items.iter().map(|item| item.chars().count()).max().unwrap_or(0) + 2;
    let per_line = (width / widest).max(1);
    items
        .chunks(per_line)
        .map(|chunk| {
            let cells: Vec<String> = chunk
                .iter()
                .map(|item| {
                    format!("{item}{}", " ".repeat(widest.saturating_sub(item.chars().count())))
                })
                .collect();
            cells.concat().trim_end().to_owned()
        })
        .collect()
}

/// A number with thousands parted by thin commas, as people read it.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A rate, rounded.
pub fn per_second(count: u64, seconds: f64) -> String {
    let text = format!("{:.0}", count as f64 / seconds.max(1e-9));
    text.parse().map_or(text, thousands)
}

/// `1 error`, `2 errors`.
pub fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(number as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let row = |a: &str, b: &str| vec![a.to_owned(), b.to_owned()];
        assert_eq!(columns(&[row("ab", "1"), row("c", "22")], &[1]), ["ab   1", "c   22"]);
    }

    #[test]
    fn thousands_are_parted() {
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(counted(1, "error"), "1 error");
        assert_eq!(counted(0, "error"), "0 errors");
    }
}

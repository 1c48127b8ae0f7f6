//! Parts of Markdown.
use wire::printable::markdown as escaped;

use crate::charts::figure::FigureTable;

/// Returns a collapsed section.
pub fn folded(summary: &str, body: &str) -> String {
    format!("\n<details><summary>{summary}</summary>\n\n{body}\n</details>\n")
}

/// A table.
pub fn table(table: &FigureTable) -> String {
    let headings: Vec<String> = table.headings.iter().map(|heading| escaped(heading)).collect();
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let rows: Vec<Vec<String>> = table.rows.iter().map(|row| row.iter().map(|cell| escaped(cell)).collect()).collect();
    let mut text = harness::markdown(&headings, &rows);
    if !text.ends_with('\n') {
        text.push('\n');
    }
    if !table.left_out.is_empty() {
        text += &format!("\n{}\n", table.left_out);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_cannot_break_a_table_or_be_markup() {
        assert_eq!(escaped("a|b\n<script> * [x](y) &"), "a|b &lt;script&gt; \\* \\[x\\](y) &amp;");
    }
}

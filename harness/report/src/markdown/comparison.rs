//! A comparison as Markdown, for a CI job's summary or a comment.
use wire::printable::markdown as escaped;

use super::text::{folded, table};
use crate::{
    charts::figure::FigureTable,
    compare::{Comparison, table as tables},
};

/// The maximum number of rows: GitHub accepts at most 64 KiB in a comment.
const MOST: usize = 100;

/// Returns the comparison: the result, the changes, and the sides in a collapsed section.
pub fn comparison(comparison: &Comparison) -> String {
    let mut text = format!("# warplab compare: {}\n\n", escaped(&tables::result(comparison)));
    for sentence in tables::says(comparison) {
        text += &format!("- {}\n", escaped(&sentence));
    }
    let changed = tables::cases(comparison, false);
    if !changed.rows.is_empty() {
        text += &format!("\n{}", table(&short(changed)));
    }
    let lines = tables::lines(comparison);
    if !lines.rows.is_empty() {
        text += &folded("Lines of the source whose cost differs", &table(&short(lines)));
    }
    text + &folded("What is compared", &table(&tables::sides(comparison)))
}

/// Returns the beginning of a table, with a note on how much is left out.
fn short(mut table: FigureTable) -> FigureTable {
    let left = table.rows.len().saturating_sub(MOST);
    if left > 0 {
        table.rows.truncate(MOST);
        table.left_out = format!("{left} more are left out here.");
    }
    table
}

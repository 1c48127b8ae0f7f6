//! A comparison as Markdown, for a CI job's summary or a comment.
use super::text::{escaped, folded, table};
use crate::compare::{Comparison, table as tables};

/// The rows that are shown: GitHub takes no more than 64 KiB in a comment.
const MOST: usize = 100;

/// The comparison: the result, what has changed, and the sides behind a click.
pub fn comparison(comparison: &Comparison) -> String {
    let mut text = format!("# warplab compare: {}\n\n", escaped(&tables::result(comparison)));
    for sentence in tables::says(comparison) {
        text += &format!("- {}\n", escaped(&sentence));
    }
    let mut changed = tables::cases(comparison, false);
    if !changed.rows.is_empty() {
        let count = changed.rows.len();
        if count > MOST {
            changed.rows.truncate(MOST);
            changed.left_out = format!("{} more are left out here.", count - MOST);
        }
        text += &format!("\n{}", table(&changed));
    }
    let lines = tables::lines(comparison);
    if !lines.rows.is_empty() {
        text += &folded("Lines of the source whose cost differs", &table(&lines));
    }
    text + &folded("What is compared", &table(&tables::sides(comparison)))
}

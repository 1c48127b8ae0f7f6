//! A comparison on a page.
use maud::{Markup, html};

use super::{
    shell::{contents, shell},
    table,
};
use crate::{
    charts::figure::FigureTable,
    compare::{Comparison, comparison::Change, table as tables},
    number_format::count,
};

/// The maximum number of rows in a table: a larger page is slow to open.
const MOST: usize = 2000;

/// Returns the page of a comparison.
pub fn comparison(comparison: &Comparison) -> String {
    let result = tables::result(comparison);
    let changed = tables::cases(comparison, false);
    let lines = tables::lines(comparison);
    let contents = contents(&[("result", "The result"), ("changed", "What has changed"), ("all", "All cases")]);
    let main = html! {
        section id="result" aria-labelledby="result-title" {
            h2 id="result-title" { (result) }
            @if tables::is_emulated(comparison) {
                p.banner { strong { "Emulated. " } "No GPU ran these kernels: counters are exact, and times are ignored." }
            }
            (totals(comparison))
            ul { @for sentence in tables::says(comparison) { li { (sentence) } } }
            (table::table(&tables::sides(comparison), "What is compared"))
        }
        section id="changed" aria-labelledby="changed-title" {
            h2 id="changed-title" { "What has changed" }
            @if changed.rows.is_empty() { p { "Nothing." } } @else { (long(changed, "Table of what has changed")) }
            @if !lines.rows.is_empty() {
                h3 { "Lines of the source whose cost differs" }
                (long(lines, "Lines of the source whose cost differs"))
            }
        }
        section id="all" aria-labelledby="all-title" {
            h2 id="all-title" { "All cases" }
            details {
                summary { (count(comparison.cases.len(), "case")) }
                (long(tables::cases(comparison, true), "Table of all cases"))
            }
        }
    };
    shell(&format!("warplab compare: {result}"), "warplab compare", &contents, &main)
}

/// Returns the numbers of changes.
fn totals(comparison: &Comparison) -> Markup {
    let is_emulated = tables::is_emulated(comparison);
    let class = |change: Change| match change {
        Change::Wrong | Change::Slower => "failed",
        Change::Same | Change::Faster | Change::Mended => "passed",
        Change::Unclear | Change::New | Change::Gone => "skipped",
    };
    html! {
        ul.totals {
            @for total in comparison.totals.iter().rev() {
                li class=(class(total.change)) { strong { (total.cases) } " " (total.change.said(is_emulated)) }
            }
        }
    }
}

fn long(mut table: FigureTable, name: &str) -> Markup {
    let left = table.rows.len().saturating_sub(MOST);
    if left > 0 {
        table.rows.truncate(MOST);
        table.left_out = format!("{} more are in the JSON alone.", count(left, "row"));
    }
    table::table(&table, name)
}

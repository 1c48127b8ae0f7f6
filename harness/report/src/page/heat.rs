//! The heat map of a source file: every line, shaded by its share of the instructions, with its counters.
use maud::{Markup, html};

use crate::{
    number_format::{count, grouped, short},
    sections::heat::{Listing, SourceLine},
};

/// Returns a listing. All numbers are in the table; hovering over a line shows them as text.
pub fn listing(listing: &Listing, whose: &str) -> Markup {
    html! {
        div.scroll.source role="region" aria-label=(format!("Heat map of {}, {whose}", listing.file)) tabindex="0" {
            table {
                thead {
                    tr {
                        @for heading in ["line", "%", "sectors", "conflicts", "diverged"] { th.number scope="col" { (heading) } }
                        th scope="col" { "source" }
                    }
                }
                tbody {
                    @for line in &listing.lines { (row(line)) }
                }
            }
        }
        @if listing.left_out > 0 {
            p.small { (count(listing.left_out, "line")) " far from all that cost something are left out, for the page's size." }
        }
    }
}

fn row(line: &SourceLine) -> Markup {
    let Some((hot, case)) = &line.cost else {
        return html! { tr { td { (line.number) } td colspan="4" {} td { (line.text) } } };
    };
    let some = |count: u64| if count == 0 { String::new() } else { grouped(count as f64) };
    let tip = format!(
        "line {}: {} % of {case}: {} thread instructions, {} sectors, {} bank conflicts, diverged {} times",
        line.number,
        short(hot.percent),
        grouped(hot.thread_instructions as f64),
        grouped(hot.sectors as f64),
        grouped(hot.conflicts as f64),
        grouped(hot.divergent_branches as f64)
    );
    html! {
        tr class=(format!("heat{}", heat(hot.percent))) title=(tip) {
            td { (line.number) }
            td { (short(hot.percent)) }
            td { (some(hot.sectors)) }
            td { (some(hot.conflicts)) }
            td { (some(hot.divergent_branches)) }
            td { (line.text) }
        }
    }
}

/// Returns how hot a line is, from 1 to 5.
fn heat(percent: f64) -> u8 {
    match percent {
        ..2.0 => 1,
        ..6.0 => 2,
        ..12.0 => 3,
        ..25.0 => 4,
        _ => 5,
    }
}

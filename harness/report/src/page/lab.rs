//! A lab on the page.
use harness::Verdict;
use maud::{Markup, html};

use super::{chart::figure, heat, id, run::totals, table::table};
use crate::{document::LabPart, number_format::count, sections::findings::Remark};

/// Returns the lab's section.
pub fn section(lab: &LabPart, run: usize, run_name: &str) -> Markup {
    let whose = format!("{}, {run_name}", lab.name);
    let id = id(run, &lab.name);
    html! {
        section.lab id=(id) aria-labelledby=(format!("{id}-title")) {
            h3 id=(format!("{id}-title")) { (lab.name) span.unseen { ", " (run_name) } }
            @if !lab.summary.is_empty() { p.summary { (lab.summary) } }
            (totals(&lab.totals))
            div.figures { @for one in &lab.figures { (figure(one, 4, &whose)) } }
            @if lab.more_left > 0 && lab.more.is_empty() { p.small { (left(lab)) } }
            @if !lab.more.is_empty() {
                details {
                    summary { (count(lab.more.len(), "more case")) span.unseen { " of " (lab.name) } }
                    div.figures { @for one in &lab.more { (figure(one, 4, &whose)) } }
                    @if lab.more_left > 0 { p.small { (left(lab)) } }
                }
            }
            (remarks(lab))
            @if let Some(counters) = &lab.counters {
                details {
                    summary { "Counters" span.unseen { " of " (lab.name) } }
                    p.small { "What the embedded machine counted. Sectors are of 32 bytes; the least is what the same bytes would fill side by side." }
                    (table(counters, &format!("Counters of {whose}")))
                }
            }
            @for listing in &lab.heat {
                details {
                    summary { "Heat map of " code { (file_name(&listing.file)) } }
                    p.small {
                        "Each line is shaded by its share of the thread instructions, in the case in which the share is the largest. "
                        "Sectors, conflicts and divergence are that case's."
                    }
                    (heat::listing(listing, &whose))
                }
            }
            details {
                summary { "The rows" span.unseen { " of " (lab.name) } }
                (table(&lab.rows, &format!("Rows of {whose}")))
            }
        }
    }
}

/// Describes the cases that are not drawn.
fn left(lab: &LabPart) -> String {
    format!("{} more in {}.csv.", count(lab.more_left, "case"), lab.name)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the remarks, expanded if something is unexpected.
fn remarks(lab: &LabPart) -> Markup {
    let (expected, bad): (Vec<&Remark>, Vec<&Remark>) =
        lab.remarks.iter().partition(|r| r.is_expected || r.verdict == Verdict::Skip);
    html! {
        @if !bad.is_empty() {
            h4 { "Not as expected" }
            ul.remarks { @for one in &bad { (remark(one)) } }
        }
        @if !expected.is_empty() {
            details {
                summary { "Checks and findings that were expected, and what was skipped" span.unseen { " in " (lab.name) } }
                ul.remarks { @for one in &expected { (remark(one)) } }
            }
        }
    }
}

fn remark(remark: &Remark) -> Markup {
    html! {
        li {
            span class=(format!("verdict {}", remark.verdict.word())) { (remark.words) }
            " " strong { (remark.name) }
            @if !remark.note.is_empty() { ": " (remark.note) }
            @for text in &remark.texts {
                pre.finding tabindex="0" { (text) }
            }
        }
    }
}

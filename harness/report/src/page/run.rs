//! A run on the page, and the page's table of contents.
use maud::{Markup, html};

use super::{chart::figure, id, lab, story::stories, table};
use crate::{
    document::{Document, RunPart},
    number_format::grouped,
    sections::{certainty::Totals, facts::Facts},
};

/// Returns the table of contents: links to runs and labs.
pub fn contents(document: &Document) -> Markup {
    let is_many = document.runs.len() > 1;
    html! {
        nav aria-label="Contents" {
            @for (i, run) in document.runs.iter().enumerate() {
                ul {
                    li { a href=(format!("#run{i}")) { strong { (run.name) } @if is_many { " on " (run.device) } } }
                    @for lab in &run.labs { li { a href=(format!("#{}", id(i, &lab.name))) { (lab.name) } } }
                }
            }
            @if !document.side_by_side.is_empty() {
                ul { li { a href="#side-by-side" { strong { "Side by side" } } } }
            }
        }
    }
}

/// Returns the run's section.
pub fn section(run: &RunPart, number: usize, is_many: bool) -> Markup {
    let labelled = format!("run{number}-title");
    html! {
        section id=(format!("run{number}")) aria-labelledby=(labelled) {
            h2 id=(labelled) { @if is_many { (run.name) ": " } (run.device) }
            @if run.is_emulated {
                p.banner { strong { "Emulated. " } "No GPU ran these kernels: counters are exact, and times are predicted where that is said, not measured." }
            }
            (totals(&run.totals))
            @if !run.remarks.is_empty() { ul.remarks { @for remark in &run.remarks { li { (remark) } } } }
            (stories(&run.stories, number, &run.name))
            details open[run.stories.is_empty()] {
                summary { "The best variants" span.unseen { " of " (run.name) } }
                (table::with_links(&run.overview, &format!("The best variants, {}", run.name), |lab| Some(format!("#{}", id(number, lab)))))
            }
            details {
                summary { "What ran where" span.unseen { ", " (run.name) } }
                @for (i, facts) in run.sessions.iter().enumerate() {
                    @if i == 0 { (list(facts)) } @else {
                        details {
                            summary { "A later command, " (labs(facts)) }
                            (list(facts))
                        }
                    }
                }
            }
            details {
                summary { "Confidence" span.unseen { " in " (run.name) } }
                ul { @for sentence in &run.certainty { li { (sentence) } } }
            }
            @if let Some(roofline) = &run.roofline { (figure(roofline, 3, &run.name)) }
            @for lab in &run.labs { (lab::section(lab, number, &run.name)) }
        }
    }
}

/// Returns facts as a list.
fn list(facts: &Facts) -> Markup {
    html! { dl { @for (word, value) in facts { div { dt { (word) } dd { (value) } } } } }
}

/// Returns the labs that the command ran.
fn labs(facts: &Facts) -> &str {
    facts.iter().find(|fact| fact.0 == "Labs").map_or("", |fact| fact.1.as_str())
}

/// Returns the numbers of the verdicts. A verdict without rows is left out, except for the passed ones.
pub fn totals(totals: &Totals) -> Markup {
    html! {
        ul.totals {
            @for (word, number) in totals.named().into_iter().filter(|(word, number)| *number > 0 || *word == "passed") {
                li class=(word) { strong { (grouped(number as f64)) } " " (word) }
            }
        }
    }
}

/// Returns the cases that several runs share.
pub fn side_by_side(document: &Document) -> Markup {
    html! {
        @if !document.side_by_side.is_empty() {
            section id="side-by-side" aria-labelledby="side-by-side-title" {
                h2 id="side-by-side-title" { "Side by side" }
                p {
                    "Medians of the cases that several runs share, and their quotients: above 1 is slower. Whether a difference "
                    "is more than noise is not judged here."
                }
                @for (lab, cases) in &document.side_by_side {
                    details { summary { (lab) } (table::table(cases, &format!("{lab}, side by side"))) }
                }
            }
        }
    }
}

//! The summaries of a run's labs: the first thing on the page.
use maud::{Markup, html};

use super::{chart::picture, id, table::table};
use crate::sections::story::LabStory;

/// Returns the summaries, each with a link to the section of its lab.
pub fn stories(stories: &[LabStory], run: usize, run_name: &str) -> Markup {
    html! { div.figures { @for story in stories { (card(story, run, run_name)) } } }
}

fn card(story: &LabStory, run: usize, run_name: &str) -> Markup {
    html! {
        figure.story {
            figcaption {
                h3 { a href=(format!("#{}", id(run, &story.lab))) { (story.lab) } ": " (story.question) }
                @if let Some(ladder) = &story.ladder { p { (ladder.title) } }
            }
            @if let Some(ladder) = &story.ladder { (picture(ladder)) }
            p.refuted[!story.is_confirmed] { (story.sentence) }
            @if !story.wrong.is_empty() { p.small { "Wrong on purpose, as expected: " (story.wrong) } }
            @if let Some(ladder) = &story.ladder {
                details {
                    summary { "The data" span.unseen { " of the summary of " (story.lab) } }
                    (table(&ladder.table, &format!("Data of the summary of {}, {run_name}", story.lab)))
                }
            }
        }
    }
}

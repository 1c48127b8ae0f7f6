//! The HTML page: one self-contained file.
mod chart;
mod comparison;
mod heat;
mod history;
mod lab;
mod recording;
mod run;
mod shell;
mod story;
mod table;

use harness::Lab;
use maud::html;
use record::Run;
use shell::shell;

use crate::document::Document;

pub use comparison::comparison;
pub use history::history;
pub use recording::of_recording;

/// The maximum size of the page, in bytes: a larger one is slow to open, and to attach.
const LARGEST: usize = 1_950_000;

/// Returns the page on `runs`; `labs` are those that the program knows. If the page would be too large, parts of it are
/// left out, with a note.
pub fn of_runs(runs: &[Run], labs: &[&'static Lab]) -> String {
    let mut text = String::new();
    for part in [1, 2, 4, 8, 16, 32] {
        text = page(&Document::new(runs, labs, part));
        if text.len() <= LARGEST {
            break;
        }
    }
    text
}

/// Returns the page.
pub fn page(document: &Document) -> String {
    let names: Vec<&str> = document.runs.iter().map(|run| run.name.as_str()).collect();
    let title = format!("warplab report: {}", names.join(", "));
    let main = html! {
        @for (i, run) in document.runs.iter().enumerate() {
            (run::section(run, i, document.runs.len() > 1))
        }
        (run::side_by_side(document))
    };
    shell(&title, "warplab report", &run::contents(document), &main)
}

/// Returns a name as part of an element's id.
fn id(run: usize, name: &str) -> String {
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    format!("run{run}-{name}")
}

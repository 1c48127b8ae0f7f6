//! The HTML page: one file that needs no other.
mod chart;
mod comparison;
mod heat;
mod history;
mod lab;
mod run;
mod shell;
mod table;

use harness::Lab;
use maud::html;
use shell::shell;

use crate::{document::Document, run::folder::Run};

pub use comparison::comparison;
pub use history::history;

/// The largest page, in bytes: a larger one is slow to open, and to attach.
const LARGEST: usize = 1_950_000;

/// The page on `runs`; `labs` are those that the program knows. Of what would make it too large, a part is shown, with
/// how much is left out.
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

/// The page.
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

/// A name as part of an element's id.
fn id(run: usize, name: &str) -> String {
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    format!("run{run}-{name}")
}

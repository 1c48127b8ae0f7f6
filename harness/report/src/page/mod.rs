//! The HTML page: one file that needs no other.
mod chart;
mod comparison;
mod heat;
mod history;
mod lab;
mod run;
mod table;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::document::Document;

pub use comparison::comparison;
pub use history::history;

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

/// A whole page around `main`, under a heading and its contents.
fn shell(title: &str, heading: &str, contents: &Markup, main: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                link rel="icon" href="data:,";
                style { (PreEscaped(include_str!("style.css"))) }
            }
            body {
                a.skip href="#content" { "To the content" }
                header {
                    h1 { (heading) }
                    (contents)
                }
                main id="content" { (main) }
                // Where the script says the values of the mark that the arrow keys have come to.
                div #tip aria-hidden="true" hidden {}
                div #said .unseen aria-live="polite" {}
                script { (PreEscaped(include_str!("script.js"))) }
            }
        }
    };
    page.into_string()
}

/// A name as part of an element's id.
fn id(run: usize, name: &str) -> String {
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    format!("run{run}-{name}")
}

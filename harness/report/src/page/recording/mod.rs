//! The page of a recorded launch: the launch is stepped through in the reader's browser.
mod data;

use std::fmt::Write as _;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use recording::{Header, Recording};

/// The maximum size of the page, in bytes.
const LARGEST: usize = 2_900_000;
/// The bytes of the page besides its data.
const FRAME: usize = 100_000;

/// Returns the page of a recording. Steps that would make it too large are left out, with a note.
pub fn of_recording(recording: &Recording) -> String {
    let (data, steps) = data::packed(recording, LARGEST - FRAME);
    page(&recording.header, &data, steps)
}

fn page(header: &Header, data: &str, steps: usize) -> String {
    let title = format!("{} step by step", header.kernel_name);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                link rel="icon" href="data:,";
                style { (PreEscaped(include_str!("../style.css"))) (PreEscaped(include_str!("show.css"))) }
            }
            body {
                a.skip href="#content" { "To the content" }
                header {
                    h1 { code { (header.kernel_name) } }
                    p.small { (facts(header)) }
                    @for note in notes(header, steps) { p.banner { (note) } }
                }
                main id="content" {
                    (controls())
                    div.panels {
                        (panel("source", "Source"))
                        (panel("warps", "Warps"))
                        (panel("lanes", "Lanes"))
                        (panel("access", "Memory access"))
                        (panel("banks", "Shared memory by banks"))
                        (panel("sectors", "Global memory by sectors"))
                    }
                }
                script type="application/octet-stream" id="data" { (data) }
                script { (PreEscaped(include_str!("show.js"))) }
            }
        }
    };
    page.into_string()
}

/// Describes the launch in a sentence.
fn facts(header: &Header) -> String {
    let size = |dims: [u32; 3]| {
        let used = dims.iter().rposition(|&n| n != 1).unwrap_or(0);
        dims[..=used].iter().map(u32::to_string).collect::<Vec<_>>().join(" × ")
    };
    let (grid, block) = (size(header.grid), size(header.block));
    let mut text = format!("Launch {} with a grid of {grid} and blocks of {block} threads", header.launch);
    if header.shared_bytes > 0 {
        let _ = write!(text, ", {} bytes of shared memory a block", header.shared_bytes);
    }
    let _ = write!(text, "; emulated {}; recorded of: {}", header.gpu, header.command);
    text
}

/// Returns what a reader must know of a recording that is not complete.
fn notes(header: &Header, steps: usize) -> Vec<String> {
    let mut notes = Vec::new();
    let (first, last, all) = (header.blocks.first, header.blocks.last, header.grid_blocks());
    if last - first + 1 < all {
        let which = if first == last { format!("block {first}") } else { format!("blocks {first} to {last}") };
        notes.push(format!("Only {which} of {all} blocks was recorded; the steps of the others are not shown."));
    }
    if let Some(cut) = header.cut {
        notes.push(format!(
            "The recording ends early, after {} steps, because the rest exceeds its limit of {} bytes.",
            header.steps, cut.limit
        ));
    }
    if (steps as u64) < header.steps {
        notes.push(format!("This page has the first {steps} of {} steps; more would make it too large.", header.steps));
    }
    if !header.has_lines() {
        notes.push("The kernel has no line information, so the PTX is shown; compile it with -lineinfo.".into());
    } else if header.sources.iter().all(|file| file.text.is_none()) {
        notes.push("The source file could not be read when the launch was recorded, so the PTX is shown.".into());
    }
    if let Some(fault) = &header.fault {
        notes.push(format!("The launch did not run to its end: {fault}."));
    }
    notes
}

/// The buttons; the script gives them their effects.
fn controls() -> Markup {
    let jumps = [
        ("barrier", "b", "barrier"),
        ("divergence", "d", "divergence"),
        ("conflict", "c", "conflict"),
        ("finding", "f", "finding"),
    ];
    html! {
        section.controls aria-label="Steps" {
            div.row {
                button #first { "First" }
                button #back { "Back" }
                button #play { "Play" }
                button #step { "Step" }
                label { "Follow " select #follow { option value="" { "all warps" } } }
                label { "Speed " select #speed { option value="1000" { "1 / s" } option value="250" selected { "4 / s" } option value="50" { "20 / s" } } }
            }
            div.row {
                span { "Next " }
                @for (id, key, text) in jumps { button data-jump=(id) aria-keyshortcuts=(key) { (text) } }
            }
            label.slide { span { "Step " output #number {} } input #at type="range" min="0" value="0" aria-label="Step"; }
            p #said aria-live="polite" {}
            pre #finding .finding hidden tabindex="0" aria-label="The finding at this step" {}
            details {
                summary { "Keys" }
                p.small {
                    "→ step, ← back, space play or pause, Home first, End last, w next step of the same warp, b d c f next barrier, \
                     divergence, conflict, finding (with Shift: the one before)"
                }
            }
        }
    }
}

fn panel(id: &str, title: &str) -> Markup {
    html! {
        section.panel aria-labelledby=(format!("{id}-title")) {
            h2 id=(format!("{id}-title")) { (title) }
            div id=(id) {}
        }
    }
}

#[cfg(test)]
mod tests;

//! The report as Markdown, for a CI job's summary. Bars are drawn with characters, because a summary shows only
//! pictures that are on a server.
mod comparison;
mod text;

use text::{folded, table};
use wire::printable::{fenced, markdown as escaped};

use crate::{
    charts::figure::{Chart, Figure, FigureTable},
    document::{Document, LabPart, RunPart},
    sections::findings::Remark,
};

pub use comparison::comparison;

/// The report.
pub fn markdown(document: &Document) -> String {
    let mut text = String::from("# warplab report\n");
    for part in &document.runs {
        run(&mut text, part, document.runs.len() > 1);
    }
    if !document.side_by_side.is_empty() {
        text += "\n## Side by side\n\nMedians, and their quotients: above 1 is slower.\n";
        for (lab, cases) in &document.side_by_side {
            text += &folded(&escaped(lab), &table(cases));
        }
    }
    text
}

fn run(text: &mut String, run: &RunPart, is_many: bool) {
    let name = if is_many { format!("{}: ", run.name) } else { String::new() };
    *text += &format!("\n## {}{}\n", escaped(&name), escaped(&run.device));
    if run.is_emulated {
        *text += "\n> **Emulated.** No GPU ran these kernels: counters are exact, and times are predicted where that is said, not measured.\n";
    }
    let totals = run.totals.named().map(|(word, number)| format!("**{number}** {word}"));
    *text += &format!("\n{}\n", totals.join(", "));
    for remark in &run.remarks {
        *text += &format!("- {}\n", escaped(remark));
    }
    for story in &run.stories {
        *text += &format!("- **{}**: {} {}\n", escaped(&story.lab), escaped(&story.question), escaped(&story.sentence));
    }
    for facts in &run.sessions {
        let mut pairs = FigureTable::new(&["what ran where", ""]);
        pairs.rows = facts.iter().map(|(word, value)| vec![(*word).to_string(), value.clone()]).collect();
        *text += &folded("What ran where", &table(&pairs));
    }
    *text += "\n";
    for sentence in &run.certainty {
        *text += &format!("- {}\n", escaped(sentence));
    }
    *text += &format!("\n{}", table(&run.overview));
    if let Some(roofline) = &run.roofline {
        figure(text, roofline);
    }
    for part in &run.labs {
        lab(text, part);
    }
}

fn lab(text: &mut String, lab: &LabPart) {
    *text += &format!("\n### {}\n\n{}\n", escaped(&lab.name), escaped(&lab.summary));
    for one in &lab.figures {
        figure(text, one);
    }
    let bad: Vec<&Remark> = lab.remarks.iter().filter(|remark| !remark.is_expected).collect();
    if !bad.is_empty() {
        *text += "\n";
    }
    for remark in bad {
        *text += &format!("- **{}** {}: {}\n", remark.words, escaped(&remark.name), escaped(&remark.note));
        for found in &remark.texts {
            *text += &format!("\n{}", fenced(found, "  "));
        }
    }
    if let Some(counters) = &lab.counters {
        *text += &folded("Counters", &table(counters));
    }
}

/// Appends a figure: bars as a table with bars made of characters, others as their data in a collapsed section.
fn figure(text: &mut String, figure: &Figure) {
    *text += &format!("\n**{}**\n\n", escaped(&figure.title));
    for sentence in &figure.says {
        *text += &format!("{}\n", escaped(sentence));
    }
    *text += "\n";
    match &figure.chart {
        Chart::Bars(bars) => {
            let mut with_bars = figure.table.clone();
            with_bars.headings.insert(1, bars.unit.clone());
            for (row, letters) in with_bars.rows.iter_mut().zip(bars.letters()) {
                row.insert(1, letters);
            }
            *text += &table(&with_bars);
        }
        Chart::Stacks(_) => *text += &table(&figure.table),
        Chart::Plot(_) => *text += &folded("The data", &table(&figure.table)),
    }
}

//! What a report says, in order, before it is a page or Markdown.
use harness::Lab;

use crate::{
    picture::figure::{Figure, Table},
    run::folder::Run,
    subject::{
        certainty::{self, Totals},
        counters, divergence,
        facts::{self, Facts},
        findings::{self, Remark},
        heat::{self, Listing},
        known::Known,
        ladder, occupancy, overview, phases, predicted, roofline, rows, side_by_side, transfer,
    },
};

/// A report on one run or several.
#[derive(Debug)]
pub struct Document {
    /// The runs.
    pub runs: Vec<RunPart>,
    /// Of several runs: for each lab, the cases that they share.
    pub side_by_side: Vec<(String, Table)>,
}

/// A report on one run.
#[derive(Debug)]
pub struct RunPart {
    /// What the run is called: the name of its folder.
    pub name: String,
    /// What ran where, for each session.
    pub sessions: Vec<Facts>,
    /// The device or devices, in short.
    pub device: String,
    /// Whether any row is emulated.
    pub is_emulated: bool,
    /// How the cases ended.
    pub totals: Totals,
    /// How sure the run is.
    pub certainty: Vec<String>,
    /// A row a lab.
    pub overview: Table,
    /// Every kernel under the device's limits.
    pub roofline: Option<Figure>,
    /// The labs.
    pub labs: Vec<LabPart>,
}

/// A report on one lab of a run.
#[derive(Debug)]
pub struct LabPart {
    /// Its name.
    pub name: String,
    /// What it is about; empty if this program does not know the lab.
    pub summary: String,
    /// How its cases ended.
    pub totals: Totals,
    /// What it shows.
    pub figures: Vec<Figure>,
    /// The same on its other cases.
    pub more: Vec<Figure>,
    /// How many cases are left out of `more`.
    pub more_left: usize,
    /// What the embedded machine counted.
    pub counters: Option<Table>,
    /// What the lines of the source cost.
    pub heat: Vec<Listing>,
    /// What was found.
    pub remarks: Vec<Remark>,
    /// Its rows.
    pub rows: Table,
}

/// How many other cases of a lab are drawn.
const MORE: usize = 12;

/// How many lines of source are shown around one that costs something, where not all are.
const NEAR: u32 = 24;

impl Document {
    /// The report on `runs`; `labs` are those that the program knows. With a `part` of more than 1, so much less is
    /// shown of a lab's rows, of its other cases and of source that costs nothing.
    pub fn new(runs: &[Run], labs: &[&'static Lab], part: usize) -> Self {
        let known = Known(labs);
        let names = names(runs);
        let parts = runs.iter().zip(&names).map(|(run, name)| run_part(run, name, &known, part)).collect();
        let side_by_side = if runs.len() > 1 { side_by_side::tables(runs, &names) } else { Vec::new() };
        Self { runs: parts, side_by_side }
    }
}

/// What the runs are called: the last part of each folder's path, or more of it where two are called alike.
fn names(runs: &[Run]) -> Vec<String> {
    let path = |run: &Run| {
        let folder = run.folder.canonicalize().unwrap_or_else(|_| run.folder.clone());
        let parts: Vec<String> =
            folder.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        parts
    };
    let paths: Vec<Vec<String>> = runs.iter().map(path).collect();
    let last = |path: &[String], count: usize| path[path.len().saturating_sub(count)..].join("/");
    let longest = paths.iter().map(Vec::len).max().unwrap_or(1);
    let differ = |count: &usize| {
        let mut names: Vec<String> = paths.iter().map(|path| last(path, *count)).collect();
        names.sort();
        names.windows(2).all(|pair| pair[0] != pair[1])
    };
    let count = (1..=longest).find(differ).unwrap_or(1);
    paths.iter().map(|path| last(path, count)).collect()
}

fn run_part(run: &Run, name: &str, known: &Known, part: usize) -> RunPart {
    let mut devices: Vec<String> = Vec::new();
    for session in &run.sessions {
        let device = facts::device(session);
        if !devices.contains(&device) {
            devices.push(device);
        }
    }
    let lab_part = |lab| {
        let lab: &crate::run::folder::LabRows = lab;
        let ladders = ladder::ladders(lab, known);
        let is_fair = ladders.first().is_some_and(ladder::Ladder::is_fair);
        let mut ladders = ladders.iter().map(|ladder| ladder.figure(known, run.session_of(&lab.lab)));
        let sweep = transfer::figures(lab);
        // A sweep's ladders, one a size, say again what its lines say.
        let first = if sweep.is_empty() && is_fair { ladders.next() } else { None };
        let mut foretold = predicted::figures(lab).into_iter();
        let listings = heat::listings(lab, known).into_iter();
        let near = |listing: heat::Listing| if part > 1 { listing.around_costs(NEAR / part as u32) } else { listing };
        let figures = foretold.next().into_iter().chain(first).chain(sweep).chain(phases::figures(lab));
        LabPart {
            name: lab.lab.clone(),
            summary: known.lab(&lab.lab).map_or("", |lab| lab.summary).into(),
            totals: Totals::of(lab.rows.iter()),
            figures: figures.chain(occupancy::figures(lab)).chain(divergence::figures(lab)).collect(),
            more_left: (foretold.len() + ladders.len()).saturating_sub(MORE / part),
            more: foretold.chain(ladders).take(MORE / part).collect(),
            counters: counters::table(lab, part),
            heat: listings.map(near).collect(),
            remarks: findings::remarks(lab),
            rows: rows::table(lab, part),
        }
    };
    RunPart {
        name: name.into(),
        sessions: run.sessions.iter().map(|session| facts::of(run, session)).collect(),
        device: if devices.is_empty() { "unknown device".into() } else { crate::words::list(&devices) },
        is_emulated: run.rows().any(crate::run::row::Row::is_emulated),
        totals: Totals::of(run.rows()),
        certainty: certainty::says(run),
        overview: overview::table(run, known),
        roofline: roofline::figure(run, known),
        labs: run.labs.iter().map(lab_part).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_the_same_name_are_told_apart_by_their_folders() {
        let run =
            |folder: &str| Run { folder: folder.into(), sessions: Vec::new(), labs: Vec::new(), remarks: Vec::new() };
        assert_eq!(names(&[run("/no/a/run"), run("/no/b/run")]), ["a/run", "b/run"]);
        assert_eq!(names(&[run("/no/a"), run("/no/b")]), ["a", "b"]);
        assert_eq!(names(&[run("/no/a"), run("/no/a")]), ["a", "a"]);
    }
}

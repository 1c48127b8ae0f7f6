//! The contents of a report, in order, before they become a page or Markdown.
use harness::Lab;
use record::Run;

use crate::{
    charts::figure::{Figure, FigureTable},
    sections::{
        certainty::{self, Totals},
        counters, divergence,
        facts::{self, Facts},
        findings::{self, Remark},
        heat::{self, Listing},
        lab_catalog::LabCatalog,
        ladder, occupancy, overview, phases, predicted, roofline, rows, side_by_side,
        story::LabStory,
        transfer,
    },
};

/// A report on one or several runs.
#[derive(Debug)]
pub struct Document {
    /// The runs.
    pub runs: Vec<RunPart>,
    /// For several runs: for each lab, the cases that they share.
    pub side_by_side: Vec<(String, FigureTable)>,
}

/// A report on one run.
#[derive(Debug)]
pub struct RunPart {
    /// The run's name: that of its folder.
    pub name: String,
    /// The facts about each session.
    pub sessions: Vec<Facts>,
    /// A short name of the device or devices.
    pub device: String,
    /// Whether any row is emulated.
    pub is_emulated: bool,
    /// The totals of the verdicts.
    pub totals: Totals,
    /// The reliability of the run.
    pub certainty: Vec<String>,
    /// What is missing or incomplete in the run's folder.
    pub remarks: Vec<String>,
    /// The summaries of the labs that have one.
    pub stories: Vec<LabStory>,
    /// The overview, with a row for each lab.
    pub overview: FigureTable,
    /// The roofline of all kernels.
    pub roofline: Option<Figure>,
    /// The labs.
    pub labs: Vec<LabPart>,
}

/// A report on one lab of a run.
#[derive(Debug)]
pub struct LabPart {
    /// Its name.
    pub name: String,
    /// Its subject; empty if this program does not know the lab.
    pub summary: String,
    /// The totals of its verdicts.
    pub totals: Totals,
    /// Its main figures.
    pub figures: Vec<Figure>,
    /// The figures of its other cases.
    pub more: Vec<Figure>,
    /// The number of cases that are left out of `more`.
    pub more_left: usize,
    /// The embedded machine's counters.
    pub counters: Option<FigureTable>,
    /// The costs of the source lines.
    pub heat: Vec<Listing>,
    /// Findings, failures and skipped cases.
    pub remarks: Vec<Remark>,
    /// Its rows.
    pub rows: FigureTable,
}

/// The maximum number of a lab's other cases that are drawn.
const MORE: usize = 12;

/// The number of source lines that are shown around a line with a cost, if not all lines are shown.
const NEAR: u32 = 24;

impl Document {
    /// Returns the report on `runs`; `labs` are those that the program knows. With a `part` above 1, only this fraction
    /// of a lab's rows, other cases and cost-free source lines is shown.
    pub fn new(runs: &[Run], labs: &[&'static Lab], part: usize) -> Self {
        let catalog = LabCatalog(labs);
        let names = names(runs);
        let parts = runs.iter().zip(&names).map(|(run, name)| run_part(run, name, &catalog, part)).collect();
        let side_by_side = if runs.len() > 1 { side_by_side::tables(runs, &names) } else { Vec::new() };
        Self { runs: parts, side_by_side }
    }
}

/// Returns the names of the runs: the last part of each folder's path, or more of it to distinguish equal names.
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

fn run_part(run: &Run, name: &str, catalog: &LabCatalog, part: usize) -> RunPart {
    let mut devices: Vec<String> = Vec::new();
    for session in &run.sessions {
        let device = facts::device(session);
        if !devices.contains(&device) {
            devices.push(device);
        }
    }
    let lab_part = |lab| {
        let lab: &record::LabRows = lab;
        let ladders = ladder::ladders(lab, catalog);
        let is_fair = ladders.first().is_some_and(ladder::Ladder::is_fair);
        let mut ladders = ladders.iter().map(|ladder| ladder.figure(catalog, run.session_of(&lab.lab)));
        let sweep = transfer::figures(lab);
        // A sweep's ladders, one for each size, only repeat its lines.
        let first = if sweep.is_empty() && is_fair { ladders.next() } else { None };
        let mut foretold = predicted::figures(lab).into_iter();
        let listings = heat::listings(lab, catalog).into_iter();
        let near = |listing: heat::Listing| if part > 1 { listing.around_costs(NEAR / part as u32) } else { listing };
        let figures = foretold.next().into_iter().chain(first).chain(sweep).chain(phases::figures(lab));
        LabPart {
            name: lab.lab.clone(),
            summary: catalog.lab(&lab.lab).map_or("", |lab| lab.summary).into(),
            totals: Totals::from_rows(lab.rows.iter()),
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
        sessions: run.sessions.iter().map(|session| facts::collect(run, session)).collect(),
        device: if devices.is_empty() { "unknown device".into() } else { crate::number_format::list(&devices) },
        is_emulated: run.rows().any(|row| row.is_emulated()),
        totals: Totals::from_rows(run.rows()),
        certainty: certainty::says(run),
        remarks: run.remarks.clone(),
        stories: run.labs.iter().filter_map(|lab| LabStory::new(lab, catalog)).collect(),
        overview: overview::table(run, catalog),
        roofline: roofline::figure(run, catalog),
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

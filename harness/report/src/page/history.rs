//! A history on a page: changes first, and everything else in a collapsed section.
use maud::html;

use super::{
    chart::figure,
    shell::{contents, shell},
    table,
};
use crate::{
    charts::{
        figure::{Chart, Figure, FigureTable},
        plot::{Axis, Draw, Plot, Point, Series as Line},
        scale::Scale,
    },
    history::{
        History,
        trend::{ChangePoint, Series},
    },
    number_format::{count, short, time},
};

/// The maximum number of series that are drawn, and of series in the last table: a larger page is slow to open.
const DRAWN: usize = 60;
const LISTED: usize = 3000;

/// Returns the page of a history.
pub fn history(history: &History) -> String {
    let changed = history.series.iter().filter(|series| !series.changes.is_empty()).count();
    let contents = contents(&[("changes", "What has changed"), ("runs", "The runs"), ("series", "All series")]);
    let main = html! {
        section id="changes" aria-labelledby="changes-title" {
            h2 id="changes-title" {
                (count(history.series.len(), "measure")) " in " (count(history.runs.len(), "run")) ": " (changed) " changed"
            }
            p {
                "A time has a change where its values before and after differ by " (short(history.threshold_percent))
                " % or more, and shuffled values do so in fewer than " (short(history.error_rate_percent))
                " % of all shuffles. A counter is exact: every difference is a change, \
                 but for cases whose loops wait for other threads."
            }
            @if !history.remarks.is_empty() { ul { @for remark in &history.remarks { li { (remark) } } } }
            div.figures {
                @for series in history.series.iter().take(changed.min(DRAWN)) {
                    (figure(&drawn(series, history), 3, &series.device))
                }
            }
            @if changed > DRAWN { p.small { (changed - DRAWN) " more are in the table below." } }
        }
        section id="runs" aria-labelledby="runs-title" {
            h2 id="runs-title" { "The runs" }
            (table::table(&runs(history), "Table of the runs"))
        }
        section id="series" aria-labelledby="series-title" {
            h2 id="series-title" { "All series" }
            details {
                summary { (count(history.series.len(), "measure")) " of cases, each on one device" }
                (table::table(&all(history), "Table of all series"))
            }
        }
    };
    shell("warplab history", "warplab history", &contents, &main)
}

fn value(series: &Series, value: f64) -> String {
    if series.measure == "ms" { time(value) } else { short(value) }
}

/// Returns a title that no other series of the history has.
fn title(series: &Series, history: &History) -> String {
    let measure = if series.measure == "ms" { "time".into() } else { series.measure.replace('_', " ") };
    let has_other_devices = history.series.iter().any(|other| other.device != series.device);
    let device = if has_other_devices { format!(", {}", series.device) } else { String::new() };
    format!("{}{device}: {measure}", series.name())
}

fn drawn(series: &Series, history: &History) -> Figure {
    let unit = if series.measure == "ms" { "ms".into() } else { series.measure.replace('_', " ") };
    let run = |number: usize| {
        let run = &history.runs[number];
        let commit =
            run.git_commit.as_deref().map_or(String::new(), |c| format!(", commit {}", c.get(..12).unwrap_or(c)));
        format!("{}{commit}, {}", run.started, run.folder)
    };
    let points = series.points.iter().map(|point| Point {
        x: (point.run + 1) as f64,
        y: point.value,
        tip: format!("{}\n{}", value(series, point.value), run(point.run)),
    });
    let mut data = FigureTable::new(&["run", "value", "began, commit, folder"]);
    data.rows = (series.points.iter())
        .map(|point| vec![(point.run + 1).to_string(), value(series, point.value), run(point.run)])
        .collect();
    let percent = |change: &ChangePoint| {
        change.percent.map_or("from 0".into(), |p| format!("{}{} %", if p > 0.0 { "+" } else { "" }, short(p)))
    };
    let says = series.changes.iter().map(|change| {
        let (before, after) = (value(series, change.before), value(series, change.after));
        format!("Run {}: {} ({before} to {after}), {}.", change.run + 1, percent(change), run(change.run))
    });
    // Phone screens have space for few labels: only the last changes are marked.
    let marks = series.changes.iter().rev().take(3);
    Figure {
        title: title(series, history),
        says: says.collect(),
        chart: Chart::Plot(Plot {
            x: Axis::new("run", Scale::linear(history.runs.len() as f64)),
            y: Axis::new(&format!("{unit}, on {}", series.device), Scale::near(series.points.iter().map(|p| p.value))),
            series: vec![Line { name: unit, style: 0, draw: Draw::Line, points: points.collect() }],
            marks: marks.map(|change| ((change.run + 1) as f64, percent(change))).collect(),
        }),
        table: data,
    }
}

fn runs(history: &History) -> FigureTable {
    let mut table = FigureTable::new(&["run", "began", "device", "branch", "commit", "wrong", "folder"]);
    for (number, run) in (1..).zip(&history.runs) {
        let commit = run.git_commit.as_deref().map_or("", |commit| commit.get(..12).unwrap_or(commit));
        table.rows.push(vec![
            number.to_string(),
            run.started.clone(),
            run.device.clone(),
            run.git_branch.clone().unwrap_or_default(),
            commit.into(),
            run.wrong.to_string(),
            run.folder.clone(),
        ]);
    }
    table.without_empty_columns()
}

fn all(history: &History) -> FigureTable {
    let mut table = FigureTable::new(&["case", "device", "measure", "runs", "first", "last", "changes"]);
    for series in history.series.iter().take(LISTED) {
        let end =
            |point: Option<&crate::history::trend::Point>| point.map_or(String::new(), |p| value(series, p.value));
        table.rows.push(vec![
            series.name(),
            series.device.clone(),
            series.measure.clone(),
            series.points.len().to_string(),
            end(series.points.first()),
            end(series.points.last()),
            series.changes.len().to_string(),
        ]);
    }
    if history.series.len() > LISTED {
        table.left_out = format!("{} more are in the JSON alone.", history.series.len() - LISTED);
    }
    table
}

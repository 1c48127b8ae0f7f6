//! What a lab's run shows: its summary, with its ladder as a figure.
use harness::{Bar as Rung, Holds, Source, StorySummary};
use record::LabRows;

use crate::{
    charts::{
        bars::{Bar, Bars, Tone},
        figure::{Chart, Figure, FigureTable},
    },
    number_format::{short, time},
    sections::lab_catalog::LabCatalog,
    summary::summary,
};

/// The summary of a lab's run.
#[derive(Debug)]
pub struct LabStory {
    /// The lab's name.
    pub lab: String,
    /// Its question.
    pub question: String,
    /// The ladder; `None` if nothing has a number.
    pub ladder: Option<Figure>,
    /// What the run shows.
    pub sentence: String,
    /// Whether the run's rows confirm it.
    pub is_confirmed: bool,
    /// What each variant that is wrong on purpose has shown; empty if the lab has no such variant.
    pub wrong: String,
}

impl LabStory {
    /// Returns the summary of these rows, if they have one.
    pub fn new(rows: &LabRows, catalog: &LabCatalog) -> Option<Self> {
        let told = summary(rows, catalog.lab(&rows.lab))?;
        let ladder = (!told.bars.is_empty()).then(|| ladder(&told));
        Some(Self {
            lab: told.lab,
            question: told.question,
            ladder,
            sentence: told.sentence,
            is_confirmed: told.holds == Holds::Yes,
            wrong: told.wrong,
        })
    }
}

fn ladder(told: &StorySummary) -> Figure {
    let largest = told.bars.iter().filter_map(|bar| bar.value).fold(0.0, f64::max);
    // The unit of the axis, and what a value is multiplied by.
    let (unit, scale) = match (&told.source, largest) {
        (Source::Counted(unit), _) => (unit.clone(), 1.0),
        (_, ..1.0) => ("µs".into(), 1e3),
        (_, 1.0..1e3) => ("ms".into(), 1.0),
        _ => ("s".into(), 1e-3),
    };
    let drawn = told.bars.iter().enumerate().filter_map(|(i, rung)| Some((i, rung, rung.value?)));
    let bars = drawn.flat_map(|(i, rung, value)| bars(told, rung, value, i == 0, scale)).collect();
    Figure {
        title: told.heading(),
        says: Vec::new(),
        table: table(told, &unit, scale),
        chart: Chart::Bars(Bars { unit, bars, limits: Vec::new() }),
    }
}

/// Returns the bar of a rung and, if it is measured and predicted, that of the prediction below it.
fn bars(told: &StorySummary, rung: &Rung, value: f64, is_first: bool, scale: f64) -> Vec<Bar> {
    let is_predicted = matches!(told.source, Source::Predicted(_));
    let words = |value: f64| match &told.source {
        Source::Counted(unit) => format!("{} {unit}", short(value)),
        Source::Measured | Source::Predicted(_) => time(value),
    };
    let range = |(low, high): (f64, f64)| format!("from {} to {}", words(low), words(high));
    let scaled = |(low, high): (f64, f64)| (low * scale, high * scale);
    let percent = rung.percent_of_ceiling.map(|percent| format!("{} % of the ceiling", short(percent)));
    let remark = (!rung.remark.is_empty()).then(|| rung.remark.clone());
    let shown: Vec<String> = [Some(words(value)), percent, remark].into_iter().flatten().collect();
    let details: Vec<String> = shown.iter().cloned().chain(rung.interval.map(range)).collect();
    let tone = match (is_predicted, is_first) {
        (true, _) => Tone::Predicted,
        (false, true) => Tone::First,
        (false, false) => Tone::Plain,
    };
    let bar = Bar {
        name: rung.name.clone(),
        value: value * scale,
        text: shown.join(", "),
        tip: format!("{}: {}", rung.name, details.join(" · ")),
        tone,
        interval: rung.interval.map(scaled),
        peers: Vec::new(),
    };
    let predicted = rung.predicted.map(|(ms, interval)| Bar {
        name: format!("{}, predicted", rung.name),
        value: ms * scale,
        text: format!("{} predicted", time(ms)),
        tip: format!("{}: predicted {} · {}", rung.name, time(ms), range(interval)),
        tone: Tone::Predicted,
        interval: Some(scaled(interval)),
        peers: Vec::new(),
    });
    std::iter::once(bar).chain(predicted).collect()
}

fn table(told: &StorySummary, unit: &str, scale: f64) -> FigureTable {
    let mut table = FigureTable::new(&[
        "variant",
        unit,
        "from",
        "to",
        "predicted",
        "predicted from",
        "to ",
        "% of ceiling",
        "remark",
    ]);
    let cell = |value: Option<f64>| value.map_or(String::new(), |value| short(value * scale));
    for rung in &told.bars {
        let (low, high) = rung.interval.unzip();
        let (predicted, within) = rung.predicted.unzip();
        let (from, to) = within.unzip();
        table.rows.push(vec![
            rung.name.clone(),
            cell(rung.value),
            cell(low),
            cell(high),
            cell(predicted),
            cell(from),
            cell(to),
            rung.percent_of_ceiling.map_or(String::new(), short),
            rung.remark.clone(),
        ]);
    }
    table.without_empty_columns()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(source: Source, bars: Vec<Rung>) -> LabRows {
        let story = StorySummary {
            schema: StorySummary::SCHEMA,
            lab: "x".into(),
            question: "Why?".into(),
            source,
            case: String::new(),
            n: Some(1 << 20),
            bars,
            sentence: "So.".into(),
            holds: Holds::No,
            wrong: String::new(),
        };
        LabRows { lab: "x".into(), story: Some(story), ..LabRows::default() }
    }

    fn drawn(source: Source, bars: Vec<Rung>) -> (Vec<(String, Tone, f64)>, FigureTable) {
        let story = LabStory::new(&told(source, bars), &LabCatalog(&[])).unwrap();
        assert!(!story.is_confirmed);
        let figure = story.ladder.unwrap();
        let Chart::Bars(bars) = figure.chart else { panic!() };
        (bars.bars.into_iter().map(|bar| (bar.name, bar.tone, bar.value)).collect(), figure.table)
    }

    fn rung(name: &str, value: f64) -> Rung {
        Rung { name: name.into(), value: Some(value), ..Rung::default() }
    }

    #[test]
    fn a_measured_time_has_its_prediction_below() {
        let slow = Rung { predicted: Some((2.5, (2.0, 3.0))), ..rung("slow", 2.0) };
        let none = Rung { remark: "skip: no memory".into(), ..Rung::default() };
        let (bars, table) = drawn(Source::Measured, vec![slow, rung("fast", 0.5), none]);
        let bar = |name: &str, tone, value| (name.to_owned(), tone, value);
        let expected = [
            bar("slow", Tone::First, 2.0),
            bar("slow, predicted", Tone::Predicted, 2.5),
            bar("fast", Tone::Plain, 0.5),
        ];
        assert_eq!(bars, expected);
        assert_eq!(table.headings, ["variant", "ms", "predicted", "predicted from", "to ", "remark"]);
        assert_eq!(table.rows[0], ["slow", "2", "2.5", "2", "3", ""]);
    }

    #[test]
    fn a_ladder_of_predictions_is_hatched_and_in_a_unit_that_fits() {
        let only = Rung { interval: Some((0.01, 0.03)), ..rung("a", 0.02) };
        let (bars, table) = drawn(Source::Predicted("NVIDIA H200".into()), vec![only]);
        assert_eq!(bars, [("a".to_owned(), Tone::Predicted, 20.0)]);
        assert_eq!(
            (table.headings[1].as_str(), &table.rows[0][1..]),
            ("µs", &["20", "10", "30"].map(String::from)[..])
        );
    }
}

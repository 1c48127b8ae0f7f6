//! The predicted time of each variant on a GPU (`--predict`), if nothing was measured: hatched bars with the interval,
//! one figure for each case and size. Every figure is marked as a prediction.
use predict::Prediction;
use record::{LabRows, Row};

use crate::{
    charts::{
        bars::{Bar, Bars, Tone},
        figure::{Chart, Figure, FigureTable},
    },
    number_format::{grouped, list, short, time},
};

/// Returns the figures of a lab, the one with the most rows first; empty if nothing is predicted, or times were
/// measured.
pub fn figures(lab: &LabRows) -> Vec<Figure> {
    let mut groups: Vec<(String, Vec<&Row>)> = Vec::new();
    if lab.rows.iter().any(|row| row.ms().is_some()) {
        return Vec::new();
    }
    let is_told = |row: &&Row| row.predicted.is_some();
    for row in lab.rows.iter().filter(is_told) {
        let n = row.size().map(|n| format!("n = {}", grouped(n)));
        let parts: Vec<String> =
            [Some(row.case().to_owned()), n].into_iter().flatten().filter(|part| !part.is_empty()).collect();
        let case = parts.join(", ");
        match groups.iter_mut().find(|(known, _)| *known == case) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((case, vec![row])),
        }
    }
    // A figure of one bar compares nothing.
    groups.retain(|(_, rows)| rows.len() > 1);
    groups.sort_by_key(|(_, rows)| std::cmp::Reverse(rows.len()));
    groups.iter().filter_map(|(case, rows)| figure(lab, case, rows)).collect()
}

/// Lists which of these rows have no prediction, with their reasons; `None` if all have one, or none was requested.
pub fn refused<'r>(rows: impl Iterator<Item = &'r Row>) -> Option<String> {
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    let is_refused = |row: &&Row| row.prediction().is_none() && row.predicted.is_some();
    for row in rows.filter(is_refused) {
        let reason = row.predicted_bound().trim_start_matches("not predicted: ").to_string();
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, variants)) => variants.push(row.variant().into()),
            None => reasons.push((reason, vec![row.variant().into()])),
        }
    }
    let words = |(reason, variants): &(String, Vec<String>)| format!("{} ({reason})", list(variants));
    let all: Vec<String> = reasons.iter().map(words).collect();
    (!all.is_empty()).then(|| format!("Not predicted: {}.", all.join("; ")))
}

fn figure(lab: &LabRows, case: &str, rows: &[&Row]) -> Option<Figure> {
    let known: Vec<(&Row, f64)> =
        rows.iter().filter_map(|row| Some((*row, row.prediction().map(|all| all.ms)?))).collect();
    let part =
        lab.details.iter().find_map(|details| details.predicted.as_ref()).map(|predicted| predicted.part.clone());
    let part = part.unwrap_or_else(|| "a GPU".into());
    // A variant that is wrong on purpose may be fast for that reason.
    let right = known.iter().filter(|(row, _)| !row.expectation.is_wrong());
    let (shortest, least) = right.min_by(|a, b| a.1.total_cmp(&b.1)).or(known.first())?;
    let mut says = vec![
        format!(
            "Predicted for an {part} from what the embedded machine counted: nothing here was measured. Of ten such times, about eight were measured to lie within the lines."
        ),
        format!(
            "{} is predicted to be the shortest: {}, bound by {}.",
            shortest.variant(),
            time(*least),
            shortest.predicted_bound()
        ),
    ];
    says.extend(refused(rows.iter().copied()));
    let bars = known.iter().map(|(row, ms)| bar(row, *ms)).collect();
    let mut table = FigureTable::new(&["variant", "predicted", "from", "to", "bound by"]);
    let cell = |row: &Row, ms: fn(&Prediction) -> f64| row.prediction().map(ms).map_or_else(String::new, time);
    table.rows = known
        .iter()
        .map(|(row, ms)| {
            let (from, to) = (cell(row, |all| all.low_ms), cell(row, |all| all.high_ms));
            vec![row.variant().into(), time(*ms), from, to, row.predicted_bound()]
        })
        .collect();
    let of = if case.is_empty() { String::new() } else { format!(": {case}") };
    Some(Figure {
        title: format!("Predicted: how long each variant takes{of}"),
        says,
        chart: Chart::Bars(Bars { unit: "ms, predicted".into(), bars, limits: Vec::new() }),
        table,
    })
}

fn bar(row: &Row, ms: f64) -> Bar {
    let interval = row.prediction().map(|all| (all.low_ms, all.high_ms));
    let between = interval.map_or_else(String::new, |(low, high)| format!(" · from {} to {}", time(low), time(high)));
    Bar {
        name: row.variant().into(),
        value: ms,
        text: format!("{} predicted, {}", time(ms), row.predicted_bound()),
        tip: format!("{}: predicted {} ms{between} · bound by {}", row.name(), short(ms), row.predicted_bound()),
        tone: Tone::Predicted,
        peers: Vec::new(),
        interval,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::fixtures::row;

    fn told(variant: &str, device: &str, ms: &str, bound: &str) -> Row {
        let times = [("predicted_ms", ms), ("predicted_low_ms", ms), ("predicted_high_ms", ms)];
        let cells = [("variant", variant), ("device", device), ("time_median_ms", "7"), ("predicted_bound", bound)];
        row(&[&cells[..], &times[..]].concat())
    }

    fn shown(rows: Vec<Row>) -> Vec<Figure> {
        figures(&LabRows { lab: "x".into(), rows, ..LabRows::default() })
    }

    #[test]
    fn every_figure_says_that_it_is_predicted_and_who_is_left_out() {
        let rows = vec![
            told("a", "emulated", "2", "latency"),
            told("b", "emulated", "1", "launch"),
            told("locks", "emulated", "", "not predicted: takes a lock, so measure this one"),
            told("spins", "emulated", "", "not predicted: takes a lock, so measure this one"),
            told("huge", "emulated", "", "not predicted: its emulation would take about 3 h"),
        ];
        let figures = shown(rows);
        let [figure] = figures.as_slice() else { panic!("{figures:?}") };
        assert!(figure.title.starts_with("Predicted"), "{}", figure.title);
        assert!(figure.says[0].contains("nothing here was measured"), "{:?}", figure.says);
        assert!(figure.says[1].starts_with("b is predicted"), "{:?}", figure.says);
        let refused = "Not predicted: locks and spins (takes a lock, so measure this one); huge (its emulation would take about 3 h).";
        assert_eq!(figure.says[2], refused);
        let Chart::Bars(bars) = &figure.chart else { panic!("{figure:?}") };
        assert_eq!(bars.bars.len(), 2);
        assert!(bars.bars.iter().all(|bar| bar.tone == Tone::Predicted && bar.text.contains("predicted")));
    }

    #[test]
    fn what_is_wrong_on_purpose_is_not_called_the_shortest() {
        let times = [("predicted_ms", "1"), ("predicted_bound", "launch"), ("mistake", "a race")];
        let races = row(&[&[("variant", "races"), ("device", "emulated")][..], &times[..]].concat());
        let figures = shown(vec![races, told("right", "emulated", "2", "latency")]);
        assert!(figures[0].says[1].starts_with("right is predicted"), "{:?}", figures[0].says);
    }

    #[test]
    fn where_times_were_measured_or_nothing_is_predicted_there_is_no_figure() {
        let predicted = || told("a", "emulated", "2", "latency");
        assert!(shown(vec![predicted(), told("b", "cuda", "1", "launch")]).is_empty());
        assert!(shown(vec![predicted()]).is_empty());
        assert!(shown(vec![row(&[("variant", "a"), ("device", "emulated")])]).is_empty());
    }
}

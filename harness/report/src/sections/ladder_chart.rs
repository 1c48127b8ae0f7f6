//! A ladder as a chart: a bar for each variant, predictions below measured values, and remarks.
use record::{Row, Session};

use crate::{
    charts::{
        bars::{Bar, Bars, Limit, Tone},
        figure::{Chart, Figure, FigureTable},
    },
    number_format::{grouped, short, size, time},
    sections::{
        lab_catalog::LabCatalog,
        ladder::{Entry, Ladder, is_same_work},
        limit_comparison::AgainstLimits,
        metric::Metric,
        predicted::refused,
    },
};

impl Ladder<'_> {
    /// Returns the figure.
    pub fn figure(&self, catalog: &LabCatalog, session: Option<&Session>) -> Figure {
        let what = match self.metric {
            Metric::Rate(..) => "How fast each variant is",
            Metric::Time => "How long each variant takes",
            Metric::Instructions => "What each variant executes",
        };
        let case = if self.case.is_empty() { String::new() } else { format!(": {}", self.case) };
        let bars = Bars { unit: self.metric.unit().into(), bars: self.bars(catalog, session), limits: self.limits() };
        Figure {
            title: format!("{what}{case}"),
            says: self.says(catalog, session),
            chart: Chart::Bars(bars),
            table: self.table(session),
        }
    }

    fn bars(&self, catalog: &LabCatalog, session: Option<&Session>) -> Vec<Bar> {
        let measured = self.measured(catalog, session).into_iter().zip(&self.entries);
        measured.flat_map(|(bar, entry)| std::iter::once(bar).chain(self.predicted(entry))).collect()
    }

    /// Returns the bar of the prediction, to be drawn below that of the measured value.
    fn predicted(&self, entry: &Entry) -> Option<Bar> {
        let (value, interval) = self.metric.predicted(entry.row)?;
        let words = |value| self.metric.words(value);
        let bound = entry.row.predicted_bound();
        Some(Bar {
            name: format!("{}, predicted", entry.name),
            value,
            text: format!("{} predicted, {bound}", words(value)),
            tip: format!(
                "{}: predicted {} · from {} to {} · bound by {bound}",
                entry.name,
                words(value),
                words(interval.0),
                words(interval.1)
            ),
            tone: Tone::Predicted,
            peers: Vec::new(),
            interval: Some(interval),
        })
    }

    fn measured(&self, catalog: &LabCatalog, session: Option<&Session>) -> Vec<Bar> {
        let bar = |(i, entry): (usize, &Entry)| {
            let peer = |(column, value): (&str, f64)| {
                let source = catalog.meaning(&entry.row.lab, column).unwrap_or(column);
                (value, format!("{}: {} ({})", entry.name, self.metric.words(value), source.replace('`', "")))
            };
            Bar {
                name: entry.name.clone(),
                value: entry.value,
                text: self.metric.words(entry.value),
                tip: self.tip(entry, session),
                tone: if self.textbook == Some(i) { Tone::First } else { Tone::Plain },
                peers: self.metric.peers(entry.row).into_iter().map(peer).collect(),
                interval: None,
            }
        };
        self.entries.iter().enumerate().map(bar).collect()
    }

    fn tip(&self, entry: &Entry, session: Option<&Session>) -> String {
        let row = entry.row;
        let mut parts = vec![format!("{}: {}", entry.name, self.metric.words(entry.value))];
        parts.extend(
            AgainstLimits::new(row, session).percent().map(|share| format!("{} % of the ceiling", short(share))),
        );
        parts.extend(entry.speed_up.map(|times| format!("{} times as fast as {}", short(times), self.textbook_name())));
        parts.extend(row.ms().map(time));
        parts.extend(row.noise_percent().map(|noise| format!("± {} %", short(noise))));
        parts.extend(row.size().map(|n| format!("n = {}", grouped(n))));
        parts.join(" · ")
    }

    fn textbook_name(&self) -> &str {
        self.textbook.map_or("", |i| self.entries[i].name.as_str())
    }

    /// Returns the ceilings of the entries, derived from their percentages.
    fn limits(&self) -> Vec<Limit> {
        let mut limits: Vec<Limit> = Vec::new();
        if self.metric.unit() != "GB/s" {
            return limits;
        }
        for entry in &self.entries {
            let Some(share) = entry.row.percent_of_ceiling.filter(|share| *share > 0.0) else { continue };
            let value = 100.0 * entry.value / share;
            if limits.iter().all(|known| (known.value / value - 1.0).abs() > 0.01) {
                limits.push(Limit { value, name: format!("ceiling {}", short(value)) });
            }
        }
        limits
    }

    fn says(&self, catalog: &LabCatalog, session: Option<&Session>) -> Vec<String> {
        let mut says = Vec::new();
        if let Some(best) = self.best() {
            let is_same = !matches!(self.metric, Metric::Rate(..))
                || self.entries.iter().all(|entry| is_same_work(entry.row, best.row));
            let share = AgainstLimits::new(best.row, session).percent();
            let share = share.map_or(String::new(), |share| format!(", {} % of the ceiling", short(share)));
            let times = best
                .speed_up
                .map_or(String::new(), |times| format!(", {} times as fast as {}", short(times), self.textbook_name()));
            says.push(format!(
                "{} {}: {}{share}{times}.",
                best.name,
                if is_same { "is the fastest" } else { "has the highest rate, though not all do the same work" },
                self.metric.words(best.value)
            ));
        }
        says.extend(self.better_than_kernels().map(|other| {
            format!("{}, which is not a kernel of this lab, is ahead: {}.", other.name, self.metric.words(other.value))
        }));
        if let Some(textbook) = self.textbook.filter(|_| self.metric != Metric::Instructions) {
            let name = &self.entries[textbook].name;
            says.push(format!("{name}, in a colour of its own, is what speed-ups are measured against."));
        }
        if self.metric == Metric::Instructions {
            says.push("Emulated: instructions are counted; nothing is said about a GPU's time.".into());
        }
        says.extend(self.says_wrong());
        says.extend(self.says_predicted());
        let mut sources: Vec<&str> = Vec::new();
        for entry in &self.entries {
            for (column, _) in self.metric.peers(entry.row) {
                let source = catalog.meaning(&entry.row.lab, column).unwrap_or(column);
                if !sources.contains(&source) {
                    sources.push(source);
                }
            }
        }
        if !sources.is_empty() {
            says.push(format!("Diamonds: {}.", sources.join("; ")));
        }
        if self.entries.iter().any(|entry| entry.row.percent_of_ceiling.is_some_and(|share| share > 103.0)) {
            says.push(
                "The ceiling of this run is a copy alone; a kernel that reads more than it writes can pass it.".into(),
            );
        }
        says
    }

    /// Names the variants that are not compared.
    fn says_wrong(&self) -> Option<String> {
        let mut names: Vec<String> = Vec::new();
        for row in &self.wrong {
            let on_purpose = if row.expectation.is_wrong() { ", on purpose" } else { "" };
            let name = format!("{}{on_purpose}", row.variant());
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let whose = if names.len() == 1 { "its answer is" } else { "their answers are" };
        (!names.is_empty()).then(|| format!("Not drawn, because {whose} wrong: {}.", names.join("; ")))
    }

    /// Describes how far predictions differ from measured values, and what is not predicted.
    fn says_predicted(&self) -> Vec<String> {
        let rows = || self.entries.iter().map(|entry| entry.row);
        let times = |row: &Row| Some(row.prediction().map(|all| all.ms)?.max(f64::MIN_POSITIVE) / row.ms()?);
        let off: Vec<f64> = rows().filter_map(times).map(|times| times.max(1.0 / times)).collect();
        let near = off.iter().filter(|times| **times <= 1.5).count();
        let mut says = Vec::new();
        if !off.is_empty() {
            says.push(format!(
                "Hatched: predicted from what the embedded machine counted, not measured. {near} of {} lie within 1.5 times of what was measured.",
                off.len()
            ));
        }
        says.extend(refused(rows()));
        says
    }

    fn table(&self, session: Option<&Session>) -> FigureTable {
        let unit = match self.metric {
            Metric::Rate(rate) => rate.unit(),
            Metric::Time => "ms",
            Metric::Instructions => "warp instructions",
        };
        let predicted = format!("{unit}, predicted");
        let first = ["variant", "n", unit, &predicted, "speed-up", "noise, %"];
        let headings =
            first.into_iter().chain(["median, ms"]).chain(AgainstLimits::HEADINGS).chain(["published", "bytes"]);
        let mut table = FigureTable::new(&headings.collect::<Vec<_>>());
        for entry in &self.entries {
            let peers = self.metric.peers(entry.row);
            let mut cells = vec![
                entry.name.clone(),
                entry.row.size().map_or(String::new(), grouped),
                short(entry.value),
                self.metric.predicted(entry.row).map_or(String::new(), |(value, _)| short(value)),
                entry.speed_up.map_or(String::new(), short),
                entry.row.noise_percent().map_or(String::new(), short),
                entry.row.ms().filter(|_| self.metric != Metric::Time).map_or(String::new(), short),
            ];
            cells.extend(AgainstLimits::new(entry.row, session).cells());
            cells.push(peers.iter().map(|peer| short(peer.1)).collect::<Vec<_>>().join(", "));
            cells.push(entry.row.bytes().map_or(String::new(), size));
            table.rows.push(cells);
        }
        table.without_empty_columns()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{LabRows, fixtures::row};

    use crate::sections::ladder::ladders;

    #[test]
    fn what_is_predicted_stands_hatched_below_what_was_measured() {
        let told = |variant: &str, ms: &str, predicted: &str, bound: &str| {
            let times =
                [("predicted_ms", predicted), ("predicted_low_ms", predicted), ("predicted_high_ms", predicted)];
            let cells = [("variant", variant), ("n", "8"), ("time_median_ms", ms), ("grid", "4")];
            row(&[&cells[..], &times[..], &[("predicted_bound", bound)]].concat())
        };
        let rows = vec![
            told("a", "2", "3", "latency"),
            told("b", "2", "8", "launch"),
            told("c", "2", "", "not predicted: its emulation would take 2h"),
        ];
        let rows = LabRows { lab: "x".into(), rows, ..LabRows::default() };
        let ladders = ladders(&rows, &LabCatalog(&[]));
        let figure = ladders[0].figure(&LabCatalog(&[]), None);
        let Chart::Bars(bars) = &figure.chart else { panic!() };
        let names: Vec<(&str, Tone)> = bars.bars.iter().map(|bar| (bar.name.as_str(), bar.tone)).collect();
        let (plain, predicted) = (Tone::Plain, Tone::Predicted);
        let first = ("a", Tone::First);
        assert_eq!(
            names,
            [first, ("a, predicted", predicted), ("b", plain), ("b, predicted", predicted), ("c", plain)]
        );
        assert!(figure.says.iter().any(|says| says.contains("1 of 2 lie within 1.5 times")), "{:?}", figure.says);
        assert!(figure.says.iter().any(|says| says == "Not predicted: c (its emulation would take 2h)."));
        assert_eq!(figure.table.rows[0][3], "3");
    }
}

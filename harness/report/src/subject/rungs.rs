//! A ladder as a chart: a bar for each variant, predictions below measured values, and remarks.
use crate::{
    picture::{
        bars::{Bar, Bars, Limit, Tone},
        figure::{Figure, Picture, Table},
    },
    run::{row::Row, session::Session},
    subject::{
        known::Known,
        ladder::{Ladder, Rung, is_same_work},
        metric::Metric,
        predicted::refused,
        standing::Standing,
    },
    words::{grouped, short, size, time},
};

impl Ladder<'_> {
    /// Returns the figure.
    pub fn figure(&self, known: &Known, session: Option<&Session>) -> Figure {
        let what = match self.metric {
            Metric::Rate(..) => "How fast each variant is",
            Metric::Time => "How long each variant takes",
            Metric::Instructions => "What each variant executes",
        };
        let case = if self.case.is_empty() { String::new() } else { format!(": {}", self.case) };
        let bars = Bars { unit: self.metric.unit().into(), bars: self.bars(known, session), limits: self.limits() };
        Figure {
            title: format!("{what}{case}"),
            says: self.says(known, session),
            picture: Picture::Bars(bars),
            table: self.table(session),
        }
    }

    fn bars(&self, known: &Known, session: Option<&Session>) -> Vec<Bar> {
        let measured = self.measured(known, session).into_iter().zip(&self.rungs);
        measured.flat_map(|(bar, rung)| std::iter::once(bar).chain(self.predicted(rung))).collect()
    }

    /// Returns the bar of the prediction, to be drawn below that of the measured value.
    fn predicted(&self, rung: &Rung) -> Option<Bar> {
        let (value, interval) = self.metric.predicted(rung.row)?;
        let words = |value| self.metric.words(value);
        let bound = rung.row.text("predicted_bound");
        Some(Bar {
            name: format!("{}, predicted", rung.name),
            value,
            text: format!("{} predicted, {bound}", words(value)),
            tip: format!(
                "{}: predicted {} · from {} to {} · bound by {bound}",
                rung.name,
                words(value),
                words(interval.0),
                words(interval.1)
            ),
            tone: Tone::Predicted,
            peers: Vec::new(),
            interval: Some(interval),
        })
    }

    fn measured(&self, known: &Known, session: Option<&Session>) -> Vec<Bar> {
        let bar = |(i, rung): (usize, &Rung)| {
            let peer = |(column, value): (&str, f64)| {
                let source = known.meaning(rung.row.text("lab"), column).unwrap_or(column);
                (value, format!("{}: {} ({})", rung.name, self.metric.words(value), source.replace('`', "")))
            };
            Bar {
                name: rung.name.clone(),
                value: rung.value,
                text: self.metric.words(rung.value),
                tip: self.tip(rung, session),
                tone: match rung.is_right {
                    false => Tone::Wrong,
                    true if self.textbook == Some(i) => Tone::First,
                    true => Tone::Plain,
                },
                peers: self.metric.peers(rung.row).into_iter().map(peer).collect(),
                interval: None,
            }
        };
        self.rungs.iter().enumerate().map(bar).collect()
    }

    fn tip(&self, rung: &Rung, session: Option<&Session>) -> String {
        let row = rung.row;
        let mut parts = vec![format!("{}: {}", rung.name, self.metric.words(rung.value))];
        parts.extend(Standing::new(row, session).percent().map(|share| format!("{} % of the ceiling", short(share))));
        parts.extend(rung.speed_up.map(|times| format!("{} times as fast as {}", short(times), self.textbook_name())));
        parts.extend(row.ms().map(time));
        parts.extend(row.noise_percent().map(|noise| format!("± {} %", short(noise))));
        parts.extend(row.number("n").map(|n| format!("n = {}", grouped(n))));
        if !rung.is_right {
            parts.push(if row.is_wrong_on_purpose() { "wrong on purpose".into() } else { "not right".into() });
        }
        parts.join(" · ")
    }

    fn textbook_name(&self) -> &str {
        self.textbook.map_or("", |i| self.rungs[i].name.as_str())
    }

    /// Returns the ceilings of the rungs, derived from their percentages.
    fn limits(&self) -> Vec<Limit> {
        let mut limits: Vec<Limit> = Vec::new();
        if self.metric.unit() != "GB/s" {
            return limits;
        }
        for rung in &self.rungs {
            let Some(share) = rung.row.number("percent_of_ceiling").filter(|share| *share > 0.0) else { continue };
            let value = 100.0 * rung.value / share;
            if limits.iter().all(|known| (known.value / value - 1.0).abs() > 0.01) {
                limits.push(Limit { value, name: format!("ceiling {}", short(value)) });
            }
        }
        limits
    }

    fn says(&self, known: &Known, session: Option<&Session>) -> Vec<String> {
        let mut says = Vec::new();
        if let Some(best) = self.best() {
            let right = || self.rungs.iter().filter(|rung| rung.is_right);
            let is_same =
                !matches!(self.metric, Metric::Rate(..)) || right().all(|rung| is_same_work(rung.row, best.row));
            let share = Standing::new(best.row, session).percent();
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
            format!("{}, which is no kernel of this lab, is ahead: {}.", other.name, self.metric.words(other.value))
        }));
        if let Some(textbook) = self.textbook.filter(|_| self.metric != Metric::Instructions) {
            let name = &self.rungs[textbook].name;
            says.push(format!("{name}, in a colour of its own, is what speed-ups are measured against."));
        }
        if self.metric == Metric::Instructions {
            says.push("Emulated: instructions are counted; nothing is said about a GPU's time.".into());
        }
        let wrong = self.rungs.iter().filter(|rung| !rung.is_right).count();
        if wrong > 0 {
            let on_purpose = self.rungs.iter().any(|rung| rung.row.is_wrong_on_purpose());
            let end = if on_purpose { "whose answer is wrong, most of them on purpose" } else { "that is not right" };
            says.push(format!("A dashed outline is a variant {end}."));
        }
        says.extend(self.says_predicted());
        let mut sources: Vec<&str> = Vec::new();
        for rung in &self.rungs {
            for (column, _) in self.metric.peers(rung.row) {
                let source = known.meaning(rung.row.text("lab"), column).unwrap_or(column);
                if !sources.contains(&source) {
                    sources.push(source);
                }
            }
        }
        if !sources.is_empty() {
            says.push(format!("Diamonds: {}.", sources.join("; ")));
        }
        if self.rungs.iter().any(|rung| rung.row.number("percent_of_ceiling").is_some_and(|share| share > 103.0)) {
            says.push(
                "The ceiling of this run is a copy alone; a kernel that reads more than it writes can pass it.".into(),
            );
        }
        says
    }

    /// Describes how far predictions differ from measured values, and what is not predicted.
    fn says_predicted(&self) -> Vec<String> {
        let rows = || self.rungs.iter().map(|rung| rung.row);
        let times = |row: &Row| Some(row.number("predicted_ms")?.max(f64::MIN_POSITIVE) / row.ms()?);
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

    fn table(&self, session: Option<&Session>) -> Table {
        let unit = match self.metric {
            Metric::Rate(_, unit) => unit,
            Metric::Time => "ms",
            Metric::Instructions => "warp instructions",
        };
        let predicted = format!("{unit}, predicted");
        let first = ["variant", "n", unit, &predicted, "speed-up", "noise, %"];
        let headings = first.into_iter().chain(["median, ms"]).chain(Standing::HEADINGS).chain(["published", "bytes"]);
        let mut table = Table::new(&headings.collect::<Vec<_>>());
        for rung in &self.rungs {
            let number = |column: &str| rung.row.number(column);
            let peers = self.metric.peers(rung.row);
            let mut cells = vec![
                rung.name.clone(),
                number("n").map_or(String::new(), grouped),
                short(rung.value),
                self.metric.predicted(rung.row).map_or(String::new(), |(value, _)| short(value)),
                rung.speed_up.map_or(String::new(), short),
                rung.row.noise_percent().map_or(String::new(), short),
                rung.row.ms().filter(|_| self.metric != Metric::Time).map_or(String::new(), short),
            ];
            cells.extend(Standing::new(rung.row, session).cells());
            cells.push(peers.iter().map(|peer| short(peer.1)).collect::<Vec<_>>().join(", "));
            cells.push(number("bytes").map_or(String::new(), size));
            table.rows.push(cells);
        }
        table.without_empty_columns()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        run::{folder::LabRows, row::tests::row},
        subject::ladder::ladders,
    };

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
        let rows = LabRows { lab: "x".into(), rows, details: Vec::new() };
        let ladders = ladders(&rows, &Known(&[]));
        let figure = ladders[0].figure(&Known(&[]), None);
        let Picture::Bars(bars) = &figure.picture else { panic!() };
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

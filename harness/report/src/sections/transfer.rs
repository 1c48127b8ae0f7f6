//! Compares modes of transfer by size: which one is the fastest where, in warm passes and in the first one.
use harness::crossover::{AS_GOOD, NamedLine, Stretch, crossing, stretches};
use record::{LabRows, Row, drawn};

use crate::{
    charts::{
        figure::{Chart, Figure, FigureTable},
        plot::{Axis, Draw, Plot, Point, STYLES, Series},
        scale::Scale,
    },
    number_format::{bytes, grouped, list, short, size, time},
};

/// A pass over the data: its title, and its time in ms.
type Pass = (&'static str, fn(&Row) -> Option<f64>);

const PASSES: [Pass; 2] = [
    ("later passes, from the host and back", Row::ms),
    ("the first pass, with the allocation of memory", |row| {
        row.own(&drawn::FIRST_END_TO_END_MS).filter(|_| row.ms().is_some())
    }),
];

/// The sizes and modes of a sweep.
struct Sweep<'r> {
    sizes: Vec<f64>,
    /// Whether sizes are bytes rather than elements.
    is_bytes: bool,
    /// Each mode with its row at each size.
    modes: Vec<(&'r str, Vec<Option<&'r Row>>)>,
}

/// Returns the figures of a lab that moves data in several modes at three or more sizes.
pub fn figures(lab: &LabRows) -> Vec<Figure> {
    let Some(sweep) = Sweep::from_rows(lab) else { return Vec::new() };
    PASSES.iter().filter_map(|pass| sweep.figure(pass)).collect()
}

impl<'r> Sweep<'r> {
    fn from_rows(lab: &'r LabRows) -> Option<Self> {
        let is_timed = |row: &&Row| row.memory_mode.is_some() && row.ms().is_some() && row.bytes().is_some();
        let rows: Vec<&Row> = lab.rows.iter().filter(is_timed).collect();
        let is_bytes = rows.iter().all(|row| bytes(row.case()).is_some());
        let size_of = |row: &Row| if is_bytes { bytes(row.case()) } else { row.size() };
        let mut sizes: Vec<f64> = rows.iter().filter_map(|row| size_of(row)).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        let mut modes: Vec<(&str, Vec<Option<&Row>>)> = Vec::new();
        for row in rows {
            let place = sizes.iter().position(|size| Some(*size) == size_of(row))?;
            let mode = match modes.iter().position(|mode| mode.0 == row.variant()) {
                Some(mode) => mode,
                None => {
                    modes.push((row.variant(), vec![None; sizes.len()]));
                    modes.len() - 1
                }
            };
            modes[mode].1[place] = Some(row);
        }
        (sizes.len() >= 3 && modes.len() >= 2).then_some(Self { sizes, is_bytes, modes })
    }

    /// Formats a size.
    fn size(&self, value: f64) -> String {
        if self.is_bytes { size(value) } else { grouped(value) }
    }

    fn figure(&self, (title, ms): &Pass) -> Option<Figure> {
        let rate = |row: &Row| Some(row.bytes()? / ms(row)? / 1e6);
        let lines: Vec<NamedLine> = self
            .modes
            .iter()
            .map(|(mode, rows)| ((*mode).to_string(), rows.iter().map(|row| row.and_then(rate)).collect()))
            .collect();
        let all: Vec<f64> = lines.iter().flat_map(|line| &line.1).copied().flatten().collect();
        if all.is_empty() {
            return None;
        }
        let found = stretches(&lines);
        let crossings = self.crossings(&lines, &found);
        let x = Axis {
            title: if self.is_bytes { "size of a vector" } else { "elements" }.into(),
            scale: Scale::log(self.sizes.iter().copied()),
            named: self.sizes.iter().map(|value| (*value, self.size(*value))).collect(),
        };
        let series = |(i, (mode, rates)): (usize, &NamedLine)| {
            let point = |(place, rate): (usize, &Option<f64>)| {
                let row = self.modes[i].1[place]?;
                let tip =
                    format!("{mode}, {}: {} GB/s, {}", self.size(self.sizes[place]), short((*rate)?), time(ms(row)?));
                Some(Point { x: self.sizes[place], y: (*rate)?, tip })
            };
            let points = rates.iter().enumerate().filter_map(point).collect();
            // The ninth line has the first one's shape and colour again, but is dashed.
            let draw = if i < STYLES { Draw::Line } else { Draw::Dashed };
            Series { name: mode.clone(), style: i, draw, points }
        };
        let plot = Plot {
            x,
            y: Axis::new("GB/s, both ways, over the whole pass", Scale::log(all)),
            series: lines.iter().enumerate().map(series).collect(),
            marks: crossings.iter().map(|at| (*at, self.size(*at))).collect(),
        };
        Some(Figure {
            title: format!("Modes of transfer against size: {title}"),
            says: self.says(&lines, &found, &crossings),
            chart: Chart::Plot(plot),
            table: self.table(&lines),
        })
    }

    /// Returns the sizes at which the fastest mode changes.
    fn crossings(&self, lines: &[NamedLine], found: &[Stretch]) -> Vec<f64> {
        let crossing = |pair: &[Stretch]| {
            let (before, after) = (pair[0].last, pair[1].first);
            let value = |line: usize, place: usize| lines[line].1[place].unwrap_or(1.0);
            let both = |line: usize| (value(line, before), value(line, after));
            crossing((self.sizes[before], self.sizes[after]), both(pair[0].line), both(pair[1].line))
        };
        found.windows(2).map(crossing).collect()
    }

    fn says(&self, lines: &[NamedLine], found: &[Stretch], crossings: &[f64]) -> Vec<String> {
        let parts: Vec<String> = found
            .iter()
            .enumerate()
            .map(|(i, stretch)| {
                let mode = &lines[stretch.line].0;
                let (begin, end) =
                    (i.checked_sub(1).map(|i| self.size(crossings[i])), crossings.get(i).map(|at| self.size(*at)));
                match (begin, end) {
                    (None, None) => format!("{mode} at every size"),
                    (None, Some(end)) => format!("below {end} {mode}"),
                    (Some(begin), None) => format!("above {begin} {mode}"),
                    (Some(begin), Some(end)) => format!("from {begin} to {end} {mode}"),
                }
            })
            .collect();
        let mut says = vec![format!("The fastest, or within {:.0} % of it: {}.", 100.0 * AS_GOOD, list(&parts))];
        // The cost of the default choice, the lab's first mode, at the largest size.
        let last = self.sizes.len() - 1;
        let best = found
            .last()
            .filter(|stretch| stretch.last == last)
            .and_then(|s| Some((&lines[s.line].0, lines[s.line].1[last]?)));
        let first = lines.first().and_then(|line| Some((&line.0, line.1[last]?)));
        if let (Some((best, rate)), Some((first, slow))) = (best, first)
            && best != first
        {
            let size = self.size(self.sizes[last]);
            says.push(format!("At {size} {best} moves {} times as much a second as {first}.", short(rate / slow)));
        }
        says
    }

    fn table(&self, lines: &[NamedLine]) -> FigureTable {
        let mut table = FigureTable::new(&[if self.is_bytes { "size of a vector" } else { "elements" }]);
        table.headings.extend(lines.iter().map(|line| format!("{}, GB/s", line.0)));
        for (place, size) in self.sizes.iter().enumerate() {
            let rates = lines.iter().map(|line| line.1[place].map_or(String::new(), short));
            table.rows.push([self.size(*size)].into_iter().chain(rates).collect());
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::fixtures::row;

    fn at(mode: &str, size: &str, ms: f64) -> Row {
        let moved = (3.0 * bytes(size).unwrap()).to_string();
        let ms = ms.to_string();
        let cells =
            [("variant", mode), ("case", size), ("memory_mode", mode), ("bytes", &moved), ("time_median_ms", &ms)];
        row(&cells)
    }

    #[test]
    fn crossovers_are_marked_and_said() {
        let mut rows = Vec::new();
        for (i, size) in ["4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB"].into_iter().enumerate() {
            let factor = 4_f64.powi(i as i32);
            // A mode that starts immediately and is slow, and one that starts slowly and is fast: they cross at 32 KiB.
            rows.push(at("zero-copy", size, factor));
            rows.push(at("overlapped", size, 4_f64.powf(2.25 + (i as f64 - 1.5) / 2.0) / 4_f64.powf(0.75)));
        }
        let lab = LabRows { lab: "x".into(), rows, ..LabRows::default() };
        let figures = figures(&lab);
        assert_eq!(figures.len(), 1, "no row has a first pass");
        assert_eq!(
            figures[0].says[0],
            "The fastest, or within 5 % of it: below 32 KiB zero-copy and above 32 KiB overlapped."
        );
        let Chart::Plot(plot) = &figures[0].chart else { panic!() };
        assert_eq!(plot.marks.len(), 1);
        assert_eq!(figures[0].table.rows.len(), 5);
    }

    #[test]
    fn two_sizes_or_emulated_times_are_no_sweep() {
        let two = ["4 KiB", "16 KiB"].iter().flat_map(|size| [at("a", size, 1.0), at("b", size, 2.0)]).collect();
        assert!(figures(&LabRows { lab: "x".into(), rows: two, ..LabRows::default() }).is_empty());
        let emulated = |size: &&str| {
            row(&[
                ("device", "emulated"),
                ("case", size),
                ("memory_mode", "m"),
                ("time_median_ms", "1"),
                ("bytes", "1"),
            ])
        };
        let rows = ["4 KiB", "16 KiB", "64 KiB"].iter().map(emulated).collect();
        assert!(figures(&LabRows { lab: "x".into(), rows, ..LabRows::default() }).is_empty());
    }
}

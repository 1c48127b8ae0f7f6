//! `--sweep`: every mode over vector sizes, and where the fastest mode changes.
use std::collections::BTreeMap;

use harness::{
    Chart, Crossover, CrossoverTable, Crossovers, Error, Record, Result, Run, Series, Sizes, Verdict,
    crossover::{AS_GOOD, NamedLine, Stretch, stretches},
    significant, table,
};

use crate::{MODES, add, input::Vectors, phases::unit, reference, refuse_impossible};

/// The smallest vector, in bytes.
const SMALLEST: usize = 4 << 10;

/// The end-to-end milliseconds of each mode that ran, in the order of the modes, by the bytes of a vector.
pub type Times = BTreeMap<usize, Vec<Option<f64>>>;

/// Runs every mode with vectors of 4 KiB, 16 KiB, ... up to 256 MiB, or to `--n`. Larger ones would take minutes.
pub(crate) fn run(run: &Run) -> Result<()> {
    let largest = if let Some(n) = run.options().n {
        refuse_impossible(run, n)?;
        n * size_of::<f32>()
    } else {
        run.pick(Sizes { gpu: 256 << 20, emulated: 1 << 20, quick: 64 << 10 })
    };
    if largest < SMALLEST {
        let (begins, least) = (size(SMALLEST), SMALLEST / size_of::<f32>());
        return Err(Error::usage(format!("--sweep begins at vectors of {begins}: --n must be at least {least}")));
    }
    for bytes in std::iter::successors(Some(SMALLEST), |s| Some(s * 4)).take_while(|s| *s <= largest) {
        let vectors = Vectors::random(run, bytes / size_of::<f32>());
        for mode in MODES {
            add(run, mode, &vectors, &size(bytes))?;
        }
    }
    let times = times_of(&run.records());
    report(run, &times);
    run.draw("vecadd-sweep.svg", &chart(run, &times))
}

/// Returns the summary of the run: the fastest modes on this GPU, and on the reference machine.
pub(crate) fn tell(run: &Run) -> Crossovers {
    let times = (!run.is_emulated()).then(|| times_of(&run.records()));
    crossovers(times.as_ref().map(|times| (run.session().device.name.as_str(), times)))
}

/// Returns the fastest modes on the GPU with this name and these times, if any, and on the reference machine.
pub fn crossovers(here: Option<(&str, &Times)>) -> Crossovers {
    let remark = match here {
        None => "This run only checked the answers: times of an emulation say nothing about a GPU.",
        Some(_) => "",
    };
    let here = here.map(|(device, times)| CrossoverTable {
        heading: format!("{device}, measured in this run"),
        rows: fastest(times),
    });
    Crossovers {
        question: "Which memory makes the trip to the GPU and back fastest, from which size of a vector on?",
        baseline: MODES[0].name(),
        tables: here.into_iter().chain([reference::crossovers()]).collect(),
        remark,
    }
}

/// Returns the times of the modes that were right.
fn times_of(records: &[Record]) -> Times {
    let passed = records.iter().filter(|record| record.verdict == Verdict::Pass);
    times(passed.filter_map(|record| Some((record.variant.as_str(), record.n?, record.times?.median))))
}

/// Returns the times of modes by size, from a mode's name, the elements of a vector, and milliseconds.
pub fn times<'r>(rows: impl Iterator<Item = (&'r str, u64, f64)>) -> Times {
    let mut times = Times::new();
    for (variant, n, ms) in rows {
        if let Some(mode) = MODES.iter().position(|mode| mode.name() == variant) {
            times.entry(n as usize * size_of::<f32>()).or_insert_with(|| vec![None; MODES.len()])[mode] = Some(ms);
        }
    }
    times
}

/// Charts end-to-end times over sizes, one line for each mode; on a GPU, also the sizes at which another mode becomes
/// the fastest.
fn chart(run: &Run, times: &Times) -> Chart {
    let series = MODES.iter().enumerate().map(|(i, mode)| {
        let points = times.iter().filter_map(|(bytes, row)| Some((*bytes as f64, row[i]?)));
        Series { name: mode.name().into(), points: points.collect() }
    });
    let (y_label, marks) = if run.is_emulated() {
        ("end to end, ms of the emulation (nothing about a GPU)", Vec::new())
    } else {
        let places = || times.keys().map(|bytes| (*bytes as f64, size(*bytes)));
        let mark = |row: Crossover| {
            let (place, from) = places().find(|(_, size)| *size == row.sizes[0])?;
            Some((place, format!("{from} on: {}", row.mode)))
        };
        ("end to end, ms (median of warm passes)", fastest(times).into_iter().filter_map(mark).collect())
    };
    let device = &run.session().device.name;
    Chart {
        title: "vecadd: what the trip to the GPU costs".into(),
        subtitle: format!("{device}: from inputs in host memory to the sum in host memory"),
        x_label: "size of a vector".into(),
        y_label: y_label.into(),
        x_ticks: times.keys().map(|bytes| (*bytes as f64, size(*bytes))).collect(),
        series: series.filter(|s| !s.points.is_empty()).collect(),
        marks,
    }
}

/// Prints end-to-end times by size and mode; on a GPU, also the sizes at which another mode becomes the fastest.
fn report(run: &Run, times: &Times) {
    run.say(&format!("\nEnd to end by the size of a vector, warm passes, {}", unit(run)));
    let sizes: Vec<String> = times.keys().map(|bytes| size(*bytes)).collect();
    let headers: Vec<&str> = std::iter::once("mode").chain(sizes.iter().map(String::as_str)).collect();
    let rows = MODES.iter().enumerate().map(|(i, mode)| {
        let cells = times.values().map(|row| row[i].map_or_else(String::new, significant));
        std::iter::once(mode.name().into()).chain(cells).collect()
    });
    run.say(&table(&headers, &rows.collect::<Vec<_>>()));
    if !run.is_emulated() {
        for row in fastest(times) {
            let margin = 100.0 * AS_GOOD;
            run.say(&format!("from {} on the fastest (within {margin:.0} %) is {}", row.sizes[0], row.mode));
        }
    }
}

/// Returns the ranges of sizes, each with the mode that is the fastest in it, or nearly so, for longest.
pub fn fastest(times: &Times) -> Vec<Crossover> {
    let rates = |i: usize| times.values().map(|row| row[i].map(f64::recip)).collect();
    let lines: Vec<NamedLine> = MODES.iter().enumerate().map(|(i, mode)| (mode.name().into(), rates(i))).collect();
    let rows: Vec<(usize, &Vec<Option<f64>>)> = times.iter().map(|(bytes, row)| (*bytes, row)).collect();
    let crossover = |stretch: Stretch| {
        let range = &rows[stretch.first..=stretch.last];
        let (first, last) = (range.first()?, range.last()?);
        let gains: Vec<f64> = range.iter().filter_map(|(_, row)| Some(row[0]? / row[stretch.line]?)).collect();
        let least_and_most =
            [gains.iter().copied().fold(f64::MAX, f64::min), gains.iter().copied().fold(0.0, f64::max)];
        Some(Crossover {
            sizes: [size(first.0), size(last.0)],
            mode: lines[stretch.line].0.clone(),
            ms: [first.1[stretch.line]?, last.1[stretch.line]?],
            gain: (!gains.is_empty()).then_some(least_and_most),
        })
    };
    stretches(&lines).into_iter().filter_map(crossover).collect()
}

/// `4 KiB`, `1 MiB`.
fn size(bytes: usize) -> String {
    let units = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    let whole = |(_, scale): &(&str, usize)| bytes >= *scale && bytes.is_multiple_of(*scale);
    let (unit, scale) = units.into_iter().find(whole).unwrap_or(("bytes", 1));
    format!("{} {unit}", bytes / scale)
}

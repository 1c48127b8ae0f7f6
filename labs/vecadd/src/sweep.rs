//! `--sweep`: every mode over vector sizes, and where the fastest mode changes.
use harness::{Chart, Error, Result, Run, Series, Sizes, significant, table};

use crate::{MODES, add, input::Vectors, phases::unit, refuse_impossible};

/// The smallest vector, in bytes.
const SMALLEST: usize = 4 << 10;

/// One size: a vector's bytes, and the end-to-end milliseconds of each mode that ran.
pub type Times = (usize, Vec<Option<f64>>);

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
    let mut times: Vec<Times> = Vec::new();
    for bytes in std::iter::successors(Some(SMALLEST), |s| Some(s * 4)).take_while(|s| *s <= largest) {
        let vectors = Vectors::random(run, bytes / size_of::<f32>());
        let medians = MODES.iter().map(|mode| {
            let record = add(run, mode, &vectors, &size(bytes))?;
            Ok(record.and_then(|r| r.times).map(|t| t.median))
        });
        times.push((bytes, medians.collect::<Result<_>>()?));
    }
    report(run, &times);
    run.draw("vecadd-sweep.svg", &chart(run, &times))
}

/// Charts end-to-end times over sizes, one line for each mode; on a GPU, also the sizes at which another mode becomes
/// the fastest.
fn chart(run: &Run, times: &[Times]) -> Chart {
    let series = MODES.iter().enumerate().map(|(i, mode)| {
        let points = times.iter().filter_map(|(bytes, row)| Some((*bytes as f64, row[i]?)));
        Series { name: mode.name().into(), points: points.collect() }
    });
    let (y_label, marks) = if run.is_emulated() {
        ("end to end, ms of the emulation (nothing about a GPU)", Vec::new())
    } else {
        let marks =
            fastest(times).into_iter().map(|(bytes, mode)| (bytes as f64, format!("{} on: {mode}", size(bytes))));
        ("end to end, ms (median of warm passes)", marks.collect())
    };
    let device = &run.session().device.name;
    Chart {
        title: "vecadd: what the trip to the GPU costs".into(),
        subtitle: format!("{device}: from inputs in host memory to the sum in host memory"),
        x_label: "size of a vector".into(),
        y_label: y_label.into(),
        x_ticks: times.iter().map(|(b, _)| (*b as f64, size(*b))).collect(),
        series: series.filter(|s| !s.points.is_empty()).collect(),
        marks,
    }
}

/// Prints end-to-end times by size and mode; on a GPU, also the sizes at which another mode becomes the fastest.
fn report(run: &Run, times: &[Times]) {
    run.say(&format!("\nEnd to end by the size of a vector, warm passes, {}", unit(run)));
    let sizes: Vec<String> = times.iter().map(|(bytes, _)| size(*bytes)).collect();
    let headers: Vec<&str> = std::iter::once("mode").chain(sizes.iter().map(String::as_str)).collect();
    let rows = MODES.iter().enumerate().map(|(i, mode)| {
        let cells = times.iter().map(|(_, row)| row[i].map_or_else(String::new, significant));
        std::iter::once(mode.name().into()).chain(cells).collect()
    });
    run.say(&table(&headers, &rows.collect::<Vec<_>>()));
    if !run.is_emulated() {
        for (bytes, mode) in fastest(times) {
            run.say(&format!("from {} on the fastest is {mode}", size(bytes)));
        }
    }
}

/// The fastest mode of each stretch of sizes, and the bytes at which it begins.
pub fn fastest(times: &[Times]) -> Vec<(usize, &'static str)> {
    let mut stretches: Vec<(usize, &'static str)> = Vec::new();
    for (bytes, row) in times {
        let ran = row.iter().zip(MODES).filter_map(|(time, mode)| Some((time.as_ref()?, mode.name())));
        if let Some((_, mode)) = ran.min_by(|a, b| a.0.total_cmp(b.0))
            && stretches.last().is_none_or(|last| last.1 != mode)
        {
            stretches.push((*bytes, mode));
        }
    }
    stretches
}

/// `4 KiB`, `1 MiB`.
fn size(bytes: usize) -> String {
    let units = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    let whole = |(_, scale): &(&str, usize)| bytes >= *scale && bytes.is_multiple_of(*scale);
    let (unit, scale) = units.into_iter().find(whole).unwrap_or(("bytes", 1));
    format!("{} {unit}", bytes / scale)
}

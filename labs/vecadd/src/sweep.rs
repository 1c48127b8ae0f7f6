//! `--sweep`: every mode over vector sizes, and where the fastest mode changes.
use harness::{Chart, Error, Result, Run, Series, Sizes};

use crate::{
    case,
    input::Vectors,
    mode::{Add, MODES},
    refuse_impossible,
};

/// The smallest vector, in bytes.
const SMALLEST: usize = 4 << 10;

/// Runs every mode at vectors of 4 KiB, 16 KiB, ... up to 1 GiB, or to `--n`.
pub fn run(run: &Run) -> Result<()> {
    let default = run.pick(Sizes {
        gpu: 1 << 30,
        emulated: 1 << 20,
        quick: 64 << 10,
    });
    let largest = match run.options().n {
        Some(n) => {
            refuse_impossible(run, n)?;
            n * size_of::<f32>()
        }
        None => default,
    };
    let sizes: Vec<usize> = std::iter::successors(Some(SMALLEST), |s| Some(s * 4))
        .take_while(|s| *s <= largest)
        .collect();
    if sizes.is_empty() {
        return Err(Error::usage(format!(
            "--sweep begins at vectors of {}: --n must be at least {}",
            size(SMALLEST),
            SMALLEST / size_of::<f32>()
        )));
    }
    let mut times: Vec<(usize, Vec<Option<f64>>)> = Vec::new();
    for bytes in sizes {
        let vectors = Vectors::random(run, bytes / size_of::<f32>());
        let add = Add::new(run, vectors.len())?;
        let mut row = Vec::new();
        for mode in MODES {
            let record = case(run, mode, &add, &vectors, &size(bytes))?;
            row.push(record.and_then(|r| r.times).map(|t| t.median));
        }
        times.push((bytes, row));
    }
    report(run, &times);
    run.draw("vecadd-sweep.svg", &chart(run, &times))
}

/// End-to-end times over sizes, a line a mode; on a GPU, the sizes at which another mode becomes the fastest.
fn chart(run: &Run, times: &[(usize, Vec<Option<f64>>)]) -> Chart {
    let device = &run.session().device;
    let series = MODES.iter().enumerate().map(|(i, mode)| Series {
        name: mode.name.into(),
        points: times
            .iter()
            .filter_map(|(bytes, row)| Some((*bytes as f64, row[i]?)))
            .collect(),
    });
    let (y_label, marks) = if run.is_emulated() {
        (
            "end to end, ms of the emulation (nothing about a GPU)",
            Vec::new(),
        )
    } else {
        let fastest = fastest(times).into_iter();
        let marks =
            fastest.map(|(bytes, mode)| (bytes as f64, format!("{} on: {mode}", size(bytes))));
        ("end to end, ms (median of warm passes)", marks.collect())
    };
    Chart {
        title: "vecadd: what the trip to the GPU costs".into(),
        subtitle: format!(
            "{}: from inputs in host memory to the sum in host memory",
            device.name
        ),
        x_label: "size of a vector".into(),
        y_label: y_label.into(),
        x_ticks: times.iter().map(|(b, _)| (*b as f64, size(*b))).collect(),
        series: series.filter(|s| !s.points.is_empty()).collect(),
        marks,
    }
}

/// End-to-end times by size and mode; on a GPU, the sizes at which another mode becomes the fastest.
fn report(run: &Run, times: &[(usize, Vec<Option<f64>>)]) {
    let unit = if run.is_emulated() {
        "emulated ms"
    } else {
        "ms"
    };
    run.say(&format!(
        "\nEnd to end by the size of a vector, warm passes, {unit}"
    ));
    let sizes: Vec<String> = times.iter().map(|(bytes, _)| size(*bytes)).collect();
    let headers: Vec<&str> = std::iter::once("mode")
        .chain(sizes.iter().map(String::as_str))
        .collect();
    let rows: Vec<Vec<String>> = MODES
        .iter()
        .enumerate()
        .map(|(i, mode)| {
            let cells = times
                .iter()
                .map(|(_, row)| row[i].map_or_else(String::new, harness::significant));
            std::iter::once(mode.name.to_string())
                .chain(cells)
                .collect()
        })
        .collect();
    run.say(&harness::table(&headers, &rows));
    if !run.is_emulated() {
        for (bytes, mode) in fastest(times) {
            run.say(&format!("from {} on the fastest is {mode}", size(bytes)));
        }
    }
}

/// The fastest mode of each stretch of sizes, and where it begins.
fn fastest(times: &[(usize, Vec<Option<f64>>)]) -> Vec<(usize, &'static str)> {
    let mut stretches: Vec<(usize, &'static str)> = Vec::new();
    for (bytes, row) in times {
        let fastest = row
            .iter()
            .enumerate()
            .filter_map(|(i, t)| t.map(|t| (i, t)))
            .min_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((mode, _)) = fastest
            && stretches
                .last()
                .is_none_or(|last| last.1 != MODES[mode].name)
        {
            stretches.push((*bytes, MODES[mode].name));
        }
    }
    stretches
}

/// `4 KiB`, `1 MiB`.
fn size(bytes: usize) -> String {
    let units = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    let (unit, scale) = units
        .into_iter()
        .find(|(_, s)| bytes >= *s && bytes.is_multiple_of(*s))
        .unwrap_or(("bytes", 1));
    format!("{} {unit}", bytes / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crossover_is_where_the_fastest_changes() {
        let row = |a: f64, b: f64| vec![Some(a), None, Some(b)];
        let times = [
            (4096, row(1.0, 2.0)),
            (16384, row(1.5, 2.1)),
            (1 << 20, row(9.0, 3.0)),
        ];
        assert_eq!(
            fastest(&times),
            [(4 << 10, "pageable"), (1 << 20, "pinned-async")]
        );
    }

    #[test]
    fn every_mode_is_a_variant_and_the_other_way_round() {
        let variants: Vec<_> = crate::LAB.variants.iter().map(|v| v.name).collect();
        assert_eq!(variants, MODES.iter().map(|m| m.name).collect::<Vec<_>>());
    }
}

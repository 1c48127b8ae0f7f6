//! The roofline: every kernel by its arithmetic intensity (FLOP/byte) and its operations a second, under the
//! device's roofs.
use harness::Peak;
use predict::GpuModel;
use record::{Row, Run, drawn};

use crate::{
    charts::{
        figure::{Chart, Figure, FigureTable},
        plot::{Axis, Draw, Plot, Point, STYLES, Series},
        scale::Scale,
    },
    number_format::{short, size},
    sections::lab_catalog::LabCatalog,
};

/// The best row of each variant that has bytes and operations, as points.
struct Kernel<'r> {
    row: &'r Row,
    /// Arithmetic intensity: operations for each byte that must be moved.
    intensity: f64,
    gflop_per_s: f64,
    /// Whether its time is predicted, not measured.
    is_predicted: bool,
}

/// The roofs: arithmetic in GFLOP/s, device memory and the link in GB/s, as far as they are known.
struct Roofs {
    peak: Option<f64>,
    copy: Option<f64>,
    link: Option<f64>,
    /// The name of the device memory's roof.
    memory: &'static str,
}

impl Roofs {
    /// Returns the roofs of the device or, if it is emulated and times were predicted, of the part for which they were
    /// predicted.
    fn from_run(run: &Run, lab: &str) -> Roofs {
        let session = run.session_of(lab);
        let peak = session.and_then(|session| session.device.peak_gflop_per_s(Peak::Single));
        let ceilings = session.and_then(|session| session.ceilings);
        let (copy, link) = ceilings.map(|all| (all.device_copy_gb_per_s, all.h2d_gb_per_s)).unzip();
        // No kernel's traffic exceeds the read bandwidth; older runs measured only the copy.
        let read = ceilings.and_then(|all| all.device_read_gb_per_s);
        let memory = if read.is_some() { "device memory, measured reads" } else { "device memory, measured copy" };
        let measured = Roofs { peak, copy: read.or(copy), link, memory };
        if peak.is_some() || copy.is_some() {
            return measured;
        }
        let details = run.labs.iter().flat_map(|lab| &lab.details);
        let part = details.filter_map(|details| details.predicted.as_ref()).find_map(|p| GpuModel::called(&p.part));
        part.map_or(measured, |part| {
            let (peak, copy) = (Some(part.single_gflop_per_s()), Some(part.dram_gb_per_s()));
            Roofs { peak, copy, link: None, memory: "device memory, reads, of the constants that predict" }
        })
    }
}

/// Returns the figure; `None` if no kernel with bytes and operations has a measured or predicted time.
pub fn figure(run: &Run, catalog: &LabCatalog) -> Option<Figure> {
    let mut labs: Vec<(&str, Vec<Kernel>)> = Vec::new();
    for lab in &run.labs {
        let kernels = kernels(&lab.rows, catalog);
        if !kernels.is_empty() {
            labs.push((&lab.lab, kernels));
        }
    }
    let all = || labs.iter().flat_map(|lab| &lab.1);
    all().next()?;
    let Roofs { peak, copy, link, memory } = Roofs::from_run(run, labs[0].0);
    let knee = peak.zip(copy).map(|(peak, copy)| peak / copy);
    let x = Scale::log(all().map(|k| k.intensity).chain(knee.map(|knee| 3.0 * knee)));
    let y = Scale::log(all().map(|k| k.gflop_per_s).chain(peak));
    let mut series = Vec::new();
    for (name, style, rate) in [("link, host to device", 1, link), (memory, 0, copy)] {
        let Some(rate) = rate.filter(|rate| *rate > 0.0) else { continue };
        let top = peak.unwrap_or(y.ends().1).min(y.ends().1);
        // The roof begins where it enters the picture.
        let from = x.ends().0.max(y.ends().0 / rate);
        let to = (top / rate).min(x.ends().1).max(from);
        let points = vec![point(from, from * rate), point(to, to * rate)];
        series.push(Series { name: format!("{name}: {} GB/s", short(rate)), style, draw: Draw::Limit, points });
    }
    if let Some(peak) = peak {
        let points = vec![point(knee.unwrap_or(x.ends().0).max(x.ends().0), peak), point(x.ends().1, peak)];
        let name = format!("CUDA cores, single precision, from clock and cores: {} TFLOP/s", short(peak / 1000.0));
        series.push(Series { name, style: 2, draw: Draw::Limit, points });
    }
    let mut table = FigureTable::new(&["lab", "variant", "FLOP/byte", "GFLOP/s", "bytes", "bound by"]);
    for (i, (lab, kernels)) in labs.iter().enumerate() {
        let bound = |kernel: &Kernel| match knee {
            Some(knee) if kernel.intensity < knee => "memory",
            Some(_) => "arithmetic",
            None => "",
        };
        let mark = |kernel: &Kernel| {
            let tip = format!(
                "{lab} {}: {} GFLOP/s at {} FLOP/byte{}",
                kernel.row.name(),
                short(kernel.gflop_per_s),
                short(kernel.intensity),
                predicted(kernel)
            );
            Point { x: kernel.intensity, y: kernel.gflop_per_s, tip }
        };
        for (draw, name) in [(Draw::Points, (*lab).to_string()), (Draw::Predicted, format!("{lab}, predicted"))] {
            let of = kernels.iter().filter(|kernel| kernel.is_predicted == (draw == Draw::Predicted));
            let points: Vec<Point> = of.map(mark).collect();
            if !points.is_empty() {
                series.push(Series { name, style: i % STYLES, draw, points });
            }
        }
        table.rows.extend(kernels.iter().map(|kernel| {
            vec![
                (*lab).to_string(),
                format!("{}{}", kernel.row.name(), predicted(kernel)),
                short(kernel.intensity),
                short(kernel.gflop_per_s),
                kernel.row.bytes().map_or(String::new(), size),
                bound(kernel).into(),
            ]
        }));
    }
    let plot = Plot {
        x: Axis::new("arithmetic intensity (FLOP/byte)", x),
        y: Axis::new("GFLOP/s", y),
        series,
        marks: Vec::new(),
    };
    let mut says = vec![
        "Each point is a variant's fastest case. How far it lies below the roof above it is what is left to gain."
            .into(),
    ];
    if all().any(|kernel| kernel.is_predicted) {
        says.push(
            "Hatched points are predicted from what the embedded machine counted; they were not measured.".into(),
        );
    }
    if let Some(knee) = knee {
        says.push(format!(
            "Below {} FLOP/byte the memory is the limit, above it the arithmetic. The bytes are those that must be moved. Tensor cores can pass the flat roof.",
            short(knee)
        ));
    }
    let title = match (all().all(|kernel| kernel.is_predicted), "Roofline: every kernel under the device's limits") {
        (true, _) => "Predicted roofline: every kernel under a GPU's limits",
        (false, measured) => measured,
    };
    Some(Figure { title: title.into(), says, chart: Chart::Plot(plot), table })
}

fn point(x: f64, y: f64) -> Point {
    Point { x, y, tip: String::new() }
}

/// Returns the text that marks a predicted kernel.
fn predicted(kernel: &Kernel) -> &'static str {
    if kernel.is_predicted { ", predicted" } else { "" }
}

/// Returns the fastest row of each right variant, as measured and as predicted.
fn kernels<'r>(rows: &'r [Row], catalog: &LabCatalog) -> Vec<Kernel<'r>> {
    let foretold = |row: &Row| row.prediction().map(|all| all.ms).filter(|ms| *ms > 0.0);
    let mut all = fastest(rows, catalog, false, Row::ms);
    all.extend(fastest(rows, catalog, true, foretold));
    all
}

fn fastest<'r>(
    rows: &'r [Row],
    catalog: &LabCatalog,
    is_predicted: bool,
    ms: impl Fn(&Row) -> Option<f64>,
) -> Vec<Kernel<'r>> {
    let mut best: Vec<Kernel> = Vec::new();
    for row in rows.iter().filter(|row| catalog.is_right(row)) {
        let (Some(bytes), Some(flop)) = (least_bytes(row), row.flop().or_else(|| flop_of(row))) else {
            continue;
        };
        if bytes <= 0.0 || flop <= 0.0 {
            continue;
        }
        let Some(ms) = ms(row) else { continue };
        let kernel = Kernel { row, intensity: flop / bytes, gflop_per_s: flop / ms / 1e6, is_predicted };
        match best.iter_mut().find(|known| known.row.variant() == row.variant()) {
            Some(known) if known.gflop_per_s < kernel.gflop_per_s => *known = kernel,
            Some(_) => {}
            None => best.push(kernel),
        }
    }
    best
}

/// Returns the minimum bytes that the case must move. A matrix product's shape implies them.
fn least_bytes(row: &Row) -> Option<f64> {
    row.bytes().or_else(|| {
        let (m, k, n) = (row.own_named(drawn::ROWS)?, row.own_named(drawn::INNER)?, row.size()?);
        Some(4.0 * (m * k + k * n + m * n))
    })
}

/// Returns the operations of a matrix product, from its shape.
fn flop_of(row: &Row) -> Option<f64> {
    Some(2.0 * row.own_named(drawn::ROWS)? * row.own_named(drawn::INNER)? * row.size()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{LabRows, fixtures::row};

    #[test]
    fn each_right_variant_is_there_once_with_its_fastest_case() {
        let at = |variant: &str, case: &str, ms: &str, mistake: &str| {
            row(&[
                ("variant", variant),
                ("case", case),
                ("time_median_ms", ms),
                ("bytes", "4000000"),
                ("flop", "2000000"),
                ("mistake", mistake),
            ])
        };
        let rows = vec![
            at("a", "slow", "2", ""),
            at("a", "fast", "1", ""),
            at("b", "", "1", "a race"),
            row(&[("time_median_ms", "1")]),
        ];
        let lab = LabRows { lab: "x".into(), rows, ..LabRows::default() };
        let run = Run { folder: "x".into(), sessions: Vec::new(), labs: vec![lab], remarks: Vec::new() };
        let figure = figure(&run, &LabCatalog(&[])).unwrap();
        assert_eq!(figure.table.rows, [["x", "a, fast", "0.5", "2", "3.81 MiB", ""].map(String::from).to_vec()]);
    }

    #[test]
    fn what_is_predicted_is_a_hatched_point_under_the_roofs_of_its_part() {
        let row = row(&[
            ("variant", "a"),
            ("device", "emulated"),
            ("time_median_ms", "9"),
            ("predicted_ms", "1"),
            ("bytes", "4000000"),
            ("flop", "2000000"),
        ]);
        let predicted = harness::Predicted {
            part: "NVIDIA H200".into(),
            in_all: None,
            not_predicted: None,
            transfer: None,
            launches: Vec::new(),
        };
        let details = vec![harness::Details { predicted: Some(predicted), ..harness::Details::default() }];
        let lab = LabRows { lab: "x".into(), rows: vec![row], details, story: None };
        let run = Run { folder: "x".into(), sessions: Vec::new(), labs: vec![lab], remarks: Vec::new() };
        let figure = figure(&run, &LabCatalog(&[])).unwrap();
        assert!(figure.title.starts_with("Predicted") && figure.says[1].contains("not measured"), "{figure:?}");
        assert_eq!(figure.table.rows[0][1..4], ["a, predicted", "0.5", "2"]);
        let Chart::Plot(plot) = &figure.chart else { panic!("{figure:?}") };
        let names: Vec<(&str, Draw)> = plot.series.iter().map(|s| (s.name.as_str(), s.draw)).collect();
        assert_eq!(names.last(), Some(&("x, predicted", Draw::Predicted)));
        assert!(names[0].0.starts_with("device memory, reads") && names[1].0.contains("TFLOP/s"), "{names:?}");
        let svg = plot.svg("x").into_string();
        assert!(svg.contains(r#"class="point predicted stroke0""#), "{svg}");
    }
}

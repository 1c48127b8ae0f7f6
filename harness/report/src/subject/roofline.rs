//! The roofline: every kernel by its operations a byte and its operations a second, under the device's roofs.
use crate::{
    picture::{
        figure::{Figure, Picture, Table},
        plot::{Axis, Draw, Plot, Point, STYLES, Series},
        scale::Scale,
    },
    run::{folder::Run, row::Row},
    subject::known::Known,
    words::{short, size},
};

/// The best row of each variant that has bytes and operations, as points.
struct Kernel<'r> {
    row: &'r Row,
    /// Operations a byte that must be moved.
    intensity: f64,
    gflop_per_s: f64,
}

/// The figure; `None` where no kernel has been timed that has both.
pub fn figure(run: &Run, known: &Known) -> Option<Figure> {
    let mut labs: Vec<(&str, Vec<Kernel>)> = Vec::new();
    for lab in &run.labs {
        let kernels = kernels(&lab.rows, known);
        if !kernels.is_empty() {
            labs.push((&lab.lab, kernels));
        }
    }
    let all = || labs.iter().flat_map(|lab| &lab.1);
    all().next()?;
    let session = run.session_of(labs[0].0);
    let peak = session.and_then(|session| session.device.peak_gflop_per_s());
    let copy = session.and_then(|session| session.ceilings).map(|ceilings| ceilings.device_copy_gb_per_s);
    let link = session.and_then(|session| session.ceilings).map(|ceilings| ceilings.h2d_gb_per_s);
    let knee = peak.zip(copy).map(|(peak, copy)| peak / copy);
    let x = Scale::log(all().map(|k| k.intensity).chain(knee.map(|knee| 3.0 * knee)));
    let y = Scale::log(all().map(|k| k.gflop_per_s).chain(peak));
    let mut series = Vec::new();
    for (name, style, rate) in [("link, host to device", 1, link), ("device memory, measured copy", 0, copy)] {
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
    let mut table = Table::new(&["lab", "variant", "flop a byte", "GFLOP/s", "bytes", "bound by"]);
    for (i, (lab, kernels)) in labs.iter().enumerate() {
        let bound = |kernel: &Kernel| match knee {
            Some(knee) if kernel.intensity < knee => "memory",
            Some(_) => "arithmetic",
            None => "",
        };
        let mark = |kernel: &Kernel| {
            let tip = format!(
                "{lab} {}: {} GFLOP/s at {} flop a byte",
                kernel.row.name(),
                short(kernel.gflop_per_s),
                short(kernel.intensity)
            );
            Point { x: kernel.intensity, y: kernel.gflop_per_s, tip }
        };
        series.push(Series {
            name: (*lab).into(),
            style: i % STYLES,
            draw: Draw::Points,
            points: kernels.iter().map(mark).collect(),
        });
        table.rows.extend(kernels.iter().map(|kernel| {
            vec![
                (*lab).to_string(),
                kernel.row.name(),
                short(kernel.intensity),
                short(kernel.gflop_per_s),
                kernel.row.number("bytes").map_or(String::new(), size),
                bound(kernel).into(),
            ]
        }));
    }
    let plot = Plot {
        x: Axis::new("operations a byte that must be moved", x),
        y: Axis::new("GFLOP/s", y),
        series,
        marks: Vec::new(),
    };
    let mut says = vec![
        "Each point is a variant's fastest case. How far it lies below the roof above it is what is left to gain."
            .into(),
    ];
    if let Some(knee) = knee {
        says.push(format!(
            "With fewer than {} operations a byte the memory is the limit, with more the arithmetic. Tensor cores can pass the flat roof.",
            short(knee)
        ));
    }
    Some(Figure {
        title: "Roofline: every kernel under the device's limits".into(),
        says,
        picture: Picture::Plot(plot),
        table,
    })
}

fn point(x: f64, y: f64) -> Point {
    Point { x, y, tip: String::new() }
}

/// The fastest row of each right variant.
fn kernels<'r>(rows: &'r [Row], known: &Known) -> Vec<Kernel<'r>> {
    let mut best: Vec<Kernel> = Vec::new();
    for row in rows.iter().filter(|row| row.ms().is_some() && known.is_right(row)) {
        let (Some(bytes), Some(flop)) = (least_bytes(row), row.number("flop").or_else(|| flop_of(row))) else {
            continue;
        };
        if bytes <= 0.0 || flop <= 0.0 {
            continue;
        }
        let Some(ms) = row.ms() else { continue };
        let kernel = Kernel { row, intensity: flop / bytes, gflop_per_s: flop / ms / 1e6 };
        match best.iter_mut().find(|known| known.row.variant() == row.variant()) {
            Some(known) if known.gflop_per_s < kernel.gflop_per_s => *known = kernel,
            Some(_) => {}
            None => best.push(kernel),
        }
    }
    best
}

/// The least bytes that the case must move. A product of matrices has them in its shape.
fn least_bytes(row: &Row) -> Option<f64> {
    row.number("bytes").or_else(|| {
        let (m, k, n) = (row.number("m")?, row.number("k")?, row.number("n")?);
        Some(4.0 * (m * k + k * n + m * n))
    })
}

/// The operations of a product of matrices, by its shape.
fn flop_of(row: &Row) -> Option<f64> {
    Some(2.0 * row.number("m")? * row.number("k")? * row.number("n")?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{folder::LabRows, row::tests::row};

    #[test]
    fn each_right_variant_is_there_once_with_its_fastest_case() {
        let at = |variant: &str, case: &str, ms: &str, note: &str| {
            row(&[
                ("variant", variant),
                ("case", case),
                ("time_median_ms", ms),
                ("bytes", "4000000"),
                ("flop", "2000000"),
                ("note", note),
            ])
        };
        let rows = vec![
            at("a", "slow", "2", ""),
            at("a", "fast", "1", ""),
            at("b", "", "1", "wrong on purpose (x)"),
            row(&[("time_median_ms", "1")]),
        ];
        let lab = LabRows { lab: "x".into(), rows, details: Vec::new() };
        let run = Run { folder: "x".into(), sessions: Vec::new(), labs: vec![lab], remarks: Vec::new() };
        let figure = figure(&run, &Known(&[])).unwrap();
        assert_eq!(figure.table.rows, [["x", "a, fast", "0.5", "2", "3.81 MiB", ""].map(String::from).to_vec()]);
    }
}

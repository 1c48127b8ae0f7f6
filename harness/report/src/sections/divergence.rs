//! The cost of divergence: as a function of the number of paths that a warp splits into, of the active lanes, and of
//! the work itself.
use record::{Column, LabRows, Row, drawn};

use crate::{
    charts::{
        figure::{Chart, Figure, FigureTable},
        plot::{Axis, Draw, Plot, Point, Series},
        scale::Scale,
    },
    number_format::{short, time},
};

/// A cost that is counted as a multiple: the columns of x and y, and the texts.
struct Cost {
    along: &'static Column,
    cost: &'static Column,
    title: &'static str,
    x: &'static str,
    y: &'static str,
    /// The cost if paths were executed one after another: drawn as a second line.
    ideal: Option<fn(f64) -> f64>,
}

const COSTS: [Cost; 2] = [
    Cost {
        along: &drawn::WAYS,
        cost: &drawn::COST_OF_ONE_WAY,
        title: "What it costs when a warp splits",
        x: "ways that a warp splits into",
        y: "times the cost of one way",
        ideal: Some(|ways| ways),
    },
    Cost {
        along: &drawn::WORKING_LANES,
        cost: &drawn::COST_OF_ALL_LANES,
        title: "What lanes without work save",
        x: "lanes of a warp that have work",
        y: "times the cost of all 32 lanes",
        ideal: None,
    },
];

/// Returns the figures of a lab whose rows have these columns.
pub fn figures(lab: &LabRows) -> Vec<Figure> {
    COSTS.iter().filter_map(|cost| multiple(lab, cost)).chain(rounds(lab)).collect()
}

fn multiple(lab: &LabRows, kind: &Cost) -> Option<Figure> {
    let rows: Vec<(&Row, f64, f64)> = (lab.rows.iter())
        .filter_map(|row| Some((row, row.own(kind.along).filter(|x| *x > 0.0)?, row.own(kind.cost)?)))
        .collect();
    if rows.len() < 3 {
        return None;
    }
    let is_emulated = rows[0].0.is_emulated();
    let what = if is_emulated { "instructions, counted" } else { "time, measured" };
    let mut table = FigureTable::new(&[kind.x, kind.y]);
    table.rows = rows.iter().map(|(_, x, y)| vec![short(*x), short(*y)]).collect();
    let point =
        |(row, x, y): &(&Row, f64, f64)| Point { x: *x, y: *y, tip: format!("{}: {} ({what})", row.name(), short(*y)) };
    let points: Vec<Point> = rows.iter().map(point).collect();
    let last = rows.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let first = rows.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let says = match kind.ideal {
        Some(_) => format!("{} ways cost {} times what one way costs ({what}).", short(last.1), short(last.2)),
        None => format!(
            "A warp with work for {} lane costs {} times what a full one costs ({what}): idle lanes save nothing.",
            short(first.1),
            short(first.2)
        ),
    };
    let mut series = Vec::new();
    if let Some(ideal) = kind.ideal {
        let points = rows.iter().map(|(_, x, _)| Point {
            x: *x,
            y: ideal(*x),
            tip: format!("one after another: {}", short(ideal(*x))),
        });
        series.push(Series {
            name: "one way after another".into(),
            style: 7,
            draw: Draw::Dashed,
            points: points.collect(),
        });
    }
    let most = points.iter().map(|p| p.y).fold(0.0, f64::max);
    series.push(Series { name: what.into(), style: 0, draw: Draw::Line, points });
    let named = |x: f64| (x, short(x));
    let x = Axis {
        title: kind.x.into(),
        scale: Scale::log(rows.iter().map(|row| row.1)),
        named: rows.iter().map(|row| named(row.1)).collect(),
    };
    let scale =
        if kind.ideal.is_some() { Scale::log(rows.iter().map(|row| row.2)) } else { Scale::linear(most.max(1.2)) };
    let plot = Plot { x, y: Axis::new(kind.y, scale), series, marks: Vec::new() };
    Some(Figure { title: kind.title.into(), says: vec![says], chart: Chart::Plot(plot), table })
}

/// A row, the work on each path, and its time in ms.
type Timed<'r> = (&'r Row, f64, f64);

/// Plots the time of variants with different branch patterns against the work on each path.
fn rounds(lab: &LabRows) -> Option<Figure> {
    let mut lines: Vec<(&str, Vec<Timed>)> = Vec::new();
    for row in &lab.rows {
        let (Some(rounds), Some(ms)) = (row.own(&drawn::ROUNDS), row.ms()) else { continue };
        match lines.iter_mut().find(|line| line.0 == row.variant()) {
            Some((_, points)) => points.push((row, rounds, ms)),
            None => lines.push((row.variant(), vec![(row, rounds, ms)])),
        }
    }
    let differs = |points: &[(&Row, f64, f64)]| points.iter().any(|point| point.1 != points[0].1);
    lines.retain(|(_, points)| points.len() >= 3 && differs(points));
    if lines.is_empty() {
        return None;
    }
    let all = || lines.iter().flat_map(|line| &line.1);
    let mut table = FigureTable::new(&["variant", "multiply-adds on each way", "time"]);
    table.rows = all().map(|(row, rounds, ms)| vec![row.variant().into(), short(*rounds), time(*ms)]).collect();
    let series = lines.iter().enumerate().map(|(style, (variant, points))| {
        let point = |(_, x, y): &(&Row, f64, f64)| Point {
            x: *x,
            y: *y,
            tip: format!("{variant}, {} multiply-adds: {}", short(*x), time(*y)),
        };
        Series { name: (*variant).into(), style, draw: Draw::Line, points: points.iter().map(point).collect() }
    });
    let plot = Plot {
        x: Axis::new("multiply-adds on each way", Scale::log(all().map(|point| point.1))),
        y: Axis::new("ms", Scale::log(all().map(|point| point.2))),
        series: series.collect(),
        marks: Vec::new(),
    };
    let says = lines.windows(2).filter_map(|pair| {
        let (a, b) = (pair[0].1.last()?, pair[1].1.last()?);
        let (slow, fast) = if a.2 > b.2 { (a, b) } else { (b, a) };
        let (slow_name, fast_name) = if a.2 > b.2 { (pair[0].0, pair[1].0) } else { (pair[1].0, pair[0].0) };
        (a.1 == b.1).then(|| {
            format!(
                "With {} multiply-adds {slow_name} takes {} times as long as {fast_name}.",
                short(a.1),
                short(slow.2 / fast.2)
            )
        })
    });
    Some(Figure {
        title: "Divergence against the work on each way".into(),
        says: says.step_by(2).collect(),
        chart: Chart::Plot(plot),
        table,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::fixtures::row;

    #[test]
    fn the_cost_is_said_and_emulated_costs_are_counted() {
        let at = |ways: &str, cost: &str| {
            row(&[
                ("variant", "ways"),
                ("case", ways),
                ("device", "emulated"),
                ("ways", ways),
                ("cost_of_one_way", cost),
            ])
        };
        let rows = vec![at("1", "1"), at("2", "2"), at("32", "31")];
        let figures = figures(&LabRows { lab: "x".into(), rows, ..LabRows::default() });
        assert_eq!(figures.len(), 1);
        assert_eq!(figures[0].says, ["32 ways cost 31 times what one way costs (instructions, counted)."]);
    }

    #[test]
    fn lines_over_rounds_need_a_gpus_time() {
        let at = |device: &str, variant: &str, rounds: &str, ms: &str| {
            row(&[("variant", variant), ("device", device), ("rounds", rounds), ("time_median_ms", ms)])
        };
        let rows = |device: &str| {
            [("1", "1"), ("4", "2"), ("16", "4")]
                .iter()
                .flat_map(|(r, ms)| [at(device, "together", r, ms), at(device, "apart", r, "1")])
                .collect::<Vec<_>>()
        };
        let figures_of = |device: &str| figures(&LabRows { lab: "x".into(), rows: rows(device), ..LabRows::default() });
        assert_eq!(figures_of("cuda")[0].says, ["With 16 multiply-adds together takes 4 times as long as apart."]);
        assert!(figures_of("emulated").is_empty());
    }
}

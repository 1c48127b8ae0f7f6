//! Occupancy as a function of the block size, and bandwidth as a function of the bytes in flight.
use record::{LabRows, Row, drawn};

use crate::{
    charts::{
        figure::{Chart, Figure, FigureTable},
        plot::{Axis, Draw, Plot, Point, Series},
        scale::Scale,
    },
    number_format::{grouped, short, time},
};

/// Returns the figures of a lab whose rows have these columns.
pub fn figures(lab: &LabRows) -> Vec<Figure> {
    curves(lab).into_iter().chain(in_flight(lab)).collect()
}

/// Returns the variants that have `column` in at least three rows, with those rows.
fn variants(lab: &LabRows, has: impl Fn(&Row) -> bool) -> Vec<(&str, Vec<&Row>)> {
    let mut found: Vec<(&str, Vec<&Row>)> = Vec::new();
    for row in lab.rows.iter().filter(|row| has(row)) {
        match found.iter_mut().find(|known| known.0 == row.variant()) {
            Some((_, rows)) => rows.push(row),
            None => found.push((row.variant(), vec![row])),
        }
    }
    found.retain(|(_, rows)| rows.len() >= 3);
    found
}

fn curves(lab: &LabRows) -> Option<Figure> {
    let is_curve = |row: &Row| {
        row.case().starts_with("block ")
            && row.threads_in_a_line().is_some()
            && row.own(&drawn::THEORETICAL_PERCENT).is_some()
    };
    let variants = variants(lab, is_curve);
    let first = variants.first()?;
    let blocks: Vec<f64> = first.1.iter().filter_map(|row| row.threads_in_a_line()).collect();
    let mut series = Vec::new();
    let mut table =
        FigureTable::new(&["variant", "threads of a block", "calculated, %", "achieved, %", "limited by", "time"]);
    let mut says = Vec::new();
    for (style, (variant, rows)) in variants.iter().enumerate() {
        for (column, draw, what) in [
            (&drawn::THEORETICAL_PERCENT, Draw::Dashed, "calculated"),
            (&drawn::ACHIEVED_PERCENT, Draw::Line, "achieved"),
        ] {
            let point = |row: &&Row| {
                let (x, y) = (row.threads_in_a_line()?, row.own(column)?);
                let limiter = row.own_text(&drawn::LIMITER);
                Some(Point {
                    x,
                    y,
                    tip: format!("{variant}, blocks of {x}: {what} {} %, limited by {limiter}", short(y)),
                })
            };
            let points: Vec<Point> = rows.iter().filter_map(point).collect();
            if !points.is_empty() {
                series.push(Series { name: format!("{variant}, {what}"), style, draw, points });
            }
        }
        let fastest = rows.iter().filter_map(|row| Some((row, row.ms()?))).min_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((row, ms)) = fastest {
            let share = row.own(&drawn::THEORETICAL_PERCENT).unwrap_or(0.0);
            says.push(format!(
                "{variant} is the fastest with blocks of {}: {}, at {} % occupancy.",
                row.block.as_deref().unwrap_or_default(),
                time(ms),
                short(share)
            ));
        }
        table.rows.extend(rows.iter().map(|row| {
            let percent = |column| row.own(column).map_or(String::new(), short);
            let ms = row.ms().map_or(String::new(), time);
            vec![
                (*variant).into(),
                row.threads_in_a_line().map_or(String::new(), short),
                percent(&drawn::THEORETICAL_PERCENT),
                percent(&drawn::ACHIEVED_PERCENT),
                row.own_text(&drawn::LIMITER),
                ms,
            ]
        }));
    }
    let x = Axis {
        title: "threads of a block".into(),
        scale: Scale::log(blocks.iter().copied()),
        named: blocks.iter().map(|block| (*block, grouped(*block))).collect(),
    };
    let plot =
        Plot { x, y: Axis::new("resident warps, % of the most", Scale::linear(100.0)), series, marks: Vec::new() };
    Some(Figure {
        title: "Occupancy against the size of a block".into(),
        says,
        chart: Chart::Plot(plot),
        table: table.without_empty_columns(),
    })
}

/// Plots Little's law: the bytes in flight, and the resulting bandwidth.
fn in_flight(lab: &LabRows) -> Option<Figure> {
    let variants =
        variants(lab, |row| row.ms().is_some() && row.own(&drawn::KIB_IN_FLIGHT).is_some() && row.gb_per_s.is_some());
    let rows: Vec<&Row> = variants.into_iter().flat_map(|(_, rows)| rows).collect();
    rows.first()?;
    let mut table = FigureTable::new(&["case", "KiB in flight on a multiprocessor", "GB/s", "% of ceiling"]);
    let mut points = Vec::new();
    for row in &rows {
        let (x, y) = (row.own(&drawn::KIB_IN_FLIGHT)?, row.gb_per_s?);
        points.push(Point { x, y, tip: format!("{}: {} KiB in flight, {} GB/s", row.case(), short(x), short(y)) });
        let share = row.percent_of_ceiling.map_or(String::new(), short);
        table.rows.push(vec![row.case().into(), short(x), short(y), share]);
    }
    let best = points.iter().max_by(|a, b| a.y.total_cmp(&b.y))?;
    let least = points.iter().filter(|point| point.y >= 0.85 * best.y).min_by(|a, b| a.x.total_cmp(&b.x))?;
    let says = vec![format!(
        "{} KiB in flight on each multiprocessor bring 85 % of the most, {} GB/s; whether many threads have them, or few with more loads each, matters little.",
        short(least.x),
        short(best.y)
    )];
    let y = Axis::new("GB/s", Scale::linear(best.y));
    let x = Axis {
        title: "KiB in flight on a multiprocessor".into(),
        scale: Scale::log(points.iter().map(|point| point.x)),
        named: Vec::new(),
    };
    let series = vec![Series { name: "measured".into(), style: 0, draw: Draw::Points, points }];
    let plot = Plot { x, y, series, marks: Vec::new() };
    Some(Figure { title: "Bandwidth against bytes in flight".into(), says, chart: Chart::Plot(plot), table })
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::fixtures::row;

    #[test]
    fn a_variant_has_a_calculated_and_an_achieved_curve() {
        let at = |block: &str, calculated: &str, achieved: &str, ms: &str| {
            let case = format!("block {block}");
            row(&[
                ("variant", "v"),
                ("case", &case),
                ("block", block),
                ("theoretical_percent", calculated),
                ("achieved_percent", achieved),
                ("time_median_ms", ms),
            ])
        };
        let rows = vec![at("32", "50", "17", "3"), at("64", "100", "85", "2"), at("128", "100", "", "4")];
        let figures = figures(&LabRows { lab: "x".into(), rows, ..LabRows::default() });
        let Chart::Plot(plot) = &figures[0].chart else { panic!() };
        let counts: Vec<(Draw, usize)> = plot.series.iter().map(|s| (s.draw, s.points.len())).collect();
        assert_eq!(counts, [(Draw::Dashed, 3), (Draw::Line, 2)]);
        assert_eq!(figures[0].says, ["v is the fastest with blocks of 64: 2 ms, at 100 % occupancy."]);
        assert_eq!(figures.len(), 1);
    }
}

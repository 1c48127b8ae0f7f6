//! The phases of a pass, one after another, for each mode: in the first pass and in later ones.
use record::{LabRows, Row, drawn::Pass};

use crate::{
    charts::{
        figure::{Chart, Figure, FigureTable},
        stacks::{Stack, Stacks},
    },
    number_format::{grouped, short, time},
};

/// The passes, and their descriptions.
const PASSES: [(Pass, &str); 2] = [(Pass::First, "the first pass, with allocation"), (Pass::Warm, "later passes")];

/// The names of the phases' columns, and descriptions of the phases.
const PHASES: [(&str, &str); 6] = [
    ("allocate", "allocation"),
    ("touch", "the host writes"),
    ("h2d", "to the device"),
    ("kernel", "the kernel"),
    ("d2h", "back to the host"),
    ("host_read", "the host reads"),
];

/// Returns a figure for each pass, at the largest size that the most modes have.
pub fn figures(lab: &LabRows) -> Vec<Figure> {
    let rows: Vec<&Row> =
        lab.rows.iter().filter(|row| row.ms().is_some() && step(row, Pass::Warm, "kernel").is_some()).collect();
    let Some(n) = rows.iter().filter_map(|row| row.size()).max_by(f64::total_cmp) else {
        return Vec::new();
    };
    let rows: Vec<&Row> = rows.into_iter().filter(|row| row.size() == Some(n)).collect();
    PASSES.iter().filter_map(|(pass, title)| figure(&rows, *pass, title, n)).collect()
}

/// Returns the time of a step of a pass, in ms.
fn step(row: &Row, pass: Pass, step: &str) -> Option<f64> {
    row.own_named(&pass.column(step))
}

fn figure(rows: &[&Row], pass: Pass, title: &str, n: f64) -> Option<Figure> {
    let value = |row: &Row, phase: &str| step(row, pass, phase);
    let is_used = |(_, phase): &(usize, &(&str, &str))| rows.iter().any(|row| value(row, phase.0).is_some());
    // A phase has the same colour in both passes.
    let (styles, phases): (Vec<usize>, Vec<&(&str, &str)>) = PHASES.iter().enumerate().filter(is_used).unzip();
    let is_one_case = rows.iter().all(|row| row.case() == rows[0].case());
    let name = |row: &Row| if is_one_case { row.variant().to_string() } else { row.name() };
    let mut table = FigureTable::new(&["mode"]);
    table.headings.extend(phases.iter().map(|phase| format!("{}, ms", phase.1)));
    table.headings.push("together, ms".into());
    let mut stacks = Vec::new();
    for row in rows {
        let values: Vec<f64> = phases.iter().map(|phase| value(row, phase.0).unwrap_or(0.0).max(0.0)).collect();
        let total: f64 = values.iter().sum();
        let cells = phases.iter().map(|phase| value(row, phase.0).map_or(String::new(), short));
        table.rows.push([name(row)].into_iter().chain(cells).chain([short(total)]).collect());
        stacks.push(Stack { name: name(row), text: time(total), values });
    }
    let total = |stack: &Stack| stack.values.iter().sum::<f64>();
    let least = stacks.iter().min_by(|a, b| total(a).total_cmp(&total(b)))?;
    let largest = (0..phases.len()).max_by(|&a, &b| least.values[a].total_cmp(&least.values[b]))?;
    let says = vec![
        format!(
            "{} takes the least, {}; most of it, {}, is spent on: {}.",
            least.name,
            time(total(least)),
            time(least.values[largest]),
            phases[largest].1
        ),
        "Phases that a mode overlaps, or that pages do on demand, are counted where the program waits for them.".into(),
    ];
    let parts = styles.into_iter().zip(phases.iter().map(|phase| phase.1.to_string())).collect();
    Some(Figure {
        title: format!("Where the time goes in {title}, n = {}", grouped(n)),
        says,
        chart: Chart::Stacks(Stacks { unit: "ms".into(), parts, stacks }),
        table,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::fixtures::row;

    #[test]
    fn phases_are_stacked_at_the_largest_size() {
        let at = |n: &str, kernel: &str| {
            row(&[
                ("variant", "m"),
                ("n", n),
                ("time_median_ms", "1"),
                ("warm_kernel_ms", kernel),
                ("warm_h2d_ms", "2"),
                ("first_touch_ms", "7"),
            ])
        };
        let lab = LabRows { lab: "x".into(), rows: vec![at("1", "9"), at("8", "5")], ..LabRows::default() };
        let figures = figures(&lab);
        assert_eq!(figures.len(), 2);
        let Chart::Stacks(warm) = &figures[1].chart else { panic!() };
        assert_eq!(
            (warm.parts.iter().map(|part| part.1.as_str()).collect::<Vec<_>>().join(" / "), &warm.stacks[0].values),
            ("to the device / the kernel".into(), &vec![2.0, 5.0])
        );
        assert!(
            figures[1].says[0].contains("7 ms; most of it, 5 ms, is spent on: the kernel"),
            "{:?}",
            figures[1].says
        );
    }
}

//! Many steps of Jacobi's method on a small plane: a fixed number of steps, and steps to a tolerance, by each method.
use harness::{Case, Error, Launch, Result, Row, Run, Sizes};

use crate::{
    WAYS, cluster,
    plane::{point_launch, points},
    reference::{self, Jacobi},
    steps::{BLOCK, Goal, Graphs, Planes, STEPS_A_LAUNCH, Way, blocked_launch},
};

/// The number of steps after which a run to a tolerance gives up.
const LIMIT: u32 = 100_000;

pub(crate) fn run(run: &Run) -> Result<()> {
    if run.rows(WAYS).next().is_none() {
        return Ok(());
    }
    let limit = run.count("steps").unwrap_or_else(|| run.pick(Sizes { gpu: 500, emulated: 500, quick: 13 }) as u32);
    let fixed = Goal { limit, every: 0, tolerance: 0.0 };
    let tolerance = run.args().get_one::<f32>("tolerance").copied().unwrap_or(1e-4);
    let until = Goal { limit: LIMIT, every: run.count("every").unwrap_or(50), tolerance };
    for (goal, quick) in [(fixed, 40), (until, 12)] {
        let side = run.pick(Sizes { gpu: 128, emulated: 128, quick }) as u32;
        let width = run.count("width").unwrap_or(side);
        let height = run.count("height").unwrap_or(side);
        let points = points(run, width, height)?;
        let start = if run.is_given("random-start") {
            reference::bordered(&run.inputs("start").f32(points, 0.0..1.0), width as usize)
        } else {
            reference::start(width as usize, height as usize)
        };
        let expected = reference::jacobi(start.clone(), width as usize, goal.limit, goal.every, goal.tolerance);
        let double = start.iter().map(|x| f64::from(*x)).collect();
        let exact = reference::jacobi(double, width as usize, expected.steps, 0, 0.0);
        // Which of the two planes is copied back matters only if the loop ends early.
        let leaves_early = goal.every > 0;
        for row in run.rows(WAYS).filter(|row| leaves_early || row.with != Way::BreakFirst) {
            one(run, row, (width, height), goal, &start, &expected, &exact)?;
        }
    }
    Ok(())
}

fn one(
    run: &Run,
    row: &Row<Way>,
    (width, height): (u32, u32),
    goal: Goal,
    start: &[f32],
    expected: &Jacobi<f32>,
    exact: &Jacobi<f64>,
) -> Result<()> {
    let label = if goal.every == 0 {
        format!("{width}x{height}, {} steps", goal.limit)
    } else {
        format!("{width}x{height}, to {:e}, a look every {}", goal.tolerance, goal.every)
    };
    let random = run.is_given("random-start");
    let label = if random { format!("{label}, random start") } else { label };
    let case = Case::new(row.name()).label(label).n(start.len());
    let points = point_launch(width, height, BLOCK, 0);
    let case = match row.with {
        Way::Blocked => case.launch(blocked_launch(width, height, STEPS_A_LAUNCH)),
        // Other devices have no kernel for it: the row is skipped.
        Way::Cluster => {
            let case = case.kernel("jacobi_hopper.cu", "cluster");
            if run.session().device.compute_capability == (9, 0) { case.launch(cluster::LAUNCH) } else { case }
        }
        Way::Persistent => case.kernel("jacobi.cu", "persistent").launch(Launch::resident(points)),
        _ => case.launch(points),
    };
    run.case(case, |case| {
        if row.with == Way::Cluster && width.max(height) > cluster::SIDE {
            let most = cluster::SIDE;
            let words = format!("a cluster holds at most {most} x {most} points, not {width} x {height}");
            return Err(run.unsuited(row.name(), words));
        }
        let mut planes = Planes::new(run, row.with, (width, height), start)?;
        let launch = case.launch();
        let graph = if row.with == Way::Graph { Some(Graphs::capture(&planes, goal)?) } else { None };
        let device = &run.session().device;
        if matches!(row.with, Way::Persistent | Way::InPlace) && !device.cooperative_launch {
            return Err(Error::skip("the device has no cooperative launch"));
        }
        let blocks = launch.grid_dim.0 * launch.grid_dim.1;
        let resident = planes.resident(launch)? * device.multiprocessors;
        if row.with == Way::InPlace && blocks > resident {
            let words = format!("its {blocks} blocks wait for each other, and only {resident} are resident at once");
            return Err(run.unsuited(row.name(), words));
        }
        case.set("width", width);
        case.set("height", height);
        case.set("steps", expected.steps);
        case.set("look_every", (goal.every > 0).then_some(goal.every));
        let times = case.measure_wall(
            &mut planes,
            Planes::reset,
            |planes| match row.with {
                Way::Persistent | Way::InPlace => planes.cooperative(goal, launch),
                _ => planes.by_launches(goal, graph.as_ref()),
            },
            |planes| planes.check(expected, exact),
        )?;
        if !run.is_emulated() {
            case.set("us_per_step", times.median * 1e3 / f64::from(expected.steps.max(1)));
        }
        case.set("largest_change", expected.change);
        // Inside a border of 0 the solution is 0.
        let solution =
            if random { vec![0.0; start.len()] } else { reference::solution(width as usize, height as usize) };
        let distances = expected.u.iter().zip(solution).map(|(u, s)| (f64::from(*u) - s).abs());
        case.set("distance_from_solution", distances.fold(0.0, f64::max));
        Ok(())
    })?;
    Ok(())
}

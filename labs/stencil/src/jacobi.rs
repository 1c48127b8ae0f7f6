//! Jacobi's method: one step on a large plane, and many steps on a small one in five ways.
use std::{collections::BTreeMap, sync::Arc};

use cudarc::driver::sys::{self, CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{
    CudaFunction, CudaGraph, CudaSlice, CudaStream, DevicePtr, LaunchConfig, PushKernelArg, result,
};
use harness::{Case, Check, Error, Result, Run, Sizes, Tolerance, poison};

use crate::plane::{march_launch, point_launch, size};
use crate::reference::{self, Jacobi};
use crate::verify::Verifier;
use crate::{count, is_peers_part, points};

/// What peers measured on an H200: GB/s of one step on 20000 x 10000 points, ms of 500 steps on 128 x 128 with a wait each.
const PEER_SWEEP: f64 = 2228.9;
const PEER_500_STEPS_MS: f64 = 4.578;

/// Threads of a block with one point a thread.
const BLOCK: (u32, u32) = (32, 8);

/// Steps that `several` does in a launch; its blocks of 32 x 32 then write 16 x 16 points.
const STEPS_A_LAUNCH: u32 = 8;

/// Steps in a captured graph; even, so that a replay ends in the plane that it began in.
const STEPS_A_GRAPH: u32 = 500;

/// Steps after which a run to a tolerance gives up.
const LIMIT: u32 = 100_000;

pub(crate) fn run(run: &Run) -> Result<()> {
    sweep(run)?;
    many(run)
}

/// One step on a plane larger than the caches.
fn sweep(run: &Run) -> Result<()> {
    if !run.wants("jacobi-sweep") && !run.wants("jacobi-sweep-marching") {
        return Ok(());
    }
    let (width, height) = size(run);
    let points = points(run, width, height)?;
    let start = run.inputs("jacobi").f32(points, -1.0..1.0);
    let expected = reference::jacobi(start.clone(), width as usize, 1, 0, 0.0).u;
    let march = march_launch(
        width,
        height,
        count(run, "rows"),
        run.session().device.multiprocessors,
    );
    for variant in ["jacobi-sweep", "jacobi-sweep-marching"] {
        let marches = variant == "jacobi-sweep-marching";
        let launch = if marches {
            march.launch
        } else {
            point_launch(width, height, BLOCK, 0)
        };
        run.case(
            Case::new(variant)
                .label("one step")
                .n(points)
                .launch(launch),
            |case| {
                if marches && march.columns != 4 {
                    return Err(Error::Skip(format!(
                        "--width is {width}; the marching step needs a multiple of 4"
                    )));
                }
                let stream = run.stream();
                let function = run.function(
                    "jacobi.cu",
                    if marches { "sweep_marching" } else { "sweep" },
                )?;
                let u = stream.clone_htod(&start)?;
                // SAFETY: poisoned before each sample, and read only after the kernel.
                let mut v = unsafe { stream.alloc::<f32>(points) }?;
                case.set("width", width);
                case.set("height", height);
                case.set("steps", 1);
                case.bytes(2 * size_of::<f32>() * points);
                if is_peers_part(run) && !marches && (width, height) == (20000, 10000) {
                    case.set("peer_gb_per_s", PEER_SWEEP);
                }
                let mut verifier = Verifier::new(&expected, Tolerance::EXACT);
                case.measure(
                    &mut v,
                    |v| poison(run, v),
                    |v| {
                        let mut builder = stream.launch_builder(&function);
                        builder.arg(&u).arg(v).arg(&width).arg(&height);
                        if marches {
                            builder.arg(&march.rows);
                        }
                        // SAFETY: these are the kernels' parameters, and both planes are width x height floats.
                        unsafe { builder.launch(launch) }?;
                        Ok(())
                    },
                    |v| Ok(verifier.check(stream.clone_dtoh(v)?)),
                )?;
                Ok(())
            },
        )?;
    }
    Ok(())
}

/// When a run ends.
#[derive(Debug, Clone, Copy)]
struct Goal {
    limit: u32,
    /// Steps between two looks at the largest change; 0: none.
    every: u32,
    tolerance: f32,
}

/// Many steps on a small plane, to a fixed number and to a tolerance.
fn many(run: &Run) -> Result<()> {
    let ways = [
        "jacobi-sync",
        "jacobi-launches",
        "jacobi-graph",
        "jacobi-blocked",
        "jacobi-persistent",
    ];
    if !ways.iter().any(|v| run.wants(v)) {
        return Ok(());
    }
    let side = |gpu, emulated, quick| {
        run.pick(Sizes {
            gpu,
            emulated,
            quick,
        })
    };
    let fixed = Goal {
        limit: count(run, "steps").unwrap_or_else(|| side(500, 100, 13) as u32),
        every: 0,
        tolerance: 0.0,
    };
    let tolerance = run
        .args()
        .get_one::<f32>("tolerance")
        .copied()
        .unwrap_or(1e-4);
    let until = Goal {
        limit: LIMIT,
        every: count(run, "every").unwrap_or(50),
        tolerance,
    };
    // The emulated device takes a smaller plane to the tolerance: its steps grow with the square of the side.
    for (goal, small) in [(fixed, side(128, 128, 40)), (until, side(128, 24, 12))] {
        let width = count(run, "width").unwrap_or(small as u32);
        let height = count(run, "height").unwrap_or(small as u32);
        points(run, width, height)?;
        let start = reference::start(width as usize, height as usize);
        let expected = reference::jacobi(
            start.clone(),
            width as usize,
            goal.limit,
            goal.every,
            goal.tolerance,
        );
        let double = start.iter().map(|x| f64::from(*x)).collect();
        let exact = reference::jacobi(double, width as usize, expected.steps, 0, 0.0);
        for way in ways {
            one(run, way, (width, height), goal, &start, &expected, &exact)?;
        }
    }
    Ok(())
}

#[allow(clippy::too_many_arguments)] // One call; the pieces have nothing else in common.
fn one(
    run: &Run,
    way: &str,
    (width, height): (u32, u32),
    goal: Goal,
    start: &[f32],
    expected: &Jacobi<f32>,
    exact: &Jacobi<f64>,
) -> Result<()> {
    let label = if goal.every == 0 {
        format!("{width}x{height}, {} steps", goal.limit)
    } else {
        format!(
            "{width}x{height}, to {:e}, a look every {}",
            goal.tolerance, goal.every
        )
    };
    let launch = match way {
        "jacobi-blocked" => blocked_launch(width, height, STEPS_A_LAUNCH),
        "jacobi-persistent" => {
            let case = Case::new(way).label(label.as_str()).n(start.len());
            match run.unless_missing(case, persistent_launch(run, width, height))? {
                Some(launch) => launch,
                None => return Ok(()),
            }
        }
        _ => point_launch(width, height, BLOCK, 0),
    };
    run.case(
        Case::new(way).label(label).n(start.len()).launch(launch),
        |case| {
            let mut planes = Planes::new(run, way, (width, height), start)?;
            let graph = if way == "jacobi-graph" {
                Some(Graphs::capture(&planes, goal)?)
            } else {
                None
            };
            if way == "jacobi-persistent" && !run.session().device.cooperative_launch {
                return Err(Error::Skip("the device has no cooperative launch".into()));
            }
            case.set("width", width);
            case.set("height", height);
            case.set("steps", expected.steps);
            if goal.every > 0 {
                case.set("look_every", goal.every);
            }
            if is_peers_part(run)
                && way == "jacobi-sync"
                && (width, height, goal.limit) == (128, 128, 500)
            {
                case.set("peer_ms", PEER_500_STEPS_MS);
            }
            let times = case.measure_wall(
                &mut planes,
                Planes::reset,
                |planes| match way {
                    "jacobi-persistent" => planes.persistent(goal, launch),
                    _ => planes.by_launches(way, goal, graph.as_ref()),
                },
                |planes| planes.check(expected, exact),
            )?;
            if !run.is_emulated() {
                case.set(
                    "us_per_step",
                    times.median * 1e3 / f64::from(expected.steps.max(1)),
                );
            }
            case.set("largest_change", expected.change);
            case.set(
                "distance_from_solution",
                distance(&expected.u, width as usize, height as usize),
            );
            Ok(())
        },
    )?;
    Ok(())
}

/// The largest distance of a plane from the solution.
fn distance(u: &[f32], width: usize, height: usize) -> f64 {
    u.iter()
        .zip(reference::solution(width, height))
        .map(|(u, s)| (f64::from(*u) - s).abs())
        .fold(0.0, f64::max)
}

/// The launch of `several` for `steps` steps: blocks of 32 x 32 threads that write 32 - 2 steps points a side.
fn blocked_launch(width: u32, height: u32, steps: u32) -> LaunchConfig {
    let core = 32 - 2 * steps;
    LaunchConfig {
        grid_dim: (width.div_ceil(core), height.div_ceil(core), 1),
        block_dim: (32, 32, 1),
        shared_mem_bytes: 0,
    }
}

/// The launch of `persistent`: a thread a point, or as many blocks as are resident at once, if those are fewer.
fn persistent_launch(run: &Run, width: u32, height: u32) -> Result<LaunchConfig> {
    let mut launch = point_launch(width, height, BLOCK, 0);
    if !run.wants("jacobi-persistent") {
        return Ok(launch);
    }
    let function = run.function("jacobi.cu", "persistent")?;
    let each =
        function.occupancy_max_active_blocks_per_multiprocessor(BLOCK.0 * BLOCK.1, 0, None)?;
    let resident = (each * run.session().device.multiprocessors).max(1);
    launch.grid_dim.0 = launch.grid_dim.0.min(resident);
    launch.grid_dim.1 = launch.grid_dim.1.min((resident / launch.grid_dim.0).max(1));
    Ok(launch)
}

/// The two planes that take turns on the device, and the kernels.
struct Planes<'r> {
    run: &'r Run,
    stream: Arc<CudaStream>,
    /// Those that its way needs, by name.
    kernels: BTreeMap<&'static str, CudaFunction>,
    width: u32,
    height: u32,
    start: CudaSlice<f32>,
    both: [CudaSlice<f32>; 2],
    /// Barrier arrivals, steps done, and the largest changes: see `persistent` in jacobi.cu.
    control: CudaSlice<u32>,
    /// Steps done by launches; the result lies in plane `turns % 2`.
    steps: u32,
    turns: usize,
}

impl<'r> Planes<'r> {
    fn new(run: &'r Run, way: &str, (width, height): (u32, u32), start: &[f32]) -> Result<Self> {
        let stream = run.stream().clone();
        let names: &[&str] = match way {
            "jacobi-blocked" => &["several", "sweep_change"],
            "jacobi-persistent" => &["persistent"],
            _ => &["sweep", "sweep_change"],
        };
        let kernels = names
            .iter()
            .map(|&name| Ok((name, run.function("jacobi.cu", name)?)))
            .collect::<Result<_>>()?;
        // SAFETY: set or poisoned before each sample.
        let plane = || unsafe { stream.alloc::<f32>(start.len()) };
        Ok(Self {
            run,
            kernels,
            width,
            height,
            start: stream.clone_htod(start)?,
            both: [plane()?, plane()?],
            control: stream.alloc_zeros(4)?,
            steps: 0,
            turns: 0,
            stream,
        })
    }

    fn reset(&mut self) -> Result<()> {
        self.stream.memcpy_dtod(&self.start, &mut self.both[0])?;
        poison(self.run, &mut self.both[1])?;
        self.stream.memset_zeros(&mut self.control)?;
        (self.steps, self.turns) = (0, 0);
        Ok(())
    }

    /// Addresses of the plane to read and the plane to write, `turns` planes after the first. Plain addresses: during a
    /// capture the safe wrappers would wait for events recorded before it.
    fn pair(&self, turns: usize) -> (u64, u64) {
        let address = |i: usize| self.both[i % 2].device_ptr(&self.stream).0;
        (address(turns), address(turns + 1))
    }

    /// One step; with the largest change, into control[2], if `looks`.
    fn step(&self, turns: usize, looks: bool) -> Result<()> {
        let (from, to) = self.pair(turns);
        let launch = point_launch(self.width, self.height, BLOCK, 0);
        let largest = self.control.device_ptr(&self.stream).0 + 2 * 4;
        let kernel = if looks { "sweep_change" } else { "sweep" };
        let mut builder = self.stream.launch_builder(&self.kernels[kernel]);
        builder
            .arg(&from)
            .arg(&to)
            .arg(&self.width)
            .arg(&self.height);
        if looks {
            builder.arg(&largest);
            // SAFETY: the cell is the third of control's four.
            unsafe { result::memset_d8_async(largest, 0, 4, self.stream.cu_stream()) }?;
        }
        // SAFETY: these are the kernels' parameters, and both planes are width x height floats.
        unsafe { builder.launch(launch) }?;
        Ok(())
    }

    /// `steps` steps in launches of up to [`STEPS_A_LAUNCH`]; gives the launches.
    fn blocked(&self, mut turns: usize, mut steps: u32) -> Result<usize> {
        while steps > 0 {
            let now = steps.min(STEPS_A_LAUNCH);
            let (from, to) = self.pair(turns);
            let mut builder = self.stream.launch_builder(&self.kernels["several"]);
            builder
                .arg(&from)
                .arg(&to)
                .arg(&self.width)
                .arg(&self.height)
                .arg(&now);
            // SAFETY: as in `step`; the grid is that of `now` steps.
            unsafe { builder.launch(blocked_launch(self.width, self.height, now)) }?;
            turns += 1;
            steps -= now;
        }
        Ok(turns)
    }

    /// All steps by launches of one kind or another, from the host.
    fn by_launches(&mut self, way: &str, goal: Goal, graphs: Option<&Graphs>) -> Result<()> {
        while self.steps < goal.limit {
            // Up to the next look, which is the last step of this stretch.
            let stretch = if goal.every > 0 {
                goal.every
            } else {
                goal.limit
            }
            .min(goal.limit - self.steps);
            let looks = goal.every > 0 && stretch == goal.every;
            let plain = stretch - u32::from(looks);
            match (way, graphs) {
                ("jacobi-blocked", _) => self.turns = self.blocked(self.turns, plain)?,
                (_, Some(graphs)) => self.turns = graphs.replay(self, plain, looks)?,
                _ => {
                    for _ in 0..plain {
                        self.step(self.turns, false)?;
                        if way == "jacobi-sync" {
                            self.stream.synchronize()?;
                        }
                        self.turns += 1;
                    }
                }
            }
            if looks && graphs.is_none() {
                self.step(self.turns, true)?;
                self.turns += 1;
            }
            self.steps += stretch;
            if looks && f32::from_bits(self.stream.clone_dtoh(&self.control)?[2]) <= goal.tolerance
            {
                break;
            }
        }
        self.stream.synchronize()?;
        Ok(())
    }

    /// All steps in one cooperative launch.
    fn persistent(&mut self, goal: Goal, launch: LaunchConfig) -> Result<()> {
        let (u, v) = self.pair(0);
        let control = self.control.device_ptr(&self.stream).0;
        let mut builder = self.stream.launch_builder(&self.kernels["persistent"]);
        builder.arg(&u).arg(&v).arg(&self.width).arg(&self.height);
        builder
            .arg(&goal.limit)
            .arg(&goal.every)
            .arg(&goal.tolerance)
            .arg(&control);
        // SAFETY: these are the kernel's parameters, the planes are width x height floats, control has four
        // words that are 0, and the grid is resident at once.
        unsafe { builder.launch_cooperative(launch) }?;
        self.stream.synchronize()?;
        self.steps = self.stream.clone_dtoh(&self.control)?[1];
        self.turns = self.steps as usize;
        Ok(())
    }

    /// To the last bit what the CPU gives in f32, and as near to what it gives in f64 as roundings allow: each step is a
    /// mean, which damps the errors before it and adds its own of three additions.
    fn check(&self, expected: &Jacobi<f32>, exact: &Jacobi<f64>) -> Result<Check> {
        let u = self.stream.clone_dtoh(&self.both[self.turns % 2])?;
        let mut check = Check::scalar("steps", self.steps, expected.steps, Tolerance::EXACT);
        check.merge(Check::compare(&u, &expected.u, Tolerance::EXACT));
        let roundings = 3 * (expected.steps as usize + 1);
        check.merge(Check::compare(
            &u,
            &exact.u,
            Tolerance::sum(roundings, 1.0, f64::from(f32::EPSILON)),
        ));
        Ok(check)
    }
}

/// Steps captured as graphs: one for each plane that a stretch can begin in.
struct Graphs {
    /// Graphs of `steps` steps, the last of which looks if `looks`.
    captured: Vec<CudaGraph>,
    steps: u32,
    looks: bool,
}

impl Graphs {
    /// Captures the steps up to a look, or [`STEPS_A_GRAPH`].
    fn capture(planes: &Planes<'_>, goal: Goal) -> Result<Self> {
        let looks = goal.every > 0;
        let steps = if looks {
            goal.every
        } else {
            STEPS_A_GRAPH.min(goal.limit & !1)
        };
        // After an odd number of steps the next stretch begins in the other plane.
        let starts = if steps % 2 == 0 { 1 } else { 2 };
        let mut graphs = Vec::new();
        for start in 0..if steps == 0 { 0 } else { starts } {
            planes.stream.synchronize()?;
            planes
                .stream
                .begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
            let launched = (0..steps)
                .try_for_each(|k| planes.step(start + k as usize, looks && k + 1 == steps));
            // The capture is ended even when a launch failed, so that the stream is usable after.
            let graph = planes.stream.end_capture(CUgraphInstantiate_flags(0));
            launched?;
            let none = || {
                Error::Driver(cudarc::driver::DriverError(
                    sys::CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                ))
            };
            graphs.push(graph?.ok_or_else(none)?);
        }
        Ok(Self {
            captured: graphs,
            steps,
            looks,
        })
    }

    /// `plain` steps and, if `look`, one more that looks: by the graphs as far as they go, by launches what is left.
    fn replay(&self, planes: &Planes<'_>, plain: u32, look: bool) -> Result<usize> {
        let mut turns = planes.turns;
        let mut left = plain + u32::from(look);
        while !self.captured.is_empty() && left >= self.steps && look == self.looks {
            self.captured[turns % self.captured.len()].launch()?;
            turns += self.steps as usize;
            left -= self.steps;
        }
        for k in 0..left {
            planes.step(turns, look && k + 1 == left)?;
            turns += 1;
        }
        Ok(turns)
    }
}

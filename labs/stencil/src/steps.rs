//! Many steps of Jacobi's method on the device, in six ways.
use std::{collections::BTreeMap, sync::Arc};

use cudarc::driver::{
    CudaFunction, CudaGraph, CudaSlice, CudaStream, DevicePtr, LaunchConfig, PushKernelArg, result,
    sys::{self, CUgraphInstantiate_flags, CUstreamCaptureMode},
};
use harness::{Check, Error, Result, Run, Tolerance, Uploaded, poison};

use crate::{cluster, plane::point_launch, reference::Jacobi};

/// Threads of a block with one point per thread.
pub(crate) const BLOCK: (u32, u32) = (32, 8);

/// The number of steps that `several` does in a launch; its blocks of 32 x 32 threads then write 16 x 16 points.
pub(crate) const STEPS_A_LAUNCH: u32 = 8;

/// The number of steps in a captured graph. It is even, so that a replay ends in the plane in which it began.
const STEPS_A_GRAPH: u32 = 500;

/// A way to do many steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// One launch and one wait for each step.
    Sync,
    /// Queued launches.
    Launches,
    /// Launches that are captured once and replayed.
    Graph,
    /// Several steps in each launch.
    Blocked,
    /// All steps up to the next check in one launch of one cluster, whose registers hold the plane.
    Cluster,
    /// All steps in one launch.
    Persistent,
    /// All steps in one launch, on one plane.
    InPlace,
    /// Like `Sync`, but the planes are not swapped after the last step.
    BreakFirst,
}

/// The stopping condition of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Goal {
    pub(crate) limit: u32,
    /// Steps between two checks of the largest change; 0 means no checks.
    pub(crate) every: u32,
    pub(crate) tolerance: f32,
}

/// The launch of `several` for `steps` steps: blocks of 32 x 32 threads. A block writes 32 - 2 steps points per side.
pub(crate) fn blocked_launch(width: u32, height: u32, steps: u32) -> LaunchConfig {
    let core = 32 - 2 * steps;
    LaunchConfig { block_dim: (32, 32, 1), ..point_launch(width, height, (core, core), 0) }
}

/// The two planes that take turns on the device, and the kernels.
pub(crate) struct Planes {
    stream: Arc<CudaStream>,
    way: Way,
    /// The kernels that its method needs, by name.
    kernels: BTreeMap<&'static str, CudaFunction>,
    width: u32,
    height: u32,
    start: Uploaded<f32>,
    both: [CudaSlice<f32>; 2],
    /// Barrier arrivals, steps done, and the largest changes: see `persistent` in jacobi.cu.
    control: CudaSlice<u32>,
    /// Steps done by launches. The result lies in plane `turns % 2`.
    steps: u32,
    turns: usize,
}

impl Planes {
    pub(crate) fn new(run: &Run, way: Way, (width, height): (u32, u32), start: &[f32]) -> Result<Self> {
        let stream = run.stream().clone();
        let kernels: &[_] = match way {
            Way::Sync | Way::BreakFirst | Way::Launches | Way::Graph => &["sweep", "sweep_change"],
            Way::Blocked => &["several", "sweep_change"],
            Way::Cluster => &["cluster", "sweep_change"],
            Way::Persistent => &["persistent"],
            Way::InPlace => &["in_place"],
        };
        let file = |name| if name == "cluster" { "jacobi_hopper.cu" } else { "jacobi.cu" };
        let kernels: BTreeMap<_, _> =
            kernels.iter().map(|&name| Ok((name, run.function(file(name), name)?))).collect::<Result<_>>()?;
        if let Some(kernel) = kernels.get("cluster") {
            cluster::allow_large(kernel)?;
            if !cluster::is_held(kernel) {
                return Err(Error::skip("the device cannot have a cluster of 16 blocks"));
            }
        }
        // SAFETY: set or poisoned before each sample.
        let plane = || unsafe { stream.alloc::<f32>(start.len()) };
        Ok(Self {
            way,
            kernels,
            width,
            height,
            start: run.upload("u", start)?,
            both: [plane()?, plane()?],
            control: stream.alloc_zeros(4)?,
            steps: 0,
            turns: 0,
            stream,
        })
    }

    pub(crate) fn reset(&mut self) -> Result<()> {
        self.stream.memcpy_dtod(&*self.start, &mut self.both[0])?;
        poison(&self.stream, &mut self.both[1])?;
        self.stream.memset_zeros(&mut self.control)?;
        (self.steps, self.turns) = (0, 0);
        Ok(())
    }

    /// Addresses of the plane to read and the plane to write, `turns` planes after the first. These are plain
    /// addresses, because during a capture the safe wrappers would wait for events recorded before it.
    fn pair(&self, turns: usize) -> (u64, u64) {
        let address = |i: usize| self.both[i % 2].device_ptr(&self.stream).0;
        (address(turns), address(turns + 1))
    }

    /// Queues one step. If `looks` is true, the step also writes the largest change into control[2].
    fn step(&self, turns: usize, looks: bool) -> Result<()> {
        let (from, to) = self.pair(turns);
        let launch = point_launch(self.width, self.height, BLOCK, 0);
        let largest = self.control.device_ptr(&self.stream).0 + 2 * 4;
        let kernel = if looks { "sweep_change" } else { "sweep" };
        let mut builder = self.stream.launch_builder(&self.kernels[kernel]);
        builder.arg(&from).arg(&to).arg(&self.width).arg(&self.height);
        if looks {
            builder.arg(&largest);
            // SAFETY: the cell is the third of control's four.
            unsafe { result::memset_d8_async(largest, 0, 4, self.stream.cu_stream()) }?;
        }
        // SAFETY: these are the kernels' parameters, and both planes are width x height floats.
        unsafe { builder.launch(launch) }?;
        Ok(())
    }

    /// Queues `steps` steps in launches of up to [`STEPS_A_LAUNCH`], or in one. Returns the planes' turns.
    fn blocked(&self, mut turns: usize, mut steps: u32) -> Result<usize> {
        let (kernel, most) = if self.way == Way::Cluster { ("cluster", u32::MAX) } else { ("several", STEPS_A_LAUNCH) };
        while steps > 0 {
            let now = steps.min(most);
            let launch = match self.way {
                Way::Cluster => cluster::LAUNCH,
                _ => blocked_launch(self.width, self.height, now),
            };
            let (from, to) = self.pair(turns);
            let mut builder = self.stream.launch_builder(&self.kernels[kernel]);
            builder.arg(&from).arg(&to).arg(&self.width).arg(&self.height).arg(&now);
            // SAFETY: as in `step`; the grid is that of `now` steps, and a cluster is given no plane that is too large.
            unsafe { builder.launch(launch) }?;
            turns += 1;
            steps -= now;
        }
        Ok(turns)
    }

    /// Queues all steps from the host, by whichever kind of launch the method uses.
    pub(crate) fn by_launches(&mut self, goal: Goal, graphs: Option<&Graphs>) -> Result<()> {
        while self.steps < goal.limit {
            // This stretch ends with the next check, which is its last step.
            let stretch = if goal.every > 0 { goal.every } else { goal.limit }.min(goal.limit - self.steps);
            let looks = goal.every > 0 && stretch == goal.every;
            let plain = stretch - u32::from(looks);
            match (self.way, graphs) {
                (Way::Blocked | Way::Cluster, _) => self.turns = self.blocked(self.turns, plain)?,
                (_, Some(graphs)) => self.turns = graphs.replay(self, plain, looks)?,
                _ => {
                    for _ in 0..plain {
                        self.step(self.turns, false)?;
                        if matches!(self.way, Way::Sync | Way::BreakFirst) {
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
            if looks && f32::from_bits(self.stream.clone_dtoh(&self.control)?[2]) <= goal.tolerance {
                // As if the loop ended before the planes were swapped.
                self.turns -= usize::from(self.way == Way::BreakFirst);
                break;
            }
        }
        self.stream.synchronize()?;
        Ok(())
    }

    /// All steps in one cooperative launch, on both planes or on one.
    pub(crate) fn cooperative(&mut self, goal: Goal, launch: LaunchConfig) -> Result<()> {
        let (u, v) = self.pair(0);
        let control = self.control.device_ptr(&self.stream).0;
        let in_place = self.way == Way::InPlace;
        let mut builder = self.stream.launch_builder(&self.kernels[if in_place { "in_place" } else { "persistent" }]);
        builder.arg(&u);
        if !in_place {
            builder.arg(&v);
        }
        builder.arg(&self.width).arg(&self.height);
        builder.arg(&goal.limit).arg(&goal.every).arg(&goal.tolerance).arg(&control);
        // SAFETY: these are the kernel's parameters, the planes are width x height floats, control has four
        // words that are 0, and the grid is resident at once.
        unsafe { builder.launch_cooperative(launch) }?;
        self.stream.synchronize()?;
        self.steps = self.stream.clone_dtoh(&self.control)?[1];
        self.turns = if in_place { 0 } else { self.steps as usize };
        Ok(())
    }

    /// The number of blocks of `launch` that are resident on a multiprocessor.
    pub(crate) fn resident(&self, launch: LaunchConfig) -> Result<u32> {
        let threads = launch.block_dim.0 * launch.block_dim.1;
        let kernels = self.kernels.values();
        let each = kernels.map(|kernel| kernel.occupancy_max_active_blocks_per_multiprocessor(threads, 0, None));
        Ok(each.collect::<Result<Vec<_>, _>>()?.into_iter().min().unwrap_or(0))
    }

    /// Checks that the result equals the CPU's in f32 to the last bit, and is as close to the CPU's in f64 as roundings
    /// allow: each step is a mean, which damps the earlier errors and adds those of its three additions.
    pub(crate) fn check(&self, expected: &Jacobi<f32>, exact: &Jacobi<f64>) -> Result<Check> {
        let u = self.stream.clone_dtoh(&self.both[self.turns % 2])?;
        let mut check = Check::scalar("steps", self.steps, expected.steps, Tolerance::EXACT);
        check.merge(Check::compare(&u, &expected.u, Tolerance::EXACT));
        let roundings = 3 * (expected.steps as usize + 1);
        check.merge(Check::compare(&u, &exact.u, Tolerance::sum(roundings, 1.0, f64::from(f32::EPSILON))));
        Ok(check.in_rows(self.width as usize))
    }
}

/// Steps captured as graphs, one for each plane in which a stretch can begin.
pub(crate) struct Graphs {
    /// Captures graphs of `steps` steps, the last of which looks at the change if `looks` is true.
    captured: Vec<CudaGraph>,
    steps: u32,
    looks: bool,
}

impl Graphs {
    /// Captures the steps up to a check, or [`STEPS_A_GRAPH`].
    pub(crate) fn capture(planes: &Planes, goal: Goal) -> Result<Self> {
        let looks = goal.every > 0;
        let steps = if looks { goal.every } else { STEPS_A_GRAPH.min(goal.limit & !1) };
        // After an odd number of steps the next stretch begins in the other plane.
        let starts = if steps % 2 == 0 { 1 } else { 2 };
        let mut graphs = Vec::new();
        for start in 0..if steps == 0 { 0 } else { starts } {
            planes.stream.synchronize()?;
            planes.stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
            let launched = (0..steps).try_for_each(|k| planes.step(start + k as usize, looks && k + 1 == steps));
            // The capture is ended even if a launch failed, so that the stream remains usable.
            let graph = planes.stream.end_capture(CUgraphInstantiate_flags(0));
            launched?;
            let none =
                || Error::Driver(cudarc::driver::DriverError(sys::CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));
            graphs.push(graph?.ok_or_else(none)?);
        }
        Ok(Self { captured: graphs, steps, looks })
    }

    /// Queues `plain` steps and, if `look` is true, one more step that checks the change. It uses graphs as far as
    /// possible and launches for the remaining steps.
    fn replay(&self, planes: &Planes, plain: u32, look: bool) -> Result<usize> {
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

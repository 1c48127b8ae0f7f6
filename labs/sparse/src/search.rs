//! Breadth-first search: the reference on the CPU, and the launches level by level.
use std::sync::Arc;

use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, PushKernelArg};
use harness::{Kernels, Result, launch_1d};

use crate::Csr;

/// The level of a vertex that is not reached, as in `bfs.cu`.
pub const UNREACHED: u32 = 0x7fff_ffff;
/// Threads of a block.
const THREADS: u32 = 256;

/// How a level is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchMethod {
    /// From the frontier's queue to its neighbours.
    Push,
    /// From the vertices that are not reached to those that point to them.
    Pull,
    /// As [`SearchMethod::Push`], with the edges shared out by a scan.
    Compact,
}

impl SearchMethod {
    /// Its kernel in `bfs.cu`.
    pub const fn kernel(self) -> &'static str {
        match self {
            Self::Push => "bfs_push",
            Self::Pull => "bfs_pull",
            Self::Compact => "bfs_compact",
        }
    }
}

/// The level of each vertex, from `first`; [`UNREACHED`] for those that no path leads to.
///
/// ```
/// use sparse::{Csr, UNREACHED, levels};
///
/// // 0 -> 1 -> 2, and 3 -> 0.
/// let graph = Csr::from_entries(4, 4, vec![(0, 1, 1.0), (1, 2, 1.0), (3, 0, 1.0)]);
/// assert_eq!(levels(&graph, 0), [0, 1, 2, UNREACHED]);
/// ```
pub fn levels(graph: &Csr, first: u32) -> Vec<u32> {
    let mut level = vec![UNREACHED; graph.rows];
    let mut frontier = vec![first];
    level[first as usize] = 0;
    for depth in 1.. {
        let mut next = Vec::new();
        for vertex in frontier {
            for &to in &graph.column[graph.row(vertex as usize)] {
                if level[to as usize] == UNREACHED {
                    level[to as usize] = depth;
                    next.push(to);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        frontier = next;
    }
    level
}

/// The vertex from which the lab searches: the first one with the most edges.
pub fn hub(graph: &Csr) -> u32 {
    (0..graph.rows).rev().max_by_key(|row| graph.length(*row)).unwrap_or(0) as u32
}

/// The state of a search on the device.
#[derive(Debug)]
pub struct Search {
    stream: Arc<CudaStream>,
    kernel: CudaFunction,
    step: SearchMethod,
    vertices: u32,
    /// The levels before the first launch.
    levels_before: CudaSlice<u32>,
    first: CudaSlice<u32>,
    /// Queues of vertices: the frontier and the next one.
    queues: [CudaSlice<u32>; 2],
    /// Marks of vertices, for pulling: the frontier before the first launch, the frontier and the next one.
    marks_before: CudaSlice<u8>,
    marks: [CudaSlice<u8>; 2],
    found: CudaSlice<u32>,
}

impl Search {
    /// Loads the kernel, and allocates what it needs in addition to the graph and the levels.
    ///
    /// # Errors
    /// Those of [`Kernels::function`], and the driver's.
    ///
    /// # Panics
    /// When the graph has no vertex `first`.
    pub fn new(kernels: &Kernels, step: SearchMethod, graph: &Csr, first: u32) -> Result<Self> {
        let stream = kernels.session().stream.clone();
        let n = graph.rows;
        let mut levels_before = vec![UNREACHED; n];
        levels_before[first as usize] = 0;
        let mut marks_before = vec![0; n];
        marks_before[first as usize] = 1;
        Ok(Self {
            kernel: kernels.function("bfs.cu", step.kernel())?,
            step,
            vertices: n as u32,
            levels_before: stream.clone_htod(&levels_before)?,
            first: stream.clone_htod(&[first])?,
            queues: [stream.alloc_zeros(n)?, stream.alloc_zeros(n)?],
            marks_before: stream.clone_htod(&marks_before)?,
            marks: [stream.alloc_zeros(n)?, stream.alloc_zeros(n)?],
            found: stream.alloc_zeros(1)?,
            stream,
        })
    }

    /// Searches, with a launch for each level and a wait after it. `start` and `column` are the graph, or for
    /// [`SearchMethod::Pull`] its transpose; `level` has an element for each vertex. Returns the number of launches.
    ///
    /// # Errors
    /// The driver's errors.
    pub fn run(&mut self, start: &CudaSlice<u32>, column: &CudaSlice<u32>, level: &mut CudaSlice<u32>) -> Result<u32> {
        let stream = self.stream.clone();
        stream.memcpy_dtod(&self.levels_before, level)?;
        stream.memcpy_dtod(&self.first, &mut self.queues[0].slice_mut(..1))?;
        stream.memcpy_dtod(&self.marks_before, &mut self.marks[0])?;
        let mut size = [1];
        let mut depth = 0;
        while size[0] > 0 {
            depth += 1;
            stream.memset_zeros(&mut self.found)?;
            let threads = if self.step == SearchMethod::Pull { self.vertices } else { size[0] };
            let mut launch = stream.launch_builder(&self.kernel);
            launch.arg(start).arg(column);
            let [queue, next] = &mut self.queues;
            let [marks, next_marks] = &mut self.marks;
            match self.step {
                SearchMethod::Pull => launch.arg(&*marks).arg(&self.vertices),
                SearchMethod::Push | SearchMethod::Compact => launch.arg(&*queue).arg(&size[0]),
            };
            launch.arg(&mut *level).arg(&depth);
            match self.step {
                SearchMethod::Pull => launch.arg(next_marks),
                SearchMethod::Push | SearchMethod::Compact => launch.arg(next),
            };
            launch.arg(&mut self.found);
            // SAFETY: arguments as the kernels declare them; a queue has room for each vertex, which enters it once.
            unsafe { launch.launch(launch_1d(threads.div_ceil(THREADS), THREADS)) }?;
            stream.memcpy_dtoh(&self.found, &mut size)?;
            stream.synchronize()?;
            self.queues.swap(0, 1);
            self.marks.swap(0, 1);
        }
        Ok(depth)
    }
}

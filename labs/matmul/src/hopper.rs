//! The rungs that only Hopper runs: the inputs of their kernels besides A, B and C, and their launches.
use cudarc::driver::{CudaFunction, CudaSlice, DevicePtr, LaunchConfig, PushKernelArg};
use harness::{CaseContext, Result, Run, launch_1d};

use crate::{
    Arithmetic, Element, Shape, float,
    map::{ALIGNED, Map, Stored},
    problem::Matrices,
    small,
};

/// A kernel whose inputs are tensor maps of A and B.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hopper {
    /// Kernel file.
    pub file: &'static str,
    /// Kernel.
    pub kernel: &'static str,
    /// Rows and columns of C that are computed together: by a cluster, or if the depth is cut, by a block.
    pub tile: (u32, u32),
    /// Threads of a block.
    pub threads: u32,
    /// The division of the work among blocks.
    pub cut: Cut,
    /// Dynamic shared memory of a block in bytes.
    pub shared_bytes: u32,
    /// The form in which it gets A and B.
    pub given: Given,
    /// Columns and rows of a box of A, and of a box of B.
    pub boxes: [(u32, u32); 2],
    /// The rounding of its inputs and sums.
    pub arithmetic: Arithmetic,
}

/// The form in which a kernel gets A and B.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given {
    /// Unchanged, or copied to rows that begin at multiples of 16 bytes.
    Whole,
    /// Like [`Given::Whole`], but one kernel copies both.
    Together,
    /// Split into big and small parts, those of B transposed.
    Split,
}

/// The division of the work among blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// Persistent clusters of two blocks, as many as the device holds, take tile after tile.
    Tiles,
    /// The depth of each tile is cut into `slices`, one per block. The `blocks` of a cluster add up their partial sums.
    /// If a tile has several clusters, each adds to C.
    Depth {
        /// Blocks of a cluster.
        blocks: u32,
        /// Blocks for a tile: `blocks`, or a multiple of it.
        slices: u32,
    },
    /// Like [`Cut::Depth`], but if a tile has several clusters, the last one to arrive adds up all partial sums.
    Meeting {
        /// Blocks of a cluster.
        blocks: u32,
        /// Blocks for a tile: `blocks`, or a multiple of it.
        slices: u32,
    },
    /// One block per tile, but the last tiles are cut into `shares`. Of the blocks that have parts of a tile, the last
    /// one to arrive adds up all partial sums.
    Even {
        /// As many as the device holds blocks, or 0.
        shares: u32,
    },
}

/// Blocks of a persistent cluster.
const BLOCKS: u32 = 2;

/// The size in bytes of the barriers after the tiles in shared memory: two for each of `stages`.
const fn barriers(stages: u32) -> u32 {
    stages * 2 * 8
}

/// bfloat16: see `bf16_hopper.cu`.
pub(crate) const BF16_WGMMA: Hopper = Hopper {
    file: "bf16_hopper.cu",
    kernel: "bf16_wgmma",
    tile: (256, 256),
    // A producer warpgroup that loads tiles, and two that multiply.
    threads: 3 * 128,
    cut: Cut::Tiles,
    shared_bytes: 4 * (128 + 256) * 128 + barriers(4),
    given: Given::Whole,
    boxes: [(64, 128), (64, 64)],
    arithmetic: Arithmetic::Bf16,
};

/// TF32: see `tf32_hopper.cu`.
pub(crate) const TF32_WGMMA: Hopper = Hopper {
    file: "tf32_hopper.cu",
    kernel: "tf32_wgmma",
    boxes: [(32, 128), (32, 32)],
    arithmetic: Arithmetic::Tf32Cut,
    ..BF16_WGMMA
};

/// TF32 in two parts: see `split_hopper.cu`.
pub(crate) const TF32X3_WGMMA: Hopper = Hopper {
    file: "split_hopper.cu",
    kernel: "tf32x3_wgmma",
    tile: (256, 128),
    threads: 3 * 128,
    cut: Cut::Tiles,
    shared_bytes: 3 * 2 * (128 + 128) * 128 + barriers(3),
    given: Given::Split,
    boxes: [(32, 128), (32, 64)],
    arithmetic: Arithmetic::Tf32Split,
};

impl Hopper {
    /// The rung with the least predicted time for `shape`, if there are kernels for several tiles.
    pub(crate) fn fitting(self, shape: Shape, multiprocessors: u32) -> Self {
        match (self.cut, self.arithmetic) {
            (Cut::Meeting { .. }, _) => small::fitting(self, shape, multiprocessors),
            (_, Arithmetic::Float) => float::fitting(shape, multiprocessors),
            _ => self,
        }
    }

    /// The launch for `shape`. There are as many persistent clusters as `multiprocessors` hold, at most one per tile.
    ///
    /// # Errors
    /// Those of [`Shape::check`].
    pub fn launch(&self, shape: Shape, multiprocessors: u32) -> Result<LaunchConfig, String> {
        shape.check()?;
        let (tiles, slices) = (self.tiles(shape), u64::from(self.slices()));
        let blocks = match self.cut {
            Cut::Tiles => tiles.min(u64::from(multiprocessors / BLOCKS).max(1)) * u64::from(BLOCKS),
            Cut::Depth { .. } | Cut::Meeting { .. } => tiles * slices,
            Cut::Even { shares } => tiles - float::shared_out(tiles, shares) + slices,
        };
        let blocks = u32::try_from(blocks).ok().filter(|blocks| i32::try_from(*blocks).is_ok());
        let blocks = blocks.ok_or_else(|| format!("{shape} has too many tiles for a grid; choose a smaller --n"))?;
        let (grid_dim, block_dim) = ((blocks, 1, 1), (self.threads, 1, 1));
        Ok(LaunchConfig { grid_dim, block_dim, shared_mem_bytes: self.shared_bytes })
    }

    /// The number of slices into which the depth of a tile is cut, or of shares for the last tiles.
    pub(crate) const fn slices(&self) -> u32 {
        match self.cut {
            Cut::Depth { slices, .. } | Cut::Meeting { slices, .. } => slices,
            Cut::Even { shares } => shares,
            Cut::Tiles => 1,
        }
    }

    /// The number of tiles of C.
    pub(crate) fn tiles(&self, shape: Shape) -> u64 {
        (shape.m.div_ceil(self.tile.0 as usize) * shape.n.div_ceil(self.tile.1 as usize)) as u64
    }

    /// Whether the kernel adds to C, which must hold zeros.
    pub(crate) fn clears(&self) -> bool {
        matches!(self.cut, Cut::Depth { blocks, slices } if slices > blocks)
    }
}

/// A kernel that prepares a matrix for another kernel, and its output buffer.
struct Made<T> {
    kernel: CudaFunction,
    rows: u32,
    columns: u32,
    stride: u32,
    to: CudaSlice<T>,
}

/// The partial sums of a tile's clusters, or of the blocks that share a tile, for the last of them to add.
struct Meeting {
    /// Each tile once for each of its clusters, or twice for each share.
    sums: CudaSlice<f32>,
    /// For each tile and block of a cluster, or for each shared tile, the number of arrivals. A launch finds zeros and
    /// leaves zeros.
    came: CudaSlice<u32>,
}

/// A rung that is ready to multiply two matrices.
pub(crate) struct Ready<T> {
    kernel: CudaFunction,
    launch: LaunchConfig,
    made: [Option<Made<T>>; 2],
    meeting: Option<Meeting>,
    maps: Vec<Map>,
    shape: Shape,
    rung: Hopper,
}

impl<T: Element> Ready<T> {
    /// Loads the kernels, allocates their buffers, and makes the maps.
    ///
    /// # Errors
    /// [`harness::Error::Skip`] if the device is not a Hopper; the driver's errors.
    pub(crate) fn new(
        run: &Run,
        case: &CaseContext<'_>,
        rung: &Hopper,
        shape: Shape,
        inputs: [&CudaSlice<T>; 2],
    ) -> Result<Self> {
        let kernel = case.kernel()?;
        let sides = [(shape.m, shape.k), (shape.k, shape.n)];
        let mut made = [None, None];
        let mut maps = [Vec::new(), Vec::new()];
        for (which, (rows, columns)) in sides.into_iter().enumerate() {
            let plan = Plan::of::<T>(rung.given, which, rows, columns);
            if let Some(by) = plan.by {
                let kernel = run.function(plan.file.unwrap_or(rung.file), by)?;
                // SAFETY: the kernel writes what is read of it before every product.
                let to = unsafe { run.stream().alloc(plan.parts * plan.stored.0 * plan.stride) }?;
                let (rows, columns, stride) = (rows as u32, columns as u32, plan.stride as u32);
                made[which] = Some(Made { kernel, rows, columns, stride, to });
            }
            let (buffer, boxes) = (made[which].as_ref().map_or(inputs[which], |made| &made.to), rung.boxes[which]);
            let first = buffer.device_ptr(run.stream()).0;
            for part in 0..plan.parts {
                let address = first + (part * plan.stored.0 * plan.stride * size_of::<T>()) as u64;
                let (rows, columns) = plan.stored;
                maps[which].push(Map::new::<T>(Stored { address, rows, columns, stride: plan.stride }, boxes)?);
            }
        }
        let [a, b] = maps;
        let maps = a.into_iter().zip(b).flat_map(|(a, b)| [a, b]).collect();
        let mut meeting = None;
        if let Cut::Meeting { blocks, slices } = rung.cut {
            let (tiles, elements) = (rung.tiles(shape) as usize, (rung.tile.0 * rung.tile.1) as usize);
            let clusters = if slices > blocks { (slices / blocks) as usize } else { 0 };
            // SAFETY: the kernel writes what is read of it.
            let sums = unsafe { run.stream().alloc((tiles * clusters * elements).max(1)) }?;
            meeting = Some(Meeting { sums, came: run.stream().alloc_zeros(tiles * blocks as usize)? });
        }
        if let Cut::Even { shares } = rung.cut {
            // A share has parts of two tiles at most, besides a whole one.
            let (shares, elements) = (shares as usize, (rung.tile.0 * rung.tile.1) as usize);
            // SAFETY: the kernel writes what is read of it.
            let sums = unsafe { run.stream().alloc((shares * 2 * elements).max(1)) }?;
            meeting = Some(Meeting { sums, came: run.stream().alloc_zeros((shares * 2).max(1))? });
        }
        Ok(Self { kernel, launch: case.launch(), made, meeting, maps, shape, rung: *rung })
    }

    /// Describes the work besides the product.
    pub(crate) fn also(&self) -> impl Iterator<Item = String> {
        let slices = match self.rung.cut {
            Cut::Depth { slices, .. } | Cut::Meeting { slices, .. } => {
                Some(format!("{}, {slices} slices", self.rung.kernel))
            }
            Cut::Even { shares } => Some(format!("{}, {shares} shares", self.rung.kernel)),
            Cut::Tiles => None,
        };
        let clears = self.rung.clears().then(|| "clearing C is timed too".to_owned());
        [slices, clears, self.rewrites()].into_iter().flatten()
    }

    fn rewrites(&self) -> Option<String> {
        let bytes: usize = self.made.iter().flatten().map(|made| made.to.num_bytes()).sum();
        let names: Vec<&str> =
            ["A", "B"].into_iter().zip(&self.made).filter_map(|(n, m)| m.as_ref().and(Some(n))).collect();
        (bytes > 0).then(|| format!("rewriting {} first ({bytes} bytes) is timed too", names.join(" and ")))
    }

    /// Launches the kernel that copies both matrices, as far as needed.
    fn copy_both(&mut self, run: &Run, from: [&CudaSlice<T>; 2]) -> Result<()> {
        let Some(kernel) = self.made.iter().flatten().next().map(|made| made.kernel.clone()) else { return Ok(()) };
        let bytes: usize = self.made.iter().flatten().map(|made| made.to.num_bytes()).sum();
        let blocks = (bytes / ALIGNED).div_ceil(256).clamp(1, 16 * run.session().device.multiprocessors as usize);
        let mut builder = run.stream().launch_builder(&kernel);
        for (made, from) in self.made.iter_mut().zip(from) {
            builder.arg(from);
            match made {
                Some(made) => builder.arg(&mut made.to).arg(&made.rows).arg(&made.columns).arg(&made.stride),
                // No rows: nothing is written.
                None => builder.arg(from).arg(&0u32).arg(&0u32).arg(&1u32),
            };
        }
        // SAFETY: these are the kernel's parameters, and the buffers have room for what it writes.
        unsafe { builder.launch(launch_1d(blocks as u32, 256)) }?;
        Ok(())
    }

    /// C = A B.
    ///
    /// # Errors
    /// The driver's errors.
    pub(crate) fn multiply(&mut self, run: &Run, (a, b, c): Matrices<'_, T>) -> Result<()> {
        if self.rung.given == Given::Together {
            self.copy_both(run, [a, b])?;
        }
        for (made, from) in self.made.iter_mut().zip([a, b]).filter(|_| self.rung.given != Given::Together) {
            let Some(made) = made else { continue };
            let pieces = (made.to.len() / 4).div_ceil(256).clamp(1, 16 * run.session().device.multiprocessors as usize);
            let mut builder = run.stream().launch_builder(&made.kernel);
            builder.arg(from).arg(&mut made.to).arg(&made.rows).arg(&made.columns).arg(&made.stride);
            // SAFETY: these are the kernel's parameters, and the buffer has room for what it writes.
            unsafe { builder.launch(launch_1d(pieces as u32, 256)) }?;
        }
        if self.rung.clears() {
            run.stream().memset_zeros(c)?;
        }
        let (m, k, n, slices) = (self.shape.m as u32, self.shape.k as u32, self.shape.n as u32, self.rung.slices());
        let mut builder = run.stream().launch_builder(&self.kernel);
        for map in &self.maps {
            builder.arg(map);
        }
        builder.arg(c).arg(&m).arg(&k).arg(&n);
        if self.rung.cut != Cut::Tiles {
            builder.arg(&slices);
        }
        if let Some(meeting) = &mut self.meeting {
            builder.arg(&mut meeting.sums).arg(&mut meeting.came);
        }
        // SAFETY: these are the kernel's parameters, and the maps are of these matrices.
        unsafe { builder.launch(self.launch) }?;
        Ok(())
    }
}

/// The preparation of a matrix.
struct Plan {
    /// The kernel that prepares it; `None` if the matrix is passed unchanged.
    by: Option<&'static str>,
    /// Its file, if it differs from the rung's.
    file: Option<&'static str>,
    /// The resulting number of matrices.
    parts: usize,
    /// Their rows and columns.
    stored: (usize, usize),
    /// Elements from row to row.
    stride: usize,
}

impl Plan {
    /// The plan for A (`which` is 0) or B (1), with `rows` rows and `columns` columns.
    fn of<T>(given: Given, which: usize, rows: usize, columns: usize) -> Self {
        let aligned = |columns: usize| columns.next_multiple_of(ALIGNED / size_of::<T>());
        match (given, which) {
            (Given::Whole, _) => {
                let stride = aligned(columns);
                let by = (stride != columns).then_some("pad");
                Self { by, file: None, parts: 1, stored: (rows, columns), stride }
            }
            (Given::Together, _) => {
                let stride = aligned(columns);
                let name = if size_of::<T>() == 2 { "pad_both_2" } else { "pad_both_4" };
                let by = (stride != columns).then_some(name);
                Self { by, file: Some("pads.cu"), parts: 1, stored: (rows, columns), stride }
            }
            (Given::Split, 0) => {
                Self { by: Some("split_rows"), file: None, parts: 2, stored: (rows, columns), stride: aligned(columns) }
            }
            (Given::Split, _) => {
                Self { by: Some("split_columns"), file: None, parts: 2, stored: (columns, rows), stride: aligned(rows) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_is_as_large_as_the_device_and_no_larger_than_the_work() {
        let grid = |m, n, multiprocessors| BF16_WGMMA.launch(Shape { m, k: 1, n }, multiprocessors).unwrap().grid_dim.0;
        assert_eq!([grid(4096, 4096, 132), grid(257, 1, 132), grid(4096, 4096, 7)], [132, 4, 6]);
        assert!(matches!(BF16_WGMMA.launch(Shape { m: 0, k: 1, n: 1 }, 132), Err(words) if words.contains("--m")));
    }

    #[test]
    fn only_rows_that_tma_cannot_read_are_copied() {
        for (columns, stride, by) in [(4096, 4096, None), (1020, 1020, None), (1021, 1024, Some("pad"))] {
            let plan = Plan::of::<f32>(Given::Whole, 0, 3, columns);
            assert_eq!((plan.stride, plan.by, plan.stored), (stride, by, (3, columns)));
        }
        assert_eq!(Plan::of::<crate::Bf16>(Given::Whole, 1, 3, 1020).stride, 1024);
        let b = Plan::of::<f32>(Given::Split, 1, 5, 9);
        assert_eq!((b.stored, b.stride, b.parts), ((9, 5), 8, 2));
    }
}

//! The index maps as questions: the expected answer, that of the pure function, and that of the device's threads.
use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Case, Check, Result, Row, Run, launch_1d, row};

use crate::maps::{self, Dim3};

/// The exercises.
pub(crate) static ROWS: &[Row] = &[
    row("index-maps", "exercise: which elements a thread takes, in three ways", ()),
    row("warp-starts", "exercise: where in a block its warps begin", ()),
];

pub(crate) fn run(run: &Run) -> Result<()> {
    for (n, block, threads) in [(8000, 1024, 8192), (997, 256, 1024), (1, 32, 32)] {
        elements(run, n, block, threads)?;
    }
    // The questions count warps from 1. The answer is (x, y) or (x, y, z) of the warp's lane 0.
    warp_start(run, [24, 12, 1], 2, [8, 1, 0])?;
    warp_start(run, [24, 12, 1], 3, [16, 2, 0])?;
    warp_start(run, [6, 4, 8], 2, [2, 1, 1])
}

/// The index maps over `n` elements in blocks of `block` threads: one element per thread, two adjacent elements, and
/// two that are a block apart. The question is how many threads the first map launches.
fn elements(run: &Run, n: u32, block: u32, expected: u64) -> Result<()> {
    let launched = maps::launched_threads(n.into(), 1, block.into());
    let launch = launch_1d(launched as u32 / block, block);
    let case = Case::new("index-maps").label(format!("{n} elements, blocks of {block}")).n(n as usize);
    run.case(case.kernel("hello.cu", "index_maps").launch(launch), |case| {
        let (kernel, stream) = (case.kernel()?, run.stream());
        let mut owner = stream.clone_htod(&vec![u32::MAX; 3 * n as usize])?;
        // SAFETY: the kernel writes only below n in each third of `owner`.
        unsafe { stream.launch_builder(&kernel).arg(&mut owner).arg(&n).arg(&n).launch(launch) }?;
        let owner = stream.clone_dtoh(&owner)?;
        case.check(Check::equal(&owner, &owners(n, launch)));

        let working = owner[..n as usize].iter().filter(|&&thread| thread != u32::MAX).count() as u64;
        case.answer("threads in the grid, one element a thread", expected, launched);
        let idle = launched - working;
        case.note(format!("expected {expected} threads, obtained {launched}; {idle} of them have no element"));
        Ok(())
    })?;
    Ok(())
}

/// Which thread takes each element, by the pure functions, for the three maps one after the other.
fn owners(n: u32, launch: LaunchConfig) -> Vec<u32> {
    let (blocks, block_dim) = (u64::from(launch.grid_dim.0), u64::from(launch.block_dim.0));
    let mut owners = vec![u32::MAX; 3 * n as usize];
    for index in 0..blocks * block_dim {
        let (block, thread) = (index / block_dim, index % block_dim);
        let [first, second] = maps::two_side_by_side(block, block_dim, thread);
        let [near, far] = maps::two_apart(block, block_dim, thread);
        let one = maps::one_element(block, block_dim, thread);
        for (map, element) in [(0, one), (1, first), (1, second), (2, near), (2, far)] {
            if element < u64::from(n) {
                owners[(map * u64::from(n) + element) as usize] = index as u32;
            }
        }
    }
    owners
}

/// Where the block's `warp` (counted from 1) begins.
fn warp_start(run: &Run, block: Dim3, warp: u64, expected: Dim3) -> Result<()> {
    let [x, y, z] = block;
    let launch = LaunchConfig { grid_dim: (1, 1, 1), block_dim: block.into(), shared_mem_bytes: 0 };
    let case = Case::new("warp-starts").label(format!("block {x}x{y}x{z}, warp {warp}"));
    run.case(case.kernel("hello.cu", "lane_zeros").launch(launch), |case| {
        let (kernel, stream) = (case.kernel()?, run.stream());
        let warps = maps::warps_of_block(block);
        let mut starts = stream.clone_htod(&vec![u32::MAX; 3 * warps as usize])?;
        // SAFETY: the kernel writes three numbers for each warp.
        unsafe { stream.launch_builder(&kernel).arg(&mut starts).launch(launch) }?;
        let starts = stream.clone_dtoh(&starts)?;
        let by_function = (0..warps).flat_map(|w| maps::warp_start(w, block).unwrap_or([u32::MAX; 3]));
        case.check(Check::equal(&starts, &by_function.collect::<Vec<_>>()));

        let obtained = &starts[3 * (warp as usize - 1)..][..3];
        case.answer(format!("(x, y, z) of lane 0 of warp {warp}, counted from 1"), &expected[..], obtained);
        case.note(format!("lane 0 is at (x, y, z): expected {expected:?}, obtained {obtained:?}"));
        Ok(())
    })?;
    Ok(())
}

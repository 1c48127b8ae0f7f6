//! The index maps as questions: the answer, what the pure function says, and what the device's threads do.
use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Case, Check, Result, Run, launch_1d};

use crate::maps::{self, Dim3};

pub(crate) fn run(run: &Run) -> Result<()> {
    for (n, block) in [(8000, 1024), (997, 256), (1, 32)] {
        elements(run, n, block)?;
    }
    // Asked with warps counted from 1, and answered with (x, y) or (x, y, z) of the warp's lane 0.
    warp_start(run, [24, 12, 1], 2, [8, 1, 0])?;
    warp_start(run, [24, 12, 1], 3, [16, 2, 0])?;
    warp_start(run, [6, 4, 8], 2, [2, 1, 1])
}

/// Three kernels' worth of index maps over `n` elements: one a thread, two side by side, two a block apart.
fn elements(run: &Run, n: u32, block: u32) -> Result<()> {
    let threads = maps::launched_threads(n.into(), 1, block.into());
    let launch = launch_1d(threads as u32 / block, block);
    let case = Case::new("index-maps")
        .label(format!("{n} elements, blocks of {block}"))
        .n(n as usize)
        .launch(launch);
    run.case(case, |case| {
        let stream = run.stream();
        let kernel = run.function("hello.cu", "index_maps")?;
        let mut owner = stream.clone_htod(&vec![u32::MAX; 3 * n as usize])?;
        // SAFETY: the kernel writes only below n in each third of `owner`.
        unsafe {
            stream
                .launch_builder(&kernel)
                .arg(&mut owner)
                .arg(&n)
                .arg(&n)
                .launch(launch)
        }?;
        let owner = stream.clone_dtoh(&owner)?;
        case.check(Check::equal(&owner, &owners(n, launch)));

        // The question of the first map: how many threads are launched, and how many have nothing to do.
        let working = owner[..n as usize]
            .iter()
            .filter(|&&t| t != u32::MAX)
            .count() as u64;
        let launched = u64::from(launch.grid_dim.0) * u64::from(launch.block_dim.0);
        let expected = match (n, block) {
            (8000, 1024) => 8192,
            (997, 256) => 1024,
            _ => 32,
        };
        case.set("question", "threads in the grid, one element a thread");
        case.set("expected", expected);
        case.set("obtained", launched);
        case.check(Check::scalar(
            "threads",
            launched,
            expected as u64,
            harness::Tolerance::EXACT,
        ));
        case.note(format!(
            "expected {expected} threads, obtained {launched}; {} of them have no element",
            launched - working
        ));
        Ok(())
    })?;
    Ok(())
}

/// Which thread takes each element, by the pure functions: the three maps one after the other.
fn owners(n: u32, launch: LaunchConfig) -> Vec<u32> {
    let (blocks, block_dim) = (u64::from(launch.grid_dim.0), u64::from(launch.block_dim.0));
    let mut owners = vec![u32::MAX; 3 * n as usize];
    for block in 0..blocks {
        for thread in 0..block_dim {
            let index = maps::one_element(block, block_dim, thread);
            let takes = [
                vec![index],
                maps::two_side_by_side(block, block_dim, thread).to_vec(),
                maps::two_apart(block, block_dim, thread).to_vec(),
            ];
            for (way, elements) in takes.iter().enumerate() {
                for &element in elements.iter().filter(|&&e| e < u64::from(n)) {
                    owners[way * n as usize + element as usize] = index as u32;
                }
            }
        }
    }
    owners
}

/// Where the block's `warp` (counted from 1) begins.
fn warp_start(run: &Run, block: Dim3, warp: u64, expected: Dim3) -> Result<()> {
    let launch = LaunchConfig {
        grid_dim: (1, 1, 1),
        block_dim: (block[0], block[1], block[2]),
        shared_mem_bytes: 0,
    };
    let shape = format!("{}x{}x{}", block[0], block[1], block[2]);
    let case = Case::new("warp-starts")
        .label(format!("block {shape}, warp {warp}"))
        .launch(launch);
    run.case(case, |case| {
        let stream = run.stream();
        let kernel = run.function("hello.cu", "lane_zeros")?;
        let warps = maps::warps_of_block(block);
        let mut starts = stream.clone_htod(&vec![u32::MAX; 3 * warps as usize])?;
        // SAFETY: three numbers a warp are written.
        unsafe {
            stream
                .launch_builder(&kernel)
                .arg(&mut starts)
                .launch(launch)
        }?;
        let starts = stream.clone_dtoh(&starts)?;
        let by_function: Vec<u32> = (0..warps)
            .flat_map(|w| maps::warp_start(w, block).unwrap_or([u32::MAX; 3]))
            .collect();
        case.check(Check::equal(&starts, &by_function));

        let at = 3 * (warp as usize - 1);
        let obtained: Dim3 = [starts[at], starts[at + 1], starts[at + 2]];
        case.set(
            "question",
            format!("(x, y, z) of lane 0 of warp {warp}, counted from 1"),
        );
        case.set("expected", format!("{expected:?}"));
        case.set("obtained", format!("{obtained:?}"));
        case.note(format!(
            "lane 0 is at (x, y, z): expected {expected:?}, obtained {obtained:?}"
        ));
        case.check(Check::equal(&obtained, &expected));
        Ok(())
    })?;
    Ok(())
}

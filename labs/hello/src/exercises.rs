//! The index maps as questions: the expected answer, the pure function's, and the device threads'.
use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Case, Check, Result, Row, Run, launch_1d, row};

use crate::maps::{self, Dim3};

/// The exercises.
pub(crate) static ROWS: &[Row] = &[
    row("ranks", "exercise: the rank of a thread in the whole grid", ()),
    row("index-maps", "exercise: which elements a thread takes, in three ways", ()),
    row("half-apart", "exercise: like the third of these ways, as a course printed it", ())
        .wrong("half of a block's second section is the first one again, and the other half belongs to no thread"),
    row("warp-starts", "exercise: where in a block its warps begin and end", ()),
];

/// The warps of the questions, each with the block, the warp counted from 1, and the (x, y, z) of its first and last
/// thread; then the wrong answer that a course printed, if any.
#[rustfmt::skip]
const WARPS: [(Dim3, u64, [Dim3; 2], Option<&str>); 7] = [
    ([24, 12, 1], 2, [[8, 1, 0], [15, 2, 0]], Some("(2, 7) to (4, 2)")),
    ([24, 12, 1], 3, [[16, 2, 0], [23, 3, 0]], Some("(4, 3) to (6, 11)")),
    ([24, 12, 1], 4, [[0, 4, 0], [7, 5, 0]], Some("(7, 0), its first")),
    ([6, 4, 8], 1, [[0, 0, 0], [1, 1, 1]], None),
    ([6, 4, 8], 2, [[2, 1, 1], [3, 2, 2]], None),
    ([6, 4, 8], 3, [[4, 2, 2], [5, 3, 3]], None),
    ([48, 1, 1], 2, [[32, 0, 0], [47, 0, 0]], None),
];

pub(crate) fn run(run: &Run) -> Result<()> {
    for (blocks, threads) in [(4, 5), (40, 200)] {
        ranks(run, blocks, threads)?;
    }
    for (n, block, threads) in [(8000, 1024, 8192), (997, 256, 1024), (1, 32, 32), (4000, 64, 4032)] {
        elements(run, n, block, threads)?;
    }
    half_apart(run)?;
    WARPS.into_iter().try_for_each(|(block, warp, ends, printed)| warp_ends(run, block, warp, ends, printed))
}

/// The ranks of the threads of `blocks` blocks of `threads`; the text's table shows those of 4 blocks of 5.
fn ranks(run: &Run, blocks: u32, threads: u32) -> Result<()> {
    let launch = launch_1d(blocks, threads);
    let case = Case::new("ranks").label(format!("{blocks} blocks of {threads}")).n((blocks * threads) as usize);
    run.case(case.kernel("hello.cu", "grid_ranks").launch(launch), |case| {
        let (kernel, stream) = (case.kernel()?, run.stream());
        let mut places = stream.clone_htod(&vec![u32::MAX; 2 * (blocks * threads) as usize])?;
        // SAFETY: the kernel writes two numbers for each thread.
        unsafe { stream.launch_builder(&kernel).arg(&mut places).launch(launch) }?;
        let places = stream.clone_dtoh(&places)?;
        let by_function = (0..blocks * threads).filter_map(|rank| maps::coordinates(rank.into(), [threads, blocks, 1]));
        let by_function: Vec<u32> = by_function.flat_map(|[thread, block, _]| [block, thread]).collect();
        case.check(Check::equal(&places, &by_function));

        let of_block = |block| (0..).zip(places.chunks(2)).filter(move |(_, place)| place[0] == block);
        let ends = |block| [of_block(block).next(), of_block(block).last()].map(|end| end.map_or(-1, |(rank, _)| rank));
        let obtained: Vec<_> = (0..blocks).map(ends).collect();
        let expected: Vec<_> = (0..blocks as i32).map(|b| [b * threads as i32, (b + 1) * threads as i32 - 1]).collect();
        case.answer("first and last rank of each block", expected, obtained.clone());
        case.note(format!("ranks of the blocks: {obtained:?}"));
        Ok(())
    })?;
    Ok(())
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

/// The third map as a course printed it: the second element half a block's width from the first.
fn half_apart(run: &Run) -> Result<()> {
    let (n, block) = (4096_u32, 1024);
    let launch = launch_1d(n / (2 * block), block);
    let case = Case::new("half-apart").label(format!("{n} elements, blocks of {block}")).n(n as usize);
    run.case(case.kernel("hello.cu", "half_apart").launch(launch), |case| {
        let (kernel, stream) = (case.kernel()?, run.stream());
        let mut owner = stream.clone_htod(&vec![u32::MAX; n as usize])?;
        // SAFETY: the kernel writes only below n.
        unsafe { stream.launch_builder(&kernel).arg(&mut owner).arg(&n).launch(launch) }?;
        let owner = stream.clone_dtoh(&owner)?;
        case.check(Check::equal(&owner, &owners(n, launch)[2 * n as usize..]));
        let missed = owner.iter().filter(|&&thread| thread == u32::MAX).count();
        case.note(format!("{missed} of {n} elements have no thread, and as many have two"));
        Ok(())
    })?;
    Ok(())
}

/// The first and last thread of the block's `warp` (counted from 1), and a course's answer, if that is wrong.
fn warp_ends(run: &Run, block: Dim3, warp: u64, expected: [Dim3; 2], printed: Option<&str>) -> Result<()> {
    let [x, y, z] = block;
    let launch = LaunchConfig { grid_dim: (1, 1, 1), block_dim: block.into(), shared_mem_bytes: 0 };
    let case = Case::new("warp-starts").label(format!("block {x}x{y}x{z}, warp {warp}"));
    run.case(case.kernel("hello.cu", "warp_ends").launch(launch), |case| {
        let (kernel, stream) = (case.kernel()?, run.stream());
        let warps = maps::warps_of_block(block);
        let mut ends = stream.clone_htod(&vec![u32::MAX; 6 * warps as usize])?;
        // SAFETY: the kernel writes six numbers for each warp.
        unsafe { stream.launch_builder(&kernel).arg(&mut ends).launch(launch) }?;
        let ends = stream.clone_dtoh(&ends)?;
        let by_function = (0..warps).flat_map(|w| maps::warp_ends(w, block).unwrap_or([[u32::MAX; 3]; 2]));
        case.check(Check::equal(&ends, &by_function.flatten().collect::<Vec<_>>()));

        let end = |at: usize| [ends[at], ends[at + 1], ends[at + 2]];
        let at = 6 * (warp as usize - 1);
        let obtained = [end(at), end(at + 3)];
        case.answer(
            format!("(x, y, z) of the first and last thread of warp {warp}, counted from 1"),
            expected,
            obtained,
        );
        case.note(format!("from and to (x, y, z): expected {expected:?}, obtained {obtained:?}"));
        if let Some(printed) = printed {
            case.note(format!("the course printed {printed}, but x runs first"));
        }
        let idle = warps * u64::from(maps::WARP) - maps::count(block);
        if idle > 0 && warp == warps {
            case.note(format!("its last {idle} lanes are idle"));
        }
        Ok(())
    })?;
    Ok(())
}

//! Reductions of booleans, for which there are instructions: the votes of a block and of a warp.
use cudarc::driver::PushKernelArg;
use harness::{Case, Result, Row, Run, launch_1d, row};

pub(crate) static ROWS: [Row; 1] =
    [row("votes", "yes and no of 96 threads: count, and, or; all and any of a warp", ())];

/// Whether a thread votes yes.
type Says = fn(usize) -> bool;

/// The questions, and the threads that vote yes.
const QUESTIONS: [(&str, Says); 4] = [
    ("every thread", |_| true),
    ("no thread", |_| false),
    ("even threads", |t| t % 2 == 0),
    ("thread 40", |t| t == 40),
];

const WARPS: usize = 3;
const WARP: usize = 32;

/// A row for each question.
pub(crate) fn run(run: &Run) -> Result<()> {
    for (number, (who, says)) in (0u32..).zip(QUESTIONS) {
        let case = Case::new(ROWS[0].name()).label(who).kernel("votes.cu", "votes");
        run.case(case.launch(launch_1d(1, (WARPS * WARP) as u32)), |case| {
            let (kernel, launch, stream) = (case.kernel()?, case.launch(), run.stream());
            let mut said = stream.alloc_zeros::<u32>(3 + 2 * WARPS)?;
            // SAFETY: the kernel's parameters; it writes 3 words for the block and 2 for each warp.
            unsafe { stream.launch_builder(&kernel).arg(&number).arg(&mut said).launch(launch) }?;
            let said = stream.clone_dtoh(&said)?;
            let expected = answers(says);
            case.note(in_words(&said));
            case.answer(format!("{who} of 96 says yes: what do the votes say?"), in_words(&expected), in_words(&said));
            Ok(())
        })?;
    }
    Ok(())
}

/// The expected output of the kernel.
fn answers(says: Says) -> Vec<u32> {
    let yes: Vec<bool> = (0..WARPS * WARP).map(says).collect();
    let all = |lanes: &[bool]| u32::from(lanes.iter().all(|yes| *yes));
    let any = |lanes: &[bool]| u32::from(lanes.contains(&true));
    let count = yes.iter().filter(|yes| **yes).count() as u32;
    let (of_block, warps) = ([count, all(&yes), any(&yes)], || yes.chunks(WARP));
    of_block.into_iter().chain(warps().map(all)).chain(warps().map(any)).collect()
}

fn in_words(said: &[u32]) -> String {
    let (all, any) = said[3..].split_at(WARPS);
    format!("count {}, and {}, or {}; warps: all {all:?}, any {any:?}", said[0], said[1], said[2])
}

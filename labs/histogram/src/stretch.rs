//! The first histogram of the texts: a stretch of the letters for each thread. One text forgot two brackets.
use cudarc::driver::PushKernelArg;
use harness::{Case, Check, Result, Row, Run, launch_1d, row};

use crate::{Bins, reference};

pub(crate) static ROWS: [Row; 1] = [row("stretch", "10000 letters in stretches, as a text prints their length", ())];

/// The text's own case: 10000 letters, a to z in turn, and 32 blocks of 16 threads.
pub(crate) const LETTERS: u32 = 10000;
pub(crate) const BLOCKS: u32 = 32;
pub(crate) const THREADS: u32 = 16;

/// The length of a thread's stretch of `n` letters: as intended, and as C computes it without the brackets.
///
/// ```
/// assert_eq!(histogram::stretch_length(10000, 32, 16, true), 20);
/// assert_eq!(histogram::stretch_length(10000, 32, 16, false), 5248);
/// ```
pub fn stretch_length(n: u32, blocks: u32, threads: u32, has_brackets: bool) -> u32 {
    let up = n + blocks * threads - 1;
    if has_brackets { up / (blocks * threads) } else { up / blocks * threads }
}

/// The threads that have a letter to count.
pub(crate) fn busy_threads(has_brackets: bool) -> u32 {
    LETTERS.div_ceil(stretch_length(LETTERS, BLOCKS, THREADS, has_brackets))
}

/// A row for each way. Both give the right counts, so the number of threads that counted is checked too.
pub(crate) fn run(run: &Run) -> Result<()> {
    let text: Vec<u8> = (b'a'..=b'z').cycle().take(LETTERS as usize).collect();
    for (label, kernel, has_brackets) in
        [("brackets", "stretch_brackets", true), ("no brackets", "stretch_no_brackets", false)]
    {
        let case = Case::new(ROWS[0].name()).label(label).n(text.len()).kernel("stretch.cu", kernel);
        run.case(case.launch(launch_1d(BLOCKS, THREADS)), |case| {
            let (stream, kernel, launch) = (run.stream(), case.kernel()?, case.launch());
            let device = run.upload("text", &text)?;
            let busy = busy_threads(has_brackets);
            let mut expected = reference(Bins::Letters, &text);
            expected.push(busy.into());
            case.reads(text.len());
            case.measure(
                &mut stream.alloc_zeros::<u32>(8)?,
                |counts| Ok(stream.memset_zeros(counts)?),
                |counts| {
                    // SAFETY: arguments as the kernels declare them; there are 8 counts.
                    unsafe { stream.launch_builder(&kernel).arg(&*device).arg(counts).arg(&LETTERS).launch(launch) }?;
                    Ok(())
                },
                |counts| {
                    let counts: Vec<u64> = stream.clone_dtoh(counts)?.into_iter().map(u64::from).collect();
                    Ok(Check::equal(&counts, &expected))
                },
            )?;
            let length = stretch_length(LETTERS, BLOCKS, THREADS, has_brackets);
            case.note(format!("stretches of {length}: {busy} of {} threads have a letter to count", BLOCKS * THREADS));
            Ok(())
        })?;
    }
    Ok(())
}

//! The course's wrong kernels, run so that the machine's checks or the answer show the mistake.
use cudarc::driver::PushKernelArg;
use harness::{Case, Check, Result, Row, Run, launch_1d, row};

use crate::reference::{max_next, parity_taps};

/// One of them: its kernels, each in four blocks of the given number of threads, and the right answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mistake {
    kernels: &'static [&'static str],
    threads: u32,
    right: fn(&[f32]) -> Vec<f32>,
}

#[rustfmt::skip]
pub(crate) static MISTAKES: &[Row<Mistake>] = &[
    row("max-from-zero", "exercise: max-next as the course prints it, searching from 0.0",
        Mistake { kernels: &["max_from_zero"], threads: 256, right: max_next })
        .wrong("where all 16 elements are negative, 0.0 is not one of them"),
    row("parity-past-end", "exercise: the course's loop by parity, whose last thread reads past the end",
        Mistake { kernels: &["parity_past_end"], threads: 256, right: parity_taps })
        .racy("thread 1023 reads element 1024").own_process(),
    row("parity-split", "exercise: the same split into two kernels, as the course prints it",
        Mistake { kernels: &["split_odd", "split_even"], threads: 128, right: parity_taps })
        .wrong("the two sides are exchanged, thread 0 reads element -1, and the sums begin unset").own_process(),
];

/// A row for each mistake.
pub(crate) fn run(run: &Run) -> Result<()> {
    const N: usize = 1024;
    for row in run.rows(MISTAKES) {
        let launch = launch_1d(4, row.threads);
        run.case(Case::new(row.name()).label(format!("n={N}, 4x{}", row.threads)).launch(launch), |case| {
            let stream = run.stream();
            // All negative, unlike any test of the course.
            let x: Vec<f32> = (0..N).map(|i| -1.0 - (i % 7) as f32).collect();
            let input = run.upload("in", &x)?;
            // SAFETY: deliberately read before it is written by one kernel: that is its mistake.
            let mut output = unsafe { stream.alloc::<f32>(N) }?;
            for kernel in row.kernels {
                let kernel = case.function("wrong.cu", kernel)?;
                let mut builder = stream.launch_builder(&kernel);
                let n = N as i32;
                builder.arg(&*input).arg(&mut output).arg(&n);
                // SAFETY: the kernels' parameters. They read at most one element out of bounds, which is their mistake.
                unsafe { builder.launch(case.launch()) }?;
            }
            case.check(Check::equal(&stream.clone_dtoh(&output)?, &(row.right)(&x)));
            Ok(())
        })?;
    }
    Ok(())
}

//! The stencils on a line.
use cudarc::driver::{CudaSlice, LaunchConfig, PushKernelArg};
use harness::{Case, Check, Coverage, Error, Result, Run, Sizes, Tolerance, poison};

use crate::reference;
use crate::verify::Verifier;

/// A variant on a line of floats: its kernels in order, and the floats of shared memory a block needs.
struct Line {
    variant: &'static str,
    kernels: &'static [&'static str],
    shared_floats: fn(u32) -> u32,
    /// Elements a thread.
    each: usize,
    expected: fn(&[f32]) -> Vec<f64>,
    /// Roundings on the way to a result; the results are at most 1 in magnitude.
    roundings: usize,
    /// Passes over the data that the bytes are counted for: one read and one write each.
    passes: usize,
}

const BLUR: Line = Line {
    variant: "naive",
    kernels: &["blur_naive"],
    shared_floats: |_| 0,
    each: 1,
    expected: |x| reference::blur(x),
    roundings: 3,
    passes: 1,
};

const LINES: [Line; 7] = [
    BLUR,
    Line {
        variant: "shared",
        kernels: &["blur_shared"],
        shared_floats: |t| t + 2,
        ..BLUR
    },
    Line {
        variant: "wide",
        kernels: &["blur_wide"],
        each: 4,
        ..BLUR
    },
    Line {
        variant: "twice",
        kernels: &["blur_naive", "blur_naive"],
        expected: |x| reference::blur(&reference::blur(x)),
        roundings: 6,
        passes: 2,
        ..BLUR
    },
    Line {
        variant: "fused",
        kernels: &["blur_twice"],
        shared_floats: |t| 2 * t + 6,
        expected: |x| reference::blur(&reference::blur(x)),
        roundings: 6,
        ..BLUR
    },
    AVERAGE,
    Line {
        variant: "published",
        kernels: &["average5_published"],
        ..AVERAGE
    },
];

const AVERAGE: Line = Line {
    variant: "average",
    kernels: &["average5"],
    shared_floats: |t| t + 4,
    expected: reference::average5,
    roundings: 6,
    ..BLUR
};

/// Threads of a block, from `--threads` or 256.
fn threads(run: &Run) -> u32 {
    run.options().threads.unwrap_or(256)
}

pub(crate) fn run(run: &Run) -> Result<()> {
    if !LINES.iter().any(|l| run.wants(l.variant)) && !run.wants("reverse") {
        return Ok(());
    }
    let n = run.size(Sizes {
        gpu: 1 << 26,
        emulated: 1 << 18,
        quick: 1000,
    });
    crate::affordable(run, Some(n), 3 * size_of::<f32>(), "--n")?;
    let x = run.inputs("x").f32(n, -1.0..1.0);
    let (mut expected, mut of) = (Vec::new(), None);
    for line in LINES {
        if !run.wants(line.variant) {
            continue;
        }
        // Neighbouring variants share their reference.
        let key = (
            line.roundings,
            line.passes,
            line.variant == "average" || line.variant == "published",
        );
        if of != Some(key) || line.variant == "fused" {
            expected = (line.expected)(&x);
            of = Some(key);
        }
        one(run, &line, &x, &expected)?;
    }
    reverse(run, n)
}

fn one(run: &Run, line: &Line, x: &[f32], expected: &[f64]) -> Result<()> {
    let n = x.len();
    let launch = if line.each > 1 {
        // Shuffles need whole warps.
        let threads = threads(run).next_multiple_of(run.session().device.warp_size);
        let blocks =
            u32::try_from(n.div_ceil(line.each).div_ceil(threads as usize)).map_err(|_| {
                Error::usage(format!(
                    "{n} elements need more blocks than any grid has; choose a smaller --n"
                ))
            })?;
        harness::launch_1d(blocks, threads)
    } else {
        run.launch_for(n, threads(run), Coverage::OnePerThread)?
    };
    let block = launch.block_dim.0;
    let launch = LaunchConfig {
        shared_mem_bytes: (line.shared_floats)(block) * 4,
        ..launch
    };
    run.case(Case::new(line.variant).n(n).launch(launch), |case| {
        if line.variant == "published" && block < 2 {
            return Err(Error::Skip("its halo needs two threads a block".into()));
        }
        let stream = run.stream();
        let functions = line
            .kernels
            .iter()
            .map(|k| run.function("line.cu", k))
            .collect::<Result<Vec<_>>>()?;
        let dx = stream.clone_htod(x)?;
        // SAFETY: poisoned before each sample, and read only after the kernel.
        let mut outputs: Vec<CudaSlice<f32>> = functions
            .iter()
            .map(|_| unsafe { stream.alloc(n) })
            .collect::<Result<_, _>>()?;
        case.bytes(line.passes * 2 * size_of::<f32>() * n);
        let tolerance = Tolerance::sum(line.roundings, 1.0, f64::from(f32::EPSILON));
        let mut verifier = Verifier::new(expected, tolerance);
        let mut wrong_places = None;
        case.measure(
            &mut outputs,
            |outputs| outputs.iter_mut().try_for_each(|y| poison(run, y)),
            |outputs| {
                let n = n as u64;
                for (i, function) in functions.iter().enumerate() {
                    let (before, rest) = outputs.split_at_mut(i);
                    let input = before.last().unwrap_or(&dx);
                    let mut builder = stream.launch_builder(function);
                    builder.arg(input).arg(&mut rest[0]).arg(&n);
                    // SAFETY: these are the kernels' parameters, each vector holds n floats.
                    unsafe { builder.launch(launch) }?;
                }
                Ok(())
            },
            |outputs| {
                let y = stream.clone_dtoh(&outputs[functions.len() - 1])?;
                if line.variant == "published" {
                    wrong_places = Some(places(&y, expected, block as usize, tolerance.absolute));
                }
                Ok(verifier.check(y))
            },
        )?;
        if let Some(places) = wrong_places {
            case.note(places);
        }
        Ok(())
    })?;
    Ok(())
}

/// Where in their blocks the wrong results of the published kernel lie: what a teacher would write beside it.
fn places(y: &[f32], expected: &[f64], block: usize, allowed: f64) -> String {
    let wrong: Vec<usize> = (0..y.len())
        .filter(|i| {
            let error = (f64::from(y[*i]) - expected[*i]).abs();
            error.is_nan() || error > allowed
        })
        .collect();
    let edge = |i: &usize| matches!(i % block, 0 | 1) || i % block + 2 >= block;
    if wrong.iter().all(edge) {
        format!(
            "all {} wrong results are the first or last two of a block: lane 1 loads x[i-1] for x[i-2], lane {} loads x[i+1] for x[i+2]",
            wrong.len(),
            block.saturating_sub(2)
        )
    } else {
        format!(
            "{} wrong results, not only at the edges of the blocks",
            wrong.len()
        )
    }
}

fn reverse(run: &Run, n: usize) -> Result<()> {
    if !run.wants("reverse") {
        return Ok(());
    }
    let launch = run.launch_for((n / 2).max(1), 256, Coverage::OnePerThread)?;
    let launch = LaunchConfig {
        shared_mem_bytes: 2 * launch.block_dim.0,
        ..launch
    };
    run.case(Case::new("reverse").n(n).launch(launch), |case| {
        let stream = run.stream();
        let function = run.function("line.cu", "reverse")?;
        let text: Vec<u8> = run
            .inputs("text")
            .bytes(n)
            .iter()
            .map(|b| b'a' + b % 26)
            .collect();
        let turned: Vec<u8> = text.iter().rev().copied().collect();
        let start = stream.clone_htod(&text)?;
        let mut there = stream.clone_htod(&text)?;
        case.bytes(2 * n);
        case.measure(
            &mut there,
            |there| Ok(stream.memcpy_dtod(&start, there)?),
            |there| {
                let n = n as u64;
                let mut builder = stream.launch_builder(&function);
                builder.arg(there).arg(&n);
                // SAFETY: these are the kernel's parameters, the text holds n bytes.
                unsafe { builder.launch(launch) }?;
                Ok(())
            },
            |there| {
                Ok(Check::compare(
                    &stream.clone_dtoh(there)?,
                    &turned,
                    Tolerance::EXACT,
                ))
            },
        )?;
        Ok(())
    })?;
    Ok(())
}

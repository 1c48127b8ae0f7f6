//! The stencils on a line.
use cudarc::driver::{CudaSlice, PushKernelArg};
use harness::{Case, Check, Error, Launch, Result, Row, Run, Sizes, Tolerance, row};

use crate::{AVERAGES, LINES, reference};

/// A method for a line of floats.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    /// Its kernels in `line.cu`, in the order of their launches.
    pub(crate) kernels: &'static [&'static str],
    /// Floats of shared memory that a block needs, by its number of threads.
    pub(crate) shared_floats: fn(u32) -> u32,
    /// The smallest number of threads of a block.
    pub(crate) least_threads: u32,
    /// Elements per thread.
    pub(crate) each: usize,
    /// The result that it must give. For adjacent rows with the same result, it is computed once.
    pub(crate) expected: Expected,
    /// The number of passes over the data for which bytes are counted: one read and one write each.
    pub(crate) passes: usize,
}

/// The result that a method must give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    Blur,
    BlurOfBlur,
    Average,
}

impl Expected {
    fn of(self, x: &[f32]) -> Vec<f64> {
        match self {
            Self::Blur => reference::blur(x),
            Self::BlurOfBlur => reference::blur(&reference::blur(x)),
            Self::Average => reference::average5(x),
        }
    }

    /// The number of roundings on the way to a result, which is at most 1 in magnitude.
    fn tolerance(self) -> Tolerance {
        let roundings = if self == Self::Blur { 3 } else { 6 };
        Tolerance::sum(roundings, 1.0, f64::from(f32::EPSILON))
    }
}

pub(crate) const BLUR: Line = Line {
    kernels: &["blur_naive"],
    shared_floats: |_| 0,
    least_threads: 1,
    each: 1,
    expected: Expected::Blur,
    passes: 1,
};

pub(crate) const TWICE: Line =
    Line { kernels: &["blur_naive", "blur_naive"], expected: Expected::BlurOfBlur, passes: 2, ..BLUR };

pub(crate) const AVERAGE: Line =
    Line { kernels: &["average5"], shared_floats: |t| t + 4, expected: Expected::Average, ..BLUR };

pub(crate) static REVERSE: [Row; 1] = [row("reverse", "a text turned round in place, through shared memory", ())];

pub(crate) fn run(run: &Run) -> Result<()> {
    let lines: Vec<_> = run.rows(LINES).chain(run.rows(AVERAGES)).collect();
    if lines.is_empty() && !run.wants("reverse") {
        return Ok(());
    }
    let n = run.size(Sizes { gpu: 1 << 26, emulated: 1 << 18, quick: 1000 });
    run.needs(n.checked_mul(3 * size_of::<f32>()), &format!("three vectors of {n} floats"), "--n")?;
    let x = run.inputs("x").f32(n, -1.0..1.0);
    let mut expected: Option<(Expected, Vec<f64>)> = None;
    for row in lines {
        if expected.as_ref().is_none_or(|(of, _)| *of != row.expected) {
            expected = Some((row.expected, row.expected.of(&x)));
        }
        let (_, expected) = expected.as_ref().expect("it was just set");
        one(run, row, &x, expected)?;
    }
    reverse(run, n)
}

fn one(run: &Run, row: &Row<Line>, x: &[f32], expected: &[f64]) -> Result<()> {
    let n = x.len();
    let rule = Launch::covering(256).each(row.each).shared((row.shared_floats)(run.threads(256)) * 4);
    // Shuffles need whole warps.
    let rule = if row.each > 1 { rule.whole_warps() } else { rule };
    run.case(Case::new(row.name()).n(n).launch(rule), |case| {
        let launch = case.launch();
        let threads = launch.block_dim.0;
        if threads < row.least_threads {
            return Err(Error::Skip(format!("its halo needs {} threads a block", row.least_threads)));
        }
        let stream = run.stream();
        let kernels = row.kernels.iter().map(|name| run.function("line.cu", name)).collect::<Result<Vec<_>>>()?;
        let dx = stream.clone_htod(x)?;
        // SAFETY: poisoned before each sample, and read only after the kernel.
        let mut outputs: Vec<CudaSlice<f32>> =
            kernels.iter().map(|_| unsafe { stream.alloc(n) }).collect::<Result<_, _>>()?;
        case.bytes(row.passes * 2 * size_of::<f32>() * n);
        let tolerance = row.expected.tolerance();
        let mut wrong_places = None;
        case.time_chain(
            &mut outputs,
            |outputs| {
                let n = n as u64;
                for (i, kernel) in kernels.iter().enumerate() {
                    let (before, rest) = outputs.split_at_mut(i);
                    let input = before.last().unwrap_or(&dx);
                    let mut builder = stream.launch_builder(kernel);
                    builder.arg(input).arg(&mut rest[0]).arg(&n);
                    // SAFETY: these are the kernels' parameters, each vector holds n floats.
                    unsafe { builder.launch(launch) }?;
                }
                Ok(())
            },
            |y| {
                if row.name() == "published" {
                    wrong_places = Some(places(y, expected, threads as usize, tolerance.absolute));
                }
                Check::compare(y, expected, tolerance)
            },
        )?;
        if let Some(places) = wrong_places {
            case.note(places);
        }
        Ok(())
    })?;
    Ok(())
}

/// Where the wrong results of the published kernel lie in their blocks, worded as a teacher's remark.
fn places(y: &[f32], expected: &[f64], block: usize, allowed: f64) -> String {
    let is_wrong = |i: &usize| {
        let error = (f64::from(y[*i]) - expected[*i]).abs();
        error.is_nan() || error > allowed
    };
    let wrong: Vec<usize> = (0..y.len()).filter(is_wrong).collect();
    let edge = |i: &usize| matches!(i % block, 0 | 1) || i % block + 2 >= block;
    if wrong.iter().all(edge) {
        format!(
            "all {} wrong results are the first or last two of a block: lane 1 loads x[i-1] for x[i-2], lane {} loads x[i+1] for x[i+2]",
            wrong.len(),
            block.saturating_sub(2)
        )
    } else {
        format!("{} wrong results, not only at the edges of the blocks", wrong.len())
    }
}

fn reverse(run: &Run, n: usize) -> Result<()> {
    let rule = Launch::covering(256).each(2).shared_by_threads(|threads| 2 * threads);
    run.case(Case::new("reverse").n(n).kernel("line.cu", "reverse").launch(rule), |case| {
        let (stream, kernel, launch) = (run.stream(), case.kernel()?, case.launch());
        let text: Vec<u8> = run.inputs("text").bytes(n).iter().map(|b| b'a' + b % 26).collect();
        let turned: Vec<u8> = text.iter().rev().copied().collect();
        let start = stream.clone_htod(&text)?;
        let mut there = stream.clone_htod(&text)?;
        case.bytes(2 * n);
        case.measure(
            &mut there,
            |there| Ok(stream.memcpy_dtod(&start, there)?),
            |there| {
                let n = n as u64;
                // SAFETY: these are the kernel's parameters, the text holds n bytes.
                unsafe { stream.launch_builder(&kernel).arg(there).arg(&n).launch(launch) }?;
                Ok(())
            },
            |there| Ok(Check::compare(&stream.clone_dtoh(there)?, &turned, Tolerance::EXACT)),
        )?;
        Ok(())
    })?;
    Ok(())
}

//! The stencils on a line.
use std::{cell::RefCell, rc::Rc};

use cudarc::driver::{CudaSlice, DeviceRepr, LaunchConfig, PushKernelArg};
use harness::{Case, Check, Error, Launch, Number, Result, Row, Run, Sizes, Tolerance, parallel, parallel_vec, row};

use crate::{AVERAGES, LINES, MISTAKES, cpu, reference};

/// A method for a line of floats.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineMethod {
    /// The file of its kernels.
    pub(crate) file: &'static str,
    /// Its kernels, in the order of their launches.
    pub(crate) kernels: &'static [&'static str],
    /// Elements of shared memory that a block needs, by its number of threads.
    pub(crate) shared: fn(u32) -> u32,
    /// The smallest number of threads of a block.
    pub(crate) least_threads: u32,
    /// Elements per thread.
    pub(crate) each: usize,
    /// The result that it must give.
    pub(crate) expected: Expected,
    /// The number of passes over the data for which bytes are counted: one read and one write each.
    pub(crate) passes: usize,
    /// The elements are doubles, not floats.
    pub(crate) double: bool,
    /// The number of elements at each end that it leaves unchanged.
    pub(crate) ends: usize,
    /// For methods of a single block: the number of threads by the number of elements, which is then at most
    /// [`ONE_BLOCK`].
    pub(crate) one_block: Option<fn(u32) -> u32>,
    /// Whether some of its threads may wait forever.
    pub(crate) waits_for_ever: bool,
}

/// The most elements for a method of one block, as in the text: one thread for each element except the first and the
/// last.
const ONE_BLOCK: usize = 1000;

/// The expected result of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    Blur,
    BlurOfBlur,
    Average,
}

impl Expected {
    fn compute(self, x: &[f32]) -> Vec<f64> {
        match self {
            Self::Blur => reference::blur(x),
            Self::BlurOfBlur => reference::blur(&reference::blur(x)),
            Self::Average => reference::average5(x),
        }
    }

    /// The tolerance for the roundings on the way to a result, which is at most 1 in magnitude.
    pub(crate) fn tolerance(self, epsilon: f64) -> Tolerance {
        let roundings = if self == Self::Blur { 3 } else { 6 };
        // The expected values are rounded to doubles themselves.
        Tolerance::sum(roundings, 1.0, epsilon + f64::EPSILON)
    }
}

pub(crate) const BLUR: LineMethod = LineMethod {
    file: "line.cu",
    kernels: &["blur_naive"],
    shared: |_| 0,
    least_threads: 1,
    each: 1,
    expected: Expected::Blur,
    passes: 1,
    double: false,
    ends: 0,
    one_block: None,
    waits_for_ever: false,
};

pub(crate) const TWICE: LineMethod =
    LineMethod { kernels: &["blur_naive", "blur_naive"], expected: Expected::BlurOfBlur, passes: 2, ..BLUR };

pub(crate) const AVERAGE: LineMethod =
    LineMethod { kernels: &["average5"], shared: |t| t + 4, expected: Expected::Average, ..BLUR };

/// A blur as a course prints it: the ends are left unchanged.
pub(crate) const PRINTED: LineMethod = LineMethod { file: "wrong.cu", ends: 1, ..BLUR };

pub(crate) static REVERSE: [Row; 1] = [row("reverse", "a text turned round in place, through shared memory", ())];

/// The input, and the last result computed: rows with the same result follow each other.
pub(crate) struct Input<'a> {
    pub(crate) x: &'a [f32],
    known: RefCell<Option<(Expected, Rc<Vec<f64>>)>>,
}

impl Input<'_> {
    pub(crate) fn expected(&self, what: Expected) -> Rc<Vec<f64>> {
        let mut known = self.known.borrow_mut();
        match known.as_ref() {
            Some((of, values)) if *of == what => values.clone(),
            _ => known.insert((what, Rc::new(what.compute(self.x)))).1.clone(),
        }
    }
}

pub(crate) fn run(run: &Run) -> Result<()> {
    let lines: Vec<_> = run.rows(LINES).chain(run.rows(AVERAGES)).chain(run.rows(MISTAKES)).collect();
    let on_the_cpu = run.rows(cpu::ROWS).next().is_some();
    if lines.is_empty() && !on_the_cpu && !run.wants("reverse") {
        return Ok(());
    }
    let n = run.size(Sizes { gpu: 1 << 26, emulated: 1 << 18, quick: 1000 });
    let (bytes, words) = if lines.iter().any(|row| row.double) {
        (2 * size_of::<f64>(), format!("two vectors of {n} doubles"))
    } else {
        (3 * size_of::<f32>(), format!("three vectors of {n} floats"))
    };
    run.needs(n.checked_mul(bytes), &words, "--n")?;
    let x = run.inputs("x").f32(n, -1.0..1.0);
    let whole = Input { x: &x, known: RefCell::default() };
    let part = Input { x: &x[..n.min(ONE_BLOCK)], known: RefCell::default() };
    for row in lines {
        let input = if row.one_block.is_some() { &part } else { &whole };
        if row.double {
            // These are not floats, which shows where a kernel keeps one in a float.
            one::<f64>(run, row, input, |x| f64::from(x) / 3.0)?;
        } else {
            one::<f32>(run, row, input, |x| x)?;
        }
    }
    cpu::run(run, &whole)?;
    reverse(run, n)
}

/// The launch of a method, unless the options override it.
fn launch<T>(run: &Run, row: &Row<LineMethod>, n: usize) -> Launch {
    let bytes = size_of::<T>() as u32;
    if let Some(threads) = row.one_block {
        let block = threads(n as u32).max(1);
        let shared_mem_bytes = n as u32 * bytes;
        return LaunchConfig { grid_dim: (1, 1, 1), block_dim: (block, 1, 1), shared_mem_bytes }.into();
    }
    let rule = Launch::covering(256).each(row.each).shared((row.shared)(run.threads(256)) * bytes);
    // Shuffles need whole warps.
    if row.each > 1 { rule.whole_warps() } else { rule }
}

fn one<T: DeviceRepr + Number + Default + PartialEq + Send + 'static>(
    run: &Run,
    row: &Row<LineMethod>,
    input: &Input<'_>,
    element: fn(f32) -> T,
) -> Result<()> {
    let n = input.x.len();
    run.case(Case::new(row.name()).n(n).launch(launch::<T>(run, row, n)), |case| {
        let launch = case.launch();
        let threads = launch.block_dim.0;
        if threads < row.least_threads {
            return Err(Error::skip(format!("its halo needs {} threads a block", row.least_threads)));
        }
        if row.waits_for_ever && !run.is_emulated() {
            return Err(Error::skip("on a GPU its block may wait for ever; the emulated device finds the mistake"));
        }
        if n <= 2 * row.ends {
            return Err(Error::skip(format!("it leaves {} elements at each end alone, and there are {n}", row.ends)));
        }
        let stream = run.stream();
        let kernels = row.kernels.iter().map(|name| run.function(row.file, name)).collect::<Result<Vec<_>>>()?;
        let dx = run.upload("x", &parallel_vec(n, |i| element(input.x[i])))?;
        // SAFETY: poisoned before each sample, and read only after the kernel.
        let mut outputs: Vec<CudaSlice<T>> =
            kernels.iter().map(|_| unsafe { stream.alloc(n) }).collect::<Result<_, _>>()?;
        case.bytes_of_passes(row.passes * 2 * size_of::<T>() * n, row.passes);
        let mut expected = input.expected(row.expected);
        if row.double {
            expected = Rc::new(expected.iter().map(|value| value / 3.0).collect());
        }
        let tolerance = row.expected.tolerance(if row.double { f64::EPSILON } else { f32::EPSILON.into() });
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
                    // SAFETY: these are the kernels' parameters, each vector holds n elements.
                    unsafe { builder.launch(launch) }?;
                }
                Ok(())
            },
            |y| {
                if row.name() == "published" {
                    wrong_places = Some(places(y, &expected, threads as usize, tolerance.absolute));
                }
                let inner = row.ends..n - row.ends;
                Check::compare(&y[inner.clone()], &expected[inner], tolerance)
            },
        )?;
        if let Some(places) = wrong_places {
            case.note(places);
        }
        Ok(())
    })?;
    Ok(())
}

/// Describes where the wrong results of the published kernel lie in their blocks, worded as a teacher's remark.
fn places(y: &[impl Number], expected: &[f64], block: usize, allowed: f64) -> String {
    let is_wrong = |i: &usize| {
        let error = (y[*i].to_f64() - expected[*i]).abs();
        error.is_nan() || error > allowed
    };
    const PART: usize = 1 << 18;
    let of_part = |part: usize| (part * PART..((part + 1) * PART).min(y.len())).filter(is_wrong).collect::<Vec<_>>();
    let wrong = parallel(y.len().div_ceil(PART), of_part).concat();
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

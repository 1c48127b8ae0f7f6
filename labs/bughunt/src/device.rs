//! The kernels that contain the mistake themselves: their inputs and right answers.
use cudarc::driver::{DeviceRepr, PushKernelArg};
use harness::{CaseContext, Check, Error, Number, Result, Run, Tolerance, poison};

use crate::{answered, reference};

const EPSILON: f64 = f32::EPSILON as f64;

/// A kernel's input and its right answer.
pub(crate) struct Job<I, O, E> {
    /// The name of the input in the kernel.
    pub(crate) name: &'static str,
    /// The input; a kernel without one works in place, or on nothing.
    pub(crate) input: Vec<I>,
    /// The content of the output before the launch; it is poisoned if this is empty.
    pub(crate) before: Vec<O>,
    /// The sizes passed to the kernel after its output.
    pub(crate) sizes: Vec<usize>,
    /// The right answer.
    pub(crate) expected: Vec<E>,
    /// The tolerance of an answer.
    pub(crate) tolerance: Tolerance,
    /// Describes what all wrong results have in common, as a hint, for mistakes that no check of the machine finds.
    pub(crate) lead: fn(&[O], &[E]) -> Option<String>,
}

impl<I: DeviceRepr + Clone + 'static, O: DeviceRepr + Number + PartialEq, E: Number> Job<I, O, E> {
    /// A job for `n` elements whose answer is exact.
    pub(crate) fn exact(n: usize, input: Vec<I>, expected: Vec<E>) -> Self {
        let tolerance = Tolerance::EXACT;
        Self { name: "x", input, before: Vec::new(), sizes: vec![n], expected, tolerance, lead: |_, _| None }
    }

    /// The same with this tolerance.
    pub(crate) fn within(self, tolerance: Tolerance) -> Self {
        Self { tolerance, ..self }
    }

    /// Runs the case's kernel once, with the case's launch, and checks its answer. The time of a wrong kernel is of no
    /// interest.
    pub(crate) fn launched(self, run: &Run, case: &mut CaseContext<'_>) -> Result<()> {
        let (stream, kernel, launch) = (run.stream(), case.kernel()?, case.launch());
        let input = if self.input.is_empty() { None } else { Some(run.upload(self.name, &self.input)?) };
        let sizes: Vec<u64> = self.sizes.iter().map(|size| *size as u64).collect();
        // SAFETY: written before the launch.
        let mut output = unsafe { stream.alloc::<O>(self.expected.len()) }?;
        match &self.before[..] {
            [] => poison(stream, &mut output)?,
            before => stream.memcpy_htod(before, &mut output)?,
        }
        let mut builder = stream.launch_builder(&kernel);
        if let Some(input) = &input {
            builder.arg(&**input);
        }
        builder.arg(&mut output);
        for size in &sizes {
            builder.arg(size);
        }
        // SAFETY: these are the kernel's parameters. Its use of them may be wrong: that is what the lab is about, and
        // why such cases run in separate processes.
        unsafe { builder.launch(launch) }?;
        let output = stream.clone_dtoh(&output)?;
        if let Some(lead) = (self.lead)(&output, &self.expected) {
            case.note(lead);
        }
        answered(case, Check::compare(&output, &self.expected, self.tolerance));
        Ok(())
    }
}

pub(crate) fn bounds(run: &Run, case: &mut CaseContext<'_>, n: usize) -> Result<()> {
    let x = run.inputs("bounds").f32(n + 1, -1.0..1.0);
    let expected = reference::differences(&x);
    Job::<_, f32, _>::exact(n, x, expected).within(Tolerance::sum(1, 2.0, EPSILON)).launched(run, case)
}

pub(crate) fn stride(run: &Run, case: &mut CaseContext<'_>, n: usize) -> Result<()> {
    let before = run.inputs("stride").u32(n, 0..200);
    let expected: Vec<u32> = before.iter().map(|pixel| pixel + 10).collect();
    // It works in place, so it has no input.
    Job { before, ..Job::<u32, u32, _>::exact(n, Vec::new(), expected) }.launched(run, case)
}

pub(crate) fn overflow(run: &Run, case: &mut CaseContext<'_>, n: usize) -> Result<()> {
    let sides = run.inputs("overflow").i32(2 * n, 1..100_000);
    let expected = reference::areas(&sides);
    let lead = |areas: &[i64], expected: &[i64]| {
        all_wrong(areas, expected, |area, right| (area - right) % (1 << 32) == 0)
            .map(|wrong| format!("all {wrong} wrong results differ from the right ones by multiples of 2^32"))
    };
    Job { lead, name: "sides", ..Job::<_, i64, _>::exact(n, sides, expected) }.launched(run, case)
}

pub(crate) fn index(run: &Run, case: &mut CaseContext<'_>, n: usize) -> Result<()> {
    // About twice as high as it is wide; a few of the n pixels may be left over.
    let width = (n / 2).isqrt().max(1);
    let height = n / width;
    let picture = run.inputs("index").f32(width * height, 0.0..1.0);
    let expected = reference::turn(&picture, width);
    Job { name: "picture", sizes: vec![width, height], ..Job::<_, f32, _>::exact(n, picture, expected) }
        .launched(run, case)
}

pub(crate) fn countdown(run: &Run, case: &mut CaseContext<'_>, n: usize) -> Result<()> {
    let mut rows = run.inputs("countdown").i32(8 * n, -100..100);
    // By chance alone, one row in 256 would have no positive number.
    for row in rows.chunks_exact_mut(8).skip(2).step_by(5) {
        for x in row {
            *x = -x.abs();
        }
    }
    let expected = reference::last_positive(&rows);
    Job { name: "rows", ..Job::<_, i32, _>::exact(n, rows, expected) }.launched(run, case)
}

pub(crate) fn no_barrier(run: &Run, case: &mut CaseContext<'_>, n: usize) -> Result<()> {
    let x = run.inputs("no-barrier").f32(n, -1.0..1.0);
    let expected = reference::mirror(&x);
    Job::<_, f32, _>::exact(n, x, expected).launched(run, case)
}

pub(crate) fn divergent_barrier(run: &Run, case: &mut CaseContext<'_>, n: usize) -> Result<()> {
    // Nothing would end it on a GPU: a thread that waits for the others to return keeps them waiting at their barrier.
    if !run.is_emulated() && run.options().kernel.is_none() {
        return Err(Error::skip("on a GPU this kernel may never end; fix a copy of it, and pass it with --kernel"));
    }
    let x = run.inputs("divergent-barrier").f32(n, -1.0..1.0);
    let expected = reference::steps(&x);
    Job::<_, f32, _>::exact(n, x, expected).within(Tolerance::sum(1, 2.0, EPSILON)).launched(run, case)
}

pub(crate) fn shared_race(run: &Run, case: &mut CaseContext<'_>, n: usize) -> Result<()> {
    let bytes = run.inputs("shared-race").bytes(n);
    let expected = reference::tally(&bytes);
    Job { name: "bytes", ..Job::<_, u32, _>::exact(n, bytes, expected) }.launched(run, case)
}

pub(crate) fn uninitialised(run: &Run, case: &mut CaseContext<'_>, n: usize) -> Result<()> {
    let x = run.inputs("uninitialised").u32(n, 0..1000);
    let expected = reference::evens(&x);
    Job::<_, u32, _>::exact(n, x, expected).launched(run, case)
}

pub(crate) fn block_race(run: &Run, case: &mut CaseContext<'_>, n: usize) -> Result<()> {
    let x = run.inputs("block-race").u32(n, 0..1000);
    let expected = vec![x.iter().copied().fold(0, u32::wrapping_add)];
    Job { before: vec![0], ..Job::<_, u32, _>::exact(n, x, expected) }.launched(run, case)
}

pub(crate) fn wrong_mask(run: &Run, case: &mut CaseContext<'_>, n: usize) -> Result<()> {
    let x = run.inputs("wrong-mask").i32(n, -1000..1000);
    let expected = reference::warp_sums(&x);
    Job::<_, i32, _>::exact(n, x, expected).launched(run, case)
}

pub(crate) fn lockstep(run: &Run, case: &mut CaseContext<'_>, n: usize) -> Result<()> {
    let x = run.inputs("lockstep").i32(n, 0..1_000_000);
    let expected = reference::warp_largest(&x);
    Job::<_, i32, _>::exact(n, x, expected).launched(run, case)
}

pub(crate) fn misaligned(run: &Run, case: &mut CaseContext<'_>, n: usize) -> Result<()> {
    let recording = run.inputs("misaligned").f32(2 * n + 1, -1.0..1.0);
    let expected = reference::powers(&recording);
    let job = Job { name: "recording", ..Job::<_, f32, _>::exact(n, recording, expected) };
    job.within(Tolerance::roundings(3, EPSILON)).launched(run, case)
}

pub(crate) fn nan(run: &Run, case: &mut CaseContext<'_>, n: usize) -> Result<()> {
    // Not so short that a square underflows to 0.
    let mut vectors = run.inputs("nan").f32(2 * n, 0.5..10.0);
    vectors.chunks_exact_mut(2).skip(3).step_by(7).for_each(|vector| vector.fill(0.0));
    let expected = reference::directions(&vectors);
    let lead = |units: &[f32], expected: &[f64]| {
        // Only the vector (0, 0) has expected components of 0: the others are unit vectors made from components of at
        // least 0.5.
        all_wrong(units, expected, |unit, right| unit.is_nan() && right == 0.0)
            .map(|wrong| format!("all {wrong} wrong results belong to the vector (0, 0)"))
    };
    let job = Job::<_, f32, _>::exact(n, vectors, expected);
    // Two squares, a sum, a root and a quotient, each off by two units in the last place at most.
    Job { lead, name: "vectors", ..job }.within(Tolerance::roundings(10, EPSILON)).launched(run, case)
}

pub(crate) fn order(run: &Run, case: &mut CaseContext<'_>, n: usize) -> Result<()> {
    let mut inputs = run.inputs("order");
    let (deposits, less, interest) =
        (inputs.i32(n, 6_250_000..12_500_000), inputs.i32(n, 0..5), inputs.f32(n, 0.5..3.5));
    // Multiples of 8 below 2^27 are exact as floats, so the input itself is not rounded.
    let account = |i: usize| [(8 * deposits[i]) as f32, interest[i], (8 * (deposits[i] - less[i])) as f32];
    let accounts: Vec<f32> = (0..n).flat_map(account).collect();
    let expected = reference::balances(&accounts);
    let lead = |left: &[f32], expected: &[f64]| {
        all_wrong(left, expected, |left, right| left % 4.0 == 0.0 && (f64::from(left) - right).abs() <= 4.0)
            .map(|wrong| format!("all {wrong} wrong results are multiples of 4, like all floats from 2^25 to 2^26"))
    };
    let job = Job::<_, f32, _>::exact(n, accounts, expected);
    Job { lead, name: "accounts", ..job }.within(Tolerance::roundings(2, EPSILON)).launched(run, case)
}

/// The number of results that differ from the expected ones by more than roundings, if there are any and `is` holds for
/// all of them.
fn all_wrong<O: Number, E: Number>(output: &[O], expected: &[E], is: impl Fn(O, E) -> bool) -> Option<usize> {
    let close = |a: f64, e: f64| (a - e).abs() <= 1e-4 * e.abs();
    let is_wrong = |(a, e): &(&O, &E)| !close(a.to_f64(), e.to_f64());
    let wrong: Vec<_> = output.iter().zip(expected).filter(is_wrong).collect();
    (!wrong.is_empty() && wrong.iter().all(|(a, e)| is(**a, **e))).then_some(wrong.len())
}

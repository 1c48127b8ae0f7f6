//! Exercises of the course besides the memory modes: a summand in constant memory, a kernel timed by events, and
//! questions that arithmetic answers.
use cudarc::driver::{CudaEvent, PushKernelArg, result, sys::CUevent_flags};
use harness::{Answer, Case, Check, Question, Result, Row, Run, Sizes, launch_1d, row};

/// The exercises' rows.
#[rustfmt::skip]
pub(crate) static EXERCISES: [Row; 3] = [
    row("constant", "exercise: like pageable, but 12.0 in constant memory is added too", ()),
    row("events", "exercise: a kernel timed by events, as a text prints it, and in the right order", ()),
    row("questions", "exercise: how many blocks n elements need", ()),
];

/// The summands 3 + 4 + 12, as in the course.
const SUMMANDS: [f32; 3] = [3.0, 4.0, 12.0];

/// The rows that need a device.
pub(crate) fn run(run: &Run) -> Result<()> {
    if run.wants("constant") {
        constant(run)?;
    }
    if run.wants("events") { events(run) } else { Ok(()) }
}

/// The number of elements of an exercise: the course's 2^24, or fewer if no time is measured, which is reported.
fn size(run: &Run, exercise: &str, emulated: usize) -> usize {
    let sizes = Sizes { gpu: 1 << 24, emulated, quick: 1 << 12 };
    let n = run.pick(sizes);
    if n != sizes.gpu {
        run.say(&format!("{exercise}: n = {n} here, where times have no meaning; {} on a GPU", sizes.gpu));
    }
    n
}

fn constant(run: &Run) -> Result<()> {
    let n = size(run, "constant", 1 << 16);
    let launch = launch_1d(blocks(n as u64, 256, 1) as u32, 256);
    let case = Case::new("constant").n(n).kernel("exercises.cu", "vecadd_constant").launch(launch);
    run.case(case, |case| {
        let (stream, count) = (run.stream(), n as u64);
        let [x, y, addend] = SUMMANDS;
        let (dx, dy) = (run.upload("x", &vec![x; n])?, run.upload("y", &vec![y; n])?);
        let module = run.module("exercises.cu")?;
        stream.memcpy_htod(&addend.to_ne_bytes(), &mut module.get_global("addend", stream)?)?;
        let kernel = case.kernel()?;
        // SAFETY: poisoned before each launch.
        let mut z = unsafe { stream.alloc::<f32>(n) }?;
        case.bytes(3 * size_of::<f32>() * n);
        case.time(
            &mut z,
            |z| {
                let mut builder = stream.launch_builder(&kernel);
                builder.arg(&*dx).arg(&*dy).arg(z).arg(&count);
                // SAFETY: the kernel's parameters, with n floats each.
                unsafe { builder.launch(launch) }?;
                Ok(())
            },
            |z| Check::equal(z, &vec![x + y + addend; n]),
        )?;
        Ok(())
    })?;
    Ok(())
}

/// The time between two events, without waiting for them: an error of the driver if one of them has not occurred yet.
fn elapsed(start: &CudaEvent, stop: &CudaEvent) -> Result<f32, result::DriverError> {
    // SAFETY: both events live.
    unsafe { result::event::elapsed(start.cu_event(), stop.cu_event()) }
}

/// The text waits for the stop event, then records it, and queries the time.
fn events(run: &Run) -> Result<()> {
    let n = size(run, "events", 1 << 12);
    for is_waiting_first in [true, false] {
        let label = if is_waiting_first { "wait, then record" } else { "record, then wait" };
        run.case(Case::new("events").label(label).n(n), |case| {
            let (stream, context, count) = (run.stream(), &run.session().context, n as u64);
            let (x, mut z) = (run.upload("x", &vec![1.0_f32; n])?, stream.alloc_zeros::<f32>(n)?);
            let kernel = run.function("exercises.cu", "twice")?;
            let event = || context.new_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
            let (start, stop) = (event()?, event()?);
            start.record(stream)?;
            let mut builder = stream.launch_builder(&kernel);
            builder.arg(&*x).arg(&mut z).arg(&count);
            // SAFETY: the kernel's parameters, with n floats each.
            unsafe { builder.launch(launch_1d(n.div_ceil(256) as u32, 256)) }?;
            // The wait for an event that was never recorded ends immediately.
            if is_waiting_first {
                stop.synchronize()?;
                stop.record(stream)?;
            } else {
                stop.record(stream)?;
                stop.synchronize()?;
            }
            let time = elapsed(&start, &stop);
            stream.synchronize()?;
            case.note(match &time {
                Ok(ms) => format!("{ms} ms"),
                Err(error) => format!("no time: {}", harness::describe(error)),
            });
            case.check(Check::that(is_waiting_first || time.is_ok_and(|ms| ms > 0.0), "there is no time"));
            case.check(Check::equal(&stream.clone_dtoh(&z)?, &vec![2.0; n]));
            Ok(())
        })?;
    }
    Ok(())
}

/// The number of blocks of `threads` threads, each of which takes `each` of n elements.
pub fn blocks(n: u64, threads: u64, each: u64) -> u64 {
    n.div_ceil(threads * each)
}

/// The quotient n/m rounded up as C programs write it, with C's division, which truncates towards 0.
pub fn rounded_up_as_in_c(n: i64, m: i64) -> i64 {
    (n + m - 1) / m
}

/// The questions with their answers.
pub fn questions() -> Vec<Question> {
    let ask = |case: &str, asks: &str, expected: &str, obtained: String| Question {
        variant: "questions",
        case: case.into(),
        asks: asks.into(),
        expected: Answer::text(expected),
        obtained: Answer::text(obtained),
    };
    let four = blocks(997, 256, 1);
    vec![
        ask(
            "997 elements",
            "How many blocks of 256 do 997 elements need, and how many threads are idle?",
            "4, 27",
            format!("{four}, {}", four * 256 - 997),
        ),
        ask(
            "8000 elements, one a thread",
            "How many blocks of 1024, and threads, if each thread takes one element?",
            "8, 8192",
            format!("{}, {}", blocks(8000, 1024, 1), 1024 * blocks(8000, 1024, 1)),
        ),
        ask(
            "8000 elements, two a thread",
            "How many blocks of 1024, and threads, if each thread takes two?",
            "4, 4096",
            format!("{}, {}", blocks(8000, 1024, 2), 1024 * blocks(8000, 1024, 2)),
        ),
        ask(
            "(n + m - 1) / m",
            "What does it give in C for 1000 / 256, and for -7 / 4 and -8 / 4, where -1 and -2 are right?",
            "4, -1, -1",
            [(1000, 256), (-7, 4), (-8, 4)].map(|(n, m)| rounded_up_as_in_c(n, m).to_string()).join(", "),
        ),
    ]
}

//! Vector addition, z = x + y, in nine memory modes: the kernel is the same, what differs is where the
//! vectors lie and how they travel. The README is the handout.

mod copied;
mod input;
mod managed;
mod mapped;
mod mode;
mod overlapped;
mod phases;
mod sweep;

use harness::{
    Case, Coverage, Error, Lab, Result, Run, Sizes, Variant,
    clap::{Arg, ArgAction},
};

use input::Vectors;
use mode::{Add, MODES, Mode};

/// The lab.
pub static LAB: Lab = Lab {
    name: "vecadd",
    summary: "z = x + y in nine memory modes: what the trip to the GPU costs",
    kernels: &[kernels::source!("vecadd")],
    variants: &[
        Variant::new("pageable", "ordinary host memory, copied there and back"),
        Variant::new(
            "pinned",
            "like pageable, but the host's pages are locked, so that the copy engine reads them itself",
        ),
        Variant::new(
            "pinned-async",
            "like pinned, but copies and kernel are queued on a stream, and waited for once",
        ),
        Variant::new(
            "overlapped",
            "like pinned-async, but in chunks over several streams: both copy engines and the SMs at once",
        ),
        Variant::new(
            "write-combined",
            "like pinned-async, but the inputs bypass the host's caches",
        ),
        Variant::new(
            "unified",
            "managed memory: pages move when they are touched",
        ),
        Variant::new(
            "unified-prefetch",
            "like unified, but the pages are sent ahead",
        ),
        Variant::new(
            "unified-advise",
            "like unified, but the driver is told how each vector is used",
        ),
        Variant::new(
            "zero-copy",
            "the kernel reads and writes host memory over the link; nothing is copied",
        ),
    ],
    columns: &phases::COLUMNS,
    args,
    run,
    exercises: None,
};

fn args() -> Vec<Arg> {
    vec![
        Arg::new("input").long("input").value_name("FILE").help("Read the vectors from FILE (- for standard input): two numbers a line, x and y"),
        Arg::new("stride").long("stride").action(ArgAction::SetTrue).help("Let each thread stride over the grid, so that any grid serves any n"),
        Arg::new("sweep").long("sweep").action(ArgAction::SetTrue).help("Every mode at vectors of 4 KiB to 1 GiB (less when emulated), and where the fastest changes"),
    ]
}

fn run(run: &Run) -> Result<()> {
    if run.args().get_flag("sweep") {
        return sweep::run(run);
    }
    let vectors = if let Some(file) = run.args().get_one::<String>("input") {
        Vectors::read(file, run.options().n)?
    } else {
        let n = run.size(Sizes {
            gpu: 1 << 24,
            emulated: 1 << 24,
            quick: 1 << 12,
        });
        refuse_impossible(run, n)?;
        Vectors::random(run, n)
    };
    let add = Add::new(run, vectors.len())?;
    run.say(&add.idle());
    for mode in MODES {
        case(run, mode, &add, &vectors, "")?;
    }
    summary(run);
    Ok(())
}

/// Refuses what no mode could hold or launch, before the host makes its own vectors. (A mode that lacks memory for
/// less than that is skipped with its reason.)
fn refuse_impossible(run: &Run, n: usize) -> Result<()> {
    let device = &run.session().device;
    let bytes = n.checked_mul(3 * size_of::<f32>());
    if bytes.is_none_or(|bytes| bytes as u64 > device.total_bytes) {
        return Err(Error::usage(format!(
            "three vectors of {n} floats do not fit the {} bytes of {}; choose a smaller --n",
            device.total_bytes, device.name
        )));
    }
    run.launch_for(n, mode::THREADS, coverage(run)).map(|_| ())
}

/// One mode at one size.
fn case(
    run: &Run,
    mode: &Mode,
    add: &Add,
    vectors: &Vectors,
    label: &str,
) -> Result<Option<harness::Record>> {
    let case = Case::new(mode.name)
        .label(label)
        .n(vectors.len())
        .launch(add.launch)
        .memory_mode(mode.name);
    run.case(case, |case| {
        if let Some(reason) = mode.lacking(run, vectors.len())? {
            return Err(Error::Skip(reason));
        }
        phases::measure(case, run, mode, add, vectors)
    })
}

/// The phases of each mode side by side.
fn summary(run: &Run) {
    let unit = if run.is_emulated() {
        "emulated ms"
    } else {
        "ms"
    };
    run.say(&format!("\nPhases of a warm pass, {unit} (end to end: from inputs in host memory to the sum in host memory)"));
    let columns = [
        "warm_touch_ms",
        "warm_h2d_ms",
        "warm_kernel_ms",
        "warm_d2h_ms",
        "warm_host_read_ms",
    ];
    let rows: Vec<Vec<String>> = run
        .records()
        .iter()
        .filter(|r| r.times.is_some())
        .map(|r| {
            let number = |c: &str| {
                r.number(&LAB, c)
                    .map_or_else(String::new, harness::significant)
            };
            let mut row = vec![r.variant.clone()];
            row.extend(columns.iter().map(|c| number(c)));
            row.push(
                r.times
                    .map_or_else(String::new, |t| harness::significant(t.median)),
            );
            row.push(number("first_end_to_end_ms"));
            row
        })
        .collect();
    run.say(&harness::table(
        &[
            "mode",
            "touch",
            "H2D",
            "kernel",
            "D2H",
            "host read",
            "end to end",
            "first pass",
        ],
        &rows,
    ));
    let records = run.records();
    // A NaN is larger than any number here, so that no difference is passed over.
    let largest = |numbers: Vec<f64>| numbers.into_iter().max_by(f64::total_cmp);
    let norms = records
        .iter()
        .filter_map(|r| r.number(&LAB, "two_norm_of_error"));
    let errors = records.iter().filter_map(|r| r.max_abs_error);
    if let (Some(norm), Some(error)) = (largest(norms.collect()), largest(errors.collect())) {
        run.say(&format!(
            "Difference to the host's sum, the worst of all modes: two-norm {norm}, largest {error}"
        ));
    }
}

/// The launch that covers `n` elements, or strides over them.
fn coverage(run: &Run) -> Coverage {
    if run.args().get_flag("stride") {
        Coverage::GridStride
    } else {
        Coverage::OnePerThread
    }
}

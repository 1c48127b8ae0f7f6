//! A lab that exceeds the computer's limits: an infinite kernel, data that do not fit, work for days.
use std::{process::ExitCode, time::Duration};

use cudarc::{driver::LaunchConfig, nvrtc::Ptx};
use harness::{Case, Ceiling, Check, Lab, Result, Row, Run, Sizes, arguments, row};

static LAB: Lab = Lab {
    name: "limits-lab",
    summary: "what takes too long, or too much",
    variants: &[&ROWS, &BOUNDED, &GROWING],
    options: || vec![arguments::file("input", "Read it")],
    run,
    ..Lab::DEFAULT
};

static BOUNDED: [Row<f64>; 2] = [
    row("within", "far below its ceiling", 1e12),
    row("beyond", "above its ceiling, in GB/s, which is far too low", 1e-12),
];

static GROWING: [Row; 1] = [row("growing", "a case that takes a moment, and one with a thousand times its work", ())];

static ROWS: [Row; 4] = [
    row("short", "ends at once, and says so", ()),
    row("endless", "a kernel that never ends", ()),
    row("endless-wrong", "the same, and wrong on purpose", ()).wrong("it never ends"),
    row("last", "comes after them", ()),
];

const PTX: &str = "
.version 6.0
.target sm_50
.address_size 64
.visible .entry spin()
{
$again:
    bra $again;
}
.visible .entry ends()
{
    ret;
}
";

const LAUNCH: LaunchConfig = LaunchConfig { grid_dim: (4, 1, 1), block_dim: (64, 1, 1), shared_mem_bytes: 0 };

fn main() -> ExitCode {
    harness::main(&LAB)
}

fn run(run: &Run) -> Result<()> {
    let n = run.size(Sizes::all(1 << 10));
    run.needs(Some(n), "the data", "--n")?;
    if let Some(file) = run.file("input") {
        run.say(&format!("{file} holds {} bytes", run.read(file)?.len()));
    }
    for name in ["short", "last"] {
        run.case(Case::new(name).n(n).work(n as u64), |case| {
            run.say(&format!("{name} runs"));
            case.check(Check::all_right(1));
            Ok(())
        })?;
        // A test makes the default size large.
        if let Ok(bytes) = std::env::var("LIMITS_LAB_BYTES") {
            run.needs(bytes.parse().ok(), "the data", "--n")?;
        }
        if name == "last" {
            break;
        }
        for name in ["endless", "endless-wrong"] {
            run.case(Case::new(name).launch(LAUNCH), |case| {
                let kernel = run.session().context.load_module(Ptx::from_src(PTX))?.load_function("spin")?;
                case.measure(
                    &mut (),
                    |()| Ok(()),
                    |()| {
                        // SAFETY: the kernel has no parameters and accesses no memory.
                        unsafe { run.stream().launch_builder(&kernel).launch(LAUNCH) }?;
                        run.say("the kernel runs");
                        Ok(())
                    },
                    |()| Ok(Check::all_right(1)),
                )?;
                Ok(())
            })?;
        }
    }
    bounded(run)?;
    growing(run)
}

/// Two cases, the first of which says how long the second will take.
fn growing(run: &Run) -> Result<()> {
    for (label, work, time) in [("first", 1 << 20, Duration::from_millis(500)), ("second", 1 << 30, Duration::ZERO)] {
        run.case(Case::new("growing").label(label).work(work), |case| {
            std::thread::sleep(time);
            case.check(Check::all_right(1));
            Ok(())
        })?;
    }
    Ok(())
}

/// A kernel that ends immediately, with the bytes of a large one and its own ceiling.
fn bounded(run: &Run) -> Result<()> {
    for row in run.rows(&BOUNDED) {
        run.case(Case::new(row.name()).launch(LAUNCH), |case| {
            let kernel = run.session().context.load_module(Ptx::from_src(PTX))?.load_function("ends")?;
            case.bytes(1 << 40);
            case.ceiling(Ceiling::Rate(row.with));
            case.measure(
                &mut (),
                |()| Ok(()),
                |()| {
                    // SAFETY: the kernel has no parameters and accesses no memory.
                    unsafe { run.stream().launch_builder(&kernel).launch(LAUNCH) }?;
                    Ok(())
                },
                |()| Ok(Check::all_right(1)),
            )?;
            Ok(())
        })?;
    }
    Ok(())
}

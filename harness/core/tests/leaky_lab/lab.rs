//! A lab that forgets to free device memory, in each way that there is, and some that only look like it. It launches nothing.
use std::process::ExitCode;

use cudarc::driver::result;
use harness::{Case, Check, Lab, Result, Run, Variant};

static LAB: Lab = Lab {
    name: "leaky-lab",
    summary: "device memory that is never freed",
    kernels: &[],
    variants: &[
        Variant::new("tidy", "frees what it allocates"),
        Variant::new(
            "late",
            "keeps a buffer from case to case, and frees it in the end",
        ),
        Variant::new("forgets", "forgets three buffers of one line"),
        Variant::new("raw", "allocates by the driver's own call, for good"),
        Variant::new("outside", "the lab forgets a buffer before its cases"),
        Variant::new("alone", "as forgets, in a process of its own").own_process(),
    ],
    columns: &[],
    args: harness::no_args,
    run,
    exercises: None,
};

fn main() -> ExitCode {
    harness::main(&LAB)
}

fn run(run: &Run) -> Result<()> {
    let stream = run.stream();
    if run.wants("outside") {
        std::mem::forget(stream.alloc_zeros::<u8>(100)?);
    }
    let mut kept = None;
    for n in [1000, 2000] {
        run.case(Case::new("late").n(n), |case| {
            kept.get_or_insert(stream.alloc_zeros::<f32>(n)?);
            case.check(Check::that(true, ""));
            Ok(())
        })?;
    }
    for variant in ["tidy", "forgets", "alone"] {
        run.case(Case::new(variant).label("floats").n(1024), |case| {
            for _ in 0..3 {
                let buffer = stream.alloc_zeros::<f32>(1024)?;
                if variant != "tidy" {
                    std::mem::forget(buffer);
                }
            }
            case.check(Check::that(true, ""));
            Ok(())
        })?;
    }
    run.case(Case::new("raw"), |case| {
        // SAFETY: nobody uses the memory.
        unsafe { result::malloc_sync(64)? };
        case.check(Check::that(true, ""));
        Ok(())
    })?;
    Ok(())
}

//! A lab that leaks device memory in each possible way, and in some ways that only look like a leak. It launches
//! nothing.
use std::process::ExitCode;

use cudarc::driver::result;
use harness::{Case, Check, Lab, Result, Row, Run, row};

static LAB: Lab =
    Lab { name: "leaky-lab", summary: "device memory that is never freed", variants: &[&ROWS], run, ..Lab::DEFAULT };

static ROWS: [Row; 6] = [
    row("tidy", "frees what it allocates", ()),
    row("late", "keeps a buffer from case to case, and frees it in the end", ()),
    row("forgets", "forgets three buffers of one line", ()),
    row("raw", "allocates by the driver's own call, for good", ()),
    row("outside", "the lab forgets a buffer before its cases", ()),
    row("alone", "as forgets, in a process of its own", ()).own_process(),
];

fn main() -> ExitCode {
    harness::main(&LAB)
}

fn run(run: &Run) -> Result<()> {
    let stream = run.stream();
    if run.wants("outside") {
        std::mem::forget(stream.alloc_zeros::<u8>(100)?);
    }
    run.case(Case::new("outside"), |case| {
        case.check(Check::all_right(1));
        Ok(())
    })?;
    let mut kept = None;
    for n in [1000, 2000] {
        run.case(Case::new("late").n(n), |case| {
            kept.get_or_insert(stream.alloc_zeros::<f32>(n)?);
            case.check(Check::all_right(1));
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
            case.check(Check::all_right(1));
            Ok(())
        })?;
    }
    run.case(Case::new("raw"), |case| {
        // SAFETY: nothing uses the memory.
        unsafe { result::malloc_sync(64)? };
        case.check(Check::all_right(1));
        Ok(())
    })?;
    Ok(())
}

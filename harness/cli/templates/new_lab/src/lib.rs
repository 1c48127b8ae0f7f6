//! newlab: z = a x + y.
//!
//! This file is the experiment: the lab, its table of variants, and what is run for each row. A new variant is a row of
//! [`VARIANTS`] and a kernel in `kernels/newlab.cu`. The students' assignment is in `assignment/rubric.toml`.
mod reference;

use cudarc::driver::PushKernelArg;
use harness::{Case, Check, Lab, Launch, Result, Row, Run, Sizes, Tolerance, column, row};

pub use reference::reference;

/// The lab.
pub static LAB: Lab = Lab {
    name: "newlab",
    summary: "z = a x + y, with the right guard and with one that is off by one",
    kernels: &[kernels::source!("newlab")],
    variants: &[&VARIANTS],
    columns: &[column("factor", "what x is multiplied by")],
    run,
    assignment: harness::assignment!(),
    ..Lab::DEFAULT
};

/// The variants, each with the name of its kernel.
#[rustfmt::skip]
pub static VARIANTS: &[Row<&str>] = &[
    row("guarded", "a thread for each element; threads past the end do nothing", "guarded"),
    row("off-by-one", "like guarded, but the first thread past the end works too", "off_by_one")
        .racy("one thread reads and writes past the end of the vectors")
        .own_process(),
];

/// The factor of x.
const FACTOR: f32 = 2.5;
/// Not powers of two, so that the last block has idle threads.
const SIZES: Sizes = Sizes { gpu: 100_000_000, emulated: 1_000_000, quick: 10_000 };

fn run(run: &Run) -> Result<()> {
    let n = run.size(SIZES);
    run.needs(n.checked_mul(3 * size_of::<f32>()), &format!("three vectors of {n} floats"), "--n")?;
    let x = run.input("x", || run.inputs("x").f32(n, -1.0..1.0));
    let y = run.input("y", || run.inputs("y").f32(n, -1.0..1.0));
    for row in run.rows(VARIANTS) {
        let case = Case::new(row.name()).n(n).kernel("newlab.cu", row.with).launch(Launch::covering(256));
        run.case(case, |case| {
            let (kernel, launch, stream) = (case.kernel()?, case.launch(), run.stream());
            let (x_there, y_there, length) = (x.device()?, y.device()?, n as u64);
            let expected = reference(FACTOR, x.host(), y.host());
            // One rounding for the product and one for the sum, which may be much smaller than the product.
            let tolerance = Tolerance::sum(2, f64::from(FACTOR) + 1.0, f64::from(f32::EPSILON));
            let mut z = stream.alloc_zeros::<f32>(n)?;
            case.bytes(3 * n * size_of::<f32>());
            case.flop(2 * n as u64);
            case.set("factor", FACTOR);
            case.time(
                &mut z,
                |z| {
                    let mut arguments = stream.launch_builder(&kernel);
                    arguments.arg(&FACTOR).arg(x_there).arg(y_there).arg(z).arg(&length);
                    // SAFETY: these are the kernels' parameters, and each vector holds n floats.
                    unsafe { arguments.launch(launch) }?;
                    Ok(())
                },
                |z| Check::compare(z, &expected, tolerance),
            )?;
            Ok(())
        })?;
    }
    Ok(())
}

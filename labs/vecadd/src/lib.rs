//! Vector addition, z = x + y, in nine memory modes.
use cudarc::driver::PushKernelArg;
use harness::{
    Case, Check, Coverage, Lab, Result, Run, Sizes, Tolerance, Variant, no_args, poison,
};

/// The lab.
pub static LAB: Lab = Lab {
    name: "vecadd",
    summary: "z = x + y in nine memory modes: what the trip to the GPU costs",
    kernels: &[kernels::source!("vecadd")],
    variants: &[Variant::new(
        "pageable",
        "ordinary host memory, copied there and back",
    )],
    columns: &["h2d_ms", "kernel_ms", "d2h_ms"],
    args: no_args,
    run,
    exercises: None,
};

fn run(run: &Run) -> Result<()> {
    let n = run.size(Sizes {
        gpu: 1 << 24,
        emulated: 1 << 20,
        quick: 1 << 12,
    });
    let launch = run.launch_for(n, 256, Coverage::OnePerThread)?;
    let add = run.function("vecadd.cu", "vecadd")?;
    let x = run.inputs("x").f32(n, -1.0..1.0);
    let y = run.inputs("y").f32(n, -1.0..1.0);
    let sum: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x + y).collect();

    run.case(
        Case::new("pageable")
            .n(n)
            .launch(launch)
            .memory_mode("pageable"),
        |case| {
            let stream = run.stream();
            let (dx, dy) = (stream.clone_htod(&x)?, stream.clone_htod(&y)?);
            // SAFETY: poisoned before the kernel writes it, and read only after.
            let mut dz = unsafe { stream.alloc::<f32>(n) }?;
            case.bytes(3 * size_of::<f32>() * n);
            case.flop(n as u64);
            case.measure(
                &mut dz,
                |dz| poison(run, dz),
                |dz| {
                    let n = n as u64;
                    // SAFETY: the arguments are the kernel's, and each buffer holds n floats.
                    unsafe {
                        stream
                            .launch_builder(&add)
                            .arg(&dx)
                            .arg(&dy)
                            .arg(dz)
                            .arg(&n)
                            .launch(launch)
                    }?;
                    Ok(())
                },
                |dz| {
                    Ok(Check::compare(
                        &stream.clone_dtoh(dz)?,
                        &sum,
                        Tolerance::EXACT,
                    ))
                },
            )?;
            Ok(())
        },
    )?;
    Ok(())
}

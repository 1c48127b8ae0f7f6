//! The columns in ptoxide.

use crate::common::columns::PTX;
use crate::{Rate, rate};
use ptoxide::{Argument, Context, LaunchParams};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};

const N: usize = 1 << 14;
const SIDE: usize = 64;

/// Returns one kernel's PTX, without debugging directives, which do not affect the computation.
fn alone(kernel: &str) -> Option<String> {
    let (head, kernels) = PTX.split_once("\t// .globl")?;
    let start = kernels.find(&format!(".visible .entry {kernel}("))?;
    let body = &kernels[start..];
    let body = &body[..body.find("\n}")? + 2];
    let kept = body
        .lines()
        .filter(|line| !line.trim_start().starts_with(".loc"));
    Some(format!("{head}\n{}\n", kept.collect::<Vec<_>>().join("\n")))
}

/// Returns elements per second of one column.
pub fn column(kernel: &str) -> Rate {
    let ptx = alone(kernel).ok_or("no such kernel")?;
    // ptoxide panics at anything unsupported.
    let hook = take_hook();
    set_hook(Box::new(|_| {}));
    let result = catch_unwind(AssertUnwindSafe(|| run(kernel, &ptx)));
    set_hook(hook);
    result.unwrap_or_else(|_| Err("it panics".into()))
}

fn run(kernel: &str, ptx: &str) -> Rate {
    let mut context = Context::new_with_module(ptx).map_err(|_| "does not parse".to_string())?;
    let ones = vec![1f32; N];
    let (a, b, c) = (context.alloc(N), context.alloc(N), context.alloc(N));
    context.write(a, &ones);
    context.write(b, &ones);
    let bytes = context.alloc(N);
    context.write(bytes, &[1u8; N]);
    let bins = context.alloc::<u32>(256);
    let blocks = N as u32 / 256;
    let params = LaunchParams::func(kernel).grid1d(blocks).block1d(256);
    let (pointers, n) = (
        [Argument::ptr(a), Argument::ptr(b), Argument::ptr(c)],
        Argument::U32(N as u32),
    );
    let [pa, pb, pc] = pointers;
    let (params, args, elements) = match kernel {
        "vecadd" => (params, vec![pa, pb, pc, n], N),
        "histogram" => (params, vec![Argument::ptr(bytes), Argument::ptr(bins), n], N),
        "matmul" => (
            LaunchParams::func(kernel)
                .grid2d(SIDE as u32 / 16, SIDE as u32 / 16)
                .block2d(16, 16),
            vec![pa, pb, pc, Argument::U32(SIDE as u32)],
            SIDE * SIDE * SIDE,
        ),
        _ => (
            params,
            vec![
                // ptoxide takes floating-point numbers as bits.
                Argument::U32((-3f32).to_bits()),
                Argument::U32((6.0 / N as f32).to_bits()),
                n,
                pc,
            ],
            N,
        ),
    };
    context
        .run(params.clone(), &args)
        .map_err(|e| format!("{e:?}"))?;
    // A wrong result has no rate.
    let mut out = vec![0f32; N];
    context.read(c, &mut out);
    let right = match kernel {
        "vecadd" => out.iter().all(|v| *v == 2.0),
        "matmul" => out[..SIDE * SIDE].iter().all(|v| *v == SIDE as f32),
        "histogram" => {
            let mut counts = [0u32; 256];
            context.read(bins, &mut counts);
            counts[1] == N as u32
        }
        // The sum over -3..3 of x^2 + 1 in steps of 6 / N.
        _ => (out[0] / N as f32 - 4.0).abs() < 0.01,
    };
    if !right {
        return Err("wrong result".into());
    }
    Ok(rate(elements as u64, || {
        let _ = context.run(params.clone(), &args);
    }))
}

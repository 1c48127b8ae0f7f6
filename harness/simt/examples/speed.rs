//! Thread instructions per second of processor time, one worker, memory checks and counters on:
//! `cargo run -p simt --example speed [-- KERNEL]`

#[path = "../tests/common/mod.rs"]
mod common;
use common::{Arg, Device};

const PTX: &str = include_str!("../tests/kernels/speed.ptx");

/// Seconds of processor time of this thread.
fn now() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the clock exists on Linux, and the structure is its own.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn main() {
    let only = std::env::args().nth(1);
    let mut device = Device::new(PTX);
    device.settings.workers = 1;
    let n = 1 << 22;
    let big = || device.put(&vec![1.0f32; n]);
    let (x, y, z) = (big(), big(), big());
    let text: Vec<u8> = (0..n as u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    let text = device.put(&text);
    let (sum, bins) = (device.zeros::<f32>(1), device.zeros::<u32>(256));
    let side = 512;
    let points = 1 << 20;
    #[expect(
        clippy::type_complexity,
        reason = "a table of kernel, grid, block and arguments"
    )]
    let cases: [(&str, [u32; 3], [u32; 3], Vec<Arg>); 5] = [
        (
            "vecadd",
            [(n / 256) as u32, 1, 1],
            [256, 1, 1],
            vec![Arg::Ptr(x), Arg::Ptr(y), Arg::Ptr(z), Arg::I32(n as i32)],
        ),
        (
            "trapezoid_atomic",
            [1024, 1, 1],
            [1024, 1, 1],
            vec![
                Arg::F32(-3.0),
                Arg::F32(6.0 / points as f32),
                Arg::I32(points),
                Arg::Ptr(sum),
            ],
        ),
        (
            "trapezoid_shuffle",
            [1024, 1, 1],
            [1024, 1, 1],
            vec![
                Arg::F32(-3.0),
                Arg::F32(6.0 / points as f32),
                Arg::I32(points),
                Arg::Ptr(sum),
            ],
        ),
        (
            "histogram",
            [216, 1, 1],
            [256, 1, 1],
            vec![Arg::Ptr(text), Arg::Ptr(bins), Arg::I32(n as i32)],
        ),
        (
            "matmul",
            [side / 16, side / 16, 1],
            [16, 16, 1],
            vec![Arg::Ptr(x), Arg::Ptr(y), Arg::Ptr(z), Arg::I32(side as i32)],
        ),
    ];
    for (kernel, grid, block, args) in cases {
        if only.as_deref().is_some_and(|o| o != kernel) {
            continue;
        }
        let mut best = f64::INFINITY;
        let mut instructions = 0;
        for _ in 0..7 {
            let start = now();
            let (report, _) = device.try_launch(kernel, grid, block, 0, &args);
            best = best.min(now() - start);
            assert_eq!(report.fault, None, "{:?}", report.findings);
            instructions = report.counters.totals.thread_instructions;
        }
        println!(
            "{kernel:18} {:.2} G thread instructions/s, {:6.2} ms, {:.1} ns a warp instruction",
            instructions as f64 / best * 1e-9,
            best * 1e3,
            best * 1e9 / (instructions as f64 / 32.0)
        );
    }
}

//! The measurement of one mode: the first pass step by step, warm passes step by step, and warm passes
//! end to end.
use std::{hint::black_box, time::Instant};

use harness::{Ceiling, Check, Recorder, Result, Run, Tolerance, two_norm};

use crate::{
    input::Vectors,
    mode::{Add, Mode, Transfer},
};

/// The lab's own columns. The common time columns hold warm passes end to end: from inputs in host memory
/// to the sum in host memory, the host's reading included where that is what moves the sum.
pub const COLUMNS: [&str; 19] = [
    "first_allocate_ms",
    "first_touch_ms",
    "first_h2d_ms",
    "first_kernel_ms",
    "first_d2h_ms",
    "first_host_read_ms",
    "first_end_to_end_ms",
    "warm_touch_ms",
    "warm_h2d_ms",
    "warm_kernel_ms",
    "warm_d2h_ms",
    "warm_host_read_ms",
    "h2d_bytes",
    "d2h_bytes",
    "link_generation",
    "link_width",
    "numa_node",
    "two_norm_of_error",
    "published_ms",
];

/// Warm passes end to end that others measured on an H200, n = 2^24, in ms.
const PUBLISHED: [(&str, f64); 4] = [
    ("pageable", 17.9),
    ("pinned-async", 3.71),
    ("unified", 30.8),
    ("unified-prefetch", 8.61),
];

/// What is published for `mode` on this device at this size.
fn published(run: &Run, mode: &str, n: usize) -> Option<f64> {
    let comparable =
        !run.is_emulated() && n == 1 << 24 && run.session().device.name.contains("H200");
    let row = PUBLISHED.iter().find(|(m, _)| *m == mode)?;
    comparable.then_some(row.1)
}

/// Steps of a pass, in order, as the columns name them.
const STEPS: [&str; 5] = ["touch", "h2d", "kernel", "d2h", "host_read"];

/// Warm passes that are taken apart on a GPU; a median of so many is steady enough to show the split.
const WARM_PASSES: usize = 5;

/// Measures `mode` into `case`.
pub fn measure(
    case: &mut Recorder<'_>,
    run: &Run,
    mode: &Mode,
    add: &Add<'_>,
    vectors: &Vectors,
) -> Result<()> {
    let bytes = (vectors.len() * size_of::<f32>()) as u64;
    // Whether copied, moved or loaded over the link: x and y go, z comes back.
    let (to_device, to_host) = (2 * bytes, bytes);
    case.set("h2d_bytes", to_device);
    case.set("d2h_bytes", to_host);
    case.bytes((to_device + to_host) as usize);
    case.flop(vectors.len() as u64);
    case.ceiling(link_ceiling(run, mode, to_device, to_host));
    if let Some(nvml) = run.session().snapshot() {
        case.set("link_generation", nvml.link_generation);
        case.set("link_width", nvml.link_width);
        case.set("numa_node", nvml.numa_node);
    }

    let began = Instant::now();
    let mut transfer = (mode.allocate)(add)?;
    run.stream().synchronize()?;
    let allocate = milliseconds(began);
    transfer.poison_device()?;
    run.stream().synchronize()?;
    let first = steps(run, transfer.as_mut(), vectors)?;
    case.set("first_allocate_ms", allocate);
    for (step, ms) in STEPS.iter().zip(first) {
        case.set(&format!("first_{step}_ms"), ms);
    }
    case.set("first_end_to_end_ms", allocate + first.iter().sum::<f64>());
    case.check(compare(transfer.sum()?, vectors));

    let passes = if run.is_emulated() || run.options().quick {
        1
    } else {
        WARM_PASSES
    };
    let mut warm = Vec::new();
    for _ in 0..passes {
        transfer.poison()?;
        run.stream().synchronize()?;
        warm.push(steps(run, transfer.as_mut(), vectors)?);
        case.check(compare(transfer.sum()?, vectors));
    }
    for (i, step) in STEPS.iter().enumerate() {
        case.set(
            &format!("warm_{step}_ms"),
            median(warm.iter().map(|w| w[i]).collect()),
        );
    }

    case.measure_wall(
        transfer.as_mut(),
        |t| {
            t.touch(&vectors.x, &vectors.y)?;
            t.poison()
        },
        |t| {
            t.pass()?;
            if t.moves_when_read() {
                run.stream().synchronize()?;
                read(t.sum()?);
            }
            Ok(())
        },
        |t| Ok(compare(t.sum()?, vectors)),
    )?;
    case.set("two_norm_of_error", two_norm(transfer.sum()?, &vectors.sum));
    case.set("published_ms", published(run, mode.name, vectors.len()));
    Ok(())
}

/// One pass, each step waited for; milliseconds by the host's clock.
fn steps(run: &Run, transfer: &mut dyn Transfer, vectors: &Vectors) -> Result<[f64; 5]> {
    let timed = |work: &mut dyn FnMut() -> Result<()>| -> Result<f64> {
        let began = Instant::now();
        work()?;
        run.stream().synchronize()?;
        Ok(milliseconds(began))
    };
    Ok([
        timed(&mut || transfer.touch(&vectors.x, &vectors.y))?,
        timed(&mut || transfer.to_device())?,
        timed(&mut || transfer.add())?,
        timed(&mut || transfer.to_host())?,
        timed(&mut || {
            read(transfer.sum()?);
            Ok(())
        })?,
    ])
}

/// Reads a float of every 4 KiB page: enough to bring the page here.
fn read(sum: &[f32]) {
    black_box(
        sum.iter()
            .step_by(4096 / size_of::<f32>())
            .copied()
            .sum::<f32>(),
    );
}

fn compare(sum: &[f32], vectors: &Vectors) -> Check {
    Check::compare(sum, &vectors.sum, Tolerance::EXACT)
}

/// The rate of a pass that did nothing but move its bytes at the rates measured on this link: one direction
/// after the other, or, in a mode that uses both at once, as long as the fuller one takes.
fn link_ceiling(run: &Run, mode: &Mode, to_device: u64, to_host: u64) -> Ceiling {
    run.session().ceilings.map_or(Ceiling::None, |c| {
        let there = to_device as f64 / c.h2d_gb_per_s;
        let back = to_host as f64 / c.d2h_gb_per_s;
        let seconds = if mode.both_ways {
            there.max(back)
        } else {
            there + back
        };
        Ceiling::Rate((to_device + to_host) as f64 / seconds)
    })
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

//! The measurement of one mode: the first pass step by step, warm passes step by step, and warm passes end to end.
use std::{hint::black_box, time::Instant};

use harness::{
    Ceiling, Check, Column, Moved, Recorder, Result, Run, Tolerance, Way, column, drawn, parallel_chunks, significant,
    table, times, two_norm,
};

use crate::{
    input::Vectors,
    mode::{Add, Mode, PART, Transfer},
};

/// The lab's own columns. The common time columns hold warm passes end to end: from inputs in host memory to the sum in
/// host memory. They include the host's reading if that moves the sum.
#[rustfmt::skip]
pub(crate) const COLUMNS: [Column; 18] = [
    column("first_allocate_ms", "allocation of the host's and the device's memory"),
    column("first_touch_ms", "first pass: the host writes x and y"),
    column("first_h2d_ms", "first pass: x and y go to the device"),
    column("first_kernel_ms", "first pass: the kernel"),
    column("first_d2h_ms", "first pass: z comes back"),
    column("first_host_read_ms", "first pass: the host reads a float of every page of z"),
    drawn::FIRST_END_TO_END_MS,
    column("warm_touch_ms", "a later pass: the host writes x and y (median)"),
    column("warm_h2d_ms", "a later pass: x and y go to the device (median)"),
    column("warm_kernel_ms", "a later pass: the kernel (median)"),
    column("warm_d2h_ms", "a later pass: z comes back (median)"),
    column("warm_host_read_ms", "a later pass: the host reads a float of every page of z (median)"),
    column("h2d_bytes", "bytes that a pass moves to the device"),
    column("d2h_bytes", "bytes that a pass moves back"),
    column("link_generation", "PCIe generation of the link"),
    column("link_width", "PCIe lanes of the link"),
    column("numa_node", "NUMA node of the host that the device is attached to; empty where neither NVML nor the system knows it"),
    column("two_norm_of_error", "two-norm of the difference to the host's sum"),
];

/// Steps of a pass, in order, as the columns name them.
const STEPS: [&str; 5] = ["touch", "h2d", "kernel", "d2h", "host_read"];

/// The number of warm passes that are measured step by step on a GPU. Their median is steady enough to show how the
/// time divides.
const WARM_PASSES: usize = 5;

/// Vectors with more bytes than this get fewer samples in a sweep: a pass takes a tenth of a second or more, including
/// its check, and there are nine modes.
const LARGE: usize = 16 << 20;

/// Measures `mode` into `case`.
pub(crate) fn measure(case: &mut Recorder<'_>, mode: &Mode, add: &Add<'_>, vectors: &Vectors) -> Result<()> {
    let run = add.run;
    // Whether the data are copied, migrated or loaded over the link, x and y go to the device and z comes back.
    let to_host = add.n * size_of::<f32>();
    let to_device = 2 * to_host;
    case.set("h2d_bytes", to_device);
    case.set("d2h_bytes", to_host);
    case.bytes(to_device + to_host);
    case.flop(add.n as u64);
    // Each vector is a separate copy; loads of the kernel itself over the link start only once.
    let copies = if mode.way == Way::Mapped { 1.0 } else { 3.0 };
    case.transfer(mode.way, Moved { copies, to_device: to_device as f64, to_host: to_host as f64 });
    case.ceiling(link_ceiling(run, mode, to_device as f64, to_host as f64));
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
    case.check(checked(run, transfer.as_mut(), vectors)?);

    let is_sweep = run.is_given("sweep");
    let passes = if is_sweep || run.is_emulated() || run.options().quick { 1 } else { WARM_PASSES };
    if is_sweep {
        case.at_most(if to_host > LARGE { 3 } else { 10 });
    }
    let mut warm = Vec::new();
    for _ in 0..passes {
        transfer.poison()?;
        run.stream().synchronize()?;
        warm.push(steps(run, transfer.as_mut(), vectors)?);
        case.check(checked(run, transfer.as_mut(), vectors)?);
    }
    for (i, step) in STEPS.iter().enumerate() {
        let samples: Vec<f64> = warm.iter().map(|pass| pass[i]).collect();
        case.set(&format!("warm_{step}_ms"), times(&samples, 0).map(|times| times.median));
    }

    case.measure_wall(
        transfer.as_mut(),
        |t| {
            bring(t, vectors)?;
            t.poison()
        },
        |t| {
            t.pass()?;
            if t.moves_when_read() {
                run.stream().synchronize()?;
                read(t)?;
            }
            Ok(())
        },
        |t| checked(run, t, vectors),
    )?;
    case.set("two_norm_of_error", two_norm(transfer.host(2)?, &vectors.sum));
    Ok(())
}

/// Times one pass and waits after each step; milliseconds by the host's clock.
fn steps(run: &Run, transfer: &mut dyn Transfer, vectors: &Vectors) -> Result<[f64; 5]> {
    let mut timed = |work: &mut dyn FnMut(&mut dyn Transfer) -> Result<()>| -> Result<f64> {
        let began = Instant::now();
        work(transfer)?;
        run.stream().synchronize()?;
        Ok(milliseconds(began))
    };
    Ok([
        timed(&mut |t| touch(t, vectors))?,
        timed(&mut |t| t.to_device())?,
        timed(&mut |t| t.add())?,
        timed(&mut |t| t.to_host())?,
        timed(&mut read)?,
    ])
}

/// Writes the inputs into the memory that the host sees.
fn touch(transfer: &mut dyn Transfer, vectors: &Vectors) -> Result<()> {
    transfer.host(0)?.copy_from_slice(&vectors.x);
    transfer.host(1)?.copy_from_slice(&vectors.y);
    Ok(())
}

/// Like [`touch`], on all cores, outside of measurements.
fn bring(transfer: &mut dyn Transfer, vectors: &Vectors) -> Result<()> {
    for (i, vector) in [&vectors.x, &vectors.y].into_iter().enumerate() {
        parallel_chunks(transfer.host(i)?, PART, |part, place| {
            place.copy_from_slice(&vector[part * PART..][..place.len()]);
        });
    }
    Ok(())
}

/// Reads a float of every 4 KiB page of the sum: enough to migrate the page to the host.
fn read(transfer: &mut dyn Transfer) -> Result<()> {
    black_box(transfer.host(2)?.iter().step_by(4096 / size_of::<f32>()).copied().sum::<f32>());
    Ok(())
}

/// Checks the sum, and that the kernel has not changed x and y.
fn checked(run: &Run, transfer: &mut dyn Transfer, vectors: &Vectors) -> Result<Check> {
    let [x, y, _] = transfer.addresses();
    run.look_at("x", &vectors.x, x);
    run.look_at("y", &vectors.y, y);
    Ok(Check::compare(transfer.host(2)?, &vectors.sum, Tolerance::EXACT).of_same_output())
}

/// The end-to-end rate of a pass that only moves its bytes at the rates measured on this link: one direction after the
/// other, or, in a mode that uses both directions in parallel, for as long as the slower one takes.
fn link_ceiling(run: &Run, mode: &Mode, to_device: f64, to_host: f64) -> Ceiling {
    run.session().ceilings.map_or(Ceiling::None, |rates| {
        let (there, back) = (to_device / rates.h2d_gb_per_s, to_host / rates.d2h_gb_per_s);
        let seconds = if mode.is_both_ways { there.max(back) } else { there + back };
        Ceiling::Rate((to_device + to_host) / seconds)
    })
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

/// The unit of times in the tables.
pub(crate) fn unit(run: &Run) -> &'static str {
    if run.is_emulated() { "emulated ms" } else { "ms" }
}

/// Prints the phases of each mode side by side.
pub(crate) fn summary(run: &Run) {
    const HEADERS: [&str; 8] = ["mode", "touch", "H2D", "kernel", "D2H", "host read", "end to end", "first pass"];
    let records = run.records();
    let rows = records.iter().filter_map(|record| {
        let end_to_end = significant(record.times?.median);
        let number = |column: &str| run.lab().number(record, column).map_or_else(String::new, significant);
        let warm = STEPS.iter().map(|step| number(&format!("warm_{step}_ms")));
        let ends = [end_to_end, number("first_end_to_end_ms")];
        Some([record.variant.clone()].into_iter().chain(warm).chain(ends).collect::<Vec<_>>())
    });
    let what = "end to end: from inputs in host memory to the sum in host memory";
    run.say(&format!("\nPhases of a warm pass, {} ({what})", unit(run)));
    run.say(&table(&HEADERS, &rows.collect::<Vec<_>>()));
    let node = run.session().snapshot().map(|nvml| nvml.numa_node);
    if node == Some(None) && !run.is_emulated() {
        run.say(
            "NUMA node: neither NVML nor this system says to which node the GPU is attached, as in virtual machines",
        );
    }
    // A NaN compares as larger than any number here, so no difference is missed.
    let norm = records.iter().filter_map(|r| run.lab().number(r, "two_norm_of_error")).max_by(f64::total_cmp);
    let error = records.iter().filter_map(|r| r.max_abs_error).max_by(f64::total_cmp);
    if let (Some(norm), Some(error)) = (norm, error) {
        run.say(&format!("Difference to the host's sum, the worst of all modes: two-norm {norm}, largest {error}"));
    }
}

//! Compares the machine's speed with other ways to run CUDA kernels without a GPU, in one run on one core: `cargo run
//! --release --manifest-path harness/simt/peers/Cargo.toml`
//!
//! The peers are a serial loop in Rust, which performs only the kernels' computation; ptoxide 0.1.0, another
//! interpreter of PTX; and numba's CUDA simulator, if the Python named by `PYTHON` (else `python3`) has numba. The
//! machine runs with memory checks and counters on and one worker; another column shows its speed with one worker per
//! core. A slow peer gets a smaller problem; rates are per element.

#[path = "../../tests/common/mod.rs"]
mod common;
mod ptoxide_columns;
mod serial;

use common::columns::columns;
use simt::machine::Checks;
use std::collections::HashMap;
use std::process::Command;
use std::time::Instant;

/// Elements per second, or why there is no rate.
type Rate = Result<f64, String>;

/// Returns elements per second, for work on `elements` elements: the best of a few runs that take half a second in
/// total.
fn rate(elements: u64, mut work: impl FnMut()) -> f64 {
    let began = Instant::now();
    let mut best = f64::INFINITY;
    for round in 0..50 {
        if round > 1 && began.elapsed().as_secs_f64() > 0.5 {
            break;
        }
        let start = Instant::now();
        work();
        best = best.min(start.elapsed().as_secs_f64());
    }
    elements as f64 / best
}

/// Parses the output of the simulator's script: a line for each column with its name and rate, or its name and the
/// reason why there is no rate.
fn numba() -> Result<HashMap<String, Rate>, String> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let out = Command::new(&python)
        .args(["-c", include_str!("numba_columns.py")])
        .env("NUMBA_ENABLE_CUDASIM", "1")
        .output()
        .map_err(|e| format!("{python}: {e}"))?;
    if !out.status.success() {
        let error = String::from_utf8_lossy(&out.stderr);
        let last = error.lines().last().unwrap_or("it failed").to_string();
        return Err(format!(
            "{python}: {last} (PYTHON names another; `pip install numba` in a virtual environment is enough)"
        ));
    }
    let text = String::from_utf8_lossy(&out.stdout);
    let line = |line: &str| {
        let (kernel, result) = line.split_once(' ')?;
        let rate = result.parse().map_err(|_| result.to_string());
        Some((kernel.to_string(), rate))
    };
    Ok(text.lines().filter_map(line).collect())
}

/// Formats a rate, and the machine's speedup over it.
fn cell(rate: &Rate, ours: f64) -> String {
    match rate {
        Ok(rate) => format!("{rate:.1e} ({:.2e}x)", ours / rate),
        Err(why) => why.clone(),
    }
}

fn main() {
    let (mut device, columns) = columns(1 << 20, 256);
    (device.settings.checks, device.settings.counters) = (Checks::MEMORY, true);
    let numba = numba();
    if let Err(why) = &numba {
        println!("numba's simulator is left out: {why}\n");
    }
    println!("elements/s, and in brackets the machine's speed, with one worker, relative to that");
    println!(
        "{:20} {:14} {:>10} {:>10} {:>20} {:>22} {:>24}",
        "", "elements", "machine", "all cores", "serial Rust", "ptoxide 0.1.0", "numba's simulator"
    );
    for column in &columns {
        let [ours, all] = [1, 0].map(|workers| {
            device.settings.workers = workers;
            rate(column.elements, || {
                column.launch(&device);
            })
        });
        let serial = Ok(serial::column(column.kernel));
        let ptoxide = ptoxide_columns::column(column.kernel);
        let numba = match &numba {
            Ok(rates) => rates
                .get(column.kernel)
                .cloned()
                .unwrap_or_else(|| Err("no line".into())),
            Err(_) => Err("left out".into()),
        };
        println!(
            "{:20} {:14} {:>10.1e} {:>10.1e} {:>20} {:>22} {:>24}",
            column.name,
            column.element,
            ours,
            all,
            cell(&serial, ours),
            cell(&ptoxide, ours),
            cell(&numba, ours)
        );
    }
}

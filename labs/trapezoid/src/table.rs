//! The text's table next to the times measured here.
use harness::{Figure, Record, Run, Verdict};

/// The text's mean run times in ms, whatever n is; see the lab's published figures.
pub(crate) const TEXT: [Figure; 6] = [
    text("serial", 4.48),
    text("atomic", 3.08),
    text("shuffle-32", 0.210),
    text("shared-32", 0.206),
    text("shuffle", 0.141),
    text("shared", 0.150),
];

/// The text's mean run times in ms on its other machine, a Jetson TK1: the GPU GK20A and, for serial, an ARM core.
pub(crate) const JETSON: [Figure; 6] = [
    text("serial", 33.6),
    text("atomic", 20.7),
    text("shuffle-32", 14.4),
    text("shared-32", 15.0),
    text("shuffle", 12.8),
    text("shared", 14.3),
];

/// The text's names of these rows, in their order.
const NAMES: [&str; TEXT.len()] = [
    "One CPU core",
    "Original: one atomicAdd a thread",
    "Blocks of 32 threads, shuffle",
    "Blocks of 32 threads, shared memory",
    "Large blocks, shuffle",
    "Large blocks, shared memory",
];

const fn text(variant: &'static str, ms: f64) -> Figure {
    Figure { variant, case: "", n: None, value: ms }
}

/// Prints the table of the rows that ran on a GPU or, for the serial program, on this computer's CPU.
pub(crate) fn print(run: &Run) {
    let records = run.records();
    let of = |variant: &str| {
        let passed = |r: &&Record| r.case.is_empty() && r.verdict == Verdict::Pass && r.times.is_some();
        records.iter().filter(passed).find(|r| r.variant == variant)
    };
    let rows: Vec<_> =
        TEXT.iter().zip(NAMES).filter_map(|(text, name)| Some((text, name, of(text.variant)?))).collect();
    let Some((_, _, first)) = rows.first() else {
        return;
    };
    let n = first.n.unwrap_or_default();
    run.say(&format!("\nMean run times of the trapezoidal rule, n = {n} (the text: 2^20), in ms"));
    run.say("                                      the text        here: the wrapper          kernel");
    run.say("                                      Titan X     mean   median      min      alone");
    for (text, name, record) in rows {
        // The CPU's loop is the same on every device; a kernel has its own times only on a GPU.
        let (is_serial, is_gpu) = (text.variant == "serial", !run.is_emulated());
        let cell = |ms: Option<f64>| ms.map_or_else(|| "-".to_string(), |ms| format!("{ms:.4}"));
        let here = |column| cell(run.lab().number(record, column).filter(|_| is_serial || is_gpu));
        run.say(&format!(
            "  {name:<36}{:>7}{:>9}{:>9}{:>9}{:>11}",
            text.value,
            here("wrapper_mean_ms"),
            here("wrapper_median_ms"),
            here("wrapper_min_ms"),
            cell(record.times.filter(|_| !is_serial && is_gpu).map(|times| times.median)),
        ));
    }
    run.say("  The text's CPU is one core of a Core i7. The wrapper starts the sum in managed memory, launches,");
    run.say("  waits and scales, as the text times it; the kernel alone is its median between two events.");
    if run.is_emulated() {
        run.say("  Emulated: a kernel has no times of its own here, so that the wrapper runs once, not 100 times, and");
        run.say("  only the CPU's row is filled.");
    }
}

//! The text's table beside what was measured here.
use harness::{Record, Run, Verdict};

/// A row of the text's table: our variant, its name there, its time in milliseconds.
pub(crate) struct TextRow {
    pub(crate) variant: &'static str,
    name: &'static str,
    pub(crate) ms: f64,
}

/// Mean run times that the text gives: the GPU's on a Titan X, the CPU's on one core of a Core i7.
pub(crate) const TEXT: [TextRow; 6] = [
    row("serial", "One CPU core", 4.48),
    row("atomic", "Original: one atomicAdd a thread", 3.08),
    row("shuffle-32", "Blocks of 32 threads, shuffle", 0.210),
    row("shared-32", "Blocks of 32 threads, shared memory", 0.206),
    row("shuffle", "Large blocks, shuffle", 0.141),
    row("shared", "Large blocks, shared memory", 0.150),
];

/// Kernels alone, n = 2^20, in ms: what others measured on an H200.
pub(crate) const PUBLISHED_KERNELS: [(&str, f64); 5] = [
    ("atomic", 1.846),
    ("shuffle-32", 0.0622),
    ("shared-32", 0.0627),
    ("shuffle", 0.0084),
    ("shared", 0.0127),
];

const fn row(variant: &'static str, name: &'static str, ms: f64) -> TextRow {
    TextRow { variant, name, ms }
}

/// Prints the table of the rows that ran on a GPU or, for the serial program, on this computer's CPU.
pub(crate) fn print(run: &Run) {
    let records = run.records();
    let of = |variant: &str| {
        records.iter().find(|r| {
            r.variant == variant
                && r.case.is_empty()
                && r.verdict == Verdict::Pass
                && r.times.is_some()
        })
    };
    let rows: Vec<_> = TEXT
        .iter()
        .filter_map(|t| Some((t, of(t.variant)?)))
        .collect();
    let Some((_, first)) = rows.first() else {
        return;
    };
    run.say(&format!(
        "\nMean run times of the trapezoidal rule, n = {} (the text: 2^20), in ms",
        first.n.unwrap_or_default()
    ));
    run.say(
        "                                      the text        here: the wrapper          kernel",
    );
    run.say("                                      Titan X     mean   median      min      alone");
    for (text, record) in rows {
        let here = |column| {
            wrapper(run, record, column).map_or_else(|| "-".to_string(), |ms| format!("{ms:.4}"))
        };
        let kernel = record
            .times
            .filter(|_| text.variant != "serial" && !run.is_emulated());
        run.say(&format!(
            "  {:<36}{:>7}{:>9}{:>9}{:>9}{:>11}",
            text.name,
            text.ms,
            here("wrapper_mean_ms"),
            here("wrapper_median_ms"),
            here("wrapper_min_ms"),
            kernel.map_or_else(|| "-".to_string(), |t| format!("{:.4}", t.median)),
        ));
    }
    run.say("  The text's CPU is one core of a Core i7. The wrapper starts the sum in managed memory, launches,");
    run.say("  waits and scales, as the text times it; the kernel alone is its median between two events.");
    if run.is_emulated() {
        run.say(
            "  Emulated: a kernel has no times of its own here, so only the CPU's row is filled.",
        );
    }
}

/// A wrapper time of a GPU, or of the CPU's loop, which is what it is on every device.
fn wrapper(run: &Run, record: &Record, column: &str) -> Option<f64> {
    if run.is_emulated() && record.variant != "serial" {
        return None;
    }
    record.number(run.lab(), column)
}

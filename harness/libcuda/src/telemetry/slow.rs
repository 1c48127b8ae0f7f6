//! Messages about launches that take long, so that the program does not appear to hang.

use super::stderr::{is_read, say};
use simt::machine::{Kernel, Progress};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use wire::demangle;
use wire::finding::SourcePlace;

/// The duration above which a launch, or all launches together, are reported.
const LONG: Duration = Duration::from_secs(60);

/// Whether a message has been written: one per process is enough.
static SAID: AtomicBool = AtomicBool::new(false);

/// Whether a client that reads reports wants to have slow launches announced.
static ANNOUNCED: AtomicBool = AtomicBool::new(false);

/// Turns announcements on or off for a client that reads reports.
pub fn announce(on: bool) {
    ANNOUNCED.store(on, Ordering::Relaxed);
}

/// Reports how long a launch will take, unless a client reads reports and does not want it.
pub fn tell(kernel: &Kernel, progress: Progress) {
    let is_unwanted = is_read() && !ANNOUNCED.load(Ordering::Relaxed);
    say_once(is_unwanted, || words(&readable(kernel), progress));
}

/// Reports after a launch how long all launches so far took. Each one may be too short to be reported, while the
/// program is silent for hours.
pub fn tell_after(kernel: &Kernel, took: Duration) {
    static LAUNCHES: AtomicU64 = AtomicU64::new(0);
    static NANOSECONDS: AtomicU64 = AtomicU64::new(0);
    let new = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
    let launches = LAUNCHES.fetch_add(1, Ordering::Relaxed) + 1;
    let all = Duration::from_nanos(NANOSECONDS.fetch_add(new, Ordering::Relaxed).saturating_add(new));
    say_once(is_read(), || words_after(|| readable(kernel), took, launches, all));
}

/// Reports once where an interrupted kernel was, unless a client reads reports: it has stopped the kernel itself.
pub fn tell_stopped(kernel: &Kernel, place: &SourcePlace) {
    static TOLD: AtomicBool = AtomicBool::new(false);
    if !is_read() && !TOLD.swap(true, Ordering::Relaxed) {
        say(&format!("interrupted: {} was at {}", readable(kernel), place_of(place)));
    }
}

/// Returns a source location in one line: that of the source file if it is known.
fn place_of(place: &SourcePlace) -> String {
    match place.file.as_str() {
        "" => format!("line {} of its PTX; compile with -lineinfo to see the line of the .cu", place.ptx_line),
        file => format!("{file}:{}", place.line),
    }
}

/// Returns a kernel's demangled name.
fn readable(kernel: &Kernel) -> String {
    wire::shortened(&demangle(&kernel.name))
}

fn say_once(is_unwanted: bool, words: impl FnOnce() -> Option<String>) {
    if is_unwanted || SAID.load(Ordering::Relaxed) {
        return;
    }
    if let Some(words) = words() {
        SAID.store(true, Ordering::Relaxed);
        if is_read() && std::io::stderr().is_terminal() {
            // A client's progress line is there.
            eprint!("\r\x1b[2K");
        }
        say(&words);
    }
}

/// Returns the message after `launches` launches that took `all`, the last of them `took`; `None` if that is not long.
/// The kernel's name is computed only if needed, because demangling is slow.
fn words_after(kernel: impl FnOnce() -> String, took: Duration, launches: u64, all: Duration) -> Option<String> {
    let seconds = all.as_secs();
    let last = took.as_secs_f64();
    let said = || {
        let kernel = kernel();
        format!(
            "the program's kernels have run for {seconds} s, in {launches} launches; the last, {kernel}, took {last:.2} s"
        )
    };
    (all >= LONG).then(said)
}

/// Returns the message about a launch with this progress; `None` if it will end soon.
fn words(kernel: &str, progress: Progress) -> Option<String> {
    let Progress { elapsed, ended, begun, blocks } = progress;
    let seconds = elapsed.as_secs();
    if begun >= blocks {
        // The last blocks are running, for an unknown time.
        let said = format!("{kernel} has run for {seconds} s, and all of its {blocks} blocks have begun");
        return (elapsed >= LONG).then_some(said);
    }
    // On average, running blocks are half done.
    let done = ended as f64 + begun.saturating_sub(ended).max(1) as f64 / 2.0;
    let whole = elapsed.as_secs_f64() * blocks as f64 / done;
    let said = || {
        format!(
            "{kernel} has run for {seconds} s, and {begun} of its {blocks} blocks have begun: it will take about {} in \
             all",
            about(whole)
        )
    };
    (whole > LONG.as_secs_f64()).then(said)
}

/// Renders a time of more than a minute in words.
fn about(seconds: f64) -> String {
    let (number, unit) = match seconds / 60.0 {
        minutes if minutes < 120.0 => (minutes, "minute"),
        minutes if minutes < 48.0 * 60.0 => (minutes / 60.0, "hour"),
        minutes => (minutes / 60.0 / 24.0, "day"),
    };
    let number = number.round();
    format!("{number} {unit}{}", if number == 1.0 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the message about a launch of `blocks` blocks, of which ten are running.
    fn message(seconds: u64, begun: u64, blocks: u64) -> Option<String> {
        let ended = begun.saturating_sub(10);
        words("sum(int*)", Progress { elapsed: Duration::from_secs(seconds), ended, begun, blocks })
    }

    #[test]
    fn a_launch_of_more_than_a_minute_has_an_estimate_and_a_shorter_one_none() {
        let said = message(10, 25, 1000).unwrap();
        assert_eq!(
            said,
            "sum(int*) has run for 10 s, and 25 of its 1000 blocks have begun: it will take about 8 minutes in all"
        );
        assert_eq!(message(10, 25, 120), None);
        assert!(message(10, 25, 130).unwrap().contains("about 1 minute in all"));
        assert!(message(10, 2, 1000).unwrap().contains("about 3 hours in all"));
        assert!(message(10, 2, 100_000).unwrap().contains("about 12 days in all"));
    }

    #[test]
    fn short_launches_that_together_take_a_minute_are_told() {
        let after = |all| words_after(|| "sum(int*)".into(), Duration::from_millis(390), 154, Duration::from_secs(all));
        assert_eq!(after(59), None);
        assert_eq!(
            after(60).unwrap(),
            "the program's kernels have run for 60 s, in 154 launches; the last, sum(int*), took 0.39 s"
        );
    }

    #[test]
    fn a_place_is_a_line_of_the_source_if_that_is_known() {
        let known = SourcePlace { file: "x.cu".into(), line: 7, ..SourcePlace::default() };
        assert_eq!(place_of(&known), "x.cu:7");
        assert!(
            place_of(&SourcePlace { ptx_line: 3, ..SourcePlace::default() })
                .starts_with("line 3 of its PTX; compile with")
        );
    }

    #[test]
    fn the_last_blocks_have_no_estimate() {
        assert_eq!(message(50, 16, 16), None);
        assert_eq!(message(60, 16, 16).unwrap(), "sum(int*) has run for 60 s, and all of its 16 blocks have begun");
    }
}

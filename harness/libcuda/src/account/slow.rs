//! A word about a launch that will take long, for those who would think that it hangs.

use super::speech::{is_read, say};
use simt::machine::{Kernel, Progress};
use simt::report::demangle;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A launch that takes longer is worth a word.
const LONG: Duration = Duration::from_secs(60);

/// Says once in the process how long a launch may take, unless a client reads reports: it has a progress of its own.
pub fn tell(kernel: &Kernel, progress: Progress) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if is_read() || SAID.load(Ordering::Relaxed) {
        return;
    }
    if let Some(words) = words(&demangle(&kernel.name), progress) {
        SAID.store(true, Ordering::Relaxed);
        say(&words);
    }
}

/// What to say of a launch that is so far; nothing if it will end soon.
fn words(kernel: &str, progress: Progress) -> Option<String> {
    let Progress { elapsed, ended, begun, blocks } = progress;
    let seconds = elapsed.as_secs();
    if begun >= blocks {
        // The last blocks run, and nobody knows for how long.
        let said = format!("{kernel} has run for {seconds} s, and all of its {blocks} blocks have begun");
        return (elapsed >= LONG).then_some(said);
    }
    // Of the blocks under way half is done, one with another.
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

/// A time of more than a minute, in words.
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

    /// A launch of so many blocks, of which ten are under way.
    fn of(seconds: u64, begun: u64, blocks: u64) -> Option<String> {
        let ended = begun.saturating_sub(10);
        words("sum(int*)", Progress { elapsed: Duration::from_secs(seconds), ended, begun, blocks })
    }

    #[test]
    fn a_launch_of_more_than_a_minute_has_an_estimate_and_a_shorter_one_none() {
        let said = of(10, 25, 1000).unwrap();
        assert_eq!(
            said,
            "sum(int*) has run for 10 s, and 25 of its 1000 blocks have begun: it will take about 8 minutes in all"
        );
        assert_eq!(of(10, 25, 120), None);
        assert!(of(10, 25, 130).unwrap().contains("about 1 minute in all"));
        assert!(of(10, 2, 1000).unwrap().contains("about 3 hours in all"));
        assert!(of(10, 2, 100_000).unwrap().contains("about 12 days in all"));
    }

    #[test]
    fn the_last_blocks_have_no_estimate() {
        assert_eq!(of(50, 16, 16), None);
        assert_eq!(of(60, 16, 16).unwrap(), "sum(int*) has run for 60 s, and all of its 16 blocks have begun");
    }
}

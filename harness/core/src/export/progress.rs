//! The progress line on a terminal's standard error: the current case, the progress of the run, and the estimated
//! remaining time.
use std::{
    cell::RefCell,
    collections::HashSet,
    io::IsTerminal,
    thread,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The progress line. It counts variants, since the number of cases of a variant is not known in advance.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    began: Instant,
    /// The number of labs that will run.
    labs: usize,
    /// The number of variants that will run, and those that have begun.
    all: usize,
    begun: RefCell<HashSet<(String, String)>>,
}

impl Progress {
    /// Returns a line for a run of `all` variants in `labs` labs, if it is wanted and standard error is a terminal.
    pub(crate) fn new(is_wanted: bool, labs: usize, all: usize) -> Self {
        let bar = if is_wanted && std::io::stderr().is_terminal() {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}") {
                bar.set_style(style);
            }
            // If no thread can be started, which would make the bar panic, it is redrawn only when its text changes.
            if thread::Builder::new().spawn(|| {}).is_ok() {
                bar.enable_steady_tick(Duration::from_millis(120));
            }
            bar
        } else {
            ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden())
        };
        Self { bar, began: Instant::now(), labs, all, begun: RefCell::default() }
    }

    /// Shows that `files` kernel files are being compiled, which takes long the first time: NVRTC compiles each of
    /// them.
    pub(crate) fn prepare(&self, files: usize) {
        self.bar.set_message(preparing(files));
    }

    /// Shows that a case begins. `time` is its estimated duration, if known.
    pub(crate) fn begin(&self, lab: &str, variant: &str, case: &str, time: Option<&str>) {
        let is_new = self.begun.borrow().iter().all(|(begun, _)| begun != lab);
        self.begun.borrow_mut().insert((lab.into(), variant.into()));
        let time = time.map_or_else(String::new, |time| format!(" (about {time})"));
        let what = [lab, variant, case].join(" ");
        self.show(&format!("{}{time}", what.trim_end()));
        if is_new {
            // A quick lab may end before the line is next redrawn.
            self.bar.force_draw();
        }
    }

    /// Shows work that belongs to no variant, after the number of variants that have begun.
    pub(crate) fn show(&self, what: &str) {
        let begun = self.begun.borrow();
        let labs = begun.iter().map(|(lab, _)| lab).collect::<HashSet<_>>().len();
        let is_known = labs > 1 || self.labs < 2;
        let far = how_far(begun.len(), self.all, is_known.then(|| self.began.elapsed()));
        self.bar.set_message(format!("{far}: {what}"));
    }

    /// Shows that no case is running. The line is cleared on drop.
    pub(crate) fn done(&self) {
        self.bar.set_message("");
    }

    /// Prints something while the line is hidden.
    pub(crate) fn suspend(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }
}

/// Returns the message that is shown while kernel files are compiled.
fn preparing(files: usize) -> String {
    format!("compiling {files} kernel files (once; cached for later runs)")
}

/// Returns the progress of the run when variant number `k` of `n` begins, `elapsed` after the first. There is no
/// estimate without `elapsed`: the first of several labs says little about the others.
fn how_far(k: usize, n: usize, elapsed: Option<Duration>) -> String {
    let n = n.max(k);
    let before = k.saturating_sub(1);
    // The first two variants are a poor estimate of the rest.
    let Some(elapsed) = elapsed.filter(|_| before >= 2) else {
        return format!("{k} of {n}");
    };
    let left = elapsed.as_secs() as usize * (n - before) / before;
    format!("{k} of {n}, about {} left", short(left))
}

/// Formats seconds as `50 s`, `3 min` or `2 h`.
fn short(seconds: usize) -> String {
    match seconds {
        0..90 => format!("{seconds} s"),
        90..5400 => format!("{} min", (seconds + 30) / 60),
        _ => format!("{} h", (seconds + 1800) / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_from_the_time_taken() {
        let at = |k, n, seconds| how_far(k, n, Some(Duration::from_secs(seconds)));
        assert_eq!(at(1, 9, 100), "1 of 9");
        assert_eq!(at(2, 9, 100), "2 of 9");
        assert_eq!(at(3, 9, 10), "3 of 9, about 35 s left");
        assert_eq!(at(9, 9, 80), "9 of 9, about 10 s left");
        assert_eq!(at(11, 101, 200), "11 of 101, about 30 min left");
        // A lab with more variants than it declares must not cause a failure.
        assert_eq!(at(4, 3, 3), "4 of 4, about 1 s left");
        assert_eq!(short(7200), "2 h");
    }

    /// Returns the texts of a run of 100 variants of this many labs, of which `a` has five and `b` runs next.
    fn texts(labs: usize) -> Vec<String> {
        let progress = Progress::new(false, labs, 100);
        let mut texts = Vec::new();
        let mut begin = |lab: &str, variant: &str| {
            progress.begin(lab, variant, "", None);
            texts.push(progress.bar.message());
        };
        for variant in ["one", "two", "three", "four", "five"] {
            begin("a", variant);
        }
        begin("b", "one");
        progress.show("b: the ladder");
        texts.push(progress.bar.message());
        progress.begin("b", "two", "", None);
        texts.push(progress.bar.message());
        texts
    }

    #[test]
    fn the_first_of_several_labs_says_nothing_about_the_others() {
        let several = texts(2);
        assert_eq!([several[0].as_str(), several[4].as_str()], ["1 of 100: a one", "5 of 100: a five"]);
        assert_eq!(several[5], "6 of 100, about 0 s left: b one");
        // A lab alone is its own measure.
        assert_eq!(texts(1)[4], "5 of 100, about 0 s left: a five");
    }

    #[test]
    fn what_is_no_variant_does_not_count() {
        let texts = texts(2);
        assert_eq!(texts[6], "6 of 100, about 0 s left: b: the ladder");
        assert_eq!(texts[7], "7 of 100, about 0 s left: b two");
    }
}

//! The options that every lab shares.
use std::{path::PathBuf, time::Duration};

use clap::{ArgMatches, Args};
use wire::{Checks, UnknownCheck};

use crate::{
    device::choice::DeviceChoice,
    export::{event::View, outputs::Wanted, session_writer::SessionSettings},
    options::number::{
        parse_count, parse_lines, parse_samples, parse_schedules, parse_threads, parse_u32, parse_whole,
    },
};

/// Headings of the help.
const WHAT: &str = "What to run";
const HOW: &str = "How long, and how fast";
const WATCH: &str = "What the emulated device watches (a GPU has NVIDIA's tools for this)";
const OUTPUT: &str = "Output";

/// What an option of a run is for. The command that repeats a case, and whether a lab is summarised, follow from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OptionRole {
    /// Chooses cases by their names.
    Selection,
    /// Is recorded with the session: where the cases run, and on which inputs.
    Session,
    /// Chooses the size or the launch of every case. Some variants of a lab do not use it.
    Launch,
    /// Changes what a case runs, or how it is judged.
    Condition,
    /// Limits the time that a case takes.
    Effort,
    /// Asks for more about each case than its lab's summary has.
    Detail,
    /// Chooses what is printed or written, and where.
    Output,
    /// Concerns a lab's ladder of variants, not a single case.
    Summary,
    /// Is set by a judge, or by a process that runs a piece of its work in another one.
    Judge,
}

impl OptionRole {
    /// Whether the command that repeats a case has the options of this role as the user gave them. It says itself which
    /// case it repeats, on which device and inputs, and its user sees everything about it.
    pub(crate) fn is_repeated(self) -> bool {
        matches!(self, Self::Launch | Self::Condition | Self::Effort)
    }

    /// Whether an option of this role asks for rows in place of a lab's summary. A launch does too, unless a sweep of
    /// the lab uses it.
    pub(crate) fn asks_for_rows(self) -> bool {
        matches!(self, Self::Selection | Self::Condition | Self::Detail)
    }
}

/// Declares [`Options`]. Each option is one block: its help, its place on the command line, its value, and its role.
macro_rules! options {
    ($($(#[$attribute:meta])* pub $option:ident: $value:ty => $role:ident,)*) => {
        /// Options common to all labs, as parsed from the command line.
        #[derive(Args, Debug, Clone)]
        #[command(next_help_heading = WHAT)]
        pub struct Options {
            $($(#[$attribute])* pub $option: $value,)*
        }

        /// The role of each option, by its id.
        const ROLES: &[(&str, OptionRole)] = &[$((stringify!($option), OptionRole::$role)),*];
    };
}

options! {
    /// Where to run.
    #[arg(
        long,
        default_value = "auto",
        value_name = "DEVICE",
        help = "Where to run: auto (a GPU if there is one), cuda:N, or emulated[:PROFILE]"
    )]
    pub device: DeviceChoice => Session,
    /// Run only this variant (repeatable)
    #[arg(long = "variant", value_name = "NAME")]
    pub variants: Vec<String> => Selection,
    /// Run only this case, named as in the CSV's column `case` (repeatable)
    #[arg(long = "case", value_name = "CASE")]
    pub cases: Vec<String> => Selection,
    /// Problem size in elements: 1000, 1e6, 2^20, 64Ki, 16M (K, M and G are powers of 1024)
    #[arg(long, short = 'n', value_name = "N", value_parser = parse_count, allow_hyphen_values = true)]
    pub n: Option<usize> => Launch,
    /// Blocks in the grid
    #[arg(long, value_name = "B", value_parser = parse_u32, allow_hyphen_values = true)]
    pub blocks: Option<u32> => Launch,
    /// Threads in a block
    #[arg(long, value_name = "T", value_parser = parse_threads, allow_hyphen_values = true)]
    pub threads: Option<u32> => Launch,
    /// Seed of the random inputs
    #[arg(long, default_value_t = 1, value_name = "SEED", value_parser = parse_whole, allow_hyphen_values = true)]
    pub seed: u64 => Session,
    /// Run this .cu file in place of the lab's own of the same name (or of its only one)
    #[arg(long, value_name = "FILE")]
    pub kernel: Option<PathBuf> => Condition,
    /// Timed launches of each case [default: until the noise is small or the time is up; 1 when emulated]
    #[arg(help_heading = HOW, long, value_name = "COUNT", value_parser = parse_samples, allow_hyphen_values = true)]
    pub samples: Option<u32> => Condition,
    /// Fail with exit code 3 when the best variant of a case is below P % of its ceiling (on a GPU)
    #[arg(help_heading = HOW, long, value_name = "P", value_parser = parse_percent)]
    pub min_percent: Option<f64> => Summary,
    /// End a case that takes longer than TIME (90, 90s, 2m; its inputs included), and count it as failed; each case
    /// then runs in a separate process
    #[arg(help_heading = HOW, long, value_name = "TIME", value_parser = parse_time, allow_hyphen_values = true)]
    pub timeout: Option<Duration> => Effort,
    /// Smoke test: small sizes, few samples
    #[arg(help_heading = HOW, long)]
    pub quick: bool => Effort,
    /// Print what would run, and run nothing. A lab makes its cases while it runs, so the list has variants only, and
    /// sizes and launches as far as options give them
    #[arg(long)]
    pub dry_run: bool => Output,
    /// Skip the cases whose kernels the file of --kernel does not hold (what grading does)
    #[arg(long, hide = true, requires = "kernel")]
    pub partial: bool => Judge,
    /// Run the kernels in a separate process from their judge, and give up writing files outside of the temporary
    /// folder, and the network, before the kernel file is compiled (what grading does)
    #[arg(long, hide = true)]
    pub confined: bool => Judge,
    /// Run once more with what this JSON array holds, a seed and options of the lab, in place of the first seed and
    /// options (what grading does); every run then takes one sample, and all give one row a case
    #[arg(long, hide = true, value_name = "WORDS")]
    pub again: Vec<String> => Judge,
    /// Append each record, its findings as data, to FILE as a line of JSON, for a program that reads what ran
    #[arg(long, hide = true, value_name = "FILE", overrides_with = "records")]
    pub records: Option<PathBuf> => Judge,
    /// Read the file of --kernel, which another process has read from a pipe, from this copy
    #[arg(long, hide = true, value_name = "FILE", overrides_with = "kernel_copy")]
    pub kernel_copy: Option<PathBuf> => Judge,
    /// memcheck, racecheck, initcheck, synccheck, leakcheck, strict (racecheck with stores of one value; several with
    /// commas), all or none [default: memcheck; all for variants that are wrong on purpose]
    #[arg(help_heading = WATCH, long, value_name = "CHECKS", value_parser = parse_checks)]
    pub check: Option<Checks> => Condition,
    /// Run each case under COUNT orders of warps and blocks, and report the findings of all of them
    #[arg(help_heading = WATCH, long, value_name = "COUNT", value_parser = parse_schedules, allow_hyphen_values = true)]
    pub schedules: Option<u32> => Condition,
    /// Show the counters: instructions, divergence, sectors, bank conflicts, atomics, copies
    #[arg(help_heading = WATCH, long)]
    pub counters: bool => Detail,
    /// Predict the time and the bottleneck of each case on PART (h100, h200; default: the emulated GPU), which is then
    /// emulated; on a GPU, predict for that GPU, from an emulated run that is made first
    #[arg(help_heading = WATCH, long, value_name = "PART", num_args = 0..=1, default_missing_value = "")]
    pub predict: Option<String> => Detail,
    /// Predict the times of the summaries, when emulated, for this problem size [default: that of a GPU]
    #[arg(help_heading = WATCH, long, value_name = "N", value_parser = parse_count, allow_hyphen_values = true)]
    pub predict_n: Option<usize> => Summary,
    /// Show the LINES lines of the source that cost the most [default: 10]
    #[arg(help_heading = WATCH, long, value_name = "LINES", num_args = 0..=1, require_equals = true, default_missing_value = "10",
        value_parser = parse_lines)]
    pub hot: Option<usize> => Detail,
    /// Folder for the CSVs and session.json [default: reports/DEVICE-DATE-TIME]
    #[arg(help_heading = OUTPUT, long, value_name = "DIR")]
    pub out: Option<PathBuf> => Output,
    /// CSV rows to standard output (--csv - means the same), one table for all labs; all other text to standard error
    #[arg(help_heading = OUTPUT, long, value_name = "-", num_args = 0..=1, default_missing_value = "-",
        hide_possible_values = true, value_parser = ["-"], conflicts_with = "json")]
    pub csv: Option<String> => Output,
    /// How the findings of variants that are wrong on purpose are shown: brief (a line each) or full
    #[arg(help_heading = OUTPUT, long, value_name = "HOW", default_value = "brief", value_parser = ["brief", "full"],
        hide_possible_values = true)]
    pub findings: String => Output,
    /// Print every row, note and expected finding in place of the summary of each lab
    #[arg(help_heading = OUTPUT, long)]
    pub all: bool => Detail,
    /// Print these too after the summary of each lab: rows, notes, findings (expected ones), counters (repeatable)
    #[arg(help_heading = OUTPUT, long, value_name = "WHAT", value_parser = ["rows", "notes", "findings", "counters"],
        hide_possible_values = true, conflicts_with = "all")]
    pub show: Vec<String> => Output,
    /// Do not write DIR/report.html
    #[arg(help_heading = OUTPUT, long)]
    pub no_report: bool => Output,
    /// Print only errors and failures
    #[arg(help_heading = OUTPUT, long, short)]
    pub quiet: bool => Output,
    /// Print one JSON object for each record instead of the table
    #[arg(help_heading = OUTPUT, long)]
    pub json: bool => Output,
}

/// What the command line asks of a lab.
#[derive(Debug, Clone)]
pub(crate) struct LabOptions {
    /// The common options.
    pub(crate) common: Options,
    /// The lab's own.
    pub(crate) own: ArgMatches,
}

/// Returns the role of the option with this id; `None` for one that the common options do not have.
pub(crate) fn role(id: &str) -> Option<OptionRole> {
    ROLES.iter().find(|(option, _)| *option == id).map(|(_, role)| *role)
}

/// Returns the ids of the options whose roles are `wanted`.
pub(crate) fn with_role(wanted: impl Fn(OptionRole) -> bool) -> impl Iterator<Item = &'static str> {
    ROLES.iter().filter(move |(_, role)| wanted(*role)).map(|(option, _)| *option)
}

impl Options {
    /// Whether `variant` is chosen: all are, without `--variant`.
    pub(crate) fn chooses(&self, variant: &str) -> bool {
        self.variants.is_empty() || self.variants.iter().any(|chosen| chosen == variant)
    }

    /// Whether a judge has started this process.
    pub(crate) fn is_judged(&self) -> bool {
        self.confined || !self.again.is_empty()
    }

    /// Whether a case starts a child process, either because of a time limit or because its variant needs a separate
    /// process (`is_ruinous`). Not in rounds, whose state is in this process; and not if a judge has started this
    /// process for one variant alone, because then it is already separate.
    pub(crate) fn starts_a_process(&self, is_ruinous: bool) -> bool {
        let is_its_own = self.confined && self.variants.len() == 1;
        self.again.is_empty() && (self.timeout.is_some() || is_ruinous && !is_its_own)
    }

    /// Changes the options for a companion of a run on a GPU, which counts on the emulated `part`: one sample of each
    /// case, and no checks.
    pub(crate) fn accompany(&mut self, part: &str) {
        self.device = DeviceChoice::Emulated(part.into());
        self.predict = Some(part.into());
        (self.samples, self.check, self.schedules) = (Some(1), Some(Checks::NONE), None);
        (self.min_percent, self.timeout, self.quiet) = (None, None, true);
    }

    /// Whether standard output carries data for another program.
    pub(crate) fn writes_data(&self) -> bool {
        self.json || self.csv.is_some()
    }

    /// Returns the options that session.json records.
    pub(crate) fn settings(&self) -> SessionSettings {
        SessionSettings {
            seed: self.seed,
            check: self.check,
            schedules: self.schedules.unwrap_or(1),
            quick: self.quick,
            samples: self.samples,
        }
    }

    /// Returns the output formats that the options request.
    pub(crate) fn wanted(&self) -> Wanted {
        Wanted {
            csv: self.csv.is_some(),
            json: self.json,
            quiet: self.quiet,
            records: self.records.clone(),
            counters: self.counters || self.show.iter().any(|shown| shown == "counters"),
            hot: self.hot.unwrap_or_default(),
            findings: self.findings == "full",
        }
    }

    /// Returns the parts of a lab's output that follow its summary.
    pub(crate) fn shown(&self) -> View {
        let has = |name: &str| self.show.iter().any(|shown| shown == name);
        View { story: true, rows: has("rows"), notes: has("notes"), findings: has("findings"), remarks: false }
    }

    /// Whether the user has chosen any part of the launches. If a launch is impossible, the user must then change the
    /// choice.
    pub(crate) fn sets_a_launch(&self) -> bool {
        self.n.is_some() || self.blocks.is_some() || self.threads.is_some()
    }
}

/// The maximum time limit of a case: clocks do not count much further.
const LONGEST: Duration = Duration::from_secs(31_536_000);

/// Parses a time above 0: seconds, or a number with its unit (`90s`, `2m`, `1h 30m`).
///
/// # Errors
/// A sentence with examples.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let seconds = || text.trim().parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    match humantime::parse_duration(text).ok().or_else(seconds) {
        Some(time) if time > LONGEST => Err(format!("`{text}` is too long: the most is a year")),
        Some(time) if !time.is_zero() => Ok(time),
        _ => Err(format!("`{text}` is not a time above 0; write 90 (seconds), 90s, 2m or 1h")),
    }
}

/// Parses a percentage above 0.
fn parse_percent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').parse::<f64>() {
        Ok(percent) if percent > 0.0 && percent.is_finite() => Ok(percent),
        _ => Err(format!("`{text}` is not a percentage above 0; write 80")),
    }
}

/// Parses checks of the emulated device, named as in sanitizers.
///
/// # Errors
/// The name that is not a check, and the valid names.
pub fn parse_checks(text: &str) -> Result<Checks, UnknownCheck> {
    // On a command line an empty name is a mistake.
    if text.split(',').any(|name| name.trim().is_empty()) {
        return Err(UnknownCheck(String::new()));
    }
    text.parse()
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::*;

    #[test]
    fn a_variant_that_ruins_its_context_has_a_process_of_its_own_once() {
        let options = |words: &[&str]| {
            let command = Options::augment_args(clap::Command::new("run").no_binary_name(true));
            Options::from_arg_matches(&command.try_get_matches_from(words).unwrap()).unwrap()
        };
        for (words, starts) in [
            (&[][..], [false, true]),
            (&["--variant", "a"], [false, true]),
            // A judge that names no variant, or several, has started one process for all of them.
            (&["--confined"], [false, true]),
            (&["--confined", "--variant", "a", "--variant", "b"], [false, true]),
            (&["--confined", "--variant", "a"], [false, false]),
            (&["--timeout", "9"], [true, true]),
            (&["--confined", "--variant", "a", "--timeout", "9"], [true, true]),
            // The state of rounds is in this process.
            (&["--confined", "--again", "[]"], [false, false]),
            (&["--again", "[]", "--timeout", "9"], [false, false]),
        ] {
            assert_eq!(
                [false, true].map(|is_ruinous| options(words).starts_a_process(is_ruinous)),
                starts,
                "{words:?}"
            );
        }
    }

    #[test]
    fn times_in_seconds_and_in_units() {
        for (text, seconds) in [("90", 90.0), ("0.5", 0.5), ("90s", 90.0), ("2m", 120.0), ("1h 1s", 3601.0)] {
            assert_eq!(parse_time(text), Ok(Duration::from_secs_f64(seconds)), "{text}");
        }
        for text in ["0", "0s", "-1", "soon", "", "NaN", "inf", "1e30", "1e18", "2years"] {
            assert!(parse_time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_percentage_is_above_0() {
        assert_eq!(parse_percent("62.5%"), Ok(62.5));
        for text in ["0", "-3", "fast", "inf", "NaN"] {
            assert!(parse_percent(text).is_err(), "{text}");
        }
    }
}

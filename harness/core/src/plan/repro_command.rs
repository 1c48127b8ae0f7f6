//! The command that reproduces one case, to be copied from the terminal.
use clap::{Arg, ArgMatches, Command};
use record::Record;

use crate::{
    device::{machine::VARIABLES, session::Session},
    lab::declaration::Lab,
    options::common::{OptionRole, role},
    plan::unused_options::is_given,
    shell::{quoted, this_program},
};

/// The common part of the commands for a lab's cases.
#[derive(Debug, Clone)]
pub(crate) struct ReproCommand {
    lab: &'static Lab,
    /// The program, and the lab's name if the program has several labs.
    program: Vec<String>,
    /// The options of the run that affect its cases.
    options: Vec<String>,
    device: String,
    seed: u64,
}

impl ReproCommand {
    /// Returns the common part for the cases of `lab`. `parser` declares the options, `matches` contains them, and
    /// `is_own` means that the program is the lab's own.
    pub(crate) fn new(
        lab: &'static Lab,
        is_own: bool,
        parser: &Command,
        matches: &ArgMatches,
        (session, seed): (&Session, u64),
    ) -> Self {
        let variable = |name: &str| Some(format!("{name}={}", quoted(&std::env::var(name).ok()?)));
        // It affects how the file of `--kernel` is read.
        let of_kernel = matches.get_raw("kernel").map(|_| kernels::TRUST_PTX);
        let mut program: Vec<String> = VARIABLES.into_iter().chain(of_kernel).filter_map(variable).collect();
        program.push(this_program());
        if !is_own {
            program.extend(["run".into(), quoted(lab.argument())]);
        }
        let options = parser.get_arguments().flat_map(|option| given(option, matches)).collect();
        let device = &session.device;
        let device = if device.is_emulated {
            format!("emulated:{}", device.profile)
        } else {
            format!("cuda:{}", device.ordinal)
        };
        Self { lab, program, options, device, seed }
    }

    /// Returns the command for the case of `record`.
    pub(crate) fn command(&self, record: &Record) -> String {
        let mut words = self.program.clone();
        // Findings outside of every case belong to no variant.
        if self.lab.variants().iter().any(|variant| variant.name == record.variant) {
            words.extend(["--variant".into(), quoted(&record.variant)]);
            if !record.case.is_empty() {
                words.extend(["--case".into(), quoted(&record.case)]);
            }
        }
        words.extend(self.options.iter().map(|word| quoted(word)));
        words.extend(["--seed".into(), self.seed.to_string(), "--device".into(), quoted(&self.device)]);
        words.join(" ")
    }
}

/// Returns an option as on the command line; empty if it is absent, or if its role says that it is not repeated.
fn given(option: &Arg, matches: &ArgMatches) -> Vec<String> {
    let id = option.get_id().as_str();
    // An option of the lab's own has no role: it affects the lab's cases.
    let is_repeated = role(id).is_none_or(OptionRole::is_repeated);
    if !is_repeated || !is_given(matches, id) {
        return Vec::new();
    }
    let name = match option.get_long() {
        Some("n") => Some("-n".to_string()),
        long => long.map(|long| format!("--{long}")),
    };
    if !option.get_action().takes_values() {
        return name.into_iter().collect();
    }
    let values = matches.get_raw(id).into_iter().flatten().map(|value| value.to_string_lossy().into_owned());
    values.flat_map(|value| name.clone().into_iter().chain([value])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_back_as_they_were_given() {
        let parser = Command::new("lab").no_binary_name(true).args([
            Arg::new("n").long("n").short('n'),
            Arg::new("quick").long("quick").action(clap::ArgAction::SetTrue),
            Arg::new("text").long("text").action(clap::ArgAction::Append),
            Arg::new("from").long("from").default_value("-3"),
            Arg::new("out").long("out"),
            Arg::new("shape").num_args(1..=2),
        ]);
        let line = ["-n", "2^10", "--text", "same", "--quick", "--text=a b", "--out", "x", "2", "5"];
        let matches = parser.clone().get_matches_from(line);
        let words: Vec<String> = parser.get_arguments().flat_map(|option| given(option, &matches)).collect();
        assert_eq!(words, ["-n", "2^10", "--quick", "--text", "same", "--text", "a b", "2", "5"]);
    }

    #[test]
    fn what_is_only_shown_or_written_does_not_come_back() {
        use crate::options::common::Options;
        let parser = <Options as clap::Args>::augment_args(Command::new("lab").no_binary_name(true));
        let words = |line: &str| -> Vec<String> {
            let matches = parser.clone().get_matches_from(line.split(' '));
            parser.get_arguments().flat_map(|option| given(option, &matches)).collect()
        };
        for line in [
            "--all",
            "--show rows --no-report",
            "--csv --out x --findings full --quiet",
            "--json --counters --hot --predict h200",
            // It goes with summaries only, and the command that repeats a case has none.
            "--predict-n 2^20 --min-percent 80",
            "--variant a --case b --device cuda:0 --seed 7",
        ] {
            assert_eq!(words(line), [""; 0], "{line}");
        }
        let kept =
            "-n 2^10 --blocks 2 --threads 32 --kernel x.cu --samples 3 --timeout 9 --quick --check all --schedules 2";
        assert_eq!(words(kept).join(" "), kept);
    }
}

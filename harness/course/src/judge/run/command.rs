//! The command lines of runs: each is `warplab run` in a process of its own.
use std::{env, path::PathBuf, process::Command};

use harness::Error;

use super::runner::Runner;
use crate::{
    assignment::options::without_launch,
    judge::plan::{JudgeRequest, Plan, PlannedTiming, Round},
};

/// The variable that sets the most warp instructions of a launch.
const BUDGET: &str = "WARPLAB_BUDGET";

/// A submitted kernel may take this many times the warp instructions of the lab's own kernels.
const SLOWER: u64 = 50;

/// The path of this program, which runs a submission in a separate process.
///
/// # Errors
/// [`Error::Io`].
pub fn this_program() -> Result<PathBuf, Error> {
    env::current_exe().map_err(|source| Error::Io {
        action: "find this program at",
        path: "/proc/self/exe".into(),
        source,
    })
}

/// The command that runs the lab's own kernels as these variants, which either all take a size or all take none.
pub(super) fn own(request: &JudgeRequest, variants: &[&'static str], size: Option<usize>) -> Result<Command, Error> {
    let Round { seed, options } = request.own_round();
    let mut command = Command::new(this_program()?);
    command.args(["run", request.lab.argument(), "--quick", "--quiet", "--seed", &seed.to_string()]);
    command.args(["--device", &request.choice.to_string()]);
    command.args(variants.iter().flat_map(|variant| ["--variant", variant]));
    command.args(options);
    if let Some(n) = size.filter(|_| variants.iter().all(|variant| request.lab.takes("n", variant))) {
        command.args(["--n", &n.to_string()]);
    }
    if !request.asks_questions(size) {
        command.arg("--no-exercises");
    }
    Ok(command)
}

impl Runner {
    /// The command that runs the submitted file in place of the lab's own: confined, under every check, and in the
    /// plan's rounds. A launch executes `least` warp instructions at most, or many times the lab's `own` if that is
    /// more.
    pub(super) fn submitted(
        &self,
        plan: &Plan,
        variants: &[&'static str],
        size: Option<usize>,
        (least, own_instructions): (u64, u64),
    ) -> Result<Command, Error> {
        let mut command = own(plan.request, variants, size)?;
        command.arg("--kernel").arg(&self.kernel).args(["--partial", "--confined"]);
        if let Some(orders) = plan.orders {
            command.args(["--check", "all", "--schedules", &orders.to_string()]);
        }
        command.args(further(&plan.rounds));
        if env::var_os(BUDGET).is_none() {
            command.env(BUDGET, least.max(own_instructions.saturating_mul(SLOWER)).to_string());
        }
        Ok(command)
    }

    /// The command of a timed run. Both the submitted file and the lab's own kernels run sandboxed in a worker process:
    /// driver calls take longer there, and a lab may time calls.
    pub(super) fn timing(&self, request: &JudgeRequest, timing: &PlannedTiming) -> Result<Command, Error> {
        let mut command = Command::new(this_program()?);
        command.args(["run", request.lab.argument(), "--quiet", "--no-exercises", "--seed", &request.seed.to_string()]);
        command.args(["--device", &request.choice.to_string(), "--variant", &timing.variant]);
        let of_lab = |round: Round| Round { options: without_launch(&round.options), ..round };
        command.args(of_lab(request.own_round()).options);
        command.args(further(&request.timed_rounds().into_iter().map(of_lab).collect::<Vec<Round>>()));
        command.args(timing.n.iter().flat_map(|n| ["--n".to_string(), n.to_string()]));
        command.arg("--confined");
        if !timing.is_own {
            command.arg("--kernel").arg(&self.kernel).arg("--partial");
        }
        Ok(command)
    }

    /// The command that runs the lab's own kernels in these rounds, of which the first is that of the request.
    pub(super) fn own_in_rounds(request: &JudgeRequest, rounds: &[Round]) -> Result<Command, Error> {
        let mut command = own(request, &request.variants, None)?;
        command.args(further(rounds));
        Ok(command)
    }

    /// The command that predicts the times of `variant` of the submitted file, or of the lab's own kernels, on `gpu`.
    pub(super) fn prediction(
        &self,
        request: &JudgeRequest,
        (variant, is_own): (&str, bool),
        gpu: &str,
        n: Option<u64>,
    ) -> Result<Command, Error> {
        let mut command = Command::new(this_program()?);
        command.args(["run", request.lab.argument(), "--quiet", "--no-exercises", "--seed", &request.seed.to_string()]);
        command.args(["--device", &format!("emulated:{gpu}"), "--predict", "--hot", "--variant", variant]);
        command.args(["--samples", "1", "--check", "none"]);
        command.args(without_launch(&request.options).iter().filter(|option| !option.contains('{')));
        command.args(n.iter().flat_map(|n| ["--n".to_string(), n.to_string()]));
        if !is_own {
            command.arg("--kernel").arg(&self.kernel).args(["--partial", "--confined"]);
        }
        Ok(command)
    }
}

/// The arguments that add all rounds but the first, which the run has anyway.
fn further(rounds: &[Round]) -> impl Iterator<Item = String> {
    rounds.iter().skip(1).flat_map(|Round { seed, options }| {
        let words = [&["--seed".to_string(), seed.to_string()], &options[..]].concat();
        ["--again".to_string(), serde_json::json!(words).to_string()]
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use harness::{DeviceChoice, process_limits::Limits};

    use super::{super::BaselineCache, *};

    fn request() -> JudgeRequest {
        JudgeRequest {
            lab: &vecadd::LAB,
            choice: DeviceChoice::Cuda(0),
            schedules: 2,
            variants: vec!["pageable"],
            options: Vec::new(),
            seed: 7,
            sizes: vec![None],
            needs_sizes: false,
            hidden: 0,
        }
    }

    #[test]
    fn a_part_and_what_it_is_compared_with_are_timed_apart_from_their_judge() {
        let folder = tempfile::tempdir().unwrap();
        let kernel = folder.path().join("vecadd.cu");
        std::fs::write(&kernel, "").unwrap();
        let limits = Limits { seconds: 1, memory: 1, output: 1 };
        let runner = Runner::new(&vecadd::LAB, &kernel, limits, None, BaselineCache::here()).unwrap();
        let words = |is_own| -> Vec<_> {
            let timing = PlannedTiming { variant: "pageable".into(), is_own, n: Some(1000) };
            runner.timing(&request(), &timing).unwrap().get_args().map(OsStr::to_owned).collect()
        };
        let (own, mine) = (words(true), words(false));
        assert!(own.iter().any(|word| word == "--confined"), "{own:?}");
        // The commands differ only in the file.
        let of_file = [OsStr::new("--kernel"), kernel.as_os_str(), OsStr::new("--partial")];
        let rest: Vec<_> = mine.iter().filter(|word| !of_file.contains(&word.as_os_str())).cloned().collect();
        assert_eq!((rest, mine.len()), (own.clone(), own.len() + of_file.len()));
    }

    #[test]
    fn what_is_timed_or_predicted_has_the_launch_of_the_lab() {
        let folder = tempfile::tempdir().unwrap();
        let kernel = folder.path().join("vecadd.cu");
        std::fs::write(&kernel, "").unwrap();
        let limits = Limits { seconds: 1, memory: 1, output: 1 };
        let runner = Runner::new(&vecadd::LAB, &kernel, limits, None, BaselineCache::here()).unwrap();
        let options = ["--stride", "--blocks", "24", "--threads={32..64}"].map(String::from).to_vec();
        let request = JudgeRequest { options, ..request() };
        let timing = PlannedTiming { variant: "pageable".into(), is_own: false, n: None };
        for command in
            [runner.timing(&request, &timing), runner.prediction(&request, ("pageable", false), "h200", None)]
        {
            let words: Vec<_> = command.unwrap().get_args().map(|word| word.to_string_lossy().into_owned()).collect();
            let is_of_a_launch =
                |word: &&String| *word == "24" || word.contains("--blocks") || word.contains("--threads");
            assert_eq!(words.iter().find(is_of_a_launch), None, "{words:?}");
            assert!(words.contains(&"--stride".into()), "{words:?}");
        }
    }

    #[test]
    fn each_round_has_a_seed_and_numbers_of_its_own() {
        let options = vec!["--x={-9999..9999}".to_string(), "--stride".into()];
        let rounds = |seed| {
            let request = JudgeRequest { seed, options: options.clone(), ..request() };
            further(&request.rounds()).collect::<Vec<String>>()
        };
        let words = rounds(7);
        let [first, second, third, fourth] = &words[..] else { panic!("{words:?}") };
        assert_eq!([first, third], ["--again"; 2]);
        let of = |text: &str| serde_json::from_str::<Vec<String>>(text).unwrap();
        let (one, other) = (of(second), of(fourth));
        assert!(one[0] == "--seed" && one[2].starts_with("--x=") && one[3] == "--stride", "{one:?}");
        assert!(one[1] != other[1] && one[2] != other[2] && one[1] != "7", "{one:?} {other:?}");
        assert_eq!(rounds(7), words);
        assert_ne!(rounds(8), words);
    }
}

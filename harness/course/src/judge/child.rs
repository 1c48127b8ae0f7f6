//! One run of one variant at one size, in its own process.
use std::{
    env,
    path::PathBuf,
    process::{Command, ExitStatus},
};

use harness::{
    DeviceChoice, Error, Exit, Inputs, Record, Verdict,
    process_limits::{self, Limits, Stopped},
};
use record::LabRun;
use serde::{Deserialize, Serialize};

use super::{
    baseline::{instructions, own},
    failure::of_stopped,
    sizes::LONGEST,
    sweep::Swept,
    task::Task,
};
use crate::assignment::random_options::drawn;

/// The most warp instructions of a launch: `BUDGET`, or `SLOWER` times those of the lab's own kernels if that is more.
/// This finds an endless loop in seconds, instead of after the hour that a run's usual budget lasts, without stopping a
/// kernel that is only slow.
const BUDGET: u64 = 20_000_000;
pub(super) const SLOWER: u64 = 50;
/// The variable that sets the most warp instructions of a launch.
pub(super) const BUDGET_NAME: &str = "WARPLAB_BUDGET";

/// If the lab's own kernels take more warp instructions than this at n = [`LONGEST`], ten times that n is too large to
/// be tried several times under every check: the work grows with the cube of n (matmul), or does not depend on n.
const LONG: u64 = 100_000;

/// Rounds of a run on a GPU, each with its own inputs, and those of a timed run, whose first round does not count.
const ROUNDS: u32 = 3;
const TIMED_ROUNDS: u32 = 5;

/// How a run ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Outcome {
    /// The variant's rows, and the names of its kernels that the file lacks.
    Ran { rows: Vec<Record>, missing: Vec<String> },
    /// The variant does not use the replaced kernel file, at least at this size.
    Elsewhere,
    /// The run was refused, for example because the lab does not take this size.
    Refused(String),
    /// The run failed because of the kernel file: it crashed, exceeded a limit, or the driver refused the module.
    Failed(String),
    /// The machine does not model what the kernel file uses.
    Unmodelled(String),
}

/// A variant at a size.
#[derive(Debug)]
pub struct Tried {
    /// `None` stands for the lab's quick sizes.
    pub size: Option<usize>,
    /// Whether the size is hidden (not known beforehand).
    pub is_hidden: bool,
    /// The result of the lab's own kernels: what can be judged here, and the counters to compare with.
    pub own: Outcome,
    /// The result of the file being graded, under every check; `None` where the lab's own kernels do not run either.
    pub graded: Option<Outcome>,
}

/// Whether `variant`, which was `tried`, uses the replaced kernel file. If the lab does not take the size, its quick
/// sizes decide.
pub fn uses(task: &Task, variant: &'static str, tried: &Tried) -> Result<bool, Error> {
    Ok(match tried.own {
        Outcome::Elsewhere => false,
        Outcome::Refused(_) if tried.size.is_some() => !matches!(own(task, variant, None)?, Outcome::Elsewhere),
        _ => true,
    })
}

/// Whether sizes above [`LONGEST`] are too much work.
pub fn is_long(task: &Task, variant: &'static str) -> Result<bool, Error> {
    Ok(instructions(&own(task, variant, Some(LONGEST))?) > LONG)
}

/// Runs the lab's own kernels, and then the file being graded, as `variant`. Skips the latter if `swept` has its
/// result.
pub fn run(
    task: &Task,
    variant: &'static str,
    size: Option<usize>,
    is_hidden: bool,
    swept: &Swept,
) -> Result<Tried, Error> {
    let own = own(task, variant, size)?;
    let Outcome::Ran { rows: theirs, .. } = &own else {
        return Ok(Tried { size, is_hidden, own, graded: None });
    };
    // A missing case may have been left out because of another variant.
    let is_whole = |known: &&Outcome| !matches!(known, Outcome::Ran { rows, .. } if rows.len() < theirs.len());
    let graded = match swept.outcome(task, variant, size).filter(is_whole) {
        Some(known) => known.clone(),
        None => alone(task, variant, size, instructions(&own))?,
    };
    Ok(Tried { size, is_hidden, own, graded: Some(graded) })
}

/// Runs the file being graded as `variant`; the lab's own kernels take `takes` warp instructions for it.
pub(super) fn alone(task: &Task, variant: &'static str, size: Option<usize>, takes: u64) -> Result<Outcome, Error> {
    if let Some(words) = task.bounds.refusal(&task.options, variant, size) {
        return Ok(Outcome::Failed(words));
    }
    let mut command = in_place(command(task, &[variant], size)?, task);
    if env::var_os(BUDGET_NAME).is_none() {
        command.env(BUDGET_NAME, BUDGET.max(takes.saturating_mul(SLOWER)).to_string());
    }
    let mut ended = EndedRun::run(command, &task.bounds.within(&task.limits))?;
    if let Some(words) = task.bounds.note(&task.options, variant, size, ended.stopped) {
        return Ok(Outcome::Failed(words));
    }
    for told in ended.rows.iter_mut().flat_map(|row| &mut row.findings) {
        for words in [&mut told.help, &mut told.text] {
            *words = words.replace(wire::RAISE_BUDGET, "");
        }
    }
    task.printed.add(&[variant], size, ended.printed());
    ended.graded()
}

/// Adds the arguments for the file being graded: in place of the lab's own, confined, under every check, and in rounds.
pub(super) fn in_place(mut command: Command, task: &Task) -> Command {
    command.arg("--kernel").arg(&task.kernel).args(["--partial", "--confined"]);
    if matches!(task.choice, DeviceChoice::Emulated(_)) {
        command.args(["--check", "all", "--schedules", &task.schedules.to_string()]);
        // A round for each order of warps and blocks.
        command.args(again(task.seed, &task.options, task.schedules.max(2)));
    } else {
        command.args(again(task.seed, &task.options, ROUNDS));
    }
    command
}

/// Times `variant` at size `n`, or at the size that the lab is measured at, with the file being graded or the lab's own
/// kernels.
///
/// # Errors
/// [`Error::CannotRun`] when the run gives no rows, with its error message.
pub fn timed(task: &Task, variant: &str, is_own: bool, n: Option<u64>) -> Result<Vec<Record>, Error> {
    rows_of(timing(task, variant, is_own, n)?, task, variant)
}

/// The command that times `variant`. Both the file being graded and the lab's own kernels run sandboxed in a worker
/// process: driver calls take longer there, and a lab may time calls.
fn timing(task: &Task, variant: &str, is_own: bool, n: Option<u64>) -> Result<Command, Error> {
    let mut command = Command::new(this_program()?);
    command.args(["run", task.lab.name, "--quiet", "--no-exercises", "--seed", &task.seed.to_string()]);
    command.args(["--device", &task.choice.to_string(), "--variant", variant]);
    command.args(drawn(&task.options, task.seed));
    command.args(again(task.seed, &task.options, TIMED_ROUNDS));
    command.args(n.iter().flat_map(|n| ["--n".to_string(), n.to_string()]));
    command.arg("--confined");
    if !is_own {
        command.arg("--kernel").arg(&task.kernel).arg("--partial");
    }
    Ok(command)
}

/// Runs `command` for `what`, and returns its rows.
fn rows_of(command: Command, task: &Task, what: &str) -> Result<Vec<Record>, Error> {
    let ended = EndedRun::run(command, &task.limits)?;
    match ended.stopped {
        Some(stopped) => Err(Error::CannotRun(format!("{what} was {stopped}"))),
        None if ended.rows.is_empty() => Err(Error::CannotRun(ended.words)),
        None => Ok(ended.rows),
    }
}

/// Predicts the times of `variant` of the file being graded on `gpu`, which is emulated, with the cost of each line:
/// one sample, at size `n`, or at the lab's size on the emulated device. Random options keep the lab's default, since a
/// rubric also draws small sizes.
///
/// # Errors
/// [`Error::CannotRun`] when the run gives no rows, with its error message; why it cannot be started.
pub fn predicted_rows(task: &Task, variant: &str, gpu: &str, n: Option<u64>) -> Result<Vec<Record>, Error> {
    let mut command = Command::new(this_program()?);
    command.args(["run", task.lab.name, "--quiet", "--no-exercises", "--seed", &task.seed.to_string()]);
    command.args(["--device", &format!("emulated:{gpu}"), "--predict", "--hot", "--variant", variant]);
    command.args(["--samples", "1", "--check", "none"]);
    command.args(task.options.iter().filter(|option| !option.contains('{')));
    command.args(n.iter().flat_map(|n| ["--n".to_string(), n.to_string()]));
    command.arg("--kernel").arg(&task.kernel).args(["--partial", "--confined"]);
    rows_of(command, task, "its emulation")
}

/// The command that runs the lab's own kernels as these variants, which either all take a size or all take none.
pub(super) fn command(task: &Task, variants: &[&'static str], size: Option<usize>) -> Result<Command, Error> {
    let mut command = Command::new(this_program()?);
    command.args(["run", task.lab.name, "--quick", "--quiet", "--seed", &task.seed.to_string()]);
    command.args(["--device", &task.choice.to_string()]);
    command.args(variants.iter().flat_map(|variant| ["--variant", variant]));
    command.args(drawn(&task.options, task.seed));
    if let Some(n) = size.filter(|_| variants.iter().all(|variant| task.lab.takes("n", variant))) {
        command.args(["--n", &n.to_string()]);
    }
    // The sizes of exercises do not depend on --n, so that running them once is enough.
    if size != task.sizes[0] {
        command.arg("--no-exercises");
    }
    Ok(command)
}

/// Arguments that add `rounds` rounds to a run. The first round has `seed` and the options drawn from it, as the run of
/// the lab's own kernels has; each further round has a seed derived from it.
fn again(seed: u64, options: &[String], rounds: u32) -> Vec<String> {
    let round = |number: u32| {
        let seed: u64 = Inputs::new(seed, &format!("round {number}")).u32(1, 0..u32::MAX)[0].into();
        let mut words = vec!["--seed".to_string(), seed.to_string()];
        words.extend(drawn(options, seed));
        ["--again".to_string(), serde_json::json!(words).to_string()]
    };
    (2..=rounds).flat_map(round).collect()
}

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

/// The results of a run that has ended.
pub(super) struct EndedRun {
    status: ExitStatus,
    /// Why it was stopped, if it was.
    stopped: Option<Stopped>,
    /// What it wrote to standard error.
    words: String,
    /// The beginning of its standard output: what kernels print, since the run itself is quiet.
    printed: String,
    /// A run that is refused has no rows.
    rows: Vec<Record>,
    /// How the lab ended, according to `session.json`.
    lab: LabRun,
}

impl EndedRun {
    /// Runs `command` to its end.
    pub(super) fn run(mut command: Command, limits: &Limits) -> Result<Self, Error> {
        let io = |action, path: PathBuf| move |source| Error::Io { action, path, source };
        let folder = tempfile::tempdir().map_err(io("create a folder in", env::temp_dir()))?;
        command.arg("--out").arg(folder.path());
        // The only folder in which a confined run may write.
        command.env("TMPDIR", folder.path());
        let records = folder.path().join("records");
        command.arg("--records").arg(&records).envs(kernels::for_children());
        command.args(kernels::copy_for_children().into_iter().flat_map(|copy| ["--kernel-copy".into(), copy]));
        let ended = process_limits::run(&mut command, limits).map_err(io("start", command.get_program().into()))?;
        let rows = harness::records(&std::fs::read_to_string(&records).unwrap_or_default())?;
        let lab = record::sessions_in(folder.path())
            .unwrap_or_default()
            .pop()
            .and_then(|session| session.labs.into_iter().next());
        Ok(Self {
            status: ended.status,
            stopped: ended.stopped,
            printed: ended.output,
            words: ended.error.trim().trim_start_matches("error: ").to_string(),
            rows,
            lab: lab.unwrap_or_default(),
        })
    }

    /// Returns the error of a run that ended before its first case because of its environment, such as a full disk or
    /// too little memory: then nothing is known about any kernel.
    fn in_vain(&self) -> Option<Error> {
        let code = self.status.code()?;
        let is_unable = code == i32::from(Exit::CannotRun.code()) && self.rows.is_empty();
        is_unable.then(|| Error::CannotRun(self.words.clone()))
    }

    /// Whether this result of the lab's own kernels is reproducible: not caused by a lack of time, memory or a device.
    pub(super) fn is_lasting(&self) -> bool {
        let is_refused = self.status.code() == Some(i32::from(Exit::Usage.code()));
        let is_whole = self.status.success() && self.rows.iter().all(|row| row.verdict != Verdict::Skip);
        self.stopped.is_none() && (is_refused || is_whole)
    }

    /// The output of kernels.
    pub(super) fn printed(&self) -> String {
        self.printed.clone()
    }

    /// All rows of a run of several variants, if it was completed.
    pub(super) fn whole(self) -> Option<Vec<Record>> {
        (self.stopped.is_none() && matches!(self.status.code(), Some(0 | 1))).then_some(self.rows)
    }

    /// The result of the lab's own kernels, of which the file `replaced` is to be graded.
    pub(super) fn own(self, replaced: &str) -> Result<Outcome, Error> {
        Ok(match (self.status.code(), self.stopped) {
            (Some(130), _) => return Err(Error::Interrupted),
            (Some(0 | 1), None) if !self.lab.ptx.contains_key(replaced) => Outcome::Elsewhere,
            (Some(0 | 1), None) => Outcome::Ran { rows: self.rows, missing: Vec::new() },
            (Some(_), None) => Outcome::Refused(self.words),
            (_, Some(stopped)) => Outcome::Refused(format!("the lab's own kernels were {stopped}")),
            (None, None) => Outcome::Refused(format!("the run of the lab's own kernels crashed with {}", self.status)),
        })
    }

    /// The result of the file being graded.
    pub(super) fn graded(self) -> Result<Outcome, Error> {
        let in_vain = self.in_vain();
        let Self { status, stopped, words, rows, lab, .. } = self;
        // Kernels can be missing in a case, or before the cases, where the lab's run then ends.
        let absent = lab.missing_kernel;
        let lacks = |r: &Record| r.missing_kernel.clone();
        let missing: Vec<String> = rows.iter().filter_map(lacks).chain(absent).collect();
        let failed = |r: &Record| matches!(r.verdict, Verdict::Fail | Verdict::Finding);
        Ok(match (status.code(), stopped) {
            (_, Some(stopped)) => Outcome::Failed(of_stopped(stopped)),
            (Some(130), _) => return Err(Error::Interrupted),
            (Some(0 | 1), _) => Outcome::Ran { rows, missing },
            (Some(_), _) if lab.kernel_error.is_some() => {
                let what = lab.kernel_error.unwrap_or_default();
                if lab.unmodelled { Outcome::Unmodelled(what) } else { Outcome::Failed(what) }
            }
            // Failures before the end of the run count, and so does what could not be judged.
            (Some(_), _) if rows.iter().any(|r| failed(r) || r.is_unmodelled()) || !missing.is_empty() => {
                Outcome::Ran { rows, missing }
            }
            (Some(_), _) => match in_vain {
                Some(error) => return Err(error),
                None => Outcome::Refused(words),
            },
            (None, _) => {
                let last = words.lines().last().unwrap_or("it printed nothing");
                Outcome::Failed(format!("the run crashed with {status}: {last}"))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;
    use crate::judge::{BaselineCache, Bounds, Printed};

    #[test]
    fn a_part_and_what_it_is_compared_with_are_timed_apart_from_their_judge() {
        let folder = tempfile::tempdir().unwrap();
        let kernel = folder.path().join("vecadd.cu");
        std::fs::write(&kernel, "").unwrap();
        let task = Task {
            lab: &vecadd::LAB,
            source: harness::replacement(&vecadd::LAB, &kernel).unwrap(),
            kernel: kernel.clone(),
            choice: DeviceChoice::Cuda(0),
            schedules: 2,
            variants: vec!["pageable"],
            options: Vec::new(),
            seed: 7,
            sizes: vec![None],
            needs_sizes: false,
            hidden: 0,
            limits: Limits { seconds: 1, memory: 1, output: 1 },
            bounds: Bounds::total(None),
            baseline: BaselineCache::here(),
            printed: Printed::default(),
        };
        let words = |is_own| -> Vec<_> {
            timing(&task, "pageable", is_own, Some(1000)).unwrap().get_args().map(OsStr::to_owned).collect()
        };
        let (own, mine) = (words(true), words(false));
        assert!(own.iter().any(|word| word == "--confined"), "{own:?}");
        // The commands differ only in the file.
        let of_file = [OsStr::new("--kernel"), kernel.as_os_str(), OsStr::new("--partial")];
        let rest: Vec<_> = mine.iter().filter(|word| !of_file.contains(&word.as_os_str())).cloned().collect();
        assert_eq!((rest, mine.len()), (own.clone(), own.len() + of_file.len()));
    }

    #[test]
    fn each_round_has_a_seed_and_numbers_of_its_own() {
        let options = ["--x={-9999..9999}".to_string(), "--stride".into()];
        let rounds = |seed| again(seed, &options, 3);
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

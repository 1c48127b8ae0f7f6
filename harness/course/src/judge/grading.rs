//! Marks a submission, from its file to its points.
use std::{collections::HashMap, path::Path, sync::Arc};

use harness::{DeviceChoice, Error, JUDGE_PROFILE, Lab, Result, process_limits::Limits};
use wire::printable;

use super::{
    marks::{
        exercise::{self, Evidence},
        marked::{ExerciseMark, Marked, SCHEMA},
        plain,
    },
    plan::{JudgeRequest, sizes, timings},
    run::{BaselineCache, Progress, Runner},
    steps::{Judgement, judge, judge_elsewhere},
};
use crate::{
    assignment::{rubric::Rubric, starter::has_line},
    submission::{Submission, Unread, Wanted},
};

/// The settings for marking submissions.
#[derive(Debug)]
pub struct Grading {
    /// The lab.
    pub lab: &'static Lab,
    /// The rubric: the lab's own, or a teacher's.
    pub rubric: Rubric,
    /// A GPU, or the emulated device.
    pub choice: DeviceChoice,
    /// The seed of the inputs and of the hidden sizes; `None` for a new one per submission.
    pub seed: Option<u64>,
    /// Orders of warps and blocks to try.
    pub schedules: u32,
    /// The limits of each run.
    pub limits: Limits,
    /// The most seconds of all runs of a submission together, if limited.
    pub limit_total: Option<u64>,
    /// The cached results of the lab's own kernels; no submission can write to this cache.
    pub baseline: Arc<BaselineCache>,
}

/// The judgements of the exercises that run with the same options.
struct Group {
    emulated: Judgement,
    /// The request for the GPU and its judgement, if it is graded on one.
    gpu: Option<(JudgeRequest, Judgement)>,
}

/// Why a submission cannot be marked exercise by exercise.
enum Stop {
    /// The submission is at fault; the second text says how to fix it.
    Fault(String, &'static str),
    /// This computer is at fault.
    Unable(String),
    /// The user has interrupted it.
    Interrupted,
}

impl Grading {
    /// Marks the submission at `path`.
    ///
    /// # Errors
    /// [`Error::Interrupted`]. Any other failure is recorded in the submission's marks, so that others can be marked.
    pub fn mark(&self, path: &Path, progress: Progress) -> Result<Marked> {
        let wanted = Wanted { lab: self.lab.name, kernel: &self.rubric.kernel };
        self.mark_opened(path, Submission::open(path, wanted).as_ref(), progress)
    }

    /// Like [`Grading::mark`], for a submission that is already opened.
    ///
    /// # Errors
    /// As [`Grading::mark`].
    pub fn mark_opened(
        &self,
        path: &Path,
        opened: std::result::Result<&Submission, &Unread>,
        progress: Progress,
    ) -> Result<Marked> {
        let mut marked = self.unmarked(path);
        let mut folder = None;
        let judged = match opened {
            Ok(submission) => {
                // The judged copy lies in a temporary folder whose path is of no use to the reader.
                folder = Some(format!("{}/", submission.folder().display()));
                marked.remarks.extend(submission.remark.as_deref().map(plain));
                let seed = marked.seed;
                self.judged(submission, seed, &mut marked, progress).map_err(stop)
            }
            Err(Unread::Unfit(words)) => {
                Err(Stop::Fault(words.clone(), "hand in the file that `warplab submit` makes"))
            }
            Err(Unread::Machine(error)) => Err(Stop::Unable(error.to_string())),
        };
        match judged {
            Ok(parts) => marked.parts = parts,
            Err(Stop::Interrupted) => return Err(Error::Interrupted),
            Err(Stop::Fault(words, raise)) => self.nothing(&mut marked, &words, raise),
            Err(Stop::Unable(why)) => {
                marked.parts = self.rubric.exercises.iter().map(|asked| exercise::unjudged(asked, &why)).collect();
            }
        }
        if let Some(folder) = folder {
            marked.each_text(&|text| *text = text.replace(&folder, ""));
        }
        // Hides the local cache path from students: it contains the user's name.
        if let Some(cache) = kernels::cache_folder().filter(|cache| cache.is_absolute()) {
            marked.each_text(&|text| *text = text.replace(&*cache.to_string_lossy(), "warplab's cache"));
        }
        marked.points = marked.parts.iter().map(|part| part.points).sum();
        marked.of = marked.parts.iter().map(|part| part.of).sum();
        Ok(marked)
    }

    /// Marks the submission at `path` after marking it has exceeded a limit: it earns nothing.
    pub fn stopped(&self, path: &Path, why: &str) -> Marked {
        let mut marked = self.unmarked(path);
        self.nothing(&mut marked, why, "let every kernel end, within the limits of time, memory and output");
        marked.of = marked.parts.iter().map(|part| part.of).sum();
        marked
    }

    /// Empty marks.
    fn unmarked(&self, path: &Path) -> Marked {
        Marked {
            schema: SCHEMA,
            lab: self.lab.name.into(),
            title: self.rubric.title.clone(),
            submission: printable::line(&path.display().to_string()).into_owned(),
            seed: self.seed.unwrap_or_else(sizes::fresh_seed),
            device: self.choice.to_string(),
            sizes: Vec::new(),
            fault: None,
            warnings: Vec::new(),
            remarks: Vec::new(),
            parts: Vec::new(),
            points: 0.0,
            of: 0.0,
        }
    }

    /// Gives no points to any exercise, because of `fault`.
    fn nothing(&self, marked: &mut Marked, fault: &str, raise: &str) {
        let first = fault.lines().next().unwrap_or_default().trim_end_matches(':');
        marked.fault = Some(plain(fault));
        marked.parts =
            self.rubric.exercises.iter().map(|asked| exercise::without_answers(asked, first, raise)).collect();
    }

    /// Judges the submission, and marks each exercise.
    fn judged(
        &self,
        submission: &Submission,
        seed: u64,
        marked: &mut Marked,
        progress: Progress,
    ) -> Result<Vec<ExerciseMark>> {
        let runner = Runner::new(self.lab, &submission.kernel, self.limits, self.limit_total, self.baseline.clone())?;
        let mut groups: HashMap<&[String], Group> = HashMap::new();
        for asked in &self.rubric.exercises {
            if groups.contains_key(&asked.options[..]) {
                continue;
            }
            let request = self.request(&asked.options, seed);
            let emulated = judge(&request, &runner, progress)?;
            let gpu = match self.on_gpu(request) {
                Some(request) => {
                    let judgement = judge_elsewhere(&request, &runner, progress)?;
                    Some((request, judgement))
                }
                None => None,
            };
            if marked.sizes.is_empty() {
                self.describe(marked, &emulated);
            }
            groups.insert(&asked.options, Group { emulated, gpu });
        }
        let mut parts = Vec::new();
        for asked in &self.rubric.exercises {
            let Group { emulated, gpu } = &groups[&asked.options[..]];
            let timed = match gpu {
                Some((request, _)) if asked.speed.is_some() => Some(runner.timed(request, &timings(asked))?),
                _ => None,
            };
            let evidence = Evidence {
                emulated: &emulated.verdicts,
                ptx: &emulated.ptx,
                gpu: gpu.as_ref().map(|(_, judgement)| &judgement.verdicts[..]),
                timed: timed.as_ref(),
            };
            parts.push(exercise::mark(asked, self.lab, &self.rubric.kernel, &evidence));
        }
        Ok(parts)
    }

    /// The request for the exercises that run with `options`, on the emulated device.
    fn request(&self, options: &[String], seed: u64) -> JudgeRequest {
        let exercises = || self.rubric.exercises.iter().filter(|part| part.options == options);
        let is_asked = |name: &str| exercises().any(|part| part.variants.iter().any(|variant| variant == name));
        let choice = match &self.choice {
            emulated @ DeviceChoice::Emulated(_) => emulated.clone(),
            _ => DeviceChoice::Emulated(JUDGE_PROFILE.into()),
        };
        JudgeRequest {
            lab: self.lab,
            variants: self.lab.variants().iter().map(|variant| variant.name).filter(|name| is_asked(name)).collect(),
            options: options.to_vec(),
            choice,
            schedules: self.schedules,
            seed,
            sizes: self.rubric.sizes.known(),
            // A size that the lab's own kernels do not take says nothing about the submission.
            needs_sizes: false,
            hidden: self.rubric.sizes.hidden,
        }
    }

    /// The same request for the GPU, if it is graded on one.
    fn on_gpu(&self, request: JudgeRequest) -> Option<JudgeRequest> {
        let is_gpu = matches!(self.choice, DeviceChoice::Cuda(_));
        is_gpu.then(|| JudgeRequest { choice: self.choice.clone(), ..request })
    }

    /// Adds the sizes and the compiler's warnings, without those about lines that were handed out.
    fn describe(&self, marked: &mut Marked, judgement: &Judgement) {
        let replaced = self.lab.kernels.iter().find(|file| file.name == self.rubric.kernel);
        let handed_out =
            replaced.and_then(|own| self.rubric.starter(&own.cuda).ok()).map_or_else(String::new, |s| s.text);
        let word = |size: &Option<usize>| size.map_or("quick".into(), |n| n.to_string());
        marked.sizes = judgement.sizes.iter().map(word).collect();
        let own = judgement.warnings.iter().filter(|warning| !is_handed_out(&handed_out, &warning.text));
        marked.warnings = own.map(|warning| plain(&warning.text)).collect();
    }
}

/// Whether a compiler warning quotes a line of the handed-out file.
fn is_handed_out(handed_out: &str, warning: &str) -> bool {
    warning.lines().nth(1).is_some_and(|quoted| has_line(handed_out, quoted))
}

/// Decides whose fault an error is.
fn stop(error: Error) -> Stop {
    use kernels::Error as Kernel;
    const RAISE: &str = "hand in a kernel file that compiles";
    match error {
        Error::Interrupted => Stop::Interrupted,
        Error::Usage(words) => Stop::Fault(words, RAISE),
        Error::Kernel(
            error @ (Kernel::Compile { .. }
            | Kernel::Exceeded { .. }
            | Kernel::Crashed { .. }
            | Kernel::TwoHeaders { .. }
            | Kernel::Read { .. }),
        ) => Stop::Fault(error.to_string(), RAISE),
        other => Stop::Unable(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_about_a_line_that_was_handed_out_is_nobodys() {
        let warning = |line: &str| format!("a.cu(3): warning #177-D: variable \"x\" was declared\n  {line}\n      ^");
        let handed_out = "void k() {\n    int x = 1;\n}\n";
        assert!(is_handed_out(handed_out, &warning("int x = 1;")));
        assert!(!is_handed_out(handed_out, &warning("int x = 2;")) && !is_handed_out("", &warning("int x = 1;")));
        assert!(!is_handed_out(handed_out, "a.cu(3): warning without a line"));
    }
}

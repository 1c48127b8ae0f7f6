//! How a part stands: tried at the sizes that a student knows, from small to large, up to the first at which it is not
//! right.
use std::{collections::HashSet, path::Path, sync::Arc};

use harness::{DEFAULT_PROFILE, DeviceChoice, Lab, Result, process_limits::Limits};
use kernels::KernelSource;
use wire::Told;

use super::missed::{Missed, lacked, missed, shirked};
use crate::{
    assignment::rubric::{Part, Rubric},
    judge::{
        self, Bounds, Known, Printed, Swept, Task,
        grade::{Event, Grade, JudgedRow, Mark},
    },
};

/// Orders of warps and blocks to try: enough to see most races, and few enough for an answer at once.
const SCHEDULES: u32 = 2;

/// The seed of the inputs: what was wrong once is wrong again until it is mended.
const SEED: u64 = 1;

/// What each run may use: less than a submission, because somebody waits.
const LIMITS: Limits = Limits { seconds: 60, memory: 3 << 30, output: 16 << 20 };

/// How a part stands.
#[derive(Debug, Clone)]
pub enum Standing {
    /// Right, clean, and within every goal, with what could be better all the same.
    Right(Vec<String>),
    /// Wrong answers, and findings, at the smallest size at which there are any.
    Wrong(Wrong),
    /// Right answers, but not what else is asked for: counters beyond their goals, instructions that are not there.
    Beyond(Vec<Missed>, Vec<String>),
    /// The file lacks these kernels.
    Missing(Vec<String>),
    /// It cannot be judged here.
    Unjudged(String),
}

/// What is wrong at the smallest size at which something is.
#[derive(Debug, Clone, Default)]
pub struct Wrong {
    /// Wrong answers, faults, exceeded limits.
    pub failures: Vec<Event>,
    /// What the checks have found.
    pub findings: Vec<Told>,
    /// The size; `None` stands for the lab's quick sizes.
    pub size: Option<usize>,
}

impl Standing {
    /// Whether nothing is left to do.
    pub fn is_right(&self) -> bool {
        matches!(self, Self::Right(_))
    }
}

/// The kernel file and what it is tried as.
#[derive(Debug)]
pub struct Bench<'a> {
    /// The lab.
    pub lab: &'static Lab,
    /// What is asked for.
    pub rubric: &'a Rubric,
    /// The kernel file.
    pub kernel: &'a Path,
    /// What it holds.
    pub source: &'a KernelSource,
    /// What that compiles to.
    pub ptx: &'a str,
    /// What is known of the lab's own kernels.
    pub known: Arc<Known>,
    /// What its kernels print.
    pub printed: Printed,
}

/// The device on which a student's kernels run.
pub fn device() -> DeviceChoice {
    DeviceChoice::Emulated(DEFAULT_PROFILE.into())
}

impl Bench<'_> {
    /// Tries `part`, as far as that is not `swept` already.
    ///
    /// # Errors
    /// What keeps runs from starting or being read.
    pub fn try_part(&self, part: &Part, swept: &Swept) -> Result<Standing> {
        let task = self.task(&part.options, &part.variants);
        let mut rows: Vec<JudgedRow> = Vec::new();
        let mut remarks = Vec::new();
        let mut judged: HashSet<&str> = HashSet::new();
        let mut why_not = None;
        for &size in &task.sizes {
            let grades = judge::judge_at(&task, size, swept)?;
            if let Some(standing) = not_right(part, size, &grades, &self.rubric.kernel) {
                return Ok(standing);
            }
            judged.extend(grades.iter().filter(|grade| grade.mark == Mark::Right).map(|grade| grade.variant));
            why_not = why_not.or_else(|| grades.iter().find_map(why_unjudged));
            // What the largest size counts says most.
            let said: Vec<String> = grades.iter().flat_map(|grade| grade.remarks.clone()).collect();
            remarks = if said.is_empty() { remarks } else { said };
            rows.extend(grades.into_iter().flat_map(|grade| grade.rows));
        }
        // A variant need not take every size, but one of them.
        if !part.variants.iter().all(|variant| judged.contains(variant.as_str())) {
            return Ok(Standing::Unjudged(why_not.unwrap_or_else(|| "it runs at no size".into())));
        }
        let goals = part.goals.iter().filter_map(|goal| missed(goal, self.lab, &rows));
        let instructions = part.instructions.iter().filter_map(|asked| lacked(asked, self.ptx));
        let missed: Vec<Missed> = shirked(part, self.lab, &rows).into_iter().chain(goals).chain(instructions).collect();
        Ok(if missed.is_empty() { Standing::Right(remarks) } else { Standing::Beyond(missed, remarks) })
    }

    /// These variants of the lab with these options, at the sizes that a student knows.
    pub(super) fn task(&self, options: &[String], variants: &[String]) -> Task {
        let is_asked = |name: &&'static str| variants.iter().any(|variant| variant == name);
        let visible: Vec<Option<usize>> = self.rubric.sizes.visible.iter().copied().map(Some).collect();
        Task {
            lab: self.lab,
            kernel: self.kernel.into(),
            source: self.source.clone(),
            choice: device(),
            schedules: SCHEDULES,
            variants: self.lab.variants().iter().map(|variant| variant.name).filter(is_asked).collect(),
            options: options.to_vec(),
            seed: SEED,
            sizes: if visible.is_empty() { vec![None] } else { visible },
            needs_sizes: false,
            hidden: 0,
            limits: LIMITS,
            bounds: Bounds::total(None),
            known: self.known.clone(),
            printed: self.printed.clone(),
        }
    }
}

/// Why the part is not right at this size, if it is not.
fn not_right(part: &Part, size: Option<usize>, grades: &[Grade], file: &str) -> Option<Standing> {
    let names_variants = part.variants.len() > 1;
    let failures_of = |grade: &Grade| {
        let place = |event: &Event| format!("{} in {}:", event.place, grade.variant);
        let named = |event: &Event| Event {
            place: if names_variants { place(event) } else { event.place.clone() },
            ..event.clone()
        };
        grade.failures.iter().map(named).collect::<Vec<Event>>()
    };
    let failures: Vec<Event> = grades.iter().flat_map(failures_of).collect();
    let findings: Vec<Told> = grades.iter().flat_map(|grade| grade.findings.clone()).collect();
    if !(failures.is_empty() && findings.is_empty()) {
        return Some(Standing::Wrong(Wrong { failures, findings, size }));
    }
    let mut missing: Vec<String> = grades.iter().flat_map(Grade::missing).map(str::to_owned).collect();
    if !missing.is_empty() {
        missing.sort_unstable();
        missing.dedup();
        return Some(Standing::Missing(missing));
    }
    if let Some(variant) = part.variants.iter().find(|variant| grades.iter().all(|grade| grade.variant != **variant)) {
        let words = format!("variant `{variant}` does not use {file}: course.toml asks for something else");
        return Some(Standing::Unjudged(words));
    }
    let is_unjudged = |grade: &&Grade| grade.mark == Mark::Unjudged;
    grades.iter().find(is_unjudged).map(|grade| Standing::Unjudged(why_unjudged(grade).unwrap_or_default()))
}

/// What kept a variant from being judged.
fn why_unjudged(grade: &Grade) -> Option<String> {
    grade.unjudged.first().map(|event| format!("{}: {}", event.place, event.what))
}

//! Whether a rubric can be met: the lab's own kernels are run by it, on the emulated device.
use harness::{DEFAULT_PROFILE, DeviceChoice, Lab, Result, Verdict, confine::Limits};
use kernels::KernelSource;

use super::{
    child::Outcome,
    own::{Known, own},
    printed::Printed,
    task::Task,
};
use crate::assignment::{
    drawn,
    rubric::{Part, Rubric},
};

/// What each run may use: somebody waits for it.
const LIMITS: Limits = Limits { seconds: 60, memory: 3 << 30, output: 16 << 20 };

/// What came of it.
#[derive(Debug, Default)]
pub struct Fit {
    /// What no submission can meet.
    pub mistakes: Vec<String>,
    /// What is left out.
    pub notes: Vec<String>,
}

/// A run of the lab's own kernels that a part asks for.
struct Asked<'r> {
    part: &'r Part,
    task: Task,
    variant: &'static str,
    size: Option<usize>,
}

/// Runs the lab's own kernels as each part asks, at each visible size, with the least and with the greatest of the
/// numbers that are drawn.
///
/// # Errors
/// What keeps runs from starting or being read.
pub fn fit(lab: &'static Lab, rubric: &Rubric) -> Result<Fit> {
    let own_file = lab.kernels.iter().find(|file| file.name == rubric.kernel).expect("the rubric fits the lab");
    let all = asked(lab, rubric, own_file);
    let why_not: Vec<Option<String>> =
        harness::parallel(all.len(), |i| why_not(&all[i], &rubric.kernel)).into_iter().collect::<Result<_>>()?;
    let failed: Vec<(&Asked, &String)> =
        all.iter().zip(&why_not).filter_map(|(asked, why)| Some((asked, why.as_ref()?))).collect();
    let ran = |is: &dyn Fn(&Asked) -> bool| all.iter().zip(&why_not).any(|(asked, why)| why.is_none() && is(asked));
    let mut fit = Fit::default();
    for &size in &rubric.sizes.visible {
        let mut here = failed.iter().filter(|(asked, _)| asked.size == Some(size));
        if let Some((_, why)) = here.next().filter(|_| !ran(&|asked| asked.size == Some(size))) {
            fit.mistakes.push(format!("sizes.visible: no part can be tried at n = {size}: {why}"));
        }
    }
    for (asked, why) in failed {
        let Asked { part, task, variant, size } = asked;
        let with = if task.options.is_empty() { String::new() } else { format!(" with {}", task.options.join(" ")) };
        let same = |other: &Asked| {
            other.part.name == part.name && other.variant == *variant && other.task.options == task.options
        };
        let said = if ran(&same) {
            let at = size.map_or("the quick size".into(), |n| format!("n = {n}"));
            let note = format!("part `{}` is not tried at {at}: {variant}{with}: {why}", part.name);
            (&mut fit.notes, note)
        } else {
            (&mut fit.mistakes, format!("part `{}`: the lab's own {variant} cannot be tried{with}: {why}", part.name))
        };
        if !said.0.contains(&said.1) {
            said.0.push(said.1);
        }
    }
    Ok(fit)
}

/// All runs that the rubric asks for.
fn asked<'r>(lab: &'static Lab, rubric: &'r Rubric, own_file: &KernelSource) -> Vec<Asked<'r>> {
    let known = Known::cached();
    let visible: Vec<Option<usize>> = rubric.sizes.visible.iter().copied().map(Some).collect();
    let sizes = if visible.is_empty() { vec![None] } else { visible };
    let mut all = Vec::new();
    for part in &rubric.parts {
        let variants = lab.variants().into_iter().map(|variant| variant.name);
        let variants: Vec<&'static str> = variants.filter(|name| part.variants.iter().any(|v| v == name)).collect();
        for options in drawn::ends(&part.options) {
            let task = Task {
                lab,
                kernel: own_file.path.as_ref().into(),
                source: own_file.clone(),
                choice: DeviceChoice::Emulated(DEFAULT_PROFILE.into()),
                schedules: 1,
                variants: variants.clone(),
                options,
                seed: 1,
                sizes: sizes.clone(),
                needs_sizes: false,
                hidden: 0,
                limits: LIMITS,
                known: known.clone(),
                printed: Printed::default(),
            };
            let runs = variants.iter().flat_map(|variant| sizes.iter().map(move |size| (*variant, *size)));
            all.extend(runs.map(|(variant, size)| Asked { part, task: task.clone(), variant, size }));
        }
    }
    all
}

/// Why no kernel can be right there, if none can: the lab's own does not run, or is wrong.
fn why_not(asked: &Asked, file: &str) -> Result<Option<String>> {
    Ok(match own(&asked.task, asked.variant, asked.size)? {
        Outcome::Ran { rows, .. } => {
            let bad = rows.iter().find(|row| matches!(row.verdict, Verdict::Fail | Verdict::Finding));
            let is_judged = rows.iter().any(|row| row.verdict != Verdict::Skip);
            match (bad, rows.first()) {
                (Some(bad), _) => Some(format!("it fails: {}", bad.note)),
                (None, Some(row)) if !is_judged => Some(row.note.clone()),
                (None, None) => Some("it has no case".into()),
                (None, Some(_)) => None,
            }
        }
        Outcome::Elsewhere => Some(format!("it does not use {file}")),
        Outcome::Refused(why) | Outcome::Failed(why) | Outcome::Unmodelled(why) => Some(why),
    })
}

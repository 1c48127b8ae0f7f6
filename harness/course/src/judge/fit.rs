//! Checks whether a rubric can be met, by running and marking the lab's own kernels on the emulated device.
use harness::{DeviceChoice, JUDGE_PROFILE, Lab, Result, process_limits::Limits};

use super::{
    marks::{
        goal::goal,
        instruction::instruction,
        marked::{Criterion, State},
        work::unshared,
    },
    plan::{JudgeRequest, VariantFacts, plan},
    run::{BaselineCache, Runner},
    verdict::{JudgedRow, reference},
};
use crate::assignment::{
    random_options,
    rubric::{Exercise, Rubric},
};

/// The limits of each run: someone waits for it.
const LIMITS: Limits = Limits { seconds: 60, memory: 3 << 30, output: 16 << 20 };

/// The result of the check.
#[derive(Debug, Default)]
pub struct Fit {
    /// Requirements that no submission can meet.
    pub mistakes: Vec<String>,
    /// Notes on sizes that are left out.
    pub notes: Vec<String>,
}

/// A run of the lab's own kernels that a part requires.
struct RequiredRun<'r> {
    part: &'r Exercise,
    request: JudgeRequest,
    variant: &'static str,
    size: Option<usize>,
    /// Whether the size is hidden: decided only by the seed of a grading.
    is_hidden: bool,
}

/// A requested run with its right rows, or why there are none.
type Came<'r> = (RequiredRun<'r>, std::result::Result<Vec<JudgedRow>, String>);

/// Runs the lab's own kernels as each part asks: with the least and the greatest of the random numbers, at each visible
/// size, and at as many other sizes as are hidden. Then checks what each part requires against their counters and PTX.
///
/// # Errors
/// Why runs cannot be started or read.
pub fn fit(lab: &'static Lab, rubric: &Rubric) -> Result<Fit> {
    let own_file = lab.kernels.iter().find(|file| file.name == rubric.kernel).expect("the rubric fits the lab");
    let baseline = BaselineCache::cached();
    let runner = Runner::of_source(own_file.clone(), own_file.path.as_ref().as_ref(), LIMITS, None, baseline);
    let planned = planned(lab, rubric, &runner)?;
    let outcomes = harness::parallel(planned.len(), |i| {
        let RequiredRun { request, variant, size, .. } = &planned[i];
        runner.own(request, variant, *size)
    });
    let judged = |(required, outcome)| Ok((required, reference(outcome?, &own_file.name)));
    let all: Vec<Came> = planned.into_iter().zip(outcomes).map(judged).collect::<Result<_>>()?;
    let mut fit = answers(rubric, &all);
    for part in &rubric.exercises {
        let here: Vec<&Came> = all.iter().filter(|(asked, _)| asked.part.name == part.name).collect();
        // A kernel with a planted mistake is not a baseline for a fixed one.
        if !here.iter().any(|(asked, _)| asked.request.is_planted(asked.variant)) {
            fit.mistakes.extend(missed(lab, part, &here, &own_file.ptx.text()));
        }
    }
    Ok(fit)
}

/// Lists where the lab's own kernels are not right.
fn answers(rubric: &Rubric, all: &[Came]) -> Fit {
    let ran = |is: &dyn Fn(&RequiredRun) -> bool| all.iter().any(|(asked, came)| came.is_ok() && is(asked));
    // A size that they do not take says nothing about a submission; hidden sizes were not named by anyone.
    let known = all.iter().filter(|(asked, _)| !asked.is_hidden);
    let failed: Vec<(&RequiredRun, &String)> =
        known.filter_map(|(asked, came)| Some((asked, came.as_ref().err()?))).collect();
    let mut fit = Fit::default();
    for &size in &rubric.sizes.visible {
        let mut here = failed.iter().filter(|(asked, _)| asked.size == Some(size));
        if let Some((_, why)) = here.next().filter(|_| !ran(&|asked| asked.size == Some(size))) {
            fit.mistakes.push(format!("sizes.visible: no part can be tried at n = {size}: {why}"));
        }
    }
    for (asked, why) in failed {
        let RequiredRun { part, request, variant, size, .. } = asked;
        let with = with(&request.options);
        let same = |other: &RequiredRun| {
            other.part.name == part.name && other.variant == *variant && other.request.options == request.options
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
    fit
}

fn with(options: &[String]) -> String {
    if options.is_empty() { String::new() } else { format!(" with {}", options.join(" ")) }
}

/// Requirements of a part, besides right answers, that the lab's own kernels miss: a goal in the rows of `here`, or an
/// instruction in `ptx`.
fn missed(lab: &Lab, part: &Exercise, here: &[&Came], ptx: &str) -> Vec<String> {
    let name = &part.name;
    let mut ends: Vec<(&[String], Vec<&JudgedRow>)> = Vec::new();
    for (asked, rows) in here.iter().filter_map(|(asked, came)| Some((asked, came.as_ref().ok()?))) {
        match ends.iter_mut().find(|(options, _)| *options == asked.request.options) {
            Some((_, known)) => known.extend(rows),
            None => ends.push((&asked.request.options, rows.iter().collect())),
        }
    }
    let mut missed = Vec::new();
    for asked in part.goals.iter().filter(|_| !ends.is_empty()) {
        let marks: Vec<(&[String], Criterion)> =
            ends.iter().map(|(options, rows)| (*options, goal(asked, lab, rows))).collect();
        if let Some((options, mark)) = marks.iter().find(|(_, mark)| mark.state == State::Lost) {
            let with = with(options);
            missed.push(format!("part `{name}`: the lab's own kernels miss a goal{with}: {}", mark.words));
        } else if marks.iter().all(|(_, mark)| mark.state == State::Unjudged) {
            let why = &marks[0].1.words;
            missed.push(format!("part `{name}`: no submission can reach the goal of {}: {why}", asked.counter));
        }
    }
    let rows = ends.iter().flat_map(|(_, rows)| rows.iter().copied());
    if let Some(unshared) = unshared(part, lab, rows).first() {
        missed.push(format!("part `{name}`, least_work: the lab's own kernels: {}", unshared.words));
    }
    for mark in part.instructions.iter().map(|asked| instruction(asked, ptx)) {
        if mark.state == State::Lost {
            missed.push(format!("part `{name}`: the lab's own file lacks an instruction: {}", mark.words));
        }
    }
    missed
}

/// Plans all runs that the rubric requires. A variant that does not use the file is a mistake of the rubric, and so
/// each one is planned.
fn planned<'r>(lab: &'static Lab, rubric: &'r Rubric, runner: &Runner) -> Result<Vec<RequiredRun<'r>>> {
    let known = rubric.sizes.known();
    let mut all = Vec::new();
    for part in &rubric.exercises {
        let variants = lab.variants().into_iter().map(|variant| variant.name);
        let variants: Vec<&'static str> = variants.filter(|name| part.variants.iter().any(|v| v == name)).collect();
        for options in random_options::ends(&part.options) {
            let request = JudgeRequest {
                lab,
                variants: variants.clone(),
                options,
                choice: DeviceChoice::Emulated(JUDGE_PROFILE.into()),
                schedules: 1,
                seed: 1,
                sizes: known.clone(),
                needs_sizes: false,
                hidden: rubric.sizes.hidden,
            };
            let facts = harness::parallel(variants.len(), |v| {
                let is_long = request.hidden > 0 && runner.is_long(&request, variants[v])?;
                Ok(VariantFacts { variant: variants[v], uses_file: true, is_long })
            });
            let plan = plan(&request, &facts.into_iter().collect::<Result<Vec<_>>>()?);
            for (index, &size) in plan.sizes.iter().enumerate() {
                let is_hidden = index >= known.len();
                let of = |&variant| RequiredRun { part, request: request.clone(), variant, size, is_hidden };
                all.extend(variants.iter().map(of));
            }
        }
    }
    Ok(all)
}

//! Checks that the labs use the options of the command line: an unused option is rejected, not ignored.
use clap::{ArgMatches, parser::ValueSource};
use record::Record;

use crate::{
    error::{Error, Result},
    lab::{
        declaration::{Lab, Sweep},
        story::{Measure, Scaled, Size},
        variant_filter::VariantFilter,
    },
    options::common::{OptionRole, Options, with_role},
};

/// The labs that the user wants to run.
#[derive(Debug, Clone, Copy)]
pub enum Labs<'l> {
    /// The single lab of its own program.
    Own(&'static Lab),
    /// Each of these labs, by name: one that does not use an option is an error.
    Named(&'l [&'static Lab]),
    /// All of these labs that use the given options.
    All(&'l [&'static Lab]),
}

impl<'l> Labs<'l> {
    /// Returns the labs, in order.
    pub(crate) fn list(&'l self) -> &'l [&'static Lab] {
        match self {
            Self::Own(lab) => std::slice::from_ref(lab),
            Self::Named(labs) | Self::All(labs) => labs,
        }
    }
}

/// The labs that run, and remarks on the choice.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) labs: Vec<&'static Lab>,
    /// The labs that are left out, and why.
    pub(crate) left_out: Vec<String>,
}

/// Returns the labs that use the given options.
///
/// # Errors
/// [`Error::Usage`] with the lab and the option, if a named lab does not use it; or if no lab is left.
pub(crate) fn choose(labs: Labs<'_>, options: &Options, matches: &ArgMatches) -> Result<Chosen> {
    let (all, is_named) = (labs.list(), !matches!(labs, Labs::All(_)));
    let (mut chosen, mut refused) = (Vec::new(), Vec::new());
    for lab in all.iter().copied() {
        match refusal(lab, options, matches) {
            None => chosen.push(lab),
            Some(refusal) => refused.push(refusal),
        }
    }
    match refused.first() {
        Some(Refusal { why, remedy }) if is_named || chosen.is_empty() => Err(Error::usage(format!("{why}; {remedy}"))),
        _ => Ok(Chosen { labs: chosen, left_out: refused.into_iter().map(|refusal| refusal.why).collect() }),
    }
}

/// Why a lab does not support the command line, and what the user can do.
struct Refusal {
    why: String,
    remedy: String,
}

/// Returns why `lab` does not support the command line, if it does not.
fn refusal(lab: &'static Lab, options: &Options, matches: &ArgMatches) -> Option<Refusal> {
    let name = lab.name;
    let refused = |why: String, remedy: String| Some(Refusal { why, remedy });
    if is_set(matches, "exercises") && !lab.has_exercises() {
        let remedy = "leave out --exercises, or choose another lab";
        return refused(format!("lab {name} has no exercises"), remedy.into());
    }
    if let Some(why) = options.predict_n.and_then(|n| lab.no_prediction_for(n)) {
        return refused(format!("--predict-n: {why}"), "leave it out, or name another size or lab".into());
    }
    if options.predict_n.is_some() && sweep(lab, matches).is_some() {
        return refused("--predict-n has no effect on a sweep".into(), "leave one of them out".into());
    }
    let variants = chosen_variants(lab, options);
    let asked = options.variants.join(", ");
    if variants.is_empty() {
        let remedy = format!("`warplab list {name}` shows those that it has");
        return refused(format!("lab {name} has no variant {asked}"), remedy);
    }
    let in_vain = |option: &String| variants.iter().all(|variant| !lab.takes(option, variant));
    let option = given(lab, matches).into_iter().find(in_vain)?;
    let takers: Vec<&str> = lab.variants().into_iter().map(|v| v.name).filter(|v| lab.takes(&option, v)).collect();
    if takers.is_empty() {
        refused(format!("--{option} has no effect on lab {name}"), "leave it out".into())
    } else {
        let remedy = format!("leave it out, or choose from {}", takers.join(", "));
        refused(format!("--{option} has no effect on {asked} of lab {name}"), remedy)
    }
}

/// Returns remarks for options that some of the chosen variants use and others do not.
pub(crate) fn remarks(lab: &'static Lab, options: &Options, matches: &ArgMatches) -> Vec<String> {
    let variants = chosen_variants(lab, options);
    let remark = |option: String| {
        let deaf: Vec<&str> = variants.iter().copied().filter(|variant| !lab.takes(&option, variant)).collect();
        let whose = deaf.join(", ");
        (!deaf.is_empty()).then(|| format!("--{option} has no effect on: {whose}"))
    };
    given(lab, matches).into_iter().filter_map(remark).collect()
}

/// Checks that a lab's rows match the command line.
///
/// # Errors
/// [`Error::Usage`] if a variant that was named has no row, or if no row's variant uses an option that was given: the
/// options exclude each other.
pub(crate) fn check(lab: &'static Lab, options: &Options, matches: &ArgMatches, rows: &[Record]) -> Result<()> {
    let name = lab.name;
    let has_row = |variant: &str| rows.iter().any(|row| row.variant == variant);
    let with = "with these options; leave some of them out";
    let asked = chosen_variants(lab, options).into_iter().filter(|_| !options.variants.is_empty());
    let missing: Vec<&str> = asked.filter(|variant| !has_row(variant)).collect();
    if !missing.is_empty() {
        return Err(Error::usage(format!("no case of {} of lab {name} runs {with}", missing.join(", "))));
    }
    let has_case = |case: &&String| rows.iter().any(|row| row.case == **case);
    if let Some(case) = options.cases.iter().find(|case| !has_case(case)) {
        let none = format!("lab {name} has no case `{case}` {with}");
        return Err(Error::usage(format!("{none}; the CSV's column `case` has the cases' names")));
    }
    if rows.is_empty() {
        return Err(Error::usage(format!("no case of lab {name} runs {with}")));
    }
    let in_vain = |option: &String| rows.iter().all(|row| !lab.takes(option, &row.variant));
    match given(lab, matches).into_iter().find(in_vain) {
        Some(option) => Err(Error::usage(format!("--{option} has no effect on any case of lab {name} {with}"))),
        None => Ok(()),
    }
}

/// Returns the variants that will run, unless the other options exclude them.
fn chosen_variants(lab: &'static Lab, options: &Options) -> Vec<&'static str> {
    lab.variants().into_iter().map(|variant| variant.name).filter(|name| options.chooses(name)).collect()
}

/// Returns the options on the command line that some variants of `lab` may not use.
fn given(lab: &'static Lab, matches: &ArgMatches) -> Vec<String> {
    ignorable(lab).into_iter().filter(|option| is_given(matches, option)).collect()
}

/// Returns the options that some variants of `lab` may not use: those of launches, and the lab's own.
fn ignorable(lab: &Lab) -> Vec<String> {
    let common = with_role(|role| role == OptionRole::Launch).map(String::from);
    common.chain((lab.options)().iter().map(|option| option.get_id().to_string())).collect()
}

/// Whether an option is on the command line, which may not declare it.
pub(crate) fn is_given(matches: &ArgMatches, option: &str) -> bool {
    let is_known = matches.try_contains_id(option).is_ok();
    is_known && matches.value_source(option) == Some(ValueSource::CommandLine)
}

/// Whether the command line chooses cases of the labs, or asks for details of them.
pub(crate) fn ask_for_details(labs: &[&'static Lab], options: &Options, matches: &ArgMatches) -> bool {
    let exercises = ["exercises", "no-exercises"].iter().any(|switch| is_set(matches, switch));
    let details = |lab: &&'static Lab| {
        let sweep = sweep(lab, matches);
        let is_of_sweep = |option: &String| sweep.is_some_and(|sweep| option == sweep.option || option == "n");
        given(lab, matches).iter().any(|option| !is_of_sweep(option))
    };
    let asks = with_role(OptionRole::asks_for_rows).any(|option| is_given(matches, option));
    asks || options.findings == "full" || exercises || labs.iter().any(details)
}

/// Returns the sweep of `lab`, if its switch is on the command line.
pub(crate) fn sweep(lab: &Lab, matches: &ArgMatches) -> Option<Sweep> {
    lab.sweep.filter(|sweep| is_set(matches, sweep.option))
}

/// Whether a switch is on the command line, which may not declare it.
pub(crate) fn is_set(matches: &ArgMatches, switch: &str) -> bool {
    matches.try_get_one::<bool>(switch).ok().flatten().is_some_and(|given| *given)
}

impl Lab {
    /// Returns why the times of the lab's summary cannot be predicted for size `n`, if so.
    pub(crate) fn no_prediction_for(&self, n: usize) -> Option<String> {
        let name = self.name;
        match self.story.map(|story| (story.measure, story.size)) {
            Some((Measure::Time, Size::Scaled(Scaled { from: [_, _, large], .. }))) => (n < large)
                .then(|| format!("lab {name} runs at n = {large}, and predicts times for it or a larger one")),
            _ => Some(format!("lab {name} predicts no times for other sizes than its own")),
        }
    }

    /// Whether `variant` uses `option`.
    pub fn takes(&self, option: &str, variant: &str) -> bool {
        !self.ignored.iter().any(|(options, by)| options.contains(&option) && by.has(variant))
    }

    /// Returns the mistakes in [`Lab::ignored`]: names that the lab does not have. For the labs' tests.
    pub fn unknown_in_ignored(&self) -> Vec<String> {
        let options = ignorable(self);
        let is_variant = |name: &&&str| self.variants().iter().any(|variant| variant.name == **name);
        let mut unknown: Vec<&&str> = Vec::new();
        for (ignored, by) in self.ignored {
            unknown.extend(ignored.iter().filter(|o| !options.iter().any(|known| known == *o)));
            if let VariantFilter::Names(names) | VariantFilter::AllBut(names) = by {
                unknown.extend(names.iter().filter(|name| !is_variant(name)));
            }
        }
        unknown.into_iter().map(ToString::to_string).collect()
    }
}

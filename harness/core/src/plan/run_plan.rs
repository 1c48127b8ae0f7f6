//! The plan of a run: the labs and variants that the command line chooses, and what its options mean for them. It is
//! made before a device is opened, and nothing has run yet.
use clap::{ArgMatches, FromArgMatches};
use kernels::KernelSource;

use crate::{
    device::choice::DeviceChoice,
    error::{Error, Result},
    export::ending::NextSteps,
    lab::{
        declaration::{Lab, Sweep},
        row::Variant,
    },
    options::common::{LabOptions, Options},
    plan::{
        command::{check_variants, own_args, replacement_or_copy},
        predicting,
        unused_options::{self, Chosen, Labs},
    },
    process::role::{Process, Role},
};

/// What a command will run.
#[derive(Debug)]
pub(crate) struct RunPlan<'m> {
    /// The labs that run, in order.
    pub(crate) labs: Vec<PlannedLab>,
    /// The labs that are left out, and why.
    pub(crate) left_out: Vec<String>,
    /// The common options.
    pub(crate) options: Options,
    /// The whole command line, in which the labs' own options are.
    pub(crate) matches: &'m ArgMatches,
    /// The device to run on.
    pub(crate) device: DeviceChoice,
    /// The file of `--kernel`, under the name of the lab's own file that it replaces.
    pub(crate) replaced: Option<KernelSource>,
    /// Whether the program is the lab's own.
    pub(crate) is_own: bool,
    /// Whether the labs are summarised; else all rows are printed.
    pub(crate) has_stories: bool,
}

/// A lab that will run. It makes its cases while it runs, so the plan has variants only.
#[derive(Debug)]
pub(crate) struct PlannedLab {
    pub(crate) lab: &'static Lab,
    /// The chosen variants, in the order of the handout.
    pub(crate) variants: Vec<&'static Variant>,
    /// The lab's options, with their defaults where several labs run.
    pub(crate) options: LabOptions,
    /// The lab's sweep, if its switch is given.
    pub(crate) sweep: Option<Sweep>,
    /// Whether the experiment runs.
    pub(crate) has_experiment: bool,
    /// Whether the checked exercises run.
    pub(crate) has_exercises: bool,
    /// Whether the rows are summarised.
    pub(crate) has_story: bool,
    /// The options that some of the chosen variants do not use, as remarks for the user.
    pub(crate) remarks: Vec<String>,
}

impl<'m> RunPlan<'m> {
    /// Returns the plan of a command line for `labs`.
    ///
    /// # Errors
    /// [`Error::Usage`] for a mistake on the command line, [`Error::Kernel`] when the file of `--kernel` cannot be
    /// read.
    pub(crate) fn new(labs: Labs<'_>, matches: &'m ArgMatches, process: &Process) -> Result<Self> {
        let mut options = Options::from_arg_matches(matches).map_err(|error| Error::usage(error.to_string()))?;
        if let Role::Prediction { part, .. } = &process.role {
            options.accompany(part);
        }
        check_variants(labs, &options)?;
        let is_own = matches!(labs, Labs::Own(_));
        let Chosen { labs, left_out } = unused_options::choose(labs, &options, matches)?;
        if !options.cases.is_empty() && labs.len() > 1 {
            return Err(Error::usage("--case goes with one lab; name it"));
        }
        let replaced = match (&options.kernel, labs.as_slice()) {
            (None, _) => None,
            (Some(file), [lab]) => Some(replacement_or_copy(lab, file, options.kernel_copy.as_deref())?),
            (Some(_), _) => return Err(Error::usage("--kernel goes with one lab; name it")),
        };
        let device = predicting::predicted_device(options.predict.as_deref(), options.device.clone(), matches)?;
        let is_for_people = !(options.writes_data() || options.quiet || options.records.is_some());
        let has_stories =
            process.role.is_whole() && is_for_people && !unused_options::ask_for_details(&labs, &options, matches);
        let planned = |lab: &&'static Lab| PlannedLab::new(lab, &labs, &options, matches, has_stories);
        let labs = labs.iter().map(planned).collect();
        Ok(Self { labs, left_out, options, matches, device, replaced, is_own, has_stories })
    }

    /// Returns the number of variants that will run.
    pub(crate) fn variants(&self) -> usize {
        self.labs.iter().map(|planned| planned.variants.len()).sum()
    }

    /// Returns what the user may do next, if the labs are summarised.
    pub(crate) fn next_steps(&self) -> Option<NextSteps> {
        let known = self.labs.iter().find(|planned| planned.lab.name == "histogram");
        let PlannedLab { lab, sweep, .. } = known.or(self.labs.first()).filter(|_| self.has_stories)?;
        // They are about labs of the program.
        lab.file.is_none().then(|| NextSteps { lab: lab.name, sweep: sweep.map(|sweep| sweep.option) })
    }

    /// Returns the kernel files of the labs that will run.
    pub(crate) fn kernels(&self) -> Vec<&'static KernelSource> {
        self.labs.iter().flat_map(|planned| planned.lab.kernels).collect()
    }
}

impl PlannedLab {
    fn new(
        lab: &'static Lab,
        labs: &[&'static Lab],
        options: &Options,
        matches: &ArgMatches,
        has_stories: bool,
    ) -> Self {
        let is_given = |switch| unused_options::is_set(matches, switch);
        let sweep = unused_options::sweep(lab, matches);
        let has_story = has_stories && lab.story.is_some();
        // The summary of a sweep says what it is about.
        let is_told = has_story && sweep.is_some();
        Self {
            lab,
            variants: lab.variants().into_iter().filter(|variant| options.chooses(variant.name)).collect(),
            options: LabOptions { common: options.clone(), own: own_args(lab, labs, matches) },
            sweep,
            has_experiment: !is_given("exercises"),
            has_exercises: lab.has_exercises() && !is_given("no-exercises"),
            has_story,
            remarks: if is_told { Vec::new() } else { unused_options::remarks(lab, options, matches) },
        }
    }
}

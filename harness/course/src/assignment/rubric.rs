//! A rubric: the exercises of an assignment, and what each is worth. It is a TOML file that a teacher may change.
//! There, and in messages to teachers, an exercise is a `part`.
use std::{collections::HashSet, path::Path};

use harness::{Assignment, Error, Expect, Lab, suggest};
use serde::Deserialize;

use super::{limit::Limit, options, starter::Starter};

/// The most hidden sizes: more would only keep a teacher waiting.
const MOST_HIDDEN: usize = 100;

/// What an assignment asks for, and the points it gives.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rubric {
    /// The lab's name, in a student's folder.
    #[serde(default)]
    pub lab: Option<String>,
    /// One line that names the assignment.
    pub title: String,
    /// The kernel file of the lab that is handed in, such as `histogram.cu`.
    pub kernel: String,
    /// The sizes to try.
    #[serde(default)]
    pub sizes: Sizes,
    /// The exercises, in the order in which they are best solved.
    #[serde(rename = "part")]
    pub exercises: Vec<Exercise>,
}

/// The sizes at which each part is tried.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sizes {
    /// Sizes that a student knows, smallest first.
    pub visible: Vec<usize>,
    /// The number of further sizes, which the seed of a grading decides.
    pub hidden: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { visible: vec![1, 33, 1000], hidden: 2 }
    }
}

impl Sizes {
    /// Returns the sizes that are tried in any case, at least one: `None` stands for the lab's quick sizes.
    pub fn known(&self) -> Vec<Option<usize>> {
        if self.visible.is_empty() { vec![None] } else { self.visible.iter().copied().map(Some).collect() }
    }
}

/// An exercise, which can be solved alone.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exercise {
    /// Its name, as `// [part NAME]` in the kernel file has it.
    pub name: String,
    /// The variants of the lab that are judged: all must be right.
    pub variants: Vec<String>,
    /// Options of the lab for these runs, such as `--stride`; the number in `--x={1..100}` is drawn in each grading.
    #[serde(default)]
    pub options: Vec<String>,
    /// Points for correct answers at every size, visible or hidden, on inputs that are new each time.
    pub right: f64,
    /// The fewest instructions of all threads that can compute the answer, such as `8 * launches * n`; for labs where a
    /// formula gives the answer without that work.
    #[serde(default)]
    pub least_work: Option<Limit>,
    /// The instructions of a warp of a right kernel, where the lab's own has a planted mistake: that is not a measure.
    #[serde(default)]
    pub warp_work: Option<f64>,
    /// Points for a right part in which no check has a finding.
    #[serde(default)]
    pub clean: f64,
    /// Limits on the counters of a right part.
    #[serde(default, rename = "goal")]
    pub goals: Vec<Goal>,
    /// Instructions that the kernels of a right part must contain.
    #[serde(default, rename = "instruction")]
    pub instructions: Vec<Instruction>,
    /// The required speed of a right part, when it is graded on a GPU.
    #[serde(default)]
    pub speed: Option<Speed>,
    /// Hints, the gentlest first.
    #[serde(default)]
    pub hints: Vec<String>,
}

/// A counter and its limit.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Goal {
    /// Points for keeping to it.
    pub points: f64,
    /// A counter, as the CSV's columns name them.
    pub counter: String,
    /// The largest allowed value.
    pub at_most: Limit,
    /// The cases to which it applies, by the beginning of their names; all cases if empty.
    #[serde(default)]
    pub cases: Vec<String>,
    /// Whether the part is about this: without it, the part has half of its points at most.
    #[serde(default)]
    pub required: bool,
    /// The goal in words, for a student.
    pub words: String,
}

/// An instruction that kernels must contain, for techniques that no counter shows.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instruction {
    /// Points for having it.
    pub points: f64,
    /// Words of its name in PTX: `atom.cas` is any compare-and-swap, as `atom.global.cas.b64`.
    pub name: String,
    /// The kernels that must contain it, each of them, directly or in a function that they call.
    pub kernels: Vec<String>,
    /// Whether the part is about this: without it, the part has half of its points at most.
    #[serde(default)]
    pub required: bool,
    /// The goal in words, for a student.
    pub words: String,
}

/// A speed to be reached on a GPU.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Speed {
    /// Points for reaching it.
    pub points: f64,
    /// `ceiling`, or a variant of the lab, measured in the same run.
    pub of: String,
    /// The required fraction of it.
    pub fraction: f64,
    /// The size at which it is measured, in elements. Defaults to the lab's size on a GPU, which may need more host
    /// memory than a run is allowed.
    pub n: Option<u64>,
}

impl Exercise {
    /// The most points it gives when speed is not measured.
    pub fn points(&self) -> f64 {
        let goals = self.goals.iter().map(|goal| goal.points);
        let instructions = self.instructions.iter().map(|asked| asked.points);
        self.right + self.clean + goals.chain(instructions).sum::<f64>()
    }
}

impl Rubric {
    /// Parses the rubric in `text` and checks that it fits `lab`.
    ///
    /// # Errors
    /// The mistakes, one sentence each, with the nearest valid word for a misspelt one.
    pub fn read(text: &str, lab: &'static Lab) -> Result<Self, Vec<String>> {
        let rubric: Self = toml::from_str(text).map_err(|error| vec![in_words(&error)])?;
        let mistakes = rubric.mistakes(lab);
        if mistakes.is_empty() { Ok(rubric) } else { Err(mistakes) }
    }

    /// Returns the lab's own rubric.
    ///
    /// # Errors
    /// [`Error::Usage`] with its mistakes.
    pub fn own(assignment: &Assignment, lab: &'static Lab) -> harness::Result<Self> {
        Self::read(assignment.rubric, lab).map_err(|mistakes| Error::usage(mistakes.join("\n")))
    }

    /// Parses `text`, the rubric in the file `path`.
    ///
    /// # Errors
    /// [`Error::Usage`] with its mistakes, each after the file's path.
    pub fn of_file(path: &Path, text: &str, lab: &'static Lab) -> harness::Result<Self> {
        Self::read(text, lab).map_err(|mistakes| {
            let each: Vec<String> = mistakes.iter().map(|mistake| format!("{}: {mistake}", path.display())).collect();
            Error::usage(each.join("\n"))
        })
    }

    /// Returns `text`, the source of this rubric, with the lab's name at its beginning, as a student's folder has it.
    pub fn with_lab(&self, text: &str, lab: &Lab) -> String {
        if self.lab.is_some() { text.into() } else { format!("lab = \"{}\"\n{text}", lab.name) }
    }

    /// Returns the starter: `cuda`, the lab's own kernel file, without the parts that are asked for.
    ///
    /// # Errors
    /// [`Error::Usage`] for a misplaced marker.
    pub fn starter(&self, cuda: &str) -> harness::Result<Starter> {
        Starter::without(cuda, |name| self.exercises.iter().any(|part| part.name == name)).map_err(Error::usage)
    }

    /// The most points it gives when speed is not measured.
    pub fn points(&self) -> f64 {
        self.exercises.iter().map(Exercise::points).sum()
    }

    /// Lists what does not fit the lab.
    fn mistakes(&self, lab: &'static Lab) -> Vec<String> {
        if let Some(other) = self.lab.as_ref().filter(|name| *name != lab.name) {
            return vec![format!("lab = \"{other}\": this is the rubric of another lab than {}", lab.name)];
        }
        let mut mistakes = Vec::new();
        let mut names = HashSet::new();
        let Some(file) = lab.kernels.iter().find(|file| file.name == self.kernel) else {
            let files: Vec<&str> = lab.kernels.iter().map(|file| &*file.name).collect();
            return vec![format!(
                "kernel = \"{}\": {} has no such kernel file; {}",
                self.kernel,
                lab.name,
                suggest::among(&self.kernel, &files)
            )];
        };
        match Starter::parse(&file.cuda) {
            Err(mistake) => mistakes.push(format!("{}: {mistake}", file.path)),
            Ok(starter) => {
                // A part that the rubric leaves out is handed out solved; a file without any parts is handed out
                // unchanged.
                let marked: Vec<&str> = starter.parts.iter().map(String::as_str).collect();
                let unmarked = |part: &&Exercise| !marked.is_empty() && !marked.contains(&part.name.as_str());
                for part in self.exercises.iter().filter(unmarked) {
                    let known = suggest::among(&part.name, &marked);
                    mistakes.push(format!("{} marks no part `{}`; {known}", file.path, part.name));
                }
            }
        }
        if self.exercises.is_empty() {
            mistakes.push("there is no [[part]]".into());
        }
        for part in &self.exercises {
            if !names.insert(&part.name) {
                mistakes.push(format!("there are two parts called `{}`", part.name));
            }
            part.mistakes(lab, &file.ptx.text(), &mut mistakes);
        }
        if self.sizes.visible.contains(&0) {
            mistakes.push("sizes.visible: a size must be at least 1".into());
        }
        if self.sizes.hidden > MOST_HIDDEN {
            mistakes.push(format!("sizes.hidden: {MOST_HIDDEN} at most, for each part is run at each of them"));
        }
        mistakes
    }
}

impl Exercise {
    fn mistakes(&self, lab: &'static Lab, ptx: &str, mistakes: &mut Vec<String>) {
        let name = &self.name;
        let variants = lab.variants();
        let right: Vec<&str> = variants
            .iter()
            .filter(|variant| matches!(variant.expect, Expect::Right | Expect::Planted(_)))
            .map(|variant| variant.name)
            .collect();
        if let Some(mistake) = options::mistake(&self.options, lab) {
            mistakes.push(format!("part `{name}`, options: {mistake}"));
        }
        if self.variants.is_empty() {
            mistakes.push(format!("part `{name}` judges no variant"));
        }
        let speed = self.speed.iter().map(|speed| &speed.of).filter(|of| *of != "ceiling");
        for variant in self.variants.iter().chain(speed).filter(|variant| !right.contains(&variant.as_str())) {
            mistakes.push(format!(
                "part `{name}`: {} has no variant `{variant}` that is to be right; {}",
                lab.name,
                suggest::among(variant, &right)
            ));
        }
        let counters: Vec<&str> = harness::Counter::ALL.iter().map(|counter| counter.name()).collect();
        for word in self.least_work.iter().flat_map(Limit::names) {
            if let Err(mistake) = Limit::check_name(word, lab) {
                mistakes.push(format!("part `{name}`, least_work: {mistake}"));
            }
        }
        if self.warp_work.is_some_and(|work| !(work >= 1.0 && work.is_finite())) {
            mistakes.push(format!("part `{name}`, warp_work: a warp executes at least 1 instruction"));
        }
        for goal in &self.goals {
            if !counters.contains(&goal.counter.as_str()) {
                let known = suggest::among(&goal.counter, &counters);
                mistakes.push(format!("part `{name}`: there is no counter `{}`; {known}", goal.counter));
            }
            for word in goal.at_most.names() {
                if let Err(mistake) = Limit::check_name(word, lab) {
                    mistakes.push(format!("part `{name}`, goal `{}`: {mistake}", goal.counter));
                }
            }
        }
        let entries = ptx.split(".entry ").skip(1);
        let kernels: Vec<&str> = entries.filter_map(|entry| Some(entry.split_once('(')?.0.trim())).collect();
        for asked in &self.instructions {
            let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            if !asked.name.split('.').all(|word| !word.is_empty() && word.chars().all(is_letter)) {
                mistakes.push(format!(
                    "part `{name}`: `{}` is not the name of an instruction, such as `atom.cas`",
                    asked.name
                ));
            }
            if asked.kernels.is_empty() {
                mistakes.push(format!("part `{name}`, instruction `{}`: kernels = [] names none", asked.name));
            }
            for unknown in asked.kernels.iter().filter(|kernel| !kernels.contains(&kernel.as_str())) {
                let known = suggest::among(unknown, &kernels);
                mistakes.push(format!("part `{name}`, instruction `{}`: no kernel `{unknown}`; {known}", asked.name));
            }
        }
        let instructions = self.instructions.iter().map(|asked| asked.points);
        let goals = self.goals.iter().map(|goal| goal.points);
        let points = [self.right, self.clean].into_iter().chain(goals).chain(instructions);
        let speed = self.speed.iter().map(|speed| speed.points);
        if points.chain(speed).any(|points| !points.is_finite() || points < 0.0) {
            mistakes.push(format!("part `{name}`: points must not be negative"));
        }
        if self.speed.as_ref().is_some_and(|speed| !(speed.fraction > 0.0 && speed.fraction.is_finite())) {
            mistakes.push(format!("part `{name}`: the fraction of a speed must be positive"));
        }
    }
}

/// The parser's message, with the nearest valid key after an unknown one.
fn in_words(error: &toml::de::Error) -> String {
    let text = error.to_string();
    let quoted = |text: &str| text.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let message = error.message();
    if message.starts_with("unknown field")
        && let [unknown, known @ ..] = &quoted(message)[..]
    {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        return format!("{}\n{}", text.trim_end(), suggest::among(unknown, &known));
    }
    // A teacher need not know the names of Rust's types.
    text.trim_end().replace("expected f64", "expected a number").replace("expected usize", "expected a whole number")
}

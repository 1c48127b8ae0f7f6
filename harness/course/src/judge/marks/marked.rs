//! The marks of one submission: the basis of every format, and the JSON that programs exchange.
use serde::{Deserialize, Serialize};

/// The version of the JSON.
pub const SCHEMA: u32 = 1;

/// The marks of a submission.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Marked {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The lab.
    pub lab: String,
    /// The assignment.
    pub title: String,
    /// The path of the submission, as given.
    pub submission: String,
    /// The seed of the inputs and of the hidden sizes; it reproduces the marks.
    pub seed: u64,
    /// The device on which the answers were judged.
    pub device: String,
    /// All sizes tried; `quick` is the lab's own. Students must not see them.
    pub sizes: Vec<String>,
    /// What is wrong with the submission as a whole, if anything: no kernel file, or one that does not compile.
    pub fault: Option<String>,
    /// The compiler's warnings.
    pub warnings: Vec<String>,
    /// Other remarks about the submission, such as a kernel file of another name.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// The exercises, in the rubric's order.
    pub parts: Vec<ExerciseMark>,
    /// The points that were earned.
    pub points: f64,
    /// The most points that could be earned.
    pub of: f64,
}

/// The marks of an exercise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExerciseMark {
    /// Its name.
    pub name: String,
    /// The points that were earned.
    pub points: f64,
    /// The most points that could be earned.
    pub of: f64,
    /// Why some of it could not be judged here, if so: its points are then not final.
    pub unjudged: Option<String>,
    /// The criteria that its points consist of.
    pub criteria: Vec<Criterion>,
}

/// A criterion, for which points are given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Criterion {
    /// What kind of criterion it is.
    pub kind: CriterionKind,
    /// The counter of a goal.
    pub counter: Option<String>,
    /// Whether it is met.
    pub state: State,
    /// The points that were earned.
    pub points: f64,
    /// The most points that could be earned; 0 for what is not measured here.
    pub of: f64,
    /// The reason, in words for a student, which reveal no hidden size.
    pub words: String,
    /// How to raise the points, in words for a student; empty if nothing would.
    pub raise: String,
    /// The speed, as a fraction of the one it is compared with.
    pub measured: Option<f64>,
    /// Details.
    pub details: Vec<Detail>,
}

/// A detail of what happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Detail {
    /// The text, of one or more lines.
    pub text: String,
    /// Whether students must not see it, because it reveals a hidden size.
    pub is_hidden: bool,
}

/// A kind of criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CriterionKind {
    /// Right answers.
    Right,
    /// No findings of any check.
    Clean,
    /// A counter within its limit.
    Goal,
    /// An instruction that must be present.
    Instruction,
    /// A required speed.
    Speed,
}

impl CriterionKind {
    /// The name as one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Clean => "clean",
            Self::Goal => "goal",
            Self::Instruction => "instruction",
            Self::Speed => "speed",
        }
    }
}

/// Whether a criterion is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Met.
    Earned,
    /// Not met.
    Lost,
    /// Not judged here, which says nothing about the submission.
    Unjudged,
    /// Not measured on this device; does not count.
    NotMeasured,
}

impl Criterion {
    /// The details that the words do not contain.
    pub fn further(&self) -> impl Iterator<Item = &Detail> {
        self.details.iter().filter(|detail| !self.words.contains(&detail.text))
    }

    /// Its name in lists: the kind, and the counter of a goal.
    pub fn name(&self) -> String {
        let counter = self.counter.iter().map(|counter| format!(": {counter}"));
        std::iter::once(self.kind.word().to_string()).chain(counter).collect()
    }
}

impl ExerciseMark {
    /// The exercise with these criteria.
    pub fn from_criteria(name: &str, criteria: Vec<Criterion>) -> Self {
        let unjudged = criteria.iter().find(|criterion| criterion.state == State::Unjudged);
        Self {
            name: name.into(),
            points: criteria.iter().map(|criterion| criterion.points).sum(),
            of: criteria.iter().map(|criterion| criterion.of).sum(),
            unjudged: unjudged.map(|criterion| criterion.words.clone()),
            criteria,
        }
    }
}

impl Marked {
    /// Whether every criterion could be judged here, so that the points are final.
    pub fn is_complete(&self) -> bool {
        self.parts.iter().all(|part| part.unjudged.is_none())
    }

    /// Applies `change` to every text that may come from the submission.
    pub(in crate::judge) fn each_text(&mut self, change: &dyn Fn(&mut String)) {
        self.fault.iter_mut().chain(&mut self.warnings).chain(&mut self.remarks).for_each(change);
        for part in &mut self.parts {
            part.unjudged.iter_mut().for_each(change);
            for criterion in &mut part.criteria {
                change(&mut criterion.words);
                change(&mut criterion.raise);
                criterion.details.iter_mut().for_each(|detail| change(&mut detail.text));
            }
        }
    }
}

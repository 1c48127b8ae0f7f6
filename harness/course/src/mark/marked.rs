//! The marks of one submission: what every format shows, and what programs exchange as JSON.
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
    /// The path of what was handed in, as it was given.
    pub submission: String,
    /// The seed of the inputs and of the hidden sizes: with it the same marks come again.
    pub seed: u64,
    /// The device on which the answers were judged.
    pub device: String,
    /// All sizes that were tried; `quick` is the lab's own. They are not for a student's eyes.
    pub sizes: Vec<String>,
    /// What is wrong with the submission as a whole, if something is: no kernel file, or one that does not compile.
    pub fault: Option<String>,
    /// What the compiler warns of.
    pub warnings: Vec<String>,
    /// What else is to be known about what was handed in, such as a kernel file of another name.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// The parts, in the rubric's order.
    pub parts: Vec<PartMark>,
    /// The points that were earned.
    pub points: f64,
    /// The most points that could be earned.
    pub of: f64,
}

/// The marks of a part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartMark {
    /// Its name.
    pub name: String,
    /// The points that were earned.
    pub points: f64,
    /// The most points that could be earned.
    pub of: f64,
    /// Why some of it could not be judged here, if so: its points are then not the last word.
    pub unjudged: Option<String>,
    /// What the points are made of.
    pub criteria: Vec<Criterion>,
}

/// What points are given for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Criterion {
    /// What kind of criterion it is.
    pub kind: Kind,
    /// The counter of a goal.
    pub counter: Option<String>,
    /// Whether it is met.
    pub state: State,
    /// The points that were earned.
    pub points: f64,
    /// The most points that could be earned; 0 for what is not measured here.
    pub of: f64,
    /// Why, in words for a student, which tell no hidden size.
    pub words: String,
    /// What would raise the points, in words for a student; empty if nothing would.
    pub raise: String,
    /// The speed, as a fraction of what it is compared with.
    pub measured: Option<f64>,
    /// What happened in full.
    pub details: Vec<Detail>,
}

/// What happened, in full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Detail {
    /// The text, of one line or several.
    pub text: String,
    /// Whether it is not for a student's eyes, because it tells a hidden size.
    pub is_hidden: bool,
}

/// A kind of criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Right answers.
    Right,
    /// No finding of any check.
    Clean,
    /// A counter within its limit.
    Goal,
    /// An instruction that is there.
    Instruction,
    /// A speed that is reached.
    Speed,
}

impl Kind {
    /// In a word.
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
    /// It is.
    Earned,
    /// It is not.
    Lost,
    /// It could not be judged here, which says nothing about the submission.
    Unjudged,
    /// It is not measured on this device, and does not count.
    NotMeasured,
}

impl Criterion {
    /// What happened in full, as far as the words do not have it.
    pub fn further(&self) -> impl Iterator<Item = &Detail> {
        self.details.iter().filter(|detail| !self.words.contains(&detail.text))
    }

    /// Its name in lists: the kind, and the counter of a goal.
    pub fn name(&self) -> String {
        let counter = self.counter.iter().map(|counter| format!(": {counter}"));
        std::iter::once(self.kind.word().to_string()).chain(counter).collect()
    }
}

impl PartMark {
    /// The part with these criteria.
    pub fn of(name: &str, criteria: Vec<Criterion>) -> Self {
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
    /// Whether every criterion could be judged here, so that the points are the last word.
    pub fn is_complete(&self) -> bool {
        self.parts.iter().all(|part| part.unjudged.is_none())
    }

    /// Changes every text that may come from the submission.
    pub(super) fn each_text(&mut self, change: &dyn Fn(&mut String)) {
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

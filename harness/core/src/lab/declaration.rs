//! The declaration of a lab: its kernels, its table of variants, its columns and options, and the function that runs
//! it.
use std::fmt;

use kernels::KernelSource;
use record::{Column, Columns, Record, column};

use crate::{
    error::Result,
    export::crossovers::Crossovers,
    lab::{
        assignment::Assignment,
        published::Published,
        question::Question,
        row::{Variant, VariantTable},
        run::Run,
        story::Story,
        variant_filter::Ignored,
    },
};

/// A lab, declared once as a `static` in its crate, and run by its own binary and by `warplab`.
///
/// A lab sets the fields that it uses; the rest is `..Lab::DEFAULT`.
pub struct Lab {
    /// The crate's name, and the lab's name in `warplab run`.
    pub name: &'static str,
    /// The file that declares the lab, if it is not part of the program: it names the lab on the command line.
    pub file: Option<&'static str>,
    /// One line for `warplab list`.
    pub summary: &'static str,
    /// The kernel files, each from [`kernels::source!`].
    pub kernels: &'static [KernelSource],
    /// The tables whose rows are the variants, in the order of the handout. `--variant` chooses among them.
    pub variants: &'static [&'static dyn VariantTable],
    /// The lab's own CSV columns, with units in their names; they follow the common ones.
    pub columns: &'static [Column],
    /// Published figures that are shown with the rows; each source's column follows the lab's own columns.
    pub published: &'static [Published],
    /// The lab's own options, added to the common ones: see [`crate::arguments`].
    pub options: fn() -> Vec<clap::Arg>,
    /// Options that some of the variants do not use. To give one that has no effect is an error.
    pub ignored: &'static [Ignored],
    /// For each byte that the lab needs on the device ([`Run::needs`]), the bytes that the host keeps: inputs, copied
    /// outputs, right answers.
    pub host_copies: u64,
    /// The experiment.
    pub run: fn(&Run) -> Result<()>,
    /// Questions that arithmetic answers, one row each, run with the exercises.
    pub questions: fn() -> Vec<Question>,
    /// What a run shows in a few lines.
    pub story: Option<Story>,
    /// The lab's sweep over sizes, if it has one.
    pub sweep: Option<Sweep>,
    /// The lab as an assignment: [`crate::assignment!`].
    pub assignment: Option<Assignment>,
    /// Checked exercises: run after the experiment, or alone with `--exercises`.
    pub exercises: Option<fn(&Run) -> Result<()>>,
}

/// A sweep of a lab over sizes. Its summary takes the place of the lab's story.
#[derive(Debug, Clone, Copy)]
pub struct Sweep {
    /// The lab's own switch that asks for the sweep.
    pub option: &'static str,
    /// Returns the summary of the run's rows.
    pub tell: fn(&Run) -> Crossovers,
}

/// The columns of a lab that has questions.
const QUESTION_COLUMNS: [Column; 3] = [
    column("question", "the question that the row answers"),
    column("expected", "its answer in the text or in the key"),
    column("obtained", "the answer computed here"),
];

impl Lab {
    /// An empty lab, for the fields that a declaration leaves out.
    pub const DEFAULT: Self = Self {
        name: "",
        file: None,
        summary: "",
        kernels: &[],
        variants: &[],
        columns: &[],
        published: &[],
        options: Vec::new,
        ignored: &[],
        host_copies: 1,
        run: |_| Ok(()),
        questions: Vec::new,
        story: None,
        sweep: None,
        assignment: None,
        exercises: None,
    };

    /// Returns the lab's name in `warplab run`.
    pub fn argument(&self) -> &'static str {
        self.file.unwrap_or(self.name)
    }

    /// Whether the lab has kernels of its own, with which others are compared.
    pub fn has_own_kernels(&self) -> bool {
        self.kernels.iter().any(|source| !source.cuda.is_empty())
    }

    /// Returns every variant, in the order of the handout.
    pub fn variants(&self) -> Vec<&'static Variant> {
        self.variants.iter().flat_map(|table| table.variants()).collect()
    }

    /// Returns the columns of the lab's rows. Its own are those that it declares, then those of its published figures
    /// and of its questions.
    pub fn all_columns(&self) -> Columns {
        let mut own = self.columns.to_vec();
        let published = self.published.iter().map(|published| column(published.column, published.source));
        let asks = !(self.questions)().is_empty();
        let questions = QUESTION_COLUMNS.into_iter().filter(|_| asks);
        for column in published.chain(questions) {
            if !own.iter().any(|known| known.name == column.name) {
                own.push(column);
            }
        }
        Columns { lab: self.name, own }
    }

    /// Whether there is anything for `--exercises` to run.
    pub fn has_exercises(&self) -> bool {
        self.exercises.is_some() || !(self.questions)().is_empty()
    }

    /// Returns a record's value in the lab's own column of this name, as a number.
    pub fn number(&self, record: &Record, column: &str) -> Option<f64> {
        self.all_columns().number(record, column)
    }
}

impl fmt::Debug for Lab {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lab").field("name", &self.name).finish_non_exhaustive()
    }
}

//! The rows of a lab's table: each is a variant, with everything that distinguishes it from the others.
use std::ops::Deref;

/// The common fields of every variant: its name, its description, and its expected result.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// Its name in `--variant` and in the CSV.
    pub name: &'static str,
    /// One line; "like the one before, but ..." where that is the clearest description.
    pub summary: &'static str,
    /// The expected result.
    pub expect: Expect,
    /// Whether each case runs in a separate process, because it corrupts its CUDA context.
    pub own_process: bool,
}

/// The expected result of a variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// The right answer.
    Right,
    /// Always a wrong answer, a driver error or a finding; the reason goes to the row's note.
    Wrong(&'static str),
    /// A data race or the like: wrong, or right by luck. It passes in both cases; a finding is reported as expected.
    Racy(&'static str),
    /// A mistake for the reader to fix. The lab's own kernel is wrong, or right by luck, and passes in both cases; a
    /// file that replaces it (`--kernel`) must be right.
    Planted(&'static str),
}

impl Variant {
    /// Returns the expected result in a run of the lab's own kernels, or of a file that replaces them, in which a
    /// planted mistake must have been fixed.
    pub(crate) fn expected(&self, is_replaced: bool) -> Expect {
        match self.expect {
            Expect::Planted(_) if is_replaced => Expect::Right,
            expect => expect,
        }
    }
}

/// A row of a lab's table: the variant, and this lab's own fields (`D`, accessible through the row itself).
///
/// ```
/// use harness::{Row, row};
///
/// #[derive(Clone, Copy)]
/// struct Adding {
///     kernel: &'static str,
/// }
///
/// static ADDING: &[Row<Adding>] = &[
///     row("atomic", "one atomicAdd a thread", Adding { kernel: "add_atomic" }),
///     row("plain", "like atomic, but with +=", Adding { kernel: "add_plain" }).racy("additions get lost"),
/// ];
/// assert_eq!((ADDING[1].name(), ADDING[1].kernel), ("plain", "add_plain"));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Row<D: 'static = ()> {
    /// The common fields of every variant.
    pub variant: Variant,
    /// The lab's own fields.
    pub with: D,
}

/// Returns a row whose answer should be right.
pub const fn row<D: Copy>(name: &'static str, summary: &'static str, with: D) -> Row<D> {
    let variant = Variant { name, summary, expect: Expect::Right, own_process: false };
    Row { variant, with }
}

impl<D: Copy> Row<D> {
    /// Returns the variant's name.
    pub const fn name(&self) -> &'static str {
        self.variant.name
    }

    /// Marks the variant as wrong on purpose: it passes if its answer is wrong, the driver reports an error, or the
    /// machine finds the bug. `reason` describes the bug.
    #[must_use]
    pub const fn wrong(mut self, reason: &'static str) -> Self {
        self.variant.expect = Expect::Wrong(reason);
        self
    }

    /// Marks the variant as wrong on purpose in a way that luck can hide (a race).
    #[must_use]
    pub const fn racy(mut self, reason: &'static str) -> Self {
        self.variant.expect = Expect::Racy(reason);
        self
    }

    /// Marks the variant as wrong on purpose, for the reader to fix: a file given by `--kernel` must be right, and can
    /// be graded.
    #[must_use]
    pub const fn planted(mut self, reason: &'static str) -> Self {
        self.variant.expect = Expect::Planted(reason);
        self
    }

    /// Runs each of its cases in a separate process: a kernel that faults corrupts the context.
    #[must_use]
    pub const fn own_process(mut self) -> Self {
        self.variant.own_process = true;
        self
    }
}

impl<D> Deref for Row<D> {
    type Target = D;

    fn deref(&self) -> &D {
        &self.with
    }
}

/// A table of rows of any type; a lab has one or more.
pub trait VariantTable: Sync {
    /// Returns the variants, in the table's order.
    fn variants(&self) -> Vec<&Variant>;
}

impl<D: Sync, const N: usize> VariantTable for [Row<D>; N] {
    fn variants(&self) -> Vec<&Variant> {
        self.iter().map(|row| &row.variant).collect()
    }
}

impl<D: Sync> VariantTable for &'static [Row<D>] {
    fn variants(&self) -> Vec<&Variant> {
        self.iter().map(|row| &row.variant).collect()
    }
}

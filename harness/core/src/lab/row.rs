//! The rows of a lab's table: each is a variant, with everything that distinguishes it from the others.
use std::ops::Deref;

/// What every variant has: its name, what it is, and whether its answer should be right.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// What `--variant` and the CSV call it.
    pub name: &'static str,
    /// One line; "like the one before, but ..." where that is the clearest description.
    pub summary: &'static str,
    /// Whether its answer should be right.
    pub expect: Expect,
    /// Whether each case runs in its own process, because it ruins its CUDA context.
    pub own_process: bool,
}

/// What a variant should give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// The right answer.
    Right,
    /// A wrong answer, an error of the driver or a finding, always; the reason goes to the row's note.
    Wrong(&'static str),
    /// A data race or the like: wrong, or right by luck. It passes either way; a finding is reported as expected.
    Racy(&'static str),
    /// A mistake for the reader to mend. The lab's own kernel is wrong, or right by luck, and passes either way; a file
    /// that stands in for it (`--kernel`) must be right.
    Planted(&'static str),
}

/// A row of a lab's table: the variant, and what this lab needs to know of it (`D`, whose fields are reached
/// through the row itself).
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
    /// What every variant has.
    pub variant: Variant,
    /// What only this lab's variants have.
    pub with: D,
}

/// A row whose answer should be right.
pub const fn row<D: Copy>(name: &'static str, summary: &'static str, with: D) -> Row<D> {
    let variant = Variant { name, summary, expect: Expect::Right, own_process: false };
    Row { variant, with }
}

impl<D: Copy> Row<D> {
    /// The variant's name.
    pub const fn name(&self) -> &'static str {
        self.variant.name
    }

    /// Wrong on purpose: it passes when its answer is wrong, the driver reports an error, or the machine finds
    /// the bug. `reason` says what is wrong with it.
    #[must_use]
    pub const fn wrong(mut self, reason: &'static str) -> Self {
        self.variant.expect = Expect::Wrong(reason);
        self
    }

    /// Wrong on purpose in a way that luck can hide (a race).
    #[must_use]
    pub const fn racy(mut self, reason: &'static str) -> Self {
        self.variant.expect = Expect::Racy(reason);
        self
    }

    /// Wrong on purpose, and to be mended by the reader: a file given by `--kernel` must be right, and can be graded.
    #[must_use]
    pub const fn planted(mut self, reason: &'static str) -> Self {
        self.variant.expect = Expect::Planted(reason);
        self
    }

    /// Each of its cases runs in its own process: a kernel that faults ruins the context.
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

/// A table of rows, whatever they hold; a lab has one or more.
pub trait Table: Sync {
    /// The variants, in the table's order.
    fn variants(&self) -> Vec<&Variant>;
}

impl<D: Sync, const N: usize> Table for [Row<D>; N] {
    fn variants(&self) -> Vec<&Variant> {
        self.iter().map(|row| &row.variant).collect()
    }
}

impl<D: Sync> Table for &'static [Row<D>] {
    fn variants(&self) -> Vec<&Variant> {
        self.iter().map(|row| &row.variant).collect()
    }
}

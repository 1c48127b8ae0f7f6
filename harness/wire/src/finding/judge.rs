//! The attributes of each kind of finding: whose failure it is, who has to act, and which check finds it. Each kind's
//! row in `kinds!` states them, so a new kind cannot get defaults by accident.

use super::kind::{Blame, FailureOf, FindingKind, Space};
use crate::checks::Check;

impl FailureOf {
    /// The first word of a report, which is different for each of the three.
    pub const fn word(self) -> &'static str {
        match self {
            FailureOf::Program => "error",
            FailureOf::Machine => "not modelled",
            FailureOf::Harness => "harness failure",
        }
    }
}

impl FindingKind {
    /// Whose failure it is.
    pub const fn verdict(&self) -> FailureOf {
        self.judged().verdict
    }

    /// Which part of the program has to change, unless the check that found it says otherwise.
    pub const fn blame(&self) -> Blame {
        self.judged().blame
    }

    /// Which check finds it.
    pub const fn check(&self) -> Check {
        self.judged().check
    }

    /// The memory space concerned, where the kind has one.
    pub const fn space(&self) -> Option<Space> {
        self.judged().space
    }
}

/// The attributes of a kind of finding.
pub(super) struct Judged {
    verdict: FailureOf,
    blame: Blame,
    check: Check,
    space: Option<Space>,
}

/// A mistake in the program: who has to act, which check finds it, and the memory space concerned.
pub(super) const fn program(blame: Blame, check: Check, space: Option<Space>) -> Judged {
    Judged { verdict: FailureOf::Program, blame, check, space }
}

/// A feature that the machine does not model.
pub(super) const fn machine() -> Judged {
    Judged { verdict: FailureOf::Machine, blame: Blame::Nobody, check: Check::Launch, space: None }
}

/// A failure of the machine itself.
pub(super) const fn harness() -> Judged {
    Judged { verdict: FailureOf::Harness, blame: Blame::Nobody, check: Check::Launch, space: None }
}

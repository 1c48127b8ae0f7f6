//! What the lab's own kernels show before a plan is made: which variants use the file, and which take long.
use harness::Error;

use super::{baseline::instructions, outcome::Outcome, runner::Runner};
use crate::judge::plan::{JudgeRequest, VariantFacts, sizes::LONGEST};

/// If the lab's own kernels take more warp instructions than this at n = [`LONGEST`], ten times that n is too large to
/// be tried several times under every check: the work grows with the cube of n (matmul), or does not depend on n.
const LONG: u64 = 100_000;

/// The outcomes of the lab's own kernels at one size.
#[derive(Debug)]
pub struct Survey {
    size: Option<usize>,
    variants: Vec<(VariantFacts, Outcome)>,
}

impl Survey {
    /// What the plan depends on.
    pub fn facts(&self) -> Vec<VariantFacts> {
        self.variants.iter().map(|(facts, _)| *facts).collect()
    }

    /// The outcome of `variant` at this size, if it is known.
    pub(super) fn outcome(&self, variant: &str, size: Option<usize>) -> Option<&Outcome> {
        let known = self.variants.iter().find(|(facts, _)| facts.variant == variant)?;
        (size == self.size).then_some(&known.1)
    }
}

impl Runner {
    /// Runs the lab's own kernels as each variant of the request, at this size.
    ///
    /// # Errors
    /// Why runs cannot be started or read.
    pub fn survey(&self, request: &JudgeRequest, size: Option<usize>) -> Result<Survey, Error> {
        let surveyed = harness::parallel(request.variants.len(), |i| {
            let variant = request.variants[i];
            let own = self.own(request, variant, size)?;
            let uses_file = match own {
                Outcome::Elsewhere => false,
                // If the lab does not take the size, its quick sizes decide.
                Outcome::Refused(_) if size.is_some() => {
                    !matches!(self.own(request, variant, None)?, Outcome::Elsewhere)
                }
                _ => true,
            };
            let is_long = uses_file && request.hidden > 0 && self.is_long(request, variant)?;
            Ok((VariantFacts { variant, uses_file, is_long }, own))
        });
        Ok(Survey { size, variants: surveyed.into_iter().collect::<Result<_, Error>>()? })
    }

    /// Whether sizes above [`LONGEST`] are too much work for the variant.
    ///
    /// # Errors
    /// Why the run cannot be started or read.
    pub fn is_long(&self, request: &JudgeRequest, variant: &'static str) -> Result<bool, Error> {
        Ok(instructions(&self.own(request, variant, Some(LONGEST))?) > LONG)
    }
}

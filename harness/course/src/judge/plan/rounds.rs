//! The rounds of a run: the same kernels again in the same process, with other inputs and options each time, so that an
//! answer that was stored in one round is wrong in the next.
use harness::{DeviceChoice, Inputs};

use super::request::JudgeRequest;
use crate::assignment::random_options::drawn;

/// Rounds of a run on a GPU, and those of a timed run, whose first round does not count.
const ON_A_GPU: u32 = 3;
const TIMED: u32 = 5;

/// A round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// The seed of its inputs.
    pub seed: u64,
    /// The options of the lab, with the random ones drawn from the seed.
    pub options: Vec<String>,
}

impl JudgeRequest {
    /// The rounds of a judged run: on the emulated device one for each order of warps and blocks, and at least two.
    pub fn rounds(&self) -> Vec<Round> {
        self.first_rounds(self.orders().map_or(ON_A_GPU, |orders| orders.max(2)))
    }

    /// The rounds of a timed run.
    pub fn timed_rounds(&self) -> Vec<Round> {
        self.first_rounds(TIMED)
    }

    /// The only round of the lab's own kernels.
    pub fn own_round(&self) -> Round {
        Round { seed: self.seed, options: drawn(&self.options, self.seed) }
    }

    /// The number of orders of warps and blocks to try; `None` on a GPU, where the hardware decides.
    pub fn orders(&self) -> Option<u32> {
        matches!(self.choice, DeviceChoice::Emulated(_)).then_some(self.schedules)
    }

    /// The first round is that of the lab's own kernels; each further round has a seed derived from the request's.
    fn first_rounds(&self, count: u32) -> Vec<Round> {
        let further = |number: u32| {
            let seed = Inputs::new(self.seed, &format!("round {number}")).u32(1, 0..u32::MAX)[0].into();
            Round { seed, options: drawn(&self.options, seed) }
        };
        std::iter::once(self.own_round()).chain((2..=count).map(further)).collect()
    }
}

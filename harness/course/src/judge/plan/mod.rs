//! The first step: the list of runs that a judgement consists of. A plan depends on the request and on what is known of
//! the lab's own kernels, and starts nothing.
pub mod request;
mod rounds;
pub mod sizes;
#[cfg(test)]
mod tests;
mod timings;

pub use request::JudgeRequest;
pub use rounds::Round;
pub use timings::{PlannedTiming, timings};

/// What is known of a variant from the runs of the lab's own kernels, before the plan is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VariantFacts {
    /// The variant.
    pub variant: &'static str,
    /// Whether it uses the kernel file that is replaced.
    pub uses_file: bool,
    /// Whether large sizes are too much work.
    pub is_long: bool,
}

/// A run: the file's kernels in place of the lab's own, as one variant at one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedRun {
    /// The variant.
    pub variant: &'static str,
    /// `None` stands for the lab's quick sizes.
    pub size: Option<usize>,
    /// Whether the size is hidden (not known beforehand).
    pub is_hidden: bool,
}

/// All runs of a judgement.
#[derive(Debug, Clone)]
pub struct Plan<'r> {
    /// The request.
    pub request: &'r JudgeRequest,
    /// The rounds of each run.
    pub rounds: Vec<Round>,
    /// The number of orders of warps and blocks in each run; `None` on a GPU.
    pub orders: Option<u32>,
    /// The variants, in the request's order. One that does not use the file is left out.
    pub variants: Vec<&'static str>,
    /// The sizes: the known ones, then the hidden ones.
    pub sizes: Vec<Option<usize>>,
    /// The runs. Those of a wave run in parallel, and the next wave begins when they have ended: a variant that took
    /// too long at the first size is not tried at larger ones.
    pub waves: Vec<Vec<PlannedRun>>,
}

impl Plan<'_> {
    /// All runs, in the order in which they begin.
    pub fn runs(&self) -> impl Iterator<Item = &PlannedRun> {
        self.waves.iter().flatten()
    }
}

/// Plans each variant that uses the file at the first known size, then at the other known sizes, then at the hidden
/// ones.
pub fn plan<'r>(request: &'r JudgeRequest, facts: &[VariantFacts]) -> Plan<'r> {
    let (first, rest) = request.sizes.split_at(1);
    let hidden = hidden_sizes(request, facts);
    of_waves(request, facts, &[(first, false), (rest, false), (&hidden, true)])
}

/// Plans each variant that uses the file at a single, known size.
pub fn plan_at<'r>(request: &'r JudgeRequest, size: Option<usize>, facts: &[VariantFacts]) -> Plan<'r> {
    of_waves(request, facts, &[(&[size], false)])
}

/// The sizes drawn from the seed; small ones if a variant that uses the file takes long.
pub fn hidden_sizes(request: &JudgeRequest, facts: &[VariantFacts]) -> Vec<Option<usize>> {
    let is_long = facts.iter().any(|facts| facts.uses_file && facts.is_long);
    let known = request.sizes.iter().flatten().max().copied().unwrap_or_default();
    sizes::hidden(request.seed, request.hidden, is_long, known).into_iter().map(Some).collect()
}

/// The plan whose waves have these sizes, each hidden or not.
fn of_waves<'r>(request: &'r JudgeRequest, facts: &[VariantFacts], waves: &[(&[Option<usize>], bool)]) -> Plan<'r> {
    let variants: Vec<&'static str> = facts.iter().filter(|facts| facts.uses_file).map(|facts| facts.variant).collect();
    let wave = |(sizes, is_hidden): &(&[Option<usize>], bool)| {
        let at = |variant| sizes.iter().map(move |&size| PlannedRun { variant, size, is_hidden: *is_hidden });
        variants.iter().copied().flat_map(at).collect()
    };
    Plan {
        request,
        rounds: request.rounds(),
        orders: request.orders(),
        sizes: waves.iter().flat_map(|(sizes, _)| sizes.iter().copied()).collect(),
        waves: waves.iter().map(wave).collect(),
        variants,
    }
}

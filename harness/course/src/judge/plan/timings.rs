//! The timed runs of an exercise on a GPU.
use crate::assignment::rubric::Exercise;

/// A timed run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedTiming {
    /// The variant.
    pub variant: String,
    /// Whether the lab's own kernels run, with which the file's are compared.
    pub is_own: bool,
    /// The size; `None` for the size at which the lab is measured.
    pub n: Option<u64>,
}

/// Plans a timed run of each variant of the exercise, and then of the variant that its speed is a fraction of; empty if
/// no speed is required.
pub fn timings(exercise: &Exercise) -> Vec<PlannedTiming> {
    let Some(speed) = &exercise.speed else { return Vec::new() };
    let of = (speed.of != "ceiling").then_some((&speed.of, true));
    let mine = exercise.variants.iter().map(|variant| (variant, false));
    let timing = |(variant, is_own): (&String, bool)| PlannedTiming { variant: variant.clone(), is_own, n: speed.n };
    mine.chain(of).map(timing).collect()
}

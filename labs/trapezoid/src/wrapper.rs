//! The wrapper, timed as in the text: by the host's clock, over many runs, with the sum in managed memory.
use std::time::Instant;

use harness::{Recorder, Result, Run};

/// The number of runs of the wrapper: `--samples`, but at least the text's 50; 100 by default; and 1 where times mean
/// nothing.
pub(crate) fn runs(run: &Run) -> u32 {
    if run.is_emulated() { 1 } else { run.options().samples.map_or(100, |samples| samples.max(50)) }
}

/// Milliseconds of each of `runs` runs of `body`, after one that is not counted.
pub(crate) fn time(runs: u32, mut body: impl FnMut() -> Result<()>) -> Result<Vec<f64>> {
    if runs > 1 {
        body()?;
    }
    let one = |_| {
        let start = Instant::now();
        body()?;
        Ok(start.elapsed().as_secs_f64() * 1e3)
    };
    (0..runs).map(one).collect()
}

/// Sets the wrapper's columns from its times.
pub(crate) fn columns(case: &mut Recorder<'_>, samples: &[f64]) {
    let times = harness::times(samples, 0);
    case.set("wrapper_runs", samples.len());
    case.set("wrapper_min_ms", times.map(|times| times.min));
    case.set("wrapper_median_ms", times.map(|times| times.median));
    case.set("wrapper_mean_ms", times.map(|times| times.mean));
}

//! The wrapper, timed as in the text: by the host's clock, over many runs, with the sum in managed memory.
use std::time::{Duration, Instant};

use harness::{Recorder, Result, Run};

/// The number of runs in the text.
const LEAST: usize = 50;

/// The time after which no more than [`LEAST`] runs are made, unless their number was given.
const ENOUGH: Duration = Duration::from_millis(300);

/// The number of timed runs of the wrapper.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Runs {
    least: usize,
    most: usize,
}

impl Runs {
    /// Exactly this number, however long they take.
    pub(crate) const fn exactly(runs: usize) -> Self {
        Self { least: runs, most: runs }
    }

    /// The runs of the wrapper: `--samples`, but at least [`LEAST`]; by default 100, or fewer if they take long; and 1
    /// if times have no meaning.
    pub(crate) fn from_run(run: &Run) -> Self {
        match run.options().samples {
            _ if run.is_emulated() => Self::exactly(1),
            Some(samples) => Self::exactly(LEAST.max(samples as usize)),
            None => Self { least: LEAST, most: 2 * LEAST },
        }
    }
}

/// Milliseconds of each of `runs` runs of `body`, after one that is not counted.
pub(crate) fn time(runs: Runs, mut body: impl FnMut() -> Result<()>) -> Result<Vec<f64>> {
    if runs.most > 1 {
        body()?;
    }
    let (began, mut times) = (Instant::now(), Vec::new());
    while times.len() < runs.least || (times.len() < runs.most && began.elapsed() < ENOUGH) {
        let start = Instant::now();
        body()?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(times)
}

/// Sets the wrapper's columns from its times.
pub(crate) fn columns(case: &mut Recorder<'_>, samples: &[f64]) {
    let times = harness::times(samples, 0);
    case.set("wrapper_runs", samples.len());
    case.set("wrapper_min_ms", times.map(|times| times.min));
    case.set("wrapper_median_ms", times.map(|times| times.median));
    case.set("wrapper_mean_ms", times.map(|times| times.mean));
}

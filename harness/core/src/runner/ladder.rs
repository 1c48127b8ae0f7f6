//! The predicted times of a story's ladder: companion runs of its rows alone, on the emulated device, at the sizes that
//! the story names.
use std::rc::Rc;

use clap::FromArgMatches;
use predict::{
    GpuModel, Prediction,
    scaling::{self, Counted},
    transfer::{self, Moved, Transfer},
};
use record::Record;

use crate::{
    error::{Error, Result},
    lab::{
        declaration::Lab,
        story::{Predicted, Rung, Scaled, Size, Story},
    },
    options::common::{LabOptions, Options},
    plan::command::command,
};

/// Returns the options with which the rows of a ladder run at size `n`: those of the whole run, but with one sample of
/// each row, and without checks.
///
/// # Errors
/// [`Error::Usage`] when the lab has no such options: a mistake in its story.
fn companion(lab: &'static Lab, story: &Story, n: Option<usize>, whole: &Options) -> Result<LabOptions> {
    let mut words: Vec<String> = ["--samples", "1", "--check", "none", "--quiet"].map(String::from).into();
    let variants: Vec<&str> = story.ladder.iter().map(|rung| rung.variant).collect();
    let first = |i: usize| !variants[..i].contains(&variants[i]);
    words.extend((0..variants.len()).filter(|i| first(*i)).flat_map(|i| ["--variant".into(), variants[i].into()]));
    if lab.has_exercises() {
        words.push("--no-exercises".into());
    }
    words.extend(n.into_iter().flat_map(|n| ["--n".into(), n.to_string()]));
    words.extend(story.options.iter().map(ToString::to_string));
    let parsed = command(lab).no_binary_name(true).try_get_matches_from(words);
    let own = parsed.map_err(|error| Error::usage(format!("the story of lab {}: {error}", lab.name)))?;
    let options = Options::from_arg_matches(&own).map_err(|error| Error::usage(error.to_string()))?;
    Ok(LabOptions { common: Options { seed: whole.seed, device: whole.device.clone(), ..options }, own })
}

/// Returns the predicted time of each rung of the story's ladder on `part`. `run` runs a companion.
///
/// # Errors
/// Those of `run`, and [`Error::Usage`] for a mistake in the story.
pub(crate) fn predicted(
    lab: &'static Lab,
    story: &Story,
    part: &GpuModel,
    whole: &Options,
    mut run: impl FnMut(LabOptions) -> Result<Rc<[Record]>>,
) -> Result<Vec<Predicted>> {
    let mut rows = |n| run(companion(lab, story, n, whole)?);
    match story.size {
        Size::Own => {
            let rows = rows(None)?;
            Ok(story.ladder.iter().map(|rung| at_own_size(*rung, &rows)).collect())
        }
        Size::Given(n) => {
            let rows = rows(Some(n))?;
            Ok(story.ladder.iter().map(|rung| at_own_size(*rung, &rows)).collect())
        }
        Size::Scaled(scaled) => {
            let scaled = Scaled { to: whole.predict_n.unwrap_or(scaled.to), ..scaled };
            let [small, middle, large] = scaled.from;
            let runs = [rows(Some(small))?, rows(Some(middle))?, rows(Some(large))?];
            Ok(story.ladder.iter().map(|rung| at_size(*rung, &runs, scaled, part)).collect())
        }
    }
}

/// Returns the predicted time of a rung for its row's own size.
fn at_own_size(rung: Rung, rows: &[Record]) -> Predicted {
    let row = rung.row(rows);
    let time = row.ok_or_else(|| "no such row".to_owned()).and_then(|row| {
        let all = row.predicted.as_ref().and_then(|predicted| predicted.in_all.as_ref());
        all.map(interval).ok_or_else(|| why_not(row))
    });
    Predicted { time, n: row.and_then(|row| row.n), why: String::new() }
}

/// Returns the predicted time of a rung at another size than those of these runs; or for the largest of them, if its
/// counts do not grow in a straight line.
fn at_size(rung: Rung, runs: &[Rc<[Record]>; 3], scaled: Scaled, part: &GpuModel) -> Predicted {
    let rows = runs.each_ref().map(|rows| rung.row(rows));
    let own = || at_own_size(rung, &runs[2]);
    let [Some(small), Some(middle), Some(large)] = rows.map(|row| row.and_then(|row| row.predicted.as_ref())) else {
        return own();
    };
    if large.in_all.is_none() {
        return own();
    }
    let predicted = [small, middle, large];
    let (sizes, to) = (scaled.from.map(|n| n as f64), scaled.to as f64);
    let counted = [0, 1, 2].map(|i| Counted { n: sizes[i], launches: &predicted[i].launches });
    let launches = match scaling::scaled(counted, to, scaled.powers) {
        Ok(launches) => launches,
        Err(why) => return Predicted { why: why.to_string(), ..own() },
    };
    let Ok(kernels) = predict::sequence_time(&launches, part) else {
        return own();
    };
    let all = match moved(predicted, sizes, to) {
        Some(transfer) => transfer::with(&kernels, transfer, part),
        None => kernels,
    };
    Predicted { time: Ok(interval(&all)), n: Some(scaled.to as u64), why: String::new() }
}

/// Returns what is moved between host and device at size `n`: bytes grow with n, and the number of copies stays.
fn moved(predicted: [&record::Predicted; 3], sizes: [f64; 3], n: f64) -> Option<Transfer> {
    let [_, middle, large] = predicted.map(|predicted| predicted.transfer);
    let (middle, large) = (middle?.moved, large?);
    let at = |low: f64, high: f64| low + (high - low) * (n - sizes[1]) / (sizes[2] - sizes[1]);
    let to_device = at(middle.to_device, large.moved.to_device);
    let to_host = at(middle.to_host, large.moved.to_host);
    Some(Transfer { moved: Moved { to_device, to_host, ..large.moved }, ..large })
}

fn interval(prediction: &Prediction) -> (f64, (f64, f64)) {
    (prediction.ms, (prediction.low_ms, prediction.high_ms))
}

/// Returns why a row has no predicted time.
fn why_not(row: &Record) -> String {
    let not = row.predicted.as_ref().and_then(|predicted| predicted.not_predicted.clone());
    not.unwrap_or_else(|| match row.note.as_str() {
        "" => "nothing that it launches is timed".into(),
        note => note.into(),
    })
}

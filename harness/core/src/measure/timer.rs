//! A benchmark framework that replaces the harness's own plan: it decides the number of samples of a case.
use std::{cell::RefCell, time::Duration};

use crate::error::Result;

/// The timed case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timed {
    /// The case: its variant, its label and its size, if it has them.
    pub case: String,
    /// Bytes that one sample moves.
    pub bytes: Option<u64>,
    /// The GPU's name, or `emulated:PROFILE`.
    pub device: String,
    /// Whether the device is emulated: the times are then the emulation's, and yield no rates.
    pub is_emulated: bool,
}

/// Takes this many samples, and returns their total time: by CUDA events, or by the host's clock if the lab measures
/// that.
pub type Samples<'s> = dyn FnMut(u64) -> Duration + 's;

type Timer = Box<dyn FnMut(&Timed, &mut Samples<'_>)>;

thread_local! {
    static TIMER: RefCell<Option<Timer>> = const { RefCell::new(None) };
}

/// Runs `body`, for example [`crate::run_labs`], with `timer` in charge of the samples of each case that runs on this
/// thread. Cases that are wrong on purpose, or that need a separate process, are left out.
///
/// Outputs are poisoned before each sample, and checked after the last sample of each batch that the timer requests. A
/// case for which the timer requests no samples is run once.
pub fn timed_by<T>(timer: impl FnMut(&Timed, &mut Samples<'_>) + 'static, body: impl FnOnce() -> T) -> T {
    /// Resets the timer, even if `body` panics.
    struct ResetTimer;
    impl Drop for ResetTimer {
        fn drop(&mut self) {
            TIMER.with_borrow_mut(Option::take);
        }
    }
    TIMER.set(Some(Box::new(timer)));
    let _ended = ResetTimer;
    body()
}

/// Whether a timer is set.
pub(crate) fn is_set() -> bool {
    TIMER.with_borrow(Option::is_some)
}

/// If a timer is set, lets it take samples by `one`, which returns a sample's milliseconds and, on request, checks the
/// output. Returns the mean of each batch that the timer requested.
///
/// # Errors
/// The first error of `one`.
pub(crate) fn samples(
    timed: impl FnOnce() -> Timed,
    one: &mut dyn FnMut(bool) -> Result<f64>,
) -> Result<Option<Vec<f64>>> {
    let Some(mut timer) = TIMER.take() else {
        return Ok(None);
    };
    let (mut means, mut failed) = (Vec::new(), None);
    timer(&timed(), &mut |count| {
        let mut batch = || (1..=count).map(|at| one(at == count)).sum::<Result<f64>>();
        // After an error there is nothing to time, but the framework would divide by a time of 0.
        let total = if failed.is_none() { batch().map_err(|error| failed = Some(error)).ok() } else { None };
        means.extend(total.map(|ms| ms / count as f64));
        Duration::from_secs_f64(total.unwrap_or_default() / 1e3).max(Duration::from_nanos(1))
    });
    TIMER.set(Some(timer));
    match failed {
        Some(error) => Err(error),
        None if means.is_empty() => one(true).map(|ms| Some(vec![ms])),
        None => Ok(Some(means)),
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, rc::Rc};

    use super::*;
    use crate::error::Error;

    fn timed() -> Timed {
        Timed { case: "a".into(), bytes: None, device: "emulated:a100".into(), is_emulated: true }
    }

    #[test]
    fn the_timer_gets_the_time_of_its_batches_and_their_last_outputs_are_checked() {
        let (told, seen) = (Rc::new(Cell::new(Duration::ZERO)), Rc::new(Cell::new(0)));
        let (tell, see) = (told.clone(), seen.clone());
        let timer = move |timed: &Timed, take: &mut Samples<'_>| {
            assert_eq!(timed.case, "a");
            tell.set(take(3) + take(1));
            see.set(see.get() + 1);
        };
        let mut checked = Vec::new();
        let mut one = |check: bool| {
            checked.push(check);
            Ok(if checked.len() < 4 { 2.0 } else { 5.0 })
        };
        assert_eq!(timed_by(timer, || samples(timed, &mut one)).unwrap(), Some(vec![2.0, 5.0]));
        assert_eq!((told.get(), seen.get()), (Duration::from_millis(11), 1));
        assert_eq!(checked, [false, false, true, true]);
        assert!(!is_set(), "the timer's charge ends with the body");
        assert_eq!(samples(timed, &mut |_| unreachable!("no timer is in charge")).unwrap(), None);
    }

    #[test]
    fn a_case_that_the_timer_passes_over_is_run_and_checked_once() {
        let mut checked = Vec::new();
        let mut one = |check: bool| {
            checked.push(check);
            Ok(1.0)
        };
        assert_eq!(timed_by(|_, _| {}, || samples(timed, &mut one)).unwrap(), Some(vec![1.0]));
        assert_eq!(checked, [true]);
    }

    #[test]
    fn an_error_ends_the_samples_but_not_the_timer() {
        let mut calls = 0;
        let mut one = |_| {
            calls += 1;
            Err(Error::skip("no room"))
        };
        let ended = timed_by(
            |_, take| assert!(take(1000) + take(9) > Duration::ZERO),
            || {
                let ended = samples(timed, &mut one);
                assert!(is_set(), "the next case is timed too");
                ended
            },
        );
        assert!(matches!(ended, Err(Error::Skip(_))), "{ended:?}");
        assert_eq!(calls, 1);
    }
}

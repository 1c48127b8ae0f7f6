//! Limits on the judgement of a file as a whole: the time of all its runs, and no larger sizes for a variant that took
//! too long at a smaller one.
use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use harness::process_limits::{Limits, Stopped};

/// A variant with its options.
type VariantKey = (Vec<String>, &'static str);

/// The limits of one judgement, shared by all its requests.
#[derive(Debug, Default)]
pub struct Bounds {
    /// The deadline, and the total time in seconds.
    until: Option<(Instant, u64)>,
    /// The smallest size at which each variant took too long; `None` stands for the lab's quick sizes.
    late: Mutex<BTreeMap<VariantKey, Option<usize>>>,
}

impl Bounds {
    /// The limits of a judgement that begins now and may take `seconds` in total.
    pub fn total(seconds: Option<u64>) -> Self {
        let until =
            seconds.and_then(|seconds| Some((Instant::now().checked_add(Duration::from_secs(seconds))?, seconds)));
        Self { until, ..Self::default() }
    }

    /// Why a run at this size is refused, if it is.
    pub(super) fn refusal(&self, options: &[String], variant: &'static str, size: Option<usize>) -> Option<String> {
        if let Some(words) = self.over() {
            return Some(words);
        }
        let late = *self.late().get(&(options.to_vec(), variant))?;
        let is_larger = late.is_none() || size.is_none() || size > late;
        let at = late.map_or("the quick sizes".into(), |n| format!("n = {n}"));
        is_larger.then(|| format!("not tried: its kernels had not ended in time at {at}"))
    }

    /// The limits of a run that begins now.
    pub(super) fn within(&self, limits: &Limits) -> Limits {
        let left = self.until.map(|(until, _)| until.saturating_duration_since(Instant::now()).as_secs() + 1);
        Limits { seconds: left.map_or(limits.seconds, |left| limits.seconds.min(left)), ..*limits }
    }

    /// Records how a run was stopped. Returns the reason if the total time is over.
    pub(super) fn note(
        &self,
        options: &[String],
        variant: &'static str,
        size: Option<usize>,
        stopped: Option<Stopped>,
    ) -> Option<String> {
        if !matches!(stopped, Some(Stopped::Time(_) | Stopped::Cpu(_))) {
            return None;
        }
        self.late().entry((options.to_vec(), variant)).or_insert(size);
        self.over()
    }

    /// The message that the total time is over, if it is.
    fn over(&self) -> Option<String> {
        let (until, seconds) = self.until?;
        let is_over = Instant::now() >= until;
        is_over
            .then(|| format!("not tried to its end: the grading took longer than {seconds} s in all (--limit-total)"))
    }

    fn late(&self) -> std::sync::MutexGuard<'_, BTreeMap<VariantKey, Option<usize>>> {
        self.late.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_took_too_long_is_not_tried_at_larger_sizes() {
        let bounds = Bounds::total(None);
        let stride = ["--stride".to_string()];
        let refused = |options: &[String], variant, size| bounds.refusal(options, variant, size).is_some();
        assert!(!refused(&[], "a", Some(100)));
        assert_eq!(bounds.note(&[], "a", Some(100), Some(Stopped::Time(3))), None);
        assert_eq!(bounds.note(&[], "b", None, Some(Stopped::Cpu(3))), None);
        assert_eq!(bounds.note(&[], "c", Some(1), Some(Stopped::Memory(3))), None);
        assert_eq!([1, 100, 101].map(|n| refused(&[], "a", Some(n))), [false, false, true]);
        assert!(refused(&[], "b", Some(1)) && !refused(&[], "c", Some(2)) && !refused(&stride, "a", Some(101)));
    }

    #[test]
    fn a_run_has_no_more_time_than_is_left_in_all() {
        let limits = Limits { seconds: 300, memory: 1, output: 1 };
        assert_eq!(Bounds::total(None).within(&limits).seconds, 300);
        assert!(Bounds::total(Some(7)).within(&limits).seconds <= 8);
        let over = Bounds::total(Some(0));
        assert!(over.refusal(&[], "a", None).is_some_and(|words| words.contains("--limit-total")));
        assert!(over.note(&[], "a", None, Some(Stopped::Time(1))).is_some());
        assert_eq!(over.note(&[], "a", None, None), None);
    }
}

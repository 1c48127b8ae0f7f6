//! The advice for managed memory, by page, and the locations of its blocks.

use crate::abi::constants::{advise, device_ordinal};
use crate::abi::error::{Error, Result};

/// The advice for pages of a managed allocation. Locations are ordinals of devices, or [`device_ordinal::CPU`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advised {
    /// Whether the pages are mostly read.
    pub read_mostly: bool,
    /// The preferred location; [`device_ordinal::INVALID`] if there is no advice.
    pub preferred: i32,
    /// The locations that will access the pages.
    pub accessed_by: Vec<i32>,
    /// The target of the last prefetch; [`device_ordinal::INVALID`] if there was none.
    pub last_prefetch: i32,
}

impl Default for Advised {
    fn default() -> Self {
        Advised {
            read_mostly: false,
            preferred: device_ordinal::INVALID,
            accessed_by: Vec::new(),
            last_prefetch: device_ordinal::INVALID,
        }
    }
}

impl Advised {
    /// Stores a piece of advice (`CUmem_advise`); `who` is its location, if it has one.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for unknown advice; the error in `who` if a location is needed.
    pub fn take(&mut self, advice: i32, who: Result<i32>) -> Result {
        match advice {
            advise::SET_READ_MOSTLY => self.read_mostly = true,
            advise::UNSET_READ_MOSTLY => self.read_mostly = false,
            advise::SET_PREFERRED_LOCATION => self.preferred = who?,
            advise::UNSET_PREFERRED_LOCATION => self.preferred = device_ordinal::INVALID,
            advise::SET_ACCESSED_BY => {
                let who = who?;
                if !self.accessed_by.contains(&who) {
                    self.accessed_by.push(who);
                }
            }
            advise::UNSET_ACCESSED_BY => {
                let who = who?;
                self.accessed_by.retain(|known| *known != who);
            }
            _ => return Err(Error::INVALID_VALUE),
        }
        Ok(())
    }

    /// Returns the advice that applies to both sets of pages.
    fn common(mut self, other: &Advised) -> Advised {
        let same = |one: i32, other: i32| if one == other { one } else { device_ordinal::INVALID };
        self.read_mostly &= other.read_mostly;
        self.preferred = same(self.preferred, other.preferred);
        self.last_prefetch = same(self.last_prefetch, other.last_prefetch);
        self.accessed_by.retain(|who| other.accessed_by.contains(who));
        self
    }
}

/// Pages with the same advice: from the end of the previous run up to an address.
#[derive(Debug)]
struct AdvisedRange {
    end: u64,
    advised: Advised,
}

/// The advice for a managed allocation, and the locations of its blocks.
#[derive(Debug)]
pub struct Advice {
    /// The runs in ascending order; the last one ends at [`u64::MAX`], and no two adjacent runs are equal.
    runs: Vec<AdvisedRange>,
    /// Whether each block, by index, is on the device.
    pub on_device: Vec<bool>,
}

impl Default for Advice {
    fn default() -> Self {
        Advice { runs: vec![AdvisedRange { end: u64::MAX, advised: Advised::default() }], on_device: Vec::new() }
    }
}

/// Returns the first run that ends after an address.
fn at(runs: &[AdvisedRange], address: u64) -> usize {
    runs.partition_point(|run| run.end <= address)
}

impl Advice {
    /// Splits a run at an address. Returns the index of the run after it.
    fn split(&mut self, address: u64) -> usize {
        let i = at(&self.runs, address);
        let start = if i == 0 { 0 } else { self.runs[i - 1].end };
        if start == address {
            return i;
        }
        self.runs.insert(i, AdvisedRange { end: address, advised: self.runs[i].advised.clone() });
        i + 1
    }

    /// Changes the advice for the pages from one address up to another.
    ///
    /// # Errors
    /// The errors of `change`, which then has not changed anything.
    pub fn change(&mut self, (start, end): (u64, u64), change: impl Fn(&mut Advised) -> Result) -> Result {
        let first = self.split(start);
        let behind = self.split(end);
        let changed = self.runs[first..behind].iter_mut().try_for_each(|run| change(&mut run.advised));
        // Adjacent runs that have become equal are merged, so that advice page by page does not use more memory.
        let mut i = first.saturating_sub(1);
        for _ in first.saturating_sub(1)..behind {
            if i + 1 < self.runs.len() && self.runs[i].advised == self.runs[i + 1].advised {
                self.runs.remove(i);
            } else {
                i += 1;
            }
        }
        changed
    }

    /// Returns the advice that applies to all pages from one address up to another.
    pub fn query(&self, (start, end): (u64, u64)) -> Advised {
        let (first, last) = (at(&self.runs, start), at(&self.runs, end - 1));
        let rest = self.runs[first..=last].iter().skip(1);
        rest.fold(self.runs[first].advised.clone(), |all, run| all.common(&run.advised))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_for_all_pages_is_what_holds_for_each() {
        let mut advice = Advice::default();
        advice.change((0, 8), |one| one.take(advise::SET_READ_MOSTLY, Ok(0))).unwrap();
        advice.change((4, 12), |one| one.take(advise::SET_ACCESSED_BY, Ok(0))).unwrap();
        let of = |part| {
            let all = advice.query(part);
            (all.read_mostly, all.accessed_by)
        };
        assert_eq!(of((0, 4)), (true, vec![]));
        assert_eq!(of((4, 8)), (true, vec![0]));
        assert_eq!(of((8, 12)), (false, vec![0]));
        assert_eq!(of((0, 12)), (false, vec![]));
        assert_eq!(of((12, 16)), (false, vec![]));
    }

    #[test]
    fn runs_that_become_the_same_are_one() {
        let mut advice = Advice::default();
        for page in 0..1000 {
            advice.change((page * 4, page * 4 + 4), |one| one.take(advise::SET_READ_MOSTLY, Ok(0))).unwrap();
            assert!(advice.runs.len() <= 3, "{:?}", advice.runs);
        }
        advice.change((0, 4000), |one| one.take(advise::UNSET_READ_MOSTLY, Ok(0))).unwrap();
        assert_eq!(advice.runs.len(), 1);
        assert_eq!(advice.change((8, 12), |one| one.take(-1, Ok(0))), Err(Error::INVALID_VALUE));
        assert_eq!(advice.runs.len(), 1);
    }
}

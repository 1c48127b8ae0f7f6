//! The launches that are kept until a client reads the report. An unattended program may launch millions of kernels, so
//! the memory that the kept launches use is bounded.

use std::collections::VecDeque;
use std::mem::size_of;
use wire::Launch;
use wire::counters::{BranchCount, LineCounters};
use wire::finding::SourcePlace;

/// The maximum number of bytes that the kept launches use. The newest launch is kept even if it exceeds this alone.
pub const MOST_BYTES: usize = 64 << 20;

/// The newest launches, as many as fit, and the number of dropped ones.
#[derive(Default)]
pub struct Launches {
    /// Each launch with the bytes that it uses, the oldest first.
    kept: VecDeque<(usize, Launch)>,
    bytes: usize,
    dropped: u64,
}

impl Launches {
    /// Adds a launch, and drops the oldest ones until all fit.
    pub fn add(&mut self, launch: Launch) {
        let bytes = bytes_of(&launch);
        while self.bytes + bytes > MOST_BYTES
            && let Some((freed, _)) = self.kept.pop_front()
        {
            self.bytes -= freed;
            self.dropped += 1;
        }
        self.bytes += bytes;
        self.kept.push_back((bytes, launch));
    }

    /// Returns the number of launches.
    pub fn count(&self) -> u64 {
        self.kept.len() as u64 + self.dropped
    }

    /// Counts `count` launches without keeping them.
    pub fn drop_all(&mut self, count: u64) {
        self.dropped += count;
    }

    /// Returns the number of dropped launches.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Returns the kept launches, the oldest first.
    pub fn into_list(self) -> Vec<Launch> {
        self.kept.into_iter().map(|(_, launch)| launch).collect()
    }
}

/// Returns the memory that a launch's record uses, in bytes.
fn bytes_of(launch: &Launch) -> usize {
    let counters = &launch.counters;
    let places = counters.lines.iter().map(|line| &line.place).chain(counters.branches.iter().map(|b| &b.place));
    size_of::<(usize, Launch)>()
        + launch.kernel.capacity()
        + launch.kernel_name.capacity()
        + counters.lines.capacity() * size_of::<LineCounters>()
        + counters.branches.capacity() * size_of::<BranchCount>()
        + places.map(bytes_behind).sum::<usize>()
}

/// Returns the memory that a place refers to, without the place itself.
fn bytes_behind(place: &SourcePlace) -> usize {
    let callers = &place.inlined_at;
    let names = callers.iter().map(|from| from.file.capacity());
    place.file.capacity() + place.function.capacity() + std::mem::size_of_val(callers.as_slice()) + names.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::counters::{Counters, Totals};

    /// Creates a launch of a kernel with `lines` lines.
    fn launch(number: u32, lines: usize) -> Launch {
        let place = SourcePlace { function: "kernel".repeat(10), file: "kernel.cu".into(), ..SourcePlace::default() };
        let lines = vec![LineCounters { place, totals: Totals::default() }; lines];
        Launch::new("kernel", [number, 1, 1], [32, 1, 1], Counters { lines, ..Counters::default() })
    }

    #[test]
    fn the_newest_launches_that_fit_are_kept_and_the_others_counted() {
        let mut launches = Launches::default();
        for number in 0..2000 {
            launches.add(launch(number, 1000));
            assert!(launches.bytes <= MOST_BYTES);
        }
        let dropped = launches.dropped();
        let kept = launches.into_list();
        let lines: usize = kept.iter().map(|launch| launch.counters.lines.len()).sum();
        assert!(lines * (size_of::<LineCounters>() + 60) <= MOST_BYTES, "{lines} lines");
        assert!(kept.len() > 10, "{}", kept.len());
        assert_eq!(kept.len() as u64 + dropped, 2000);
        assert_eq!(kept.last().unwrap().grid[0], 1999);
    }

    #[test]
    fn a_launch_that_is_too_large_alone_is_kept_until_the_next() {
        let mut launches = Launches::default();
        launches.add(launch(0, 1));
        launches.add(launch(1, 1 + MOST_BYTES / size_of::<LineCounters>()));
        assert_eq!((launches.kept.len(), launches.dropped()), (1, 1));
        launches.add(launch(2, 1));
        assert_eq!((launches.kept.len(), launches.dropped(), launches.kept[0].1.grid[0]), (1, 2, 2));
    }
}

//! The sectors that a warp's texture or surface access needs, and how a device counts them: see
//! [`TextureTraffic`](crate::counters::TextureTraffic) for the rules.

use crate::counters::TextureTraffic;

/// A sector that a lane needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Need {
    lane: usize,
    sector: u64,
    /// Whether it belongs to a fetch that magnifies texels; such a fetch shares no lookup with one that does not.
    magnified: bool,
    /// The number of earlier lanes that need the same element separately.
    round: u32,
}

/// How a device splits an instruction into requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    /// The number of adjacent lanes in a request.
    pub lanes: usize,
    /// The number of those that look sectors up together.
    pub together: usize,
    /// How often each lookup is made.
    pub times: u64,
}

impl Parts {
    /// Splits into requests of `lanes` lanes, each of which looks a sector up once.
    pub fn with_lanes(lanes: usize) -> Parts {
        Parts { lanes, together: lanes, times: 1 }
    }
}

/// The sectors that the lanes of a warp need for an instruction.
#[derive(Default)]
pub(crate) struct Needs(Vec<Need>);

impl Needs {
    /// Adds a sector that a lane needs.
    pub fn add(&mut self, lane: usize, sector: u64, magnified: bool) {
        self.0.push(Need { lane, sector, magnified, round: 0 });
    }

    /// Adds a lane's change of the element at an address, in a sector; it follows the earlier changes of the same
    /// element. A request has `lanes` adjacent lanes.
    pub fn change(&mut self, lane: usize, (sector, address): (u64, u64), (lanes, before): (usize, &[(usize, u64)])) {
        let same = |&&(other, at): &&(usize, u64)| other / lanes == lane / lanes && at == address;
        self.0.push(Need { lane, sector, magnified: false, round: before.iter().filter(same).count() as u32 });
    }

    /// Returns the sectors, each once.
    pub fn distinct(&self) -> Vec<u64> {
        let mut all: Vec<u64> = self.0.iter().map(|need| need.sector).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns the figures of the instruction, which `lanes` lanes execute. `requests` is a fixed number of requests,
    /// whatever the lanes need; if `None`, only groups that need a sector make a request.
    pub fn traffic(&self, lanes: u32, parts: Parts, requests: Option<u64>) -> TextureTraffic {
        let mut groups = 0u32;
        let mut needs: Vec<Need> = Vec::with_capacity(self.0.len());
        for &need in &self.0 {
            groups |= 1 << (need.lane / parts.lanes);
            needs.push(Need { lane: need.lane / parts.together, ..need });
        }
        needs.sort_unstable();
        needs.dedup();
        TextureTraffic {
            instructions: 1,
            lanes: lanes.into(),
            requests: requests.unwrap_or(groups.count_ones().into()),
            sectors: needs.len() as u64 * parts.times,
            distinct_sectors: self.distinct().len() as u64,
        }
    }
}

/// Returns the number of requests that the lanes of a mask make, with `lanes` adjacent lanes each.
pub(crate) fn requests(mask: u32, lanes: usize) -> u64 {
    let part = u32::MAX >> (32 - lanes);
    (0..32).step_by(lanes).filter(|first| mask >> first & part != 0).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the requests, sectors and distinct sectors for these needs.
    fn counted(needs: &[(usize, u64)], parts: Parts) -> (u64, u64, u64) {
        let mut all = Needs::default();
        for &(lane, sector) in needs {
            all.add(lane, sector, false);
        }
        let traffic = all.traffic(needs.len() as u32, parts, None);
        assert_eq!((traffic.instructions, traffic.lanes), (1, needs.len() as u64));
        (traffic.requests, traffic.sectors, traffic.distinct_sectors)
    }

    #[test]
    fn a_request_looks_a_sector_up_once() {
        let row: Vec<_> = (0..32).map(|lane| (lane, lane as u64 / 8)).collect();
        assert_eq!(counted(&row, Parts::with_lanes(8)), (4, 4, 4));
        assert_eq!(counted(&row, Parts::with_lanes(4)), (8, 8, 4));
        let one: Vec<_> = (0..32).map(|lane| (lane, 7)).collect();
        assert_eq!(counted(&one, Parts::with_lanes(8)), (4, 4, 1));
        assert_eq!(counted(&one[8..13], Parts::with_lanes(8)), (1, 1, 1));
        assert_eq!(counted(&one, Parts { together: 2, times: 3, ..Parts::with_lanes(4) }), (8, 48, 1));
        assert_eq!(counted(&[], Parts::with_lanes(8)), (0, 0, 0));
    }

    #[test]
    fn lanes_that_change_one_element_wait_for_each_other() {
        let (mut needs, mut before) = (Needs::default(), Vec::new());
        for lane in 0..16 {
            let address = if lane < 8 { 64 } else { 64 + 4 * (lane as u64 % 2) };
            needs.change(lane, (2, address), (8, &before));
            before.push((lane, address));
        }
        let traffic = needs.traffic(16, Parts::with_lanes(8), Some(requests(0xffff, 8)));
        assert_eq!((traffic.requests, traffic.sectors, traffic.distinct_sectors), (2, 8 + 4, 1));
        assert_eq!([requests(0x0001_0100, 8), requests(0x0001_0100, 4), requests(0x30, 4)], [2, 2, 1]);
    }
}

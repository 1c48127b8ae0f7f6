//! Races between stores to shared memory that nothing has read yet.
//!
//! Where threads store different values to a location that is never read, such as the spare element at the end of a
//! tile for whatever is not wanted, no result depends on their order. So such a race is kept until the location is
//! read, and dropped if the location is overwritten first.

use super::{Event, lanes};
use crate::finding::Finding;
use smallvec::SmallVec;
use std::collections::HashMap;

/// The bytes of the units by which addresses are looked up.
const UNIT: u64 = 8;

/// The maximum number of races that are kept for a block.
const MOST: usize = 4096;

/// The races of a block, and the units of memory in which the stores met.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    races: Vec<Option<Finding>>,
    units: HashMap<u64, Unit>,
}

/// A unit of memory.
#[derive(Debug, Default)]
struct Unit {
    /// The bytes that were stored without order, and neither read nor overwritten since.
    bytes: u8,
    /// The numbers of the races.
    races: SmallVec<[u16; 4]>,
}

/// Returns the units that a lane of an access touches, and which bytes of each.
fn units(event: &Event<'_>, lane: u32) -> impl Iterator<Item = (u64, u8)> {
    let start = event.address.at(lane as usize);
    let end = start.saturating_add(event.size.into());
    (start / UNIT..end.div_ceil(UNIT)).map(move |unit| {
        let from = start.max(unit * UNIT) - unit * UNIT;
        let upto = end.min((unit + 1) * UNIT) - unit * UNIT;
        (unit, ((1u32 << upto) - (1 << from)) as u8)
    })
}

impl Unread {
    /// Returns whether there are none.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// Drops all of them, for a new block.
    pub fn clear(&mut self) {
        self.units.clear();
        self.races.clear();
    }

    /// Keeps a race of the stores of these lanes with earlier stores.
    #[cold]
    pub fn keep(&mut self, event: &Event<'_>, mask: u32, race: Finding) {
        if self.races.len() >= MOST {
            return;
        }
        let number = self.races.len() as u16;
        self.races.push(Some(race));
        for lane in lanes(mask) {
            for (unit, bytes) in units(event, lane) {
                let unit = self.units.entry(unit).or_default();
                unit.bytes |= bytes;
                unit.races.push(number);
            }
        }
    }

    /// Drops the races at the bytes that are overwritten, except where the lanes of `racing` store, again without
    /// order.
    #[cold]
    pub fn overwrite(&mut self, event: &Event<'_>, racing: u32) {
        let kept: SmallVec<[(u64, u8); 4]> = lanes(racing).flat_map(|lane| units(event, lane)).collect();
        for lane in lanes(event.mask & !racing) {
            for (at, bytes) in units(event, lane) {
                let kept = kept.iter().filter(|unit| unit.0 == at).fold(0, |all, unit| all | unit.1);
                if let Some(unit) = self.units.get_mut(&at) {
                    unit.bytes &= kept | !bytes;
                    if unit.bytes == 0 {
                        self.units.remove(&at);
                    }
                }
            }
        }
    }

    /// Returns the races at the bytes that are read, and drops them.
    #[cold]
    pub fn read(&mut self, event: &Event<'_>) -> Vec<Finding> {
        let mut races = Vec::new();
        for lane in lanes(event.mask) {
            for (at, bytes) in units(event, lane) {
                if self.units.get(&at).is_some_and(|unit| unit.bytes & bytes != 0)
                    && let Some(unit) = self.units.remove(&at)
                {
                    races.extend(unit.races.iter().filter_map(|number| self.races[usize::from(*number)].take()));
                }
            }
        }
        races
    }
}

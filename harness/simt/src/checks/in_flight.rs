//! Stores to global memory that are recorded and not yet made.
//!
//! A store is compared with earlier ones before it changes memory, so the value of a store that another worker has just
//! recorded may not be in memory yet. It is kept here.

use super::Addresses;
use super::locks::Locks;
use crate::lane::LANES;

/// The last store of each worker.
#[derive(Debug)]
pub(crate) struct StoresInFlight(Locks<InFlight>);

/// A store of a warp. Slots of two workers share no cache line of the host.
#[derive(Debug, Default)]
#[repr(align(128))]
struct InFlight {
    /// The warp in the grid.
    warp: u32,
    /// The lanes that store.
    mask: u32,
    /// Bytes per lane.
    size: usize,
    address: [u64; LANES],
    /// The registers that are stored one after another, each with its value for every lane.
    registers: Vec<u8>,
    /// Bytes of a register per lane.
    width: usize,
    /// The number of them, from the first, that are stored; 0 if the stored values are not known.
    each: usize,
}

impl InFlight {
    /// Returns whether a lane stores these bytes at this address.
    fn stores(&self, lane: usize, address: u64, bytes: &[u8]) -> bool {
        let before = address.wrapping_sub(self.address[lane]) as usize;
        let is_inside = before < self.size && bytes.len() <= self.size - before;
        if self.mask & (1 << lane) == 0 || self.each == 0 || bytes.is_empty() || !is_inside {
            return false;
        }
        let stored = |at: usize| {
            let register = at / self.each * self.width * LANES;
            self.registers[register + lane * self.width + at % self.each]
        };
        bytes.iter().zip(before..).all(|(byte, at)| *byte == stored(at))
    }
}

impl StoresInFlight {
    /// Creates the empty record of a number of workers.
    pub fn new(workers: usize) -> StoresInFlight {
        // SAFETY: any thread may use them.
        StoresInFlight(unsafe { Locks::new(workers as u64, false) })
    }

    /// Records the store that a worker is about to make. `by` is its warp in the grid and the lanes that store, and
    /// `registers` are the bytes of the registers that each of them stores. The worker's last store has been made, and
    /// is forgotten.
    pub fn begin<'a>(
        &self,
        worker: usize,
        by: (u32, u32),
        size: u32,
        address: Addresses<'_>,
        registers: impl Iterator<Item = &'a [u8]>,
    ) {
        let Some(mut store) = self.0.lock(worker as u64) else {
            return;
        };
        (store.warp, store.mask) = by;
        (store.size, store.address) = (size as usize, address.all());
        store.registers.clear();
        let mut count = 0;
        for register in registers {
            store.width = register.len() / LANES;
            store.registers.extend_from_slice(register);
            count += 1;
        }
        let each = store.size.checked_div(count).unwrap_or(0);
        let is_known = each <= store.width && store.registers.len() == count * store.width * LANES;
        store.each = if is_known { each } else { 0 };
    }

    /// Returns whether a lane of a warp stores these bytes at this address, and may not have done so yet.
    pub fn has(&self, (warp, lane): (u32, u32), address: u64, bytes: &[u8]) -> bool {
        let mut stores = (0..).map_while(|worker| self.0.lock(worker));
        stores.any(|store| store.warp == warp && store.stores(lane as usize, address, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::StoresInFlight;
    use crate::checks::Addresses;
    use crate::lane::LANES;

    /// Two registers of 32 bits, of which each lane stores 16 bits: lane 3 stores 3, 0, 103, 0.
    #[test]
    fn a_lane_stores_its_own_bytes_until_the_next_store() {
        let of = |first: u32| (0..LANES as u32).flat_map(move |lane| (first + lane).to_ne_bytes()).collect::<Vec<u8>>();
        let (one, two) = (of(0), of(100));
        let base = std::array::from_fn(|lane| 0x1000 + 4 * lane as u64);
        let stores = StoresInFlight::new(2);
        let begin = |worker, warp, mask| {
            let registers = [&one[..], &two[..]].into_iter();
            stores.begin(worker, (warp, mask), 4, Addresses::of(&base), registers);
        };
        begin(0, 7, !0);
        begin(1, 8, 1);
        assert!(stores.has((7, 3), 0x100c, &[3, 0, 103, 0]));
        assert!(stores.has((7, 3), 0x100e, &[103, 0]), "a part of it");
        assert!(!stores.has((7, 3), 0x100c, &[3, 0, 104, 0]), "another value");
        assert!(!stores.has((7, 3), 0x100e, &[103, 0, 0, 0]), "more than it stores");
        assert!(!stores.has((7, 3), 0x1010, &[4, 0]) && !stores.has((7, 3), 0x1008, &[2, 0]), "another lane's");
        assert!(!stores.has((6, 3), 0x100c, &[3, 0]), "another warp's");
        assert!(stores.has((8, 0), 0x1000, &[0, 0]) && !stores.has((8, 3), 0x100c, &[3, 0]), "lane 3 does not store");
        begin(0, 9, !0);
        assert!(!stores.has((7, 3), 0x100c, &[3, 0]), "it was made");
    }

    #[test]
    fn what_has_no_values_to_compare_is_never_the_same() {
        let (register, base) = ([5; 4 * LANES], std::array::from_fn(|lane| 0x1000 + 4 * lane as u64));
        let stores = StoresInFlight::new(1);
        let begin = |registers: &[&[u8]]| stores.begin(0, (7, !0), 4, Addresses::of(&base), registers.iter().copied());
        begin(&[&register]);
        assert!(stores.has((7, 3), 0x100c, &[5; 4]) && !stores.has((7, 3), 0x100c, &[]));
        let (whole, half, none) = (&register[..], &register[..2 * LANES], &register[..0]);
        for registers in [vec![], vec![whole, none], vec![none, whole], vec![half]] {
            begin(&registers);
            assert!(!stores.has((7, 3), 0x100c, &[5; 4]), "{:?}", registers.iter().map(|one| one.len()));
        }
    }
}

//! The observer that fills the account.

use super::report::{account, internal, launched};
use super::{leak, misuse, slow};
use crate::state::device::leftover::Leftover;
use crate::state::device::observer::{Direction, Launched, Observer, Place, RefusedLaunch};
use crate::state::memory::managed::HOST_PAGE;
use simt::machine::{Kernel, Progress};
use simt::memory::{AccessError, Allocation, FreeError};
use wire::{Copied, Copies};

/// Returns the counters of the copies in this direction.
fn copies_of(copies: &mut Copies, direction: Direction) -> &mut Copied {
    match direction {
        Direction::HostToDevice => &mut copies.host_to_device,
        Direction::DeviceToHost => &mut copies.device_to_host,
        Direction::DeviceToDevice => &mut copies.device_to_device,
        Direction::HostToHost => &mut copies.host_to_host,
    }
}

/// Records every event of the state in the account.
pub struct Recorder;

impl Observer for Recorder {
    fn launched(&self, launch: Launched<'_>) {
        slow::tell_after(launch.kernel, launch.took);
        launched(launch);
    }

    fn slow(&self, kernel: &Kernel, progress: Progress) {
        slow::tell(kernel, progress);
    }

    fn stopped(&self, kernel: &Kernel, place: &wire::finding::SourcePlace) {
        slow::tell_stopped(kernel, place);
    }

    fn ends(&self) {
        super::exit::tell_interrupted();
    }

    fn refused(&self, launch: RefusedLaunch<'_>) {
        misuse::refused(launch);
    }

    fn copied(&self, direction: Direction, ends: [Place; 2], bytes: u64) {
        account(|account| {
            let copied = copies_of(&mut account.copies, direction);
            copied.count += 1;
            copied.bytes += bytes;
            if ends.contains(&Place::Managed) {
                copied.managed_bytes += bytes;
            } else if ends.contains(&Place::Pageable) {
                copied.pageable_bytes += bytes;
            } else if ends.contains(&Place::Pinned) {
                copied.pinned_bytes += bytes;
            }
        });
    }

    fn filled(&self, bytes: u64) {
        account(|account| {
            account.copies.fill.count += 1;
            account.copies.fill.bytes += bytes;
        });
    }

    fn migrated(&self, direction: Direction, bytes: u64) {
        account(|account| {
            let managed = &mut account.managed;
            let (all, pages) = if direction == Direction::DeviceToHost {
                (&mut managed.to_host_bytes, &mut managed.to_host_pages)
            } else {
                (&mut managed.to_device_bytes, &mut managed.to_device_pages)
            };
            *all += bytes;
            *pages += bytes.div_ceil(HOST_PAGE);
        });
    }

    fn prefetched(&self) {
        account(|account| account.managed.prefetches += 1);
    }

    fn advised(&self) {
        account(|account| account.managed.advice += 1);
    }

    fn bad_access(&self, error: &AccessError) {
        misuse::bad_access(error);
    }

    fn unset(&self, first: u64, unset: u64, bytes: u64) {
        misuse::unset(first, unset, bytes);
    }

    fn early_use(&self, address: u64, allocation: &Allocation, kernel: &str) {
        misuse::early_use(address, allocation, kernel);
    }

    fn wrong_free(&self, error: &FreeError) {
        misuse::wrong_free(error);
    }

    fn left_behind(&self, left: &[Leftover]) {
        leak::tell(left);
    }

    fn unsupported(&self, what: &str) {
        misuse::unsupported(what);
    }

    fn doubtful(&self, what: &str) {
        static SAID: std::sync::Once = std::sync::Once::new();
        SAID.call_once(|| crate::account::speech::say(what));
    }

    fn explained(&self, why: &str) {
        crate::account::speech::say(why);
    }

    fn internal(&self, place: &str, what: &str) {
        internal(place, what);
    }
}

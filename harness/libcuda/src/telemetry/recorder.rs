//! The observer that fills the telemetry.

use super::report::{internal, launched, update};
use super::{leak, misuse, slow};
use crate::state::device::leftover::Leftover;
use crate::state::device::observer::{CopyEnd, Direction, Launched, Observer, RecordedLaunch, RefusedLaunch};
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

/// Records every event of the state in the telemetry.
pub struct Recorder;

impl Observer for Recorder {
    fn launched(&self, launch: Launched<'_>) {
        slow::tell_after(launch.kernel, launch.took);
        launched(launch);
    }

    fn recorded(&self, launch: RecordedLaunch<'_>) {
        super::recording_file::write(launch);
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

    fn copied(&self, direction: Direction, ends: [CopyEnd; 2], bytes: u64) {
        update(|telemetry| {
            let copied = copies_of(&mut telemetry.copies, direction);
            copied.count += 1;
            copied.bytes += bytes;
            if ends.contains(&CopyEnd::Managed) {
                copied.managed_bytes += bytes;
            } else if ends.contains(&CopyEnd::Pageable) {
                copied.pageable_bytes += bytes;
            } else if ends.contains(&CopyEnd::Pinned) {
                copied.pinned_bytes += bytes;
            }
        });
    }

    fn filled(&self, bytes: u64) {
        update(|telemetry| {
            telemetry.copies.fill.count += 1;
            telemetry.copies.fill.bytes += bytes;
        });
    }

    fn migrated(&self, direction: Direction, bytes: u64) {
        update(|telemetry| {
            let managed = &mut telemetry.managed;
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
        update(|telemetry| telemetry.managed.prefetches += 1);
    }

    fn advised(&self) {
        update(|telemetry| telemetry.managed.advice += 1);
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

    fn warn(&self, what: &str) {
        static SAID: std::sync::Once = std::sync::Once::new();
        SAID.call_once(|| crate::telemetry::stderr::say(what));
    }

    fn explain_error(&self, why: &str) {
        crate::telemetry::stderr::say(why);
    }

    fn internal(&self, place: &str, what: &str) {
        internal(place, what);
    }
}

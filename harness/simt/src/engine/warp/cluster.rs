//! The blocks of a cluster. They run on one host thread, in turns, and access each other's shared memory.

use super::block::{Block, Meeting};
use super::{State, Status, Warp};
use std::time::{Duration, Instant};

/// How often in a row the mbarrier waits of a block may time out before the block counts as stuck. A program that
/// counts its attempts gives up earlier.
const MOST_EXPIRED: u32 = 1000;
/// How long these waits may time out if the block's threads read clocks. A program that waits for a time gives up
/// earlier.
const PATIENCE: Duration = Duration::from_secs(1);

impl<'l> Block<'l> {
    /// Returns the barrier of its cluster.
    pub fn meeting(&mut self) -> &mut Meeting {
        if self.cluster.is_lent() { &mut self.cluster.get_mut().meeting } else { &mut self.meeting }
    }

    /// Returns the number of threads of its cluster that have not exited.
    fn live_in_cluster(&self) -> u32 {
        if !self.cluster.is_lent() {
            return self.live;
        }
        let peers = self.cluster.get().blocks.iter().flatten();
        self.live + peers.map(|peer| peer.live).sum::<u32>()
    }

    /// Calls `act` with another block of its cluster. Returns `None` if there is no such block.
    pub fn with_peer<R>(&mut self, rank: u32, act: impl FnOnce(&mut Self, &mut Block<'l>) -> R) -> Option<R> {
        if !self.cluster.is_lent() {
            return None;
        }
        let mut peer = self.cluster.get_mut().blocks.get_mut(rank as usize)?.take()?;
        let result = act(self, &mut peer);
        self.cluster.get_mut().blocks[rank as usize] = Some(peer);
        Some(result)
    }

    /// Records that the running lanes of a warp arrive at the cluster's barrier. Opens it if they are the last.
    pub fn arrive_in_cluster(&mut self, by: &mut Warp<'l>) {
        let meeting = self.meeting();
        if by.met.1 != meeting.phase {
            by.met = (0, meeting.phase);
        }
        let new = by.mask() & !by.met.0;
        by.met.0 |= new;
        meeting.arrived += new.count_ones();
        self.open_in_cluster(by);
    }

    /// Records that lanes of a warp have exited: the cluster's barrier no longer waits for them.
    #[cold]
    pub fn left_cluster(&mut self, by: &mut Warp<'l>) {
        let meeting = self.meeting();
        if by.met.1 == meeting.phase {
            meeting.arrived -= (by.met.0 & !by.live).count_ones();
            by.met.0 &= by.live;
        }
        if meeting.arrived != 0 {
            self.open_in_cluster(by);
        }
    }

    /// Opens the cluster's barrier if all have arrived.
    fn open_in_cluster(&mut self, by: &mut Warp<'l>) {
        let live = self.live_in_cluster();
        let meeting = self.meeting();
        if meeting.arrived < live {
            return;
        }
        let began = by.launch().races.as_ref().map_or(0, |races| races.time.advance());
        *meeting = Meeting { arrived: 0, phase: meeting.phase.wrapping_add(1), began };
        let opens = |state: State| state == State::Cluster;
        self.wake(Some(by), opens);
        if self.cluster.is_lent() {
            for peer in self.cluster.get_mut().blocks.iter_mut().flatten() {
                peer.wake(None, opens);
            }
        }
    }

    /// Records that the mbarrier at an offset in its shared memory has completed a phase. `by` is the warp that
    /// completed it, if it belongs to this block.
    pub fn completed(&mut self, offset: u32, by: Option<&mut Warp<'l>>) {
        self.clock.completed(offset);
        self.wake(by, |state| state == State::Phase(offset) || state == State::Phase(u32::MAX));
    }

    /// Makes the groups in such a state check again what they wait for.
    fn wake(&mut self, by: Option<&mut Warp<'l>>, waits: impl Fn(State) -> bool + Copy) {
        self.expired = 0;
        let others = self.warps.iter_mut().flatten().map(|warp| &mut **warp);
        for warp in others.chain(by) {
            let mut any = false;
            for i in 0..warp.groups.len() {
                if waits(warp.groups[i].state) {
                    warp.groups[i].state = State::Ready;
                    warp.next = warp.next.min(warp.groups[i].pc);
                    any = true;
                }
            }
            if any && warp.status == Status::Blocked {
                warp.status = Status::Ready;
            }
        }
    }

    /// Returns whether one of its warps can run.
    pub fn can_run(&self) -> bool {
        self.warps.iter().flatten().any(|warp| matches!(warp.status, Status::New | Status::Ready))
    }

    /// Times out the block's mbarrier waits, as a device does, since nothing in the block can run. Returns false if
    /// there are no such waits, or if they have timed out too often in a row.
    pub fn expire(&mut self) -> bool {
        let expired = self.expired + 1;
        if expired == 1 {
            self.expired_since = Some(Instant::now());
        }
        let patient = self.timed && self.expired_since.is_some_and(|since| since.elapsed() < PATIENCE);
        if expired > MOST_EXPIRED && !patient {
            return false;
        }
        let waits = |state: State| matches!(state, State::Phase(_));
        let mut any = false;
        for warp in self.warps.iter_mut().flatten() {
            let late = warp.groups.iter().filter(|group| waits(group.state)).fold(0, |mask, group| mask | group.mask);
            warp.late |= late;
            any |= late != 0;
        }
        self.wake(None, waits);
        self.expired = expired;
        any
    }
}

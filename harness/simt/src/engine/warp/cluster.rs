//! The blocks of a cluster. They run on one thread of the host, by turns, and reach each other's shared memory.

use super::block::{Block, Meeting};
use super::{State, Status, Warp};
use std::time::{Duration, Instant};

/// How often in a row the waits at mbarriers of a block may run out before it is taken for stuck. A program that counts
/// its attempts gives up before.
const MOST_EXPIRED: u32 = 1000;
/// How long they may run out if its threads look at clocks. A program that waits for a time gives up before.
const PATIENCE: Duration = Duration::from_secs(1);

impl<'l> Block<'l> {
    /// The barrier of its cluster.
    pub fn meeting(&mut self) -> &mut Meeting {
        if self.cluster.is_lent() { &mut self.cluster.get_mut().meeting } else { &mut self.meeting }
    }

    /// The threads of its cluster that have not exited.
    fn live_in_cluster(&self) -> u32 {
        if !self.cluster.is_lent() {
            return self.live;
        }
        let peers = self.cluster.get().blocks.iter().flatten();
        self.live + peers.map(|peer| peer.live).sum::<u32>()
    }

    /// Calls `act` with another block of its cluster. `None` if there is no such block.
    pub fn with_peer<R>(&mut self, rank: u32, act: impl FnOnce(&mut Self, &mut Block<'l>) -> R) -> Option<R> {
        if !self.cluster.is_lent() {
            return None;
        }
        let mut peer = self.cluster.get_mut().blocks.get_mut(rank as usize)?.take()?;
        let result = act(self, &mut peer);
        self.cluster.get_mut().blocks[rank as usize] = Some(peer);
        Some(result)
    }

    /// Running lanes of a warp arrive at the cluster's barrier. Opens it if they are the last.
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

    /// Lanes of a warp have exited: nobody waits for them at the cluster's barrier.
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

    /// The mbarrier at an offset in its shared memory has completed a phase. `by` is the warp that did it, if it is one
    /// of this block.
    pub fn completed(&mut self, offset: u32, by: Option<&mut Warp<'l>>) {
        self.clock.completed(offset);
        self.wake(by, |state| state == State::Phase(offset) || state == State::Phase(u32::MAX));
    }

    /// The groups whose state is such look again at what they wait for.
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

    /// Whether a warp of it can run.
    pub fn can_run(&self) -> bool {
        self.warps.iter().flatten().any(|warp| matches!(warp.status, Status::New | Status::Ready))
    }

    /// Nothing in the block can run: its waits at mbarriers run out, as they do on a device. Returns false if there are
    /// none, or if that has happened too often in a row.
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

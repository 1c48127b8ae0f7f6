//! Clusters: a worker runs the blocks of a cluster together, in turns.

use super::schedule::{Progress, deadlock, run};
use super::worker::Worker;
use crate::engine::warp::block::{Block, Cluster};
use crate::engine::warp::shared::Shared;
use std::collections::VecDeque;

/// Returns the number in the grid of the block with this rank in a cluster.
pub(super) fn number_of(launch: &Shared<'_>, dims: [u32; 3], cluster: u64, rank: u32) -> u64 {
    let [gx, gy, _] = launch.geometry.grid.map(u64::from);
    let [x, y, z] = dims.map(u64::from);
    let (nx, ny) = (gx / x, gy / y);
    let rank = u64::from(rank);
    let at = [cluster % nx * x + rank % x, cluster / nx % ny * y + rank / x % y, cluster / nx / ny * z + rank / x / y];
    at[0] + gx * (at[1] + gy * at[2])
}

impl<'l> Worker<'l> {
    /// Takes clusters of these dimensions and runs them until none is left, or the launch is stopped.
    pub(super) fn run_clusters(&mut self, dims: [u32; 3]) {
        let size = dims.iter().product::<u32>();
        let room = (self.launch().resident / size as usize).max(1);
        let mut resident: VecDeque<Cluster<'l>> = VecDeque::new();
        let sharing = (self.launch().sharing / size as usize).max(1);
        let (mut batch, mut fruitless, mut fetched) = (0..0, 0, false);
        while !self.stopped() {
            let shares = fetched && resident.len() < sharing && !(batch.is_empty() && self.launch().taken());
            fetched = false;
            if resident.is_empty() || shares || (resident.len() < room && fruitless >= resident.len()) {
                if let Some(number) = self.launch().take(&mut batch) {
                    let blocks = (0..size).map(|rank| {
                        let number = number_of(self.launch(), dims, number, rank);
                        let mut block = self.admit(number);
                        block.rank = rank;
                        Some(block)
                    });
                    resident.push_front(Cluster { blocks: blocks.collect(), ..Cluster::default() });
                } else if resident.is_empty() {
                    break;
                } else {
                    // Other workers' blocks must make progress first.
                    std::thread::yield_now();
                }
                fruitless = 0;
            }
            let Some(mut cluster) = resident.pop_front() else {
                break;
            };
            let progress = self.run_cluster(&mut cluster);
            if matches!(progress, Progress::Yielded | Progress::Fetched) {
                fetched = progress == Progress::Fetched;
                fruitless = if fetched { 0 } else { fruitless + 1 };
                resident.push_back(cluster);
                continue;
            }
            self.put_away(cluster, progress == Progress::Finished);
            fruitless = 0;
            if progress != Progress::Finished {
                break;
            }
        }
        for cluster in resident {
            self.put_away(cluster, false);
        }
    }

    /// Gives each block of a cluster its turn until all have finished, or until none makes progress.
    fn run_cluster(&mut self, cluster: &mut Cluster<'l>) -> Progress {
        loop {
            let (mut left, mut stuck, mut finished, mut fetched) = (0, 0, 0, false);
            for rank in 0..cluster.blocks.len() {
                let Some(mut block) = cluster.blocks[rank].take_if(|block| !block.ended()) else {
                    continue;
                };
                left += 1;
                // SAFETY: the cluster is not used while the block runs, and the loan ends before it is used again.
                unsafe { block.cluster.begin(cluster) };
                let progress = run(&mut block, self);
                block.cluster.end();
                cluster.blocks[rank] = Some(block);
                match progress {
                    Progress::Finished => finished += 1,
                    Progress::Yielded => {}
                    Progress::Fetched => fetched = true,
                    Progress::Stuck => stuck += 1,
                    Progress::Stopped => return Progress::Stopped,
                }
            }
            if left == finished {
                return Progress::Finished;
            }
            if fetched {
                return Progress::Fetched;
            }
            if stuck == left {
                let blocks = || cluster.blocks.iter().flatten().filter(|block| !block.ended());
                if blocks().any(|block| block.can_run()) {
                    // A block that ran later in the round has woken an earlier one.
                    continue;
                }
                let mut any = false;
                for block in cluster.blocks.iter_mut().flatten().filter(|block| !block.ended()) {
                    any |= block.expire();
                }
                if !any {
                    if let Some(block) = cluster.blocks.iter().flatten().find(|block| !block.ended()) {
                        deadlock(block, self);
                    }
                    return Progress::Stopped;
                }
                return Progress::Yielded;
            }
            if finished == 0 {
                return Progress::Yielded;
            }
        }
    }

    /// Keeps what a cluster's blocks printed, and recycles the blocks.
    fn put_away(&mut self, cluster: Cluster<'l>, finished: bool) {
        for block in cluster.blocks.into_iter().flatten() {
            self.retire(block, finished);
        }
    }
}

impl Block<'_> {
    /// Returns whether all warps of the block have exited.
    fn ended(&self) -> bool {
        self.done as usize == self.order.len()
    }
}

#[cfg(test)]
mod tests {
    use super::number_of;
    use crate::engine::warp::shared::Shared;
    use crate::kernel::Geometry;

    #[test]
    fn every_block_belongs_to_one_cluster() {
        let launch = Shared::with_geometry(Geometry::new([4, 6, 2], [1; 3]));
        let dims = [2, 3, 1];
        let all = (0..8).flat_map(|cluster| (0..6).map(move |rank| (cluster, rank)));
        let mut seen: Vec<u64> = all.map(|(cluster, rank)| number_of(&launch, dims, cluster, rank)).collect();
        assert_eq!(&seen[..6], &[0, 1, 4, 5, 8, 9], "the first cluster");
        seen.sort_unstable();
        assert_eq!(seen, (0..48).collect::<Vec<_>>());
    }
}

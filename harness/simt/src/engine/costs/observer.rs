//! The observer of a launch's costs, to which the engine reports its events.

use super::chains::{Paused, UnderWay};
use super::recorder::CostRecorder;
use super::tables::CostTables;
use crate::engine::traffic::counts::BlockCount;

/// Observes the costs of a launch. It does nothing unless they are counted.
#[derive(Default)]
pub(crate) struct CostObserver(Option<Box<CostRecorder>>);

impl CostObserver {
    /// Creates an observer that counts with this recorder.
    pub fn with(recorder: CostRecorder) -> CostObserver {
        CostObserver(Some(Box::new(recorder)))
    }

    /// Whether costs are counted.
    #[inline(always)]
    pub fn counts(&self) -> bool {
        self.0.is_some()
    }

    /// Returns what was recorded, if costs are counted.
    pub fn recorded(&self) -> Option<&CostRecorder> {
        self.0.as_deref()
    }

    /// Returns the recorder, if costs are counted; for the probes.
    #[inline(always)]
    pub fn recorder(&mut self) -> Option<&mut CostRecorder> {
        self.0.as_deref_mut()
    }

    /// All `lanes` of a warp have reached a barrier of the whole block, which ends the basic block `at`. The warp has
    /// executed the basic blocks as often as `executed` says.
    pub fn reached_barrier(
        &mut self,
        tables: &CostTables,
        (block, warp): (&mut UnderWay, &mut Paused),
        executed: &[BlockCount],
        lanes: u32,
        at: u32,
    ) {
        if let Some(recorder) = &mut self.0 {
            warp.comes(block, recorder.steps(), executed, lanes, tables.since[at as usize]);
        }
    }

    /// A warp has ended, with `executed` executions of the basic blocks.
    pub fn ended_warp(
        &mut self,
        tables: &CostTables,
        (block, warp): (&mut UnderWay, &mut Paused),
        executed: &[BlockCount],
    ) {
        if let Some(recorder) = &mut self.0 {
            recorder.warp_ended(block, warp, tables, executed);
        }
    }

    /// A block has ended.
    pub fn ended_block(&mut self, block: &mut UnderWay) {
        if let Some(recorder) = &mut self.0 {
            recorder.block_ended(block);
        }
    }

    /// A bulk copy reads or writes `bytes` bytes of global memory.
    pub fn copied(&mut self, address: u64, bytes: u32, is_read: bool) {
        if let Some(recorder) = &mut self.0 {
            recorder.copied(address, bytes, is_read);
        }
    }

    /// A block reads or writes the sectors with these numbers through the L1 cache.
    pub fn touched_sectors(&mut self, block: u64, sectors: impl IntoIterator<Item = u64>, is_read: bool) {
        if let Some(recorder) = &mut self.0 {
            sectors.into_iter().for_each(|sector| recorder.sector(block, sector, is_read));
        }
    }
}

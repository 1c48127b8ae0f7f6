//! Invalid accesses to blocks of the device heap, and invalid calls of `free`.

use crate::engine::traffic::request::{Request, Wrong};
use crate::engine::warp::program::{Op, Program};
use crate::engine::warp::{Flow, Warp};
use crate::finding::{Access, AccessKind, Allocation, Blame, Finding, FindingKind, Relation, Space};
use crate::kernel::Fault;
use crate::memory::{HEAP_BLOCK, Heap, HeapBlock, Who};
use std::sync::Arc;

fn told(block: &HeapBlock, address: u64) -> Allocation {
    Allocation {
        address: block.start,
        size: block.bytes,
        name: HEAP_BLOCK.into(),
        freed: !block.live,
        relation: Relation::from_address(address, block.start, block.bytes),
    }
}

impl Warp<'_> {
    pub(crate) fn who(&self, op: &Op, lane: usize) -> Who {
        let Access { block, thread, .. } =
            self.located(Access::at(AccessKind::Execute, crate::finding::SourcePlace::default()), lane);
        Who { program: Arc::<Program>::clone(self.launch().program), pc: op.site, block, thread }
    }

    /// Clears the checks' shadow state of memory that is reused, since that state describes the previous block.
    #[cold]
    pub(crate) fn forget(&self, address: u64, bytes: u64) {
        let launch = self.launch();
        let Some((at, written)) = launch.view.locate(address) else {
            return;
        };
        let start = launch.view.ranges()[at].start;
        if let Some(written) = written {
            written.clear(address - start, bytes);
        }
        if let Some(races) = &launch.races {
            races.forget(at, address, bytes);
        }
    }

    /// Returns the heap if `address` lies in it and accesses to its blocks are checked.
    fn checked_heap(&self, address: u64) -> Option<&Heap> {
        let launch = self.launch();
        launch.heap.filter(|heap| launch.memory_check && heap.contains(address))
    }

    /// Returns what is wrong with an access to the heap, or `None` if it is valid.
    #[cold]
    pub(crate) fn heap_wrong(&self, address: u64, size: u64) -> Option<FindingKind> {
        let heap = self.checked_heap(address)?;
        if heap.holds(address, size) {
            return None;
        }
        let block = heap.nearest(address);
        let freed = block.is_some_and(|b| !b.live && address >= b.start && address - b.start < b.bytes);
        let space = Space::Global;
        Some(if freed { FindingKind::UseAfterFree } else { FindingKind::OutOfBounds { space } })
    }

    /// Returns the heap block at or near an address.
    pub(super) fn heap_block(&self, address: u64) -> Option<Allocation> {
        let block = self.checked_heap(address)?.nearest(address)?;
        Some(told(&block, address))
    }

    /// Records an invalid access to the heap. Returns `None` if the access is outside of the heap.
    #[cold]
    pub(super) fn heap_access_fault(&mut self, op: &Op, lane: usize, request: Request, wrong: &Wrong) -> Option<Flow> {
        let address = wrong.address;
        let bad = matches!(wrong.kind, FindingKind::OutOfBounds { .. } | FindingKind::UseAfterFree);
        if !bad || wrong.space != Space::Global {
            return None;
        }
        let block = self.checked_heap(address)?.nearest(address);
        let Request { what, size, .. } = request;
        let place = self.program().place_of(op.site);
        let access = Access::memory(what, Space::Global, size, address, place);
        let access = self.located(access, lane);
        Some(self.heap_fault(wrong.kind.clone(), access, address, block))
    }

    pub(crate) fn heap_fault(
        &mut self,
        kind: FindingKind,
        access: Access,
        address: u64,
        block: Option<HeapBlock>,
    ) -> Flow {
        let mut finding = Finding::new(kind, self.program().name.clone()).with(access);
        finding.blame = Blame::Kernel;
        finding.allocation = self.nearest_global(address, 1);
        if let Some(block) = block {
            finding.allocation = Some(told(&block, address));
            for (who, what) in std::iter::zip(block.by, [AccessKind::Allocate, AccessKind::Free]) {
                finding.accesses.extend(who.map(|who| who.access(what)));
            }
        }
        finding.remedy = Some(
            match finding.kind {
                FindingKind::UseAfterFree => {
                    "free the block after its last use: where other threads use it, put a barrier before the free"
                }
                FindingKind::DoubleFree => {
                    "free each block once: where several threads have the pointer, let one of them free it"
                }
                FindingKind::InvalidFree => {
                    "free the pointer that malloc (or new) returned, not one inside the block, and nothing that the host allocated"
                }
                _ => "check the index against the number of bytes that malloc was asked for: it counts bytes, not elements",
            }
            .into(),
        );
        self.fail(Fault::IllegalAddress, finding)
    }
}

//! Faulting accesses, which stop the kernel.

use crate::engine::traffic::request::{Request, Wrong};
use crate::engine::warp::Flow;
use crate::engine::warp::Warp;
use crate::engine::warp::program::Op;
use crate::finding::{Access, Allocation, Finding, FindingKind, Relation, Space};
use crate::kernel::Fault;

impl Warp<'_> {
    /// Records an invalid access of a lane. Returns the host's address to use if the kernel continues, as it may on a
    /// GPU, whose pages are larger than its allocations.
    #[cold]
    pub(crate) fn stray(&mut self, op: &Op, lane: usize, request: Request, wrong: Wrong) -> Option<*mut u8> {
        let strays =
            matches!(wrong.kind, FindingKind::OutOfBounds { space: Space::Global } | FindingKind::UseAfterFree);
        match &self.launch().nowhere {
            Some(nowhere) if strays => {
                let pointer = nowhere.pointer(request.what);
                let place = self.program().place_of(op.site);
                let access = Access::memory(request.what, wrong.space, request.size, wrong.address, place);
                let mut finding = Finding::new(wrong.kind, self.program().name.clone());
                finding.allocation = self.nearest_global(wrong.address, request.size);
                finding.accesses.push(self.located(access, lane));
                self.record(finding);
                Some(pointer)
            }
            _ => {
                self.access_fault(op, lane, request, wrong);
                None
            }
        }
    }

    /// Records an invalid access of a lane.
    #[cold]
    pub(crate) fn access_fault(&mut self, op: &Op, lane: usize, request: Request, wrong: Wrong) -> Flow {
        if let Some(flow) = self.heap_access_fault(op, lane, request, &wrong) {
            return flow;
        }
        let fault = match wrong.kind {
            FindingKind::Misaligned { .. } => Fault::MisalignedAddress,
            _ => Fault::IllegalAddress,
        };
        let place = self.program().place_of(op.site);
        let wrong = wrong.signed();
        let mut access = Access::memory(request.what, wrong.space, request.size, wrong.address, place);
        let allocation = match wrong.space {
            Space::Global | Space::Const | Space::Generic => self.nearest_global(wrong.address, request.size),
            Space::Shared => self.nearest_shared(wrong.address, &mut access),
            Space::Local => Some(Allocation {
                address: 0,
                size: self.local_len,
                name: String::new(),
                freed: false,
                relation: Relation::below(wrong.address, 0, self.local_len),
            }),
            Space::Param => None,
        };
        let access = self.located(access, lane);
        let flow = self.fault(fault, wrong.kind, vec![access], allocation);
        if matches!(wrong.space, Space::Global | Space::Generic) {
            self.name_argument(wrong.address);
        }
        flow
    }
}

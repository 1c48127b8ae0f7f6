//! Findings about a warp: the thread, the source line, the nearest allocation, and the kernel argument involved.

mod access;
mod argument;
pub(crate) mod barriers;
mod heap;
mod nearest;

use self::argument::points_there;
use crate::checks::Event;
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Reason, Warp};
use crate::finding::{Access, Allocation, Finding, FindingKind, Space};
use crate::kernel::Fault;
use crate::lane::LANES;

impl Warp<'_> {
    /// Fills in the thread of `access`: the given lane of this warp.
    pub(crate) fn located(&self, access: Access, lane: usize) -> Access {
        let [x, y, _] = self.launch().geometry.block;
        let linear = self.index * LANES as u32 + lane as u32;
        let thread = [linear % x, linear / x % y, linear / x / y];
        access.by(self.ctaid, thread)
    }

    /// Describes a lane's access: its source line and thread, and the allocation at or near its address.
    pub(crate) fn describe(
        &self,
        op: &Op,
        event: &Event<'_>,
        space: Space,
        lane: usize,
    ) -> (Access, Option<Allocation>) {
        let place = self.program().place_of(op.site);
        let address = event.address.at(lane);
        let mut access = Access::memory(event.what, space, event.size, address, place);
        let allocation = match space {
            Space::Global => self.nearest_global(address, event.size),
            Space::Shared => self.nearest_shared(address, &mut access),
            _ => None,
        };
        (self.located(access, lane), allocation)
    }

    /// Stops the kernel with a finding of this kind.
    #[cold]
    pub(crate) fn fault(
        &mut self,
        fault: Fault,
        kind: FindingKind,
        accesses: Vec<Access>,
        allocation: Option<Allocation>,
    ) -> Flow {
        let mut finding = Finding::new(kind, self.program().name.clone());
        finding.accesses = accesses;
        finding.allocation = allocation;
        self.fail(fault, finding)
    }

    /// Stops the kernel with this finding.
    #[cold]
    pub(crate) fn fail(&mut self, fault: Fault, finding: Finding) -> Flow {
        let launch = self.launch();
        launch.fail(fault, finding, &mut self.notes.get_mut().findings);
        self.reason = Reason::Fault;
        Flow::Stop
    }

    /// Adds a sentence to the latest finding.
    #[cold]
    pub(crate) fn add_note(&mut self, note: String) {
        if let Some(finding) = self.notes.get_mut().findings.list.last_mut() {
            finding.notes.push(note);
        }
    }

    /// Records a finding that does not stop the kernel.
    pub(crate) fn record(&mut self, mut finding: Finding) {
        finding.seed = self.launch().seed;
        if let Some(near) = &finding.allocation
            && finding.accesses.iter().any(|a| a.space == Some(Space::Global))
            && let Some(i) =
                self.argument(near.address, |value| value >= near.address && value - near.address < near.size)
        {
            finding.notes.push(points_there(i));
        }
        self.notes.get_mut().findings.add(finding);
    }
}

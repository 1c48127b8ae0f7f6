//! Stores that may meet earlier stores: those that do not change memory, as several threads may set a flag if all write
//! the same value, and those whose location may never be read.

use crate::checks::Addresses;
use crate::checks::in_flight::StoresInFlight;
use crate::checks::race::Conflict;
use crate::engine::warp::Warp;
use crate::engine::warp::program::{Dataflow, Op, Operand, Program};
use crate::engine::warp::shared::Shared;
use crate::finding::{AccessKind, Scope, Space};
use crate::lane::LANES;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};

/// A store that is about to be made, and the memory that it writes.
pub(super) struct Store<'a> {
    launch: &'a Shared<'a>,
    op: &'a Op,
    regs: *const u8,
    shared: *const u8,
    shared_len: u64,
    space: Space,
    size: u32,
    address: Addresses<'a>,
    /// The conflicts that are reported only if the location is read.
    unread: RefCell<Vec<Conflict>>,
    /// Whether a conflict was with a store of the same value.
    is_same: Cell<bool>,
}

impl<'l> Warp<'l> {
    /// Returns the store of `size` bytes a lane to addresses of a space.
    #[inline(always)]
    pub(super) fn store<'a>(&self, op: &'a Op, space: Space, size: u32, address: Addresses<'a>) -> Store<'a>
    where
        'l: 'a,
    {
        Store {
            launch: self.launch(),
            op,
            regs: self.regs(),
            shared: self.shared.cast_const(),
            shared_len: self.shared_len,
            space,
            size,
            address,
            unread: RefCell::default(),
            is_same: Cell::new(false),
        }
    }

    /// Makes the values of a store to global memory known to other workers, before they can find it recorded.
    #[inline(always)]
    pub(super) fn begin_store(&self, op: &Op, what: AccessKind, space: Space, size: u32, address: Addresses<'_>) {
        if let (AccessKind::Write, Space::Global, Some(in_flight)) = (what, space, self.launch().in_flight()) {
            self.keep_values(in_flight, op, size, address);
        }
    }

    /// Ends a store that has passed the race check: notes whether it wrote, without order, a value that another thread
    /// had stored there. Returns the conflicts that are reported only if the location is read.
    #[inline(always)]
    pub(super) fn end_store(&mut self, store: &Store<'_>) -> Vec<Conflict> {
        if store.is_same.get() {
            self.scratch.get_mut().same_values.insert(store.op.site);
        }
        store.unread.take()
    }

    #[inline(never)]
    fn keep_values(&self, in_flight: &StoresInFlight, op: &Op, size: u32, address: Addresses<'_>) {
        // SAFETY: the operand is a register of the program, with a value for each lane.
        let register = |value: Operand| unsafe {
            std::slice::from_raw_parts(self.regs().add(value.place() as usize), value.width() as usize * LANES)
        };
        let registers = values(self.program(), op).map(register);
        in_flight.begin(self.scratch.get().worker, (self.clock.warp, self.mask()), size, address, registers);
    }
}

impl Store<'_> {
    /// Returns whether a conflict with an earlier store is not reported, or not yet.
    #[cold]
    pub fn excuses(&self, conflict: &Conflict) -> bool {
        if !self.launch.strict && self.changes_nothing(conflict) {
            self.is_same.set(true);
            return true;
        }
        let waits = conflict.scope == Scope::Warp && self.launch.may_be_spare(self.op, self.space);
        if waits {
            self.unread.borrow_mut().push(*conflict);
        }
        waits
    }

    /// Returns whether the earlier store has written the same value.
    fn changes_nothing(&self, conflict: &Conflict) -> bool {
        let bytes = self.bytes(conflict.lane);
        self.is_there(conflict.lane, &bytes) || self.is_in_flight(conflict, &bytes)
    }

    /// Returns whether another worker's earlier store, which is recorded, has yet to write these bytes where a lane
    /// stores them.
    fn is_in_flight(&self, conflict: &Conflict, bytes: &[u8]) -> bool {
        let (Some(in_flight), Space::Global, Scope::Grid) = (self.launch.in_flight(), self.space, conflict.scope)
        else {
            return false;
        };
        let by = (conflict.earlier_warp, conflict.earlier_lane);
        // If that store is no longer in flight, it has been made since the last look at the memory.
        in_flight.has(by, self.address.at(conflict.lane), bytes) || self.is_there(conflict.lane, bytes)
    }

    /// Returns the bytes that a lane stores; none if the instruction stores something other than registers.
    fn bytes(&self, lane: usize) -> SmallVec<[u8; 32]> {
        let each = self.size as usize / values(self.launch.program, self.op).count().max(1);
        let mut bytes = SmallVec::new();
        for value in values(self.launch.program, self.op) {
            let width = value.width() as usize;
            if width < each {
                return SmallVec::new();
            }
            // SAFETY: the operand is a register of the program, with a value for each lane.
            let value =
                unsafe { std::slice::from_raw_parts(self.regs.add(value.place() as usize + width * lane), each) };
            bytes.extend_from_slice(value);
        }
        bytes
    }

    /// Returns whether these bytes are already where a lane stores them.
    fn is_there(&self, lane: usize, bytes: &[u8]) -> bool {
        let address = self.address.at(lane);
        let there: *const u8 = match self.space {
            // Memory of another block of the cluster is not compared.
            Space::Shared if address >= self.shared_len || self.shared_len - address < self.size.into() => {
                return false;
            }
            // SAFETY: the access lies in the block's shared memory.
            Space::Shared => unsafe { self.shared.add(address as usize) },
            Space::Global => match self.launch.view.find(address) {
                Some(range) if range.contains(address, self.size.into()) => range.host(address),
                _ => return false,
            },
            _ => return false,
        };
        // SAFETY: the access lies in the memory that was found.
        !bytes.is_empty() && bytes.iter().enumerate().all(|(k, new)| unsafe { there.add(k).read_volatile() == *new })
    }
}

/// Returns the registers whose values an instruction stores.
fn values<'a>(program: &'a Program, op: &Op) -> impl Iterator<Item = Operand> + use<'a> {
    let (dataflow, operands) = program.dataflow_of(op.site);
    let operands = if let Dataflow::Store = dataflow { operands } else { &[] };
    operands.iter().copied().filter(|o| !o.is_written() && !o.is_address())
}

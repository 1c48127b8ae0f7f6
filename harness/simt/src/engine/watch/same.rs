//! Stores that may meet earlier stores: those that do not change memory, as several threads may set a flag if all write
//! the same value, and those whose location may never be read.

use crate::checks::Addresses;
use crate::checks::race::Conflict;
use crate::engine::warp::Warp;
use crate::engine::warp::program::{Dataflow, Op, Operand, Program};
use crate::finding::{Scope, Space};
use crate::memory::View;
use smallvec::SmallVec;
use std::cell::RefCell;

/// A plain store that is about to be made, and the memory that it writes.
pub(super) struct Store<'a> {
    program: &'a Program,
    view: &'a View,
    op: &'a Op,
    regs: *const u8,
    shared: *const u8,
    shared_len: u64,
    space: Space,
    size: u32,
    address: Addresses<'a>,
    may_be_spare: bool,
    /// The conflicts that are reported only if the location is read.
    pub unread: RefCell<Vec<Conflict>>,
}

impl<'l> Warp<'l> {
    /// Returns the store of `size` bytes a lane to addresses of a space.
    pub(super) fn store<'a>(&self, op: &'a Op, space: Space, size: u32, address: Addresses<'a>) -> Store<'a>
    where
        'l: 'a,
    {
        let (program, view) = (self.program(), &self.launch().view);
        let (shared, shared_len) = (self.shared.cast_const(), self.shared_len);
        let (regs, may_be_spare, unread) = (self.regs(), self.may_be_spare(op, space), RefCell::default());
        Store { program, view, op, regs, shared, shared_len, space, size, address, may_be_spare, unread }
    }
}

impl Store<'_> {
    /// Returns whether a conflict with an earlier store is not reported, or not yet.
    pub fn excuses(&self, conflict: &Conflict) -> bool {
        // Storing the value that is already there does not race with the store that wrote it.
        if self.is_there(conflict.lane) {
            return true;
        }
        let waits = self.may_be_spare && conflict.scope == Scope::Warp;
        if waits {
            self.unread.borrow_mut().push(*conflict);
        }
        waits
    }

    /// Returns whether a lane's store leaves every byte unchanged.
    fn is_there(&self, lane: usize) -> bool {
        let (Dataflow::Store, operands) = self.program.dataflow_of(self.op.site) else {
            return false;
        };
        let values: SmallVec<[Operand; 4]> =
            operands.iter().copied().filter(|o| !o.is_written() && !o.is_address()).collect();
        let address = self.address.at(lane);
        let there: *const u8 = match self.space {
            // Memory of another block of the cluster is not compared.
            Space::Shared if address >= self.shared_len || self.shared_len - address < self.size.into() => {
                return false;
            }
            // SAFETY: the access lies in the block's shared memory.
            Space::Shared => unsafe { self.shared.add(address as usize) },
            Space::Global => match self.view.find(address) {
                Some(range) if range.contains(address, self.size.into()) => range.host(address),
                _ => return false,
            },
            _ => return false,
        };
        let each = self.size as usize / values.len().max(1);
        values.iter().enumerate().all(|(k, value)| {
            let width = value.width() as usize;
            // SAFETY: the operand is a register of the program, with a value for each lane.
            width >= each
                && unsafe {
                    let new = self.regs.add(value.place() as usize + width * lane);
                    let old = there.add(k * each);
                    (0..each).all(|byte| new.add(byte).read() == old.add(byte).read_volatile())
                }
        })
    }
}

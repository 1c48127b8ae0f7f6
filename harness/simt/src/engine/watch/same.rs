//! Stores that do not change memory: several threads may set a flag if all write the same value.

use crate::checks::Addresses;
use crate::engine::warp::Warp;
use crate::engine::warp::program::{Dataflow, Op, Operand, Program};
use crate::finding::Space;
use crate::memory::View;
use smallvec::SmallVec;

/// A plain store that is about to be made, and the memory that it writes.
pub(super) struct Stored<'a> {
    program: &'a Program,
    view: &'a View,
    op: &'a Op,
    regs: *const u8,
    shared: *const u8,
    shared_len: u64,
    space: Space,
    size: u32,
    address: Addresses<'a>,
}

impl<'l> Warp<'l> {
    /// Returns the store of `size` bytes a lane to addresses of a space.
    pub(super) fn stored<'a>(&self, op: &'a Op, space: Space, size: u32, address: Addresses<'a>) -> Stored<'a>
    where
        'l: 'a,
    {
        let (program, view) = (self.program(), &self.launch().view);
        let (shared, shared_len) = (self.shared.cast_const(), self.shared_len);
        Stored { program, view, op, regs: self.regs(), shared, shared_len, space, size, address }
    }
}

impl Stored<'_> {
    /// Returns whether a lane's store leaves every byte unchanged.
    pub fn is_there(&self, lane: usize) -> bool {
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

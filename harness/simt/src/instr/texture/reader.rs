//! Reads texels for a warp: through the engine's address checks, and with a record of every read for the race check and
//! the initialisation check.

use crate::engine::traffic::request::{Request, Wrong};
use crate::engine::traffic::texels::{Needs, Parts};
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{Access, AccessKind, CalledFrom, FindingKind, SourcePlace, Space};
use crate::instr::operands::Register;
use crate::kernel::Fault;
use crate::lane::LANES;
use crate::texture::{Image, Object, Texels, Texture};

/// A read: its number within its lane, the lane, and the address.
struct Read {
    number: u32,
    lane: usize,
    address: u64,
    size: u32,
}

/// Reads texels for the lanes of a warp, one lane after another.
pub(super) struct Reader<'w, 'l> {
    warp: &'w Warp<'l>,
    lane: usize,
    number: u32,
    reads: Vec<Read>,
    needs: Needs,
    /// Whether the lane's fetch magnifies texels.
    magnified: bool,
    /// Why the last read failed.
    failed: Option<(Request, Wrong)>,
}

/// The recorded reads of a reader.
pub(super) struct Reads {
    reads: Vec<Read>,
    needs: Needs,
    failed: Option<(usize, Request, Wrong)>,
}

impl<'w, 'l> Reader<'w, 'l> {
    pub fn new(warp: &'w Warp<'l>) -> Self {
        Reader { warp, lane: 0, number: 0, reads: Vec::new(), needs: Needs::default(), magnified: false, failed: None }
    }

    /// Continues with another lane.
    pub fn lane(&mut self, lane: usize) -> &mut Self {
        (self.lane, self.number, self.magnified) = (lane, 0, false);
        self
    }

    /// Returns what was read.
    pub fn end(self) -> Reads {
        let lane = self.lane;
        let failed = self.failed.map(|(request, wrong)| (lane, request, wrong));
        Reads { reads: self.reads, needs: self.needs, failed }
    }
}

impl Texels for Reader<'_, '_> {
    fn read(&mut self, address: u64, size: u32) -> Option<[u8; 16]> {
        let request = Request { space: Space::Global, size, what: AccessKind::Read };
        match self.warp.resolve_lane(self.lane, address, request) {
            Ok(from) => {
                let mut texel = [0u8; 16];
                // SAFETY: this many bytes have been checked, and a texel has at most 16.
                unsafe { texel.as_mut_ptr().copy_from_nonoverlapping(from, size as usize) };
                if self.warp.checking {
                    self.reads.push(Read { number: self.number, lane: self.lane, address, size });
                    self.number += 1;
                }
                Some(texel)
            }
            Err(wrong) => {
                self.failed = Some((request, wrong));
                None
            }
        }
    }

    fn need(&mut self, sector: impl FnOnce() -> u64) {
        if self.warp.counting {
            self.needs.add(self.lane, sector(), self.magnified);
        }
    }

    fn magnify(&mut self) {
        self.magnified = true;
    }
}

impl Reads {
    /// Counts the fetch, which is split into these requests, and passes the reads to the checks; stops the kernel if
    /// one of them failed.
    pub fn tell(self, warp: &mut Warp<'_>, op: &Op, parts: Option<Parts>) -> std::result::Result<(), Flow> {
        if let Some((lane, request, wrong)) = self.failed {
            return Err(warp.access_fault(op, lane, request, wrong));
        }
        if warp.counting
            && let Some(parts) = parts
        {
            warp.count_fetch(op, &self.needs, parts);
        }
        let mask = warp.mask();
        let most = self.reads.iter().map(|read| read.number + 1).max().unwrap_or(0);
        for number in 0..most {
            let (mut address, mut lanes, mut size) = ([0u64; LANES], 0u32, 0);
            for read in self.reads.iter().filter(|read| read.number == number) {
                address[read.lane] = read.address;
                lanes |= 1 << read.lane;
                size = read.size;
            }
            warp.set_mask(lanes);
            warp.check_tile(op, Request { space: Space::Global, size, what: AccessKind::Read }, &address);
        }
        warp.set_mask(mask);
        Ok(())
    }
}

impl<'l> Warp<'l> {
    /// Returns the words of the register with this number in a list of the program.
    ///
    /// # Safety
    /// The list has such a 32-bit register.
    pub(in crate::instr) unsafe fn listed(&self, list: u64, number: usize) -> [u32; LANES] {
        let at = self.program().lists[list as usize + number];
        // SAFETY: the caller's contract.
        unsafe { *Register::<u32>::at(at).lanes(self) }
    }

    /// Returns the texture that a handle names.
    pub(super) fn texture(&mut self, op: &Op, lane: usize, handle: u64) -> std::result::Result<&'l Texture, Flow> {
        match self.launch().objects.get(handle) {
            Some(Object::Texture(texture)) => Ok(texture),
            _ => Err(self.no_object(op, lane, handle, false)),
        }
    }

    /// Returns the image of the surface that a handle names.
    pub(super) fn surface(&mut self, op: &Op, lane: usize, handle: u64) -> std::result::Result<&'l Image, Flow> {
        match self.launch().objects.get(handle) {
            Some(Object::Surface(image)) => Ok(image),
            _ => Err(self.no_object(op, lane, handle, true)),
        }
    }

    /// Returns the place of an instruction in the program's own source: the compiler's headers wrap each in a function
    /// or two.
    #[cold]
    pub(super) fn caller(&self, op: &Op) -> SourcePlace {
        let mut place = self.program().place_of(op.site);
        while place.file.ends_with("_indirect_functions.h") && !place.inlined_at.is_empty() {
            let CalledFrom { file, line, column } = place.inlined_at.remove(0);
            (place.file, place.line, place.column) = (file, line, column);
        }
        place
    }

    #[cold]
    fn no_object(&mut self, op: &Op, lane: usize, handle: u64, surface: bool) -> Flow {
        let gone = self.launch().objects.is_gone(handle);
        let access = Access::at(AccessKind::Execute, self.caller(op));
        let access = self.located(access, lane);
        self.fault(Fault::IllegalAddress, FindingKind::InvalidObject { handle, surface, gone }, vec![access], None)
    }
}

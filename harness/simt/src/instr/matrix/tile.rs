//! Loads and stores of tiles: `wmma.load` and `wmma.store`.

use super::form::{MatrixForm, fragment};
use super::fragment::{Dims, Element, MatrixRole};
use crate::engine::traffic::banks::bank_conflicts;
use crate::engine::traffic::counts::count_sectors;
use crate::engine::traffic::request::{Request, space_of};
use crate::engine::traffic::sectors::sectors;
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{AccessKind, Space};
use crate::instr::code::{Inst, Role};
use crate::instr::context::{Context, Result};
use crate::instr::operands::{Number, Placed, operands};
use crate::lane::{LANES, lanes};
use ptx::ast::{self, Type};
use ptx::modifier::Modifier;

/// How a tile's load or store accesses memory.
#[derive(Clone, Copy)]
struct TileAccess {
    /// The matrix that the fragment belongs to.
    part: MatrixRole,
    /// Whether the layout is column-major.
    columns: bool,
    /// Whether it is a store.
    store: bool,
    /// The space that the instruction names.
    space: Space,
}

impl Number for TileAccess {
    fn code(self) -> u64 {
        self.part.code() | (self.columns.code() << 2) | (self.store.code() << 3) | (self.space.code() << 4)
    }

    fn from_code(code: u64) -> TileAccess {
        TileAccess {
            part: MatrixRole::from_code(code & 3),
            columns: bool::from_code(code & (1 << 2)),
            store: bool::from_code(code & (1 << 3)),
            space: Space::from_code(code >> 4),
        }
    }
}

operands! {
    /// Operands of the load or store of a tile.
    struct Tile {
        /// The tile's address.
        address: read(u64) in a,
        /// Elements from one row (or column) to the next.
        stride: read(u32) in c,
        /// The contents of the fragment.
        form: number(MatrixForm) in b,
        /// How it accesses memory.
        how: number(TileAccess) in e,
        /// The fragment's registers.
        fragment: pool in imm,
    }
}

/// Lowers `wmma.load`.
pub(super) fn load(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let [part, rest @ ..] = inst.modifiers() else {
        return Err(cx.missing(inst));
    };
    lower(cx, inst, *part, rest, false)
}

/// Lowers `wmma.store`.
pub(super) fn store(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let [Modifier::D, rest @ ..] = inst.modifiers() else {
        return Err(cx.missing(inst));
    };
    lower(cx, inst, Modifier::C, rest, true)
}

/// Lowers the load or store of a fragment with these further modifiers.
fn lower(cx: &mut dyn Context, inst: &ast::Inst, part: Modifier, modifiers: &[Modifier], store: bool) -> Result<()> {
    let mut space = Space::Generic;
    let (mut dims, mut element, mut columns) = (None, None, false);
    if !inst.has_all(&[Modifier::Sync, Modifier::Aligned]) {
        return Err(cx.missing(inst));
    }
    for modifier in modifiers {
        match modifier {
            Modifier::Row | Modifier::Sync | Modifier::Aligned => {}
            Modifier::Col => columns = true,
            Modifier::Global => space = Space::Global,
            Modifier::Shared | Modifier::SharedCta => space = Space::Shared,
            other => {
                let word = other.word();
                dims = dims.or(Dims::code(word));
                element = element.or(Element::named(word));
                if Dims::code(word).is_none() && Element::named(word).is_none() {
                    return Err(cx.missing(inst));
                }
            }
        }
    }
    let (Some(dims), Some(element), Some(part)) = (dims, element, MatrixRole::named(part.word())) else {
        return Err(cx.missing(inst));
    };
    let form =
        MatrixForm { dims, types: [element; 4], whole_tile: true, saturates: false, differing: false, kept: None };
    let sizes = Dims::from_code(dims);
    if !is_tile(sizes, element, part, columns) {
        return Err(cx.missing(inst));
    }
    let count = sizes.registers(part, element, true);
    let (values, address, stride) = match (inst.operands.as_slice(), store) {
        ([values, address, stride @ ..], false) => (values, address, stride),
        ([address, values, stride @ ..], true) => (values, address, stride),
        _ => return Err(cx.missing(inst)),
    };
    let (base, offset) = cx.address(address)?;
    let address = if offset == 0 {
        base
    } else {
        let sum = cx.temp(8);
        let offset = cx.bits(offset, 8);
        let add = cx.compute("add.s64", sum, &[base, offset])?;
        cx.prepare(add);
        sum
    };
    let stride = match stride {
        [stride] => cx.source(stride, Type::B32)?,
        _ => {
            let (rows, width) = match part {
                MatrixRole::A => (sizes.m, sizes.k),
                MatrixRole::B => (sizes.k, sizes.n),
                MatrixRole::C => (sizes.m, sizes.n),
            };
            let own = if columns { rows } else { width };
            cx.bits(own as u64, 4)
        }
    };
    let mut list = Vec::new();
    fragment(cx, inst, values, (element, count), !store, &mut list)?;
    let at_once = sizes.accesses(part, element, columns);
    let bytes = at_once.first().map_or(0, |access| access.1);
    let does = if store { AccessKind::Write } else { AccessKind::Read };
    let counted_in = match space {
        Space::Generic => Space::Global,
        space => space,
    };
    let tile = Tile { address, stride, form, how: TileAccess { part, columns, store, space }, fragment: list };
    cx.emit(tile.pack(access).role(Role::Tile(does, counted_in, bytes)))?;
    if space == Space::Generic {
        let role = Role::Access(does, Space::Shared, bytes);
        cx.prepare(Inst::plain(counted).role(role));
    }
    Ok(())
}

/// Whether such tiles exist. Those of single bits and of 4-bit numbers are contiguous along the depth, and have their
/// own dimensions.
fn is_tile(sizes: Dims, element: Element, part: MatrixRole, columns: bool) -> bool {
    match (element, part) {
        (Element::B1, MatrixRole::A | MatrixRole::B) => {
            sizes.k == 128 && sizes.m == 8 && columns == (part == MatrixRole::B)
        }
        (Element::S4 | Element::U4, MatrixRole::A | MatrixRole::B) => {
            sizes.k == 32 && sizes.m == 8 && columns == (part == MatrixRole::B)
        }
        (Element::B1 | Element::S4 | Element::U4, MatrixRole::C) => false,
        (Element::S32, _) => sizes.k != 64 && sizes.k != 256 && (sizes.k < 128 || sizes.m == 8),
        _ => sizes.k <= 16,
    }
}

/// Executes the load or store of a tile.
unsafe fn access(warp: &mut Warp, op: &Op) -> Flow {
    if let Err(flow) = warp.gather_all(op) {
        return flow;
    }
    let tile = Tile::unpack(op);
    let TileAccess { part, store, space, .. } = tile.how;
    let (dims, element) = (tile.form.dims(), tile.form.types[0]);
    let request =
        Request { space, size: element.bits() / 8, what: if store { AccessKind::Write } else { AccessKind::Read } };
    if warp.counting {
        // SAFETY: as below.
        unsafe { warp.count_tile(op, &tile, request) };
    }
    let mask = warp.mask();
    // SAFETY: the registers were unpacked from this instruction; addresses are checked before they are used.
    unsafe {
        let base = *tile.address.lanes(warp);
        if let Some(flow) = warp.misaligned(op, &tile, request, &base) {
            return flow;
        }
        let stride = *tile.stride.lanes(warp);
        for register in 0..dims.registers(part, element, tile.form.whole_tile) {
            let at = warp.program().lists[tile.fragment as usize + register];
            let values = warp.fragment(at, element);
            let mut loaded = [0u64; LANES];
            for sub in 0..element.per_register() {
                let mut address = [0u64; LANES];
                for lane in lanes(mask) {
                    let offset = tile.offset(register, sub, lane, stride[lane]);
                    address[lane] = base[lane].wrapping_add(offset);
                    let to = match warp.resolve_lane(lane, address[lane], request) {
                        Ok(to) => to,
                        Err(wrong) => return warp.access_fault(op, lane, request, wrong),
                    };
                    let shift = sub as u32 * element.bits();
                    if store {
                        let value = (values[lane] >> shift).to_le_bytes();
                        to.copy_from_nonoverlapping(value.as_ptr(), request.size as usize);
                    } else {
                        let mut value = [0u8; 8];
                        value.as_mut_ptr().copy_from_nonoverlapping(to, request.size as usize);
                        loaded[lane] |= u64::from_le_bytes(value) << shift;
                    }
                }
                warp.check_tile(op, request, &address);
            }
            if !store {
                for lane in lanes(mask) {
                    warp.set_fragment(at, element, lane, loaded[lane]);
                }
            }
        }
    }
    Flow::Next
}

impl Tile<Placed> {
    /// Returns the bytes from the tile's address to element `sub` in a lane's register. `stride` counts elements.
    #[inline(always)]
    fn offset(&self, register: usize, sub: usize, lane: usize, stride: u32) -> u64 {
        let element = self.form.types[0];
        let (row, column) = self.form.dims().place(self.how.part, element, register, sub, lane);
        let (far, near) = if self.how.columns { (column, row) } else { (row, column) };
        let (at_once, bits) = (element.at_once() as u64, u64::from(element.bits()));
        let index = u64::from(stride) * far as u64 + near as u64 * at_once;
        index.wrapping_mul(bits) / (8 * at_once)
    }
}

impl Warp<'_> {
    /// Stops the kernel if a tile's address is misaligned: the accesses that a compiler generates for it (see
    /// [`Dims::accesses`]) are wider than an element. The distance of its rows does not matter, since it is truncated
    /// to their width.
    fn misaligned(&mut self, op: &Op, tile: &Tile<Placed>, request: Request, base: &[u64; LANES]) -> Option<Flow> {
        let TileAccess { part, columns, .. } = tile.how;
        let accesses = tile.form.dims().accesses(part, tile.form.types[0], columns);
        let widest = accesses.iter().map(|access| access.1).max().unwrap_or(1);
        let wide = Request { size: widest, ..request };
        for lane in lanes(self.mask()).filter(|lane| !base[*lane].is_multiple_of(widest.into())) {
            if let Err(wrong) = self.resolve_lane(lane, base[lane], wide) {
                return Some(self.access_fault(op, lane, wide, wrong));
            }
        }
        None
    }

    /// Counts the accesses that a compiler generates for the load or store of a tile, see [`Dims::accesses`].
    ///
    /// # Safety
    /// `tile` was unpacked from `op`.
    unsafe fn count_tile(&mut self, op: &Op, tile: &Tile<Placed>, request: Request) {
        let (dims, element) = (tile.form.dims(), tile.form.types[0]);
        let TileAccess { part, columns, .. } = tile.how;
        let mask = self.mask();
        // SAFETY: the caller's contract.
        let (base, stride) = unsafe { (*tile.address.lanes(self), *tile.stride.lanes(self)) };
        let generic = request.space == Space::Generic;
        let space = match request.space {
            Space::Generic => space_of(base[mask.trailing_zeros() as usize & 31]).0,
            space => space,
        };
        // A tile in shared memory with a generic address is counted at the instruction after this one.
        let at = op.site as usize + usize::from(generic && space == Space::Shared);
        // SAFETY: every instruction has a site, and the lowering puts an instruction there.
        let site = unsafe { &mut *self.sites.add(at) };
        for ((register, sub), size) in dims.accesses(part, element, columns) {
            let mut address = [0u64; LANES];
            let (mut low, mut high) = (u64::MAX, 0);
            for lane in lanes(mask) {
                let offset = tile.offset(register, sub, lane, stride[lane]);
                address[lane] = base[lane].wrapping_add(offset);
                (low, high) = (low.min(address[lane]), high.max(address[lane]));
            }
            if space == Space::Shared {
                let (waves, ideal, ways) = bank_conflicts(&address, mask, size);
                site.requests += 1;
                site.lanes += u64::from(mask.count_ones());
                site.sectors += u64::from(waves);
                site.ideal += u64::from(ideal);
                site.extra = site.extra.max(u64::from(ways));
            } else {
                let end = high.saturating_add(size.into());
                let sectors = sectors(&address, mask, low, end);
                count_sectors(site, mask, sectors, size.into());
            }
        }
    }
}

/// Follows a tile's load or store with a generic address: see [`Warp::count_tile`].
unsafe fn counted(_: &mut Warp, _: &Op) -> Flow {
    Flow::Next
}

//! Loads from surfaces and stores to them: `suld` and `sust`.

use super::address::{address, geometry};
use super::count::lanes_of;
use crate::engine::traffic::request::Request;
use crate::engine::traffic::texels::Needs;
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{Access, AccessKind, FindingKind, Space};
use crate::instr::context::{Context, Result, parts, width};
use crate::instr::operands::{Any, Number, Register, codes, operands};
use crate::kernel::Fault;
use crate::lane::{LANES, lanes};
use crate::texture::{Boundary, Image, Placed};
use ptx::ast::{self, Operand, Type};
use ptx::modifier::Modifier;
use ptx::opcode::Opcode;

codes! {
    /// The treatment of accesses outside: [`Boundary`] by its PTX words.
    pub(super) enum Outside {
        /// They stop the kernel.
        Trap = "trap",
        /// They go to the nearest texel inside.
        Clamp = "clamp",
        /// They read zero, and write nothing.
        Zero = "zero",
    }
}

impl Outside {
    /// Converts it for the surface.
    pub fn boundary(self) -> Boundary {
        match self {
            Outside::Trap => Boundary::Trap,
            Outside::Clamp => Boundary::Clamp,
            Outside::Zero => Boundary::Zero,
        }
    }
}

/// The form of a load or store.
#[derive(Clone, Copy)]
struct SurfaceForm {
    /// Bytes of an element in memory.
    size: u32,
    /// Bytes of an element in its register.
    register: u32,
    /// The number of elements.
    count: u32,
    /// The treatment of accesses outside.
    outside: Outside,
    /// Whether values have the surface's format, and the x coordinate counts texels.
    formatted: bool,
    /// Whether it is a store.
    store: bool,
    /// Whether four lanes make a request, instead of eight.
    narrow: bool,
}

impl Number for SurfaceForm {
    fn code(self) -> u64 {
        u64::from(self.size | (self.register << 4) | (self.count << 8))
            | (self.outside.code() << 12)
            | (self.formatted.code() << 14)
            | (self.store.code() << 15)
            | (self.narrow.code() << 16)
    }

    fn from_code(code: u64) -> SurfaceForm {
        SurfaceForm {
            size: code as u32 & 15,
            register: (code >> 4) as u32 & 15,
            count: (code >> 8) as u32 & 15,
            outside: Outside::from_code((code >> 12) & 3),
            formatted: bool::from_code(code & (1 << 14)),
            store: bool::from_code(code & (1 << 15)),
            narrow: bool::from_code(code & (1 << 16)),
        }
    }
}

operands! {
    /// Operands of a load or store.
    struct Moved {
        /// The surface.
        surface: read(u64) in a,
        /// Its form.
        form: number(SurfaceForm) in b,
        /// The values, then the layer and three coordinates.
        registers: pool in imm,
    }
}

/// Lowers `suld.b`.
pub(super) fn load(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    lower(cx, inst, false)
}

/// Lowers `sust.b` and `sust.p`.
pub(super) fn store(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    lower(cx, inst, true)
}

fn lower(cx: &mut dyn Context, inst: &ast::Inst, store: bool) -> Result<()> {
    let outside = inst.modifiers().iter().find_map(|modifier| Outside::named(modifier.word()));
    let formatted = inst.opcode == Opcode::SustP;
    let (&[ty], Some(shape), Some(outside)) = (&inst.types().collect::<Vec<_>>()[..], geometry(inst), outside) else {
        return Err(cx.missing(inst));
    };
    let fine = matches!(ty, Type::B8 | Type::B16 | Type::B32 | Type::B64) && (!formatted || ty == Type::B32);
    if !fine || shape.dimensions() == 3 && shape.is_layered() {
        return Err(cx.missing(inst));
    }
    let (values, at) = match (inst.operands.as_slice(), store) {
        ([values, at], false) | ([at, values], true) => (parts(values), at),
        _ => return Err(cx.wrong(inst)),
    };
    let count = if inst.has(Modifier::V4) { 4 } else { 1 + usize::from(inst.has(Modifier::V2)) };
    if values.len() != count {
        return Err(cx.invalid(format!("`{}` with {} values", inst.text(), values.len())));
    }
    let declared = values.iter().find_map(|value| match value {
        Operand::Reg(register) => Some(cx.width_of(*register)),
        _ => None,
    });
    let register = declared.unwrap_or(width(ty));
    let of_width = match register {
        2 => Type::B16,
        4 => Type::B32,
        8 => Type::B64,
        _ => return Err(cx.invalid(format!("`{}` with a predicate", inst.text()))),
    };
    let mut registers = Vec::new();
    for value in values {
        let value = if store { cx.source(value, of_width)? } else { cx.dest(value, register)? };
        registers.push((value, !store));
    }
    let (surface, at) = address(cx, inst, at, shape, Type::B32)?;
    registers.extend(at.map(|at| (at, false)));
    let form = SurfaceForm {
        size: ty.size(),
        register,
        count: count as u32,
        outside,
        formatted,
        store,
        narrow: lanes_of(shape) == 4,
    };
    let what = if store { AccessKind::Write } else { AccessKind::Read };
    cx.emit(Moved { surface, form, registers }.pack(execute).texels(what, true))
}

/// The surface accesses of a warp's lanes.
pub(super) struct Places<'l> {
    /// The image of each lane that accesses one.
    pub images: [Option<&'l Image>; LANES],
    /// The address of each lane's access and its sector, unless the access has no effect.
    pub address: [Option<(u64, u64)>; LANES],
}

impl Places<'_> {
    /// Returns the sectors that the lanes need.
    fn needs(&self) -> Needs {
        let mut needs = Needs::default();
        for (lane, address) in self.address.iter().enumerate() {
            if let Some((_, sector)) = address {
                needs.add(lane, *sector, false);
            }
        }
        needs
    }

    /// Returns the needs of lanes that change elements; each change follows the earlier ones of the same element in its
    /// request.
    pub fn changes(&self, request: usize) -> Needs {
        let (mut needs, mut before) = (Needs::default(), Vec::new());
        for (lane, address) in self.address.iter().enumerate() {
            if let Some((address, sector)) = *address {
                needs.change(lane, (sector, address), (request, &before));
                before.push((lane, address));
            }
        }
        needs
    }
}

impl<'l> Warp<'l> {
    /// Returns the surface accesses of the running lanes. `at` is the layer and the coordinates; `size` returns the
    /// bytes of an access to an image; `scaled`: the x coordinate counts texels.
    pub(super) fn places(
        &mut self,
        op: &Op,
        handles: &[u64; LANES],
        at: &[[u32; LANES]; 4],
        (outside, what): (Outside, AccessKind),
        (size, scaled): (impl Fn(&Image) -> u32, bool),
    ) -> std::result::Result<Places<'l>, Flow> {
        let mut places = Places { images: [None; LANES], address: [None; LANES] };
        for lane in lanes(self.mask()) {
            let image = self.surface(op, lane, handles[lane])?;
            let bytes = size(image);
            // A layer and a third coordinate never occur together: the other one is zero.
            let [layer, x, y, z] = at.each_ref().map(|at| at[lane] as i32);
            let x = if scaled { x.saturating_mul(image.format.bytes() as i32) } else { x };
            let slice = layer.wrapping_add(z);
            places.images[lane] = Some(image);
            match image.place([x, y, slice], bytes, outside.boundary()) {
                Placed::At(at) => {
                    places.address[lane] = Some((image.levels[0].address(1, at), image.sector(0, at)));
                }
                Placed::Nowhere => {}
                Placed::Outside => return Err(self.outside(op, lane, image, [x, y, slice], (what, bytes))),
            }
        }
        Ok(places)
    }

    /// Records an access outside of a surface.
    #[cold]
    fn outside(&mut self, op: &Op, lane: usize, image: &Image, at: [i32; 3], (what, size): (AccessKind, u32)) -> Flow {
        let level = &image.levels[0];
        let extent = [level.width * image.format.bytes(), level.height, level.depth];
        let access = Access { size, ..Access::at(what, self.caller(op)) };
        let access = self.located(access, lane);
        self.fault(Fault::IllegalAddress, FindingKind::OutsideSurface { at, extent }, vec![access], None)
    }

    /// Returns the host's address of each lane's access, after passing the accesses to the checks.
    pub(super) fn reach_texels(
        &mut self,
        op: &Op,
        places: &Places<'_>,
        (size, what): (impl Fn(&Image) -> u32, AccessKind),
    ) -> std::result::Result<[Option<*mut u8>; LANES], Flow> {
        let mut pointers = [None; LANES];
        let mask = self.mask();
        let (mut address, mut there, mut bytes) = ([0u64; LANES], 0u32, 0);
        for lane in lanes(mask) {
            let (Some(image), Some((at, _))) = (places.images[lane], places.address[lane]) else {
                continue;
            };
            bytes = size(image);
            let request = Request { space: Space::Global, size: bytes, what };
            match self.resolve_lane(lane, at, request) {
                Ok(pointer) => pointers[lane] = Some(pointer),
                Err(wrong) => return Err(self.access_fault(op, lane, request, wrong)),
            }
            address[lane] = at;
            there |= 1 << lane;
        }
        if there != 0 {
            self.set_mask(there);
            self.check_tile(op, Request { space: Space::Global, size: bytes, what }, &address);
            self.set_mask(mask);
        }
        Ok(pointers)
    }
}

/// Executes a load or store.
unsafe fn execute(warp: &mut Warp, op: &Op) -> Flow {
    let Moved { surface, form, registers } = Moved::unpack(op);
    let what = if form.store { AccessKind::Write } else { AccessKind::Read };
    let size = |image: &Image| if form.formatted { image.format.bytes() } else { form.size * form.count };
    // SAFETY: the registers were unpacked from this instruction; the lowering has put this many into the list.
    // Addresses have been checked.
    unsafe {
        let handles = *surface.lanes(warp);
        let at = [0, 1, 2, 3].map(|number| warp.listed(registers, form.count as usize + number));
        let places = match warp.places(op, &handles, &at, (form.outside, what), (size, form.formatted)) {
            Ok(places) => places,
            Err(flow) => return flow,
        };
        let pointers = match warp.reach_texels(op, &places, (size, what)) {
            Ok(pointers) => pointers,
            Err(flow) => return flow,
        };
        if warp.counting {
            warp.count_surface(op, &places.needs(), if form.narrow { 4 } else { 8 }, what);
        }
        for lane in lanes(warp.mask()) {
            match pointers[lane] {
                Some(to) if form.formatted => {
                    let Some(image) = places.images[lane] else {
                        continue;
                    };
                    let mut words = [0u32; 4];
                    for (number, word) in words.iter_mut().enumerate().take(form.count as usize) {
                        *word = value(warp, registers, number, form.register, lane) as u32;
                    }
                    to.copy_from_nonoverlapping(image.format.encode(words).as_ptr(), size(image) as usize);
                }
                Some(to) if form.store => {
                    for number in 0..form.count as usize {
                        let bytes = value(warp, registers, number, form.register, lane).to_le_bytes();
                        let to = to.add(number * form.size as usize);
                        to.copy_from_nonoverlapping(bytes.as_ptr(), form.size as usize);
                    }
                }
                Some(from) => {
                    for number in 0..form.count as usize {
                        let mut bytes = [0u8; 8];
                        let from = from.add(number * form.size as usize);
                        bytes.as_mut_ptr().copy_from_nonoverlapping(from, form.size as usize);
                        set(warp, registers, number, form.register, lane, u64::from_le_bytes(bytes));
                    }
                }
                None if !form.store => {
                    for number in 0..form.count as usize {
                        set(warp, registers, number, form.register, lane, 0);
                    }
                }
                None => {}
            }
        }
    }
    Flow::Next
}

/// Returns a lane of a register of `bytes` bytes.
///
/// # Safety
/// The list has such a register at this number.
pub(super) unsafe fn value(warp: &Warp<'_>, list: u64, number: usize, bytes: u32, lane: usize) -> u64 {
    let register = Register::<Any>::at(warp.program().lists[list as usize + number]);
    // SAFETY: the caller's contract.
    unsafe {
        match bytes {
            8 => (*register.holding::<u64>().lanes(warp))[lane],
            4 => (*register.holding::<u32>().lanes(warp))[lane].into(),
            _ => (*register.holding::<u16>().lanes(warp))[lane].into(),
        }
    }
}

/// Sets a lane of a register of `bytes` bytes.
///
/// # Safety
/// As for [`value`].
unsafe fn set(warp: &Warp<'_>, list: u64, number: usize, bytes: u32, lane: usize, value: u64) {
    let register = Register::<Any>::at(warp.program().lists[list as usize + number]);
    // SAFETY: the caller's contract.
    unsafe {
        match bytes {
            8 => (*register.holding::<u64>().lanes(warp))[lane] = value,
            4 => (*register.holding::<u32>().lanes(warp))[lane] = value as u32,
            _ => (*register.holding::<u16>().lanes(warp))[lane] = value as u16,
        }
    }
}

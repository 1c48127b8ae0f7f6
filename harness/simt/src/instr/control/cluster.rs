//! Barriers of a cluster (`barrier.cluster`), and the instructions that map addresses to its blocks (`mapa`,
//! `getctarank`).

use crate::engine::traffic::request::{SHARED_WINDOW, home_of, offset_in, space_of};
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, State, Warp};
use crate::finding::Space;
use crate::instr::code::{Inst, OperandSlot};
use crate::instr::context::{Context, Result};
use crate::instr::operands::{Any, Number, operands};
use crate::lane::{LANES, lanes};
use ptx::ast::{self, Type};
use ptx::modifier::Modifier;

operands! {
    /// Operands of an arrival at the cluster's barrier.
    struct Arrive {
        /// Whether it orders nothing.
        relaxed: number(bool) in imm,
    }
}

fn check(cx: &dyn Context, inst: &ast::Inst, known: &[Modifier]) -> Result<()> {
    if !inst.operands.is_empty() {
        return Err(cx.wrong(inst));
    }
    if !inst.modifiers().iter().all(|modifier| known.contains(modifier)) {
        return Err(cx.missing(inst));
    }
    Ok(())
}

/// Lowers `barrier.cluster.arrive`.
pub(super) fn arrive(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    check(cx, inst, &[Modifier::Release, Modifier::Relaxed, Modifier::Aligned])?;
    cx.emit(Arrive { relaxed: inst.has(Modifier::Relaxed) }.pack(run_arrive))
}

/// Lowers `barrier.cluster.wait`.
pub(super) fn wait(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    check(cx, inst, &[Modifier::Acquire, Modifier::Aligned])?;
    cx.emit(Inst::plain(run_wait))
}

/// Executes `barrier.cluster.arrive`.
unsafe fn run_arrive(warp: &mut Warp, op: &Op) -> Flow {
    if warp.checking && !Arrive::unpack(op).relaxed {
        warp.pause();
        warp.fenced(false);
    }
    warp.with_block(|warp, block| block.arrive_in_cluster(warp));
    warp.switch_point();
    Flow::Next
}

/// Executes `barrier.cluster.wait`.
unsafe fn run_wait(warp: &mut Warp, op: &Op) -> Flow {
    let phase = warp.block.get_mut().meeting().phase;
    let (arrived, when) = warp.met;
    if when == phase && arrived & warp.mask() != 0 {
        return warp.park(op.site, State::Cluster);
    }
    if warp.checking {
        warp.met_in_cluster();
    }
    Flow::Next
}

operands! {
    /// Operands of `mapa`.
    struct Map {
        /// An address in the block's own shared memory.
        address: read(Any) in a,
        /// The rank of a block.
        rank: read(u32) in b,
        /// The address of the same location in that block's shared memory.
        to: write(Any) in d,
        /// The form of the two addresses.
        form: number(ClusterAddressing) in imm,
    }
}

operands! {
    /// Operands of `getctarank`.
    struct Rank {
        /// An address in shared memory.
        address: read(Any) in a,
        /// The rank of the block in whose shared memory it lies.
        to: write(u32) in d,
        /// The form of the address.
        form: number(ClusterAddressing) in imm,
    }
}

/// How an instruction addresses shared memory.
#[derive(Clone, Copy)]
struct ClusterAddressing {
    /// Whether addresses are generic.
    generic: bool,
    /// Whether addresses have 64 bits.
    wide: bool,
}

impl Number for ClusterAddressing {
    fn code(self) -> u64 {
        self.generic.code() | (self.wide.code() << 1)
    }
    fn from_code(code: u64) -> ClusterAddressing {
        ClusterAddressing { generic: bool::from_code(code & 1), wide: bool::from_code(code & 2) }
    }
}

impl ClusterAddressing {
    fn parse(cx: &dyn Context, inst: &ast::Inst) -> Result<ClusterAddressing> {
        let mut form = ClusterAddressing { generic: true, wide: false };
        for modifier in inst.modifiers() {
            match modifier {
                Modifier::SharedCluster => form.generic = false,
                Modifier::Type(Type::U64) => form.wide = true,
                Modifier::Type(Type::U32) => {}
                _ => return Err(cx.missing(inst)),
            }
        }
        if form.generic && !form.wide {
            return Err(cx.unsupported(format!("`{}` of a generic address of 32 bits", inst.text())));
        }
        Ok(form)
    }

    fn ty(self) -> Type {
        if self.wide { Type::U64 } else { Type::U32 }
    }

    /// Returns the lanes' addresses.
    ///
    /// # Safety
    /// The register is one of the program that the warp runs, of this width.
    unsafe fn read(self, warp: &Warp, from: crate::instr::operands::Register<Any>) -> [u64; LANES] {
        // SAFETY: the caller's contract.
        unsafe {
            if self.wide {
                *from.holding::<u64>().lanes(warp)
            } else {
                (*from.holding::<u32>().lanes(warp)).map(u64::from)
            }
        }
    }

    /// Returns the offset in shared memory that an address names, if it names one.
    fn offset(self, address: u64) -> Option<u64> {
        if !self.generic {
            return Some(address);
        }
        Some(space_of(address)).filter(|(space, _)| *space == Space::Shared).map(|(_, offset)| offset)
    }
}

/// Lowers `mapa`.
pub(super) fn mapa(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let form = ClusterAddressing::parse(cx, inst)?;
    let [to, address, rank] = inst.operands.as_slice() else {
        return Err(cx.wrong(inst));
    };
    let address: OperandSlot = cx.source(address, form.ty())?;
    let map = Map { address, rank: cx.source(rank, Type::U32)?, to: cx.dest(to, form.ty().size())?, form };
    cx.emit(map.pack(run_map))
}

/// Lowers `getctarank`.
pub(super) fn getctarank(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let form = ClusterAddressing::parse(cx, inst)?;
    let [to, address] = inst.operands.as_slice() else {
        return Err(cx.wrong(inst));
    };
    let rank = Rank { address: cx.source(address, form.ty())?, to: cx.dest(to, 4)?, form };
    cx.emit(rank.pack(run_rank))
}

/// Executes `mapa`. Locations in the block's own shared memory keep their own addresses.
unsafe fn run_map(warp: &mut Warp, op: &Op) -> Flow {
    let Map { address, rank, to, form } = Map::unpack(op);
    let own = warp.block.get().rank;
    // SAFETY: the registers were unpacked from this instruction.
    unsafe {
        let (from, rank) = (form.read(warp, address), *rank.lanes(warp));
        for lane in lanes(warp.mask()) {
            let offset = form.offset(from[lane]).unwrap_or(from[lane]);
            let (_, offset) = home_of(offset);
            let offset = if rank[lane] == own { offset } else { offset_in(rank[lane], offset) };
            let address = if form.generic { SHARED_WINDOW.wrapping_add(offset) } else { offset };
            if form.wide {
                (*to.holding::<u64>().lanes(warp))[lane] = address;
            } else {
                (*to.holding::<u32>().lanes(warp))[lane] = address as u32;
            }
        }
    }
    Flow::Next
}

/// Executes `getctarank`.
unsafe fn run_rank(warp: &mut Warp, op: &Op) -> Flow {
    let Rank { address, to, form } = Rank::unpack(op);
    let own = warp.block.get().rank;
    // SAFETY: the registers were unpacked from this instruction.
    unsafe {
        let from = form.read(warp, address);
        for lane in lanes(warp.mask()) {
            let rank = form.offset(from[lane]).and_then(|offset| home_of(offset).0);
            (*to.lanes(warp))[lane] = rank.unwrap_or(own);
        }
    }
    Flow::Next
}

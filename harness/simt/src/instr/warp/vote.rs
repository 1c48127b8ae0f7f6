//! Queries among lanes: `vote`, `match`, `elect`, `activemask`.

use super::members::{destinations, members};
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::AccessKind;
use crate::instr::code::Role;
use crate::instr::context::{Context, Result};
use crate::instr::operands::{Any, codes, operands};
use crate::lane::{LANES, lanes};
use ptx::ast::{self, Type};
use ptx::modifier::Modifier;

codes! {
    /// What a vote reports about the lanes' predicates.
    enum VoteMode {
        /// Whether all hold.
        All = "all",
        /// Whether any holds.
        Any = "any",
        /// Whether all are the same.
        Uniform = "uni",
        /// The lanes for which it holds.
        Ballot = "ballot",
    }
}

operands! {
    /// Operands of `vote`.
    struct Vote {
        /// The predicate of each lane.
        predicate: read(bool) in a,
        /// The lanes that take part.
        members: maybe_read(u32) in e,
        /// The result: a 32-bit ballot, or a predicate.
        to: write(Any) in d,
        /// The kind of vote.
        kind: number(VoteMode) in imm,
    }
}

/// Lowers `vote`.
pub(super) fn vote(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let (operands, members) = members(cx, inst, 2)?;
    let Some(kind) = inst.modifiers().iter().find_map(|modifier| VoteMode::named(modifier.word())) else {
        return Err(cx.missing(inst));
    };
    let (to, _) = destinations(&operands[0]);
    let width = if kind == VoteMode::Ballot { 4 } else { 0 };
    let vote = Vote { predicate: cx.source(&operands[1], Type::Pred)?, members, to: cx.dest(to, width)?, kind };
    cx.emit(vote.pack(count).role(Role::WarpSync))
}

/// Executes `vote`.
unsafe fn count(warp: &mut Warp, op: &Op) -> Flow {
    let vote = Vote::unpack(op);
    // SAFETY: the registers were unpacked from this instruction.
    unsafe {
        let named = match warp.gather(op, vote.members, AccessKind::Vote) {
            Ok(named) => named,
            Err(flow) => return flow,
        };
        let mask = warp.mask();
        let holds = *vote.predicate.bits(warp);
        let mut predicate = 0u32;
        for lane in lanes(mask) {
            let among = named[lane] & mask;
            let yes = holds & among;
            let result = match vote.kind {
                VoteMode::All => yes == among,
                VoteMode::Any => yes != 0,
                VoteMode::Uniform => yes == among || yes == 0,
                VoteMode::Ballot => {
                    (*vote.to.holding::<u32>().lanes(warp))[lane] = yes;
                    continue;
                }
            };
            predicate |= u32::from(result) << lane;
        }
        if vote.kind != VoteMode::Ballot {
            vote.to.holding::<bool>().set(warp, mask, predicate);
        }
    }
    Flow::Next
}

operands! {
    /// Operands of `activemask`.
    struct Active {
        /// The active lanes.
        to: write(u32) in d,
    }
}

/// Lowers `activemask`.
pub(super) fn activemask(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let [to] = inst.operands.as_slice() else {
        return Err(cx.wrong(inst));
    };
    let to = cx.dest(to, 4)?;
    cx.emit(Active { to }.pack(active).role(Role::WarpSync))
}

/// Executes `activemask`.
unsafe fn active(warp: &mut Warp, op: &Op) -> Flow {
    let mask = warp.mask();
    for lane in lanes(mask) {
        // SAFETY: the register was unpacked from this instruction.
        unsafe { (*Active::unpack(op).to.lanes(warp))[lane] = mask };
    }
    Flow::Next
}

operands! {
    /// Operands of `match`.
    struct Match {
        /// The compared values.
        value: read(Any) in a,
        /// Whether they have 64 bits.
        wide: number(bool) in b,
        /// Whether all lanes have to agree.
        all: number(bool) in c,
        /// The lanes that take part.
        members: maybe_read(u32) in e,
        /// The lanes with the same value.
        to: write(u32) in d,
        /// Whether all lanes have the same value.
        agree: maybe_write(bool) in d2,
    }
}

/// Lowers `match`.
pub(super) fn matching(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let wide = inst.has_type(&[Type::B64]);
    let (operands, members) = members(cx, inst, 2)?;
    let (to, agree) = destinations(&operands[0]);
    let matching = Match {
        value: cx.source(&operands[1], if wide { Type::B64 } else { Type::B32 })?,
        wide,
        all: inst.has(Modifier::All),
        members,
        to: cx.dest(to, 4)?,
        agree: agree.map(|agree| cx.dest(agree, 0)).transpose()?,
    };
    cx.emit(matching.pack(compare).role(Role::WarpSync))
}

/// Executes `match`.
unsafe fn compare(warp: &mut Warp, op: &Op) -> Flow {
    let matching = Match::unpack(op);
    // SAFETY: the registers were unpacked from this instruction.
    unsafe {
        let named = match warp.gather(op, matching.members, AccessKind::Vote) {
            Ok(named) => named,
            Err(flow) => return flow,
        };
        let mask = warp.mask();
        let mut values = [0u64; LANES];
        for (i, value) in values.iter_mut().enumerate() {
            *value = if matching.wide {
                (*matching.value.holding::<u64>().lanes(warp))[i]
            } else {
                u64::from((*matching.value.holding::<u32>().lanes(warp))[i])
            };
        }
        let mut predicate = 0u32;
        for lane in lanes(mask) {
            let among = named[lane] & mask;
            let same =
                lanes(among).filter(|&other| values[other] == values[lane]).fold(0u32, |m, other| m | (1 << other));
            let to = &mut (*matching.to.lanes(warp))[lane];
            if matching.all {
                *to = if same == among { among } else { 0 };
                predicate |= u32::from(same == among) << lane;
            } else {
                *to = same;
            }
        }
        if let Some(agree) = matching.agree {
            agree.set(warp, mask, predicate);
        }
    }
    Flow::Next
}

operands! {
    /// Operands of `elect`.
    struct Election {
        /// The lanes that take part.
        members: maybe_read(u32) in e,
        /// The lowest of them.
        to: write(u32) in d,
        /// Whether this lane is the lowest.
        elected: maybe_write(bool) in d2,
    }
}

/// Lowers `elect`.
pub(super) fn elect(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let (operands, members) = members(cx, inst, 1)?;
    let (to, elected) = destinations(&operands[0]);
    let election =
        Election { members, to: cx.dest(to, 4)?, elected: elected.map(|elected| cx.dest(elected, 0)).transpose()? };
    cx.emit(election.pack(choose).role(Role::WarpSync))
}

/// Executes `elect`.
unsafe fn choose(warp: &mut Warp, op: &Op) -> Flow {
    let election = Election::unpack(op);
    // SAFETY: the registers were unpacked from this instruction.
    unsafe {
        let named = match warp.gather(op, election.members, AccessKind::Vote) {
            Ok(named) => named,
            Err(flow) => return flow,
        };
        let mask = warp.mask();
        let mut predicate = 0u32;
        for lane in lanes(mask) {
            let leader = (named[lane] & mask).trailing_zeros() & 31;
            (*election.to.lanes(warp))[lane] = leader;
            predicate |= u32::from(leader as usize == lane) << lane;
        }
        if let Some(elected) = election.elected {
            elected.set(warp, mask, predicate);
        }
    }
    Flow::Next
}

//! Load-use analysis: a load from global memory is waited for at the first instruction that uses its result, which may
//! be in a later block. `next = x[i + 1]; ...; use(now); now = next;` computes during the load, and loads of several
//! blocks that are used in one place are waited for together.

use super::if_convert::ConvertedBlock;
use crate::passes::graph::immediate_dominators;
use crate::passes::ir::Block;
use ptx::ast::{Body, Inst, Operand, RegId};
use ptx::cost::is_global_load;
use ptx::opcode::Opcode;
use std::collections::{HashMap, HashSet};

/// For a region: the pending loads of earlier regions, and which of its own loads are waited for in later ones.
#[derive(Clone, Default)]
pub struct LoadUse {
    /// Registers whose loads are pending when the region begins.
    pub at_start: HashSet<RegId>,
    /// Loads of the region, as indices into the body, that nothing in it waits for.
    pub later: HashSet<u32>,
    /// Whether a load that was pending at its start is waited for at its end.
    pub at_end: bool,
    /// Groups of asynchronous copies that are pending when it begins, at most [`MOST_GROUPS`].
    pub copies: u32,
}

impl LoadUse {
    /// Whether some load is pending while this region executes.
    pub fn is_under_way(&self) -> bool {
        !self.at_start.is_empty() || !self.later.is_empty()
    }
}

/// The registers that an instruction writes, and those that it reads.
pub type Uses = (Vec<RegId>, Vec<RegId>);

/// The maximum number of pending copy groups that are distinguished.
const MOST_GROUPS: u32 = 8;
/// Maximum iterations of the data-flow analysis: nested loops converge in a few.
const ROUNDS: usize = 8;

/// Returns the number of pending groups of asynchronous copies after an instruction, if it was `groups` before.
pub fn copies_after(inst: &Inst, groups: u32) -> u32 {
    match (inst.opcode, inst.operands.first()) {
        (Opcode::CpAsyncCommitGroup, _) => (groups + 1).min(MOST_GROUPS),
        (Opcode::CpAsyncWaitAll, _) => 0,
        (Opcode::CpAsyncWaitGroup, Some(Operand::Int(left))) => groups.min(u32::try_from(*left).unwrap_or(MOST_GROUPS)),
        _ => groups,
    }
}

/// Computes, for each block that begins a region, what it waits for. `order` lists the blocks in code order, `places`
/// says how each block is executed, and `uses` which registers each instruction writes and reads.
pub fn find_load_uses(
    blocks: &[Block],
    order: &[u32],
    places: &[ConvertedBlock],
    body: &Body,
    uses: &[Uses],
) -> HashMap<u32, LoadUse> {
    let (firsts, pieces) = pieces(blocks, order, places);
    let copies = copies(&pieces, body);
    let mut code = Code::from_pieces(&pieces, body, uses);
    // Most code uses the values that it loads immediately.
    let begin = Loads::default();
    let leaving = pieces.iter().flat_map(|piece| code.after(piece, &begin).under_way).map(|(_, load)| load).collect();
    code.leaving = leaving;
    if code.leaving.is_empty() && copies.iter().all(|groups| *groups == 0) {
        return HashMap::new();
    }
    let (mut at_start, mut out) = code.flow(&pieces);
    // A load pending on only some successors is charged to this region; so is one that all successors wait for, since a
    // diverged warp runs them one after the other.
    for _ in 0..8 * ROUNDS {
        let stops = |own: usize, one: &(RegId, u32)| {
            let to = &pieces[own].successors;
            let goes_on = |to: &usize| at_start[*to].under_way.contains(one);
            let is_awaited = |to: &usize| !out[*to].under_way.iter().any(|(_, load)| *load == one.1);
            let stops = !to.iter().all(goes_on) || to.len() > 1 && to.iter().all(is_awaited);
            stops.then_some((own, one.1))
        };
        let all = out.iter().enumerate().flat_map(|(own, loads)| loads.under_way.iter().map(move |one| (own, one)));
        let ended: Vec<_> = all.filter_map(|(own, one)| stops(own, one)).collect();
        if ended.is_empty() {
            break;
        }
        code.ended.extend(ended);
        (at_start, out) = code.flow(&pieces);
    }
    let awaited = |own: usize| LoadUse {
        at_start: at_start[own].under_way.iter().map(|(register, _)| *register).collect(),
        later: out[own].under_way.iter().map(|(_, load)| *load).filter(|load| code.piece_of[load] == own).collect(),
        at_end: at_start[own].under_way.iter().any(|(_, load)| code.ended.contains(&(own, *load))),
        copies: copies[own],
    };
    firsts.into_iter().enumerate().map(|(own, first)| (first, awaited(own))).collect()
}

/// A region: code that the assembler treats as one block, with the regions that follow it.
struct Piece {
    own: usize,
    code: Vec<u32>,
    successors: Vec<usize>,
}

/// Returns the first block of each region, in code order, and the regions.
fn pieces(blocks: &[Block], order: &[u32], places: &[ConvertedBlock]) -> (Vec<u32>, Vec<Piece>) {
    let (mut firsts, mut members, mut piece_of) = (Vec::new(), Vec::<Vec<u32>>::new(), HashMap::new());
    for &block in order {
        let before = places[block as usize].after.and_then(|before| piece_of.get(&before).copied());
        let own = before.unwrap_or_else(|| {
            firsts.push(block);
            members.push(Vec::new());
            members.len() - 1
        });
        members[own].push(block);
        piece_of.insert(block, own);
    }
    let piece = |(own, members): (usize, &Vec<u32>)| {
        let code = members.iter().flat_map(|&block| blocks[block as usize].code.iter().copied()).collect();
        let to = members.iter().flat_map(|&block| blocks[block as usize].term.successors());
        // Control stays within a region, except for a jump back to its first block.
        let leaves = |to: &u32| piece_of.get(to).is_some_and(|&piece| piece != own || *to == members[0]);
        let mut successors: Vec<usize> = to.filter(leaves).map(|to| piece_of[&to]).collect();
        successors.sort_unstable();
        successors.dedup();
        Piece { own, code, successors }
    };
    let pieces = members.iter().enumerate().map(piece).collect();
    (firsts, pieces)
}

/// Returns the pending groups of asynchronous copies at the start of each region: the maximum over all paths to it.
fn copies(pieces: &[Piece], body: &Body) -> Vec<u32> {
    let mut groups = vec![0; pieces.len()];
    for _ in 0..ROUNDS {
        for piece in pieces {
            let own = groups[piece.own];
            let after = piece.code.iter().fold(own, |groups, &at| copies_after(&body.code[at as usize], groups));
            for &to in &piece.successors {
                groups[to] = groups[to].max(after);
            }
        }
    }
    groups
}

/// The state of loads at a point of the code. Loads are identified by their indices in the body.
#[derive(Clone, Default, PartialEq)]
struct Loads {
    /// Registers with the pending loads that write them: more than one where paths join.
    under_way: HashSet<(RegId, u32)>,
    /// Loads that have completed since they were issued, among those that leave their region.
    arrived: HashSet<u32>,
}

impl Loads {
    /// Returns the pending loads of a register.
    fn pending(&self, register: RegId) -> Vec<u32> {
        self.under_way.iter().filter(|(to, _)| *to == register).map(|(_, load)| *load).collect()
    }

    /// Records that a register is overwritten.
    fn forget(&mut self, register: RegId) {
        self.under_way.retain(|(to, _)| *to != register);
    }

    /// Marks loads as complete; only loads that are live out of their region are recorded.
    fn end(&mut self, leaving: &HashSet<u32>, comes: impl Fn(u32) -> bool) {
        let all = self.under_way.iter().map(|(_, load)| *load);
        self.arrived.extend(all.filter(|load| comes(*load) && leaving.contains(load)));
        self.under_way.retain(|(_, load)| !comes(*load));
    }
}

/// The code of a function, divided into regions.
struct Code<'b> {
    body: &'b Body,
    uses: &'b [Uses],
    /// The region of each load.
    piece_of: HashMap<u32, usize>,
    /// The loads that are pending at the end of their own region.
    leaving: HashSet<u32>,
    before: Vec<Vec<usize>>,
    dominators: Vec<u32>,
    /// The loads that are waited for at the end of a region, with the region.
    ended: HashSet<(usize, u32)>,
}

impl<'b> Code<'b> {
    fn from_pieces(pieces: &[Piece], body: &'b Body, uses: &'b [Uses]) -> Code<'b> {
        let is_load = |at: &u32| is_global_load(&body.code[*at as usize]);
        let loads =
            |piece: &Piece| piece.code.iter().copied().filter(is_load).map(|at| (at, piece.own)).collect::<Vec<_>>();
        let mut before = vec![Vec::new(); pieces.len()];
        for piece in pieces {
            piece.successors.iter().for_each(|&to| before[to].push(piece.own));
        }
        let successors: Vec<Vec<u32>> =
            pieces.iter().map(|piece| piece.successors.iter().map(|&to| to as u32).collect()).collect();
        Code {
            body,
            uses,
            piece_of: pieces.iter().flat_map(loads).collect(),
            leaving: HashSet::new(),
            before,
            dominators: immediate_dominators(&successors),
            ended: HashSet::new(),
        }
    }

    /// Computes the state of the loads at the start and at the end of each region.
    fn flow(&self, pieces: &[Piece]) -> (Vec<Loads>, Vec<Loads>) {
        let mut at_start = vec![Loads::default(); pieces.len()];
        let mut out = at_start.clone();
        for _ in 0..ROUNDS {
            let last = at_start.clone();
            for (own, piece) in pieces.iter().enumerate() {
                at_start[own] = self.before(own, &out);
                out[own] = self.after(piece, &at_start[own]);
            }
            if at_start == last {
                break;
            }
        }
        (at_start, out)
    }

    /// Returns the state at the start of a region: loads that are pending on at least one path to it. A load that has
    /// completed on another path is not pending, if it was already pending where the paths diverged.
    fn before(&self, own: usize, out: &[Loads]) -> Loads {
        let ways = || self.before[own].iter().map(|&before| &out[before]);
        let arrived: HashSet<u32> = ways().flat_map(|loads| loads.arrived.iter().copied()).collect();
        let parted = out.get(self.dominators[own] as usize).filter(|_| self.dominators[own] != own as u32);
        let asked_before: HashSet<u32> =
            parted.into_iter().flat_map(|loads| loads.under_way.iter().map(|one| one.1)).collect();
        let all = ways().flat_map(|loads| loads.under_way.iter().copied());
        let under_way = all.filter(|(_, load)| !(arrived.contains(load) && asked_before.contains(load))).collect();
        Loads { under_way, arrived }
    }

    /// Returns the state at the end of a region.
    fn after(&self, piece: &Piece, start: &Loads) -> Loads {
        let mut loads = start.clone();
        for &at in &piece.code {
            let (inst, (writes, reads)) = (&self.body.code[at as usize], &self.uses[at as usize]);
            if loads.under_way.is_empty() && !is_global_load(inst) {
                continue;
            }
            if let Some((to, from)) = renamed(inst) {
                let of = loads.pending(from);
                loads.forget(to);
                loads.under_way.extend(of.into_iter().map(|load| (to, load)));
                continue;
            }
            for register in reads {
                // Loads of one region complete together; loads of other regions complete soon after it.
                if let Some(latest) = loads.pending(*register).iter().map(|load| self.piece_of[load]).max() {
                    loads.end(&self.leaving, |load| self.piece_of[&load] != piece.own || latest == piece.own);
                }
            }
            if inst.guard.is_none() {
                for register in writes {
                    loads.forget(*register);
                }
            }
            if is_global_load(inst) {
                loads.arrived.remove(&at);
                loads.under_way.extend(writes.iter().map(|&register| (register, at)));
            }
        }
        loads.end(&self.leaving, |load| self.ended.contains(&(piece.own, load)));
        loads
    }
}

/// Returns the registers of a register-to-register move, which the assembler eliminates by renaming.
fn renamed(inst: &Inst) -> Option<(RegId, RegId)> {
    match inst.operands.as_slice() {
        [Operand::Reg(to), Operand::Reg(from)] if inst.opcode == Opcode::Mov && inst.guard.is_none() => {
            Some((*to, *from))
        }
        _ => None,
    }
}

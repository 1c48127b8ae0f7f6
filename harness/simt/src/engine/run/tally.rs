//! Turns the workers' tallies into the counters of a launch.

use super::worker::Tally;
use crate::costs::Costs;
use crate::counters::{BranchCount, Counters, LineCounters, TextureTraffic, Totals};
use crate::engine::costs::recorder::CostRecorder;
use crate::engine::traffic::counts::{Site, row_of};
use crate::engine::warp::program::Program;
use crate::engine::warp::tables::AccessInfo;
use crate::finding::{AccessKind, Space};
use crate::memory::View;
use std::collections::BTreeMap;

/// Adds up the workers' tallies and, if `lines` is set, attributes them to source lines.
pub(crate) fn expand(program: &Program, tallies: &[Tally], lines: bool, counters: &mut Counters) {
    let mut by_loc: BTreeMap<u32, Totals> = BTreeMap::new();
    for (index, block) in program.blocks.iter().enumerate() {
        let (executions, lanes) =
            tallies.iter().fold((0, 0), |(e, l), t| (e + t.counts[index].executions, l + t.counts[index].lanes));
        if executions == 0 {
            continue;
        }
        for &(loc, count) in &block.lines {
            let totals = by_loc.entry(loc).or_default();
            totals.instructions += executions * u64::from(count);
            totals.thread_instructions += lanes * u64::from(count);
        }
    }
    let block_of = |pc: u32| program.blocks.partition_point(|b| b.end < pc);
    let executions = |block: usize| -> (u64, u64) {
        tallies.iter().fold((0, 0), |(e, l), t| t.counts.get(block).map_or((e, l), |c| (e + c.executions, l + c.lanes)))
    };
    for (index, branch) in program.branches.iter().enumerate() {
        let sum = |of: fn(&Tally) -> &Vec<u64>| tallies.iter().map(|t| of(t)[index]).sum::<u64>();
        let count = BranchCount {
            place: program.place_of(branch.pc),
            warps: sum(|t| &t.branch_warps),
            diverged: sum(|t| &t.diverged_warps),
            executions: executions(branch.block as usize).0,
            divergent: sum(|t| &t.divergent),
        };
        let totals = by_loc.entry(program.at[branch.pc as usize]).or_default();
        totals.branches += count.executions;
        totals.divergent_branches += count.divergent;
        counters.branches.push(count);
    }
    for &pc in &program.barriers {
        let (warps, lanes) = executions(block_of(pc));
        let totals = by_loc.entry(program.at[pc as usize]).or_default();
        totals.barriers += warps;
        totals.barrier_lanes += lanes;
    }
    for &pc in &program.warp_syncs {
        let (warps, _) = executions(block_of(pc));
        by_loc.entry(program.at[pc as usize]).or_default().warp_syncs += warps;
    }
    for &pc in &program.guards {
        let off: u64 = tallies.iter().map(|t| t.sites[pc as usize].lanes).sum();
        let totals = by_loc.entry(program.at[pc as usize]).or_default();
        totals.predicated_off += off;
        totals.thread_instructions = totals.thread_instructions.saturating_sub(off);
    }
    let rows = program.row();
    for access in &program.accesses {
        let merged = program.costs.merged_bytes(access.pc);
        if merged == Some(0) {
            continue;
        }
        let access = &AccessInfo { size: merged.unwrap_or(access.size), ..*access };
        // A generic address may lead to shared or local memory, where the access is then counted.
        let further: &[Space] = if access.space == Space::Generic { &[Space::Shared, Space::Local] } else { &[] };
        for &space in [access.space].iter().chain(further) {
            let row = row_of(access.space, space) * rows;
            let site = sum_of_site(access, row, tallies);
            if site.requests > 0 {
                let totals = by_loc.entry(program.at[access.pc as usize]).or_default();
                add_access(totals, &AccessInfo { space, ..*access }, &site);
            }
        }
    }
    for texture in &program.textures {
        let sites = tallies.iter().map(|tally| &tally.sites[texture.pc as usize]);
        let totals = by_loc.entry(program.at[texture.pc as usize]).or_default();
        let to = match (texture.surface, texture.what) {
            (false, _) => &mut totals.textures,
            (true, AccessKind::Read) => &mut totals.surface_loads,
            (true, AccessKind::Write) => &mut totals.surface_stores,
            (true, _) => &mut totals.surface_atomics,
        };
        for site in sites {
            add_texture(to, &texture_traffic(site));
        }
    }
    for totals in by_loc.values() {
        add(&mut counters.totals, totals);
    }
    if lines {
        counters.lines = spread(program, by_loc);
    }
}

/// Returns what decides the launch's time besides its traffic, if the workers have recorded it.
pub(crate) fn costs(program: &Program, tallies: &[Tally], memory: &View) -> Option<Costs> {
    tallies.first()?.costs.recorded()?;
    let recorded = tallies.iter().filter_map(|tally| tally.costs.recorded());
    let mut costs = CostRecorder::joined(recorded, &program.costs.efforts, memory);
    for (index, effort) in program.costs.efforts.iter().enumerate() {
        let executions = tallies.iter().map(|tally| tally.counts[index].executions).sum();
        costs.pipes.add(&effort.pipes, executions);
    }
    let spins = program.accesses.iter().filter(|access| access.spins && access.what == AccessKind::Read);
    costs.footprint.spun_sectors = spins.map(|access| sum_of_site(access, 0, tallies).sectors).sum();
    Some(costs)
}

/// Sums what all workers counted at a memory instruction, in the row of sites that begins at `row`.
fn sum_of_site(access: &AccessInfo, row: usize, tallies: &[Tally]) -> Site {
    let mut site = Site::default();
    for tally in tallies {
        let s = &tally.sites[row + access.pc as usize];
        site.requests += s.requests;
        site.lanes += s.lanes;
        site.sectors += s.sectors;
        site.ideal += s.ideal;
        site.extra = if access.what == AccessKind::Atomic { site.extra + s.extra } else { site.extra.max(s.extra) };
    }
    site
}

/// Returns what a worker counted at a texture or surface instruction.
fn texture_traffic(site: &Site) -> TextureTraffic {
    TextureTraffic {
        instructions: site.requests,
        lanes: site.lanes,
        requests: site.extra,
        sectors: site.sectors,
        distinct_sectors: site.ideal,
    }
}

/// Adds traffic to traffic.
fn add_texture(to: &mut TextureTraffic, from: &TextureTraffic) {
    to.instructions += from.instructions;
    to.lanes += from.lanes;
    to.requests += from.requests;
    to.sectors += from.sectors;
    to.distinct_sectors += from.distinct_sectors;
}

/// Adds what was counted at a memory instruction to the totals of its kind of access.
fn add_access(totals: &mut Totals, access: &AccessInfo, site: &Site) {
    let bytes = site.lanes * u64::from(access.size);
    if access.what == AccessKind::Atomic {
        let to = if access.space == Space::Shared { &mut totals.shared_atomics } else { &mut totals.global_atomics };
        to.requests += site.requests;
        to.lanes += site.lanes;
        to.collisions += site.extra;
        if access.space == Space::Shared {
            to.bank_conflicts += site.sectors.saturating_sub(site.ideal);
        }
        return;
    }
    let read = access.what == AccessKind::Read;
    if access.space == Space::Shared {
        let to = if read { &mut totals.shared_loads } else { &mut totals.shared_stores };
        to.requests += site.requests;
        to.lanes += site.lanes;
        to.bytes += bytes;
        to.wavefronts += site.sectors;
        to.conflicts += site.sectors.saturating_sub(site.ideal);
        to.worst_ways = to.worst_ways.max(site.extra);
        return;
    }
    let to = match (access.space, read) {
        (Space::Local, true) => &mut totals.local_loads,
        (Space::Local, false) => &mut totals.local_stores,
        (Space::Const | Space::Param, _) => &mut totals.constant_loads,
        (_, true) => &mut totals.global_loads,
        (_, false) => &mut totals.global_stores,
    };
    to.requests += site.requests;
    to.lanes += site.lanes;
    to.bytes += bytes;
    to.sectors += site.sectors;
    to.ideal_sectors += site.ideal;
}

/// Returns the figures of each source line.
fn spread(program: &Program, by_loc: BTreeMap<u32, Totals>) -> Vec<LineCounters> {
    // Places that differ only in column or PTX line are the same source line.
    let mut lines: Vec<LineCounters> = Vec::new();
    let mut known: BTreeMap<(String, u32, String, u32), usize> = BTreeMap::new();
    for (loc, totals) in by_loc {
        let place = program.place(loc);
        let ptx = if place.line == 0 { place.ptx_line } else { 0 };
        let key = (place.file.clone(), place.line, place.function.clone(), ptx);
        match known.get(&key) {
            Some(&at) => add(&mut lines[at].totals, &totals),
            None => {
                known.insert(key, lines.len());
                lines.push(LineCounters { place, totals });
            }
        }
    }
    lines
}

/// Adds figures to figures.
fn add(to: &mut Totals, from: &Totals) {
    to.instructions += from.instructions;
    to.thread_instructions += from.thread_instructions;
    to.predicated_off += from.predicated_off;
    to.branches += from.branches;
    to.divergent_branches += from.divergent_branches;
    to.barriers += from.barriers;
    to.barrier_lanes += from.barrier_lanes;
    to.warp_syncs += from.warp_syncs;
    for (t, f) in [
        (&mut to.global_loads, &from.global_loads),
        (&mut to.global_stores, &from.global_stores),
        (&mut to.local_loads, &from.local_loads),
        (&mut to.local_stores, &from.local_stores),
        (&mut to.constant_loads, &from.constant_loads),
    ] {
        t.requests += f.requests;
        t.lanes += f.lanes;
        t.bytes += f.bytes;
        t.sectors += f.sectors;
        t.ideal_sectors += f.ideal_sectors;
    }
    for (t, f) in [(&mut to.shared_loads, &from.shared_loads), (&mut to.shared_stores, &from.shared_stores)] {
        t.requests += f.requests;
        t.lanes += f.lanes;
        t.bytes += f.bytes;
        t.wavefronts += f.wavefronts;
        t.conflicts += f.conflicts;
        t.worst_ways = t.worst_ways.max(f.worst_ways);
    }
    for (t, f) in [(&mut to.global_atomics, &from.global_atomics), (&mut to.shared_atomics, &from.shared_atomics)] {
        t.requests += f.requests;
        t.lanes += f.lanes;
        t.collisions += f.collisions;
        t.bank_conflicts += f.bank_conflicts;
    }
    for (t, f) in [
        (&mut to.textures, &from.textures),
        (&mut to.surface_loads, &from.surface_loads),
        (&mut to.surface_stores, &from.surface_stores),
        (&mut to.surface_atomics, &from.surface_atomics),
    ] {
        add_texture(t, f);
    }
}

//! The list of passes.

use super::assign_registers::assign_registers;
use super::costs::estimate_blocks::{Assembled, estimate_blocks};
use super::costs::find_load_uses::find_load_uses;
use super::costs::fuse_instructions::fuse_instructions;
use super::costs::if_convert::{if_convert, in_order};
use super::costs::merge_loads::merge_loads;
use super::costs::record_costs::{FunctionCosts, record_costs};
use super::costs::settle_idle_loops::settle_idle_loops;
use super::costs::split_at_barriers::split_at_barriers;
use super::defer_final_sums::defer_final_sums;
use super::emit::{Code, emit};
use super::facts::Facts;
use super::facts::count_writers::count_writers;
use super::facts::find_accumulators::find_accumulators;
use super::facts::find_printf_args::find_printf_args;
use super::facts::follow_copies::follow_copies;
use super::facts::mark_cas_retries::mark_cas_retries;
use super::facts::trace_origins::trace_origins;
use super::find_functions::{find_frames, find_functions};
use super::find_idle_loops::find_idle_loops;
use super::find_spin_loops::{Waiting, find_spin_loops};
use super::ir::{Func, Pools, Result, Tables};
use super::order_blocks::order_blocks;
use super::place_globals::Env;
use super::place_params::{place_kernel_params, place_params};
use super::place_variables::place_variables;
use super::plan::{Member, Plan};
use super::save_registers::save_registers;
use super::translate::translate;
use super::yield_after_fetches::yield_after_fetches;
use crate::engine::costs::tables::CostTables;
use crate::engine::warp::program::Program;
use crate::lane::HostVectors;
use ptx::ast::{Inst, Module};

/// A kernel's program and the other data that a launch needs.
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// Estimated 32-bit registers per thread.
    pub registers: u32,
    /// Loops that wait for other threads.
    pub waiting: Waiting,
}

/// Lowers the kernel with this index in the module, and everything that it can reach, to a program, for a device that
/// reserves `reserved` bytes of shared memory. These are the passes, in their order.
pub fn lower(module: &Module, env: &Env, kernel: usize, reserved: u32) -> Result<Lowered> {
    let (plan, mut tables) = plan(module, env, kernel, reserved)?;
    let members = plan.members()?;
    let mut functions = translate_members(&plan, &members, &mut tables)?;

    // Complete: what a single instruction does not show.
    let mut waiting = Waiting::default();
    save_registers(&plan, &mut functions);
    for (func, own) in functions.iter_mut().zip(&members) {
        if own.function.entry {
            defer_final_sums(func, own.body);
        }
        func.idle = find_idle_loops(func, own.body);
        let fetches = yield_after_fetches(func, own.body);
        waiting += Waiting { fetches, ..find_spin_loops(func, own.body) };
    }

    // Emit: from basic blocks to decoded operations.
    let orders = order_blocks(&functions);
    let places = assign_registers(&functions, &orders);
    let (mut program, placements) =
        emit(&plan, Code { functions: &functions, orders: &orders, places: &places }, tables);
    program.retries = waiting.retries != 0;
    let registers = places.iter().map(|places| places.pressure).max().unwrap_or(0);

    // Costs: tables next to the operations, for the counters only.
    program.costs = CostTables::of_blocks(program.blocks.len());
    for ((func, own), placement) in functions.iter().zip(&members).zip(&placements) {
        let (blocks, body, is_kernel) = (&func.blocks, own.body, own.function.entry);
        let uses: Vec<_> = body.code.iter().map(Inst::registers).collect();
        let merged = merge_loads(&plan, *own, blocks);
        let fused = fuse_instructions(body);
        let places = if_convert(blocks, body, &fused);
        let order = in_order(blocks);
        let awaited = find_load_uses(blocks, &order, &places, body, &uses);
        let assembled = Assembled { fused: &fused, places: &places, merged: &merged };
        let mut efforts = estimate_blocks(blocks, &order, body, &uses, &assembled, awaited);
        settle_idle_loops(blocks, &func.idle, &mut efforts);
        let parts = split_at_barriers(blocks, is_kernel);
        let costs = FunctionCosts { efforts, merged, parts };
        record_costs(&mut program.costs, placement, func, is_kernel, &costs);
    }
    Ok(Lowered { program, registers, waiting })
}

/// Decides which functions belong to the program, and where their data lie: the first of the passes.
pub fn plan<'m>(module: &'m Module, env: &'m Env, kernel: usize, reserved: u32) -> Result<(Plan<'m>, Tables)> {
    let mut pools = Pools::default();
    let reached = find_functions(module, kernel, &env.pointers)?;
    let mut frames = find_frames(module, &reached, &env.pointers, &mut pools)?;
    let (slots, local) = place_params(module, &reached.functions, &env.pointers, &mut pools, &mut frames)?;
    let variables = place_variables(module, &reached.functions, &mut frames, local, reserved)?;
    let params = place_kernel_params(&module.functions[kernel]);
    let vectors = HostVectors::detect();
    let plan = Plan { module, env, functions: reached.functions, frames, params, slots, variables, vectors };
    Ok((plan, Tables::with(pools)))
}

/// Translates each function from its syntax tree to basic blocks: the passes after [`plan`].
pub fn translate_members(plan: &Plan<'_>, members: &[Member<'_>], tables: &mut Tables) -> Result<Vec<Func>> {
    let mut functions = Vec::new();
    for own in members {
        let writers = count_writers(own.body);
        let facts = Facts {
            sources: follow_copies(own.body, &writers),
            origins: trace_origins(own.function, own.body),
            guesses: mark_cas_retries(own.body),
            accumulators: find_accumulators(own.body),
            printed: find_printf_args(own.body, &writers),
        };
        let back = (!own.function.entry).then(|| tables.pools.fix(4));
        functions.push(translate(plan, *own, &facts, tables, back)?);
    }
    Ok(functions)
}

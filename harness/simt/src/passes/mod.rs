//! Lowers a syntax tree to programs: names become places, modifiers become functions, and control flow becomes an order
//! of blocks. Anything unsupported is reported here as an error with its line, so that it cannot fail later.
//!
//! Each pass is a function named by a verb, in the file of that name. `list::lower` calls all of those for a kernel, in
//! order; before it, [`load`] splits 128-bit registers, contracts products and sums, and places the module's variables.
//! What passes hand on is typed:
//!
//! | Type | What it says | Made by |
//! | --- | --- | --- |
//! | [`ast::Module`] | the syntax tree | `parse`, `split_b128`, `contract_products` |
//! | `place_globals::Env` | addresses of the module's variables and functions | `place_globals` |
//! | `plan::Plan` | the functions of a program, and the places of their data | `find_functions`, `find_frames`, `place_params`, `place_variables` |
//! | `facts::Facts` | what is known about a function's body | the files in `facts` |
//! | `ir::Func` | a function as basic blocks, whose operands are names of registers | `translate`, and the passes that complete it |
//! | [`Program`] | decoded operations | `order_blocks`, `assign_registers`, `emit` |
//! | `CostTables` | what the operations cost, next to them | the files in `costs` |

mod assign_registers;
mod compute_liveness;
mod contract_products;
mod costs;
mod defer_final_sums;
mod emit;
mod error;
mod facts;
mod find_barrier_paths;
mod find_functions;
mod find_idle_loops;
mod find_spin_loops;
mod frames;
mod graph;
mod ir;
mod list;
mod order_blocks;
mod place_globals;
mod place_params;
mod place_variables;
mod plan;
mod save_registers;
mod split_b128;
#[cfg(test)]
mod testing;
mod translate;
mod yield_after_fetches;

use self::contract_products::contract_products;
use self::list::lower;
use self::place_globals::{Env, place_globals};
use self::place_params::lay_out_params;
use self::split_b128::split_b128;
use crate::engine::warp::program::Program;
use crate::kernel::{self, LoadError};
use crate::memory::Memory;
use crate::occupancy::registers_for;
use gpu::Part;
use ptx::{Problem, ast};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A kernel with the code that the lowering generated for it.
type Kernel = kernel::Kernel<Arc<Program>>;

/// The contents of a module.
pub struct Loaded {
    /// The first word of its `.target`: `sm_90a`.
    pub target: String,
    /// Its kernels.
    pub kernels: Vec<Kernel>,
    /// Kernels that use a feature that this machine does not support, and which feature.
    pub unsupported: Vec<(String, LoadError)>,
    /// Its variables with their addresses and sizes.
    pub globals: Vec<(String, u64, u64)>,
    /// The initial values of the variables that have one, by address.
    pub initial: Vec<(u64, Vec<u8>)>,
    /// Kernels whose address is taken, by name, and the values of pointers to them.
    pub addresses: Vec<(String, u64)>,
}

/// Places a module's variables in memory and lowers its kernels. A module may contain unsupported kernels next to
/// supported ones.
///
/// # Errors
/// When the text is invalid, or when none of its kernels is supported.
pub fn load(ptx: &str, memory: &Memory, profile: &Part) -> Result<Loaded, LoadError> {
    let module = contract_products(parse(ptx)?);
    let mut globals = Vec::new();
    let env = place_globals(&module, memory, &mut globals);
    match env.and_then(|env| Ok((kernels(&module, &env, profile)?, env))) {
        Ok(((kernels, unsupported), Env { initial, kernel_values: addresses, .. })) => {
            Ok(Loaded { target: module.target, kernels, unsupported, globals, initial, addresses })
        }
        Err(error) => {
            for (_, address, _) in globals {
                // The variable belongs to this module, so nothing else can have freed it.
                let _ = memory.free(address);
            }
            Err(error)
        }
    }
}

/// Returns the names of the registers that each function declares, by the function's name.
///
/// # Errors
/// When the text is not valid PTX.
pub fn register_names(ptx: &str) -> Result<BTreeMap<String, Vec<String>>, LoadError> {
    let names = |body: ast::Body| body.regs.into_iter().map(|register| register.name).collect();
    Ok(parse(ptx)?.functions.into_iter().filter_map(|f| Some((f.name, names(f.body?)))).collect())
}

/// Parses and verifies a text, and splits its 128-bit registers.
fn parse(ptx: &str) -> Result<ast::Module, LoadError> {
    Ok(split_b128(ptx::parse(ptx).map_err(refused)?))
}

/// Returns the error for a text that the parser rejects.
fn refused(error: ptx::ParseError) -> LoadError {
    match error.problem {
        Problem::Unsupported(what) => LoadError::Unsupported { what, place: format!("PTX line {}", error.line) },
        _ => LoadError::Syntax(error.to_string()),
    }
}

/// Kernels, and those that are not supported by their names.
type Kernels = (Vec<Kernel>, Vec<(String, LoadError)>);

/// Lowers the kernels of a module.
fn kernels(module: &ast::Module, env: &Env, profile: &Part) -> Result<Kernels, LoadError> {
    let (mut kernels, mut unsupported) = (Vec::new(), Vec::new());
    let entries = (0..).zip(&module.functions);
    for (index, function) in entries.filter(|(_, f)| f.entry && f.body.is_some()) {
        match kernel(module, env, (index, function), profile) {
            Ok(kernel) => kernels.push(kernel),
            Err(error @ LoadError::Unsupported { .. }) => unsupported.push((function.name.clone(), error)),
            Err(error) => return Err(error),
        }
    }
    match unsupported.first() {
        Some((_, error)) if kernels.is_empty() => Err(error.clone()),
        _ => Ok((kernels, unsupported)),
    }
}

/// Lowers the kernel with this index in the module.
fn kernel(
    module: &ast::Module,
    env: &Env,
    (index, function): (usize, &ast::Function),
    profile: &Part,
) -> Result<Kernel, LoadError> {
    let lowered = lower(module, env, index, profile.shared_reserved_per_block)?;
    let (params, param_bytes) = lay_out_params(&function.params);
    let digits: String = module.target.chars().filter(char::is_ascii_digit).collect();
    let most = function.max_ntid.or(function.req_ntid);
    Ok(Kernel {
        name: function.name.clone(),
        params,
        param_bytes,
        static_shared: lowered.program.static_shared,
        local_bytes: lowered.program.local_bytes,
        const_bytes: env.const_bytes,
        registers: bounded(lowered.registers, function, profile),
        has_assembled_registers: false,
        waiting_loops: lowered.waiting.loops,
        locking_loops: lowered.waiting.locks,
        retrying_loops: lowered.waiting.retries,
        fetching_loops: lowered.waiting.fetches,
        max_threads: most.map(|n| n.iter().product()),
        required_threads: function.req_ntid,
        cluster: function.cluster,
        target: digits.parse().unwrap_or(0),
        ptx_version: module.version.0 * 10 + module.version.1,
        code: Arc::new(lowered.program),
    })
}

/// Limits the number of registers of a kernel. A compiler spills rather than exceed the maximum per thread: the value
/// of `.maxnreg`, or what the launch bounds leave for each thread. A kernel without bounds is assumed to run with the
/// largest block.
fn bounded(registers: u32, function: &ast::Function, profile: &Part) -> u32 {
    let most = match function.max_regs {
        Some(most) => most.clamp(16, profile.max_regs_per_thread),
        None => {
            let threads = function.max_ntid.or(function.req_ntid);
            let threads =
                threads.map_or(profile.max_threads_per_block, |n| n.iter().fold(1, |m, n| m.saturating_mul(*n)));
            registers_for(profile, threads, function.min_ctas_per_sm.unwrap_or(1))
        }
    };
    registers.min(most)
}

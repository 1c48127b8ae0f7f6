//! A SIMT machine: it loads PTX, runs it warp by warp on the host's processors, counts what a profiler counts, and
//! finds what a sanitizer finds. It knows nothing of the CUDA driver API, of labs, or of environment variables.
//!
//! # Map
//!
//! Each folder or file uses only what stands above it in this list. Inside the engine the same holds for its folders.
//!
//! | Where | What |
//! | --- | --- |
//! | [`ptx`] | text to syntax tree: lex, parse, verify |
//! | [`profile`] | the limits of real parts, and occupancy |
//! | [`finding`], [`counters`] | what a launch tells, as data |
//! | [`lane`] | what a register holds in 32 lanes, and how wide the host's vectors are |
//! | [`texture`] | textures and surfaces as data, and what a fetch gives |
//! | `swizzle` | how tiles are swizzled in shared memory |
//! | [`memory`] | the device's address space, its allocations, and the heap of `malloc` in kernels |
//! | `checks` | what the race check remembers of every access, and the rules by which it compares them |
//! | [`kernel`] | the types that everybody shares: kernels, launches, geometry, settings, faults |
//! | `report` | findings in words, for people and as JSON: the only renderer |
//! | [`engine`] | runs decoded programs: |
//! | `engine::traffic` | what the addresses of a request cost: sectors, bank conflicts, patterns |
//! | `engine::warp` | the decoded program, a warp, its block, and what a launch shares, as data |
//! | `engine::findings` | from a warp's mistake to a finding: who, where, near what |
//! | `engine::watch` | tells the checks of accesses, barriers and fences, and turns conflicts into findings |
//! | `engine::memory` | where a warp's addresses lead |
//! | `engine::run` | launches: workers, the schedule of a block, the turn of a warp, the tally |
//! | [`instr`] | the instructions by family: names, typed operands, handlers |
//! | `lower` | syntax tree to decoded program: control flow, parameters, order, registers, emit |
//! | [`machine`] | the facade: load a module, launch a kernel, read the report |
//!
//! # From text to report
//!
//! [`machine::Module::load`] parses and verifies the text (`ptx`), places the module's variables in [`memory`], and
//! lowers each kernel to a program: a list of [`engine::warp::program::Op`]s, each with the function that executes it.
//! `lower` asks [`instr`] for that function by the instruction's name. [`machine::run`] takes a snapshot of the memory,
//! starts workers, and gives them blocks; a worker gives the warps of a block their turns; a warp in its turn calls the
//! handlers of its instructions. What the workers counted and found is put together to a [`kernel::Report`].
//!
//! # Invariants
//!
//! - **A decoded program is trusted.** `lower` puts every register offset inside the register file, aligned to its
//!   width, and ends every path in an instruction that jumps or stops. Handlers rely on it and check nothing of it.
//!   Addresses in memory are never trusted: each access goes through `engine::memory` or repeats its checks.
//! - **A block belongs to one thread.** A worker runs its blocks, and their warps, one at a time. Only global memory
//!   and the types with atomics or locks (`engine::warp::shared`, `checks::launch`) are seen by several workers at
//!   once. So do the blocks of a cluster, which reach each other while they have their turns; the one that runs is
//!   taken out of the cluster meanwhile.
//! - **A warp borrows for its turn.** Handlers get the warp alone. Its block and the worker's notes are lent to it
//!   (`engine::warp::loan`) by exclusive borrows that last as long as the turn; the warp itself is taken out of its
//!   block meanwhile. So no two live references lead to one thing. A launch is immutable for its workers, apart from
//!   atomics and locks.
//! - **The lowest program counter runs first.** Groups of lanes that meet at one program counter are merged. `lower`
//!   lays the code out so that this brings diverged lanes back together where the source does. A group that spins gives
//!   way, so every lane makes progress.
//! - **Lanes that have exited may be computed along.** A whole-warp handler runs whenever all live lanes run; nobody
//!   reads the registers of a lane that has exited.
//! - **Counters and printed text do not depend on the number of workers**, unless the kernel depends on the order of
//!   its blocks. Counters are sums, and printed text is ordered by block. A seed permutes warps and blocks, and nothing
//!   else.

mod checks;
pub mod engine;
pub mod instr;
pub mod kernel;
pub mod lane;
mod lower;
pub mod machine;
pub mod memory;
pub mod profile;
pub mod ptx;
pub mod report;
mod swizzle;
pub mod texture;

pub use wire::{costs, counters, finding};

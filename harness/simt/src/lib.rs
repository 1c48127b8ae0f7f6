//! A SIMT machine: it loads PTX, runs it warp by warp on the host's processors, counts what a profiler counts, and
//! finds what a sanitizer finds. It does not depend on the CUDA driver API, labs, or environment variables.
//!
//! # Map
//!
//! The language is a crate of its own: [`ptx`] has the instructions, and makes a syntax tree of a text. Each folder or
//! file uses only those above it in this list. Inside the engine the same holds for its folders.
//!
//! | Where | What |
//! | --- | --- |
//! | [`occupancy`] | the number of blocks that fit on an SM |
//! | [`finding`], [`counters`] | the results of a launch, as data |
//! | [`lane`] | the contents of a register in 32 lanes, and the width of the host's vectors |
//! | [`texture`] | textures and surfaces as data, and the result of a fetch |
//! | `swizzle` | how tiles are swizzled in shared memory |
//! | [`tensor`] | tensor maps as data, and where the rows of their boxes lie |
//! | [`memory`] | the device's address space, its allocations, and the heap for `malloc` in kernels |
//! | `checks` | the shadow memory of the race check, and its rules for comparing accesses |
//! | [`kernel`] | the shared types: kernels, launches, geometry, settings, faults |
//! | `report` | the wording of findings, for people and as JSON: the only renderer |
//! | [`engine`] | runs decoded programs: |
//! | `engine::traffic` | a request's addresses, and what is counted of them: sectors, bank conflicts, patterns |
//! | `engine::costs` | observes what a launch costs besides: footprint, serialized atomics, chains of warps |
//! | `engine::warp` | the decoded program, a warp, its block, and the shared state of a launch, as data |
//! | `engine::findings` | turns a warp's mistake into a finding: which thread, where, near which allocation |
//! | `engine::watch` | reports accesses, barriers and fences to the checks, and turns conflicts into findings |
//! | `engine::memory` | resolves a warp's addresses |
//! | `engine::run` | launches: workers, the schedule of a block, the time slice of a warp, the totals |
//! | [`instr`] | the instructions by family: names, typed operands, handlers |
//! | `passes` | syntax tree to decoded program, pass by pass: `passes::list` has them in order |
//! | [`machine`] | the facade: load a module, launch a kernel, read the report |
//!
//! # From text to report
//!
//! [`machine::Module::load`] parses and verifies the text (`ptx`), places the module's variables in [`memory`], and
//! lowers each kernel to a program: a list of [`engine::warp::program::Op`]s, each with the function that executes it.
//! `passes::translate` gets that function from [`instr`] by the instruction's name. [`machine::run`] takes a snapshot
//! of the memory, starts workers, and gives them blocks; a worker gives the warps of a block their time slices; a warp
//! in its time slice calls the handlers of its instructions. The counters and findings of the workers are combined into
//! a [`kernel::Report`].
//!
//! # Invariants
//!
//! - **A decoded program is trusted.** `passes` put every register offset inside the register file, aligned to its
//!   width, and end every path in an instruction that jumps or stops. Handlers rely on this without checks. Memory
//!   addresses are never trusted: each access goes through `engine::memory` or repeats its checks.
//! - **A block belongs to one thread.** A worker runs its blocks, and their warps, one at a time. Several workers
//!   access only global memory and the types with atomics or locks (`engine::warp::shared`, `checks::launch`)
//!   concurrently. The blocks of a cluster also run one at a time on one worker, and access each other during their
//!   time slices; the running block is taken out of the cluster meanwhile.
//! - **A warp borrows for its time slice.** Handlers get only the warp. Its block and the worker's scratch data are
//!   lent to it (`engine::warp::loan`) by exclusive borrows that last as long as the time slice; the warp itself is
//!   taken out of its block meanwhile. So no two live references point to the same object. A launch is immutable for
//!   its workers, apart from atomics and locks.
//! - **The lowest program counter runs first.** Groups of lanes with the same program counter are merged.
//!   `passes::order_blocks` orders the code so that this makes diverged lanes reconverge where they do in the source. A
//!   group that spins yields, so every lane makes progress.
//! - **Lanes that have exited may still be computed.** A whole-warp handler runs whenever all live lanes run; the
//!   registers of a lane that has exited are never read.
//! - **Counters and printed text do not depend on the number of workers**, unless the kernel depends on the order of
//!   its blocks. Counters are sums, and printed text is ordered by block. A seed permutes only warps and blocks.

mod checks;
pub mod engine;
pub mod instr;
pub mod kernel;
pub mod lane;
pub mod machine;
pub mod memory;
pub mod occupancy;
mod passes;
pub mod report;
mod swizzle;
pub mod tensor;
pub mod texture;

pub use wire::{costs, counters, finding};

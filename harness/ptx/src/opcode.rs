//! The instructions: one row for each.
//!
//! A row has the name, the version of PTX and the architecture since which it exists, what kind of instruction it is,
//! what it does with its first operand, how undefined values flow through it, and its cost. Everything that asks about
//! an instruction before it is lowered asks its row; a row that lacks an answer does not compile. A name may consist of
//! several words, such as `cp.async`; what follows it are modifiers, some of which are younger: see [`crate::younger`].

use crate::ast::{Inst, Operand, RegId};
use crate::cost::{self, Cost};
use crate::modifier::Modifier;
use crate::since::{Architectures, HOPPER, NINE, Since};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The version of PTX up to which the table has every instruction.
pub const KNOWN_VERSION: (u32, u32) = (9, 0);

/// The kinds of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpcodeKind {
    /// Computes registers of a lane from registers of the same lane.
    Computes,
    /// Reads memory.
    Load,
    /// Writes memory.
    Store,
    /// Reads and writes memory as one operation.
    Atomic,
    /// Concerns only the caches.
    Hint,
    /// Orders accesses to memory, or pauses the thread.
    Fence,
    /// Belongs to asynchronous copies.
    Copy,
    /// Operates on a barrier in shared memory.
    Mbarrier,
    /// Exchanges values among the lanes of a warp.
    Exchange,
    /// Moves or multiplies matrices with the lanes of one or more warps.
    Matrix,
    /// Accesses a texture or a surface.
    Texture,
    /// Waits for other threads.
    Barrier,
    /// Continues elsewhere, or ends the thread.
    Branch,
    /// Calls a function.
    Call,
    /// Ends the launch.
    Trap,
    /// Concerns the thread's stack, or the device.
    System,
    /// The machine does not execute it.
    Unmodelled,
}

/// What an instruction does with its first operand. It reads the others, and the base of every address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstOperand {
    /// Writes it.
    Written,
    /// Reads it.
    Read,
    /// Writes it if the barrier also combines values (`barrier.red`), and reads it otherwise.
    IfRed,
}

/// How undefined values flow through the part of an instruction that has no other role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueFlow {
    /// The result only depends on the operands, so that it may be computed again with others.
    Pure,
    /// The result is a comparison of the operands, which may agree by chance.
    Compare,
    /// It loads its result.
    Load,
    /// It stores its operand.
    Store,
    /// It copies its operand to another lane.
    Shuffle,
    /// It passes its operands to a function.
    Call,
    /// The results depend on the operands in another way.
    Opaque,
}

/// What other instructions it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitsFor {
    /// Those that write the registers that it reads.
    Registers,
    /// Those of earlier blocks: pending copies, and the accesses that a fence orders.
    Before,
    /// Additionally all those before it in its own block.
    All,
}

/// A row of the table.
struct Row {
    name: &'static str,
    since: Since,
    kind: OpcodeKind,
    first: FirstOperand,
    flow: ValueFlow,
    cost: fn(&Inst) -> Cost,
}

/// Declares the instructions: variant, name, the version of PTX and the architecture since when, kind, first operand,
/// flow, cost.
macro_rules! instructions {
    (@ $architecture:literal) => {
        Architectures::From($architecture)
    };
    (@ $architectures:ident) => {
        Architectures::Specific($architectures)
    };
    ($(
        $variant:ident $name:literal:
        $version:literal $since:tt, $kind:ident, $first:ident, $flow:ident, $cost:ident;
    )*) => {
        /// An instruction, without its modifiers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum Opcode {
            $($variant),*
        }

        impl Opcode {
            /// All instructions.
            pub const ALL: &[Opcode] = &[$(Opcode::$variant),*];

            const fn row(self) -> &'static Row {
                match self {
                    $(Opcode::$variant => const {
                        &Row {
                            name: $name,
                            since: Since::version(stringify!($version), instructions!(@ $since)),
                            kind: OpcodeKind::$kind,
                            first: FirstOperand::$first,
                            flow: ValueFlow::$flow,
                            cost: cost::$cost,
                        }
                    }),*
                }
            }
        }
    };
}

instructions! {
    // Sums, products, and what else computes a lane's registers from its own.
    Abs                       "abs":                           2.3 20,     Computes,   Written, Pure,    plain;
    Add                       "add":                           2.3 20,     Computes,   Written, Pure,    sum;
    Addc                      "addc":                          2.3 20,     Computes,   Written, Pure,    plain;
    And                       "and":                           2.3 20,     Computes,   Written, Pure,    logic;
    Bfe                       "bfe":                           2.3 20,     Computes,   Written, Pure,    plain;
    Bfi                       "bfi":                           2.3 20,     Computes,   Written, Pure,    plain;
    Bfind                     "bfind":                         2.3 20,     Computes,   Written, Pure,    bit_count;
    Bmsk                      "bmsk":                          7.6 70,     Computes,   Written, Pure,    plain;
    Brev                      "brev":                          2.3 20,     Computes,   Written, Pure,    bit_count;
    Clz                       "clz":                           2.3 20,     Computes,   Written, Pure,    bit_count;
    Cnot                      "cnot":                          2.3 20,     Computes,   Written, Pure,    plain;
    Copysign                  "copysign":                      2.3 20,     Computes,   Written, Pure,    plain;
    Cos                       "cos":                           2.3 20,     Computes,   Written, Pure,    function;
    Cvt                       "cvt":                           2.3 20,     Computes,   Written, Pure,    conversion;
    Cvta                      "cvta":                          2.3 20,     Computes,   Written, Pure,    free;
    Div                       "div":                           2.3 20,     Computes,   Written, Opaque,  function;
    Dp2a                      "dp2a":                          5.0 61,     Computes,   Written, Pure,    product;
    Dp4a                      "dp4a":                          5.0 61,     Computes,   Written, Pure,    product;
    Ex2                       "ex2":                           2.3 20,     Computes,   Written, Pure,    function;
    Fma                       "fma":                           2.3 20,     Computes,   Written, Pure,    product;
    Fns                       "fns":                           6.0 30,     Computes,   Written, Pure,    plain;
    Isspacep                  "isspacep":                      2.3 20,     Computes,   Written, Pure,    plain;
    Lg2                       "lg2":                           2.3 20,     Computes,   Written, Pure,    function;
    Lop3                      "lop3":                          4.3 50,     Computes,   Written, Pure,    plain;
    Mad                       "mad":                           2.3 20,     Computes,   Written, Pure,    product;
    Mad24                     "mad24":                         2.3 20,     Computes,   Written, Pure,    product;
    Madc                      "madc":                          3.0 20,     Computes,   Written, Pure,    product;
    Max                       "max":                           2.3 20,     Computes,   Written, Pure,    logic;
    Min                       "min":                           2.3 20,     Computes,   Written, Pure,    logic;
    Mov                       "mov":                           2.3 20,     Computes,   Written, Pure,    moved;
    Mul                       "mul":                           2.3 20,     Computes,   Written, Pure,    product;
    Mul24                     "mul24":                         2.3 20,     Computes,   Written, Pure,    product;
    Neg                       "neg":                           2.3 20,     Computes,   Written, Pure,    plain;
    Not                       "not":                           2.3 20,     Computes,   Written, Pure,    logic;
    Or                        "or":                            2.3 20,     Computes,   Written, Pure,    logic;
    Popc                      "popc":                          2.3 20,     Computes,   Written, Pure,    bit_count;
    Prmt                      "prmt":                          2.3 20,     Computes,   Written, Pure,    plain;
    Rcp                       "rcp":                           2.3 20,     Computes,   Written, Pure,    function;
    Rem                       "rem":                           2.3 20,     Computes,   Written, Opaque,  function;
    Rsqrt                     "rsqrt":                         2.3 20,     Computes,   Written, Pure,    function;
    Sad                       "sad":                           2.3 20,     Computes,   Written, Pure,    plain;
    Selp                      "selp":                          2.3 20,     Computes,   Written, Pure,    logic;
    Set                       "set":                           2.3 20,     Computes,   Written, Compare, plain;
    Setp                      "setp":                          2.3 20,     Computes,   Written, Compare, logic;
    Shf                       "shf":                           3.1 32,     Computes,   Written, Pure,    plain;
    Shl                       "shl":                           2.3 20,     Computes,   Written, Pure,    logic;
    Shr                       "shr":                           2.3 20,     Computes,   Written, Pure,    logic;
    Sin                       "sin":                           2.3 20,     Computes,   Written, Pure,    function;
    Slct                      "slct":                          2.3 20,     Computes,   Written, Pure,    plain;
    Sqrt                      "sqrt":                          2.3 20,     Computes,   Written, Pure,    function;
    Sub                       "sub":                           2.3 20,     Computes,   Written, Pure,    sum;
    Subc                      "subc":                          2.3 20,     Computes,   Written, Pure,    plain;
    Szext                     "szext":                         7.6 70,     Computes,   Written, Pure,    plain;
    Tanh                      "tanh":                          7.0 75,     Computes,   Written, Pure,    function;
    Testp                     "testp":                         2.3 20,     Computes,   Written, Compare, plain;
    Xor                       "xor":                           2.3 20,     Computes,   Written, Pure,    logic;
    // Video instructions, on bytes and half words.
    Vabsdiff                  "vabsdiff":                      2.3 20,     Computes,   Written, Opaque,  plain;
    Vabsdiff2                 "vabsdiff2":                     3.0 30,     Computes,   Written, Opaque,  plain;
    Vabsdiff4                 "vabsdiff4":                     3.0 30,     Computes,   Written, Opaque,  plain;
    Vadd                      "vadd":                          2.3 20,     Computes,   Written, Opaque,  plain;
    Vadd2                     "vadd2":                         3.0 30,     Computes,   Written, Opaque,  plain;
    Vadd4                     "vadd4":                         3.0 30,     Computes,   Written, Opaque,  plain;
    Vavrg2                    "vavrg2":                        3.0 30,     Computes,   Written, Opaque,  plain;
    Vavrg4                    "vavrg4":                        3.0 30,     Computes,   Written, Opaque,  plain;
    Vmad                      "vmad":                          2.3 20,     Computes,   Written, Opaque,  plain;
    Vmax                      "vmax":                          2.3 20,     Computes,   Written, Opaque,  plain;
    Vmax2                     "vmax2":                         3.0 30,     Computes,   Written, Opaque,  plain;
    Vmax4                     "vmax4":                         3.0 30,     Computes,   Written, Opaque,  plain;
    Vmin                      "vmin":                          2.3 20,     Computes,   Written, Opaque,  plain;
    Vmin2                     "vmin2":                         3.0 30,     Computes,   Written, Opaque,  plain;
    Vmin4                     "vmin4":                         3.0 30,     Computes,   Written, Opaque,  plain;
    Vset                      "vset":                          2.3 20,     Computes,   Written, Opaque,  plain;
    Vset2                     "vset2":                         3.0 30,     Computes,   Written, Opaque,  plain;
    Vset4                     "vset4":                         3.0 30,     Computes,   Written, Opaque,  plain;
    Vshl                      "vshl":                          2.3 20,     Computes,   Written, Opaque,  plain;
    Vshr                      "vshr":                          2.3 20,     Computes,   Written, Opaque,  plain;
    Vsub                      "vsub":                          2.3 20,     Computes,   Written, Opaque,  plain;
    Vsub2                     "vsub2":                         3.0 30,     Computes,   Written, Opaque,  plain;
    Vsub4                     "vsub4":                         3.0 30,     Computes,   Written, Opaque,  plain;
    // Addresses and the stack.
    Createpolicy              "createpolicy":                  7.4 80,     Computes,   Written, Opaque,  plain;
    Getctarank                "getctarank":                    7.8 90,     Computes,   Written, Opaque,  plain;
    Istypep                   "istypep":                       4.0 30,     Computes,   Written, Opaque,  plain;
    Mapa                      "mapa":                          7.8 90,     Computes,   Written, Opaque,  plain;
    Alloca                    "alloca":                        7.3 52,     System,     Written, Opaque,  plain;
    Stackrestore              "stackrestore":                  7.3 52,     System,     Read,    Opaque,  plain;
    Stacksave                 "stacksave":                     7.3 52,     System,     Written, Opaque,  plain;
    // Loads, stores and atomics.
    Atom                      "atom":                          2.3 20,     Atomic,     Written, Opaque,  atomic;
    Ld                        "ld":                            2.3 20,     Load,       Written, Load,    load;
    Ldu                       "ldu":                           2.3 20,     Load,       Written, Load,    load;
    Red                       "red":                           2.3 20,     Atomic,     Read,    Opaque,  sent;
    RedAsync                  "red.async":                     8.1 90,     Copy,       Read,    Opaque,  sent;
    St                        "st":                            2.3 20,     Store,      Read,    Store,   store;
    StAsync                   "st.async":                      8.1 90,     Copy,       Read,    Store,   sent;
    StBulk                    "st.bulk":                       8.6 100,    Store,      Read,    Opaque,  store;
    // Hints to the caches.
    Applypriority             "applypriority":                 7.4 80,     Hint,       Read,    Opaque,  sent;
    Discard                   "discard":                       7.4 80,     Hint,       Read,    Opaque,  sent;
    Prefetch                  "prefetch":                      2.3 20,     Hint,       Read,    Opaque,  sent;
    Prefetchu                 "prefetchu":                     2.3 20,     Hint,       Read,    Opaque,  sent;
    // Order.
    Fence                     "fence":                         6.0 70,     Fence,      Read,    Opaque,  fence;
    Membar                    "membar":                        2.3 20,     Fence,      Read,    Opaque,  fence;
    Nanosleep                 "nanosleep":                     6.2 70,     Fence,      Read,    Opaque,  pause;
    // Asynchronous copies, and the barriers in shared memory that count them.
    CpAsync                   "cp.async":                      7.0 80,     Copy,       Read,    Opaque,  sent;
    CpAsyncBulk               "cp.async.bulk":                 8.0 90,     Copy,       Read,    Opaque,  sent;
    CpAsyncBulkCommitGroup    "cp.async.bulk.commit_group":    8.0 90,     Copy,       Read,    Opaque,  sent;
    CpAsyncBulkPrefetch       "cp.async.bulk.prefetch":        8.0 90,     Copy,       Read,    Opaque,  sent;
    CpAsyncBulkPrefetchTensor "cp.async.bulk.prefetch.tensor": 8.0 90,     Copy,       Read,    Opaque,  sent;
    CpAsyncBulkTensor         "cp.async.bulk.tensor":          8.0 90,     Copy,       Read,    Opaque,  sent;
    CpAsyncBulkWaitGroup      "cp.async.bulk.wait_group":      8.0 90,     Copy,       Read,    Opaque,  copy_wait;
    CpAsyncCommitGroup        "cp.async.commit_group":         7.0 80,     Copy,       Read,    Opaque,  sent;
    CpAsyncMbarrierArrive     "cp.async.mbarrier.arrive":      7.0 80,     Copy,       Read,    Opaque,  sent;
    CpAsyncWaitAll            "cp.async.wait_all":             7.0 80,     Copy,       Read,    Opaque,  copy_wait;
    CpAsyncWaitGroup          "cp.async.wait_group":           7.0 80,     Copy,       Read,    Opaque,  copy_wait;
    CpReduceAsyncBulk         "cp.reduce.async.bulk":          8.0 90,     Copy,       Read,    Opaque,  sent;
    CpReduceAsyncBulkTensor   "cp.reduce.async.bulk.tensor":   8.0 90,     Copy,       Read,    Opaque,  sent;
    TensormapCpFenceproxy     "tensormap.cp_fenceproxy":       8.3 90,     System,     Read,    Opaque,  plain;
    TensormapReplace          "tensormap.replace":             8.3 NINE,   System,     Read,    Opaque,  plain;
    MbarrierArrive            "mbarrier.arrive":               7.0 80,     Mbarrier,   Written, Opaque,  plain;
    MbarrierArriveDrop        "mbarrier.arrive_drop":          7.0 80,     Mbarrier,   Written, Opaque,  plain;
    MbarrierCompleteTx        "mbarrier.complete_tx":          8.0 90,     Mbarrier,   Written, Opaque,  plain;
    MbarrierExpectTx          "mbarrier.expect_tx":            8.0 90,     Mbarrier,   Written, Opaque,  plain;
    MbarrierInit              "mbarrier.init":                 7.0 80,     Mbarrier,   Written, Opaque,  plain;
    MbarrierInval             "mbarrier.inval":                7.0 80,     Mbarrier,   Written, Opaque,  plain;
    MbarrierPendingCount      "mbarrier.pending_count":        7.0 80,     Mbarrier,   Written, Opaque,  plain;
    MbarrierTestWait          "mbarrier.test_wait":            7.0 80,     Mbarrier,   Written, Opaque,  plain;
    MbarrierTryWait           "mbarrier.try_wait":             7.8 90,     Mbarrier,   Written, Opaque,  plain;
    // Operations among the lanes of a warp.
    Activemask                "activemask":                    6.2 30,     Exchange,   Written, Opaque,  exchange;
    Elect                     "elect":                         8.0 90,     Exchange,   Written, Opaque,  plain;
    Match                     "match":                         6.0 70,     Exchange,   Written, Opaque,  exchange;
    Redux                     "redux":                         7.0 80,     Exchange,   Written, Opaque,  exchange;
    Shfl                      "shfl":                          3.0 30,     Exchange,   Written, Shuffle, exchange;
    Vote                      "vote":                          2.3 20,     Exchange,   Written, Opaque,  exchange;
    // Matrices.
    Ldmatrix                  "ldmatrix":                      6.5 75,     Matrix,     Written, Opaque,  fragment_load;
    Mma                       "mma":                           6.4 70,     Matrix,     Written, Opaque,  mma_product;
    Movmatrix                 "movmatrix":                     7.8 75,     Matrix,     Written, Opaque,  exchange;
    Stmatrix                  "stmatrix":                      7.8 90,     Matrix,     Read,    Opaque,  sent;
    WmmaLoad                  "wmma.load":                     6.0 70,     Matrix,     Written, Opaque,  tile_load;
    WmmaMma                   "wmma.mma":                      6.0 70,     Matrix,     Written, Opaque,  tile_product;
    WmmaStore                 "wmma.store":                    6.0 70,     Matrix,     Read,    Opaque,  sent;
    WgmmaCommitGroup          "wgmma.commit_group":            8.0 HOPPER, Matrix,     Read,    Opaque,  control;
    WgmmaFence                "wgmma.fence":                   8.0 HOPPER, Matrix,     Read,    Opaque,  control;
    WgmmaMmaAsync             "wgmma.mma_async":               8.0 HOPPER, Matrix,     Written, Opaque,  wgmma_product;
    WgmmaWaitGroup            "wgmma.wait_group":              8.0 HOPPER, Matrix,     Read,    Opaque,  warpgroup_wait;
    // Textures and surfaces.
    SuldB                     "suld.b":                        3.1 20,     Texture,    Written, Opaque,  fetch;
    Suq                       "suq":                           3.1 20,     Computes,   Written, Opaque,  plain;
    SuredB                    "sured.b":                       3.1 20,     Texture,    Read,    Opaque,  sent;
    SuredP                    "sured.p":                       3.1 20,     Texture,    Read,    Opaque,  sent;
    SustB                     "sust.b":                        3.1 20,     Texture,    Read,    Opaque,  sent;
    SustP                     "sust.p":                        3.1 20,     Texture,    Read,    Opaque,  sent;
    Tex                       "tex":                           3.1 20,     Texture,    Written, Opaque,  fetch;
    Tld4                      "tld4":                          3.1 20,     Texture,    Written, Opaque,  fetch;
    Txq                       "txq":                           3.1 20,     Computes,   Written, Opaque,  plain;
    // Control.
    Bar                       "bar":                           2.3 20,     Barrier,    IfRed,   Opaque,  barrier;
    BarWarp                   "bar.warp":                      6.0 30,     Barrier,    Read,    Opaque,  barrier;
    Barrier                   "barrier":                       6.0 30,     Barrier,    IfRed,   Opaque,  barrier;
    BarrierClusterArrive      "barrier.cluster.arrive":        7.8 90,     Barrier,    Read,    Opaque,  barrier;
    BarrierClusterWait        "barrier.cluster.wait":          7.8 90,     Barrier,    Read,    Opaque,  barrier;
    Bra                       "bra":                           2.3 20,     Branch,     Read,    Opaque,  branch;
    Brkpt                     "brkpt":                         2.3 20,     Trap,       Read,    Opaque,  branch;
    Brx                       "brx":                           6.0 30,     Branch,     Read,    Opaque,  branch;
    Call                      "call":                          2.3 20,     Call,       Written, Call,    branch;
    Exit                      "exit":                          2.3 20,     Branch,     Read,    Opaque,  branch;
    Ret                       "ret":                           2.3 20,     Branch,     Read,    Opaque,  branch;
    Trap                      "trap":                          2.3 20,     Trap,       Read,    Opaque,  branch;
    // The device.
    Griddepcontrol            "griddepcontrol":                7.8 90,     System,     Read,    Opaque,  plain;
    Pmevent                   "pmevent":                       2.3 20,     System,     Read,    Opaque,  plain;
    Setmaxnreg                "setmaxnreg":                    8.0 NINE,   System,     Read,    Opaque,  plain;
    // What the machine does not execute.
    Clusterlaunchcontrol      "clusterlaunchcontrol":          8.6 100,    Unmodelled, Written, Opaque,  unmodelled;
    Multimem                  "multimem":                      8.1 90,     Unmodelled, Written, Opaque,  unmodelled;
    Tcgen05                   "tcgen05":                       8.6 100,    Unmodelled, Written, Opaque,  unmodelled;
    // What a later version of PTX may have.
    Unknown                   "":                              9.0 20,     Unmodelled, Written, Opaque,  unmodelled;
}

/// The instructions by the first word of their names, those with longer names first.
static BY_WORD: LazyLock<HashMap<&str, Vec<Opcode>>> = LazyLock::new(|| {
    let mut by_word: HashMap<&str, Vec<Opcode>> = HashMap::new();
    for opcode in Opcode::ALL {
        let word = opcode.name().split('.').next().unwrap_or_default();
        by_word.entry(word).or_default().push(*opcode);
    }
    for opcodes in by_word.values_mut() {
        opcodes.sort_by_key(|opcode| std::cmp::Reverse(opcode.name().len()));
    }
    by_word
});

impl Opcode {
    /// Returns the instruction that a text names: the one with the longest name that the text begins with.
    pub fn of(text: &str) -> Option<Opcode> {
        let word = text.split('.').next().unwrap_or_default();
        let begins = |opcode: &&Opcode| {
            let rest = text.strip_prefix(opcode.name());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        BY_WORD.get(word)?.iter().find(begins).copied()
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Since when it exists, without its younger modifiers.
    pub const fn since(self) -> Since {
        self.row().since
    }

    /// Its kind.
    pub const fn kind(self) -> OpcodeKind {
        self.row().kind
    }

    /// How undefined values flow through it.
    pub const fn flow(self) -> ValueFlow {
        self.row().flow
    }

    /// Whether the assembler may execute it under a predicate instead of branching around it. It branches around what
    /// several lanes do together, copies and atomics.
    pub const fn may_be_predicated(self) -> bool {
        !matches!(
            self.kind(),
            OpcodeKind::Barrier | OpcodeKind::Exchange | OpcodeKind::Matrix | OpcodeKind::Copy | OpcodeKind::Atomic
        )
    }

    /// What other instructions it waits for.
    pub const fn waits_for(self) -> WaitsFor {
        match self.kind() {
            OpcodeKind::Barrier => WaitsFor::All,
            OpcodeKind::Fence | OpcodeKind::Copy => WaitsFor::Before,
            _ if matches!(self, Opcode::WgmmaWaitGroup) => WaitsFor::Before,
            _ => WaitsFor::Registers,
        }
    }
}

impl Inst {
    /// Its cost, if the assembler does not fuse it with others.
    pub fn cost(&self) -> Cost {
        (self.opcode.row().cost)(self)
    }

    /// Calls `see` with each register that it writes.
    pub fn each_written(&self, mut see: impl FnMut(RegId)) {
        if let Some(result) = self.result() {
            result.each_register(&mut see);
        }
    }

    /// Calls `see` with each register that it reads, the guard last.
    pub fn each_read(&self, mut see: impl FnMut(RegId)) {
        for operand in &self.operands[usize::from(self.result().is_some())..] {
            operand.each_register(&mut see);
        }
        if let Some((register, _)) = self.guard {
            see(register);
        }
    }

    /// Whether it reads a register.
    pub fn reads(&self, register: RegId) -> bool {
        let mut is_read = false;
        self.each_read(|read| is_read |= read == register);
        is_read
    }

    /// Returns the registers that it writes, and those that it reads.
    pub fn registers(&self) -> (Vec<RegId>, Vec<RegId>) {
        let (mut writes, mut reads) = (Vec::new(), Vec::new());
        self.each_written(|register| writes.push(register));
        self.each_read(|register| reads.push(register));
        (writes, reads)
    }

    /// Its first operand, if it is written. The registers of an address are read.
    fn result(&self) -> Option<&Operand> {
        let first = self.operands.first().filter(|operand| !matches!(operand, Operand::Mem(..)))?;
        let is_written = match self.opcode.row().first {
            FirstOperand::Written => true,
            FirstOperand::Read => false,
            FirstOperand::IfRed => self.has(Modifier::Red),
        };
        is_written.then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::Opcode;

    #[test]
    fn the_longest_name_that_fits_is_found() {
        let name = |text| Opcode::of(text).map(Opcode::name);
        assert_eq!(name("bar.warp.sync"), Some("bar.warp"));
        assert_eq!(name("bar.sync"), Some("bar"));
        assert_eq!(name("cp.async.wait_all"), Some("cp.async.wait_all"));
        assert_eq!(name("cp.async.ca.shared.global"), Some("cp.async"));
        assert_eq!(name("add.s32"), Some("add"));
        assert_eq!(name("adder.s32"), None);
        assert_eq!(name("ldmatrix.sync"), Some("ldmatrix"));
        assert_eq!(name("barrier"), Some("barrier"));
    }
}

//! The instructions: one row for each.
//!
//! A row has the name, what kind of instruction it is, what it does with its first operand, how undefined values flow
//! through it, and its cost. Everything that asks about an instruction before it is lowered asks its row; a row that
//! lacks an answer does not compile. A name may consist of several words, such as `cp.async`; what follows it are
//! modifiers. The architectures that have an instruction depend on its modifiers: see [`crate::capability`].

use crate::ast::{Inst, Operand, RegId};
use crate::cost::{self, Cost};
use crate::modifier::Modifier;
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
    WrittenIfRed,
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
    kind: OpcodeKind,
    first: FirstOperand,
    flow: ValueFlow,
    cost: fn(&Inst) -> Cost,
}

/// Declares the instructions: variant, name, kind, first operand, flow, cost.
macro_rules! instructions {
    ($($variant:ident $name:literal: $kind:ident, $first:ident, $flow:ident, $cost:ident;)*) => {
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
                    $(Opcode::$variant => &Row {
                        name: $name,
                        kind: OpcodeKind::$kind,
                        first: FirstOperand::$first,
                        flow: ValueFlow::$flow,
                        cost: cost::$cost,
                    }),*
                }
            }
        }
    };
}

instructions! {
    // Sums, products, and what else computes a lane's registers from its own.
    Abs                       "abs":                           Computes,   Written,      Pure,    plain;
    Add                       "add":                           Computes,   Written,      Pure,    sum;
    Addc                      "addc":                          Computes,   Written,      Pure,    plain;
    And                       "and":                           Computes,   Written,      Pure,    logic;
    Bfe                       "bfe":                           Computes,   Written,      Pure,    plain;
    Bfi                       "bfi":                           Computes,   Written,      Pure,    plain;
    Bfind                     "bfind":                         Computes,   Written,      Pure,    bit_count;
    Bmsk                      "bmsk":                          Computes,   Written,      Pure,    plain;
    Brev                      "brev":                          Computes,   Written,      Pure,    bit_count;
    Clz                       "clz":                           Computes,   Written,      Pure,    bit_count;
    Cnot                      "cnot":                          Computes,   Written,      Pure,    plain;
    Copysign                  "copysign":                      Computes,   Written,      Pure,    plain;
    Cos                       "cos":                           Computes,   Written,      Pure,    function;
    Cvt                       "cvt":                           Computes,   Written,      Pure,    conversion;
    Cvta                      "cvta":                          Computes,   Written,      Pure,    free;
    Div                       "div":                           Computes,   Written,      Opaque,  function;
    Dp2a                      "dp2a":                          Computes,   Written,      Pure,    product;
    Dp4a                      "dp4a":                          Computes,   Written,      Pure,    product;
    Ex2                       "ex2":                           Computes,   Written,      Pure,    function;
    Fma                       "fma":                           Computes,   Written,      Pure,    product;
    Fns                       "fns":                           Computes,   Written,      Pure,    plain;
    Isspacep                  "isspacep":                      Computes,   Written,      Pure,    plain;
    Lg2                       "lg2":                           Computes,   Written,      Pure,    function;
    Lop3                      "lop3":                          Computes,   Written,      Pure,    plain;
    Mad                       "mad":                           Computes,   Written,      Pure,    product;
    Mad24                     "mad24":                         Computes,   Written,      Pure,    product;
    Madc                      "madc":                          Computes,   Written,      Pure,    product;
    Max                       "max":                           Computes,   Written,      Pure,    logic;
    Min                       "min":                           Computes,   Written,      Pure,    logic;
    Mov                       "mov":                           Computes,   Written,      Pure,    moved;
    Mul                       "mul":                           Computes,   Written,      Pure,    product;
    Mul24                     "mul24":                         Computes,   Written,      Pure,    product;
    Neg                       "neg":                           Computes,   Written,      Pure,    plain;
    Not                       "not":                           Computes,   Written,      Pure,    logic;
    Or                        "or":                            Computes,   Written,      Pure,    logic;
    Popc                      "popc":                          Computes,   Written,      Pure,    bit_count;
    Prmt                      "prmt":                          Computes,   Written,      Pure,    plain;
    Rcp                       "rcp":                           Computes,   Written,      Pure,    function;
    Rem                       "rem":                           Computes,   Written,      Opaque,  function;
    Rsqrt                     "rsqrt":                         Computes,   Written,      Pure,    function;
    Sad                       "sad":                           Computes,   Written,      Pure,    plain;
    Selp                      "selp":                          Computes,   Written,      Pure,    logic;
    Set                       "set":                           Computes,   Written,      Compare, plain;
    Setp                      "setp":                          Computes,   Written,      Compare, logic;
    Shf                       "shf":                           Computes,   Written,      Pure,    plain;
    Shl                       "shl":                           Computes,   Written,      Pure,    logic;
    Shr                       "shr":                           Computes,   Written,      Pure,    logic;
    Sin                       "sin":                           Computes,   Written,      Pure,    function;
    Slct                      "slct":                          Computes,   Written,      Pure,    plain;
    Sqrt                      "sqrt":                          Computes,   Written,      Pure,    function;
    Sub                       "sub":                           Computes,   Written,      Pure,    sum;
    Subc                      "subc":                          Computes,   Written,      Pure,    plain;
    Szext                     "szext":                         Computes,   Written,      Pure,    plain;
    Tanh                      "tanh":                          Computes,   Written,      Pure,    function;
    Testp                     "testp":                         Computes,   Written,      Compare, plain;
    Xor                       "xor":                           Computes,   Written,      Pure,    logic;
    // Video instructions, on bytes and half words.
    Vabsdiff                  "vabsdiff":                      Computes,   Written,      Opaque,  plain;
    Vabsdiff2                 "vabsdiff2":                     Computes,   Written,      Opaque,  plain;
    Vabsdiff4                 "vabsdiff4":                     Computes,   Written,      Opaque,  plain;
    Vadd                      "vadd":                          Computes,   Written,      Opaque,  plain;
    Vadd2                     "vadd2":                         Computes,   Written,      Opaque,  plain;
    Vadd4                     "vadd4":                         Computes,   Written,      Opaque,  plain;
    Vavrg2                    "vavrg2":                        Computes,   Written,      Opaque,  plain;
    Vavrg4                    "vavrg4":                        Computes,   Written,      Opaque,  plain;
    Vmad                      "vmad":                          Computes,   Written,      Opaque,  plain;
    Vmax                      "vmax":                          Computes,   Written,      Opaque,  plain;
    Vmax2                     "vmax2":                         Computes,   Written,      Opaque,  plain;
    Vmax4                     "vmax4":                         Computes,   Written,      Opaque,  plain;
    Vmin                      "vmin":                          Computes,   Written,      Opaque,  plain;
    Vmin2                     "vmin2":                         Computes,   Written,      Opaque,  plain;
    Vmin4                     "vmin4":                         Computes,   Written,      Opaque,  plain;
    Vset                      "vset":                          Computes,   Written,      Opaque,  plain;
    Vset2                     "vset2":                         Computes,   Written,      Opaque,  plain;
    Vset4                     "vset4":                         Computes,   Written,      Opaque,  plain;
    Vshl                      "vshl":                          Computes,   Written,      Opaque,  plain;
    Vshr                      "vshr":                          Computes,   Written,      Opaque,  plain;
    Vsub                      "vsub":                          Computes,   Written,      Opaque,  plain;
    Vsub2                     "vsub2":                         Computes,   Written,      Opaque,  plain;
    Vsub4                     "vsub4":                         Computes,   Written,      Opaque,  plain;
    // Addresses and the stack.
    Createpolicy              "createpolicy":                  Computes,   Written,      Opaque,  plain;
    Getctarank                "getctarank":                    Computes,   Written,      Opaque,  plain;
    Istypep                   "istypep":                       Computes,   Written,      Opaque,  plain;
    Mapa                      "mapa":                          Computes,   Written,      Opaque,  plain;
    Alloca                    "alloca":                        System,     Written,      Opaque,  plain;
    Stackrestore              "stackrestore":                  System,     Read,         Opaque,  plain;
    Stacksave                 "stacksave":                     System,     Written,      Opaque,  plain;
    // Loads, stores and atomics.
    Atom                      "atom":                          Atomic,     Written,      Opaque,  atomic;
    Ld                        "ld":                            Load,       Written,      Load,    load;
    Ldu                       "ldu":                           Load,       Written,      Load,    load;
    Red                       "red":                           Atomic,     Read,         Opaque,  sent;
    RedAsync                  "red.async":                     Copy,       Read,         Opaque,  sent;
    St                        "st":                            Store,      Read,         Store,   store;
    StAsync                   "st.async":                      Copy,       Read,         Store,   sent;
    // Hints to the caches.
    Applypriority             "applypriority":                 Hint,       Read,         Opaque,  sent;
    Discard                   "discard":                       Hint,       Read,         Opaque,  sent;
    Prefetch                  "prefetch":                      Hint,       Read,         Opaque,  sent;
    Prefetchu                 "prefetchu":                     Hint,       Read,         Opaque,  sent;
    // Order.
    Fence                     "fence":                         Fence,      Read,         Opaque,  fence;
    Membar                    "membar":                        Fence,      Read,         Opaque,  fence;
    Nanosleep                 "nanosleep":                     Fence,      Read,         Opaque,  pause;
    // Asynchronous copies, and the barriers in shared memory that count them.
    CpAsync                   "cp.async":                      Copy,       Read,         Opaque,  sent;
    CpAsyncBulk               "cp.async.bulk":                 Copy,       Read,         Opaque,  sent;
    CpAsyncBulkCommitGroup    "cp.async.bulk.commit_group":    Copy,       Read,         Opaque,  sent;
    CpAsyncBulkPrefetch       "cp.async.bulk.prefetch":        Copy,       Read,         Opaque,  sent;
    CpAsyncBulkPrefetchTensor "cp.async.bulk.prefetch.tensor": Copy,       Read,         Opaque,  sent;
    CpAsyncBulkTensor         "cp.async.bulk.tensor":          Copy,       Read,         Opaque,  sent;
    CpAsyncBulkWaitGroup      "cp.async.bulk.wait_group":      Copy,       Read,         Opaque,  copy_wait;
    CpAsyncCommitGroup        "cp.async.commit_group":         Copy,       Read,         Opaque,  sent;
    CpAsyncMbarrierArrive     "cp.async.mbarrier.arrive":      Copy,       Read,         Opaque,  sent;
    CpAsyncWaitAll            "cp.async.wait_all":             Copy,       Read,         Opaque,  copy_wait;
    CpAsyncWaitGroup          "cp.async.wait_group":           Copy,       Read,         Opaque,  copy_wait;
    CpReduceAsyncBulk         "cp.reduce.async.bulk":          Copy,       Read,         Opaque,  sent;
    CpReduceAsyncBulkTensor   "cp.reduce.async.bulk.tensor":   Copy,       Read,         Opaque,  sent;
    TensormapCpFenceproxy     "tensormap.cp_fenceproxy":       System,     Read,         Opaque,  plain;
    TensormapReplace          "tensormap.replace":             System,     Read,         Opaque,  plain;
    MbarrierArrive            "mbarrier.arrive":               Mbarrier,   Written,      Opaque,  plain;
    MbarrierArriveDrop        "mbarrier.arrive_drop":          Mbarrier,   Written,      Opaque,  plain;
    MbarrierCompleteTx        "mbarrier.complete_tx":          Mbarrier,   Written,      Opaque,  plain;
    MbarrierExpectTx          "mbarrier.expect_tx":            Mbarrier,   Written,      Opaque,  plain;
    MbarrierInit              "mbarrier.init":                 Mbarrier,   Written,      Opaque,  plain;
    MbarrierInval             "mbarrier.inval":                Mbarrier,   Written,      Opaque,  plain;
    MbarrierPendingCount      "mbarrier.pending_count":        Mbarrier,   Written,      Opaque,  plain;
    MbarrierTestWait          "mbarrier.test_wait":            Mbarrier,   Written,      Opaque,  plain;
    MbarrierTryWait           "mbarrier.try_wait":             Mbarrier,   Written,      Opaque,  plain;
    // Operations among the lanes of a warp.
    Activemask                "activemask":                    Exchange,   Written,      Opaque,  exchange;
    Elect                     "elect":                         Exchange,   Written,      Opaque,  plain;
    Match                     "match":                         Exchange,   Written,      Opaque,  exchange;
    Redux                     "redux":                         Exchange,   Written,      Opaque,  exchange;
    Shfl                      "shfl":                          Exchange,   Written,      Shuffle, exchange;
    Vote                      "vote":                          Exchange,   Written,      Opaque,  exchange;
    // Matrices.
    Ldmatrix                  "ldmatrix":                      Matrix,     Written,      Opaque,  fragment_load;
    Mma                       "mma":                           Matrix,     Written,      Opaque,  fragment_product;
    Movmatrix                 "movmatrix":                     Matrix,     Written,      Opaque,  exchange;
    Stmatrix                  "stmatrix":                      Matrix,     Read,         Opaque,  sent;
    WmmaLoad                  "wmma.load":                     Matrix,     Written,      Opaque,  tile_load;
    WmmaMma                   "wmma.mma":                      Matrix,     Written,      Opaque,  tile_product;
    WmmaStore                 "wmma.store":                    Matrix,     Read,         Opaque,  sent;
    WgmmaCommitGroup          "wgmma.commit_group":            Matrix,     Read,         Opaque,  control;
    WgmmaFence                "wgmma.fence":                   Matrix,     Read,         Opaque,  control;
    WgmmaMmaAsync             "wgmma.mma_async":               Matrix,     Written,      Opaque,  warpgroup_product;
    WgmmaWaitGroup            "wgmma.wait_group":              Matrix,     Read,         Opaque,  warpgroup_wait;
    // Textures and surfaces.
    SuldB                     "suld.b":                        Texture,    Written,      Opaque,  fetch;
    Suq                       "suq":                           Computes,   Written,      Opaque,  plain;
    SuredB                    "sured.b":                       Texture,    Read,         Opaque,  sent;
    SuredP                    "sured.p":                       Texture,    Read,         Opaque,  sent;
    SustB                     "sust.b":                        Texture,    Read,         Opaque,  sent;
    SustP                     "sust.p":                        Texture,    Read,         Opaque,  sent;
    Tex                       "tex":                           Texture,    Written,      Opaque,  fetch;
    Tld4                      "tld4":                          Texture,    Written,      Opaque,  fetch;
    Txq                       "txq":                           Computes,   Written,      Opaque,  plain;
    // Control.
    Bar                       "bar":                           Barrier,    WrittenIfRed, Opaque,  barrier;
    BarWarp                   "bar.warp":                      Barrier,    Read,         Opaque,  barrier;
    Barrier                   "barrier":                       Barrier,    WrittenIfRed, Opaque,  barrier;
    BarrierClusterArrive      "barrier.cluster.arrive":        Barrier,    Read,         Opaque,  barrier;
    BarrierClusterWait        "barrier.cluster.wait":          Barrier,    Read,         Opaque,  barrier;
    Bra                       "bra":                           Branch,     Read,         Opaque,  branch;
    Brkpt                     "brkpt":                         Trap,       Read,         Opaque,  branch;
    Brx                       "brx":                           Branch,     Read,         Opaque,  branch;
    Call                      "call":                          Call,       Written,      Call,    branch;
    Exit                      "exit":                          Branch,     Read,         Opaque,  branch;
    Ret                       "ret":                           Branch,     Read,         Opaque,  branch;
    Trap                      "trap":                          Trap,       Read,         Opaque,  branch;
    // The device.
    Griddepcontrol            "griddepcontrol":                System,     Read,         Opaque,  plain;
    Pmevent                   "pmevent":                       System,     Read,         Opaque,  plain;
    Setmaxnreg                "setmaxnreg":                    System,     Read,         Opaque,  plain;
    // What the machine does not execute.
    Clusterlaunchcontrol      "clusterlaunchcontrol":          Unmodelled, Written,      Opaque,  unmodelled;
    Multimem                  "multimem":                      Unmodelled, Written,      Opaque,  unmodelled;
    Tcgen05                   "tcgen05":                       Unmodelled, Written,      Opaque,  unmodelled;
    // What a later version of PTX may have.
    Unknown                   "":                              Unmodelled, Written,      Opaque,  unmodelled;
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
            FirstOperand::WrittenIfRed => self.has(Modifier::Red),
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

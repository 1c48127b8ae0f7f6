//! The syntax tree of a PTX module: names are resolved and scopes flattened, but nothing is interpreted yet.
//!
//! The parser resolves names by PTX's scopes: a register named inside nested braces may shadow one outside. Every
//! declaration therefore gets its own [`RegId`], and operands refer to registers by it.

use crate::modifier::Modifier;
use crate::opcode::Opcode;
pub use wire::finding::Space;

/// Declares the fundamental types: the variant, its name, and its bytes.
macro_rules! types {
    ($($name:ident $word:literal $size:literal),* $(,)?) => {
        /// A PTX fundamental type (`.b8` ... `.f64`, `.pred`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum Type {
            $($name),*
        }

        impl Type {
            /// All types.
            pub const ALL: &[Type] = &[$(Type::$name),*];

            /// The fundamental type with this name, given without its dot.
            pub fn named(word: &str) -> Option<Type> {
                match word {
                    $($word => Some(Type::$name),)*
                    _ => None,
                }
            }

            /// Its name, without the dot.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Type::$name => $word),*
                }
            }

            /// Size in bytes. A predicate has no size in memory and counts as 1.
            pub const fn size(self) -> u32 {
                match self {
                    $(Type::$name => $size),*
                }
            }
        }
    };
}

types! {
    B8 "b8" 1,
    B16 "b16" 2,
    B32 "b32" 4,
    B64 "b64" 8,
    B128 "b128" 16,
    U8 "u8" 1,
    U16 "u16" 2,
    U32 "u32" 4,
    U64 "u64" 8,
    S8 "s8" 1,
    S16 "s16" 2,
    S32 "s32" 4,
    S64 "s64" 8,
    F16 "f16" 2,
    F16x2 "f16x2" 4,
    Bf16 "bf16" 2,
    Bf16x2 "bf16x2" 4,
    F32 "f32" 4,
    F64 "f64" 8,
    Pred "pred" 1,
}

/// A register of one function: an index into [`Body::regs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegId(pub u32);

/// A register's declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Reg {
    /// The name as written, with the percent sign (`%r12`). Two registers of nested scopes may share a name.
    pub name: String,
    /// Its declared type.
    pub ty: Type,
}

/// A place in the source from which the PTX was compiled (`.loc`), and the place in the PTX itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Loc {
    /// Line in the PTX text, counted from 1.
    pub ptx_line: u32,
    /// Index of the `.file` directive, 0 when the PTX holds no line information.
    pub file: u32,
    /// Line in that file, counted from 1; 0 when unknown.
    pub line: u32,
    /// Column, counted from 1; 0 when unknown.
    pub column: u32,
    /// For inlined code: the call site, as an index into [`Module::inlines`] plus one; 0 for code that is not inlined.
    pub inlined: u32,
}

/// The call site of inlined code (`.loc ..., function_name X, inlined_at F L C`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inline {
    /// The inlined function's (mangled) name, empty when the PTX does not hold it.
    pub function: String,
    /// Where it was called.
    pub at: Loc,
}

/// A special register (`%tid.x`, `%laneid`, ...).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Special {
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    LaneId,
    WarpId,
    NwarpId,
    SmId,
    NsmId,
    GridId,
    LanemaskEq,
    LanemaskLe,
    LanemaskLt,
    LanemaskGe,
    LanemaskGt,
    Clock,
    ClockHi,
    Clock64,
    GlobalTimer,
    GlobalTimerLo,
    GlobalTimerHi,
    EnvReg(u8),
    TotalSmemSize,
    DynamicSmemSize,
    AggrSmemSize,
    ClusterId(u8),
    NclusterId(u8),
    ClusterCtaid(u8),
    ClusterNctaid(u8),
    ClusterCtaRank,
    ClusterNctaRank,
    IsExplicitCluster,
    /// `%reserved_smem_offset_begin` (0), `_end` (1), `_cap` (2), `_0` (3) and `_1` (4).
    ReservedSmem(u8),
    /// The constant `WARP_SZ`.
    WarpSize,
}

/// The base of an address operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Base {
    /// A register.
    Reg(RegId),
    /// A variable or parameter.
    Sym(String),
    /// No base: an absolute address.
    None,
}

/// Bytes or half words of a register, as operands of a video instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterPart {
    /// Whether the value is negated: `-%r1`, `-%r1.h0`.
    pub negative: bool,
    /// Whether they are bytes (`.b3`), and not half words (`.h10`).
    pub bytes: bool,
    /// The selected ones, that of the result's highest part first; empty for the whole register.
    pub picks: Vec<u8>,
}

/// One operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register.
    Reg(RegId),
    /// `!%p`: a predicate register, negated.
    NotReg(RegId),
    /// `%r1.b0`, `-%r1.h1`: parts of a register.
    Part(RegId, RegisterPart),
    /// An integer literal, as 64 bits (sign-extended when written with a minus).
    Int(i64),
    /// `0fXXXXXXXX`: the bits of an f32.
    F32(u32),
    /// `0dXXXXXXXXXXXXXXXX` or a decimal literal: the bits of an f64.
    F64(u64),
    /// A special register or `WARP_SZ`.
    Special(Special),
    /// A variable's or function's name, with a byte offset (`mov.u64 %rd1, table+8`).
    Sym(String, i64),
    /// A label of the same function: an index into [`Body::code`] (which may equal its length).
    Label(u32),
    /// `[base+offset]`.
    Mem(Base, i64),
    /// `{%r1, %r2, _}`: a vector; also the parenthesised lists of `call`.
    Vec(Vec<Operand>),
    /// `%p|%q`: the two destinations of `setp`, of a `shfl` or of a `match`; `{%f1, ...}|%p`: those of a fetch.
    Pair(Box<Operand>, Box<Operand>),
    /// `_`: a value that is discarded.
    Discard,
}

impl Operand {
    /// Calls `see` with each register in it, in the order written.
    pub fn each_register(&self, see: &mut impl FnMut(RegId)) {
        match self {
            Operand::Reg(r) | Operand::NotReg(r) | Operand::Part(r, _) | Operand::Mem(Base::Reg(r), _) => see(*r),
            Operand::Vec(list) => list.iter().for_each(|operand| operand.each_register(see)),
            Operand::Pair(a, b) => {
                a.each_register(see);
                b.each_register(see);
            }
            _ => {}
        }
    }
}

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst {
    /// The guard: `@%p`, or `@!%p` (then the flag is true).
    pub guard: Option<(RegId, bool)>,
    /// The instruction, without its modifiers.
    pub opcode: Opcode,
    text: String,
    pub(crate) modifiers: Vec<Modifier>,
    /// Operands in the order written. A `call` is `[Vec(returns), function, Vec(arguments), prototype Sym?]`; the
    /// function is a `Sym`, or a `Reg` that holds its address. A tensor or texture address `[map, {x, y}]` is a `Vec`
    /// of its parts.
    pub operands: Vec<Operand>,
    /// Its place in the source.
    pub loc: Loc,
}

impl Inst {
    /// Creates an instruction without a guard from its name and modifiers as written.
    pub fn new(opcode: Opcode, text: String, operands: Vec<Operand>) -> Inst {
        let mut inst = Inst { guard: None, opcode, text, modifiers: Vec::new(), operands, loc: Loc::default() };
        inst.modifiers = inst.words().map(Modifier::named).collect();
        inst
    }

    /// Its name and modifiers as written: `ld.global.nc.v4.f32`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Replaces its name and modifiers.
    pub fn rename(&mut self, opcode: Opcode, text: String) {
        (self.opcode, self.text) = (opcode, text);
        self.modifiers = self.words().map(Modifier::named).collect();
    }
}

/// The initial value of a variable, as bytes in which the addresses of symbols are not filled in yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Init {
    /// Little-endian bytes; shorter than the variable when the rest is zero.
    pub bytes: Vec<u8>,
    /// The places in `bytes` that take a symbol's address.
    pub relocations: Vec<Relocation>,
}

/// A symbol's address inside an initialiser.
#[derive(Clone, Debug, PartialEq)]
pub struct Relocation {
    /// Byte offset in the variable.
    pub offset: u32,
    /// The symbol.
    pub symbol: String,
    /// Added to its address.
    pub addend: i64,
    /// Bytes to fill: 4 or 8.
    pub size: u32,
    /// Whether it is written as `generic(symbol)`.
    pub generic: bool,
}

/// A variable of `.global`, `.const`, `.shared`, `.local` or `.param` space.
#[derive(Clone, Debug, PartialEq)]
pub struct Var {
    /// Its space.
    pub space: Space,
    /// Name, unique in the module or function (the parser renames shadowing variables of nested scopes).
    pub name: String,
    /// Element type.
    pub ty: Type,
    /// Alignment in bytes.
    pub align: u32,
    /// The number of elements of each dimension, the first being 0 for `[]`; empty if it is not an array.
    pub dimensions: Vec<u64>,
    /// Components of an element that is a vector, otherwise 1.
    pub vector: u32,
    /// Size in bytes; 0 for `[]` (dynamic shared memory, or an external array).
    pub size: u64,
    /// `.extern`.
    pub external: bool,
    /// `.visible`, `.weak` or `.common`: can be found by name from outside the module.
    pub visible: bool,
    /// `.attribute(.managed)`: `__managed__`.
    pub managed: bool,
    /// Initial value.
    pub init: Option<Init>,
    /// Line in the PTX.
    pub ptx_line: u32,
}

impl Var {
    /// Bytes of an element.
    pub fn size_of_element(&self) -> i64 {
        i64::from(self.vector) * i64::from(self.ty.size())
    }
}

/// What a kernel specifies about clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClusterNeeds {
    /// `.reqnctapercluster` x, y, z: blocks of a cluster.
    pub required: Option<[u32; 3]>,
    /// `.explicitcluster`: every launch must specify the size of its clusters.
    pub explicit: bool,
    /// `.maxclusterrank`: the maximum number of blocks of a cluster.
    pub most: Option<u32>,
    /// `.blocksareclusters`: the grid of a launch counts clusters.
    pub grid_of_clusters: bool,
}

/// A function's or kernel's code.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// All registers of all its scopes.
    pub regs: Vec<Reg>,
    /// Its `.local`, `.shared` and `.param` variables (call arguments), of all its scopes.
    pub vars: Vec<Var>,
    /// Its instructions.
    pub code: Vec<Inst>,
    /// For each load of which the compiler uses only some bytes (`.pragma "used_bytes_mask"`): its index in `code`, and
    /// a bit for each used byte.
    pub used_bytes: Vec<(u32, u32)>,
    /// Labels: name and index of the instruction that follows.
    pub labels: Vec<(String, u32)>,
    /// Jump tables (`.branchtargets`): label name and its targets as indices into `code`.
    pub branch_targets: Vec<(String, Vec<u32>)>,
    /// Prototypes for indirect calls (`.callprototype`): label name, returns, parameters.
    pub prototypes: Vec<(String, Vec<Var>, Vec<Var>)>,
}

impl Body {
    /// Whether no instruction reads what this one writes.
    pub fn is_unread(&self, inst: &Inst) -> bool {
        let (writes, _) = inst.registers();
        !self.code.iter().any(|other| writes.iter().any(|register| other.reads(*register)))
    }
}

/// A `.entry` or `.func`.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Name (mangled as in the PTX).
    pub name: String,
    /// `.entry` rather than `.func`.
    pub entry: bool,
    /// Return values (`.func` only).
    pub returns: Vec<Var>,
    /// Parameters. Register parameters of a `.func` (`.reg .b32 %a`) appear in `Body::regs` too, under the same name.
    pub params: Vec<Var>,
    /// `.maxntid` x, y, z.
    pub max_ntid: Option<[u32; 3]>,
    /// `.reqntid` x, y, z.
    pub req_ntid: Option<[u32; 3]>,
    /// `.minnctapersm`.
    pub min_ctas_per_sm: Option<u32>,
    /// `.maxnreg`.
    pub max_regs: Option<u32>,
    /// What it specifies about clusters.
    pub cluster: ClusterNeeds,
    /// The code. A declaration (`.extern .func vprintf`) has none.
    pub body: Option<Body>,
    /// Line in the PTX.
    pub ptx_line: u32,
}

/// A PTX module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// `.version` major, minor.
    pub version: (u32, u32),
    /// `.target`, first word: `sm_70`.
    pub target: String,
    /// Whether its target has the option `debug`: the assembler does not optimize it.
    pub debug: bool,
    /// `.address_size`: 64 (32 is rejected).
    pub address_size: u32,
    /// `.file` directives: index and name.
    pub files: Vec<(u32, String)>,
    /// Call sites of inlined code.
    pub inlines: Vec<Inline>,
    /// Module-level variables.
    pub vars: Vec<Var>,
    /// Functions and kernels, declarations included.
    pub functions: Vec<Function>,
}

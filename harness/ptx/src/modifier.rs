//! The modifiers of instructions, and the questions that are asked of them.
//!
//! What a modifier means for one instruction is decided where that instruction is lowered.

use crate::ast::{Inst, Type};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Declares the modifiers, with their spelling in PTX.
macro_rules! modifiers {
    ($($name:ident = $word:literal),* $(,)?) => {
        /// A modifier of an instruction.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum Modifier {
            $($name,)*
            /// A fundamental type.
            Type(Type),
            /// `m64nNkK`: the columns and the depth of a product by a warpgroup.
            Columns(u16, u16),
            /// One that is not in the table, as a later version of PTX may have.
            Unknown,
        }

        impl Modifier {
            /// Those with a fixed spelling, except for the types.
            const PLAIN: &[Modifier] = &[$(Modifier::$name),*];

            /// Its spelling, without the dot; empty if it has no fixed one.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Modifier::$name => $word,)*
                    Modifier::Type(ty) => ty.word(),
                    Modifier::Columns(..) | Modifier::Unknown => "",
                }
            }
        }
    };
}

modifiers! {
    // State spaces.
    Const = "const",
    Global = "global",
    Local = "local",
    Param = "param",
    ParamEntry = "param::entry",
    ParamFunc = "param::func",
    Shared = "shared",
    SharedCluster = "shared::cluster",
    SharedCta = "shared::cta",
    To = "to",
    // The order and the scope of an access.
    AcqRel = "acq_rel",
    Acquire = "acquire",
    Alias = "alias",
    Async = "async",
    AsyncGeneric = "async::generic",
    Cluster = "cluster",
    Cta = "cta",
    Gl = "gl",
    Gpu = "gpu",
    MbarrierInit = "mbarrier_init",
    Mmio = "mmio",
    Proxy = "proxy",
    Relaxed = "relaxed",
    Release = "release",
    Sc = "sc",
    SyncRestrictCluster = "sync_restrict::shared::cluster",
    SyncRestrictCta = "sync_restrict::shared::cta",
    Sys = "sys",
    TensormapGeneric = "tensormap::generic",
    Unified = "unified",
    Volatile = "volatile",
    Weak = "weak",
    // Operations of the caches.
    Ca = "ca",
    Cg = "cg",
    Cs = "cs",
    Cv = "cv",
    Lu = "lu",
    Nc = "nc",
    Wb = "wb",
    Wt = "wt",
    Fractional = "fractional",
    L1 = "L1",
    L1EvictFirst = "L1::evict_first",
    L1EvictLast = "L1::evict_last",
    L1EvictNormal = "L1::evict_normal",
    L1EvictUnchanged = "L1::evict_unchanged",
    L1NoAllocate = "L1::no_allocate",
    L2 = "L2",
    L2Fetch64 = "L2::64B",
    L2Fetch128 = "L2::128B",
    L2Fetch256 = "L2::256B",
    L2CacheHint = "L2::cache_hint",
    L2EvictFirst = "L2::evict_first",
    L2EvictLast = "L2::evict_last",
    L2EvictNormal = "L2::evict_normal",
    L2EvictUnchanged = "L2::evict_unchanged",
    Range = "range",
    Tensormap = "tensormap",
    // What an atomic, a comparison, a barrier or a vote combines.
    Abs = "abs",
    Add = "add",
    All = "all",
    And = "and",
    Any = "any",
    Ballot = "ballot",
    Cas = "cas",
    Dec = "dec",
    Exch = "exch",
    Inc = "inc",
    LdReduce = "ld_reduce",
    Max = "max",
    Min = "min",
    Or = "or",
    Popc = "popc",
    Red = "red",
    St = "st",
    Sub = "sub",
    Uni = "uni",
    Xor = "xor",
    // Comparisons, and classes of numbers.
    Eq = "eq",
    Equ = "equ",
    Finite = "finite",
    Ge = "ge",
    Geu = "geu",
    Gt = "gt",
    Gtu = "gtu",
    Hs = "hs",
    Infinite = "infinite",
    Le = "le",
    Leu = "leu",
    Ls = "ls",
    Lt = "lt",
    Ltu = "ltu",
    Nan = "nan",
    Ne = "ne",
    Neu = "neu",
    Normal = "normal",
    NotANumber = "notanumber",
    Num = "num",
    Number = "number",
    Subnormal = "subnormal",
    // Halves of a product, carries, shifts and selections of bytes.
    B4e = "b4e",
    Cc = "cc",
    Clamp = "clamp",
    Ecl = "ecl",
    Ecr = "ecr",
    F4e = "f4e",
    Hi = "hi",
    Lo = "lo",
    Pack = "pack",
    Rc16 = "rc16",
    Rc8 = "rc8",
    ShiftAmount = "shiftamt",
    Shr15 = "shr15",
    Shr7 = "shr7",
    PlusOne = "po",
    Wide = "wide",
    Wrap = "wrap",
    // Rounding, and what else happens to a result.
    Approx = "approx",
    Ftz = "ftz",
    Full = "full",
    Noftz = "noftz",
    Oob = "oob",
    PropagateNan = "NaN",
    Relu = "relu",
    Rm = "rm",
    Rmi = "rmi",
    Rn = "rn",
    Rna = "rna",
    Rni = "rni",
    Rp = "rp",
    Rpi = "rpi",
    Rs = "rs",
    Rz = "rz",
    Rzi = "rzi",
    Sat = "sat",
    Satfinite = "satfinite",
    XorSign = "xorsign",
    // Groups of threads and their barriers.
    Aligned = "aligned",
    Arrive = "arrive",
    Bfly = "bfly",
    CompleteTx = "complete_tx",
    CompleteTxBytes = "mbarrier::complete_tx::bytes",
    Down = "down",
    ExpectTx = "expect_tx",
    Idx = "idx",
    LaunchDependents = "launch_dependents",
    Mask = "mask",
    NoComplete = "noComplete",
    NoInc = "noinc",
    Parity = "parity",
    Sync = "sync",
    Up = "up",
    Wait = "wait",
    IsCanceled = "is_canceled",
    QueryCancel = "query_cancel",
    // Copies and tensors.
    BoxDim = "box_dim",
    BulkGroup = "bulk_group",
    CpMask = "cp_mask",
    Cvt = "cvt",
    ElementStride = "element_stride",
    ElementType = "elemtype",
    FillMode = "fill_mode",
    GlobalAddress = "global_address",
    GlobalDim = "global_dim",
    GlobalStride = "global_stride",
    Im2col = "im2col",
    Im2colNoOffsets = "im2col_no_offs",
    InterleaveLayout = "interleave_layout",
    MulticastCluster = "multicast::cluster",
    Rank = "rank",
    Read = "read",
    SwizzleMode = "swizzle_mode",
    Tile = "tile",
    // Vectors.
    V2 = "v2",
    V4 = "v4",
    V8 = "v8",
    // Matrices: parts, layouts, counts and shapes.
    A = "a",
    B = "b",
    C = "c",
    D = "d",
    Col = "col",
    Row = "row",
    Sp = "sp",
    SpOrderedMetadata = "sp::ordered_metadata",
    Trans = "trans",
    X1 = "x1",
    X2 = "x2",
    X4 = "x4",
    M16n16 = "m16n16",
    M16n16k16 = "m16n16k16",
    M16n16k8 = "m16n16k8",
    M16n8 = "m16n8",
    M16n8k128 = "m16n8k128",
    M16n8k16 = "m16n8k16",
    M16n8k256 = "m16n8k256",
    M16n8k32 = "m16n8k32",
    M16n8k4 = "m16n8k4",
    M16n8k64 = "m16n8k64",
    M16n8k8 = "m16n8k8",
    M32n8k16 = "m32n8k16",
    M8n16 = "m8n16",
    M8n32k16 = "m8n32k16",
    M8n8 = "m8n8",
    M8n8k128 = "m8n8k128",
    M8n8k16 = "m8n8k16",
    M8n8k32 = "m8n8k32",
    M8n8k4 = "m8n8k4",
    // Textures and surfaces.
    Array1d = "a1d",
    Array2d = "a2d",
    Array2dms = "a2dms",
    ArrayCube = "acube",
    ArraySize = "array_size",
    ChannelDataType = "channel_data_type",
    ChannelOrder = "channel_order",
    Cube = "cube",
    Depth = "depth",
    Dim1 = "1d",
    Dim2 = "2d",
    Dim2ms = "2dms",
    Dim3 = "3d",
    Dim4 = "4d",
    Dim5 = "5d",
    G = "g",
    Grad = "grad",
    Height = "height",
    L = "l",
    Level = "level",
    NormalizedCoords = "normalized_coords",
    MipmapLevels = "num_mipmap_levels",
    P = "p",
    R = "r",
    Samplerref = "samplerref",
    Samples = "num_samples",
    Surfref = "surfref",
    Texref = "texref",
    Trap = "trap",
    Width = "width",
    Zero = "zero",
    // Types that registers do not have.
    B1 = "b1",
    B1024 = "b1024",
    B6x16P32 = "b6x16_p32",
    B8x16 = "b8x16",
    E2m1x2 = "e2m1x2",
    E2m3x2 = "e2m3x2",
    E3m2x2 = "e3m2x2",
    E4m3 = "e4m3",
    E4m3x2 = "e4m3x2",
    E5m2 = "e5m2",
    E5m2x2 = "e5m2x2",
    F32x2 = "f32x2",
    S16x2 = "s16x2",
    S2 = "s2",
    S4 = "s4",
    Tf32 = "tf32",
    U16x2 = "u16x2",
    U2 = "u2",
    U4 = "u4",
    Ue8m0x2 = "ue8m0x2",
    // Of multiply-adds that subtract the product or the third operand. PTX cannot spell them: a pass writes them.
    NegatedAddend = "-c",
    NegatedProduct = "-ab",
}

/// The modifiers with a fixed spelling.
static BY_WORD: LazyLock<HashMap<&str, Modifier>> = LazyLock::new(|| {
    let types = Type::ALL.iter().map(|ty| Modifier::Type(*ty));
    Modifier::PLAIN.iter().copied().chain(types).map(|modifier| (modifier.word(), modifier)).collect()
});

impl Modifier {
    /// Returns the modifier that a word, without its dot, spells.
    pub fn named(word: &str) -> Modifier {
        BY_WORD.get(word).copied().or_else(|| columns(word)).unwrap_or(Modifier::Unknown)
    }

    /// Its fundamental type, if it is one.
    pub const fn ty(self) -> Option<Type> {
        match self {
            Modifier::Type(ty) => Some(ty),
            _ => None,
        }
    }
}

/// Returns the shape of a product by a warpgroup, `m64nNkK`.
fn columns(word: &str) -> Option<Modifier> {
    let (columns, depth) = word.strip_prefix("m64n")?.split_once('k')?;
    Some(Modifier::Columns(columns.parse().ok()?, depth.parse().ok()?))
}

impl Inst {
    /// Returns its modifiers, in the order written.
    pub fn modifiers(&self) -> &[Modifier] {
        &self.modifiers
    }

    /// Returns its modifiers as written, without their dots.
    pub fn words(&self) -> impl DoubleEndedIterator<Item = &str> + Clone {
        let modifiers = self.text().get(self.opcode.name().len()..).unwrap_or_default();
        modifiers.split('.').filter(|word| !word.is_empty())
    }

    /// Whether it has a modifier.
    pub fn has(&self, modifier: Modifier) -> bool {
        self.modifiers.contains(&modifier)
    }

    /// Whether it has one of these modifiers.
    pub fn has_any(&self, modifiers: &[Modifier]) -> bool {
        self.modifiers.iter().any(|modifier| modifiers.contains(modifier))
    }

    /// Whether it has all of these modifiers, each as often as it is listed.
    pub fn has_all(&self, modifiers: &[Modifier]) -> bool {
        let count = |list: &[Modifier], wanted| list.iter().filter(|modifier| *modifier == wanted).count();
        modifiers.iter().all(|wanted| count(&self.modifiers, wanted) >= count(modifiers, wanted))
    }

    /// Returns the fundamental types among its modifiers, in the order written.
    pub fn types(&self) -> impl Iterator<Item = Type> + '_ {
        self.modifiers.iter().filter_map(|modifier| modifier.ty())
    }

    /// Whether one of these types is among its modifiers.
    pub fn has_type(&self, types: &[Type]) -> bool {
        self.types().any(|ty| types.contains(&ty))
    }

    /// Returns the vector length and the element type of a load or store.
    pub fn element(&self) -> Option<(u32, Type)> {
        let mut count = 1;
        let mut ty = None;
        for modifier in &self.modifiers {
            match modifier {
                Modifier::V2 => count = 2,
                Modifier::V4 => count = 4,
                Modifier::V8 => count = 8,
                other => ty = other.ty().or(ty),
            }
        }
        Some((count, ty?))
    }

    /// Whether it accesses the block's own shared memory by name.
    pub fn is_of_shared(&self) -> bool {
        self.has_any(&[Modifier::Shared, Modifier::SharedCta])
    }

    /// Whether it accesses parameters.
    pub fn is_of_params(&self) -> bool {
        self.has_any(&[Modifier::Param, Modifier::ParamEntry, Modifier::ParamFunc])
    }
}

#[cfg(test)]
mod tests {
    use super::{BY_WORD, Modifier};
    use crate::ast::Type;

    #[test]
    fn each_word_spells_one_modifier() {
        assert_eq!(BY_WORD.len(), Modifier::PLAIN.len() + Type::ALL.len());
        assert_eq!(Modifier::named("bf16x2"), Modifier::Type(Type::Bf16x2));
        assert_eq!(Modifier::named("m64n128k16"), Modifier::Columns(128, 16));
        assert_eq!(Modifier::named("later"), Modifier::Unknown);
    }
}

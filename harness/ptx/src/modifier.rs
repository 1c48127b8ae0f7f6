//! The modifiers of instructions that more than one instruction has, and the questions that are asked of them.
//!
//! What a modifier means for one instruction is decided where that instruction is lowered.

use crate::ast::{Inst, Type};

/// Declares the modifiers, with their spelling in PTX.
macro_rules! modifiers {
    ($($name:ident = $word:literal),* $(,)?) => {
        /// A modifier of an instruction, by its spelling.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub enum Modifier {
            $($name),*
        }

        impl Modifier {
            /// Its spelling, without the dot.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Modifier::$name => $word),*
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
    // The order and the scope of an access.
    AcqRel = "acq_rel",
    Acquire = "acquire",
    Async = "async",
    AsyncGeneric = "async::generic",
    Cluster = "cluster",
    Cta = "cta",
    Gl = "gl",
    Gpu = "gpu",
    Mmio = "mmio",
    Proxy = "proxy",
    Relaxed = "relaxed",
    Release = "release",
    Sc = "sc",
    Sys = "sys",
    Volatile = "volatile",
    // What an atomic, a comparison or a barrier combines.
    Add = "add",
    And = "and",
    Cas = "cas",
    Dec = "dec",
    Exch = "exch",
    Inc = "inc",
    Or = "or",
    Red = "red",
    Sub = "sub",
    Xor = "xor",
    // Halves of a product, and carries.
    Cc = "cc",
    Hi = "hi",
    Lo = "lo",
    Wide = "wide",
    // Approximations.
    Approx = "approx",
    Full = "full",
    // Groups and their barriers.
    CompleteTxBytes = "mbarrier::complete_tx::bytes",
    ExpectTx = "expect_tx",
    NoComplete = "noComplete",
    NoInc = "noinc",
    Parity = "parity",
    // A type that registers do not have.
    Tf32 = "tf32",
    // Of multiply-adds that subtract the product or the third operand. PTX cannot spell them: a pass writes them.
    NegatedAddend = "-c",
    NegatedProduct = "-ab",
}

impl Inst {
    /// Returns its modifiers, in the order written.
    pub fn modifiers(&self) -> impl DoubleEndedIterator<Item = &str> + Clone {
        let modifiers = self.text.get(self.opcode.name().len()..).unwrap_or_default();
        modifiers.split('.').filter(|word| !word.is_empty())
    }

    /// Whether it has a modifier.
    pub fn has(&self, modifier: Modifier) -> bool {
        self.modifiers().any(|word| word == modifier.word())
    }

    /// Whether it has one of these modifiers.
    pub fn has_any(&self, modifiers: &[Modifier]) -> bool {
        modifiers.iter().any(|modifier| self.has(*modifier))
    }

    /// Returns the fundamental types among its modifiers, in the order written.
    pub fn types(&self) -> impl Iterator<Item = Type> + '_ {
        self.modifiers().filter_map(Type::named)
    }

    /// Whether one of these types is among its modifiers.
    pub fn has_type(&self, types: &[Type]) -> bool {
        self.types().any(|ty| types.contains(&ty))
    }

    /// Returns the vector length and the element type of a load or store.
    pub fn element(&self) -> Option<(u32, Type)> {
        let mut count = 1;
        let mut ty = None;
        for word in self.modifiers() {
            match word {
                "v2" => count = 2,
                "v4" => count = 4,
                "v8" => count = 8,
                _ => ty = Type::named(word).or(ty),
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

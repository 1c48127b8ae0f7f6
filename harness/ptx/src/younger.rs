//! The modifiers and operands that are younger than their instructions.
//!
//! The vendor's assembler rejects a module with an instruction that its `.version` or its `.target` lacks; no driver
//! loads it. An instruction's own row ([`crate::opcode`]) says since when it exists at all; the rows here say since
//! when it has some of its modifiers. `tests/since.rs` compares both with what ptxas of CUDA 13.0 says.

use crate::ast::{ClusterNeeds, Inst, Operand, Special};
use crate::modifier::Modifier;
use crate::opcode::Opcode;
use crate::since::{Since, TEN, since, specific};
use std::collections::HashMap;
use std::sync::LazyLock;

/// A row: names of instructions, or the words that several names begin with; the modifiers to which it applies
/// (`a+b|c`: both `a` and `b`, or `c`; `a.b`: `b` directly behind `a`); and since when they exist.
type Row = (&'static str, &'static str, Since);

const ROWS: &[Row] = &[
    // Arithmetic.
    ("add sub addc subc mad madc", "cc+s64|cc+u64", since(4, 3, 20)),
    ("add fma mul sub set setp", "f16|f16x2", since(4, 2, 53)),
    ("set", "s16+f16|u16+f16|s32+f16|u32+f16|s32+f16x2|u32+f16x2", since(6, 5, 53)),
    ("neg", "f16|f16x2", since(6, 0, 53)),
    ("abs", "f16|f16x2", since(6, 5, 53)),
    ("rsqrt", "ftz+f64", since(4, 0, 20)),
    ("lop3", "and|or", since(8, 2, 70)),
    ("mov", "b128", since(8, 3, 70)),
    ("ex2", "f16|f16x2", since(7, 0, 75)),
    ("abs fma neg", "bf16|bf16x2", since(7, 0, 80)),
    ("fma", "relu", since(7, 0, 80)),
    ("fma", "oob", since(8, 1, 90)),
    ("max min", "f16|f16x2|bf16|bf16x2|NaN", since(7, 0, 80)),
    ("max min", "xorsign", since(7, 2, 86)),
    ("add ex2 mul set setp sub tanh", "bf16|bf16x2", since(7, 8, 90)),
    ("add max min", "s16x2|u16x2", since(8, 0, 90)),
    ("max min", "relu+s32|relu+s16x2", since(8, 0, 90)),
    ("add fma mul sub", "f32x2", since(8, 6, 100)),
    // Conversions.
    ("cvt", "pack", since(6, 5, 72)),
    ("cvt", "pack+s2|pack+s4|pack+u2|pack+u4", since(6, 5, 75)),
    ("cvt", "bf16|bf16x2|tf32|f16+relu|f16x2", since(7, 0, 80)),
    ("cvt", "f32.bf16", since(7, 1, 80)),
    ("cvt", "satfinite+f16", since(8, 1, 70)),
    ("cvt", "satfinite+f16x2+f32|satfinite+bf16|satfinite+bf16x2|satfinite+tf32", since(8, 1, 80)),
    ("cvt", "e4m3x2|e5m2x2", since(7, 8, 89)),
    ("cvt", "bf16+bf16|bf16+f16|bf16+f64|f32.bf16+ftz|tf32+rn|tf32+rz", since(7, 8, 90)),
    ("cvt", "bf16+s8|bf16+s16|bf16+s32|bf16+s64|bf16+u8|bf16+u16|bf16+u32|bf16+u64", since(7, 8, 90)),
    ("cvt", "tf32+rn+satfinite|tf32+rz+satfinite", since(8, 6, 100)),
    ("cvt", "e2m1x2|e2m3x2|e3m2x2|ue8m0x2", specific(8, 6, TEN)),
    // Loads and stores.
    ("ld", "nc", since(3, 1, 32)),
    ("ld st", "weak|relaxed|acquire|release", since(6, 0, 70)),
    ("ld st", "mmio", since(8, 2, 70)),
    ("ld st", "b128", since(8, 3, 70)),
    ("ld st", "relaxed+b128|acquire+b128|release+b128", since(8, 4, 70)),
    ("ld st", "L1::evict_first|L1::evict_last|L1::evict_normal|L1::evict_unchanged|L1::no_allocate", since(7, 4, 70)),
    ("ld", "L2::64B|L2::128B", since(7, 4, 75)),
    ("ld", "L2::256B", since(7, 4, 80)),
    ("atom ld red st", "L2::cache_hint", since(7, 4, 80)),
    ("ld st atom red bar barrier isspacep cvta", "shared::cta", since(7, 8, 20)),
    ("ld st", "cluster|shared::cluster", since(7, 8, 90)),
    ("ld st", "v8|v4+b64|v4+u64|v4+s64|v4+f64", since(8, 8, 100)),
    // Atomics.
    ("atom red", "and+b64|or+b64|xor+b64|max+s64|max+u64|min+s64|min+u64", since(3, 1, 32)),
    ("atom red", "cta|gpu|sys|f64", since(5, 0, 60)),
    ("atom red", "f16x2", since(6, 2, 60)),
    ("atom red", "relaxed|acquire|release|acq_rel", since(6, 0, 70)),
    ("atom red", "f16|b16", since(6, 3, 70)),
    ("atom red", "cluster|shared::cluster|bf16|bf16x2", since(7, 8, 90)),
    ("atom red", "v2|v4|v8", since(8, 1, 90)),
    ("atom", "b128", since(8, 3, 90)),
    // Ordering, addresses and hints.
    ("membar", "proxy", since(7, 5, 60)),
    ("fence", "proxy", since(7, 5, 70)),
    ("fence", "cluster", since(7, 8, 90)),
    ("fence", "async|mbarrier_init", since(8, 0, 90)),
    ("fence", "tensormap::generic", since(8, 3, 90)),
    ("fence", "async::generic|sync_restrict::shared::cluster|sync_restrict::shared::cta", since(8, 6, 90)),
    ("cvta isspacep", "const", since(3, 1, 20)),
    ("cvta isspacep", "param", since(7, 7, 70)),
    ("isspacep", "param::entry", since(8, 3, 70)),
    ("cvta isspacep", "shared::cluster", since(7, 8, 90)),
    ("prefetch", "L2::evict_last|L2::evict_normal", since(7, 4, 80)),
    ("prefetch", "tensormap", since(8, 0, 90)),
    ("pmevent", "mask", since(3, 0, 20)),
    // Control, and operations among lanes and blocks.
    ("shfl vote", "sync", since(6, 0, 30)),
    ("bar barrier", "cta", since(7, 8, 20)),
    ("barrier.cluster", "acquire|release|relaxed", since(8, 0, 90)),
    ("redux", "f32", specific(8, 6, &[100, 101, 103, 110])),
    // Asynchronous copies, and the barriers that count them.
    ("cp.async", "L2::cache_hint|L2::64B|L2::128B|L2::256B", since(7, 4, 80)),
    ("cp.async", "shared::cta+mbarrier::complete_tx::bytes", since(8, 0, 90)),
    ("cp.async.bulk", "shared::cta.global", since(8, 6, 90)),
    ("cp.async.bulk.tensor", "shared::cta.global", since(8, 6, 90)),
    ("cp.async.bulk", "cp_mask", since(8, 6, 100)),
    ("cp.async.mbarrier", "shared::cta", since(7, 8, 80)),
    ("mbarrier", "parity", since(7, 1, 80)),
    ("mbarrier", "shared::cta", since(7, 8, 80)),
    ("mbarrier", "acquire|release", since(8, 0, 80)),
    ("mbarrier", "expect_tx|cluster|shared::cluster", since(8, 0, 90)),
    ("mbarrier.arrive mbarrier.arrive_drop mbarrier.test_wait mbarrier.try_wait", "relaxed", since(8, 6, 90)),
    // Matrices.
    ("wmma", "m32n8k16|m8n32k16", since(6, 1, 70)),
    ("wmma", "aligned", since(6, 3, 70)),
    ("wmma", "u8|s8|s32", since(6, 3, 72)),
    ("wmma", "s4|u4|b1|m8n8k32|m8n8k128", since(6, 3, 75)),
    ("mma", "m16n8k8|m8n8k16|m8n8k32", since(6, 5, 75)),
    ("mma", "m8n8k128", since(7, 0, 75)),
    ("mma wmma", "bf16|tf32|f64", since(7, 0, 80)),
    ("mma wmma", "and", since(7, 1, 80)),
    ("wmma", "m16n16k8|m8n8k4", since(7, 0, 80)),
    ("mma", "m16n8k4|m16n8k16|m16n8k32|m16n8k64|m16n8k128|m16n8k256", since(7, 0, 80)),
    ("mma", "sp", since(7, 1, 80)),
    ("mma", "sp::ordered_metadata", since(8, 5, 80)),
    ("mma", "e4m3|e5m2", since(8, 4, 89)),
    ("mma", "e4m3+m16n8k16|e5m2+m16n8k16|e4m3+f16|e5m2+f16", since(8, 7, 89)),
    ("mma", "f64+m16n8k4|f64+m16n8k8|f64+m16n8k16", since(7, 8, 90)),
    ("ldmatrix stmatrix", "shared::cta", since(7, 8, 75)),
    ("ldmatrix stmatrix", "b8|b8x16", specific(8, 6, TEN)),
    // Textures and surfaces.
    ("tex", "2dms|a2dms", since(3, 2, 30)),
    ("tex tld4", "f16|f16x2", since(4, 2, 53)),
    ("tex", "grad+cube|grad+acube", since(4, 3, 20)),
    ("suq txq", "array_size|num_mipmap_levels|num_samples", since(4, 1, 20)),
    ("txq", "level", since(4, 3, 30)),
    ("sured.b", "s64|u64", since(8, 1, 50)),
];

/// What a row asks of an instruction's modifiers.
enum Wanted {
    /// All of these, each as often as it is listed.
    All(Vec<Modifier>),
    /// All of the first, and the third directly behind the second.
    Pair(Vec<Modifier>, [Modifier; 2]),
}

impl Wanted {
    fn of(text: &str) -> Wanted {
        let mut pair = None;
        let mut all = Vec::new();
        for word in text.split('+') {
            match word.split_once('.') {
                Some((first, then)) => pair = Some([first, then].map(Modifier::named)),
                None => all.push(Modifier::named(word)),
            }
        }
        match pair {
            Some(pair) => Wanted::Pair(all, pair),
            None => Wanted::All(all),
        }
    }

    fn is_met(&self, inst: &Inst) -> bool {
        match self {
            Wanted::All(all) => inst.has_all(all),
            Wanted::Pair(all, pair) => inst.has_all(all) && inst.modifiers().windows(2).any(|two| two == pair),
        }
    }
}

/// The modifiers that an instruction's rows are about, any of which suffices, and since when they exist.
type Rule = (Vec<Wanted>, Since);

/// The rules of each instruction that has some.
static RULES: LazyLock<HashMap<Opcode, Vec<Rule>>> = LazyLock::new(|| {
    let mut rules: HashMap<Opcode, Vec<Rule>> = HashMap::new();
    for &(names, modifiers, since) in ROWS {
        for name in names.split(' ') {
            let is_meant = |opcode: &&Opcode| {
                opcode.name().strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            for opcode in Opcode::ALL.iter().filter(is_meant) {
                let any = modifiers.split('|').map(Wanted::of).collect();
                rules.entry(*opcode).or_default().push((any, since));
            }
        }
    }
    rules
});

impl Inst {
    /// Returns since when it exists: its name, and each of its modifiers and operands that is younger.
    pub fn since(&self) -> impl Iterator<Item = Since> {
        let rules = RULES.get(&self.opcode).map_or(&[][..], Vec::as_slice);
        let named = rules.iter().filter(|(any, _)| any.iter().any(|wanted| wanted.is_met(self)));
        let modifiers = named.map(|(_, since)| *since);
        let operands = self.operands.iter().filter_map(special).chain(by_operands(self));
        std::iter::once(self.opcode.since()).chain(modifiers).chain(operands)
    }
}

/// Returns since when an instruction takes its kind of operands, if others are older.
fn by_operands(inst: &Inst) -> Option<Since> {
    let operands = inst.operands.as_slice();
    match inst.opcode {
        // An arrival with a count may complete its phase.
        Opcode::MbarrierArrive | Opcode::MbarrierArriveDrop => {
            (operands.len() > 2 && !inst.has(Modifier::NoComplete)).then_some(since(7, 8, 90))
        }
        Opcode::Tex => matches!(operands.first(), Some(Operand::Pair(..))).then_some(since(7, 1, 60)),
        _ => None,
    }
}

/// Returns since when a special register exists, if some architectures lack it.
fn special(operand: &Operand) -> Option<Since> {
    let Operand::Special(register) = operand else {
        return None;
    };
    Some(match register {
        Special::GlobalTimer | Special::GlobalTimerLo | Special::GlobalTimerHi => since(3, 1, 30),
        Special::TotalSmemSize | Special::DynamicSmemSize => since(4, 1, 20),
        Special::ClockHi => since(5, 0, 20),
        Special::ReservedSmem(_) => since(7, 6, 80),
        Special::ClusterId(_)
        | Special::NclusterId(_)
        | Special::ClusterCtaid(_)
        | Special::ClusterNctaid(_)
        | Special::ClusterCtaRank
        | Special::ClusterNctaRank
        | Special::IsExplicitCluster => since(7, 8, 90),
        Special::AggrSmemSize => since(8, 1, 90),
        _ => return None,
    })
}

/// Returns the directives about clusters that a kernel has, and since when they exist.
pub(crate) fn of_clusters(cluster: &ClusterNeeds) -> impl Iterator<Item = (&'static str, Since)> {
    let ClusterNeeds { required, explicit, most, grid_of_clusters } = cluster;
    let directives = [
        (required.is_some(), ".reqnctapercluster", since(7, 8, 90)),
        (*explicit, ".explicitcluster", since(7, 8, 90)),
        (most.is_some(), ".maxclusterrank", since(7, 8, 90)),
        (*grid_of_clusters, ".blocksareclusters", since(9, 0, 90)),
    ];
    directives.into_iter().filter(|(there, ..)| *there).map(|(_, name, since)| (name, since))
}

#[cfg(test)]
mod tests {
    use super::{Modifier, ROWS};
    use crate::opcode::Opcode;

    #[test]
    fn rows_name_instructions_and_modifiers() {
        for (names, modifiers, _) in ROWS {
            for name in names.split(' ') {
                assert!(Opcode::ALL.iter().any(|opcode| opcode.name().starts_with(name)), "{name}");
            }
            for word in modifiers.split(['|', '+', '.']) {
                assert_ne!(Modifier::named(word), Modifier::Unknown, "{word}");
            }
        }
    }
}

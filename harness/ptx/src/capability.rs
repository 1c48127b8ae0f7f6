//! The compute capability since which devices have an instruction.
//!
//! The vendor's assembler rejects a module with an instruction that its `.target` lacks, and no driver loads it. The
//! table contains the PTX ISA manual's "Target ISA Notes"; `tests/targets.rs` compares it with what the assembler of
//! CUDA 13.0 accepts. Instructions that this machine lacks for all devices are not in it.

use crate::ast::{ClusterNeeds, Inst, Operand, Special};
use crate::modifier::Modifier;
use crate::opcode::Opcode;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The architectures that have an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    /// This one and all later ones.
    From(u32),
    /// The architecture-specific code of one architecture (`sm_90a`) or family (`sm_100f`): those with these numbers.
    /// The first is the one to compile for.
    Specific(&'static [u32]),
}

/// A row: name prefixes of instructions with the same requirements; the modifiers to which it applies (`a+b|c`: both
/// `a` and `b`, or `c`; empty: all forms); and the architectures that have them. `f32.bf16` is a modifier whose parts
/// must be consecutive.
type CapabilityRow = (&'static str, &'static str, Needs);

const fn from(capability: u32, names: &'static str, modifiers: &'static str) -> CapabilityRow {
    (names, modifiers, Needs::From(capability))
}

const fn specific(capabilities: &'static [u32], names: &'static str, modifiers: &'static str) -> CapabilityRow {
    (names, modifiers, Needs::Specific(capabilities))
}

/// The architectures since 9.0 whose specific code has instructions that others lack.
const NINE: &[u32] = &[90, 100, 101, 103, 110, 120, 121];
const TEN: &[u32] = &[100, 101, 103, 110, 120, 121];

const ROWS: &[CapabilityRow] = &[
    // Arithmetic.
    from(53, "abs add fma mul neg set setp sub", "f16|f16x2"),
    from(61, "dp2a dp4a", ""),
    from(70, "bmsk szext", ""),
    from(70, "mov", "b128"),
    from(75, "tanh", ""),
    from(75, "ex2", "f16|f16x2"),
    from(80, "abs fma neg", "bf16|bf16x2"),
    from(80, "fma", "relu"),
    from(80, "max min", "f16|f16x2|bf16|bf16x2|NaN"),
    from(86, "max min", "xorsign"),
    from(90, "add ex2 mul set setp sub tanh", "bf16|bf16x2"),
    from(90, "add max min", "s16x2|u16x2"),
    from(90, "max min", "relu+s32|relu+s16x2"),
    from(100, "add fma mul sub", "f32x2"),
    // Conversions.
    from(70, "cvt", "satfinite+f16"),
    from(72, "cvt.pack", ""),
    from(75, "cvt.pack", "s2|s4|u2|u4"),
    from(80, "cvt", "bf16|bf16x2|tf32|f16+relu|f16x2"),
    from(89, "cvt", "e4m3x2|e5m2x2"),
    from(90, "cvt", "bf16+bf16|bf16+f16|bf16+f64|f32.bf16+ftz|tf32+rn|tf32+rz"),
    from(90, "cvt", "bf16+s8|bf16+s16|bf16+s32|bf16+s64|bf16+u8|bf16+u16|bf16+u32|bf16+u64"),
    from(100, "cvt", "tf32+rn+satfinite|tf32+rz+satfinite"),
    specific(TEN, "cvt", "e2m1x2|e2m3x2|e3m2x2|ue8m0x2"),
    // Loads and stores.
    from(70, "ld st", "weak|relaxed|acquire|release|mmio|b128"),
    from(70, "ld st", "L1::evict_first|L1::evict_last|L1::evict_normal|L1::evict_unchanged|L1::no_allocate"),
    from(75, "ld", "L2::64B|L2::128B"),
    from(80, "ld", "L2::256B"),
    from(80, "atom ld red st", "L2::cache_hint"),
    from(90, "ld st", "cluster|shared::cluster"),
    from(90, "st.async red.async multimem", ""),
    from(100, "ld st", "v8|v4+b64|v4+u64|v4+s64|v4+f64"),
    // Atomics.
    from(60, "atom red", "cta|gpu|sys|f64|f16x2"),
    from(70, "atom red", "relaxed|acquire|release|acq_rel|f16|b16"),
    from(90, "atom red", "cluster|shared::cluster|bf16|bf16x2|v2|v4|v8|b128"),
    // Ordering, addresses and hints.
    from(60, "membar.proxy", ""),
    from(70, "fence", ""),
    from(90, "fence", "cluster|async|mbarrier_init|async::generic|tensormap::generic"),
    from(90, "fence", "sync_restrict::shared::cluster|sync_restrict::shared::cta"),
    from(70, "cvta", "param"),
    from(70, "isspacep", "param|param::entry"),
    from(90, "cvta isspacep", "shared::cluster"),
    from(80, "applypriority createpolicy discard", ""),
    from(80, "prefetch", "L2::evict_last|L2::evict_normal"),
    from(90, "prefetch", "tensormap"),
    // Control, and operations among lanes and blocks.
    from(52, "alloca stackrestore stacksave", ""),
    from(70, "match nanosleep", ""),
    from(80, "redux", ""),
    specific(&[100, 101, 103, 110], "redux", "f32"),
    from(90, "barrier.cluster elect getctarank griddepcontrol mapa", ""),
    from(100, "clusterlaunchcontrol", ""),
    specific(NINE, "setmaxnreg", ""),
    // Asynchronous copies, and the barriers that count them.
    from(80, "cp.async", ""),
    from(90, "cp.async.bulk cp.reduce tensormap", ""),
    from(100, "cp.async.bulk", "cp_mask"),
    specific(NINE, "tensormap.replace", ""),
    from(80, "mbarrier", ""),
    from(90, "mbarrier.try_wait", ""),
    from(90, "mbarrier", "complete_tx|expect_tx|relaxed|cluster|shared::cluster"),
    // Matrices.
    from(70, "mma wmma", ""),
    from(72, "wmma", "u8|s8|s32"),
    from(75, "wmma", "s4|u4|b1|m8n8k32|m8n8k128"),
    from(75, "mma", "m16n8k8|m8n8k16|m8n8k32|m8n8k128"),
    from(80, "mma wmma", "bf16|tf32|f64|and"),
    from(80, "wmma", "m16n16k8|m8n8k4"),
    from(80, "mma", "m16n8k4|m16n8k16|m16n8k32|m16n8k64|m16n8k128|m16n8k256|sp|sp::ordered_metadata"),
    from(89, "mma", "e4m3|e5m2"),
    from(90, "mma", "f64+m16n8k4|f64+m16n8k8|f64+m16n8k16"),
    from(75, "ldmatrix movmatrix", ""),
    from(90, "stmatrix", ""),
    specific(TEN, "ldmatrix stmatrix", "b8|b8x16"),
    specific(&[90], "wgmma", ""),
    // Textures.
    from(53, "tex tld4", "f16|f16x2"),
];

/// A row for one name: the name, the modifiers of which one combination must be present, and the architectures.
struct Rule {
    name: &'static str,
    any: Vec<Vec<&'static str>>,
    needs: Needs,
}

impl Rule {
    fn is_about(&self, op: &str) -> bool {
        let Some(rest) = op.strip_prefix(self.name) else {
            return false;
        };
        (rest.is_empty() || rest.starts_with('.')) && (self.any.is_empty() || self.any.iter().any(|all| has(op, all)))
    }
}

/// Whether an opcode has all these modifiers; a modifier that is listed twice must occur twice.
fn has(op: &str, all: &[&str]) -> bool {
    let count = |wanted: &&str| match wanted.split_once('.') {
        Some((first, then)) => op.split('.').zip(op.split('.').skip(1)).filter(|pair| *pair == (first, then)).count(),
        None => op.split('.').skip(1).filter(|word| word == wanted).count(),
    };
    all.iter().all(|wanted| count(wanted) >= all.iter().filter(|other| *other == wanted).count())
}

/// The rules by the first word of their names.
static RULES: LazyLock<HashMap<&str, Vec<Rule>>> = LazyLock::new(|| {
    let mut rules: HashMap<&str, Vec<Rule>> = HashMap::new();
    for &(names, modifiers, needs) in ROWS {
        let alternatives = modifiers.split('|').filter(|all| !all.is_empty());
        let any: Vec<Vec<&str>> = alternatives.map(|all| all.split('+').collect()).collect();
        for name in names.split(' ') {
            let first = name.split('.').next().unwrap_or_default();
            rules.entry(first).or_default().push(Rule { name, any: any.clone(), needs });
        }
    }
    rules
});

/// Returns the requirements of an instruction, one by one.
pub(super) fn needs(inst: &Inst) -> impl Iterator<Item = Needs> {
    let first = inst.text.split('.').next().unwrap_or_default();
    let rules = RULES.get(first).map_or(&[][..], Vec::as_slice);
    let named = rules.iter().filter(|rule| rule.is_about(&inst.text)).map(|rule| rule.needs);
    named.chain(counted(inst)).chain(inst.operands.iter().filter_map(special))
}

/// Returns the requirement of an mbarrier arrival with a count, which may complete its phase.
fn counted(inst: &Inst) -> Option<Needs> {
    let arrives = matches!(inst.opcode, Opcode::MbarrierArrive | Opcode::MbarrierArriveDrop);
    let arrives = arrives && !inst.has(Modifier::NoComplete);
    (arrives && inst.operands.len() > 2).then_some(Needs::From(90))
}

/// Returns the requirement of a special register.
fn special(operand: &Operand) -> Option<Needs> {
    let Operand::Special(register) = operand else {
        return None;
    };
    match register {
        Special::ReservedSmem(_) => Some(Needs::From(80)),
        Special::ClusterId(_)
        | Special::NclusterId(_)
        | Special::ClusterCtaid(_)
        | Special::ClusterNctaid(_)
        | Special::ClusterCtaRank
        | Special::ClusterNctaRank
        | Special::IsExplicitCluster
        | Special::AggrSmemSize => Some(Needs::From(90)),
        _ => None,
    }
}

/// Returns the directive of a kernel that requires clusters, if it has one.
pub(super) fn of_clusters(cluster: &ClusterNeeds) -> Option<&'static str> {
    let ClusterNeeds { required, explicit, most, grid_of_clusters } = cluster;
    let directives = [
        (required.is_some(), ".reqnctapercluster"),
        (*explicit, ".explicitcluster"),
        (most.is_some(), ".maxclusterrank"),
        (*grid_of_clusters, ".blocksareclusters"),
    ];
    directives.into_iter().find(|(there, _)| *there).map(|(_, name)| name)
}

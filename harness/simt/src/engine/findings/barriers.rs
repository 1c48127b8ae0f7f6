//! Races that one missing barrier leaves open: where several lines behind it meet several lines before it, each pair of
//! lines is a race, but there is one mistake.

use crate::engine::warp::program::Program;
use crate::finding::{Finding, FindingKind, Scope, Space};

/// The most pairs of lines that a finding names.
const NAMED: usize = 8;

/// The barrier that a race lacks.
#[derive(Clone, PartialEq, Eq)]
struct Missing {
    space: Space,
    scope: Scope,
    function: String,
    /// The barriers of the function before the upper access, and before the lower one. If these are as many,
    /// the barrier is missing between the two, else behind the lower one, on the way back to the upper one.
    regions: (usize, usize),
}

/// A race, and the lines of the PTX between which its barrier is missing.
struct Pair {
    missing: Missing,
    upper: u32,
    lower: u32,
    finding: Finding,
}

impl Pair {
    /// The pair that a finding is about, if a barrier would order it.
    fn from_finding(finding: &Finding, program: &Program) -> Option<Pair> {
        let (FindingKind::Race { space, scope: scope @ (Scope::Warp | Scope::Block) }, [a, b]) =
            (&finding.kind, &finding.accesses[..])
        else {
            return None;
        };
        let (one, other) = (&a.place, &b.place);
        // What one line reads and writes, no barrier orders.
        let is_alone = one.same_line(other) || one.function != other.function;
        if is_alone || one.ptx_line == 0 || other.ptx_line == 0 {
            return None;
        }
        let (upper, lower) = (one.ptx_line.min(other.ptx_line), one.ptx_line.max(other.ptx_line));
        let of_warp: &[u32] = if *scope == Scope::Warp { &program.warp_syncs } else { &[] };
        let barriers = program.barriers.iter().chain(of_warp).map(|pc| program.place_of(*pc));
        let lines: Vec<u32> = barriers.filter(|at| at.function == one.function).map(|at| at.ptx_line).collect();
        let before = |line: u32| lines.iter().filter(|barrier| **barrier < line).count();
        let missing = Missing {
            space: *space,
            scope: *scope,
            function: one.function.clone(),
            regions: (before(upper), before(lower)),
        };
        Some(Pair { missing, upper, lower, finding: finding.clone() })
    }

    /// Whether a barrier that all of these lack would order it too. `common` is where that may stand.
    fn joins(&self, others: &Missing, common: (u32, u32)) -> bool {
        let between = self.missing.regions.0 == self.missing.regions.1;
        self.missing == *others && (!between || (self.upper < common.1 && common.0 < self.lower))
    }

    /// Its lines of the source, or of the PTX.
    fn lines(&self) -> String {
        let line = |at: usize| {
            let place = &self.finding.accesses[at].place;
            if place.line > 0 { place.line } else { place.ptx_line }
        };
        let (a, b) = (line(0), line(1));
        format!("{} and {}", a.min(b), a.max(b))
    }
}

/// Leaves one finding for each missing barrier, which counts and names the other pairs of lines.
pub(crate) fn one_for_each(findings: &mut Vec<Finding>, program: &Program) {
    let mut pairs: Vec<Pair> = findings.iter().filter_map(|finding| Pair::from_finding(finding, program)).collect();
    pairs.sort_by_key(|pair| (pair.lower, pair.upper));
    let mut groups: Vec<((u32, u32), Vec<Pair>)> = Vec::new();
    for pair in pairs {
        match groups.iter_mut().find(|(common, group)| pair.joins(&group[0].missing, *common)) {
            Some((common, group)) => {
                *common = (common.0.max(pair.upper), common.1.min(pair.lower));
                group.push(pair);
            }
            None => groups.push(((pair.upper, pair.lower), vec![pair])),
        }
    }
    for (_, group) in groups.into_iter().filter(|(_, group)| group.len() > 1) {
        let is_of_group = |finding: &Finding| group.iter().any(|pair| pair.finding == *finding);
        let Some(at) = findings.iter().position(is_of_group) else { continue };
        let merged = merged(&group);
        findings.retain(|finding| !is_of_group(finding));
        findings.insert(at, merged);
    }
}

/// The finding about all of these pairs: about the first, with the others named.
fn merged(group: &[Pair]) -> Finding {
    let mut finding = group[0].finding.clone();
    finding.count = group.iter().fold(0, |sum, pair| sum + pair.finding.count);
    let others = group.len() - 1;
    let named: Vec<String> = group[1..].iter().take(NAMED).map(Pair::lines).collect();
    let rest = if others > NAMED { format!(" and {} more", others - NAMED) } else { String::new() };
    let pairs = if others == 1 { "pair" } else { "pairs" };
    finding.notes.push(format!(
        "the same barrier is missing between {others} more {pairs} of lines: {}{rest}",
        named.join("; ")
    ));
    finding
}

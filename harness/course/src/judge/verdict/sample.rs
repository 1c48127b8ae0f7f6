//! Sample rows and findings for the tests of grading.
use harness::{Counter, Record, Verdict};
use wire::{
    RenderedFinding,
    finding::{Access, AccessKind, Finding, FindingKind, Scope, SourcePlace, Space},
};

/// A row of case `c` in which nothing was measured.
pub fn record(verdict: Verdict) -> Record {
    Record { variant: "v".into(), case: "c".into(), n: Some(1000), verdict, ..Record::new("lab", 0, "emulated", 1) }
}

/// The row with only these counters.
pub fn counted(mut row: Record, counters: &[(&str, u64)]) -> Record {
    for (name, value) in counters {
        row.counters.set(Counter::named(name).expect("a counter"), (*value).into());
    }
    row
}

/// A race in shared memory on a line of `a.cu`, seen `count` times.
pub fn race(line: u32, count: u64) -> RenderedFinding {
    let place = SourcePlace { file: "a.cu".into(), line, column: 1, function: "k".into(), ..SourcePlace::default() };
    let kind = FindingKind::Race { space: Space::Shared, scope: Scope::Block };
    let side = |what| Access::memory(what, Space::Shared, 4, 0, place.clone());
    let finding =
        Finding { count, ..Finding::new(kind, "k").with(side(AccessKind::Write)).with(side(AccessKind::Read)) };
    told(finding, "Race", &format!("Race [{count} hazards]"))
}

/// An instruction that the machine does not model.
pub fn unmodelled() -> RenderedFinding {
    let finding = Finding::new(FindingKind::Unsupported { what: "wgmma".into() }, "k");
    told(finding, "wgmma is not modelled", "wgmma is not modelled")
}

fn told(finding: Finding, mistake: &str, headline: &str) -> RenderedFinding {
    RenderedFinding {
        verdict: finding.kind.verdict(),
        check: finding.kind.check(),
        kernel_name: "k".into(),
        mistake: mistake.into(),
        title: headline.into(),
        context: Vec::new(),
        help: String::new(),
        text: format!("error: {headline}\n"),
        headline: headline.into(),
        finding,
    }
}

//! The columns that all rows record: the shape and the arithmetic, with a check that the emulated device counts the
//! same.
use harness::{CaseContext, Check, Result, Run, Tolerance, parallel};

use crate::counting::{Count, Requests};
use crate::matrix::Shape;

/// Sets the columns of the arithmetic, and compares them with the machine's counts in the launches of `kernel`. A GPU
/// does not count, so nothing is compared there.
pub(crate) fn compare(run: &Run, case: &mut CaseContext<'_>, kernel: &str, count: Count) -> Result<()> {
    case.set("load_sectors_per_request", count.loads.each());
    case.set("store_sectors_per_request", count.stores.each());
    case.set("bank_conflicts", count.conflicts);
    let report = case.machine()?;
    if !report.is_counted {
        return Ok(());
    }
    let launches = report.launches.iter().filter(|launch| launch.kernel == kernel);
    let counted: Vec<Count> = launches
        .map(|launch| {
            let totals = &launch.counters.totals;
            let of = |requests, sectors| Requests { requests, sectors };
            let (loads, stores) = (&totals.global_loads, &totals.global_stores);
            let conflicts = totals.shared_loads.conflicts + totals.shared_stores.conflicts;
            Count { loads: of(loads.requests, loads.sectors), stores: of(stores.requests, stores.sectors), conflicts }
        })
        .collect();
    if let Some(one) = counted.first() {
        case.set("counted_load_sectors_per_request", one.loads.each());
        case.set("counted_store_sectors_per_request", one.stores.each());
        case.set("counted_bank_conflicts", one.conflicts);
    }
    // A kernel file of the user's may access anything.
    if run.options().kernel.is_none() {
        for one in &counted {
            case.check(Check::that(*one == count, format!("the machine counts {one:?}, should be {count:?}")));
        }
    }
    Ok(())
}

/// Sets the columns that every row has; `bytes` is the number of bytes that must be read and written.
pub(crate) fn describe(case: &mut CaseContext<'_>, shape: Shape, bytes: usize) {
    case.set("m", shape.m);
    case.bytes(bytes);
}

/// Compares two arrays, which must be equal to the last bit. Equality is checked on all cores; the first difference is
/// searched only if there is one.
pub(crate) fn same(actual: &[f32], expected: &[f32]) -> Check {
    const PART: usize = 1 << 20;
    let part = |i: usize| {
        let of = |all: &[f32]| (i * PART).min(all.len())..((i + 1) * PART).min(all.len());
        actual[of(actual)] == expected[of(expected)]
    };
    let parts = actual.len().max(expected.len()).div_ceil(PART);
    if parallel(parts, part).into_iter().all(|is_same| is_same) && !actual.is_empty() {
        return Check::all_right(actual.len());
    }
    Check::compare(actual, expected, Tolerance::EXACT)
}

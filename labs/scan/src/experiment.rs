//! The rows of the experiment: every chosen method, inclusive and exclusive, on elements of one type.
use cudarc::driver::LaunchConfig;
use harness::{Case, Error, Launch, Result, Row, Run, launch_1d};

use crate::{Element, Expected, ITEMS, KINDS, METHODS, Passes, Scanner, Scanning};

/// The chosen methods for elements of type `T`; `single-pass` appears once for each number of elements per thread.
fn ways<T: Element>(run: &Run) -> Vec<Row<Scanning>> {
    let mut items = run.chosen("items", &ITEMS, |name| name);
    if run.args().value_source("items").is_none() {
        items.retain(|items| *items == "32");
    }
    let rows = run.rows(METHODS).filter(|row| row.elements.contains(&T::NAME));
    let with = |row: &Row<Scanning>, items: &str| {
        let items = items.parse().expect("one of ITEMS");
        Row { with: Scanning { items, ..row.with }, ..*row }
    };
    rows.flat_map(|row| match row.passes {
        Passes::LookBack => items.iter().map(|items| with(row, items)).collect(),
        _ => vec![*row],
    })
    .collect()
}

/// Runs every chosen method on n elements of type `T`.
pub(crate) fn of_type<T: Element>(run: &Run, n: usize) -> Result<()> {
    let ways = ways::<T>(run);
    if ways.is_empty() {
        return Ok(());
    }
    let x = T::random(run.options().seed, n);
    let whole = Expected::from_input(&x);
    for kind in run.chosen("kind", &KINDS, |name| name) {
        for row in &ways {
            // One block holds a limited number of elements and scans that many, unless n was given.
            let most = row.capacity(run.threads(row.threads));
            if n > most && run.options().n.is_none() {
                scan(run, row, &Expected::from_input(&x[..most]), kind)?;
            } else {
                scan(run, row, &whole, kind)?;
            }
        }
    }
    Ok(())
}

/// One row of the CSV.
fn scan<T: Element>(run: &Run, row: &Row<Scanning>, expected: &Expected<'_, T>, kind: &str) -> Result<()> {
    let x = expected.x;
    let n = x.len();
    let threads = if row.passes == Passes::Ahead { row.threads } else { run.threads(row.threads) };
    let items = if row.passes == Passes::LookBack { format!(", {} a thread", row.items) } else { String::new() };
    let label = format!("{}, {kind}{items}", T::NAME);
    let one_block = Launch::one_block(row.threads).shared(row.shared_bytes(threads));
    let covering = Launch::covering(row.threads).each(row.items as usize);
    let rule = match row.passes {
        Passes::OneBlock => one_block,
        // Its shared memory is added when the kernel is loaded: a device with too little skips the row.
        Passes::Ahead => launch_1d(row.tiles(n, threads) as u32, threads + row.others).into(),
        _ => covering,
    };
    run.case(Case::new(row.name()).label(label).n(n).launch(rule), |case| {
        if row.passes == Passes::Ahead && !run.session().device.cooperative_launch {
            return Err(Error::skip("the device has no cooperative launch"));
        }
        let most = row.capacity(threads);
        if n > most {
            let reason = format!(
                "one block of {threads} threads holds {most} elements, not {n}; three-kernel and single-pass take any n"
            );
            return Err(run.unsuited(row.name(), reason));
        }
        let stream = run.stream();
        let config = LaunchConfig { shared_mem_bytes: row.shared_bytes(threads), ..case.launch() };
        let mut scanner = Scanner::<T>::new(run.kernels(), row.with, n, config)?;
        case.launches_as(scanner.config());
        let (dx, mut out) = (run.upload("x", x)?, stream.alloc_zeros::<T>(n)?);
        let (roundings, inclusive) = (row.longest_chain(n, threads), kind == "inclusive");
        case.bytes(2 * size_of::<T>() * n);
        case.time(
            &mut out,
            |out| scanner.launch(&*dx, out, inclusive),
            |out| expected.check(out, inclusive, roundings),
        )?;
        case.set("element", T::NAME);
        case.set("kind", kind);
        case.set("additions", row.additions.map(|additions| additions(n)));
        if T::NAME == "f32" {
            case.set("longest_chain", roundings);
        }
        if row.passes == Passes::Three {
            case.note("12 bytes an element are moved; GB/s counts the 8 that any scan must");
        }
        Ok(())
    })?;
    Ok(())
}

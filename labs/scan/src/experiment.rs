//! The experiment: every method on floats and integers, inclusive and exclusive.
use cudarc::driver::LaunchConfig;
use harness::{Case, Error, Result, Run, Sizes, poison};

use crate::{Element, Expected, Method, Scanner, config, fits, random};

/// GB/s, read and written, of CUB's `DeviceScan::InclusiveSum` over 2^28 floats on one H200.
const CUB: f64 = 3068.0;

pub(crate) fn run(run: &Run) -> Result<()> {
    let n = run.size(Sizes {
        gpu: 1 << 28,
        emulated: 1 << 18,
        quick: 1 << 12,
    });
    let total = run.session().device.total_bytes;
    if (n as u64).checked_mul(8).is_none_or(|bytes| bytes > total) {
        return Err(Error::usage(format!(
            "{n} elements in and as many out do not fit the {total} bytes of {}; choose a smaller --n",
            run.session().device.name
        )));
    }
    if chosen(run, "element", "f32") {
        of_type::<f32>(run, n)?;
    }
    if chosen(run, "element", "u32") {
        of_type::<u32>(run, n)?;
    }
    Ok(())
}

/// Whether `name` is among the values of `--option`, or nothing is.
fn chosen(run: &Run, option: &str, name: &str) -> bool {
    let values = run.args().get_many::<String>(option);
    values.is_none_or(|mut values| values.any(|v| v == name))
}

fn methods(run: &Run) -> Vec<Method> {
    let mut methods = vec![Method::KoggeStone, Method::BrentKung, Method::ThreeKernel];
    let asked = run.args().get_many::<String>("items");
    for items in [16, 32] {
        let wanted = asked.clone().map_or(items == 32, |mut asked| {
            asked.any(|a| *a == items.to_string())
        });
        if wanted {
            methods.push(Method::SinglePass { items });
        }
    }
    methods
}

/// The launch: a block for each tile.
fn launch(run: &Run, method: Method, n: usize, threads: u32) -> Result<LaunchConfig> {
    let launch = config(method, n, threads).ok_or_else(|| {
        Error::usage(format!(
            "{n} elements need more blocks than any grid has; choose larger --threads"
        ))
    })?;
    if let Some(given) = run.options().blocks.filter(|_| !method.one_block()) {
        return Err(Error::usage(format!(
            "the grid of {} follows from n and --threads ({} blocks here); leave out --blocks {given}",
            method.name(),
            launch.grid_dim.0
        )));
    }
    Ok(launch)
}

fn of_type<T: Element>(run: &Run, n: usize) -> Result<()> {
    let mut methods = methods(run);
    if T::NAME == "u32" {
        methods.push(Method::OneBarrier);
    }
    methods.retain(|m| run.wants(m.name()));
    if methods.is_empty() {
        return Ok(());
    }
    let x: Vec<T> = random(run.options().seed, n);
    let whole = Expected::of(&x);
    for inclusive in [true, false] {
        let kind = if inclusive { "inclusive" } else { "exclusive" };
        if !chosen(run, "kind", kind) {
            continue;
        }
        for &method in &methods {
            let threads = run.options().threads.unwrap_or(method.threads());
            // One block holds only so much: it scans that, unless n was asked for.
            let most = threads as usize * method.items() as usize;
            if method.one_block() && run.options().n.is_none() && n > most {
                let head = &x[..most];
                scan(run, method, threads, &Expected::of(head), head, kind)?;
            } else {
                scan(run, method, threads, &whole, &x, kind)?;
            }
        }
    }
    Ok(())
}

/// One row.
fn scan<T: Element>(
    run: &Run,
    method: Method,
    threads: u32,
    expected: &Expected<'_, T>,
    x: &[T],
    kind: &str,
) -> Result<()> {
    let n = x.len();
    let inclusive = kind == "inclusive";
    let label = match method {
        Method::SinglePass { items } => format!("{}, {kind}, {items} a thread", T::NAME),
        _ => format!("{}, {kind}", T::NAME),
    };
    let mut case = Case::new(method.name()).label(label).n(n);
    let fit = fits(method, n, threads);
    let config = if fit.is_ok() {
        Some(launch(run, method, n, threads)?)
    } else {
        None
    };
    if let Some(config) = config {
        case = case.launch(config);
    }
    run.case(case, |case| {
        if let Err(reason) = &fit {
            let asked = run.options().variants.iter().any(|v| v == method.name());
            return Err(if asked {
                Error::usage(reason.clone())
            } else {
                Error::Skip(reason.clone())
            });
        }
        let config = config.expect("it fits");
        let stream = run.stream();
        let load = |file: &str, kernel: &str| run.function(file, kernel);
        let mut scanner = Scanner::<T>::new(stream, method, n, config, load)?;
        let dx = stream.clone_htod(x)?;
        let mut out = stream.alloc_zeros::<T>(n.max(1))?;
        let mut host = x.to_vec();
        let roundings = method.longest_chain(n, threads);
        case.bytes(2 * size_of::<T>() * n);
        case.measure(
            &mut out,
            |out| poison(run, out),
            |out| Ok(scanner.launch(&dx, out, inclusive)?),
            |out| {
                stream.memcpy_dtoh(&*out, &mut host)?;
                Ok(expected.check(&host, inclusive, roundings))
            },
        )?;
        case.set("element", T::NAME);
        case.set("kind", kind);
        case.set("additions", method.additions(n));
        if T::NAME == "f32" {
            case.set("longest_chain", roundings);
        }
        if let Method::ThreeKernel = method {
            case.note("12 bytes an element are moved; GB/s counts the 8 that any scan must");
        }
        let single = matches!(method, Method::SinglePass { .. });
        let best = single && T::NAME == "f32" && inclusive;
        if best && !run.is_emulated() && n == 1 << 28 {
            case.set("published_gb_per_s", CUB);
        }
        Ok(())
    })?;
    Ok(())
}

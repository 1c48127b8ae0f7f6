//! The rows of the experiment: every chosen method on keys of one kind in one order.
use std::cell::OnceCell;

use harness::{Case, Error, Input, Result, Row, Run, parallel_vec};

use crate::{Key, KeyKind, Method, Order, SORTS, Sorter, Sorting, Tile, WRONG, reference};

/// The most keys of a variant that is wrong on purpose, unless n is given.
const WRONG_SIZE: usize = 1 << 20;
/// The number of sampled keys that determine the threshold.
const SAMPLE: usize = 1001;

/// Keys that rows share, with the right results.
struct Source<'r, K> {
    kind: KeyKind,
    order: Order,
    n: usize,
    /// The keys, and after them the values of pairs.
    x: Input<'r, K>,
    sorted: OnceCell<Vec<K>>,
}

impl<'r, K: Key> Source<'r, K> {
    fn new(run: &'r Run, kind: KeyKind, order: Order, n: usize) -> Self {
        let seed = run.options().seed;
        let make = move || {
            let keys = K::keys(order, seed, n);
            if kind == KeyKind::Pairs {
                return parallel_vec(2 * n, |i| if i < n { keys[i] } else { K::from((i - n) as u32) });
            }
            keys
        };
        Self { kind, order, n, x: run.input("x", make), sorted: OnceCell::new() }
    }

    /// Only the keys.
    fn keys(&self) -> &[K] {
        &self.x.host()[..self.n]
    }

    /// The keys in order, followed by the values.
    fn sorted(&self) -> &[K] {
        self.sorted.get_or_init(|| match self.kind {
            KeyKind::Pairs => reference::sorted_pairs(self.keys()),
            _ => reference::sorted(self.keys()),
        })
    }

    /// The key such that `share` per cent of a sample are below it.
    fn threshold(&self, share: u32) -> K {
        let (keys, size) = (self.keys(), SAMPLE.min(self.n));
        let mut sample: Vec<K> = (0..size).map(|i| keys[i * self.n / size]).collect();
        sample.sort_unstable();
        sample.get(size * share as usize / 100).copied().unwrap_or(K::LARGEST)
    }
}

/// Runs every chosen method on `n` keys in this order.
pub(crate) fn of_order<K: Key>(run: &Run, kind: KeyKind, order: Order, n: usize) -> Result<()> {
    // Only the times of sweeps depend on the order; the other methods run on random keys, unless the order is given.
    let every = order == Order::Random || run.args().value_source("order").is_some();
    let does = |row: &&Row<Sorting>| row.kinds.contains(&kind) && (every || row.how.sweeps());
    let source = Source::<K>::new(run, kind, order, n);
    for row in run.rows(SORTS).filter(does) {
        for tile in tiles(run, row, kind) {
            sort(run, row, tile, &source)?;
        }
    }
    let small = match run.options().n {
        Some(n) => n,
        // Not a power of two, which `unpadded` would sort.
        None => n.min(WRONG_SIZE) / 4 * 3,
    };
    let source = Source::<K>::new(run, kind, order, small);
    for row in run.rows(WRONG).filter(does) {
        sort(run, row, row.how.usual_tile(kind), &source)?;
    }
    Ok(())
}

/// The requested tiles.
fn tiles(run: &Run, row: &Row<Sorting>, kind: KeyKind) -> Vec<Tile> {
    if row.how != Method::Sweeps || run.args().value_source("tile").is_none() {
        return vec![row.how.usual_tile(kind)];
    }
    run.chosen("tile", &Tile::ALL, |tile| tile.name)
}

/// One row of the CSV.
fn sort<K: Key>(run: &Run, row: &Row<Sorting>, tile: Tile, source: &Source<'_, K>) -> Result<()> {
    let &Source { kind, order, n, .. } = source;
    let how = row.how;
    let other = if tile == how.usual_tile(kind) { String::new() } else { format!(", tile {}", tile.name) };
    let label = format!("{}, {}{other}", kind.name(), order.name());
    let case = Case::new(row.name()).label(label).n(n).launch(how.launch(tile, kind, n));
    // The kernel to which the launch belongs.
    let case = if how.sweeps() { case.kernel("radix.cu", tile.kernel(kind)) } else { case };
    run.case(case.work(how.steps(kind, n)), |case| {
        let (config, stream) = (case.launch(), run.stream());
        let threads = config.block_dim.0;
        if matches!(how, Method::Runs { keys_a_thread: 2, .. } | Method::Grid { .. }) && !threads.is_power_of_two() {
            let reason = format!("a network in blocks of {threads} threads: --threads must be a power of two");
            return Err(run.unsuited(row.name(), reason));
        }
        let splits = how.split();
        if how == Method::Rounds && !run.session().device.cooperative_launch {
            return Err(Error::skip("the device has no cooperative launch"));
        }
        let share = run.count("share").unwrap_or(50);
        let below = if splits.is_some() { source.threshold(share).low() } else { 0 };
        let mut sorter = Sorter::<K>::new(run.kernels(), (how, tile), (kind, n), config, below)?;
        case.launches_as(sorter.config());
        let run_length = how.run_length(n, threads);
        let mut runs: Vec<K>;
        let expected: &[K] = match (splits, how) {
            (Some(both), _) => {
                runs = reference::split(source.keys(), below.into(), both);
                &runs
            }
            (_, Method::Runs { .. }) => {
                let keys = source.keys();
                runs = parallel_vec(n, |i| keys[i]);
                reference::sort_runs(&mut runs, run_length);
                &runs
            }
            _ => source.sorted(),
        };
        let mut out = stream.alloc_zeros::<K>(expected.len())?;
        let kept = splits.map(|_| expected[n].low());
        let bytes = how.bytes(kind, n, threads);
        let dropped = if splits == Some(false) { n - kept.unwrap_or(0) as usize } else { 0 };
        case.bytes_of_passes(bytes - dropped * kind.bytes(), how.passes(kind, n, threads));
        let x = source.x.device()?;
        let times = case.time(&mut out, |out| sorter.launch(x, out), |out| reference::check(out, expected))?;
        case.set("element", kind.name());
        case.set("order", order.name());
        case.set("run_length", splits.is_none().then_some(run_length));
        case.set("kept", kept);
        case.set("passes", how.passes(kind, n, threads));
        if !run.is_emulated() && times.median > 0.0 {
            case.set("g_keys_per_s", n as f64 / times.median / 1e6);
        }
        Ok(())
    })?;
    Ok(())
}

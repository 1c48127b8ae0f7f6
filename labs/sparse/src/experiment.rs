//! The rows of the experiment: each chosen method on each chosen matrix.
use std::{
    cell::{Cell, OnceCell},
    rc::Rc,
};

use cudarc::driver::CudaSlice;
use harness::{Case, CaseContext, Check, Error, Input, Result, Row, Run, Sizes, Times, Tolerance};

use crate::{
    Csr, Expected, METHODS, MatrixKind, PEERS, Product, ProductMethod, SEARCHES, Search, SearchMethod, UNREACHED,
    cusparse::{Cusparse, OnDevice},
    hub, lanes_for, levels, read_market,
};

/// A form that stores more than this many times the entries is not made, unless it is small.
const MOST_PADDING: usize = 8;
const SMALL: usize = 1 << 17;

/// A matrix and a vector that rows share.
pub(crate) struct Problem<'r> {
    /// The kind's name, or the file's.
    pub(crate) name: String,
    pub(crate) a: Rc<Csr>,
    pub(crate) start: Input<'r, u32>,
    pub(crate) column: Input<'r, u32>,
    value: Input<'r, f32>,
    x: Input<'r, f32>,
    expected: OnceCell<Expected>,
    /// The time of cuSPARSE's faster algorithm for this matrix, if it was measured.
    cusparse_ms: Cell<Option<f64>>,
}

impl<'r> Problem<'r> {
    fn new(run: &'r Run, name: String, a: Csr) -> Self {
        let a = Rc::new(a);
        let [of_start, of_column, of_value] = std::array::from_fn(|_| a.clone());
        let columns = a.columns;
        Self {
            name,
            start: run.input("start", move || of_start.start.clone()),
            column: run.input("column", move || of_column.column.clone()),
            value: run.input("value", move || of_value.value.clone()),
            x: run.input("x", move || run.inputs("x").f32(columns, -1.0..1.0)),
            a,
            expected: OnceCell::new(),
            cusparse_ms: Cell::new(None),
        }
    }

    /// The right product.
    fn expected(&self) -> &Expected {
        self.expected.get_or_init(|| Expected::new(&self.a, self.x.host()))
    }

    /// Sets the columns that say what is multiplied.
    pub(crate) fn describe(&self, case: &mut CaseContext<'_>) {
        case.set("matrix", self.name.as_str());
        case.set("entries", self.a.entries() as u64);
        case.set("longest_row", self.a.longest() as u64);
    }

    /// Sets the columns of a product's time.
    fn compare(&self, run: &Run, case: &mut CaseContext<'_>, times: Times) {
        if run.is_emulated() || times.median <= 0.0 {
            return;
        }
        if let Some(peer) = self.cusparse_ms.get() {
            case.set("percent_of_cusparse", 100.0 * peer / times.median);
        }
    }
}

/// Calls `each` with the requested matrices, one after another: that of a file, or one of each kind.
pub(crate) fn with_problems(run: &Run, mut each: impl FnMut(&Problem<'_>) -> Result<()>) -> Result<()> {
    let bytes =
        |rows: usize, entries: usize| entries.checked_mul(24).and_then(|b| b.checked_add(rows.checked_mul(32)?));
    if let Some(file) = run.file("input") {
        let read = read_market(&run.read(file)?).map_err(|says| Error::usage(format!("{file}: {says}")))?;
        let sides = read.rows.max(read.columns);
        run.needs(bytes(sides, read.entries.len()), &format!("the matrix of {file} and its vectors"), "--input")?;
        let a = Csr::from_entries(read.rows, read.columns, read.entries);
        return each(&Problem::new(run, file.into(), a));
    }
    let n = run.size(Sizes { gpu: 1 << 20, emulated: 1 << 11, quick: 1 << 9 });
    if n >= 1 << 26 {
        return Err(Error::usage("the kernels count entries in 31 bits; choose a --n below 67108864"));
    }
    run.needs(bytes(n, n.saturating_mul(25)), &format!("a matrix of {n} rows and its vectors"), "--n")?;
    for kind in run.chosen("matrix", &MatrixKind::ALL, MatrixKind::name) {
        each(&Problem::new(run, kind.name().into(), kind.make(run.options().seed, n)))?;
    }
    Ok(())
}

/// NVIDIA's library first, because it is the peer of the others, then each chosen method.
pub(crate) fn products(run: &Run, problem: &Problem<'_>) -> Result<()> {
    for row in run.rows(PEERS) {
        library(run, row, problem)?;
    }
    for row in run.rows(METHODS) {
        product(run, row, problem)?;
    }
    Ok(())
}

fn library(run: &Run, row: &Row<i32>, problem: &Problem<'_>) -> Result<()> {
    let a = &problem.a;
    run.case(Case::new(row.name()).label(&problem.name).n(a.rows), |case| {
        // A skipped row also records what it would have multiplied.
        problem.describe(case);
        let mut y = run.stream().alloc_zeros::<f32>(a.rows.max(1))?;
        let (start, column) = (problem.start.device()?, problem.column.device()?);
        let on = OnDevice { start, column, value: problem.value.device()?, x: problem.x.device()? };
        let mut library = Cusparse::new(run, a, &on, &mut y, row.with)?;
        case.reads(a.bytes());
        case.flop(2 * a.entries() as u64);
        let times = case.time(&mut y, |_| library.multiply(run), |y| problem.expected().check(&y[..a.rows]))?;
        if times.median > 0.0 && problem.cusparse_ms.get().is_none_or(|ms| times.median < ms) {
            problem.cusparse_ms.set(Some(times.median));
        }
        Ok(())
    })?;
    Ok(())
}

fn product(run: &Run, row: &Row<ProductMethod>, problem: &Problem<'_>) -> Result<()> {
    let (a, way) = (&problem.a, row.with);
    let mean = a.entries() as f64 / a.rows as f64;
    let lanes = run.count("lanes").unwrap_or_else(|| lanes_for(mean));
    let threads = run.threads(256).next_multiple_of(32);
    let case = Case::new(row.name()).label(&problem.name).n(a.rows).work(4 * a.entries() as u64);
    run.case(case.kernel("sparse.cu", way.kernels()[0]), |case| {
        problem.describe(case);
        let stored = way.stored(a);
        case.set("stored", stored as u64);
        if stored > SMALL.max(MOST_PADDING * a.entries()) {
            let times = stored / a.entries().max(1);
            let reason = format!("its padding makes {times} entries of each one; hybrid and jds take any rows");
            let asked = run.args().contains_id("matrix") || run.file("input").is_some();
            return Err(if asked { run.unsuited(row.name(), reason) } else { Error::skip(reason) });
        }
        let arrays = way.arrays(a);
        let mut product = Product::new(run.kernels(), way, a, &arrays, threads, lanes)?;
        run.check_launch(product.config())?;
        case.launches_as(product.config());
        let uploaded = arrays.upload(|name, words| run.upload(name, words), |name, floats| run.upload(name, floats))?;
        let csr = (problem.start.device()?, problem.column.device()?, problem.value.device()?);
        let (words, floats) = arrays.in_order(&uploaded, csr);
        let mut y = run.stream().alloc_zeros::<f32>(a.rows.max(1))?;
        product.prepare(&words)?;
        case.reads(a.bytes());
        case.flop(2 * a.entries() as u64);
        let x: &CudaSlice<f32> = problem.x.device()?;
        let times =
            case.time(&mut y, |y| product.launch(&words, &floats, x, y), |y| problem.expected().check(&y[..a.rows]))?;
        if way == ProductMethod::Vector {
            case.set("lanes", lanes);
        }
        problem.compare(run, case, times);
        Ok(())
    })?;
    Ok(())
}

/// A search with more levels than this is not made: each takes a launch, in which most of the GPU would idle.
const MOST_LEVELS: u32 = 100;

/// Breadth-first search in the graph of the matrix, by each chosen way.
pub(crate) fn searches(run: &Run, problem: &Problem<'_>) -> Result<()> {
    let graph = &problem.a;
    let (right, transpose) = (OnceCell::<Found>::new(), OnceCell::new());
    for row in run.rows(SEARCHES) {
        let case = Case::new(row.name()).label(&problem.name).n(graph.rows).work(4 * graph.entries() as u64);
        run.case(case.kernel("bfs.cu", row.with.kernel()), |case| {
            problem.describe(case);
            if graph.rows != graph.columns {
                return Err(Error::skip("a graph has as many rows as columns"));
            }
            let first = hub(graph);
            let right = right.get_or_init(|| Found::new(graph, first));
            case.set("levels", right.levels);
            case.set("edges", right.edges);
            if right.levels > MOST_LEVELS {
                return Err(Error::skip(format!("{} levels: a launch for each would time launches", right.levels)));
            }
            let back = (row.with == SearchMethod::Pull).then(|| transpose.get_or_init(|| Transpose::new(run, graph)));
            let (start, column) = match back {
                Some(back) => (back.start.device()?, back.column.device()?),
                None => (problem.start.device()?, problem.column.device()?),
            };
            let mut search = Search::new(run.kernels(), row.with, graph, first)?;
            let mut level = run.stream().alloc_zeros::<u32>(graph.rows)?;
            // The ends of rows, the edges once, and the levels.
            case.reads(4 * (2 * graph.rows + right.edges as usize));
            let times = case.time(
                &mut level,
                |level| search.run(start, column, level).map(drop),
                |level| Check::compare(level, &right.level, Tolerance::EXACT),
            )?;
            if !run.is_emulated() && times.median > 0.0 {
                case.set("edges_per_us", right.edges as f64 / (1000.0 * times.median));
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// The graph with its edges the other way round.
struct Transpose<'r> {
    start: Input<'r, u32>,
    column: Input<'r, u32>,
}

impl<'r> Transpose<'r> {
    fn new(run: &'r Run, graph: &Csr) -> Self {
        let Csr { start, column, .. } = graph.transposed();
        Self { start: run.input("start", move || start), column: run.input("column", move || column) }
    }
}

/// What a search finds.
struct Found {
    level: Vec<u32>,
    /// The number of launches: the largest level, and one that finds nothing more.
    levels: u32,
    /// Edges from the vertices that are reached.
    edges: u64,
}

impl Found {
    fn new(graph: &Csr, first: u32) -> Self {
        let level = levels(graph, first);
        let reached = || (0..graph.rows).filter(|vertex| level[*vertex] != UNREACHED);
        let levels = 1 + reached().map(|vertex| level[vertex]).max().unwrap_or(0);
        let edges = reached().map(|vertex| graph.length(vertex) as u64).sum();
        Self { level, levels, edges }
    }
}

//! A method of multiplying: the arrays that its kernels read, and its launches on a stream.
use std::sync::Arc;

use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, LaunchConfig, PushKernelArg};
use harness::{Kernels, Result, Uploaded, launch_1d};

use crate::{
    Csr,
    forms::{Ell, Jds, beyond, hybrid_width, rows_of_entries},
};

/// Entries and ends of rows that a tile of the merge path takes, and its threads: as in `sparse.cuh`.
pub const MERGE_TILE: usize = 1792;
/// The threads of a block of the merge path.
pub const MERGE_THREADS: u32 = 256;

/// How a method stores the matrix and goes through it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProductMethod {
    /// A thread an entry, by this kernel.
    Coo(&'static str),
    /// A thread a row.
    Scalar,
    /// Several lanes a row.
    Vector,
    /// A thread a row of equal length, by this kernel.
    Ell(&'static str),
    /// A thread a row, sorted by length.
    Jds,
    /// Narrow ELL, then the rest as COO.
    Hybrid,
    /// Tiles of the merge path.
    Merge {
        /// Whether the tiles' starts are found once, before the product is timed.
        keeps_starts: bool,
        /// Whether a second launch adds the parts of rows that began in earlier tiles.
        adds_carries: bool,
    },
}

/// Arrays of a matrix that are not those of its CSR form.
#[derive(Debug, Default)]
pub struct Arrays {
    /// Indices, in the order of the kernel's parameters.
    pub words: Vec<Vec<u32>>,
    /// Values.
    pub floats: Vec<Vec<f32>>,
    /// Whether the kernel also takes the CSR form: where rows start, columns and values, or only the last two.
    pub of_csr: OfCsr,
    /// Entries of a row in an ELL part; diagonals of JDS.
    pub width: usize,
    /// Entries in a COO part.
    pub in_coo: usize,
}

/// The arrays of the CSR form that a method reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OfCsr {
    /// None of them.
    #[default]
    None,
    /// Columns and values.
    Entries,
    /// All of them.
    All,
}

/// The arrays of a form on the device: [`Arrays::upload`].
pub type OnDevice<W, F> = (Vec<W>, Vec<F>);

impl Arrays {
    /// Copies the arrays to the device, each by the function for its type, which is given a name for messages. A list
    /// without elements is given one, since an empty buffer has no address.
    ///
    /// # Errors
    /// Those of the functions.
    pub fn upload<W, F>(
        &self,
        words: impl Fn(&str, &[u32]) -> Result<W>,
        floats: impl Fn(&str, &[f32]) -> Result<F>,
    ) -> Result<OnDevice<W, F>> {
        let of_words = self.words.iter().map(|list| words("indices", if list.is_empty() { &[0] } else { list }));
        let of_floats = self.floats.iter().map(|list| floats("values", if list.is_empty() { &[0.0] } else { list }));
        Ok((of_words.collect::<Result<_>>()?, of_floats.collect::<Result<_>>()?))
    }

    /// All arrays in the order in which [`Product::launch`] takes them. `csr` are those of the CSR form: where rows
    /// start, columns and values.
    pub fn in_order<'d, W, F>(
        &self,
        (words, floats): &'d OnDevice<W, F>,
        csr: (&'d CudaSlice<u32>, &'d CudaSlice<u32>, &'d CudaSlice<f32>),
    ) -> (Vec<&'d CudaSlice<u32>>, Vec<&'d CudaSlice<f32>>)
    where
        W: AsSlice<u32>,
        F: AsSlice<f32>,
    {
        let (start, column, value) = csr;
        let mut words: Vec<_> = words.iter().map(AsSlice::as_slice).collect();
        let mut floats: Vec<_> = floats.iter().map(AsSlice::as_slice).collect();
        if self.of_csr == OfCsr::All {
            words.insert(0, start);
        }
        if self.of_csr != OfCsr::None {
            words.push(column);
            floats.insert(0, value);
        }
        (words, floats)
    }
}

/// Memory on the device, with or without a guard.
pub trait AsSlice<T> {
    /// The memory.
    fn as_slice(&self) -> &CudaSlice<T>;
}

impl<T> AsSlice<T> for CudaSlice<T> {
    fn as_slice(&self) -> &CudaSlice<T> {
        self
    }
}

impl<T> AsSlice<T> for Uploaded<T> {
    fn as_slice(&self) -> &CudaSlice<T> {
        self
    }
}

impl ProductMethod {
    /// Entries that this form stores of `a`, padding included.
    pub fn stored(self, a: &Csr) -> usize {
        match self {
            Self::Ell(_) => a.rows * a.longest(),
            Self::Hybrid => {
                let width = hybrid_width(a);
                let rest = (0..a.rows).map(|row| a.length(row).saturating_sub(width)).sum::<usize>();
                a.rows * width + rest
            }
            _ => a.entries(),
        }
    }

    /// The arrays of this form.
    pub fn arrays(self, a: &Csr) -> Arrays {
        match self {
            Self::Coo(_) => Arrays {
                words: vec![rows_of_entries(a)],
                of_csr: OfCsr::Entries,
                in_coo: a.entries(),
                ..Arrays::default()
            },
            Self::Scalar | Self::Vector | Self::Merge { .. } => Arrays { of_csr: OfCsr::All, ..Arrays::default() },
            Self::Ell(_) => {
                let ell = Ell::new(a, a.longest());
                Arrays { words: vec![ell.column], floats: vec![ell.value], width: ell.width, ..Arrays::default() }
            }
            Self::Jds => {
                let jds = Jds::new(a);
                let width = jds.diagonal.len() - 1;
                let words = vec![jds.order, jds.diagonal, jds.column];
                Arrays { words, floats: vec![jds.value], width, ..Arrays::default() }
            }
            Self::Hybrid => {
                let ell = Ell::new(a, hybrid_width(a));
                let (row, column, value) = beyond(a, ell.width);
                let in_coo = row.len();
                let (words, floats) = (vec![ell.column, row, column], vec![ell.value, value]);
                Arrays { words, floats, width: ell.width, in_coo, ..Arrays::default() }
            }
        }
    }

    /// Its kernels in `sparse.cu`.
    pub fn kernels(self) -> Vec<&'static str> {
        match self {
            Self::Coo(kernel) | Self::Ell(kernel) => vec![kernel],
            Self::Scalar => vec!["csr_scalar"],
            Self::Vector => vec!["csr_vector"],
            Self::Jds => vec!["jds"],
            Self::Hybrid => vec!["ell", "coo_segmented"],
            Self::Merge { .. } => vec!["csr_merge", "merge_starts", "merge_carries"],
        }
    }
}

/// The lanes of a row that suit rows of this mean length: as many as leave few of them idle.
///
/// ```
/// assert_eq!([0.5, 3.0, 24.0, 1000.0].map(sparse::lanes_for), [1, 2, 16, 32]);
/// ```
pub fn lanes_for(mean_length: f64) -> u32 {
    (0..5).map(|k| 1 << k).find(|lanes| 2.0 * f64::from(*lanes) > mean_length).unwrap_or(32)
}

/// Blocks of `threads` for `n` threads; one at least.
fn blocks(n: usize, threads: u32) -> LaunchConfig {
    launch_1d(n.div_ceil(threads as usize).max(1) as u32, threads)
}

/// One method for one matrix, its kernels loaded. The matrix and the vectors are given with each launch.
#[derive(Debug)]
pub struct Product {
    stream: Arc<CudaStream>,
    way: ProductMethod,
    kernels: Vec<CudaFunction>,
    rows: u32,
    entries: u32,
    width: u32,
    in_coo: u32,
    lanes: u32,
    threads: u32,
    /// Of the merge path: the number of tiles, the rows that have ended before each, and what each leaves over.
    tiles: u32,
    first_row: CudaSlice<u32>,
    carry: CudaSlice<f32>,
}

impl Product {
    /// Loads the kernels of `way` and allocates what they need in addition to the matrix and the vectors. `threads` is
    /// the size of a block, in whole warps; the merge path has its own. `lanes` share a row of
    /// [`ProductMethod::Vector`].
    ///
    /// # Errors
    /// Those of [`Kernels::function`], and the driver's.
    pub fn new(
        kernels: &Kernels,
        way: ProductMethod,
        a: &Csr,
        arrays: &Arrays,
        threads: u32,
        lanes: u32,
    ) -> Result<Self> {
        let stream = kernels.session().stream.clone();
        let names = way.kernels().into_iter();
        let kernels = names.map(|name| kernels.function("sparse.cu", name)).collect::<Result<Vec<_>>>()?;
        let (rows, entries) = (a.rows as u32, a.entries() as u32);
        let tiles = (a.rows + a.entries()).div_ceil(MERGE_TILE);
        let (first_row, carry) = (stream.alloc_zeros(tiles + 1)?, stream.alloc_zeros(tiles + 1)?);
        let (width, in_coo, tiles) = (arrays.width as u32, arrays.in_coo as u32, tiles as u32);
        Ok(Self { stream, way, kernels, rows, entries, width, in_coo, lanes, threads, tiles, first_row, carry })
    }

    /// The launch, or the main one of several.
    pub fn config(&self) -> LaunchConfig {
        match self.way {
            ProductMethod::Coo(_) => blocks(self.in_coo as usize, self.threads),
            ProductMethod::Vector => blocks(self.rows as usize * self.lanes as usize, self.threads),
            ProductMethod::Merge { .. } => launch_1d(self.tiles.max(1), MERGE_THREADS),
            _ => blocks(self.rows as usize, self.threads),
        }
    }

    /// Queues what is done once for a matrix, before any product.
    ///
    /// # Errors
    /// The driver's errors.
    pub fn prepare(&mut self, words: &[&CudaSlice<u32>]) -> Result<()> {
        if let ProductMethod::Merge { keeps_starts: true, .. } = self.way { self.find_starts(words) } else { Ok(()) }
    }

    fn find_starts(&mut self, words: &[&CudaSlice<u32>]) -> Result<()> {
        let mut starts = self.stream.launch_builder(&self.kernels[1]);
        starts.arg(words[0]).arg(&mut self.first_row).arg(&self.rows).arg(&self.entries).arg(&self.tiles);
        // SAFETY: arguments as the kernel declares them; there is an element for each tile and one more.
        unsafe { starts.launch(blocks(self.tiles as usize + 1, 256)) }?;
        Ok(())
    }

    /// Queues the whole product on the stream. `words` and `floats` are the arrays of [`ProductMethod::arrays`]; those
    /// of the CSR form are where the rows start in front, columns behind the other words, and values in front.
    ///
    /// # Errors
    /// The driver's errors.
    pub fn launch(
        &mut self,
        words: &[&CudaSlice<u32>],
        floats: &[&CudaSlice<f32>],
        x: &CudaSlice<f32>,
        y: &mut CudaSlice<f32>,
    ) -> Result<()> {
        let stream = self.stream.clone();
        let config = self.config();
        // SAFETY (all launches): arguments as the kernels declare them, and arrays as long as their forms say.
        match self.way {
            ProductMethod::Coo(_) => {
                stream.memset_zeros(y)?;
                self.add_coo(0, words, floats[0], x, y)?;
            }
            ProductMethod::Scalar => {
                let mut main = stream.launch_builder(&self.kernels[0]);
                main.arg(words[0]).arg(words[1]).arg(floats[0]).arg(x).arg(y).arg(&self.rows);
                unsafe { main.launch(config) }?;
            }
            ProductMethod::Vector => {
                let mut main = stream.launch_builder(&self.kernels[0]);
                main.arg(words[0]).arg(words[1]).arg(floats[0]).arg(x).arg(y).arg(&self.rows).arg(&self.lanes);
                unsafe { main.launch(config) }?;
            }
            ProductMethod::Ell(_) | ProductMethod::Hybrid => {
                let mut main = stream.launch_builder(&self.kernels[0]);
                main.arg(words[0]).arg(floats[0]).arg(x).arg(&mut *y).arg(&self.rows).arg(&self.width);
                unsafe { main.launch(config) }?;
                if self.way == ProductMethod::Hybrid && self.in_coo > 0 {
                    self.add_coo(1, &words[1..], floats[1], x, y)?;
                }
            }
            ProductMethod::Jds => {
                let mut main = stream.launch_builder(&self.kernels[0]);
                main.arg(words[0]).arg(words[1]).arg(words[2]).arg(floats[0]).arg(x).arg(y);
                main.arg(&self.rows).arg(&self.width);
                unsafe { main.launch(config) }?;
            }
            ProductMethod::Merge { keeps_starts, adds_carries } => {
                if !keeps_starts {
                    self.find_starts(words)?;
                }
                let mut main = stream.launch_builder(&self.kernels[0]);
                main.arg(words[0]).arg(words[1]).arg(floats[0]).arg(x).arg(&mut *y);
                main.arg(&self.first_row).arg(&mut self.carry).arg(&self.rows).arg(&self.entries);
                if self.tiles > 0 {
                    unsafe { main.launch(config) }?;
                }
                if adds_carries {
                    let mut carries = stream.launch_builder(&self.kernels[2]);
                    carries.arg(&self.first_row).arg(&self.carry).arg(y).arg(&self.rows).arg(&self.tiles);
                    unsafe { carries.launch(blocks(self.tiles as usize, 256)) }?;
                }
            }
        }
        Ok(())
    }

    /// Adds the entries of a COO form to y.
    fn add_coo(
        &self,
        kernel: usize,
        words: &[&CudaSlice<u32>],
        value: &CudaSlice<f32>,
        x: &CudaSlice<f32>,
        y: &mut CudaSlice<f32>,
    ) -> Result<()> {
        let mut add = self.stream.launch_builder(&self.kernels[kernel]);
        add.arg(words[0]).arg(words[1]).arg(value).arg(x).arg(y).arg(&self.in_coo);
        // SAFETY: arguments as the kernels declare them, and as many entries as said.
        unsafe { add.launch(blocks(self.in_coo as usize, self.threads)) }?;
        Ok(())
    }
}

//! Launches one method on a stream.
use std::sync::Arc;

use cudarc::driver::{
    CudaFunction, CudaSlice, CudaStream, DevicePtr, DevicePtrMut, DeviceRepr, LaunchConfig, PushKernelArg,
};
use harness::{Kernels, Launch, Result, at_once, launch_1d};

use crate::{Key, KeyKind};

/// Threads of a block of `lists.cu`, and of 1 and 3 of `radix.cu`.
const TILE_THREADS: u32 = 256;
/// Keys of a tile of `lists.cu`, of `rounds.cu`, and of `radix.cu`.
const LIST_TILE: usize = 8192;
const ROUND_TILE: usize = 6144;
const TILE: usize = 4096;
/// Threads of a block of `rounds.cu`: twelve warps that split, and one that looks around.
const ROUND_THREADS: u32 = 416;
/// Bytes of shared memory of such a block: a ring of four tiles, and the counts of their parts.
const ROUND_BYTES: u32 = 98512;
/// Threads of a block of `count_all`, which has one block per multiprocessor.
const COUNT_THREADS: u32 = 1024;
/// The most dynamic shared memory of such a block, in bytes: 32 copies of the counts of four places.
const COUNT_BYTES: u32 = 128 << 10;

/// The method of sorting or splitting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Split by a threshold, in one pass.
    Split {
        /// Whether the keys at or above the threshold are kept too.
        both: bool,
    },
    /// Like `Split`, but persistent blocks take the tiles in turn; keys at or above the threshold are dropped.
    Rounds,
    /// Sorted in runs by one kernel.
    Runs {
        /// Its name, without `_u32` and `_u64`.
        kernel: &'static str,
        /// 1 for a warp's runs of 32, or 2 for a block's.
        keys_a_thread: usize,
    },
    /// A bitonic network over all of memory.
    Grid {
        /// The kernel for its flips.
        flip: &'static str,
    },
    /// Digits of 4 bits, three kernels each.
    Passes {
        /// The last kernel: `scatter`, of which there is one for each kind, or one for pairs.
        scatter: &'static str,
    },
    /// Digits of 8 bits, one kernel each.
    Sweeps,
    /// Like `Sweeps`, but in tiles as large as shared memory and registers allow.
    Large,
}

impl Method {
    /// The launch for `n` keys: one block per tile, or per as many keys as `Launch`'s threads take.
    pub fn launch(self, tile: Tile, kind: KeyKind, n: usize) -> Launch {
        let tiles = |keys: usize| n.div_ceil(keys).max(1) as u32;
        match self {
            Self::Runs { keys_a_thread: 1, .. } => Launch::covering(256).whole_warps(),
            Self::Runs { .. } | Self::Grid { .. } => {
                let bytes = if kind == KeyKind::U64 { |threads| 16 * threads } else { |threads| 8 * threads };
                Launch::covering(1024).each(2).shared_by_threads(bytes)
            }
            Self::Split { .. } => launch_1d(tiles(LIST_TILE), TILE_THREADS).into(),
            // Its shared memory is added when the kernel is loaded: a device with too little skips the row.
            Self::Rounds => launch_1d(tiles(ROUND_TILE), ROUND_THREADS).into(),
            Self::Passes { .. } => launch_1d(tiles(TILE), TILE_THREADS).into(),
            // As for `Rounds`.
            Self::Sweeps | Self::Large => launch_1d(tiles(tile.keys(kind)), tile.threads).into(),
        }
    }

    /// Whether each pass over a digit is one kernel, which looks back.
    pub const fn sweeps(self) -> bool {
        matches!(self, Self::Sweeps | Self::Large)
    }

    /// The default tile.
    pub const fn usual_tile(self, kind: KeyKind) -> Tile {
        match (self, kind) {
            (Self::Large, KeyKind::U32) => Tile::large("512x112", 512, 112),
            (Self::Large, KeyKind::Pairs) => Tile::large("640x112", 640, 112),
            (Self::Large, KeyKind::U64) => Tile::large("384x192", 384, 192),
            // Values need registers too.
            (_, KeyKind::Pairs) => Tile::PAIRS,
            _ => Tile::KEYS,
        }
    }

    /// Whether keys at or above the threshold are kept; `None` if keys are sorted, not split.
    pub const fn split(self) -> Option<bool> {
        match self {
            Self::Split { both } => Some(both),
            Self::Rounds => Some(false),
            _ => None,
        }
    }

    /// The length of the sorted runs of `n` keys in blocks of `threads`.
    pub fn run_length(self, n: usize, threads: u32) -> usize {
        match self {
            Self::Runs { keys_a_thread: 1, .. } => 32,
            Self::Runs { .. } => 2 * threads as usize,
            _ => n,
        }
        .min(n.max(1))
    }

    /// The total number of simple steps, by which the time of the emulation is estimated.
    pub(crate) fn steps(self, kind: KeyKind, n: usize) -> u64 {
        let log = u64::from(n.max(2).ilog2());
        let each = match self {
            Self::Split { .. } | Self::Rounds => 10,
            Self::Runs { keys_a_thread: 1, .. } => 40,
            Self::Runs { .. } => 150,
            Self::Grid { .. } => 3 * log * log,
            Self::Passes { .. } => 60 * kind.key_bytes() as u64,
            Self::Sweeps | Self::Large => 40 * kind.key_bytes() as u64,
        };
        each.saturating_mul(n as u64)
    }

    /// The number of launches that write all `n` keys, in blocks of `threads`.
    pub fn passes(self, kind: KeyKind, n: usize, threads: u32) -> usize {
        let tile = 2 * threads as usize;
        let merges = n.div_ceil(tile).max(1).next_power_of_two().ilog2() as usize;
        match self {
            Self::Split { .. } | Self::Rounds | Self::Runs { .. } => 1,
            // Merge m: a flip, m - 1 half-cleaners, and the rest in shared memory.
            Self::Grid { .. } => 1 + (1..=merges).map(|m| m + 1).sum::<usize>(),
            Self::Passes { .. } => 2 * kind.key_bytes(),
            Self::Sweeps | Self::Large => kind.key_bytes(),
        }
    }

    /// The bytes that it reads and writes for `n` keys: all of them in every pass, and the keys once more if digits are
    /// counted first.
    pub fn bytes(self, kind: KeyKind, n: usize, threads: u32) -> usize {
        let (passes, keys) = (self.passes(kind, n, threads), n * kind.key_bytes());
        let counting = match self {
            Self::Passes { .. } => passes * keys,
            Self::Sweeps | Self::Large => keys,
            _ => 0,
        };
        passes * 2 * n * kind.bytes() + counting
    }
}

/// The variant of the kernel `sweep`, or `sweep_large`: a block's threads, the bytes of keys per thread, and how it
/// ranks (`Match` in `radix.cuh`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tile {
    /// Its name for `--tile`.
    pub name: &'static str,
    pub(crate) threads: u32,
    pub(crate) bytes: usize,
    pub(crate) stem: &'static str,
}

impl Tile {
    const KEYS: Self = Self::new("384x64", 384, 64);
    const PAIRS: Self = Self::new("512x48", 512, 48);

    const fn new(name: &'static str, threads: u32, bytes: usize) -> Self {
        Self { name, threads, bytes, stem: "sweep" }
    }

    const fn large(name: &'static str, threads: u32, bytes: usize) -> Self {
        Self { stem: "sweep_large", ..Self::new(name, threads, bytes) }
    }

    /// The compiled tiles of [`Method::Sweeps`].
    pub const ALL: [Self; 4] = [
        Self::new("256x80", 256, 80),
        Self::KEYS,
        Self::PAIRS,
        Self { stem: "sweep_match", ..Self::new("384x64-match", 384, 64) },
    ];

    /// Keys of a tile.
    pub fn keys(self, kind: KeyKind) -> usize {
        self.threads as usize * self.bytes / kind.key_bytes()
    }

    pub(crate) fn kernel(self, kind: KeyKind) -> String {
        format!("{}_{}_{}x{}", self.stem, kind.name(), self.threads, self.bytes)
    }
}

/// The argument of `sweep`: see `Pass` in `radix.cu`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct Pass {
    keys_in: u64,
    values_in: u64,
    keys_out: u64,
    values_out: u64,
    counts: u64,
    states: u64,
    next_states: u64,
    ticket: u64,
    n: u32,
    shift: u32,
}

// SAFETY: plain integers in the layout of C, as the kernel declares them.
unsafe impl DeviceRepr for Pass {}

/// One method for one kind and number of keys, with its kernels loaded and its memory allocated.
#[derive(Debug)]
pub struct Sorter<K> {
    stream: Arc<CudaStream>,
    how: Method,
    kind: KeyKind,
    n: usize,
    below: u32,
    config: LaunchConfig,
    /// The launch that counts all digits, and the logarithm of its copies of the counts.
    counting: LaunchConfig,
    copies: u32,
    kernels: Vec<CudaFunction>,
    other: Option<CudaSlice<K>>,
    counts: CudaSlice<u32>,
    states: CudaSlice<u32>,
}

impl<K: Key> Sorter<K> {
    /// Loads the kernels of `how` for `n` keys. `config` is the result of [`Method::launch`]; `below` is the threshold
    /// of a [`Method::Split`].
    ///
    /// # Errors
    /// The errors of [`Kernels::function`], and the driver's.
    pub fn new(
        kernels: &Kernels,
        (how, tile): (Method, Tile),
        (kind, n): (KeyKind, usize),
        config: LaunchConfig,
        below: u32,
    ) -> Result<Self> {
        let stream = kernels.session().stream.clone();
        let key = if kind == KeyKind::U64 { "u64" } else { "u32" };
        let (file, names) = match how {
            Method::Split { both } => ("lists.cu", vec![if both { "partition" } else { "compact" }.to_string()]),
            Method::Rounds => ("rounds.cu", vec!["compact_rounds".into()]),
            Method::Runs { kernel, .. } => ("bitonic.cu", vec![format!("{kernel}_{key}")]),
            Method::Grid { flip } => {
                ("bitonic.cu", ["bitonic_block", flip, "clean_far", "clean_tiles"].map(|k| format!("{k}_{key}")).into())
            }
            Method::Passes { scatter } => {
                let last = if scatter == "scatter" { format!("scatter_{}", kind.name()) } else { scatter.into() };
                ("radix.cu", vec![format!("tile_counts_{key}"), "scan_counts".into(), last])
            }
            Method::Sweeps | Method::Large => ("radix.cu", vec![format!("count_all_{key}"), tile.kernel(kind)]),
        };
        // As many copies of the counts as fit: a power of two.
        let device = &kernels.session().device;
        let counts_bytes = (kind.key_bytes() as u32) << 10;
        let copies = (COUNT_BYTES.min(device.shared_bytes_per_block_optin) / counts_bytes).max(1).ilog2();
        let counting = LaunchConfig {
            shared_mem_bytes: counts_bytes << copies,
            ..launch_1d(device.multiprocessors.min(n.div_ceil(1 << 14).max(1) as u32), COUNT_THREADS)
        };
        let shared = match how {
            Method::Rounds => ROUND_BYTES,
            Method::Large => (tile.keys(kind) * kind.bytes()) as u32,
            _ => config.shared_mem_bytes,
        };
        let function = |(i, name): (usize, &String)| {
            let shared = if how.sweeps() && i == 0 { counting.shared_mem_bytes } else { shared };
            kernels.function_with_shared(file, name, shared)
        };
        let functions = names.iter().enumerate().map(function).collect::<Result<Vec<_>>>()?;
        let tiles = config.grid_dim.0 as usize;
        let mut config = LaunchConfig { shared_mem_bytes: shared, ..config };
        if how == Method::Rounds {
            config = at_once(&functions[0], config, device.multiprocessors)?;
        }
        let places = kind.key_bytes();
        let (counts, states) = match how {
            Method::Split { .. } => (0, tiles + 1),
            Method::Rounds => (0, n.div_ceil(ROUND_TILE)),
            Method::Runs { .. } | Method::Grid { .. } => (0, 0),
            Method::Passes { .. } => (16 * tiles, 0),
            // The counts of each place's digits are followed by a ticket; there are two sets of states.
            Method::Sweeps | Method::Large => (places * 257, 2 * 256 * tiles),
        };
        let needs_other = matches!(how, Method::Passes { .. }) || how.sweeps();
        let words = n * kind.bytes() / size_of::<K>();
        let other = needs_other.then(|| stream.alloc_zeros(words.max(1))).transpose()?;
        Ok(Self {
            how,
            kind,
            n,
            below,
            config,
            counting,
            copies,
            kernels: functions,
            other,
            counts: stream.alloc_zeros(counts.max(1))?,
            states: stream.alloc_zeros(states.max(1))?,
            stream,
        })
    }

    /// The launch of the first kernel: that of [`Method::launch`], or for [`Method::Rounds`] as many of its blocks as
    /// are resident together.
    pub const fn config(&self) -> LaunchConfig {
        self.config
    }

    /// Queues all launches on the stream. `x` holds n keys followed by the values of pairs; so does `out`, which has
    /// one word more if keys are split.
    ///
    /// # Errors
    /// The driver's errors.
    pub fn launch(&mut self, x: &CudaSlice<K>, out: &mut CudaSlice<K>) -> Result<()> {
        let stream = self.stream.clone();
        let (x, _x_in_use) = x.device_ptr(&stream);
        let (out, _out_in_use) = out.device_ptr_mut(&stream);
        match self.how {
            Method::Split { .. } => self.split(x, out),
            Method::Rounds => self.rounds(x, out),
            Method::Runs { .. } => self.first(x, out, self.config),
            Method::Grid { .. } => self.grid(x, out),
            Method::Passes { .. } => self.passes(x, out),
            Method::Sweeps | Method::Large => self.sweeps(x, out),
        }
    }

    /// The first kernel, over (x, out, n).
    fn first(&self, x: u64, out: u64, config: LaunchConfig) -> Result<()> {
        let n = self.n as u64;
        let mut launch = self.stream.launch_builder(&self.kernels[0]);
        launch.arg(&x).arg(&out).arg(&n);
        // SAFETY (all launches here): arguments as the kernels declare them, and buffers as large as they say.
        unsafe { launch.launch(config) }?;
        Ok(())
    }

    fn split(&mut self, x: u64, out: u64) -> Result<()> {
        let stream = self.stream.clone();
        stream.memset_zeros(&mut self.states)?;
        let (ticket, _in_use) = self.states.device_ptr_mut(&stream);
        let (states, n) = (ticket + size_of::<u32>() as u64, self.n as u32);
        let mut launch = stream.launch_builder(&self.kernels[0]);
        launch.arg(&x).arg(&out).arg(&states).arg(&ticket).arg(&n).arg(&self.below);
        unsafe { launch.launch(self.config) }?;
        Ok(())
    }

    fn rounds(&mut self, x: u64, out: u64) -> Result<()> {
        let stream = self.stream.clone();
        stream.memset_zeros(&mut self.states)?;
        let (states, n) = (self.states.device_ptr_mut(&stream).0, self.n as u32);
        let mut launch = stream.launch_builder(&self.kernels[0]);
        launch.arg(&x).arg(&out).arg(&states).arg(&n).arg(&self.below);
        unsafe { launch.launch_cooperative(self.config) }?;
        Ok(())
    }

    /// Sorts tiles and then merges them: two at a time, then those runs two at a time, and so on.
    fn grid(&self, x: u64, out: u64) -> Result<()> {
        self.first(x, out, self.config)?;
        let (n, tile) = (self.n as u64, 2 * u64::from(self.config.block_dim.0));
        let step = |kernel: usize, distance: u64| -> Result<()> {
            let mut launch = self.stream.launch_builder(&self.kernels[kernel]);
            launch.arg(&out).arg(&n).arg(&distance);
            // One thread for each comparator, including those past the end.
            let threads = n.div_ceil(2 * distance) * distance;
            let blocks = threads.div_ceil(u64::from(self.config.block_dim.0)) as u32;
            unsafe { launch.launch(launch_1d(blocks, self.config.block_dim.0)) }?;
            Ok(())
        };
        let mut half = tile;
        while half < n {
            step(1, half)?;
            let mut distance = half / 2;
            while distance >= tile {
                step(2, distance)?;
                distance /= 2;
            }
            let mut rest = self.stream.launch_builder(&self.kernels[3]);
            rest.arg(&out).arg(&n);
            unsafe { rest.launch(self.config) }?;
            half *= 2;
        }
        Ok(())
    }

    /// The source and the destination of the keys in pass `pass` of `passes`: from `x`, back and forth, and finally to
    /// `out`.
    fn ends_of(&mut self, x: u64, out: u64, (pass, passes): (usize, usize)) -> (u64, u64) {
        let stream = self.stream.clone();
        let other = self.other.as_mut().expect("a radix sort has a second buffer").device_ptr_mut(&stream).0;
        let at = |pass: usize| if (passes - pass).is_multiple_of(2) { out } else { other };
        (if pass == 0 { x } else { at(pass) }, at(pass + 1))
    }

    fn passes(&mut self, x: u64, out: u64) -> Result<()> {
        let stream = self.stream.clone();
        let (n, tiles) = (self.n as u32, self.config.grid_dim.0);
        let (entries, passes) = (16 * tiles, 2 * self.kind.key_bytes());
        let values = (self.n * self.kind.key_bytes()) as u64;
        for pass in 0..passes {
            let (from, to) = self.ends_of(x, out, (pass, passes));
            let (from_values, to_values, shift) = (from + values, to + values, 4 * pass as u32);
            let (counts, _in_use) = self.counts.device_ptr_mut(&stream);
            let mut count = stream.launch_builder(&self.kernels[0]);
            count.arg(&from).arg(&counts).arg(&n).arg(&shift);
            unsafe { count.launch(self.config) }?;
            let mut scan = stream.launch_builder(&self.kernels[1]);
            scan.arg(&counts).arg(&entries);
            unsafe { scan.launch(launch_1d(1, 1024)) }?;
            let mut scatter = stream.launch_builder(&self.kernels[2]);
            scatter.arg(&from).arg(&from_values).arg(&to).arg(&to_values).arg(&counts).arg(&n).arg(&shift);
            unsafe { scatter.launch(self.config) }?;
        }
        Ok(())
    }

    fn sweeps(&mut self, x: u64, out: u64) -> Result<()> {
        let stream = self.stream.clone();
        let (n, places) = (self.n as u32, self.kind.key_bytes());
        let values = (self.n * places) as u64;
        let words = (self.states.len() / 2) as u32;
        stream.memset_zeros(&mut self.counts)?;
        let (counts, states) = (self.counts.device_ptr_mut(&stream).0, self.states.device_ptr_mut(&stream).0);
        let sets = [states, states + u64::from(words) * size_of::<u32>() as u64];
        let mut count = stream.launch_builder(&self.kernels[0]);
        count.arg(&x).arg(&counts).arg(&states).arg(&words).arg(&n).arg(&self.copies);
        unsafe { count.launch(self.counting) }?;
        for place in 0..places {
            let (keys_in, keys_out) = self.ends_of(x, out, (place, places));
            let pass = Pass {
                keys_in,
                values_in: keys_in + values,
                keys_out,
                values_out: keys_out + values,
                counts: counts + (place * 256 * size_of::<u32>()) as u64,
                states: sets[place % 2],
                next_states: sets[(place + 1) % 2],
                ticket: counts + ((places * 256 + place) * size_of::<u32>()) as u64,
                n,
                shift: 8 * place as u32,
            };
            let mut sweep = stream.launch_builder(&self.kernels[1]);
            sweep.arg(&pass);
            unsafe { sweep.launch(self.config) }?;
        }
        Ok(())
    }
}

//! The experiment: every method on both kinds of bins and every text; then contention.
use std::{cell::OnceCell, fs::File, io::Read};

use cudarc::driver::CudaSlice;
use harness::{Case, Check, Error, Result, Run, Sizes, Tolerance, poison};

use crate::{Bins, Counter, Method, Text, config, contention, reference, throughput};

/// GB/s of one H200 on 2^28 bytes, uniform and all the same letter: the textbook's kernels, and CUB's
/// `DeviceHistogram` beside the fastest.
const PUBLISHED: [(Method, Bins, f64, f64); 4] = [
    (Method::Atomic, Bins::Letters, 5.5, 1.4),
    (Method::Privatized, Bins::Letters, 661.0, 660.0),
    (Method::BitSliced, Bins::Letters, 3203.0, 3062.0),
    (Method::Lanes, Bins::Bytes, 3176.0, 3068.0),
];

pub(crate) fn run(run: &Run) -> Result<()> {
    for text in texts(run)? {
        for bins in Bins::ALL {
            if !chosen(run, "bins", bins.name()) {
                continue;
            }
            for method in Method::ALL {
                if method.counts(bins) && run.wants(method.name()) {
                    count(run, method, bins, &text)?;
                }
            }
        }
    }
    contention::run(run)
}

/// Whether `name` is among the values of `--option`, or nothing is.
fn chosen(run: &Run, option: &str, name: &str) -> bool {
    let mut values = run
        .args()
        .get_many::<String>(option)
        .into_iter()
        .flatten()
        .peekable();
    values.peek().is_none() || values.any(|v| v == name)
}

/// A text by name, made and copied to the device when first asked for.
struct Source<'r> {
    run: &'r Run,
    name: String,
    text: Option<Text>,
    n: usize,
    host: OnceCell<Vec<u8>>,
    device: OnceCell<CudaSlice<u8>>,
    counts: [OnceCell<Vec<u64>>; 2],
}

impl Source<'_> {
    fn host(&self) -> &[u8] {
        self.host.get_or_init(|| match self.text {
            Some(text) => text.make(self.run.options().seed, self.n),
            None => Vec::new(),
        })
    }

    fn device(&self) -> Result<&CudaSlice<u8>> {
        if self.device.get().is_none() {
            // One byte at least: a buffer of none has no address.
            let text = if self.n == 0 { &[0][..] } else { self.host() };
            let _ = self.device.set(self.run.stream().clone_htod(text)?);
        }
        Ok(self.device.get().expect("set above"))
    }

    fn counts(&self, bins: Bins) -> &[u64] {
        self.counts[bins as usize].get_or_init(|| reference(bins, self.host()))
    }
}

/// The texts asked for: a file's, or random ones of every kind.
fn texts(run: &Run) -> Result<Vec<Source<'_>>> {
    let source = |name: String, text, n, host| Source {
        run,
        name,
        text,
        n,
        host,
        device: OnceCell::new(),
        counts: Default::default(),
    };
    if let Some(file) = run.args().get_one::<String>("input") {
        let mut bytes = read(file)?;
        bytes.truncate(run.options().n.unwrap_or(usize::MAX));
        fits_memory(run, bytes.len())?;
        return Ok(vec![source(
            file.clone(),
            None,
            bytes.len(),
            OnceCell::from(bytes),
        )]);
    }
    let n = run.size(Sizes {
        gpu: 1 << 28,
        emulated: 1 << 17,
        quick: 1 << 12,
    });
    fits_memory(run, n)?;
    let wanted = Text::ALL
        .into_iter()
        .filter(|t| chosen(run, "text", t.name()));
    Ok(wanted
        .map(|t| source(t.name().into(), Some(t), n, OnceCell::new()))
        .collect())
}

fn read(file: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = match file {
        "-" => std::io::stdin().lock().read_to_end(&mut bytes),
        path => File::open(path).and_then(|mut f| f.read_to_end(&mut bytes)),
    };
    read.map_err(|source| Error::Io {
        action: "read",
        path: file.into(),
        source,
    })?;
    Ok(bytes)
}

fn fits_memory(run: &Run, n: usize) -> Result<()> {
    let device = &run.session().device;
    if n as u64 > device.total_bytes {
        return Err(Error::usage(format!(
            "a text of {n} bytes does not fit the {} bytes of {}; choose a smaller --n",
            device.total_bytes, device.name
        )));
    }
    Ok(())
}

/// One row.
fn count(run: &Run, method: Method, bins: Bins, text: &Source<'_>) -> Result<()> {
    let n = text.n;
    let threads = run.options().threads.unwrap_or(method.threads());
    run.session()
        .device
        .check_launch(config(method, bins, 1, threads))?;
    let label = format!("{}, {}", bins.name(), text.name);
    let blocks = match run.options().blocks {
        Some(blocks) => blocks,
        None => {
            let case = Case::new(method.name()).label(label.as_str()).n(n);
            let blocks = one_wave(run, method, bins, n, threads);
            match run.unless_missing(case, blocks)? {
                Some(blocks) => blocks,
                None => return Ok(()),
            }
        }
    };
    method
        .fits(n as u64, blocks, threads)
        .map_err(Error::usage)?;
    let launch = config(method, bins, blocks, threads);
    run.case(
        Case::new(method.name()).label(label).n(n).launch(launch),
        |case| {
            let load = |file: &str, kernel: &str| run.function(file, kernel);
            let counter = Counter::new(run.stream(), method, bins, (blocks, threads), load)?;
            let device = text.device()?;
            let expected = text.counts(bins);
            let mut counts = run.stream().alloc_zeros::<u64>(bins.count())?;
            let mut counted = 0;
            case.bytes(n);
            case.measure(
                &mut counts,
                |counts| poison(run, counts),
                |counts| Ok(counter.launch(device, n, counts)?),
                |counts| {
                    let actual = run.stream().clone_dtoh(counts)?;
                    counted = actual.iter().sum();
                    Ok(Check::equal(&actual, expected))
                },
            )?;
            let total: u64 = expected.iter().sum();
            case.set("bins", bins.name());
            case.set("text", text.name.as_str());
            case.set("counted", counted);
            case.set("lost", total as i64 - counted as i64);
            let published = PUBLISHED
                .iter()
                .find(|(m, b, ..)| (*m, *b) == (method, bins));
            if let Some((_, _, uniform, same)) =
                published.filter(|_| !run.is_emulated() && n == 1 << 28)
            {
                match text.text {
                    Some(Text::Uniform) => case.set("published_gb_per_s", *uniform),
                    Some(Text::Same) => case.set("published_gb_per_s", *same),
                    _ => {}
                }
            }
            Ok(())
        },
    )?;
    Ok(())
}

/// As many blocks as the device holds at once, or fewer if a thread would have less than a byte; than 64, for the
/// emulated device's small default text: a thread should have a stretch of its own there, too.
fn one_wave(run: &Run, method: Method, bins: Bins, n: usize, threads: u32) -> Result<u32> {
    let function = run.function("histogram.cu", &method.kernel(bins))?;
    let shared = method.shared_bytes(bins, threads) as usize;
    let resident =
        function.occupancy_max_active_blocks_per_multiprocessor(threads, shared, None)?;
    let default = run.is_emulated() && run.options().n.is_none();
    let most = n.div_ceil(if default { 64 } else { 1 } * threads as usize);
    let most = u32::try_from(most).unwrap_or(u32::MAX);
    Ok((run.session().device.multiprocessors * resident)
        .min(most)
        .max(1))
}

/// The exercise on atomic throughput, each answer beside the published one.
pub(crate) fn exercises(run: &Run) -> Result<()> {
    for q in throughput::exercise() {
        run.case(Case::new("exercise").label(q.label), |case| {
            let tolerance = Tolerance {
                absolute: q.rounding,
                relative: 0.0,
            };
            case.check(Check::scalar(q.label, q.answer, q.published, tolerance));
            case.set("answer", q.answer);
            case.set("published_answer", q.published);
            case.note(q.text);
            Ok(())
        })?;
    }
    Ok(())
}

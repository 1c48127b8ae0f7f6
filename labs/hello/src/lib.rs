//! Hello from every thread; and which thread is which: blocks, warps, lanes and the elements they take.
mod exercises;
pub mod lines;
pub mod maps;

use cudarc::driver::{LaunchConfig, sys::CUlimit};
use harness::{
    Case, Check, Error, Lab, Recorder, Result, Run, Variant, capture,
    clap::{Arg, ArgAction},
    launch_1d, parse_u32,
};

use maps::{Dim3, count};

/// The lab.
pub static LAB: Lab = Lab {
    name: "hello",
    summary: "every thread says hello: threads, blocks, warps and lanes, and the elements they take",
    kernels: &[kernels::source!("hello")],
    variants: &[
        Variant::new("flat", "one block: each thread prints its number"),
        Variant::new(
            "blocks",
            "like flat, but several blocks, whose numbers are printed too",
        ),
        Variant::new(
            "grid3d",
            "like blocks, but in three dimensions: linear index, warp and lane",
        ),
        Variant::new(
            "index-maps",
            "exercise: which elements a thread takes, in three ways",
        ),
        Variant::new("warp-starts", "exercise: where in a block its warps begin"),
    ],
    columns: &[
        "lines_printed",
        "lines_lost",
        "question",
        "expected",
        "obtained",
    ],
    args,
    run,
    exercises: Some(exercises::run),
};

/// Lines shown of a run that nobody asked to see in full.
const SHOWN: usize = 12;

/// Beyond this many lines nobody reads, and the caught output would fill the disk.
const MOST_LINES: u64 = 1 << 20;

fn args() -> Vec<Arg> {
    vec![
        Arg::new("shape")
            .value_name("NUMBER")
            .num_args(1..=2)
            .value_parser(parse_u32)
            .help("`10`: only flat, with 10 threads; `2 5`: only blocks, 2 blocks of 5 threads"),
        Arg::new("all")
            .long("all")
            .action(ArgAction::SetTrue)
            .help("Show every line of a long output"),
    ]
}

/// The three programs' launches, and whether they were asked for by numbers.
fn run(run: &Run) -> Result<()> {
    // `warplab run hello` has no place for numbers: --blocks and --threads serve there.
    let shape: Vec<u32> = match run.args().try_get_many::<u32>("shape") {
        Ok(Some(numbers)) => numbers.copied().collect(),
        _ => Vec::new(),
    };
    let options = run.options();
    let asked = !shape.is_empty();

    if !asked || shape.len() == 1 {
        let threads = shape.first().copied().or(options.threads).unwrap_or(10);
        hello(run, "flat", "hello_flat", launch_1d(1, threads), asked)?;
    }
    if !asked || shape.len() == 2 {
        let blocks = shape.first().copied().or(options.blocks).unwrap_or(2);
        let threads = shape.get(1).copied().or(options.threads).unwrap_or(5);
        hello(
            run,
            "blocks",
            "hello_blocks",
            launch_1d(blocks, threads),
            asked,
        )?;
    }
    if !asked {
        let launch = LaunchConfig {
            grid_dim: (2, 3, 1),
            block_dim: (4, 4, 4),
            shared_mem_bytes: 0,
        };
        hello(run, "grid3d", "hello_grid3d", launch, false)?;
    }
    Ok(())
}

/// One launch whose printed lines are caught, shown and counted.
fn hello(
    run: &Run,
    variant: &'static str,
    kernel: &str,
    launch: LaunchConfig,
    in_full: bool,
) -> Result<()> {
    if !run.wants(variant) {
        return Ok(());
    }
    run.session().device.check_launch(launch)?;
    let (grid, block) = (dim3(launch.grid_dim), dim3(launch.block_dim));
    let total = count(grid) * count(block);
    if total > MOST_LINES {
        return Err(Error::usage(format!(
            "{total} threads would print {total} lines; choose at most {MOST_LINES}"
        )));
    }
    run.case(
        Case::new(variant).n(total as usize).launch(launch),
        |case| {
            let function = run.function("hello.cu", kernel)?;
            make_room(run, case, total);
            let (text, ()) = capture::stdout(|| {
                // SAFETY: the kernel takes no arguments and writes nothing but its lines.
                unsafe { run.stream().launch_builder(&function).launch(launch) }?;
                // The driver hands out what was printed when the host waits for the whole context.
                Ok(run.session().context.synchronize()?)
            })?;
            show(run, &text, in_full || run.args().get_flag("all"));

            let tally = lines::tally(&text, lines::expected(variant, grid, block));
            case.set("lines_printed", tally.printed);
            case.set("lines_lost", tally.lost);
            case.check(Check::that(
                tally.lost == 0,
                format!(
                    "{} of {total} lines lost, first: {}; the device's printf buffer is finite",
                    tally.lost,
                    tally.first_lost.as_deref().unwrap_or_default()
                ),
            ));
            case.check(Check::that(
                tally.unexpected == 0,
                format!("{} lines that no thread should print", tally.unexpected),
            ));
            case.note(format!(
                "{} of {total} lines, each once",
                tally.printed - tally.unexpected
            ));
            Ok(())
        },
    )?;
    Ok(())
}

/// Makes the driver's buffer for printed lines large enough. A driver that refuses (once a kernel has
/// printed, the size is fixed) is noted: the lines are counted either way.
fn make_room(run: &Run, case: &mut Recorder<'_>, lines: u64) {
    const BYTES_A_LINE: u64 = 256;
    let context = &run.session().context;
    let needed = (lines * BYTES_A_LINE) as usize;
    let limit = CUlimit::CU_LIMIT_PRINTF_FIFO_SIZE;
    if context.get_limit(limit).is_ok_and(|size| size < needed)
        && context.set_limit(limit, needed).is_err()
    {
        case.note("the printf buffer could not be enlarged");
    }
}

fn show(run: &Run, text: &str, in_full: bool) {
    let total = text.lines().count();
    let shown = if in_full || total <= SHOWN {
        total
    } else {
        SHOWN
    };
    for line in text.lines().take(shown) {
        run.say(line);
    }
    if shown < total {
        run.say(&format!(
            "... and {} more lines (--all shows them)",
            total - shown
        ));
    }
}

pub(crate) fn dim3((x, y, z): (u32, u32, u32)) -> Dim3 {
    [x, y, z]
}

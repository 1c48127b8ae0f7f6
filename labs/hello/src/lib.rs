//! Hello from every thread; and which thread is which: blocks, warps, lanes and the elements they take.
mod exercises;
pub mod lines;
pub mod maps;

use cudarc::driver::LaunchConfig;
use harness::{
    Case, Check, Claim, Error, Lab, Measure, Result, Row, Run, Size, Story, VariantFilter, capture, clap::Arg, column,
    parse_u32, row,
};

use lines::{PrintedLine, Tally};
use maps::Dim3;

/// The lab.
pub static LAB: Lab = Lab {
    name: "hello",
    summary: "every thread says hello: threads, blocks, warps and lanes, and the elements they take",
    kernels: &[kernels::source!("hello")],
    variants: &[&HELLOS, &exercises::ROWS],
    columns: &[
        column("lines_printed", "lines that begin like a hello"),
        column("lines_lost", "lines that should have been printed, and were not"),
        column("question", "the question that the row answers"),
        column("expected", "its answer"),
        column("obtained", "the answer that the device's threads gave"),
    ],
    options,
    ignored: &[
        (&["n"], VariantFilter::Every),
        (&["blocks", "threads"], VariantFilter::Names(&["grid3d"])),
        (&["blocks"], VariantFilter::Names(&["flat"])),
        (&["blocks", "threads"], VariantFilter::Tables(&[&exercises::ROWS])),
    ],
    run,
    story: Some(STORY),
    assignment: harness::assignment!("warps.svg", "device.svg"),
    exercises: Some(exercises::run),
    ..Lab::DEFAULT
};

/// What a run of the lab shows.
const STORY: Story = Story {
    question: "Which thread is which?",
    ladder: &[],
    measure: Measure::Time,
    size: Size::Own,
    options: &[],
    claim: Claim::AsExpected("every thread of a grid says hello exactly once, and knows its index, warp and lane"),
};

/// The kernel `hello_NAME`, where NAME is the row's name, and the lines that its threads print.
#[derive(Debug, Clone, Copy)]
struct Hello {
    /// The line that a thread should print.
    line: PrintedLine,
    blocks: Dim3,
    threads: Dim3,
    /// The count of numbers on the command line that selects this kernel: its threads, or its blocks and threads.
    numbers: usize,
}

const FLAT: Hello = Hello { line: lines::flat, blocks: [1, 1, 1], threads: [10, 1, 1], numbers: 1 };
const BLOCKS: Hello = Hello { line: lines::blocks, blocks: [2, 1, 1], threads: [5, 1, 1], numbers: 2 };
const GRID3D: Hello = Hello { line: lines::grid3d, blocks: [4, 5, 2], threads: [4, 4, 4], numbers: 0 };

static HELLOS: &[Row<Hello>] = &[
    row("flat", "one block: each thread prints its number", FLAT),
    row("blocks", "like flat, but several blocks, whose numbers are printed too", BLOCKS),
    row("grid3d", "like blocks, but in three dimensions: linear index, warp and lane", GRID3D),
];

/// The number of lines shown unless `--all` asks for every line.
const SHOWN: usize = 12;

/// The most lines: no one reads more, and the captured output would fill the disk.
const MOST_LINES: u64 = 1 << 20;

fn options() -> Vec<Arg> {
    let numbers = "`10`: only flat, with 10 threads; `2 5`: only blocks, 2 blocks of 5 threads";
    vec![Arg::new("shape").value_name("NUMBER").num_args(1..=2).value_parser(parse_u32).help(numbers)]
}

fn run(run: &Run) -> Result<()> {
    // When several labs run, none takes numbers.
    let numbers = run.args().try_get_many::<u32>("shape").ok().flatten();
    let numbers: Vec<u32> = numbers.into_iter().flatten().copied().collect();
    for row in run.rows(HELLOS).filter(|row| numbers.is_empty() || numbers.len() == row.numbers) {
        hello(run, row, &numbers)?;
    }
    Ok(())
}

/// One launch whose printed lines are captured, shown and counted.
fn hello(run: &Run, row: &Row<Hello>, numbers: &[u32]) -> Result<()> {
    let (mut grid, mut block) = (row.blocks, row.threads);
    if row.numbers == 2 {
        grid[0] = numbers.first().copied().or(run.options().blocks).unwrap_or(grid[0]);
    }
    if row.numbers > 0 {
        block[0] = numbers.last().copied().or(run.options().threads).unwrap_or(block[0]);
    }
    let launch = LaunchConfig { grid_dim: grid.into(), block_dim: block.into(), shared_mem_bytes: 0 };
    run.check_launch(launch)?;
    let total = maps::count(grid) * maps::count(block);
    if total > MOST_LINES {
        return Err(Error::usage(format!("{total} threads would print {total} lines; choose at most {MOST_LINES}")));
    }
    let case = Case::new(row.name()).n(total as usize).launch(launch);
    run.case(case.kernel("hello.cu", format!("hello_{}", row.name())), |case| {
        let kernel = case.kernel()?;
        // The lines are counted even without enough room.
        let has_room = capture::make_room(&run.session().context, total);
        if !has_room {
            case.note("the printf buffer could not be enlarged");
        }
        let (text, ()) = capture::stdout(|| {
            // SAFETY: the kernel takes no arguments and writes nothing but its lines.
            unsafe { run.stream().launch_builder(&kernel).launch(launch) }?;
            // The driver delivers the printed text when the host synchronizes the whole context.
            Ok(run.session().context.synchronize()?)
        })?;
        show(run, &text, !numbers.is_empty() || run.options().all);

        let tally = lines::tally(&text, lines::expected(row.line, grid, block));
        let mut losses = tally.losses(&text, total);
        if !has_room && capture::is_full(&run.session().context, text.len()) {
            losses += "; the device's printf buffer was full";
        }
        let Tally { printed, lost, unexpected, .. } = tally;
        case.set("lines_printed", printed);
        case.set("lines_lost", lost);
        case.check(Check::that(lost == 0, losses));
        case.check(Check::that(unexpected == 0, format!("{unexpected} lines that no thread should print")));
        case.note(format!("{} of {total} lines, each once", printed - unexpected));
        Ok(())
    })?;
    Ok(())
}

fn show(run: &Run, text: &str, in_full: bool) {
    let total = text.lines().count();
    let shown = if in_full { total } else { total.min(SHOWN) };
    text.lines().take(shown).for_each(|line| run.say(line));
    if shown < total {
        run.say(&format!("... and {} more lines (--all shows them)", total - shown));
    }
}

//! Returning a value from a kernel: 2 + 3, through every kind of memory, and the classic mistakes.
mod places;
mod ways;

use harness::{
    Case, CaseContext, Claim, Lab, Measure, Result, Row, Run, Size, Story, VariantFilter, arguments,
    clap::{Arg, value_parser},
    column, launch_1d, row, rung,
};

/// The lab.
pub static LAB: Lab = Lab {
    name: "returning",
    summary: "how a kernel gives back a value: 2 + 3 through every kind of memory",
    kernels: &[kernels::source!("returning"), kernels::source!("places")],
    variants: &[&WAYS, &places::CHASES, &places::ARRAYS],
    columns: &[
        column(
            "result",
            "the sum that the host sees; -2147483648, which the lab puts there first, if none was written",
        ),
        column("way_back", "how the host gets it"),
        column("cycles_a_step", "ticks of the SM's clock from one step of a chain to the next that needs it"),
        column("local_bytes", "bytes of local memory of a thread, as the driver reports it"),
        column("registers", "registers of a thread, as the driver reports it"),
    ],
    options,
    ignored: &[
        (&["n", "blocks", "threads"], VariantFilter::Every),
        (&["x", "y"], VariantFilter::Tables(&[&places::CHASES, &places::ARRAYS])),
    ],
    run,
    story: Some(STORY),
    assignment: harness::assignment!("memory.svg"),
    exercises: Some(places::run),
    ..Lab::DEFAULT
};

/// What a run of the lab shows.
const STORY: Story = Story {
    question: "Where does a thread keep what it computes, and what does the place cost?",
    ladder: &[rung("array-in-registers"), rung("array-in-local")],
    measure: Measure::Time,
    size: Size::scaled([1 << 12, 1 << 13, 1 << 14], 1 << 22),
    options: &[],
    claim: Claim::Less {
        less: rung("array-in-registers"),
        more: rung("array-in-local"),
        by: 1.5,
        why: "an array that is indexed at run time lies in local memory, which is device memory",
    },
};

/// A way for the host to get the result.
#[derive(Debug, Clone, Copy)]
struct Way {
    kernel: &'static str,
    memory: &'static str,
    way_back: &'static str,
    run: fn(&Run, &mut CaseContext<'_>) -> Result<()>,
}

const BUFFER: Way = Way { kernel: "add", memory: "device", way_back: "copied by the host", run: ways::explicit };
const MANAGED: Way = Way { memory: "managed", way_back: "read in place", run: ways::managed, ..BUFFER };
const MAPPED: Way = Way { memory: "mapped", way_back: "read in place", run: ways::mapped, ..BUFFER };
const VARIABLE: Way = Way { kernel: "add_global", memory: "device", way_back: "copied by name", run: ways::global };
const MANAGED_VARIABLE: Way = Way { kernel: "add_managed", run: ways::managed_variable, ..MANAGED };
const HOST_POINTER: Way = Way { memory: "pageable", way_back: "none", run: ways::host_pointer, ..BUFFER };
const BY_VALUE: Way = Way { kernel: "add_by_value", memory: "argument", way_back: "none", run: ways::by_value };
const NO_WAIT: Way = Way { kernel: "add_late", way_back: "read too early", run: ways::no_wait, ..MAPPED };

static WAYS: &[Row<Way>] = &[
    row("explicit", "a buffer on the device, copied back", BUFFER),
    row("managed", "like explicit, but in managed memory, which the host reads itself", MANAGED),
    row("pinned", "like managed, but in host memory that the device maps", MAPPED),
    row("global", "a variable of the device, read by its name", VARIABLE),
    row("managed-variable", "like global, but managed, so that the host reads it as its own", MANAGED_VARIABLE),
    row("by-value", "like explicit, but the kernel is given an int in place of an address", BY_VALUE)
        .wrong("the kernel writes its own copy of the argument"),
    row("no-wait", "like pinned, but the host reads without waiting for the kernel", NO_WAIT)
        .racy("the host may read before the kernel has written"),
    row("host-pointer", "like explicit, but with the address of a host variable", HOST_POINTER)
        .wrong("the kernel writes through an address of the host, which the device cannot use")
        .own_process(),
];

fn options() -> Vec<Arg> {
    let number = |name, default| {
        let help = "One of the two numbers to add; sums wrap at 32 bits";
        arguments::value(name, "NUMBER", help).default_value(default).value_parser(value_parser!(i32))
    };
    vec![number("x", "2"), number("y", "3")]
}

fn run(run: &Run) -> Result<()> {
    for row in WAYS {
        let case = Case::new(row.name()).memory_mode(row.memory).kernel("returning.cu", row.kernel);
        run.case(case.launch(launch_1d(1, 1)), |case| {
            case.set("way_back", row.way_back);
            (row.run)(run, case)
        })?;
    }
    Ok(())
}

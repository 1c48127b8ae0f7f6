"""Sets the emulated machine's counters against Nsight Compute's, launch by launch.

compare.py EMULATED [NCU]           writes table.md: EMULATED is measure.sh's emulated.jsonl, NCU its ncu.csv (default: the one here)
compare.py EMULATED [NCU] --check   exits with 1 when a count differs and explained.csv does not say why, or table.md is stale
"""

import csv
import gzip
import json
import pathlib
import re
import sys
from collections import defaultdict

import outcome

HERE = pathlib.Path(__file__).parent

# What is compared: our name, where the machine's JSON has it, and the metrics of ncu that add up to it.
COUNTERS = [
    ("global load sectors", ("global_loads", "sectors"), ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]),
    ("global store sectors", ("global_stores", "sectors"), ["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"]),
    (
        "global atomic requests",
        ("global_atomics", "requests"),
        ["l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"],
    ),
    ("shared atomic requests", ("shared_atomics", "requests"), ["smsp__inst_executed_op_shared_atom.sum"]),
    (
        "shared load wavefronts",
        ("shared_loads", "wavefronts"),
        ["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"],
    ),
    (
        "shared store wavefronts",
        ("shared_stores", "wavefronts"),
        [
            "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
            "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum",
        ],
    ),
]


def sections(path):
    """The lines of a file below each `# run ...` heading."""
    found = defaultdict(list)
    heading = None
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    for line in content.decode().splitlines():
        if line.startswith("# "):
            heading = line[2:]
        elif heading is not None:
            found[heading].append(line)
    return found


def numbers(text):
    return tuple(int(n) for n in re.findall(r"\d+", text))


def profiled(lines):
    """Launches as ncu's raw CSV page has them: (kernel, grid, block) and counts."""
    for row in csv.DictReader(lines):
        counts = []
        for _, _, metrics in COUNTERS:
            known = [row[m] for m in metrics if row.get(m) not in (None, "", "n/a", "nan")]
            counts.append(sum(int(float(v.replace(",", ""))) for v in known) if known else None)
        yield (row["Kernel Name"], numbers(row["Grid Size"]), numbers(row["Block Size"])), tuple(counts)


def emulated(lines):
    """Launches of the machine's log, likewise."""
    for line in lines:
        launch = json.loads(line)
        totals = launch["counters"]["totals"]
        counts = tuple(totals[group][field] for _, (group, field), _ in COUNTERS)
        yield (launch["kernel"], tuple(launch["grid"]), tuple(launch["block"])), counts


def grouped(launches, reasons):
    """Launches by kernel and shape: their counts in order, repetitions of the one before left out. Counts that depend on chance are `None`."""
    found = defaultdict(list)
    for key, counts in launches:
        chance = [by_chance(reasons.get((short(key[0]), name))) for name, _, _ in COUNTERS]
        counts = tuple(None if varies else count for varies, count in zip(chance, counts))
        if not found[key] or found[key][-1] != counts:
            found[key].append(counts)
    return found


def short(mangled):
    """The name out of a mangled one, without its arguments."""
    match = re.match(r"_Z(?:N\w*?)?(\d+)", mangled)
    if not match:
        return mangled
    start = match.end()
    return mangled[start : start + int(match.group(1))]


def explained():
    """Known differences: (kernel, counter) -> why."""
    with (HERE / "explained.csv").open(newline="") as handle:
        return {(row["kernel"], row["counter"]): row["why"] for row in csv.DictReader(handle)}


def by_chance(why):
    """Whether a difference depends on timing, so that the machine's count is another one each time."""
    return why is not None and why.startswith(("waiting", "contention"))


def compared(real, ours, reasons):
    """Pairs of launches that both sides ran: (run, key, ncu's counts, the machine's)."""
    for run in real:
        there, here = grouped(profiled(real[run]), reasons), grouped(emulated(ours.get(run, [])), reasons)
        for key in here:
            if key not in there:
                continue
            pairs = list(zip(there[key], here[key]))
            if len(there[key]) != len(here[key]):
                # More launches on one side (a sample more): compare what both have, whatever the order.
                both = [counts for counts in there[key] if counts in here[key]]
                pairs = [(counts, counts) for counts in both] or pairs
            for measured, counted in pairs:
                yield run, key, measured, counted


def main():
    check = "--check" in sys.argv
    files = [pathlib.Path(name) for name in sys.argv[1:] if not name.startswith("--")]
    if len(files) not in (1, 2):
        sys.exit(__doc__)
    ours = sections(files[0])
    real = sections(files[1] if len(files) == 2 else HERE / "ncu.csv.gz")
    reasons = explained()
    lines, launches, equal, unexplained = [], 0, 0, []
    for run, (kernel, grid, block), measured, counted in compared(real, ours, reasons):
        launches += 1
        cells, why_not, same = [], [], True
        for (name, _, _), m, c in zip(COUNTERS, measured, counted):
            why = reasons.get((short(kernel), name))
            if by_chance(why):
                cells.append("varies")
            elif m is None or m == c:
                cells.append(str(c))
                continue
            else:
                cells.append(f"{m} / {c}")
            same = False
            why_not.append(why or "unexplained")
            if not why:
                unexplained.append(f"{run}: {short(kernel)} <<<{grid}, {block}>>>: {name}: ncu {m}, machine {c}")
        equal += same
        size = ["x".join(str(v) for v in shape if v != 1) or "1" for shape in (grid, block)]
        row = [short(kernel), *size, *cells, "; ".join(dict.fromkeys(why_not))]
        line = f"| {' | '.join(row)} |"
        if line not in lines:
            lines.append(line)
    if launches == 0:
        sys.exit("nothing was compared: no launch is in both files")
    head = ["kernel", "grid", "block", *(name for name, _, _ in COUNTERS), "why not equal"]
    table = "\n".join([
        f"{len(lines)} different launches, as ncu counts them on an H200; where the machine differs, its count after a stroke.",
        "",
        f"| {' | '.join(head)} |",
        "| --- | ---: | ---: |" + " ---: |" * len(COUNTERS) + " --- |",
        *lines,
        "",
    ])
    outcome.end(HERE / "table.md", table, unexplained, f"{launches} launches compared, {equal} equal in every count", check)


main()

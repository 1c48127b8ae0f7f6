"""Sets the emulated machine's counters against Nsight Compute's, launch by launch.

compare.py FOLDER          prints the table (Markdown) of FOLDER/ncu.csv and FOLDER/emulated.jsonl
compare.py FOLDER --check  exits with 1 when a count differs and `explained.csv` does not say why
"""

import csv
import json
import pathlib
import re
import sys
from collections import defaultdict

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
    for line in path.read_text().splitlines():
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


def grouped(launches):
    """Launches by kernel and shape: their counts in order, repetitions of the one before left out."""
    found = defaultdict(list)
    for key, counts in launches:
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
    path = pathlib.Path(__file__).with_name("explained.csv")
    with path.open(newline="") as handle:
        return {(row["kernel"], row["counter"]): row["why"] for row in csv.DictReader(handle)}


def main():
    folder = pathlib.Path(sys.argv[1])
    check = "--check" in sys.argv
    real, ours = sections(folder / "ncu.csv"), sections(folder / "emulated.jsonl")
    reasons = explained()
    rows, alone, equal, unexplained, used = [], [], 0, [], set()
    for run in real:
        there, here = grouped(profiled(real[run])), grouped(emulated(ours.get(run, [])))
        for key in there.keys() ^ here.keys():
            alone.append((run, key, "GPU" if key in there else "emulated"))
        for key in here:
            if key not in there:
                continue
            pairs = list(zip(there[key], here[key]))
            if len(there[key]) != len(here[key]):
                # More launches on one side (a sample more): compare what both have, whatever the order.
                both = sorted(set(there[key]) & set(here[key]), key=str)
                pairs = [(counts, counts) for counts in both] or pairs
            for measured, counted in pairs:
                differing = []
                for (name, _, _), m, c in zip(COUNTERS, measured, counted):
                    if m is None or m == c:
                        continue
                    why = reasons.get((short(key[0]), name))
                    differing.append(why or "UNEXPLAINED")
                    used.add((short(key[0]), name))
                    if not why:
                        unexplained.append((run, key, name, m, c))
                equal += not differing
                rows.append((run, key, measured, counted, differing))
    shape = lambda t: "x".join(str(v) for v in t if v != 1) or "1"
    if not check:
        print("| kernel | grid | block | " + " | ".join(n for n, _, _ in COUNTERS) + " | why not equal |")
        print("| --- | --- | --- | " + "---: | " * len(COUNTERS) + "--- |")
        seen = set()
        for _, (kernel, grid, block), measured, counted, differing in rows:
            cells = []
            for m, c in zip(measured, counted):
                cells.append(str(c) if m == c else f"{'?' if m is None else m} / {c}")
            line = f"| {short(kernel)} | {shape(grid)} | {shape(block)} | {' | '.join(cells)} | {'; '.join(dict.fromkeys(differing))} |"
            if line not in seen:
                print(line)
            seen.add(line)
        for run, (kernel, grid, block), where in alone:
            print(f"<!-- only {where}: {run}: {short(kernel)} {shape(grid)} {shape(block)} -->")
    for run, (kernel, grid, block), name, m, c in unexplained:
        print(f"{run}: {short(kernel)} <<<{grid}, {block}>>>: {name}: ncu {m}, machine {c}", file=sys.stderr)
    for kernel, name in reasons.keys() - used:
        print(f"explained.csv: {kernel}, {name}: nothing differs there any more", file=sys.stderr)
    print(f"{len(rows)} launches compared, {equal} equal in every count, {len(unexplained)} counts unexplained", file=sys.stderr)
    if not rows:
        sys.exit("nothing was compared")
    if check and (unexplained or reasons.keys() - used):
        sys.exit(1)


main()

"""Compares the bound that is predicted for a launch with what Nsight Compute names on an H200.

bounds.py trim NCU                    writes bounds.csv from ncu's raw pages (bounds.sh)
bounds.py compare PREDICT [--check]   writes bounds.md, or exits with 1 when it is not what is predicted now, or too few agree

Both sides are judged alike, as ncu's guide does: the busiest unit bounds a launch if it is busy for at least 60 % of the kernel's
time, else latency does. ncu's shares are means over all SMs, also those that have no block, and so are ours here; what bounds the SMs
that work is what the model names to a user. A unit that ncu sees at most 15 points less busy than the busiest agrees as well: the L2
cache is counted busy with what device memory gives. Launches are compared whose kernel, grid and block are in subjects.jsonl.gz, at the same sizes.
"""

import csv
import gzip
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BUSY = 0.6
NEAR = 0.15
# The least number of launches that agree.
LEAST = 0.8
SMS = 132
# Units that the SMs share; each of the others belongs to one SM.
SHARED = {"dram", "l2"}
# What ncu measures, in per cent of what the unit can do, and which of our bounds that is.
UNITS = {
    "dram": ("gpu__dram_throughput", {"dram"}),
    "l2": ("lts__throughput", {"l2"}),
    "l1 or shared memory": ("l1tex__data_pipe_lsu_wavefronts", {"l1", "shared_memory"}),
    "issue": ("sm__inst_issued", {"issue"}),
    "integers": ("sm__pipe_alu_cycles_active", {"integer_pipe"}),
    "single": ("sm__pipe_fma_cycles_active", {"single_pipe"}),
    "double": ("sm__pipe_fp64_cycles_active", {"double_pipe"}),
    "special": ("sm__inst_executed_pipe_xu", {"special_pipe"}),
    "tensor": ("sm__pipe_tensor_cycles_active", {"tensor_pipe"}),
}
# What ncu calls by one name, its throughput of the SM.
COMPUTE = {"issue", "integers", "single", "double", "special"}
STALL = re.compile(r"smsp__average_warps_issue_stalled_(\w+)_per_issue_active\.ratio")


def number(text):
    return float(text.replace(",", "")) if text else 0.0


def product(text):
    numbers = [int(n) for n in re.findall(r"\d+", text)]
    return numbers[0] * numbers[1] * numbers[2]


def trim(path):
    with (HERE / "bounds.csv").open("w", newline="") as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(["run", "kernel", "blocks", "threads", "us", *UNITS, "stall"])
        run, page = "", []
        for line in [*path.read_text().splitlines(), "# "]:
            if not line.startswith("# "):
                page.append(line)
                continue
            for row in csv.DictReader(page):
                if not row["ID"]:
                    continue  # units
                busy = [row[f"{metric}.avg.pct_of_peak_sustained_elapsed"] for metric, _ in UNITS.values()]
                stalls = {STALL.fullmatch(name)[1]: number(row[name]) for name in row if name and STALL.fullmatch(name)}
                stall = max((name for name in stalls if name != "selected"), key=stalls.get)
                us = number(row["gpu__time_duration.sum"]) / 1e3
                size = product(row["Grid Size"]), product(row["Block Size"])
                writer.writerow([run, row["Kernel Name"], *size, f"{us:.4g}", *(f"{number(b):.1f}" for b in busy), stall])
            run, page = line.removeprefix("# "), []


def subjects():
    """A launch of every kernel and size that was counted."""
    found = {}
    for line in gzip.open(HERE / "subjects.jsonl.gz"):
        row = json.loads(line)
        for launch in row["launches"] if row["of"] in (".", "n-4194304") else []:
            subject = launch["subject"]
            if "fills" in subject:
                continue
            found.setdefault((subject["kernel"], int(subject["blocks"]), int(subject["threads"])), subject)
    return found


def named(shares):
    """The unit that is busiest, or latency if none is busy."""
    unit = max(shares, key=shares.get)
    return (unit if shares[unit] >= BUSY else "latency"), shares[unit]


def ours(predicted, empty, blocks):
    """What we name, by the shares of the kernel's own time, and that, with the `empty` ms that ncu finds for an empty kernel."""
    terms = {term["bound"]: term["ms"] for term in predicted["terms"]}
    own = predicted["ms"] - terms["launch"] + empty
    if terms.get("atomics", 0) >= BUSY * own:
        return "atomics", terms["atomics"] / own, own
    share = lambda bounds: max(terms.get(bound, 0) for bound in bounds) / own
    mean = lambda unit: 1 if unit in SHARED else min(1, blocks / SMS)
    return *named({unit: mean(unit) * share(bounds) for unit, (_, bounds) in UNITS.items()}), own


def agrees(mine, theirs, busy):
    # Atomics that wait for each other keep no unit busy.
    near = busy.get(mine, 0) >= max(BUSY, max(busy.values()) - NEAR)
    return near or mine == theirs or (mine in COMPUTE and theirs in COMPUTE) or (mine == "atomics" and theirs in ("latency", "l2"))


def compared(program):
    with (HERE / "bounds.csv").open(newline="") as handle:
        measured = list(csv.DictReader(handle))
    empty = next(float(row["us"]) / 1e3 for row in measured if row["kernel"] == "empty")
    known, launches = subjects(), {}
    for row in measured:
        key = row["kernel"], int(row["blocks"]), int(row["threads"])
        if key in known:
            launches.setdefault(key, row)
    lines = "".join(json.dumps({"launches": [{"count": 1, "subject": known[key]}]}) + "\n" for key in launches)
    told = subprocess.run([program, "h200"], input=lines.encode(), stdout=subprocess.PIPE, check=True).stdout
    for row, line in zip(launches.values(), told.splitlines()):
        predicted = json.loads(line).get("predicted")
        if predicted:
            yield row, ours(predicted, empty, int(row["blocks"]))


def table(program):
    lines, same = [], 0
    for row, (mine, share_of_ours, own) in compared(program):
        busy = {unit: float(row[unit]) / 100 for unit in UNITS}
        theirs, share = named(busy)
        agreed = agrees(mine, theirs, busy)
        same += agreed
        cells = [row["kernel"], row["blocks"], row["threads"], row["us"], f"{1e3 * own:.4g}", f"{theirs} ({100 * share:.0f} %)", row["stall"]]
        lines.append(f"| {' | '.join(cells)} | {mine} ({100 * share_of_ours:.0f} %) | {'' if agreed else 'differs'} |")
    head = "| kernel | blocks | threads | µs by ncu | µs predicted, without the launch | ncu names | most common stall | predicted | |"
    text = "\n".join([
        f"{len(lines)} launches on an H200: for {same} of them ({100 * same / len(lines):.0f} %) the predicted bound is what Nsight Compute names.",
        f"In brackets is the share of the kernel's time for which the busiest unit is busy; under {100 * BUSY:.0f} % latency bounds it.",
        "",
        head,
        "| --- | ---: | ---: | ---: | ---: | --- | --- | --- | --- |",
        *lines,
        "",
    ])
    return text, same / len(lines)


def main():
    match [word for word in sys.argv[1:] if word != "--check"]:
        case ["trim", path]:
            trim(pathlib.Path(path))
        case ["compare", program]:
            text, share = table(program)
            print(text.splitlines()[0])
            if "--check" not in sys.argv:
                (HERE / "bounds.md").write_text(text)
            elif (HERE / "bounds.md").read_text() != text:
                sys.exit("bounds.md: not what is predicted now; run bounds.py compare without --check")
            if share < LEAST:
                sys.exit(f"fewer than {100 * LEAST:.0f} % agree")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()

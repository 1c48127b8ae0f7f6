"""Sets what the machine counts of the kernels of units.cu against Nsight Compute, kernel by kernel.

compare.py EMULATED [NCU]           writes table.md: EMULATED is measure.sh's emulated.jsonl, NCU its ncu.csv (default: the one here)
compare.py EMULATED [NCU] --check   exits with 1 when a count differs and explained.csv does not say why, or table.md is stale
"""

import csv
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.dont_write_bytecode = True
import outcome  # noqa: E402

# Kernels whose copies in bulk go out, or are added to what is there; those of the others come in.
OUT = ("bulk_out", "tensor_out")
ADDED = ("bulk_add",)
# Operations of a product of 16 rows by 8 columns, by the type of the factors: a multiplication and an addition for each number.
PRODUCTS = {"group_tf32": 16 * 8 * 8 * 2, "group_fp8": 16 * 8 * 32 * 2, "group_bytes": 16 * 8 * 32 * 2}
HALVES = 16 * 8 * 16 * 2


def copied(costs, counts):
    """The sectors of copies in bulk, if they count."""
    return costs["footprint"]["copied_sectors"] if counts else 0


def read(name, totals, costs):
    return costs["footprint"]["block_read_sectors"] + copied(costs, name not in OUT + ADDED)


def written(name, totals, costs):
    return totals["global_stores"]["sectors"] + copied(costs, name in OUT)


def reduced(name, totals, costs):
    # Of atomics the machine counts the requests, not the sectors.
    return None if totals["global_atomics"]["requests"] else copied(costs, name in ADDED)


def operations(name, totals, costs):
    return costs["pipes"]["warpgroup"] * PRODUCTS.get(name, HALVES)


# What is compared: our name, the metrics of ncu that add up to it, and the machine's count of a kernel.
COUNTERS = [
    ("sectors read from L2", ["lts__t_sectors_srcunit_tex_op_read"], read),
    ("sectors written to L2", ["lts__t_sectors_srcunit_tex_op_write"], written),
    ("sectors reduced in L2", ["lts__t_sectors_srcunit_tex_op_red"], reduced),
    (
        "operations of warpgroups",
        [
            "sm__ops_path_tensor_op_hgmma_src_fp16",
            "sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32",
            "sm__ops_path_tensor_op_hgmma_src_tf32_dst_fp32",
            "sm__ops_path_tensor_src_fp8",
            "sm__ops_path_tensor_op_igmma_src_int8",
        ],
        operations,
    ),
]
# What the machine does not count: shown as ncu has it.
UNCOUNTED = [
    (
        "texture and surface requests",
        ["l1tex__t_requests_pipe_tex_mem_texture", "l1tex__t_requests_pipe_tex_mem_surface_op_ld"]
        + ["l1tex__t_requests_pipe_tex_mem_surface_op_st"],
    ),
    (
        "their sectors",
        ["l1tex__t_sectors_pipe_tex_mem_texture", "l1tex__t_sectors_pipe_tex_mem_surface_op_ld"]
        + ["l1tex__t_sectors_pipe_tex_mem_surface_op_st"],
    ),
]


def added(row, metrics):
    """The sum of these metrics; none if ncu has none of them."""
    known = [row[f"{m}.sum"] for m in metrics if row.get(f"{m}.sum") not in (None, "", "n/a", "nan")]
    return sum(int(float(v.replace(",", ""))) for v in known) if known else None


def emulated(path):
    """The machine's counts by kernel."""
    found = {}
    for line in path.read_text().splitlines():
        launch = json.loads(line)
        name = launch["kernel_name"].split("(")[0]
        counters = launch["counters"]
        found[name] = [count(name, counters["totals"], counters["costs"]) for _, _, count in COUNTERS]
    return found


def main():
    check = "--check" in sys.argv
    files = [pathlib.Path(name) for name in sys.argv[1:] if not name.startswith("--")]
    if len(files) not in (1, 2):
        sys.exit(__doc__)
    ours = emulated(files[0])
    with (files[1] if len(files) == 2 else HERE / "ncu.csv").open(newline="") as handle:
        real = list(csv.DictReader(handle))
    with (HERE / "explained.csv").open(newline="") as handle:
        reasons = {(row["kernel"], row["counter"]): row["why"] for row in csv.DictReader(handle)}
    lines, compared, equal, unexplained = [], 0, 0, []
    for row in real:
        name = row["Kernel Name"]
        if name not in ours:
            unexplained.append(f"{name}: the machine did not run it")
            continue
        cells, why_not = [], []
        for (counter, metrics, _), counted in zip(COUNTERS, ours[name]):
            measured = added(row, metrics)
            why = reasons.get((name, counter))
            if counted is None or measured is None:
                cells.append("-" if measured is None else f"{measured} / -")
                continue
            compared += 1
            equal += measured == counted
            if measured == counted:
                cells.append(str(counted))
                continue
            cells.append(f"{measured} / {counted}")
            why_not.append(why or "unexplained")
            if not why:
                unexplained.append(f"{name}: {counter}: ncu {measured}, machine {counted}")
        cells += [str(added(row, metrics)) for _, metrics in UNCOUNTED]
        lines.append(f"| {' | '.join([name, *cells, '; '.join(dict.fromkeys(why_not))])} |")
    if compared == 0:
        sys.exit("nothing was compared: no counter is in both files")
    names = [name for name, *_ in COUNTERS] + [f"{name} (ncu only)" for name, _ in UNCOUNTED]
    table = "\n".join([
        f"{len(lines)} kernels, as ncu counts them on an H200; where the machine differs, its count after a stroke.",
        "",
        f"| {' | '.join(['kernel', *names, 'why not equal'])} |",
        "| --- |" + " ---: |" * len(names) + " --- |",
        *lines,
        "",
    ])
    outcome.end(HERE / "table.md", table, unexplained, f"{len(lines)} kernels, {compared} counts compared, {equal} equal", check)


main()

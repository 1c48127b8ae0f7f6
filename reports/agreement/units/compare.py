"""Sets what the machine counts of the kernels of units.cu and textures.cu against Nsight Compute, kernel by kernel.

compare.py EMULATED [FOLDER]           writes table.md: EMULATED is measure.sh's emulated.jsonl; FOLDER has its ncu.csv
                                       and textures.csv (default: the ones here)
compare.py EMULATED [FOLDER] --check   exits with 1 when a count differs and explained.csv does not say why, or when
                                       table.md is stale
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


TEXELS = ("textures", "surface_loads", "surface_stores", "surface_atomics")


def texels(totals, field):
    """The sum of a figure of textures and surfaces; launches without them have none."""
    return sum(totals[kind][field] for kind in TEXELS if kind in totals)


def requests(name, totals, costs):
    return texels(totals, "requests")


def sectors(name, totals, costs):
    return texels(totals, "sectors")


def brought(name, totals, costs):
    return costs["footprint"]["block_read_sectors"]


def read(name, totals, costs):
    return costs["footprint"]["block_read_sectors"] + copied(costs, name not in OUT + ADDED)


def written(name, totals, costs):
    texels = totals.get("surface_stores", {}).get("distinct_sectors", 0)
    return totals["global_stores"]["sectors"] + texels + copied(costs, name in OUT)


def reduced(name, totals, costs):
    # Of atomics the machine counts the requests, not the sectors.
    texels = totals.get("surface_atomics", {}).get("sectors", 0)
    return None if totals["global_atomics"]["requests"] else copied(costs, name in ADDED) + texels


def operations(name, totals, costs):
    return costs["pipes"]["warpgroup"] * PRODUCTS.get(name, HALVES)


L1, XBAR, L2 = "l1tex__t", "l1tex__m_xbar2l1tex_read_sectors_mem", "lts__t_sectors_srcunit_tex_op"
KINDS = ("mem_texture", "mem_surface_op_ld", "mem_surface_op_st", "mem_surface_op_red")
# What is compared: our name, the metrics of ncu that add up to it, and the machine's count of a kernel.
OF_TEXTURES = [
    ("texture and surface requests", [f"{L1}_requests_pipe_tex_{kind}" for kind in KINDS], requests),
    ("their sectors", [f"{L1}_sectors_pipe_tex_{kind}" for kind in KINDS], sectors),
    ("sectors read into L1", [f"{XBAR}_{kind}" for kind in ("texture", "surface_op_ld", "lg_op_ld")], brought),
]
WRITTEN = [
    ("sectors written to L2", [f"{L2}_write"], written),
    ("sectors reduced in L2", [f"{L2}_red"], reduced),
]
COUNTERS = [
    *OF_TEXTURES,
    ("sectors read from L2", [f"{L2}_read"], read),
    *WRITTEN,
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
# The kernels of a file of ncu's counts, and what is compared of them. Several blocks ask for the same sectors of a
# texture at the same time: how many of these L2 counts is chance.
FILES = [
    ("ncu.csv", "kernels of units.cu, as ncu counts them on an H200", COUNTERS),
    ("textures.csv", "kernels of textures.cu, as ncu counts them on an H100", OF_TEXTURES + WRITTEN),
]


def added(row, metrics):
    """The sum of these metrics; none if ncu has none of them."""
    known = [row[f"{m}.sum"] for m in metrics if row.get(f"{m}.sum") not in (None, "", "n/a", "nan")]
    return sum(int(float(v.replace(",", ""))) for v in known) if known else None


def emulated(path):
    """The machine's totals and costs by kernel."""
    found = {}
    for line in path.read_text().splitlines():
        launch = json.loads(line)
        counters = launch["counters"]
        found[launch["kernel_name"].split("(")[0]] = counters["totals"], counters["costs"]
    return found


class Comparison:
    """What has been compared, and what differs for no reason that is known."""

    def __init__(self, ours, reasons):
        self.ours, self.reasons = ours, reasons
        self.kernels = self.compared = self.equal = 0
        self.unexplained = []

    def cell(self, name, counter, measured, counted):
        """A cell of the table, and why it shows two counts."""
        if counted is None or measured is None:
            return ("-" if measured is None else f"{measured} / -"), None
        self.compared += 1
        self.equal += measured == counted
        if measured == counted:
            return str(counted), None
        why = self.reasons.get((name, counter))
        if not why:
            self.unexplained.append(f"{name}: {counter}: ncu {measured}, machine {counted}")
        return f"{measured} / {counted}", why or "unexplained"

    def table(self, rows, title, counters):
        """The lines of the table of ncu's rows."""
        lines = []
        for row in rows:
            name = row["Kernel Name"]
            if name not in self.ours:
                self.unexplained.append(f"{name}: the machine did not run it")
                continue
            cells = [
                self.cell(name, counter, added(row, metrics), count(name, *self.ours[name]))
                for counter, metrics, count in counters
            ]
            why_not = "; ".join(dict.fromkeys(why for _, why in cells if why))
            lines.append(f"| {' | '.join([name, *(cell for cell, _ in cells), why_not])} |")
        self.kernels += len(lines)
        names = ["kernel", *(name for name, *_ in counters), "why not equal"]
        head = f"{len(lines)} {title}; where the machine differs, its count after a stroke."
        return [head, "", f"| {' | '.join(names)} |", "| --- |" + " ---: |" * len(counters) + " --- |", *lines, ""]


def main():
    check = "--check" in sys.argv
    paths = [pathlib.Path(name) for name in sys.argv[1:] if not name.startswith("--")]
    if len(paths) not in (1, 2):
        sys.exit(__doc__)
    folder = paths[1] if len(paths) == 2 else HERE
    with (HERE / "explained.csv").open(newline="") as handle:
        reasons = {(row["kernel"], row["counter"]): row["why"] for row in csv.DictReader(handle)}
    all_of = Comparison(emulated(paths[0]), reasons)
    lines = []
    for file, title, counters in FILES:
        with (folder / file).open(newline="") as handle:
            lines += all_of.table(csv.DictReader(handle), title, counters)
    if all_of.compared == 0:
        sys.exit("nothing was compared: no counter is in both files")
    told = f"{all_of.kernels} kernels, {all_of.compared} counts compared, {all_of.equal} equal"
    outcome.end(HERE / "table.md", "\n".join(lines), all_of.unexplained, told, check)


main()

"""Sets predicted times of kernels with which nothing was found or fitted against those that were measured on an H200.

unseen.py compare PREDICT [--check]   predicts them with the program `predict`, and writes unseen/table.md; with --check exits with 1
                                      when it is not what is committed

unseen/kernels.cu has the kernels, among them kinds of launches that the model is known to mispredict; unseen/h200.csv has their times,
as `kernels` prints them on a GPU, and unseen/counts.json.gz what the emulated H200 counts of each:

WARPLAB_COSTS=1 WARPLAB_REPORT=counts.json warplab exec --check none --device emulated:h200 ./kernels once
"""

import csv
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

from predict import mape, percent, quantile, write_or_compare

FOLDER = pathlib.Path(__file__).resolve().parent / "unseen"


def predicted(program):
    """What `predict` says of each launch, in the order of the rows."""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        report.write(gzip.decompress((FOLDER / "counts.json.gz").read_bytes()))
        report.flush()
        lines = subprocess.run([program, "h200", report.name], stdout=subprocess.PIPE, check=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def compare(program, check):
    with (FOLDER / "h200.csv").open(newline="") as handle:
        rows = list(csv.DictReader(handle))
    found, lines = [], []
    for row, told in zip(rows, predicted(program), strict=True):
        us, of = float(row["us"]), told.get("predicted")
        if not of:
            lines.append(f"| `{row['kernel']}` | {row['size']} | {us:.4g} | {told['not_predicted']} | | | |")
            continue
        low, ms, high = (1e3 * of[name] for name in ("low_ms", "ms", "high_ms"))
        found.append((ms, us, low <= us <= high))
        inside, bound = "inside" if found[-1][2] else "", of["terms"][0]["bound"].replace("_", " ")
        lines.append(f"| `{row['kernel']}` | {row['size']} | {us:.4g} | {ms:.4g} | {us / ms:.2f} | {inside} | {bound} |")
    ratios = [max(us / ms, ms / us) for ms, us, _ in found]
    near = sum(ratio <= 1.5 for ratio in ratios) / len(ratios)
    summary = f"{len(found)} launches of {len({row['kernel'] for row in rows})} kernels: {percent(sum(of[2] for of in found) / len(found))} "
    summary += f"inside the interval, {percent(near)} within 1.5 times, median error {percent(quantile(ratios, 0.5) - 1)}, "
    summary += f"MAPE {percent(mape((ms, us) for ms, us, _ in found))}"
    print(summary)
    text = "\n".join([
        f"{summary}. Measured on one H200, on a device that is kept busy until",
        "the launch is queued.",
        "",
        "| kernel | size | µs measured | µs predicted | ratio | | predicted bound |",
        "| --- | ---: | ---: | ---: | ---: | --- | --- |",
        *lines,
        "",
    ])
    write_or_compare(FOLDER / "table.md", text, check, "unseen.py")


def main():
    match [word for word in sys.argv[1:] if word != "--check"]:
        case ["compare", program]:
            compare(program, "--check" in sys.argv)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()

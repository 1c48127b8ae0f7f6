"""Sets predicted times of kernels that are not the labs' against those that were measured on an H200.

foreign.py compare PREDICT [--check]   predicts them with the program `predict`, and writes foreign/table.md; with --check exits with 1
                                       when it is not what is committed, or too few agree

The kernels are others', and not part of this project: foreign/measured.csv has their times, and foreign/NAME.json what the emulated
H200 counted of each.
"""

import csv
import json
import pathlib
import subprocess
import sys

from predict import percent, ratio, shares, write_or_compare

FOLDER = pathlib.Path(__file__).resolve().parent / "foreign"
# What is wanted of kernels that the model does not know.
LEAST_TAU, LEAST_NEAR = 0.92, 0.85
# Milliseconds by which an empty kernel takes longer on an idle device, as these were measured, than on one that is kept busy until it
# is queued: 5.12 and 2.88 us (harness/predict/bench/host.cu on an H200).
IDLE = (5.12 - 2.88) / 1e3


def predicted(program):
    """The rows with their predictions, as predict.py has them: all are of one run."""
    with (FOLDER / "measured.csv").open(newline="") as handle:
        rows = list(csv.DictReader(handle))
    for row in rows:
        report = FOLDER / f"{row['name']}.json"
        told = subprocess.run([program, "h200", report], stdout=subprocess.PIPE, check=True).stdout.splitlines()
        if len(told) != 1:
            sys.exit(f"{report.name}: {len(told)} launches, not 1")
        told = json.loads(told[0])
        predicted = told["predicted"]
        for name in ("ms", "low_ms", "high_ms"):
            predicted[name] += IDLE
        one_run = {"of": "", "lab": "", "variant": row["name"], "launched": [{"count": 1}], "shares": told["shares"]}
        yield {**row, **one_run, "measured": float(row["us"]) / 1e3, "spread": 0.0, "predicted": predicted}


def line(row):
    bound = row["predicted"]["terms"][0]["bound"].replace("_", " ")
    times = f"{1e3 * row['measured']:.4g} | {1e3 * row['predicted']['ms']:.4g} | {ratio(row):.2f}"
    return f"| `{row['name']}` | {row['what']} | {times} | {bound} |"


def compare(program, check):
    rows = list(predicted(program))
    of = shares(rows)
    summary = f"{len(rows)} kernels: tau {of.tau:.2f}, {percent(of.near)} within 1.5 times, median error {percent(of.median)}, "
    summary += f"MAPE {percent(of.mape)}, {percent(of.inside)} inside the interval"
    print(summary)
    text = "\n".join([
        f"{summary}. Measured on one H200 (`measured.csv`), and predicted from what the emulated H200 counts, with",
        f"{1e3 * IDLE:.2f} µs more for a launch on an idle device.",
        "",
        "| kernel | what | µs measured | µs predicted | ratio | predicted bound |",
        "| --- | --- | ---: | ---: | ---: | --- |",
        *(line(row) for row in rows),
        "",
    ])
    write_or_compare(FOLDER / "table.md", text, check, "foreign.py")
    if of.tau < LEAST_TAU or of.near < LEAST_NEAR:
        sys.exit(f"fewer agree than are wanted: tau {LEAST_TAU}, {percent(LEAST_NEAR)} within 1.5 times")


def main():
    match [word for word in sys.argv[1:] if word != "--check"]:
        case ["compare", program]:
            compare(program, "--check" in sys.argv)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()

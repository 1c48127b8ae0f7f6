"""Sets predicted times of kernels that are not the labs' against those that were measured on an H200.

foreign.py count WARPLAB KERNELS [NAME ...]   counts them (or those named) on the emulated H200; writes NAME.json here
foreign.py compare PREDICT [--check]          predicts them with the program `predict`, and writes table.md; with --check exits with 1
                                              when it is not what is committed, or too few agree
foreign.py measure KERNELS FILE               measures them on the GPU at hand; writes FILE, such as measured.csv

KERNELS is the program of kernels.cu: `warplab nvcc -O3 -arch=sm_90 kernels.cu -o kernels`.
"""

import csv
import json
import math
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# What is wanted of kernels that the model does not know.
LEAST_TAU, LEAST_NEAR = 0.92, 0.85


def measured():
    with (HERE / "measured.csv").open(newline="") as handle:
        return list(csv.DictReader(handle))


def count(warplab, kernels, names):
    for name in names or [row["name"] for row in measured()]:
        report = HERE / f"{name}.json"
        environment = os.environ | {"WARPLAB_COSTS": "1", "WARPLAB_WORKERS": "1", "WARPLAB_REPORT": str(report)}
        command = [warplab, "exec", "--check", "none", "--device", "emulated:h200", kernels, name, "once"]
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        told = json.loads(report.read_text())
        for launch in told["launches"]:
            # The host's clock says nothing here, and the places of branches change with each edit of the program.
            launch["host_ms"], launch["counters"]["branches"] = 0.0, []
        report.write_text(json.dumps(told, separators=(",", ":")) + "\n")
        print(f"{name}: counted", file=sys.stderr)


def measure(kernels, file):
    known = {row["name"]: row["what"] for row in measured()}
    with open(file, "w", newline="") as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(["name", "us", "told", "what"])
        for name, what in known.items():
            told = subprocess.run([kernels, name], stdout=subprocess.PIPE, check=True, text=True).stdout
            us = told.strip().split(",")[1]
            writer.writerow([name, us, f"{us} us", what])


def table(program):
    rows = []
    for row in measured():
        told = subprocess.run([program, "h200", HERE / f"{row['name']}.json"], stdout=subprocess.PIPE, check=True).stdout
        launches = [json.loads(line)["predicted"] for line in told.splitlines()]
        if len(launches) != 1:
            sys.exit(f"{row['name']}.json: {len(launches)} launches, not 1")
        rows.append((row, float(row["us"]), 1e3 * launches[0]["ms"], launches[0]["terms"][0]["bound"].replace("_", " ")))
    pairs = [(a[1] - b[1]) * (a[2] - b[2]) for i, a in enumerate(rows) for b in rows[:i]]
    tau = sum((pair > 0) - (pair < 0) for pair in pairs) / len(pairs)
    errors = [abs(math.log(ms / us)) for _, us, ms, _ in rows]
    near = sum(error <= math.log(1.5) for error in errors) / len(rows)
    median = math.exp(sorted(errors)[len(errors) // 2]) - 1
    summary = f"{len(rows)} kernels: tau {tau:.2f}, {100 * near:.0f} % within 1.5 times, median error {100 * median:.0f} %"
    lines = [f"| `{r['name']}` | {r['what']} | {us:.4g} | {ms:.4g} | {ms / us:.2f} | {bound} |" for r, us, ms, bound in rows]
    return summary, tau, near, "\n".join([
        f"{summary}. Measured on one H200 (`measured.csv`), and predicted from what the emulated H200 counts.",
        "",
        "| kernel | what | µs measured | µs predicted | ratio | predicted bound |",
        "| --- | --- | ---: | ---: | ---: | --- |",
        *lines,
        "",
    ])


def main():
    match [word for word in sys.argv[1:] if word != "--check"]:
        case ["count", warplab, kernels, *names]:
            count(os.path.realpath(warplab), os.path.realpath(kernels), names)
        case ["measure", kernels, file]:
            measure(os.path.realpath(kernels), file)
        case ["compare", program]:
            summary, tau, near, text = table(program)
            print(summary)
            if "--check" not in sys.argv:
                (HERE / "table.md").write_text(text)
            elif (HERE / "table.md").read_text() != text:
                sys.exit("foreign/table.md: not what is predicted now; run foreign.py compare without --check")
            if tau < LEAST_TAU or near < LEAST_NEAR:
                sys.exit(f"fewer agree than are wanted: tau {LEAST_TAU}, {100 * LEAST_NEAR:.0f} % within 1.5 times")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()

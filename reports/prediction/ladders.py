"""Compares the times that an emulated run predicts for the ladders of its labs' summaries with those measured on an H200.

ladders.py compare RUN [--check]   RUN is the folder of `warplab run all` without a GPU. Writes ladders.csv; with --check, exits
                                   with 1 if a bound below is exceeded. A claim that its rows contradict is an error always; one whose
                                   intervals overlap is named

The counts are those of small emulated sizes, scaled to the size of the row in ../h200. A row is compared if it has that size there.
"""

import csv
import json
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
# The bounds of the model itself: the median deviation, and how many rows are within 1.5 times.
MEDIAN_PERCENT = 20
WITHIN = 1.5
LEAST_WITHIN = 0.8


def measured(lab, bar, n):
    """Returns the measured time of a bar's row at size n, if there is one."""
    # Some labs were measured in a run of their own.
    files = [HERE / f"../h200/{lab}.csv", HERE / f"../h200/{lab}/{lab}.csv"]
    with next(file for file in files if file.is_file()).open() as handle:
        rows = [row for row in csv.DictReader(handle) if row["time_median_ms"] and row["n"] == str(n)]
    # The label of a case may be its size, which differs.
    named = [row for row in rows if row["variant"] == bar["variant"]]
    named = [row for row in named if row["case"] == bar["case"]] or named
    return float(named[0]["time_median_ms"]) if named else None


def compared(run):
    """Returns a row for each bar with a prediction for a size that was measured, and the labs without one."""
    rows, without = [], []
    for path in sorted(run.glob("*.story.json")):
        story = json.loads(path.read_text())
        if not isinstance(story["source"], dict) or "predicted" not in story["source"] or not story["bars"]:
            continue
        before = len(rows)
        for bar in story["bars"]:
            ms = measured(story["lab"], bar, story["n"])
            if ms and bar["value"] and not bar.get("remark"):
                low, high = bar["interval"]
                rows.append([story["lab"], bar["name"], story["n"], ms, bar["value"], low, high])
        if len(rows) == before:
            without.append(story["lab"])
        if story["holds"] == "no":
            sys.exit(f"{story['lab']}: {story['sentence']}")
        if story["holds"] != "yes":
            print(f"{story['lab']}: {story['sentence']}")
    return rows, without


def main():
    run, check = pathlib.Path(sys.argv[2]), "--check" in sys.argv
    rows, without = compared(run)
    if not check:
        with (HERE / "ladders.csv").open("w", newline="") as handle:
            writer = csv.writer(handle, lineterminator="\n")
            writer.writerow(["lab", "row", "n", "measured_ms", "predicted_ms", "predicted_low_ms", "predicted_high_ms"])
            writer.writerows([*row[:3], *(f"{number:.4g}" for number in row[3:])] for row in rows)
    ratios = [max(row[3] / row[4], row[4] / row[3]) for row in rows]
    median = 100 * (statistics.median(ratios) - 1)
    mape = 100 * statistics.fmean(abs(row[4] / row[3] - 1) for row in rows)
    within = sum(ratio <= WITHIN for ratio in ratios) / len(ratios)
    inside = sum(row[5] <= row[3] <= row[6] for row in rows)
    print(f"{len(rows)} rows of {len({row[0] for row in rows})} labs: off by {median:.0f} % in the median, MAPE {mape:.0f} %, "
          f"{within:.0%} within {WITHIN} times, {inside} in the interval; not at the GPU's size: {', '.join(without) or 'none'}")
    for row, ratio in zip(rows, ratios):
        if ratio > WITHIN:
            print(f"  {row[0]} {row[1]}: measured {row[3]:.4g} ms, predicted {row[4]:.4g} ms")
    if check and (median > MEDIAN_PERCENT or within < LEAST_WITHIN):
        sys.exit("the ladders are predicted worse than that")


main()

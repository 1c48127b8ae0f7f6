"""What aa.sh calls: compares all pairs of runs, and plants slowdowns.

aa.py WARPLAB FOLDER RUNS PLANTED
"""

import collections
import csv
import itertools
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

PERCENT = 3


def compare(warplab, base, new):
    """The comparison of two runs, as JSON."""
    done = subprocess.run([warplab, "compare", base, new, "--json"], capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        sys.exit(f"compare {base} {new}: {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def name(case):
    return (case["lab"], case["variant"], case["case"], "" if case["n"] is None else str(case["n"]))


def plant(run, folder, case):
    """A copy of `run` in `folder` in which all times of the case are longer."""
    shutil.copytree(run, folder)
    factor = 1 + PERCENT / 100
    lab = folder / f"{case[0]}.csv"
    with open(lab, newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if (row["variant"], row["case"], row["n"]) == case[1:]:
            for column in ["time_min_ms", "time_median_ms", "time_mean_ms", "time_stdev_ms"]:
                row[column] = str(float(row[column]) * factor)
    with open(lab, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    details = folder / f"{case[0]}.jsonl"
    lines = [json.loads(line) for line in details.read_text().splitlines()]
    for line in lines:
        n = "" if line["n"] is None else str(line["n"])
        if (line["variant"], line["case"], n) == case[1:]:
            line["samples_ns"] = [round(ns * factor) for ns in line.get("samples_ns", [])]
    details.write_text("".join(json.dumps(line) + "\n" for line in lines))


def main():
    warplab, folder, runs, planted = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    pairs = list(itertools.combinations([folder / f"run{i}" for i in range(1, runs + 1)], 2))
    alarming, changes, caught, missed = 0, collections.Counter(), 0, []
    choice = random.Random(1)
    for number, (base, new) in enumerate(pairs):
        told = compare(warplab, base, new)
        changes.update(case["change"] for case in told["cases"])
        alarms = [case for case in told["cases"] if case["change"] in ("slower", "faster", "wrong")]
        alarming += bool(alarms)
        for case in alarms:
            print("false alarm:", base.name, new.name, *name(case), case["change"], case["why"], case["times"])
        # A slowdown can be seen where the same case without it is known to be the same.
        same = [name(case) for case in told["cases"] if case["change"] == "same" and case["times"]]
        if number >= 5:
            continue
        for case in choice.sample(same, min(planted, len(same))):
            with tempfile.TemporaryDirectory() as place:
                slower = pathlib.Path(place) / "planted"
                plant(new, slower, case)
                told = compare(warplab, base, slower)
            seen = {name(other): other for other in told["cases"]}[case]
            if seen["change"] == "slower":
                caught += 1
            else:
                missed.append((base.name, new.name, *case, seen["change"], seen["times"]))
    for one in missed:
        print("missed:", *one)
    print(f"{alarming} of {len(pairs)} comparisons alarm for nothing; cases: {dict(changes)}")
    if planted:
        print(f"{caught} of {caught + len(missed)} slowdowns of {PERCENT} % caught, in cases that were called the same")
    sys.exit(1 if alarming or missed else 0)


if __name__ == "__main__":
    main()

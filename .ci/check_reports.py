"""Reads back the CSVs of a run: every row has the columns promised by reports/README.md, and every verdict is an acceptable one."""

import csv
import json
import pathlib
import sys

COLUMNS = """schema lab variant case device n grid block shared_bytes memory_mode seed samples time_min_ms time_median_ms
time_mean_ms time_stdev_ms bytes gb_per_s flop gflop_per_s percent_of_ceiling max_abs_error verdict note""".split()


# Some of the machine's counters: filled in if a kernel ran emulated, empty on a GPU.
COUNTERS = """launches thread_instructions divergent_branches global_load_sectors shared_bank_conflicts
theoretical_occupancy_percent""".split()


def check(folder: pathlib.Path) -> list[str]:
    """Returns what is wrong with the run in `folder`."""
    wrong = []
    session = json.loads((folder / "session.json").read_text())
    if "schema" not in session:
        wrong.append("session.json has no schema")
    files = sorted(folder.glob("*.csv"))
    # Older runs measured only the copy rate, which a kernel that only reads may exceed.
    sessions = session.get("sessions", [])
    has_reading = all("device_read_gb_per_s" in (one.get("ceilings") or {}) for one in sessions)
    cache = max([one.get("device", {}).get("l2_bytes", 0) for one in sessions], default=0)
    told = {lab["lab"] for one in session.get("sessions", []) for lab in one["labs"]}
    if told != {file.stem for file in files}:
        wrong.append(f"session.json lists the labs {sorted(told)}, but the CSVs are of others")
    if not files:
        wrong.append(f"no CSV in {folder}")
    for file in files:
        with file.open(newline="") as handle:
            reader = csv.DictReader(handle)
            missing = [c for c in COLUMNS if c not in (reader.fieldnames or [])]
            rows = list(reader)
        missing += [c for c in COUNTERS if c not in (reader.fieldnames or [])]
        if missing:
            wrong.append(f"{file.name}: columns missing: {missing}")
            continue
        if not rows:
            wrong.append(f"{file.name}: no rows")
        for number, row in enumerate(rows, start=2):
            where = f"{file.name}:{number} ({row['variant']}, {row['case']})"
            if None in row or None in row.values():
                wrong.append(f"{where}: not as many fields as the header")
            if row["verdict"] not in ("pass", "skip", "finding"):
                wrong.append(f"{where}: verdict {row['verdict']!r}: {row['note']}")
            if row["verdict"] in ("skip", "finding") and not row["note"]:
                wrong.append(f"{where}: {row['verdict']} without a reason")
            if row["device"] == "emulated" and (row["gb_per_s"] or row["gflop_per_s"] or row["percent_of_ceiling"]):
                wrong.append(f"{where}: a rate on the emulated device")
            if has_reading and float(row["percent_of_ceiling"] or 0) > 103 and float(row["bytes"] or 0) >= 4 * cache:
                wrong.append(f"{where}: {row['percent_of_ceiling']} % of its ceiling, which was measured wrongly")
            if row["device"] == "emulated" and row["launches"] not in ("", "0") and not row["thread_instructions"]:
                wrong.append(f"{where}: a kernel ran and nothing was counted")
        print(f"{file.name}: {len(rows)} rows")
    return wrong


if __name__ == "__main__":
    problems = check(pathlib.Path(sys.argv[1]))
    print("\n".join(problems))
    sys.exit(1 if problems else 0)

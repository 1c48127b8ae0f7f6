#!/usr/bin/env python3
"""Changes the date of a copied run: `later.py FOLDER DAY IS_COSTLIER` writes the day into session.json, and, if IS_COSTLIER
is 1, doubles the instructions of the first case of divergence.
"""
import csv
import re
import sys
from pathlib import Path

folder, day, is_costlier = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "1"
session = folder / "session.json"
text, days = re.subn(r'("started": ?"\d{4}-\d\d)-\d\d', rf"\1-{day:02}", session.read_text())
assert days, "session.json says when no run was started"
session.write_text(text)
if is_costlier:
    verdicts = [row["verdict"] for row in csv.DictReader((folder / "divergence.csv").open(newline=""))]
    table = folder / "divergence.counters.csv"
    rows = list(csv.reader(table.open(newline="")))
    number, at = rows[0].index("row"), rows[0].index("instructions")
    row = next(row for row in rows[1:] if verdicts[int(row[number]) - 1] == "pass" and row[at])
    row[at] = str(2 * int(row[at]))
    with table.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)

#!/usr/bin/env python3
"""registers.py RUN [--check]: the registers of an emulated run's kernels next to those of the reference run on an H200.

RUN is the folder of `warplab run all --device emulated:h200 --quick --out RUN`, with ptxas installed (`warplab setup --ptxas`). A
variant's registers are those of all its rows, since some variants choose among kernels by the size. It agrees if each register count of
the emulated run is one of the H200's. With --check, the exit code is 1 if fewer than 95 % of the variants agree.
"""

import csv
import sys
from collections import defaultdict
from pathlib import Path

REFERENCE = Path(__file__).resolve().parent.parent / "h200"
LEAST = 0.95
Variant = tuple[str, str]


def rows(folder: Path) -> list[dict[str, str]]:
    """Return the rows of a run that have one kernel."""
    files = [path for path in sorted(folder.rglob("*.csv")) if not path.name.endswith(".counters.csv")]
    found = []
    for path in files:
        with path.open(newline="") as file:
            found += [row for row in csv.DictReader(file) if row.get("kernel_registers")]
    return found


def main() -> int:
    """Print the differences, and the share of the variants that agree."""
    words = [word for word in sys.argv[1:] if word != "--check"]
    if len(words) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    reference: dict[Variant, set[int]] = defaultdict(set)
    for row in rows(REFERENCE):
        reference[row["lab"], row["variant"]].add(int(row["kernel_registers"]))
    emulated: dict[Variant, set[tuple[int, str]]] = defaultdict(set)
    for row in rows(Path(words[0])):
        registers, source = int(row["kernel_registers"]), row.get("kernel_registers_from", "")
        emulated[row["lab"], row["variant"]].add((registers, source))
    common = sorted(reference.keys() & emulated.keys())
    agreeing = 0
    for variant in common:
        different = {registers for registers, _ in emulated[variant]} - reference[variant]
        if different:
            sources = ", ".join(sorted({source for _, source in emulated[variant]}))
            print(f"{' '.join(variant)}: {sorted(different)} ({sources}), H200 {sorted(reference[variant])}")
        else:
            agreeing += 1
    if not common:
        print("no variant is in both runs", file=sys.stderr)
        return 2
    share = agreeing / len(common)
    print(f"{agreeing} of {len(common)} variants agree: {100 * share:.1f} %")
    return 1 if "--check" in sys.argv and share < LEAST else 0


if __name__ == "__main__":
    sys.exit(main())

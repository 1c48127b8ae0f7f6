#!/usr/bin/env python3
"""Compares two records of `record.cu`: `difference.py GPU EMULATED`. Prints for each case: its fetches, how many differ, the
largest distance of two floating-point results in units in the last place, and the first fetch that differs."""

import struct
import sys


def read(path: str) -> dict[str, list[list[int]]]:
    """Returns the words of each fetch of each case."""
    cases = {}
    for line in open(path):
        name, _, words = line.partition(":")
        fetches = [] if words.strip() == "refused" else words.split()
        cases[name] = [[int(word, 16) for word in fetch.split(".")] for fetch in fetches]
    return cases


def order(word: int) -> int:
    """Returns the rank of a floating-point number among all, from its bits."""
    return -(word & 0x7FFFFFFF) if word >> 31 else word


def number(word: int) -> float:
    return struct.unpack("f", struct.pack("I", word))[0]


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    gpu, emulated = read(sys.argv[1]), read(sys.argv[2])
    if list(gpu) != list(emulated):
        print("the two records have different cases: make both with one version of record.cu", file=sys.stderr)
        return 2
    total = wrong = 0
    for name, fetches in gpu.items():
        if len(fetches) != len(emulated[name]):
            print(f"{name}: refused by one of the two")
            wrong, total = wrong + 1, total + 1
            continue
        differ = [i for i, (one, other) in enumerate(zip(fetches, emulated[name])) if one != other]
        total, wrong = total + len(fetches), wrong + len(differ)
        line = f"{name}: {len(differ)} of {len(fetches)} differ"
        if differ:
            pairs = [pair for i in differ for pair in zip(fetches[i], emulated[name][i])]
            first = differ[0]
            line += f"; at most {max(abs(order(a) - order(b)) for a, b in pairs)} units in the last place; fetch {first}: "
            line += " ".join(f"{number(word):.9g}" for word in fetches[first]) + " on the GPU, "
            line += " ".join(f"{number(word):.9g}" for word in emulated[name][first]) + " emulated"
        print(line)
    print(f"{wrong} of {total} fetches differ")
    return 0


if __name__ == "__main__":
    sys.exit(main())

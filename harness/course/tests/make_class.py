#!/usr/bin/env python3
"""Makes a class for measurements: `make_class.py LAB COUNT FOLDER` writes COUNT submissions of labs/LAB into a new FOLDER: solutions,
starters, starters with some of their parts solved, mutants, and a few that do not compile, never end, or are not an archive. The same
call gives the same class.
"""

import argparse
import random
import re
import zipfile
from pathlib import Path

LABS = Path(__file__).parents[3] / "labs"

# Typical slips of students: the first string of each pair occurs in many kernels.
SLIPS = [
    ("i < n", "i + 1 < n"),
    ("i < n", "i <= n"),
    ("__syncthreads();", ";"),
    ("+= grid_threads()", "+= blockDim.x"),
    ("atomicAdd(&counts[bin], 1ull)", "counts[bin] += 1"),
    ("unsigned ", "int "),
    ("grid_index()", "grid_index() + 1"),
    ("32", "16"),
]


def parts_of(solution: str) -> list[str]:
    """The names of the parts of a lab's own kernel file."""
    return sorted(set(re.findall(r"// \[part ([\w-]+)\]", solution)))


def with_parts(solution: str, solved: set[str]) -> str:
    """The kernel file of a student who has solved these parts."""
    text, leaves_out = [], False
    for line in solution.splitlines():
        comment = line.strip().removeprefix("// ")
        part = re.match(r"\[part ([\w-]+)\]", comment)
        if part or comment == "[not handed out]":
            leaves_out = not (part and part[1] in solved)
        elif comment == "[end]":
            leaves_out = False
        elif not leaves_out:
            text.append(line)
    return "\n".join(text) + "\n"


def slipped(text: str, draw: random.Random) -> str:
    """The text with one slip, at one of the places where it can be."""
    old, new = draw.choice([slip for slip in SLIPS if slip[0] in text])
    place = draw.choice([found.start() for found in re.finditer(re.escape(old), text)])
    return text[:place] + new + text[place + len(old) :]


def own_words(text: str, draw: random.Random) -> str:
    """The text as another student may lay it out."""
    text = re.sub(r"\bstride\b", draw.choice(["stride", "step", "jump"]), text)
    return f"// My solution, number {draw.randrange(10**6)}.\n" + text.replace("    ", draw.choice(["    ", "  ", "\t"]))


def kernel_file(index: int, solution: str, draw: random.Random) -> str:
    parts = parts_of(solution)
    kind = index % 20
    if kind == 0:
        return with_parts(solution, set())
    if kind == 1:
        return slipped(solution, draw)
    if kind == 2:
        return with_parts(solution, set(parts)).replace("i < n;", "true;", 1)
    if kind == 3:
        return with_parts(solution, set(parts)).replace(";", "", 1)
    solved = set(parts) if kind < 10 else set(draw.sample(parts, draw.randrange(1, len(parts) + 1)))
    text = own_words(with_parts(solution, solved), draw)
    return text if kind < 8 or kind % 2 == 0 else slipped(text, draw)


def main() -> None:
    parser = argparse.ArgumentParser(description="Makes a class to measure with.")
    parser.add_argument("lab")
    parser.add_argument("count", type=int)
    parser.add_argument("folder", type=Path)
    asked = parser.parse_args()
    file = f"{asked.lab}.cu"
    solution = (LABS / asked.lab / "kernels" / file).read_text()
    asked.folder.mkdir(parents=True)
    for index in range(asked.count):
        draw = random.Random(f"{asked.lab} {index}")
        name = f"student{index:03}"
        text = kernel_file(index, solution, draw)
        if index % 50 == 49:
            (asked.folder / f"{name}.zip").write_text("no archive")
        elif index % 3 == 0:
            (asked.folder / f"{name}.cu").write_text(text)
        elif index % 3 == 1:
            (asked.folder / name).mkdir()
            (asked.folder / name / file).write_text(text)
        else:
            with zipfile.ZipFile(asked.folder / f"{name}.zip", "w") as archive:
                archive.writestr(file, text)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Executes notebooks, and compares their outputs with those in the files. `notebooks.py [--update] NOTEBOOK...`.

--update writes the new outputs into the files. --self-test checks that a changed digit in an output is found. Needs
the packages nbclient and ipykernel, and the wheel with a compiler. Exit code 1 if an output differs.
"""

import argparse
import difflib
import json
import os
import re
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

# What differs from run to run: addresses in managed memory, which are the host's; the notebook's folder; processes.
VOLATILE = re.compile(r"0x[0-9a-f]{9,}|/\S*/(?=vecadd\.cu\b)|(?<=process )\d+|(?<=\[)\d+(?=\] \./)")
# The tag of a cell whose output has measured times: only its words are compared, in any order.
TIMES = "times"


def execute(book: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Returns the notebook with the outputs of a run in an empty folder."""
    book = nbformat.from_dict(json.loads(json.dumps(book)))
    # With several workers, the threads that a race is reported of differ from run to run.
    os.environ["WARPLAB_WORKERS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    for cell in book.cells:
        # When a cell ran is of no interest.
        cell.metadata.pop("execution", None)
    return book


def text(book: nbformat.NotebookNode) -> list[str]:
    """Returns the outputs as lines, with pieces of one stream together."""
    lines: list[str] = []
    for number, cell in enumerate(book.cells, 1):
        if cell.cell_type != "code":
            continue
        parts: list[list[str]] = []
        for output in cell.outputs:
            if output.output_type == "stream":
                if parts and parts[-1][0] == output.name:
                    parts[-1][1] += output.text
                else:
                    parts.append([output.name, output.text])
            elif output.output_type == "error":
                parts.append(["error", f"{output.ename}: {output.evalue}"])
            else:
                parts.extend([kind, data] for kind, data in sorted(output.data.items()))
        for kind, data in parts:
            lines.append(f"cell {number}, {kind}:")
            shown = VOLATILE.sub("VOLATILE", data).replace("<tr>", "\n<tr>").replace("<div", "\n<div").splitlines()
            lines.extend(words(shown) if TIMES in cell.metadata.get("tags", []) else shown)
    return lines


def words(lines: list[str]) -> list[str]:
    """Returns the lines without their numbers and the width of their columns, sorted."""
    return sorted(" ".join(re.sub(r"\d+(\.\d+)?", "N", line).replace("-", "").split()) for line in lines)


def difference(before: nbformat.NotebookNode, after: nbformat.NotebookNode) -> list[str]:
    """Returns the lines in which the outputs differ, as a diff."""
    return list(difflib.unified_diff(text(before), text(after), "in the file", "now", lineterm="", n=1))


def self_test(file: Path) -> str:
    """Changes one digit of the last output, and returns what is wrong if the comparison does not find it."""
    book = nbformat.read(file, as_version=4)
    planted = nbformat.from_dict(json.loads(json.dumps(book)))
    outputs = [one for cell in planted.cells for one in cell.get("outputs", [])]
    shown = [one for one in outputs if "data" in one]
    holder, key = (shown[-1].data, "text/plain") if shown else (outputs[0], "text")
    holder[key] = re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), holder[key], count=1)
    if difference(book, book) or not difference(planted, book):
        return f"{file}: a changed digit in an output is not found"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description="Executes notebooks and compares their outputs.")
    parser.add_argument("notebooks", nargs="+", type=Path)
    parser.add_argument("--update", action="store_true", help="write the new outputs into the files")
    parser.add_argument("--self-test", action="store_true", help="check that a changed output is found")
    options = parser.parse_args()
    wrong = 0
    for file in options.notebooks:
        if options.self_test:
            found = self_test(file)
            wrong += bool(found)
            print(found or f"{file}: a changed output is found")
            continue
        book = nbformat.read(file, as_version=4)
        after = execute(book)
        if options.update:
            nbformat.write(after, file)
            continue
        lines = difference(book, after)
        wrong += bool(lines)
        print("\n".join([f"{file}: other outputs; --update writes them", *lines]) if lines else f"{file}: as before")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

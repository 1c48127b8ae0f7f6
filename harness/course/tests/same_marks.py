#!/usr/bin/env python3
"""Checks that a GPU gives the same marks as the machine: `same_marks.py WARPLAB [LAB...] --device cuda:0` marks each lab's kernel
file (default: all labs that have an assignment) as handed out, half done and finished, on the machine and on the device, with one
seed. It prints the points of both and the marks for speed on the device, and fails if any criterion except speed has another
outcome. NVRTC must be found, by `WARPLAB_NVRTC` for example.
"""

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

sys.dont_write_bytecode = True
from check_times import states  # noqa: E402
from make_class import LABS  # noqa: E402


def marks(warplab: Path, lab: str, file: Path, device: str, options: list[str]) -> tuple[dict, list[tuple]]:
    """The marks of the file, and the outcome of each criterion except speed."""
    words = [warplab, "grade", lab, file, "--format", "json", "--device", device, *options]
    ended = subprocess.run(words, capture_output=True, text=True)
    if ended.returncode != 0:
        sys.exit(f"{lab}: grade on {device} ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    marked = json.loads(ended.stdout)["submissions"][0]
    criteria = [
        (part["name"], criterion["kind"], criterion["counter"], criterion["state"])
        for part in marked["parts"]
        for criterion in part["criteria"]
        if criterion["kind"] != "speed"
    ]
    return marked, criteria


def speeds(marked: dict) -> str:
    """The marks for speed of each part."""
    found = [(part["name"], criterion) for part in marked["parts"] for criterion in part["criteria"] if criterion["kind"] == "speed"]
    return "; ".join(f"{name}: {criterion['state']}, {criterion['words']}" for name, criterion in found)


def main() -> None:
    parser = argparse.ArgumentParser(description="Marks each lab's kernel file on the machine and on a GPU.")
    parser.add_argument("warplab", type=Path)
    parser.add_argument("labs", nargs="*", metavar="LAB")
    parser.add_argument("--device", default="cuda:0", help="the device to compare with the machine [default: cuda:0]")
    parser.add_argument("--state", action="append", help="starter, half or finished (repeatable) [default: all]")
    parser.add_argument("--seed", default="7", help="the seed of sizes and inputs [default: 7]")
    asked = parser.parse_intermixed_args()
    warplab = asked.warplab.resolve()
    labs = asked.labs or sorted(path.parents[1].name for path in LABS.glob("*/assignment/rubric.toml"))
    other = []
    with tempfile.TemporaryDirectory() as place:
        for lab in labs:
            kernel = tomllib.loads((LABS / lab / "assignment/rubric.toml").read_text())["kernel"]
            folder = Path(place) / lab
            subprocess.run([warplab, "start", lab, folder], check=True, capture_output=True)
            for state, text in states(lab, (folder / kernel).read_text()).items():
                if asked.state and state not in asked.state:
                    continue
                file = folder / kernel
                file.write_text(text)
                seed = ["--seed", asked.seed]
                (here, expected), (there, found) = (marks(warplab, lab, file, device, seed) for device in ("emulated", asked.device))
                points = [f"{marked['points']:g} of {marked['of']:g}" for marked in (here, there)]
                print(f"{lab:12} {state:9} machine {points[0]:>12}   {asked.device} {points[1]:>12}   {speeds(there)}", flush=True)
                pairs = itertools.zip_longest(expected, found)
                other += [f"{lab}, {state}: {one} on the machine, {two} on {asked.device}" for one, two in pairs if one != two]
    for difference in other:
        print(f"differs: {difference}")
    if other:
        sys.exit(1)


if __name__ == "__main__":
    main()

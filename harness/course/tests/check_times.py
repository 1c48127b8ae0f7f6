#!/usr/bin/env python3
"""Measures how long a student waits: `check_times.py WARPLAB [LAB...]` times `warplab check` in the folder of each lab (default:
all that have an assignment), as handed out, half done and finished. Before each check the kernel file is saved with another comment,
so that it is compiled each time. It prints, in seconds, the first check of a folder, the median of the later ones, and the median
of their processor time, which depends little on other load; it fails if a median time is above `--most`. NVRTC must be found, by
`WARPLAB_NVRTC` for example; warplab's cache is a new one.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

sys.dont_write_bytecode = True
from make_class import LABS, parts_of, with_parts  # noqa: E402


def states(lab: str, handed_out: str) -> dict[str, str]:
    """The kernel file as it is handed out, half done, and finished."""
    rubric = tomllib.loads((LABS / lab / "assignment/rubric.toml").read_text())
    file = LABS / lab / "kernels" / rubric["kernel"]
    parts = parts_of(file.read_text())
    fixed = LABS / lab / "tests/fixed" / rubric["kernel"]
    if not parts and fixed.is_file():
        # A bug hunt is handed out unchanged; half of the kernels come from the fixed file.
        own, right = (path.read_text().split('extern "C"') for path in (file, fixed))
        half = right[: len(right) // 2] + own[len(right) // 2 :]
        return {"starter": handed_out, "half": 'extern "C"'.join(half), "finished": fixed.read_text()}
    solved = [part["name"] for part in rubric["part"] if part["name"] in parts]
    half = with_parts(file.read_text(), set(solved[: len(solved) // 2]))
    return {"starter": handed_out, "half": half, "finished": with_parts(file.read_text(), set(parts))}


def processor_seconds() -> float:
    """Processor time of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def check(warplab: Path, folder: Path, environment: dict[str, str]) -> tuple[float, float, int]:
    """Runs one check; returns its time, its processor time, and its exit status."""
    begun, used = time.perf_counter(), processor_seconds()
    ended = subprocess.run([warplab, "check"], cwd=folder, env=environment, capture_output=True, text=True)
    seconds = time.perf_counter() - begun
    if ended.returncode not in (0, 1):
        sys.exit(f"check in {folder.name} ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    return seconds, processor_seconds() - used, ended.returncode


def main() -> None:
    parser = argparse.ArgumentParser(description="Times `warplab check` for each lab.")
    parser.add_argument("warplab", type=Path)
    parser.add_argument("labs", nargs="*", metavar="LAB")
    parser.add_argument("--samples", type=int, default=5, help="checks after the first one of each state [default: 5]")
    parser.add_argument("--most", type=float, default=2.0, help="seconds that a median may be [default: 2]")
    asked = parser.parse_intermixed_args()
    warplab = asked.warplab.resolve()
    labs = asked.labs or sorted(path.parents[1].name for path in LABS.glob("*/assignment/rubric.toml"))
    slow = []
    print(f"{'lab':12} {'state':9} {'ends':>4} {'first s':>8} {'median s':>9} {'cpu s':>6}", flush=True)
    with tempfile.TemporaryDirectory() as place:
        environment = os.environ | {"WARPLAB_CACHE": f"{place}/cache"}
        for lab in labs:
            kernel = tomllib.loads((LABS / lab / "assignment/rubric.toml").read_text())["kernel"]
            folder = Path(place) / lab
            subprocess.run([warplab, "start", lab, folder], check=True, capture_output=True)
            for state, text in states(lab, (folder / kernel).read_text()).items():
                seconds, used = [], []
                for sample in range(asked.samples + 1):
                    (folder / kernel).write_text(f"{text}// {state}, saved {sample} times\n")
                    took, processor, code = check(warplab, folder, environment)
                    seconds.append(took)
                    used.append(processor)
                median, cpu = (statistics.median(values[1:] or values) for values in (seconds, used))
                print(f"{lab:12} {state:9} {code:4} {seconds[0]:8.2f} {median:9.2f} {cpu:6.2f}", flush=True)
                if median > asked.most:
                    slow.append(f"{lab} ({state})")
    if slow:
        sys.exit(f"slower than {asked.most} s: {', '.join(slow)}")


if __name__ == "__main__":
    main()

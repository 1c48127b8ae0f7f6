#!/usr/bin/env python3
"""Grades every hostile kernel under limits, and checks the grader from outside: `run.py WARPLAB [--family NAME]`.

README.md says what is checked. Linux only: the memory of processes is read from /proc."""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import make

MOST_MEMORY = 4 << 30
SECONDS = 30
"""The limits of a run of the kernel; the command also runs the lab's own kernels and the compiler."""
WALL = 10 * SECONDS
PAGE = os.sysconf("SC_PAGESIZE")


def held(session):
    """Memory in bytes of all processes of a session: the command's children are in other groups, but in its session."""
    pages = 0
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            fields = pathlib.Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            pages += int(fields[21])
    return PAGE * pages


def grade(warplab, path, sizes, variant):
    """Grades one file; returns the command's exit status, its output, the peak memory and the seconds."""
    command = [warplab, "grade", "vecadd", "--json", "--kernel", str(path), "--variant", variant, "--schedules", "2"]
    command += ["--seed", "7", "--limit-seconds", str(SECONDS)]
    for size in sizes:
        command += ["-n", size]
    start, most, end = time.monotonic(), 0, None
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=error, start_new_session=True)
        while process.poll() is None:
            most = max(most, held(process.pid))
            if most > MOST_MEMORY or time.monotonic() - start > WALL:
                end = "too large" if most > MOST_MEMORY else "too long"
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                break
            time.sleep(0.05)
        texts = []
        for stream in (out, error):
            stream.seek(0)
            texts.append(stream.read(1 << 20).decode(errors="replace"))
    if end is None and process.returncode not in (0, 1, 2, 4):
        end = "crashed"
    return end, process.returncode, texts, most, time.monotonic() - start


def judged(end, code, texts):
    """The outcome: how the command failed, or the verdict on the kernel."""
    if end is not None:
        return end
    try:
        verdicts = {variant["verdict"] for variant in json.loads(texts[0])["variants"]}
        verdict = verdicts.pop() if len(verdicts) == 1 else "several"
    except ValueError:
        verdict = {2: "refused", 4: "cannot judge"}.get(code, "crashed")
    return "right" if code == 0 else verdict


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("warplab")
    arguments.add_argument("--family", action="append", help="only this one (repeatable)")
    arguments.add_argument("--jobs", type=int, default=1)
    arguments.add_argument("--keep", type=pathlib.Path)
    asked = arguments.parse_args()
    bad = ("right", "crashed", "too long", "too large")
    with tempfile.TemporaryDirectory() as temporary:
        cases = make.write(asked.keep or pathlib.Path(temporary))
        cases = {path: case for path, case in cases.items() if not asked.family or case[0] in asked.family}
        counts, families = collections.Counter(), {case[0] for case in cases.values()}
        most, longest = (0, ""), (0.0, "")
        with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
            started = {pool.submit(grade, asked.warplab, path, *case[1:]): path for path, case in cases.items()}
            for done in concurrent.futures.as_completed(started):
                end, code, texts, memory, seconds = done.result()
                name, verdict = started[done].stem, judged(end, code, texts)
                counts[verdict] += 1
                most, longest = max(most, (memory, name)), max(longest, (seconds, name))
                if verdict in bad or sys.stdout.isatty():
                    words = (texts[1].strip() or texts[0].strip())[-300:] if verdict in bad else ""
                    print(f"{name}: {verdict} (exit {code}, {memory >> 20} MiB, {seconds:.1f} s) {words}", flush=True)
    failed = ", ".join(f"{counts.pop(verdict, 0)} {verdict}" for verdict in bad)
    rest = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    print(
        f"hostile: {len(cases)} files in {len(families)} families: {failed}; {rest}; at most {most[0] >> 20} MiB "
        f"({most[1]}) and {longest[0]:.0f} s ({longest[1]})"
    )
    return 1 if sum(counts.values()) < len(cases) else 0


if __name__ == "__main__":
    sys.exit(main())

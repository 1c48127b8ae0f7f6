#!/usr/bin/env python3
"""Tests what `warplab run` survives: kills, many parallel runs, full disks and little memory.

    robustness.py PROGRAM STATE [--kills N] [kills] [crowd] [disk] [memory]

PROGRAM is a debug or release build of warplab; STATE is a folder in which the campaign stores its progress, so that it
resumes after a stop. Without names all four parts run. Each prints one line of figures; the exit code is 1
if anything went wrong, and STATE/wrong.txt then says what.

kills   SIGKILL at random times into `run`, N in all (1000); after each, every row of every CSV is whole, session.json can
        be read, and the next run into the same folder works. A next run is made after every tenth kill.
crowd   20 parallel runs into one folder: each passes, every row is whole, and the folder's session.json has each lab's
        last run, by the seed that is in its rows.
disk    a file system of 64 KiB with 0 to 60 KiB taken, for the output and for temporary files: a run passes, or ends
        with exit code 4 and says that there is no space; what it leaves is whole. Needs the right to mount a tmpfs.
memory  `ulimit -v` from 32 MiB to 1 TiB: a run passes, or ends with exit code 4 and says why.
"""

import argparse
import csv
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LABS = ["hello", "returning", "vecadd", "trapezoid", "reduction", "scan"]
# Longer than any quick run, even of a debug build on a busy computer.
LIMIT_S = 300


class Campaign:
    """The program under test, and the folder with the campaign's progress."""

    def __init__(self, program: Path, state: Path):
        self.program = program.resolve()
        self.state = state.resolve()
        self.state.mkdir(parents=True, exist_ok=True)
        self.wrongs = 0

    def command(self, labs: list[str], out: Path, seed: int = 1) -> list[str]:
        quick = ["--quick", "--no-exercises", "--device", "emulated"]
        return [str(self.program), "run", *labs, *quick, "--out", str(out), "--seed", str(seed)]

    def wrong(self, what: str) -> None:
        self.wrongs += 1
        with open(self.state / "wrong.txt", "a", encoding="utf-8") as file:
            file.write(what.strip() + "\n")

    def place(self, part: str) -> dict:
        """The position at which this part was stopped."""
        path = self.state / f"{part}.json"
        return json.loads(path.read_text()) if path.exists() else {}

    def keep(self, part: str, place: dict) -> None:
        unfinished = self.state / f"{part}.json.new"
        unfinished.write_text(json.dumps(place))
        unfinished.replace(self.state / f"{part}.json")

    def run(self, labs: list[str], out: Path, **more) -> subprocess.CompletedProcess:
        """Runs these labs to their end."""
        command = self.command(labs, out)
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S, check=False, **more)


def ragged(folder: Path) -> list[str]:
    """Lists incomplete files in a run's folder: a truncated row, one of another length than the header, an unreadable session
    file."""
    found = []
    for path in sorted(folder.glob("*.csv")):
        text = path.read_bytes().decode(errors="replace")
        rows = list(csv.reader(text.splitlines(keepends=True)))
        if not text.endswith("\n") or any(len(row) != len(rows[0]) for row in rows):
            found.append(f"{path.name} is not whole: {text[-300:]!r}")
    session = folder / "session.json"
    if session.exists():
        try:
            json.loads(session.read_text())["sessions"]
        except (ValueError, KeyError) as error:
            found.append(f"session.json cannot be read: {error}")
    return found


def kills(campaign: Campaign, count: int) -> str:
    place = campaign.place("kills") or {"done": 0, "killed": 0, "next": 0, "wrong": 0}
    out = campaign.state / "kills"
    while place["done"] < count:
        dice = random.Random(place["done"])
        labs = dice.sample(LABS, 2)
        # In a separate process group: a case may run in a further process, which must not outlive the run.
        child = subprocess.Popen(
            campaign.command(labs, out, seed=place["done"]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        time.sleep(dice.random() * dice.choice([0.05, 0.5, 3.0]))
        place["killed"] += child.poll() is None
        os.killpg(child.pid, signal.SIGKILL) if child.poll() is None else None
        child.wait()
        found = ragged(out) if out.exists() else []
        place["done"] += 1
        if place["done"] % 10 == 0 or place["done"] == count:
            after = campaign.run([labs[0]], out)
            place["next"] += 1
            if after.returncode != 0:
                found.append(f"the next run ended with {after.returncode}: {after.stderr.decode()[-300:]}")
            left = [path.name for path in out.iterdir() if path.suffix != ".csv" and path.name != "session.json"]
            found += ragged(out) + [f"{name} was left behind" for name in left]
        place["wrong"] += len(found)
        for what in found:
            campaign.wrong(f"kill {place['done']} into {labs}: {what}")
        campaign.keep("kills", place)
    campaign.wrongs = max(campaign.wrongs, place["wrong"])
    return "kills: {done} runs, {killed} killed under way, {next} runs after them; {wrong} wrong".format(**place)


def crowd(campaign: Campaign) -> str:
    out = campaign.state / "crowd"
    shutil.rmtree(out, ignore_errors=True)
    began = time.monotonic()
    runs = [(LABS[i % len(LABS)], i + 1) for i in range(20)]
    start = lambda lab, seed: subprocess.Popen(  # noqa: E731
        campaign.command([lab], out, seed), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    children = [start(lab, seed) for lab, seed in runs]
    found = []
    waited = 0
    for (lab, seed), child in zip(runs, children):
        _, words = child.communicate(timeout=LIMIT_S)
        waited += b"another run writes to" in words
        if child.returncode != 0:
            found.append(f"{lab} with seed {seed} ended with {child.returncode}: {words.decode()[-300:]}")
    found += ragged(out)
    rows = 0
    sessions = json.loads((out / "session.json").read_text())["sessions"]
    seeds = {done["lab"]: (session["seed"], done["rows"]) for session in sessions for done in session["labs"]}
    for lab in LABS:
        with open(out / f"{lab}.csv", newline="", encoding="utf-8") as file:
            own = list(csv.DictReader(file))
        rows += len(own)
        if {int(row["seed"]) for row in own} != {seeds[lab][0]} or len(own) != seeds[lab][1]:
            found.append(f"{lab}.csv and session.json are of different runs: {seeds[lab]}")
    for what in found:
        campaign.wrong(f"crowd: {what}")
    took = time.monotonic() - began
    return f"crowd: 20 runs at once, {waited} of them waited, {rows} rows left, {took:.0f} s; {len(found)} wrong"


def disk(campaign: Campaign) -> str:
    runs = passed = refused = 0
    found = []
    for taken_kib in (0, 16, 32, 40, 48, 52, 56, 60, 64):
        for use in ("output", "temporary files"):
            for lab in ("hello", "returning", "histogram"):
                with tempfile.TemporaryDirectory() as parent:
                    small = Path(parent) / "small"
                    small.mkdir()
                    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small], check=False)
                    if mounted.returncode != 0:
                        return "disk: not run, since this user may not mount a tmpfs"
                    try:
                        (small / "taken").write_bytes(bytes(taken_kib << 10))
                        out = (small if use == "output" else Path(parent)) / "out"
                        environment = os.environ | ({} if use == "output" else {"TMPDIR": str(small)})
                        ended = campaign.run([lab], out, env=environment)
                        runs += 1
                        passed += ended.returncode == 0
                        refused += ended.returncode == 4
                        words = ended.stderr.decode()
                        where = f"{lab} with {taken_kib} of 64 KiB taken, for {use}"
                        if ended.returncode not in (0, 4):
                            found.append(f"{where}: ended with {ended.returncode}: {words[-300:]}")
                        if ended.returncode == 4 and "No space left" not in words:
                            found.append(f"{where}: does not say why: {words[-300:]}")
                        if out.exists():
                            found += [f"{where}: {what}" for what in ragged(out)]
                            left = [p.name for p in out.iterdir() if p.suffix != ".csv" and p.name != "session.json"]
                            found += [f"{where}: {name} was left behind" for name in left]
                    finally:
                        subprocess.run(["umount", small], check=False)
    for what in found:
        campaign.wrong(f"disk: {what}")
    return f"disk: {runs} runs, {passed} passed, {refused} ended with exit code 4; {len(found)} wrong"


def memory(campaign: Campaign) -> str:
    runs = passed = refused = 0
    found = []
    for mib in (32, 64, 256, 1 << 10, 16 << 10, 64 << 10, 128 << 10, 192 << 10, 256 << 10, 512 << 10, 1 << 20):
        for lab in LABS:
            with tempfile.TemporaryDirectory() as parent:
                limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (mib << 20, mib << 20))  # noqa: E731, B023
                ended = campaign.run([lab], Path(parent) / "out", preexec_fn=limit)
                runs += 1
                passed += ended.returncode == 0
                refused += ended.returncode == 4
                words = ended.stderr.decode()
                if ended.returncode not in (0, 4) or "panicked" in words or (ended.returncode == 4 and not words):
                    found.append(f"{lab} with {mib} MiB: ended with {ended.returncode}: {words[-400:]}")
                if (Path(parent) / "out").exists():
                    found += [f"{lab} with {mib} MiB: {what}" for what in ragged(Path(parent) / "out")]
    for what in found:
        campaign.wrong(f"memory: {what}")
    return f"memory: {runs} runs, {passed} passed, {refused} ended with exit code 4; {len(found)} wrong"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("state", type=Path)
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--kills", type=int, default=1000, metavar="N")
    arguments = parser.parse_intermixed_args()
    campaign = Campaign(arguments.program, arguments.state)
    parts = {"kills": lambda c: kills(c, arguments.kills), "crowd": crowd, "disk": disk, "memory": memory}
    unknown = set(arguments.parts) - set(parts)
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}; there are: {', '.join(parts)}")
    for name in arguments.parts or parts:
        print(parts[name](campaign), flush=True)
    return 1 if campaign.wrongs else 0


if __name__ == "__main__":
    sys.exit(main())

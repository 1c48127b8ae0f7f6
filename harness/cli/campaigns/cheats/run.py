#!/usr/bin/env python3
"""Grades the kernel files of a campaign against the judge, in parallel.

    run.py WARPLAB FOLDER [-j N] [--set SET]... [--lab LAB]... [--name NAME]... [--device DEVICE]

README.md says how FOLDER is written. Marks are kept there by what they depend on, so that an interrupted campaign
resumes, and nothing that has changed is taken for graded. At the end FOLDER has `results.csv` and `table.md`. The exit
status is 1 if a file earns more, or less, than the list allows.
"""

import argparse
import collections
import concurrent.futures
import csv
import dataclasses
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys

LIMIT_S = 3600
"""Longer than any grading takes, even on a busy computer: each run in it has limits of its own."""


@dataclasses.dataclass
class Result:
    """What a file has earned, and what the judge says of it."""

    entry: dict
    points: float
    of: float
    unjudged: bool
    words: str
    failed: str

    @property
    def cell(self) -> str:
        return "failed" if self.failed else f"{self.points:g}{'?' if self.unjudged else ''}"

    @property
    def complaint(self) -> str:
        """How this differs from what the list allows; empty if it does not."""
        if self.failed:
            return self.failed
        if self.unjudged and not self.entry.get("is_unmodelled"):
            return "could not be judged"
        if "points" in self.entry:
            most = self.entry["points"]
            return "" if 0 <= self.points <= most else f"earns {self.points:g} points, {most:g} at most are known of"
        least, most = self.entry["share"]
        share = 100 * self.points / self.of if self.of else 0
        return "" if least <= share <= most else f"earns {share:.0f} % of the points, not {least} to {most} %"


def digest(*pieces: bytes) -> str:
    hasher = hashlib.sha256()
    for piece in pieces:
        hasher.update(len(piece).to_bytes(8, "little") + piece)
    return hasher.hexdigest()[:32]


def grade(asked: argparse.Namespace, program: str, entry: dict) -> Result:
    """Grades a file, unless its marks are there."""
    folder = asked.folder
    file, rubric = folder / entry["file"], folder / entry["rubric"] if entry["rubric"] else None
    texts = [path.read_bytes() for path in (file, rubric) if path]
    marks = folder / "marks" / f"{digest(program.encode(), (asked.device or '').encode(), *texts)}.json"
    if not marks.exists():
        command = [asked.warplab, "grade", entry["lab"], file, "--format", "json", "--out", marks, "--schedules", "2", "--seed", "7"]
        command += ["--rubric", rubric] if rubric else []
        command += ["--device", asked.device] if asked.device else []
        environment = {**os.environ, "WARPLAB_TRUST_PTX": "0"}
        streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
        with subprocess.Popen(command, env=environment, start_new_session=True, **streams) as process:
            try:
                said = process.communicate(timeout=LIMIT_S)[1]
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return Result(entry, 0, 0, True, "", f"warplab did not end within {LIMIT_S} s")
        if not marks.exists():
            text = said.decode(errors="replace").strip()[-300:]
            return Result(entry, 0, 0, True, "", f"warplab has ended with status {process.returncode}: {text}")
    marked = json.loads(marks.read_text())["submissions"][0]
    criteria = [criterion for part in marked["parts"] for criterion in part["criteria"]]
    said = [marked["fault"]] if marked["fault"] else [one["words"] for one in criteria if one["points"] < one["of"]]
    unjudged = any(part["unjudged"] for part in marked["parts"])
    return Result(entry, marked["points"], marked["of"], unjudged, said[0] if said else "", "")


def table(results: list[Result]) -> str:
    """Points of each cheat in each lab, what is said of it where it earns nothing, and the marks of the solutions."""
    cheats = [result for result in results if result.entry["set"] in ("own", "cheats")]
    labs = list(dict.fromkeys(result.entry["lab"] for result in cheats))
    rows = collections.defaultdict(dict)
    for result in cheats:
        rows[result.entry["name"]][result.entry["lab"]] = result
    lines = [f"| kind | {' | '.join(labs)} |", f"| --- |{' ---: |' * len(labs)}"]
    for name, row in rows.items():
        lines.append(f"| {name} | {' | '.join(row[lab].cell if lab in row else '' for lab in labs)} |")
    lines += ["", "| kind | lab | the judge says |", "| --- | --- | --- |"]
    for name, row in rows.items():
        first = next((one for one in row.values() if one.words and one.points == 0), None)
        if first:
            words = " ".join(first.words.split()).replace("|", "\\|")
            words = words if len(words) <= 160 else words[:160] + " ..."
            lines.append(f"| {name} | {first.entry['lab']} | {words} |")
    lines += ["", "| kind | lab | points | why that is as it should be |", "| --- | --- | ---: | --- |"]
    for one in (one for one in cheats if one.points > 0 and one.entry.get("why")):
        lines.append(f"| {one.entry['name']} | {one.entry['lab']} | {one.cell} | {one.entry['why']} |")
    lines += ["", "| lab | solutions | as the list says | others |", "| --- | ---: | ---: | --- |"]
    for lab in dict.fromkeys(result.entry["lab"] for result in results):
        mine = [result for result in results if result.entry["set"] == "solutions" and result.entry["lab"] == lab]
        others = [f"{result.entry['name']}: {result.cell} of {result.of:g}" for result in mine if result.complaint]
        if mine:
            lines.append(f"| {lab} | {len(mine)} | {len(mine) - len(others)} | {'; '.join(others)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("warplab")
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("-j", "--jobs", type=int, default=1)
    arguments.add_argument("--set", action="append", help="own, cheats or solutions (repeatable)")
    arguments.add_argument("--lab", action="append", help="only this one (repeatable)")
    arguments.add_argument("--name", action="append", help="only this cheat or solution (repeatable)")
    arguments.add_argument("--device", help="as of `warplab grade`")
    asked = arguments.parse_args()
    chosen = lambda value, wanted: wanted is None or value in wanted
    entries = json.loads((asked.folder / "campaign.json").read_text())
    entries = [one for one in entries if chosen(one["set"], asked.set) and chosen(one["lab"], asked.lab) and chosen(one["name"], asked.name)]
    if not entries:
        arguments.error("the campaign has no such file")
    (asked.folder / "marks").mkdir(exist_ok=True)
    program = digest(pathlib.Path(asked.warplab).read_bytes())
    # Those that only a limit stops come last, so that an interrupted campaign has covered most.
    order = sorted(range(len(entries)), key=lambda at: bool(entries[at].get("is_slow")))
    results = {}
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        started = {pool.submit(grade, asked, program, entries[at]): at for at in order}
        for done in concurrent.futures.as_completed(started):
            result = results[started[done]] = done.result()
            entry = result.entry
            said = f": {result.complaint}" if result.complaint else ""
            print(f"{len(results)}/{len(entries)} {entry['set']} {entry['lab']} {entry['name']}: {result.cell} of {result.of:g}{said}", flush=True)
    ordered = [results[at] for at in range(len(entries))]
    with open(asked.folder / "results.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["set", "lab", "name", "points", "of", "unjudged", "complaint", "words"])
        for one in ordered:
            entry = one.entry
            rows.writerow([entry["set"], entry["lab"], entry["name"], one.points, one.of, one.unjudged, one.complaint, one.words])
    (asked.folder / "table.md").write_text(table(ordered))
    bad = [one for one in ordered if one.complaint]
    print(f"{len(ordered)} files: {len(bad)} are not marked as the list says")
    for one in bad:
        print(f"{one.entry['set']} {one.entry['lab']} {one.entry['name']}: {one.complaint}; {one.words}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

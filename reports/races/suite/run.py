#!/usr/bin/env python3
"""Compiles each program of this folder twice, racy and fixed, and runs both under a tool that looks for races.

    run.py WARPLAB [--out CSV] [--jobs N] [NAME...]              under `exec --check all`, on the emulated H200
    run.py compute-sanitizer [--out CSV] [--jobs N] [NAME...]    alone, under racecheck and memcheck, on a GPU of 9.0
    run.py compute-sanitizer --log LOG                           the CSV of an earlier run

The CSV (default: warplab.csv or compute-sanitizer.csv here) has a row for each program, variant and check: how many
findings there were, the kind and the line of one, whether `// race` marks the lines of all, and the answer. Checks of
warplab other than racecheck have a row if they found something. On a GPU, compute-sanitizer.jsonl next to the CSV keeps what
each run printed. NAME chooses programs, such as `shared_tree`.
The exit status is 1 if warplab missed a race that missed.csv does not list, or found one that it lists, named a line without a
mark, or found anything in a fixed program."""
import argparse
import concurrent.futures
import csv
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
VARIANTS = ("racy", "fixed")
COMPILE_S = 300
RUN_S = 60
ALONE = 5
"""How often a program is run without a tool; its answer is wrong if it was once."""
BEGINS = {
    "racecheck": r"(?:\w+: )?(?:Race reported|.*hazard detected)",
    "memcheck": r"Invalid |Program hit ",
}
"""How a report of a tool of compute-sanitizer begins."""

LOCK = threading.Lock()


@dataclasses.dataclass
class Row:
    """What one check said of one variant of a program."""

    program: str
    variant: str
    check: str
    findings: int
    kind: str
    line: int | str
    marked: str
    answer: str
    exit_code: int


def marks(source: pathlib.Path) -> set[int]:
    """The lines of a program whose accesses are in the race."""
    return {number for number, line in enumerate(source.read_text().splitlines(), 1) if line.rstrip().endswith("// race")}


def row(source: pathlib.Path, variant: str, check: str, findings: list[tuple[str, list[int]]], output: str, code: int) -> Row:
    """The row of a check with these findings, each a kind and the lines of its accesses."""
    # The first finding, or the first one that has lines of the program.
    kind, lines = next((one for one in findings if one[1]), findings[0] if findings else ("", []))
    named = {line for _, each in findings for line in each}
    marked = "" if not named else "yes" if named <= marks(source) else "no"
    answer = "wrong" if "answer: wrong" in output else "right" if "answer: right" in output else ""
    line = lines[0] if lines else ""
    return Row(source.stem, variant, check, len(findings), kind, line, marked, answer, code)


def execute(command: list[str]) -> tuple[int, str]:
    """Runs a command, and returns its exit status (124: it was stopped) and what it printed."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=RUN_S, check=False)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as stopped:
        # What was printed is not decoded yet, in spite of `text`.
        printed = stopped.stdout or b""
        return 124, printed if isinstance(printed, str) else printed.decode(errors="replace")


def on_warplab(warplab: str, source: pathlib.Path, variant: str, binary: pathlib.Path) -> list[Row]:
    """A variant under all checks of the emulated machine."""
    record = binary.with_suffix(".json")
    options = ["--device", "emulated:h200", "--check", "all", "--timeout", str(RUN_S), "--json", str(record)]
    code, output = execute([warplab, "exec", *options, str(binary)])
    found: dict[str, list[tuple[str, list[int]]]] = {"racecheck": []}
    for text in record.read_text().splitlines() if record.exists() else []:
        for one in json.loads(text).get("findings", []):
            kind = re.sub(r" \[.*", "", one["headline"])
            # The lines of all accesses; for one in a header, that of the call which is inlined there.
            lines = list(map(int, re.findall(rf"{re.escape(source.name)}:(\d+):", one["text"])))
            found.setdefault(one["check"], []).append((kind, lines))
    return [row(source, variant, check, findings, output, code) for check, findings in found.items()]


def observed(sanitizer: str, source: pathlib.Path, variant: str, binary: pathlib.Path) -> list[dict]:
    """What a variant prints alone, and under two tools of NVIDIA's compute-sanitizer."""
    commands = {"none": [], **{tool: [sanitizer, "--tool", tool, "--error-exitcode", "9"] for tool in BEGINS}}
    records = []
    for check, command in commands.items():
        for _ in range(1 if command else ALONE):
            code, output = execute([*command, str(binary)])
            records.append({"program": source.stem, "variant": variant, "check": check, "code": code, "output": output})
    return records


def on_gpu(records: list[dict]) -> list[Row]:
    """The rows of such records of one variant."""
    source = HERE / f"{records[0]['program']}.cu"
    rows = []
    for check in dict.fromkeys(record["check"] for record in records):
        runs = [record for record in records if record["check"] == check]
        output, findings = "".join(record["output"] for record in runs), []
        for line in output.splitlines():
            text = line.removeprefix("=========").strip()
            if text == line:
                continue
            if check in BEGINS and re.match(BEGINS[check], text):
                findings.append((re.sub(r" at .*| of size .*", "", text), []))
            if findings:
                findings[-1][1].extend(map(int, re.findall(rf"{re.escape(source.name)}:(\d+)", line)))
        rows.append(row(source, runs[0]["variant"], check, findings, output, max(record["code"] for record in runs)))
    return rows


def run(options: argparse.Namespace, folder: pathlib.Path, source: pathlib.Path, variant: str) -> list[Row]:
    """Compiles and runs one variant of a program."""
    binary = folder / f"{source.stem}-{variant}"
    emulated = options.tool.name != "compute-sanitizer"
    compiler = [str(options.tool), "nvcc"] if emulated else [options.nvcc]
    flags = ["-std=c++17", "-arch=sm_90", "-lineinfo", *(["-DRACY"] if variant == "racy" else [])]
    compiled = subprocess.run(
        [*compiler, *flags, str(source), "-o", str(binary)], stderr=subprocess.PIPE, text=True, timeout=COMPILE_S, check=False
    )
    if compiled.returncode != 0:
        print(f"{source}: not compiled\n{compiled.stderr}", flush=True)
        return [Row(source.stem, variant, "nvcc", 1, "not compiled", "", "", "", compiled.returncode)]
    if options.compile:
        return []
    if emulated:
        rows = on_warplab(str(options.tool), source, variant, binary)
    else:
        records = observed(str(options.tool), source, variant, binary)
        with LOCK, out_of(options).with_suffix(".jsonl").open("a") as log:
            log.writelines(json.dumps(record) + "\n" for record in records)
        rows = on_gpu(records)
    for one in rows:
        place = f"line {one.line}" + (", which is not marked" if one.marked == "no" else "") if one.findings else ""
        print(f"{one.program} {variant}: {one.check}: {one.findings} {place} answer {one.answer or 'missing'}", flush=True)
    return rows


def out_of(options: argparse.Namespace) -> pathlib.Path:
    """The CSV to write."""
    return options.out or HERE / ("compute-sanitizer.csv" if options.tool.name == "compute-sanitizer" else "warplab.csv")


def logged(log: pathlib.Path) -> list[Row]:
    """The rows of an earlier run on a GPU."""
    variants: dict[tuple[str, str], list[dict]] = {}
    for line in log.read_text().splitlines():
        record = json.loads(line)
        variants.setdefault((record["program"], record["variant"]), []).append(record)
    # In the order of a run: programs by name, the racy variant first.
    return [row for key in sorted(variants, key=lambda key: (key[0], key[1] != "racy")) for row in on_gpu(variants[key])]


def unexpected(rows: list[Row]) -> list[str]:
    """What is wrong with the findings of the machine."""
    with (HERE / "missed.csv").open(newline="") as file:
        known = {one["program"] for one in csv.DictReader(file)}
    wrong = []
    for one in rows:
        name = f"{one.program}, {one.variant}"
        if one.variant == "racy" and one.check == "racecheck":
            if not one.findings and one.program not in known:
                wrong.append(f"{name}: the race was missed")
            if one.findings and one.program in known:
                wrong.append(f"{name}: the race was found, so that missed.csv should not list it")
            if one.marked == "no":
                wrong.append(f"{name}: line {one.line} is not marked")
        elif one.findings:
            wrong.append(f"{name}: {one.check}: {one.kind}")
        if one.variant == "fixed" and one.answer != "right":
            wrong.append(f"{name}: the answer is {one.answer or 'missing'}")
    return wrong


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("tool", type=pathlib.Path, help="a build of warplab, or compute-sanitizer")
    arguments.add_argument("names", nargs="*", metavar="NAME")
    arguments.add_argument("--out", type=pathlib.Path, help="the CSV")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs at once")
    arguments.add_argument("--nvcc", default="nvcc", help="the compiler for compute-sanitizer")
    arguments.add_argument("--log", type=pathlib.Path, help="make the CSV of what an earlier run on a GPU printed")
    arguments.add_argument("--compile", action="store_true", help="compile the programs without running them")
    options = arguments.parse_intermixed_args()
    emulated = options.tool.name != "compute-sanitizer"
    if emulated:
        options.tool = options.tool.resolve(strict=True)
    out = out_of(options)
    if options.log:
        rows = logged(options.log)
    else:
        sources = [source for source in sorted(HERE.glob("*.cu")) if not options.names or source.stem in options.names]
        planned = [(source, variant) for source in sources for variant in VARIANTS]
        if not emulated:
            out.with_suffix(".jsonl").unlink(missing_ok=True)
        with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = pool.map(lambda one: run(options, pathlib.Path(folder), *one), planned)
            rows = [one for each in results for one in each]
        if options.compile:
            print(f"races: {len(planned) - len(rows)} of {len(planned)} programs compiled")
            return 1 if rows or not planned else 0
    with out.open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in dataclasses.fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(dataclasses.asdict(one) for one in rows)
    races = [one for one in rows if one.check == "racecheck"]
    for variant in VARIANTS:
        both = [one for one in races if one.variant == variant]
        print(f"{variant}: racecheck found something in {sum(one.findings > 0 for one in both)} of {len(both)}")
    wrong = unexpected(rows) if emulated else [f"{one.program}: {one.kind}" for one in rows if one.check == "nvcc"]
    for one in wrong:
        print(one)
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())

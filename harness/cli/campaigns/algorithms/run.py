#!/usr/bin/env python3
"""Runs all of CUB's and Thrust's algorithms, right kernels in twelve styles and the labs under all checks.

    run.py WARPLAB [--keep DIR] [--jobs N] [--out DIR] [NAME...]
    run.py --table [--out DIR]

README.md says what is checked. The first form compiles each program without and with `-G`, runs it, and writes a row of
`runs.csv` for it; the second one makes the tables of README.md in the same folder. NAME runs the programs of that name
alone, such as `cub_scan`, and writes no file.
"""

import argparse
import concurrent.futures
import csv
import dataclasses
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
LIMIT_S = 1800
"""Longer than a compilation or a program takes, even on a busy computer."""
LIMIT_BYTES = 12 << 30
"""More than the address space that the compiler or the machine takes."""


@dataclasses.dataclass
class Row:
    """What a run gave; a row of `runs.csv`."""

    group: str
    name: str
    compiled_for: str
    options: str
    exit_code: int
    right: int
    wrong: int
    findings: int
    seconds: int


def noted(source: pathlib.Path, word: str) -> list[str]:
    """The text after `// WORD: ` in a program."""
    found = re.search(rf"^// {word}: (.*)$", source.read_text(), re.MULTILINE)
    return shlex.split(found[1]) if found else []


@dataclasses.dataclass
class Program:
    """A source, the architecture for which it is compiled, and further options of nvcc."""

    source: pathlib.Path
    architecture: str
    options: list[str]

    @property
    def name(self) -> str:
        """The name of the program."""
        return self.source.parent.name if self.group == "labs' programs" else self.source.stem

    @property
    def group(self) -> str:
        """The part of the campaign to which it belongs."""
        if self.source.name == "program.cu":
            return "labs' programs"
        return {"cub": "CUB", "thr": "Thrust"}[self.source.stem[:3]] if self.source.parent == HERE else "kernels"

    @property
    def debug(self) -> bool:
        """Whether it is compiled with `-G`."""
        return "-G" in self.options

    def compile(self, warplab: str, binary: pathlib.Path) -> str:
        """Compiles the program, unless it is there already. Returns the messages of a failure."""
        if binary.exists():
            return ""
        command = [warplab, "nvcc", "-std=c++17", "--extended-lambda", "-w", f"-arch=sm_{self.architecture}", *self.options]
        if "-rdc=true" not in self.options:
            # The machine runs PTX. Only the linker of device code needs machine code.
            command = [option.replace("-arch=sm_", "-arch=compute_") for option in command]
            command.append(f"-code=compute_{self.architecture}")
        new = binary.with_suffix(".new")
        code, text = limited([*command, str(self.source), "-o", str(new)])
        if code == 0:
            new.rename(binary)
            return ""
        return f"nvcc: exit status {code}\n{text}"

    def arguments(self) -> list[str]:
        """The arguments with which it runs."""
        if self.group == "labs' programs":
            return noted(self.source, "run")
        # Code that is not optimised takes several times as long.
        return ["1", "33", "1000"] if self.debug else []


def programs() -> list[Program]:
    """Every program with each of its architectures, without and with `-G`."""
    sources = sorted(HERE.glob("*.cu")) + sorted(HERE.glob("kernels/*.cu")) + sorted(ROOT.glob("labs/*/program.cu"))
    planned: list[Program] = []
    for source in sources:
        # A program with mistakes on purpose notes its exit status.
        if noted(source, "code"):
            continue
        options = noted(source, "nvcc")
        fixed = [option.removeprefix("-arch=sm_") for option in options if option.startswith("-arch=")]
        others = [option for option in options if not option.startswith("-arch=")]
        architectures = fixed or (["80", "90"] if source.parent == HERE else ["80"])
        planned += [Program(source, architecture, [*others, "-lineinfo"]) for architecture in architectures]
        planned.append(Program(source, architectures[0], [*others, "-G"]))
    return planned


def limited(command: list[str]) -> tuple[int, str]:
    """Runs a command within the limits of time and memory. Returns its exit status (124 after the limit) and its output."""
    limits = ["timeout", "--kill-after=10", str(LIMIT_S), "prlimit", f"--as={LIMIT_BYTES}"]
    done = subprocess.run([*limits, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout.decode(errors="replace")


def run(warplab: str, keep: pathlib.Path, program: Program) -> Row:
    """Compiles and runs one program. Its output is kept next to it."""
    binary = keep / f"{program.name}-{program.architecture}{'-G' if program.debug else ''}"
    if program.group == "labs' programs":
        binary = binary.with_name(f"lab-{binary.name}")
    part = "h200" if program.architecture == "90" else "a100"
    start = time.monotonic()
    text = program.compile(warplab, binary)
    code = -1
    if not text:
        start = time.monotonic()
        check = ["exec", "--device", f"emulated:{part}", "--check", "all", "--timeout", str(LIMIT_S)]
        code, text = limited([warplab, *check, str(binary), *program.arguments()])
    binary.with_suffix(".txt").write_text(text)
    options = " ".join(option for option in program.options if option != "-lineinfo")
    return row(program.group, program.name, f"{program.architecture[0]}.{program.architecture[1]}", options, code, text, start)


def run_lab(warplab: str, keep: pathlib.Path, lab: str) -> Row:
    """Runs a lab's own variants at small sizes. A right variant with a finding fails."""
    start = time.monotonic()
    out = keep / f"lab-{lab}"
    command = [warplab, "run", lab, "--device", "emulated:a100", "--check", "all", "--quick", "--no-report"]
    code, text = limited([*command, "--out", str(out)])
    out.with_suffix(".txt").write_text(text)
    with (out / f"{lab}.csv").open(newline="") as file:
        verdicts = "".join({"pass": "ok \n", "fail": "WRONG \n"}.get(row["verdict"], "") for row in csv.DictReader(file))
    return row("labs", lab, "8.0", "", code, verdicts, start)


def row(group: str, name: str, compiled_for: str, options: str, code: int, text: str, start: float) -> Row:
    """The row of a run with this exit status and output."""
    right, wrong, findings = (len(re.findall(f"^{what}", text, re.M)) for what in ("ok ", "WRONG ", "(?:error|warning): "))
    seconds = round(time.monotonic() - start)
    what = " ".join(filter(None, [group, name, compiled_for, options]))
    print(f"{what}: exit status {code}, {right} right, {wrong} wrong, {findings} findings, {seconds} s", flush=True)
    return Row(group, name, compiled_for, options, code, right, wrong, findings, seconds)


def table(rows: list[Row]) -> str:
    """The rows by group and way of compiling, as a table of Markdown."""
    lines = ["| programs | compiled for | | runs | right answers | wrong answers | findings | other failures |"]
    lines.append("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |")
    key = lambda row: (row.group, row.compiled_for, "-G" in row.options)  # noqa: E731
    for group, compiled_for, debug in dict.fromkeys(map(key, rows)):
        some = [row for row in rows if key(row) == (group, compiled_for, debug)]
        sums = [sum(getattr(row, column) for row in some) for column in ("right", "wrong", "findings")]
        failed = sum(row.exit_code != 0 and not row.wrong and not row.findings for row in some)
        cells = [group, compiled_for, "`-G`" if debug else "", len(some), *sums, failed]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def write(out: pathlib.Path) -> None:
    """Writes the table of `runs.csv` to the page in the same folder."""
    with (out / "runs.csv").open(newline="") as file:
        types = {field.name: field.type for field in dataclasses.fields(Row)}
        rows = [Row(**{name: types[name](value) for name, value in row.items()}) for row in csv.DictReader(file)]
    page = out / "README.md"
    begin, end = "<!-- runs -->", "<!-- /runs -->"
    before, rest = page.read_text().split(begin)
    page.write_text(f"{before}{begin}\n\n{table(rows)}\n\n{end}{rest.split(end)[1]}")


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("warplab", nargs="?", help="a release build")
    arguments.add_argument("names", nargs="*", metavar="NAME")
    arguments.add_argument("--keep", type=pathlib.Path, help="keep programs and their output here, and compile none again")
    arguments.add_argument("--jobs", type=int, default=1, help="programs at once; a compiler takes 2 GiB")
    arguments.add_argument("--out", type=pathlib.Path, default=ROOT / "reports/algorithms", help="the folder of runs.csv")
    arguments.add_argument("--table", action="store_true", help="run nothing, and write the table of runs.csv")
    options = arguments.parse_args()
    if options.table:
        write(options.out)
        return 0
    if not options.warplab:
        arguments.error("WARPLAB is missing")
    warplab = str(pathlib.Path(options.warplab).resolve())
    labs = sorted(path.parent.name for path in ROOT.glob("labs/*/program.cu"))
    is_chosen = lambda name: not options.names or name in options.names  # noqa: E731
    with tempfile.TemporaryDirectory() as folder:
        keep = (options.keep or pathlib.Path(folder)).resolve()
        keep.mkdir(parents=True, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            runs = [pool.submit(run, warplab, keep, program) for program in programs() if is_chosen(program.name)]
            runs += [pool.submit(run_lab, warplab, keep, lab) for lab in labs if is_chosen(lab)]
            rows = [one.result() for one in runs]
    if rows and not options.names:
        with (options.out / "runs.csv").open("w", newline="") as file:
            written = csv.DictWriter(file, [field.name for field in dataclasses.fields(Row)], lineterminator="\n")
            written.writeheader()
            written.writerows(map(dataclasses.asdict, rows))
        write(options.out)
    print(table(rows))
    return int(not rows or any(row.exit_code or row.wrong or row.findings for row in rows))


if __name__ == "__main__":
    sys.exit(main())

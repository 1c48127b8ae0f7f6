#!/usr/bin/env python3
"""Runs all of CUB's and Thrust's algorithms, right kernels in twelve styles and the labs' programs under all checks.

    run.py WARPLAB [--keep DIR] [--jobs N] [--debug] [NAME...]

README.md says what is checked. NAME runs the programs of that name alone, such as `cub_scan`."""
import argparse
import concurrent.futures
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
"""Longer than any program takes, even on a busy computer."""

Run = tuple[pathlib.Path, str, list[str]]
"""A source, the architecture for which it is compiled, and further options of nvcc."""


def noted(source: pathlib.Path, word: str) -> list[str]:
    """The text after `// WORD: ` in a program."""
    found = re.search(rf"^// {word}: (.*)$", source.read_text(), re.MULTILINE)
    return shlex.split(found[1]) if found else []


def runs(names: list[str], debug: bool) -> list[Run]:
    """Every program with each of its architectures, without and with `-G`."""
    sources = sorted(HERE.glob("*.cu")) + sorted(HERE.glob("kernels/*.cu")) + sorted(ROOT.glob("labs/*/program.cu"))
    planned: list[Run] = []
    for source in sources:
        if names and source.stem not in names and source.parent.name not in names:
            continue
        # A program with mistakes on purpose notes its exit status.
        if noted(source, "code"):
            continue
        options = noted(source, "nvcc")
        fixed = [option for option in options if option.startswith("-arch=")]
        others = [option for option in options if option not in fixed]
        architectures = fixed or (["-arch=sm_80", "-arch=sm_90"] if source.parent == HERE else ["-arch=sm_80"])
        for architecture in architectures:
            planned.append((source, architecture, [*others, "-lineinfo"]))
        if debug:
            planned.append((source, architectures[0], [*others, "-G"]))
    return planned


def run(warplab: str, keep: pathlib.Path, planned: Run) -> tuple[str, int, int, str]:
    """Compiles and runs one program. Returns its name, what was right, its findings, and what went wrong."""
    source, architecture, options = planned
    name = source.stem if source.stem != "program" else f"{source.parent.name}-program"
    name += "-" + architecture.removeprefix("-arch=sm_") + ("-G" if "-G" in options else "")
    binary, log = keep / name, keep / f"{name}.txt"
    command = [warplab, "nvcc", "-std=c++17", "--extended-lambda", "-w", architecture, *options]
    if "-rdc=true" not in options:
        # The machine runs PTX. Only the linker of device code needs machine code.
        command = [option.replace("-arch=sm_", "-arch=compute_") for option in command]
        command.append(architecture.replace("-arch=sm_", "-code=compute_"))
    start = time.monotonic()
    compiled = subprocess.run([*command, str(source), "-o", str(binary)], capture_output=True, text=True, check=False)
    if compiled.returncode != 0:
        log.write_text(compiled.stdout + compiled.stderr)
        return name, 0, 0, f"not compiled: {log}"
    device = "emulated:h200" if architecture == "-arch=sm_90" else "emulated:a100"
    # Code that is not optimised takes several times as long.
    sizes = ["1", "33", "1000"] if "-G" in options else []
    arguments = noted(source, "run") if source.stem == "program" else sizes
    command = [warplab, "exec", "--device", device, "--check", "all", str(binary), *arguments]
    try:
        with log.open("w") as out:
            code = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, timeout=LIMIT_S, check=False).returncode
    except subprocess.TimeoutExpired:
        code = -1
    text = log.read_text(errors="replace")
    right = len(re.findall(r"^ok ", text, re.MULTILINE))
    findings = len(re.findall(r"^(?:error|warning): ", text, re.MULTILINE))
    wrong = "" if code == 0 and findings == 0 and "WRONG" not in text else f"exit status {code}: {log}"
    print(f"{name}: {right} right, {findings} findings, {time.monotonic() - start:.0f} s", flush=True)
    return name, right, findings, wrong


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("warplab", help="a release build")
    arguments.add_argument("names", nargs="*", metavar="NAME")
    arguments.add_argument("--keep", type=pathlib.Path, help="keep programs and their output in this folder")
    arguments.add_argument("--jobs", type=int, default=1, help="programs at once; a compiler takes 2 GiB")
    arguments.add_argument("--debug", action="store_true", help="also compile each program with -G")
    options = arguments.parse_args()
    warplab = str(pathlib.Path(options.warplab).resolve())
    with tempfile.TemporaryDirectory() as folder:
        keep = (options.keep or pathlib.Path(folder)).resolve()
        keep.mkdir(parents=True, exist_ok=True)
        planned = runs(options.names, options.debug)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(lambda one: run(warplab, keep, one), planned))
    wrong = [(name, why) for name, _, _, why in results if why]
    for name, why in wrong:
        print(f"{name}: {why}")
    right, findings = sum(r[1] for r in results), sum(r[2] for r in results)
    print(f"algorithms: {len(results)} programs, {right} right answers, {findings} findings, {len(wrong)} programs wrong")
    return 1 if wrong or not results else 0


if __name__ == "__main__":
    sys.exit(main())

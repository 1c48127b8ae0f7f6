"""`%%cuda`: compiles and runs a cell."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from IPython.core.error import UsageError
from IPython.display import display

from . import records, render, stream
from .native import program

# The options of `warplab exec` that a cell may have, by whether a value follows. All others are nvcc's.
FOLLOWED = {"--device", "--check", "--schedules", "--timeout", "--out"}
ALONE = {"--counters", "--hot", "--predict", "--keep-going"}
HEADERS = {".cuh", ".h", ".hpp", ".inc"}


@dataclass
class Options:
    """The words after `%%cuda`."""

    name: str = ""
    of_exec: list[str] = field(default_factory=list)
    of_nvcc: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)

    @classmethod
    def parse(cls, line: str) -> Options:
        """Sorts the words: a name for the cell, options of exec, options of nvcc, and arguments after `--`."""
        try:
            words = shlex.split(line)
        except ValueError as error:
            raise UsageError(f"%%cuda: {error}") from None
        options = cls()
        while words:
            word = words.pop(0)
            name, equals, _ = word.partition("=")
            if word == "--":
                options.arguments, words = words, []
            elif word == "-o":
                options.name = _value(word, words)
            elif name in FOLLOWED:
                options.of_exec += [word] if equals else [word, _value(word, words)]
            elif name in ALONE:
                options.of_exec.append(word)
            elif name in {"--json", "--quiet"}:
                raise UsageError(f"%%cuda: {name} is the notebook's own; use it with `!warplab exec`")
            else:
                options.of_nvcc.append(word)
        suffix = Path(options.name).suffix
        if options.name and suffix not in HEADERS | {".cu"}:
            raise UsageError(f"%%cuda: -o names the cell's source, NAME.cu or a header, not {options.name}")
        return options

    def lines(self) -> int | None:
        """Returns how many hot lines are asked for."""
        asked = [word for word in self.of_exec if word.partition("=")[0] == "--hot"]
        return int(asked[-1].partition("=")[2] or 10) if asked else None

    def asks(self, option: str) -> bool:
        """Whether the option is given."""
        return any(word.partition("=")[0] == option for word in self.of_exec)


def _value(option: str, words: list[str]) -> str:
    if not words:
        raise UsageError(f"%%cuda: {option} needs a value")
    return words.pop(0)


def cuda(line: str, cell: str) -> None:
    """Compiles the cell with nvcc and runs it, on a GPU if there is one and else on the embedded machine.

    %%cuda [-o NAME.cu] [OPTIONS of `warplab exec`] [OPTIONS of nvcc] [-- ARGUMENTS of the program]

    -o writes the cell to a file in the current folder, which later cells can include; a header, or a cell without
    `main`, is only written. --counters, --hot[=LINES], --predict[=PART] show tables; --check all looks for mistakes of
    all kinds; --device emulated:h200 chooses the GPU that is emulated. `warplab exec --help` explains all of them.
    """
    options = Options.parse(line)
    with tempfile.TemporaryDirectory(prefix="warplab-cell-") as folder:
        source = Path(options.name) if options.name else Path(folder, "cell.cu")
        try:
            source.write_text(cell, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"%%cuda: cannot write {source}: {error.strerror}") from None
        if options.name and (source.suffix in HEADERS or not re.search(r"\bmain\s*\(", cell)):
            print(f"{source} is written: a later cell can include it")
            return
        _run(options, source, Path(folder))


def _run(options: Options, source: Path, folder: Path) -> None:
    file = folder / "run.jsonl"
    # A cell without a name includes what the named ones have written.
    of_nvcc = [f"--nvcc={option}" for option in ["-I.", *options.of_nvcc]]
    command = [str(program()), "exec", "--quiet", "--json", str(file), *options.of_exec, *of_nvcc, str(source)]

    def edit(text: str) -> str:
        return text.replace(f"{folder}/", "")

    try:
        code = stream.run([*command, *options.arguments], edit)
    finally:
        run = records.read(file)
        if run is not None:
            _show(options, run, edit)
    if run is None:
        if code == 4 and not _has_compiler():
            print("To get nvcc, run: %pip install 'warplab[nvcc]'", file=sys.stderr)
    elif run.exit_code not in (0, None):
        print(f"The program's exit code is {run.exit_code}.", file=sys.stderr)


def _has_compiler() -> bool:
    asked = subprocess.run([program(), "setup", "--nvcc", "--check"], capture_output=True, check=False)
    return asked.returncode == 0


def _show(options: Options, run: records.Run, edit: Callable[[str], str]) -> None:
    for finding in run.findings:
        display({"text/html": render.finding_html(finding), "text/plain": edit(finding.text)}, raw=True)
    tables = []
    if options.asks("--counters"):
        tables.append(render.counters(run))
    if (lines := options.lines()) is not None:
        tables.append(render.hot(run, lines))
    if options.asks("--predict"):
        tables.append(render.predictions(run))
    for table in tables:
        display({"text/html": table.html(), "text/plain": table.plain()}, raw=True)

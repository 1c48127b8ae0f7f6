"""The lines that `warplab exec --json` writes, typed. reports/schemas/exec.jsonl.json is their schema."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Access:
    """What a thread did that took part in a mistake, and where."""

    what: str
    size: int
    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    threads: int
    line: int
    column: int
    file: str = ""


@dataclass(frozen=True)
class Finding:
    """A mistake that a check found."""

    check: str
    headline: str
    help: str
    text: str
    kernel: str = ""
    file: str = ""
    line: int = 0
    accesses: tuple[Access, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Launch:
    """One launch on the embedded machine."""

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    counters: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Predicted:
    """The predicted time of a kernel's launches on a GPU; nothing of it was measured."""

    part: str
    bound: str
    ms: float | None = None
    low_ms: float | None = None
    high_ms: float | None = None


@dataclass(frozen=True)
class Kernel:
    """One kernel, over all its launches."""

    kernel: str
    launches: int
    thread_instructions: int
    findings: int
    predicted: Predicted | None = None


@dataclass(frozen=True)
class HotLine:
    """What one line of the source cost."""

    file: str
    line: int
    source: str
    percent: float
    thread_instructions: int
    sectors: int
    conflicts: int
    divergent_branches: int


@dataclass(frozen=True)
class Run:
    """A program that has ended."""

    device: str
    exit_code: int | None
    command_exit_code: int
    launches_dropped: int
    launches: list[Launch]
    kernels: list[Kernel]
    findings: list[Finding]
    hot: list[HotLine]


def read(file: Path) -> Run | None:
    """Reads the file of a run; `None` if the program did not start."""
    if not file.exists():
        return None
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    launches = [line for line in lines if line["kind"] == "launch"]
    end = lines[-1]
    return Run(
        device=end["device"],
        exit_code=end["exit_code"],
        command_exit_code=end["command_exit_code"],
        launches_dropped=end["launches_dropped"],
        launches=[_known(Launch, line) for line in launches],
        kernels=[_kernel(kernel) for kernel in end["kernels"]],
        findings=[_finding(found) for line in [*launches, end] for found in line.get("findings", [])],
        hot=[_known(HotLine, line) for line in end.get("hot", [])],
    )


def _finding(data: dict[str, Any]) -> Finding:
    return _known(Finding, {**data, "accesses": [_known(Access, access) for access in data["accesses"]]})


def _kernel(data: dict[str, Any]) -> Kernel:
    predicted = data.get("predicted")
    return _known(Kernel, {**data, "predicted": _known(Predicted, predicted) if predicted else None})


def _known(kind: type[T], data: dict[str, Any]) -> T:
    """Returns the fields that this version knows: a later program may write more."""
    names = {one.name for one in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: tuple(v) if isinstance(v, list) else v for name, v in data.items() if name in names})

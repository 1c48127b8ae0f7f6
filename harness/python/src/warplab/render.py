"""Findings and tables for a notebook: HTML with plain text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from .records import Access, Finding, Kernel, Launch, Run

# The number of lines that a finding shows before and after its own.
AROUND = 2

MONO = "font-family:var(--jp-code-font-family,monospace);font-size:var(--jp-code-font-size,13px)"
RED, GREEN = "#d1242f", "#1a7f37"


@dataclass(frozen=True)
class Table:
    """A table with a title. Numbers stand to the right; texts, in the first column and those named, to the left."""

    title: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: frozenset[str] = frozenset()
    note: str = ""

    def _is_text(self, column: int) -> bool:
        return column == 0 or self.headers[column] in self.texts

    def plain(self) -> str:
        """Returns the table as text."""
        lines = [self.headers, *self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.headers))]

        def row(line: Sequence[str]) -> str:
            cells = (c.ljust(w) if self._is_text(i) else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths)))
            return "  ".join(cells).rstrip()

        return "\n".join([self.title, *map(row, lines), *([self.note] if self.note else [])])

    def html(self) -> str:
        """Returns the table as HTML."""

        def cell(tag: str, column: int, text: str) -> str:
            align = "left" if self._is_text(column) else "right"
            space = "pre" if column and self._is_text(column) and tag == "td" else "normal"
            return f'<{tag} style="text-align:{align};white-space:{space}">{escape(text)}</{tag}>'

        def row(tag: str, line: Sequence[str]) -> str:
            return f"<tr>{''.join(cell(tag, i, text) for i, text in enumerate(line))}</tr>"

        caption = f'<caption style="text-align:left;font-weight:600">{escape(self.title)}</caption>'
        body = "".join(row("td", line) for line in self.rows)
        return (
            f'<div style="overflow-x:auto"><table style="{MONO}">{caption}<thead>{row("th", self.headers)}</thead>'
            f'<tbody>{body}</tbody></table><div style="{MONO}">{escape(self.note)}</div></div>'
        )


def finding_html(finding: Finding) -> str:
    """Returns a finding as HTML: what is wrong, the lines of the source with the threads' accesses, and the remedy."""
    place = f"{Path(finding.file).name}:{finding.line}" if finding.line else ""
    where = " in ".join(text for text in (place, finding.kernel) if text)
    parts = [
        f'<div style="color:{RED};font-weight:600">{escape(finding.headline)}</div>',
        f"<div>{escape(where)}</div>" if where else "",
        *(_source_html(accesses) for accesses in _by_line(finding)),
        "".join(f'<div style="opacity:.85">{escape(note)}</div>' for note in finding.notes),
        f'<div style="color:{GREEN};margin-top:.4em"><b>help:</b> {escape(finding.help)}</div>' if finding.help else "",
    ]
    style = f"border-left:4px solid {RED};padding:.4em .8em;margin:.4em 0;{MONO}"
    return f'<div style="{style}">{"".join(parts)}</div>'


def _by_line(finding: Finding) -> list[list[Access]]:
    """Returns the accesses by the line of the source, if it is known."""
    lines: dict[tuple[str, int], list[Access]] = {}
    for access in finding.accesses:
        if access.file and access.line:
            lines.setdefault((access.file, access.line), []).append(access)
    return list(lines.values())


def _label(access: Access) -> str:
    size = f" of {access.size} bytes" if access.size else ""
    others = f" and {access.threads - 1} more" if access.threads > 1 else ""
    thread, block = (f"({','.join(map(str, index))})" for index in (access.thread, access.block))
    return f"{access.what.replace('_', ' ')}{size} by thread {thread}{others} in block {block}"


def _source_html(accesses: Sequence[Access]) -> str:
    """Returns the line of these accesses with those around it."""
    marked = accesses[0].line
    try:
        source = Path(accesses[0].file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    if marked > len(source):
        return ""
    first, last = max(1, marked - AROUND), min(len(source), marked + AROUND)
    width = len(str(last))
    lines = []
    for number in range(first, last + 1):
        text = source[number - 1]
        line = escape(f"{number:{width}} | {text}")
        if number != marked:
            lines.append(f'<div style="opacity:.7">{line}</div>')
            continue
        lines.append(f'<div style="background:{RED}22;font-weight:600">{line}</div>')
        for access in accesses:
            # The same tabs as in the line keep the mark below its character.
            indent = "".join(c if c == "\t" else " " for c in text[: max(0, access.column - 1)])
            mark = escape(f"{indent}^ {_label(access)}")
            lines.append(f'<div style="color:{RED}">{" " * width} | {mark}</div>')
    return f'<pre style="margin:.4em 0;padding:.4em;overflow-x:auto;{MONO}">{"".join(lines)}</pre>'


# The columns of the counters' table, and the counters in them.
COUNTERS = {
    "instr.": "instructions",
    "divergent": "divergent_branches",
    "barriers": "barriers",
    "sectors loaded": "global_load_sectors",
    "ideal loads": "global_load_ideal_sectors",
    "sectors stored": "global_store_sectors",
    "ideal stores": "global_store_ideal_sectors",
    "bank conflicts": "shared_bank_conflicts",
    "global atomics": "global_atomic_requests",
    "their collisions": "global_atomic_collisions",
    "shared atomics": "shared_atomic_requests",
    "collisions of these": "shared_atomic_collisions",
}


def counters(run: Run) -> Table:
    """Returns what was counted of each kernel, over all its launches. What is zero everywhere is named below."""
    sums = [[_sum(run, kernel, name) for name in COUNTERS.values()] for kernel in run.kernels]
    used = [i for i in range(len(COUNTERS)) if any(of_kernel[i] for of_kernel in sums)]
    headers = list(COUNTERS)
    rows = []
    for kernel, of_kernel in zip(run.kernels, sums):
        launches = [one for one in run.launches if one.kernel == kernel.kernel]
        shapes = [_common(launches, "grid"), _common(launches, "block")]
        rows.append([_short(kernel, run), str(kernel.launches), *shapes, *(f"{of_kernel[i]:.0f}" for i in used)])
    title = f"Counters, on {run.device}"
    if run.launches_dropped:
        title += f"; without the first {run.launches_dropped} launches, which are not kept"
    zero = [header for i, header in enumerate(headers) if i not in used]
    note = f"0 in all kernels: {', '.join(zero)}" if rows and zero else ""
    return Table(title, ["kernel", "launches", "grid", "block", *(headers[i] for i in used)], rows, note=note)


def _sum(run: Run, kernel: Kernel, name: str) -> float:
    return sum(launch.counters.get(name, 0.0) for launch in run.launches if launch.kernel == kernel.kernel)


def _short(kernel: Kernel, run: Run) -> str:
    """Returns the kernel's name without its parameters, if no other kernel has the same."""
    name = kernel.kernel.partition("(")[0]
    return name if sum(other.kernel.partition("(")[0] == name for other in run.kernels) == 1 else kernel.kernel


def _common(launches: Sequence[Launch], name: str) -> str:
    """Returns the shape that all launches have in common, without ones at its end."""
    shapes = {tuple(getattr(launch, name)) for launch in launches}
    if len(shapes) != 1:
        return "several"
    sizes = [str(size) for size in shapes.pop()]
    while len(sizes) > 1 and sizes[-1] == "1":
        sizes.pop()
    return "x".join(sizes)


def hot(run: Run, most: int) -> Table:
    """Returns the lines of the source that cost the most."""
    rows = [
        [
            f"{Path(line.file).name or 'PTX'}:{line.line}",
            f"{line.percent:.1f}",
            *(str(n) for n in (line.thread_instructions, line.sectors, line.conflicts, line.divergent_branches)),
            line.source,
        ]
        for line in run.hot[:most]
    ]
    headers = ["line", "%", "thread instr.", "sectors", "bank conflicts", "divergent", "source"]
    return Table("Hot lines, by thread instructions", headers, rows, frozenset({"source"}))


def predictions(run: Run) -> Table:
    """Returns the predicted time of each kernel."""
    predicted = [(kernel, kernel.predicted) for kernel in run.kernels if kernel.predicted]
    part = predicted[0][1].part if predicted else run.device
    rows = [
        [
            _short(kernel, run),
            str(kernel.launches),
            *map(_milliseconds, (time.ms, time.low_ms, time.high_ms)),
            time.bound,
        ]
        for kernel, time in predicted
    ]
    title = f"Predicted for an {part}: kernels without copies, and nothing here was measured"
    return Table(title, ["kernel", "launches", "ms", "from", "to", "bound by"], rows, frozenset({"bound by"}))


def _milliseconds(time: float | None) -> str:
    return "" if time is None else f"{time:.4g}"

"""How a comparison of counts ends: for compare.py here and in units."""

import pathlib
import sys


def end(table: pathlib.Path, text: str, unexplained: list[str], says: str, check: bool) -> None:
    """Says what came of it, and writes the table; with `check` exits with 1 when a count differs unexplained, or the table is stale."""
    print(*unexplained, sep="\n", file=sys.stderr)
    print(f"{says}, {len(unexplained)} counts differ unexplained")
    if not check:
        table.write_text(text)
    elif unexplained:
        sys.exit(1)
    elif table.read_text() != text:
        sys.exit(f"{table.name} is not what these counts give: run compare.py without --check")

"""Columns and keys of a run's files that are looked up by a literal name, outside of the crate that declares them."""

import re
from pathlib import Path

from .lines import files

# The crates that read a run, without the one that declares its columns.
READERS = "report course cli core predict labtest".split()
LOOKUP = re.compile(r"\.(?:own_named|own_text_named|cell|counter_named|number)\(\"(\w+)\"\)|\[\"(sessions|labs|device|ceilings)\"\]\[")


def check(root: Path) -> list[str]:
    """The look-ups in the readers' sources, tests left out."""
    wrong = []
    for reader in READERS:
        folder = root / "harness" / reader / "src"
        for file in files(folder, ".rs") if folder.is_dir() else []:
            text = file.read_text(encoding="utf-8").split("#[cfg(test)]")[0]
            for number, line in enumerate(text.splitlines(), start=1):
                found = LOOKUP.search(line)
                if found:
                    name = found[1] or found[2]
                    wrong.append(f"{file.relative_to(root)}:{number}: `{name}` is looked up by its name; use the field of harness/record")
    return wrong

"""Names that a search cannot tell apart: types with a generic name and no qualifier, and files with the same generic name."""

import re
from pathlib import Path

from .lines import files

# Each name needs a qualifier: `TokenKind`, `MatrixForm`.
TYPES = "Asked Ended Form How Kind Known Line Place Table Told What Wishes".split()
# A file with one of these names says what it is only once in the workspace.
FILES = "kept.rs number.rs whole.rs words.rs".split()
DEFINITION = re.compile(rf"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?(?:struct|enum|union|trait|type)\s+({'|'.join(TYPES)})\b")


def check(root: Path, crates: list[Path]) -> list[str]:
    """The types of the crates' sources without a qualifier, and the files below `root` whose generic name is taken."""
    wrong = []
    for file in (f for crate in crates if (crate / "src").is_dir() for f in files(crate / "src", ".rs")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            found = DEFINITION.match(line)
            if found:
                wrong.append(f"{file.relative_to(root)}:{number}: a type named only `{found[1]}`; say of what")
    first: dict[str, Path] = {}
    for file in (file for file in files(root, ".rs") if file.name in FILES):
        known = first.setdefault(file.name, file)
        if known != file:
            wrong.append(f"{file.relative_to(root)}: {known.relative_to(root)} has this name too; say of what")
    return wrong

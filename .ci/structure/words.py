"""Words in comments at which a reader stops. A comment that needs one ends with `words: REASON`."""

import re
from pathlib import Path

from .lines import files

# Each word, and what to write instead.
WORDS = {
    r"so many": "the number, or its name",
    r"nobody|whoever|a stranger|strangers": "no one, the caller, the user; untrusted",
    r"beside": "next to, besides, along with",
    r"mend|mends|mended|mending": "fix",
}
# Comments of each kind of file, after the texts in quotes are gone.
COMMENTS = {".rs": "//", ".py": "#", ".sh": "#", ".toml": "#", ".yml": "#"}
QUOTED = re.compile(r"""r#".*?"#|"(?:\\.|[^"\\])*"|`[^`]*`""")


def check(root: Path) -> list[str]:
    """The comments below `root` that have one of the words."""
    wrong = []
    # The checks of the project are in hidden folders.
    hidden = [file for folder in (".ci", ".github", ".devcontainer") for file in files(root / folder, *COMMENTS)]
    for file in files(root, *COMMENTS) + hidden:
        for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            _, sign, comment = QUOTED.sub("", line).partition(COMMENTS[file.suffix])
            if not sign or "words: " in comment:
                continue
            for words, better in WORDS.items():
                found = re.search(rf"\b(?:{words})\b", comment, re.IGNORECASE)
                if found:
                    wrong.append(f"{file.relative_to(root)}:{number}: `{found[0]}` in a comment; write {better}")
    return wrong

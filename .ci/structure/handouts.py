"""Handouts of labs that are too long for a student: what research tried belongs in the lab's NOTES.md."""

from pathlib import Path

# The most words of a handout, as `wc -w` counts them.
WORDS = 2500
# Handouts that may be longer for now, and why.
LONG: dict[str, str] = {}


def check(root: Path) -> list[str]:
    """The handouts below `root` with more than [`WORDS`] words, and reasons in [`LONG`] that are no longer needed."""
    wrong = []
    for page in sorted(root.glob("labs/*/README.md")):
        words, where = len(page.read_text(encoding="utf-8").split()), page.relative_to(root)
        if words > WORDS and page.parent.name not in LONG:
            wrong.append(f"{where}: {words} words, more than {WORDS}; move what research tried to NOTES.md next to it")
        elif words <= WORDS and page.parent.name in LONG:
            wrong.append(f"{where}: {words} words, no more than {WORDS}: remove it from LONG in .ci/structure/handouts.py")
    return wrong

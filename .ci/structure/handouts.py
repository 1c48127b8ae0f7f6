"""Handouts of labs that are too long for a student: what research tried belongs in the lab's NOTES.md."""

from pathlib import Path

# The most words of a handout, as `wc -w` counts them.
WORDS = 2500


def check(root: Path) -> list[str]:
    """The handouts below `root` with more than [`WORDS`] words."""
    wrong = []
    for page in sorted(root.glob("labs/*/README.md")):
        words, where = len(page.read_text(encoding="utf-8").split()), page.relative_to(root)
        if words > WORDS:
            wrong.append(f"{where}: {words} words, more than {WORDS}; move what research tried to NOTES.md next to it")
    return wrong

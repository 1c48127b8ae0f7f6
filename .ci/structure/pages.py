"""Pages of documentation that cannot be reached by links from README.md, and broken links."""

import re
from pathlib import Path

from .lines import files

# Pages that a program hands out, and notes on test data: readers find them elsewhere.
APART = ("/templates/", "/tests/")
LINK = re.compile(r"\]\(([^)\s]+)\)")


def check(root: Path) -> list[str]:
    """Returns what is wrong with the Markdown pages of the checkout at `root`."""
    if not (root / "README.md").exists():
        return []
    reached, todo, wrong = set(), [root / "README.md"], []
    while todo:
        page = todo.pop()
        if page in reached:
            continue
        reached.add(page)
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for address in LINK.findall(text):
            name = address.split("#")[0]
            if not name or re.match(r"[a-z]+:", name) or page.suffix != ".md":
                continue
            target = (page.parent / name).resolve()
            if target.is_dir():
                target = target / "README.md" if (target / "README.md").exists() else target
            if not target.exists():
                wrong.append(f"{page.relative_to(root)}: the link to {address} leads nowhere")
            elif target.suffix == ".md":
                todo.append(target)
    return wrong + [
        f"{page.relative_to(root)}: no way of links from README.md reaches it"
        for page in files(root, ".md") + files(root / ".github", ".md")
        if page not in reached and not any(part in f"/{page.relative_to(root)}" for part in APART)
    ]

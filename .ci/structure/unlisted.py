"""Test files that belong to no test program, so they would never run, and crates missing from the architecture's page."""

import re
import tomllib
from pathlib import Path


def check(root: Path, crates: list[Path]) -> list[str]:
    """Files in a crate's folder `tests` that are neither a test program nor a module of one, if cargo does not find them itself."""
    wrong = []
    for crate in crates:
        manifest = tomllib.loads((crate / "Cargo.toml").read_text(encoding="utf-8"))
        if manifest["package"].get("autotests", True):
            continue
        names = {test["name"] for test in manifest.get("test", [])}
        tests = crate / "tests"
        listed = {
            module
            for name in names
            if (program := tests / f"{name}.rs").exists()
            for module in re.findall(r"^mod (\w+);", program.read_text(encoding="utf-8"), re.MULTILINE)
        }
        for file in sorted(tests.glob("*.rs")):
            if file.stem not in names | listed:
                wrong.append(f"{file.relative_to(root)}: no program of tests has `mod {file.stem};`, so that it never runs")
        for file in sorted(tests.glob("*/main.rs")):
            if file.parent.name not in names:
                wrong.append(f"{file.relative_to(root)}: Cargo.toml has no test `{file.parent.name}`, so that it never runs")
    return wrong + unknown(root, crates)


def unknown(root: Path, crates: list[Path]) -> list[str]:
    """Crates missing from the tables of harness/README.md and README.md, as `FOLDER` or as the address of a link."""
    pages = [page for page in (root / "README.md", root / "harness" / "README.md") if page.exists()]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    folders = [str(crate.relative_to(root)) for crate in crates if crate != root and text]
    return [f"{folder}: no table of harness/README.md says what it is" for folder in folders if f"`{folder}`" not in text and f"]({folder})" not in text]

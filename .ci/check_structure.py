#!/usr/bin/env python3
"""Checks the structure of the workspace's code. `check_structure.py [ROOT]`, or `check_structure.py --self-test`.

- No cyclic imports between the folders of a crate, at any depth, nor between a folder and a file next to it; inside a folder
  no cycle of more than four files. An import is a `use`, or a path that begins with `crate`, `self`, `super` or a module's name,
  outside tests; it counts as an import of the file that defines the name, through any `pub use` on the way. `mod` lines do not
  count, and neither do macros found by `#[macro_use]`, nor the crate's root file.
- No line over 120 columns in .rs, .cu and .cuh. String literals do not count, and comments may hold addresses and rows of tables.
- No function over 120 lines in the crates' sources, outside tests.
- No code that rustfmt gave up on.
- No comment, Markdown text or message with one of the words that readers stumble over.
- No type with a generic name without a qualifier, such as `Kind`, and no second file with a generic name, such as `words.rs`.
- No column or key of a run's files that is looked up by a literal name, outside of harness/record and of tests.
- No page of documentation that cannot be reached by links from README.md, and no link to a missing file.
- No handout of a lab (labs/*/README.md) of more than 2,500 words.
- No crate whose features differ between a lab that is built alone and the whole program, so that it would be built twice.
- No test file that is not part of a test program, in a crate whose test programs are named in its Cargo.toml.

Exit code 1 if something is wrong. Needs Rust's cargo and rustfmt, and the workspace's crates.
"""

import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from structure import circles, features, handouts, lines, lookups, names, pages, self_test, unlisted, words  # noqa: E402


def check(root: Path) -> dict[str, list[str]]:
    """Returns what is wrong with the workspace at `root`, by kind."""
    crates = circles.members(root)
    return {
        "circles": circles.check(root),
        "columns": lines.check_columns(root),
        "features": features.check(root),
        "functions": lines.check_functions(root, crates),
        "handouts": handouts.check(root),
        "layout": lines.check_layout(root, crates),
        "lookups": lookups.check(root),
        "names": names.check(root, crates),
        "pages": pages.check(root),
        "unlisted": unlisted.check(root, crates),
        "words": words.check(root),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks the structure of the workspace's code.")
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).parent.parent, help="the workspace's folder")
    parser.add_argument("--self-test", action="store_true", help="check the checks, on small crates with mistakes in them")
    options = parser.parse_args()
    if options.self_test:
        return self_test.run(check)
    wrong = check(options.root.resolve())
    for found in wrong.values():
        for one in found:
            print(one)
    counts = ", ".join(f"{kind} {len(found)}" for kind, found in wrong.items())
    print(f"structure: {counts}")
    return 1 if any(wrong.values()) else 0


if __name__ == "__main__":
    sys.exit(main())

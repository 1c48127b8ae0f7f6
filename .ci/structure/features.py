"""Features that differ between a lab alone and the whole program: `cargo run -p LAB` would build shared crates again."""

import subprocess
from pathlib import Path


def features(root: Path, *choice: str) -> dict[str, str]:
    """Returns the features of each crate that a build of these packages has, by name and version."""
    access = "--locked" if (root / "Cargo.lock").exists() else "--offline"
    tree = ["cargo", "tree", access, "-e", "no-dev", "--prefix", "none", "-f", "{p}|{f}", *choice]
    done = subprocess.run(tree, cwd=root, capture_output=True, text=True, check=True)
    # Repeated crates have an asterisk, and local ones their paths.
    lines = [line.removesuffix(" (*)").split("|") for line in done.stdout.splitlines() if "|" in line]
    return {crate.split(" (")[0]: names for crate, names in lines}


def check(root: Path) -> list[str]:
    """The crates whose features differ, with the first lab where they do."""
    labs = sorted(path.parent.name for path in root.glob("labs/*/Cargo.toml"))
    whole = features(root) if labs else {}
    wrong = {}
    for lab in labs:
        for crate, names in features(root, "-p", lab).items():
            if crate in whole and names != whole[crate]:
                wrong.setdefault(
                    crate,
                    f"{crate} has {names or 'no features'} in lab {lab} alone, and {whole[crate] or 'no features'} in the program; "
                    "name those that are missing in harness/core/Cargo.toml, for no platform",
                )
    return list(wrong.values())

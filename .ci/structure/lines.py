"""Lines and functions that are too long, and code that rustfmt left unformatted."""

import difflib
import os
import shutil
import subprocess
import tempfile
import tomllib
from pathlib import Path

from .source import Source

# The most columns of a line, and the most lines of a function.
COLUMNS = 120
FUNCTION = 120
# rustfmt's own width, unless its configuration names another.
RUSTFMT = 100
# Macros whose arguments rustfmt formats as those of a function.
EXPRESSIONS = set("""assert assert_eq assert_ne debug_assert debug_assert_eq debug_assert_ne eprint eprintln format
format_args panic print println prop_assert prop_assert_eq todo unimplemented unreachable vec write writeln""".split())


def files(root: Path, *endings: str) -> list[Path]:
    """The files of the tree with one of these endings, without build outputs and hidden files."""
    found = []
    for folder, inside, names in os.walk(root):
        inside[:] = sorted(d for d in inside if d != "target" and not d.startswith("."))
        found += [Path(folder, name) for name in sorted(names) if name.endswith(endings)]
    return found


def _within(ranges: list[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    """The parts of ranges that lie between `start` and `end`."""
    return [(max(a, start), min(b, end)) for a, b in ranges if a < end and b > start]


def check_columns(root: Path) -> list[str]:
    """Lines over [`COLUMNS`] in Rust. String literals are not counted; comments may hold addresses and rows of tables.

    CUDA sources are left out: their instantiations are written one per line, like rows of a table, and committed PTX and expected
    reports contain their line numbers.
    """
    wrong = []
    for file in files(root, ".rs"):
        text = file.read_text(encoding="utf-8")
        if all(len(line) <= COLUMNS for line in text.splitlines()):
            continue
        source = Source(text, rust=file.suffix == ".rs")
        for number, line in enumerate(text.split("\n"), start=1):
            if len(line) <= COLUMNS:
                continue
            start, end = source.starts[number - 1], source.starts[number - 1] + len(line)
            comment = "".join(text[a:b] for a, b in _within(source.comments, start, end))
            if "://" in comment or comment.lstrip("/!* ").startswith("|"):
                continue
            if len(line) - sum(b - a for a, b in _within(source.literals, start, end)) > COLUMNS:
                what = "comment" if line.strip() == comment.strip() else "code"
                where = f"{file.relative_to(root)}:{number}"
                wrong.append(f"{where}: a line of {what} of {len(line)} columns, more than {COLUMNS}")
    return wrong


def check_functions(root: Path, crates: list[Path]) -> list[str]:
    """Functions over [`FUNCTION`] lines in the crates' sources, tests left out."""
    wrong = []
    for file in (f for crate in crates if (crate / "src").is_dir() for f in files(crate / "src", ".rs")):
        text = file.read_text(encoding="utf-8")
        if text.count("\n") <= FUNCTION or "tests" in file.relative_to(root).parts or file.stem == "tests":
            continue
        source = Source(text)
        source.drop_tests()
        for at, token in enumerate(source.tokens):
            if token.text == "fn" and source.tokens[at + 1].kind == "ident":
                last = source.tokens[source.skip_item(at) - 1]
                lines = source.line(last.start) - source.line(token.start) + 1
                if lines > FUNCTION:
                    where = f"{file.relative_to(root)}:{source.line(token.start)}"
                    wrong.append(f"{where}: `{source.tokens[at + 1].text}` has {lines} lines, more than {FUNCTION}")
    return wrong


def check_layout(root: Path, crates: list[Path]) -> list[str]:
    """Code that rustfmt left unformatted.

    rustfmt silently gives up on a whole expression if a part of it, usually a long string, does not fit the width however it is
    broken; `--check` then accepts any layout there. This check therefore formats a copy without indentation, in which long strings
    are cut to fit. Where the original's lines differ from the formatted copy's, rustfmt has given up. How much of the width a
    string may fill depends on what follows it, so the copy is also tried with a column or two to spare before a file is called wrong.
    """
    width = RUSTFMT
    for name in ("rustfmt.toml", ".rustfmt.toml"):
        if (root / name).exists():
            width = tomllib.loads((root / name).read_text(encoding="utf-8")).get("max_width", RUSTFMT)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for file in files(root, "Cargo.toml", "rustfmt.toml", ".rs"):
            to = copy / file.relative_to(root)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, to)
        wrong = dict.fromkeys(file for file in files(root, ".rs") if _package(file) in crates)
        for spare in range(3):
            cut = {}
            for file in wrong:
                cut[file], flat = _flatten(file.read_text(encoding="utf-8"), width, spare)
                (copy / file.relative_to(root)).write_text(flat, encoding="utf-8")
            subprocess.run(["cargo", "fmt", "--all"], cwd=copy, capture_output=True, check=False)
            formatted = {file: (copy / file.relative_to(root)).read_text(encoding="utf-8") for file in cut}
            wrong = {file: _differences(text, formatted[file]) for file, text in cut.items() if formatted[file] != text}
            if not wrong:
                break
    return [
        f"{file.relative_to(root)}: lines {lines}: not as rustfmt lays code out; if it changes nothing, it gives up on "
        "something too long there: break the string, or the row of a macro"
        for file, lines in wrong.items()
    ]


def _package(file: Path) -> Path:
    """The folder of the crate that a file belongs to."""
    return next((folder for folder in file.parents if (folder / "Cargo.toml").exists()), file.parent)


def _flatten(text: str, width: int, spare: int) -> tuple[str, str]:
    """A file's text with its strings cut so that their lines fit with `spare` columns to spare, and that text without
    its indentation."""
    source = Source(text)
    pieces, at = [], 0
    for number, start in enumerate(source.starts):
        end = source.starts[number + 1] - 1 if number + 1 < len(source.starts) else len(text)
        excess = end - start - (width - spare)
        parts = _within(source.literals, start, end) if end - start > width else []
        if parts:
            a, b = max(parts, key=lambda part: part[1] - part[0])
            inner = text[a:b]
            head = len(inner) - len(inner.lstrip("bcr#").removeprefix('"').lstrip(" "))
            tail = len(inner) - len(inner.rstrip("#").removesuffix('"').removesuffix("\\"))
            left = max(len(inner) - head - tail - excess, 1)
            pieces += [text[at : a + head], "x" * left]
            at = b - tail
    cut = "".join(pieces) + text[at:]
    source = Source(cut) if pieces else source
    fixed = source.literals + [(a, b) for a, b in source.comments if cut.startswith("/*", a)] + _not_for_rustfmt(source)
    keep = {line for a, b in fixed for line in range(source.line(a) + 1, source.line(b - 1) + 1)}
    lines = enumerate(cut.splitlines(keepends=True), start=1)
    return cut, "".join(line if number in keep else line.lstrip(" ") for number, line in lines)


def _not_for_rustfmt(source: Source) -> list[tuple[int, int]]:
    """Code that rustfmt does not format by design: attributes, macro definitions, the arguments of macros that are not
    expressions, and items with `#[rustfmt::skip]`."""
    tokens, found = source.tokens, []
    for at in range(len(tokens) - 3):
        text, following = tokens[at].text, tokens[at + 1].text
        skip = False
        if text == "#" and (following == "[" or (following == "!" and tokens[at + 2].text == "[")):
            open_ = at + 1 + (following == "!")
            skip = [t.text for t in tokens[open_ + 1 : open_ + 4]] == ["rustfmt", "::", "skip"]
        elif text == "macro_rules" and following == "!":
            open_ = at + 3
        elif following == "!" and tokens[at].kind == "ident" and tokens[at + 2].text in ("(", "[", "{"):
            open_ = at + 2
            if text in EXPRESSIONS and tokens[open_].text != "{":
                continue
        else:
            continue
        after = source.skip_group(open_)
        if skip and following == "!":
            after = len(tokens)
        elif skip:
            after = source.skip_item(after)
        found.append((tokens[open_].start, tokens[after - 1].start + 1))
    return found


def _differences(text: str, formatted: str) -> str:
    """The lines in which a file differs from rustfmt's output."""
    match = difflib.SequenceMatcher(None, text.splitlines(), formatted.splitlines(), autojunk=False)
    ranges = [(a + 1, max(b, a + 1)) for what, a, b, _, _ in match.get_opcodes() if what != "equal"]
    return ", ".join(f"{a}-{b}" if a != b else str(a) for a, b in ranges)

"""Words at which a reader stops: in comments, in Markdown, and in the messages of Rust's sources outside tests.

A line that needs one ends with `words: REASON`, in a comment.
"""

import re
from pathlib import Path

from .lines import files
from .source import Source

# Each word, and what to write instead.
WORDS = {
    r"so many": "the number, or its name",
    r"nobody|(?:some|any|every)body|whoever|a stranger|strangers": "no one, everyone, the caller, the user; untrusted",
    r"beside": "next to, besides, along with",
    r"mend|mends|mended|mending": "fix",
    r"told|tells|tell|telling": "reports, returns, indicates, distinguishes",
    r"(?<!there )(?:is|are|was|were) none": "is not a, is not one of",
    r"(?<!there )(?:is|are|was|were) no (?!longer|such|(?:more|less|fewer|better|worse|larger|smaller|greater|higher|lower|faster|slower|longer|shorter)\b)\w+": "is not a",
    r"by itself|by themselves": "automatically, alone, on its own",
    r"(?:keeps?|kept|sets?|stands?|takes?|took|counted|judged|waited for|compared) apart": "separately, isolated",
    r"(?:returns?|tested) (?:\w+ ){0,4}at once": "immediately",
    r"anew": "again",
    r"stands? in for": "replaces",
    r"stands? (?:in|behind|before|after|between|inside)": "is",
    r"all the same": "anyway, nevertheless; equal",
    r"in vain": "without effect",
    r"means? nothing": "has no effect, has no meaning",
}
# What begins a comment in each kind of file.
COMMENTS = {".rs": "//", ".cu": "//", ".cuh": "//", ".py": "#", ".sh": "#", ".toml": "#", ".yml": "#"}
QUOTED = re.compile(r"""r#".*?"#|"(?:\\.|[^"\\])*"|`[^`]*`""")
# What is not prose in Markdown and in messages: code, the addresses of links, and what `format!` fills in.
NOT_PROSE = re.compile(r"`[^`]*`|\]\([^)]*\)|\{[^{}]*\}")
# Parts of Markdown that are code, or that `warplab figures` writes.
NOT_TEXT = re.compile(r"^ *```.*?^ *```|^<!-- ([a-z ]+)(?::[^\n]*)? -->$.*?^<!-- /\1 -->$", re.MULTILINE | re.DOTALL)
# What another change edits at the moment. It is checked once that has landed.
LATER = ("labs/matmul/", "Cargo.toml")
FOUND = [(re.compile(rf"\b(?:{words})\b".replace(r"\b(?:(?<!", r"(?:(?<!"), re.IGNORECASE), better) for words, better in WORDS.items()]


def check(root: Path) -> list[str]:
    """What has one of the words below `root`."""
    wrong = []
    # The checks of the project are in hidden folders.
    hidden = [file for folder in (".ci", ".github", ".devcontainer") for file in files(root / folder, *COMMENTS, ".md")]
    for file in files(root, *COMMENTS, ".md") + hidden:
        text, where = file.read_text(encoding="utf-8", errors="replace"), file.relative_to(root)
        if str(where).startswith(LATER):
            continue
        lines = _prose(text) if file.suffix == ".md" else _comments(text, COMMENTS[file.suffix])
        if file.suffix == ".rs" and "tests" not in where.with_suffix("").parts:
            lines += _messages(text)
        for number, what, line in lines:
            found = next(((found[0], better) for words, better in FOUND if (found := words.search(line))), None)
            if found and "words: " not in text.splitlines()[number - 1]:
                wrong.append(f"{where}:{number}: `{found[0]}` in {what}; write {found[1]}")
    return wrong


def _comments(text: str, sign: str) -> list[tuple[int, str, str]]:
    """The comments of each line, after the texts in quotes are gone."""
    lines = enumerate(text.splitlines(), 1)
    return [(number, "a comment", QUOTED.sub("", line).partition(sign)[2]) for number, line in lines]


def _prose(text: str) -> list[tuple[int, str, str]]:
    """The lines of Markdown outside of code and of generated tables."""
    rest = NOT_TEXT.sub(lambda part: "\n" * part[0].count("\n"), text)
    return [(number, "a text", NOT_PROSE.sub("", line)) for number, line in enumerate(rest.splitlines(), 1)]


def _messages(text: str) -> list[tuple[int, str, str]]:
    """The lines of string literals of more than one word, without those of tests."""
    source, lines = Source(text), []
    source.drop_tests()
    for token in source.tokens:
        if token.kind == "string" and " " in token.text:
            first = source.line(token.start)
            lines += [(first + i, "a message", NOT_PROSE.sub("", line)) for i, line in enumerate(token.text.split("\n"))]
    return lines

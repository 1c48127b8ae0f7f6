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
    r"(?:nobody|(?:some|any|every)body|whoever|a stranger|strangers)": "no one, everyone, the caller, the user; untrusted",
    r"beside": "next to, besides, along with",
    r"(?:mend|mends|mended|mending)": "fix",
    r"(?:told|tells|tell|telling)": "reports, returns, indicates, distinguishes",
    r"(?<!there )(?:is|are|was|were) none": "is not a, is not one of",
    r"(?<!there )(?:is|are|was|were) no (?!longer|such|(?:more|less|fewer|better|worse|larger|smaller|greater|higher|lower|faster|slower|longer|shorter)\b)\w+": "is not a",
    r"(?:by itself|by themselves)": "automatically, alone, on its own",
    r"(?:keeps?|kept|sets?|stands?|takes?|took|counted|judged|waited for|compared) apart": "separately, isolated",
    r"(?:returns?|tested) (?:\w+ ){0,4}at once": "immediately",
    r"anew": "again",
    r"stands? in for": "replaces",
    r"stands? (?:in(?! for)|behind|before|after|between|inside)": "is",
    r"all the same": "anyway, nevertheless; equal",
    r"in vain": "without effect",
    r"means? nothing": "has no effect, has no meaning",
}
# Hidden folders that are read too.
HIDDEN = (".ci", ".config", ".devcontainer", ".github")
# What begins a comment in each kind of file.
COMMENTS = {".rs": "//", ".cu": "//", ".cuh": "//", ".py": "#", ".sh": "#", ".toml": "#", ".yml": "#"}
QUOTED = re.compile(r"""r#".*?"#|"(?:\\.|[^"\\])*"|`[^`]*`""")
# What is not prose in Markdown and in messages: code, the addresses of links, and what `format!` fills in.
NOT_PROSE = re.compile(r"`(?:[^`\n]|\n(?! *\n))*`|\]\([^)\n]*\)|\{[^{}\n]*\}")
# Parts of Markdown that are code, or that `warplab figures` writes.
NOT_TEXT = re.compile(r"^ *```.*?^ *```|^<!-- ([a-z ]+)(?::[^\n]*)? -->$.*?^<!-- /\1 -->$", re.MULTILINE | re.DOTALL)
# A word may be broken over two lines where it has a space.
FOUND = [(re.compile(rf"(?<!\w){words}(?!\w)".replace(" ", r"[ \n]"), re.IGNORECASE), better) for words, better in WORDS.items()]


def check(root: Path) -> list[str]:
    """What has one of the words below `root`."""
    wrong = []
    hidden = [file for folder in HIDDEN for file in files(root / folder, *COMMENTS, ".md")]
    for file in files(root, *COMMENTS, ".md") + hidden:
        text, where = file.read_text(encoding="utf-8", errors="replace"), file.relative_to(root)
        read = {"a text": _prose(text)} if file.suffix == ".md" else {"a comment": _comments(text, COMMENTS[file.suffix])}
        if file.suffix == ".rs" and "tests" not in where.with_suffix("").parts:
            read["a message"] = _messages(text)
        for what, lines in read.items():
            wrong += [f"{where}:{number}: `{words}` in {what}; write {better}" for number, words, better in _found(text, lines)]
    return wrong


def _found(text: str, lines: list[str]) -> list[tuple[int, str, str]]:
    """The words in `lines`, those of a file of this text, with the number of the line and what to write instead."""
    joined, own, found = "\n".join(line.strip() for line in lines), text.split("\n"), []
    for words, better in FOUND:
        for match in words.finditer(joined):
            number = joined.count("\n", 0, match.start()) + 1
            if "words: " not in own[number - 1]:
                found.append((number, match[0].replace("\n", " "), better))
    return found


def _comments(text: str, sign: str) -> list[str]:
    """The comment of each line, after the texts in quotes are gone."""
    return [QUOTED.sub("", line).partition(sign)[2].lstrip("/!") for line in text.split("\n")]


def _prose(text: str) -> list[str]:
    """The lines of Markdown outside of code and of generated tables."""
    return _without(NOT_PROSE, _without(NOT_TEXT, text)).split("\n")


def _without(parts: re.Pattern, text: str) -> str:
    """The text without these parts of it, but with all of its lines."""
    return parts.sub(lambda part: "\n" * part[0].count("\n"), text)


def _messages(text: str) -> list[str]:
    """For each line, the string literals of more than one word on it, without those of tests."""
    source, lines = Source(text), [""] * len(text.split("\n"))
    source.drop_tests()
    for token in source.tokens:
        if token.kind == "string" and " " in token.text:
            for i, line in enumerate(_without(NOT_PROSE, token.text).split("\n"), source.line(token.start) - 1):
                lines[i] += " " + line.rstrip("\\")
    return lines

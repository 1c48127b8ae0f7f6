"""Rust and CUDA source as tokens: enough of the languages to find items, paths, literals and comments."""

import bisect
import re
from dataclasses import dataclass, field
from functools import cached_property

_RUST = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<comment>//[^\n]*|/\*)
  | (?P<raw>[bc]?r(?P<hashes>\#*)".*?"(?P=hashes))
  | (?P<string>[bc]?"(?:[^"\\]|\\.)*")
  | (?P<char>b?'(?:[^'\\\n]|\\(?:u\{[^}]*\}|x..|.))')
  | (?P<lifetime>'[A-Za-z_]\w*)
  | (?P<ident>r\#[A-Za-z_]\w*|[A-Za-z_]\w*)
  | (?P<number>\d\w*(?:\.\d\w*)?)
  | (?P<punct>::|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_CUDA = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<comment>//[^\n]*|/\*)
  | (?P<raw>R"(?P<hashes>\w*)\(.*?\)(?P=hashes)")
  | (?P<string>"(?:[^"\\\n]|\\.)*")
  | (?P<char>'(?:[^'\\\n]|\\.)+')
  | (?P<ident>[A-Za-z_]\w*)
  | (?P<number>\d[\w.']*)
  | (?P<punct>::|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_BLOCK = re.compile(r"/\*|\*/")


@dataclass(slots=True)
class Token:
    """A piece of code. `kind`: ident, string, char, lifetime, number or punct."""

    kind: str
    text: str
    start: int


@dataclass
class Source:
    """A file's text with its code, its string literals and its comments; the last two as (start, end) in the text."""

    text: str
    rust: bool = True
    tokens: list[Token] = field(default_factory=list)
    literals: list[tuple[int, int]] = field(default_factory=list)
    comments: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self):
        text, at, end = self.text, 0, len(self.text)
        match = (_RUST if self.rust else _CUDA).match
        while at < end:
            found = match(text, at)
            kind, after = found.lastgroup, found.end()
            if kind == "hashes":
                kind = "raw"
            if kind == "comment":
                if text.startswith("/*", at):
                    after = self._block_end(at)
                self.comments.append((at, after))
            elif kind in ("string", "raw"):
                self.literals.append((at, after))
                self.tokens.append(Token("string", found.group(), at))
            elif kind != "space":
                name = found.group()
                self.tokens.append(Token(kind, name.removeprefix("r#"), at))
            at = after

    def _block_end(self, at: int) -> int:
        """The end of the block comment that begins at `at`; Rust's may be nested."""
        depth = 0
        for found in _BLOCK.finditer(self.text, at):
            depth += 1 if found.group() == "/*" else -1
            if depth == 0 or (not self.rust and found.group() == "*/"):
                return found.end()
        return len(self.text)

    @cached_property
    def starts(self) -> list[int]:
        """The position at which each line begins."""
        return [0] + [found.end() for found in re.finditer("\n", self.text)]

    def line(self, at: int) -> int:
        """The number of the line that holds the character `at`, from 1."""
        return bisect.bisect_right(self.starts, at)

    def skip_group(self, at: int) -> int:
        """The index after the bracketed group that opens at token `at`."""
        depth = 0
        for i in range(at, len(self.tokens)):
            text = self.tokens[i].text
            if self.tokens[i].kind == "punct":
                if text in "([{":
                    depth += 1
                elif text in ")]}":
                    depth -= 1
                    if depth == 0:
                        return i + 1
        return len(self.tokens)

    def is_test_attribute(self, at: int) -> bool:
        """Whether the attribute at token `at` (a `#`) restricts the next item to tests: `#[test]`, `#[cfg(test)]` and
        `#[cfg(all(test, ...))]`."""
        open_ = at + 1 + (self.tokens[at + 1].text == "!")
        words = [t.text for t in self.tokens[open_ + 1 : self.skip_group(open_) - 1]]
        if words == ["test"]:
            return True
        around, before = [], ""
        for word in words:
            if word == "(":
                around.append(before)
            elif word == ")":
                around.pop()
            elif word == "test" and around and around[0] == "cfg" and set(around) <= {"cfg", "all"}:
                return True
            before = word
        return False

    def skip_item(self, at: int) -> int:
        """The index after the item, statement, field or match arm at token `at`, whose attributes were read."""
        tokens, i = self.tokens, at
        item = statement = False  # an item may have commas before its body, a statement braces before its end
        while i < len(tokens):
            token, text = tokens[i], tokens[i].text
            if token.kind == "ident":
                following = tokens[i + 1].text if i + 1 < len(tokens) else ""
                statement |= text in ("use", "let", "static", "type")
                statement |= text == "const" and following not in ("fn", "unsafe", "extern", "async")
                item |= text in ("fn", "struct", "enum", "union", "trait", "impl", "mod", "macro_rules")
            elif text in ("(", "["):
                i = self.skip_group(i)
                continue
            elif text == "{":
                i = self.skip_group(i)
                if not statement or item:
                    return i
                continue
            elif text in (")", "]", "}"):
                return i
            elif text == ";" or (text == "," and not (item or statement)):
                return i + 1
            i += 1
        return i

    def drop_tests(self) -> None:
        """Removes the tokens of tests."""
        kept, i, tokens = [], 0, self.tokens
        while i < len(tokens):
            if tokens[i].text == "#" and i + 2 < len(tokens):
                inner = tokens[i + 1].text == "!"
                if tokens[i + 1 + inner].text == "[":
                    after = self.skip_group(i + 1 + inner)
                    if self.is_test_attribute(i):
                        if inner:
                            kept = []
                            break
                        while after < len(tokens) and tokens[after].text == "#":
                            after = self.skip_group(after + 1)
                        i = self.skip_item(after)
                        continue
                    kept += tokens[i:after]
                    i = after
                    continue
            kept.append(tokens[i])
            i += 1
        self.tokens = kept

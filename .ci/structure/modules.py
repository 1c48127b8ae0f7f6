"""The modules of a crate: which file defines each, which names it has, and what it imports. Tests are left out.

Names are followed through `use`, `pub use` and globs to the file that defines them. Names defined by macros count as
defined in the file that calls the macro. Macros found by their position in the text (`#[macro_use]`) do not count as imports.
"""

from dataclasses import dataclass, field
from pathlib import Path

from .source import Source, Token

_NAMED = {"fn", "struct", "enum", "union", "trait", "type", "const", "static"}
_BEFORE = {"async", "unsafe", "default", "auto", "safe"}


@dataclass(slots=True)
class Use:
    """One name that a `use` brings in, or, if `name` is `*`, all names of a module. `line` is the line of the name."""

    path: tuple[str, ...]
    name: str
    line: int
    public: bool


@dataclass
class Module:
    """A module: a file, or a `mod name { }` inside one."""

    file: Path
    parent: "Module | None"
    children: dict[str, "Module"] = field(default_factory=dict)
    items: dict[str, tuple[Path, bool]] = field(default_factory=dict)  # name: defining file, is it public
    generated: set[str] = field(default_factory=set)  # words in calls of macros, which may define these names
    traits: bool = False
    uses: list[Use] = field(default_factory=list)
    local_uses: list[Use] = field(default_factory=list)  # inside functions
    paths: dict[tuple[str, ...], int] = field(default_factory=dict)  # paths in code, and the first line of each
    words: set[str] = field(default_factory=set)

    def root(self) -> "Module":
        """The crate's root."""
        return self if self.parent is None else self.parent.root()

    def sees_into(self, other: "Module") -> bool:
        """Whether private names of `other` are visible here: `other` is this module or one that contains it."""
        here = self
        while here is not None:
            if here is other:
                return True
            here = here.parent
        return False

    def tree(self):
        """This module and all below it."""
        yield self
        for child in self.children.values():
            yield from child.tree()


class Crate:
    """A crate, from its root file on."""

    def __init__(self, root_file: Path):
        self.files: dict[Path, Source] = {}
        self.root = Module(root_file, None)
        self._read(self.root, root_file.parent)

    def _read(self, module: Module, folder: Path) -> None:
        """Reads a module's file. `folder` is where its children's files are."""
        source = Source(module.file.read_text(encoding="utf-8"))
        source.drop_tests()
        self.files[module.file] = source
        _Reader(self, source).items(module, folder, 0, len(source.tokens))

    def child_file(self, module: Module, name: str, folder: Path, given: str | None) -> None:
        """Follows `mod name;`. `given` is the file that `#[path]` names."""
        if given is not None:
            file = (module.file.parent / given).resolve()
        else:
            file = folder / f"{name}.rs"
            if not file.exists():
                file = folder / name / "mod.rs"
        if not file.exists() or name in module.children:
            return
        child = module.children[name] = Module(file, module)
        inside = file.parent if file.name == "mod.rs" or given is not None else folder / name
        self._read(child, inside)


class _Reader:
    """Reads a file's tokens."""

    def __init__(self, crate: Crate, source: Source):
        self.crate, self.source, self.tokens = crate, source, source.tokens

    def text(self, at: int) -> str:
        return self.tokens[at].text if at < len(self.tokens) else ""

    def items(self, module: Module, folder: Path, i: int, end: int) -> None:
        """Reads the items between two tokens."""
        path, exported = None, False
        while i < end:
            token = self.tokens[i]
            if token.text == "#":
                group = i + 1 + (self.text(i + 1) == "!")
                after = self.source.skip_group(group)
                if self.text(group + 1) == "path" and self.tokens[group + 3].kind == "string":
                    path = self.tokens[group + 3].text.strip('"')
                exported |= self.text(group + 1) == "macro_export"
                self.code(module, group + 1, after)
                i = after
                continue
            public = token.text == "pub"
            if public:
                i += 1
                if self.text(i) == "(":
                    i = self.source.skip_group(i)
            i = self.item(module, folder, i, public, path, exported)
            path, exported = None, False

    def item(self, module: Module, folder: Path, i: int, public: bool, path: str | None, exported: bool) -> int:
        """Reads one item, whose attributes and visibility were read, and returns the index after it."""
        word, name = self.text(i), self.text(i + 1)
        after = max(self.source.skip_item(i), i + 1)
        if word == "use":
            self.use(module.uses, i + 1, (), public)
        elif word == "mod" and self.text(i + 2) == ";":
            self.crate.child_file(module, name, folder, path)
        elif word == "mod":
            child = module.children[name] = Module(module.file, module)
            self.items(child, folder / name, i + 3, after - 1)
        elif word == "macro_rules":
            # It is found by its position in the text, by `use` of its name, or in the crate's root if it is exported.
            owner = module.root() if exported else module
            owner.items[self.text(i + 2)] = (module.file, True)
            self.code(module, i + 3, after)
        elif word == "extern" and self.text(i + 2) == "{":
            self.items(module, folder, i + 3, after - 1)
        elif word == "extern" and name == "crate":
            pass
        elif word in _NAMED or word in _BEFORE or word == "extern":
            self.define(module, i, after, public)
            self.code(module, i, after)
        else:
            if self.macro_call(i, after):
                module.generated |= {t.text for t in self.tokens[i:after] if t.kind == "ident"}
                after += self.text(after) == ";"
            self.code(module, i, after)
        return after

    def define(self, module: Module, i: int, end: int, public: bool) -> None:
        """Records the name that an item defines."""
        while i < end:
            word, name = self.text(i), self.text(i + 1)
            if word in _NAMED and not (word == "const" and name in ("fn", "unsafe", "extern", "async")):
                if name == "mut":
                    name = self.text(i + 2)
                module.items[name] = (module.file, public)
                module.traits |= word == "trait"
                return
            i += 1

    def macro_call(self, i: int, end: int) -> bool:
        """Whether an item is a call of a macro."""
        while i < end and (self.tokens[i].kind == "ident" or self.text(i) == "::"):
            i += 1
        return self.text(i) == "!"

    def use(self, to: list[Use], i: int, before: tuple[str, ...], public: bool) -> int:
        """Reads a tree of `use` up to its end, a `,`, `}` or `;`, whose index it returns."""
        path, name = list(before), None
        line = self.source.line(self.tokens[i].start)
        while i < len(self.tokens):
            text = self.text(i)
            if text == "{":
                i += 1
                while self.text(i) != "}":
                    i = self.use(to, i, tuple(path), public)
                    i += self.text(i) == ","
                while self.text(i + 1) not in (",", "}", ";", ""):
                    i += 1
                return i + 1
            if text in (",", "}", ";"):
                break
            if text == "as":
                name = self.text(i + 1)
                i += 1
            elif text == "*":
                name = "*"
            elif text != "::" and not (text == "self" and path):
                path.append(text)
                name = text
            elif text == "self":
                name = path[-1]
            i += 1
        to.append(Use(tuple(path), name or "", line, public))
        return i

    def code(self, module: Module, i: int, end: int) -> None:
        """Records the paths and words of code, and the `use`s in it."""
        while i < end:
            token = self.tokens[i]
            if token.kind != "ident":
                i += 1
                continue
            before = self.tokens[i - 1].text if i else ""
            if token.text == "pub" and self.text(i + 1) == "(" and self.text(i + 2) in ("crate", "self", "super", "in"):
                i = self.source.skip_group(i + 1)
                continue
            if token.text == "use" and (self.tokens[i + 1].kind == "ident" or self.text(i + 1) in ("{", "::")):
                i = self.use(module.local_uses, i + 1, (), False)
                continue
            if before not in ("::", "."):
                path, j = [token.text], i
                while self.text(j + 1) == "::" and j + 2 < end and self.tokens[j + 2].kind == "ident":
                    path.append(self.text(j + 2))
                    j += 2
                if len(path) > 1:
                    module.paths.setdefault(tuple(path), self.source.line(token.start))
                module.words.add(token.text)
                i = j
            i += 1


Target = tuple[str, object]  # ("module", Module) or ("item", Path)


def lookup(module: Module, name: str, viewer: Module, seen: frozenset = frozenset(), sure: bool = True) -> list[Target]:
    """Resolves `name` in `module`, seen from `viewer`, which may be the same module. With `sure`, names
    that macros may define do not count."""
    key = (id(module), name)
    if key in seen:
        return []
    seen |= {key}
    inside = viewer.sees_into(module)
    found: list[Target] = []
    if name in module.children:
        found.append(("module", module.children[name]))
    if name in module.items and (inside or module.items[name][1]):
        found.append(("item", module.items[name][0]))
    for use in module.uses:
        if use.name == name and (inside or use.public):
            found += resolve(module, use.path, seen)
    if not found and not sure and name in module.generated:
        found.append(("item", module.file))
    if not found:
        for use in module.uses:
            if use.name == "*" and (inside or use.public):
                for kind, target in resolve(module, use.path, seen):
                    if kind == "module":
                        found += lookup(target, name, module, seen, sure)
    return found


def resolve(module: Module, path: tuple[str, ...], seen: frozenset = frozenset()) -> list[Target]:
    """Resolves a path, seen from `module`; nothing if the path belongs to another crate."""
    rest = list(path)
    here: Module | None = module
    if rest and rest[0] == "crate":
        here, rest = module.root(), rest[1:]
    elif rest and rest[0] in ("self", "super"):
        while rest and rest[0] in ("self", "super"):
            if rest.pop(0) == "super" and here is not None:
                here = here.parent
        if here is None:
            return []
    else:
        first = lookup(module, rest[0], module, seen) if rest else []
        return _walk(module, first, rest[1:], seen)
    return _walk(module, [("module", here)], rest, seen)


def _walk(viewer: Module, targets: list[Target], rest: list[str], seen: frozenset) -> list[Target]:
    """Follows the rest of a path. It ends at an item: the rest are variants and associated items."""
    for at, name in enumerate(rest):
        modules = [target for kind, target in targets if kind == "module"]
        if not modules:
            break
        targets = []
        for module in modules:
            found = lookup(module, name, viewer, seen) or lookup(module, name, viewer, seen, sure=False)
            if not found and (id(module), name) not in seen:
                found = [("item", module.file)]
            targets += found
        if at + 1 == len(rest):
            break
    return targets

"""Import cycles: none between the folders of a crate, and none of more than four files in a folder."""

import tomllib
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from .modules import Crate, Module, lookup, resolve

# The most files of one folder that may form an import cycle.
MOST = 4
# The most imports that are shown of one file or folder by another.
SHOWN = 8


@dataclass(frozen=True, slots=True)
class Import:
    """A name of `target` in `file`, at `line`, as `text`."""

    file: Path
    target: Path
    line: int
    text: str


def members(root: Path) -> list[Path]:
    """The folders of the workspace's crates."""
    manifest = tomllib.loads((root / "Cargo.toml").read_text(encoding="utf-8"))
    workspace = manifest.get("workspace", {})
    folders = [root] if "package" in manifest else []
    folders += [folder for pattern in workspace.get("members", []) for folder in sorted(root.glob(pattern))]
    without = {root / folder for folder in workspace.get("exclude", [])}
    return [folder for folder in folders if (folder / "Cargo.toml").exists() and folder not in without]


def root_files(crate: Path) -> list[Path]:
    """The root files of a crate's library and programs."""
    manifest = tomllib.loads((crate / "Cargo.toml").read_text(encoding="utf-8"))
    files = [crate / manifest.get("lib", {}).get("path", "src/lib.rs"), crate / "src/main.rs"]
    files += [crate / program["path"] for program in manifest.get("bin", []) if "path" in program]
    files += sorted(crate.glob("src/bin/*.rs")) + sorted(crate.glob("src/bin/*/main.rs"))
    return [f for f in dict.fromkeys(files) if f.exists()]


def imports_of(crate: Crate) -> set[Import]:
    """All imports of one file of a crate by another."""
    found = set()
    for module in crate.root.tree():
        for target, line, text in _imports_of(module):
            if target != module.file:
                found.add(Import(module.file, target, line, text))
    return found


def _imports_of(module: Module):
    for use in module.uses + module.local_uses:
        targets = resolve(module, use.path)
        written = "use " + "::".join(use.path)
        if use.name != "*":
            for kind, target in targets:
                yield (target.file if kind == "module" else target), use.line, written
            continue
        for kind, target in targets:
            if kind == "item":
                yield target, use.line, f"{written}::*"
                continue
            taken = False
            for word in sorted(module.words):
                own = word in module.items or word in module.children or any(u.name == word for u in module.uses)
                for kind_of_word, defined in [] if own else lookup(target, word, module):
                    taken = True
                    file = defined.file if kind_of_word == "module" else defined
                    yield file, use.line, f"{written}::*, for {word}"
            if target.traits or not taken:
                yield target.file, use.line, f"{written}::*"
    local = {use.name: use.path for use in module.local_uses}
    for path, line in module.paths.items():
        head = path[0]
        if head not in ("crate", "self", "super"):
            # A path that begins with a type adds nothing: the type was imported.
            if head in local and not resolve(module, path[:1]):
                path = local[head] + path[1:]
                head = path[0]
            if head not in ("crate", "self", "super") and all(k != "module" for k, _ in resolve(module, path[:1])):
                continue
        for kind, target in resolve(module, path):
            yield (target.file if kind == "module" else target), line, "::".join(path)


def components(nodes: set, arrows: dict) -> list[list]:
    """The strongly connected components of more than one node."""
    order, low, stack, on_stack, found = {}, {}, [], set(), []
    for start in sorted(nodes):
        if start in order:
            continue
        work = [(start, iter(sorted(arrows.get(start, ()))))]
        order[start] = low[start] = len(order)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, following = work[-1]
            for other in following:
                if other not in order:
                    order[other] = low[other] = len(order)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(sorted(arrows.get(other, ())))))
                    break
                if other in on_stack:
                    low[node] = min(low[node], order[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    one = []
                    while True:
                        one.append(stack.pop())
                        on_stack.discard(one[-1])
                        if one[-1] == node:
                            break
                    if len(one) > 1:
                        found.append(sorted(one))
    return found


def check(root: Path) -> list[str]:
    """The forbidden cycles of the workspace at `root`, each as a text."""
    wrong = []
    for folder in members(root):
        imports, roots = set(), set(root_files(folder))
        files = set()
        for file in roots:
            crate = Crate(file)
            files |= set(crate.files)
            imports |= imports_of(crate)
        source = folder / "src"
        files = {file for file in files - roots if source in file.parents}
        imports = {i for i in imports if i.file in files and i.target in files}
        wrong += _Folders(root, source, files).check(imports)
    return wrong


class _Folders:
    """The folders of a crate's sources. A folder that holds only tests is left out."""

    def __init__(self, root: Path, source: Path, files: set[Path]):
        self.root, self.source = root, source
        self.all = {source} | {parent for f in files for parent in f.parents if source in parent.parents}

    def check(self, imports: set[Import]) -> list[str]:
        """The cycles in each folder."""
        wrong = []
        for level in sorted(self.all):
            between = defaultdict(list)
            for one in imports:
                ends = self.node(one.file, level), self.node(one.target, level)
                if None not in ends and ends[0] != ends[1]:
                    between[ends].append(one)
            arrows = defaultdict(set)
            for start, end in between:
                arrows[start].add(end)
            for circle in components(set(arrows), arrows):
                if self.all & set(circle) or len(circle) > MOST:
                    wrong.append(self.describe(level, circle, between))
        return wrong

    def node(self, file: Path, level: Path) -> Path | None:
        """The node of the folder `level` that `file` belongs to: the file itself, or the folder in `level` that holds it. A file        `name.rs` next to a folder `name` belongs to that folder. `None` if `file` is outside `level`."""
        if file == level.with_suffix(".rs"):
            return file
        if level not in file.parents:
            return None
        top = level / file.relative_to(level).parts[0]
        beside = top.with_suffix("")
        return beside if beside in self.all else top

    def describe(self, level: Path, circle: list[Path], between: dict) -> str:
        """A cycle as text, with its imports: first those between the nodes with the fewest, which are the easiest to remove."""

        def name(path: Path) -> str:
            return str(path.relative_to(level.parent)) + ("/" if path in self.all else "")

        folders = self.all & set(circle)
        what = "a circle between folders" if folders else f"a circle of {len(circle)} files, more than {MOST}"
        lines = [f"{level.relative_to(self.root)}: {what}: {', '.join(name(node) for node in circle)}"]
        within = [(ends, found) for ends, found in between.items() if set(ends) <= set(circle)]
        for (start, end), found in sorted(within, key=lambda one: (len(one[1]), one[0])):
            lines.append(f"  {name(start)} imports {name(end)}:")
            ordered = sorted(found, key=lambda i: (i.file, i.line, i.text))
            for one in ordered[:SHOWN]:
                file, target = one.file.relative_to(self.root), one.target.relative_to(self.root)
                lines.append(f"    {file}:{one.line}: {one.text} ({target})")
            if len(found) > SHOWN:
                lines.append(f"    and {len(found) - SHOWN} more")
        return "\n".join(lines)

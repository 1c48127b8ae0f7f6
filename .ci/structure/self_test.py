"""Tests of the checks: small crates with one mistake each, and similar crates that are right."""

import tempfile
from pathlib import Path

LISTS = '[package]\nname = "small"\nversion = "0.1.0"\nedition = "2024"\nautotests = false\n\n[[test]]\nname = "all"\n'
MANIFEST = '[package]\nname = "small"\nversion = "0.1.0"\nedition = "2024"\n'
WORKSPACE = '[workspace]\nmembers = ["one", "two", "three"]\nresolver = "3"\n'
NAMES = ["one", "two", "three"]
EMPTY = {"Cargo.toml": MANIFEST, "src/lib.rs": ""}


def ring(count: int) -> dict[str, str]:
    """A crate whose files form an import cycle."""
    names = [f"m{i}" for i in range(count)]
    crate = {"src/lib.rs": "".join(f"mod {name};\n" for name in names)}
    for i, name in enumerate(names):
        crate[f"src/{name}.rs"] = f"use crate::m{(i + 1) % count}::f as next;\n\npub fn f() {{\n    next();\n}}\n"
    return crate


def function(lines: int) -> str:
    """A function with this number of lines."""
    return "fn long() {\n" + "    call();\n" * (lines - 2) + "}\n"


def handout(lab: str, words: int) -> dict[str, str]:
    """A lab whose handout has this number of words."""
    text = f"[a](labs/{lab}/README.md)\n"
    return {"README.md": text, f"labs/{lab}/README.md": "word " * words, "src/lib.rs": "mod a;\n"}


def lab_with(features: str) -> dict[str, str]:
    """A workspace whose program uses a crate with a feature, and a lab that uses it with these."""
    package = '[package]\nname = "{}"\nversion = "0.1.0"\nedition = "2024"\n'
    uses = '[dependencies]\nshared = {{ path = "{}shared", features = [{}] }}\n'
    return {
        "Cargo.toml": '[workspace]\nmembers = ["app", "labs/lab", "shared"]\ndefault-members = ["app"]\nresolver = "1"\n',
        "app/Cargo.toml": package.format("app") + uses.format("../", '"extra"'),
        "labs/lab/Cargo.toml": package.format("lab") + uses.format("../../", features),
        "shared/Cargo.toml": package.format("shared") + "[features]\nextra = []\n",
        **{f"{name}/src/lib.rs": "fn one() {}\n" for name in ["app", "labs/lab", "shared"]},
    }


def two_folders(of_a: str, of_b: str, **more: str) -> dict[str, str]:
    """A crate of two folders with one file each."""
    crate = {
        "src/lib.rs": "mod a;\nmod b;\n",
        "src/a/mod.rs": "mod one;\n\npub use one::One;\n",
        "src/a/one.rs": of_a,
        "src/b.rs": "pub mod two;\n",
        "src/b/two.rs": of_b,
    }
    return crate | {name.replace("__", "/") + ".rs": text for name, text in more.items()}


# Comments with words at which a reader stops, and what is found of each.
STUMBLES = {
    "So many of them": "So many",
    "Whoever waits": "Whoever",
    "Kernels of a stranger": "a stranger",
    "Before anybody reads": "anybody",
    "It is graded anew": "anew",
    "The barrier stands in a branch": "stands in",
    "The file beside it": "beside",
    "This mends the kernel": "mends",
    "Tells the driver": "Tells",
    "A name that is none": "is none",
    "A text that is no number": "is no number",
    "It ends by itself": "by itself",
    "They are kept apart": "kept apart",
    "The call returns to the host at once": "returns to the host at once",
    "It is tried all the same": "all the same",
    "It waits in vain": "in vain",
    "One that stands in for it": "stands in for",
    "The option means nothing here": "means nothing",
}
ONE = "use crate::b::two::Two;\n\npub struct One(Two);\n"
TEXT = "a sentence that says what is wrong and what to do about it, and names the flag, too, " * 2

# Name: the crate's files, and for each kind of mistake the words that each of its messages must contain, in order. No other
# message is allowed.
CASES: dict[str, tuple[dict[str, str], dict[str, list[str]]]] = {
    "a lab that builds what the program builds": (lab_with('"extra"'), {}),
    "a lab that builds a crate with other features": (lab_with(""), {"features": ["shared v0.1.0 has no features in lab lab alone, and extra in"]}),
    "arrows one way": (two_folders(ONE, "pub struct Two;\n"), {}),
    "a circle between folders, through a `pub use`": (
        two_folders(ONE, "pub struct Two;\n\nfn make() {\n    crate::a::One::new();\n}\n"),
        {"circles": ["between folders", "a/, src/b/", "src/b/two.rs:4: crate::a::One::new (src/a/one.rs)"]},
    ),
    "a circle between folders that no two files make": (
        two_folders(
            ONE,
            "pub struct Two;\n",
            src__b="mod other;\npub mod two;\n",
            src__b__other="use crate::a::{\n    self,\n    lone::{Lone as Other, f},\n};\n",
            src__a__mod="pub mod lone;\nmod one;\n",
            src__a__lone="pub struct Lone;\n\npub fn f() {}\n",
        ),
        {"circles": ["between folders", "src/b/other.rs:3: use crate::a::lone::Lone"]},
    ),
    "a circle between a folder and its own mod.rs": (
        two_folders(
            "pub fn f() {}\n",
            "pub fn f() {}\n",
            src__a__mod="mod deep;\nmod one;\n\npub const N: u32 = deep::three::THREE;\n",
            src__a__deep__mod="pub mod three;\n",
            src__a__deep__three="pub const THREE: u32 = 3;\nconst M: u32 = super::super::N;\n",
        ),
        {"circles": ["src/a: a circle between folders", "a/deep/, a/mod.rs"]},
    ),
    "a circle through a root's `pub use` and a glob": (
        {
            "src/lib.rs": "mod a;\nmod b;\npub use b::two::*;\n",
            "src/a/mod.rs": "use crate::Two;\n\npub struct One(Two);\n",
            "src/a/sub.rs": "",
            "src/b/mod.rs": "pub mod two;\n",
            "src/b/two.rs": "use crate::a::*;\n\npub struct Two;\n\nfn f(_: &One) {}\n",
        },
        {"circles": ["between folders", "src/a/mod.rs:1: use crate::Two (src/b/two.rs)"]},
    ),
    "what looks like imports in strings and comments, and `pub(in path)`": (
        two_folders(
            ONE,
            "// use crate::a::One;\n/* crate::a::One /* */ */\n/// [`crate::a::One`]\npub struct Two;\n\n"
            'const A: &str = "use crate::a::One;";\nconst B: &str = r#"crate::a::One " "#;\n'
            "const C: char = '\"';\n\npub(in crate::b) fn f<'a>(_: &'a str) {}\n",
        ),
        {},
    ),
    "a circle that only tests make": (
        two_folders(
            ONE,
            "pub struct Two;\n\n#[cfg(test)]\nuse crate::a::One;\n\n#[cfg(all(test, unix))]\nfn f<A, B>() {\n    crate::a::f();\n}\n\n"
            "#[cfg(test)]\nmod tests {\n    use crate::a::One;\n}\n\n#[cfg(test)]\nmod more;\n",
            src__b__two__more="use crate::a::One;\n",
        ),
        {},
    ),
    "a circle that more than tests make": (
        two_folders(ONE, "#[cfg(any(test, unix))]\nuse crate::a::One;\n\npub struct Two;\n"),
        {"circles": ["between folders"]},
    ),
    "a circle of four files": (ring(4), {}),
    "a circle of five files": (ring(5), {"circles": ["a circle of 5 files", "src/m0.rs:1: use crate::m1::f (src/m1.rs)"]}),
    "lines of 120 columns": ({"src/lib.rs": f"// {'x' * 117}\n", "src/k.cu": f"int {'x' * 115};\n"}, {}),
    "a long line of code": (
        {"src/lib.rs": "mod m;\n", "src/m.rs": f"const {'X' * 105}: i32 = 0;\n"},
        {"columns": ["src/m.rs:1", "code of 121"]},
    ),
    "a long line in a macro": (
        {"src/lib.rs": f"rows! {{\n    {'row, ' * 24}\n}}\n".replace(", \n", ",\n")},
        {"columns": ["src/lib.rs:2", "code of 123"]},
    ),
    "a long comment": ({"src/lib.rs": f"//! {'x' * 117}\n"}, {"columns": ["src/lib.rs:1", "comment of 121"]}),
    "long comments that may be": (
        {"src/lib.rs": f"// https://example.org/{'x' * 117}\n\n/// | a | {'b' * 120} |\nfn f() {{}}\n"},
        {},
    ),
    "a long literal": ({"src/lib.rs": f'const TEXT: &str =\n    "{TEXT}";\n'.replace("=\n    ", "= ")}, {}),
    "a long literal on its own line": (
        {"src/lib.rs": f'fn f(n: u32) -> Result<(), String> {{\n    Err(format!(\n        "{TEXT}{{n}}"\n    ))\n}}\n'},
        {},
    ),
    "a long literal on which rustfmt gives up": (
        {"src/lib.rs": f'fn f(n: u32) {{\n    g(&format!("{TEXT}"), || {{\n        let a=n;\n            g(a);\n    }});\n}}\n'},
        {"layout": ["src/lib.rs", "lines 2-3, 5"]},
    ),
    "a chain on which rustfmt gives up": (
        {"src/lib.rs": f'fn f(n: Vec<u32>) {{\n    n.iter().map(|n| {{\n  g(n)\n    }}).filter("{TEXT}").count();\n}}\n'},
        {"layout": ["src/lib.rs", "lines 2-4"]},
    ),
    "a table that rustfmt is told to leave alone": (
        {"src/lib.rs": "#[rustfmt::skip]\npub const TABLE: [(u32, u32); 2] = [\n    (1,    2),\n        (10,  20),\n];\n"},
        {},
    ),
    "a macro's own layout": ({"src/lib.rs": "json!({\n  a: 1,\n      b: 2\n});\n"}, {}),
    "a function of 120 lines": ({"src/lib.rs": function(120)}, {}),
    "a long function": ({"src/lib.rs": function(121)}, {"functions": ["src/lib.rs:1: `long` has 121 lines"]}),
    "tests that cargo finds": ({"src/lib.rs": "mod a;\n", "tests/one.rs": "mod a;\n", "tests/two.rs": "mod a;\n"}, {}),
    "tests that a program lists": ({"Cargo.toml": LISTS, "src/lib.rs": "mod a;\n", "tests/all.rs": "mod one;\n", "tests/one.rs": "mod a;\n"}, {}),
    "a file of tests that no program lists": (
        {"Cargo.toml": LISTS, "src/lib.rs": "mod a;\n", "tests/all.rs": "mod one;\n", "tests/one.rs": "mod a;\n", "tests/two.rs": "mod a;\n"},
        {"unlisted": ["tests/two.rs", "`mod two;`", "never runs"]},
    ),
    "a program of tests in a folder": (
        {"Cargo.toml": LISTS, "src/lib.rs": "mod a;\n", "tests/all/main.rs": "mod one;\n", "tests/all/one.rs": "mod a;\n"},
        {},
    ),
    "a program of tests in a folder that is not listed": (
        {"Cargo.toml": LISTS, "src/lib.rs": "mod a;\n", "tests/all.rs": "mod one;\n", "tests/one.rs": "mod a;\n", "tests/two/main.rs": "mod a;\n"},
        {"unlisted": ["tests/two/main.rs", "no test `two`", "never runs"]},
    ),
    "a crate that README.md does not know": (
        {"Cargo.toml": WORKSPACE, "README.md": "`one`, [two](two), three\n", **{f"{name}/{file}": text for name in NAMES for file, text in EMPTY.items()}},
        {"unlisted": ["three: no table of harness/README.md says"]},
    ),
    "a page that links lead to": ({"README.md": "[b](docs/b.md)\n", "docs/b.md": "[a](../README.md)\n", "src/lib.rs": "mod a;\n"}, {}),
    "a page that no link leads to": (
        {"README.md": "b\n```\n[b](b.md)\n```\n", "b.md": "[a](README.md)\n", "src/lib.rs": "mod a;\n"},
        {"pages": ["b.md: no way of links"]},
    ),
    "a link to a page that is gone": ({"README.md": "[b](b.md#top)\n", "src/lib.rs": "mod a;\n"}, {"pages": ["README.md: the link to b.md#top"]}),
    "a handout of 2500 words": (handout("a", 2500), {}),
    "a long handout": (handout("a", 2501), {"handouts": ["labs/a/README.md: 2501 words, more than 2500", "NOTES.md"]}),
    **{f"a comment that says: {words}": ({"src/lib.rs": f"// {words}.\nmod a;\n"}, {"words": [f"`{found}` in a comment"]}) for words, found in STUMBLES.items()},
    "a comment that a reader stumbles over": (
        {"src/lib.rs": "// Nobody waits.\nmod a;\n"},
        {"words": ["src/lib.rs:1: `Nobody` in a comment; write no one"]},
    ),
    "such a comment in a kernel": ({"src/lib.rs": "mod a;\n", "k.cuh": "int i; // so many\n"}, {"words": ["k.cuh:1: `so many` in a comment"]}),
    "such a message": (
        {"src/lib.rs": 'const A: &str = "one {told} \\\n    two is none of them";\n'},
        {"words": ["src/lib.rs:2: `is none` in a message; write is not a"]},
    ),
    "such a text over two lines": ({"src/lib.rs": "// It means\n// nothing.\nmod a;\n"}, {"words": ["src/lib.rs:1: `means nothing` in a comment"]}),
    "such a text": ({"src/lib.rs": "mod a;\n", "README.md": "One\nis told `told`.\n"}, {"words": ["README.md:2: `told` in a text"]}),
    "such words that say why": ({"src/lib.rs": "// Nobody waits. words: a name\n", "README.md": "Told. <!-- words: a quote -->\n"}, {}),
    "such words in code, in names, in generated tables and in tests": (
        {
            "src/lib.rs": "// A `Nobody`.\nconst NOBODY: &str = \"beside\";\nconst B: &str = \"a `so many`, {beside}\";\n"
            '#[cfg(test)]\nconst T: &str = "is told";\n',
            "tests/t.rs": 'const T: &str = "so many // beside";\n',
            "README.md": "```\ntold\n```\n`told`, there is none\n<!-- figures: told -->\n| told |\n<!-- /figures -->\nis no longer so\n",
        },
        {},
    ),
    "a type with a generic name": (
        {"src/lib.rs": "mod a;\n", "src/a.rs": "/// Of a token.\npub(crate) enum Kind {}\n"},
        {"names": ["src/a.rs:2: a type named only `Kind`"]},
    ),
    "types and variants with a qualifier": (
        {"src/lib.rs": "pub struct TokenKind;\npub enum Mismatch {\n    Kind,\n}\nuse std::io::ErrorKind as Kind;\n", "tests/t.rs": "struct Place;\n"},
        {},
    ),
    "a second file with a generic name": (
        {"src/lib.rs": "mod a;\nmod words;\n", "src/a/mod.rs": "mod words;\n", "src/a/words.rs": "const A: u32 = 1;\n", "src/words.rs": "const A: u32 = 1;\n"},
        {"names": ["words.rs", "has this name too"]},
    ),
    "a column that is looked up by its name": (
        {"harness/report/Cargo.toml": "", "harness/report/src/a.rs": "fn f(row: &Row) {\n    row.number(\"n\");\n}\n#[cfg(test)]\nmod t { row.cell(\"n\"); }\n"},
        {"lookups": ["harness/report/src/a.rs:2: `n` is looked up by its name"]},
    ),
    "a long function of tests": ({"src/lib.rs": f"#[test]\n{function(121)}", "tests/it.rs": function(121)}, {}),
}


def run(check) -> int:
    """Runs `check` on every case; prints the failures."""
    failed = 0
    for name, (files, expected) in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            for file, text in {"Cargo.toml": MANIFEST, **files}.items():
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                (root / file).write_text(text, encoding="utf-8")
            found = {kind: messages for kind, messages in check(root).items() if messages}
        right = found.keys() == expected.keys() and all(len(messages) == 1 for messages in found.values())
        if not right or not all(word in found[kind][0] for kind, words in expected.items() for word in words):
            failed += 1
            print(f"{name}: expected {expected or 'nothing'}, found:")
            print("\n".join(one for messages in found.values() for one in messages) or "nothing")
    print(f"structure: {len(CASES) - failed} of {len(CASES)} planted cases are as they should be")
    return 1 if failed else 0

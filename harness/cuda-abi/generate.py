#!/usr/bin/env python3
"""Writes `src/generated`: what the libraries use of CUDA's headers, which come from PyPI. `generate.py`, or
`generate.py --check`, which changes nothing and fails if a committed file is not what the headers give.

`wanted.toml` lists what is written, and this file only says how. Values and layouts are what libclang computes from the
headers, in the mode for Linux on a 64-bit computer. A folder of wheels that are already there is given by `--wheels`.

Needs Python 3.11 with pip, and cargo's rustfmt.
"""

import argparse
import functools
import operator
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
GENERATED = HERE / "src" / "generated"
PARSER = "libclang==18.1.1"
# The headers of the two editions that the libraries implement, and of the newest, by whose numbers clients may ask.
EDITIONS = {
    "12.9": ["nvidia-cuda-runtime-cu12==12.9.79", "nvidia-cuda-profiler-api-cu12==12.9.79", "nvidia-nvml-dev-cu12==12.9.79"],
    "13.0": ["nvidia-cuda-runtime==13.0.96", "nvidia-cuda-profiler-api==13.0.85", "nvidia-nvml-dev==13.0.87"],
    "13.5": ["nvidia-cuda-runtime==13.5.37", "nvidia-cuda-profiler-api==13.5.25", "nvidia-nvml-dev==13.5.37"],
}
IMPLEMENTED = ("12.9", "13.0")
# CUDA's own definitions of the compiler, which the runtime's headers include.
COMPILER = "nvidia-cuda-crt==13.0.88"
# The C library's and the graphics libraries' types, as far as CUDA's headers name them.
OTHERS = {
    "stddef.h": "typedef __SIZE_TYPE__ size_t; typedef __WCHAR_TYPE__ wchar_t;",
    "stdlib.h": "#include <stddef.h>",
    "limits.h": "",
    "stdint.h": "\n".join(
        f"typedef __{kind}{bits}_TYPE__ {kind.lower()}{bits}_t;" for kind in ("INT", "UINT") for bits in (8, 16, 32, 64)
    ),
    "GL/gl.h": "typedef unsigned GLenum, GLuint;",
    "EGL/egl.h": "typedef unsigned EGLenum; typedef int EGLint;",
    "EGL/eglext.h": "typedef void *EGLImageKHR, *EGLStreamKHR, *EGLSyncKHR;",
    "vdpau/vdpau.h": "typedef unsigned VdpDevice, VdpVideoSurface, VdpOutputSurface; typedef void VdpGetProcAddress;",
}
# The macros that bring out older forms of the calls, and those for a default stream per thread.
FORMS = ["", "CUDA_API_PER_THREAD_DEFAULT_STREAM", "__CUDA_API_VERSION_INTERNAL", "NVML_NO_UNVERSIONED_FUNC_DEFS"]


class Failure(Exception):
    """What is wrong, and what to do."""


def download(folder: Path, wheels: Path | None) -> None:
    """Downloads the packages into `folder`, and unpacks each edition's headers into a folder of its name."""
    for edition, packages in {**EDITIONS, "compiler": [COMPILER], "parser": [PARSER]}.items():
        kept = (wheels or folder / "wheels") / edition
        if not kept.is_dir():
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", kept, *packages]
            if subprocess.run(command, check=False).returncode:
                raise Failure(f"pip cannot download {', '.join(packages)}; check the network, or give a folder by --wheels")
        for wheel in kept.glob("*.whl"):
            with zipfile.ZipFile(wheel) as file:
                file.extractall(folder / edition)
    for name, text in OTHERS.items():
        file = folder / "others" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


class Header:
    """The headers of one edition, parsed once for each form of the calls."""

    def __init__(self, clang, folder: Path, edition: str, includes: list[str]) -> None:
        self.clang, self.edition, self.folder = clang, edition, folder
        paths = sorted({str(file.parent) for name in includes for file in (folder / edition).rglob(name)})
        compiler = next((folder / "compiler").rglob("include"))
        self.options = ["-x", "c", "-std=c11", "-nostdinc", "--target=x86_64-unknown-linux-gnu"]
        self.options += [f"-I{path}" for path in [*paths, compiler, folder / "others"]]
        self.text = "".join(f"#include <{name}>\n" for name in includes)
        units = [self.parse(self.text, form) for form in FORMS]
        self.unit = units[2]
        self.functions = {
            cursor.spelling
            for unit in units
            for cursor in unit.cursor.get_children()
            if cursor.kind == clang.CursorKind.FUNCTION_DECL and cursor.storage_class != clang.StorageClass.STATIC
        }
        self.enumerations, self.types, self.macros = {}, {}, set()
        for cursor in self.unit.cursor.get_children():
            if cursor.kind == clang.CursorKind.MACRO_DEFINITION:
                self.macros.add(cursor.spelling)
            elif cursor.kind == clang.CursorKind.ENUM_DECL:
                self.enumerations[cursor.spelling] = cursor
            elif cursor.kind == clang.CursorKind.TYPEDEF_DECL:
                self.types[cursor.spelling] = cursor.underlying_typedef_type.get_canonical()
            elif cursor.kind in (clang.CursorKind.STRUCT_DECL, clang.CursorKind.UNION_DECL) and cursor.is_definition():
                self.types[cursor.spelling] = cursor.type

    def parse(self, text: str, form: str):
        options = self.options + ([f"-D{form}"] if form else [])
        record = self.clang.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
        unit = self.clang.Index.create().parse("all.c", args=options, unsaved_files=[("all.c", text)], options=record)
        errors = [str(found) for found in unit.diagnostics if found.severity >= self.clang.Diagnostic.Error]
        if errors:
            raise Failure(f"the headers of {self.edition} do not compile: {errors[0]}")
        return unit

    def enumerators(self, name: str) -> dict[str, int]:
        """The names and values of an enumeration, by its own name or a typedef of it; none if this edition lacks it."""
        found = self.enumerations.get(name)
        if found is None and name in self.types:
            found = self.types[name].get_declaration()
        if found is None:
            return {}
        return {cursor.spelling: cursor.enum_value for cursor in found.get_children()}

    def values(self, pattern: str) -> dict[str, int]:
        """The names and values of the macros of this name; a `*` ends the beginning of a name."""
        beginning = pattern.removesuffix("*")
        names = sorted(name for name in self.macros if name == pattern or (beginning != pattern and name.startswith(beginning)))
        text = self.text + "".join(f"enum {{ V_{name} = (long)({name}) }};\n" for name in names)
        unit = self.parse(text, FORMS[2])
        found = {
            value.spelling.removeprefix("V_"): value.enum_value
            for cursor in unit.cursor.get_children()
            if cursor.kind == self.clang.CursorKind.ENUM_DECL
            for value in cursor.get_children()
            if value.spelling.startswith("V_")
        }
        return {name: found[name] for name in sorted(names, key=lambda name: (found[name], name))}


def snake(name: str) -> str:
    """`srcXInBytes` as `src_x_in_bytes`."""
    out = ""
    for at, letter in enumerate(name):
        following = name[at + 1 : at + 2]
        before = name[at - 1] if at else "_"
        # In `gpuDirectRDMACapable` the letters of RDMA are one word, and in `pitch2D` the D belongs to the digit.
        begins = letter.isupper() and before != "_" and (before.islower() or following.islower())
        out += "_" * begins + letter.lower()
    return out


def screaming(name: str) -> str:
    """`HostToDevice` as `HOST_TO_DEVICE`."""
    return name if name.isupper() else snake(name).upper()


def common(names: list[str]) -> str:
    """The words that all names begin with, of which at least one word of each is left."""
    words = os.path.commonprefix(names)
    while words and not all(name[len(words) :] and begins_word(name, len(words)) for name in names):
        words = words[:-1]
    return words


def begins_word(name: str, at: int) -> bool:
    """Whether a word of the name begins at this letter, which is not a digit."""
    if name.isupper():
        return name[at - 1] == "_" and not name[at].isdigit()
    return name[at].isupper() and not name[at - 1].isupper()


def bounds(found: dict[str, int]) -> set[str]:
    """The enumerators that are no values of their own but the end of the enumeration, which editions move. A name that ends
    in `_MAX` may also be that of an operation, but then it is not the greatest value."""
    ends = ("_MAX", "_FORCE_UINT", "_NUM_OPTIONS", "_NUM_INPUT_TYPES", "TypeCount")
    return {name for name, value in found.items() if name.endswith(ends) and value == max(found.values())}


def values_of(headers: dict[str, Header], sources: list[str]) -> dict[str, int]:
    """The names and values of enumerations and macros. A name has the newest edition's value; an older one may only add names."""
    known: dict[str, int] = {}
    for header in reversed(headers.values()):
        for source in sources:
            is_macro = source.endswith("*") or source in header.macros
            found = header.values(source) if is_macro else header.enumerators(source)
            for name, value in found.items():
                if known.setdefault(name, value) != value and name not in bounds(found):
                    raise Failure(f"{name} is {value} in {header.edition}'s headers, and {known[name]} in newer ones")
    if not known:
        raise Failure(f"{' and '.join(sources)}: not in any edition's headers; change wanted.toml")
    return known


def short_names(known: dict[str, int], beginning: str | None) -> dict[str, int]:
    """The same without the words that all names begin with, in capitals."""
    beginning = beginning or common(sorted(known.keys() - bounds(known)))
    short = {screaming(name.removeprefix(beginning)): value for name, value in known.items()}
    # A name of Rust does not begin with a digit.
    return {f"_{name}" if name[0].isdigit() else name: value for name, value in short.items()}


def constants(headers: dict[str, Header], wanted: dict[str, str]) -> str:
    """The modules of constants."""
    text = "pub mod constants {\n"
    for module, line in sorted(wanted.items()):
        kind, *sources = line.split()
        beginning = next((source[1:] for source in sources if source.startswith("-")), None)
        sources = [source for source in sources if not source.startswith("-")]
        known = values_of(headers, sources)
        text += f"/// {', '.join(f'`{source}`' for source in sources)}.\npub mod {module} {{\n"
        beginning = beginning or next((source[:-1] for source in sources if source.endswith("*")), None)
        for name, value in short_names(known, beginning).items():
            text += f"pub const {name}: {kind} = {number(value)};\n"
        if sources[0].endswith("*") and kind == "u32":
            every = functools.reduce(operator.or_, known.values())
            text += f"/// All of these flags.\npub const ALL: {kind} = {number(every)};\n"
        if kind == "i32" and not any(source in header.macros for header in headers.values() for source in sources):
            last = max(known[name] for name in known.keys() - bounds(known))
            text += f"/// The greatest of these values.\npub const LAST: {kind} = {number(last)};\n"
        text += "}\n"
    return text + "}\n"


def errors(headers: dict[str, Header], line: str) -> str:
    """The type of an error, its codes, and their names."""
    kind, source, beginning = line.split()
    known = values_of(headers, [source])
    text = f"/// An error: a `{source}` other than success.\n#[derive(Clone, Copy, PartialEq, Eq)]\npub struct Error(pub {kind});\n"
    text += "impl Error {\n"
    for name, value in short_names({name: value for name, value in known.items() if value}, beginning).items():
        text += f"pub const {name}: Self = Self({value});\n"
    text += f"}}\n\n/// The name of each `{source}`, by its code.\npub const ERROR_NAMES: &[({kind}, &std::ffi::CStr)] = &[\n"
    names: dict[int, str] = {}
    for name, value in known.items():
        names.setdefault(value, name)
    return text + "".join(f'({value}, c"{name}"),\n' for value, name in sorted(names.items())) + "];\n\n"


def number(value: int) -> str:
    return hex(value) if value > 0xFFFF and value & 0xFFF in (0, 0xFFF) else str(value)


# C's types of numbers in Rust.
NUMBERS = {
    "CHAR_S": "c_char", "SCHAR": "i8", "UCHAR": "u8", "SHORT": "i16", "USHORT": "u16", "INT": "c_int", "UINT": "c_uint",
    "LONG": "i64", "ULONG": "u64", "LONGLONG": "i64", "ULONGLONG": "u64", "FLOAT": "f32", "DOUBLE": "f64", "ENUM": "c_int",
}  # fmt: skip

# The names of fields that are keywords of Rust.
KEYWORDS = {"type": "kind", "fn": "function"}


class Structures:
    """The structures of one library, with those that they contain, and their layouts."""

    def __init__(self, headers: dict[str, Header], wanted: dict[str, str], handle: str) -> None:
        self.handle, self.text, self.layouts = handle, "", ""
        self.names: dict[str, str] = {}
        self.lacks: dict[str, int] = {}
        kinds = {}
        for name, line in wanted.items():
            source, *options = line.split()
            header = headers[next((option for option in options if option in headers), IMPLEMENTED[-1])]
            kinds[name] = header.types.get(source)
            if kinds[name] is None:
                raise Failure(f"{source} is not a structure of {header.edition}'s headers; change wanted.toml")
            if header.edition not in options:
                self.check_same(source, headers)
            # The first name of a structure is the one by which others refer to it.
            self.names.setdefault(identity(kinds[name]), name)
        for name, line in wanted.items():
            source, *options = line.split()
            self.write(name, f"`{source}`", kinds[name], options)

    @staticmethod
    def check_same(source: str, headers: dict[str, Header]) -> None:
        """Refuses a structure that is not the same in all implemented editions that have it, unless an edition is named."""
        kinds = [header.types[source] for edition, header in headers.items() if edition in IMPLEMENTED and source in header.types]
        layouts = {(kind.get_size(), *((field_name(field), field.get_field_offsetof()) for field in kind.get_fields())) for kind in kinds}
        if len(layouts) > 1:
            raise Failure(f"{source} differs between CUDA {' and '.join(IMPLEMENTED)}; name an edition in wanted.toml")

    def write(self, name: str, title: str, kind, options: list[str]) -> None:
        """Writes a structure; or a union, as words of which each member is a view."""
        fields = [[field_name(field), field, field.get_field_offsetof() // 8] for field in kind.get_fields()]
        if "until" in options:
            last = options[options.index("until") + 1]
            fields = fields[: [field for field, _, _ in fields].index(last)]
        is_union = kind.get_declaration().kind.name == "UNION_DECL"
        if is_union and "words" in options:
            fields = []
        inherited = [option for option in options if option in ("addresses", "words")]
        for row in fields:
            row[1] = self.rust(row[1].type, name + camel(row[0]), f"`{row[0]}` of {title}", inherited)
            row[0] = KEYWORDS.get(row[0], snake(row[0]).strip("_"))
        size, align = kind.get_size(), kind.get_align()
        self.text += f"/// {title}{': each member is a view of the words' if is_union else ''}.\n"
        self.text += f"#[repr(C)]\n#[derive(Clone, Copy, Debug{self.comparisons(name, [] if is_union else fields)})]\n"
        if is_union:
            word = {8: "u64", 4: "u32", 2: "u16", 1: "u8"}[align]
            self.text += f"pub struct {name}(pub [{word}; {size // align}]);\nviews! {{ {name};\n"
            self.text += "".join(f"{field} set_{field}: {rust},\n" for field, rust, _ in fields) + "}\n"
            fields = []
        else:
            fields = merged(fields)
            self.text += f"pub struct {name} {{\n" + "".join(f"pub {field}: {rust},\n" for field, rust, _ in fields) + "}\n"
        self.text += f"zeroed! {{ {name} }}\n"
        whole = "" if "until" in options else f" {size} bytes, {align} aligned;"
        places = textwrap.wrap(", ".join(f"{field} {offset}" for field, _, offset in fields), 100)
        self.layouts += f"layout! {{ {name}:{whole}\n" + "".join(f"{line}\n" for line in places) + "}\n"

    def comparisons(self, name: str, fields: list[list]) -> str:
        """The traits by which a structure is compared: floating-point numbers have no `Eq`, and functions are not compared."""
        words = {word for _, rust, _ in fields for word in re.findall(r"\w+", rust)}
        lacks = {"f32": 1, "f64": 1, "fn": 2} | self.lacks
        self.lacks[name] = max((lacks.get(word, 0) for word in words), default=0)
        return [", PartialEq, Eq", ", PartialEq", ""][self.lacks[name]]

    def rust(self, kind, name: str, title: str, options: list[str]) -> str:
        """The type in Rust. A structure within another one that is not wanted gets `name`."""
        if kind.spelling == "size_t":
            return "usize"
        kind = kind.get_canonical()
        code = kind.kind.name
        if code in NUMBERS:
            return NUMBERS[code]
        if code == "CONSTANTARRAY":
            return f"[{self.rust(kind.element_type, name, title, options)}; {kind.element_count}]"
        if code == "RECORD":
            if identity(kind) not in self.names:
                self.names[identity(kind)] = name
                self.write(name, title, kind, options)
            return self.names[identity(kind)]
        if code != "POINTER":
            raise Failure(f"{title} has a type of C that generate.py does not know: {kind.spelling}")
        to = kind.get_pointee().get_canonical()
        if to.kind.name == "RECORD" and not to.get_size() > 0:
            return self.handle
        if "addresses" in options:
            return "u64"
        if to.kind.name == "FUNCTIONPROTO":
            arguments = ", ".join(self.rust(argument, name, title, options) for argument in to.argument_types())
            return f"Option<unsafe extern \"C\" fn({arguments})>"
        sign = "*const" if to.is_const_qualified() else "*mut"
        is_known = to.kind.name in NUMBERS or to.kind.name == "POINTER" or identity(to) in self.names
        return f"{sign} {self.rust(to, name, title, options) if is_known else 'c_void'}"


def identity(kind) -> str:
    """A name of its own for a structure of an edition, also for one without a name."""
    declaration = kind.get_declaration()
    return f"{declaration.location} {declaration.get_usr()}"


def field_name(field) -> str:
    """The name of a field; a union without a name is a value."""
    return "value" if "(" in field.spelling else field.spelling


def merged(fields: list[list]) -> list[tuple]:
    """The fields, of which three in a row that differ in x, y and z are one array."""
    out, at = [], 0
    while at < len(fields):
        name, rust, offset = fields[at]
        following = [field for field, other, _ in fields[at : at + 3] if other == rust]
        beginning = name.removesuffix("x").removesuffix("_")
        if name != beginning and following == [name[:-1] + axis for axis in "xyz"] and beginning:
            out.append((beginning, f"[{rust}; 3]", offset))
            at += 3
        else:
            out.append((name, rust, offset))
            at += 1
    return out


def camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def functions(headers: dict[str, Header], prefix: str) -> str:
    """The names of the calls of the editions that are implemented. The driver's forms for a default stream per thread are found
    only by `cuGetProcAddress`, under the names of the others."""
    names = {name for edition in IMPLEMENTED for name in headers[edition].functions}
    names = {name for name in names if name.startswith(prefix)}
    if prefix == "cu":
        names = {name for name in names if not name.endswith(("_ptds", "_ptsz"))}
    rows = "".join(f'"{name}",\n' for name in sorted(names))
    return f"/// The names of all functions of the headers.\npub const FUNCTIONS: &[&str] = &[\n{rows}];\n"


def write(library: str, wanted: dict, headers: dict[str, Header]) -> str:
    """The Rust of one library's headers."""
    editions = ", ".join(headers)
    text = f"//! Written by generate.py from the headers of CUDA {editions}:\n//! {', '.join(wanted['headers'])}.\n\n"
    text += errors(headers, wanted["error"])
    text += constants(headers, wanted.get("constants", {}))
    structures = Structures(headers, wanted.get("structures", {}), wanted.get("handle", ""))
    if structures.text:
        uses = "use crate::structure::{layout, views, zeroed};\nuse std::ffi::{c_char, c_int, c_uint, c_void};\n"
        text += f"pub mod types {{\n{uses}{structures.text}{structures.layouts}}}\n"
    text += functions(headers, wanted["prefix"])
    return text


def generate(folder: Path) -> dict[str, str]:
    """The text of each generated file."""
    module = next((folder / "parser").rglob("cindex.py"))
    sys.path.insert(0, str(module.parent.parent))
    from clang import cindex  # It was downloaded.

    wanted = tomllib.loads((HERE / "wanted.toml").read_text(encoding="utf-8"))
    texts = {}
    for name, part in wanted.items():
        headers = {edition: Header(cindex, folder, edition, part["headers"]) for edition in EDITIONS}
        texts[f"{name}.rs"] = formatted(write(name, part, headers))
    return texts


def formatted(text: str) -> str:
    command = ["rustfmt", "--edition", "2024", "--config-path", str(HERE.parent.parent)]
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if run.returncode:
        raise Failure(f"rustfmt refuses what was generated: {run.stderr}")
    return run.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes src/generated from CUDA's headers.")
    parser.add_argument("--check", action="store_true", help="compare with the committed files and change nothing")
    parser.add_argument("--wheels", type=Path, help="a folder that has the packages, or gets them")
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as folder:
            download(Path(folder), options.wheels)
            texts = generate(Path(folder))
    except Failure as failure:
        print(f"generate.py: {failure}", file=sys.stderr)
        return 1
    differing = [name for name, text in texts.items() if not (GENERATED / name).is_file() or (GENERATED / name).read_text() != text]
    if options.check:
        for name in differing:
            print(f"{GENERATED / name} is not what the headers give; run generate.py", file=sys.stderr)
        return 1 if differing else 0
    for name in differing:
        GENERATED.mkdir(exist_ok=True)
        (GENERATED / name).write_text(texts[name], encoding="utf-8")
        print(GENERATED / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())

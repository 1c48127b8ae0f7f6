#!/usr/bin/env python3
"""The tables of README.md in this folder, made of the CSVs, and the sentences elsewhere that have their numbers.

table.py            writes the tables
table.py --check    exits with 1 if a table is stale, or a sentence or a row that was promised is missing
table.py summary CSV                             prints the counts of one CSV of measure.sh
table.py row CODE GRAPH CHECK JSON OUTPUT        prints a row of warplab.csv, for measure.sh
"""

import csv
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
GRAPHS = ("DAG_100n_200e", "power_law_200n_1000e")
BUGS = {
    "atomicBug": "a plain access in place of an atomic",
    "guardBug": "a plain read before an atomic, to skip it",
    "syncBug": "a missing barrier",
    "raceBug": "two plain writes",
}

SUITE = HERE / "suite"
TOOLS = ("warplab", "compute-sanitizer")
"""Of each, SUITE has a CSV."""

Rows = list[dict[str, str]]


def read(path: pathlib.Path) -> Rows:
    """The rows of a CSV."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def row(code: str, graph: str, check: str, lines: str, output: str) -> str:
    """The row of a run, of which `warplab exec --json` wrote `lines` and the program `output`."""
    records = [json.loads(line) for line in pathlib.Path(lines).read_text().splitlines()]
    findings = [one for record in records for one in record.get("findings", [])]
    asked = [one for one in findings if one["check"] == check]
    text = pathlib.Path(output).read_text()
    result = "right" if "result matches" in text else "wrong" if "result differs" in text else ""
    exit_code = records[-1]["command_exit_code"]
    line = asked[0]["line"] if asked else ""
    return f"{code},{graph},{check},{exit_code},{len(asked)},{line},{len(findings) - len(asked)},{result}"


def bugs(code: str) -> list[str]:
    """The mistakes that the name of an Indigo program lists."""
    return re.findall(r"[a-z]+Bug", code)


def found(rows: Rows) -> int:
    """In how many of the rows the check found something."""
    return sum(row["findings"] not in ("", "0") for row in rows)


def table(head: list[str], rows: list[list[object]]) -> str:
    """A table of Markdown, with numbers on the right."""
    sides = ["---:" if all(re.fullmatch(r"[\d,]*", str(row[i])) for row in rows) else "---" for i in range(len(head))]
    lines = [head, sides, *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)


def races(ours: Rows, theirs: Rows) -> str:
    """The programs without bounds bugs, by graph."""
    rows = []
    for graph in GRAPHS:
        here, there = ([r for r in rows if r["check"] == "racecheck" and r["graph"] == graph] for rows in (ours, theirs))
        for racy in (True, False):
            mine, other = ([r for r in rows if bool(bugs(r["code"])) == racy] for rows in (here, there))
            right = sum(r["result"] == "right" for r in mine)
            extra = sum(r["other_findings"] != "0" for r in mine)
            rows.append([graph, "yes" if racy else "no", len(mine), found(mine), found(other), extra, right])
    head = ["graph", "race", "programs", "warplab finds a race", "racecheck does", "warplab finds something else", "right results"]
    return table(head, rows)


def by_bug(ours: Rows, theirs: Rows) -> str:
    """The racy programs of the first graph, by the mistake."""
    rows = []
    for bug, meaning in BUGS.items():
        cells = []
        for graph in GRAPHS:
            for source in (ours, theirs):
                cells.append(found([r for r in source if r["check"] == "racecheck" and r["graph"] == graph and bug in bugs(r["code"])]))
        number = sum(r["check"] == "racecheck" and r["graph"] == GRAPHS[0] and bug in bugs(r["code"]) for r in ours)
        rows.append([f"`{bug}`", meaning, number, *cells])
    head = ["in the name", "mistake", "programs", *(f"{tool}, {graph}" for graph in GRAPHS for tool in ("warplab", "racecheck"))]
    return table(head, rows)


def bounds(ours: Rows, theirs: Rows) -> str:
    """The programs with bounds bugs, by graph."""
    rows = []
    for graph in GRAPHS:
        here, there = ([r for r in rows if r["check"] == "memcheck" and r["graph"] == graph] for rows in (ours, theirs))
        mine = {r["code"] for r in here if found([r])}
        other = {r["code"] for r in there if found([r])}
        stopped = sum(r["exit_code"] == "124" for r in there)
        rows.append([graph, len(here), len(mine), len(other), stopped, len(other - mine)])
    return table(["graph", "programs", "warplab", "memcheck", "memcheck was stopped", "memcheck alone"], rows)


def paper() -> str:
    """Table I of the paper, its rows of these two graphs."""
    rows = read(HERE / "paper.csv")
    tools = list(dict.fromkeys(r["tool"] for r in rows))
    by = {(r["graph"], r["tool"]): r for r in rows}
    cells = [[graph, *(f"{by[graph, tool]['found']} of {int(by[graph, tool]['found']) + int(by[graph, tool]['missed'])}" for tool in tools)] for graph in GRAPHS]
    return table(["graph", *tools], cells)


def says(rows: Rows) -> str:
    """What a check said of a variant."""
    if not rows:
        return ""
    return "-" if not found(rows) else f"line {rows[0]['line']}" if rows[0]["line"] else "found"


def suite(tools: dict[str, Rows]) -> str:
    """The programs of the suite."""
    lines = []
    for source in sorted(SUITE.glob("*.cu")):
        of_program = {name: [r for r in rows if r["program"] == source.stem] for name, rows in tools.items()}

        def of(tool: str, variant: str, check: str) -> Rows:
            return [r for r in of_program[tool] if (r["variant"], r["check"]) == (variant, check)]

        answers = [of("warplab", "racy", "racecheck"), of("compute-sanitizer", "racy", "none")]
        title = source.read_text().splitlines()[0].removeprefix("// ").rstrip(".")
        lines.append([
            f"[`{source.stem}`](suite/{source.name})",
            title,
            *(says(of(tool, variant, "racecheck")) for tool in TOOLS for variant in ("racy", "fixed")),
            says(of("compute-sanitizer", "racy", "memcheck")),
            *(rows[0]["answer"] or f"exit status {rows[0]['exit_code']}" if rows else "" for rows in answers),
        ])
    head = ["program", "race", "warplab: racy", "fixed", "racecheck: racy", "fixed", "memcheck: racy", "answer: machine", "H200"]
    return table(head, lines)


def missed() -> str:
    """The races that the machine does not report."""
    return "\n".join(f"- [`{one['program']}`](suite/{one['program']}.cu): {one['why']}" for one in read(SUITE / "missed.csv"))


def count(rows: Rows, check: str, graph: str | None = None, racy: bool | None = None) -> tuple[int, int]:
    """In how many of the rows of a check something was found, and how many rows there are."""
    these = [r for r in rows if r["check"] == check and graph in (None, r["graph"]) and racy in (None, bool(bugs(r["code"])))]
    return found(these), len(these)


def each(numbers: list[int]) -> str:
    """The number of both graphs, or both numbers if they differ."""
    return f"{numbers[0]}" if len(set(numbers)) == 1 else " and ".join(map(str, numbers))


def sentences(ours: Rows, theirs: Rows, tools: dict[str, Rows]) -> dict[pathlib.Path, list[str]]:
    """Sentences with numbers of the CSVs, by the page that must have them."""
    racy, clean = ([count(ours, "racecheck", graph, racy) for graph in GRAPHS] for racy in (True, False))
    here = [count(theirs, "racecheck", graph, True)[0] for graph in GRAPHS]
    right = [
        sum(r["result"] == "right" for r in ours if r["check"] == "racecheck" and r["graph"] == graph and bugs(r["code"]))
        for graph in GRAPHS
    ]
    inside = [count(rows, "memcheck", graph)[0] for rows in (ours, theirs) for graph in GRAPHS]
    own = {
        (tool, variant): [r for r in rows if r["check"] == "racecheck" and r["variant"] == variant]
        for tool, rows in tools.items()
        for variant in ("racy", "fixed")
    }
    flagged = own["compute-sanitizer", "fixed"]
    wrong = {
        tool: sum(r["answer"] == "wrong" for r in tools[tool] if r["variant"] == "racy" and r["check"] == check)
        for tool, check in (("warplab", "racecheck"), ("compute-sanitizer", "none"))
    }
    pairs = len(own["warplab", "racy"])
    # A finding of any check in a fixed program is false.
    noisy = {r["program"] for r in tools["warplab"] if r["variant"] == "fixed" and found([r])}
    total = racy[0][1] + clean[0][1]
    public = (
        f"In the {total} programs of the public Indigo suite without bounds bugs, warplab finds {each([n for n, _ in racy])} of {racy[0][1]} "
        f"races, and reports {each([n for n, _ in clean]) if any(n for n, _ in clean) else 'nothing'} in the other {clean[0][1]}"
    )
    return {
        ROOT / "README.md": [public],
        HERE / "README.md": [
            public,
            f"NVIDIA's racecheck finds {each(here)} on an H200.",
            f"In {each(right)} of the racy programs the result was right on the machine",
            f"warplab finds the access out of bounds in {each(inside[:2])} of the {count(ours, 'memcheck', GRAPHS[0])[1]} programs, memcheck in {each(inside[2:])}",
            f"Of the {pairs} races warplab finds {found(own['warplab', 'racy'])}, and it reports {len(noisy) or 'nothing'} in the fixed programs",
            f"Racecheck on the H200 finds {found(own['compute-sanitizer', 'racy'])}, and reports races in {found(flagged)} of the fixed programs, "
            + " and ".join(f"`{r['program']}`" for r in flagged if found([r])),
            f"The answer of {wrong['warplab']} racy programs was wrong on the machine, and of {wrong['compute-sanitizer']} on the H200",
        ],
    }


def marked(text: str, tables: dict[str, str]) -> str:
    """The page with its tables between their marks."""
    for name, lines in tables.items():
        text, times = re.subn(rf"(<!-- {name} -->\n).*?(\n?<!-- /{name} -->)", lambda m: f"{m[1]}\n{lines}\n{m[2]}", text, flags=re.DOTALL)
        if times != 1:
            sys.exit(f"README.md has {times} places for the table `{name}`")
    return text


def wrong_rows(ours: Rows, theirs: Rows, tools: dict[str, Rows]) -> list[str]:
    """What the CSVs lack, and the races that the machine missed, or reported where there is none."""
    wrong = []
    keys = [{(r["code"], r["graph"], r["check"]) for r in rows} for rows in (ours, theirs)]
    if keys[0] != keys[1]:
        wrong.append(f"the CSVs do not have the same programs: {sorted(keys[0] ^ keys[1])[:5]}")
    wrong += [f"{r['code']}, {r['graph']}: missed" for r in ours if r["check"] == "racecheck" and bugs(r["code"]) and not found([r])]
    wrong += [f"{r['code']}, {r['graph']}: a false finding" for r in ours if not bugs(r["code"]) and r["exit_code"] != "0"]
    names = {source.stem for source in SUITE.glob("*.cu")}
    known = {one["program"] for one in read(SUITE / "missed.csv")}
    for r in tools["warplab"]:
        if r["variant"] == "racy" and bool(found([r])) == (r["program"] in known):
            wrong.append(f"suite/{r['program']}: missed.csv and warplab.csv do not agree")
    for tool, rows in tools.items():
        there = {r["program"] for r in rows}
        if there != names:
            wrong.append(f"suite/{tool}.csv and the programs differ: {sorted(there ^ names)}")
    return wrong


def main() -> int:
    command = sys.argv[1:2]
    if command == ["row"]:
        print(row(*sys.argv[2:]))
        return 0
    theirs = read(HERE / "compute-sanitizer.csv")
    ours = read(pathlib.Path(sys.argv[2]) if command == ["summary"] else HERE / "warplab.csv")
    if command == ["summary"]:
        codes = {r["code"] for r in ours}
        theirs = [r for r in theirs if r["code"] in codes]
        print(races(ours, theirs), bounds(ours, theirs), sep="\n\n")
        return 0
    tools = {name: read(SUITE / f"{name}.csv") for name in TOOLS}
    page = HERE / "README.md"
    text = page.read_text()
    tables = {
        "races": races(ours, theirs),
        "bugs": by_bug(ours, theirs),
        "paper": paper(),
        "bounds": bounds(ours, theirs),
        "suite": suite(tools),
        "missed": missed(),
    }
    new = marked(text, tables)
    wrong = wrong_rows(ours, theirs, tools)
    if command == ["--check"] and new != text:
        wrong.append("README.md's tables are stale: run reports/races/table.py")
    elif command != ["--check"]:
        page.write_text(new)
    for path, promised in sentences(ours, theirs, tools).items():
        words = " ".join(path.read_text().split())
        wrong += [f"{path.relative_to(ROOT)} does not say: {one}" for one in promised if one not in words]
    for one in wrong:
        print(one)
    print(f"races: {len(ours)} rows of warplab, {len(theirs)} of compute-sanitizer, {len(wrong)} mistakes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

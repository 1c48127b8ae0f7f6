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


def choose(rows: Rows, **values: str) -> Rows:
    """The rows whose columns have these values."""
    return [row for row in rows if all(row[column] == value for column, value in values.items())]


def with_bug(rows: Rows, bug: str | None = None) -> Rows:
    """The rows of programs with this mistake, or with any."""
    return [row for row in rows if (bug in bugs(row["code"]) if bug else bugs(row["code"]))]


def without_bug(rows: Rows) -> Rows:
    """The rows of programs without a mistake."""
    return [row for row in rows if not bugs(row["code"])]


def found(rows: Rows) -> int:
    """In how many of the rows the check found something."""
    return sum(row["findings"] not in ("", "0") for row in rows)


def table(head: list[str], rows: list[list[object]]) -> str:
    """A table of Markdown, with numbers on the right."""
    numeric = [all(re.fullmatch(r"\d*", str(row[column])) for row in rows) for column in range(len(head))]
    lines = [head, ["---:" if one else "---" for one in numeric], *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def races(ours: Rows, theirs: Rows) -> str:
    """The programs without bounds bugs, by graph."""
    lines = []
    for graph in GRAPHS:
        for race, chosen in (("yes", with_bug), ("no", without_bug)):
            mine, other = (chosen(choose(rows, check="racecheck", graph=graph)) for rows in (ours, theirs))
            more = len(mine) - len(choose(mine, other_findings="0"))
            lines.append([graph, race, len(mine), found(mine), found(other), more, len(choose(mine, result="right"))])
    tools = ["warplab finds a race", "racecheck does", "warplab finds something else"]
    return table(["graph", "race", "programs", *tools, "right results"], lines)


def by_bug(ours: Rows, theirs: Rows) -> str:
    """The racy programs by the mistake."""
    lines = []
    for bug, meaning in BUGS.items():
        races = [choose(rows, check="racecheck", graph=graph) for graph in GRAPHS for rows in (ours, theirs)]
        cells = [with_bug(rows, bug) for rows in races]
        lines.append([f"`{bug}`", meaning, len(cells[0]), *map(found, cells)])
    tools = [f"{tool}, {graph}" for graph in GRAPHS for tool in ("warplab", "racecheck")]
    return table(["in the name", "mistake", "programs", *tools], lines)


def bounds(ours: Rows, theirs: Rows) -> str:
    """The programs with bounds bugs, by graph."""
    lines = []
    for graph in GRAPHS:
        here, there = (choose(rows, check="memcheck", graph=graph) for rows in (ours, theirs))
        mine, other = ({row["code"] for row in rows if found([row])} for rows in (here, there))
        stopped = len(choose(there, exit_code="124"))
        lines.append([graph, len(here), len(mine), len(other), stopped, len(other - mine)])
    return table(["graph", "programs", "warplab", "memcheck", "memcheck was stopped", "memcheck alone"], lines)


def paper() -> str:
    """Table I of the paper, its rows of these two graphs."""
    cells = {(row["graph"], row["tool"]): row for row in read(HERE / "paper.csv")}
    tools = list(dict.fromkeys(tool for _, tool in cells))

    def of(row: dict[str, str]) -> str:
        return f"{row['found']} of {int(row['found']) + int(row['missed'])}"

    return table(["graph", *tools], [[graph, *(of(cells[graph, tool]) for tool in tools)] for graph in GRAPHS])


def says(rows: Rows) -> str:
    """What a check said of a variant."""
    return f"line {rows[0]['line']}" if found(rows) else "-"


def suite(machine: Rows, gpu: Rows) -> str:
    """The programs of the suite."""
    lines = []
    for source in sorted(SUITE.glob("*.cu")):
        title = source.read_text().splitlines()[0].removeprefix("// ").rstrip(".")
        here, there = (choose(rows, program=source.stem) for rows in (machine, gpu))
        lines.append([
            f"[`{source.stem}`](suite/{source.name})",
            title,
            *(says(choose(here, variant=variant, check="racecheck")) for variant in ("racy", "fixed")),
            *(says(choose(there, variant=variant, check="racecheck")) for variant in ("racy", "fixed")),
            says(choose(there, variant="racy", check="memcheck")),
            choose(here, variant="racy", check="racecheck")[0]["answer"],
            choose(there, variant="racy", check="none")[0]["answer"],
        ])
    tools = ["warplab: racy", "fixed", "racecheck: racy", "fixed", "memcheck: racy"]
    return table(["program", "race", *tools, "answer: machine", "H200"], lines)


def missed() -> str:
    """The races that the machine does not report."""
    rows = read(SUITE / "missed.csv")
    return "\n".join(f"- [`{row['program']}`](suite/{row['program']}.cu): {row['why']}" for row in rows)


def both(numbers: list[int]) -> str:
    """The number of both graphs, or the two numbers if they differ; nothing, if there are none."""
    return " and ".join(str(number) for number in dict.fromkeys(numbers)) if any(numbers) else "nothing"


def of_indigo(ours: Rows, theirs: Rows) -> list[str]:
    """Sentences about the Indigo programs; the first one is README.md's of the project, too."""
    here, there = ([choose(rows, check="racecheck", graph=graph) for graph in GRAPHS] for rows in (ours, theirs))
    inside = [[found(choose(rows, check="memcheck", graph=graph)) for graph in GRAPHS] for rows in (ours, theirs)]
    outside = choose(ours, check="memcheck", graph=GRAPHS[0])
    racy, clean = [with_bug(rows) for rows in here], without_bug(here[0])
    noisy = [len(without_bug(rows)) - len(choose(without_bug(rows), exit_code="0")) for rows in here]
    return [
        f"In the {len(here[0])} programs of the public Indigo suite without bounds bugs, warplab finds "
        f"{both([found(rows) for rows in racy])} of {len(racy[0])} races, and reports {both(noisy)} in the other {len(clean)}",
        f"NVIDIA's racecheck finds {both([found(with_bug(rows)) for rows in there])} on an H200.",
        f"In {both([len(choose(rows, result='right')) for rows in racy])} of the racy programs the result was right on the machine",
        f"warplab finds the access out of bounds in {both(inside[0])} of the {len(outside)} programs, memcheck in {both(inside[1])} on "
        "the H200",
    ]


def of_suite(machine: Rows, gpu: Rows) -> list[str]:
    """Sentences about the suite."""
    here, there = (choose(rows, variant="racy", check="racecheck") for rows in (machine, gpu))
    # A finding of any check in a fixed program is false.
    noisy = found(choose(machine, variant="fixed"))
    flagged = [row["program"] for row in choose(gpu, variant="fixed", check="racecheck") if found([row])]
    alone = choose(gpu, variant="racy", check="none", answer="wrong")
    return [
        f"in [{2 * len(here)} small programs](#a-suite-of-pairs)",
        f"Of the {len(here)} races warplab finds {found(here)}, and it reports {noisy or 'nothing'} in the fixed programs",
        f"Racecheck on the H200 finds {found(there)}, and reports races in {len(flagged)} of the fixed programs, "
        + " and ".join(f"`{program}`" for program in flagged),
        f"The answer of {len(choose(here, answer='wrong'))} racy programs was wrong on the machine, and of {len(alone)} on "
        "the H200",
    ]


def marked(text: str, tables: dict[str, str]) -> str:
    """The page with its tables between their marks."""
    for name, lines in tables.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        text, times = re.subn(rf"{begin}.*?{end}", lambda _: f"{begin}\n{lines}\n\n{end}", text, flags=re.DOTALL)
        if times != 1:
            sys.exit(f"README.md has {times} places for the table `{name}`")
    return text


def wrong_rows(ours: Rows, theirs: Rows, machine: Rows, gpu: Rows) -> list[str]:
    """What the CSVs lack, and the races that the machine missed, or reported where there is none."""
    wrong = []
    keys = [{(row["code"], row["graph"], row["check"]) for row in rows} for rows in (ours, theirs)]
    if keys[0] != keys[1]:
        wrong.append(f"the CSVs do not have the same programs: {sorted(keys[0] ^ keys[1])[:5]}")
    missed_here = with_bug(choose(ours, check="racecheck", findings="0"))
    wrong += [f"{row['code']}, {row['graph']}: the race was missed" for row in missed_here]
    wrong += [f"{row['code']}, {row['graph']}: a false finding" for row in without_bug(ours) if row["exit_code"] != "0"]
    known = {one["program"] for one in read(SUITE / "missed.csv")}
    if known != {row["program"] for row in choose(machine, variant="racy", check="racecheck", findings="0")}:
        wrong.append("suite/missed.csv does not list the races that suite/warplab.csv lacks")
    names = {source.stem for source in SUITE.glob("*.cu")}
    for rows in (machine, gpu):
        if lacking := names ^ {row["program"] for row in rows}:
            wrong.append(f"suite: a CSV and the programs differ: {sorted(lacking)}")
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
    machine, gpu = (read(SUITE / f"{name}.csv") for name in ("warplab", "compute-sanitizer"))
    page = HERE / "README.md"
    text = page.read_text()
    tables = {
        "races": races(ours, theirs),
        "bugs": by_bug(ours, theirs),
        "paper": paper(),
        "bounds": bounds(ours, theirs),
        "suite": suite(machine, gpu),
        "missed": missed(),
    }
    new = marked(text, tables)
    wrong = wrong_rows(ours, theirs, machine, gpu)
    if command != ["--check"]:
        page.write_text(new)
    elif new != text:
        wrong.append("README.md's tables are stale: run reports/races/table.py")
    public = of_indigo(ours, theirs)
    for path, promised in ((ROOT / "README.md", public[:1]), (page, public + of_suite(machine, gpu))):
        words = " ".join(path.read_text().split())
        wrong += [f"{path.relative_to(ROOT)} does not say: {one}" for one in promised if one not in words]
    for one in wrong:
        print(one)
    print(f"races: {len(ours)} rows of warplab, {len(theirs)} of compute-sanitizer, {len(wrong)} mistakes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

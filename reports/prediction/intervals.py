"""Fits the intervals of predicted times, and shows how many measured times of programs that were left out lie inside.

intervals.py fit PREDICT                writes harness/predict/widths.json from all rows
intervals.py compare PREDICT [--check]  writes intervals.md; with --check exits with 1 when it or the widths are not what follows from
                                        the rows now, or the coverage is not that of eight in ten

A program is a lab, with its rows of both GPUs, or the kernels of one source among those of foreign/. Build `predict` again after a fit:
it contains the widths.
"""

import json
import math
import pathlib
import subprocess
import sys
from collections import Counter, defaultdict

import foreign
import predict
from predict import HERE, percent

WIDTHS = HERE.parent.parent / "harness/predict/widths.json"
# The share of the rows that a fitted interval holds. Of rows of programs that were not fitted, fewer lie inside: with this share nearly
# as many as 85 of 100, the most that an interval of eight in ten may hold, as the equations of the model were found with the labs' rows.
LEVEL = 0.88
LEAST, MOST = 0.75, 0.85
# As many rows of one program count in full; those of a program with more count less, and together as many.
ROWS = 20
# Fewer rows, or rows of fewer programs, do not show how wide a kind's interval is: it is then as wide as the widest.
ENOUGH_ROWS, ENOUGH_PROGRAMS = 20, 3
# As in harness/predict/src/interval.rs.
SIMILAR = 0.1
KINDS = {
    "start": {"launch", "blocks"},
    "memory": {"dram", "l2"},
    "latency": {"latency"},
    "atomics": {"atomics"},
}
ALL_KINDS = ("start", "memory", "sm", "latency", "atomics", "transfers", "unlike")
# Milliseconds of a launch that a profiler does not see: the constant profiler_us.
UNSEEN = 0.6e-3


class Row:
    """A measured row with its prediction."""

    def __init__(self, group, program, row):
        self.group, self.program = group, program
        self.shares, self.told = row["shares"], row["predicted"]
        self.ms, self.measured = self.told["ms"], row["measured"]
        bound = self.told["terms"][0]["bound"]
        self.kind = next((kind for kind, bounds in KINDS.items() if bound in bounds), "sm")
        if "transfer" in row:
            self.kind = "transfers"
        is_single = sum(launch["count"] for launch in row["launched"]) == 1 and "transfer" not in row
        self.unseen = UNSEEN if is_single else 0.0

    def factors(self):
        """By which factor an interval must be extended to hold the time by events, and the time that a profiler would have measured."""
        needed = lambda ms: max((self.ms - self.unseen) / ms, ms / self.ms)
        return needed(self.measured), needed(self.measured - self.unseen)

    def kind_by(self, seen):
        """Its kind, where these are the largest shares that were measured."""
        is_seen = all(share <= seen.get(name, 0.0) + SIMILAR for name, share in self.shares.items())
        return self.kind if is_seen or self.kind == "transfers" else "unlike"


def measured(program):
    """All rows with a predicted time."""
    subjects = HERE / "subjects.jsonl.gz"
    for part in predict.PARTS:
        for row in predict.predicted(program, subjects, part):
            if "predicted" in row:
                yield Row(part.upper(), row["lab"], row)
    for row in foreign.predicted(program):
        yield Row("foreign", f"foreign: {row['variant'].split('_')[0]}", row)


def largest(rows):
    """The largest share of each name."""
    seen = defaultdict(float)
    for row in rows:
        for name, share in row.shares.items():
            seen[name] = max(seen[name], math.ceil(1e3 * share) / 1e3)
    return dict(sorted(seen.items()))


def weighed(pairs, share):
    """The value at this share of the weight."""
    pairs = sorted(pairs)
    rest = share * sum(weight for _, weight in pairs) - 1e-9
    for value, weight in pairs:
        rest -= weight
        if rest <= 0:
            return value
    return pairs[-1][0]


def fit(rows):
    """The factor of each kind with the numbers of its rows and programs, and the largest shares."""
    seen, counts = largest(rows), Counter(row.program for row in rows)
    groups = {kind: [] for kind in ALL_KINDS}
    for program in counts:
        # A row is of another kind if the other programs have nothing like it.
        others = largest([row for row in rows if row.program != program])
        for row in (row for row in rows if row.program == program):
            groups[row.kind_by(others)].append(row)
    weight = lambda row: min(1.0, ROWS / counts[row.program])
    own = {
        kind: max(1.0, weighed([(factor, weight(row)) for row in of for factor in row.factors()], LEVEL))
        for kind, of in groups.items()
        if of
    }
    sizes = {kind: (len(of), len({row.program for row in of})) for kind, of in groups.items()}
    enough = [kind for kind in own if sizes[kind][0] >= ENOUGH_ROWS and sizes[kind][1] >= ENOUGH_PROGRAMS]
    widest = max(own[kind] for kind in enough)
    kinds = {}
    for kind in ALL_KINDS:
        factor = own[kind] if kind in enough and kind != "unlike" else max(widest, own.get(kind, 1.0))
        kinds[kind] = {"factor": round(factor, 3), "rows": sizes[kind][0], "programs": sizes[kind][1]}
    return kinds, seen


def text_of(kinds, seen):
    return json.dumps({"level": LEVEL, "kinds": kinds, "seen": seen}, indent=2) + "\n"


def left_out(rows):
    """Each row with the kind and the factor that follow from the other programs alone."""
    for program in sorted({row.program for row in rows}):
        kinds, seen = fit([row for row in rows if row.program != program])
        for row in (row for row in rows if row.program == program):
            kind = row.kind_by(seen)
            yield row, kind, kinds[kind]["factor"]


def coverage(found):
    """The shares inside of the times by events and by a profiler, of both, and their mean over the programs."""
    inside = [(row.program, [needed <= factor for needed in row.factors()]) for row, _, factor in found]
    mean = lambda values: sum(values) / len(values)
    programs = defaultdict(list)
    for program, pair in inside:
        programs[program].append(mean(pair))
    events, profiler = (mean([pair[i] for _, pair in inside]) for i in range(2))
    return events, profiler, (events + profiler) / 2, mean([mean(values) for values in programs.values()])


def line(name, found):
    errors = [abs(math.log(row.measured / row.ms)) for row, _, _ in found]
    median = math.exp(predict.quantile(errors, 0.5)) - 1
    mape = predict.mape((row.ms, row.measured) for row, _, _ in found)
    before = sum(0.87 <= row.measured / row.ms <= 1.13 for row, _, _ in found) / len(found)
    factor = math.exp(sum(math.log(factor) for _, _, factor in found) / len(found))
    programs = len({row.program for row, _, _ in found})
    shares = " | ".join(map(percent, (median, mape, before, *coverage(found))))
    return f"| {name} | {len(found)} | {programs} | {shares} | {factor:.2f} |"


def table(rows, kinds):
    found = list(left_out(rows))
    of = lambda wanted: [entry for entry in found if wanted(*entry)]
    head = "rows | programs | median error | MAPE | within 13 % | by events | by a profiler | both | mean of the programs | factor |"
    rule = "| --- |" + 9 * " ---: |"
    groups = [("H200", "the labs on an H200"), ("H100", "the labs on an H100"), ("foreign", "foreign kernels on an H200")]
    return "\n".join([
        "How many measured times lie inside the interval that is fitted without their program (`intervals.py`): a lab with its rows of both",
        "GPUs, or the kernels of one source. Within 13 % is what the former interval held, which was the same for all launches. The times by a",
        f"profiler are those by events, less the {1e3 * UNSEEN:.1f} µs of a launch that a profiler does not see.",
        "",
        f"| group | {head}",
        rule,
        *(line(name, of(lambda row, *_, group=group: row.group == group)) for group, name in groups),
        line("all", found),
        "",
        f"| kind, by the other programs | {head}",
        rule,
        *(line(kind, some) for kind in ALL_KINDS if (some := of(lambda _, of_row, __, kind=kind: of_row == kind))),
        "",
        f"| program | {head}",
        rule,
        *(line(program, of(lambda row, *_, program=program: row.program == program)) for program in sorted({row.program for row in rows})),
        "",
        "The factors that are fitted to all rows, as `predict` uses them:",
        "",
        "| kind | factor | rows | programs |",
        "| --- | ---: | ---: | ---: |",
        *(f"| {kind} | {of['factor']:.2f} | {of['rows']} | {of['programs']} |" for kind, of in kinds.items()),
        "",
    ]), coverage(found)


def compare(program, check):
    rows = list(measured(program))
    kinds, seen = fit(rows)
    text, (events, profiler, both, programs) = table(rows, kinds)
    print(f"{len(rows)} rows: of programs left out {percent(events)} by events and {percent(profiler)} by a profiler lie inside")
    predict.write_or_compare(HERE / "intervals.md", text, check, "intervals.py")
    if WIDTHS.read_text() != text_of(kinds, seen):
        sys.exit("widths.json: not what follows from the rows now; run intervals.py fit, and build predict again")
    for row in rows:
        kind = row.kind_by(seen)
        # Foreign kernels have the time of an idle device added to all three.
        factor = row.told["high_ms"] / row.ms if row.group == "foreign" else kinds[kind]["factor"]
        if kind != row.told["kind"] or abs(row.told["high_ms"] / row.ms - factor) > 1e-6:
            sys.exit(f"{row.program}: predict has another interval than follows from its widths: {row.told}")
    if not all(LEAST <= share <= MOST for share in (both, programs)):
        sys.exit(f"{percent(both)} inside, {percent(programs)} as a mean of the programs: not {percent(LEAST)} to {percent(MOST)}")


def main():
    match [word for word in sys.argv[1:] if word != "--check"]:
        case ["fit", program]:
            WIDTHS.write_text(text_of(*fit(list(measured(program)))))
        case ["compare", program]:
            compare(program, "--check" in sys.argv)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()

"""Sets predicted times against those that were measured on an H200 and on an H100, row by row.

predict.py emulate WARPLAB FOLDER     counts the launches of runs.txt on the emulated H200; writes FOLDER/subjects.jsonl.gz
predict.py compare PREDICT SUBJECTS   predicts them with the program `predict`; writes rows.csv, table.md and chart.svg here,
                                      and rows.csv and table.md in h100
predict.py recount WARPLAB SUBJECTS FOLDER [--some]   counts again (only the small runs), and exits with 1 when the counts are others
predict.py compare PREDICT SUBJECTS --check   exits with 1 when they are not what is committed

A row is compared if the measured row has the same lab, variant, case, size, grid and block, and was timed by CUDA events. Rows that
are wrong on purpose are left out: what they do depends on the order of their threads. PREDICT may be followed by a file of constants
(PREDICT=FILE.toml) in place of the H200's. An H100 has the same number of SMs and executes the same code, so the counts serve both.
"""

import csv
import gzip
import io
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict, namedtuple

from order import COUNT, NOISE, SAME, alike, quantile, reachable, tau

HERE = pathlib.Path(__file__).resolve().parent
# The measured rows of each part.
PARTS = {part: HERE.parent / part for part in ("h200", "h100")}
MEASURED = PARTS["h200"]
KEY = ("lab", "variant", "case", "n", "grid", "block")
# The folder whose runs take little time to emulate.
SMALL = "n-65537"
# Variants that do fewer rounds where the device is emulated.
OTHER_WORK = {
    *(("divergence", name) for name in ("ways", "lone")),
    *(("occupancy", name) for name in ("register-heavy", "shared-heavy", "spilled", "waves", "waves-latency")),
    *(("histogram", name) for name in ("contention-global", "contention-shared")),
}
# Timed by the host's clock, or no launch of one kernel after another: what the host does between the launches decides.
BY_HOST = {"returning", "hello", "bughunt"}


def runs():
    """Folders and arguments."""
    lines = (HERE / "runs.txt").read_text().splitlines()
    return [line.split(" ", 1) for line in lines if line and not line.startswith("#")]


def csvs(folder):
    """The files of a run with its rows, without those of the counters."""
    return sorted(path for path in folder.glob("*.csv") if not path.name.endswith(".counters.csv"))


def rows_of(folder):
    """The measured times and their spreads, in ms, of a folder's rows that can be compared, by what distinguishes them."""
    found = {}
    for path in csvs(folder):
        with path.open(newline="") as handle:
            for row in csv.DictReader(handle):
                timed = row["time_median_ms"] and row["verdict"] == "pass" and row["grid"]
                by_host = row["lab"] in BY_HOST or row["variant"] == "constant" or row["variant"].startswith(("jacobi-", "cublas"))
                sweeps = row["variant"].startswith(("jacobi-sweep",))
                same = (row["lab"], row["variant"]) not in OTHER_WORK and "wrong on purpose" not in row["note"]
                if timed and same and (sweeps or not by_host):
                    found[tuple(row[name] for name in KEY)] = float(row["time_median_ms"]), float(row["time_stdev_ms"])
    return found


def emulate(warplab, folder, some=False):
    """Counts what decides the time of every row that was measured."""
    environment = os.environ | {"WARPLAB_WORKERS": "1", "WARPLAB_NVRTC": "off"}
    lines = []
    for of, arguments in runs():
        if some and not of.endswith(SMALL):
            continue
        if not (MEASURED / of).is_dir():
            print(f"{of}: {arguments}: nothing was recorded there yet", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory() as out:
            # Checks count nothing, and those of the variants that are wrong on purpose take long.
            command = [warplab, *arguments.split(), "--device", "emulated:h200", "--predict", "--check", "none"]
            command += ["--no-exercises", "--quiet", "--out", out]
            code = subprocess.run(command, env=environment, check=False).returncode
            print(f"{of}: {arguments}: exit code {code}", file=sys.stderr)
            lines += counted(pathlib.Path(out), of, rows_of(MEASURED / of))
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(line, sort_keys=True) + "\n" for line in lines)
    (folder / "subjects.jsonl.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


def counted(out, of, measured):
    """The launches of a run's rows that were also measured."""
    for path in csvs(out):
        details = defaultdict(list)
        lines = path.with_suffix(".jsonl")
        for line in lines.read_text().splitlines() if lines.exists() else []:
            told = json.loads(line)
            if told.get("predicted"):
                details[told["variant"], told["case"], told["n"]].append(told["predicted"])
        with path.open(newline="") as handle:
            for row in csv.DictReader(handle):
                key = tuple(row[name] for name in KEY)
                counted = details.get((row["variant"], row["case"], int(row["n"]) if row["n"] else None))
                if key in measured and counted:
                    launches, moved = counted[0]["launches"], counted[0].get("transfer")
                    for launch in launches:
                        # Zeros say nothing.
                        launch["subject"] = {name: value for name, value in launch["subject"].items() if value}
                    launches = merged(launches)
                    yield {"of": of, **dict(zip(KEY, key)), "launches": launches, **({"transfer": moved} if moved else {})}


def merged(launches):
    """The launches, each kind once: those on several streams are in any order."""
    kinds = defaultdict(int)
    for launch in launches:
        kinds[json.dumps(launch["subject"], sort_keys=True)] += launch["count"]
    return [{"count": count, "subject": json.loads(kind)} for kind, count in sorted(kinds.items())]


def recount(warplab, subjects, folder, some):
    """Whether the launches count today what was counted for the committed predictions."""
    emulate(warplab, folder, some)
    read = lambda path: {json.dumps([row["of"], *(row[name] for name in KEY)]): row for row in map(json.loads, gzip.open(path))}
    before, now = read(subjects), read(folder / "subjects.jsonl.gz")
    labs = json.loads(subprocess.run([warplab, "list", "--json"], stdout=subprocess.PIPE, check=True).stdout)
    listed = {(lab["name"], variant["name"]) for lab in labs for variant in lab["variants"]}
    # What was measured of variants that were removed stays a measurement.
    before = {key: row for key, row in before.items() if (row["lab"], row["variant"]) in listed}
    other = [key for key in before if (not some or SMALL in key) and now.get(key) != before[key]]
    other += [key for key in now if key not in before]
    print(f"{len(now)} rows counted again, {len(other)} of them differ")
    if other:
        sys.exit("\n".join(["not as committed; run predict.py emulate and compare:", *sorted(other)]))


def predicted(program, subjects, part="h200"):
    """The rows with their predictions and measured times."""
    program, _, constants = program.partition("=")
    lines = gzip.decompress(subjects.read_bytes())
    told = subprocess.run([program, constants or part], input=lines, stdout=subprocess.PIPE, check=True).stdout
    known = {}
    launched = [json.loads(line)["launches"] for line in lines.splitlines()]
    for line, launches in zip(told.splitlines(), launched):
        row = {**json.loads(line), "launched": launches}
        measured = known.setdefault(row["of"], rows_of(PARTS[part] / row["of"]))
        key = tuple(row[name] for name in KEY)
        if key in measured or part == "h200":
            ms, spread = measured[key]
            yield {**row, "measured": ms, "spread": spread}


def ratio(row):
    return row["predicted"]["ms"] / row["measured"]


def mape(pairs):
    """The mean of the absolute errors of predicted times, relative to the measured ones."""
    errors = [abs(predicted / measured - 1) for predicted, measured in pairs]
    return sum(errors) / len(errors)


# Of rows: tau, that of all pairs and that of those that differ by more than noise, of how many pairs that is, the median error, the mean
# absolute percentage error, and the shares within 1.5 times, twice, and the interval.
Shares = namedtuple("Shares", "tau all_pairs clear pairs median mape near twice inside")


def shares(rows, noise=None):
    errors = [abs(math.log(ratio(row))) for row in rows]
    part = lambda most: sum(e <= math.log(most) for e in errors) / len(rows)
    inside = sum(row["predicted"]["low_ms"] <= row["measured"] <= row["predicted"]["high_ms"] for row in rows) / len(rows)
    ranks = tau(rows)[0], tau(rows, one_variant=True)[0], *tau(rows, noise, one_variant=True)
    mean = mape((row["predicted"]["ms"], row["measured"]) for row in rows)
    return Shares(*ranks, math.exp(quantile(errors, 0.5)) - 1, mean, part(1.5), part(2), inside)


def percent(value):
    return f"{100 * value:.0f} %"


def line(name, rows, noise, known):
    """A line of a table; `known` are the rows that show how far times differ by chance."""
    of = shares(rows, noise)
    clear = f"{of.clear:.2f} of {of.pairs}" if of.pairs else ""
    within = " | ".join(map(percent, (of.median, of.mape, of.near, of.twice, of.inside)))
    return f"| {name} | {len(rows)} | {of.tau:.2f} | {reachable(rows, known):.2f} | {of.all_pairs:.2f} | {clear} | {within} |"


def parts(row):
    """What a row's launches are predicted to take besides what any launch takes, and how many follow the first: fills are as short."""
    own = next(term["ms"] for term in row["predicted"]["terms"] if term["bound"] == "launch")
    return row["predicted"]["ms"] - own, sum(launch["count"] for launch in row["launched"]) - 1


def fit(rows):
    """Milliseconds of a first launch and of each that follows, such that half of the rows' errors are as small as can be."""
    known = [(*parts(row), row["measured"]) for row in rows]
    error = lambda pair: sum(abs(math.log((ms + pair[0] + pair[1] * more) / measured)) for ms, more, measured in known)
    # In tenths of a microsecond: first every fifth, then all around the best of these.
    best = lambda firsts, afters: min(((f / 1e4, a / 1e4) for f in firsts for a in afters), key=error)
    first, after = (round(1e4 * ms) for ms in best(range(10, 81, 5), range(5, 46, 5)))
    return best(range(first - 5, first + 6), range(after - 5, after + 6))


def left_out(rows, lab):
    """What a launch's constants that are fitted to the other labs alone give for this lab."""
    others, own = [row for row in rows if row["lab"] != lab], [row for row in rows if row["lab"] == lab]
    first, after = fit(others)
    def error(row):
        ms, more = parts(row)
        return math.log((ms + first + after * more) / row["measured"])
    own = [error(row) for row in own]
    near = sum(abs(value) <= math.log(1.5) for value in own) / len(own)
    median = math.exp(quantile([abs(value) for value in own], 0.5)) - 1
    mean = mape((math.exp(value), 1.0) for value in own)
    return f"| {lab} | {1e3 * first:.1f} | {1e3 * after:.1f} | {percent(median)} | {percent(mean)} | {percent(near)} |"


def fitted():
    """The constants of the H200 that are fitted to a lab's rows, by the lab."""
    constants = tomllib.loads((HERE.parent.parent / "harness/gpu/parts/h200.toml").read_text())["constants"]
    found = defaultdict(list)
    for name, constant in sorted(constants.items()):
        lab = re.match(r"fitted to rows of reports/h200(?:/[^:]*)?: (\w+)", constant["source"])
        if lab:
            found[lab[1]].append(f"`{name}`")
    return found


def table(every, noise, part="h200"):
    refused = [row for row in every if "predicted" not in row]
    rows = [row for row in every if "predicted" in row]
    labs = sorted({row["lab"] for row in rows})
    of = lambda lab: [row for row in rows if row["lab"] == lab]
    bounds = sorted({row["predicted"]["terms"][0]["bound"] for row in rows})
    bound = lambda name: [row for row in rows if row["predicted"]["terms"][0]["bound"] == name]
    head = "rows | Kendall's tau | reachable | all pairs | beyond noise, of pairs | median error | MAPE "
    head += "| within 1.5 times | within twice | inside the interval |"
    rule = "| --- |" + 10 * " ---: |"
    reasons = sorted({f"{row['lab']}, {row['variant']}: {row['not_predicted']}" for row in refused})
    own = fitted()
    return "\n".join([
        f"{len(rows)} rows that were measured on one {part.upper()}, predicted from what the emulated H200 counts (`predict.py`). Tau is over the",
        "pairs of rows of two variants of one lab in one run, and next to it over all pairs of such rows, also those of one variant. Times that",
        f"are predicted within {percent(SAME)} of each other are predicted to be equal, and so are times that were measured within {1e6 * COUNT:.0f} ns, a count of the",
        "events' clock: tau-b counts these as ties. Reachable is the tau that these times themselves have when noise is added to them,",
        "drawn from the differences of rows that are counted alike (`order.py`): who knew each row's time could not be expected to reach more.",
        f"Beyond noise are, of all pairs, those whose measured times differ by more than {1e3 * noise:.1f} µs, and by more than the spread of their",
        f"samples: of 100 pairs of rows whose launches are counted alike, {100 * NOISE:.0f} differ by less.",
        "",
        *([f"{len(refused)} rows have no predicted time ({'; '.join(reasons)}).", ""] if refused else []),
        f"| lab | {head}",
        rule,
        *(line(lab, of(lab), noise, every) for lab in labs),
        line("all", rows, noise, every),
        line("measured at least 20 µs", [row for row in rows if row["measured"] >= 0.02], noise, every),
        "",
        f"| predicted bound | {head}",
        rule,
        *(line(name.replace("_", " "), bound(name), noise, every) for name in bounds),
        "",
        *(again(rows, labs) if part == "h200" else []),
        "With the two constants of a launch, in µs, that are fitted to the other labs alone; the last column names the constants that were",
        "fitted to rows of this lab, for which its agreement is in part by construction. `intervals.md` has the intervals.",
        "",
        "| left out | first launch | each more | median error | MAPE | within 1.5 times | fitted to it |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- |",
        *(f"{left_out(rows, lab)} {', '.join(own[lab])} |" for lab in labs),
        "",
    ])


def again(rows, labs):
    """How far a second part, on which the same rows were measured, puts them in the same order: no model can do better."""
    known, both = {}, []
    for row in rows:
        folder = PARTS["h100"] / row["of"]
        measured = known.setdefault(row["of"], rows_of(folder) if folder.is_dir() else {})
        key = tuple(row[name] for name in KEY)
        if key in measured:
            told = lambda ms: {**row, "predicted": {"ms": ms}}
            both.append((row["lab"], row, {**row, "measured": measured[key][0]}, told(measured[key][0])))
    taus = []
    for lab in labs:
        of = [entry[1:] for entry in both if entry[0] == lab]
        here, there, other = (tau([entry[i] for entry in of])[0] for i in range(3))
        if of:
            taus.append(f"| {lab} | {len(of)} | {here:.2f} | {there:.2f} | {other:.2f} |")
    return [
        "The order of the rows that were measured on an H100 as well, by tau: ours against the times measured here and there,",
        "and the measured times of the two against each other. Where these disagree, the order is one of chance, or of the two parts.",
        "",
        "| lab | rows | predicted, H200 | predicted, H100 | H200, H100 |",
        "| --- | ---: | ---: | ---: | ---: |",
        *taus,
        "",
    ]


def listed(rows):
    """Every row, as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*KEY, "measured_ms", "predicted_ms", "predicted_low_ms", "predicted_high_ms", "predicted_bound", "next", "ahead"])
    short = lambda value: f"{value:.4g}"
    for row in rows:
        told = row.get("predicted")
        if not told:
            writer.writerow([*(row[name] for name in KEY), short(row["measured"]), "", "", "", row["not_predicted"], "", ""])
            continue
        first, after = told["terms"][:2]
        ahead = first["ms"] / after["ms"] if after["ms"] else math.inf
        times = map(short, (row["measured"], told["ms"], told["low_ms"], told["high_ms"]))
        writer.writerow([*(row[name] for name in KEY), *times, first["bound"], after["bound"], short(ahead)])
    return text.getvalue()


COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb", "#332288", "#117733", "#882255"]


def chart(rows):
    """Predicted over measured, both by powers of ten, with the diagonal and 1.5 times on both sides."""
    size, edge, low, high = 640, 60, -2.6, 2.0
    place = lambda value: (math.log10(value) - low) / (high - low) * (size - 2 * edge)
    x, y = (lambda value: edge + place(value)), (lambda value: size - edge - place(value))
    labs = sorted({row["lab"] for row in rows})
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size + 120} {size}" font-family="sans-serif" font-size="12">',
        f'<title>Predicted and measured times of {len(rows)} rows on an H200</title>',
        f'<rect width="{size + 120}" height="{size}" fill="white"/>',
    ]
    for power in range(-2, 3):
        value = 10.0**power
        parts += [
            f'<path d="M{x(value):.1f} {edge}V{size - edge}M{edge} {y(value):.1f}H{size - edge}" stroke="#ddd"/>',
            f'<text x="{x(value):.1f}" y="{size - edge + 18}" text-anchor="middle">{value:g}</text>',
            f'<text x="{edge - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>',
        ]
    for factor, dash in ((1, "none"), (1.5, "4 4"), (1 / 1.5, "4 4")):
        ends = [10**low * max(1, 1 / factor), 10**high * min(1, 1 / factor)]
        (x1, y1), (x2, y2) = [(x(end), y(end * factor)) for end in ends]
        parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#888" stroke-dasharray="{dash}"/>')
    for i, lab in enumerate(labs):
        parts.append(f'<g fill="{COLOURS[i % len(COLOURS)]}" fill-opacity="0.7">')
        for row in (row for row in rows if row["lab"] == lab):
            name = " ".join(row[part] for part in ("lab", "variant", "case", "n")).replace("&", "&amp;").replace("<", "&lt;")
            at = f'cx="{x(row["measured"]):.1f}" cy="{y(row["predicted"]["ms"]):.1f}"'
            parts.append(f'<circle {at} r="3"><title>{name}</title></circle>')
        parts.append("</g>")
    for i, lab in enumerate(labs):
        parts += [
            f'<circle cx="{size - 40}" cy="{edge + 20 * i}" r="5" fill="{COLOURS[i % len(COLOURS)]}"/>',
            f'<text x="{size - 28}" y="{edge + 20 * i + 4}">{lab}</text>',
        ]
    middle = size / 2
    parts += [
        f'<text x="{middle}" y="{size - 15}" text-anchor="middle">measured, ms</text>',
        f'<text x="18" y="{middle}" text-anchor="middle" transform="rotate(-90 18 {middle})">predicted, ms</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def compare(program, subjects, check):
    stale = []
    for part, folder in (("h200", HERE), ("h100", HERE / "h100")):
        if "=" in program and part != "h200":
            continue
        every = list(predicted(program, subjects, part))
        rows = [row for row in every if "predicted" in row]
        if not rows:
            sys.exit(f"nothing was compared: no row of the {part.upper()} is in both")
        noise = alike(every)
        texts = {"table.md": table(every, noise, part), "rows.csv": listed(every)}
        if part == "h200":
            texts["chart.svg"] = chart(rows)
        for name, text in texts.items():
            path = folder / name
            if not check:
                path.write_text(text)
            elif not path.exists() or path.read_text() != text:
                stale.append(str(path.relative_to(HERE)))
        of = shares(rows, noise)
        ranks = f"tau {of.tau:.2f}, of all pairs {of.all_pairs:.2f}, beyond noise {of.clear:.2f}"
        print(f"{part.upper()}: {len(rows)} rows: {ranks}, median error {percent(of.median)}, MAPE {percent(of.mape)}, {percent(of.near)} within 1.5 times")
    if stale:
        sys.exit(f"{', '.join(stale)}: not what is predicted now; run predict.py without --check")


def write_or_compare(path, text, check, script):
    """Writes a table; with `check`, exits if another one is committed."""
    if not check:
        path.write_text(text)
    elif path.read_text() != text:
        sys.exit(f"{path.relative_to(HERE)}: not what is predicted now; run {script} compare without --check")


def main():
    words = [word for word in sys.argv[1:] if word not in ("--check", "--some")]
    match words:
        case ["emulate", warplab, folder]:
            emulate(os.path.realpath(warplab), pathlib.Path(folder))
        case ["recount", warplab, subjects, folder]:
            recount(os.path.realpath(warplab), pathlib.Path(subjects), pathlib.Path(folder), "--some" in sys.argv)
        case ["compare", program, subjects]:
            compare(program, pathlib.Path(subjects), "--check" in sys.argv)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()

"""In which order rows are predicted and measured: Kendall's tau, what counts as noise, and how far tau can reach.

Tau is over pairs of rows of two variants, as it is the variants whose order matters; next to it is the tau of all pairs, which
are also of one variant with other types, shapes or settings. Two times that are predicted within SAME of each other are predicted to be equal,
and so are two that were measured within COUNT of each other: a tie, which agrees with no order and with none disagrees. Tau-b counts
ties: of two rows that are predicted to be equal and differ, or the other way round, tau loses. The same holds for what tau can reach, so
that both are found by one rule.
"""

import bisect
import json
import math
import random
from collections import defaultdict

# The share of pairs of rows with equal counts whose difference is taken for noise.
NOISE = 0.95
# Predicted times that differ by no more than this share of the longer one are equal.
SAME = 0.01
# Milliseconds: events count in 32 ns, so times that are one count apart may be of launches that take equally long.
COUNT = 32e-6
# How often noise is drawn, and of how many pairs of rows of about the same time.
DRAWS, NEAR = 40, 20


def quantile(values, share):
    values = sorted(values)
    at = share * (len(values) - 1)
    low = math.floor(at)
    return values[low] + (values[min(low + 1, len(values) - 1)] - values[low]) * (at - low)


def pairs_alike(rows):
    """The measured times, in ms, of pairs of rows whose launches are counted alike."""
    groups = defaultdict(list)
    for row in rows:
        if "transfer" in row:
            continue  # What the host does besides is not counted.
        counts = [(launch["count"], {**launch["subject"], "kernel": ""}) for launch in row["launched"]]
        groups[json.dumps(counts, sort_keys=True)].append(row["measured"])
    return [(a, b) for times in groups.values() for i, a in enumerate(times) for b in times[:i]]


def alike(rows):
    """Milliseconds by which the measured times of pairs of rows differ whose launches are counted alike: nearly all of them."""
    differences = [abs(a - b) for a, b in pairs_alike(rows)]
    return quantile(differences, NOISE) if differences else 0.0


def by_run(rows):
    """The rows of each lab and run."""
    groups = defaultdict(list)
    for row in rows:
        groups[row["of"], row["lab"]].append(row)
    return groups.values()


def tau(rows, noise=None, one_variant=False):
    """Kendall's tau-b of the pairs of rows of one lab and run, and how many pairs that are; of none there is no tau.

    With `noise`, in milliseconds, pairs are left out whose measured times differ by no more than that, or than their spreads. Pairs of
    one variant count only with `one_variant`.
    """
    sums = [0, 0, 0, 0]
    for group in by_run(rows):
        told = [(row["measured"], row["predicted"]["ms"], row["spread"], row["variant"]) for row in group]
        sums = [a + b for a, b in zip(sums, counted(told, noise, one_variant))]
    return tau_b(*sums), sum(sums)


def counted(told, noise=None, one_variant=False):
    """Pairs that agree, that differ, and that are tied in the first or in the second alone, of measured, predicted, spread, variant."""
    agree = differ = ties_measured = ties_predicted = 0
    for i, (x, u, x_spread, x_of) in enumerate(told):
        for y, v, y_spread, y_of in told[:i]:
            first, second = x - y, u - v
            if x_of == y_of and not one_variant:
                continue
            if noise is not None and abs(first) <= max(noise, math.hypot(x_spread, y_spread)):
                continue
            if abs(first) <= 1.001 * COUNT:  # The times are decimal fractions.
                first = 0
            if abs(second) <= SAME * max(u, v):
                second = 0
            agree += first * second > 0
            differ += first * second < 0
            ties_measured += first == 0 and second != 0
            ties_predicted += second == 0 and first != 0
    return agree, differ, ties_measured, ties_predicted


def tau_b(agree, differ, ties_measured, ties_predicted):
    pairs = (agree + differ + ties_measured) * (agree + differ + ties_predicted)
    return (agree - differ) / math.sqrt(pairs) if pairs else math.nan


def reachable(rows, known):
    """The tau that a predictor reaches who knows each row's time, when it is measured once more, with another noise.

    The noise of a row is drawn from the differences of the pairs among `known` that are counted alike, of the NEAR pairs whose times are
    nearest to its own. Both times of such a pair have it, hence the root of two. They are of one run, next to each other, and from run to
    run rows differ by more; and the times that were measured have their noise already, which sets them apart. So this is a bound.
    """
    alike = sorted((math.log((a + b) / 2), (a - b) / math.sqrt(2)) for a, b in pairs_alike(known))
    if not alike:
        return math.nan
    times, dice, taus = [time for time, _ in alike], random.Random(1), []
    near = {}
    for row in rows:
        at = bisect.bisect(times, math.log(row["measured"]))
        first = max(0, min(at - NEAR // 2, len(alike) - NEAR))
        near[id(row)] = [noise for _, noise in alike[first : first + NEAR]]
    for _ in range(DRAWS):
        sums = [0, 0, 0, 0]
        for group in by_run(rows):
            told = []
            for row in group:
                noises = near[id(row)]
                noise = noises[int(dice.random() * len(noises))] * (1 if dice.random() < 0.5 else -1)
                told.append((max(1e-6, row["measured"] + noise), row["measured"], 0, row["variant"]))
            sums = [a + b for a, b in zip(sums, counted(told))]
        taus.append(tau_b(*sums))
    return sum(taus) / len(taus)

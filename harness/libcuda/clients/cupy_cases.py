"""Runs CuPy's own tests with pytest, in two steps:

cupy_cases.py choose COUNT SEED CHOSEN FOLDER...   writes tests to CHOSEN: COUNT from each folder, or `all`
cupy_cases.py run CHOSEN RESULTS FILE              runs those of one file, and writes a line `TEST<tab>OUTCOME<tab>SECONDS` for each
"""

import random
import re
import sys
from pathlib import Path

import pytest

# How a test says that it needs one of NVIDIA's closed libraries: by CuPy's exception, or because the library is not installed.
CLOSED = re.compile(r"\b(?:lib)?(cublas|cufft|curand|cusolver|cusparse|cutensor)(?:Lt)?(?:\.so|Error\b|_STATUS_)", re.IGNORECASE)
NAMES = {"cublas": "cuBLAS", "cufft": "cuFFT", "curand": "cuRAND", "cusolver": "cuSOLVER", "cusparse": "cuSPARSE", "cutensor": "cuTENSOR"}
OPTIONS = ["-q", "-p", "no:cacheprovider", "-o", "faulthandler_timeout=0"]


def name(nodeid):
    """Returns the name of a test, which may contain any character, on one line."""
    return nodeid.removeprefix("tests/cupy_tests/").replace("\t", " ").replace("\n", " ")


class Choice:
    """Chooses tests by a seed, and writes their names instead of running them."""

    def __init__(self, count, seed, file):
        self.count, self.seed, self.file = count, seed, file

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        folders = {}
        for item in items:
            folders.setdefault(name(item.nodeid).partition("/")[0], []).append(name(item.nodeid))
        with open(self.file, "w", encoding="utf-8") as out:
            for folder, tests in sorted(folders.items()):
                print(f"{folder}: {len(tests)} tests")
                if self.count != "all":
                    tests = sorted(random.Random(self.seed).sample(tests, min(int(self.count), len(tests))))
                out.writelines(f"{test}\n" for test in tests)
        items.clear()


class Run:
    """Runs the chosen tests. Each outcome is written immediately, so that those before a crash are kept."""

    def __init__(self, chosen, file):
        self.chosen, self.file = set(Path(chosen).read_text(encoding="utf-8").splitlines()), file

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if name(item.nodeid) in self.chosen]

    def pytest_runtest_logreport(self, report):
        if report.when != "call" and report.passed:
            return
        outcome = {"passed": "ok", "skipped": "skipped", "failed": "FAIL"}[report.outcome]
        if report.failed:
            errors = "\n".join(line for line in report.longreprtext.splitlines() if line.startswith("E "))
            if closed := CLOSED.search(errors):
                outcome = f"skipped: needs {NAMES[closed[1].lower()]}"
        with open(self.file, "a", encoding="utf-8") as out:
            out.write(f"{name(report.nodeid)}\t{outcome}\t{report.duration:.2f}\n")


if sys.argv[1] == "choose":
    count, seed, chosen, *folders = sys.argv[2:]
    # Each of the tests that were collected is deselected: pytest then reports that it has run none.
    code = pytest.main([*folders, *OPTIONS, "--collect-only"], plugins=[Choice(count, int(seed), chosen)])
    sys.exit(code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED))
chosen, results, file = sys.argv[2:]
sys.exit(pytest.main([file, *OPTIONS], plugins=[Run(chosen, results)]))

"""Runs pytest and writes a line `PREFIX.TEST<tab>OUTCOME` for each case: cases.py WHAT PREFIX FILE [OPTION OF PYTEST...]"""

import sys

import pytest

what, prefix, file, *options = sys.argv[1:]


class Cases:
    """Records each case's outcome immediately, so that those before a crash are kept."""

    def pytest_runtest_logreport(self, report):
        if report.when != "call" and report.passed:
            return
        outcome = {"passed": "ok", "skipped": "skipped", "failed": "FAIL"}[report.outcome]
        if hasattr(report, "wasxfail") and report.skipped:
            outcome = "skipped"
        with open(file, "a", encoding="utf-8") as out:
            out.write(f"{prefix}.{report.nodeid.partition('::')[2]}\t{outcome}\n")


sys.exit(pytest.main([what, "-q", "-p", "no:cacheprovider", *options], plugins=[Cases()]))

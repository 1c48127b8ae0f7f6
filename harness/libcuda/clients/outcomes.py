"""Runs a module's unittest tests and writes a line `TEST<tab>OUTCOME` for each: outcomes.py MODULE FILE"""

import sys
import unittest

# Tests that need too much memory or time for an ordinary computer.
TOO_LARGE = {
    "test_managed_alloc_driver_undersubscribe": "fills half of the device's memory, and the host's with it",
    "test_issue_9229": "launches 5.7e9 threads",
}

# Tests with a mistake that a GPU does not notice. The machine finds it and ends the context, and with it every later test.
MISTAKEN = {
    "test_dispatcher_cpointer_arguments": "works on 16 elements of arrays of 10",
}


class Outcomes(unittest.TextTestResult):
    """Records each test's outcome immediately, so that those before a crash are kept."""

    worst = None

    def startTest(self, test):
        super().startTest(test)
        self.worst = "ok"
        name = test.id().rpartition(".")[2]
        if reason := TOO_LARGE.get(name) or MISTAKEN.get(name):
            test.setUp = lambda: test.skipTest(reason)

    def stopTest(self, test):
        super().stopTest(test)
        name = test.id().removeprefix("numba.cuda.tests.")
        out.write(f"{name}\t{self.worst}\n")
        out.flush()

    def addError(self, test, err):
        # unittest treats pytest's skip as an error.
        if err[0].__name__ == "Skipped":
            return self.addSkip(test, str(err[1]))
        super().addError(test, err)
        self.worst = "ERROR"

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.worst = "FAIL"

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.worst = "FAIL"

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.worst = f"skipped: {' '.join(reason.split())}" if reason else "skipped"


# Some tests start processes that import this file again.
if __name__ == "__main__":
    module, file = sys.argv[1:]
    with open(file, "a", encoding="utf-8") as out:
        suite = unittest.defaultTestLoader.loadTestsFromName(module)
        runner = unittest.TextTestRunner(resultclass=Outcomes, verbosity=2)
        sys.exit(not runner.run(suite).wasSuccessful())

"""The package's tests: `python test_warplab.py`, with the wheel, IPython and nvcc."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import RichOutput, capture_output

import warplab
from warplab import magic, records, render, stream

MAIN = """#include <cstdio>
#include "part.cuh"
__global__ void k(int *x) { BODY }
int main() {
    int *x;
    cudaMalloc(&x, 4);
    k<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    AFTER
}
"""


def cell(body: str = "x[0] = 1;", after: str = "return 0;") -> str:
    """Returns a program with this kernel."""
    return MAIN.replace("BODY", body).replace("AFTER", after)


class Cells(unittest.TestCase):
    """Cells, as a user runs them."""

    @classmethod
    def setUpClass(cls) -> None:
        """Starts IPython in an empty folder."""
        cls.shell = InteractiveShell.instance()
        warplab.load_ipython_extension(cls.shell)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.addClassCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def run_cell(self, line: str, text: str) -> tuple[str, str, list[RichOutput]]:
        """Returns what the cell writes, and what it displays."""
        with capture_output() as captured:
            self.shell.run_cell_magic("cuda", line, text)
        return captured.stdout, captured.stderr, captured.outputs

    def setUp(self) -> None:
        """Writes the header that the programs include."""
        self.run_cell("-o part.cuh", "#pragma once\n")

    def test_a_program_prints_and_has_no_findings(self) -> None:
        out, err, shown = self.run_cell("-- seven", cell(after='printf("%s\\n", "right"); return 0;'))
        self.assertEqual((out, err, shown), ("right\n", "", []))

    def test_a_finding_shows_the_line_and_the_remedy(self) -> None:
        _, err, [shown] = self.run_cell("--device emulated", cell("x[threadIdx.x] = 1;"))
        self.assertNotIn("Invalid", err, "it is shown once")
        page = shown.data["text/html"]
        for word in ("Invalid __global__ write", "cell.cu:3", "x[threadIdx.x] = 1;", "help:"):
            self.assertIn(word, page)
        self.assertIn("Invalid __global__ write of size 4 bytes", shown.data["text/plain"])

    def test_options_show_tables(self) -> None:
        line = "--device emulated:h200 --counters --hot=1 --predict -O3"
        _, err, shown = self.run_cell(line, cell())
        self.assertEqual(err, "")
        titles = [one.data["text/plain"].splitlines()[0] for one in shown]
        self.assertEqual([title.split()[0] for title in titles], ["Counters,", "Hot", "Predicted"])
        self.assertEqual(len(shown[1].data["text/plain"].splitlines()), 3)
        self.assertTrue(all("<table" in one.data["text/html"] for one in shown))

    def test_a_named_cell_can_be_included(self) -> None:
        out, _, _ = self.run_cell("-o answer.cu", "__device__ int answer() { return 42; }\n")
        self.assertIn("answer.cu is written", out)
        body = cell('printf("%d\\n", threadIdx.x == 0 ? answer() : 0);').replace("part.cuh", "answer.cu")
        self.assertIn("42\n", self.run_cell("", body)[0])

    def test_a_program_that_fails_says_its_exit_code(self) -> None:
        self.assertIn("exit code is 3", self.run_cell("", cell(after="return 3;"))[1])

    def test_a_syntax_error_is_nvccs(self) -> None:
        _, err, shown = self.run_cell("", cell("x[0] = ;"))
        self.assertRegex(err, r"(?m)^cell\.cu\(3\): error: expected an expression")
        self.assertEqual(shown, [])

    def test_unknown_options_are_refused(self) -> None:
        self.assertIn("Unknown option '--chek'", self.run_cell("--chek", cell())[1])
        for line, word in [
            ("-o", "needs a value"),
            ("-o a.out", "names the cell's source"),
            ('-D"x', "quotation"),
            ("-o no/a.cu", "cannot write no/a.cu: No such"),
        ]:
            with self.assertRaisesRegex(UsageError, word):
                magic.cuda(line, "")

    def test_a_missing_compiler_says_how_to_get_it(self) -> None:
        # A copy of the program outside of this environment, with an empty cache.
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder, "bin", "warplab")
            copy.parent.mkdir()
            copy.write_bytes(warplab.program().read_bytes())
            copy.chmod(0o755)
            alone = {"WARPLAB_CACHE": folder, "VIRTUAL_ENV": "", "PATH": "/usr/bin:/bin"}
            with mock.patch.dict(os.environ, alone), mock.patch.object(magic, "program", lambda: copy):
                _, err, _ = self.run_cell("", cell())
        self.assertIn("%pip install 'warplab[nvcc]'", err)

    def test_an_interrupt_ends_a_program_that_hangs(self) -> None:
        began = time.monotonic()
        # A job in the background of a shell ignores SIGINT, and would never end here.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        threading.Timer(3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            self.run_cell("", cell("while (*(volatile int *)x == 0) {}"))
        self.assertLess(time.monotonic() - began, 3 + stream.GRACE)
        self.assertEqual(self.run_cell("", cell(after='printf("alive\\n");'))[0], "alive\n")

    def test_much_output_is_cut_and_counted(self) -> None:
        after = 'for (int i = 0; i < 1000000; i++) printf("%099d\\n", i); return 0;'
        out, _, _ = self.run_cell("", cell(after=after))
        self.assertLess(len(out), stream.SHOWN + 200)
        self.assertIn("[99.0 MB more are not shown", out[-100:])


class Parts(unittest.TestCase):
    """The parts of the package."""

    def test_the_words_after_the_magic_are_sorted(self) -> None:
        options = magic.Options.parse("--check all -O3 --device=emulated:h200 -I dir --hot=3 -o a.cu -- --check 2")
        self.assertEqual(options.of_exec, ["--check", "all", "--device=emulated:h200", "--hot=3"])
        self.assertEqual(options.of_nvcc, ["-O3", "-I", "dir"])
        self.assertEqual((options.name, options.arguments, options.lines()), ("a.cu", ["--check", "2"], 3))
        self.assertEqual((magic.Options.parse("--hot").lines(), magic.Options.parse("").lines()), (10, None))

    def test_output_comes_as_it_is_printed(self) -> None:
        seen: list[float] = []
        target = mock.Mock(write=lambda text: seen.append(time.monotonic()) if text else None)
        with contextlib.redirect_stdout(target):
            code = stream.run(["python3", "-c", "import time; print(1); time.sleep(1); print(2)"], str)
        self.assertEqual((code, len(seen)), (0, 2))
        self.assertGreater(seen[1] - seen[0], 0.5)

    def test_characters_are_whole(self) -> None:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            stream.run(["sh", "-c", r"printf '\303'; sleep 0.2; printf '\244'; printf '\377'"], str)
        self.assertEqual(out.getvalue(), "ä\ufffd")

    def test_the_mark_is_below_its_character(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "a.cu")
            file.write_text("{\n\tx = y < z;\n}\n")
            access = records.Access("read", 4, (0, 0, 0), (1, 0, 0), 3, line=2, column=6, file=str(file))
            found = records.Finding("memcheck", "wrong <here>", "", "", accesses=(access,))
            page = render.finding_html(found)
        self.assertIn("\tx = y &lt; z;", page)
        self.assertIn("| \t    ^ read of 4 bytes by thread (1,0,0) and 2 more in block (0,0,0)", page)
        self.assertIn("wrong &lt;here&gt;", page)
        self.assertNotIn("help:", page)
        self.assertNotIn("<pre", render.finding_html(found), "the file is gone")

    def test_the_tools_are_on_the_path(self) -> None:
        with mock.patch.dict(os.environ):
            warplab.activate()
            asked = subprocess.run(["nvcc", "--version"], capture_output=True, text=True, check=True)
            self.assertIn("NVIDIA", asked.stdout)
            self.assertIn("machine", os.environ["LD_LIBRARY_PATH"])


if __name__ == "__main__":
    unittest.main()

"""Runs a program and passes on what it prints, as it prints it."""

from __future__ import annotations

import codecs
import contextlib
import os
import selectors
import signal
import subprocess
import sys
import time
import tty
from collections.abc import Callable, Sequence
from typing import TextIO

# The bytes of each stream that are shown. A notebook keeps them in its file and in the browser.
SHOWN = 1_000_000
# How long an interrupted program may take to end, in seconds.
GRACE = 10.0


class _Stream:
    """One output stream of the program, copied to one of this process."""

    def __init__(self, source: int, target: TextIO, edit: Callable[[str], str]) -> None:
        self.source, self.target, self.edit = source, target, edit
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.count = 0

    def copy(self) -> bool:
        """Copies what there is. Returns whether the stream is open."""
        try:
            data = os.read(self.source, 1 << 16)
        except OSError:
            # A terminal whose other end is closed reports an error.
            data = b""
        room = max(0, SHOWN - self.count)
        self.count += len(data)
        self.target.write(self.edit(self.decoder.decode(data[:room], final=not data)))
        self.target.flush()
        return bool(data)

    def finish(self) -> None:
        if self.count > SHOWN:
            hidden = (self.count - SHOWN) / 1e6
            print(f"\n[{hidden:.1f} MB more are not shown: write so much to a file]", file=self.target, flush=True)


def run(command: Sequence[str], edit: Callable[[str], str]) -> int:
    """Runs the command and returns its exit code. `edit` changes each piece of standard error.

    Standard output is a terminal, because a C program keeps back what it prints to a pipe. An interrupt is passed on,
    and raised again when the program has ended.
    """
    terminal, its_output = os.openpty()
    tty.setraw(its_output)
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=its_output, stderr=subprocess.PIPE, start_new_session=True
    )
    os.close(its_output)
    assert process.stderr is not None
    streams = [_Stream(terminal, sys.stdout, str), _Stream(process.stderr.fileno(), sys.stderr, edit)]
    interrupted: KeyboardInterrupt | None = None
    deadline = float("inf")
    try:
        with selectors.DefaultSelector() as selector:
            for stream in streams:
                selector.register(stream.source, selectors.EVENT_READ, stream)
            while selector.get_map() and time.monotonic() < deadline:
                try:
                    for key, _ in selector.select(deadline - time.monotonic() if interrupted else None):
                        if not key.data.copy():
                            selector.unregister(key.fd)
                except KeyboardInterrupt as error:
                    deadline = time.monotonic() + (0 if interrupted else GRACE)
                    interrupted = error
                    _signal(process, signal.SIGINT)
        for stream in streams:
            stream.finish()
        if interrupted:
            raise interrupted
        return process.wait()
    finally:
        _signal(process, signal.SIGKILL)
        process.wait()
        os.close(terminal)
        process.stderr.close()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Sends a signal to the program and the processes that it started, unless it has ended."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)

"""Runs commands one by one, each with a limit on time and on memory: bounded.py PLAN RESULTS LOGS SECONDS MIB

PLAN has lines `NAME<tab>COMMAND`. RESULTS gets `NAME<tab>OUTCOME` for each: ok, FAIL, or the limit that it exceeded. LOGS is a
folder for what the commands print; each runs in a new folder inside it.
"""

import os
import pathlib
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time

plan, results, logs, seconds, mebibytes = sys.argv[1:]
seconds, mebibytes = float(seconds), int(mebibytes)
logs = pathlib.Path(logs).absolute()


def resident_mebibytes(pid):
    """Returns the resident memory of the process, or 0 if it has ended."""
    try:
        return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize() >> 20
    except (OSError, IndexError):
        return 0


def run(name, command):
    """Runs one command and returns its outcome, its time and its peak memory."""
    place = logs / name.replace("/", ".")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    start = time.monotonic()
    with open(f"{place}.log", "w") as log:
        child = subprocess.Popen(shlex.split(command), cwd=place, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        outcome = None
        while outcome is None:
            time.sleep(0.05)
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                most = usage.ru_maxrss >> 10
                code = os.waitstatus_to_exitcode(status)
                outcome = "ok" if code == 0 else "FAIL" if code > 0 else f"ended by {signal.Signals(-code).name}"
                if most > mebibytes:
                    outcome = f"used {most} MiB"
            elif resident_mebibytes(child.pid) > mebibytes or time.monotonic() - start > seconds:
                over_time = time.monotonic() - start > seconds
                os.killpg(child.pid, signal.SIGKILL)
                _, _, usage = os.wait4(child.pid, 0)
                most = usage.ru_maxrss >> 10
                outcome = f"not done in {seconds:g} s" if over_time else f"used {most} MiB"
    return outcome, time.monotonic() - start, most


with open(results, "w") as out:
    for line in pathlib.Path(plan).read_text().splitlines():
        name, command = line.split("\t")
        outcome, took, most = run(name, command)
        out.write(f"{name}\t{outcome}\n")
        out.flush()
        print(f"{name}: {outcome} ({took:.0f} s, {most} MiB)", flush=True)

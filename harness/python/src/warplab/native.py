"""The native program that this package comes with, and the commands of a CUDA toolkit that it serves."""

from __future__ import annotations

import atexit
import os
import shutil
import sysconfig
import tempfile
from functools import cache
from pathlib import Path

# A link of one of these names to the program is that tool. harness/cli/src/main.rs has the same list.
TOOLS = ("nvcc",)


@cache
def program() -> Path:
    """Returns the path of the native program `warplab`."""
    schemes = [sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")]
    folders = [Path(sysconfig.get_path("scripts", scheme)) for scheme in schemes]
    # `pip install --target FOLDER` puts programs into FOLDER/bin.
    folders.append(Path(__file__).parents[1] / "bin")
    for folder in folders:
        if (folder / "warplab").is_file():
            return folder / "warplab"
    on_path = shutil.which("warplab")
    if on_path is None:
        raise FileNotFoundError("the program warplab is missing: `pip install --force-reinstall warplab` restores it")
    return Path(on_path)


@cache
def activate() -> Path:
    """Puts a folder with `warplab` and the CUDA tools that it serves first on PATH, and returns it.

    `!nvcc x.cu -o x` in a notebook then runs `warplab nvcc`. The folder is deleted when Python ends.
    """
    folder = Path(tempfile.mkdtemp(prefix="warplab-tools-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in ("warplab", *TOOLS):
        (folder / name).symlink_to(program())
    os.environ["PATH"] = os.pathsep.join([str(folder), os.environ.get("PATH", os.defpath)])
    return folder

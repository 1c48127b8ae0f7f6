"""The native program that this package comes with, and the commands of a CUDA toolkit that it serves."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sysconfig
from functools import cache
from pathlib import Path


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
    """Puts the folder with `warplab` and the CUDA tools that it serves first on PATH, and returns it.

    `!nvcc x.cu -run` in a notebook then runs `warplab nvcc`, and programs of CUDA run on the embedded machine if there
    is no GPU, as in `warplab shell`.
    """
    # `sh` prints one assignment a line, quoted as shlex reads it.
    asked = subprocess.run([program(), "env", "--shell", "sh"], capture_output=True, text=True, check=True)
    for word in shlex.split(asked.stdout):
        name, equals, value = word.partition("=")
        if equals:
            os.environ[name] = value
    return Path(os.environ["PATH"].partition(os.pathsep)[0])

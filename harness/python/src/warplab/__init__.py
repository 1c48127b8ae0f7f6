"""warplab in Python: `%load_ext warplab` gives notebooks `%%cuda`, and `activate` puts the CUDA tools on PATH."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .native import activate, program

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["activate", "load_ipython_extension", "program"]


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Registers `%%cuda`: what `%load_ext warplab` does."""
    from .magic import cuda

    shell.register_magic_function(cuda, "cell", "cuda")

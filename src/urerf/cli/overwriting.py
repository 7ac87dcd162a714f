"""Protect the input of a command from its output."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from .errors import WrongUsage


def refuse_overwriting(options: Mapping[str, Any]) -> None:
    """Refuse an output file that is also an input file, whatever it is called.

    ``options`` are those of a command; ``out`` is the output, ``files`` and ``model`` are inputs.
    """
    out = options.get("out")
    if not isinstance(out, str) or not os.path.isfile(out):
        return
    files = options.get("files") or ()
    for path in (*files, options.get("model")):
        is_file = isinstance(path, str) and os.path.isfile(path)
        if is_file and os.path.samefile(path, out):
            raise WrongUsage(f"-o: {out!r} is also the input; choose another file")

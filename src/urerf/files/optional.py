"""Packages that only some file formats need."""

from __future__ import annotations

import importlib
from typing import Any


def optional(module: str, purpose: str, extra: str) -> Any:
    """Import an optional package, or say what it is needed for and how to install it.

    >>> optional("no_such_package", "data.zst: it is needed to read .zst files", "files")
    Traceback (most recent call last):
        ...
    ImportError: data.zst: it is needed to read .zst files: pip install urerf[files]
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError(f"{purpose}: pip install urerf[{extra}]") from None

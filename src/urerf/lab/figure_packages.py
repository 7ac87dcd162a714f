"""Whether figures can be drawn."""

from __future__ import annotations


def need_matplotlib() -> None:
    """Raise an ImportError that says how to install matplotlib, if it is missing."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise ImportError("matplotlib is needed for figures: pip install urerf[plot]") from error

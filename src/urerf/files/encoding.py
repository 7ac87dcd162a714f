"""Letters of files that are not UTF-8."""

from __future__ import annotations

import re

# Halves of letters, such as \ud800 in JSON, which stand for nothing.
LONE = re.compile("[\ud800-\udc7f\udd00-\udfff]")


class Repair:
    r"""Replaces bytes that are not UTF-8 by the letters that they are in Windows-1252.

    The text was decoded with the error handler ``surrogateescape``. Repairing single cells works
    for files of any size, and for files that mix both encodings.

    >>> repair = Repair()
    >>> repair(b"caf\xe9".decode("utf-8", "surrogateescape")), repair("ok"), repair.n_repaired
    ('café', 'ok', 1)
    """

    def __init__(self) -> None:
        self.n_repaired = 0

    def __call__(self, text: str) -> str:
        """Return the text with its letters repaired."""
        try:
            text.encode()
        except UnicodeEncodeError:
            self.n_repaired += 1
            text = LONE.sub("\ufffd", text)
            data = text.encode("utf-8", "surrogateescape")
            try:
                return data.decode("cp1252")
            except UnicodeDecodeError:  # five bytes mean nothing in Windows-1252
                return data.decode("latin-1")
        return text

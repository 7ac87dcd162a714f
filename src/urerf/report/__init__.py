"""The HTML report: one page, no network, with an explorer of rows and their neighbours."""

from .findings import Findings, find
from .page import write

__all__ = ["Findings", "find", "write"]

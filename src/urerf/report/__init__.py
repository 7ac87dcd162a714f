"""The HTML report: one file that needs no network, with an explorer of rows and their neighbors."""

from .findings import Findings, find
from .page import write
from .writing import write_report

__all__ = ["Findings", "find", "write", "write_report"]

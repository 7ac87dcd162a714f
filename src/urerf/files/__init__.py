"""Files: any supported format becomes a `FileData`; results are written as text or Parquet."""

from .data import FileData
from .read import read_files, read_for_model

__all__ = ["FileData", "read_files", "read_for_model"]

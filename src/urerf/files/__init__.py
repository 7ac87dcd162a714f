"""Files: any supported format becomes a `FileData`; results are written as text or Parquet."""

from .data import FileData
from .options import ColumnOptions, ReadOptions
from .read import read_files, read_for_model

__all__ = ["ColumnOptions", "FileData", "ReadOptions", "read_files", "read_for_model"]

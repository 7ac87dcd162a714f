"""Tables from and to files: text, NumPy, Arrow, Parquet and H5AD come in, text, JSON, Parquet and NPZ go out."""

from .read import read_for_model, read_table
from .table import Table

__all__ = ["Table", "read_for_model", "read_table"]

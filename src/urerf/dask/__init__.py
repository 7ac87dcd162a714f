"""The same forest on a Dask cluster. Needs ``pip install urerf[dask]``."""

try:
    from .estimator import DaskURerF
    from .files import neighbors_to_parquet
except ModuleNotFoundError as error:
    raise ImportError(f"urerf.dask: needs {error.name}; pip install 'urerf[dask]'") from error

__all__ = ["DaskURerF", "neighbors_to_parquet"]

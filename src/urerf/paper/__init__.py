"""The experiments of the paper, one module a figure."""

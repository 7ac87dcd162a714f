"""Which fitted rows are nearest: the forest proposes rows, and distances or paths rank them.

`similarity` is the registry of ways to rank, and `index` adds up the forest's similarities. `blend`
adds straight distances and `paths` the lengths of paths; `dimension` says when paths are better.
`known_rows` recognizes fitted rows that come back as new ones.
"""

"""Which kind each column is, and the numbers that its values stand for.

`recognize` decides, unless the user has declared it (`declared`). `convert` and `dates` turn values
into numbers, `counters` and `sentinels` find columns and values that are not measurements, and
`notices` words what users are told.
"""

"""Fuzzers: `python -m hardening.fuzz --seconds 600`.

A *target* (`hardening.fuzz.targets`) makes inputs from a number and checks what urerf does with
them. The *runner* calls it in worker processes with limits on time and memory, so that a crash or a
hang is found and its input saved to `corpus/`, which the tests replay.
"""

"""Hypothesis without deadlines."""

from hypothesis import settings

settings.register_profile("urerf", deadline=None, max_examples=100, derandomize=True)
settings.load_profile("urerf")

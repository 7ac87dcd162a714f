"""What tries to break urerf: fuzzers, a long run, and planted faults that tests must notice."""

"""The evidence: the paper's experiments (``urerf reproduce``) and our own (``urerf bench``).

`tables` has the data and `methods` all competing methods, `trial` computes one run of one method
on one data set, `engine` runs trials and `store` remembers them. A study (`studies`) lists its
trials and turns their results into figures and sentences (`page`) or tables (`writing`); `run` puts
it together.

The programs `error_rates`, `hard_cases` and `null_distributions` print the evidence for the tests
of relevance.
"""

"""The starter set: samples of all five disciplines that ship with ifbench, every one our own.

Questions are written by us or computed from templates with exact answers, pictures are drawn
by us. `python -m ifbench.benchmarks.scimif.starter.build` makes `starter.jsonl` and `images/`
again; each draft also carries an answer that satisfies its constraints and one that does not,
so that a test can hold every sample to its own terms.
"""

"""The starter set of Video-IFBench: drawn videos of which every fact is known, all our own.

A video is data (`scenes`, `videos`); its pictures, sound, subtitles, facts, conditions, checklists
and answers all follow from that data, so that nothing in the set is estimated. `python -m
ifbench.benchmarks.videoif.starter.build` makes the set again. Each draft carries a right answer
and wrong ones, each of which breaks one thing; `checker` decides both over the drawn facts.
"""

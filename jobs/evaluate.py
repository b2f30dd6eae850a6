"""The main job, as a cluster runs it: `python jobs/evaluate.py KEY=VALUE …`."""

from __future__ import annotations

import sys

from ifbench.cli import main

if __name__ == "__main__":
    sys.exit(main(["evaluate", *sys.argv[1:]]))

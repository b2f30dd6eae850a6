"""What a pod runs before it is stopped: `python jobs/leave.py --seconds 20`."""

from __future__ import annotations

import argparse

from ifbench.execution.leaving import leave

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="wait so long at most")
    leave(parser.parse_args().seconds)

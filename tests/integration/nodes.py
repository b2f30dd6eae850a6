"""A Ray cluster on this machine whose nodes come and go as it is told on standard input.

The head has no CPU, as in `k8s/`. Prints the address; then each line of input is a command with a
line of JSON for an answer: `add CPUS` gives the new node's number, `kill NUMBER` ends a node's
raylet and all its workers at once, as a machine ends that loses its power, `workers NUMBER` gives
the ids of the step workers on a node. It ends with its input. A program of its own, since Ray
keeps what it read of its environment for as long as a process lives.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from running import descendants

TESTS = Path(__file__).parents[1]


@dataclass(kw_only=True)
class Nodes:
    """A cluster that is up, seen from the test."""

    process: subprocess.Popen[str]
    address: str

    def add(self, cpus: int, **environment: str) -> int:
        """Have a node join; returns its number."""
        return self._ask(f"add {cpus} {json.dumps(environment)}")

    def kill(self, number: int) -> None:
        """End a node and all that runs on it."""
        self._ask(f"kill {number}")

    def workers(self, number: int) -> list[int]:
        """Step workers of a node, by process id."""
        return self._ask(f"workers {number}")

    def _ask(self, command: str) -> Any:
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


@contextmanager
def start_nodes() -> Iterator[Nodes]:
    """A cluster with a head and nothing else yet."""
    with subprocess.Popen(
        [sys.executable, __file__],
        env={
            **os.environ,
            "RAY_AUTH_MODE": "disabled",
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_worker_niceness": "0",
            "PYTHONWARNINGS": "ignore",
            "PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")]),
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            for line in process.stdout:
                if line.startswith("address "):
                    yield Nodes(process=process, address=line.split()[1])
                    return
            raise AssertionError("the head did not come up")
        finally:
            process.stdin.close()
            process.wait(60)


def main() -> None:
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 0,
            "include_dashboard": False,
            "object_store_memory": 200 * 2**20,
        },
    )
    nodes = []
    try:
        print(f"address {cluster.address}", flush=True)
        for line in sys.stdin:
            what, number, *more = line.split(maxsplit=2)
            if what == "add":
                given = json.loads(more[0])
                nodes.append(
                    cluster.add_node(
                        num_cpus=int(number), object_store_memory=200 * 2**20, env_vars=given
                    )
                )
                print(len(nodes) - 1, flush=True)
                continue
            (raylet,) = nodes[int(number)].all_processes["raylet"]
            below = descendants(raylet.process.pid)
            if what == "workers":
                found = [pid for pid, title in below.items() if "MapWorker" in title]
                print(json.dumps(found), flush=True)
                continue
            for pid in (raylet.process.pid, *below):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            print("null", flush=True)
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main()

"""A Ray cluster of two nodes on this machine, for as long as standard input stays open.

The head has no CPU, as in `k8s/`, so all work is on the other node. Prints one line of JSON with
the dashboard's port and those of the two agents. It is a program of its own, since Ray keeps
what it read of its environment for as long as a process lives.
"""

from __future__ import annotations

import json
import socket
import sys


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def main() -> None:
    from ray.cluster_utils import Cluster

    dashboard, head_agent, worker_agent = free_ports(3)
    cluster = Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 0,
            "include_dashboard": True,
            "dashboard_port": dashboard,
            "dashboard_agent_listen_port": head_agent,
            "object_store_memory": 200 * 2**20,
        },
    )
    try:
        cluster.add_node(
            num_cpus=2,
            dashboard_agent_listen_port=worker_agent,
            object_store_memory=200 * 2**20,
        )
        cluster.wait_for_nodes()
        print(json.dumps({"dashboard": dashboard, "agents": [head_agent, worker_agent]}))
        sys.stdout.flush()
        sys.stdin.read()
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main()

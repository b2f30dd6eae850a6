"""The command that a RayJob holds, through `ray job submit` on two nodes, as KubeRay runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from ifbench.kubernetes.rayjob import entrypoint
from ifbench.store import Store, read_scores

ROOT = Path(__file__).parents[2]
TOKEN = "a-token-as-kuberay-makes-one-of-some-length"
WAIT_S = 240  # for one job, on a machine that is busy

pytestmark = [
    pytest.mark.ray,
    pytest.mark.soak,
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        find_spec("aiohttp_cors") is None,
        reason="`ray job submit` needs Ray's dashboard (pip install 'ifbench[cluster]')",
    ),
]


@dataclass(frozen=True, kw_only=True)
class Nodes:
    """A cluster that is up, and the environment of everybody who talks to it."""

    dashboard: int
    agents: list[int]
    environment: dict[str, str]

    def submit(self, command: str, name: str) -> subprocess.CompletedProcess[str]:
        """As KubeRay's submitter does: the entrypoint stands unquoted in a line for bash."""
        return self.job("submit", f"--submission-id {name} -- {command}")

    def job(self, action: str, words: str) -> subprocess.CompletedProcess[str]:
        address = f"http://127.0.0.1:{self.dashboard}"
        return subprocess.run(
            ["/bin/bash", "-c", f"ray job {action} --address {address} {words}"],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=WAIT_S,
            check=False,
        )


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        "PYTHONWARNINGS": "ignore",
        "RAY_AUTH_MODE": "token",  # as `authOptions.mode: token` has it
        "RAY_AUTH_TOKEN": TOKEN,
        "RAY_JOB_STOP_WAIT_TIME_S": "30",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_worker_niceness": "0",
    }
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("two_nodes.py"))],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        try:
            for line in process.stdout:
                if line.startswith("{"):
                    yield Nodes(environment=environment, **json.loads(line))
                    break
            else:
                pytest.fail("the two nodes did not come up")
        finally:
            process.stdin.close()
            process.wait(60)


def command(*overrides: str) -> str:
    """The entrypoint that `ifbench submit` writes, with this checkout in the image's place."""
    fixed = ("execution=ray", "execution.address=auto", "candidates=[scripted]")
    return entrypoint([*fixed, *overrides]).replace("/app/", f"{ROOT}/")


def test_a_try_that_owes_samples_fails_and_the_next_goes_on_from_the_store(nodes, tmp_path):
    store = tmp_path / "what is it's, [store]"
    same = (
        f'store.uri="{store}"',
        "benchmark.ids=[chemistry-steps-aspirin,physics-momentum]",
    )
    owing = nodes.submit(command(*same, "judge=null"), "first")
    assert owing.returncode == 1, owing.stdout + owing.stderr
    assert "1 of 2 trials are owed" in owing.stdout
    assert "exit code 3" in owing.stdout + owing.stderr

    done = nodes.submit(command(*same, "judge=scripted"), "second")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "asked scripted as candidate: 0 answers, 2 from the store" in done.stdout
    assert sorted(m.invocations[-1].ending for m in Store(str(store)).list_runs()) == [
        "complete",
        "owed",
    ]
    assert read_scores(str(store)).num_rows == 4


def test_a_bad_configuration_fails_before_anything_is_asked_with_its_own_code(nodes, tmp_path):
    bad = nodes.submit(command(f"store.uri='{tmp_path}/store'", "judge=nobody"), "third")
    assert bad.returncode == 1
    assert "judge: no model `nobody`" in bad.stdout
    assert "exit code 2" in bad.stdout + bad.stderr
    assert not (tmp_path / "store").exists()


@pytest.mark.soak
def test_a_run_that_is_deleted_drains_and_keeps_what_was_answered(nodes, tmp_path):
    slow = ("model.scripted.options.latency_s=0.5", "model.scripted.limits.concurrency=2")
    line = command(f"store.uri='{tmp_path}/store'", "judge=scripted", *slow)
    assert nodes.job("submit", f"--no-wait --submission-id fourth -- {line}").returncode == 0
    deadline = time.monotonic() + WAIT_S
    while len(Store(str(tmp_path / "store")).journal) < 5:
        assert time.monotonic() < deadline, nodes.job("logs", "fourth").stdout
        time.sleep(1)
    assert nodes.job("stop", "fourth").returncode == 0
    said = nodes.job("logs", "fourth").stdout
    assert "SIGTERM: no new calls" in said
    assert "To go on: ifbench evaluate" in said
    store = Store(str(tmp_path / "store"))
    (manifest,) = store.list_runs()
    assert manifest.invocations[-1].ending == "interrupted"
    assert 5 <= manifest.counts.answered < manifest.counts.planned


def test_the_probes_of_the_manifests_are_answered_without_a_token(nodes):
    paths = [f":{nodes.dashboard}/api/gcs_healthz"]
    paths += [f":{port}/api/local_raylet_healthz" for port in nodes.agents]
    assert [status(path) for path in paths] == [200, 200, 200]
    assert status(f":{nodes.dashboard}/api/jobs/") == 401


def status(path: str) -> int:
    """The HTTP status; an agent takes some seconds to come up."""
    deadline = time.monotonic() + 30
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1{path}", timeout=10) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code
        except urllib.error.URLError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)

"""One budget over actors and drivers of a Ray cluster, counted at the endpoint."""

from __future__ import annotations

import asyncio
import bisect
import json
import subprocess
import sys
import threading
import time

import pytest
from aiohttp import web

from execution import limiter_traffic
from ifbench.engines.budget import TTL_S
from ifbench.execution.ray_limiter import NAME, NAMESPACE, leave_limiter

pytestmark = [pytest.mark.ray, pytest.mark.soak]

PER_S = 10.0
LIMITS = {"requests_per_minute": 60 * PER_S, "concurrency": 64}


class Endpoint:
    """Answers after `latency_s` and notes when each run's requests came."""

    def __init__(self) -> None:
        self.came: list[tuple[float, str]] = []
        self.in_flight = self.most = 0
        self.latency_s = 0.02
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self.url = asyncio.run_coroutine_threadsafe(self._start(), self._loop).result()

    async def _start(self) -> str:
        app = web.Application()
        app.router.add_get("/{run}", self._answer)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        return f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}"

    async def _answer(self, request: web.Request) -> web.Response:
        self.came.append((time.monotonic(), request.match_info["run"]))
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        try:
            await asyncio.sleep(self.latency_s)
        finally:
            self.in_flight -= 1
        return web.Response(text="ok")

    def moments(self, run: str = "") -> list[float]:
        return sorted(moment for moment, name in self.came if name.startswith(run))


@pytest.fixture
def endpoint() -> Endpoint:
    return Endpoint()


@pytest.fixture(scope="module")
def ray():
    from ray import cloudpickle

    from ifbench.execution.ray_start import RayOptions, start_ray

    cloudpickle.register_pickle_by_value(limiter_traffic)  # Workers cannot import tests.
    return start_ray(RayOptions(num_cpus=2))


@pytest.fixture(scope="module")
def senders(ray) -> list:
    """Two actors that send."""
    return [start_sender(ray) for _ in range(2)]


def start_sender(ray):
    actor = ray.remote(num_cpus=0.1)(limiter_traffic.Sender).remote()
    ray.get(actor.__ray_ready__.remote())
    return actor


def until(is_so) -> None:
    deadline = time.monotonic() + 15
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def limiter_of(ray):
    return ray.get_actor(NAME, namespace=NAMESPACE)


def most_within(moments: list[float], seconds: float) -> int:
    return max(bisect.bisect_left(moments, m + seconds) - i for i, m in enumerate(moments))


def assert_rate_is_kept_and_used(moments: list[float], *, least: float = 0.97) -> None:
    """After the first second, and before the last."""
    steady = [m for m in moments if moments[0] + 1 <= m < moments[-1] - 0.2]
    for window in (1.0, 2.0, 5.0):
        assert most_within(steady, window) <= PER_S * window + 1  # Both ends may hold one.
    assert (len(steady) - 1) / (steady[-1] - steady[0]) >= least * PER_S


def test_two_workers_share_a_rate_exactly(ray, senders, endpoint):
    ray.get(
        [
            actor.send.remote(endpoint.url, f"run-{i}", 7.0, LIMITS)
            for i, actor in enumerate(senders)
        ]
    )
    assert_rate_is_kept_and_used(endpoint.moments())
    counts = [len(endpoint.moments(f"run-{i}")) for i in range(2)]
    assert min(counts) > 0.6 * max(counts)


def test_two_drivers_on_one_cluster_share_a_rate(ray, endpoint):
    cluster = ray.get_runtime_context().gcs_address
    drivers = [
        subprocess.Popen(
            [
                *(sys.executable, limiter_traffic.__file__, cluster, endpoint.url, run),
                *("6", json.dumps(LIMITS)),
            ]
        )
        for run in ("one", "other")
    ]
    assert [driver.wait(60) for driver in drivers] == [0, 0]
    one, other = endpoint.moments("one"), endpoint.moments("other")
    both = [m for m in endpoint.moments() if max(one[0], other[0]) <= m <= min(one[-1], other[-1])]
    assert len(both) > 30
    assert_rate_is_kept_and_used(both)


def test_killed_worker_gives_its_places_back(ray, senders, endpoint):
    dead, other = start_sender(ray), senders[0]
    endpoint.latency_s = 60.0
    limits = {"concurrency": 4}
    dead.send.remote(endpoint.url, "dead", 60.0, limits)
    until(lambda: endpoint.in_flight == 4)
    endpoint.latency_s = 0.02
    sent = other.send.remote(endpoint.url, "other", TTL_S + 3.0, limits)
    time.sleep(1.5)
    assert endpoint.moments("other") == []
    killed_at = time.monotonic()
    ray.kill(dead)
    ray.get(sent)
    assert TTL_S - 1.0 < endpoint.moments("other")[0] - killed_at < TTL_S + 1.0


@pytest.mark.parametrize("restarted_by", ["ray", "a worker"])
def test_killed_limiter_is_rebuilt_without_a_burst(ray, senders, endpoint, restarted_by):
    sent = [
        actor.send.remote(endpoint.url, f"run-{i}", 7.0, {**LIMITS, "concurrency": 6})
        for i, actor in enumerate(senders)
    ]
    until(lambda: len(endpoint.came) >= 20)
    killed_at = time.monotonic()
    ray.kill(limiter_of(ray), no_restart=restarted_by == "a worker")
    ray.get(sent)
    moments = endpoint.moments()
    assert moments[-1] > killed_at + 4.0
    for window in (1.0, 2.0):
        assert most_within([m for m in moments if m > moments[0] + 1], window) <= (
            PER_S * window + 1
        )
    assert endpoint.most <= 6


def test_the_last_run_that_leaves_ends_the_limiter(ray, senders, endpoint):
    sent = senders[0].send.remote(endpoint.url, "late", 3.0, LIMITS)
    until(lambda: endpoint.came)
    leave_limiter("early")
    before = len(endpoint.came)
    ray.get(sent)
    assert len(endpoint.came) > before + 5
    leave_limiter("late")
    with pytest.raises(ValueError, match="Failed to look up actor"):
        limiter_of(ray)

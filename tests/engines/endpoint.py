"""A local OpenAI-compatible endpoint that counts what it is asked and misbehaves on demand.

In this process (its loop must run for it to answer):

    async with FakeEndpoint(reply="four") as endpoint:
        ...  endpoint.url, endpoint.requests, endpoint.arrived, endpoint.behave(Fault(status=500))

In a process of its own, so that it outlives a driver that is killed:

    with EndpointProcess(latency_s=0.5) as endpoint:
        ...  endpoint.url, endpoint.counts(), endpoint.behave(Fault(status=429, times=3))

By hand: `python tests/engines/endpoint.py --latency 1` prints its URL as the first line.

A request's identity is `digest(body)`: the SHA-256 of its model and messages. Repeats of a
trial send the same messages, so they share a digest.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import importlib.util
import json
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

from aiohttp import web

from ifbench.engines.scripted import example_of

Body = Mapping[str, Any]
Reply = str | Callable[[Body], str | Mapping[str, Any]]
"""A fixed text, or a function from the request's body to a text or a whole `message`."""


@dataclass(kw_only=True)
class Fault:
    """What to do instead of answering, for the next `times` requests that hold `match`."""

    mode: Literal["answer", "hang", "dribble", "cut", "drop"] = "answer"
    """`hang`: never answer. `dribble`: a byte now and then. `cut`: a body that ends early.
    `drop`: close the connection. `answer`: send `status`, `headers` and `body`."""
    status: int = 200
    body: Any = None
    """A text goes out as it is, anything else as JSON; `None` is the ordinary reply (200) or an
    error of the usual shape."""
    headers: dict[str, str] = field(default_factory=dict)
    match: str = ""
    """A text that the request's body must hold."""
    times: int | None = None
    """How often it happens; `None` is always."""
    every: int = 1
    """Only each so-many-th of the requests that match."""
    matched: int = 0
    """Requests so far that matched."""
    latency_s: float | None = None


def digest(body: Body) -> str:
    """The identity of what is asked: model and messages."""
    asked = json.dumps([body.get("model"), body.get("messages")], sort_keys=True)
    return hashlib.sha256(asked.encode()).hexdigest()


def text_of(body: Body) -> str:
    """All text of the request's messages, in order."""
    parts: list[str] = []
    for message in body.get("messages", ()):
        content = message.get("content")
        pieces = [{"text": content}] if isinstance(content, str) else content or []
        parts += [piece["text"] for piece in pieces if "text" in piece]
    return "\n".join(parts)


def ordinary_reply(body: Body) -> str:
    """JSON where a schema is asked for, else a short text that depends on the request alone."""
    wanted = body.get("response_format") or {}
    if wanted.get("type") == "json_schema":
        return json.dumps(example_of(wanted["json_schema"]["schema"]))
    return f"reply {digest(body)[:12]}"


def completion(body: Body, message: str | Mapping[str, Any], finish: str = "stop") -> dict:
    """A chat completion; `message` is its text or the whole message."""
    whole = {"content": message} if isinstance(message, str) else dict(message)
    words = len(str(whole.get("content") or "").split())
    asked = len(text_of(body).split())
    return {
        "id": f"chatcmpl-{digest(body)[:8]}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": f"{body.get('model')}-2026-01-01",
        "system_fingerprint": "fp_local",
        "choices": [
            {
                "index": 0,
                "finish_reason": whole.pop("finish_reason", finish),
                "message": {"role": "assistant", **whole},
            }
        ],
        "usage": {
            "prompt_tokens": asked,
            "completion_tokens": words,
            "total_tokens": asked + words,
        },
    }


def error_body(message: str, code: str | None = None) -> dict:
    """An error of OpenAI's shape."""
    return {"error": {"message": message, "type": "error", "param": None, "code": code}}


class FakeEndpoint:
    """The endpoint in this process. `requests` holds the bodies in order of arrival."""

    def __init__(
        self,
        *,
        reply: Reply = ordinary_reply,
        latency_s: float = 0.0,
        keep_bodies: bool = True,
        requests_per_s: float | None = None,
        port: int = 0,
    ) -> None:
        self.reply = reply
        self.latency_s = latency_s
        self.requests_per_s = requests_per_s
        """Above it a request gets a 429 with `retry-after: 1`, counted in `refused`."""
        self.requests: list[dict] = []
        self.headers: list[dict[str, str]] = []
        self.arrived: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.statuses: Counter[int] = Counter()
        self.refused = 0
        self.in_flight = 0
        self.most_in_flight = 0
        self._keep_bodies = keep_bodies
        self._faults: list[Fault] = []
        self._epoch = 0
        self._port = port
        self._level, self._filled_at = requests_per_s or 0.0, time.monotonic()
        self._closing = asyncio.Event()
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=1 << 30)
        app.router.add_post("/v1/chat/completions", self._answer)
        app.router.add_get("/v1/models", self._models)
        app.router.add_get("/control/counts", self._send_counts)
        app.router.add_post("/control/behave", self._take_faults)
        app.router.add_post("/control/reset", self._reset)
        self._runner = web.AppRunner(
            app,
            access_log=None,
            shutdown_timeout=0.1,
            handler_cancellation=True,  # Nothing is answered to a driver that was killed.
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing.set()
        assert self._runner is not None
        await self._runner.cleanup()

    @property
    def url(self) -> str:
        """The base URL, `/v1` included."""
        assert self._runner is not None
        host, port = self._runner.addresses[0][:2]
        return f"http://{host}:{port}/v1"

    @property
    def total(self) -> int:
        """Requests that arrived, refused and broken ones included."""
        return sum(self.arrived.values())

    def behave(self, *faults: Fault) -> None:
        """Replace the faults; the first that matches a request and has times left applies."""
        self._faults = list(faults)

    def counts(self) -> dict[str, Any]:
        """What was seen so far, as plain JSON."""
        return {
            "total": self.total,
            "arrived": dict(self.arrived),
            "answered": dict(self.answered),
            "statuses": {str(status): n for status, n in self.statuses.items()},
            "refused": self.refused,
            "in_flight": self.in_flight,
            "most_in_flight": self.most_in_flight,
        }

    # ── Answering ────────────────────────────────────────────────────────────────────

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        raw = await request.text()
        body = json.loads(raw)
        identity = digest(body)
        self.arrived[identity] += 1
        if self._keep_bodies:
            self.requests.append(body)
            self.headers.append(dict(request.headers))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await self._respond(request, body, identity, self._fault_for(raw))
        finally:
            self.in_flight -= 1

    def _fault_for(self, raw: str) -> Fault | None:
        for fault in self._faults:
            if fault.times == 0 or fault.match not in raw:
                continue
            fault.matched += 1
            if fault.matched % fault.every:
                continue
            if fault.times is not None:
                fault.times -= 1
            return fault
        return None

    async def _respond(
        self, request: web.Request, body: Body, identity: str, fault: Fault | None
    ) -> web.StreamResponse:
        if self._is_over_rate():
            self.refused += 1
            return self._send(429, error_body("Rate limit reached"), {"retry-after": "1"})
        latency = self.latency_s if fault is None or fault.latency_s is None else fault.latency_s
        epoch = self._epoch
        if latency:
            await asyncio.sleep(latency)
        if fault is None:
            self._count_answer(identity, epoch)
            return self._send(200, self._reply_to(body), {})
        if fault.mode != "answer":
            return await self._break(request, body, fault)
        if fault.status == 200 and fault.body is None:
            self._count_answer(identity, epoch)
        sent = fault.body
        if sent is None and fault.status == 200:
            sent = self._reply_to(body)
        elif sent is None:
            sent = error_body(f"status {fault.status}")
        return self._send(fault.status, sent, fault.headers)

    def _count_answer(self, identity: str, epoch: int) -> None:
        """Count it, unless the counts began anew while it was slow: its asker may be dead."""
        if epoch == self._epoch:
            self.answered[identity] += 1

    def _reply_to(self, body: Body) -> dict:
        return completion(body, self.reply if isinstance(self.reply, str) else self.reply(body))

    def _send(self, status: int, body: Any, headers: Mapping[str, str]) -> web.Response:
        self.statuses[status] += 1
        text = body if isinstance(body, str) else json.dumps(body)
        return web.Response(
            status=status, text=text, headers=headers, content_type="application/json"
        )

    async def _break(self, request: web.Request, body: Body, fault: Fault) -> web.StreamResponse:
        if fault.mode == "hang":
            await self._closing.wait()
        assert request.transport is not None
        if fault.mode in {"hang", "drop"}:
            request.transport.abort()
            return web.Response()
        whole = json.dumps(self._reply_to(body)).encode()
        response = web.StreamResponse(headers={"content-length": str(len(whole) + 1000)})
        await response.prepare(request)
        await response.write(whole[: len(whole) // 2])
        while fault.mode == "dribble" and not self._closing.is_set():
            await asyncio.sleep(0.05)
            await response.write(b" ")
        request.transport.abort()
        return response

    def _is_over_rate(self) -> bool:
        if self.requests_per_s is None:
            return False
        now = time.monotonic()
        grown = self._level + (now - self._filled_at) * self.requests_per_s
        self._level, self._filled_at = min(max(1.0, self.requests_per_s), grown), now
        if self._level < 1:
            return True
        self._level -= 1
        return False

    # ── Control ──────────────────────────────────────────────────────────────────────

    async def _models(self, _: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "fake", "object": "model"}]})

    async def _send_counts(self, _: web.Request) -> web.Response:
        return web.json_response(self.counts())

    async def _take_faults(self, request: web.Request) -> web.Response:
        self.behave(*(Fault(**fields) for fields in await request.json()))
        return web.json_response({})

    async def _reset(self, _: web.Request) -> web.Response:
        self._epoch += 1
        for counter in (self.arrived, self.answered, self.statuses):
            counter.clear()
        self.requests.clear()
        self.headers.clear()
        self.refused = self.most_in_flight = 0
        return web.json_response({})


class EndpointProcess:
    """The endpoint in a process of its own; leaving the context ends it."""

    def __init__(
        self,
        *,
        latency_s: float = 0.0,
        reply: str | None = None,
        requests_per_s: float | None = None,
        port: int = 0,
    ) -> None:
        """`reply` is a text, or `FILE.py:FUNCTION` for a function from body to reply."""
        self._command = [sys.executable, __file__, "--latency", str(latency_s), "--port", str(port)]
        if reply is not None:
            self._command += ["--reply", reply]
        if requests_per_s is not None:
            self._command += ["--requests-per-s", str(requests_per_s)]

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        assert self.url, "the endpoint did not start"
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(10)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def counts(self) -> dict[str, Any]:
        """What the endpoint has seen; see `FakeEndpoint.counts`."""
        return self._call("counts", None)

    def behave(self, *faults: Fault) -> None:
        """Replace the endpoint's faults."""
        self._call("behave", [asdict(fault) for fault in faults])

    def reset(self) -> None:
        """Set all counts to zero."""
        self._call("reset", {})

    def _call(self, name: str, data: Any) -> Any:
        address = f"{self.url.removesuffix('/v1')}/control/{name}"
        sent = None if data is None else json.dumps(data).encode()
        with urllib.request.urlopen(urllib.request.Request(address, data=sent)) as answer:
            return json.load(answer)


def load_reply(text: str | None) -> Reply:
    """Read `--reply`: nothing, a text, or `FILE.py:FUNCTION`."""
    if text is None:
        return ordinary_reply
    path, found, name = text.rpartition(".py:")
    if not found:
        return text
    spec = importlib.util.spec_from_file_location("endpoint_reply", Path(f"{path}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


async def serve(options: argparse.Namespace) -> None:
    """Run until the process is ended."""
    endpoint = FakeEndpoint(
        reply=load_reply(options.reply),
        latency_s=options.latency,
        requests_per_s=options.requests_per_s,
        keep_bodies=False,
        port=options.port,
    )
    async with endpoint:
        print(endpoint.url, flush=True)
        await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description="A local OpenAI-compatible endpoint for tests")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--reply", help="a text, or FILE.py:FUNCTION from body to reply")
    parser.add_argument("--requests-per-s", type=float, help="answer 429 above this rate")
    asyncio.run(serve(parser.parse_args()))


if __name__ == "__main__":
    main()

"""An S3 server on this machine that counts requests and fails on demand: moto's, in a thread.

server.requests             ... (method, path, query) of each request since `forget`
server.fail(Broken(method="PUT", status=503, times=3))
"""

from __future__ import annotations

import logging
import re
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "planted-id",
    "AWS_SECRET_ACCESS_KEY": "planted-secret",
    "AWS_EC2_METADATA_DISABLED": "true",
}


@dataclass(kw_only=True)
class Broken:
    """What befalls requests; the first that matches and has times left counts."""

    method: str = ""
    path: str = ""
    status: int = 0
    """0: the request is carried out, after `wait_s`."""
    code: str = "InternalError"
    wait_s: float = 0.0
    drop: bool = False
    """Cut the connection without an answer."""
    late: bool = False
    """Carry the request out first, and fail all the same."""
    unsigned: bool = False
    """Only requests without keys."""
    region_is_not: str = ""
    """Only requests that are signed for another region."""
    times: int = 1 << 30

    def hits(self, environ: dict[str, Any]) -> bool:
        signature = environ.get("HTTP_AUTHORIZATION", "")
        return (
            self.times > 0
            and self.method in ("", environ["REQUEST_METHOD"])
            and re.search(self.path, environ["PATH_INFO"]) is not None
            and not (self.unsigned and signature)
            and not (self.region_is_not and f"/{self.region_is_not}/" in signature)
        )


@dataclass(kw_only=True)
class S3Server:
    """The running server. Its buckets live in memory."""

    port: int
    requests: list[tuple[str, str, str]]
    broken: list[Broken] = field(default_factory=list)
    buckets: int = 0

    def make_bucket(self) -> str:
        """The URI of a new bucket; its options come after a `?`."""
        self.buckets += 1
        name = f"bucket-{self.buckets}"
        url = f"http://127.0.0.1:{self.port}/{name}"
        urllib.request.urlopen(urllib.request.Request(url, method="PUT")).read()
        self.forget()
        return name

    def uri(self, bucket: str, prefix: str = "ifbench") -> str:
        return f"s3://{bucket}/{prefix}?endpoint_override=127.0.0.1:{self.port}&scheme=http"

    def fail(self, *broken: Broken) -> None:
        """How requests fail from now on."""
        self.broken[:] = broken

    def forget(self) -> None:
        """Count from now on."""
        self.requests.clear()

    def counts(self) -> Counter[str]:
        """Requests by what they do: LIST is a GET of a bucket."""
        return Counter(
            "LIST" if method == "GET" and "list-type" in query else method
            for method, _, query in self.requests
        )

    def objects(self, part: str = "") -> list[str]:
        """Objects that hold something, by a part of their name."""
        from moto.s3.models import s3_backends

        return sorted(
            f"{bucket.name}/{key.name}"
            for account in s3_backends.values()
            for backend in account.values()
            for bucket in backend.buckets.values()
            for key in bucket.keys.values()
            if part in f"{bucket.name}/{key.name}" and key.size
        )


def serve() -> Iterator[S3Server]:
    """Start a server; it stops when the generator goes on. Needs `moto[server]`."""
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Handler(WSGIRequestHandler):
        def connection_dropped(self, error: BaseException, environ: Any = None) -> None:
            """No traceback for a client that went away."""

    logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
    inner = DomainDispatcherApplication(create_backend_app)
    server = S3Server(port=0, requests=[])

    def app(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        server.requests.append(
            (environ["REQUEST_METHOD"], environ["PATH_INFO"], environ["QUERY_STRING"])
        )
        for broken in server.broken:
            if broken.hits(environ):
                broken.times -= 1
                return _fail(broken, environ, start)
        return inner(environ, start)

    def _fail(
        broken: Broken, environ: dict[str, Any], start: Callable[..., Any]
    ) -> Iterable[bytes]:
        time.sleep(broken.wait_s)
        if broken.late:
            list(inner(environ, lambda *_: None))
        if broken.drop:
            environ["werkzeug.socket"].close()
            raise ConnectionResetError
        if not broken.status:
            return inner(environ, start)
        environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        body = f"<?xml version='1.0'?><Error><Code>{broken.code}</Code><Message>planted</Message></Error>"
        start(f"{broken.status} Planted", [("Content-Type", "application/xml")])
        return [body.encode()]

    web = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Handler)
    web.daemon_threads = True
    server.port = web.server_port
    thread = threading.Thread(target=web.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        web.shutdown()
        thread.join()
        web.server_close()

"""The store on S3 beside a local one: requests, rows an object, and the time to resume.

    python benchmarks/store_on_s3.py [--rows 20000] [--text 1500] [--delay-ms 20]

The server is moto's, in a process of its own on this machine; each request takes `--delay-ms`
longer, about what a bucket in the same region costs. Needs `moto[server]`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parent))
from ifbench.store import Journal, compact
from ifbench.store.location import Location, resolve
from store import answers, fill, key_of, timed

SERVER = """
import json, logging, sys, threading, time
from collections import Counter
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server
logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
inner, counts = DomainDispatcherApplication(create_backend_app), Counter()
def app(environ, start):
    if environ["PATH_INFO"] == "/counts":
        body = json.dumps(counts).encode()
        counts.clear()
        start("200 OK", [("Content-Type", "application/json")])
        return [body]
    is_list = "list-type" in environ["QUERY_STRING"]
    counts["LIST" if is_list else environ["REQUEST_METHOD"]] += 1
    time.sleep(float(sys.argv[1]) / 1000)
    return inner(environ, start)
web = make_server("127.0.0.1", 0, app, threaded=True)
print(web.server_port, flush=True)
web.serve_forever()
"""


def call(port: int, path: str, method: str = "GET") -> bytes:
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", method=method)
    with urllib.request.urlopen(request) as answer:
        body: bytes = answer.read()
    return body


def counts(port: int) -> Counter[str]:
    """Requests since the last time that they were asked for."""
    return Counter(json.loads(call(port, "/counts")))


def filled(place: Location, rows: int, length: int) -> float:
    """Rows stored a second with 128 in flight, the time to make them up left out."""
    made, _ = timed(lambda: sum(1 for _ in answers(rows, length)))
    with Journal(place) as journal:
        took, _ = timed(lambda: fill(journal, answers(rows, length)))
    return rows / (took - made)


def resumed(place: Location, rows: int) -> float:
    """Seconds to open the journal and to look every answer up, one by one as a run does."""

    def every() -> int:
        journal = Journal(place)
        return sum(len(journal.lookup([key_of(number)])) for number in range(rows))

    took, found = timed(every)
    assert found == rows
    return took


def shown(requests: Counter[str]) -> str:
    return ", ".join(f"{name} {n}" for name, n in sorted(requests.items())) or "none"


def measure(place: Location, port: int, rows: int, length: int) -> dict[str, float]:
    """Print what one store needs; returns its times."""
    times: dict[str, float] = {}
    counts(port)
    rate = filled(place, rows, length)
    put = counts(port)
    files = len(place.child("responses", "journal").files())
    counts(port)
    print(f"{place.uri}: {rate:,.0f} durable rows/s; {rows / files:,.0f} rows a file; "
          f"requests for 1,000 answers: {sum(put.values()) * 1000 / rows:.1f} ({shown(put)})")  # fmt: skip
    times["fill"] = rows / rate
    times["resume"] = resumed(place, rows)
    print(f"  resume from the journal: {times['resume']:.2f} s; {shown(counts(port))}")
    times["compact"], done = timed(lambda: compact(place))
    print(f"  compaction of {done.merged} files: {times['compact']:.2f} s; {shown(counts(port))}")
    times["resume from parts"] = resumed(place, rows)
    print(f"  resume from parts: {times['resume from parts']:.2f} s; {shown(counts(port))}")
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--text", type=int, default=1500, help="characters of an answer")
    parser.add_argument("--delay-ms", type=float, default=20)
    options = parser.parse_args()
    os.environ.update(AWS_ACCESS_KEY_ID="any", AWS_SECRET_ACCESS_KEY="any")
    words: list[Any] = [sys.executable, "-c", SERVER, str(options.delay_ms)]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        port = int(server.stdout.readline())
        call(port, "/bucket", "PUT")
        there = resolve(f"s3://bucket/store?endpoint_override=127.0.0.1:{port}&scheme=http")
        with tempfile.TemporaryDirectory() as folder:
            here = measure(resolve(folder), port, options.rows, options.text)
        away = measure(there, port, options.rows, options.text)
        print("S3 / local: " + ", ".join(f"{n} {away[n] / here[n]:.1f}" for n in here))
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    started = time.perf_counter()
    main()
    print(f"in all: {time.perf_counter() - started:.0f} s", file=sys.stderr)

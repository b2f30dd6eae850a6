"""A stand-in for `vllm serve`: `/health`, `/v1/chat/completions`, and misbehaviour on demand.

    python stand_in_server.py MODEL --port 8000 --log calls.jsonl --crash-after 5

Takes any further flag of vLLM's and does nothing with it. Each answered request is a line of the
log: the text that was asked, the model, this process's id, what GPUs it sees. Standard library
only, so that it starts at once.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("model")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--crash-after", type=int, help="requests of one process; then it exits")
    parser.add_argument("--crashes", type=int, default=1, help="how many processes crash so")
    parser.add_argument("--slow-start", type=float, default=0.0)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--never-healthy", action="store_true")
    parser.add_argument("--fail", help="an error to print before it exits with 3")
    parser.add_argument("--child", action="store_true", help="have a child, as vLLM has")
    options, _ = parser.parse_known_args()
    if options.fail:
        print("loading weights", options.fail, sep="\n", file=sys.stderr)
        sys.exit(3)
    if options.child:
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    note(options, {"event": "start"})
    time.sleep(options.slow_start)
    server = ThreadingHTTPServer((options.host, options.port), Handler)
    server.options, server.asked, server.lock = options, 0, threading.Lock()
    server.serve_forever()


def note(options: argparse.Namespace, what: dict) -> None:
    if options.log is not None:
        seen = os.environ.get("CUDA_VISIBLE_DEVICES")
        line = {**what, "model": options.model, "pid": os.getpid(), "gpus": seen}
        with options.log.open("a") as log:
            log.write(json.dumps({**line, "at": time.time()}) + "\n")


class Handler(BaseHTTPRequestHandler):
    """Answers `reply to TEXT`."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        healthy = self.path == "/health" and not self.server.options.never_healthy
        self._send(200 if healthy else 503, {})

    def do_POST(self) -> None:
        options = self.server.options
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = os.environ.get("VLLM_API_KEY")
        if key and self.headers.get("Authorization") != f"Bearer {key}":
            self._send(401, {"error": {"message": "Unauthorized"}})
            return
        with self.server.lock:
            self.server.asked += 1
            if options.crash_after is not None and self.server.asked > options.crash_after:
                self._crash()
        time.sleep(options.latency)
        text = body["messages"][-1]["content"]
        note(options, {"event": "answer", "text": text})
        self._send(200, completion(body["model"], f"reply to {text}"))

    def _crash(self) -> None:
        """Exit in the middle of a request, unless as many processes did before."""
        marks = Path(f"{self.server.options.log}.crashes")
        done = marks.read_text().count("x") if marks.exists() else 0
        if done < self.server.options.crashes:
            marks.write_text("x" * (done + 1))
            print("planted crash", file=sys.stderr, flush=True)
            os._exit(7)

    def _send(self, status: int, body: dict) -> None:
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        pass


def completion(model: str, text: str) -> dict:
    message = {"role": "assistant", "content": text}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 3, "total_tokens": 6},
    }


if __name__ == "__main__":
    main()

"""Fetches one wheel, without what it depends on, by the pip or uv that is at hand."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

REPORT_S = 3.0
LAST_LINES = 4


class WheelError(Exception):
    """No wheel could be fetched; the message says what each program answered."""


def fetch_wheel(package: str, version: str, work: Path, report: Callable[[int], None]) -> Path:
    """A folder below `work` with the wheel (pip) or with what it holds (uv).

    Blocks; `report` hears every few seconds how many bytes have come. Each program that is there
    is tried in turn, for their settings may differ.
    """
    answers: list[str] = []
    out = work / "out"
    for name, command in fetchers(f"{package}=={version}", work):
        code, words = _run(command, work, report)
        if code == 0 and out.is_dir():
            return out
        answers.append(f"{name} said: {words}")
    raise WheelError("\n".join(answers) or "neither pip nor uv is to be found: install one of them")


def fetchers(requirement: str, work: Path) -> Sequence[tuple[str, Sequence[str]]]:
    """The programs that can fetch, and how each is called."""
    out = str(work / "out")
    download = ("download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--no-input")
    quiet = ("--progress-bar", "off", "--no-color", "--dest", out, requirement)
    found: list[tuple[str, Sequence[str]]] = []
    if importlib.util.find_spec("pip") is not None:
        found.append(("pip", (sys.executable, "-m", "pip", *download, *quiet)))
    uv = os.environ.get("UV") or shutil.which("uv")
    if uv:  # uv has no `download`; its own cache lies in `work`, so that it can be measured.
        install = ("pip", "install", "--no-deps", "--only-binary", ":all:", "--no-progress")
        place = ("--python", sys.executable, "--target", out, "--cache-dir", str(work / "cache"))
        found.append(("uv", (uv, *install, "--color", "never", *place, requirement)))
    pip = shutil.which("pip3") or shutil.which("pip")
    if pip and not found:  # Another Python's pip can fetch a wheel that fits every Python.
        found.append((pip, (pip, *download, *quiet)))
    return found


def _run(command: Sequence[str], work: Path, report: Callable[[int], None]) -> tuple[int, str]:
    """Run to the end, reporting growth; the exit code and the last lines that were written."""
    log = work / "log"
    environment = {**os.environ, "TMPDIR": str(work), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment
        )
        try:
            _watch(process, work, report)
        finally:
            process.kill()  # Does nothing once it has ended.
            process.wait()
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    words = " / ".join(line.strip() for line in lines[-LAST_LINES:])
    code = process.returncode
    return code, re.sub(r"://[^/\s@]+@", "://", words) or f"nothing, and ended with code {code}"


def _watch(process: subprocess.Popen[bytes], work: Path, report: Callable[[int], None]) -> None:
    reported = 0
    while True:
        try:
            process.wait(timeout=REPORT_S)
            return
        except subprocess.TimeoutExpired:
            fetched = _bytes_below(work)
            if fetched > reported:
                report(fetched)
                reported = fetched


def _bytes_below(folder: Path) -> int:
    """Bytes of all files; one that has two names (uv links from its cache) counts once."""
    sizes: dict[tuple[int, int], int] = {}
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                found = (Path(root) / name).stat()
            except OSError:  # Moved in the meantime.
                continue
            sizes[found.st_dev, found.st_ino] = found.st_size
    return sum(sizes.values())

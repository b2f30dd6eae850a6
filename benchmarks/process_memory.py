"""Memory of a command and of all processes below it, read from `/proc` while it runs."""

from __future__ import annotations

import subprocess
import threading
import time
from pathlib import Path

MB = 1024


class MemoryWatch:
    """Polls a command's process and its tree; figures are in MB."""

    def __init__(self, process: subprocess.Popen, every_s: float = 0.5) -> None:
        self._process, self._every_s = process, every_s
        self.peak = 0.0
        """Most that the command's own process had (`VmHWM`, so that no peak is missed)."""
        self.peak_of_tree = 0.0
        """Most that all processes together had at one poll; what several share counts once."""
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def join(self) -> None:
        """Wait for the command to end."""
        self._process.wait()
        self._thread.join()

    def _run(self) -> None:
        while self._process.poll() is None:
            self.peak = max(self.peak, _field(self._process.pid, "status", "VmHWM:"))
            whole = sum(_field(pid, "smaps_rollup", "Pss:") for pid in _tree(self._process.pid))
            self.peak_of_tree = max(self.peak_of_tree, whole)
            time.sleep(self._every_s)


def _field(pid: int, name: str, field: str) -> float:
    try:
        text = Path(f"/proc/{pid}/{name}").read_text()
    except OSError:  # It has ended meanwhile.
        return 0.0
    lines = (line.split() for line in text.splitlines() if line.startswith(field))
    return next((int(words[1]) / MB for words in lines), 0.0)


def _tree(root: int) -> set[int]:
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
    inside = {root}
    while more := {pid for pid, parent in parents.items() if parent in inside} - inside:
        inside |= more
    return inside

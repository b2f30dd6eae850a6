"""A command written into an overlay's RayJob. Pure: from values to values.

What says *where* (`execution…`, `store…`) stays as the overlay has it and stands first, so that a
command may still override it; what is evaluated comes from the command alone.
"""

from __future__ import annotations

import copy
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from ifbench.errors import ConfigError
from ifbench.keys import content_key
from ifbench.kubernetes.overlays import Manifest

PROGRAM = ("python", "/app/jobs/evaluate.py")
CONF = "/conf"
"""Where the pods find the user's own configuration files."""
CONF_VOLUME = "conf"
MOST_CONF_BYTES = 900_000  # a ConfigMap holds 1 MiB, names and all
MOST_NAME = 47  # KubeRay makes other names of it, which have 63 characters at most
_WHERE = re.compile(r"(?:execution|store)(?:[.=]|$)")
_NAME = re.compile(r"[a-z](?:[a-z0-9-]*[a-z0-9])?")
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_HOST = r"(?:[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:]+\])(?::[0-9]+)?"
_PART = r"[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*"
_IMAGE = re.compile(
    rf"(?:{_HOST}/)?{_PART}(?:/{_PART})*(?::\w[\w.-]{{0,127}})?(?:@[a-z0-9]+:[0-9a-f]{{32,128}})?",
    re.ASCII,
)


def settings_of(job: Manifest) -> tuple[str, ...]:
    """The overrides of an overlay that say where a run works and keeps its results."""
    words = shlex.split(job["spec"]["entrypoint"])
    return tuple(word for word in words if _WHERE.match(word))


def entrypoint(overrides: Sequence[str], *, has_conf: bool = False) -> str:
    """The command as two shells and Kubernetes read it: `ray job submit` quotes it anew once.

    Raises `ConfigError` for `$(`, which Kubernetes replaces in a container's arguments even
    inside quotes, and for a line break, which KubeRay's own command line does not survive.
    """
    for word in overrides:
        if "$(" in word or "\n" in word:
            raise ConfigError(
                f"an override in a RayJob can hold no `$(` and no line break: {word!r}"
            )
    folder = ("--config-dir", CONF) if has_conf else ()
    return shlex.join([*PROGRAM, *folder, *overrides])


def default_name(overlay: str, overrides: Sequence[str]) -> str:
    """One name for one command, so that the same command finds its own run again."""
    return f"ifbench-{content_key([overlay, *overrides])[:10]}"


def check_name(name: str) -> str:
    """The name, where KubeRay takes it. Raises `ConfigError`."""
    if len(name) > MOST_NAME or not _NAME.fullmatch(name):
        raise ConfigError(
            f"--name {name}: up to {MOST_NAME} lower-case letters, digits and `-` are expected, "
            "a letter first"
        )
    return name


def check_image(image: str) -> str:
    """The image's name, where a container runtime reads it. Raises `ConfigError`."""
    if not _IMAGE.fullmatch(image):
        raise ConfigError(
            f"--image {image}: no name of an image; [HOST[:PORT]/]NAME[:TAG][@DIGEST] is expected, "
            "NAME in lower case"
        )
    return image


def check_namespace(name: str) -> str:
    """The namespace, where Kubernetes takes it. Raises `ConfigError`."""
    if not _LABEL.fullmatch(name):
        raise ConfigError(
            f"--namespace {name}: up to 63 lower-case letters, digits and `-` are expected"
        )
    return name


def written(
    job: Manifest,
    command: str,
    *,
    name: str,
    image: str | None = None,
    namespace: str | None = None,
    conf: Mapping[str, str] | None = None,
) -> list[Manifest]:
    """The objects to apply: the RayJob, and before it a ConfigMap where there are files for it."""
    made: dict[str, Any] = copy.deepcopy(dict(job))
    meta, spec = made["metadata"], made["spec"]
    meta["name"] = name
    meta["namespace"] = namespace or meta.get("namespace", "default")
    spec["entrypoint"] = command
    pods = _pods(spec)
    if image:
        ours = image_of(job)
        for container in (one for pod in pods for one in pod["containers"]):
            if container["image"] == ours:
                container["image"] = image
    if not conf:
        return [made]
    _mount(spec["rayClusterSpec"]["headGroupSpec"]["template"]["spec"], name, conf)
    return [_config_map(meta, conf), made]


def image_of(job: Manifest) -> str:
    """The image of the head, which is that of all pods that are ours."""
    head = job["spec"]["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]
    return str(head["containers"][0]["image"])


def _pods(spec: Mapping[str, Any]) -> list[Any]:
    cluster = spec["rayClusterSpec"]
    groups = [cluster["headGroupSpec"], *cluster.get("workerGroupSpecs", ())]
    return [spec["submitterPodTemplate"]["spec"], *(group["template"]["spec"] for group in groups)]


def _mount(pod: dict[str, Any], name: str, conf: Mapping[str, str]) -> None:
    """On the head alone: the driver reads the files, workers are handed what it made of them."""
    items = [{"key": _key(path), "path": path} for path in conf]
    pod["volumes"].append({"name": CONF_VOLUME, "configMap": {"name": name, "items": items}})
    pod["containers"][0]["volumeMounts"].append(
        {"name": CONF_VOLUME, "mountPath": CONF, "readOnly": True}
    )


def _config_map(meta: Mapping[str, Any], conf: Mapping[str, str]) -> Manifest:
    if sum(map(len, conf.values())) > MOST_CONF_BYTES:
        raise ConfigError("the configuration files are too large for a ConfigMap (1 MiB)")
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": meta["name"],
            "namespace": meta["namespace"],
            "labels": {**meta.get("labels", {})},
        },
        "data": {_key(path): text for path, text in conf.items()},
    }


def _key(path: str) -> str:
    """A path as a ConfigMap's key, which takes no `/`."""
    return path.replace("/", "__")

"""The manifests in `k8s/`, as kustomize renders them, and YAML to and fro.

The one user of YAML outside `ifbench.config`: manifests are no configuration of ours, so
Hydra's composition has nothing to do with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from ifbench.errors import ConfigError
from ifbench.kubernetes.kubectl import kustomize

Manifest: TypeAlias = Mapping[str, Any]
"""One object as Kubernetes reads it; its schema is Kubernetes' and KubeRay's, not ours."""
KUSTOMIZATION = "kustomization.yaml"


def packaged_manifests() -> Path:
    """`k8s/` as it was shipped: inside the package in a wheel, beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    shipped = package / "_k8s"
    return shipped if shipped.is_dir() else package.parent / "k8s"


def overlay_folder(name: str) -> Path:
    """A shipped overlay by its name, or a folder of the user's. Raises `ConfigError`."""
    shipped = packaged_manifests() / "overlays"
    for folder in (shipped / name, Path(name).expanduser()):
        if (folder / KUSTOMIZATION).is_file():
            return folder
    names = ", ".join(sorted(folder.name for folder in shipped.iterdir() if folder.is_dir()))
    raise ConfigError(
        f"--overlay {name}: neither a shipped overlay ({names}) nor a folder with a {KUSTOMIZATION}"
    )


def rayjob_of(name: str) -> Manifest:
    """The RayJob of an overlay, rendered. Raises `ConfigError` where it has none, or several."""
    import yaml

    found = [
        one
        for one in yaml.safe_load_all(kustomize(overlay_folder(name)))
        if one["kind"] == "RayJob"
    ]
    if len(found) != 1:
        raise ConfigError(f"--overlay {name}: one RayJob is expected, found {len(found)}")
    job: Manifest = found[0]
    return job


def as_yaml(manifests: Iterable[Manifest]) -> str:
    """Documents that `kubectl apply -f -` takes; nothing is an alias of anything."""
    import yaml

    class Plain(yaml.SafeDumper):
        def ignore_aliases(self, _: Any) -> bool:
            return True

    return yaml.dump_all(manifests, Dumper=Plain, sort_keys=False, allow_unicode=True, width=100)

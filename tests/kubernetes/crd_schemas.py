"""A CRD's schema as JSON Schema, as strict as the API server: unknown fields are errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

FILES = (
    "ray.io_rayjobs.yaml",
    "kueue.x-k8s.io_clusterqueues.yaml",
    "kueue.x-k8s.io_localqueues.yaml",
    "kueue.x-k8s.io_resourceflavors.yaml",
)


def crd_validators(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """JSON Schemas by (apiVersion, kind), of every version that these CRDs serve."""
    found = {}
    for path in (folder / name for name in FILES):
        crd = yaml.load(path.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        spec = crd["spec"]
        for version in spec["versions"]:
            if version["served"]:
                kind = (f"{spec['group']}/{version['name']}", spec["names"]["kind"])
                found[kind] = strict(version["schema"]["openAPIV3Schema"], is_root=True)
    return found


def strict(schema: dict[str, Any], *, is_root: bool = False) -> dict[str, Any]:
    """The schema in JSON Schema's words, what the API server fills in left optional."""
    made: dict[str, Any] = {
        key: schema[key]
        for key in ("type", "enum", "minimum", "maximum", "minLength", "maxLength", "minItems",
                    "maxItems", "pattern")
        if key in schema
    }  # fmt: skip
    if schema.get("x-kubernetes-int-or-string"):
        made.pop("type", None)
        made["type"] = ["integer", "string"]
    if schema.get("nullable") and "type" in made:
        made["type"] = [made["type"], "null"]
    if "items" in schema:
        made["items"] = strict(schema["items"])
    for word in ("allOf", "anyOf", "oneOf"):
        if word in schema and not schema.get("x-kubernetes-int-or-string"):
            made[word] = schema[word]
    extra = schema.get("additionalProperties")
    if "properties" in schema:
        made["properties"] = {key: strict(one) for key, one in schema["properties"].items()}
        made["required"] = [
            key
            for key in schema.get("required", ())
            if "default" not in schema["properties"].get(key, {})
        ]
        made["additionalProperties"] = bool(schema.get("x-kubernetes-preserve-unknown-fields"))
    elif isinstance(extra, dict):
        made["additionalProperties"] = strict(extra)
    if is_root:  # the API server's own; a CRD says no more than that it is an object
        made["properties"]["metadata"] = {"type": "object"}
        made["additionalProperties"] = False
    return made

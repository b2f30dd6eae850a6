"""Manifests of runs: which configuration, data, prompts, code and libraries gave the results.

runs/RUN/manifest.json     rewritten as a whole at each start and end of the run's command
"""

from __future__ import annotations

import json
import logging
import os
import platform as host_platform
import socket
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from pydantic import TypeAdapter, ValidationError

import ifbench
from ifbench.errors import StoreError
from ifbench.keys import content_key
from ifbench.store.location import Location, resolve
from ifbench.store.objects import told
from ifbench.store.results import checked_run_id
from ifbench.types import JsonObject

_log = logging.getLogger(__name__)

MANIFEST_VERSION: Final = 1
_NAME = "manifest.json"
_RUN_ID_LENGTH = 16
_SHORT_SECRET = 8
"""A shorter value (`none`, `EMPTY`) is found in innocent words: only a whole text counts."""

LIBRARIES = (
    "jinja2", "jsonschema", "lxml", "markdown-it-py", "numpy", "openai", "pillow", "pyarrow",
    "pydantic", "ray", "rdkit", "regex", "selfies", "xllamacpp",
)  # fmt: skip
"""What can change a prompt, a picture, a reply, a verdict or a figure."""

Ending: TypeAlias = Literal["running", "complete", "owed", "interrupted", "failed"]
"""`running` stays where the command was killed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """The code and the machine that carried out one invocation."""

    ifbench: str
    commit: str = ""
    """Of the checkout that the code runs from; empty for an installed package."""
    is_modified: bool = False
    """True when the checkout's code differs from that commit."""
    python: str
    platform: str
    host: str
    packages: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """Calls to one model for one purpose."""

    purpose: str
    model: str
    stored: int = 0
    """Answers that were found and not asked for again."""
    answered: int = 0
    retried: int = 0
    failed: Mapping[str, int] = field(default_factory=dict)
    """By kind of failure."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How far a run has come: trials, and what they cost over all invocations."""

    planned: int = 0
    answered: int = 0
    complete: int = 0
    undecided: Mapping[str, int] = field(default_factory=dict)
    """Trials that are not complete, by cause; one trial may have several."""
    calls: tuple[Calls, ...] = ()
    preflight: tuple[Calls, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """One time that the run's command was given."""

    started_at: datetime
    finished_at: datetime | None = None
    ending: Ending = "running"
    pid: int = 0
    environment: Environment
    calls: tuple[Calls, ...] = ()
    """What this invocation itself has asked."""
    preflight: tuple[Calls, ...] = ()


def name_in(part: object) -> str:
    """What a resolved configuration calls a part: the name in a mapping, or the value itself."""
    return str(part.get("name", "?")) if isinstance(part, Mapping) else str(part or "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a run was and how far it came."""

    version: int = MANIFEST_VERSION
    run_id: str
    identity: JsonObject
    """What decides the results; the id is its hash."""
    config: JsonObject
    """The resolved configuration; names of secrets, never secrets."""
    dataset_sha256: str
    templates: Mapping[str, str] = field(default_factory=dict)
    """Hashes of the prompt templates, by name."""
    seeds: Mapping[str, int] = field(default_factory=dict)
    counts: Counts = field(default_factory=Counts)
    invocations: tuple[Invocation, ...] = ()

    @property
    def candidates(self) -> list[str]:
        """The names of the models that it asks; `?` where a file of another hand names none."""
        return list(map(name_in, self.config.get("candidates") or ()))

    @property
    def started_at(self) -> datetime | None:
        """When its first invocation began."""
        return self.invocations[0].started_at if self.invocations else None

    @property
    def finished_at(self) -> datetime | None:
        """When its last invocation ended; `None` while it runs or after a kill."""
        return self.invocations[-1].finished_at if self.invocations else None

    @property
    def environment(self) -> Environment | None:
        """That of its last invocation."""
        return self.invocations[-1].environment if self.invocations else None


_MANIFEST = TypeAdapter(Manifest)


def run_id(identity: Mapping[str, Any]) -> str:
    """The id of the run that this identity decides: the same on every machine."""
    return content_key(identity)[:_RUN_ID_LENGTH]


def started(manifest: Manifest, now: datetime, environment: Environment) -> Manifest:
    """The manifest with one more invocation, begun now in this process."""
    invocation = Invocation(started_at=now, pid=os.getpid(), environment=environment)
    return replace(manifest, invocations=(*manifest.invocations, invocation))


def finished(
    manifest: Manifest,
    now: datetime,
    ending: Ending,
    counts: Counts,
    *,
    calls: tuple[Calls, ...] = (),
    preflight: tuple[Calls, ...] = (),
) -> Manifest:
    """The manifest with its last invocation ended; `calls` are those of that invocation."""
    *earlier, last = manifest.invocations
    ended = replace(last, finished_at=now, ending=ending, calls=calls, preflight=preflight)
    return replace(manifest, counts=counts, invocations=(*earlier, ended))


# ── Reading and writing ──────────────────────────────────────────────────────────────


def save_manifest(uri: str | Location, manifest: Manifest) -> None:
    """Write a manifest as a whole.

    Raises StoreError when it cannot be written, and when it holds the value of a secret that
    an `api_key_env` in it names.
    """
    root = resolve(uri)
    content = _MANIFEST.dump_python(manifest, mode="json")
    _refuse_secrets(content)
    text = json.dumps(content, indent=2, ensure_ascii=True) + "\n"
    folder = root.child("runs", checked_run_id(manifest.run_id))
    try:
        folder.write_whole(_NAME, text.encode())
    except OSError as error:
        raise StoreError(f"{folder.uri}/{_NAME}: cannot be written: {told(error)}") from error


def load_manifest(uri: str | Location, run_id: str) -> Manifest:
    """The manifest of a run. Raises StoreError when there is none or it is damaged."""
    root = resolve(uri)
    folder = root.child("runs", checked_run_id(run_id))
    where = f"{folder.uri}/{_NAME}"
    try:
        content = json.loads(folder.read_whole(_NAME))
    except FileNotFoundError as error:
        raise StoreError(f"{root.uri}: there is no run {run_id}") from error
    except OSError as error:
        raise StoreError(f"{where}: the manifest cannot be read: {told(error)}") from error
    except ValueError as error:
        raise StoreError(f"{where}: the manifest cannot be read: {error}; {_SPARE}") from error
    version = content.get("version") if isinstance(content, dict) else None
    if version != MANIFEST_VERSION:
        raise StoreError(
            f"{where}: manifest version {version}, this ifbench reads {MANIFEST_VERSION}"
        )
    try:
        return _MANIFEST.validate_python(content, strict=False)
    except ValidationError as error:
        raise StoreError(
            f"{where}: the manifest is damaged: {fault_of(error)}; {_SPARE}"
        ) from error


_SPARE = (
    "no result hangs on it, only the count of what was spent: deleted, it is begun anew by the "
    "run's command"
)


def fault_of(error: ValidationError) -> str:
    """The first fault that was found, in a line."""
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def run_ids(uri: str | Location) -> list[str]:
    """The ids of all runs, sorted."""
    return sorted(resolve(uri).child("runs").folders())


def list_runs(uri: str | Location) -> list[Manifest]:
    """The manifests of all runs, the oldest first; one that cannot be read is warned of."""
    root = resolve(uri)
    found = []
    for name in run_ids(root):
        try:
            found.append(load_manifest(root, name))
        except (StoreError, ValueError) as error:
            _log.warning("%s", error)
    return sorted(found, key=lambda manifest: (str(manifest.started_at), manifest.run_id))


# ── Secrets ──────────────────────────────────────────────────────────────────────────


def _refuse_secrets(content: Any) -> None:
    texts = list(_texts(content, ""))
    names = {text for path, text in texts if path.endswith(".api_key_env") and text}
    for name in sorted(names):
        secret = os.environ.get(name, "")
        for path, text in texts:
            if secret and (text == secret or (len(secret) >= _SHORT_SECRET and secret in text)):
                raise StoreError(
                    f"the manifest holds the value of the secret {name} at `{path.lstrip('.')}`; "
                    "a configuration names secrets and never holds them"
                )


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Every text in a JSON value, names included, each with its path."""
    match value:
        case str():
            yield path, value
        case dict():
            for name, inner in value.items():
                yield f"{path} (name)", name
                yield from _texts(inner, f"{path}.{name}")
        case list():
            for at, inner in enumerate(value):
                yield from _texts(inner, f"{path}[{at}]")


# ── The environment ──────────────────────────────────────────────────────────────────


def current_environment() -> Environment:
    """The code, the libraries and the machine of this process."""
    commit, is_modified = _checkout()
    return Environment(
        ifbench=ifbench.__version__,
        commit=commit,
        is_modified=is_modified,
        python=host_platform.python_version(),
        platform=host_platform.platform(),
        host=socket.gethostname(),
        packages=dict(_installed()),
    )


def _installed() -> Iterator[tuple[str, str]]:
    for name in LIBRARIES:
        try:
            yield name, metadata.version(name)
        except metadata.PackageNotFoundError:
            continue


def _checkout() -> tuple[str, bool]:
    """The commit of the checkout that holds this package and whether its code was changed."""
    folder = Path(__file__).parents[1]
    # Only where the package itself is tracked: a virtual environment may lie in a checkout.
    if _git(folder, "ls-files", "--error-unmatch", "__init__.py") is None:
        return "", False
    commit = _git(folder, "rev-parse", "HEAD") or ""
    return commit.strip(), bool((_git(folder, "status", "--porcelain", "--", ".") or "").strip())


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout

"""`ifbench doctor`: what is installed, reachable and writable, and how to mend what is not.

It asks no model and spends nothing: an endpoint is reachable when its port takes a connection.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata, util
from pathlib import Path
from urllib.parse import urlsplit

from ifbench.cli import EXIT_BAD_INPUT, EXIT_OK
from ifbench.config import RunConfig, load_config
from ifbench.engines.vllm_command import vllm_options
from ifbench.engines.weights import cache_folder
from ifbench.errors import IfbenchError, StoreError
from ifbench.store import check_store
from ifbench.types import ModelConfig
from ifbench.visible import visible_lines

_DEFAULTS = ("candidates=[smollm2]", "judge=smollm2", "execution=local")
_EXTRAS = (
    ("ray", "ray", "execution=ray, the default"),
    ("rdkit", "chemistry", "constraints on molecules"),
    ("selfies", "chemistry", "molecules written as SELFIES"),
    ("xllamacpp", "embedded", "the embedded model (engine llama_cpp)"),
    ("av", "video", "video and sound"),
    ("decord", "video", "plain video, decoded at a lower cost than by PyAV"),
    ("huggingface_hub", "hub", "data sets from the hub (benchmark.data=hub:OWNER/NAME)"),
)
_CONNECT_S = 5.0
_OPENAI = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at."""

    is_fine: bool
    words: str
    mend: str = ""


def run(options: argparse.Namespace) -> int:
    """Look at everything and print it; exit code 2 when something has to be mended."""
    findings = list(_findings(options))
    for finding in findings:
        print(f"{'ok  ' if finding.is_fine else 'MEND'}  {visible_lines(finding.words)}")
        if not finding.is_fine and finding.mend:
            print(f"      {visible_lines(finding.mend)}")
    broken = sum(not finding.is_fine for finding in findings)
    print("all is well" if not broken else f"{broken} to mend")
    return EXIT_BAD_INPUT if broken else EXIT_OK


def _findings(options: argparse.Namespace) -> Iterator[Finding]:
    yield _python()
    for module, extra, use in _EXTRAS:
        yield _package(module, extra, use)
    try:
        config = load_config([*_DEFAULTS, *options.overrides], config_dir=options.config_dir)
    except IfbenchError as error:
        yield Finding(is_fine=False, words="configuration", mend=str(error))
        return
    yield Finding(is_fine=True, words="configuration: reads and validates")
    yield _store(config)
    yield _weights()
    for model in config.models:
        if model.engine == "vllm":
            yield _served(model, on_cluster=config.execution.name == "ray")
        else:
            yield from _model(model)


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding(is_fine=True, words=f"Python {version}, {os.cpu_count()} CPUs")


def _package(module: str, extra: str, use: str) -> Finding:
    if util.find_spec(module) is None:
        return Finding(
            is_fine=False,
            words=f"{module} is not installed (for {use})",
            mend=f'pip install "ifbench[{extra}]"',
        )
    (name, *_) = _distributions().get(module, [module])
    return Finding(is_fine=True, words=f"{name} {metadata.version(name)} (for {use})")


@cache
def _distributions() -> Mapping[str, list[str]]:
    """What modules come with: `decord` is a part of decord2."""
    return metadata.packages_distributions()


def _store(config: RunConfig) -> Finding:
    try:
        root = check_store(config.store.uri)
    except StoreError as error:
        return Finding(
            is_fine=False, words=f"store {config.store.uri}", mend=f"{error}; set store.uri=FOLDER"
        )
    return Finding(is_fine=True, words=f"store {root.uri}: writable")


def _weights() -> Finding:
    folder = cache_folder()
    free = shutil.disk_usage(_existing(folder)).free
    stored = sorted(path.name for path in folder.glob("*.gguf"))
    held = f"holds {', '.join(stored)}" if stored else "empty; the embedded model is fetched once"
    words = f"model cache {folder}: {held}; {free / 2**30:.1f} GiB free"
    enough = bool(stored) or free > 2**29
    return Finding(is_fine=enough, words=words, mend="free some space, or set IFBENCH_CACHE=FOLDER")


def _existing(folder: Path) -> Path:
    return next(path for path in (folder, *folder.parents) if path.exists())


def _served(model: ModelConfig, *, on_cluster: bool) -> Finding:
    """A model that the run serves itself; on a cluster the command may be on other machines."""
    program = vllm_options(model).command[0]
    is_here = shutil.which(program) is not None
    where = "found" if is_here else "not found on this machine"
    return Finding(
        is_fine=is_here or on_cluster,
        words=f"model {model.name}: served by `{program}`, {where}",
        mend="install vLLM, or name the program in `options.command`",
    )


def _model(model: ModelConfig) -> Iterator[Finding]:
    if model.engine != "openai_chat":
        yield Finding(is_fine=True, words=f"model {model.name}: {model.engine}, on this machine")
        return
    if model.api_key_env and not os.environ.get(model.api_key_env):
        yield Finding(
            is_fine=False,
            words=f"model {model.name}: {model.api_key_env} is not set",
            mend=f"export {model.api_key_env}=…",
        )
    url = urlsplit(model.base_url or _OPENAI)
    try:
        port = url.port or (443 if url.scheme == "https" else 80)
    except ValueError as error:
        yield Finding(is_fine=False, words=f"model {model.name}: base_url: {error}")
        return
    try:
        socket.create_connection((url.hostname or "", port), timeout=_CONNECT_S).close()
    except OSError as error:
        yield Finding(
            is_fine=False,
            words=f"model {model.name}: {url.hostname}:{port} is out of reach ({error})",
            mend="is the server up, `base_url` right, and a proxy needed (HTTPS_PROXY)?",
        )
    else:
        yield Finding(is_fine=True, words=f"model {model.name}: {url.hostname}:{port} answers")

"""Data sets from the Hugging Face hub: `hub:OWNER/NAME`, or `hub:OWNER/NAME@REVISION`.

The whole repository is downloaded into the hub's own cache and read as a folder, in whatever
form it is. What a run asked is told apart by its content's hash, so the same data from the hub
and from a folder are one data set; a revision only says which state to fetch.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeAlias

from ifbench.errors import ConfigError, DatasetError, PrerequisiteError

HUB = "hub:"

Fetch: TypeAlias = Callable[[str, str | None], Path]
"""From a repository's name and a revision (`None`: the main one) to a local folder of its files."""

_ADDRESS = re.compile(r"(?P<name>[\w.-]+/[\w.-]+)(?:@(?P<revision>[^@\s]+))?")


def hub_folder(data: str, fetch: Fetch | None = None) -> Path:
    """The local folder of a data set on the hub, downloaded where it is not in the cache yet.

    Raises `ConfigError` for an address that is none, `DatasetError` for a repository or
    revision that does not exist, `PrerequisiteError` where package, network or access is missing.
    """
    match = _ADDRESS.fullmatch(data.removeprefix(HUB))
    if match is None:
        raise ConfigError(
            f"benchmark.data: `{HUB}OWNER/NAME` or `{HUB}OWNER/NAME@REVISION` is expected, "
            f"found `{data}`"
        )
    return (fetch or download)(match["name"], match["revision"])


@cache  # Once a process: a run opens its data set several times.
def download(name: str, revision: str | None) -> Path:
    """`hub_folder`'s own way: the hub's client and its cache (`HF_HOME`, `HF_TOKEN`)."""
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import (
            GatedRepoError,
            HFValidationError,
            LocalEntryNotFoundError,
            RepositoryNotFoundError,
            RevisionNotFoundError,
        )
    except ImportError as error:
        raise PrerequisiteError(
            "data sets from the hub need huggingface_hub: install `ifbench[hub]`"
        ) from error
    at = f"{name}@{revision}" if revision else name
    try:
        return Path(snapshot_download(name, repo_type="dataset", revision=revision))
    except GatedRepoError as error:
        raise PrerequisiteError(
            f"{HUB}{at}: access is granted by its owners. Ask for it at "
            f"https://huggingface.co/datasets/{name} and set HF_TOKEN"
        ) from error
    except RevisionNotFoundError as error:
        raise DatasetError(f"{HUB}{at}: the data set has no revision `{revision}`") from error
    except RepositoryNotFoundError as error:
        raise DatasetError(
            f"{HUB}{at}: no such data set on the hub; a private one needs HF_TOKEN"
        ) from error
    except HFValidationError as error:
        raise DatasetError(f"{HUB}{at}: {error}") from error
    except LocalEntryNotFoundError as error:
        raise PrerequisiteError(
            f"{HUB}{at}: the hub cannot be reached, and its cache does not hold the data set. "
            "Download it where there is a network, and give its folder as benchmark.data"
        ) from error
    except OSError as error:  # Any other reply of the hub, a broken connection, a full disk.
        raise PrerequisiteError(f"{HUB}{at}: cannot be downloaded: {error}") from error

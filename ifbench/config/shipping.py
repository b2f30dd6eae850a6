"""The user's own configuration files, for a machine that has only what ifbench ships."""

from __future__ import annotations

from pathlib import Path

from ifbench.config.folders import ENDING, packaged_folder, read_yaml, search_folders, shown
from ifbench.config.secrets import ADVICE, find_secret, looks_secret
from ifbench.errors import ConfigError


def own_files(config_dir: Path | None = None, cwd: Path | None = None) -> dict[str, str]:
    """Texts by their path below `conf`, of the folders that do not come with ifbench.

    The first file of a name wins, as when they are read here. Raises `ConfigError` for a file
    that holds a secret, also one that no run asks for: all of them are handed on.
    """
    here = (cwd or Path.cwd()).resolve()
    shipped = packaged_folder().resolve()
    found: dict[str, str] = {}
    for folder in search_folders(config_dir, here):
        if folder == shipped:
            continue
        for file in sorted([*folder.glob(f"*{ENDING}"), *folder.glob(f"*/*{ENDING}")]):
            found.setdefault(file.relative_to(folder).as_posix(), _text(file, shown(file, here)))
    return found


def _text(file: Path, origin: str) -> str:
    tree = read_yaml(file, origin)
    text = file.read_text(encoding="utf-8")
    if looks_secret(text) or find_secret(tree):
        raise ConfigError(f"{origin}: holds what looks like a secret; {ADVICE}")
    return text

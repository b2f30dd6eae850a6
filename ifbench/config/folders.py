"""Where configuration files are: the user's folders first, the packaged one last."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from ifbench.config.secrets import display
from ifbench.errors import ConfigError

ENDING = ".yaml"


def packaged_folder() -> Path:
    """`conf/` as it was shipped: inside the package in a wheel, beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    shipped = package / "_conf"
    return shipped if shipped.is_dir() else package.parent / "conf"


def search_folders(config_dir: Path | None = None, cwd: Path | None = None) -> tuple[Path, ...]:
    """`config_dir`, then `./conf` where there is one, then the packaged folder.

    The first file of a name wins, whole: files of one name are not merged.
    """
    here = (cwd or Path.cwd()).resolve()
    chosen: list[Path] = []
    if config_dir is not None:
        given = (here / config_dir.expanduser()).resolve()
        if not given.is_dir():
            raise ConfigError(f"--config-dir {config_dir}: there is no folder at {given}")
        chosen.append(given)
    chosen.extend([here / "conf", packaged_folder()])
    existing = [folder.resolve() for folder in chosen if folder.is_dir()]
    return tuple(dict.fromkeys(existing))


def options(folders: Sequence[Path], group: str) -> tuple[str, ...]:
    """The names that a group offers, over all folders, sorted."""
    files = (file for folder in folders for file in (folder / group).glob(f"*{ENDING}"))
    return tuple(sorted({file.name.removesuffix(ENDING) for file in files if file.is_file()}))


def groups(folders: Sequence[Path]) -> tuple[str, ...]:
    """The folders of options, `model` among them."""
    found = {
        inner.name
        for folder in folders
        for inner in folder.iterdir()
        if inner.is_dir() and any(inner.glob(f"*{ENDING}"))
    }
    return tuple(sorted(found))


def find_file(folders: Sequence[Path], name: str) -> Path | None:
    """The file that wins for `name`, such as `model/gpt-4.1`."""
    for folder in folders:
        file = folder / f"{name}{ENDING}"
        if file.is_file():
            return file
    return None


def available_models(config_dir: Path | None = None, cwd: Path | None = None) -> list[str]:
    """Names that a role can take."""
    return list(options(search_folders(config_dir, cwd), "model"))


def shown(file: Path, cwd: Path) -> str:
    """A path as a message gives it: short below the working folder, whole elsewhere."""
    try:
        return str(file.relative_to(cwd))
    except ValueError:
        return str(file)


def read_yaml(file: Path, origin: str) -> dict[str, Any]:
    """The mapping in one file, interpolations left as they are written.

    Raises ConfigError with the line where the file is no YAML, says a key twice, refers to
    itself, or holds no mapping. The offending line itself is not quoted: it may hold a secret.
    """
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException
    from yaml import YAMLError

    try:
        tree = OmegaConf.to_container(_parsed(file.read_text(encoding="utf-8")), resolve=False)
    except YAMLError as error:
        raise ConfigError(not_yaml(error, origin)) from None
    except RecursionError:
        raise ConfigError(
            f"{origin}: cannot be read: values nested too deep, or an anchor that holds itself"
        ) from None
    except (UnicodeDecodeError, OSError, OmegaConfBaseException) as error:
        reason = str(error).splitlines()[0]
        raise ConfigError(f"{origin}: cannot be read: {reason}") from None
    if not isinstance(tree, dict):
        raise ConfigError(f"{origin}: a mapping (`key: value` lines) is expected")
    if not isinstance(tree.get("defaults", []), list):
        raise ConfigError(
            f"{origin}: `defaults` must be a list, such as `[base, _self_]`; "
            f"got {display(tree['defaults'])}"
        )
    odd = next((key for key in tree if not isinstance(key, str)), None)
    if odd is not None:
        raise ConfigError(f"{origin}: the key `{odd!r}` must be text; put it in quotes")
    return {str(key): value for key, value in tree.items()}


@lru_cache(maxsize=256)
def _parsed(text: str) -> Any:
    """A file's tree, by its text: points of a sweep read the same files again and again."""
    from omegaconf import OmegaConf

    return OmegaConf.load(io.StringIO(text))


def not_yaml(error: Exception, origin: str) -> str:
    """The words for a file that is no YAML, with the line where reading stopped."""
    mark = getattr(error, "problem_mark", None)
    where = f" line {mark.line + 1}, column {mark.column + 1}" if mark else ""
    return f"{origin}{where}: not valid YAML: {getattr(error, 'problem', None) or 'unreadable'}"

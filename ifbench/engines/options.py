"""Reads the `options` of a model, which are its engine's own, with one form of complaint."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ifbench.errors import ConfigError
from ifbench.types import ModelConfig

OptionsT = TypeVar("OptionsT", bound=BaseModel)


class NoOptions(BaseModel):
    """For engines whose models are told all they need by the other fields."""

    model_config = ConfigDict(extra="forbid")


def read_options(kind: type[OptionsT], config: ModelConfig) -> OptionsT:
    """The options of a config as a `kind`. Raises `ConfigError` with the key and the keys known."""
    try:
        return kind.model_validate(dict(config.options))
    except ValidationError as error:
        found = error.errors()[0]
        key = ".".join(("options", *(str(part) for part in found["loc"])))
        what = "unknown key" if found["type"] == "extra_forbidden" else found["msg"]
        known = ", ".join(kind.model_fields) or "none"
        raise ConfigError(
            f"model {config.name}: `{key}`: {what}, got {found['input']!r} "
            f"({config.engine} knows {known})"
        ) from error

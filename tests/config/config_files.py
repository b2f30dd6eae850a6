"""Folders of configuration for tests."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

MODEL = """
    engine: openai_chat
    model: org/mine
    base_url: http://127.0.0.1:9/v1
"""


def write(folder: Path, **files: str) -> Path:
    """Write YAML files: `model__mine="engine: …"` becomes `model/mine.yaml`."""
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    return folder


def write_model(folder: Path, name: str, text: str = MODEL) -> Path:
    """A model whose name may hold what a keyword may not."""
    path = folder / "model" / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text), encoding="utf-8")
    return path

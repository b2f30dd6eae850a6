"""The endpoint of the sweeps: it knows both starter sets.

What is about a sample of the video set is answered as `video_replies.py` does (candidates `right` and
`half`, judges `oracle` and `yes`), anything else as `replies.py` does.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any


def _beside(name: str) -> ModuleType:
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"beside_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TEXTS, VIDEOS = _beside("replies"), _beside("video_replies")


def reply(body: Mapping[str, Any]) -> str:
    """What the model that the body names says."""
    wanted, text = VIDEOS._wanted(body), VIDEOS._text(body)
    asked = any(sample.instruction in text for sample in VIDEOS.samples())
    is_video = asked if wanted is None else wanted in VIDEOS._STRUCTURED
    known: ModuleType = VIDEOS if is_video else TEXTS
    return str(known.reply(body))

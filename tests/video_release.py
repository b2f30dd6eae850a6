"""A small data set in the layout of Video-IFBench's release; every record is invented."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SELECTION = (
    "If the cup is red, then name its owner.\n"
    "Else if the lamp is on, then describe the lamp.\n"
    "Else if the dog barks, then count the barks.\n"
    "Else, describe the room."
)

NESTED = (
    "- If the lamp is on, then\n"
    "- - If the cup is red, then name its owner.\n"
    "- - Else, describe the cup.\n"
    "- Else, describe the room."
)


def constraint(name: str, query: str = "Is it so?", context: str = "") -> dict[str, str]:
    return {"constraint_id": name, "checklist_query": query, "judge_context": context}


def instruction(key: str = "single_0", **changes: Any) -> dict[str, Any]:
    return {
        "instruction_id": f"v1_{key}",
        "instruction_key": key,
        "instruction_type": "single",
        "instruction": "List the steps after the mixing, as an ordered list.",
        "active_instruction": "",
        "constraints": [
            constraint("ordered_list_output", "Is the answer an ordered list?"),
            constraint("temporal_anchor", "Are only steps after it listed?", "It ends at 00:41."),
        ],
        "tasks": [{"task_name": "Event Recognition", "task_description": "Name the steps"}],
        "language": "en",
        **changes,
    }


def selection(key: str = "selection_0", **changes: Any) -> dict[str, Any]:
    return instruction(
        key,
        **{
            "instruction_type": "selection",
            "instruction": SELECTION,
            "active_instruction": "Describe the lamp.",
            **changes,
        },
    )


def video(name: str = "v1", domain: str = "cooking", **changes: Any) -> dict[str, Any]:
    return {
        "video_id": name,
        "video_path": f"videos/{domain}/{name}.mp4",
        "duration_sec": 93.2,
        "instructions": [instruction()],
        **changes,
    }


def write_release(folder: Path, *videos: dict[str, Any], subtitles: tuple[str, ...] = ()) -> Path:
    """The folder with annotations, a file for every video, and subtitles for those named."""
    for one in videos:
        path = folder / one["video_path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(one["video_id"].encode())
    for name in subtitles:
        path = folder / "subtitles" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1\n00:00:01,000 --> 00:00:02,000\nHello.\n")
    path = folder / "annotations" / "annotations.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in videos), encoding="utf-8")
    return folder

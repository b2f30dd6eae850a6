"""Three types on actions: whose to select, which to mention, which to leave out (Table 6)."""

from __future__ import annotations

from ifbench.constraints.constraint import Example
from ifbench.constraints.videoif.judging import SoughtWords, judged_type, seen_words

action_relative_selection = judged_type(
    "action_relative_selection",
    group="action",
    description="Only those who take part in a stated action, role or event count.",
    rubric=(
        "selection by action. The answer mentions only those who take part in the stated action, "
        "interaction, role or event in the video. One who does not breaks it."
    ),
    params=SoughtWords,
    prepare=seen_words,
    example=Example(
        params={},
        instruction="Mention only players who pass or receive the ball.",
        passing="Number 7 passes to number 10.",
        failing="Number 7 passes to number 10 while the keeper watches.",
    ),
)

action_mention_requirement = judged_type(
    "action_mention_requirement",
    group="action",
    description="Stated actions, or all of a stated entity, are mentioned.",
    rubric=(
        "action mention. The answer has to mention the asked actions of the asked entity, group or "
        "body part; all of them that the facts hold, where all are asked for. One that is missing "
        "or made up breaks it."
    ),
    params=SoughtWords,
    prepare=seen_words,
    example=Example(
        params={},
        instruction="Include everything that the red square does.",
        passing="The red square moves right, turns and stops.",
        failing="The red square moves right.",
    ),
)

action_avoidance = judged_type(
    "action_avoidance",
    group="action",
    description="Stated actions are not mentioned, even where they are to be seen.",
    rubric=(
        "action avoidance. The answer mentions none of the forbidden actions, interactions or "
        "motions of the stated entity, body part or instrument, in no wording."
    ),
    params=SoughtWords,
    prepare=seen_words,
    example=Example(
        params={"terms": ["wave", "grip", "point"]},
        instruction="Do not mention anything that the woman does with her hands.",
        passing="She nods and steps back.",
        failing="She nods and waves.",
    ),
)

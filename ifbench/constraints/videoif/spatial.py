"""Three types on space: where things have to be, and from which view (Table 6)."""

from __future__ import annotations

from ifbench.constraints.constraint import Example
from ifbench.constraints.videoif.judging import SoughtWords, judged_type, seen_words

spatial_region_restriction = judged_type(
    "spatial_region_restriction",
    group="spatial",
    description="Only what lies in a stated region counts.",
    rubric=(
        "spatial region. Everything that the answer mentions has to lie in the allowed region of "
        "the frame or of the scene, and nothing in a forbidden one."
    ),
    params=SoughtWords,
    prepare=seen_words,
    example=Example(
        params={},
        instruction="Do not mention anything that is outdoors.",
        passing="A cat sleeps on the sofa beside the stove.",
        failing="A cat sleeps on the sofa, and a car passes in the street.",
    ),
)

relative_spatial_relation = judged_type(
    "relative_spatial_relation",
    group="spatial",
    description="Things are chosen, or described, by their place relative to a reference.",
    rubric=(
        "relative place. The answer has to choose, or describe, things by where they are relative "
        "to a reference (an object, a person, a landmark), as the instruction says, at the moment "
        "that it says. A missing or wrong relation breaks it."
    ),
    params=SoughtWords,
    prepare=seen_words,
    example=Example(
        params={},
        instruction="Say of each object where it is relative to the red square.",
        passing="The circle is left of the red square; the star is above it.",
        failing="There are a circle and a star.",
    ),
)

viewpoint_condition = judged_type(
    "viewpoint_condition",
    group="spatial",
    description="The answer judges from a stated camera view, shot type or perspective.",
    rubric=(
        "viewpoint. What the answer says has to hold from the stated view (a camera, a shot type, "
        "a bird's eye, a person facing somewhere), not from the camera's own where they differ."
    ),
    params=SoughtWords,
    prepare=seen_words,
    example=Example(
        params={},
        instruction="Describe the places of all objects as seen from above.",
        passing="Seen from above, the ball lies north of the box.",
        failing="The ball is higher in the picture than the box.",
    ),
)

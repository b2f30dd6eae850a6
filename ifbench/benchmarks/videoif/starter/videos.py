"""The ten videos, as data. What happens in them is made up; there is no camera and no voice."""

from __future__ import annotations

from ifbench.benchmarks.videoif.starter.scenes import (
    Act,
    Actor,
    Door,
    Lamp,
    Line,
    Mood,
    Point,
    Shot,
    Sign,
    Sound,
    Span,
    Video,
)

STAGE = Video(
    id="stage",
    domain="performance",
    seconds=20,
    shots=(Shot(0, 20, "stage", "#2b2140", "#6b4a2f"),),
    actors=(
        Actor(
            id="circle",
            colour="red",
            shape="circle",
            at=Point(50, 170),
            shown=Span(0, 20),
            acts=(Act(1, 4, "slides", Point(150, 170)), Act(12, 14, "jumps")),
        ),
        Actor(
            id="square",
            colour="blue",
            shape="square",
            at=Point(260, 170),
            shown=Span(0, 20),
            acts=(Act(5, 6, "jumps"),),
        ),
        Actor(
            id="triangle",
            colour="green",
            shape="triangle",
            at=Point(60, 90),
            shown=Span(0, 17),
            acts=(Act(7, 11, "spins"),),
        ),
        Actor(
            id="star",
            colour="yellow",
            shape="star",
            at=Point(250, 90),
            shown=Span(11, 20),
            acts=(Act(15, 19, "slides", Point(160, 90)),),
        ),
    ),
    sounds=(Sound("bell", 0), Sound("bell", 18)),
)

HALL = Video(
    id="hall",
    domain="home",
    seconds=18,
    shots=(Shot(0, 18, "hall", "#c9c2b4", "#7d6a55"),),
    actors=(
        Actor(
            id="diamond",
            colour="purple",
            shape="diamond",
            at=Point(240, 170),
            shown=Span(8, 18),
            acts=(Act(9, 12, "slides", Point(130, 170)),),
        ),
    ),
    lamps=(
        Lamp("left lamp", "yellow", Point(50, 50), (Span(3, 8), Span(12, 16))),
        Lamp("right lamp", "green", Point(200, 50), (Span(6, 10),)),
    ),
    doors=(Door("door", Point(270, 130), (Span(7, 13),)),),
    signs=(Sign("THREE KNOCKS OPEN THE DOOR", 1, 6, Point(20, 100)),),
    sounds=(Sound("knock", 4), Sound("knock", 5), Sound("knock", 6), Sound("bell", 15)),
)

NEWSROOM = Video(
    id="newsroom",
    domain="news",
    seconds=24,
    shots=(Shot(0, 24, "newsroom", "#1d3557", "#45617f"),),
    actors=(
        Actor(
            id="ada",
            name="Ada",
            colour="red",
            shape="circle",
            at=Point(55, 130),
            shown=Span(0, 24),
            moods=(Mood(0, 10, "smiles"),),
        ),
        Actor(
            id="ben",
            name="Ben",
            colour="orange",
            shape="square",
            at=Point(265, 130),
            shown=Span(0, 24),
            moods=(Mood(12, 18, "frowns"),),
            acts=(Act(19, 20, "jumps"),),
        ),
        Actor(
            id="cleo",
            name="Cleo",
            colour="green",
            shape="triangle",
            at=Point(160, 130),
            shown=Span(8, 24),
        ),
    ),
    signs=(
        Sign("EVENING NEWS", 0, 6, Point(110, 20)),
        Sign("STORM NEAR PORT ELM", 11, 18, Point(90, 205)),
    ),
    sounds=(Sound("beep", 10),),
    lines=(
        Line("ada", "Good evening from the studio.", 1, 4),
        Line("ben", "The harbour is quiet.", 5, 8),
        Line("cleo", "A storm is coming.", 11, 14),
        Line("ben", "All ships stay in port.", 14, 17),
        Line("ada", "That was the news.", 20, 23),
    ),
)

JOURNEY = Video(
    id="journey",
    domain="travel",
    seconds=24,
    shots=(
        Shot(0, 7, "meadow", "#9fd3e8", "#5fa35a"),
        Shot(7, 15, "tunnel", "#222222", "#3d3d3d"),
        Shot(15, 24, "beach", "#f2b880", "#e3d19a"),
    ),
    actors=(
        Actor(
            id="square",
            colour="white",
            shape="square",
            at=Point(40, 170),
            shown=Span(0, 7),
            acts=(Act(1, 5, "slides", Point(250, 170)),),
        ),
        Actor(
            id="diamond",
            colour="orange",
            shape="diamond",
            at=Point(260, 150),
            shown=Span(7, 15),
            acts=(Act(8, 12, "slides", Point(60, 150)), Act(13, 14, "spins")),
        ),
        Actor(
            id="star",
            colour="blue",
            shape="star",
            at=Point(160, 170),
            shown=Span(15, 24),
            acts=(Act(16, 18, "jumps"), Act(19, 23, "grows")),
        ),
    ),
    signs=(
        Sign("Gate 4", 2, 6, Point(30, 40)),
        Sign("NO STOPPING", 8, 13, Point(110, 60)),
        Sign("WELCOME TO BAY", 17, 22, Point(100, 30)),
    ),
    sounds=(Sound("sweep", 7), Sound("bell", 21)),
)

MATCH = Video(
    id="match",
    domain="sports",
    seconds=22,
    shots=(Shot(0, 22, "pitch", "#b7e0f2", "#3f8f4e"),),
    actors=(
        Actor(
            id="circle",
            colour="orange",
            shape="circle",
            at=Point(40, 150),
            shown=Span(0, 22),
            acts=(
                Act(2, 6, "pushes", Point(140, 150), "diamond"),
                Act(7, 9, "slides", Point(60, 150)),
                Act(14, 15, "jumps"),
            ),
        ),
        Actor(
            id="square",
            colour="white",
            shape="square",
            at=Point(236, 150),
            shown=Span(0, 22),
            acts=(Act(9, 12, "pushes", Point(176, 150), "diamond"), Act(17, 19, "jumps")),
        ),
        Actor(id="diamond", colour="black", shape="diamond", at=Point(86, 150), shown=Span(0, 22)),
    ),
    signs=(
        Sign("BELL = 3 POINTS", 0, 3, Point(100, 15)),
        Sign("SCORE 0", 3, 7, Point(125, 15)),
        Sign("SCORE 3", 7, 13, Point(125, 15)),
        Sign("SCORE 6", 13, 22, Point(125, 15)),
    ),
    sounds=(Sound("bell", 7), Sound("bell", 13)),
)

LESSON = Video(
    id="lesson",
    domain="education",
    seconds=22,
    shots=(Shot(0, 22, "classroom", "#dfe8d8", "#a88d6a"),),
    actors=(
        Actor(
            id="dana",
            name="Dana",
            colour="purple",
            shape="circle",
            at=Point(60, 140),
            shown=Span(0, 22),
            moods=(Mood(15, 20, "smiles"),),
        ),
        Actor(
            id="eli",
            name="Eli",
            colour="blue",
            shape="triangle",
            at=Point(260, 140),
            shown=Span(0, 22),
            moods=(Mood(5, 10, "frowns"),),
            acts=(Act(16, 18, "jumps"),),
        ),
    ),
    signs=(
        Sign("2 + 3 = ?", 2, 12, Point(125, 40)),
        Sign("2 + 3 = 5", 12, 20, Point(125, 40)),
    ),
    sounds=(Sound("bell", 20),),
    lines=(
        Line("dana", "How much is two and three?", 2, 5),
        Line("eli", "Is it six?", 6, 8),
        Line("dana", "Count once more.", 8, 10),
        Line("eli", "It is five.", 11, 13),
        Line("dana", "Very good.", 14, 16),
    ),
)

GARDEN = Video(
    id="garden",
    domain="nature",
    seconds=14,
    shots=(Shot(0, 14, "garden", "#bfe3f5", "#4d9152"),),
    actors=(
        Actor(id="square", colour="grey", shape="square", at=Point(160, 150), shown=Span(0, 14)),
        Actor(
            id="circle",
            colour="red",
            shape="circle",
            at=Point(50, 160),
            shown=Span(0, 14),
            acts=(Act(4, 5, "jumps"),),
        ),
        Actor(
            id="triangle", colour="green", shape="triangle", at=Point(235, 140), shown=Span(0, 14)
        ),
        Actor(
            id="star",
            colour="yellow",
            shape="star",
            at=Point(165, 60),
            shown=Span(0, 14),
            acts=(Act(7, 11, "spins"),),
        ),
        Actor(
            id="diamond", colour="purple", shape="diamond", at=Point(290, 170), shown=Span(0, 14)
        ),
    ),
    sounds=(Sound("sweep", 3),),
)

WORKSHOP = Video(
    id="workshop",
    domain="technology",
    seconds=24,
    shots=(Shot(0, 24, "workshop", "#8d99ae", "#4a4e5a"),),
    actors=(
        Actor(
            id="square",
            colour="orange",
            shape="square",
            at=Point(60, 160),
            shown=Span(0, 24),
            acts=(
                Act(5, 9, "slides", Point(160, 160)),
                Act(14, 18, "slides", Point(270, 160)),
            ),
        ),
        Actor(
            id="circle",
            colour="white",
            shape="circle",
            at=Point(160, 90),
            shown=Span(10, 24),
            acts=(Act(11, 13, "grows"),),
        ),
    ),
    lamps=(
        Lamp("start lamp", "green", Point(40, 40), (Span(4, 9), Span(13, 18))),
        Lamp("stop lamp", "red", Point(280, 40), (Span(9, 13), Span(18, 24))),
    ),
    signs=(
        Sign("ONE BEEP STARTS THE BELT", 0, 5, Point(80, 205)),
        Sign("DONE", 19, 23, Point(145, 205)),
    ),
    sounds=(Sound("beep", 4), Sound("beep", 13), Sound("sweep", 20)),
)

KITCHEN = Video(
    id="kitchen",
    domain="cooking",
    seconds=24,
    shots=(
        Shot(0, 12, "kitchen", "#f4e3c8", "#b98b5e"),
        Shot(12, 24, "table", "#d8ecd9", "#8a5a3b"),
    ),
    actors=(
        Actor(
            id="circle",
            colour="red",
            shape="circle",
            at=Point(40, 90),
            shown=Span(1, 12),
            acts=(Act(2, 4, "slides", Point(140, 90)),),
        ),
        Actor(
            id="triangle",
            colour="orange",
            shape="triangle",
            at=Point(290, 90),
            shown=Span(4, 12),
            acts=(Act(5, 8, "slides", Point(190, 90)),),
        ),
        Actor(id="square", colour="grey", shape="square", at=Point(160, 170), shown=Span(0, 12)),
        Actor(
            id="fay",
            name="Fay",
            colour="blue",
            shape="circle",
            at=Point(60, 140),
            shown=Span(12, 24),
            moods=(Mood(16, 21, "smiles"),),
        ),
        Actor(
            id="gus",
            name="Gus",
            colour="purple",
            shape="square",
            at=Point(250, 140),
            shown=Span(12, 24),
            acts=(Act(20, 22, "jumps"),),
        ),
    ),
    signs=(Sign("TOMATO", 2, 5, Point(120, 30)), Sign("CARROT", 5, 9, Point(120, 30))),
    sounds=(Sound("beep", 10), Sound("knock", 13)),
    lines=(
        Line("fay", "The soup is ready.", 13, 16),
        Line("gus", "It smells wonderful.", 17, 20),
        Line("fay", "Please take a spoon.", 21, 23),
    ),
)

STREET = Video(
    id="street",
    domain="traffic",
    seconds=26,
    shots=(Shot(0, 26, "street", "#a9c7de", "#5a5a5a"),),
    actors=(
        Actor(
            id="square",
            colour="red",
            shape="square",
            at=Point(30, 170),
            shown=Span(1, 9),
            acts=(Act(2, 8, "slides", Point(290, 170)),),
        ),
        Actor(
            id="diamond",
            colour="yellow",
            shape="diamond",
            at=Point(290, 130),
            shown=Span(3, 14),
            acts=(Act(10, 13, "slides", Point(40, 130)),),
        ),
        Actor(
            id="triangle",
            colour="blue",
            shape="triangle",
            at=Point(30, 170),
            shown=Span(15, 26),
            acts=(Act(20, 24, "slides", Point(200, 170)),),
        ),
        Actor(
            id="circle",
            colour="white",
            shape="circle",
            at=Point(250, 80),
            shown=Span(0, 26),
            acts=(Act(16, 18, "jumps"),),
        ),
    ),
    lamps=(
        Lamp("red light", "red", Point(150, 30), (Span(8, 10), Span(14, 20))),
        Lamp("green light", "green", Point(180, 30), (Span(0, 8), Span(10, 14), Span(20, 26))),
    ),
    signs=(Sign("Slow down", 4, 9, Point(20, 100)), Sign("BUS STOP", 15, 24, Point(20, 100))),
    sounds=(Sound("beep", 9), Sound("beep", 14), Sound("bell", 25)),
)

VIDEOS = {
    video.id: video
    for video in (
        STAGE, HALL, NEWSROOM, JOURNEY, MATCH, LESSON, GARDEN, WORKSHOP, KITCHEN, STREET,
    )
}  # fmt: skip

"""Small requests that fit every video; they stand on the branches of conditional instructions."""

from __future__ import annotations

from collections.abc import Mapping

from ifbench.benchmarks.videoif.starter import format_demands as form
from ifbench.benchmarks.videoif.starter.draft import Ask, Request
from ifbench.benchmarks.videoif.starter.scenes import Video, third
from ifbench.benchmarks.videoif.starter.sentences import listed, of_kind, replacing, sentence


def small_requests(video: Video) -> Mapping[str, Request]:
    """Length, places, kinds of sound, and shapes at the beginning."""
    places = listed([f"the {shot.place}" for shot in video.shots])
    kinds = list(dict.fromkeys(fact.subject for fact in of_kind(video, "sound")))
    first = [actor for actor in video.actors if actor.shown.start_s == 0] or list(video.actors)
    return {
        "length": Request(
            video=video,
            asks=(
                Ask(
                    task="Duration Estimation",
                    words="How many seconds does the whole film last?",
                    keys=(f"{video.seconds} sec", f"{video.seconds} seconds"),
                ),
            ),
            demands=(
                form.value_form(
                    "Answer with the number, a space and “sec”, and nothing else.",
                    "[0-9]+ sec",
                    replacing("sec", "seconds"),
                ),
            ),
            answer=f"{video.seconds} sec",
        ),
        "background": Request(
            video=video,
            asks=(
                Ask(
                    task="Scene Description",
                    words="Where does the film take place?",
                    keys=("background",),
                ),
            ),
            demands=(
                form.at_most_words(20),
                form.must_not_have("camera"),
            ),
            answer=sentence(f"the background is {places}"),
        ),
        "kinds_of_sound": Request(
            video=video,
            asks=(
                Ask(
                    task="Audio Change",
                    words="Which kinds of sound are there beside speech?",
                    keys=("sound track",),
                ),
            ),
            demands=(form.paragraphs(1), form.must_not_have("music", "noise")),
            answer=sentence(f"the sound track holds {listed(kinds)}"),
        ),
        "first_shape": Request(
            video=video,
            asks=(
                Ask(
                    task="Entity Recognition",
                    words="Which shape stands first in the film, and at which part of the picture?",
                    keys=("at first",),
                ),
            ),
            demands=(form.at_most_words(20), form.must_not_have("camera")),
            answer=sentence(
                f"at first {first[0].noun} stands at the {third(video, first[0].at.x)}"
            ),
        ),
    }

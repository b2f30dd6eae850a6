"""Keys: equal prompts have equal keys everywhere, and whatever can change a reply changes them."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ifbench.keys import KeySet, canonical_json, prompt_key
from ifbench.types import (
    FramesPolicy,
    ImagePolicy,
    Limits,
    Media,
    ModelConfig,
    NativePolicy,
    Price,
    Prompt,
    Purpose,
    Sampling,
    SubtitlesPolicy,
    Text,
    View,
    WavePolicy,
)

MODEL = ModelConfig(name="a", engine="openai_chat", model="some-model")
PICTURE = Media(kind="image", uri="/data/x.png", sha256="ab" * 32)
PROMPT = Prompt(
    purpose=Purpose.CANDIDATE,
    model=MODEL,
    parts=(Text(text="What is shown? "), View(media=PICTURE, policy=ImagePolicy())),
    sampling=Sampling(temperature=0.7, max_tokens=4096),
)

SAME = [
    ("the config's name", replace(PROMPT, model=replace(MODEL, name="b"))),
    ("the base URL", replace(PROMPT, model=replace(MODEL, base_url="http://elsewhere/v1"))),
    ("limits", replace(PROMPT, model=replace(MODEL, limits=Limits(concurrency=99)))),
    ("prices", replace(PROMPT, model=replace(MODEL, price=Price(input_per_million=9)))),
    ("labels", replace(PROMPT, model=replace(MODEL, family="f", billions=7, thinking=True))),
    (
        "the model's own sampling, which the prompt overrides",
        replace(PROMPT, model=replace(MODEL, sampling=Sampling(temperature=2))),
    ),
    (
        "the path of a picture",
        replace(
            PROMPT,
            parts=(PROMPT.parts[0], View(media=replace(PICTURE, uri="y"), policy=ImagePolicy())),
        ),
    ),
    (
        "a byte cap",
        replace(
            PROMPT,
            parts=(PROMPT.parts[0], View(media=PICTURE, policy=ImagePolicy(max_bytes=5))),
        ),
    ),
    (
        "how long it plays, which is for estimates",
        replace(
            PROMPT,
            parts=(
                PROMPT.parts[0],
                View(media=replace(PICTURE, duration_s=9), policy=ImagePolicy()),
            ),
        ),
    ),
    ("an empty extra body", replace(PROMPT, sampling=replace(PROMPT.sampling, extra_body={}))),
]


def _view(**changes) -> Prompt:
    return replace(
        PROMPT, parts=(PROMPT.parts[0], View(media=PICTURE, policy=ImagePolicy(**changes)))
    )


OTHER = [
    ("the purpose", replace(PROMPT, purpose=Purpose.JUDGE)),
    ("the model id", replace(PROMPT, model=replace(MODEL, model="other"))),
    ("the revision", replace(PROMPT, model=replace(MODEL, revision="2"))),
    ("the engine", replace(PROMPT, model=replace(MODEL, engine="llama_cpp"))),
    (
        "a script's table",
        replace(PROMPT, model=replace(MODEL, engine="scripted", options={"default": "x"})),
    ),
    ("one blank", replace(PROMPT, parts=(Text(text="What is shown?"), PROMPT.parts[1]))),
    ("the order of parts", replace(PROMPT, parts=PROMPT.parts[::-1])),
    ("a part less", replace(PROMPT, parts=PROMPT.parts[:1])),
    (
        "the picture",
        replace(
            PROMPT,
            parts=(
                PROMPT.parts[0],
                View(media=replace(PICTURE, sha256="cd" * 32), policy=ImagePolicy()),
            ),
        ),
    ),
    ("its size", _view(long_side_px=1024)),
    ("its quality", _view(quality=61)),
    ("its format", _view(format="png")),
    (
        "its policy",
        replace(PROMPT, parts=(PROMPT.parts[0], View(media=PICTURE, policy=NativePolicy()))),
    ),
    ("the temperature", replace(PROMPT, sampling=replace(PROMPT.sampling, temperature=0))),
    ("the seed", replace(PROMPT, sampling=replace(PROMPT.sampling, seed=0))),
    ("top_p", replace(PROMPT, sampling=replace(PROMPT.sampling, top_p=1.0))),
    ("max_tokens", replace(PROMPT, sampling=replace(PROMPT.sampling, max_tokens=4095))),
    ("the extra body", replace(PROMPT, sampling=replace(PROMPT.sampling, extra_body={"a": None}))),
    ("the attempt", replace(PROMPT, attempt=1)),
    ("the system text", replace(PROMPT, system="Be brief.")),
    ("the reply schema", replace(PROMPT, reply_schema={"type": "object"})),
]


@pytest.mark.parametrize(("what", "prompt"), SAME, ids=[name for name, _ in SAME])
def test_what_cannot_change_a_reply_leaves_the_key(what, prompt):
    assert prompt_key(prompt) == prompt_key(PROMPT)


@pytest.mark.parametrize(("what", "prompt"), OTHER, ids=[name for name, _ in OTHER])
def test_whatever_can_change_a_reply_changes_the_key(what, prompt):
    assert prompt_key(prompt) != prompt_key(PROMPT)


def test_all_these_prompts_have_keys_of_their_own():
    keys = [prompt_key(prompt) for _, prompt in OTHER]
    assert len(set(keys)) == len(keys)


def test_keys_of_stored_answers_never_change():
    # A failing line here means that every store in the world would be asked again.
    assert prompt_key(PROMPT) == "7b9b2f7c8c78ede36cb98fbfe4f4dc07901ac72763be5ccb2c987a466aa69d09"
    judge = Prompt(
        purpose=Purpose.JUDGE,
        model=replace(MODEL, revision="r1"),
        parts=(Text(text="Is it so? \ud800 é 数"),),
        sampling=Sampling(temperature=0, seed=7, extra_body={"b": [1, 2.5], "a": {"x": True}}),
        attempt=2,
        reply_schema={"type": "object"},
    )
    assert prompt_key(judge) == "533131bf211d13000b9d444603d87d542afb05c30b1d7502627b825630ccf506"


FILM = Media(kind="video", uri="/data/x.mp4", sha256="ef" * 32)


def film_key(policy) -> str:
    return prompt_key(replace(PROMPT, parts=(View(media=FILM, policy=policy),)))


def test_each_way_of_showing_a_video_has_a_key_of_its_own():
    policies = [
        FramesPolicy(),
        FramesPolicy(fps=2),
        FramesPolicy(count=50),
        FramesPolicy(count=60),
        FramesPolicy(max_frames=50),
        FramesPolicy(long_side_px=None),
        FramesPolicy(format="png"),
        FramesPolicy(quality=84),
        FramesPolicy(labels=False),
        NativePolicy(),
        WavePolicy(),
        WavePolicy(rate_hz=8000),
        SubtitlesPolicy(),
    ]
    assert len({film_key(policy) for policy in policies}) == len(policies)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (FramesPolicy(), FramesPolicy(max_bytes=9)),
        (FramesPolicy(fps=1), FramesPolicy(fps=1.0)),
        (FramesPolicy(count=5), FramesPolicy(count=5, fps=9)),
        (FramesPolicy(count=5), FramesPolicy(count=9, max_frames=5)),
        (WavePolicy(), WavePolicy(max_seconds=9, max_bytes=9)),
        (NativePolicy(), NativePolicy(max_bytes=9)),
        (SubtitlesPolicy(), SubtitlesPolicy(max_bytes=9)),
    ],
)
def test_what_does_not_change_what_is_sent_of_a_video_leaves_the_key(one, other):
    assert film_key(one) == film_key(other)


def test_keys_of_stored_answers_about_videos_never_change():
    assert (
        film_key(FramesPolicy())
        == "8f45aa859da8f78575e37ff6eed29488200b8ae81d20dd5896de4837a13cfd97"
    )
    assert (
        film_key(NativePolicy())
        == "a06980b82aceaf34dd9ee35b9f8700a49ce6619ac1662d38466a3bd2ddd65507"
    )


def test_the_order_of_a_dict_is_no_difference():
    one = replace(PROMPT, sampling=Sampling(extra_body={"a": 1, "b": {"c": 2, "d": 3}}))
    two = replace(PROMPT, sampling=Sampling(extra_body={"b": {"d": 3, "c": 2}, "a": 1}))
    assert prompt_key(one) == prompt_key(two)


def test_zero_and_zero_point_zero_ask_for_the_same_thing():
    keys = {prompt_key(replace(PROMPT, sampling=Sampling(temperature=value))) for value in (0, 0.0)}
    assert len(keys) == 1


@pytest.mark.parametrize("seed", ["0", "1", "12345"])
def test_keys_do_not_hang_on_the_hash_seed(seed):
    code = (
        "from ifbench.keys import content_key;"
        "print(content_key({'b': [1, {'y': 2, 'x': 3}], 'a': 'é'}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "2d0d13b9e8ff678364cd55ef0c823db44699f2fd216173515e0863823e5a95aa"


def test_a_number_that_json_lacks_is_refused():
    with pytest.raises(ValueError, match="JSON"):
        canonical_json(float("nan"))


@given(st.text())
def test_any_text_has_a_key_and_another_text_another(text):
    one = replace(PROMPT, parts=(Text(text=text),))
    other = replace(PROMPT, parts=(Text(text=text + "x"),))
    assert len(prompt_key(one)) == 64
    assert prompt_key(one) != prompt_key(other)


SERVED = replace(MODEL, engine="vllm")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"dtype": "auto", "quantization": None, "context": None, "args": []},
        {"gpus": 8, "replicas": 2, "gpu_memory_utilization": 0.8, "prefix_caching": False},
        {"limit_mm_per_prompt": {"image": 8}, "speed_args": ["--max-num-seqs", "64"]},
        {"port": 9000, "command": ["other"], "start_s": 5, "restarts": 0},
    ],
)
def test_a_model_that_we_serve_as_it_is_shares_the_keys_of_any_other_endpoint(options):
    served = replace(PROMPT, model=replace(SERVED, options=options))
    assert prompt_key(served) == prompt_key(PROMPT)


@pytest.mark.parametrize(
    "options",
    [
        {"dtype": "float16"},
        {"quantization": "fp8"},
        {"context": 8192},
        {"args": ["--chat-template", "t.j"]},
    ],
)
def test_what_may_change_a_served_models_replies_changes_the_key(options):
    served = replace(PROMPT, model=replace(SERVED, options=options))
    assert prompt_key(served) != prompt_key(PROMPT)
    assert prompt_key(served) == prompt_key(
        replace(PROMPT, model=replace(SERVED, options={**options, "gpus": 4}))
    )


# ── Sets of keys ─────────────────────────────────────────────────────────────────────


@given(st.lists(st.text(max_size=4)))
def test_a_key_set_tells_what_is_new_as_a_set_does(texts):
    keys, known = KeySet(), set()
    for text in texts:
        assert (text in keys) == (text in known)
        assert keys.add(text) == (text not in known)
        known.add(text)
    assert len(keys) == len(known)


def test_a_key_set_keeps_what_it_holds_as_it_grows():
    keys = KeySet()
    names = [f"sample-{number}" for number in range(20_000)]
    assert all(keys.add(name) for name in names)
    assert not any(keys.add(name) for name in names)
    assert len(keys) == 20_000
    assert "sample-20000" not in keys

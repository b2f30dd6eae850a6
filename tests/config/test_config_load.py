"""What a config comes to: folders, roles, precedence, identity."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from config_files import write, write_model

from ifbench.config import RunConfig, available_models, identity, load_config, resolved
from ifbench.config.folders import packaged_folder
from ifbench.types import ImagePolicy

ELEVEN = (
    "gpt-5.2", "grok-4-fast", "gemini-3.1-pro-preview", "claude-sonnet-4.6",
    "qwen3.5-27b", "qwen3.5-35b-a3b", "qwen3.5-122b-a10b", "qwen3.5-397b-a17b",
    "internvl3.5-8b", "internvl3.5-14b", "internvl3.5-38b",
)  # fmt: skip


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_main_experiment_is_the_papers_table(here: Path) -> None:
    config = load_config(["experiment=scimif_main", "benchmark.data=scimif.jsonl"])

    assert tuple(model.name for model in config.candidates) == ELEVEN
    assert [model.sampling.temperature for model in config.candidates] == [0.7] * 11
    assert [model.sampling.max_tokens for model in config.candidates] == [4096] * 11
    assert config.candidates[0].media.image == ImagePolicy(
        long_side_px=512, format="jpeg", quality=60
    )
    assert config.judge.name == config.extractor.name == "gpt-4.1"
    assert (config.judge.sampling.temperature, config.judge.sampling.max_tokens) == (0, 1024)
    assert config.grader.name == "compassverifier-32b"


def test_the_quickstart_is_small_and_needs_no_network(here: Path) -> None:
    config = load_config(["experiment=quickstart"])

    assert {model.engine for model in config.models} == {"llama_cpp"}
    assert len(config.benchmark.ids or ()) == 6
    assert (config.execution.name, config.experiment) == ("ray", "quickstart")


def test_every_shipped_model_can_be_a_candidate(here: Path) -> None:
    names = available_models()
    config = load_config([f"candidates=[{','.join(names)}]"])

    assert [model.name for model in config.candidates] == names


@pytest.mark.parametrize("at", range(0, len(available_models()), 3))
def test_every_shipped_model_takes_the_other_roles(here: Path, at: int) -> None:
    judge, grader, extractor = (available_models() * 2)[at : at + 3]
    roles = (f"judge={judge}", f"grader={grader}", f"extractor={extractor}")
    config = load_config(["candidates=gpt-5.2", *roles])

    assert config.judge is not None
    assert config.grader is not None
    assert config.extractor is not None
    assert (config.judge.name, config.grader.name, config.extractor.name) == (
        judge, grader, extractor,
    )  # fmt: skip


@pytest.mark.parametrize(
    "experiment", [file.stem for file in (packaged_folder() / "experiment").glob("*.yaml")]
)
def test_every_shipped_experiment_loads(here: Path, experiment: str) -> None:
    overrides = [f"experiment={experiment}", "benchmark.data=x.jsonl"]
    if experiment == "small_judge":
        overrides.append("candidates=gpt-5.2")

    assert load_config(overrides).experiment == experiment


def test_loading_leaves_nothing_behind(here: Path) -> None:
    from hydra.core.global_hydra import GlobalHydra

    load_config(["experiment=quickstart"])

    assert not GlobalHydra.instance().is_initialized()
    assert list(here.iterdir()) == []


def test_configs_load_in_threads(here: Path) -> None:
    def limit_of(number: int) -> int | None:
        overrides = ["candidates=smollm2", f"benchmark.limit={number}"]
        return load_config(overrides).benchmark.limit

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(limit_of, range(1, 13))) == list(range(1, 13))


def test_a_program_that_uses_hydra_keeps_its_own(here: Path) -> None:
    from hydra import compose, initialize_config_dir

    write(here / "theirs", app="port: 1")
    with initialize_config_dir(str(here / "theirs"), version_base="1.3"):
        load_config(["candidates=smollm2"])
        assert compose("app").port == 1


# ── Folders ──────────────────────────────────────────────────────────────────────────


def test_a_new_model_is_one_file_in_the_users_folder(here: Path) -> None:
    write_model(here / "mine", "my-model.v2")

    config = load_config(["candidates=my-model.v2"], config_dir=Path("mine"))

    assert config.candidates[0].model == "org/mine"
    assert config.candidates[0].name == "my-model.v2"
    assert "my-model.v2" in available_models(here / "mine")
    assert "my-model.v2" not in available_models()


def test_config_dir_comes_before_conf_and_conf_before_what_is_shipped(here: Path) -> None:
    write_model(here / "conf", "gpt-4.1", "{engine: scripted, model: from-conf}")
    write_model(here / "conf", "gpt-5.2", "{engine: scripted, model: from-conf}")
    write_model(here / "mine", "gpt-4.1", "{engine: scripted, model: from-mine}")

    config = load_config(
        ["candidates=[gpt-4.1,gpt-5.2,grok-4-fast]"], config_dir=here / "mine", cwd=here
    )

    found = [model.model for model in config.candidates]
    assert found == ["from-mine", "from-conf", "grok-4-fast"]


def test_a_users_group_option_and_experiment_are_found(here: Path) -> None:
    write(
        here / "conf",
        execution__big="{name: ray, in_flight: 512}",
        experiment__nightly="""
            # @package _global_
            defaults:
              - override /execution: big
            candidates: [smollm2]
            benchmark: {limit: 3}
        """,
    )

    config = load_config(["experiment=nightly"])

    assert (config.execution.in_flight, config.benchmark.limit) == (512, 3)


def test_a_folder_with_blanks_and_quotes_in_its_name_will_do(here: Path) -> None:
    folder = here / "it's my, conf (1)"
    write_model(folder, "mine")
    write_model(here / "conf", "other")

    config = load_config(["candidates=[mine,other]"], config_dir=folder)

    assert [model.name for model in config.candidates] == ["mine", "other"]


# ── Who wins ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("overrides", "temperature"),
    [
        ([], 0.7),  # what the benchmark asks of a candidate
        (["candidates=stated"], 0.3),  # the model's file
        (["candidates={name:stated,sampling:{temperature:0.4}}"], 0.4),  # the role
        (["candidates=stated", "model.stated.sampling.temperature=0.5"], 0.5),
        (["candidates=stated", "candidates.sampling.temperature=0.6"], 0.6),
        (["candidates=stated", "candidates.stated.sampling.temperature=0.6"], 0.6),
        (
            [
                "candidates=stated",
                "candidates.sampling.temperature=0.6",
                "model.stated.sampling.temperature=0.5",
            ],
            0.5,
        ),  # the later one
        (["candidates=stated", "judge.sampling.temperature=0.9"], 0.3),
        (["candidates=stated", "~model.stated.sampling.temperature"], None),
        (["candidates=stated", "model.stated.sampling.temperature=null"], None),
        (["benchmark.role_defaults.candidates.sampling.temperature=1"], 1.0),
    ],
)
def test_the_later_word_wins(here: Path, overrides: list[str], temperature: float) -> None:
    write_model(here / "conf", "plain")
    write_model(
        here / "conf", "stated", "{engine: scripted, model: s, sampling: {temperature: 0.3}}"
    )

    config = load_config(["candidates=plain", *overrides])

    assert config.candidates[0].sampling.temperature == temperature


def test_one_model_in_two_roles_is_set_in_each_or_in_both(here: Path) -> None:
    config = load_config(
        [
            "candidates=[smollm2]",
            "judge=smollm2",
            "model.smollm2.limits.timeout_s=9",
            "judge.sampling.max_tokens=7",
        ]
    )

    assert config.candidates[0].limits.timeout_s == config.judge.limits.timeout_s == 9
    assert config.candidates[0].sampling.max_tokens == 256
    assert config.judge.sampling.max_tokens == 7


def test_the_extractor_is_the_judge_unless_it_is_named_or_set(here: Path) -> None:
    judge = ["candidates=smollm2", "judge.sampling.max_tokens=7"]

    assert load_config(judge).extractor == load_config(judge).judge
    set_apart = load_config([*judge, "extractor.sampling.max_tokens=9"])
    assert set_apart.extractor.name == set_apart.judge.name
    assert set_apart.extractor.sampling.max_tokens == 9
    assert set_apart.judge.sampling.max_tokens == 7
    assert load_config([*judge, "extractor=gpt-5.2"]).extractor.name == "gpt-5.2"
    assert load_config(["candidates=smollm2", "judge=null"]).extractor is None


def test_swapping_the_judge_drops_what_was_set_for_the_old_one(here: Path) -> None:
    config = load_config(["experiment=quickstart", "judge=gpt-4.1"])

    assert (config.judge.name, config.judge.sampling.max_tokens) == ("gpt-4.1", 1024)


def test_open_mappings_take_new_keys(here: Path) -> None:
    config = load_config(
        [
            "candidates=smollm2",
            "judge.sampling.extra_body.chat_template_kwargs.enable_thinking=false",
            "+candidates.options.threads=3",
        ]
    )

    assert config.judge.sampling.extra_body == {"chat_template_kwargs": {"enable_thinking": False}}
    options = config.candidates[0].options
    assert options == {"string_characters": 60, "list_items": 5, "threads": 3}


def test_a_key_that_no_file_mentions_needs_no_plus(here: Path) -> None:
    write(here / "conf", benchmark__short="{name: scimif, data: x.jsonl}")

    config = load_config(["benchmark=short", "candidates=smollm2", "benchmark.ids=[a,'b c']"])

    assert config.benchmark.ids == ("a", "b c")


def test_an_address_may_come_from_the_environment(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    overrides = ["candidates=qwen3.5-27b"]
    monkeypatch.delenv("IFBENCH_VLLM_URL", raising=False)
    assert load_config(overrides).candidates[0].base_url == "http://127.0.0.1:8000/v1"
    monkeypatch.setenv("IFBENCH_VLLM_URL", "http://gpu-3:8000/v1")
    assert load_config(overrides).candidates[0].base_url == "http://gpu-3:8000/v1"


# ── What goes into a manifest and a run's id ─────────────────────────────────────────

BASE = ("candidates=[gpt-5.2,smollm2]", "benchmark.limit=5")


def load(*overrides: str) -> RunConfig:
    return load_config([*BASE, *overrides])


def test_a_resolved_config_is_plain_json_and_pickles(here: Path) -> None:
    config = load("benchmark.ids=[a,b]")

    plain = resolved(config)
    assert json.loads(json.dumps(plain)) == plain
    assert plain["candidates"][0]["api_key_env"] == "OPENAI_API_KEY"
    assert plain["benchmark"]["ids"] == ["a", "b"]
    assert pickle.loads(pickle.dumps(config)) == config


def test_samples_are_chosen_by_facet(here: Path) -> None:
    chosen = load("benchmark.where={modality: text}", "benchmark.where.n_constraints=[2,'3']")
    assert chosen.benchmark.wanted("modality") == ("text",)
    assert chosen.benchmark.wanted("n_constraints") == ("2", "3")
    same = load("benchmark.where.n_constraints=[3,2]", "benchmark.where.modality=[text]")
    assert identity(chosen) == identity(same)


@pytest.mark.parametrize(
    "override",
    [
        "execution=local",
        "execution.workers.judge=3",
        "execution.check_time_s=99",
        "store.uri=/elsewhere",
        "judge.limits.concurrency=1",
        "model.gpt-5.2.price.input_per_million=2",
        "judge.base_url=http://other/v1",
        "judge.api_key_env=OTHER_KEY",
        "max_owed=3",
        "candidates.gpt-5.2.family=x",
        "candidates=[smollm2,gpt-5.2]",
        "judge.sampling.temperature=0.0",
        "candidates.media.image.max_bytes=5000000",
    ],
)
def test_what_changes_no_result_changes_no_identity(here: Path, override: str) -> None:
    assert identity(load(override)) == identity(load())


@pytest.mark.parametrize(
    "override",
    [
        "benchmark.limit=6",
        "benchmark.data=x.jsonl",
        "benchmark.ids=[a]",
        "benchmark.where.modality=text",
        "candidates=[gpt-5.2]",
        "judge=gpt-5.2",
        "judge=null",
        "grader=gpt-4.1",
        "extractor=gpt-5.2",
        "judge.revision=june",
        "judge.sampling.temperature=0.1",
        "judge.sampling.extra_body.effort=low",
        "candidates.media.image.long_side_px=1024",
        "rules=release",
        "attempts=2",
        "judging.attempts=1",
        "judging.grader_media=true",
        "correctness=none",
        "seed=1",
    ],
)
def test_what_changes_results_changes_the_identity(here: Path, override: str) -> None:
    assert identity(load(override)) != identity(load())


def test_identity_is_the_same_in_another_process(here: Path) -> None:
    code = (
        "import json; from ifbench.config import *;"
        "print(json.dumps(identity(load_config(['experiment=quickstart'])), sort_keys=True))"
    )
    seeds = ("1", "2")
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in seeds
    }
    assert len(printed) == 1
    mine = json.dumps(identity(load_config(["experiment=quickstart"])), sort_keys=True)
    assert printed == {mine + "\n"}


def test_the_last_word_on_an_overlay_holds_also_where_it_is_none(here: Path) -> None:
    one = "candidates=[smollm2]"
    assert load_config([one, "experiment=quickstart", "experiment=null"]).experiment is None
    assert load_config([one, "experiment=null", "experiment=quickstart"]).benchmark.ids
    groups = "benchmark: scimif, execution: local, store: local, experiment: quickstart"
    listed = ", ".join(f"{{{pair}}}" for pair in groups.split(", "))
    write(here / "conf", evaluate=f"defaults: [_self_, {listed}]\ncandidates: ???\n")
    assert load_config([one]).experiment == "quickstart"
    assert load_config([one, "experiment=null"]).experiment is None

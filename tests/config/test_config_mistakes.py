"""Each mistake is a ConfigError that names the place, the key, what was found and the choices."""

from __future__ import annotations

from pathlib import Path

import pytest
from config_files import write, write_model

from ifbench.config import load_config
from ifbench.errors import ConfigError

SECRET = "sk-proj-4Zq8planted0key1never2shown3"
PLAIN = "planted0without1a2shape"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def mistake(*overrides: str, config_dir: Path | None = None) -> str:
    with pytest.raises(ConfigError) as raised:
        load_config(["candidates=smollm2", *overrides], config_dir=config_dir)
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__ or raised.value.__context__ is None
    return str(raised.value)


@pytest.mark.parametrize(
    ("override", "words"),
    [
        # Groups and names.
        ("execution=rey", ["`execution=rey`", "did you mean `ray`", "local, ray", "searched"]),
        ("execution=[ray,local]", ["one option", "execution=NAME"]),
        ("execution=ray,local", ["several"]),
        ("~execution", ["one option"]),
        ("execution=null", ["no execution `null`"]),
        ("experiment=quikstart", ["did you mean `quickstart`"]),
        ("judge=gpt-41", ["judge", "did you mean `gpt-4.1`", "smollm2", "searched"]),
        ("judge=[gpt-4.1]", ["`judge` takes one model"]),
        ("judge=../../etc/passwd", ["`judge` names a model"]),
        ("judge=4.1", ["`judge` names a model", "got 4.1"]),
        ("judge={sampling:{seed:1}}", ["`judge` names a model"]),
        ("candidates=[]", ["`candidates` must not be empty"]),
        ("candidates=[smollm2,smollm2]", ["smollm2 twice"]),
        ("candidates=null", ["`candidates` must not be empty"]),
        ("model=gpt-4.1", ["a model takes a role", "judge=NAME"]),
        # Keys.
        ("benchmark.limt=5", ["`benchmark.limt`", "did you mean `limit`", "data, limit"]),
        ("judje=gpt-4.1", ["unknown key `judje`", "did you mean `judge`"]),
        ("judge.limit.concurrency=4", ["no setting `limit`", "did you mean `limits`"]),
        ("judge.limits.concurency=4", ["`limits.concurency`", "did you mean `concurrency`"]),
        ("candidates.media.video.fsp=2", ["`media.video.fsp`", "did you mean `fps`", "count"]),
        (
            "candidates.media.video={mode:native,fps:2}",
            ["`media.video.fps`", "keys here: mode, max"],
        ),
        ("candidates.media.audio.mode=wave", ["`media.audio.mode`", "native, wav;", "mean `wav`"]),
        ("candidates.media.video=frames", ["`media.video` must be a mapping"]),
        ("candidates.media.video.fps=0", ["`media.video.fps` must be above 0, got 0"]),
        ("candidates.media.audio={mode:wav,rate_hz:5}", ["`media.audio.rate_hz`", "at least 8000"]),
        ("candidates.media.subtitles=yes", ["`media.subtitles`", "with, without"]),
        ("judge.name=other", ["no setting `name`"]),
        ("judge.=4", ["a setting is missing"]),
        ("model.gpt-4.2.limits.concurrency=4", ["no model `gpt-4.2`", "did you mean `gpt-"]),
        ("model.gpt-4.1=4", ["a setting is missing"]),
        ("model.gpt-5.2.limits.concurrency=4", ["reaches no model", "judge: gpt-4.1"]),
        ("grader.limits.concurrency=4", ["reaches no model"]),
        ("candidates.gpt-4.1.limits.concurrency=4", ["reaches no model"]),
        ("hydra.run.dir=x", ["Hydra's own settings"]),
        ("store.uri.x=1", ["`store.uri`", "text"]),
        # Values.
        ("benchmark.limit=0", ["`benchmark.limit` must be above 0, got 0"]),
        ("benchmark.limit=many", ['must be a whole number, got "many"']),
        ("benchmark.limit=1.5", ["must be a whole number, got 1.5"]),
        ("benchmark.limit=true", ["must be a whole number, got true"]),
        (
            "benchmark.data=''",
            ['`benchmark.data` must not be empty, got ""; a file, a release\'s folder, or'],
        ),
        ("benchmark.data=' '", ['`benchmark.data` must not be empty, got " "']),
        ("store.uri=''", ['`store.uri` must not be empty, got ""; a folder, or a URI']),
        ("store.uri=", ["command line, `store.uri=`", "`store.uri` must not be empty"]),
        ("benchmark.ids=a", ['`benchmark.ids` must be a list, got "a"']),
        ("benchmark.ids=[1]", ["`benchmark.ids[0]` must be text, got 1: put it in quotes"]),
        ("benchmark.where=text", ["a facet is a key of its own: `benchmark.where.FACET=VALUE`"]),
        ("benchmark.where.modality=[]", ["`where.modality` names no value"]),
        ("benchmark.where.modality=1.5", ["`benchmark.where.modality", "got 1.5"]),
        ("benchmark.name=simif", ["must be one of scimif", "did you mean `scimif`"]),
        ("rules=papers", ["must be one of paper, release", "did you mean `paper`"]),
        ("judge.limits.concurrency=-1", ["`limits.concurrency` must be above 0, got -1"]),
        ("judge.sampling.temperature=nan", ["`judge.sampling.temperature=nan`", "nan", "inf"]),
        ("benchmark.variant=x", ["scimif has no variant `x`; it has original"]),
        ("judge.sampling.top_p=1.1", ["`sampling.top_p` must be at most 1, got 1.1"]),
        ("judge.sampling=4", ["`sampling` must be a mapping, got 4"]),
        ("judge.media.image.format=gif", ["must be one of jpeg, png, webp", '"gif"']),
        ("judge.engine=sglang", ["must be one of openai_chat, vllm, llama_cpp, scripted"]),
        ("judge.revision=2", ["`revision` must be text, got 2: put it in quotes"]),
        ("judge.base_url=gpu:8000", ["`base_url` must be an http:// or https:// address"]),
        ("correctness=model", ["command line, `correctness=model`", "needs a `grader`"]),
        ("max_owed=-1", ["`max_owed` must be at least 0, got -1"]),
        ("correctness=model", ["`correctness: model` needs a `grader`"]),
        ("correctness=modal", ["must be one of none, script, model"]),
        # Grammar.
        ("judge", ["KEY=VALUE"]),
        ("=gpt-4.1", ["KEY=VALUE"]),
        ("--judge=gpt-4.1", ["cannot be read"]),
        ("judge=a,b", ["several", '"judge=[a,b]"']),
        ("store.uri=s3://b?region=eu", ["in quotes", "\"store.uri='s3://b?region=eu'\""]),
        ("benchmark.data=my (1).jsonl", ["in quotes"]),
        ("benchmark.ids=[a", ["cannot be read"]),
        ("judge.sampling.extra_body={a", ["cannot be read"]),
        ("judge.limits.concurrency=range(3)", ["several"]),
        ("benchmark.data=${oc.env:HOME}", ["may not read the environment", "base_url"]),
        ("judge.model=${oc.env:HOME}", ["may not read the environment", "base_url"]),
        ("benchmark.data=${nothing.here}", ["interpolation"]),
    ],
)
def test_a_mistake_on_the_command_line(here: Path, override: str, words: list[str]) -> None:
    found = mistake(override)

    assert [word for word in words if word not in found] == []
    assert "Traceback" not in found
    assert "hydra.cc" not in found


@pytest.mark.parametrize("override", ["address=auto", "cpus=4", "most_crashes=1"])
def test_what_is_rays_alone_is_a_mistake_elsewhere(here: Path, override: str) -> None:
    found = mistake("execution=local", f"execution.{override}")
    assert f"`execution.{override}`" in found
    assert "is for `execution=ray`; here `execution` is local" in found


def test_a_mistake_names_its_override_among_several(here: Path) -> None:
    found = mistake("judge.limits.concurrency=-1", "judge.limits.attempts=2", "rules=x").split("\n")

    assert found[0].startswith("command line, `judge.limits.concurrency=-1`: ")
    assert found[1].startswith("command line, `rules=x`: ")


def test_a_grader_with_nothing_to_decide_is_a_mistake(here: Path) -> None:
    assert "leaves nothing for a `grader`" in mistake("correctness=none", "grader=gpt-4.1")


def test_without_candidates_the_key_is_asked_for(here: Path) -> None:
    with pytest.raises(ConfigError, match=r"evaluate\.yaml: `candidates` is missing.*\[NAME\]"):
        load_config([])


def test_an_experiment_may_leave_a_key_to_the_user(here: Path) -> None:
    found = mistake("experiment=scimif_main")

    assert "scimif_main.yaml: `benchmark.data` is missing" in found
    assert "`benchmark.data=VALUE`" in found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("engine: openai_chat", ["conf/model/mine.yaml: `model` is missing"]),
        ("", ["`engine` is missing", "`model` is missing"]),
        (
            "{engine: scripted, model: m, limits: {concurency: 2}}",
            ["conf/model/mine.yaml: unknown key `limits.concurency`", "mean `concurrency`"],
        ),
        ("{engine: scripted, model: m, temperature: 0}", ["unknown key `temperature`"]),
        ("{engine: scripted, model: m, billions: 0}", ["`billions` must be above 0, got 0"]),
        ("{engine: scripted, model: m, name: other}", ["`name` must be the file's own, `mine`"]),
        ("- a\n- b", ["conf/model/mine.yaml: a mapping"]),
        ("engine: [scripted\nmodel: m", ["conf/model/mine.yaml line 2", "not valid YAML"]),
        ("engine: a\nengine: b", ["conf/model/mine.yaml line 2", "duplicate key"]),
        ("engine:\n\ta: b", ["conf/model/mine.yaml line 2", "not valid YAML"]),
        ("engine: &a [*a]\nmodel: m", ["conf/model/mine.yaml: ", "an anchor that holds itself"]),
        (f"engine: {'[' * 2000}{']' * 2000}", ["conf/model/mine.yaml: ", "nested too deep"]),
        ("{engine: scripted, model: m, 5: x}", ["the key `5` must be text"]),
        (
            "{engine: scripted, model: m, base_url: '${oc.env:NOT_SET_HERE}'}",
            ["conf/model/mine.yaml: `base_url` wants the environment variable NOT_SET_HERE"],
        ),
        (
            "{engine: scripted, model: '${oc.env:HOME}'}",
            ["conf/model/mine.yaml: `model` may not read the environment"],
        ),
    ],
)
def test_a_mistake_in_a_models_file(here: Path, text: str, words: list[str]) -> None:
    write_model(here / "conf", "mine", text)

    found = mistake("judge=mine")

    assert [word for word in words if word not in found] == []


def test_a_mistake_in_a_candidates_file_is_said_once(here: Path) -> None:
    write_model(here / "conf", "mine", "{engine: scripted}")
    with pytest.raises(ConfigError) as raised:
        load_config(["candidates=mine"])

    assert str(raised.value) == "conf/model/mine.yaml: `model` is missing"


def test_a_folder_is_no_model(here: Path) -> None:
    (here / "conf" / "model" / "dir.yaml").mkdir(parents=True)

    assert "did you mean `dir`" not in mistake("judge=dir")


def test_a_file_that_is_no_text_is_named(here: Path) -> None:
    write_model(here / "conf", "mine").write_bytes(b"engine: \xff\xfe")

    assert "conf/model/mine.yaml: cannot be read" in mistake("judge=mine")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("benchmark__own", "{name: scimif, data: x, lmit: 3}", ["unknown key `benchmark.lmit`"]),
        ("benchmark__own", "{name: scimif}", ["`benchmark.data` is missing"]),
        ("benchmark__own", "{name: scimif, data: x, limit: -3}", ["`benchmark.limit` must be"]),
        ("benchmark__own", "name: scimif\ndata: [x", [".yaml line ", "not valid YAML"]),
        ("benchmark__own", "name: scimif\n data: x", ["line 2", "not valid YAML"]),
        ("benchmark__own", "- scimif", ["a mapping"]),
        ("benchmark__own", "scimif", ["unknown key `benchmark.scimif`"]),
        (
            "benchmark__own",
            "{name: scimif, data: x, role_defaults: {judge: {sampling: {temp: 0}}}}",
            ["unknown key `benchmark.role_defaults.judge.sampling.temp`", "temperature"],
        ),
        (
            "benchmark__own",
            "{name: scimif, data: x, role_defaults: {judge: {limits: {attempts: 0}}}}",
            ["unknown key `benchmark.role_defaults.judge.limits`"],
        ),
        ("experiment__own", "judge: gpt-4.1", ["# @package _global_"]),
        ("experiment__own", "# @package _global_\njudg: gpt-4.1", ["unknown key `judg`"]),
        (
            "experiment__own",
            "# @package _global_\ndefaults:\n  - override /execution: rey",
            ["no execution `rey`", "did you mean `ray`"],
        ),
        ("experiment__own", "# @package _global_\njudge: nobody", ["no model `nobody`"]),
        ("experiment__own", "# @package _global_\ndefaults: 5", ["`defaults` must be a list"]),
        ("experiment__own", "judge: &a [*a]", ["an anchor that holds itself"]),
    ],
)
def test_a_mistake_in_a_file_of_a_group(here: Path, name: str, text: str, words: list[str]) -> None:
    write(here / "mine", **{name: text})

    found = mistake(name.replace("__", "="), config_dir=here / "mine")

    assert [word for word in words if word not in found] == []
    if "execution" not in found:
        assert f"mine/{name.replace('__', '/')}.yaml" in found


def test_a_broken_file_that_is_not_used_breaks_nothing(here: Path) -> None:
    write(here / "conf", experiment__broken="a: [", model__broken=": :")

    assert load_config(["candidates=smollm2"]).candidates[0].name == "smollm2"


def test_a_config_dir_that_is_not_there_is_named(here: Path) -> None:
    assert "--config-dir nowhere: there is no folder" in mistake(config_dir=Path("nowhere"))


def test_two_addresses_of_one_model_need_a_revision(here: Path) -> None:
    write_model(here / "conf", "east", "{engine: openai_chat, model: m, base_url: 'http://e/v1'}")
    write_model(here / "conf", "west", "{engine: openai_chat, model: m, base_url: 'http://w/v1'}")

    found = mistake("candidates=[east,west]")
    assert "`east` and `west`" in found
    assert "`revision`" in found
    assert "`east` and `west`" in mistake("candidates=east", "judge=west")
    load_config(["candidates=[east,west]", "model.west.revision=fp8"])


def test_an_endpoint_and_a_server_of_ours_of_one_model_need_to_differ(here: Path) -> None:
    write_model(here / "conf", "east", "{engine: openai_chat, model: m, base_url: 'http://e/v1'}")
    write_model(here / "conf", "ours", "{engine: vllm, model: m, options: {gpus: 2}}")

    found = mistake("candidates=[east,ours]")
    assert "`east` and `ours`" in found
    assert "`engine` (openai_chat and vllm)" in found
    load_config(["candidates=[east,ours]", "model.ours.options.quantization=fp8"])


def test_two_candidates_may_share_a_deployment(here: Path) -> None:
    deployed = "{engine: openai_chat, model: m, base_url: 'http://e/v1', thinking: %s}"
    write_model(here / "conf", "fast", deployed % "false")
    write_model(here / "conf", "slow", deployed % "true")

    assert len(load_config(["candidates=[fast,slow]"]).candidates) == 2


# ── Secrets ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "override",
    [
        f"judge.api_key={SECRET}",
        f"+judge.api_key={SECRET}",
        f"judge.api_key_env={SECRET}",
        f"judge.apikey={SECRET}",
        f"judge.options.token={SECRET}",
        f"judge.sampling.extra_body={{api_key:{SECRET}}}",
        f"judge.sampling.extra_body.note={SECRET}",
        f"judge.base_url=https://me:{SECRET}@host/v1",
        f"judge={{name:gpt-4.1,api_key:{SECRET}}}",
        f"candidates.api_key={SECRET}",
        f"model.smollm2.api_key={SECRET}",
        f"api_key={SECRET}",
        f"store.uri='s3://key:{SECRET}@bucket/x'",
        f"store.uri=s3://key:{SECRET}@bucket?x=1",
        f"store.uri='s3://bucket/x?access_key={PLAIN}'",
        f"store.uri=s3://bucket/x?session_token={PLAIN}",
        f"store.uri='s3://bucket/x?session_token={PLAIN}'",
        f"judge.base_url='https://host/v1?api_key={PLAIN}'",
        f"judge.base_url=https://host/v1?subscription-key={PLAIN}",
        f"judge={{name:gpt-4.1,base_url:'https://host/v1?sig={PLAIN}'}}",
        f"benchmark.data='s3://bucket/x?token={PLAIN}','b'",
        f"judge.api_key=[{SECRET}",
        f"judge.api_key={SECRET},{SECRET}",
        f"judge.api_key_env={SECRET},x",
    ],
)
def test_a_key_on_the_command_line_is_refused_and_not_repeated(here: Path, override: str) -> None:
    found = mistake(override)

    assert "planted" not in found


@pytest.mark.parametrize(
    "line",
    [
        f"api_key: {SECRET}",
        f"api_key_env: {SECRET}",
        f"api_key_env: '{SECRET.replace('-', '')}'",
        f"api_key: [{SECRET}",
        f"sampling: {{extra_body: {{headers: {{Authorization: Bearer {SECRET}}}}}}}",
        f"base_url: https://user:{SECRET}@host/v1",
        f"base_url: https://host/v1?key={SECRET}",
        f"family: {SECRET}",
        f"api_key: {SECRET}: {SECRET}",
        f"limits: {SECRET}",
    ],
)
def test_a_key_in_a_file_is_refused_and_not_repeated(here: Path, line: str) -> None:
    write_model(here / "conf", "mine", f"engine: openai_chat\nmodel: m\n{line}\n")

    found = mistake("judge=mine")

    assert "conf/model/mine.yaml" in found
    assert "planted" not in found


def test_the_refusal_of_a_key_says_where_keys_belong(here: Path) -> None:
    write_model(here / "conf", "mine", f"engine: openai_chat\nmodel: m\napi_key: {SECRET}\n")

    found = mistake("judge=mine")

    assert "conf/model/mine.yaml: `api_key`" in found
    assert "`api_key_env: OPENAI_API_KEY`" in found


def test_a_key_in_an_address_from_the_environment_is_not_repeated(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IFBENCH_VLLM_URL", f"http://user:{SECRET}@host/v1")

    assert "planted" not in mistake("judge=qwen3.5-27b")


@pytest.mark.parametrize(
    "override",
    [
        "judge.sampling.max_tokens=10",
        "judge.api_key_env=MY_TOKEN_2",
        "benchmark.data=risk-assessment-2024.jsonl",
    ],
)
def test_what_only_resembles_a_secret_is_let_through(here: Path, override: str) -> None:
    load_config(["candidates=smollm2", override])

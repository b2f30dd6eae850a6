"""A command line with several values for some keys comes to a configuration for each point."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from config_files import write

from ifbench.config import load_points
from ifbench.config.folders import search_folders
from ifbench.config.sweeps import Point, expand
from ifbench.errors import ConfigError

RUN = ("candidates=[scripted]", "execution=local")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two models and two overlays."""
    write(
        tmp_path / "conf",
        model__ja="{engine: scripted, model: ja}",
        model__jb="{engine: scripted, model: jb}",
        experiment__short="# @package _global_\nbenchmark: {limit: 3}\n",
        experiment__far="# @package _global_\nstore: {uri: elsewhere}\n",
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def points(*overrides: str) -> tuple[Point, ...]:
    return load_points([*RUN, *overrides], is_sweep=True)


def mistake(*overrides: str) -> str:
    with pytest.raises(ConfigError) as raised:
        points(*overrides)
    return str(raised.value)


@pytest.mark.parametrize(
    ("overrides", "names"),
    [
        ((), [""]),
        (("judge=ja",), [""]),
        (("judge=ja,jb",), ["judge=ja", "judge=jb"]),
        (
            ("benchmark=scimif,videoif", "judge=ja,jb"),
            [
                "benchmark=scimif judge=ja",
                "benchmark=scimif judge=jb",
                "benchmark=videoif judge=ja",
                "benchmark=videoif judge=jb",
            ],
        ),
        (("judge=jb", "judge=ja,jb"), ["judge=ja", "judge=jb"]),
        (("judge=choice(ja,jb)",), ["judge=ja", "judge=jb"]),
        (("judge=glob(j*)",), ["judge=ja", "judge=jb"]),
        (("judge=glob(j*,exclude=*b)",), ["judge=ja"]),
        (("benchmark=glob(*)",), ["benchmark=scimif", "benchmark=videoif"]),
        (("benchmark.limit=range(1,4)",), [f"benchmark.limit={n}" for n in (1, 2, 3)]),
        (("seed=sort(3,1,reverse=true)",), ["seed=3", "seed=1"]),
        (("candidates=[ja],[ja,jb]",), ["candidates=[ja]", "candidates=[ja,jb]"]),
        (("+attempts=1,2",), ["+attempts=1", "+attempts=2"]),
        (
            ("judge=ja", "model.ja.sampling.temperature=0,0.5"),
            ["model.ja.sampling.temperature=0", "model.ja.sampling.temperature=0.5"],
        ),
        (
            ("benchmark.where.discipline='a,b',c",),
            ["benchmark.where.discipline='a,b'", "benchmark.where.discipline=c"],
        ),
    ],
)
def test_a_sweep_has_the_points_that_hydra_gives_it(overrides, names, here):
    lines = expand(overrides, folders=search_folders(None, here))
    assert [line.name for line in lines] == names


def test_each_point_is_what_its_own_command_line_says():
    one, two, three, four = points("benchmark=scimif,videoif", "judge=ja,jb", "benchmark.limit=5")
    assert [p.config.benchmark.name for p in (one, two, three, four)] == [
        "scimif", "scimif", "videoif", "videoif",
    ]  # fmt: skip
    assert [p.config.judge.name for p in (one, two, three, four)] == ["ja", "jb", "ja", "jb"]
    # How a role is asked comes with the benchmark.
    assert one.config.candidates[0].sampling.temperature == 0.7
    assert three.config.candidates[0].sampling.temperature == 0
    assert {p.config.benchmark.limit for p in (one, two, three, four)} == {5}


def test_many_points_that_take_long_to_read_are_no_silence(monkeypatch, capsys):
    clock = SimpleNamespace(monotonic=count(0, 10).__next__)
    monkeypatch.setattr("ifbench.told.time", clock)
    points("judge=ja,jb")
    assert "reading the points of the sweep: 1 of 2 so far" in capsys.readouterr().err


def test_quoted_values_and_overlays_are_swept_too():
    quoted = points("judge=ja", "benchmark.data='a b.jsonl','c,d.jsonl'")
    assert [p.config.benchmark.data for p in quoted] == ["a b.jsonl", "c,d.jsonl"]
    overlaid = points("judge=ja", "experiment=short,null")
    assert [p.config.benchmark.limit for p in overlaid] == [3, None]


def test_without_a_sweep_there_is_one_point_without_a_name():
    (point,) = load_points([*RUN, "judge=ja"], is_sweep=False)
    assert (point.name, point.config.judge.name) == ("", "ja")


def test_a_setting_of_a_model_may_be_for_some_points_alone():
    first, second = points("judge=ja,jb", "model.ja.sampling.temperature=0.25")
    assert first.config.judge.sampling.temperature == 0.25
    assert second.config.judge.sampling.temperature == 0


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (("judge=ja,jc",), ["point `judge=jc`", "no model `jc`", "choices: "]),
        (("judge=ja", "attempts=1,0"), ["point `attempts=0`", "`attempts` must be above 0"]),
        (("judge=ja,jb", "model.smollm2.sampling.seed=1"), ["reaches no model of this run"]),
        (("judge=ja", "seed=interval(0,1)"), ["cannot be expanded", "INTERVAL"]),
        (("judge=ja,jb", "seed=range(0,501)"), ["more than 1000 points"]),
        (("judge=ja", "seed=range(0,1000000000)"), ["more than 1000 points"]),
        (("judge=glob(q9*)",), ["`judge=glob(q9*)`", "matches nothing"]),
        (("judge=ja", "max_usd=1,2"), ["`max_usd=1`", "`max_usd=2`", "differ in `max_usd`"]),
        (("judge=ja", "max_owed=1,2"), ["`max_owed=1`", "`max_owed=2`", "differ in `max_owed`"]),
        (("judge=ja", "experiment=short,far"), ["`experiment=far`", "differ in `store`"]),
        (("judge=ja", "execution.in_flight=8,16"), ["differ in `execution`", "two commands"]),
        (("judge=ja,jb", "judge=ja"), ["`judge=ja`", "behind `judge=ja,jb`", "give `judge` once"]),
        (("judge=ja", "seed=1,2", "seed=1,2"), ["behind `seed=1,2`", "give `seed` once"]),
        (("judge=ja", "+seed=1,2", "~seed"), ["behind `+seed=1,2`", "give `seed` once"]),
        (("judge=ja", "limt=1,2"), ["point `limt=1`", "unknown key `limt`"]),
        (("judge=ja", "seed=1,(2"), ["the value cannot be read"]),
        (("judge=ja", "judge.api_key_env=sk-abcdefghijklmnopqrst,X"), ["is not shown"]),
    ],
)
def test_a_mistake_names_its_point(overrides, words):
    text = mistake(*overrides)
    assert all(word in text for word in words), text
    assert "sk-abc" not in text


@pytest.mark.parametrize("name", ["odd,name", "odd[name", "oddly=named", "null", "1"])
def test_a_file_whose_name_no_override_can_have_is_named_where_a_glob_meets_it(here, name):
    (here / "conf/model" / f"{name}.yaml").write_text("{engine: scripted, model: m}")
    said = mistake(f"judge=glob({name[0]}*)")
    assert said.startswith(f"{here / 'conf/model' / name}.yaml: `{name}` cannot be chosen")
    assert "rename the file" in said
    assert "-m" not in said
    assert len(points("judge=glob(j*)")) == 2  # Where none meets it, it is nobody's business.


def test_one_deployment_stands_behind_one_model_id_over_all_points(here):
    write(
        here / "conf",
        model__x="{engine: openai_chat, model: x, base_url: 'http://127.0.0.1:9/v1'}",
        model__y="{engine: openai_chat, model: x, base_url: 'http://127.0.0.1:8/v1'}",
    )
    assert "differ in `base_url`" in mistake("judge=x,y")

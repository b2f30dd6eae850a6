"""`ifbench report` on runs that differ in more than one thing: whatever differs is said."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from factories import make_failure, make_sample, make_score
from ifbench.cli import main
from ifbench.commands.show import _response_lines, sample_lines
from ifbench.store import Manifest, Store, run_id
from ifbench.store.manifest import Environment, started
from ifbench.types import Failure, FailureKind, Score

P, F = True, False
SCRIPTED, JUDGED = "general:all_lowercase", "chemistry:method_constraint"
SOMEWHERE = Environment(ifbench="1", python="3.11", platform="p", host="h")


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def stored(
    scores: Sequence[Score] | None = None,
    *,
    judge: str | None = "ja",
    models: Sequence[str] = ("ma",),
    rules: str = "paper",
    data: str = "set.jsonl",
    sha256: str = "d" * 64,
    benchmark: str = "scimif",
    **more: Any,
) -> str:
    """Keep a run of these scores, each given to every model; its id."""
    variant, limit = more.pop("variant", None), more.pop("limit", None)
    model = more.pop("judge_model", judge)
    which = {"name": benchmark, "variant": variant, "limit": limit, "ids": None}
    roles = {
        "candidates": [{"name": name, "model": name} for name in models],
        "judge": None if judge is None else {"name": judge, "model": model},
        "extractor": None,
        "grader": None,
    }
    rest = {"rules": rules, "attempts": 1, "correctness": "script", **roles, **more}
    identity = {**rest, "benchmark": {**which, "data": sha256}, "judging": {"attempts": 3}}
    manifest = Manifest(
        run_id=run_id(identity),
        identity=identity,
        config={**rest, "benchmark": {**which, "data": data}},
        dataset_sha256=sha256,
    )
    store = Store("store")
    store.save_manifest(started(manifest, datetime(2026, 1, 1, tzinfo=UTC), SOMEWHERE))
    with store.results(manifest.run_id, sha256) as writer:
        for score in scores or answers():
            for name in models:
                own = {"judge": judge or "", "rules": rules, "benchmark": benchmark}
                writer.add(replace(score, candidate=name, **own), ())
        writer.commit()
    return manifest.run_id


def answers(*passed: bool, **fields: Any) -> list[Score]:
    """A scripted item that always passes, and a judged one, for each of three samples."""
    return [
        make_score((P, one), sample_id=f"s{n}", constraints=(SCRIPTED, JUDGED), **fields)
        for n, one in enumerate(passed or (P, F, P))
    ]


def report(capsys, *words: str) -> dict[str, dict[str, Any]]:
    """The tables by name."""
    capsys.readouterr()
    assert main(["report", *words, "--format", "json"]) == 0
    tables = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line]
    return {table["name"]: table for table in tables}


def refused(capsys, *words: str) -> str:
    capsys.readouterr()
    assert main(["report", *words]) == 2
    return capsys.readouterr().err


# ── Two runs side by side ────────────────────────────────────────────────────────────


def model(name: str) -> dict[str, str]:
    return {"name": name, "model": name}


LIKE: dict[str, Any] = {}
OWN = {"extractor": model("ja")}
"""The judge extracts as well, as it does where nobody else is named."""
FULL = {
    "judge": "jb",
    "models": ("mb",),
    "rules": "release",
    "data": "new.jsonl",
    "sha256": "e" * 64,
}


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        (LIKE, {"judge": "jb"}, ("judge ja", "judge jb")),
        (LIKE, {"judge": None}, ("judge ja", "judge none")),
        (LIKE, {"rules": "release"}, ("rules paper", "rules release")),
        (LIKE, {"models": ("mb",)}, ("ma", "mb")),
        (LIKE, {"judge": "jb", "models": ("mb",)}, ("model ma, judge ja", "model mb, judge jb")),
        (LIKE, {"judge": "jb", "rules": "release"}, ("judge ja, rules paper", "judge jb, rules release")),
        (
            LIKE,
            {"extractor": model("x"), "grader": model("g")},
            ("extractor none, grader none", "extractor x, grader g"),
        ),
        (OWN, {"judge": "jb", "extractor": model("jb")}, ("judge ja", "judge jb")),
        (OWN, {"judge": None}, ("judge ja", "judge none")),
        (OWN, {"extractor": model("x")}, ("extractor the judge", "extractor x")),
        (LIKE, {"sha256": "e" * 64}, (f"data set.jsonl (sha256 {'d' * 12})", f"data set.jsonl (sha256 {'e' * 12})")),
        (LIKE, {"sha256": "e" * 64, "data": "new.jsonl"}, ("data set.jsonl", "data new.jsonl")),
        (
            LIKE,
            {"judge_model": "other"},
            ("judge.model ja", "judge.model other"),
        ),
        (
            LIKE,
            FULL,
            (
                "model ma, judge ja, rules paper, data set.jsonl",
                "model mb, judge jb, rules release, data new.jsonl",
            ),
        ),
    ],
)  # fmt: skip
def test_each_side_is_called_by_all_that_differs(capsys, first, second, names):
    tables = report(capsys, stored(**first), "--against", stored(**second))
    one, two = names
    assert tables["difference"]["title"] == f"{one} against {two} (percent)"
    assert all(name in tables["agreement"]["title"] for name in names)
    assert main(["report", stored(**first), "--against", stored(**second)]) == 0
    heads = " ".join(capsys.readouterr().out.split())
    assert heads.count(one) >= 3  # titles, and heads unless they fold


def test_a_row_of_two_models_names_both(capsys):
    tables = report(capsys, stored(), "--against", stored(models=("mb",)))
    assert {row["model"] for row in tables["difference"]["rows"]} == {"ma against mb"}
    tables = report(capsys, stored(), "--against", stored(judge="jb"))
    assert {row["model"] for row in tables["difference"]["rows"]} == {"ma"}


@pytest.mark.parametrize("second", [{"models": ("mb",)}, {"judge": "jb", "models": ("mb",)}, FULL])
def test_answers_of_two_models_are_no_agreement_of_judges(capsys, second):
    table = report(capsys, stored(), "--against", stored(**second))["agreement"]
    assert not {"agreement", "kappa"} & set(table["rows"][0])
    assert table["title"].startswith("Items of ")
    assert "no agreement of judges" in table["notes"][0]


def test_two_judges_agree_over_what_a_model_decides(capsys):
    second = stored(answers(P, P, P), judge="jb")
    table = report(capsys, stored(), "--against", second)["agreement"]
    rows = {row["constraint"]: row for row in table["rows"]}
    assert rows[JUDGED]["agreement"] == pytest.approx(200 / 3)
    assert rows["all that a model decides"]["compared"] == 3
    assert "`all that a model decides` says how far they agree" in " ".join(table["notes"])


def test_where_scripts_alone_decided_nothing_is_said_of_judges(capsys):
    scores = [make_score((P,), constraints=(SCRIPTED,))]
    table = report(capsys, stored(scores), "--against", stored(scores, judge="jb"))["agreement"]
    assert "scripts alone decided" in " ".join(table["notes"])


def test_candidates_that_only_one_run_has_are_no_difference_of_what_is_compared(capsys):
    first, second = stored(models=("ma", "mb")), stored(models=("mb", "mc"), judge="jb")
    table = report(capsys, first, "--against", second)["difference"]
    assert table["title"] == "judge ja against judge jb (percent)"
    assert {row["model"] for row in table["rows"]} == {"mb"}


def test_runs_of_two_benchmarks_are_refused_by_name(capsys):
    said = refused(capsys, stored(), "--against", stored(benchmark="videoif"))
    assert "they are of the benchmarks scimif and videoif" in said


# ── Samples without items ────────────────────────────────────────────────────────────


def bare(**fields: Any) -> Score:
    """A sample with nothing on its checklist."""
    return make_score((), sample_id="bare", **fields)


def test_a_sample_without_items_takes_nothing_from_the_comparison(capsys):
    without = report(capsys, stored(), "--against", stored(judge="jb"))
    first, second = ([*answers(), bare()] for _ in range(2))
    tables = report(
        capsys, stored(first, attempts=2), "--against", stored(second, judge="jb", attempts=2)
    )
    assert tables["agreement"]["rows"] == without["agreement"]["rows"]
    for row, alone in zip(tables["difference"]["rows"], without["difference"]["rows"], strict=True):
        assert row == {**alone, "complete": 4, "total": 4}


def test_tasks_alone_are_compared_and_the_table_left_out_is_named(capsys):
    first, second = (
        [replace(bare(), tasks_done=(done,))] for done in (True, False)
    )  # a judge that finds the task done, and one that does not
    tables = report(
        capsys,
        stored(first, benchmark="videoif"),
        "--against",
        stored(second, judge="jb", benchmark="videoif"),
    )
    rows = {row["metric"]: row for row in tables["difference"]["rows"]}
    assert (rows["TPR"]["first"], rows["TPR"]["second"]) == (100, 0)
    assert "agreement" not in tables
    assert "no table of verdicts item by item" in " ".join(tables["difference"]["notes"])


def test_a_side_that_checks_nothing_is_compared_in_correctness_or_refused(capsys):
    graded = [make_score((P,), sample_id="bare", correct=True)]
    before = stored([bare(correct=False)], variant="original")
    (table,) = report(capsys, before, "--against", stored(graded)).values()
    assert (table["name"], table["rows"][0]["difference"]) == ("correct", 100)
    assert "nothing is checked in the samples of original" in " ".join(table["notes"])
    before = stored([bare()], variant="original", attempts=2)
    said = refused(capsys, before, "--against", stored([make_score((P,), sample_id="bare")]))
    assert "nothing is checked in the samples of original, and no answer was graded" in said


def test_a_checklist_on_one_side_alone_is_another_sample(capsys):
    first = [*answers(), bare()]
    second = [*answers(), make_score((P,), sample_id="bare")]
    said = refused(capsys, stored(first), "--against", stored(second, judge="jb"))
    assert "sample bare has two different checklists" in said


# ── Several runs in one table, or not ────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ({"judge": "jb"}, ("judge ja", "judge jb")),
        ({"rules": "release"}, ("rules paper", "rules release")),
        ({"data": "new.jsonl", "sha256": "e" * 64}, ("data set.jsonl", "data new.jsonl")),
        ({"sha256": "e" * 64}, ("data set.jsonl (sha256 dddddddddddd)", "(sha256 eeeeeeeeeeee)")),
        (
            {"judge": "jb", "data": "new.jsonl", "sha256": "e" * 64},
            ("judge ja, data set.jsonl", "judge jb, data new.jsonl"),
        ),
    ],
)
def test_unlike_runs_have_an_overview_that_says_what_each_row_rests_on(capsys, second, said):
    runs = stored(), stored(models=("mb",), **second)
    tables = report(capsys, *runs)
    assert list(tables) == ["overview"]
    for row, words in zip(tables["overview"]["rows"], said, strict=True):
        assert words in row["what differs"]
    for name in ("family", "discipline"):
        refusal = refused(capsys, *runs, "--by", name)
        assert f"no breakdown by {name}" in refusal
        assert all(words in refusal for words in said)


@pytest.mark.parametrize(
    "second",
    [
        {},
        {"data": "moved/set.jsonl"},  # the same samples, elsewhere
    ],
)
def test_runs_of_different_models_alike_in_all_else_are_one_table_without_a_note(capsys, second):
    tables = report(capsys, stored(), stored(models=("mb",), **second))
    assert [row["model"] for row in tables["overall"]["rows"]] == ["ma", "mb"]
    assert "run " not in " ".join(tables["overall"]["notes"])


def test_one_table_says_where_a_run_asked_other_samples_or_has_another_grader(capsys):
    first = stored()
    second = stored(answers()[:2], models=("mb",), limit=2, sha256="e" * 64)
    for words in ([], ["--by", "family"]):
        notes = [" ".join(t["notes"]) for t in report(capsys, first, second, *words).values()]
        assert all(f"run {first} (ma): benchmark.limit none." in one for one in notes)
        assert all(f"run {second} (mb): benchmark.limit 2." in one for one in notes)


def test_a_model_that_two_runs_have_is_why_they_have_no_table_in_common(capsys):
    runs = stored(), stored(attempts=3)
    assert "they have the model ma in common" in refused(capsys, *runs, "--by", "discipline")
    (table,) = report(capsys, *runs).values()
    assert [row["what differs"] for row in table["rows"]] == ["attempts 1", "attempts 3"]


# ── Trials that only one run has ─────────────────────────────────────────────────────


def attempts(*passed: bool) -> list[Score]:
    """One sample, asked once for each."""
    return [
        make_score((one,), sample_id="s", attempt=n, constraints=(JUDGED,), correct=one)
        for n, one in enumerate(passed)
    ]


def test_of_two_judges_only_the_attempts_that_both_have_are_compared_and_it_is_said(capsys):
    first, second = stored(attempts(P, F, F), attempts=3), stored(attempts(P), judge="jb")
    tables = report(capsys, first, "--against", second)
    rows = {row["metric"]: row for row in tables["difference"]["rows"]}
    assert (rows["ISR"]["first"], rows["ISR"]["second"], rows["ISR"]["total"]) == (100, 100, 1)
    words = (
        "left out: 2 trials of judge ja that judge jb does not have (2 for want of the attempt)."
    )
    assert all(words in table["notes"] for table in tables.values())


def test_of_two_models_all_attempts_count_as_a_mean_and_it_is_said(capsys):
    first, second = stored(attempts(P, F, F), attempts=3), stored(attempts(P), models=("mb",))
    tables = report(capsys, first, "--against", second)
    for table in (tables["difference"], tables["correct"]):
        row = table["rows"][0]
        assert (row["first"], row["second"]) == (pytest.approx(100 / 3), 100)
        assert "mean over all attempts" in " ".join(table["notes"])
        assert "left out" not in " ".join(table["notes"])
    row, *_ = tables["agreement"]["rows"]
    assert (row["compared"], row["both_pass"]) == (1, 1)
    assert "left out: 2 trials of ma that mb does not have" in " ".join(
        tables["agreement"]["notes"]
    )


def test_samples_and_models_that_only_one_run_has_are_counted(capsys):
    first = stored(answers(P, P, P), models=("ma", "mb"))
    second = stored(answers(P, P), models=("ma",), judge="jb", limit=2, sha256="e" * 64)
    table = report(capsys, first, "--against", second)["difference"]
    assert (
        "left out: 4 trials of judge ja that judge jb does not have "
        "(3 for want of the model, 1 for want of the sample)." in table["notes"]
    )


def test_nothing_is_said_where_both_have_the_same_trials(capsys):
    for table in report(capsys, stored(), "--against", stored(judge="jb")).values():
        assert "left out" not in " ".join(table["notes"])
        assert "mean over" not in " ".join(table["notes"])


# ── What cannot be read, and strange names ───────────────────────────────────────────


@pytest.mark.parametrize("command", ["report", "status"])
def test_an_unreadable_manifest_is_warned_of_once(capsys, command):
    first, second = stored(), stored(models=("mb",))
    Path("store/runs/broken").mkdir()
    Path("store/runs/broken/manifest.json").write_text("{")
    capsys.readouterr()
    assert main([command, "--store", "store", first, second]) == 0
    assert capsys.readouterr().err.count("runs/broken/manifest.json") == 1


def test_a_table_spells_a_control_character_of_a_name(capsys):
    runs = stored(discipline_of("a\nb\x1b[31m")), stored(models=("mb",))
    spelled = {
        "terminal": r"a\nb\x1b[31m",
        "markdown": r"a b\x1b[31m",
        "latex": r"a b\textbackslash{}x1b[31m",
    }
    for form, words in spelled.items():
        capsys.readouterr()
        assert main(["report", runs[0], "--only", "discipline", "--format", form]) == 0
        out = capsys.readouterr().out
        assert words in out
        assert "\ufffd" not in out


def discipline_of(name: str) -> list[Score]:
    return [replace(score, facets={"discipline": name}) for score in answers()]


def test_show_keeps_each_facet_on_its_line():
    sample = make_sample("a\nb", facets={"discipline": "x\ny\x1b[2J"})
    first, second, *_ = sample_lines(sample)
    assert first == r"sample a\nb (scimif)"
    assert second == r"discipline: x\ny\x1b[2J"


def test_show_names_the_samples_that_there_are_on_one_line(capsys):
    record = {
        "format": "ifbench/1",
        "id": "a\nb",
        "benchmark": "scimif",
        "instruction": "Which?",
        "checklist": [{"constraint": SCRIPTED}],
    }
    Path("mine.jsonl").write_text(json.dumps(record) + "\n")
    assert main(["show", "c\nd", "benchmark.data=mine.jsonl"]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert said.endswith(r"has 1: a\nb")


def test_a_failure_s_message_stays_on_its_line():
    response = make_failure()
    failed = replace(response, failure=Failure(kind=FailureKind.TRANSPORT, message="a\nb"))
    *_, last = _response_lines(failed, "answer")
    assert last == r"    failure: transport: a\nb"

"""Every table and figure of Video-IFBench that docs/tables.md promises is made by its command."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from ifbench.benchmarks.datasets import data_path
from ifbench.benchmarks.videoif.published import tables
from ifbench.cli import main
from ifbench.store import Store

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "tables.md").read_text(encoding="utf-8").split("## Video-IFBench")[1]
ROWS = re.findall(r"^\| ([^|]+) \| [^|]+ \| `ifbench report ([^`]+)` \|$", GUIDE, re.MULTILINE)
COMMANDS = sorted({command for _, command in ROWS})

MODELS = {
    "gemini-3-flash": {"family": "gemini", "access": "closed"},
    "gemini-3-pro": {"family": "gemini", "access": "closed"},
    "small": {"family": "open-one", "access": "open", "billions": 8, "thinking": False},
    "large": {"family": "open-one", "access": "open", "billions": 38, "thinking": True},
}
PAPERS = ("gemini-3-flash", "gemini-3-pro")
"""Models that the paper has."""
ANSWERS = {
    "gemini-3-flash": {"default": ""},  # Nothing is said: nothing is attempted.
    "small": {"default": "- The red circle moves.\n- It stops."},
    "large": {"default": "The red circle moves."},
}
JUDGES = ("qwen3.5-397b-a17b-instruct", "qwen3.5-35b-a3b-instruct")
RUNS = {
    "RUN": (JUDGES[0], "null"),
    "RUN2": (JUDGES[1], "null"),
    "COUNT": (JUDGES[0], "branch_count"),
    "PLACE": (JUDGES[0], "branch_position"),
}
SUBSET = 10
"""Samples of the starter set with three conditions and else, of which a condition is true."""


OWING = (0, 3)
"""Where a task's passage is to be found, the scripted extractor quotes what does not stand there."""


def some_ids() -> list[str]:
    """The Nested samples of the starter set, and every second other."""
    lines = data_path("builtin:videoif_starter").read_text(encoding="utf-8").splitlines()
    names = [json.loads(line)["id"] for line in lines]
    return [name for i, name in enumerate(names) if i % 2 == 0 or name.startswith("nested/")]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with runs of four models: two judges, and both ablations."""
    folder = tmp_path_factory.mktemp("tables")
    (folder / "conf" / "model").mkdir(parents=True)
    for name in (*MODELS, *JUDGES):
        model = {
            "engine": "scripted", "model": name, "options": ANSWERS.get(name, {}),
            "media": {"video": {"count": 1, "long_side_px": 64}},
            **MODELS.get(name, {}),
        }  # fmt: skip
        (folder / "conf" / "model" / f"{name}.yaml").write_text(json.dumps(model))
    names = f"candidates=[{','.join(MODELS)}]"
    ids = f"benchmark.ids=[{','.join(some_ids())}]"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for judge, variant in RUNS.values():
            words = ["execution=local", "benchmark=videoif", names, f"judge={judge}"]
            words.append(ids if variant == "null" else f"benchmark.variant={variant}")
            assert main(["evaluate", *words]) in OWING
    return folder


@pytest.fixture(autouse=True)
def _there(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)


def run_id(name: str) -> str:
    """THINK has the models of RUN here."""
    judge, variant = RUNS["RUN" if name == "THINK" else name]
    (found,) = [
        manifest.run_id
        for manifest in Store("store").list_runs()
        if manifest.config["judge"]["name"] == judge
        and str(manifest.config["benchmark"]["variant"] or "null") == variant
    ]
    return found


def words_of(command: str) -> list[str]:
    """The arguments, with runs in the place of their names."""
    named = {*RUNS, "THINK"}
    return ["report", *(run_id(word) if word in named else word for word in command.split())]


def arrow(command: str) -> pa.Table:
    assert main([*words_of(command), "--format", "arrow", "-o", "out.arrow"]) == 0
    return pa.ipc.open_file("out.arrow").read_all()


def by(command: str, *keys: str) -> dict[Any, dict[str, Any]]:
    """Rows by columns."""
    return {tuple(row[key] for key in keys): row for row in arrow(command).to_pylist()}


def test_the_guide_names_every_table_and_figure_of_results() -> None:
    named = " ".join(where for where, _ in ROWS)
    assert set(re.findall(r"(?:Table|Figure) \d+[ab]?", named)) == {
        *(f"Table {number}" for number in ("1", "2a", "2b", "3a", "3b", "4")),
        *(f"Figure {number}" for number in ("4", "5a", "5b", "6", "7")),
    }


@pytest.mark.parametrize("command", COMMANDS)
def test_each_is_written_in_every_form(command: str) -> None:
    table = arrow(command)
    assert table.num_rows > 1
    kinds = {str(field.type) for field in table.schema}
    assert kinds <= {"string", "int64", "double", "bool"}
    assert "double" in kinds
    assert main([*words_of(command), "--format", "csv", "-o", "out.csv"]) == 0
    with Path("out.csv").open(encoding="utf-8") as lines:
        assert len(list(csv.DictReader(lines))) == table.num_rows
    for form in ("terminal", "markdown", "latex", "json"):
        assert main([*words_of(command), "--format", form, "-o", f"out.{form}"]) == 0
        text = Path(f"out.{form}").read_text(encoding="utf-8")
        assert text.count("\n\n### ") == 0  # one table, and no other
        assert str(table.schema.metadata[b"ifbench.title"], "utf-8").split(" (")[0] in text


@pytest.mark.parametrize(
    ("command", "metrics"),
    [
        ("RUN --only instruction_type", ("TCSR", "TISR")),
        ("RUN --only task_count", ("TPR", "ATP")),
        ("RUN --only constraint_count", ("TISR", "TCSR")),
        ("COUNT --only n_branches", ("TPR", "ATP")),
        ("PLACE --only branch_position", ("TPR", "ATP")),
        ("RUN --only depth_bin", ("TPR", "ATP")),
        ("RUN --only hardest", ("CSR",)),
        ("RUN --only kind", ("CSR",)),
        ("THINK --only family+thinking+kind", ("CSR",)),
    ],
)
def test_each_shows_the_metrics_of_the_paper(command: str, metrics: tuple[str, ...]) -> None:
    shown = [name for name in arrow(command).schema.names if name.isupper()]
    assert tuple(shown[: len(metrics)]) == metrics


def test_silence_attempts_nothing_and_a_judge_that_says_yes_passes_every_task() -> None:
    found = by("RUN --only instruction_type", "instruction_type", "model")
    for kind in ("single", "multi", "selection", "nested"):
        assert found[kind, "gemini-3-flash"]["TPR"] == 0
        assert found[kind, "gemini-3-flash"]["TCSR"] == 0
        assert found[kind, "small"]["TPR"] == 100
    assert found["single", "small"]["total"] == 19


@pytest.mark.parametrize(
    ("command", "facet", "labels"),
    [
        ("COUNT --only n_branches", "n_branches", ("2", "3", "4")),
        ("PLACE --only branch_position", "branch_position", ("1", "2", "3")),
    ],
)
def test_an_ablation_has_the_same_samples_in_each_row(
    command: str, facet: str, labels: tuple[str, ...]
) -> None:
    found = by(command, facet, "model")
    assert {str(label) for label, _ in found} == set(labels)
    assert {row["total"] for row in found.values()} == {SUBSET}


def test_ranges_of_counts_and_depths_are_those_of_the_paper() -> None:
    tasks = arrow("RUN --only task_count")
    assert list(dict.fromkeys(tasks["n_tasks"].to_pylist())) == ["1-4", "5-8"]
    constraints = arrow("RUN --only constraint_count")
    assert list(dict.fromkeys(constraints["n_constraints"].to_pylist())) == ["1-4", "5-8", "9+"]
    depths = arrow("RUN --only depth_bin")
    assert list(dict.fromkeys(depths["depth"].to_pylist())) == ["2-4", "5-7", "8-14"]


def test_the_hardest_constraints_are_fifteen_of_single_and_selection_the_lowest_first() -> None:
    rows = arrow("RUN --only hardest").to_pylist()
    names = list(dict.fromkeys(row["constraint"] for row in rows))
    means = [
        sum(row["CSR"] for row in rows if row["constraint"] == name) / len(MODELS) for name in names
    ]
    assert len(names) == 15
    assert means == sorted(means)


# ── Beside the paper ─────────────────────────────────────────────────────────────────

PAPER_TABLES = (
    ("RUN --only task_count", "n_tasks", "table_2a"),
    ("RUN --only constraint_count", "n_constraints", "table_2b"),
    ("COUNT --only n_branches", "n_branches", "table_3a"),
    ("PLACE --only branch_position", "branch_position", "table_3b"),
    ("RUN --only depth_bin", "depth", "figure_6"),
    ("RUN --only instruction_type", "instruction_type", "table_1"),
)


@pytest.mark.parametrize(("command", "facet", "table"), PAPER_TABLES)
def test_what_the_paper_prints_stands_below_ours(command: str, facet: str, table: str) -> None:
    ours, both = by(command, facet, "model"), by(f"{command} --paper", facet, "model")
    rows = {name.casefold(): row for name, row in tables()[table].items()}
    printed = {
        (label, f"{model} (paper)"): rows[model][str(label)]
        for label, model in ours
        if model in PAPERS and str(label) in rows.get(model, {})
    }
    assert set(both) == {*ours, *printed}
    assert printed
    for key, figures in printed.items():
        assert {name: both[key][name] for name in figures} == figures


def test_the_papers_overall_stands_below_ours() -> None:
    both = by("RUN --only overall --paper", "model")
    assert both["gemini-3-pro (paper)",]["TCSR"] == 76.5
    assert both["gemini-3-pro (paper)",]["TISR"] == 54.5


def test_beside_the_small_judge_stands_what_the_paper_has_of_it() -> None:
    both = by("RUN2 --only instruction_type --paper", "instruction_type", "model")
    assert both["single", "gemini-3-pro (paper)"]["TISR"] == 64.1
    assert (
        "gemini-3-pro (paper)" not in arrow("RUN2 --only task_count --paper")["model"].to_pylist()
    )


def test_two_judges_stand_beside_the_papers_two() -> None:
    command = "RUN --against RUN2 --only instruction_type --paper"
    rows = by(command, "instruction_type", "model", "metric")
    printed = rows["nested", "gemini-3-pro (paper)", "TISR"]
    assert (printed["first"], printed["second"]) == (46.0, 51.5)
    assert printed["difference"] == pytest.approx(5.5)
    assert rows["nested", "gemini-3-pro", "TISR"]["difference"] == 0
    whole = by("RUN --against RUN2 --only difference --paper", "model", "metric")
    assert whole["gemini-3-flash (paper)", "TCSR"]["difference"] == pytest.approx(3.5)
    assert ("gemini-3-flash (paper)", "TPR") not in whole
    assert ("small (paper)", "TCSR") not in whole


def test_runs_of_two_variants_are_told_why_they_share_no_sample(capsys) -> None:
    assert main(["report", run_id("COUNT"), "--against", run_id("PLACE")]) == 2
    words = "they are of the variants branch_count and branch_position"
    assert words in capsys.readouterr().err

"""Every table and figure of SciMIF that docs/tables.md promises is made by the command it names."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pyarrow as pa
import pytest

from ifbench.benchmarks.datasets import data_path
from ifbench.cli import main
from ifbench.store import Store

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "tables.md").read_text(encoding="utf-8").split("## Video-IFBench")[0]
ROWS = re.findall(r"^\| ([^|]+) \| [^|]+ \| `ifbench report ([^`]+)` \|$", GUIDE, re.MULTILINE)
COMMANDS = sorted({command for _, command in ROWS})

MODELS = {
    "gpt-5.2": {"family": "gpt", "access": "closed"},
    "small": {"family": "open-one", "access": "open", "billions": 8, "thinking": False},
    "large": {"family": "open-one", "access": "open", "billions": 38, "thinking": True},
    "unsaid": {},
}
ANSWERS = {
    "gpt-5.2": {"default": "the answer is \\boxed{180.16}"},
    "large": {"table": {"molar mass of glucose": "\\boxed{180.16}"}},
}


def some_ids() -> list[str]:
    """Every third sample of the starter set: some of each discipline."""
    lines = data_path("builtin:scimif_starter").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["id"] for line in lines[::3]]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of four models over samples of each discipline, before and after augmentation."""
    folder = tmp_path_factory.mktemp("tables")
    (folder / "conf" / "model").mkdir(parents=True)
    for name, labels in MODELS.items():
        model = {"engine": "scripted", "model": name, "options": ANSWERS.get(name, {}), **labels}
        (folder / "conf" / "model" / f"{name}.yaml").write_text(json.dumps(model))
    names = f"candidates=[{','.join(MODELS)}]"
    ids = f"benchmark.ids=[{','.join(some_ids())}]"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for variant in ("original", "null"):
            main([
                "evaluate", "execution=local", names, ids, "judge=null",
                f"benchmark.variant={variant}",
            ])  # fmt: skip
    return folder


@pytest.fixture(autouse=True)
def _there(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)


def words_of(command: str) -> list[str]:
    """The arguments, with runs in the place of RUN, BEFORE and AFTER."""
    before, after = sorted(
        Store("store").list_runs(), key=lambda m: m.config["benchmark"]["variant"] is None
    )
    named = {"RUN": after.run_id, "BEFORE": before.run_id, "AFTER": after.run_id}
    return ["report", *(named.get(word, word) for word in command.split())]


def arrow(command: str) -> pa.Table:
    assert main([*words_of(command), "--format", "arrow", "-o", "out.arrow"]) == 0
    return pa.ipc.open_file("out.arrow").read_all()


def rows(command: str, key: str) -> dict:
    """Rows of one model (or of groups of models) by a column."""
    table = arrow(command).to_pylist()
    return {row[key]: row for row in table if row.get("model", "gpt-5.2") == "gpt-5.2"}


def test_the_guide_names_every_table_and_figure_of_results() -> None:
    named = " ".join(where for where, _ in ROWS)
    assert set(re.findall(r"Table \d+|Figure \d+", named)) == {
        *(f"Table {number}" for number in (3, 4, 13, 14, 15, 16)),
        *(f"Figure {number}" for number in (3, 4, 5, 7, 8)),
    }


@pytest.mark.parametrize("command", COMMANDS)
def test_each_is_written_in_every_form(command: str) -> None:
    table = arrow(command)
    assert table.num_rows > 1
    kinds = {str(field.type) for field in table.schema}
    assert kinds <= {"string", "int64", "double", "bool", "map<string, int64>"}
    assert "double" in kinds
    assert main([*words_of(command), "--format", "csv", "-o", "out.csv"]) == 0
    with Path("out.csv").open(encoding="utf-8") as lines:
        written = list(csv.DictReader(lines))
    assert len(written) == table.num_rows
    assert list(written[0]) == table.schema.names
    for field in table.schema:
        if str(field.type) in {"int64", "double"}:
            read = [float(row[field.name]) if row[field.name] else None for row in written]
            assert read == pytest.approx(table[field.name].to_pylist(), abs=1e-9)
    for form in ("terminal", "markdown", "latex", "json"):
        assert main([*words_of(command), "--format", form, "-o", f"out.{form}"]) == 0
        text = Path(f"out.{form}").read_text(encoding="utf-8")
        assert text.count("\n\n### ") == 0  # one table, and no other
        assert str(table.schema.metadata[b"ifbench.title"], "utf-8").split(" (")[0] in text


def test_the_schema_says_what_a_table_rests_on() -> None:
    metadata = arrow("RUN --only discipline").schema.metadata
    *_, after = words_of("AFTER")
    assert metadata[b"ifbench.run_ids"].decode() == after
    assert metadata[b"ifbench.rules"] == b"paper"
    assert metadata[b"ifbench.report"] == b"discipline"
    both = arrow("BEFORE --against AFTER --only correct").schema.metadata
    assert both[b"ifbench.run_ids"].decode().split() == words_of("BEFORE AFTER")[1:]
    assert both[b"ifbench.rules"] == b"paper paper"


def test_columns_are_typed_and_figures_are_those_of_the_text(capsys) -> None:
    table = arrow("RUN --only n_constraints")
    types = {field.name: str(field.type) for field in table.schema}
    assert types["n_constraints"] == types["complete"] == types["total"] == "int64"
    assert types["ISR"] == types["ISR_low_95"] == types["DRFR_if_passed"] == "double"
    one = next(row for row in table.to_pylist() if row["model"] == "gpt-5.2")
    capsys.readouterr()
    main([*words_of("RUN --only n_constraints"), "--format", "json"])
    assert json.loads(capsys.readouterr().out)["rows"] == table.to_pylist()
    main(words_of("RUN --only n_constraints"))
    text = capsys.readouterr().out
    assert f"{one['CSR']:.2f}" in text
    assert f"{one['complete']}/{one['total']}" in text


def test_two_facets_are_two_columns() -> None:
    table = arrow("RUN --only discipline+modality").to_pylist()
    assert {"discipline", "modality", "model"} <= set(table[0])
    assert table[0]["discipline"] == "chemistry"  # the paper's order


def test_several_tables_go_to_files_of_their_own(capsys) -> None:
    capsys.readouterr()
    words = words_of("RUN --by access --by domain")
    assert main([*words, "--format", "arrow", "-o", "all.arrow"]) == 0
    said = [line.removeprefix("wrote ") for line in capsys.readouterr().out.splitlines()]
    assert {"all.overall.arrow", "all.access.arrow", "all.domain.arrow"} <= set(said)
    assert all(pa.ipc.open_file(name).read_all().num_rows for name in said)
    assert main([*words, "--format", "arrow"]) == 2
    assert "-o out.arrow" in capsys.readouterr().err
    assert main([*words, "--format", "arrow", "-o", "no/such/out.arrow"]) == 2
    assert "cannot be written" in capsys.readouterr().err


# ── By fields of the models ──────────────────────────────────────────────────────────


def test_a_group_of_models_is_the_mean_of_their_figures() -> None:
    models = {row["model"]: row for row in arrow("RUN --only overall").to_pylist()}
    groups = rows("RUN --only family", "family")
    assert [(name, row["models"]) for name, row in groups.items()] == [
        ("gpt", 1),
        ("open-one", 2),
        ("—", 1),
    ]
    two = [models["small"], models["large"]]
    assert two[0]["CSR"] != two[1]["CSR"]
    for name in ("CSR", "ISR", "DRFR", "overall"):
        assert groups["open-one"][name] == pytest.approx(sum(one[name] for one in two) / 2)
        assert groups["gpt"][name] == models["gpt-5.2"][name]
    assert groups["gpt"]["CSR_low_95"] == models["gpt-5.2"]["CSR_low_95"]
    assert groups["open-one"]["total"] == sum(one["total"] for one in two)


def test_scale_is_sorted_as_a_number_and_shown_with_its_unit(capsys) -> None:
    table = arrow("RUN --only billions")
    assert table["billions"].to_pylist() == [8.0, 38.0, None]
    capsys.readouterr()
    main([*words_of("RUN --only billions"), "--format", "json"])
    shown = json.loads(capsys.readouterr().out)
    assert [row["billions"] for row in shown["rows"]] == [8.0, 38.0, None]
    assert shown["rows"][2]["models"] == 2
    main(words_of("RUN --only billions"))
    text = capsys.readouterr().out
    assert text.index(" 8B") < text.index(" 38B") < text.index("—")


def test_thinking_and_access_are_fields_too() -> None:
    assert list(rows("RUN --only thinking", "thinking")) == ["false", "true", "—"]
    assert list(rows("RUN --only access", "access")) == ["closed", "open", "—"]


def test_fields_of_models_combine_with_facets_and_sets_of_constraints() -> None:
    by_domain = arrow("RUN --only family+domain").to_pylist()
    assert {"family", "domain", "models"} <= set(by_domain[0])
    domains = {
        row["domain"]: row
        for row in arrow("RUN --only domain").to_pylist()
        if row["model"] == "gpt-5.2"
    }
    for row in (row for row in by_domain if row["family"] == "gpt"):
        assert row["DRFR"] == domains[row["domain"]]["DRFR"]
    pairs = [(r["family"], r["billions"]) for r in arrow("RUN --only family+billions").to_pylist()]
    assert pairs == [("gpt", None), ("open-one", 8.0), ("open-one", 38.0), ("—", None)]


def test_sets_of_constraints_combine_with_facets() -> None:
    found = arrow("RUN --only discipline+domain").to_pylist()
    assert {row["domain"] for row in found if row["discipline"] == "physics"} == {
        "general",
        "physics",
        "scientific",
    }


def test_a_run_without_labels_of_its_models_still_reports(capsys) -> None:
    main(
        [
            "evaluate",
            "execution=local",
            "candidates=[unsaid]",
            "judge=null",
            "store.uri=old",
            "benchmark.limit=4",
        ]
    )
    (path,) = Path("old").glob("runs/*/manifest.json")
    manifest = json.loads(path.read_text())
    for label in ("family", "billions", "thinking", "access"):
        for candidate in manifest["config"]["candidates"]:
            del candidate[label]
    del manifest["config"]["correctness"]
    path.write_text(json.dumps(manifest))
    capsys.readouterr()
    words = ["report", "--store", "old", "--only", "family", "--format", "json"]
    assert main(words) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["family"], row["models"]) == ("—", 1)


def test_a_table_that_is_not_there_is_named_with_those_that_are(capsys) -> None:
    assert main([*words_of("RUN --by domain"), "--only", "domains"]) == 2
    assert "`domains`" in (said := capsys.readouterr().err)
    assert "answers" in said


# ── Before and after ─────────────────────────────────────────────────────────────────


def test_right_answers_before_and_after_stand_side_by_side_for_each_model() -> None:
    table = arrow("BEFORE --against AFTER --only correct").to_pylist()
    everything = {row["model"]: row for row in table if row["discipline"] == "all"}
    assert set(everything) == set(MODELS)
    assert everything["gpt-5.2"]["graded"] > 0
    assert everything["gpt-5.2"]["total"] == len(some_ids())
    assert everything["gpt-5.2"]["first"] > 0


def test_the_papers_association_stands_beside_ours() -> None:
    table = arrow("RUN --only association --paper").to_pylist()
    printed = next(row for row in table if row["model"] == "gpt-5.2 (paper)")
    assert (printed["phi"], printed["jaccard"], printed["p"]) == (0.1178, 0.3585, 3.21e-9)

"""Every row here is invented, in the data set's shape."""

from __future__ import annotations

import csv
import io

import pytest

from ifbench.benchmarks.scimif.sources.llm4mat_bench import (
    PROPERTIES,
    cut_at_sentence,
    read_llm4mat_bench,
)
from ifbench.benchmarks.scimif.sources.source import AnswerKind, Seed, Skipped
from ifbench.errors import DatasetError


def invented(**changes):
    """A row about a crystal that does not exist."""
    fields = {
        "material_id": "mp-0",
        "formula_pretty": "XyO2",
        "structure": "{'@class': 'Structure', 'sites': [{'label': 'Xy'}, {'ok': True}, {}]}",
        "description": "XyO2 is cubic. Xy(1) is bonded to two O(1) atoms. All is well.",
        "formation_energy_per_atom": "-1.25",
        "energy_above_hull": "0.0",
        "energy_per_atom": "-7.5",
        "is_stable": "True",
        "band_gap": "1.0727000000000002",
        "efermi": "2.5",
        "density": "3.25",
        "density_atomic": "14.5",
        "volume": "43.5",
        "is_gap_direct": "False",
        "cif_structure": 'data_XyO2\n_cell "quoted"\nloop_',
    }
    return {**fields, **changes}


def write(folder, *rows, columns=None):
    path = folder / "invented.csv"
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns or list(invented()), extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(buffer.getvalue(), encoding="utf-8", newline="")
    return path


def read(path, max_characters=4000):
    return list(read_llm4mat_bench(path, max_characters))


def test_rows_make_three_seeds_each_and_ten_properties_in_turn(tmp_path):
    seeds = read(write(tmp_path, *[invented(material_id=f"mp-{i}") for i in range(10)]))
    assert len(seeds) == 30
    asked = [seed.provenance["property"] for seed in seeds]
    assert asked == list(PROPERTIES) * 3


def test_a_seed_says_formula_atoms_description_and_question(tmp_path):
    first = read(write(tmp_path, invented()))[0]
    assert first.question == (
        "The following text describes the crystal structure of XyO2. The unit cell holds 3 atoms."
        "\n\nXyO2 is cubic. Xy(1) is bonded to two O(1) atoms. All is well."
        "\n\nPredict the formation energy per atom of this material. Give one number, in eV/atom."
    )
    assert (first.reference, first.answer) == (-1.25, AnswerKind.NUMBER)
    assert first.id == "invented/mp-0/formation_energy_per_atom"
    assert "cut" not in first.provenance


def test_booleans_become_yes_no_questions(tmp_path):
    stable = read(write(tmp_path, invented()))[2]
    assert (stable.reference, stable.answer) == ("Yes", AnswerKind.YES_NO)
    assert stable.question.endswith("does it lie on the convex hull?")


@pytest.mark.parametrize("value", ["", "Null", "nan", "inf", "about 3"])
def test_a_cell_without_a_value_makes_no_seed(tmp_path, value):
    found = read(write(tmp_path, invented(band_gap=value)))
    assert found[1] == Skipped(index=0, reason="the cell `band_gap` holds no value")
    assert isinstance(found[0], Seed)


def test_a_row_without_a_description_makes_no_seed(tmp_path):
    found = read(write(tmp_path, invented(description=" ")))
    assert set(found) == {Skipped(index=0, reason="the description is empty")}


def test_huge_cells_are_read_and_the_limit_put_back(tmp_path):
    before = csv.field_size_limit()
    assert len(read(write(tmp_path, invented(cif_structure="x\n" * 200_000)))) == 3
    assert csv.field_size_limit() == before


def test_a_long_description_is_cut_at_a_sentence_and_the_provenance_says_so(tmp_path):
    text = "XyO2 is cubic. " + "One bond is 2.39 Å long. " * 400
    first = read(write(tmp_path, invented(description=text)), max_characters=1000)[0]
    assert 900 < len(first.question) <= 1000
    assert "2.39 Å long.\n\nPredict" in first.question
    assert first.provenance["cut"].startswith("the description was cut from 10014 to ")


def test_a_description_without_a_fitting_sentence_makes_no_seed(tmp_path):
    found = read(write(tmp_path, invented(description="x" * 900)), max_characters=500)
    assert found[0] == Skipped(index=0, reason="no sentence fits into 500 characters")


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("One. Two.", 100, "One. Two."),
        ("One. Two.", 9, "One. Two."),
        ("One. Two.", 8, "One."),
        ("One 1.5 Å. Two.", 12, "One 1.5 Å."),
        ("One 1.5 Å. Two.", 9, ""),
        ("One. Two.", 0, ""),
        ("One. Two.", -5, ""),
    ],
)
def test_a_text_is_cut_between_sentences(text, limit, expected):
    assert cut_at_sentence(text, limit) == expected


@pytest.mark.parametrize(
    "cell", ["", "null", "{'lattice': 1}", "[1, 2]", "__import__('os')", "{" * 500]
)
def test_a_structure_that_is_no_literal_is_named_by_its_index(tmp_path, cell):
    with pytest.raises(DatasetError, match=r"invented\.csv record 1: the cell `structure`"):
        read(write(tmp_path, invented(), invented(structure=cell)))


def test_a_file_of_another_kind_is_refused_with_the_missing_columns(tmp_path):
    path = write(tmp_path, invented(), columns=[c for c in invented() if c != "band_gap"])
    with pytest.raises(DatasetError, match="the columns band_gap are missing"):
        read(path)
    path.write_text('[{"instruction": "x"}]', encoding="utf-8")
    with pytest.raises(DatasetError, match="no CSV file of LLM4Mat-Bench"):
        read(path)


def test_a_row_of_another_width_is_named_by_its_index(tmp_path):
    path = write(tmp_path, invented())
    path.write_text(path.read_text(encoding="utf-8") + "mp-1,XyO\n", encoding="utf-8")
    with pytest.raises(DatasetError, match="record 1: the row has another number of cells"):
        read(path)


def test_an_unclosed_quote_an_empty_and_a_missing_file_are_refused(tmp_path):
    path = write(tmp_path, invented())
    path.write_text(path.read_text(encoding="utf-8") + '"mp-1', encoding="utf-8")
    with pytest.raises(DatasetError, match="no readable CSV"):
        read(path)
    with pytest.raises(DatasetError, match="the file holds no record"):
        read(write(tmp_path))
    with pytest.raises(DatasetError, match="cannot be read"):
        read(tmp_path / "none.csv")

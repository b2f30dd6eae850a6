"""`docs/constraints.md` is what the registry says."""

from __future__ import annotations

from pathlib import Path

from ifbench.commands.constraints import reference
from ifbench.constraints import all_constraints

DOCS = Path(__file__).parents[2] / "docs" / "constraints.md"


def test_the_reference_is_made_from_the_registry():
    made = reference(list(all_constraints().values()))
    assert DOCS.read_text(encoding="utf-8") == made + "\n", (
        "run `ifbench constraints --markdown > docs/constraints.md`"
    )


def test_each_parameter_says_what_it_means_or_is_plain():
    made = reference(list(all_constraints().values()))
    assert made.count("### `") == len(all_constraints())
    assert "| `places` |" in made

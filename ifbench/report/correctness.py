"""The two tables of correctness: beside adherence (SciMIF's Figure 5), and how the two go together
(Table 14).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ifbench.analysis.association import ALPHA, Association, associations
from ifbench.report.tables import Table
from ifbench.types import Score


def correctness_tables(by_candidate: Mapping[str, Sequence[Score]]) -> list[Table]:
    """Both tables over the candidates whose answers were graded; `[]` where nobody graded.

    The second stands only where some association can be told.
    """
    graded = {name: scores for name, scores in by_candidate.items() if any(map(_is_graded, scores))}
    if not graded:
        return []
    found = associations(graded)
    tables = [_cell_table(graded, found)]
    if any(one.table.phi is not None for one in found):
        tables.append(_association_table(found))
    return tables


def _is_graded(score: Score) -> bool:
    return score.correct is not None or score.ungraded is not None


def _cell_table(graded: Mapping[str, Sequence[Score]], found: Sequence[Association]) -> Table:
    return Table(
        title="Correctness and adherence (percent of what is decided)",
        columns=(
            "model", "decided/total", "CF", "CV", "IF", "IV", "correct", "C, invalid",
            "by script", "by model", "undecided by cause",
        ),
        rows=tuple(_cell_row(one, graded[one.label]) for one in found),
        notes=(
            "C correct, I incorrect; F every constraint followed, V one or more violated.",
            "decided: answers with a grade and every constraint decided; the shares are of these.",
            "by script, by model: answers that each has graded, decided constraints or not.",
            "invalid answers (none there, broken off, refused) count as incorrect.",
        ),
    )  # fmt: skip


def _cell_row(one: Association, scores: Sequence[Score]) -> tuple[str, ...]:
    table = one.table
    cells = table.cells
    by = Counter(score.graded_by for score in scores)
    decided = [s for s in scores if s.correct is not None and s.is_complete and s.satisfied]
    invalid = sum(score.grade == "C" for score in decided)
    return (
        one.label,
        f"{table.n}/{len(scores)}",
        *(_percent(count, table.n) for count in cells),
        _percent(cells[0] + cells[1], table.n),
        _percent(invalid, table.n),
        str(by["script"]),
        str(by["model"]),
        _causes(scores),
    )


def _percent(count: int, total: int) -> str:
    return f"{100 * count / total:.2f}" if total else "–"


def _causes(scores: Sequence[Score]) -> str:
    causes = Counter(score.ungraded.value for score in scores if score.ungraded is not None)
    return ", ".join(f"{cause} {count}" for cause, count in causes.most_common()) or "none"


def _association_table(found: Sequence[Association]) -> Table:
    tests = max((one.tests for one in found), default=0)
    threshold = f"{ALPHA / tests:.3g}" if tests else "–"
    models = "model" if tests == 1 else "models"
    return Table(
        title="Association of correctness and adherence",
        columns=("model", "n", "φ", "Jaccard", "p", "p, Bonferroni", "significant"),
        rows=tuple(_association_row(one) for one in found),
        notes=(
            "p: two-sided Pearson χ² test of independence, without continuity correction.",
            f"significant: p < {threshold}, which is {ALPHA:g} over {tests} {models} tested.",
            "no φ where one side does not vary: all answers correct, say, or all violated.",
        ),
    )


def _association_row(one: Association) -> tuple[str, ...]:
    table = one.table
    verdict = {True: "yes", False: "no", None: "–"}[one.is_significant]
    return (
        one.label,
        str(table.n),
        _fixed(table.phi),
        _fixed(table.jaccard),
        _probability(table.p_value),
        _probability(one.corrected_p),
        verdict,
    )


def _fixed(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _probability(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.2e}" if value < 0.001 else f"{value:.3g}"

"""The two tables of correctness: beside adherence (SciMIF's Figure 5), and how the two go together
(Table 14).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from ifbench.analysis.association import ALPHA, Association, associations
from ifbench.benchmarks.benchmark import Printed
from ifbench.report import cells
from ifbench.report.cells import Cell
from ifbench.report.tables import Table
from ifbench.score_table import counted, kept
from ifbench.types import Cause, GradedBy, Score


def correctness_tables(
    by_candidate: Mapping[str, Sequence[Score]], printed: Printed = lambda _view, _model: {}
) -> list[Table]:
    """Both tables over the candidates whose answers were graded; `[]` where nobody graded, or no
    sample has a reference.

    The second stands only where some association can be told. `printed` gives a paper's own
    figures of a model for the view `association`.
    """
    graded = {
        name: scores
        for name, scores in by_candidate.items()
        if any(_is_gradable(score) for score, _ in counted(scores, "grade"))
    }
    if not graded:
        return []
    found = associations(graded)
    if nothing_is_checked(graded):
        return [_plain_table(graded)]
    tables = [_cell_table(graded, found)]
    if any(one.table.phi is not None for one in found):
        tables.append(_association_table(found, printed))
    return tables


def nothing_is_checked(by_candidate: Mapping[str, Sequence[Score]]) -> bool:
    """True where no sample has a constraint, as in original questions: only correctness counts."""
    every = [
        score
        for scores in by_candidate.values()
        for score, _ in counted(scores, "items", "verdicts")
    ]
    return bool(every) and not any(score.constraints or score.tasks_done for score in every)


def _plain_table(graded: Mapping[str, Sequence[Score]]) -> Table:
    return Table(
        name="correctness",
        title="Correctness (percent of what is graded)",
        columns=(
            "model", "graded/total", "correct", "C, invalid", "by script", "by model",
            "undecided by cause",
        ),
        rows=tuple(_plain_row(name, scores) for name, scores in graded.items()),
        notes=(
            ONLY_CORRECTNESS,
            "invalid answers (none there, broken off, refused) count as incorrect.",
        ),
    )  # fmt: skip


ONLY_CORRECTNESS = (
    "no sample has a constraint (an original question, say), so only correctness counts."
)


def _plain_row(name: str, scores: Sequence[Score]) -> tuple[str | Cell, ...]:
    decided = kept(scores, lambda score: score.correct is not None, "grade")
    shares = {
        "correct": _number(decided, lambda score: score.correct is True),
        "invalid": _number(decided, lambda score: score.grade == "C"),
    }
    by, causes = _graders(decided), _ungraded(scores)
    return (
        name,
        cells.part(len(decided), len(scores), ("graded", "total")),
        *(
            cells.share(kind, count / len(decided) if decided else None)
            for kind, count in shares.items()
        ),
        cells.count("by_script", by["script"]),
        cells.count("by_model", by["model"]),
        cells.tallies("undecided_by_cause", causes),
    )


def _number(scores: Sequence[Score], which: Callable[[Score], bool]) -> int:
    return sum(count for score, count in counted(scores, "grade", "verdicts") if which(score))


def _graders(scores: Sequence[Score]) -> Counter[GradedBy | None]:
    found: Counter[GradedBy | None] = Counter()
    for score, count in counted(scores, "grade"):
        found[score.graded_by] += count
    return found


def _ungraded(scores: Sequence[Score]) -> Counter[str]:
    """Scores by the cause for which correctness is undecided."""
    found: Counter[str] = Counter()
    for score, count in counted(scores, "grade"):
        if score.ungraded is not None:
            found[score.ungraded.value] += count
    return found


def _is_gradable(score: Score) -> bool:
    return score.correct is not None or score.ungraded not in {None, Cause.NO_REFERENCE}


def _cell_table(graded: Mapping[str, Sequence[Score]], found: Sequence[Association]) -> Table:
    return Table(
        name="correctness",
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


def _cell_row(one: Association, scores: Sequence[Score]) -> tuple[str | Cell, ...]:
    table = one.table
    by, causes = _graders(scores), _ungraded(scores)
    invalid = _number(
        scores,
        lambda s: s.grade == "C" and s.correct is not None and s.is_complete and bool(s.satisfied),
    )
    shares = {
        **dict(zip(("CF", "CV", "IF", "IV"), table.cells, strict=True)),
        "correct": table.correct_followed + table.correct_violated,
        "invalid": invalid,
    }
    return (
        one.label,
        cells.part(table.n, len(scores), ("decided", "total")),
        *(
            cells.share(name, count / table.n if table.n else None)
            for name, count in shares.items()
        ),
        cells.count("by_script", by["script"]),
        cells.count("by_model", by["model"]),
        cells.tallies("undecided_by_cause", dict(causes.most_common())),
    )


def _association_table(found: Sequence[Association], printed: Printed) -> Table:
    tests = max((one.tests for one in found), default=0)
    threshold = f"{ALPHA / tests:.3g}" if tests else "–"
    models = "model" if tests == 1 else "models"
    rows = [
        row for one in found for row in (_association_row(one), *_printed_rows(one.label, printed))
    ]
    return Table(
        name="association",
        title="Association of correctness and adherence",
        columns=("model", "n", "φ", "Jaccard", "p", "p, Bonferroni", "significant"),
        rows=tuple(rows),
        notes=(
            "p: two-sided Pearson χ² test of independence, without continuity correction.",
            f"significant: p < {threshold}, which is {ALPHA:g} over {tests} {models} tested.",
            "no φ where one side does not vary: all answers correct, say, or all violated.",
        ),
    )


def _association_row(one: Association) -> tuple[str | Cell, ...]:
    table = one.table
    verdict = {True: "yes", False: "no", None: cells.NONE}[one.is_significant]
    return (
        one.label,
        cells.count("n", table.n),
        cells.number("phi", table.phi, ".4f"),
        cells.number("jaccard", table.jaccard, ".4f"),
        cells.probability("p", table.p_value),
        cells.probability("p_bonferroni", one.corrected_p),
        Cell(text=verdict, data={"is_significant": one.is_significant}),
    )


def _printed_rows(model: str, printed: Printed) -> Iterator[tuple[str | Cell, ...]]:
    for row in printed("association", model).values():
        yield (
            f"{model} {cells.PAPER}",
            Cell(text=cells.NONE, data={"n": None}),
            cells.number("phi", row["phi"], ".4f"),
            cells.number("jaccard", row["jaccard"], ".4f"),
            cells.probability("p", row["p"]),
            cells.probability("p_bonferroni", None),
            Cell(text=cells.NONE, data={"is_significant": None}),
        )

"""What the SciMIF paper prints about correctness and adherence, to be compared with and tested.

Figure 5 (CF, CV, IF, IV) is a graph without figures; nothing is read off it.
"""

from __future__ import annotations

from dataclasses import dataclass

SAMPLES = 2527
"""Samples of the benchmark (section 1 and Table 12)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedAssociation:
    """One row of Table 14, as it is printed: φ and Jaccard to four decimals."""

    model: str
    phi: float
    jaccard: float
    p_value: float


TABLE_14: tuple[PrintedAssociation, ...] = (
    PrintedAssociation(model="GPT-5.2", phi=0.1178, jaccard=0.3585, p_value=3.21e-9),
    PrintedAssociation(model="Grok-4-Fast", phi=0.0081, jaccard=0.2930, p_value=0.68),
    PrintedAssociation(
        model="Gemini-3.1-Pro-Preview", phi=0.1548, jaccard=0.3538, p_value=7.35e-15
    ),
    PrintedAssociation(model="Claude-Sonnet-4-6", phi=0.2069, jaccard=0.3640, p_value=4.31e-25),
    PrintedAssociation(model="Qwen3.5-397B-A17B", phi=0.0672, jaccard=0.3300, p_value=7.68e-4),
    PrintedAssociation(model="InternVL3.5-14B", phi=0.1459, jaccard=0.2704, p_value=2.33e-13),
)
"""Table 14 (Appendix E.2): correctness and instruction following within each model."""

"""Biology drafts: sequences, inheritance, growth, enzymes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ifbench.benchmarks.scimif.starter.draft import Draft, demand
from ifbench.benchmarks.scimif.starter.pictures import plot, punnett

_PAIR = {"A": "T", "T": "A", "G": "C", "C": "G"}
_CODON = {
    "ATG": "M", "GCT": "A", "AAA": "K", "GAT": "D", "TGG": "W", "CTG": "L", "TTT": "F", "GGC": "G",
}  # fmt: skip


def biology() -> Iterator[Draft]:
    """Eighteen samples."""
    yield from _sequences()
    yield from _inheritance()
    yield from _curves()
    yield from _words()
    yield from _disciplined()


def reverse_complement(dna: str) -> str:
    """The other strand, read from its own 5' end."""
    return "".join(_PAIR[base] for base in reversed(dna))


def gc_percent(dna: str) -> float:
    """The share of G and C, in percent."""
    return 100 * sum(base in "GC" for base in dna) / len(dna)


def _sequences() -> Iterator[Draft]:
    for dna, places in (("ATGCGCTA", 1), ("GGATCCAA", 2)):
        value = f"{gc_percent(dna):.{places}f}"
        yield Draft(
            id=f"biology-gc-{dna.lower()}",
            discipline="biology",
            task_type="biology_sequence_qa",
            question=f"What is the GC content of the DNA sequence {dna}, in percent?",
            reference=value,
            demands=(
                demand("decimal_number", places=places),
                demand("dictionary_constraint"),
            ),
            good=f"{{'gc_percent': {value}}}",
            bad=f"{{'gc_percent': {gc_percent(dna):.{places + 1}f}}}",
        )
    dna = "ATGCCGTTA"
    yield Draft(
        id="biology-reverse-complement",
        discipline="biology",
        task_type="biology_sequence_qa",
        question=f"Write the reverse complement of the DNA sequence {dna}, from 5' to 3'.",
        reference=reverse_complement(dna),
        demands=(demand("all_uppercase"), demand("list_constraint", length=1)),
        good=f"['{reverse_complement(dna)}']",
        bad=f"['{reverse_complement(dna).lower()}']",
    )
    gene = "ATGGCTAAAGATTGG"
    protein = "".join(_CODON[gene[k : k + 3]] for k in range(0, len(gene), 3))
    yield Draft(
        id="biology-translate",
        discipline="biology",
        task_type="biology_sequence_qa",
        question=f"Translate the coding sequence {gene} into one-letter amino acids.",
        reference=protein,
        demands=(demand("json_constraint", required_keys=["protein"]),),
        good=f'{{"protein": "{protein}"}}',
        bad=f"{{'protein': '{protein}'}}",
    )
    linear = "AAGAATTCTTGAATTCAA"
    pieces = linear.count("GAATTC") + 1
    yield Draft(
        id="biology-fragments",
        discipline="biology",
        task_type="biology_sequence_qa",
        question=(
            f"EcoRI cuts at GAATTC. Into how many fragments does it cut the linear DNA {linear}?"
        ),
        reference=str(pieces),
        demands=(demand("xml_constraint", root="fragments"),),
        good=f"<fragments>{pieces}</fragments>",
        bad=f"<fragments>{pieces}</fragment>",
    )


def _inheritance() -> Iterator[Draft]:
    cross = partial(punnett, ("A", "a"), ("A", "a"))
    yield Draft(
        id="biology-punnett-share",
        discipline="biology",
        task_type="biology_analysis_steps",
        question=(
            "Which share of the offspring shows the recessive trait, as a decimal? "
            "The gametes stand beside the square."
        ),
        reference="0.25",
        demands=(demand("decimal_number", places=2), demand("list_constraint", length=1)),
        good="[0.25]",
        bad="[0.250]",
        picture=cross,
    )
    yield Draft(
        id="biology-punnett-carrier",
        discipline="biology",
        task_type="biology_analysis_steps",
        question="Are both parents of the cross in the picture heterozygous?",
        reference="yes",
        demands=(demand("judge"),),
        good="Yes.",
        bad="Both are heterozygous.",
        picture=cross,
    )
    q2 = 0.0016
    yield Draft(
        id="biology-hardy-weinberg",
        discipline="biology",
        task_type="biology_analysis_steps",
        question=(
            f"In a population in Hardy-Weinberg equilibrium, a share of {q2} of all births shows a "
            "recessive disease. What is the frequency of the recessive allele?"
        ),
        reference=f"{q2**0.5:.2f}",
        demands=(demand("scientific_annotation"),),
        good=f"{q2**0.5 * 100:.1f} × 10^-2",
        bad=f"{q2**0.5:.2f}",
    )


def _curves() -> Iterator[Draft]:
    growth = [(h, 100 * 2 ** (h / 2) / 100) for h in (0, 2, 4, 6)]
    yield Draft(
        id="biology-growth-doubling",
        discipline="biology",
        task_type="biology_analysis_steps",
        question="How long does the culture in the plot take to double, in hours?",
        reference="2",
        demands=(demand("tuple_constraint", length=2),),
        good="(2, 'h')",
        bad="2 h",
        picture=partial(plot, "time (h)", "cells (millions)", growth, (2, 2), (6, 8)),
    )
    enzyme = [(s, 10 * s / (2 + s)) for s in (0, 1, 2, 4, 8)]
    yield Draft(
        id="biology-enzyme-km",
        discipline="biology",
        task_type="biology_analysis_steps",
        question=(
            "The curve approaches a greatest rate of 10 units. "
            "At which substrate concentration is the rate half of that, in mM?"
        ),
        reference="2",
        demands=(demand("response_structure", position="end"),),
        good="Half of the greatest rate is 5 units, which the curve reaches at 2 mM.\n\nFinal answer: 2 mM",
        bad="Final answer: 2 mM\n\nHalf of the greatest rate is 5 units.",
        picture=partial(plot, "substrate (mM)", "rate (units)", enzyme, (2, 2), (8, 10)),
    )


def _words() -> Iterator[Draft]:
    yield Draft(
        id="biology-organelle",
        discipline="biology",
        task_type="biology_entity_relationship",
        question="In which organelle does the citric acid cycle take place in animal cells?",
        reference="mitochondrion",
        demands=(demand("all_lowercase"),),
        good="in the mitochondrion, within its matrix",
        bad="In the mitochondrion",
    )
    yield Draft(
        id="biology-bases",
        discipline="biology",
        task_type="biology_entity_relationship",
        question="Which base replaces thymine in RNA?",
        reference="uracil",
        demands=(demand("choose_from", options=["adenine", "cytosine", "guanine", "uracil"]),),
        good="uracil",
        bad="uracil or adenine",
    )
    yield Draft(
        id="biology-blood",
        discipline="biology",
        task_type="biology_entity_relationship",
        question="Which kinds of cells or cell fragments does human blood carry?",
        reference="red blood cells, white blood cells, platelets",
        demands=(
            demand("number_response", "Name exactly 3 different kinds.", n=3),
            demand("csv_constraint", header=["kind", "task"]),
        ),
        good="kind,task\nred blood cells,oxygen\nwhite blood cells,defence\nplatelets,clotting",
        bad="red blood cells, white blood cells, platelets",
    )


def _disciplined() -> Iterator[Draft]:
    """Relations, lengths of sequences, a law and an analysis in steps."""
    yield Draft(
        id="biology-relations",
        discipline="biology",
        task_type="biology_entity_relationship",
        question=(
            "Which drug is followed by which adverse effect? Six patients became hypothyroid on "
            "amiodarone, and two on lithium developed a tremor."
        ),
        reference="(amiodarone, hypothyroidism), (lithium, tremor)",
        demands=(
            demand(
                "biology:entity_relationship_format_validity",
                "List each relation as (drug, effect).",
                slots=["drug", "effect"],
            ),
        ),
        good="(amiodarone, hypothyroidism), (lithium, tremor)",
        bad="(amiodarone, hypothyroidism), (lithium, )",
    )
    gene = "ATGGCTAAAGATTGG"
    count = len(gene) // 3
    yield Draft(
        id="biology-length-stated",
        discipline="biology",
        task_type="biology_sequence_qa",
        question=f"How many amino acids does the open reading frame {gene}TAA encode?",
        reference=str(count),
        demands=(
            demand(
                "biology:protein_length",
                "State the length as one integer, the stop codon not counted.",
                quantity="stated",
                length=count,
            ),
        ),
        good=f"It encodes {count} amino acids.",
        bad=f"It encodes {count} or {count + 1} amino acids.",
    )
    frame = "ATGGCTAAAGATTGGCTGTTTGGC"
    peptide = "".join(_CODON[frame[k : k + 3]] for k in range(0, len(frame), 3))
    yield Draft(
        id="biology-length-sequence",
        discipline="biology",
        task_type="biology_sequence_qa",
        question=f"Which peptide does {frame} encode, in one-letter code?",
        reference=peptide,
        demands=(
            demand(
                "biology:protein_length",
                f"Write the whole peptide of exactly {len(peptide)} amino acids.",
                length=len(peptide),
                strict=True,
            ),
        ),
        good=f"The peptide is `{peptide}`.",
        bad=f"The peptide of {len(peptide)} residues is `{peptide[:-1]}`.",
    )
    carriers = 2 * 0.95 * 0.05
    yield Draft(
        id="biology-carriers",
        discipline="biology",
        task_type="biology_analysis_steps",
        question=(
            "A recessive allele has a frequency of 0.05. Which share of the population carries it "
            "without showing the trait?"
        ),
        reference=f"{carriers:.3f}",
        demands=(
            demand(
                "biology:method_constraint",
                "Apply the Hardy-Weinberg principle and name it.",
                methods=[
                    {
                        "name": "Hardy-Weinberg principle",
                        "aliases": ["Hardy-Weinberg equilibrium", "Hardy-Weinberg law"],
                        "formula_patterns": ["p^2 + 2pq + q^2 = 1"],
                    }
                ],
            ),
            demand("wrap_up"),
        ),
        good=f"By the Hardy-Weinberg principle 2pq carry it: \\boxed{{{carriers:.3f}}}",
        bad=f"A share of {carriers:.3f} carries it.",
    )
    yield Draft(
        id="biology-reading-frame",
        discipline="biology",
        task_type="biology_analysis_steps",
        question="How many amino acids does the first open reading frame of CCATGGCTAAAGATTAACC encode?",
        reference="4",
        demands=(
            demand(
                "biology:analysis_steps_constraint",
                "Find the start codon, read the codons up to the stop codon, then count.",
                steps=[
                    "Find the start codon",
                    "Read the codons up to the stop codon",
                    "Count the amino acids",
                ],
            ),
            demand("response_structure", position="end"),
        ),
        good=(
            "1. The frame opens at ATG.\n2. GCT, AAA and GAT follow, then the stop codon TAA.\n"
            "3. M, A, K and D are four.\n\nFinal answer: 4"
        ),
        bad="Final answer: 4\n\nThe frame opens at ATG and ends at TAA.",
    )

import time

import pytest

from ifbench.parsing.sequences import find_sequence

PEPTIDE = "MKTAYIAKQR"
LONG = "MKTAYIAKQRQISFVKSHFSRQLEERLGLI"


def letters(text, alphabet="protein", **options):
    found = find_sequence(text, alphabet, **options)
    return found and found.letters


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PEPTIDE, PEPTIDE),
        (f"  {PEPTIDE}\n", PEPTIDE),
        (PEPTIDE.lower(), PEPTIDE),
        (f"{PEPTIDE}*", PEPTIDE),
        (f"**{PEPTIDE}**", PEPTIDE),
        ("MK", "MK"),
        (f">sp|P1|X of 99 residues\n{PEPTIDE}\n{PEPTIDE[:4]}\n", PEPTIDE + "MKTA"),
        (f"Here it is:\n```fasta\n>x\n{PEPTIDE}\n```\nIt has 12 residues.", PEPTIDE),
        (f">a\nMKTAY\n>b\n{PEPTIDE}", PEPTIDE),
        (f"```\n{PEPTIDE}\n{PEPTIDE}\nMK\n```", PEPTIDE * 2 + "MK"),
        ("ORIGIN\n 1 mktayiakqr qisfvkshfs rqleerlgli\n 31 mk\n//", LONG + "MK"),
        ("        1 mktayiakqr qisfvkshfs\n", LONG[:20]),
        (f"It is \\boxed{{\\text{{{PEPTIDE}}}}}.", PEPTIDE),
        (f'{{"protein": "{PEPTIDE}", "length": 10}}', PEPTIDE),
        (f"**Sequence:** {PEPTIDE}", PEPTIDE),
        (f"The peptide is `{PEPTIDE}`, as asked.", PEPTIDE),
        (f"The peptide {PEPTIDE} has 99 residues.", PEPTIDE),
        (f"Not {PEPTIDE} but {PEPTIDE[::-1]} it is.", PEPTIDE[::-1]),
        ("It reads MKTAYIAKQR QISFVKSHFS RQ in blocks.", LONG[:22]),
        (f"It reads\n{LONG[:15]}\n{LONG[15:]}\nin two lines.", LONG),
        ("The final answer is: MKTAY.", "MKTAY"),
        ("I cannot design a peptide.", None),
        ("An MKT motif", None),
        ("The DNA is an acid", None),
        ("5 residues: word", None),
    ],
)
def test_the_sequence_is_found_wherever_it_stands(text, expected):
    assert letters(text) == expected


@pytest.mark.parametrize(
    ("text", "alphabet", "expected"),
    [
        ("5'-ATGGCC-3' is the primer", "dna", "ATGGCC"),
        ("the primer atggccta binds", "dna", "ATGGCCTA"),
        ("the primer AUGGCC binds", "dna", None),
        ("the primer AUGGCC binds", "rna", "AUGGCC"),
        ("CAT and attack", "dna", None),
    ],
)
def test_bases_have_alphabets_of_their_own(text, alphabet, expected):
    assert letters(text, alphabet) == expected


@pytest.mark.parametrize(
    ("text", "options", "foreign"),
    [
        ("MKTUX", {}, ""),
        ("MKTUX", {"strict": True}, "UX"),
        ("MKT-AYI", {}, "-"),
        ("MKT*AYI*", {}, "*"),
        ("Sequence: MK1TA2", {}, "12"),
        ("ATGN", {"alphabet": "dna"}, ""),
        ("ATGN", {"alphabet": "dna", "strict": True}, "N"),
        ("ATGU", {"alphabet": "dna"}, "U"),
    ],
)
def test_characters_that_the_alphabet_lacks_are_reported(text, options, foreign):
    assert find_sequence(text, **options).foreign == foreign


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Arg-Gly-Asp", "RGD"),
        ("ARG-GLY-ASP", "RGD"),
        ("H-Arg-Gly-Asp-OH", "RGD"),
        ("Ac-Arg-Gly-Asp-NH2", "RGD"),
        ("Arg–Gly–Asp", "RGD"),
        ("Gly-Gly", "GG"),
        ("The peptide is Arg-Gly-Asp.", "RGD"),
        ("The peptide is Arg-Gly-Asp (RGD).", "RGD"),
        ("We take H-Arg-Gly-Asp-OH here, as integrins bind it.", "RGD"),
        ("Peptide: Arg-Gly-Asp", "RGD"),
        ('{"sequence": "Arg-Gly-Asp"}', "RGD"),
        ("\\boxed{\\text{Arg-Gly-Asp}}", "RGD"),
        ("Met-Sec-Xaa", "MUX"),
        ("It has Ser-His-Asp as its triad, and reads MKTAYIAKQR.", "MKTAYIAKQR"),
        # Near misses.
        ("It cleaves a Lys-Arg bond.", None),
        ("Ser195-His57-Asp102 is the triad.", None),
        ("A His-tag and Met-enkephalin were used.", None),
        ("Args-Glys-Asps were counted.", None),
        ("The residue is Arg.", None),
    ],
)
def test_three_letter_code_is_read(text, expected):
    assert letters(text) == expected


def test_three_letter_code_is_no_code_of_bases():
    assert letters("The strand is Arg-Gly-Asp.", "dna") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The peptide is RGD.", "RGD"),
        ("The tripeptide would be **RGD**, which binds integrins.", "RGD"),
        ("So the sequence is: RGD", "RGD"),
        ("The peptide sequence is RGD (three residues).", "RGD"),
        # Near misses: acronyms, names, words.
        ("The sequence is DNA.", None),
        ("The peptide is RNA, not a protein.", None),
        ("The primer is for PCR and needs ATP.", None),
        ("The peptide is RGD-like.", None),
        ("The peptide is short.", None),
        ("The peptide is A.", None),
        ("The RGD peptide is known.", None),
        ("The peptide is found by ELISA.", None),
        ("It is found with `DNA` and `ATP`.", None),
        ("By ELISA the peptide MKTAY was found.", "MKTAY"),
    ],
)
def test_a_short_sequence_counts_where_the_sentence_says_what_it_is(text, expected):
    assert letters(text) == expected


def test_a_short_primer_counts_too():
    assert letters("The primer is ATG.", "dna") == "ATG"


def test_a_named_key_comes_first():
    text = '{"signal": "MKTAY", "sequence": "MKTAYIAKQR"}'
    assert letters(text, key="signal") == "MKTAY"


def test_the_place_is_that_of_the_letters():
    text = f"It is `{PEPTIDE}`."
    found = find_sequence(text)
    assert text[found.start : found.end] == PEPTIDE
    assert len(found) == 10


@pytest.mark.parametrize(
    "text",
    [
        "A" * 10**6,
        "ACDEFGHIKL " * 10**5,
        ">a\n" * 10**5,
        "1 aaaaaaaaaa " * 10**5,
        "`A` " * 10**5,
        "Arg-" * 10**5,
        "peptide is A" * 10**5,
    ],
)
def test_time_is_linear(text):
    begun = time.process_time()
    find_sequence(text)
    assert time.process_time() - begun < 5


@pytest.mark.parametrize(
    "text",
    ["ATG CAT GCA TGC", "5′-ATG CAT GCA TGC-3′", "`ATG CAT GCA TGC`", "Sequence: ATG CAT GCA TGC"],
)
def test_bases_may_be_written_by_codons(text):
    found = find_sequence(text, "dna")
    assert found is not None
    assert found.letters == "ATGCATGCATGC"


def test_words_are_no_codons():
    found = find_sequence("Sequence: WE CAN SAY", "protein")
    assert found is None or found.letters != "WECANSAY"


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("MKTAY IAKQR QISFV", "MKTAYIAKQRQISFV"),
        ("MKTAY IAKQR QIS", "MKTAYIAKQRQIS"),
        ("M-K-T-A-Y-I", "MKTAYI"),
        ("Sequence: M-K-T-A-Y", "MKTAY"),
    ],
)
def test_small_blocks_and_dashed_letters_are_one_sequence(text, letters):
    found = find_sequence(text)
    assert found is not None
    assert found.letters == letters
    assert not found.foreign


@pytest.mark.parametrize("text", ["SIGMA ALPHA", "MKTAY IAK QRQIS", "mktay iakqr qisfv", "A-B"])
def test_near_misses_of_blocks_and_dashes_are_not_joined(text):
    found = find_sequence(text)
    assert found is None or len(found) <= 5

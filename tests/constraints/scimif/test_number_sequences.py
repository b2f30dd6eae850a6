import pytest
from pydantic import ValidationError

from ifbench.constraints.constraint import decide
from ifbench.constraints.scimif.number_sequences import SequenceLength, protein_length
from ifbench.types import Outcome


def check(text, **params):
    return decide(protein_length, text, SequenceLength(**params))


@pytest.mark.parametrize(
    ("text", "params", "expected"),
    [
        ("MKTAYIAKQR", {"length": 10}, Outcome.PASS),
        ("MKTAYIAKQ", {"length": 10}, Outcome.FAIL),
        ("MKTAYIAKQR*", {"length": 10}, Outcome.PASS),
        ("A peptide of 10 residues: MKTAYIA", {"length": 10}, Outcome.FAIL),
        (">10 residues\nMKTAY\nIAKQR\n", {"length": 10}, Outcome.PASS),
        ("MKTAYIAKQR", {"min_length": 5}, Outcome.PASS),
        ("MKTAYIAKQR", {"min_length": 11}, Outcome.FAIL),
        ("MKTAYIAKQR", {"max_length": 10}, Outcome.PASS),
        ("MKTAYIAKQR", {"max_length": 9}, Outcome.FAIL),
        ("MKTAYIAKQR", {"min_length": 8, "max_length": 12}, Outcome.PASS),
        ("MKTAYIAKQX", {"length": 10}, Outcome.PASS),
        ("MKTAYIAKQX", {"length": 10, "strict": True}, Outcome.FAIL),
        ("MKTAY-IAKQ", {"length": 10}, Outcome.FAIL),
        ("Met-Lys-Thr", {"length": 3}, Outcome.PASS),
        ("H-Met-Lys-Thr-OH", {"length": 3}, Outcome.PASS),
        ("Met-Lys-Thr", {"length": 11}, Outcome.FAIL),
        ("The peptide is RGD.", {"length": 3}, Outcome.PASS),
        ("The peptide is short.", {"length": 5}, Outcome.FAIL),
        ("ATGGCC", {"length": 6, "alphabet": "dna"}, Outcome.PASS),
        ("AUGGCC", {"length": 6, "alphabet": "dna"}, Outcome.FAIL),
        ("AUGGCC", {"length": 6, "alphabet": "rna"}, Outcome.PASS),
        ('{"peptide": "MKTAY", "n": 5}', {"length": 5, "key": "peptide"}, Outcome.PASS),
        ("I cannot do that.", {"length": 10}, Outcome.FAIL),
        ("5'-ATGGCC-3'", {"length": 6, "alphabet": "dna"}, Outcome.PASS),
        ("`5′-ATGGCC-3′`", {"length": 6, "alphabet": "dna"}, Outcome.PASS),
        ("3'-ATGGCC-5'", {"length": 6, "alphabet": "dna"}, Outcome.PASS),
        ("5'-ATGGCCA-3'", {"length": 6, "alphabet": "dna"}, Outcome.FAIL),
        ("H2N-MKTAYIAKQR-COOH", {"length": 10}, Outcome.PASS),
        ("H2N-MKTAYIAKQR", {"length": 10}, Outcome.FAIL),
        ("10", {"length": 10}, Outcome.FAIL),
    ],
)
def test_the_letters_of_a_sequence_are_counted(text, params, expected):
    assert check(text, **params).outcome is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("38", Outcome.PASS),
        ("38 aa", Outcome.PASS),
        ("The protein has 38 amino acids.", Outcome.PASS),
        ("\\boxed{38}", Outcome.PASS),
        ("114 nt are read.\n\nFinal answer: 38 amino acids", Outcome.PASS),
        ("From 117 nucleotides, 39 codons remain, so 38 amino acids.", Outcome.PASS),
        ("It has 39 or 38 residues.", Outcome.FAIL),
        ("It has 37–38 residues.", Outcome.FAIL),
        ("39", Outcome.FAIL),
        ("38.0", Outcome.FAIL),
        ("3.8e1", Outcome.FAIL),
        ("38 or 39", Outcome.FAIL),
        ("38 residues or 39 residues", Outcome.FAIL),
        ("MKTAYIAKQR", Outcome.FAIL),
        ("thirty-eight", Outcome.FAIL),
        ("38 kDa", Outcome.FAIL),
        ("38 residues, 4.2 kDa", Outcome.PASS),
    ],
)
def test_a_stated_length_is_one_integer(text, expected):
    assert check(text, quantity="stated", length=38).outcome is expected


def test_a_stated_length_may_be_bound_to_nothing():
    assert check("It is 412 residues long.", quantity="stated").outcome is Outcome.PASS
    assert check("It is 412.5 residues long.", quantity="stated").outcome is Outcome.FAIL


def test_a_stated_length_may_stand_under_a_key():
    text = '{"mass": 4500, "length": 38}'
    assert check(text, quantity="stated", length=38, key="length").outcome is Outcome.PASS
    assert check('{"mass": 38}', quantity="stated", length=38, key="length").outcome is Outcome.FAIL


def test_a_verdict_says_what_was_counted():
    found = check("The peptide is `MKTAY`.", length=6)
    assert found.reason == "the sequence has 5 letters, asked for exactly 6"
    assert found.extracted == "MKTAY"
    assert found.found == {"length": 5}
    assert [place.text for place in found.evidence] == ["MKTAY"]


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"length": 3, "min_length": 2},
        {"min_length": 5, "max_length": 4},
        {"length": 0},
        {"length": 3, "alphabet": "xna"},
    ],
)
def test_params_that_no_answer_could_meet_are_refused(params):
    with pytest.raises(ValidationError):
        SequenceLength(**params)

from __future__ import annotations

import pytest

from ifbench.benchmarks.scimif.parameters import PARSERS, bind_release_params, decimal_places
from ifbench.benchmarks.scimif.taxonomy import CONSTRAINTS
from ifbench.constraints import all_constraints
from ifbench.types import UnboundParams

# (constraint, parameter text, question, what is read); a text stands for the reason why not.
READ = [
    ("general:decimal_number", "two decimal places", "", {"places": 2}),
    ("general:decimal_number", "3 decimal places", "", {"places": 3}),
    ("general:decimal_number", "1 decimal place", "", {"places": 1}),
    ("general:decimal_number", "two (2) decimal places", "", {"places": 2}),
    ("general:decimal_number", "rounded to 4 decimals", "", {"places": 4}),
    ("general:decimal_number", "2-decimal-place values", "", {"places": 2}),
    ("general:decimal_number", "2 digits after the decimal point", "", {"places": 2}),
    ("general:decimal_number", "decimal_places = 2", "", {"places": 2}),
    ("general:decimal_number", "nearest integer", "", {"places": 0}),
    ("general:decimal_number", "to the nearest whole number", "", {"places": 0}),
    ("general:decimal_number", "the nearest hundredth", "", {"places": 2}),
    ("general:decimal_number", "nearest 0.001", "", {"places": 3}),
    ("general:decimal_number", "dos decimales", "", {"places": 2}),
    ("general:decimal_number", "3 cifras decimales", "", {"places": 3}),
    ("general:decimal_number", "2", "", {"places": 2}),
    ("general:decimal_number", "", "Round to two decimal places.", {"places": 2}),
    ("general:decimal_number", "two decimal places", "x to 2 decimal places", {"places": 2}),
    ("general:decimal_number", "", "How long is it?", "no number of decimal places is stated"),
    ("general:decimal_number", "three significant figures", "", "no number of decimal places"),
    ("general:decimal_number", "a decimal number", "", "no number of decimal places is stated"),
    ("general:decimal_number", "two or 3 decimal places", "", "several numbers of decimal places"),
    (
        "general:decimal_number",
        "4 decimal places",
        "Give the share, rounded to the nearest integer.",
        "the parameters say 4 decimal places, the question [0]",
    ),
    ("general:scientific_annotation", "", "", {}),
    ("general:scientific_annotation", "scientific notation (a × 10^n)", "", {}),
    ("general:scientific_annotation", "two decimal places", "", {"mantissa_places": 2}),
    ("general:scientific_annotation", "3 significant figures", "", {"mantissa_places": 2}),
    ("general:scientific_annotation", "4 or 5 digits", "", "the precision of the mantissa"),
    ("general:all_uppercase", "", "", {}),
    ("general:all_uppercase", "all uppercase, such as SEM", "", {}),
    ("general:all_uppercase", "small letters", "", "found no `uppercase`"),
    ("general:all_lowercase", "lowercase only", "", {}),
    ("general:json_constraint", "", "", {}),
    ("general:json_constraint", "strict JSON format", "", {}),
    (
        "general:json_constraint",
        "with the key 'final answer'",
        "",
        {"required_keys": ["final answer"]},
    ),
    ("general:json_constraint", "keys: city, country", "", {"required_keys": ["city", "country"]}),
    ("general:json_constraint", '{"a": 1, "b": 2}', "", {"required_keys": ["a", "b"]}),
    ("general:json_constraint", "JSON with units in SI", "", "more than a parser reads: units si"),
    ("general:list_constraint", "Python list", "", {}),
    ("general:list_constraint", "Python list of floats", "", "more than a parser reads: floats"),
    ("general:csv_constraint", "comma-separated values (CSV)", "", {}),
    ("general:wrap_up", "", "", {}),
    ("general:wrap_up", "\\boxed{}", "", {}),
    ("general:wrap_up", "a red frame", "", "the wrapper is not one"),
    ("general:judge", "", "Is it so?", {}),
    ("general:judge", "without explanation", "", {}),
    ("general:judge", "Yes or No", "", {"labels": ["yes", "no"]}),
    ("general:judge", "True/False", "", {"labels": ["true", "false"]}),
    ("general:judge", "", "Is it true or false?", {"labels": ["true", "false"]}),
    ("general:judge", "", "Is it true that there is no gap?", {}),
    ("general:judge", "yes/no or true/false", "", "yes and no are stated, and true and false"),
    ("general:judge", "hot or cold", "", "more than a parser reads: hot or cold"),
    ("general:choose_from", "['SEM', 'TEM', 'XRD']", "", {"options": ["SEM", "TEM", "XRD"]}),
    (
        "general:choose_from",
        "[day, dusk/dawn, night]",
        "",
        {"options": ["day", "dusk/dawn", "night"]},
    ),
    (
        "general:choose_from",
        "Options: day, dusk/dawn, or night",
        "",
        {"options": ["day", "dusk/dawn", "night"]},
    ),
    (
        "general:choose_from",
        "A) iron B) copper",
        "",
        {"options": ["iron", "copper"], "labels": ["A", "B"]},
    ),
    (
        "general:choose_from",
        "Options: the red one, the blue one",
        "",
        {"options": ["the red one", "the blue one"]},
    ),
    ("general:choose_from", "the correct one, clearly stated", "", "no list of options"),
    ("general:choose_from", "front | back", "", {"options": ["front", "back"]}),
    (
        "general:choose_from",
        "",
        "Which?\nA. iron\nB. copper",
        {"options": ["iron", "copper"], "labels": ["A", "B"]},
    ),
    ("general:choose_from", "", "Which?\nB. iron\nC. copper", "no list of options is stated"),
    ("general:choose_from", "the correct one", "", "no list of options is stated"),
    ("general:choose_from", "SELFIES or SMILES", "", "the options are names of notations"),
    ("general:choose_from", "iron", "", "no list of options is stated"),
    ("general:number_response", "N = 4 types of responses", "", {"n": 4}),
    ("general:number_response", "N=3", "", {"n": 3}),
    ("general:number_response", "3 types of responses: 1) mass 2) speed 3) time", "", {"n": 3}),
    ("general:number_response", "four distinct responses", "", {"n": 4}),
    ("general:number_response", "tres tipos de respuestas", "", {"n": 3}),
    ("general:number_response", "", "Give exactly 5 responses.", {"n": 5}),
    ("general:number_response", "N = 3 or N = 4", "", "several numbers of responses"),
    ("general:number_response", "several", "", "no number of responses is stated"),
    ("general:response_structure", "final_answer_position = end", "", {"position": "end"}),
    (
        "general:response_structure",
        "final_answer_position = middle (the multi-step sequence appears between the two parts)",
        "",
        {"position": "middle"},
    ),
    ("general:response_structure", "beginning", "", {"position": "beginning"}),
    ("general:response_structure", "ending with a poem", "", "no position"),
    ("general:response_structure", "not at the end", "", "no position"),
    ("chemistry:molecular_validity", "SELFIES", "", {"system": "selfies"}),
    ("chemistry:molecular_validity", "", "Give the SMILES string.", {"system": "smiles"}),
    ("chemistry:molecular_validity", "SELFIES or SMILES", "", "2 notations are stated, not one"),
    ("chemistry:molecular_validity", "", "Give the molecule.", "0 notations are stated"),
    (
        "chemistry:atom_count_constraint",
        "12 carbon atoms and one oxygen atom",
        "",
        {"atoms": {"C": 12, "O": 1}},
    ),
    (
        "chemistry:atom_count_constraint",
        "",
        "Please make a molecule with 2 chlorine atoms, as a SELFIES string.",
        {"atoms": {"Cl": 2}, "system": "selfies"},
    ),
    (
        "chemistry:atom_count_constraint",
        "2 carbon atoms",
        "The output is in SELFIES or SMILES format.",
        "2 notations are stated, not one: selfies, smiles",
    ),
    ("chemistry:atom_count_constraint", "at least 3 carbon atoms", "", "a bound is stated"),
    ("chemistry:atom_count_constraint", "many atoms", "", "no numbers of atoms"),
    ("chemistry:atom_count_constraint", "1 carbon atom, 2 carbon atoms", "", "one element twice"),
    (
        "chemistry:method_constraint",
        "Henderson-Hasselbalch equation",
        "",
        {"methods": [{"name": "Henderson-Hasselbalch equation"}]},
    ),
    ("chemistry:method_constraint", "pH = pKa + log([A-]/[HA])", "", "no single name of a method"),
    ("chemistry:method_constraint", "", "", "no single name of a method"),
    (
        "chemistry:reaction_steps",
        "1. Nitrate benzene. 2. Reduce the nitro group.",
        "",
        {"steps": ["Nitrate benzene.", "Reduce the nitro group."]},
    ),
    (
        "chemistry:reaction_steps",
        "nitration → reduction",
        "",
        {"steps": ["nitration", "reduction"]},
    ),
    ("chemistry:reaction_steps", "in order", "", "no list of steps is stated"),
    # Bonds and groups, as TOMG-Bench's prompts and SciMIF's rewrites of them name them.
    ("chemistry:atom_bond_constraint", "40 chemical bonds", "", {"bonds": {"total": 40}}),
    ("chemistry:atom_bond_constraint", "40 bonds", "", {"bonds": {"total": 40}}),
    ("chemistry:atom_bond_constraint", "34 single bonds", "", {"bonds": {"single": 34}}),
    (
        "chemistry:atom_bond_constraint",
        "one double bond, 6 aromatic bonds and 2 rotatable bonds",
        "",
        {"bonds": {"double": 1, "aromatic": 6, "rotatable": 2}},
    ),
    (
        "chemistry:atom_bond_constraint",
        "single: 34, double: 0, triple: 0",
        "",
        {"bonds": {"single": 34, "double": 0, "triple": 0}, "zero_means_any": True},
    ),
    (
        "chemistry:atom_bond_constraint",
        "at least 3 double bonds",
        "",
        {"bonds": {"double": 3}, "mode": "at_least"},
    ),
    (
        "chemistry:atom_bond_constraint",
        "",
        "Make a molecule with 2 triple bonds as SELFIES.",
        {"bonds": {"triple": 2}, "system": "selfies"},
    ),
    (
        "chemistry:atom_bond_constraint",
        "34 single bonds",
        "The molecule must have exactly 40 chemical bonds.",
        "the parameters say {'single': 34}, the question {'total': 40}",
    ),
    ("chemistry:atom_bond_constraint", "at least 3 double and 1 triple bond", "", "a bound"),
    ("chemistry:atom_bond_constraint", "about 3 double bonds", "", "a bound is stated"),
    ("chemistry:atom_bond_constraint", "1 double bond and 2 double bonds", "", "stated twice"),
    ("chemistry:atom_bond_constraint", "many bonds", "", "no numbers are stated"),
    ("chemistry:atom_bond_constraint", "2 bonds", "SELFIES or SMILES", "2 notations are stated"),
    (
        "chemistry:atom_group_constraint",
        "2 benzene rings and 1 hydroxyl group",
        "",
        {"groups": {"benzene_ring": 2, "hydroxyl": 1}, "convention": "tomg"},
    ),
    (
        "chemistry:atom_group_constraint",
        "one carboxylic acid, two halogen atoms, 1 cyano, 1 amino group",
        "",
        {
            "groups": {"carboxyl": 1, "halo": 2, "nitrile": 1, "amine": 1},
            "convention": "tomg",
        },
    ),
    (
        "chemistry:atom_group_constraint",
        "hydroxyl = 2",
        "",
        {"groups": {"hydroxyl": 2}, "convention": "tomg"},
    ),
    (
        "chemistry:atom_group_constraint",
        "1 disulfide group",
        "",
        {"groups": {"disulfide": 1}, "convention": "tomg"},
    ),
    ("chemistry:atom_group_constraint", "2 epoxide groups", "", "epoxide is no group"),
    ("chemistry:atom_group_constraint", "some hydroxyl groups", "", "no numbers are stated"),
    # Units.
    ("physics:unit_consistency", "kJ/mol", "", {"unit": "kJ/mol"}),
    ("biology:unit_consistency", "micro molar (µM)", "", {"unit": "micro molar"}),
    ("material:unit_consistency", "percentage (%)", "", {"unit": "percentage"}),
    (
        "material:unit_consistency",
        "nanometers (nm) for lengths, degrees (°) for angles",
        "",
        {"units": ["nanometers", "degrees"]},
    ),
    (
        "material:unit_consistency",
        "lengths in nm and angles in degrees",
        "",
        {"units": ["nm", "degrees"]},
    ),
    ("physics:unit_consistency", "unit: m/s^2", "", {"unit": "m/s^2"}),
    (
        "physics:unit_consistency",
        "The final answer must be in meters per second",
        "",
        {"unit": "meters per second"},
    ),
    ("physics:unit_consistency", "metros por segundo (m/s)", "", {"unit": "m/s"}),
    ("physics:unit_consistency", "kJ/mol, rounded to two decimal places", "", {"unit": "kJ/mol"}),
    ("chemistry:unit_consistency", "M or mol/L", "", {"unit": "M"}),
    ("chemistry:unit_consistency", "molal (m)", "", {"unit": "molal", "aliases": {"m": "molal"}}),
    (
        "chemistry:unit_consistency",
        "degrees Celsius (C)",
        "",
        {"unit": "degrees Celsius", "aliases": {"C": "degrees Celsius"}},
    ),
    (
        "geography:unit_consistency",
        "grams per cubic centimeter (g/cm³)",
        "",
        {"unit": "grams per cubic centimeter"},
    ),
    ("geography:unit_consistency", "dimensionless", "", {"unit": "dimensionless"}),
    ("physics:unit_consistency", "kilometers (m)", "", "two units are stated: kilometers and m"),
    ("physics:unit_consistency", "SI units", "", "no unit is read in 'SI units'"),
    ("physics:unit_consistency", "m/s and furlongs", "", "no unit is read in 'furlongs'"),
    ("physics:unit_consistency", "", "How many km is it?", "no unit is stated"),
]


@pytest.mark.parametrize(("constraint", "raw", "question", "expected"), READ)
def test_a_parameter_text_is_read_or_the_reason_given(constraint, raw, question, expected):
    parsed = PARSERS[constraint](raw, question)
    if isinstance(expected, str):
        assert isinstance(parsed, str)
        assert expected in parsed
    else:
        assert parsed == expected


@pytest.mark.parametrize(("constraint", "raw", "question", "expected"), READ)
def test_what_is_read_fits_the_constraints_params(constraint, raw, question, expected):
    bound = bind_release_params(constraint, raw, question)
    if isinstance(expected, str):
        assert isinstance(bound, UnboundParams)
        assert bound.raw == raw
        assert bound.reason
    else:
        assert isinstance(bound, all_constraints()[constraint].params)


def test_a_constraint_without_a_verifier_keeps_its_text_and_says_so():
    bound = bind_release_params("biology:no_such_thing", " nm ", "")
    assert bound == UnboundParams(
        raw="nm", reason="this version of ifbench has no verifier for biology:no_such_thing"
    )


@pytest.mark.parametrize("constraint", CONSTRAINTS)
@pytest.mark.parametrize("raw", [None, "", "[" * 5000, "A) " * 500, "ñ\x00\ud800", "1" * 400])
def test_no_text_breaks_the_parsers(constraint, raw):
    bound = bind_release_params(constraint, raw, raw or "")
    assert isinstance(bound, UnboundParams) or constraint in all_constraints()


def test_a_reaction_with_one_step_too_few_stays_unbound():
    assert isinstance(bind_release_params("chemistry:reaction_steps", "1. mix", ""), UnboundParams)


def test_numbers_in_identifiers_are_no_decimal_places():
    assert decimal_places("H2 decimal places") == set()
    assert decimal_places("1.2 decimal places") == set()

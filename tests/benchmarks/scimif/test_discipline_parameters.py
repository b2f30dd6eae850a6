"""All parameter texts and questions here are invented, in the shapes of the release's."""

from __future__ import annotations

import pytest

from ifbench.benchmarks.scimif.parameters import PARSERS, bind_release_params
from ifbench.constraints import all_constraints
from ifbench.types import UnboundParams

ADDRESS = "geography:address_hierarchy"
SCENE = "geography:scene_option_constraint"
RELATION = "biology:entity_relationship_format_validity"
LENGTH = "biology:protein_length"
TECHNIQUE = "material:characterization_technique"
PROPERTY = "material:property_type"

KEYS = {"level_names": ["continent", "country", "city"]}
CCC = {"level_names": ["continent", "country", "city"], "order": "large_to_small"}
TWO_FIELDS = {"fields": {"weather": ["clear", "rainy"], "platform": ["tunnel", "fields"]}}
TELL = "How many amino acids does it have?"
WRITE = "Design a peptide for this site."

# (constraint, parameter text, question, what is read); a text stands for the reason why not.
READ = [
    (ADDRESS, "continent, country, city", "", CCC),
    (ADDRESS, "Continent > Country > City", "", CCC),
    (ADDRESS, "hierarchy format: continent, country, city", "", CCC),
    (ADDRESS, '{"continent": "...", "country": "...", "city": "..."}', "", KEYS),
    (ADDRESS, '{"city": "...", "country": "...", "continent": "..."}', "", KEYS),
    (ADDRESS, "", 'Reply as {"continent": "", "country": "", "city": ""}.', KEYS),
    (ADDRESS, "continent/country/city", "", CCC),
    (ADDRESS, "in the order continent, country, city", "", CCC),
    (ADDRESS, "city, country, continent", "", {**CCC, "order": "small_to_large"}),
    (ADDRESS, "4 levels", "", {"levels": 4}),
    (ADDRESS, "country, continent, city", "", "no hierarchy of levels is stated"),
    (ADDRESS, "a valid address", "Where is it?", "no hierarchy of levels is stated"),
    (SCENE, "weather: [clear, rainy]; platform: [tunnel, fields]", "", TWO_FIELDS),
    (SCENE, '{"weather": ["clear", "rainy"], "platform": ["tunnel", "fields"]}', "", TWO_FIELDS),
    (SCENE, 'weather: "clear" | "rainy"\nplatform: "tunnel" | "fields"', "", TWO_FIELDS),
    (
        SCENE,
        "",
        'Choose:\n"weather": "clear" | "rainy"\n"platform": "tunnel" | "fields"',
        TWO_FIELDS,
    ),
    (SCENE, "['day', 'night']", "", {"fields": {"": ["day", "night"]}}),
    (SCENE, "options: day, night", "", {"fields": {"": ["day", "night"]}}),
    (SCENE, "one of the labels", "Describe the scene.", "no options of a scene are stated"),
    (
        RELATION,
        "Format: (Chemical, Disease)",
        "",
        {"form": "tuple", "slots": ["Chemical", "Disease"]},
    ),
    (
        RELATION,
        "(Subject, Relation, Object)",
        "",
        {"form": "tuple", "slots": ["Subject", "Relation", "Object"]},
    ),
    (
        RELATION,
        "",
        "Please answer in the format of (Subject, Object). Lithium (Li, a metal) was given.",
        {"form": "tuple", "slots": ["Subject", "Object"]},
    ),
    (RELATION, "gene -> disease", "", {"form": "arrow", "slots": ["gene", "disease"]}),
    (RELATION, '{"drug": "x", "target": "y"}', "", {"form": "json", "slots": ["drug", "target"]}),
    (RELATION, "(a, b) or (a, b, c)", "", "several forms of a relation"),
    (RELATION, "", "Which drug (old, new) causes it?", "no form of a relation is stated"),
    (LENGTH, "38 amino acids", TELL, {"quantity": "stated", "alphabet": "protein", "length": 38}),
    (LENGTH, "length in amino acids", TELL, {"quantity": "stated", "alphabet": "protein"}),
    (LENGTH, "", TELL, {"quantity": "stated", "alphabet": "protein"}),
    (LENGTH, "12 residues", WRITE, {"quantity": "sequence", "alphabet": "protein", "length": 12}),
    (
        LENGTH,
        "18-25 nucleotides",
        "Design a primer.",
        {"quantity": "sequence", "alphabet": "dna", "min_length": 18, "max_length": 25},
    ),
    (
        LENGTH,
        "at least 20 bp",
        "Write a DNA sequence.",
        {"quantity": "sequence", "alphabet": "dna", "min_length": 20},
    ),
    (LENGTH, "some length", WRITE, "no length with a unit is stated"),
    (LENGTH, "3 digits", TELL, "no length with a unit is stated"),
    (LENGTH, "10 aa or 20 aa", WRITE, "several lengths"),
    (LENGTH, "10 aa", "What about this gene?", "not clear whether a sequence or its length"),
    (LENGTH, "10 aa", f"{TELL} {WRITE}", "not clear whether a sequence or its length"),
    (TECHNIQUE, "", "", {}),
    (TECHNIQUE, "standard abbreviation (e.g., SEM, TEM)", "", {"form": "acronym"}),
    (TECHNIQUE, "use the full name of the technique", "", {"form": "name"}),
    (TECHNIQUE, "SEM, TEM or X-ray diffraction", "", {"allowed": ["SEM", "TEM", "XRD"]}),
    (TECHNIQUE, "a recognised characterization technique", "", {}),
    (TECHNIQUE, "in one word", "", "name no technique"),
    (
        PROPERTY,
        "discrete: Direct or Indirect",
        "",
        {"kind": "label", "labels": ["Direct", "Indirect"]},
    ),
    (PROPERTY, "True/False", "", {"kind": "label", "labels": ["True", "False"]}),
    (PROPERTY, "discrete", "Is it True or False?", {"kind": "label", "labels": ["True", "False"]}),
    (
        PROPERTY,
        "discrete: brittle, ductile",
        "",
        {"kind": "label", "labels": ["brittle", "ductile"]},
    ),
    (PROPERTY, "continuous value", "", {"kind": "number"}),
    (PROPERTY, "a float in eV", "", {"kind": "number", "unit": "eV"}),
    (
        PROPERTY,
        '{"Band_gap": float}',
        "",
        {"kind": "json", "key": "Band_gap", "json_type": "number"},
    ),
    (PROPERTY, "continuous or discrete", "", "called continuous and discrete"),
    (PROPERTY, "as predicted", "", "neither a closed set of labels nor a number"),
    ("geography:method_constraint", "Darcy's law", "", {"methods": [{"name": "Darcy's law"}]}),
    ("physics:method_constraint", "F = m a; then v^2", "", "no single name of a method"),
    (
        "biology:analysis_steps_constraint",
        "1. align 2. compare",
        "",
        {"steps": ["align", "compare"]},
    ),
    ("physics:analysis_steps", "model -> solve", "", {"steps": ["model", "solve"]}),
    ("material:analysis_steps_constraint", "step by step", "", "no list of steps is stated"),
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
    else:
        assert isinstance(bound, all_constraints()[constraint].params)

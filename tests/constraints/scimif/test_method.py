import pytest
from pydantic import ValidationError

from ifbench.constraints.constraint import decide_extracted, locate
from ifbench.constraints.scimif.method import MethodParams, chemistry_method
from ifbench.types import Outcome

GAS = {
    "name": "ideal gas law",
    "aliases": ["ideal gas equation"],
    "formula_patterns": ["pV = nRT"],
}
ARRHENIUS = {"name": "Arrhenius equation", "formula_patterns": [r"k = A e^{-E_a/(RT)}"]}
FRACTION = {"name": "rate law", "formula_patterns": [r"\frac{a}{b} = c"]}


def located(text, methods, match="any"):
    return locate(chemistry_method, text, MethodParams(methods=methods, match=match))


def extracted(words, methods, match="any"):
    return decide_extracted(chemistry_method, words, MethodParams(methods=methods, match=match))


@pytest.mark.parametrize(
    ("text", "passage"),
    [
        ("By the ideal gas law, n = 1.", "ideal gas law"),
        ("By the **Ideal-Gas Equation**, n = 1.", "Ideal-Gas Equation"),
        ("It is not Boyle's law; by the ideal gas law, n = 1.", "ideal gas law"),
        ("Not the ideal gas law? Yes, the ideal gas law.", "ideal gas law"),
        ("With $pV = nRT$ we get n = 1.", "pV = nRT"),
        ("With $p\\,V=n R T$ we get n = 1.", "p\\,V=n R T"),
        ("With p·V = n·R·T we get n = 1.", "p·V = n·R·T"),
        ("first line\nWith $\\mathrm{p}V = nRT$, so\nlast", "With $\\mathrm{p}V = nRT$, so"),
    ],
)
def test_name_alias_or_formula_shows_the_method(text, passage):
    check = located(text, [GAS])
    assert check.outcome is Outcome.PASS
    assert check.extracted == passage
    assert [place.text for place in check.evidence] == [passage]


@pytest.mark.parametrize(
    "text",
    [
        "By the ideal gas lawn, n = 1.",
        "By the gas law, n = 1.",
        "By Boyle's law, pV = const.",
        "With PV = nRT we get n = 1.",  # Its symbols are other ones, which an alias may add.
        "With pV = nRT² we get n = 1.",
        "p times V equals n times R times T",
        "We use van der Waals instead of the ideal gas law.",
        "The ideal gas law does not hold here.",
        "We do not use the ideal gas law.",
        "By the non-ideal gas law, n = 1.",
        "It can't be the **ideal gas law**.",
        "n = 1",
    ],
)
def test_extractor_is_asked_where_no_rule_finds_the_method(text):
    assert located(text, [GAS]) is None


def test_fraction_that_opens_a_formula_is_found_and_holds_as_evidence():
    check = located("We have\n\\[ \\frac{a}{b} = c \\]\nas asked.", [FRACTION])
    assert check.outcome is Outcome.PASS
    assert check.extracted == "\\[ \\frac{a}{b} = c \\]"


def test_one_of_several_methods_is_enough_where_any_is_asked():
    check = located("k = A exp(-Ea/RT)", [GAS, ARRHENIUS])
    assert check.outcome is Outcome.PASS
    assert check.found == {"methods": {"Arrhenius equation": "k = A exp(-Ea/RT)"}}


def test_each_method_is_needed_where_all_are_asked():
    assert located("ideal gas law", [GAS, ARRHENIUS], "all") is None
    both = located("ideal gas law and Arrhenius equation", [GAS, ARRHENIUS], "all")
    assert both.outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("words", "match", "outcome"),
    [
        (("Ideal gas law", "n is p times V over RT"), "any", Outcome.PASS),
        (("gas equation", "$pV = nRT$"), "any", Outcome.PASS),
        (("Boyle's law", "p times V is constant"), "any", Outcome.FAIL),
        (("Ideal gas law", "n is p times V over RT"), "all", Outcome.FAIL),
        (("Ideal gas law", "x", "Arrhenius equation", "y"), "all", Outcome.PASS),
        ((), "any", Outcome.FAIL),
    ],
)
def test_extractor_s_names_and_passages_are_matched_alike(words, match, outcome):
    assert extracted(words, [GAS, ARRHENIUS], match).outcome is outcome


@pytest.mark.parametrize(
    ("match", "reason"),
    [
        ("any", "does not apply ideal gas law or Arrhenius equation"),
        ("all", "does not apply ideal gas law, Arrhenius equation"),
    ],
)
def test_reason_names_the_methods_that_are_missing(match, reason):
    assert extracted(("Boyle's law", "x"), [GAS, ARRHENIUS], match).reason == reason


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"methods": []},
        {"methods": [{"name": " "}]},
        {"methods": [{"name": "x", "aliases": [""]}]},
        {"methods": [{"name": "x", "formula_patterns": ["$ $"]}]},
        {"methods": [{"name": "x", "formula_patterns": ["E"]}]},
        {"methods": [{"name": "x", "regex": "."}]},
        {"methods": [GAS], "match": "none"},
    ],
)
def test_parameters_that_mean_nothing_are_refused(params):
    with pytest.raises(ValidationError):
        MethodParams(**params)

import pytest
from pydantic import ValidationError

from ifbench.constraints.constraint import decide
from ifbench.constraints.scimif.terminology_addresses import AddressParams, address_hierarchy
from ifbench.types import Outcome

NAMES = ("continent", "country", "city")
TOKYO = ("Asia", "Japan", "Tokyo")


def check(text, **params):
    return decide(address_hierarchy, text, AddressParams(**params))


@pytest.mark.parametrize(
    ("text", "params", "expected"),
    [
        ("Asia, Japan, Tokyo", {"levels": 3}, Outcome.PASS),
        ("Asia, Japan", {"levels": 3}, Outcome.FAIL),
        ("Asia, Japan, Kanto, Tokyo", {"levels": 3}, Outcome.FAIL),
        ("Tokyo, Japan, Asia", {"levels": 3}, Outcome.FAIL),
        ("Tokyo, Japan, Asia", {"levels": 3, "order": "small_to_large"}, Outcome.PASS),
        ("Europe, Paris, France", {"level_names": NAMES}, Outcome.FAIL),
        ("Europe, France, Paris", {"level_names": NAMES}, Outcome.PASS),
        ("Asia, Singapore, Singapore", {"level_names": NAMES}, Outcome.PASS),
        ("Asia, Oz, Kyoto", {"level_names": NAMES}, Outcome.PASS),
        (
            "Paris, France, Europe",
            {"level_names": NAMES, "order": "small_to_large"},
            Outcome.PASS,
        ),
        ("Asia, Japan, Tokyo", {"reference": TOKYO}, Outcome.PASS),
        ("Asia, Japan, Kyoto", {"reference": TOKYO}, Outcome.FAIL),
        ("Tokyo, Japan, Asia", {"reference": TOKYO, "order": "small_to_large"}, Outcome.PASS),
        ("North America, USA, Washington, D.C.", {"levels": 3}, Outcome.PASS),
        ("USA, Boston", {"reference": ("United States", "Boston")}, Outcome.PASS),
        ("Asia > Japan > Tokyo", {"levels": 3, "separator": ">"}, Outcome.PASS),
        ("Asia, Japan, Tokyo", {"levels": 3, "separator": ">"}, Outcome.FAIL),
        ("This is Tokyo, which lies in Japan, in Asia", {"levels": 3}, Outcome.FAIL),
        ("Asia, Japan, unknown", {"levels": 3}, Outcome.FAIL),
        ("Tokyo", {"levels": 1}, Outcome.PASS),
    ],
)
def test_a_row_of_places_has_the_asked_levels_and_order(text, params, expected):
    assert check(text, **params).outcome is expected


OBJECT = '{"continent": "Asia", "country": "Japan", "city": "Tokyo"}'


@pytest.mark.parametrize(
    ("text", "params", "expected"),
    [
        (OBJECT, {}, Outcome.PASS),
        ('{"city": "Tokyo", "country": "Japan", "continent": "Asia"}', {}, Outcome.PASS),
        ("Continent: Asia\nCountry: Japan\nCity: Tokyo", {}, Outcome.PASS),
        ("continent,country,city\nAsia,Japan,Tokyo", {}, Outcome.PASS),
        (
            "<a><continent>Asia</continent><country>Japan</country><city>Tokyo</city></a>",
            {},
            Outcome.PASS,
        ),
        (OBJECT, {"reference": TOKYO}, Outcome.PASS),
        (OBJECT, {"reference": ("Asia", "Japan", "Kyoto")}, Outcome.FAIL),
        ('{"continent": "Asia", "country": "Japan"}', {}, Outcome.FAIL),
        ('{"continent": "Asia", "country": "Japan", "city": null}', {}, Outcome.FAIL),
        ('{"continent": "Asia", "country": "Japan", "city": ""}', {}, Outcome.FAIL),
        (OBJECT, {"form": "row"}, Outcome.PASS),
        ("Asia, Japan, Tokyo", {"form": "keys"}, Outcome.FAIL),
        ("Asia, Japan, Tokyo", {}, Outcome.PASS),
    ],
)
def test_named_levels_may_be_keys(text, params, expected):
    assert check(text, level_names=NAMES, **params).outcome is expected


REVERSED = '{"city": "Tokyo", "country": "Japan", "continent": "Asia"}'
LINES = "City: Tokyo; Country: Japan; Continent: Asia"


@pytest.mark.parametrize(
    ("text", "params", "expected"),
    [
        # Whose keys name the levels is complete in any order …
        (REVERSED, {"level_names": NAMES}, Outcome.PASS),
        (LINES, {"level_names": NAMES}, Outcome.PASS),
        (LINES, {"levels": 3}, Outcome.PASS),
        (REVERSED, {"levels": 3}, Outcome.PASS),
        (LINES, {"reference": TOKYO}, Outcome.PASS),
        (REVERSED, {"reference": TOKYO}, Outcome.PASS),
        ("City: X; Country: Y; Street: Z", {"levels": 3}, Outcome.PASS),
        # … unless an order is asked for.
        (REVERSED, {"level_names": NAMES, "order": "large_to_small"}, Outcome.FAIL),
        (REVERSED, {"level_names": NAMES, "order": "small_to_large"}, Outcome.PASS),
        (OBJECT, {"level_names": NAMES, "order": "large_to_small"}, Outcome.PASS),
        (OBJECT, {"level_names": NAMES, "order": "small_to_large"}, Outcome.FAIL),
        (LINES, {"levels": 3, "order": "large_to_small"}, Outcome.FAIL),
        (LINES, {"reference": TOKYO, "order": "small_to_large"}, Outcome.PASS),
        (LINES, {"level_names": NAMES, "form": "row"}, Outcome.FAIL),
        # Each place still has to be at its own level, and each level to be there.
        ("City: Japan; Country: Tokyo; Continent: Asia", {"level_names": NAMES}, Outcome.FAIL),
        ("City: Kyoto; Country: Japan; Continent: Asia", {"reference": TOKYO}, Outcome.FAIL),
        ("City: Tokyo; Country: Japan", {"levels": 3}, Outcome.FAIL),
        # Labels that do not tell the sizes make no keys: then it is a row.
        ("Tokyo, Country: Japan, Continent: Asia", {"levels": 3}, Outcome.FAIL),
        ("City: Tokyo, Town: Japan, Continent: Asia", {"levels": 3}, Outcome.FAIL),
    ],
)
def test_keys_may_come_in_any_order_unless_one_is_asked_for(text, params, expected):
    assert check(text, **params).outcome is expected


def test_the_order_of_keys_is_explained():
    found = check(REVERSED, level_names=NAMES, order="large_to_small")
    assert found.reason == "the address does not run large to small: `Japan` stands before `Asia`"


def test_a_verdict_shows_the_levels():
    found = check("Porto, Portugal, Europe", levels=3)
    assert found.reason == "the address does not run large to small: `Europe` contains `Portugal`"
    assert found.extracted == "Porto > Portugal > Europe"
    assert [place.text for place in found.evidence] == ["Porto", "Portugal", "Europe"]


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"levels": 2, "level_names": NAMES},
        {"level_names": ("city", "City")},
        {"levels": 3, "form": "keys"},
        {"reference": (" ",)},
        {"levels": 0},
    ],
)
def test_params_that_contradict_themselves_are_refused(params):
    with pytest.raises(ValidationError):
        AddressParams(**params)

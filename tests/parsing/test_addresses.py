import pytest

from ifbench.parsing.addresses import address_levels, order_flaw, place_form


def names(text, separator=""):
    return [level.name for level in address_levels(text, separator)]


@pytest.mark.parametrize(
    "text",
    [
        "Asia, Japan, Tokyo",
        "Asia，Japan，Tokyo",
        "Asia > Japan > Tokyo",
        "Asia -> Japan -> Tokyo",
        "Asia → Japan → Tokyo",
        "Asia / Japan / Tokyo",
        "Asia | Japan | Tokyo",
        "Asia\nJapan\n\nTokyo\n",
        "1. Asia\n2. Japan\n3. Tokyo",
        "- Asia\n- **Japan**\n- Tokyo",
        "Continent: Asia\nCountry: Japan\nCity: Tokyo",
        "**Asia, Japan, Tokyo**.",
        "The address is: Asia, Japan, Tokyo.",
        "It shows a busy crossing, with signs.\n\nAddress: Asia, Japan, Tokyo",
        "It is in Asia.\n\nFinal answer: Asia, Japan, Tokyo",
        "\\boxed{\\text{Asia, Japan, Tokyo}}",
        '["Asia", "Japan", "Tokyo"]',
        '{"continent": "Asia", "country": "Japan", "city": "Tokyo"}',
        '{"address": "Asia, Japan, Tokyo"}',
        "```\nAsia, Japan, Tokyo\n```",
        "Asia, , Japan, Tokyo,",
        "Asia, Japan, Tokyo, 100-0001, 10117",
    ],
)
def test_an_address_is_parted_into_its_levels(text):
    found = names(text)
    assert [name for name in found if name != "100-0001"] == ["Asia", "Japan", "Tokyo"]


@pytest.mark.parametrize(
    ("text", "separator", "expected"),
    [
        ("10 Downing St, London, SW1A 2AA, UK", "", ["10 Downing St", "London", "UK"]),
        ("Washington, D.C., USA", "", ["Washington, D.C", "USA"]),
        ("USA > Washington, D.C.", "", ["USA", "Washington, D.C"]),
        ("Asia/Japan, Tokyo", "/", ["Asia", "Japan, Tokyo"]),
        ("Asia - Japan", "-", ["Asia", "Japan"]),
        ("Tokyo", "", ["Tokyo"]),
        ("", "", []),
        (", ,", "", []),
    ],
)
def test_edges_of_parting(text, separator, expected):
    assert names(text, separator) == expected


def test_a_level_says_where_it_stands():
    text = "Address: Asia, Washington, D.C."
    for level in address_levels(text):
        assert text[level.start : level.end] == level.name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("USA", "United States"),
        ("U.S.A.", "the United States of America"),
        ("UK", "United Kingdom"),
        ("São Paulo", "sao paulo"),
        ("İstanbul", "Istanbul"),
        ("The Netherlands", "Holland"),
        ("Czechia", "Czech Republic"),
        ("Washington, D.C.", "washington, dc"),
        ("10115 Berlin", "Berlin"),
        ("CA 94103", "CA"),
        ("St. Louis", "St Louis"),
        ("Republic of Korea", "South Korea"),
        ("Türkiye", "Turkey"),
    ],
)
def test_two_names_of_one_place_are_equal(one, other):
    assert place_form(one) == place_form(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Austria", "Australia"),
        ("Niger", "Nigeria"),
        ("Georgia", "USA"),
        ("Congo-Kinshasa", "Congo-Brazzaville"),
    ],
)
def test_two_places_differ(one, other):
    assert place_form(one) != place_form(other)


@pytest.mark.parametrize(
    ("address", "order", "is_right"),
    [
        ("Asia, Japan, Tokyo", "large_to_small", True),
        ("Tokyo, Japan, Asia", "large_to_small", False),
        ("Tokyo, Japan, Asia", "small_to_large", True),
        ("Asia, Japan, Tokyo", "small_to_large", False),
        ("Tokyo, Japan", "large_to_small", False),
        ("Japan, Tokyo", "large_to_small", True),
        ("Japan, Asia, Tokyo", "large_to_small", False),
        ("Western Europe, Germany, Berlin", "large_to_small", True),
        ("Latin America, Peru", "large_to_small", True),
        ("Main Street, Springfield", "large_to_small", True),
        ("Tokyo", "large_to_small", True),
        ("Japan", "large_to_small", True),
    ],
)
def test_the_order_is_known_as_far_as_countries_and_continents_tell(address, order, is_right):
    assert (order_flaw(address.split(", "), order) == "") is is_right

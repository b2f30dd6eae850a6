"""A key in the query of an address is a key in a config."""

from __future__ import annotations

import pytest

from ifbench.config.secrets import find_secret


@pytest.mark.parametrize(
    "query", ["api_key=abcdef", "token=x", "key=x", "subscription-key=abc", "v=1&code_key=y"]
)
def test_an_address_with_a_key_in_its_query_is_refused(query):
    assert find_secret({"base_url": f"http://localhost:9/v1?{query}"}) == ("base_url",)


@pytest.mark.parametrize("query", ["", "?api-version=2026-01-01", "?key=", "?keyboard=x"])
def test_other_addresses_are_fine(query):
    assert find_secret({"base_url": f"http://localhost:9/v1{query}"}) is None

"""The index names every row that may hold a key, and no row of a file that is gone."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_values import key_of

from ifbench.store.index import KeyIndex, Place, fingerprint, fingerprints

keys = st.one_of(
    st.integers(0, 50).map(key_of),
    st.text("0123456789abcdefg", min_size=62, max_size=66),
    st.text(max_size=5),
)


@settings(deadline=None)
@given(st.lists(keys, max_size=20), st.integers(0, 3))
def test_an_array_has_the_fingerprints_of_its_keys(several: list[str], cut: int) -> None:
    array = pa.array(several, pa.string())[cut:]
    assert fingerprints(array).tolist() == [fingerprint(key) for key in several[cut:]]


def test_the_fingerprint_of_a_hash_is_its_head() -> None:
    assert fingerprint("00000000000000ff" + "7" * 48) == 255


@pytest.mark.parametrize("size", [3, 50_000])
def test_every_place_of_a_key_is_named(size: int) -> None:
    index = KeyIndex()
    prints = np.arange(size, dtype=np.uint64)
    index.add(prints, 0, 0)
    index.add(prints[:2], 1, 10)
    index.add(prints, 2, 5)
    assert len(index) == 2 * size + 2
    found = [{*places} for places in index.find([0, 1, 2, size])]
    assert found == [
        {Place(0, 0), Place(1, 10), Place(2, 5)},
        {Place(0, 1), Place(1, 11), Place(2, 6)},
        {Place(0, 2), Place(2, 7)},
        set(),
    ]


@pytest.mark.parametrize("size", [3, 50_000])
def test_a_dropped_file_leaves_nothing_behind(size: int) -> None:
    index = KeyIndex()
    prints = np.arange(size, dtype=np.uint64)
    index.add(prints, 0, 0)
    index.add(prints, 1, 0)
    index.drop([0])
    assert len(index) == size
    assert index.find([1]) == [[Place(1, 1)]]


def test_many_small_additions_are_all_found() -> None:
    index = KeyIndex()
    for number in range(50_000):
        index.add(np.array([number], dtype=np.uint64), 0, number)
    assert index.find([0, 25_000, 49_999]) == [[Place(0, number)] for number in (0, 25_000, 49_999)]

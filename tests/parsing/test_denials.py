"""A mention is denied, or something else is: one reach for all constraints."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ifbench.parsing.denials import is_denied


def denied(text, mention="XRD"):
    start = text.index(mention)
    return is_denied(text, start, start + len(mention))


@pytest.mark.parametrize(
    "text",
    [
        "It is not XRD.",
        "It isn't XRD.",
        "It isn’t an **XRD** pattern.",
        "This was never taken with XRD.",
        "SEM rather than XRD",
        "SEM instead of the XRD",
        "SEM, as opposed to XRD",
        "SEM, unlike XRD, shows it.",
        "It is non-XRD data.",
        "We work without any XRD.",
        "We do not use XRD.",
        "We do not need to apply XRD.",
        "neither SEM nor XRD",
        "neither XRD nor SEM",
        "not XRD but SEM",
        "It can't be described by XRD.",
        "It is anything but XRD.",
        "XRD was not used.",
        "XRD does not strictly apply here.",
        "*XRD* cannot be used.",
        "XRD isn't needed.",
        "XRD can’t be applied.",
        "XRD fails here.",
        "不能用XRD",
        "XRD不适用",
    ],
)
def test_a_denial_reaches_the_mention(text):
    assert denied(text)


@pytest.mark.parametrize(
    "text",
    [
        "It is XRD.",
        # Double negation, and what only looks like a denial.
        "It was not done without XRD.",
        "We cannot do without XRD.",
        "It is not non-XRD data.",
        "never without XRD",
        "not only XRD but SEM",
        "It is not just XRD.",
        "It is rather XRD.",
        "instead, XRD",
        # Something else is denied.
        "It could not be resolved by XRD.",
        "The sample was not heated, and XRD was used.",
        "It is not SEM; XRD it is.",
        "No heating. XRD shows it.",
        "We did not weigh it but used XRD.",
        "not SEM but XRD",
        "It is XRD, not SEM.",
        "XRD rather than SEM",
        "There is no doubt that XRD was used.",
        "It is not known whether XRD was used.",
        "not SEM or XRD",
        "nothing beats XRD",
        "a note on XRD",
        "XRD did not show any cracks.",
        "XRD is not only fast.",
        "XRD does not only apply here.",
        "XRD fails2",
    ],
)
def test_a_denial_of_something_else_does_not(text):
    assert not denied(text)


def test_the_reach_ends_at_a_word_that_is_no_part_of_the_denial():
    assert denied("It is not a direct gap.", "direct")
    assert not denied("It is not a wide direct gap.", "direct")


@given(st.text(max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_any_text_can_be_read(text, one, other):
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    assert is_denied(text, start, end) in {True, False}


def test_time_does_not_depend_on_the_length():
    text = "not " * 250_000
    begun = time.process_time()
    for place in range(0, 4_000, 4):
        is_denied(text, place, place + 3)
    assert time.process_time() - begun < 5

"""Multiples of π and LaTeX fractions: a stated quantity, or a factor of a formula."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ifbench.parsing.exact_values import exact_values_in


def values(text):
    return [text[one.start : one.end] for one in exact_values_in(text)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2π rad", "2π"),
        ("π rad", "π"),
        ("0.5π rad", "0.5π"),
        ("0.5π", "0.5π"),
        ("π/2 rad", "π/2"),
        ("3π/4 rad", "3π/4"),
        ("(2/3)π rad", "(2/3)π"),
        ("-π/2 rad", "-π/2"),
        ("2 × π rad", "2 × π"),
        ("2*pi rad/s", "2*pi"),
        (r"2\pi\,\text{rad}", r"2\pi"),
        (r"2 \cdot \pi \text{ rad}", r"2 \cdot \pi"),
        (r"\frac{\pi}{2} rad", r"\frac{\pi}{2}"),
        (r"$\frac{2\pi}{3}$ rad", r"\frac{2\pi}{3}"),
        (r"\frac{1}{3}\pi rad", r"\frac{1}{3}\pi"),
        (r"\frac{3}{4} m", r"\frac{3}{4}"),
        (r"$\frac{3}{4}\,\text{m}$", r"\frac{3}{4}"),
        (r"\dfrac{1}{2}\ \mathrm{kg}", r"\dfrac{1}{2}"),
        (r"1\frac{1}{2} m", r"1\frac{1}{2}"),
        (r"The length is \frac{3}{4} m for each.", r"\frac{3}{4}"),
        (r"\frac{3}{4} N m", r"\frac{3}{4}"),
        (r"It is \frac{3}{4}.", r"\frac{3}{4}"),
        ('{"answer": "2\\\\pi rad"}', r"2\\pi"),
        ("θ = 2π", "2π"),
    ],
)
def test_a_stated_value_is_found(text, value):
    assert values(text) == [value]


@pytest.mark.parametrize(
    "text",
    [
        "2πr",
        "A = 2πr m",
        "A = 4πr^2",
        r"2\pi f",
        r"E = \frac{1}{2} m v^2",
        r"E = \frac{1}{2} C V^2",
        r"\frac{1}{2} m = 3 kg",
        r"\frac{a}{b} m",
        r"\pi^2 m",
        r"\pi(x) rad",
        "π = 3.14",
        "the number π is used",
        "divided by 2π",
        "a pi meson",
        "the pizza",
        "spin of 3 rad",
        "K2π rad",
        r"\pitchfork rad",
    ],
)
def test_a_factor_of_a_formula_and_a_mere_name_are_not(text):
    assert values(text) == []


@given(st.text(alphabet=r"2π\frac{}pi /.()$=mrad ", max_size=60))
def test_any_text_can_be_searched(text):
    for one in exact_values_in(text):
        assert 0 <= one.start < one.end <= len(text)


@pytest.mark.parametrize("text", ["π " * 50_000, r"\frac{1}{2}" * 15_000, "pi" + "1" * 500_000])
def test_long_texts_take_linear_time(text):
    begun = time.process_time()
    list(exact_values_in(text))
    assert time.process_time() - begun < 10

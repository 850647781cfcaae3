"""LaTeX of the glossary as mathtext, fractions on the line, and text in lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.mathtext import MathTextParser

from bounds.catalogue import statements
from bounds.special.symbols import SPECIAL
from bounds.statement import Scaling
from figures.mathtext import displayed, inline, lines_of, math, number, setting, settings, symbol
from verify.curves.headlines import HEADLINES

PARSER = MathTextParser("path")


@pytest.mark.parametrize("first", range(0, len(SPECIAL), 20))
def test_every_letter_renders(first: int) -> None:
    for name in list(SPECIAL)[first : first + 20]:
        PARSER.parse(symbol(SPECIAL, name))


@pytest.mark.parametrize("id", ["special.lem4.9", "special.thm4.7", "special.thm4.10"])
def test_statements_and_terms_render_in_every_form(id: str) -> None:
    statement = statements()[id]
    assert not isinstance(statement.relation, Scaling)
    for latex in (statement.latex(), *(SPECIAL.latex(term) for term in statement.terms.values())):
        for form in (math, displayed, inline):
            PARSER.parse(form(latex))
        assert r"\frac" not in inline(latex)


@pytest.mark.parametrize("name", HEADLINES)
def test_left_sides_of_drawn_theorems_render(name: str) -> None:
    for id in sorted({line.id for line in HEADLINES[name]}):
        statement = statements()[id]
        if not isinstance(statement.relation, Scaling):
            PARSER.parse(math(statement.source.paper.glossary.latex(statement.relation.lhs)))


def test_math_braces_arguments() -> None:
    assert math(r"\tfrac1{t-1}\sum_i x_i") == r"$\frac{1}{t-1}\sum_i x_i$"
    assert math(r"\mathbb Ex_i") == r"$\mathbb{E}x_i$"
    assert math(r"\frac1M\sum_m\mathcal S") == r"$\frac{1}{M}\sum_m\mathcal{S}$"


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"\frac{K}{2}", "$K / 2$"),
        (r"\frac{1}{K - 1}", r"$1 / \left(K - 1\right)$"),
        (r"\frac{1}{8 E L}", r"$1 / \left(8 E L\right)$"),
        (r"\frac{B \left(K - 1\right)}{10}", r"$B \left(K - 1\right) / 10$"),
        (r"\frac{a + b}{\lambda^{2}}", r"$\left(a + b\right) / \lambda^{2}$"),
        (r"x + \frac{\frac{a}{b}}{c} + \frac{p}{q}", r"$x + \left(a / b\right) / c + p / q$"),
        (r"\frac{\left(a\right) + \left(b\right)}{c}", r"$\left(\left(a\right) + \left(b\right)\right) / c$"),
        (r"\frac{x}{\frac{a}{b} c}", r"$x / \left(\left(a / b\right) c\right)$"),
        (r"\frac{x}{1 - \frac{1}{K}}", r"$x / \left(1 - 1 / K\right)$"),
    ],
)
def test_inline_fractions(latex: str, expected: str) -> None:
    assert inline(latex) == expected


def test_inline_refuses_an_open_brace() -> None:
    with pytest.raises(ValueError, match="not closed"):
        inline(r"\frac{a}{b")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.25, "0.25"),
        (3.0, "3"),
        (1e-6, "10^{-6}"),
        (2.5e10, r"2.5 \cdot 10^{10}"),
        (1.2219, "1.22"),
        (0, "0"),
    ],
)
def test_number(value: float, text: str) -> None:
    assert number(value) == text


def test_settings_name_letters() -> None:
    assert setting(SPECIAL, "lam", 0.5) == r"$\lambda = 0.5$"
    assert settings(SPECIAL, {"M": 4, "seeds": 12}) == "$M = 4$, seeds = 12"


@given(
    st.lists(st.sampled_from(["word", "a", r"$\gamma_L = 0.5$,", "($K = 2$)", "rather-long-word"])),
    st.integers(20, 60),
)
def test_wrapped_keeps_the_words_and_the_formulas(words: list[str], width: int) -> None:
    text = lines_of(" ".join(words), width)
    assert text.replace("\n", " ") == " ".join(words)
    assert all(line.count("$") % 2 == 0 for line in text.split("\n"))
    assert all(len(line.replace(r"\gamma_L", "gL").replace("$", "")) <= width for line in text.split("\n"))

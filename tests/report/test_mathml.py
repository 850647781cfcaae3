"""Formulas as MathML equal SymPy's LaTeX."""

import re
from xml.etree import ElementTree

import pytest

from bounds.catalogue import conditions, papers, statements
from bounds.statement import Scaling
from verify.report.mathml import SIGNS, formula, mathml, pieces, relation

DRAWN = {"leq": "≤", "geq": "≥", "neq": "≠", "<": "<", ">": ">", "=": "="}


def drawn(markup):
    """All drawn characters, in order."""
    root = ElementTree.fromstring(f"<p>{markup}</p>")
    return "".join(root.itertext())


@pytest.mark.parametrize("paper", papers())
def test_every_formula_of_the_catalogue_is_well_formed_and_complete(paper):
    for statement in statements(paper).values():
        shown = drawn(formula(statement))
        assert "\\" not in shown, statement.id
        if not isinstance(statement.relation, Scaling):
            sign = SIGNS[type(statement.relation)]
            assert DRAWN[sign.strip("\\")] in shown, statement.id
        digits = re.sub(r"\\[a-zA-Z]+|[^0-9]", "", statement.latex())
        if not isinstance(statement.relation, Scaling):
            assert sorted(re.sub("[^0-9]", "", shown)) == sorted(digits), statement.id


@pytest.mark.parametrize("paper", papers())
def test_the_pieces_of_a_sum_are_what_sympy_prints(paper):
    for statement in statements(paper).values():
        if isinstance(statement.relation, Scaling):
            continue
        for side in (statement.lhs, statement.rhs):
            whole = "".join(statement.glossary.latex(side).split())
            assert "".join(" ".join(pieces(side, statement.glossary)).split()) == whole, statement.id


def test_conditions_have_formulas():
    statement = statements("special")["special.thm4.10"]
    shown = [drawn(relation(condition, statement.glossary)) for condition in conditions(statement)]
    assert shown[0] == "N ≤M"
    assert len(shown) == len(set(shown)) == 12


@pytest.mark.parametrize(
    ("latex", "letters"),
    [
        (r"\mathbb E x", "𝔼x"),
        (r"\mathbb R", "ℝ"),
        (r"\mathcal L", "ℒ"),
        (r"\mathbf w", "𝐰"),
        (r"\arg x", "argx"),
    ],
)
def test_letters_of_special_alphabets_have_their_own_code_points(latex, letters):
    assert drawn(mathml((latex,))) == letters


def test_a_term_after_a_break_keeps_its_sign_between_two_terms():
    assert '<mo form="infix">+</mo>' in mathml(("a", "+ b"))


def test_characters_that_html_or_markdown_would_take_for_markup_stay_entities():
    found = mathml(("a < |b|, x_i * y",))
    assert "&lt;" in found or "&#x0003C;" in found
    assert not {"|", "*"} & set(found)
    assert "," in found

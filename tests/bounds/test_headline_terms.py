"""Every headline bound and its correction has named terms and the paper's own symbols."""

import re

import numpy as np
import pytest
import sympy as sp

from bounds.calculator import evaluation, terms_of
from bounds.catalogue import papers, statement, statements
from bounds.statement import Scaling
from bounds.symbols import upright
from verify.curves.headlines import HEADLINES, PRINTED, TRUE
from verify.notes import Notes
from verify.quantities import MEASURED, QUANTITIES

CONCLUSION = re.compile(
    r"\w+\.(thm|prop|cor)[A-Z]?\d*(\.\d+)*(\.(sc|gc|nc|variance|bound|kept))?(\.uniform|/(?!free)[\w-]+)?"
)
"""Ids of theorems, their parts, and other variants of both; ids of proof steps have further parts."""
FREE = ("special.thm4.7/aligned-drift",)
"""Trivial bounds, under other names."""
DRAWN = {line.id: line for lines in HEADLINES.values() for line in lines}


def headlines():
    """Upper bounds of all papers that are conclusions or are drawn."""
    for paper in papers():
        for one in statements(paper).values():
            drawn = one.id in DRAWN and DRAWN[one.id].role in (PRINTED, TRUE)
            bound = isinstance(one.relation, sp.Le | sp.Lt | Scaling)
            if drawn or (bound and CONCLUSION.fullmatch(one.id) and one.id not in FREE):
                yield one


ALL = tuple(headlines())
BY_PAPER = {
    paper: [one for one in ALL if one.source.paper.key == paper]
    for paper in sorted({one.source.paper.key for one in ALL})
}
of_every_paper = pytest.mark.parametrize("paper", BY_PAPER)
WORDS = {"FedAvg", "CFL", "mem"}
"""Words that the papers print in their formulas."""
ACCENT = re.compile(r"\\left|\\(mathring|mathcal|mathscr|mathfrak|boldsymbol|vec|hat|d*dot|tilde|bar)\b|'")
WITHOUT_BOUNDS = {"agem", "ewc", "fedsplit", "gem", "increasing", "minnorm", "mirzadeh"}
"""Papers without a theorem that is a bound; their statements are equations or have no number of a theorem."""


def test_there_are_headlines_of_every_paper():
    assert {one.source.paper.key for one in ALL} == set(papers()) - WITHOUT_BOUNDS
    assert len(ALL) >= 90


@of_every_paper
def test_terms_are_named(paper):
    """A single term may have no name if it is the whole right-hand side."""
    for one in BY_PAPER[paper]:
        named = isinstance(one.relation, Scaling) or bool(one.terms)
        assert named or (one.id not in DRAWN and not isinstance(one.rhs, sp.Add)), one.id
        terms = terms_of(one) if named else {}
        assert all(re.fullmatch(r"[A-Za-z][\w .()-]*", name) for name in terms), one.id
        assert 0 not in terms.values(), one.id


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.id)
def test_terms_add_up_to_the_right_hand_side(one):
    """At random numbers, apart from the check of `Statement` that rests on SymPy; an order has no right-hand side."""
    terms, rng = terms_of(one), np.random.default_rng(0)
    for _ in range(3):
        at = {
            s: sp.Integer(rng.integers(2, 9)) for s in one.bound.free_symbols if not isinstance(s, sp.Indexed)
        }
        added, whole = (sp.N(side.subs(at).doit(), 40) for side in (sp.Add(*terms.values()), one.bound))
        assert added == whole or abs(added - whole) < 1e-30 * abs(whole)


@of_every_paper
def test_every_formula_has_the_symbols_of_the_paper(paper):
    """No letter that SymPy makes from a name of several letters, and no name of the code."""
    for one in BY_PAPER[paper]:
        for symbol in one.symbols:
            letter = one.glossary[symbol.name]
            own = letter.latex != upright(symbol) or re.fullmatch(r"[a-zA-Z]|\\[a-zA-Z]+", letter.latex)
            assert own or symbol.name == "c_m", f"{one.id}: {symbol} is printed as {letter.latex}"
        formulas = [
            one.latex(),
            *(one.glossary.latex(part) for part in (*one.conditions, *terms_of(one).values())),
        ]
        for formula in formulas:
            bare = re.sub(r"\\(mathrm|text|operatorname)\{[^}]*\}|\\[A-Za-z]+", " ", formula)
            assert set(re.findall(r"[A-Za-z]{3,}", bare)) <= WORDS, (one.id, formula)


def test_no_letter_has_an_accent_that_sympy_reads_from_its_name():
    """SymPy reads `fedavg` as the mean of `fed`, and `local` as a script `lo`."""
    for paper in papers():
        glossary = next(iter(statements(paper).values())).glossary
        for letter in glossary.values():
            made = letter.latex == upright(letter.symbol)
            assert not (made and ACCENT.search(letter.latex)), f"{letter.symbol} is printed as {letter.latex}"


def test_an_order_is_evaluated_by_its_terms():
    thm5 = statement("cflag.thm5")
    values = {
        "F": 1,
        "L": 1,
        "m": 1,
        "T": 100,
        "alpha": 0.5,
        "beta": 0.01,
        "E": 1,
        "r": 1,
        "omega2": 1,
        "Dht": 1,
    }
    found = evaluation(
        thm5, **{name: value for name, value in values.items() if name in map(str, thm5.symbols)}
    )
    assert set(found.terms) == {"start", "descent", "spread"}
    assert found.bound == pytest.approx(sum(found.terms.values()))
    assert found.terms["start"] == pytest.approx(0.04)


def test_quantities_of_runs_are_printed_as_formulas():
    assert all("mathrm" not in QUANTITIES[name].latex for name in MEASURED)
    notes = Notes("mine")
    one = notes.paper.statement(
        "x", "x", sp.Le(QUANTITIES["gap"].symbol, QUANTITIES["distance2_0"].symbol), "x"
    )
    assert r"\mathbb E\|x_0-x^*\|^2" in one.latex()

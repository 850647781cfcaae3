"""A bound at numbers: value, terms, violated conditions with remedies, sweeps, comparisons."""

import numpy as np
import pytest
import sympy as sp

from bounds.calculator import along, completed, crossings, evaluation, sweep, terms_of
from bounds.catalogue import statement, statements
from bounds.special.theorems import RATE
from bounds.statement import Scaling

RUN = {
    "K": 4,
    "E": 5,
    "M": 8,
    "N": 4,
    "T": 20,
    "gamma_G": 0.2,
    "gamma_L": 0.01,
    "lam": 0.5,
    "f0": 3.0,
    "fstar": 0.0,
}
VALUES = RUN | {"L": 2.0, "B": 1.0, "G0": 0.3, "sigma_L2": 0.1, "sigma_G2": 0.2, "sigma_T2": 0.3}


def test_value_terms_and_shares():
    found = evaluation(RATE, **VALUES)
    assert found.bound == pytest.approx(RATE.at(**VALUES))
    assert sum(found.terms.values()) == pytest.approx(found.bound)
    assert sum(found.shares.values()) == pytest.approx(1)
    assert not found.failing


def test_a_failing_condition_names_the_nearest_admissible_values():
    (one,) = evaluation(RATE, **{**VALUES, "gamma_L": 0.1}).failing
    assert one.text == "gamma_L <= 1/(8*E*L)"
    assert one.mended_by == {"gamma_L": pytest.approx(1 / 80), "L": pytest.approx(0.25)}  # no E >= 1 meets it


def test_what_an_equation_gives_need_not_be_given():
    given = statement("cfl.ass7.case1")
    known, filled = completed(given, {"D2": 2.0, "alpha": 0.25, "A2": 4.0})
    assert (known["F2"], known["C2"]) == (0.5, 1.0)
    assert filled == {"F2": "Eq(F2, D2*alpha)", "C2": "Eq(C2, A2*alpha)"}


def test_an_equation_gives_a_quantity_in_which_it_is_quadratic():
    one = statement("feedback.thm1")
    known, filled = completed(one, {"L": 2.0, "mu": 1.0, "s": 0.1, "psi_0": 1.0, "t": 3})
    assert known["z"] == pytest.approx(0.5)
    assert filled.keys() == {"z", "eta"}
    assert one.met(**known)


def test_missing_and_unknown_quantities_are_named():
    with pytest.raises(ValueError, match=r"needs a value for\n  B +bound on the norm"):
        evaluation(RATE, K=4)
    with pytest.raises(
        ValueError, match=r"`gama_L` is no quantity of special.thm4.10; did you mean `gamma_L`\?"
    ):
        evaluation(RATE, gama_L=1.0)
    with pytest.raises(
        ValueError, match=r"`lam` of special.thm4.10 must be one number, got .*; `sweep` takes a list"
    ):
        evaluation(RATE, **{**VALUES, "lam": [0.1, 0.2]})
    with pytest.raises(ValueError, match="`T` needs a list of points"):
        sweep(RATE, "T", [], **VALUES)


def test_a_sweep_crosses_the_limit_of_a_condition():
    found = sweep(RATE, "gamma_L", [0.001, 0.0125, 0.02], **VALUES)
    assert found.met.tolist() == [True, True, False]
    at = {**VALUES, "gamma_L": 0.0125}
    assert found.bound[1] == pytest.approx(RATE.at(**at))
    assert sum(found.terms.values()) == pytest.approx(found.bound)


def test_which_bound_is_smaller_where():
    free = statement("special.thm4.10/free.start")
    first = sweep(RATE, "B", [0.01, 0.1, 1.0, 10.0], **VALUES)
    own = {symbol.name: VALUES[symbol.name] for symbol in free.symbols if symbol.name in VALUES}
    second = along(free, "B", first.points.tolist(), **own)
    assert second.bound == pytest.approx(2 * 0.09 + 2 * first.points**2)
    assert crossings(first, second) == [(0.01, 10.0, "second")]
    assert crossings(first, first) == [(0.01, 10.0, "equal")]
    assert along(free, "T", [1, 2], **own).bound == pytest.approx(np.full(2, 2.18))


def test_every_statement_has_terms_that_add_up():
    bounds = [s for s in statements("cflag").values() if not isinstance(s.relation, Scaling)]
    assert all(sp.Add(*terms_of(s).values()) - s.rhs == 0 or s.terms for s in bounds)

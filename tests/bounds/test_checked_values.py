"""Values that users pass in: an error names the quantity, the rule, the value and a remedy."""

import re
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from bounds.calculator import evaluation, sweep
from bounds.special.theorems import DRIFT
from bounds.statement import ConditionNotMet

VALUES = {"gamma_G": 1.0, "gamma_L": 0.1, "E": 2, "lam": 0.5, "B": 2.0}
ASKED = {
    "at": lambda values: DRIFT.at(**values),
    "failing": lambda values: DRIFT.failing(**values),
    "met": lambda values: DRIFT.met(**values),
    "terms_at": lambda values: DRIFT.terms_at(**values),
    "evaluation": lambda values: evaluation(DRIFT, **values),
    "sweep": lambda values: sweep(DRIFT, "B", [1, 2], **{n: v for n, v in values.items() if n != "B"}),
    "points": lambda values: sweep(DRIFT, "lam", values["lam"], **VALUES),
    "best": lambda values: DRIFT.best("gamma_L", **values),
}


@pytest.mark.parametrize("how", ASKED)
@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("abc", "got the text 'abc'; write numbers without quotes, as 0.5 or 1/8"),
        ("0.5", "got the text '0.5'; write numbers without quotes"),
        (["1", "2"], "got ['1', '2']; write numbers without quotes"),
        (None, "got None; give a real number, as 0.5"),
        (1j, "got 1j; give a real number"),
        (sp.Symbol("x"), "got x; give a real number"),
        ([[1, 2], [3]], "got [[1, 2], [3]]; give rows of equal length"),
    ],
)
def test_what_is_no_number_is_refused_by_name(how: str, value: object, message: str) -> None:
    expected = re.escape(f"`lam` of special.lem4.9 must be a number or an array of numbers, {message}")
    with pytest.raises(ValueError, match=expected):
        ASKED[how]({**VALUES, "lam": value})


@pytest.mark.parametrize("value", [Fraction(1, 2), sp.Rational(1, 2), np.float32(0.5), np.array(0.5), [0.5]])
def test_every_kind_of_number_is_taken(value: object) -> None:
    assert np.all(DRIFT.at(**{**VALUES, "lam": value}) == DRIFT.at(**VALUES))


@pytest.mark.parametrize("how", ["at", "failing", "met", "terms_at"])
def test_arrays_of_several_shapes_are_refused(how: str) -> None:
    arrays = {"lam": [0.5, 0.6], "B": [1, 2, 3]}
    message = "arrays for special.lem4.9 must have one shape, got `lam` of shape (2,), `B` of shape (3,); give arrays"
    with pytest.raises(ValueError, match=re.escape(message)):
        ASKED[how]({**{n: v for n, v in VALUES.items() if n not in arrays}, **arrays})


@pytest.mark.parametrize(
    ("within", "message"),
    [
        ("lam", "`within` must map names to pairs (low, high), got 'lam'; write within={'NAME': (0, 1)}"),
        ({"lam": 1}, "the range of `lam` must be a pair (low, high), got 1; write (0, 1)"),
        ({"lam": ("a", 1)}, "`low end of lam` of special.lem4.9 must be a number"),
        ({"lam": (2, 1)}, "the range of `lam` must have low <= high, got (2, 1); exchange the ends"),
        ({"B": (0, 1)}, "`within` must name quantities of the search, lam, got 'B'; leave it out"),
    ],
)
def test_a_range_that_is_no_range_is_refused(within: object, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        DRIFT.optimum("lam", within=within, **VALUES)


def test_a_search_needs_a_name_and_single_numbers() -> None:
    with pytest.raises(ValueError, match="`optimum` needs the names of quantities, got none; write"):
        DRIFT.optimum(**VALUES)
    with pytest.raises(
        ValueError, match=r"`B` of special.lem4.9 must be one number, .*; search once for each"
    ):
        DRIFT.optimum("lam", **{**VALUES, "B": [1, 2]})
    with pytest.raises(ConditionNotMet, match="no value of `lam`"):
        DRIFT.optimum("lam", **{**VALUES, "gamma_L": -1.0})

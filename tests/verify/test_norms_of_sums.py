"""Norms of sums of any number of vectors: proved, and no proof of a changed relation."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from bounds.cflag.drift import WEIGHTS
from bounds.cflag.symbols import p_sum
from bounds.relations import eq, le
from verify.check_proof import check
from verify.engine.model.scene import Follows, Rounds
from verify.engine.model.sums import Sums
from verify.engine.proof.facts import Shown, shown_of
from verify.scenes.norms_of_sums import (
    AnyNumber,
    counted,
    follows,
    jensen,
    multiple,
    norm_of_sum,
    triangle,
    weighted,
)
from verify.scenes.summands import SUMMANDS, added, before, changing

norm, other, norms, each, most = (
    sp.Symbol(name, nonnegative=True) for name in ("norm", "other", "norms", "each", "most")
)
factor = sp.Symbol("factor", positive=True)
n = sp.Symbol("n", integer=True, positive=True)
BELOW = follows(
    le(each, most),
    Sums(le(each, most), {each: "x", most: ["+", "x", "y"]}, dict.fromkeys("xy", "nonnegative")),
)
MEAN = weighted(norm, p_sum, each, most, BELOW)
SQUARES = jensen(norm, norms, p_sum)
FACTS: dict[str, AnyNumber] = {
    "triangle": triangle(norm, {other: 1, each: factor}),
    "multiple": multiple(norm, factor, other),
    "sum": norm_of_sum(norm, norms),
    "weighted": MEAN,
    "jensen": SQUARES,
    "number": counted(
        le(norm, SUMMANDS * most),
        n,
        changing(norm, free=(each,)),
        triangle(norm, {before(norm): 1, each: 1}),
        BELOW,
    ),
}


def shown(fact: AnyNumber) -> Shown | None:
    return shown_of(fact)


@pytest.mark.parametrize("name", FACTS)
def test_a_fact_is_proved_at_all_sizes_and_the_checker_accepts_it(name: str) -> None:
    found = shown(FACTS[name])
    assert found is not None
    assert found.proof["sizes"] is None
    for certificate in found.proof["certificates"]:
        check(certificate)


def with_relation(fact: AnyNumber, relation: sp.Rel) -> AnyNumber:
    return replace(fact, relation=relation)


@pytest.mark.parametrize(
    "name", ["triangle", "sum", "weighted", pytest.param("jensen", marks=pytest.mark.slow), "number"]
)
def test_no_fact_has_a_smaller_right_side(name: str) -> None:
    fact = FACTS[name]
    smaller = sp.Rational(99, 100) * fact.relation.rhs
    assert shown(with_relation(fact, le(fact.relation.lhs, smaller))) is None


def test_no_norm_of_a_difference_is_a_difference_of_norms() -> None:
    assert shown(with_relation(FACTS["triangle"], le(norm, other - factor * each))) is None


def test_one_summand_more_is_not_bounded() -> None:
    """A sum of n + 1 summands is not at most n times what bounds each."""
    fact = FACTS["number"]
    assert isinstance(fact, Follows)
    ((rounds, _),) = fact.of
    assert shown(replace(fact, of=((rounds, {SUMMANDS: n + 1}),))) is None


def test_weights_must_sum_to_one() -> None:
    assert shown(follows(le(norm, most), MEAN)) is None
    assert shown(follows(le(norm, most), MEAN, given=(eq(p_sum, 2),))) is None
    found = shown(follows(le(norm, most), MEAN, given=WEIGHTS))
    assert found is not None
    assert found.needed == frozenset(WEIGHTS)


def test_an_index_shifted_by_one_is_refused() -> None:
    """The sum so far is not bounded by the sum before its last summand."""
    fact = norm_of_sum(norm, norms)
    assert isinstance(fact, Rounds)
    late = (added(norms, before(each)), *fact.steps[1:])
    assert shown(replace(fact, steps=late)) is None

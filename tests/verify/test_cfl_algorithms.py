"""CFL's split of the data: the algorithms by hand and as laws, and the comparisons of its tables."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bounds.cfl.tables import TABLE_4
from verify.cfl_tables import CLAIMS
from verify.engine.checks.table import table
from verify.engine.verdict import Verdict
from verify.scenes.cfl.splitting import (
    MEANT,
    PRINTED,
    at_once,
    by_division,
    coming_back,
    going_round,
    in_place,
    next_chances,
    removed,
    split,
    window,
)
from verify.scenes.cfl.tables import against

WEIGHTS = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]


def test_readings_of_renormalise_by_hand() -> None:
    # 1/4 over 1/4 + 1/4, then 1/4 over 1/2 + 1/4
    assert in_place(WEIGHTS, 0) == [Fraction(1, 2), Fraction(1, 2), Fraction(1, 3)]
    assert at_once(WEIGHTS, 0) == [Fraction(1, 2)] * 3
    assert removed(WEIGHTS, 0) == [Fraction(1, 2)] * 2
    assert by_division([Fraction(1, 2)] * 2, 0) == [Fraction(1, 2), Fraction(1, 4)]


def test_the_printed_list_moves_classes_on_by_one() -> None:
    theta = [Fraction(1, 2), Fraction(1, 2)]
    assert next_chances(theta, 0, PRINTED) == [0, Fraction(1, 3)]
    assert next_chances(theta, 0, MEANT) == [0, 1]
    # Both draws select the first place: class 0, then class 1, which replaces it; at 9/10 there is no class
    assert split((1, 1), [theta], [[0, 0]], PRINTED).tolist() == [[1, 1]]
    assert split((1, 1), [theta], [[0, Fraction(9, 10)]], PRINTED).tolist() == [[1, 0]]


@given(st.data())
def test_clients_get_what_they_ask_for_and_share_nothing(data: st.DataObject) -> None:
    supply = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    n_clients = data.draw(st.integers(1, 3))
    size = data.draw(st.integers(0, sum(supply) // n_clients))
    weights = np.random.default_rng(data.draw(st.integers(0, 99))).random((n_clients, len(supply))) + 0.01
    draws = [[data.draw(st.floats(0, 0.999)) for _ in range(size)] for _ in range(n_clients)]
    given_out = split(supply, weights.tolist(), draws, MEANT)
    assert given_out.sum(axis=1).tolist() == [size] * n_clients
    assert (given_out.sum(axis=0) <= supply).all()


def test_pointers() -> None:
    assert coming_back(7, 2, 6) == [0, 2, 4, 6, 0, 2]
    assert going_round(7, 2, 6) == [0, 2, 4, 6, 1, 3]
    assert window(6, 3, 7) == {6, 0, 1}


@given(st.integers(1, 6), st.integers(0, 5), st.integers(0, 30))
def test_neighbours_on_a_ring_share_what_the_pointer_leaves(step: int, kept: int, more: int) -> None:
    size = step + kept
    total = size + step + more
    sets = [window(start, size, total) for start in going_round(total, step, 12)]
    assert {len(a & b) for a, b in pairwise(sets)} == {kept}


def test_a_table_that_says_what_is_claimed_is_found_to_agree() -> None:
    """With a more accurate PyHessian the comparison would hold up to deviations."""
    found = against(TABLE_4["accuracy"], ["Naive (large)"], ["Fisher"])
    better = {c.statement.id: c for c in CLAIMS}["cfl.empirical-claims.2/deviations"]
    changed = table({"made up": found})(better, None, 0)
    assert changed.verdict is Verdict.PROVED

"""Convincing counterexamples: they respect all conditions of the paper, and possible values."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from verify.engine.records.files import path_of
from verify.engine.records.replay import rebuilt
from verify.engine.run import run

_IDS = (
    "cfl.ass3.optimum",
    "cflag.eq16.expected",
    "cflag.eq16.quadratic",
    "cflag.lem3",
    "special.eq38",
    "special.rem4.8.alignment",
    "special.rem4.8.each-task",
)


@cache
def _found():
    """Witnesses, and the values of all quantities there, by id."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        witnesses = {record["id"]: record["witness"] for record in run(_IDS, folder, "quick", 0)}
        return witnesses, {id: rebuilt(path_of(folder, id)).values for id in _IDS}


def _value(id, name):
    return float(_found()[1][id][name])


def test_a_random_length_of_mean_zero_has_no_square():
    assert _value("special.eq38", "drift1") > 0


def test_alignment_is_below_one():
    assert 0 < _value("special.rem4.8.alignment", "eps") < 1


def test_an_earlier_task_loses_though_gradients_are_noisy():
    assert _found()[0]["special.rem4.8.each-task"]["zero"] == []


def test_optima_may_agree_though_there_is_drift():
    assert _value("cfl.ass3.optimum", "delta2") + _value("cfl.ass3.optimum", "xi2") > 0


@pytest.mark.parametrize("id", ["cflag.eq16.expected", "cflag.eq16.quadratic"])
def test_rates_are_those_of_the_section(id):
    alpha, L, m = (_value(id, name) for name in ("alpha", "L", "m"))
    assert m > 1
    assert alpha < 2 / (L * (m + 1))


def test_lemma_3_falls_over_several_rounds():
    assert _found()[0]["cflag.lem3"]["shape"]["T"] >= 3

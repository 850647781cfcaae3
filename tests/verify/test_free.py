"""Trivial bounds: they are attained, and every true statement about a headline is compared with one."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from bounds.relations import le
from verify.engine.checks.attack import attack_at_random
from verify.engine.checks.vacuity import nothing_free
from verify.engine.model.claim import BUDGETS
from verify.engine.search.adversary import random_batch
from verify.engine.topics import claim_of
from verify.report.wording import sentence

QUICK = BUDGETS["quick"]
COMPARED = (
    *(f"cfl.thm{number}.{part}/repaired" for number in ("4.1", "4.4", "4.7", "B.5", "B.6") for part in ("sc", "gc")),
    *(f"cfl.thm{number}.nc/repaired" for number in ("4.1", "4.4", "4.7")),
    *(f"cfl.thm{number}.sc/any-clients" for number in ("4.1", "4.4", "B.5", "B.6")),
    *("cfl.nc.descent/repaired", "cfl.thm4.9/nonnegative"),
    *("special.cor4.12/floor", "special.cor4.12/sandwich", "special.cor4.12/sandwich.path"),
    *("special.lem4.9", "special.lem4.9/finite", "special.lem4.9.suppress/line"),
    *("special.tasks.regret", "special.tasks.regret/inexact", "special.tasks.random-order", "special.tasks.forgetting"),
    "special.tasks.cyclic",
    *("cflag.lem3/eq67-smooth", "cfl.thm4.1.sc/kept", "cfl.thm4.9.bound/nonnegative"),
    *("cflag.thm2/redrawn", "cflag.thm2.redrawn.rounds", "cflag.thm2/fixed", "cflag.thm2/fixed-rate", "cflag.thm5/fixed", "cflag.thm5/redrawn"),
    *("cflag.lem1/all-steps", "cflag.lem4/heterogeneity", "cflag.lem18/heterogeneity"),
    *("cflag.lem7.worst/transferring", "cflag.lem7.worst/interfering", "cflag.lem7.worst/interfering-little", "cflag.lem13/tight"),
    *("fedmes.thm1/repaired", "fedmes.thm1.learns"),
    *("fedmes.thm2/corrected", "fedmes.thm2/repaired", "fedmes.thm2/noisy"),
    *("special.thm4.7/repaired", "special.thm4.7/clients"),
    *(f"special.thm4.10/surrogate{variant}" for variant in ("", ".smooth", ".strong")),
)  # fmt: skip
FREE = (
    *(
        "special.lem4.9.free",
        "special.cor4.12/free.path",
        "special.tasks.regret.free",
        "special.tasks.random-order.free",
        "special.tasks.cyclic.free",
    ),
    *("cfl.runs.free", "cfl.nc.runs.free", "cfl.thm4.1.kept.free", "cfl.thm4.9.free"),
    *("cflag.thm5.free", "cflag.thm5.free.redrawn", "cflag.lem1.free", "cflag.lem4.free"),
    *("fedmes.thm2.free", "fedmes.thm2.free/squared", "fedmes.thm2.free.persistent"),
)


STILL = (
    "fedmes.thm1.free",
    "fedmes.thm1.learns.free",
    "cflag.lem7.free",
    "special.thm4.10/surrogate.free",
    "cfl.nc.descent.free",
)


@pytest.mark.parametrize("id", COMPARED)
def test_what_is_true_instead_is_asked_whether_it_says_anything(id: str) -> None:
    asked = {check.__qualname__.partition(".")[0] for check in claim_of(id).checks}
    assert asked & {"free_lunch", "nothing_free"}
    assert "needed" in asked


@pytest.mark.parametrize("id", FREE)
def test_a_free_bound_is_attained(id: str) -> None:
    """It holds in random instances, and nine tenths of it do not."""
    question = claim_of(id).question
    assert attack_at_random(question, QUICK, 0).witness is None
    less = le(question.relation.lhs, sp.Rational(9, 10) * question.relation.rhs)
    assert attack_at_random(replace(question, relation=less), QUICK, 0).witness is not None


def test_a_model_that_stands_still_stays() -> None:
    for id in STILL:
        question = claim_of(id).question
        for shape in question.scene.shapes[:3]:
            assert random_batch(question.scene, question.conditions, tuple(shape.items()), 16, 0)[3].any()
        assert attack_at_random(question, QUICK, 0).witness is None


def test_where_nothing_is_free_the_record_says_why() -> None:
    found = nothing_free("no reason")(claim_of("cflag.lem13/tight"), QUICK, 0)
    assert found.verdict is None
    assert sentence(found.reason) == "no bound is known without the theorem: no reason"

"""Facts about one round of CFL: they are proved, and slightly sharper ones are not."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from verify.engine.facts import shown_of, unbroken
from verify.engine.scene import Fact, Scene
from verify.scenes.cfl.first_step import FIRST_STEP
from verify.scenes.cfl.nonconvex import ROUND as ANY_CURVATURE
from verify.scenes.cfl.nonconvex import any_round
from verify.scenes.cfl.nonconvex_facts import facts
from verify.scenes.cfl.rate_facts import FACTS as AVERAGES
from verify.scenes.cfl.round import ROUND, SINGLE, STEPS
from verify.scenes.cfl.round_facts import FACTS
from verify.scenes.cfl.server_facts import SERVER_FACTS
from verify.scenes.cfl.smooth_facts import smooth_facts

EVERY: dict[str, tuple[Fact, Scene | None]] = {
    **{f"convex {k}": (fact, ROUND) for k, fact in enumerate(FACTS) if isinstance(fact, Fact)},
    **{f"server {k}": (fact, ROUND) for k, fact in enumerate(SERVER_FACTS)},
    **{f"steps {k}": (fact, STEPS) for k, fact in enumerate(STEPS.compute.facts[:3])},
    **{f"first step {k}": (fact, SINGLE) for k, fact in enumerate(FIRST_STEP)},
    **{f"any curvature {k}": (fact, ANY_CURVATURE) for k, fact in enumerate(facts(any_round))},
    **{f"smooth {k}": (fact, ANY_CURVATURE) for k, fact in enumerate(smooth_facts(any_round))},
    **{f"means {k}": (fact, None) for k, fact in enumerate(AVERAGES)},
}


LONG = {"smooth 0"}
"""Local drifts and losses of a round at once: the search is long; the stored answers hold the certificates."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in LONG else []) for name in EVERY]
)
def test_a_fact_is_proved_with_certificates(name: str) -> None:
    """At the first sizes of a fact; at all of them in the stored answers."""
    fact, _ = EVERY[name]
    shown = shown_of(replace(fact, scene=fact.scene.variant(fact.scene.name, shapes=fact.scene.shapes[:4])))
    assert shown is not None
    assert not shown.proof["uncertified"]


@pytest.mark.parametrize("name", [name for name in EVERY if not isinstance(EVERY[name][0].relation, sp.Eq)])
def test_nothing_a_little_sharper_is_proved(name: str) -> None:
    fact, _ = EVERY[name]
    large, small = fact.relation.args[::-1] if isinstance(fact.relation, sp.Le) else fact.relation.args
    sharper = sp.Ge(large, small + sp.Rational(1, 100), evaluate=False)
    assert shown_of(Fact(sharper, fact.scene, fact.slack, fact.assumed)) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in EVERY if EVERY[name][1] is not None])
def test_no_round_breaks_a_fact(name: str) -> None:
    fact, scene = EVERY[name]
    assert scene is not None
    assert unbroken(fact.relation, scene, tuple(condition for _, condition, *_ in fact.assumed.values()))


def test_the_step_of_a_round_is_a_definition_at_all_sizes() -> None:
    (sized,) = (fact for fact in FACTS if not isinstance(fact, Fact))
    shown = shown_of(sized)
    assert shown is not None
    assert shown.proof["sizes"] is None

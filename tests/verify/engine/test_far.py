"""Instances many orders of magnitude away, of both signs and near zero, within the conditions."""

import pytest
import sympy as sp

from verify import Notes, facts
from verify.engine.judge import judge
from verify.engine.model.scalars import far_scenes, huge_scene, scalar_scene
from verify.report.wording import sentence

notes = Notes("far")
y, z = notes.real("y z")
p = notes.positive("p")
m, k = notes.count("m k")


@pytest.mark.parametrize(
    "relation",
    [
        sp.Le(0, (y + 11) ** (m * k), evaluate=False),
        y >= -900,
        y <= 10**8,
        p <= 10**7,
        p >= sp.Rational(1, 10**7),
        sp.log(m) <= 20,
        sp.Eq(sp.Max(y, 10**7), 10**7, evaluate=False),
    ],
    ids=str,
)
def test_what_fails_far_away_is_refuted(relation):
    claim = notes.claim(f"far-{abs(hash(str(relation)))}", relation)
    assert judge(claim, "quick", 0)["verdict"] == "refuted"


def test_a_derivation_from_a_premise_does_not_end_the_attack_far_away():
    premise = sp.Le(0, y, evaluate=False)
    claims = [notes.claim("premise", premise), notes.claim("derived", y >= -(10**6), premises=(premise,))]
    assert judge(claims[1], "quick", 0, claims)["verdict"] == "refuted"


def test_conditions_that_take_long_are_not_asked_at_huge_sizes():
    slow = notes.claim("slow", (y - 3) ** 2 > 0, sp.Le(0, sp.binomial(m + k, m), evaluate=False))
    assert judge(slow, "quick", 0)["verdict"] == "refuted"


def test_ends_that_conditions_set_stay():
    conditions = (y >= 5, z <= -2)
    for scene in far_scenes(scalar_scene((y <= z + p,), conditions)):
        space = scene.space(scene.shapes[0])
        assert space["y"].low == 5
        assert space["z"].high == -2
        assert space["p"].low > 0


def test_a_lemma_that_cannot_be_used_is_named_with_the_reason():
    claim = notes.claim(
        "named",
        sp.Le(y**2, y**2 + 1, evaluate=False),
        facts=(facts.first_order(y**2 <= 100), facts.logarithm(y)),
    )
    found = judge(claim, "quick", 0)
    assert found["verdict"] == "proved"
    assert "not used: first-order convexity, because it is about quantities" in sentence(found["reason"])
    assert "not used: ln x <= x - 1, because its condition y > 0 does not follow" in sentence(found["reason"])


def test_sequences_as_long_as_a_size_are_not_drawn_at_huge_sizes():
    entries = sp.IndexedBase(sp.Symbol("entries", real=True))
    for every in (
        sp.Le(entries[m], y, evaluate=False),
        sp.Le(entries[m + 1], entries[m] + y, evaluate=False),
    ):
        drawn = scalar_scene((y <= z, every), (every,))
        assert huge_scene(drawn, (y <= z,)) is None
    assert huge_scene(scalar_scene((y <= z + m,)), (y <= z + m,)) is not None

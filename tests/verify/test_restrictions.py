"""Restrictions of a scene are hypotheses of the statements judged in it, or are reported with their verdict."""

from __future__ import annotations

import re

import pytest

from bounds import catalogue
from bounds.hypotheses import Hypothesis
from tests.verify import known as k
from tests.verify.engine.simple import LINE, of, u, v
from verify.engine.checks import relation as checks
from verify.engine.judge import judge, record_of
from verify.engine.links import missing_statements, with_final_verdicts
from verify.engine.model.scene import Fact, Proved
from verify.engine.proof.restrictions import unsaid, verdict_with_restrictions
from verify.engine.records.answers import FOLDER, answers, is_current, is_kept
from verify.engine.topics import claims_of, index, topics

ONE, QUADRATIC = Hypothesis.ONE_CLIENT, Hypothesis.QUADRATIC
SQUARE = of(k.sp.Ge, v, u**2)


def verdict(relation, scene, *, said=(), premises=(), check=checks.inequality):
    """The printed verdict of a claim in a scene."""
    claim = k.claim(k.known("restricted", relation, hypotheses=said), check, scene, premises=premises)
    (record,) = with_final_verdicts([judge(claim, "quick", 0)])
    return verdict_with_restrictions(record)


def restricted(scene=LINE, by=(QUADRATIC,), **changes):
    return scene.variant(f"{scene.name}, restricted", restricts=by, **changes)


def test_a_search_is_of_what_its_scene_restricts():
    assert verdict(of(k.sp.Le, u**3, 2), restricted()) == "unrefuted (quadratic losses)"
    assert verdict(of(k.sp.Le, u**3, 2), restricted(), said=(QUADRATIC,)) == "unrefuted"
    assert verdict(of(k.sp.Le, u**3, 2), LINE) == "unrefuted"


def test_a_counterexample_is_one_whatever_its_scene_restricts():
    assert verdict(of(k.sp.Le, v, u**2 / 2), restricted()) == "refuted"


def test_what_is_computed_in_a_scene_is_of_what_it_restricts():
    covered = restricted(covers="every coordinate is alike", by=(ONE, QUADRATIC))
    equal = of(k.sp.Eq, v, u**2)
    assert verdict(equal, covered, check=checks.identity) == "proved (quadratic losses, one client)"
    assert verdict(equal, covered, check=checks.identity, said=(ONE,)) == "proved (quadratic losses)"


@pytest.mark.parametrize(("by", "expected"), [((), "proved"), ((QUADRATIC,), "proved (quadratic losses)")])
def test_a_derivation_is_of_what_its_facts_restrict(by, expected):
    vectors = restricted(covers="every coordinate is alike", by=by)
    facts = (Fact(of(k.sp.Eq, v, u**2), vectors),)
    scene = restricted(compute=Proved(LINE.compute, facts), by=(QUADRATIC,))
    found = verdict(of(k.sp.Ge, v + 1, 0), scene, premises=(of(k.sp.Eq, v, u**2),))
    assert found == expected


def test_what_follows_from_conditions_alone_is_not_restricted():
    assert verdict(of(k.sp.Ge, u**2 + 1, 0), restricted()) == "proved"


def test_a_hypothesis_is_one_of_the_list():
    with pytest.raises(
        TypeError, match=r"`restricts` of the scene .* must be a tuple of `Hypothesis` \(CONVEX"
    ):
        restricted(by=("quadratic losses",))
    with pytest.raises(TypeError, match=r"known.x: `hypotheses` must be a tuple"):
        k.known("x", SQUARE, hypotheses=ONE)


@pytest.mark.parametrize("paper", catalogue.papers())
def test_statements_of_the_catalogue_say_what_their_verdicts_are_restricted_to(paper):
    records = []
    for topic in topics():
        kept = answers(FOLDER, topic) if topic.startswith(paper) and is_kept(topic) else {}
        for claim in claims_of(topic) if kept else ():
            if is_current(index()[claim.statement.id].key("default", 0), FOLDER):
                found = kept[claim.statement.id]
                records.append(record_of(claim, found["evidence"], found["cites"], 0.0, "default", 0))
    rests_on = {record["id"]: set(missing_statements([record])) for record in records}
    complete = set(rests_on)
    while open_ := {id for id in complete if not rests_on[id] <= complete}:
        complete -= open_
    hidden = {record["id"]: unsaid(record) for record in with_final_verdicts(records) if unsaid(record)}
    assert not {id: found for id, found in hidden.items() if id in complete}


QUADRATIC_LOSSES = re.compile(r"quadratic losse?s?\b|quadratics|quadratic clients")
ANY_GRADIENTS = re.compile(r"hence for any|hence for arbitrary|for every loss")
"""Scenes with quadratic losses whose results hold for other losses, too, and what they declare."""


def test_facts_of_quadratic_losses_say_so():
    silent = set()
    for claim in (claim for topic in topics() if is_kept(topic) for claim in claims_of(topic)):
        facts = claim.scene.compute.facts if claim.scene and isinstance(claim.scene.compute, Proved) else ()
        for scene in (claim.scene, *(fact.scene for fact in facts if isinstance(fact, Fact))):
            said = scene.covers if scene else ""
            if (
                QUADRATIC_LOSSES.search(said)
                and not ANY_GRADIENTS.search(said)
                and QUADRATIC not in scene.restricts
            ):
                silent.add(scene.name)
    assert not silent

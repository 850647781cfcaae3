"""Laws over the whole catalogue: premises hold in their scene, every claim is judged and its witness replays, names are unique."""

from __future__ import annotations

import functools
import gc
import traceback
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sympy.core.relational import Relational

from bounds.catalogue import statements
from tests.verify.judging import answer_to, judged_and_replays, premises_hold
from verify.engine.model.claim import Claim
from verify.engine.model.scene import Scene, allowed_shapes
from verify.engine.records.answers import FOLDER, is_current
from verify.engine.records.standing import doubt
from verify.engine.topics import claims, claims_of, index, topics

SAMPLED = [topic for topic in topics() if topic.startswith("networks_")]
"""Topics whose claims train networks; they have their own tests."""
THEORY = [claim for topic in topics() if topic not in SAMPLED for claim in claims_of(topic)]
by_id = functools.partial(pytest.mark.parametrize, "claim", ids=lambda claim: claim.statement.id)


@functools.cache
def stated() -> frozenset[object]:
    """Relations of all statements: a premise among them is judged as a statement."""
    return frozenset(s.relation for s in statements().values() if isinstance(s.relation, Relational))


def facts() -> list[Claim]:
    """For each scene and its conditions one claim, with all premises that no statement supplies."""
    found: dict[tuple[Any, ...], Claim] = {}
    for claim in THEORY:
        own = tuple(p for p in claim.premises if p not in stated())
        if claim.scene and own:
            first = found.setdefault((claim.scene.name, *claim.conditions), replace(claim, premises=()))
            premises = tuple(dict.fromkeys((*first.premises, *own)))
            found[(claim.scene.name, *claim.conditions)] = replace(first, premises=premises)
    return list(found.values())


FACTS = facts()


def at_half(claim: Claim) -> Claim:
    """The claim at a random half of the sizes of its scene."""
    assert claim.scene is not None
    sizes = list(allowed_shapes(claim.scene, claim.conditions))
    half = np.random.default_rng(0).permutation(len(sizes))[::2]
    return replace(claim, scene=replace(claim.scene, shapes=tuple(sizes[place] for place in half)))


@by_id(argvalues=FACTS)
def test_premises_that_are_no_statements_hold_in_their_scene(claim: Claim) -> None:
    premises_hold(at_half(claim))


@pytest.mark.slow
@by_id(argvalues=FACTS)
def test_premises_that_are_no_statements_hold_at_all_sizes(claim: Claim) -> None:
    premises_hold(claim)


def long(claim: Claim) -> bool:
    """If answers are stale, variants and tables of deviations are judged in the long run only, so that the ordinary run
    stays short.
    """
    id = claim.statement.id
    key = index()[id].key("default", 0)
    return ("/" in id or id.endswith(".deviations")) and not is_current(key, FOLDER)


LONG = {
    "cfl.B44.gc",
    "cfl.B44.sc",
    "cfl.floor.B.5.sc.logarithm.start",
    "cfl.onestep/corrected",
    "special.l3",
    "special.thm4.10/without.K_B",
}
"""Claims that take most of a second or more."""


GROUP = 12


def in_groups(claims: list[Claim]) -> list[Any]:
    """Groups of a few claims, named after the first one: a test for each claim takes longer than most claims."""
    return [
        pytest.param(claims[place : place + GROUP], id=claims[place].statement.id)
        for place in range(0, len(claims), GROUP)
    ]


REST = [claim for claim in THEORY if claim.statement.id in LONG or long(claim)]
QUICK = [claim for claim in THEORY if not (claim.statement.id in LONG or long(claim))]


def each(check: Callable[[Claim], None], claims: list[Claim]) -> None:
    """Call a check for each claim; the error has the traceback of every claim that fails."""
    failures = []
    for claim in claims:
        try:
            check(claim)
        except Exception:
            failures.append(f"{claim.statement.id}: {traceback.format_exc()}")
    assert not failures, "\n".join(failures)


@pytest.mark.core
@pytest.mark.parametrize("claims", in_groups(QUICK))
def test_every_claim_is_judged_and_its_witness_replays(claims: list[Claim]) -> None:
    each(judged_and_replays, claims)


@pytest.mark.slow
@by_id(argvalues=REST)
def test_every_long_claim_is_judged_and_its_witness_replays(claim: Claim) -> None:
    judged_and_replays(claim)


def stands_at_instances(claim: Claim) -> None:
    answer = answer_to(claim)
    assert answer is None or doubt(claim, answer["evidence"], 0) == ""


@pytest.mark.slow
@pytest.mark.parametrize("claims", in_groups(THEORY))
def test_every_kept_answer_stands_at_instances_too(claims: list[Claim]) -> None:
    each(stands_at_instances, claims)


def test_every_statement_is_judged() -> None:
    assert statements().keys() == claims().keys()


def test_names_of_scenes_are_unique() -> None:
    claims()
    seen: dict[str, Scene] = {}
    for scene in {id(claim.scene): claim.scene for claim in claims().values() if claim.scene}.values():
        other = seen.setdefault(scene.name, scene)  # the same one, with lemmas of its class
        same = (other.shapes, other.space, other.compute) == (scene.shapes, scene.space, scene.compute)
        assert same, f"two scenes are called {scene.name!r}"


def test_scenes_name_the_parameter_that_gives_room() -> None:
    claims()
    gc.unfreeze()  # objects frozen by `tests/conftest.py` are not listed
    scenes = [found for found in gc.get_objects() if type(found) is Scene]
    gc.freeze()
    scenes = [
        scene for scene in scenes if scene.space.__module__.startswith("verify.")
    ]  # without those of tests
    assert len(scenes) >= len({id(claim.scene) for claim in claims().values() if claim.scene})
    for scene in scenes:
        for shape in scene.shapes:
            assert (scene.room in scene.space(shape)) == bool(scene.room), scene.name

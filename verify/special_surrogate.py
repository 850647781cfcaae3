"""SPECIAL: corrected versions of Theorem 4.10, within a task and over the tasks."""

from __future__ import annotations

from typing import Any

import sympy as sp

from bounds.relations import ge, le
from bounds.special import cyclic, random_order
from bounds.special import surrogate_proof as p
from bounds.special import surrogate_strong as strong
from bounds.special.assumptions import convexity
from bounds.special.surrogate import (
    REGRET_FREE,
    STILL,
    STRONG,
    forgot,
    forgot_slope,
    low,
    miss,
    miss0,
    miss_next,
    regret,
    regret_slope,
)
from bounds.special.surrogate_rounds import CONVEX_STEPS, PATHS, STEPS, VARIANCE_IS, Path, Steps
from bounds.special.surrogate_strong import PACE
from bounds.special.symbols import K, L, L_sup
from bounds.statement import Statement
from verify.commands.main import main
from verify.engine.certificates.question import Induction
from verify.engine.checks.relation import bound, identity, inequality
from verify.engine.checks.vacuity import Check, free_lunch, needed, no_placebo, nothing_free, placebos
from verify.engine.model.claim import Claim, claims_about
from verify.engine.model.scene import Scene, Textbook
from verify.facts import cocoercive, coercive, first_order, in_order, mean_value, monotone, no_steeper
from verify.scenes.special import surrogate as scenes
from verify.scenes.special.cyclic import CYCLES, CYCLES_PLACEBOS
from verify.scenes.special.random_order import ORDERS, PLACEBOS
from verify.scenes.special.surrogate_sums import BENT, YOUNG
from verify.scenes.special.surrogate_tasks import MISSED, MISSED_PLACEBOS, TASKS, TASKS_PLACEBOS, TASKS_STILL
from verify.scenes.special.task_facts import FORGOT_SLOPE, LAG_SLOPE, MISSED_SLOPE, SLOPE

_claim = claims_about("special", bound)


def _says(scene: Scene, *builder: scenes.Builder) -> tuple[Check, ...]:
    """Checks for vacuity: against the trivial bound, with runs that learn nothing, and without the conditions."""
    return free_lunch(STILL, scene), placebos(scenes.placebos_of(scene, *builder)), needed


def _step(words: str) -> tuple[Claim, ...]:
    """Steps of the proof that hold for arbitrary gradients."""
    return tuple(_claim(f"thm4.10/surrogate.{word}", scenes.WITHIN) for word in words.split())


def _from(word: str, *premises: Statement | sp.Eq) -> Claim:
    """A step that follows from other steps and from the definitions of its symbols."""
    given = (p.compared if isinstance(p, Statement) else p for p in premises)
    return _claim(f"thm4.10/surrogate{word}", scenes.WITHIN, bound, *given)


_regret = first_order(le(regret, regret_slope), ge(low, 0))
_lag = first_order(le(cyclic.cycle_risk - regret, cyclic.lag_slope), ge(low, 0))
_forgot = first_order(le(forgot, forgot_slope), ge(low, 0), ge(K, 2))
_turned = cocoercive(p.COCOERCIVE.compared, ge(low, 0), le(L_sup, L))


def _convex(scene: Scene, *lemmas: Textbook) -> Scene:
    return scene.of_class("convex losses", *lemmas)


def _steep(scene: Scene, free: Statement) -> Scene:
    """The scene with facts about the change of losses with bounded gradients along a path."""
    return scene.of_class("losses with bounded gradients", mean_value(free.compared))


def _rounds(q: Path, s: Steps) -> tuple[Claim, ...]:
    """Claims that lead from one round to all rounds, for one choice of step sizes."""
    scene = SCENES[q.reading]

    def derived(step: Statement, *premises: Statement | sp.Eq, induction: Induction | None = None) -> Claim:
        given = (p.compared if isinstance(p, Statement) else p for p in premises)
        return _claim(step.id.removeprefix("special."), scene, bound, *given, induction=induction)

    def number(step: Statement, *premises: Statement) -> Claim:
        return _claim(step.id.removeprefix("special."), None, inequality, *(p.compared for p in premises))

    rounds = Induction(
        "t",
        later={miss: miss_next, q.carried: q.carried_next, q.drifted: q.drifted_next},
        first={miss: miss0, q.carried: miss0, q.drifted: sp.Integer(0)},
        through=(s.larger.compared,),
    )
    by = {"shrinks": p.SHRINKS, "grows": p.GROWS}[q.because]
    return (
        derived(s.blown2, p.UNBIASED, p.VARIANCE, by, VARIANCE_IS, *q.means),
        derived(s.blown, s.blown2, *p.SQUARES),
        derived(s.around, p.MINKOWSKI, s.blown, p.WORKED),
        number(s.below),
        number(s.carried, s.below),
        number(s.larger),
        derived(s.carried_on2, *q.carried_is, q.later, q.settled, *q.means),
        derived(s.carried_on, s.carried_on2, *q.squares),
        derived(s.drifted_on, *q.drifted_is, q.later, *q.means),
        derived(s.keeps, s.around, s.larger, s.carried, s.carried_on, s.drifted_on),
        derived(s.invariant, s.around, s.carried, s.carried_on, s.drifted_on, induction=rounds),
        derived(s.carried_most, *q.carried_is[:1], *q.squares),
        derived(s.drifted_most, *q.drifted_is[:1], *q.means),
    )


def _rate(q: Path, s: Steps) -> Claim:
    parts = (part.compared for part in (s.invariant, s.carried_most, s.drifted_most))
    scene = SCENES[q.reading]
    return _claim(
        f"thm4.10/surrogate{q.reading}", scene, bound, *parts, *q.last, *q.means, beside=_says(scene)
    )


def _strong(
    step: Statement, *premises: Statement | sp.Rel, lemmas: tuple[Textbook, ...] = (), **more: Any
) -> Claim:
    """A step for strongly convex losses and one local step."""
    given = (p.compared if isinstance(p, Statement) else p for p in premises)
    scene = (
        scenes.QUADRATICS.of_class("smooth strongly convex losses", *lemmas) if lemmas else scenes.QUADRATICS
    )
    return _claim(step.id.removeprefix("special."), scene, bound, *given, **more)


_SQUARED = Induction(
    "t",
    later={p.miss2: p.miss_next2, PACE.carried2: PACE.carried_next2},
    first={p.miss2: miss0**2, PACE.carried2: miss0**2},
)
_curved = (ge(low, convexity), le(L_sup, L))
_between = coercive(strong.COCOERCIVE.compared, *_curved)
_monotone = monotone(strong.MONOTONE.compared, *_curved)
_no_steeper = no_steeper(strong.NO_STEEPER.compared, *_curved)
_in_order = in_order(le(convexity, L), *_curved)
SCENES = {"": scenes.WITHIN, ".smooth": scenes.WELLS}
"""Variant -> the worlds for each choice of step sizes."""

CLAIMS = (
    _claim("thm4.10/surrogate.step", scenes.SERVER, identity),
    *_step("split cauchy drift unbiased variance pulled"),
    _claim("thm4.10/surrogate.cocoercive", scenes.WITHIN.of_class("smooth convex losses", _turned)),
    _claim("thm4.10/surrogate.grows", scenes.WELLS, bound, p.PULLED.compared, BENT, YOUNG),
    _from(".turned", p.CAUCHY, *p.SQUARES),
    _from(".minkowski", p.SPLIT, p.TURNED, *p.SQUARES),
    _from(".worked", p.DRIFT, *p.SQUARES),
    _from(".towards", p.COCOERCIVE),
    _from(".shrinks", p.PULLED, p.TOWARDS),
    _from(".round", VARIANCE_IS, CONVEX_STEPS.around),
    *(claim for path, steps in zip(PATHS, STEPS, strict=True) for claim in _rounds(path, steps)),
    *(_rate(path, steps) for path, steps in zip(PATHS, STEPS, strict=True)),
    _strong(strong.SPLIT),
    _strong(strong.COCOERCIVE, lemmas=(_between,)),
    _strong(strong.MONOTONE, lemmas=(_monotone,)),
    _strong(strong.NO_STEEPER, lemmas=(_no_steeper,)),
    _strong(
        strong.PULLED,
        *(p.PULLED, strong.COCOERCIVE, strong.MONOTONE, strong.NO_STEEPER, PACE.means[0]),
        lemmas=(_in_order,),
    ),
    _strong(strong.BLOWN2, p.UNBIASED, p.VARIANCE, strong.PULLED, VARIANCE_IS),
    _strong(strong.ROUND, strong.SPLIT, strong.BLOWN2),
    _strong(strong.CARRIED_ON, *PACE.carried_is, PACE.later, PACE.settled, *PACE.means),
    _strong(strong.INVARIANT, strong.ROUND, strong.CARRIED_ON, induction=_SQUARED),
    _strong(strong.ROOT, strong.INVARIANT, *p.SQUARES[:1], *PACE.squares[:1]),
    _strong(strong.CARRIED_MOST, *PACE.carried_is[:1], *PACE.squares),
    _strong(
        STRONG,
        *(strong.ROOT, strong.CARRIED_MOST, *strong.LAST),
        beside=_says(scenes.QUADRATICS, scenes.quadratics),
    ),
    _claim("thm4.10/surrogate.free", scenes.STANDING, identity),
    _claim(
        *("tasks.regret", _convex(TASKS, _regret), bound, SLOPE),
        beside=(free_lunch(REGRET_FREE, TASKS), placebos(TASKS_PLACEBOS), needed),
    ),
    _claim("tasks.regret.free", _steep(TASKS_STILL, REGRET_FREE)),
    _claim(
        *("tasks.regret/inexact", _convex(MISSED, _regret), bound, MISSED_SLOPE),
        beside=(free_lunch(REGRET_FREE, MISSED), placebos(MISSED_PLACEBOS), needed),
    ),
    _claim("tasks.random-order.each", _convex(ORDERS, _regret), bound, SLOPE),
    _claim("tasks.random-order.mean", ORDERS, identity),
    _claim(
        "tasks.random-order",
        ORDERS,
        bound,
        *("tasks.random-order.each", "tasks.random-order.mean"),
        means=random_order.MEANS,
        beside=(free_lunch(random_order.FREE, ORDERS), placebos(PLACEBOS), needed),
    ),
    _claim("tasks.random-order.free", _steep(PLACEBOS[1], random_order.FREE)),
    _claim("tasks.cyclic.each", _convex(CYCLES, _regret), bound, SLOPE),
    _claim("tasks.cyclic.lag", _convex(CYCLES, _lag), bound, LAG_SLOPE),
    _claim(
        *("tasks.cyclic", CYCLES, bound, "tasks.cyclic.each", "tasks.cyclic.lag"),
        beside=(free_lunch(cyclic.FREE, CYCLES), placebos(CYCLES_PLACEBOS), needed),
    ),
    _claim("tasks.cyclic.free", _steep(CYCLES_PLACEBOS[1], cyclic.FREE)),
    _claim(
        "tasks.stride",
        TASKS,
        beside=(
            nothing_free("a model that stands still takes no stride"),
            no_placebo("one that stands still meets it"),
            needed,
        ),
    ),
    _claim(
        *("tasks.forgetting", _convex(TASKS, _forgot), bound, FORGOT_SLOPE),
        beside=(
            nothing_free("a model that stands still forgets nothing; that others move is what it is about"),
            no_placebo("one that stands still meets it"),
            needed,
        ),
    ),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_surrogate"))

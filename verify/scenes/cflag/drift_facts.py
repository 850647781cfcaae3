"""Facts about local steps along delayed gradients (C-FLAG, Lemmas 12 and 13), for any number of clients, samples and steps.

A client uses, for each sample, the gradient at one of its earlier models, whichever order the samples are drawn in. So the
distance of this model from the server's is at most the largest distance so far (`EARLIER`), by induction over the steps.
"""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import relations
from bounds.cflag.drift_lemmas import (
    QUARTER,
    STEPS,
    TWELFTH,
    away,
    drift,
    drift_before,
    drift_max,
    drift_next,
    drift_sum,
    e,
    e_sum,
    first,
    first_gap,
    force,
    max_sum,
    path,
    split,
    stale,
    stale_steps,
    turn,
    turned,
)
from bounds.cflag.drift_sharp import growth
from bounds.cflag.symbols import L, S, beta, gg, k
from bounds.relations import eq, le
from verify.engine.model.scene import Follows, Rounds
from verify.engine.model.sums import Sums
from verify.scenes.cflag.growth_facts import COUNTED_UP, COUNTS, EARLIER_GROWTH, GROWS, GROWTH, SMALL, earlier
from verify.scenes.cflag.terms import CLIENTS as TURNS_OF_CLIENTS
from verify.scenes.cflag.terms import (
    OF_CLIENTS,
    OF_SAMPLES,
    SAMPLES,
    client_turn,
    client_way,
    sample_turn,
    sample_way,
)
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import (
    AnyNumber,
    counted,
    equal_norms,
    follows,
    multiple,
    norm_of_sum,
    renamed,
    triangle,
)
from verify.scenes.summands import SUMMANDS, added, before, changing, definition, over_summands, summed
from verify.scenes.trees import Tree

_late, _step, changed, _kept, _fresh, _far, _length = named(
    "late, local step, changed, kept, fresh, far, length", nonnegative=True
)
"""Length of the path since a sample was drawn; of the direction of a step; of the mean change of the samples' gradients since the
start of the round; whether a sample keeps its model, and whether it is drawn; the distance of its model from the server's; a length.
"""
_GROWN = (growth - 1) / L * gg
relation_of = relations("cflag")

# ----------------------------------------------------------------------------------------- samples and their models

SMOOTH_SAMPLE = follows(le(sample_turn, L * sample_way), given=(SAMPLES, OF_SAMPLES))
SMOOTH_CLIENT = Sums(
    le(turn, L * drift),
    {turn: "turn", drift: "drift", client_turn: "turn", client_way: "drift"},
    {"turn": "nonnegative", "drift": "nonnegative"},
    (TURNS_OF_CLIENTS, OF_CLIENTS),
)
_WALKED = norm_of_sum(sample_way, _late)
_OF_PATH = Sums(
    le(_late, path),
    {_late: "late", path: ["+", "late", "earlier"]},
    dict.fromkeys(("late", "earlier"), "nonnegative"),
)
LARGEST = definition(eq(drift_max, sp.Max(before(drift_max), drift)))
AMONG = follows(le(drift, drift_max), LARGEST)
_GROWING = follows(le(before(drift_max), drift_max), LARGEST)
EARLIER = over_summands(
    le(sample_way, drift_max),
    changing(sample_way, drift_max, free=(drift, _fresh, _kept)),
    definition(eq(sample_way, _kept * before(sample_way) + _fresh * drift)),
    definition(eq(_kept, 1 - _fresh)),
    AMONG,
    _GROWING,
    through=(
        le(before(sample_way), drift_max),
        le(_kept * before(sample_way), _kept * drift_max),
        le(_fresh * drift, _fresh * drift_max),
    ),
)
"""The model at which a sample was drawn is one of the client's models so far."""


def changed_by(smooth: AnyNumber) -> Follows:
    """The mean change of the samples' gradients in use is at most L times the largest drift so far.

    Parameters
    ----------
    smooth : fact
        The bound on the change of one sample's gradient.
    """
    return counted(
        le(changed, SUMMANDS / S * L * drift_max),
        S,
        changing(changed, free=(sample_turn, sample_way)),
        triangle(changed, {before(changed): 1, sample_turn: 1 / S}),
        smooth,
        EARLIER,
        through=(le(sample_turn, L * drift_max),),
    )


def _direction(smooth: AnyNumber) -> Follows:
    """The direction of a step is the global gradient and the mean change of the samples' gradients."""
    return follows(le(_step, gg + L * drift_max), triangle(_step, {gg: 1, changed: 1}), changed_by(smooth))


def _one_step(smooth: AnyNumber) -> Follows:
    return follows(
        relation_of("eq117/sharp"),
        triangle(drift_next, {drift: 1, _step: beta}),
        _direction(smooth),
        through=(le(beta * _step, beta * (gg + L * drift_max)),),
    )


def largest_drift(smooth: AnyNumber) -> Rounds:
    """The largest drift so far grows by a factor 1 + beta L in each step."""
    return over_summands(
        le(drift_max, _GROWN),
        {**changing(drift_max, drift), **GROWTH},
        renamed(_one_step(smooth), {drift_next: drift, **earlier(drift, drift_max)}),
        renamed(AMONG, earlier(drift, drift_max)),
        LARGEST,
        GROWS,
        through=(le(drift, _GROWN),),
    )


_FORCE, _ONE_STEP, MOST = (of(SMOOTH_SAMPLE) for of in (_direction, _one_step, largest_drift))

# ------------------------------------------------------------------------------------------------ errors at a step

_ERROR_OWN = counted(
    le(e, L * (away + SUMMANDS / S * drift)),
    S,
    changing(e, away, free=(sample_turn, sample_way, _far)),
    triangle(e, {before(e): 1, sample_turn: 1 / S}),
    SMOOTH_SAMPLE,
    triangle(sample_way, {_far: 1, drift: 1}),
    added(away, _far / S),
    through=(le(sample_turn, L * (_far + drift)),),
)
_AWAY = counted(
    le(away, SUMMANDS / S * drift_max),
    S,
    changing(away, free=(sample_way,)),
    added(away, sample_way / S),
    EARLIER,
)
_ERROR = follows(le(e, 2 * L * drift_max), _ERROR_OWN, _AWAY, AMONG)

# ------------------------------------------------------------------------------------------------------- all steps

_GROWN_PATH = over_summands(
    le(path, _GROWN),
    {**changing(path, free=(_step, drift_max)), **GROWTH},
    added(path, beta * _step),
    renamed(_FORCE, earlier(drift_max)),
    renamed(MOST, earlier(drift_max, growth)),
    GROWS,
    through=(le(_step, EARLIER_GROWTH * gg), le(beta * _step, beta * EARLIER_GROWTH * gg)),
)
# ------------------------------------------------------------------------------------------------------ the lemmas

_PREVIOUS = renamed(_GROWING, {before(drift_max): drift_before})
_IN_TURN = renamed(_GROWING, {before(drift_max): before(drift_before), drift_max: drift_before})
_SHARP = follows(relation_of("lem13/sharp"), MOST, AMONG)
_PATH_BY_LARGEST = over_summands(
    relation_of("eq101/sharp"),
    changing(path, k, drift_before, free=(_step,)),
    added(path, beta * _step),
    COUNTS,
    renamed(_FORCE, {drift_max: drift_before}),
    _IN_TURN,
    renamed(COUNTED_UP, earlier(k)),
    through=(
        le(beta * _step, beta * (gg + L * drift_before)),
        le(before(k) * before(drift_before), before(k) * drift_before),
    ),
)
_SUM_BY_LARGEST = over_summands(
    relation_of("eq109.sum"),
    changing(max_sum, k, drift_before),
    added(max_sum, drift_before),
    COUNTS,
    _IN_TURN,
    renamed(COUNTED_UP, earlier(k)),
    through=(le(before(k) * before(drift_before), before(k) * drift_before),),
)
_SPLIT = over_summands(
    relation_of("eq101.e"),
    changing(split, k, drift_sum, e_sum, free=(_step, turn, drift, e)),
    *(added(split, _step), added(drift_sum, drift), added(e_sum, e), COUNTS),
    *(triangle(_step, {gg: 1, turn: 1, e: 1}), SMOOTH_CLIENT),
)
_DIRECTION: Tree = ["+", ["-", "all", "own"], "delayed"]
_IN_PARTS: Tree = ["+", ["+", ["-", "all", "own"], "now"], ["-", "delayed", "now"]]
AT_STEPS = (
    norm_of_sum(e, turned),
    summed(
        relation_of("eq94.smooth"),
        {turned: sample_turn / S, stale: sample_way / S},
        (sample_turn, sample_way),
        SMOOTH_SAMPLE,
    ),
    summed(
        relation_of("eq96"), {stale: sample_way / S, stale_steps: _late / S}, (sample_way, _late), _WALKED
    ),
    counted(
        le(stale_steps, SUMMANDS / S * path),
        S,
        changing(stale_steps, free=(_late,)),
        added(stale_steps, _late / S),
        _OF_PATH,
    ),
    follows(
        relation_of("eq97/sharp"),
        counted(
            le(stale, SUMMANDS / S * path),
            S - 1,
            changing(stale, free=(_late, sample_way)),
            added(stale, sample_way / S),
            _WALKED,
            _OF_PATH,
        ),
    ),
    summed(
        relation_of("eq99"), {path: _length, force: _step}, (_length, _step), multiple(_length, beta, _step)
    ),
    summed(
        relation_of("eq100"),
        {force: _length, split: _step},
        (_length, _step),
        equal_norms(_length, _step, _DIRECTION, _IN_PARTS),
    ),
    *(_SPLIT, _PATH_BY_LARGEST, _ERROR_OWN, _AWAY, AMONG),
    summed(relation_of("eq106.sum"), {e_sum: e, max_sum: drift_max}, (e, drift_max), _ERROR),
    summed(relation_of("eq107.sum"), {drift_sum: drift, max_sum: drift_max}, (drift, drift_max), AMONG),
    _SUM_BY_LARGEST,
    triangle(drift_next, {drift: 1, turn: beta, gg: beta, e: beta}),
    SMOOTH_CLIENT,
    triangle(first, {gg: beta, first_gap: beta}),
    multiple(first, beta, gg),
    *(_ONE_STEP, _SHARP, _GROWN_PATH),
    follows(relation_of("lem13"), _SHARP, SMALL[0], given=(QUARTER, *STEPS)),
    follows(relation_of("eq129.drift"), _PREVIOUS, MOST, SMALL[1], given=(TWELFTH, *STEPS)),
    *SMALL,
)
"""Facts about the norms at each local step."""

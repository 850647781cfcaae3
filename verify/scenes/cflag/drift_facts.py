"""Facts about local steps along delayed gradients (C-FLAG, Lemmas 12 and 13), for any number of clients, samples and steps.

A client uses, for each sample, the gradient at one of its earlier models, whichever order the samples are drawn in. So the
distance of this model from the server's is at most the largest distance so far (`EARLIER`), by induction over the steps.
"""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import relations
from bounds.cflag import drift_lemmas as b
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
    le(b.turn, L * b.drift),
    {b.turn: "turn", b.drift: "drift", client_turn: "turn", client_way: "drift"},
    {"turn": "nonnegative", "drift": "nonnegative"},
    (TURNS_OF_CLIENTS, OF_CLIENTS),
)
_WALKED = norm_of_sum(sample_way, _late)
_OF_PATH = Sums(
    le(_late, b.path),
    {_late: "late", b.path: ["+", "late", "earlier"]},
    dict.fromkeys(("late", "earlier"), "nonnegative"),
)
LARGEST = definition(eq(b.drift_max, sp.Max(before(b.drift_max), b.drift)))
AMONG = follows(le(b.drift, b.drift_max), LARGEST)
_GROWING = follows(le(before(b.drift_max), b.drift_max), LARGEST)
EARLIER = over_summands(
    le(sample_way, b.drift_max),
    changing(sample_way, b.drift_max, free=(b.drift, _fresh, _kept)),
    definition(eq(sample_way, _kept * before(sample_way) + _fresh * b.drift)),
    definition(eq(_kept, 1 - _fresh)),
    AMONG,
    _GROWING,
    through=(
        le(before(sample_way), b.drift_max),
        le(_kept * before(sample_way), _kept * b.drift_max),
        le(_fresh * b.drift, _fresh * b.drift_max),
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
        le(changed, SUMMANDS / S * L * b.drift_max),
        S,
        changing(changed, free=(sample_turn, sample_way)),
        triangle(changed, {before(changed): 1, sample_turn: 1 / S}),
        smooth,
        EARLIER,
        through=(le(sample_turn, L * b.drift_max),),
    )


def _direction(smooth: AnyNumber) -> Follows:
    """The direction of a step is the global gradient and the mean change of the samples' gradients."""
    return follows(le(_step, gg + L * b.drift_max), triangle(_step, {gg: 1, changed: 1}), changed_by(smooth))


def _one_step(smooth: AnyNumber) -> Follows:
    return follows(
        relation_of("eq117/sharp"),
        triangle(b.drift_next, {b.drift: 1, _step: beta}),
        _direction(smooth),
        through=(le(beta * _step, beta * (gg + L * b.drift_max)),),
    )


def largest_drift(smooth: AnyNumber) -> Rounds:
    """The largest drift so far grows by a factor 1 + beta L in each step."""
    return over_summands(
        le(b.drift_max, _GROWN),
        {**changing(b.drift_max, b.drift), **GROWTH},
        renamed(_one_step(smooth), {b.drift_next: b.drift, **earlier(b.drift, b.drift_max)}),
        renamed(AMONG, earlier(b.drift, b.drift_max)),
        LARGEST,
        GROWS,
        through=(le(b.drift, _GROWN),),
    )


_FORCE, _ONE_STEP, MOST = (of(SMOOTH_SAMPLE) for of in (_direction, _one_step, largest_drift))

# ------------------------------------------------------------------------------------------------ errors at a step

_ERROR_OWN = counted(
    le(b.e, L * (b.away + SUMMANDS / S * b.drift)),
    S,
    changing(b.e, b.away, free=(sample_turn, sample_way, _far)),
    triangle(b.e, {before(b.e): 1, sample_turn: 1 / S}),
    SMOOTH_SAMPLE,
    triangle(sample_way, {_far: 1, b.drift: 1}),
    added(b.away, _far / S),
    through=(le(sample_turn, L * (_far + b.drift)),),
)
_AWAY = counted(
    le(b.away, SUMMANDS / S * b.drift_max),
    S,
    changing(b.away, free=(sample_way,)),
    added(b.away, sample_way / S),
    EARLIER,
)
_ERROR = follows(le(b.e, 2 * L * b.drift_max), _ERROR_OWN, _AWAY, AMONG)

# ------------------------------------------------------------------------------------------------------- all steps

_GROWN_PATH = over_summands(
    le(b.path, _GROWN),
    {**changing(b.path, free=(_step, b.drift_max)), **GROWTH},
    added(b.path, beta * _step),
    renamed(_FORCE, earlier(b.drift_max)),
    renamed(MOST, earlier(b.drift_max, growth)),
    GROWS,
    through=(le(_step, EARLIER_GROWTH * gg), le(beta * _step, beta * EARLIER_GROWTH * gg)),
)
# ------------------------------------------------------------------------------------------------------ the lemmas

_PREVIOUS = renamed(_GROWING, {before(b.drift_max): b.drift_before})
_IN_TURN = renamed(_GROWING, {before(b.drift_max): before(b.drift_before), b.drift_max: b.drift_before})
_SHARP = follows(relation_of("lem13/sharp"), MOST, AMONG)
_PATH_BY_LARGEST = over_summands(
    relation_of("eq101/sharp"),
    changing(b.path, k, b.drift_before, free=(_step,)),
    added(b.path, beta * _step),
    COUNTS,
    renamed(_FORCE, {b.drift_max: b.drift_before}),
    _IN_TURN,
    renamed(COUNTED_UP, earlier(k)),
    through=(
        le(beta * _step, beta * (gg + L * b.drift_before)),
        le(before(k) * before(b.drift_before), before(k) * b.drift_before),
    ),
)
_SUM_BY_LARGEST = over_summands(
    relation_of("eq109.sum"),
    changing(b.max_sum, k, b.drift_before),
    added(b.max_sum, b.drift_before),
    COUNTS,
    _IN_TURN,
    renamed(COUNTED_UP, earlier(k)),
    through=(le(before(k) * before(b.drift_before), before(k) * b.drift_before),),
)
_SPLIT = over_summands(
    relation_of("eq101.e"),
    changing(b.split, k, b.drift_sum, b.e_sum, free=(_step, b.turn, b.drift, b.e)),
    *(added(b.split, _step), added(b.drift_sum, b.drift), added(b.e_sum, b.e), COUNTS),
    *(triangle(_step, {gg: 1, b.turn: 1, b.e: 1}), SMOOTH_CLIENT),
)
_DIRECTION: Tree = ["+", ["-", "all", "own"], "delayed"]
_IN_PARTS: Tree = ["+", ["+", ["-", "all", "own"], "now"], ["-", "delayed", "now"]]
AT_STEPS = (
    norm_of_sum(b.e, b.turned),
    summed(
        relation_of("eq94.smooth"),
        {b.turned: sample_turn / S, b.stale: sample_way / S},
        (sample_turn, sample_way),
        SMOOTH_SAMPLE,
    ),
    summed(
        relation_of("eq96"), {b.stale: sample_way / S, b.stale_steps: _late / S}, (sample_way, _late), _WALKED
    ),
    counted(
        le(b.stale_steps, SUMMANDS / S * b.path),
        S,
        changing(b.stale_steps, free=(_late,)),
        added(b.stale_steps, _late / S),
        _OF_PATH,
    ),
    follows(
        relation_of("eq97/sharp"),
        counted(
            le(b.stale, SUMMANDS / S * b.path),
            S - 1,
            changing(b.stale, free=(_late, sample_way)),
            added(b.stale, sample_way / S),
            _WALKED,
            _OF_PATH,
        ),
    ),
    summed(
        relation_of("eq99"),
        {b.path: _length, b.force: _step},
        (_length, _step),
        multiple(_length, beta, _step),
    ),
    summed(
        relation_of("eq100"),
        {b.force: _length, b.split: _step},
        (_length, _step),
        equal_norms(_length, _step, _DIRECTION, _IN_PARTS),
    ),
    *(_SPLIT, _PATH_BY_LARGEST, _ERROR_OWN, _AWAY, AMONG),
    summed(relation_of("eq106.sum"), {b.e_sum: b.e, b.max_sum: b.drift_max}, (b.e, b.drift_max), _ERROR),
    summed(
        relation_of("eq107.sum"),
        {b.drift_sum: b.drift, b.max_sum: b.drift_max},
        (b.drift, b.drift_max),
        AMONG,
    ),
    _SUM_BY_LARGEST,
    triangle(b.drift_next, {b.drift: 1, b.turn: beta, gg: beta, b.e: beta}),
    SMOOTH_CLIENT,
    triangle(b.first, {gg: beta, b.first_gap: beta}),
    multiple(b.first, beta, gg),
    *(_ONE_STEP, _SHARP, _GROWN_PATH),
    follows(relation_of("lem13"), _SHARP, SMALL[0], given=(b.QUARTER, *b.STEPS)),
    follows(relation_of("eq129.drift"), _PREVIOUS, MOST, SMALL[1], given=(b.TWELFTH, *b.STEPS)),
    *SMALL,
)
"""Facts about the norms at each local step."""

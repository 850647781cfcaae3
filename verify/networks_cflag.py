"""C-FLAG, Section 7 and the additional experiments: sentences of the text about experiments, tested on the built-in digits.

`verify.scenes.networks.cflag` describes the setting, and the choices that were made before any sentence was judged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from bounds.cflag.empirical import BASELINES
from verify.commands.main import main
from verify.engine.checks.means import Above, Part, every
from verify.engine.model.claim import Claim
from verify.networks.contests import Found
from verify.networks.sentences import Law, Metric, Sweep, claim_of_law, variants
from verify.networks.setting import Setting
from verify.networks.trends import FALLS, RISES, Trend, last_above_first
from verify.scenes.metrics import acc, cflag_forget
from verify.scenes.networks.cflag import (
    BY_SIZE,
    CASES,
    CLASSES,
    CLASSES_IID,
    FIELD,
    IID,
    INCREMENTAL,
    NON_IID,
    OURS,
    OWN_STEPS,
    SHARES,
    TARGET,
    for_all_shares,
    harder,
    last_negative,
    more_evident,
    negative_forget,
    over_clients,
    over_memories,
    over_samples,
    own_step,
    relative,
    so_far,
    varies_more,
    within,
)

DISTILLED = ("icarl", "lwf")
"""Methods with unknown tasks that are above C-FLAG in Table 7 according to the text."""
FIGURE = (*DISTILLED, TARGET)
"""Methods that the text on Figure 6 names."""
OTHERS = tuple(name for name in INCREMENTAL if name not in DISTILLED)


def _readings(id: str, of: Callable[[Any], Law], what: Mapping[str, Any], base: Setting) -> tuple[Claim, ...]:
    return variants(f"cflag.emp.{id}", of, what, base)


def _claim(id: str, law: Law, base: Setting) -> Claim:
    return claim_of_law(f"cflag.emp.{id}", law, base)


def _step(id: str, law: Law, base: Setting) -> Claim:
    """The claim for the setting in which each method has its own step size."""
    return _claim(f"{id}/step", law, own_step(base))


def _cases(id: str, others: Sequence[str], score: Metric, base: Setting) -> tuple[Claim, ...]:
    return _readings(id, lambda ours: FIELD.above(ours, others, score), CASES, base)


def _against_baselines(id: str, score: Metric, base: Setting) -> tuple[Claim, ...]:
    """Claims that every case of C-FLAG is above all baselines together, and above each baseline."""
    each = {other: other for other in BASELINES}
    return (
        *_cases(id, tuple(BASELINES), score, base),
        *_readings(id, lambda other: FIELD.above(OURS, (other,), score), each, base),
    )


def _where_harder(id: str, score: Metric, base: Setting) -> tuple[Claim, ...]:
    """Claims that every case of C-FLAG is above all baselines together, in a harder setting."""
    cases = {f"few.{case}" if case else "few": ours for case, ours in CASES.items()}
    return _readings(id, lambda ours: FIELD.above(ours, tuple(BASELINES), score), cases, harder(base))


def _benchmarks(name: str, base: Setting) -> tuple[Claim, ...]:
    adaptive = {
        "": (OURS, negative_forget),
        "average": (CASES["average"], negative_forget),
        "acc": (OURS, acc),
        "acc.average": (CASES["average"], acc),
    }

    def above_fixed(rates: tuple[str, Metric]) -> Law:
        ours, score = rates
        return FIELD.above(ours, ("cflag",), score)

    return (
        *_against_baselines(f"best.{name}", acc, base),
        *_against_baselines(f"forget.{name}", negative_forget, base),
        *_where_harder(f"best.{name}", acc, base),
        *_where_harder(f"forget.{name}", negative_forget, base),
        *_readings(f"adaptive.{name}", above_fixed, adaptive, base),
        _step(f"best.{name}", OWN_STEPS.above(OURS, tuple(BASELINES), acc), base),
        _step(f"forget.{name}", OWN_STEPS.above(OURS, tuple(BASELINES), negative_forget), base),
        _step(f"adaptive.{name}", OWN_STEPS.above(OURS, ("cflag",), negative_forget), base),
    )


def _trends(
    id: str, sweep: Sweep, score: Metric, trends: Mapping[str, Trend], base: Setting
) -> tuple[Claim, ...]:
    return _readings(id, partial(FIELD.along, sweep, score), trends, base)


def both_above(found: Found) -> Part:
    """iCaRL and LwF are each above C-FLAG."""
    return every(*(Above(acc(found[name]) - acc(found[OURS]), name=name) for name in DISTILLED))


CLAIMS = (
    *(claim for name, base in SHARES.items() for claim in _benchmarks(name, base)),
    _claim("best.non-iid/size", FIELD.above(OURS, tuple(BASELINES), acc), BY_SIZE),
    _claim("forget.non-iid/size", FIELD.above(OURS, tuple(BASELINES), negative_forget), BY_SIZE),
    _claim("adaptive.non-iid/size", FIELD.above(OURS, ("cflag",), negative_forget), BY_SIZE),
    *_cases("each-task", tuple(BASELINES), so_far, IID),
    _step("each-task", OWN_STEPS.above(OURS, tuple(BASELINES), so_far), IID),
    *_readings("heterogeneity", for_all_shares, CASES, NON_IID),
    _step("heterogeneity", for_all_shares(OURS, OWN_STEPS), NON_IID),
    *_trends("memory.non-iid", over_memories, acc, RISES, NON_IID),
    *_trends("memory.iid", over_memories, acc, RISES, IID),
    *_trends("memory.forget", over_memories, cflag_forget, FALLS, NON_IID),
    _claim("memory.evident", more_evident, NON_IID),
    _claim("memory.transference", FIELD.along(over_memories, cflag_forget, last_negative), NON_IID),
    *_trends("sampling", over_samples, acc, FALLS, NON_IID),
    _claim("clients", FIELD.along(over_clients, acc, within(3.2)), IID),
    _claim("clients/non-iid", FIELD.along(over_clients, acc, within(5.9)), NON_IID),
    _claim("clients/not-lower", FIELD.along(over_clients, acc, last_above_first), IID),
    *_trends("clients.forget", over_clients, cflag_forget, FALLS, IID),
    *_trends("clients.forget.non-iid", over_clients, cflag_forget, FALLS, NON_IID),
    _claim("variation", varies_more(lambda terms: terms.std(axis=0)), IID),
    _claim("variation/range", varies_more(lambda terms: np.ptp(terms, axis=0)), IID),
    _claim("variation/relative", varies_more(relative), IID),
    *_cases("classes.non-iid", INCREMENTAL, acc, CLASSES),
    _step("classes.non-iid", OWN_STEPS.above(OURS, INCREMENTAL, acc), CLASSES),
    _claim("classes.non-iid/figure", FIELD.above(OURS, FIGURE, acc), CLASSES),
    _claim("classes.non-iid/figure.step", OWN_STEPS.above(OURS, FIGURE, acc), own_step(CLASSES)),
    *_cases("classes.iid", OTHERS, acc, CLASSES_IID),
    _step("classes.iid", OWN_STEPS.above(OURS, OTHERS, acc), CLASSES_IID),
    *_cases("classes.iid.forget", INCREMENTAL, negative_forget, CLASSES_IID),
    _step("classes.iid.forget", OWN_STEPS.above(OURS, INCREMENTAL, negative_forget), CLASSES_IID),
    _claim("classes.iid.above", FIELD.compared((OURS, *DISTILLED), both_above), CLASSES_IID),
    _step("classes.iid.above", OWN_STEPS.compared((OURS, *DISTILLED), both_above), CLASSES_IID),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="networks_cflag"))

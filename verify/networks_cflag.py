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
from verify.scenes.networks import cflag as scenes

DISTILLED = ("icarl", "lwf")
"""Methods with unknown tasks that are above C-FLAG in Table 7 according to the text."""
FIGURE = (*DISTILLED, scenes.TARGET)
"""Methods that the text on Figure 6 names."""
OTHERS = tuple(name for name in scenes.INCREMENTAL if name not in DISTILLED)


def _readings(id: str, of: Callable[[Any], Law], what: Mapping[str, Any], base: Setting) -> tuple[Claim, ...]:
    return variants(f"cflag.emp.{id}", of, what, base)


def _claim(id: str, law: Law, base: Setting) -> Claim:
    return claim_of_law(f"cflag.emp.{id}", law, base)


def _step(id: str, law: Law, base: Setting) -> Claim:
    """The claim for the setting in which each method has its own step size."""
    return _claim(f"{id}/step", law, scenes.own_step(base))


def _cases(id: str, others: Sequence[str], score: Metric, base: Setting) -> tuple[Claim, ...]:
    return _readings(id, lambda ours: scenes.FIELD.above(ours, others, score), scenes.CASES, base)


def _against_baselines(id: str, score: Metric, base: Setting) -> tuple[Claim, ...]:
    """Claims that every case of C-FLAG is above all baselines together, and above each baseline."""
    each = {other: other for other in BASELINES}
    return (
        *_cases(id, tuple(BASELINES), score, base),
        *_readings(id, lambda other: scenes.FIELD.above(scenes.OURS, (other,), score), each, base),
    )


def _where_harder(id: str, score: Metric, base: Setting) -> tuple[Claim, ...]:
    """Claims that every case of C-FLAG is above all baselines together, in a harder setting."""
    cases = {f"few.{case}" if case else "few": ours for case, ours in scenes.CASES.items()}
    return _readings(
        id, lambda ours: scenes.FIELD.above(ours, tuple(BASELINES), score), cases, scenes.harder(base)
    )


def _benchmarks(name: str, base: Setting) -> tuple[Claim, ...]:
    adaptive = {
        "": (scenes.OURS, scenes.negative_forget),
        "average": (scenes.CASES["average"], scenes.negative_forget),
        "acc": (scenes.OURS, acc),
        "acc.average": (scenes.CASES["average"], acc),
    }

    def above_fixed(rates: tuple[str, Metric]) -> Law:
        ours, score = rates
        return scenes.FIELD.above(ours, ("cflag",), score)

    return (
        *_against_baselines(f"best.{name}", acc, base),
        *_against_baselines(f"forget.{name}", scenes.negative_forget, base),
        *_where_harder(f"best.{name}", acc, base),
        *_where_harder(f"forget.{name}", scenes.negative_forget, base),
        *_readings(f"adaptive.{name}", above_fixed, adaptive, base),
        _step(f"best.{name}", scenes.OWN_STEPS.above(scenes.OURS, tuple(BASELINES), acc), base),
        _step(
            f"forget.{name}",
            scenes.OWN_STEPS.above(scenes.OURS, tuple(BASELINES), scenes.negative_forget),
            base,
        ),
        _step(
            f"adaptive.{name}", scenes.OWN_STEPS.above(scenes.OURS, ("cflag",), scenes.negative_forget), base
        ),
    )


def _trends(
    id: str, sweep: Sweep, score: Metric, trends: Mapping[str, Trend], base: Setting
) -> tuple[Claim, ...]:
    return _readings(id, partial(scenes.FIELD.along, sweep, score), trends, base)


def both_above(found: Found) -> Part:
    """iCaRL and LwF are each above C-FLAG."""
    return every(*(Above(acc(found[name]) - acc(found[scenes.OURS]), name=name) for name in DISTILLED))


CLAIMS = (
    *(claim for name, base in scenes.SHARES.items() for claim in _benchmarks(name, base)),
    _claim("best.non-iid/size", scenes.FIELD.above(scenes.OURS, tuple(BASELINES), acc), scenes.BY_SIZE),
    _claim(
        "forget.non-iid/size",
        scenes.FIELD.above(scenes.OURS, tuple(BASELINES), scenes.negative_forget),
        scenes.BY_SIZE,
    ),
    _claim(
        "adaptive.non-iid/size",
        scenes.FIELD.above(scenes.OURS, ("cflag",), scenes.negative_forget),
        scenes.BY_SIZE,
    ),
    *_cases("each-task", tuple(BASELINES), scenes.so_far, scenes.IID),
    _step("each-task", scenes.OWN_STEPS.above(scenes.OURS, tuple(BASELINES), scenes.so_far), scenes.IID),
    *_readings("heterogeneity", scenes.for_all_shares, scenes.CASES, scenes.NON_IID),
    _step("heterogeneity", scenes.for_all_shares(scenes.OURS, scenes.OWN_STEPS), scenes.NON_IID),
    *_trends("memory.non-iid", scenes.over_memories, acc, RISES, scenes.NON_IID),
    *_trends("memory.iid", scenes.over_memories, acc, RISES, scenes.IID),
    *_trends("memory.forget", scenes.over_memories, cflag_forget, FALLS, scenes.NON_IID),
    _claim("memory.evident", scenes.more_evident, scenes.NON_IID),
    _claim(
        "memory.transference",
        scenes.FIELD.along(scenes.over_memories, cflag_forget, scenes.last_negative),
        scenes.NON_IID,
    ),
    *_trends("sampling", scenes.over_samples, acc, FALLS, scenes.NON_IID),
    _claim("clients", scenes.FIELD.along(scenes.over_clients, acc, scenes.within(3.2)), scenes.IID),
    _claim(
        "clients/non-iid", scenes.FIELD.along(scenes.over_clients, acc, scenes.within(5.9)), scenes.NON_IID
    ),
    _claim("clients/not-lower", scenes.FIELD.along(scenes.over_clients, acc, last_above_first), scenes.IID),
    *_trends("clients.forget", scenes.over_clients, cflag_forget, FALLS, scenes.IID),
    *_trends("clients.forget.non-iid", scenes.over_clients, cflag_forget, FALLS, scenes.NON_IID),
    _claim("variation", scenes.varies_more(lambda terms: terms.std(axis=0)), scenes.IID),
    _claim("variation/range", scenes.varies_more(lambda terms: np.ptp(terms, axis=0)), scenes.IID),
    _claim("variation/relative", scenes.varies_more(scenes.relative), scenes.IID),
    *_cases("classes.non-iid", scenes.INCREMENTAL, acc, scenes.CLASSES),
    _step("classes.non-iid", scenes.OWN_STEPS.above(scenes.OURS, scenes.INCREMENTAL, acc), scenes.CLASSES),
    _claim("classes.non-iid/figure", scenes.FIELD.above(scenes.OURS, FIGURE, acc), scenes.CLASSES),
    _claim(
        "classes.non-iid/figure.step",
        scenes.OWN_STEPS.above(scenes.OURS, FIGURE, acc),
        scenes.own_step(scenes.CLASSES),
    ),
    *_cases("classes.iid", OTHERS, acc, scenes.CLASSES_IID),
    _step("classes.iid", scenes.OWN_STEPS.above(scenes.OURS, OTHERS, acc), scenes.CLASSES_IID),
    *_cases("classes.iid.forget", scenes.INCREMENTAL, scenes.negative_forget, scenes.CLASSES_IID),
    _step(
        "classes.iid.forget",
        scenes.OWN_STEPS.above(scenes.OURS, scenes.INCREMENTAL, scenes.negative_forget),
        scenes.CLASSES_IID,
    ),
    _claim(
        "classes.iid.above", scenes.FIELD.compared((scenes.OURS, *DISTILLED), both_above), scenes.CLASSES_IID
    ),
    _step(
        "classes.iid.above",
        scenes.OWN_STEPS.compared((scenes.OURS, *DISTILLED), both_above),
        scenes.CLASSES_IID,
    ),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="networks_cflag"))

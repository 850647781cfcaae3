"""FedMeS, Section 5: sentences of the text about experiments, tested on the built-in digits.

`verify.scenes.networks.fedmes` describes the setting, and the choices that were made before any sentence was judged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from bounds.fedmes.empirical import BASELINES, UNTOLD
from verify.commands.main import main
from verify.engine.checks.means import Above, comparable
from verify.engine.model.claim import Claim
from verify.networks.sentences import Law, Metric, claim_of_law, variants
from verify.networks.setting import Setting
from verify.networks.trends import FALLS, RISES, never_falls
from verify.scenes.metrics import (
    fedmes_acc_all_final,
    fedmes_acc_all_mean,
    fedmes_acc_client,
    fedmes_acc_task,
)
from verify.scenes.networks import fedmes as scenes


def _readings(id: str, of: Callable[[Any], Law], what: Mapping[str, Any]) -> tuple[Claim, ...]:
    return variants(f"fedmes.emp.{id}", of, what, scenes.DOMAINS)


def _claim(id: str, law: Law, base: Setting = scenes.DOMAINS) -> Claim:
    return claim_of_law(f"fedmes.emp.{id}", law, base)


_BY_SIZE = tuple(f"{name}/size" if name in UNTOLD else name for name in BASELINES)
"""The baselines, with means weighted by size where they have means."""


def _against_baselines(id: str, score: Metric) -> tuple[Claim, ...]:
    return (
        _claim(id, scenes.FIELD.above(scenes.OURS, tuple(BASELINES), score)),
        _claim(f"{id}/noLIP", scenes.FIELD.above(scenes.NO_LIP, tuple(BASELINES), score)),
        _claim(f"{id}/classes", scenes.FIELD.above(scenes.OURS, tuple(BASELINES), score), scenes.CLASSES),
        _claim(
            f"{id}/classes.noLIP", scenes.FIELD.above(scenes.NO_LIP, tuple(BASELINES), score), scenes.CLASSES
        ),
        _claim(f"{id}/known", scenes.FIELD.above(scenes.OURS, tuple(BASELINES), score), scenes.KNOWN),
        _claim(f"{id}/known.few", scenes.FIELD.above(scenes.OURS, tuple(BASELINES), score), scenes.KNOWN_FEW),
        _claim(f"{id}/known.noLIP", scenes.FIELD.above(scenes.NO_LIP, tuple(BASELINES), score), scenes.KNOWN),
        _claim(f"{id}/untold", scenes.FIELD.above(scenes.OURS, tuple(UNTOLD), score)),
        _claim(f"{id}/size", scenes.FIELD.above(f"{scenes.OURS}/size", _BY_SIZE, score)),
        _claim(f"{id}/fedavg.size", scenes.FIELD.above(scenes.OURS, ("fedavg/size",), score)),
        *_readings(
            id,
            lambda other: scenes.FIELD.above(scenes.OURS, (other,), score),
            {other: other for other in BASELINES},
        ),
    )


ALL, ALIKE = (partial(scenes.FIELD.above, scenes.OURS, tuple(others)) for others in (BASELINES, UNTOLD))

CLAIMS = (
    *_against_baselines("best", fedmes_acc_all_final),
    _claim("best/mean", ALL(fedmes_acc_all_mean)),
    _claim("best/untold.mean", ALIKE(fedmes_acc_all_mean)),
    *_against_baselines("forget", scenes.negative(scenes.forgetting)),
    _claim("forget/learnt", ALL(scenes.negative(scenes.forgetting_once_learnt))),
    _claim("every-task", ALL(fedmes_acc_task)),
    _claim("every-task/second", ALL(scenes.from_the_second)),
    _claim("every-task/noLIP", scenes.FIELD.above(scenes.NO_LIP, tuple(BASELINES), fedmes_acc_task)),
    _claim("every-client", ALL(fedmes_acc_client)),
    _claim("every-client/most", ALL(fedmes_acc_client, scenes.most)),
    _claim("every-client/untold.most", ALIKE(fedmes_acc_client, scenes.most)),
    _claim("range", ALL(scenes.negative(scenes.spread))),
    _claim("limitation", scenes.FIELD.compared((*UNTOLD, scenes.OURS), scenes.limited)),
    _claim("fedrep", scenes.FIELD.above("fedrep", ("fedavg", "ditto"), fedmes_acc_all_final)),
    _claim(
        "fedrep/classes",
        scenes.FIELD.above("fedrep", ("fedavg", "ditto"), fedmes_acc_all_final),
        scenes.CLASSES,
    ),
    *_readings("fedrep.decay", partial(scenes.with_tasks, "fedrep"), FALLS),
    _claim("neighbours", scenes.with_neighbours(scenes.gains(0))),
    _claim("neighbours/five", scenes.with_neighbours(scenes.gains(0.05))),
    _claim("neighbours/band", scenes.with_neighbours(scenes.gains(0.05, 0.1))),
    _claim(
        "neighbours/points",
        scenes.with_neighbours(lambda with_them, without: comparable(with_them - without - 0.075, 0.025)),
    ),
    _claim("neighbours/classes", scenes.with_neighbours(scenes.gains(0)), scenes.CLASSES),
    _claim("neighbours/small", scenes.with_neighbours(scenes.gains(0), scenes.SIZES[0])),
    _claim(
        "neighbours.forget",
        scenes.FIELD.above(scenes.OURS, (scenes.NO_LIP,), scenes.negative(scenes.forgetting)),
    ),
    *_readings("memory", scenes.along, RISES),
    _claim("memory/noLIP", scenes.along(never_falls, scenes.NO_LIP)),
    _claim("memory.saturates", scenes.along(scenes.saturates)),
    _claim("memory.saturates/point", scenes.along(lambda values: comparable(values[3] - values[2], 0.01))),
    _claim("uneven.range", scenes.beside_even(scenes.further_apart, scenes.apart)),
    _claim(
        "uneven.range/mean", scenes.beside_even(scenes.further_apart, lambda a: scenes.apart(a).mean(axis=-1))
    ),
    _claim("uneven.least", scenes.beside_even(scenes.nearer_to_least, fedmes_acc_all_final)),
    _claim("uneven.best", scenes.FIELD.above(scenes.UNEVEN, tuple(BASELINES), fedmes_acc_all_final)),
    _claim("memory.efficient", scenes.along(lambda values: Above(values[0] - 0.85 * values[2]))),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="networks_fedmes"))

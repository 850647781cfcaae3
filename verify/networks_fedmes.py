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
from verify.scenes.networks.fedmes import (
    CLASSES,
    DOMAINS,
    FIELD,
    KNOWN,
    KNOWN_FEW,
    NO_LIP,
    OURS,
    SIZES,
    UNEVEN,
    along,
    apart,
    beside_even,
    forgetting,
    forgetting_once_learnt,
    from_the_second,
    further_apart,
    gains,
    limited,
    most,
    nearer_to_least,
    negative,
    saturates,
    spread,
    with_neighbours,
    with_tasks,
)


def _readings(id: str, of: Callable[[Any], Law], what: Mapping[str, Any]) -> tuple[Claim, ...]:
    return variants(f"fedmes.emp.{id}", of, what, DOMAINS)


def _claim(id: str, law: Law, base: Setting = DOMAINS) -> Claim:
    return claim_of_law(f"fedmes.emp.{id}", law, base)


_BY_SIZE = tuple(f"{name}/size" if name in UNTOLD else name for name in BASELINES)
"""The baselines, with means weighted by size where they have means."""


def _against_baselines(id: str, score: Metric) -> tuple[Claim, ...]:
    return (
        _claim(id, FIELD.above(OURS, tuple(BASELINES), score)),
        _claim(f"{id}/noLIP", FIELD.above(NO_LIP, tuple(BASELINES), score)),
        _claim(f"{id}/classes", FIELD.above(OURS, tuple(BASELINES), score), CLASSES),
        _claim(f"{id}/classes.noLIP", FIELD.above(NO_LIP, tuple(BASELINES), score), CLASSES),
        _claim(f"{id}/known", FIELD.above(OURS, tuple(BASELINES), score), KNOWN),
        _claim(f"{id}/known.few", FIELD.above(OURS, tuple(BASELINES), score), KNOWN_FEW),
        _claim(f"{id}/known.noLIP", FIELD.above(NO_LIP, tuple(BASELINES), score), KNOWN),
        _claim(f"{id}/untold", FIELD.above(OURS, tuple(UNTOLD), score)),
        _claim(f"{id}/size", FIELD.above(f"{OURS}/size", _BY_SIZE, score)),
        _claim(f"{id}/fedavg.size", FIELD.above(OURS, ("fedavg/size",), score)),
        *_readings(
            id, lambda other: FIELD.above(OURS, (other,), score), {other: other for other in BASELINES}
        ),
    )


ALL, ALIKE = (partial(FIELD.above, OURS, tuple(others)) for others in (BASELINES, UNTOLD))

CLAIMS = (
    *_against_baselines("best", fedmes_acc_all_final),
    _claim("best/mean", ALL(fedmes_acc_all_mean)),
    _claim("best/untold.mean", ALIKE(fedmes_acc_all_mean)),
    *_against_baselines("forget", negative(forgetting)),
    _claim("forget/learnt", ALL(negative(forgetting_once_learnt))),
    _claim("every-task", ALL(fedmes_acc_task)),
    _claim("every-task/second", ALL(from_the_second)),
    _claim("every-task/noLIP", FIELD.above(NO_LIP, tuple(BASELINES), fedmes_acc_task)),
    _claim("every-client", ALL(fedmes_acc_client)),
    _claim("every-client/most", ALL(fedmes_acc_client, most)),
    _claim("every-client/untold.most", ALIKE(fedmes_acc_client, most)),
    _claim("range", ALL(negative(spread))),
    _claim("limitation", FIELD.compared((*UNTOLD, OURS), limited)),
    _claim("fedrep", FIELD.above("fedrep", ("fedavg", "ditto"), fedmes_acc_all_final)),
    _claim("fedrep/classes", FIELD.above("fedrep", ("fedavg", "ditto"), fedmes_acc_all_final), CLASSES),
    *_readings("fedrep.decay", partial(with_tasks, "fedrep"), FALLS),
    _claim("neighbours", with_neighbours(gains(0))),
    _claim("neighbours/five", with_neighbours(gains(0.05))),
    _claim("neighbours/band", with_neighbours(gains(0.05, 0.1))),
    _claim(
        "neighbours/points",
        with_neighbours(lambda with_them, without: comparable(with_them - without - 0.075, 0.025)),
    ),
    _claim("neighbours/classes", with_neighbours(gains(0)), CLASSES),
    _claim("neighbours/small", with_neighbours(gains(0), SIZES[0])),
    _claim("neighbours.forget", FIELD.above(OURS, (NO_LIP,), negative(forgetting))),
    *_readings("memory", along, RISES),
    _claim("memory/noLIP", along(never_falls, NO_LIP)),
    _claim("memory.saturates", along(saturates)),
    _claim("memory.saturates/point", along(lambda values: comparable(values[3] - values[2], 0.01))),
    _claim("uneven.range", beside_even(further_apart, apart)),
    _claim("uneven.range/mean", beside_even(further_apart, lambda a: apart(a).mean(axis=-1))),
    _claim("uneven.least", beside_even(nearer_to_least, fedmes_acc_all_final)),
    _claim("uneven.best", FIELD.above(UNEVEN, tuple(BASELINES), fedmes_acc_all_final)),
    _claim("memory.efficient", along(lambda values: Above(values[0] - 0.85 * values[2]))),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="networks_fedmes"))

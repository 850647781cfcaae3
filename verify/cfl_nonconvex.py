"""CFL: the proof for losses that need not be convex (Appendix B.5), line by line, and the conclusions of the text.

One round starts from a given model, so the drifts of its clients are independent of that model, as Assumption 3 requires
with its expectations conditional on omega. Losses have one dimension and a curvature of either sign. All outcomes of drifts
and noise are enumerated.
"""

from __future__ import annotations

from typing import Any

from bounds.catalogue import statement
from bounds.cfl.nonconvex import loss_now
from verify.commands.main import main
from verify.engine.checks.order import order
from verify.engine.checks.relation import agreement, bound, entailment, identity, inequality
from verify.engine.model.claim import Claim
from verify.engine.model.scene import Scene
from verify.facts import descent
from verify.scenes.cfl import round_sums as scenes
from verify.scenes.cfl.descent_ways import SHORT_WAYS, SMOOTH_WAYS, WEIGHED_WAYS
from verify.scenes.cfl.nonconvex import ROUND
from verify.scenes.cfl.nonconvex_pushed import PUSHED
from verify.scenes.cfl.smooth_facts import LESS, SHORTENED
from verify.scenes.cfl.weight_terms import TERMS


def _round(id: str, check: Any = inequality, scene: Scene = ROUND, **given: Any) -> Claim:
    """A line of the proof. Only differences of the loss matter, so it is measured relative to its value before the round."""
    judged = statement(f"cfl.{id}")
    baseline = loss_now if loss_now in judged.compared.free_symbols else None
    return Claim(judged, (check,), scene, baseline=baseline, **given)


def _text(id: str, check: Any, scene: Scene | None = None) -> Claim:
    return Claim(statement(f"cfl.nc.{id}"), (check,), scene)


_SMOOTH = ROUND.of_class("smooth losses", descent(statement("cfl.eq25").relation))

CLAIMS = (
    _round("eq25", scene=_SMOOTH),
    _round("eq26.first", identity),
    _round("eq26.first/before", identity),
    *(_round(id) for id in ("eq26", "eq26/before", "eq27", "eq27/before", "eq27/doubled", "eq27.drop.rest")),
    Claim(statement("cfl.eq27.drop"), (entailment,)),
    *(_round(f"eq28{part}") for part in (".split", ".third", ".third/twice", ".last", "")),
    _round("eq28/twice", premises=(scenes.APART, scenes.APART_AT_START, scenes.GROWN_EACH)),
    *(_round(id) for id in ("eq29", "eq29/before", "eq30", "eq30.iter", "eq31")),
    _round("eq29.combined", scene=PUSHED),
    _round(
        "eq31/smooth",
        premises=(scenes.WEIGHED, scenes.LIGHTER, scenes.STARTED, scenes.PAST, scenes.WALKED),
        through=WEIGHED_WAYS,
    ),
    *(Claim(statement(f"cfl.eq31.numbers{part}"), (entailment,)) for part in ("", "/smooth")),
    _round("eq32", bound),
    _round(
        "eq32/smooth",
        bound,
        scene=_SMOOTH,
        premises=(SHORTENED, scenes.STARTED, scenes.GROWN, LESS, scenes.PAST, scenes.SIZED),
        through=SMOOTH_WAYS,
    ),
    _round(
        "eq32/short",
        bound,
        scene=_SMOOTH,
        premises=(
            scenes.DOWNHILL,
            scenes.MOVED_AWAY,
            scenes.WEIGHED,
            scenes.LIGHTER,
            scenes.STARTED,
            scenes.GROWN,
            scenes.PAST,
            scenes.WALKED,
            scenes.SIZED,
        ),
        through=SHORT_WAYS,
    ),
    _round("eq32/convergent", bound, PUSHED),
    *(_round(f"{id}/any-curvature") for id in ("eq14", "eq14.noise", "eq17")),
    _text("weights", entailment),
    _text("weights.constant", inequality, TERMS),
    _text("descent", agreement),
    _text("sum", agreement),
    _text("sum.sign", entailment),
    _text("rate", order),
    _text("rate.noise", order),
    _text("c0", agreement),
    _text("c0.fedavg", entailment),
    _text("c0.convergent", entailment),
    _text("c0.never", inequality),
    _text("observations", inequality),
    _text("observations/large-B", inequality),
    _text("observations.variance", agreement),
    _text("observations.later", inequality),
    _text("observations.later.c0", inequality),
    _text("observations.optimal", inequality, TERMS),
    _text("observations.clients", inequality),
    _text("observations.steps", inequality),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_nonconvex"))

"""SPECIAL: backward knowledge transfer (Theorem 4.7, Corollary D.2), trivial bounds, and sentences of the text."""

from __future__ import annotations

from bounds.catalogue import statement
from bounds.relations import le
from bounds.special.bkt import FREE, FREE_ALIGNED
from bounds.special.bkt_limits import GAINED
from bounds.special.bkt_sums import CORRECTED
from bounds.special.bkt_text import each_0
from bounds.special.experiments import at_last_task
from bounds.special.symbols import F_0, L, L_sup
from verify.commands.main import main
from verify.engine.checks.applicability import applicability
from verify.engine.checks.relation import agreement, bound, entailment, identity, inequality
from verify.engine.checks.vacuity import free_lunch, needed, placebos
from verify.engine.model.claim import Claim, claims_about, for_each
from verify.engine.model.scene import Condition
from verify.facts import descent
from verify.scenes.special import bkt_facts as scenes
from verify.scenes.special.bkt import PLACEBOS, TRAINING
from verify.scenes.special.earlier import EARLIER

_claim = claims_about("special", bound)
_alike = for_each(_claim)
_free = free_lunch(FREE, TRAINING)
_says = (_free, free_lunch(FREE_ALIGNED, TRAINING), placebos(PLACEBOS), needed)
_descent = descent(statement("special.thm4.7/free.smooth").compared, le(L_sup, L))


def _away(variant: str, *facts: Condition) -> tuple[Claim, ...]:
    """Steps of a proof that bounds the squared distance moved by facts."""
    way, limit, cancelled, bent, weighed = (
        f"thm4.7/{variant}.{word}" for word in ["way", "limit", "cancelled", "bent", "weighed"]
    )
    return (
        _claim(way, TRAINING, bound, *facts),
        _claim(limit, TRAINING, bound, scenes.SUMMED),
        _claim(cancelled, TRAINING, bound, limit),
        _claim(bent, TRAINING, bound, way, cancelled, GAINED),
        _claim(weighed, TRAINING, bound, *("thm4.7/free.smooth", "thm4.7/repaired.gain", bent), baseline=F_0),
    )


CLAIMS = (
    _claim(
        "thm4.7",
        TRAINING,
        bound,
        *("eq30/corrected", "a3/corrected", "eq35/corrected"),
        beside=_says,
        baseline=F_0,
    ),
    _claim(
        "thm4.7/free", TRAINING, bound, *("thm4.7/free.smooth", "thm4.7/free.move", "lem4.9"), baseline=F_0
    ),
    _claim("thm4.7/free.smooth", TRAINING.of_class("smooth losses", _descent), bound, baseline=F_0),
    _claim("thm4.7/free.move", TRAINING, bound, scenes.ALONG, "lem4.9"),
    _claim("thm4.7/aligned.move", TRAINING, bound, scenes.MOVED, scenes.aligned(CORRECTED)),
    _claim(
        "thm4.7/aligned-drift",
        TRAINING,
        bound,
        *("thm4.7/free.smooth", "thm4.7/aligned.move", "lem4.9"),
        baseline=F_0,
    ),
    _claim("thm4.7/repaired.gain", TRAINING, bound, scenes.MOVED, scenes.aligned(CORRECTED), GAINED),
    *_away("repaired", scenes.STRAYED, scenes.SPREAD),
    *_away("clients", scenes.STRAYED, scenes.PARTED, scenes.PUSHED, scenes.DIFFUSED),
    _claim(
        "thm4.7/repaired",
        TRAINING,
        bound,
        *("thm4.7/repaired.weighed", scenes.SUMMED),
        beside=(_free, placebos(PLACEBOS), needed),
        baseline=F_0,
    ),
    _claim(
        "thm4.7/clients",
        TRAINING,
        bound,
        *("thm4.7/clients.weighed", "eq33"),
        beside=(_free, placebos(PLACEBOS), needed),
        baseline=F_0,
    ),
    _claim("corD.2", TRAINING, bound, "thm4.7", beside=_says, baseline=F_0),
    *_alike("corD.2.agreement corD.2.steps", None, agreement),
    *_alike("rem4.8.rounds rem4.8.rounds/fixed-steps rem4.8.epochs", None, inequality),
    *_alike("rem4.8.epochs/fixed-steps rem4.8.participation", None, inequality),
    *_alike("rem4.8.alignment rem4.8.alignment/slope", None, inequality),
    _claim("rem4.8.each-task", EARLIER, baseline=each_0),
    _claim("rem4.8.preserves", TRAINING, baseline=each_0),
    _claim("rem4.8.preserves/sum", TRAINING, baseline=F_0),
    _claim("rem4.8.variance", TRAINING, bound, "thm4.7", baseline=F_0),
    *_alike("thm4.7.variance thm4.7.gradient", None, identity),
    _claim("thm4.7.lambda", None, inequality),
    _claim("thm4.7.all-rounds", None, entailment),
    _claim("thm4.7.applicability", None, applicability(at_last_task())),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_bkt"))

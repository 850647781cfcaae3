"""SPECIAL: the drift of the global model within a task (Lemma 4.9, Eq. 25-27)."""

from __future__ import annotations

from bounds.special.drift import FREE
from verify.commands.main import main
from verify.engine.checks.relation import bound, entailment, identity
from verify.engine.checks.vacuity import free_lunch, needed, no_placebo
from verify.engine.model.claim import claims_about, for_each
from verify.scenes.special.adamw import ADAMW
from verify.scenes.special.drift import DRIFT, SERVER, UNPULLED
from verify.scenes.special.drift_facts import JENSEN

STEPS_ALONE = no_placebo("how far a model moves is bounded by the lengths of its steps, wherever they lead")

_claim = claims_about("special", bound)
_alike = for_each(_claim)
CLAIMS = (
    *_alike("lem4.9 lem4.9/finite", DRIFT, beside=(free_lunch(FREE, DRIFT), STEPS_ALONE, needed)),
    _claim("lem4.9.free", UNPULLED),
    *_alike("eq25 eq26 eq27 eq27/corrected", SERVER, identity),
    *_alike("eq37 eq37/corrected", DRIFT),
    _claim("b1", DRIFT, bound, "lem4.9", JENSEN.relation),
    _claim("eq38", None, entailment),
    _claim("eq38/every-path", DRIFT),
    _claim("lem4.9/adamw", ADAMW),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_drift"))

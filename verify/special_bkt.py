"""SPECIAL: backward knowledge transfer (Theorem 4.7, Corollary D.2), bounds that need no theorem, and the text."""

from __future__ import annotations

import sympy as sp

from bounds.special.bkt import FREE, FREE_ALIGNED
from bounds.special.bkt_sums import move
from bounds.special.bkt_text import each_0
from bounds.special.experiments import at_last_task
from bounds.special.symbols import F_0, G0, drift1
from verify.commands.main import main
from verify.engine.checks.applicability import applicability
from verify.engine.checks.relation import agreement, bound, entailment, identity, inequality
from verify.engine.checks.vacuity import free_lunch, placebos
from verify.engine.claim import claims_about, for_each
from verify.scenes.special.bkt import PLACEBOS, TRAINING

_claim = claims_about("special", bound)
_alike = for_each(_claim)
CLAIMS = (
    _claim(
        "thm4.7",
        TRAINING,
        bound,
        *("eq30/corrected", "a3/corrected", "eq35/corrected"),
        beside=(free_lunch(FREE, TRAINING), free_lunch(FREE_ALIGNED, TRAINING), placebos(PLACEBOS)),
        baseline=F_0,
    ),
    _claim(
        "thm4.7/free",
        TRAINING,
        bound,
        *("eq28.smooth", "b1", "lem4.9"),
        sp.Le(move, G0 * drift1),
        baseline=F_0,
    ),
    _claim("thm4.7/aligned-drift", TRAINING, bound, "eq28.smooth", "lem4.9", sp.Le(move, 0), baseline=F_0),
    *_alike("thm4.7/repaired thm4.7/clients", TRAINING, beside=(placebos(PLACEBOS),), baseline=F_0),
    _claim("corD.2", TRAINING, bound, "thm4.7", baseline=F_0),
    *_alike("corD.2.agreement corD.2.steps", None, agreement),
    *_alike("rem4.8.rounds rem4.8.rounds/fixed-steps rem4.8.epochs", None, inequality),
    *_alike("rem4.8.epochs/fixed-steps rem4.8.participation", None, inequality),
    *_alike("rem4.8.alignment rem4.8.alignment/slope", None, inequality),
    *_alike("rem4.8.each-task rem4.8.preserves", TRAINING, baseline=each_0),
    _claim("rem4.8.preserves/sum", TRAINING, baseline=F_0),
    _claim("rem4.8.variance", TRAINING, bound, "thm4.7", baseline=F_0),
    *_alike("thm4.7.variance thm4.7.gradient", None, identity),
    _claim("thm4.7.lambda", None, inequality),
    _claim("thm4.7.all-rounds", None, entailment),
    _claim("thm4.7.applicability", None, applicability(at_last_task())),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_bkt"))

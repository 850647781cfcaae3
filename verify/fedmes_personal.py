"""FedMeS: rounds without conflict, and the distance of personal models to the optimum of (2) (Theorem 2)."""

from __future__ import annotations

import bounds.fedmes.personal as b
import verify.scenes.fedmes.personal_facts as f
from bounds.catalogue import statement
from bounds.relations import le
from verify.commands.main import main
from verify.engine.certificates.question import Induction
from verify.engine.checks.relation import agreement, bound, identity, inequality
from verify.engine.checks.vacuity import free_lunch, needed, placebos
from verify.engine.model.claim import claims_about, for_each
from verify.scenes.fedmes import personal as scenes
from verify.scenes.fedmes.noisy import NOISY_ROUND, PARTED, SPREADS
from verify.scenes.fedmes.placebos import OF_DITTO, OF_FEDMES, OF_NOISY

_claim = claims_about("fedmes", identity)
_claims = for_each(_claim)

ROUNDS = Induction(
    "r",
    later={b.error_before: b.error, b.off: b.off_next},
    first={b.error_before: b.error_start, b.off: b.off_start},
)
"""Induction over rounds for models that continue from round to round: the name of each quantity one round later."""

_WITHOUT = ("thm2.local", "thm2.centre", "thm2.between", "thm2.triangle", "thm2/corrected")
WAY = (
    *(statement(f"fedmes.{id}").compared for id in _WITHOUT),
    le(b.error2, (b.left * b.from_centre + b.DRAWN) ** 2),
)
"""Steps of the proof of Theorem 2 without noise."""

CLAIMS = (
    *_claims("thm2 thm2/short-steps", scenes.SEVERAL_FEDMES, bound),
    _claim("thm2/persistent", scenes.SEVERAL_DITTO, bound),
    _claim(
        "thm2/corrected",
        scenes.FEDMES_ROUND,
        bound,
        *("thm2.triangle", "thm2.local", "thm2.centre"),
        beside=(free_lunch(statement("fedmes.thm2.free"), scenes.FEDMES_ROUND), placebos(OF_FEDMES), needed),
    ),
    _claim(
        "thm2/noisy",
        NOISY_ROUND,
        bound,
        *(PARTED, SPREADS, f.LOCAL, f.CENTRE, f.BY_CENTRE, f.CROSSED),
        *f.squares(b.error, b.end_from_centre, b.from_centre, b.centre_moved, b.off),
        through=WAY,
        beside=(free_lunch(statement("fedmes.thm2.free/squared"), NOISY_ROUND), placebos(OF_NOISY), needed),
    ),
    _claim(
        "thm2/persistent-invariant",
        scenes.DITTO_ROUND,
        bound,
        "thm2/persistent-corrected",
        b.PACED,
        induction=ROUNDS,
    ),
    _claim(
        "thm2/repaired",
        scenes.DITTO_ROUND,
        bound,
        "thm2/persistent-invariant",
        "thm2/persistent-corrected",
        b.PACED,
        *f.squares(b.error),
        f.NEXT,
        beside=(
            free_lunch(statement("fedmes.thm2.free.persistent"), scenes.DITTO_ROUND),
            placebos(OF_DITTO),
            needed,
        ),
    ),
    _claim("thm2/persistent-step", scenes.DITTO_ROUND, bound, "thm2/persistent-corrected", b.PACED),
    _claim(
        "thm2/persistent-corrected",
        scenes.DITTO_ROUND,
        bound,
        "thm2.persistent.triangle",
        "thm2.persistent.own",
        "thm2.persistent.drawn",
    ),
    _claim("thm2.floor", scenes.FEDMES_ROUND, bound, f.FLOOR, *f.squares(b.end_from_centre, b.from_centre)),
    *_claims("thm2.left thm2.least-left", scenes.FEDMES_ROUND),
    _claim("thm2.local", scenes.FEDMES_ROUND, bound, f.LOCAL, *f.squares(b.end_from_centre, b.from_centre)),
    _claim("thm2.centre", scenes.FEDMES_ROUND, bound, f.CENTRE, *f.squares(b.centre_moved, b.off)),
    _claim(
        "thm2.between",
        scenes.FEDMES_ROUND,
        inequality,
        f.CROSSED,
        *f.squares(b.end_from_centre, b.centre_moved),
    ),
    _claim(
        "thm2.triangle",
        scenes.FEDMES_ROUND,
        inequality,
        f.BY_CENTRE,
        "thm2.between",
        *f.squares(b.error, b.end_from_centre, b.centre_moved),
    ),
    _claim("thm2.persistent.own", scenes.DITTO_ROUND, bound, f.OWN, *f.squares(b.own_left, b.error_before)),
    _claim(
        "thm2.persistent.drawn", scenes.DITTO_ROUND, bound, f.DRAWN, f.NOT_ALL, *f.squares(b.drawn, b.off)
    ),
    _claim(
        "thm2.persistent.together",
        scenes.DITTO_ROUND,
        inequality,
        f.OWN_CROSSED,
        *f.squares(b.own_left, b.drawn),
    ),
    _claim(
        "thm2.persistent.triangle",
        scenes.DITTO_ROUND,
        inequality,
        f.BY_OWN,
        "thm2.persistent.together",
        *f.squares(b.error, b.own_left, b.drawn),
    ),
    _claim("ass1.global", scenes.AT_OPTIMUM, bound),
    _claim("eq1", scenes.REMEMBERING),
    _claim("eq1/first", scenes.ROUND),
    _claim("eq1/agreeing", scenes.REMEMBERING),
    _claim("alg1", scenes.ROUND),
    _claim("alg1.one-step", scenes.EACH_REMEMBERING),
    _claim("alg1.one-step/first", scenes.EACH),
    _claim("thm2.citation", scenes.EACH, agreement),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="fedmes_personal"))

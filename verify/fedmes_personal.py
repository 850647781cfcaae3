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
from verify.engine.model.claim import claims_about
from verify.scenes.fedmes.noisy import NOISY_ROUND, PARTED, SPREADS
from verify.scenes.fedmes.personal import (
    AT_OPTIMUM,
    DITTO_ROUND,
    EACH,
    EACH_REMEMBERING,
    FEDMES_ROUND,
    REMEMBERING,
    ROUND,
    SEVERAL_DITTO,
    SEVERAL_FEDMES,
)
from verify.scenes.fedmes.placebos import OF_DITTO, OF_FEDMES, OF_NOISY

_claim = claims_about("fedmes", identity)

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
    _claim("thm2", SEVERAL_FEDMES, bound),
    _claim("thm2/short-steps", SEVERAL_FEDMES, bound),
    _claim("thm2/persistent", SEVERAL_DITTO, bound),
    _claim(
        "thm2/corrected",
        FEDMES_ROUND,
        bound,
        *("thm2.triangle", "thm2.local", "thm2.centre"),
        beside=(free_lunch(statement("fedmes.thm2.free"), FEDMES_ROUND), placebos(OF_FEDMES), needed),
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
        DITTO_ROUND,
        bound,
        "thm2/persistent-corrected",
        b.PACED,
        induction=ROUNDS,
    ),
    _claim(
        "thm2/repaired",
        DITTO_ROUND,
        bound,
        "thm2/persistent-invariant",
        "thm2/persistent-corrected",
        b.PACED,
        *f.squares(b.error),
        f.NEXT,
        beside=(
            free_lunch(statement("fedmes.thm2.free.persistent"), DITTO_ROUND),
            placebos(OF_DITTO),
            needed,
        ),
    ),
    _claim("thm2/persistent-step", DITTO_ROUND, bound, "thm2/persistent-corrected", b.PACED),
    _claim(
        "thm2/persistent-corrected",
        DITTO_ROUND,
        bound,
        "thm2.persistent.triangle",
        "thm2.persistent.own",
        "thm2.persistent.drawn",
    ),
    _claim("thm2.floor", FEDMES_ROUND, bound, f.FLOOR, *f.squares(b.end_from_centre, b.from_centre)),
    _claim("thm2.left", FEDMES_ROUND),
    _claim("thm2.least-left", FEDMES_ROUND),
    _claim("thm2.local", FEDMES_ROUND, bound, f.LOCAL, *f.squares(b.end_from_centre, b.from_centre)),
    _claim("thm2.centre", FEDMES_ROUND, bound, f.CENTRE, *f.squares(b.centre_moved, b.off)),
    _claim(
        "thm2.between", FEDMES_ROUND, inequality, f.CROSSED, *f.squares(b.end_from_centre, b.centre_moved)
    ),
    _claim(
        "thm2.triangle",
        FEDMES_ROUND,
        inequality,
        f.BY_CENTRE,
        "thm2.between",
        *f.squares(b.error, b.end_from_centre, b.centre_moved),
    ),
    _claim("thm2.persistent.own", DITTO_ROUND, bound, f.OWN, *f.squares(b.own_left, b.error_before)),
    _claim("thm2.persistent.drawn", DITTO_ROUND, bound, f.DRAWN, f.NOT_ALL, *f.squares(b.drawn, b.off)),
    _claim(
        "thm2.persistent.together", DITTO_ROUND, inequality, f.OWN_CROSSED, *f.squares(b.own_left, b.drawn)
    ),
    _claim(
        "thm2.persistent.triangle",
        DITTO_ROUND,
        inequality,
        f.BY_OWN,
        "thm2.persistent.together",
        *f.squares(b.error, b.own_left, b.drawn),
    ),
    _claim("ass1.global", AT_OPTIMUM, bound),
    _claim("eq1", REMEMBERING),
    _claim("eq1/first", ROUND),
    _claim("eq1/agreeing", REMEMBERING),
    _claim("alg1", ROUND),
    _claim("alg1.one-step", EACH_REMEMBERING),
    _claim("alg1.one-step/first", EACH),
    _claim("thm2.citation", EACH, agreement),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="fedmes_personal"))

"""SPECIAL: what is true in place of Theorem 4.10, within a task and over the tasks."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.relation import bound, identity, inequality
from verify.engine.checks.vacuity import placebos
from verify.engine.claim import claims_about
from verify.scenes.special.surrogate import (
    MISSED,
    QUADRATICS,
    SERVER,
    TASKS,
    TASKS_PLACEBOS,
    WELLS,
    WITHIN,
    placebos_of,
    quadratics,
)

_claim = claims_about("special", bound)
CLAIMS = (
    _claim("thm4.10/surrogate.step", SERVER, identity),
    _claim("thm4.10/surrogate.carried", None, inequality),
    _claim("thm4.10/surrogate.round", WITHIN),
    _claim("thm4.10/surrogate", WITHIN, beside=(placebos(placebos_of(WITHIN)),)),
    _claim("thm4.10/surrogate.smooth", WELLS, beside=(placebos(placebos_of(WELLS)),)),
    _claim("thm4.10/surrogate.strong", QUADRATICS, beside=(placebos(placebos_of(QUADRATICS, quadratics)),)),
    _claim("tasks.regret", TASKS, beside=(placebos(TASKS_PLACEBOS),)),
    _claim("tasks.regret/inexact", MISSED),
    _claim("tasks.stride", TASKS),
    _claim("tasks.forgetting", TASKS),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_surrogate"))

"""SPECIAL: task-uniform convergence (Theorem 4.10), Corollaries 4.12 and D.3, and trivial bounds."""

from __future__ import annotations

from bounds.catalogue import statement
from bounds.relations import ge
from bounds.special.experiments import at_last_task
from bounds.special.symbols import T, f0, fstar
from verify.commands.main import main
from verify.engine.checks.applicability import applicability
from verify.engine.checks.order import order, outgrown
from verify.engine.checks.relation import agreement, bound, entailment, inequality
from verify.engine.checks.vacuity import Check, free_lunch, needed, no_placebo, placebos
from verify.engine.model.claim import claims_about, for_each
from verify.facts.several import least_value
from verify.scenes.special import rate_run_facts as scenes
from verify.scenes.special.rate import BOUNDED, MANY_ROUNDS, PLACEBOS, TASK, UNPULLED, USUAL
from verify.scenes.special.rate_needed import LONG

_claim = claims_about("special", bound)
_start, _drift = (free_lunch(statement(f"special.thm4.10/free.{word}")) for word in ("start", "drift"))
_each = free_lunch(statement("special.thm4.10/free.each"))
FROM_BELOW = no_placebo("it says between which lengths the gradient stays, wherever short steps lead")
STEPS_ALONE = no_placebo(
    "how far a gradient moves is bounded by the lengths of the steps, wherever they lead"
)
_lead = ge(f0, fstar)
LEAST_KNOWN = BOUNDED.of_class("losses with a least value", least_value(f0, fstar))


def _free(id: str) -> Check:
    """The check for vacuity against the trivial bound on the gradient of all tasks, in the worlds of one task."""
    return free_lunch(statement(f"special.{id}"), TASK)


CLAIMS = (
    _claim(
        "thm4.10",
        LEAST_KNOWN,
        bound,
        "thm4.10/free.drift",
        _lead,
        beside=(_drift, placebos(PLACEBOS), needed),
    ),
    _claim("thm4.10/from0", LEAST_KNOWN, bound, "thm4.10/free.start", _lead, beside=(_start,)),
    _claim("thm4.10/corrected", LEAST_KNOWN, bound, "thm4.10/free.drift", _lead, beside=(_drift,)),
    _claim("thm4.10/free.start", TASK, bound, scenes.LEAST_0, scenes.STARTED),
    _claim("thm4.10/free.far", TASK, bound, scenes.LARGEST2, *scenes.LARGEST),
    _claim(
        "thm4.10/free.reach",
        TASK,
        bound,
        scenes.LEAST,
        scenes.REACHED,
        scenes.FAR2,
        scenes.RHO,
        through=scenes.WITHIN_REACH,
    ),
    _claim("thm4.10/free.drift", TASK, bound, "thm4.10/free.reach", scenes.BY_REACH),
    _claim("thm4.10/free.B", TASK, bound, scenes.LEAST, scenes.BOUNDED_TOGETHER),
    *for_each(_claim)("thm4.10.applicability thm4.10.applicability/c12", None, applicability(at_last_task())),
    _claim("thm4.10/without.K_B", LONG),
    _claim("thm4.10/flat", TASK, bound, "thm4.10/free.reach"),
    _claim(
        "thm4.10.every-task",
        LEAST_KNOWN,
        bound,
        *("thm4.10/free.each", _lead),
        beside=(_each, placebos(PLACEBOS)),
    ),
    _claim("thm4.10/free.each", TASK, bound, scenes.LEAST_EACH, scenes.EACH),
    _claim("thm4.10.every-task.at-once", BOUNDED),
    _claim("corD.3", LEAST_KNOWN, bound, "thm4.10/free.drift", _lead, beside=(_drift,)),
    _claim("corD.3.agreement", None, agreement),
    _claim("cor4.12", None, order, beside=(outgrown(statement("special.cor4.12/floor"), 2, T),)),
    _claim("lem4.9/path", TASK, bound, scenes.NEAR2, scenes.SQUARE),
    _claim(
        "cor4.12/floor",
        TASK,
        bound,
        scenes.LOWER,
        "lem4.9/path",
        beside=(_free("cor4.12/free.length"), FROM_BELOW, needed),
    ),
    _claim("cor4.12/free.length", TASK),
    _claim("cor4.12/free.B", TASK, bound, *scenes.LONGEST),
    _claim("cor4.12/free.path", UNPULLED, bound, scenes.AWAY2, scenes.SQUARE),
    *for_each(_claim)("cor4.12.conditions cor4.12.conditions.gamma_G", MANY_ROUNDS, entailment),
    *for_each(_claim)("cor4.12.conditions.gamma_L cor4.12.conditions.product", USUAL, entailment),
    _claim("cor4.12.conditions.gamma_G/where", MANY_ROUNDS, inequality),
    _claim(
        *("cor4.12.conditions/where", MANY_ROUNDS, inequality),
        *(f"cor4.12.conditions.{word}/where" for word in ("gamma_G", "gamma_L", "product")),
    ),
    *for_each(_claim)("cor4.12.conditions.gamma_L/where cor4.12.conditions.product/where", USUAL, inequality),
    _claim(
        *(
            "cor4.12/sandwich",
            TASK,
            bound,
            scenes.LOWER,
            scenes.UPPER,
            "cor4.12/sandwich.path",
            scenes.WEIGHED,
        ),
        beside=(_free("cor4.12/free.B"), FROM_BELOW, needed),
    ),
    _claim(
        *("cor4.12/sandwich.path", TASK, bound, scenes.NEAR_FINITE2, scenes.WEIGHED, scenes.SQUARE),
        beside=(_free("cor4.12/free.path"), STEPS_ALONE, needed),
    ),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_rate"))

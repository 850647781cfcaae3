"""C-FLAG: bounds on the forgetting term in a round and over a run (Eq. 86 to 90, Lemmas 4 and 18)."""

from __future__ import annotations

from bounds.catalogue import statement
from bounds.cflag import growth as b
from bounds.cflag.joint import EXPERIMENTS
from bounds.cflag.symbols import T
from bounds.relations import eq
from verify.commands.main import main
from verify.engine.checks.applicability import applicability
from verify.engine.checks.order import order, outgrown
from verify.engine.checks.relation import agreement, bound, entailment, identity, inequality
from verify.engine.checks.vacuity import free_lunch, needed, placebos
from verify.engine.model.claim import claims_about, for_each
from verify.scenes.cflag import growth as scenes
from verify.scenes.cflag.drift_tight import ALONG, LENGTH
from verify.scenes.cflag.forgetting import LINES, YOUNG
from verify.scenes.cflag.memory_facts import AGAINST, MEMORY, PARTED, SQUARES, TURNED
from verify.scenes.cflag.placebos import OF_WIDE

FREE = free_lunch(statement("cflag.lem4.free"), scenes.WIDE)
_parts = {part: eq(part, value) for part, value in b.PARTS.items()}
_totals = ("eq149/at-most", "eq150/small", "eq151/small", "eq154.total/small", "eq156.total/small")

_claim = claims_about("cflag", bound)
_claims = for_each(_claim)
CLAIMS = (
    *_claims("eq86 eq88 eq89/all-steps", LINES, identity),
    _claim("eq87", LINES, inequality, *YOUNG),
    *_claims("eq89 eq90", LINES.variant("any gradients of a round, with delays", covers=""), identity),
    _claim("eq90/at-most", LINES, inequality, "eq86", "eq87", "eq89/all-steps"),
    _claim("eq149", scenes.ROUND, identity),
    _claim("eq149/at-most", scenes.ROUND, bound, *PARTED, *_parts.values()),
    _claim("eq150", scenes.MANY),
    _claim("eq150/small", scenes.ROUND, bound, "lem15.II/small-steps", _parts[b.T1]),
    _claim("eq151", scenes.ROUND),
    _claim("eq151/small", scenes.ROUND, bound, "lem16/small-steps", *SQUARES, _parts[b.T4]),
    _claim("eq152", scenes.BOLD),
    _claim("eq152/small", scenes.ROUND, bound, TURNED[0], _parts[b.T2]),
    _claim("eq153", scenes.BOLD),
    _claim("eq153/small", scenes.ROUND, bound, "lem15.I/small-steps", MEMORY),
    _claim("eq154", None, identity),
    _claim("eq154.total/small", scenes.ROUND, bound, "eq152/small", "eq153/small", "eq154"),
    _claim("eq155", scenes.BOLD),
    _claim("eq155/small", scenes.ROUND, bound, TURNED[1], _parts[b.T3]),
    _claim("eq156", scenes.BOLD),
    _claim("eq156/small", scenes.ROUND, bound, "lem16/small-steps", MEMORY),
    _claim("eq156.total/small", scenes.ROUND, bound, "eq155/small", "eq156/small"),
    _claim("eq157", scenes.BOLD),
    _claim("eq157/small", scenes.ROUND, bound, *_totals, SQUARES[0]),
    _claim("eq158", None, identity),
    _claim("eq159", scenes.ALIKE_BOLD),
    _claim(
        "eq159/small",
        scenes.ROUND,
        bound,
        "eq157/small",
        "eq158",
        "lem11",
        beside=(applicability(EXPERIMENTS),),
    ),
    _claim("eq160", None, identity),
    *_claims("eq161 eq161/small", scenes.ALIKE),
    _claim("eq161/descent", None, entailment),
    *_claims("eq161.positive eq161.positive/lem3", None, inequality),
    _claim("lem4.along", scenes.WIDE, bound, ALONG, AGAINST),
    _claim("lem4.length", scenes.WIDE, bound, LENGTH),
    _claim(
        "lem4/heterogeneity",
        scenes.WIDE,
        bound,
        "lem4.along",
        "lem4.length",
        beside=(FREE, placebos(OF_WIDE), needed),
    ),
    _claim("eq162", scenes.ALIKE_RUN),
    _claim("eq163.sum", scenes.TELESCOPE, identity),
    *_claims("eq163 eq163/small", scenes.ALIKE_RUN),
    _claim("eq164", None, agreement),
    *_claims("eq165 eq165/bounded-fall", None, order),
    _claim("eq166", None, agreement),
    *_claims("eq167 eq167/bounded-fall", None, order),
    _claim("lem4", None, order, beside=(outgrown(statement("cflag.lem4.floor"), 1, T),)),
    _claim("lem4/heterogeneity.order", None, order),
    _claim("eq174", scenes.ALIKE),
    _claim("eq176", scenes.ALIKE_RUN),
    *_claims("eq177 eq177/small eq178 eq178/small", scenes.NUMBERS, inequality),
    *_claims("eq179 eq180", scenes.ALIKE_RUN),
    _claim("eq179/falling", scenes.FALLING),
    _claim(
        "lem18/heterogeneity",
        scenes.WIDE,
        bound,
        "lem4/heterogeneity",
        beside=(FREE, placebos(OF_WIDE), needed),
    ),
    _claim("lem18", None, order, beside=(outgrown(statement("cflag.lem18.floor"), 1, T),)),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_growth"))

"""CFL: conclusions of the text about the weights and the resulting rates (Remarks 4.2 to 4.8, Example 1, Table 2)."""

from __future__ import annotations

from bounds.cfl.symbols import D2, R2, alpha, t
from bounds.cfl.weights_statements import CURRENT
from bounds.cfl.weights_text import alpha_more
from bounds.relations import ge, gt, le
from verify.commands.main import main
from verify.engine.checks.relation import agreement, identity, inequality
from verify.engine.checks.table import table
from verify.engine.model.claim import claims_about, for_each
from verify.scenes.cfl import weights_text as scenes
from verify.scenes.cfl.solved_facts import NOW, NOW_MORE
from verify.scenes.cfl.weighting import ALONE, GRADUAL, LARGE_LOSS, OVERLAPPING

# The weight of the present in Example 1 is (X + Y)/(X (4 - 2 alpha) + Y)
_X = {a: D2 * (1 - a**2) for a in (alpha, alpha_more)}
_Y = {a: R2 * (3 - a) for a in (alpha, alpha_more)}
_below = {a: _X[a] * (4 - 2 * a) + _Y[a] for a in (alpha, alpha_more)}
_DEFINED = tuple(gt(part, 0) for a in (alpha, alpha_more) for part in (1 - a**2, _below[a]))
_CURRENT = (
    *_DEFINED,
    ge((alpha_more - alpha) * _X[alpha] * _X[alpha_more], 0),
    le(_Y[alpha] * _X[alpha_more] * (3 - 2 * alpha_more), _Y[alpha_more] * _X[alpha] * (3 - 2 * alpha)),
    le((_X[alpha] + _Y[alpha]) * _below[alpha_more], (_X[alpha_more] + _Y[alpha_more]) * _below[alpha]),
)

# In round t it is (X + Y)/(X (1 + A) + Y), where A + alpha is Y/R^2
_apart = {a: 1 + (t - 2) * (1 - a) for a in (alpha, alpha_more)}
_Y_t = {a: R2 * (_apart[a] + a) for a in (alpha, alpha_more)}
_below_t = {a: _X[a] * (1 + _apart[a]) + _Y_t[a] for a in (alpha, alpha_more)}
_EVERY_ROUND = (
    *(gt(part, 0) for a in (alpha, alpha_more) for part in (1 - a**2, _apart[a], _below_t[a])),
    le(_apart[alpha_more] * (_apart[alpha] + alpha), _apart[alpha] * (_apart[alpha_more] + alpha_more)),
    ge((alpha_more**2 - alpha**2) * _apart[alpha_more], 0),
    ge((alpha_more**2 - alpha**2) * _apart[alpha_more] * (_apart[alpha] + alpha), 0),
    le(
        (1 - alpha_more**2) * _apart[alpha_more] * (_apart[alpha] + alpha),
        (1 - alpha**2) * _apart[alpha] * (_apart[alpha_more] + alpha_more),
    ),
    ge((t - 2) * (alpha_more - alpha) * _X[alpha] * _X[alpha_more], 0),
    le(
        (_X[alpha] + _Y_t[alpha]) * _below_t[alpha_more],
        (_X[alpha_more] + _Y_t[alpha_more]) * _below_t[alpha],
    ),
    le(CURRENT, CURRENT.subs(alpha, alpha_more)),
)

_claim = claims_about("cfl", identity)
_claims = for_each(_claim)
CLAIMS = (
    *_claims("tab2 tab2/squares", scenes.TABLE_2_ROW, table(scenes.ROWS_OF_TABLE_2)),
    _claim("prop4.3", None, inequality),
    _claim("prop4.3.limit"),
    _claim("prop4.3.bias", None, inequality),
    _claim("prop4.3.improvement", None, inequality, "prop4.3"),
    *_claims("rem4.2.strongly rem4.2.strongly/one-client rem4.2.convex", None, agreement),
    _claim("rem4.2.convex/one-client", None, agreement),
    _claim("rem4.2.yin", scenes.TABLE_1_CL, table(scenes.YIN)),
    _claim("rem4.5.special", ALONE),
    *_claims("rem4.5.rate rem4.5.weight", LARGE_LOSS, inequality),
    *_claims("rem4.6.variance rem4.6.convex rem4.6.nonconvex", None, inequality),
    _claim("rem4.6.factor", None, agreement),
    _claim("rem4.6.accuracy", None, inequality),
    _claim("thm4.7.fedavg", None, agreement),
    *(
        _claim(f"thmB.8.{word}", None, agreement)
        for word in ("weights", "step", "strongly", "convex", "nonconvex")
    ),
    *_claims("rem4.8.rate rem4.8.rate/noise", None, agreement),
    *_claims("rem4.8.impact rem4.8.impact/least", OVERLAPPING, inequality),
    _claim("rem4.8.weights", None, inequality),
    _claim("rem4.8.table9", scenes.TABLE_9_ROWS, table(scenes.GROWING_OVERLAP)),
    _claim("rem4.8.coreset", scenes.TABLE_9_ROWS, table(scenes.EVERY_OVERLAP)),
    _claim("ex1.current", None, inequality, through=_CURRENT),
    _claim(
        "ex1.current/every-round", GRADUAL, inequality, NOW.relation, NOW_MORE.relation, through=_EVERY_ROUND
    ),
    _claim("ex1.importance", None, inequality, "ex1.current", through=_DEFINED),
    _claim("ex1.importance/each", GRADUAL, inequality),
    *_claims("ex1.overlap ex1.rate", None, inequality),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_weights_text"))

"""CFL, Appendix C.1.2: facts about Taylor expansions of quadratic losses, for any number of coordinates and local steps."""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import relations, statement
from bounds.cfl import approximations as b
from bounds.cfl.symbols import eta_g
from bounds.relations import eq
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, follows
from verify.scenes.summands import added, before, changing, definition, over_summands, summed

_relation = relations("cfl")

# ------------------------------------------------------------------------------------------------ a quadratic form

_entry, _corner, _z, _e, _row_z, _row_e, _row, _form, _form_z, _form_e, _mixed, _linear = named(
    "entry, last entry, coordinate, direction, row of point, row of direction, row",
    "form of sum, form of point, form of direction, mixed form, slope along point",
    real=True,
)
_SIGN = sp.Symbol("sign", real=True)
_ROW = summed(
    eq(_row, _row_z + _SIGN * _row_e),
    {_row: _entry * (_z + _SIGN * _e), _row_z: _entry * _z, _row_e: _entry * _e},
    (_entry, _z, _e),
)
"""One more row of a symmetric matrix, times a point, a direction and their sum."""


def _with_one_more(form: sp.Symbol, coordinate: sp.Expr, row: sp.Symbol) -> AnyNumber:
    """The form of a symmetric matrix with one more row and column."""
    return added(form, 2 * coordinate * row + _corner * coordinate**2)


_FORM = over_summands(
    eq(_form, _form_z + 2 * _SIGN * _mixed + _SIGN**2 * _form_e),
    changing(*(_form, _form_z, _form_e, _mixed), free=(_corner, _z, _e, _row, _row_z, _row_e)),
    _with_one_more(_form, _z + _SIGN * _e, _row),
    _with_one_more(_form_z, _z, _row_z),
    _with_one_more(_form_e, _e, _row_e),
    added(_mixed, _z * _row_e + _e * _row_z + _corner * _z * _e),
    _ROW,
)
_up, _down = (sp.Symbol(f"form {where}", real=True) for where in ("above", "below"))
_above, _below = (sp.Symbol(f"expansion {where}", real=True) for where in ("above", "below"))
_slope, _value = named("slope, value", real=True)
SECOND_ORDER = follows(
    _relation("approx.taylor"),
    (_FORM, {_form: _up, _SIGN: sp.S.One}),
    (_FORM, {_form: _down, _SIGN: sp.S.NegativeOne}),
    definition(eq(_above, _value + (_linear + _slope) + _up / 2)),
    definition(eq(_below, _value + (_linear - _slope) + _down / 2)),
    definition(eq(b.slope_near, (_above - _below) / 2)),
    definition(eq(b.slope_printed, _slope + _mixed)),
)
"""The expansion a unit above and a unit below, along a coordinate. `mixed form` is the coordinate of the matrix times the point."""

# ---------------------------------------------------------------------------------------------- quadratic losses

_x, _at, _times_x, _times_at, _times_way, _offset = named(
    "model, expanded at, row of model, row of expanded, row of way, offset", real=True
)
_WAY = summed(
    eq(_times_x, _times_at + _times_way),
    {_times_x: _entry * _x, _times_at: _entry * _at, _times_way: _entry * (_x - _at)},
    (_entry, _x, _at),
)
EXACT = follows(
    _relation("approx.taylor.quadratic"),
    _WAY,
    definition(eq(b.slope_true, _times_x + _offset)),
    definition(eq(b.slope_taylor, _times_at + _offset + _times_way)),
)
TOP_LAYERS = over_summands(
    _relation("approx.taylor.layers"),
    {
        b.lost_top2: (before(b.lost_top2), b.bottom2),
        **{slope: (before(slope), None) for slope in (b.slope_true, b.slope_taylor)},
    },
    added(b.lost_top2, (b.slope_true - b.slope_taylor) ** 2),
    EXACT,
)
"""The coordinates after the first are approximated."""
OF_QUADRATIC = (SECOND_ORDER, EXACT, TOP_LAYERS)

# --------------------------------------------------------------------------------------------- the next round

_start, _end, _next, _curvature, _tilt, _fisher, _lost = named(
    "start, end, next start, curvature, tilt, fisher, lost", real=True
)
_ALONE = statement("cfl.approx.taylor.next/end").conditions
AT_END = summed(
    _relation("approx.taylor.next/end"),
    {b.lost_next2: _lost**2},
    (_lost, _start, _end, _next, _curvature, _tilt, _fisher),
    follows(
        eq(_lost, 0),
        definition(
            eq(_lost, _curvature * _next + _tilt - (_curvature * _end + _tilt + _fisher * (_next - _end)))
        ),
        definition(eq(_next, _start + eta_g * (_end - _start))),
        given=_ALONE[1:],
    ),
)
"""One client, after any local steps."""

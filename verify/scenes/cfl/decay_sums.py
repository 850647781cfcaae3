"""Facts about products of the weights of any number of rounds, each with alpha to the distance of its rounds (CFL, Theorem 4.9).

With e_n = sum_(k <= n) alpha^(n-k) z_k, a further weight z adds z^2 + 2 alpha z e_n to the products, and e becomes
alpha e_n + z. So the products of n weights are e_n^2 + (1 - alpha^2) (e_1^2 + .. + e_(n-1)^2).
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.correlated import p_now
from bounds.cfl.matrix import MRu, MRv, eliminated, place, u, z2, z_first, z_past, z_tails, zMRz, zMz
from bounds.cfl.symbols import D2, G2, R2, alpha, t
from bounds.cfl.weight_sums import kept, least, q_decay, q_form, q_loss, q_now, q_pairs, q_square, tilt, zQz
from bounds.relations import eq, ge, le, lt
from verify.engine.model.scene import Follows
from verify.scenes.cfl.weight_sums import added, earlier, grows, line, past, products, rounds, weight
from verify.scenes.norms_of_sums import follows
from verify.scenes.summands import before, definition, summed

BELOW_ONE = lt(alpha, 1)
fade, other_fade, both_fade = sp.symbols("fade other_fade both_fade", real=True)
"""Sum of the weights so far, each times alpha to its distance from the latest; of one choice, of another, of their sum."""
decay, other_decay, both_decay, mixed = sp.symbols("decay other_decay both_decay mixed_decay", real=True)
"""Sum of products of weights so far, each times alpha to the distance of the rounds; `mixed` of one choice with another."""
other_weight, loss, form = sp.symbols("other_weight loss_so_far form_so_far", real=True)
_latest, _mean = sp.symbols("latest_entry mean_of_past", real=True)


def fading(total: sp.Symbol, by: sp.Expr, start: sp.Expr = sp.S.Zero) -> tuple[sp.Expr, sp.Expr]:
    """A sum that is multiplied by alpha before a summand is added, for `added`."""
    return start, alpha * before(total) + by


def decaying(
    total: sp.Symbol, by: sp.Expr, faded: sp.Symbol, start: sp.Expr = sp.S.Zero
) -> tuple[sp.Expr, sp.Expr]:
    """Products of weights with alpha to the distance; a further weight meets all before it."""
    return grows(total, by**2 + 2 * alpha * by * before(faded), start)


_EVEN = {fade: fading(fade, weight), decay: decaying(decay, weight, fade)}
_PAST = {past: grows(past, weight)}

# ------------------------------------------------------------------------------------------------- the form of Q

_FORM = definition(eq(zQz, D2 * decay + R2 * z_past**2))
_NOT_NEGATIVE = added(
    ge(decay, fade**2),
    _EVEN,
    through=(le(alpha**2 * before(fade) ** 2, before(fade) ** 2),),
    given=(BELOW_ONE,),
)
SEMIDEFINITE = follows(line("lemB.9/semidefinite"), _NOT_NEGATIVE, _FORM, given=(BELOW_ONE,))
_FROM_LATEST = {z_first: fading(z_first, weight, _latest), z_tails: grows(z_tails, before(z_first) ** 2)}
"""The entries are added from the latest to the oldest."""
_SQUARES = added(
    eq(decay, z_first**2 + (1 - alpha**2) * z_tails),
    {**_FROM_LATEST, decay: decaying(decay, weight, z_first, _latest**2)},
)
_ENTRIES = added(
    le(z2, 2 * z_first**2 + 2 * (1 + alpha**2) * z_tails),
    {**_FROM_LATEST, z2: grows(z2, weight**2, _latest**2)},
    through=(le(weight**2, 2 * z_first**2 + 2 * alpha**2 * before(z_first) ** 2),),
)
_LOSS = added(
    eq(loss, R2 * past**2),
    {**_PAST, loss: grows(loss, R2 * weight**2 + 2 * products)},
    (
        follows(
            eq(products, R2 * weight * before(past)),
            (
                summed(
                    eq(products, R2 * other_weight * past),
                    {products: R2 * other_weight * weight, past: weight},
                    (weight,),
                ),
                {other_weight: weight, past: before(past)},
            ),
        ),
    ),
    (weight, products),
)
"""Products of past weights, times R^2."""
_EIGENVALUE = summed(eq(MRu, R2 * u * rounds), {MRu: R2 * u, rounds: sp.S.One}, ())
_KERNEL = summed(
    eq(MRv, R2 * u * (past - rounds * _mean)),
    {MRv: R2 * u * (weight - _mean), past: weight, rounds: sp.S.One},
    (weight,),
)
OF_FORMS = (
    SEMIDEFINITE,
    follows(line("lemB.9/squares"), _SQUARES, _FORM),
    follows(line("lemB.9/entries"), _ENTRIES, given=(), through=(ge(2 * alpha**2 * z_first**2, 0),)),
    follows(
        line("lemB.9.decomposition"),
        _FORM,
        definition(eq(zMz, D2 * decay)),
        (_LOSS, {loss: zMRz, past: z_past}),
    ),
    follows(line("lemB.9.eigenvalue"), (_EIGENVALUE, {rounds: t - 1})),
    follows(line("lemB.9.kernel"), (_KERNEL, {past: rounds * _mean})),
)
_row_above = sp.Symbol("entry_above", real=True)
OF_ROWS = follows(
    line("lemB.9.rows"),
    definition(eq(_row_above, D2 * alpha**place)),
    definition(eq(eliminated, D2 * alpha ** (place - 1) - alpha * _row_above)),
)
"""A row less alpha times the row above it; on the right of the diagonal, entries above are one step farther from it."""
# --------------------------------------------------------------------------------------------- two choices of weights

_FADES = added(
    eq(both_fade, fade + other_fade),
    {
        fade: fading(fade, weight),
        other_fade: fading(other_fade, other_weight),
        both_fade: fading(both_fade, weight + other_weight),
    },
    each=(weight, other_weight),
)
_POLAR = added(
    eq(both_decay, decay + 2 * mixed + other_decay),
    {
        **_EVEN,
        other_fade: fading(other_fade, other_weight),
        other_decay: decaying(other_decay, other_weight, other_fade),
        both_fade: fading(both_fade, weight + other_weight),
        both_decay: decaying(both_decay, weight + other_weight, both_fade),
        mixed: grows(
            mixed, weight * other_weight + alpha * (weight * before(other_fade) + other_weight * before(fade))
        ),
    },
    (earlier(_FADES, both_fade, fade, other_fade),),
    (weight, other_weight),
)
_past_change = p_now - q_now


def expansion(value: sp.Symbol) -> Follows:
    """The objective at any weights, around weights where its value has this name."""
    relation = line("thm4.9.proof.expansion").xreplace({least: value})
    return follows(
        relation,
        (_POLAR, {both_decay: q_decay}),
        definition(eq(value, G2 + R2 * (1 - p_now) ** 2 + D2 * decay)),
        definition(eq(tilt, D2 * mixed + R2 * _past_change * (1 - p_now))),
        definition(eq(zQz, D2 * other_decay + R2 * _past_change**2)),
    )


_FORM_SO_FAR = added(
    eq(form, D2 * decay + loss),
    {
        **_EVEN,
        **_PAST,
        loss: grows(loss, R2 * weight**2 + 2 * R2 * weight * before(past)),
        form: grows(
            form, (D2 + R2) * weight**2 + 2 * weight * (D2 * alpha * before(fade) + R2 * before(past))
        ),
    },
)
EXPANSION, KEPT_EXPANSION = expansion(least), expansion(kept)
OF_TWO_WEIGHTS = (
    EXPANSION,
    KEPT_EXPANSION,
    follows(line("thm4.9.proof.form"), (_LOSS, {loss: q_loss, past: 1 - q_now})),
    follows(
        line("thm4.9.proof.matrix"),
        _FORM_SO_FAR,
        definition(eq(q_decay, decay + q_now**2 + 2 * alpha * q_now * fade)),
        definition(eq(q_loss, loss)),
        definition(eq(q_form, form + D2 * (q_now**2 + 2 * alpha * q_now * fade))),
    ),
)

# ------------------------------------------------------------------------------------------- Assumption 7 as a case

_power = sp.Symbol("power_of_alpha", nonnegative=True)
_near, _far = sp.symbols("with_smaller with_powers", real=True)
_POWERS = {_power: (sp.S.One, alpha * before(_power))}
_POWER = added(
    le(_power, 1), _POWERS, each=(), given=(BELOW_ONE,), through=(le(alpha * before(_power), before(_power)),)
)
_smaller = sp.Min(_power * D2, D2)
_NEAR = added(
    eq(_near, D2 * _far),
    {**_POWERS, _near: grows(_near, _smaller * weight), _far: grows(_far, _power * weight)},
    (_POWER,),
    through=(le(_power * D2, D2), eq(_smaller, _power * D2)),
)
"""Weights before a round, from the nearest to the farthest, times the smaller of alpha to the distance times D^2 and D^2."""
OF_CASE_TWO = (
    follows(
        line("thm4.9.proof.case"),
        added(
            eq(D2 * q_square + q_pairs, D2 * q_decay),
            {
                fade: fading(fade, weight),
                q_decay: decaying(q_decay, weight, fade),
                q_square: grows(q_square, weight**2),
                q_pairs: grows(q_pairs, 2 * weight * _near),
            },
            (
                follows(
                    eq(_near, D2 * alpha * before(fade)),
                    (_NEAR, {_far: alpha * before(fade)}),
                    given=(BELOW_ONE,),
                ),
            ),
            (weight, _near),
        ),
        given=(BELOW_ONE,),
    ),
)

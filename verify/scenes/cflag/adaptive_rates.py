"""Scenes of C-FLAG's adaptive rates: a round at the clients' own rates, and Algorithm 3 line by line."""

from __future__ import annotations

import operator
from dataclasses import replace

from algorithms.cflag import adapted_rates
from bounds.cflag.drift import WEIGHTS
from nqm.fields import Array, decided, dot, sq, where
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cflag import adaptive_lines
from verify.scenes.cflag.adaptive import SUMS, apart, common, one_rate, room, round_of, sizes, space, terms
from verify.scenes.cflag.adaptive_facts import IN_ROUND
from verify.scenes.cflag.adaptive_sums import ALONE, NO_INTERACTION, OF_CLIENTS


def column(x: Array) -> Array:
    """With a last axis of length 1."""
    return x[..., None]


def tracking(shape: Shape, values: Named) -> Array:
    """grad g - grad g_i at the server's model, where the first delayed gradient is grad g_i, (batch, N, d)."""
    p, _, _ = round_of(shape, values)
    first = values["delayed"][:, :, 0]
    return (column(p) * first).sum(axis=1)[:, None] - first


def own_rates(shape: Shape, values: Named, going: int = 1) -> Values:
    """A round at the adapted rates of Table 1, in both cases, from the common rate alpha.

    Steps on current data are multiplied by `going`: 1 is the method, 0 makes no steps, -1 makes steps uphill.
    """
    cases = {
        name: at_own_rates(shape, values, factor, going) for name, factor in (("av", 1), ("w", shape["N"]))
    }
    named = {f"{name}_{case}": value for case, found in cases.items() for name, value in found.items()}
    p, fd, a = round_of(shape, values)
    Lam = dot(fd[:, None], a)
    squares = where(decided(operator.gt, Lam, 0), sq(a), 0 * Lam + 1)
    return {**common(shape, values), **named, "Lam_each": Lam, "p_each": p, "a2_transferring": squares}


def at_own_rates(shape: Shape, values: Named, factor: int, going: int = 1) -> Values:
    """Quantities of Lemma 7 and its proof in the case with this factor on p_i."""
    p, fd, a = round_of(shape, values)
    L, alpha = column(values["L"]), column(values["alpha"])
    Lam = dot(fd[:, None], a)
    rates = adapted_rates(column(alpha), column(alpha), column(L), fd[:, None], a, factor * column(p))
    on_memory, on_current = (rate[..., 0] for rate in rates)
    fixed = p * terms(p, a, Lam, L, (alpha, alpha), factor)
    adapted = p * terms(p, a, Lam, L, (on_memory, on_current), factor)
    agreeing = decided(operator.gt, Lam, 0)
    least = -(((1 - L * alpha) * Lam) ** 2) / (2 * L * factor * where(agreeing, sq(a), 0 * Lam + 1))
    transferring = lambda x: where(agreeing, x, 0 * x).sum(axis=1)  # noqa: E731
    interfering = lambda x: where(agreeing, 0 * x, x).sum(axis=1)  # noqa: E731
    weight, mean_alpha = column(p * on_current), (p * on_memory).sum(axis=1)
    whole = lambda moved: (  # noqa: E731
        values["L"] / 2 * sq(moved) - (1 - values["L"] * mean_alpha) * dot(fd, moved)
    )
    return {
        "ad": adapted.sum(axis=1),
        "ad_I": interfering(adapted),
        "ad_T": transferring(adapted),
        "sum_I": interfering(fixed),
        "sum_T": transferring(fixed),
        "best_T": transferring(least),
        "along_T": transferring(p * on_current * Lam),
        "against_I": interfering(-p * Lam),
        "round": whole(going * (weight * a).sum(axis=1)),
        "terms": values["L"] / 2 * sq((weight * a).sum(axis=1))
        - (p * on_current * (1 - L * on_memory) * Lam).sum(axis=1),
        "sent": whole((weight * (shape["E"] * tracking(shape, values) + a)).sum(axis=1)),
    }


OWN_RATES = one_rate(replace(SUMS, compute=own_rates, covers=""), "a round at the clients' own rates")
OWN_RATES = replace(OWN_RATES, compute=Proved(OWN_RATES.compute, (*OF_CLIENTS, *IN_ROUND)))
PAIR = OWN_RATES.variant(
    "a round at the own rates of one or two clients",
    shapes=(sizes(), sizes(N=2), sizes(N=2, d=2), sizes(N=2, E=2)),
)
OWN_RATES_APART = apart(OWN_RATES, "a round at the clients' own rates, who do not interact on the whole")
OWN_RATES_APART = replace(
    OWN_RATES_APART,
    compute=Proved(OWN_RATES_APART.compute, (*OF_CLIENTS, NO_INTERACTION), (ALONE,)),
    # In one dimension, if two clients do not interact, one of them has the sum zero
    shapes=(sizes(), sizes(d=2), sizes(N=2, d=2), sizes(N=2, E=2, d=2), sizes(N=3, d=2)),
)
PAIR_APART = OWN_RATES_APART.variant(
    "a round at the own rates of one to three clients, who do not interact",
    shapes=(sizes(), *(sizes(N=N, E=E, d=d) for d in (2, 3) for N in (2, 3) for E in (1, 2))),
)


def lines(shape: Shape, values: Named) -> Values:
    """The values that Algorithm 3 computes after the local steps, and those of Table 1; vectors are (batch, N, d)."""
    p, fd, a = round_of(shape, values)
    L, alpha, beta = (values[name][:, None] for name in ("L", "alpha", "beta"))
    N, E, x = shape["N"], shape["E"], values["x"]
    shift = tracking(shape, values)
    end = x[:, None] - column(beta) * (E * shift + a)
    line_4 = x[:, None] - E * column(beta) * shift - end
    Lam, line_5 = dot(fd[:, None], a), dot(fd[:, None], line_4)
    line_8 = (1 - L * alpha) * line_5 / (L * N * p * sq(line_4))
    line_10 = alpha * (1 - line_5 / sq(fd)[:, None])
    line_14 = lambda on_memory, on_current: (  # noqa: E731
        column(on_memory) * fd[:, None] + E * column(on_current) * shift + column(on_current / beta) * line_4
    )
    server = lambda sent: x - (column(p) * sent).sum(axis=1)  # noqa: E731
    own = values["alpha_any"], values["beta_any"]
    s = (column(p) * a).sum(axis=1)
    return {
        "a_i": a,
        "a_alg": line_4,
        "Lam_i": Lam,
        "Lam_alg": line_5,
        "p_i": p,
        "a2": sq(a),
        "fd2": sq(fd),
        "beta_alg": line_8,
        "beta_tab": (1 - L * alpha) * Lam / (L * N * p * sq(a)),
        "alpha_alg": line_10,
        "alpha_tab": alpha * (1 - Lam / sq(fd)[:, None]),
        "sum_13": column(own[1] / beta) * line_4,
        "Delta_14": line_14(*own),
        "fd_i": fd[:, None] + 0 * a,
        "moved_i": x[:, None] - end,
        "next_24": x - alpha * fd - beta * s,
        "next_own": server(line_14(*own)),
        "next_sum": x - (column(p) * (column(own[0]) * fd[:, None] + column(own[1]) * a)).sum(axis=1),
        "next_same": server(line_14(alpha + 0 * p, beta + 0 * p)),
        "p_sum": p.sum(axis=1),
    }


LINES = Scene(
    name="Algorithm 3 line by line",
    shapes=(sizes(), sizes(E=2), sizes(N=2), sizes(N=2, E=2), sizes(N=2, d=2)),
    space=lambda shape: {
        **space(shape),
        "x": Box(-2, 2, (shape["d"],)),
        "alpha_any": Box(0.01, 4, (shape["N"],), scale="log"),
        "beta_any": Box(0.01, 4, (shape["N"],), scale="log"),
    },
    compute=Proved(lines, (*adaptive_lines.LINES, adaptive_lines.COMMON), WEIGHTS),
    steps=("alpha", "beta"),
    free_step=room,
    covers="equal as rational functions for 1 and 2 clients and local steps, any model and any delayed gradients; a further "
    "client, local step or coordinate repeats what is shown",
)

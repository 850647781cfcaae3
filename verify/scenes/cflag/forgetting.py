"""A round of C-FLAG in terms of Lemma 1: gradients, bias and delayed gradients, and their effect on the past loss."""

from __future__ import annotations

from bounds.catalogue import statement
from bounds.cflag.forgetting import along, bs, fb, fs, moved2
from bounds.cflag.growth import parts2, rho_e
from bounds.cflag.symbols import L, alpha, b2, beta, ds, e2, f_next, f_now, fd2, gf2, rho2, s2
from bounds.relations import eq, le
from nqm.fields import dot, sq, sqrt, stack
from verify.engine.model.scene import Box, Condition, Fold, Named, Proved, Scene, Shape, Values
from verify.scenes.cflag.memories import (
    TOLD,
    TURNED,
    known_constants,
    mirrored,
    mirrored_space,
    sizes,
    world_space,
)
from verify.scenes.cflag.memory_measures import one_round
from verify.scenes.cflag.memory_rounds import SERVER, run_space
from verify.scenes.cflag.terms import OF_CLIENTS, PAST, of_clients, past_lift, past_way2
from verify.scenes.norms_of_sums import AnyNumber, follows
from verify.scenes.shapes import shapes_of
from verify.scenes.summands import definition
from verify.scenes.trees import Tree, square, times, vocabulary

# -------------------------------------------------------------------------------------- lines that speak of vectors


def lines(shape: Shape, values: Named) -> Values:
    """The quantities of Eq. (37) to (58) and (86) to (90), for arbitrary gradients.

    Gradients gf_i and biases b_i of clients (batch, N, d), true gradients rho and delays e (batch, N, E, d), and weights of
    any sign; s is the sum over clients and local steps.
    """
    p, E = values["p"], shape["E"]
    over = lambda x: (p[..., None] * x).sum(axis=1)  # noqa: E731
    gf_i, b_i, rho, e = (values[name] for name in ("gf_i", "b_i", "rho", "e"))
    alpha, beta, L = (values[name] for name in ("alpha", "beta", "L"))
    gf, bias, fd = over(gf_i), over(b_i), over(gf_i + b_i)
    delayed = [over(rho[:, :, k] + e[:, :, k]) for k in range(E)]
    s, s_late = sum(delayed), sum(delayed[1:], 0 * gf)
    true, true_late, delays = over(rho.sum(axis=2)), over(rho[:, :, 1:].sum(axis=2)), over(e.sum(axis=2))
    move = -alpha[:, None] * fd - beta[:, None] * s
    return {
        "gf2": sq(gf),
        "fd2": sq(fd),
        "b2": sq(bias),
        "fb": dot(gf, bias),
        "fs": dot(gf, s),
        **{"bs": dot(bias, s), "bs_late": dot(bias, s_late)},
        **{"ds": dot(fd, s), "ds_late": dot(fd, s_late)},
        **{"s2": sq(s), "s2_late": sq(s_late)},
        "A_line": dot(gf, move),
        "along": dot(move, gf),
        "along_rule": dot(gf, -alpha[:, None] * over(gf_i + b_i) - beta[:, None] * s),
        "AI": -alpha * dot(gf, fd),
        "AII": -beta * dot(gf, s),
        "f_fd": dot(gf, over(gf_i + b_i)),
        "f_split": dot(gf, over(gf_i) + over(b_i)),
        "f_less_b": dot(fd - bias, s),
        "B_line": L / 2 * sq(move),
        "moved2": sq(move),
        "BI": L / 2 * alpha**2 * sq(fd),
        "BII": L / 2 * beta**2 * sq(s),
        "BIII": L * alpha * beta * dot(fd, s),
        "fd2_sum": sq(over(gf_i + b_i)),
        "fd2_split": sq(over(gf_i) + over(b_i)),
        "fd2_b": sq(gf + bias),
        "fd_s_steps": sum(dot(fd, step) for step in delayed),
        "parts2": sq(true + delays),
        "fd_parts": dot(fd, true + delays),
        "rho2": sq(true),
        "rho2_steps": sq(sum(over(rho[:, :, k]) for k in range(E))),
        "e2": sq(delays),
        "rho_e": dot(true, delays),
        **{"fd_rho": dot(fd, true), "fd_rho_late": dot(fd, true_late), "fd_e": dot(fd, delays)},
    }


def _summed(shape: Shape, values: Named) -> Values:
    """One client with the weighted sums of all, and two local steps: the first, and the sum of the later ones."""
    over = lambda x: (values["p"].reshape(*values["p"].shape, *(1,) * (x.ndim - 2)) * x).sum(axis=1)[:, None]  # noqa: E731
    steps = lambda x: stack([x[:, :, 0], x[:, :, 1:].sum(axis=2)], 2)  # noqa: E731
    return {
        "p": 1 + 0 * values["p"][:, :1],
        **{name: over(values[name]) for name in ("gf_i", "b_i")},
        **{name: steps(over(values[name])) for name in ("rho", "e")},
    }


YOUNG = (eq(parts2, rho2 + 2 * rho_e + e2), le(2 * rho_e, rho2 + e2))
"""Young's inequality: the square of a sum of two parts is at most twice the sum of their squares."""
_PARTS = {
    parts2: square(["+", "true", "late"]),
    rho2: square("true"),
    rho_e: ["dot", "true", "late"],
    e2: square("late"),
}
_OF_PARTS = tuple(map(vocabulary(_PARTS, {"true": "vector", "late": "vector"}), YOUNG))
LINES = Scene(
    name="any gradients of a round",
    shapes=tuple({"N": N, "E": E, "d": 1} for N, E in ((1, 1), (1, 2), (2, 1), (2, 2))),
    space=lambda shape: {
        "p": Box(-1, 1, (shape["N"],)),
        **{name: Box(-2, 2, (shape["N"], shape["d"])) for name in ("gf_i", "b_i")},
        **{name: Box(-2, 2, (shape["N"], shape["E"], shape["d"])) for name in ("rho", "e")},
        **{name: Box(0.1, 2) for name in ("alpha", "beta", "L")},
    },
    compute=Proved(lines, _OF_PARTS),
    folds=Fold({"N": 1, "E": 2}, _summed),
    covers="equal as polynomials for 1 and 2 clients and local steps; both sides are inner products of sums over clients and "
    "steps, the same in every coordinate",
)
SPLIT = (
    eq(along, -alpha * (gf2 + fb) - beta * fs),
    eq(moved2, alpha**2 * fd2 + 2 * alpha * beta * ds + beta**2 * s2),
    eq(fd2, gf2 + 2 * fb + b2),
    eq(ds, fs + bs),
)
"""The update by Eq. (24), and the memory gradient as the sum of gradient and bias."""


_UPDATE: Tree = ["+", times("alpha", ["+", "f", "bias"]), times("beta", "s")]
_OF_UPDATE = {
    along: ["-", "0", ["dot", "f", _UPDATE]],
    moved2: square(_UPDATE),
    **{fd2: square(["+", "f", "bias"]), ds: ["dot", ["+", "f", "bias"], "s"], s2: square("s")},
    **{gf2: square("f"), fb: ["dot", "f", "bias"], b2: square("bias")},
    **{fs: ["dot", "f", "s"], bs: ["dot", "bias", "s"]},
}
_SPLIT = tuple(map(vocabulary(_OF_UPDATE, dict.fromkeys(("f", "bias", "s"), "vector")), SPLIT))
DESCENT = follows(
    statement("cflag.eq36").compared,
    definition(eq(past_lift, f_next - f_now - along)),
    definition(eq(past_way2, moved2)),
    given=(OF_CLIENTS, PAST),
    through=(le(past_lift, L / 2 * past_way2),),
)
LATE = LINES.variant(
    "any gradients of a round with two or more local steps", shapes=LINES.shapes[1::2], covers=""
)
NORMS = LINES.variant(
    "any gradients of a round, and the norm of the update",
    compute=lambda shape, values: (found := lines(shape, values)) | {"rule_norm": sqrt(found["moved2"])},
)


# ---------------------------------------------------------------------------------------------------- one round


def _rounds(
    name: str,
    rule: str,
    shapes: tuple[Shape, ...],
    facts: tuple[AnyNumber, ...] = (),
    defines: tuple[Condition, ...] = (),
) -> Scene:
    return Scene(
        name=name,
        shapes=shapes,
        space=lambda shape: {**world_space(shape), **run_space(shape, shape["J"])},
        room="room",
        told=TOLD,
        known=known_constants,
        compute=Proved(
            lambda shape, values: one_round(shape, values, SERVER[rule]), facts, defines, of_clients
        ),
        steps=("alpha", "beta"),
        free_step=lambda name, shape, values: 4 / values["L"],
    )


SMALL = (*shapes_of(sizes, "smallest, S=2, E=2, S=2 E=2 J=2, N=2 S=2 E=2, S=2 E=3 J=2 d=2"), *TURNED)
ROUND = _rounds("a round of C-FLAG", "eq24", SMALL, (DESCENT, *_SPLIT), (PAST,))
STEPS = _rounds("a round of C-FLAG with two or more local steps", "eq24", SMALL[2:])
EQ7 = _rounds("a round of C-FLAG by Eq. (7)", "eq7", SMALL)
ALG1 = _rounds("a round of C-FLAG by Algorithm 1 as printed", "alg1", SMALL)


def any_m(shape: Shape, values: Named) -> Values:
    """L and m_i; m is any positive number."""
    return {**known_constants(shape, values), "m": values["m_more"]}


SEPARATE = ROUND.variant(
    "a round of C-FLAG, clients with minimisers of their own",
    shapes=(sizes(N=2, S=2, centres=1), sizes(N=2, S=2, d=2, centres=1, turned=1)),
    space=lambda shape: {**ROUND.space(shape), "m_more": Box(0.01, 1000, scale="log")},
    known=any_m,
)
STATIONARY = SEPARATE.variant(
    "a round of C-FLAG from where the past loss is stationary",
    shapes=SEPARATE.shapes[:1],
    space=lambda shape: {**SEPARATE.space(shape), **mirrored_space(shape), "x": Box(0, 0, (shape["d"],))},
    known=lambda shape, values: any_m(shape, mirrored(values)),
    compute=lambda shape, values: one_round(shape, mirrored(values)),
)

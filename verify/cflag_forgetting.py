"""C-FLAG: the overfitting and the forgetting term, descent on the past data (Lemma 1), and what bounds the forgetting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sympy as sp

from bounds import cflag_forgetting as b
from bounds.catalogue import statement
from bounds.cflag_symbols import L, alpha, b2, beta, ds, f_next, f_now, fd2, gf2, s2
from nqm.fields import Array, amax, concatenate, dot, norm, sq
from verify.engine.checks.relation import agreement, bound, identity, inequality
from verify.engine.claim import Claim
from verify.engine.main import main
from verify.engine.memories import Clients, clients_of, known_constants, one_draw, sizes, spread_at, together, world_space
from verify.engine.memory_rounds import SERVER, Round, Rule, play, run_space, start
from verify.engine.scene import Box, Scene, Shape, Values

Named = Mapping[str, Any]


# -------------------------------------------------------------------------------------- lines that speak of vectors


def lines(shape: Shape, values: Named) -> Values:
    """The quantities of Eq. (37) to (58) and (86) to (90), for any gradients.

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


LINES = Scene(
    name="any gradients of a round",
    shapes=tuple({"N": N, "E": E, "d": 1} for N, E in ((1, 1), (1, 2), (2, 1), (2, 2))),
    space=lambda shape: {
        "p": Box(-1, 1, (shape["N"],)),
        **{name: Box(-2, 2, (shape["N"], shape["d"])) for name in ("gf_i", "b_i")},
        **{name: Box(-2, 2, (shape["N"], shape["E"], shape["d"])) for name in ("rho", "e")},
        **{name: Box(0.1, 2) for name in ("alpha", "beta", "L")},
    },
    compute=lines,
    covers="equal as polynomials for 1 and 2 clients and local steps; both sides are inner products of sums over clients and "
    "steps, the same in every coordinate",
)
NORMS = replace(
    LINES,
    name="any gradients of a round, and the norm of the update",
    compute=lambda shape, values: (found := lines(shape, values)) | {"rule_norm": norm_of(found["moved2"])},
    covers="",
)


def norm_of(square: Array) -> Array:
    """Norm that belongs to a squared norm."""
    from nqm.fields import sqrt

    return sqrt(square)


# ---------------------------------------------------------------------------------------------------- one round


def measured(now: Round) -> Values:
    """Inner products of a round under the paper's names, (batch, path)."""
    b = now.b
    return {
        **{"gf2": sq(now.gf), "fd2": sq(now.fd), "gg2": sq(now.gg), "gh2": sq(now.gh), "b2": sq(b)},
        **{"fb": dot(now.gf, b), "fs": dot(now.gf, now.s), "bs": dot(b, now.s), "ds": dot(now.fd, now.s)},
        **{"bs_late": dot(b, now.s_late), "ds_late": dot(now.fd, now.s_late)},
        **{"s2": sq(now.s), "s2_late": sq(now.s_late), "rho2": sq(now.rho), "e2": sq(now.e)},
        **{"fd_rho": dot(now.fd, now.rho), "fd_e": dot(now.fd, now.e)},
    }


def one_round(shape: Shape, values: Named, rule: Rule) -> Values:
    """A round from the model x with every memory; the server moves by `rule`."""
    clients, kept = clients_of(shape, values), one_draw(shape)
    now = play(shape, values, clients, kept, start(values, len(kept)))
    after = rule(now, *(values[name][:, None, None] for name in ("alpha", "beta")))
    loss = clients.of_all(clients.past.mean(3)).loss
    gf_i = now.gf_i + 0 * now.fd_i
    return {
        **measured(now),
        "f_now": loss(now.x),
        "f_next": loss(after),
        "along": dot(now.gf, after - now.x),
        "moved2": sq(after - now.x),
        "gf2_i": sq(gf_i),
        "b2_i": sq(now.fd_i - now.gf_i),
    }


def _rounds(name: str, rule: str, shapes: tuple[Shape, ...]) -> Scene:
    return Scene(
        name=name,
        shapes=shapes,
        space=lambda shape: {**world_space(shape), **run_space(shape, shape["J"])},
        known=known_constants,
        compute=lambda shape, values: one_round(shape, values, SERVER[rule]),
        steps=("alpha", "beta"),
        free_step=lambda name, shape, values: 4 / values["L"],
    )


SMALL = (sizes(), sizes(E=2), sizes(S=2), sizes(S=2, E=2, J=2), sizes(N=2, S=2, E=2), sizes(S=2, E=3, J=2, d=2))
ROUND = _rounds("a round of C-FLAG", "eq24", SMALL)
EQ7 = _rounds("a round of C-FLAG by Eq. (7)", "eq7", SMALL)
ALG1 = _rounds("a round of C-FLAG by Algorithm 1 as printed", "alg1", SMALL)
SEPARATE = _rounds("a round of C-FLAG, clients with minimisers of their own", "eq24", (sizes(N=2, S=2, centres=1),))


_update = (
    sp.Le(f_next - f_now, b.along + L / 2 * b.moved2),
    sp.Eq(b.along, -alpha * (gf2 + b.fb) - beta * b.fs),
    sp.Eq(b.moved2, alpha**2 * fd2 + beta**2 * s2 + 2 * alpha * beta * ds),
    sp.Eq(b.fs, ds - b.bs),
    sp.Eq(fd2, gf2 + 2 * b.fb + b2),
)
"""Smoothness along the update of Eq. (24), and what the squares of sums are."""


def _claims(check: Any, scene: Scene | None, ids: str, premises: tuple = ()) -> tuple[Claim, ...]:
    return tuple(Claim(statement(f"cflag.{id}"), (check,), scene, premises) for id in ids.split())


CLAIMS = (
    *_claims(bound, ROUND, "lem1 lem1/eq35 lem1/eq15"),
    *_claims(bound, ROUND, "lem1/all-steps lem1/all-steps-L", _update),
    *_claims(bound, ALG1, "lem1/alg1"),
    *_claims(bound, EQ7, "lem1/eq7"),
    *_claims(bound, SEPARATE, "lem1/ass2"),
    *_claims(bound, ROUND, "eq36"),
    *_claims(identity, LINES, "eq37 eq38 eq39 eq40 eq41 eq42 eq43 eq44 eq45 eq46 eq47"),
    *_claims(identity, NORMS, "eq48 eq48/squared"),
    *_claims(identity, LINES, "eq49 eq50 eq51 eq52 eq53 eq54"),
    *_claims(bound, ROUND, "eq55.sum", _update),
    *_claims(bound, ROUND, "eq55"),
    *_claims(bound, ROUND, "eq55/all-steps", (*_update, b.BIAS)),
    *_claims(identity, None, "eq56"),
    *_claims(identity, LINES, "eq57 eq57/all-steps eq58 eq58/all-steps"),
    *_claims(agreement, LINES, "eq10.eq35 eq35.eq15 eq10.eq15"),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_forgetting"))

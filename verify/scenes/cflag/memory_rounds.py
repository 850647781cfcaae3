"""Rounds of C-FLAG on clients with memories: the gradients in its proofs, and the printed server rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from nqm.fields import Array, like
from nqm.mixtures import Quadratics
from verify.engine.model.scene import Box, Named, Shape
from verify.scenes.cflag.local_steps import Round as LocalWork
from verify.scenes.cflag.local_steps import local_round, order_space, refreshed
from verify.scenes.cflag.memories import Clients, IntArray, joint, together


def run_space(shape: Shape, n_samples: int) -> dict[str, Box]:
    """Parameters: start, fractions of the rate limits, and the samples (of `n_samples`) that are evaluated at each step."""
    return {
        "x": Box(-2, 2, (shape["d"],)),
        **order_space({**shape, "S": n_samples}),
        "alpha": Box(0.01, 1, scale="log"),
        "beta": Box(0.001, 1, scale="log"),
    }


def local_work(shape: Shape, values: Named, clients: Clients, samples: Quadratics, x: Array) -> LocalWork:
    """Local steps of Eq. (4) on `samples` (batch, path, N, J, d) from the server's model x (batch, path, d)."""
    fresh = refreshed({"S": samples.h.shape[3], "E": shape["E"]}, values["order"])
    return local_round(
        lambda y: samples.grad(y[..., None, :]),
        x[:, :, None] + 0 * samples.h[:, :, :, 0],
        values["beta"][:, None, None, None],
        clients.p,
        [chosen[:, None] for chosen in fresh],
    )


@dataclass(frozen=True)
class Round:
    """One round from the models x (batch, path, d); vectors are (batch, path, d), those of clients have an axis N.

    Attributes
    ----------
    gf, fd, gg, gh : arrays
        Gradients of the past data, of the memory, of the current data, of memory and current data.
    gf_i, fd_i : arrays
        Those of the clients.
    s, s_late : arrays
        Weighted sum of the delayed gradients of all local steps, and of all but the first.
    rho, e : arrays
        Weighted sums of the true gradients at the local models, and of the delays.
    ends : array
        Weighted mean of the local models at the end.
    """

    x: Array
    gf: Array
    fd: Array
    gg: Array
    gh: Array
    gf_i: Array
    fd_i: Array
    s: Array
    s_late: Array
    rho: Array
    e: Array
    ends: Array

    @property
    def b(self) -> Array:
        """Bias of the memory gradient."""
        return self.fd - self.gf


def play(shape: Shape, values: Named, clients: Clients, kept: IntArray, x: Array) -> Round:
    """One round with the memories `kept` (path, N, m0)."""
    at = x[:, :, None]
    work = local_work(shape, values, clients, clients.now, x)
    gf_i, fd_i = clients.past.mean(3).grad(at), clients.remembered(kept).mean(3).grad(at)
    delayed, errors = (list(map(work.average, parts)) for parts in (work.delayed, work.errors))
    return Round(
        x=x,
        gf=clients.across(gf_i),
        fd=clients.across(fd_i),
        gg=delayed[0],
        gh=together(clients, kept).grad(x),
        gf_i=gf_i,
        fd_i=fd_i,
        s=sum(delayed),
        s_late=sum(delayed[1:], 0 * x),
        rho=sum(delayed) - sum(errors),
        e=sum(errors),
        ends=work.average(work.points[-1]),
    )


Rule = Callable[[Round, Array, Array], Array]
"""(round, alpha, beta) -> model after the round; the rates are (batch, 1, 1)."""

SERVER: Mapping[str, Rule] = {
    "eq24": lambda r, alpha, beta: r.x - alpha * r.fd - beta * r.s,
    "eq7": lambda r, alpha, beta: r.x - alpha * r.fd - beta * r.ends,
    "alg1": lambda r, alpha, beta: r.x - (alpha * r.fd + r.ends),
    "sent": lambda r, alpha, beta: r.x - (r.ends - alpha * r.fd),
}
"""Rules of the server: Eq. (24); Eq. (7); line 12 of Algorithm 1 with the message of Algorithm 3, line 2; and line 12 with the
message that the text above Eq. (7) prints.
"""


def run(
    shape: Shape, values: Named, clients: Clients, kept: IntArray, rule: Rule = SERVER["eq24"]
) -> tuple[list[Round], Array]:
    """T rounds with the memories `kept` (path, T, N, m0), and the models after them, (batch, path, d)."""
    alpha, beta = (values[name][:, None, None] for name in ("alpha", "beta"))
    x, rounds = start(values, len(kept)), []
    for t in range(shape["T"]):
        rounds.append(play(shape, values, clients, kept[:, t], x))
        x = rule(rounds[-1], alpha, beta)
    return rounds, x


def joint_run(shape: Shape, values: Named, clients: Clients, kept: IntArray) -> list[Array]:
    """Models of T rounds of Eq. (67) and (68), in which the memories `kept` (path, N, m0) and current data form one data set."""
    samples, loss = joint(clients, kept), together(clients, kept)
    path = [start(values, len(kept))]
    for _ in range(shape["T"]):
        work = local_work(shape, values, clients, samples, path[-1])
        descent = loss.grad(path[-1]) + sum(map(work.average, work.delayed))
        path.append(path[-1] - values["beta"][:, None, None] * descent)
    return path


def start(values: Named, n_paths: int) -> Array:
    """The same first model on every path, (batch, path, d)."""
    return values["x"][:, None] + 0 * like(values["x"], np.zeros((n_paths, 1), dtype=int))

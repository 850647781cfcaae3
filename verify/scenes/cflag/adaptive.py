"""Scenes of C-FLAG's adaptive rates: any gradients of clients and memory at the end of a round's local steps.

Shapes: ``N`` clients, ``E`` local steps, ``d`` dimensions. Clients have weights p (batch, N) and delayed gradients (batch,
N, E, d), the first of which is the gradient at the server's model; a client's `a_i` is their sum.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from nqm.fields import Array, dot, like, norm, sq, stack
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cflag import adaptive_lines
from verify.scenes.cflag.adaptive_sums import (
    ALONE,
    AT_COMMON_RATES,
    COMPLETED,
    EXPECTED,
    EXPECTED_ALONE,
    NO_INTERACTION,
    WITHOUT_INTERACTION,
)


def sizes(**lists: int) -> Shape:
    """A shape with the sizes that were not named at their smallest."""
    return {"N": 1, "E": 1, "d": 1, **lists}


SHAPES = (sizes(), sizes(d=2), sizes(N=2), sizes(N=2, E=2), sizes(N=2, d=2), sizes(N=3, d=2), sizes(N=4, d=2))


def space(shape: Shape) -> dict[str, Box]:
    """Parameters of a round; the rates are fractions of their limits."""
    N, E, d = shape["N"], shape["E"], shape["d"]
    return {
        "raw": Box(0.1, 1, (N,)),
        "fd": Box(-2, 2, (d,)),
        "delayed": Box(-2, 2, (N, E, d)),
        "L": Box(0.1, 10, scale="log"),
        "m": Box(0.01, 10, scale="log"),
        "c": Box(0.01, 10, scale="log"),
        "other": Box(0.01, 10, scale="log"),
        "cap": Box(0.01, 10, scale="log"),
        "alpha": Box(0.01, 1, scale="log"),
        "beta": Box(0.01, 1, scale="log"),
    }


TOLD = {
    "raw": "the weights p_i of the clients are these over their sum",
    "fd": "the memory gradient",
    "delayed": "delayed gradients of the clients, client by client, step by step, coordinate by coordinate",
    "other": "a rate beta to compare with",
    "cap": "the largest rate at which beta_i is cut off",
}
"""Descriptions of the parameters of these scenes."""


def room(name: str, shape: Shape, values: Named) -> Array:
    """Largest rate of the search if no condition limits it."""
    return 4 / values["L"]


def weights_of(values: Named) -> Array:
    """p_i > 0 with sum 1, (batch, N)."""
    return values["raw"] / values["raw"].sum(axis=1)[:, None]


# ------------------------------------------------------------------------------------- one round at common rates


def pairs(p: Array, a: Array) -> tuple[Array, Array]:
    """Inner products C_ij and inner products of p_i a_i over pairs of clients: (..., pair); zeros (..., 1) for one client."""
    places = list(combinations(range(p.shape[-1]), 2))
    if not places:
        return 0 * p, 0 * p
    products = stack([dot(a[..., i, :], a[..., j, :]) for i, j in places], -1)
    both = stack([p[..., i] * p[..., j] for i, j in places], -1)
    return products, both * products


def gaps(p: Array, a: Array) -> Array:
    """Sum over pairs of clients of |p_i a_i - p_j a_j|^2, (...)."""
    scaled = p[..., None] * a
    parts = [sq(scaled[..., i, :] - scaled[..., j, :]) for i, j in combinations(range(p.shape[-1]), 2)]
    return sum(parts, 0 * p[..., 0])


def terms(p: Array, a: Array, Lam: Array, L: Array, rates: tuple[Array, Array], factor: int) -> Array:
    """Gamma_i of each client at rates (alpha, beta), (..., N)."""
    alpha, beta = rates
    return L * beta**2 / 2 * factor * p * sq(a) - beta * (1 - L * alpha) * Lam


def at_common_rates(p: Array, fd: Array, a: Array, L: Array, alpha: Array, beta: Array) -> Values:
    """Sums over clients with any leading axes: p (..., N), fd (..., d), a (..., N, d), numbers (...)."""
    s = (p[..., None] * a).sum(axis=-2)
    Lam = dot(fd[..., None, :], a)
    one = lambda x: x[..., None]  # noqa: E731
    N, rates = p.shape[-1], (one(alpha), one(beta))
    square, along = (p * sq(a)).sum(axis=-1), Lam.sum(axis=-1)
    C, scaled = pairs(p, a)
    listed = lambda factor: terms(p, a, Lam, one(L), rates, factor)  # noqa: E731
    joint = lambda factor: L * beta**2 / 2 * factor * square - beta * (1 - L * alpha) * along  # noqa: E731
    return {
        "s2": sq(s),
        "ds": dot(fd, s),
        "fd2": sq(fd),
        "Lam": (p * Lam).sum(axis=-1),
        "q2": (p**2 * sq(a)).sum(axis=-1),
        "cross": 2 * scaled.sum(axis=-1),
        "C_pair": C,
        "apart": gaps(p, a),
        "alone_av": listed(1),
        "alone_w": listed(N),
        "apart_av": joint(1),
        "apart_w": joint(N),
        "sum_av": (p * listed(1)).sum(axis=-1),
        "sum_w": (p * listed(N)).sum(axis=-1),
    }


def of_first(p: Array, fd: Array, a: Array, Lam: Array) -> Values:
    """One client, and the pair of the first two (the first twice, if it is alone)."""
    i, j = 0, min(1, p.shape[1] - 1)
    scaled = p[..., None] * a
    return {
        "p_i": p[:, 0],
        "a2": sq(a[:, 0]),
        "Lam_i": Lam[:, 0],
        "pair2": (p**2 * sq(a))[:, i] + (p**2 * sq(a))[:, j],
        "pair_apart2": sq(scaled[:, i] - scaled[:, j]),
        "pair_C": 2 * p[:, i] * p[:, j] * dot(a[:, i], a[:, j]),
    }


def along_memory(values: Named, fd: Array, a: Array, Lam: Array) -> Values:
    """Projection of a client's sum on the memory gradient, and the client's correction along it."""
    alpha, beta, fd2 = values["alpha"][:, None], values["beta"][:, None], sq(fd)
    unit = fd / norm(fd)[:, None]
    more = alpha * (1 - (Lam / fd2)[:, None])
    return {
        "fd": fd,
        "projected": dot(unit, a)[:, None] * unit,
        "sent_along": dot(more * fd + beta * a, fd) / fd2,
    }


def round_of(shape: Shape, values: Named) -> tuple[Array, Array, Array]:
    """Weights (batch, N), memory gradient (batch, d) and sums of the clients (batch, N, d)."""
    return weights_of(values), values["fd"], values["delayed"].sum(axis=2)


def common(shape: Shape, values: Named) -> Values:
    """All clients together, and the first of them."""
    p, fd, a = round_of(shape, values)
    found = at_common_rates(p, fd, a, values["L"], values["alpha"], values["beta"])
    return {**found, **of_first(p, fd, a, dot(fd[:, None], a))}


SUMS = Scene(
    name="gradients of clients and memory",
    shapes=SHAPES,
    space=space,
    compute=Proved(common, AT_COMMON_RATES),
    steps=("alpha", "beta"),
    free_step=room,
    told=TOLD,
    covers="equal as polynomials for 1 to 4 clients; both sides are the same in every coordinate, local step and client, "
    "and the coefficient of a pair of clients is the same for every number of them",
)


IN_TIME = SUMS.variant(
    "gradients of clients and memory in a run of T rounds",
    shapes=tuple({**sizes(), "T": T} for T in (1, 4, 9)),
)


def completed_squares(shape: Shape, values: Named) -> Values:
    """The excess of forgetting terms over their minima; all sums must be nonzero."""
    found, N = common(shape, values), shape["N"]
    L, alpha, beta = (values[name] for name in ("L", "alpha", "beta"))
    excess = lambda square, along: (L * square * beta - (1 - L * alpha) * along) ** 2 / (2 * L * square)  # noqa: E731
    own = found["p_i"] * found["a2"]
    return {
        **found,
        "short": excess(found["s2"], found["Lam"]),
        "short_av": excess(own, found["Lam_i"]),
        "short_w": excess(N * own, found["Lam_i"]),
    }


SQUARES = SUMS.variant(
    "gradients of clients and memory that differ from zero",
    shapes=(sizes(), sizes(d=2), sizes(N=2)),
    compute=Proved(completed_squares, COMPLETED),
    covers="equal as rational functions for 1 and 2 clients; sums over more clients are any vectors, too",
)


def projections(shape: Shape, values: Named) -> Values:
    """The inner product of the first client's sum with the memory gradient, and its projection."""
    _, fd, a = round_of(shape, values)
    Lam = dot(fd, a[:, 0])
    return {"fd2": sq(fd), "Lam_i": Lam, **along_memory(values, fd, a[:, 0], Lam)}


PROJECTED = SUMS.variant(
    "a client's gradients along the memory gradient",
    shapes=(sizes(), sizes(d=2), sizes(E=2, d=2)),
    compute=Proved(projections, (adaptive_lines.PROJECTED,)),
    covers="equal as algebraic functions in 1 and 2 dimensions, which a plane through both vectors has; a client's sum is "
    "any vector",
)


def one_rate(scene: Scene, name: str) -> Scene:
    """`scene` with beta equal to alpha, as Section 5 fixes them."""

    def compute(shape: Shape, values: Named) -> Values:
        beta = values["alpha"]
        return {**scene.compute(shape, {**values, "beta": beta}), "beta": beta}

    def without_beta(shape: Shape) -> dict[str, Box]:
        return {name: box for name, box in scene.space(shape).items() if name != "beta"}

    return scene.variant(
        name, space=without_beta, compute=compute, steps=tuple(step for step in scene.steps if step != "beta")
    )


ONE_RATE = one_rate(SUMS, "gradients of clients and memory, one rate")
PROJECTED_ONE_RATE = one_rate(PROJECTED, "a client's gradients along the memory gradient, one rate")
PROJECTED_ONE_RATE = replace(
    PROJECTED_ONE_RATE, compute=Proved(PROJECTED_ONE_RATE.compute, (adaptive_lines.NEGATED,))
)


def without_interaction(p: Array, delayed: Array) -> Array:
    """`delayed` (..., N, E, d) with the last client's last gradient moved so that sum_ij p_i p_j C_ij = 0.

    This expression is linear in the last client's sum, so a suitable multiple of the others' sum makes it zero.
    """
    N = p.shape[-1]
    if N == 1:
        return delayed
    a = delayed.sum(axis=-2)
    others = (p[..., :-1, None] * a[..., :-1, :]).sum(axis=-2)
    _, among = pairs(p[..., :-1], a[..., :-1, :])
    excess = among.sum(axis=-1) / p[..., -1] + dot(a[..., -1, :], others)
    move = (excess / sq(others))[..., None] * others
    # a mask: 1 at the last gradient of the last client, 0 elsewhere
    last = [
        [int((i, k) == (N - 1, delayed.shape[-2] - 1)) for k in range(delayed.shape[-2])] for i in range(N)
    ]
    return delayed - like(delayed, last)[..., None] * move[..., None, None, :]


def apart(scene: Scene, name: str, covers: str = "") -> Scene:
    """`scene` for clients whose total interaction is zero: the average case."""

    def compute(shape: Shape, values: Named) -> Values:
        delayed = without_interaction(weights_of(values), values["delayed"])
        return scene.compute(shape, {**values, "delayed": delayed})

    return scene.variant(name, compute=compute, covers=covers)


SMALL = (*SHAPES[:5], sizes(N=3))
APART = replace(
    apart(
        SUMS,
        "gradients of clients that do not interact on the whole",
        "equal as rational functions for 1 to 3 clients; the condition is one equation for every number of them",
    ),
    shapes=SMALL,
)
APART = replace(APART, compute=Proved(APART.compute, (WITHOUT_INTERACTION, NO_INTERACTION), (ALONE,)))


# --------------------------------------------------------------------------------- expectations over the memory


def expected(shape: Shape, values: Named) -> Values:
    """Two equally likely memories; the delayed gradients may depend on them. They are an axis after the batch."""
    p = weights_of(values)[:, None] + 0 * values["fd"][..., :1]
    numbers = [values[name][:, None] for name in ("L", "alpha", "beta")]
    found = at_common_rates(p, values["fd"], values["delayed"].sum(axis=3), *numbers)
    mean = lambda x: x.sum(axis=1) / x.shape[1]  # noqa: E731
    L, alpha, beta = numbers
    Gamma = lambda rate: L / 2 * rate**2 * found["s2"] - rate * (1 - L * alpha) * found["ds"]  # noqa: E731
    best = (1 - L * alpha) * found["Lam"] / (L * found["s2"])
    return {
        "mean_Gamma": mean(Gamma(beta)),
        "mean_av": mean(found["sum_av"]),
        "mean_w": mean(found["sum_w"]),
        "mean_best": mean(Gamma(best)),
        "mean_apart": mean(found["apart"]),
        "cross": found["cross"],
        "Lam": found["Lam"],
        "s2": found["s2"],
    }


MEMORIES = Scene(
    name="two memories",
    shapes=SHAPES[:6],
    space=lambda shape: {
        **space(shape),
        "fd": Box(-2, 2, (2, shape["d"])),
        "delayed": Box(-2, 2, (2, shape["N"], shape["E"], shape["d"])),
    },
    compute=Proved(expected, EXPECTED),
    told=TOLD,
    steps=("alpha", "beta"),
    free_step=room,
    covers="equal as polynomials for 1 to 4 clients and two memories; expectations are sums",
)


def _expected_apart(shape: Shape, values: Named) -> Values:
    p = weights_of(values)[:, None] + 0 * values["fd"][..., :1]
    return expected(shape, {**values, "delayed": without_interaction(p, values["delayed"])})


MEMORIES_APART = MEMORIES.variant(
    "two memories, clients that do not interact on the whole",
    shapes=SMALL[:5],
    compute=Proved(_expected_apart, EXPECTED_ALONE, (ALONE,)),
    covers="equal as rational functions for 1 and 2 clients and two memories; expectations are sums",
)

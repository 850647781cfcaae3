"""Scenes of the matrix Q of CFL, Eq. (34): its quadratic forms, its elimination, its entries."""

from __future__ import annotations

from bounds.catalogue import statement
from bounds.cfl.matrix import z2, z_first, z_tails
from bounds.cfl.symbols import alpha
from bounds.relations import le, lt
from nqm.fields import Array, sq
from verify.engine.model.scene import Box, Fact, Named, Proved, Scene, Shape, Values
from verify.scenes.cfl.weights import decays, loss_matrix, matrix_of, pair_sum, past_of

SQUARED = Box(0, 4)
"""Range of a squared constant."""


def tails_of(alpha: Array, z: Array) -> list[Array]:
    """sum_(tau >= s) alpha^(tau-s) z_tau for every s, each (batch,)."""
    t = z.shape[-1]
    return [sum(alpha ** (tau - s) * z[:, tau] for tau in range(s, t)) for s in range(t)]


def sums_of_neighbours(shape: Shape, values: Named) -> Array:
    """What 2 (1 + alpha^2) times the squared tails have more than the squared entries."""
    alpha, tails = values["alpha"], tails_of(values["alpha"], values["z"])
    following = [*tails[1:], 0 * alpha]
    squares = sum((a + alpha * b) ** 2 for a, b in zip(tails, following, strict=True))
    return squares + 2 * alpha**2 * tails[0] ** 2


def forms(shape: Shape, values: Named) -> Values:
    """Quadratic forms of Q, M_F and M_R, and what M_R does to two vectors."""
    t, alpha, z = shape["t"], values["alpha"], values["z"]
    drift = values["D2"][:, None, None] * decays(alpha, t)
    u, loss = past_of(t, z) + 0 * z, loss_matrix(values["R2"], t)
    times = lambda x: (loss * x[:, None, :]).sum(axis=2)  # noqa: E731
    past = (u * z).sum(axis=1)
    tails = tails_of(alpha, z)
    return {
        "z2": sq(z),
        "zQz": pair_sum(z, matrix_of(alpha, values["D2"], values["R2"], t)),
        "zMz": pair_sum(z, drift),
        "zMRz": pair_sum(z, loss),
        "u": u,
        "MRu": times(u),
        "MRv": times(z - u * past[:, None] / max(t - 1, 1)),
        "z_past": past,
        "z_first": tails[0],
        "z_tails": sum((tail**2 for tail in tails[1:]), 0 * alpha),
    }


ENTRIES_BOUNDED = Fact(
    le(z2, 2 * (1 + alpha**2) * (z_first**2 + z_tails)),
    Scene(
        name="entries of z by its tails",
        shapes=tuple({"t": t} for t in (1, 2, 3, 4)),
        space=lambda shape: {
            **dict.fromkeys(("alpha", "D2", "R2"), Box(0.1, 0.9)),
            "z": Box(-1, 1, (shape["t"],)),
        },
        compute=lambda shape, values: {**forms(shape, values), "slack": sums_of_neighbours(shape, values)},
        covers="an identity in 1 to 4 entries; each is a tail less alpha times the next, and |a - b|^2 + |a + b|^2 is "
        "2 |a|^2 + 2 |b|^2",
    ),
    "slack",
)


def squared(shape: Shape, values: Named) -> Values:
    """The form of Q as squares, of which one has what alpha < 1 leaves as its factor."""
    found, alpha = forms(shape, values), values["alpha"]
    tails = found["z_first"] ** 2 + values["less"] * (1 + alpha) * found["z_tails"]
    past = values["R2"] * found["z_past"] ** 2
    return {**found, "left": 1 - alpha, "slack": values["D2"] * tails + past}


SEMIDEFINITE = Fact(
    statement("cfl.lemB.9/semidefinite").compared,
    Scene(
        name="the form of Q as squares",
        shapes=tuple({"t": t} for t in (1, 2, 3, 4, 5)),
        space=lambda shape: {
            **dict.fromkeys(("alpha", "D2", "R2"), Box(0, 1)),
            "less": Box(0, 1),
            "z": Box(-1, 1, (shape["t"],)),
        },
        compute=squared,
        covers="an identity in 1 to 5 entries; a further entry adds the square of its tail",
    ),
    "slack",
    {"less": ("left", lt(alpha, 1))},
)
FORMS = Scene(
    name="forms of Q",
    shapes=tuple({"t": t} for t in (1, 2, 3, 4, 5)),
    space=lambda shape: {"alpha": Box(0, 0.95), "D2": SQUARED, "R2": SQUARED, "z": Box(-2, 2, (shape["t"],))},
    compute=Proved(forms, (ENTRIES_BOUNDED,)),
    covers="equal as polynomials for t = 1 to 5; the coefficient of a pair of entries of z does not depend on t, but on "
    "whether they are past (powers of alpha are geometric sums)",
)


def row_operations(shape: Shape, values: Named) -> Values:
    """One entry of M_F after elimination below the diagonal."""
    rest = values["D2"][:, None, None] * decays(values["alpha"], shape["t"])
    for _ in range(shape["i"] - 1):
        factor = rest[:, 1:, :1] / rest[:, :1, :1]
        rest = rest[:, 1:, 1:] - factor * rest[:, :1, 1:]
    return {"eliminated": rest[:, 0, shape["j"] - shape["i"]]}


ROWS = Scene(
    name="row operations on M_F",
    shapes=tuple(
        {"t": j + more, "i": i, "j": j}
        for i, j, more in ((2, 2, 0), (2, 3, 0), (3, 3, 0), (2, 4, 1), (4, 4, 0))
    ),
    space=lambda shape: {"alpha": Box(0.05, 0.95), "D2": Box(0.05, 4)},
    compute=row_operations,
    covers="equal as rational functions for i <= j <= 4; a row less alpha times the row above it is the row that is "
    "printed, for every i and j",
)

ENTRIES = Scene(
    name="whole D^2, R^2 and distance",
    shapes=tuple(
        {"apart": apart, "D2": D, "R2": R} for apart, D, R in ((0, 1, 1), (1, 1, 1), (1, 2, 1), (2, 1, 3))
    ),
    space=lambda shape: {"alpha": Box(0.05, 0.95)},
)

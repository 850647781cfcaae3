"""Scenes of the matrix Q of CFL, Eq. (34): its quadratic forms, its elimination, its entries."""

from __future__ import annotations

from nqm.fields import Array, sq
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cfl.decay_sums import OF_FORMS, OF_ROWS
from verify.scenes.cfl.weights import decays, loss_matrix, matrix_of, pair_sum, past_of

SQUARED = Box(0, 4)
"""Range of a squared constant."""


def tails_of(alpha: Array, z: Array) -> list[Array]:
    """sum_(tau >= s) alpha^(tau-s) z_tau for every s, each (batch,)."""
    t = z.shape[-1]
    return [sum(alpha ** (tau - s) * z[:, tau] for tau in range(s, t)) for s in range(t)]


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


FORMS = Scene(
    name="forms of Q",
    shapes=tuple({"t": t} for t in (1, 2, 3, 4, 5)),
    space=lambda shape: {"alpha": Box(0, 0.95), "D2": SQUARED, "R2": SQUARED, "z": Box(-2, 2, (shape["t"],))},
    compute=Proved(forms, OF_FORMS),
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
        {"t": j + more, "i": i, "j": j, "place": j - i + 1}
        for i, j, more in ((2, 2, 0), (2, 3, 0), (3, 3, 0), (2, 4, 1), (4, 4, 0))
    ),
    space=lambda shape: {"alpha": Box(0.05, 0.95), "D2": Box(0.05, 4)},
    compute=Proved(row_operations, (OF_ROWS,)),
)

ENTRIES = Scene(
    name="whole D^2, R^2 and distance",
    shapes=tuple(
        {"apart": apart, "D2": D, "R2": R} for apart, D, R in ((0, 1, 1), (1, 1, 1), (1, 2, 1), (2, 1, 3))
    ),
    space=lambda shape: {"alpha": Box(0.05, 0.95)},
)

"""The suprema of Assumptions 4.1 to 4.6 of SPECIAL as bounds on gradients and noise at a single model.

Facts about arbitrary gradients use these definitions. Scenes that use the facts test the definitions at models of their worlds.
"""

from __future__ import annotations

import sympy as sp

from bounds.relations import le
from bounds.special import symbols as b
from nqm.fields import Array, concatenate, sq, stack
from nqm.noise import atoms
from nqm.world import World
from verify.engine.model.scene import Condition, Named, Shape, Values
from verify.scenes.federated import build, origin


def _square(of: str) -> sp.Symbol:
    return sp.Symbol(f"{of}2_each", nonnegative=True)


SENT = le(_square("sent"), b.g_sup**2)
"""Bound on each stochastic gradient."""
LENGTH = le(sp.sqrt(_square("sent")), b.g_sup)
NOISE = le(_square("noise"), b.noise_sup)
CLIENTS = le(_square("client"), b.client_sup)
"""Bound on each client's gradient minus that of the task."""
TASKS = le(_square("task"), b.task_sup)
"""Bound on the current task's gradient minus that of each other task."""
WAY = _square("way")
TURNED = le(_square("turn"), b.L_sup**2 * WAY)
"""Bound on the change of a gradient between two models; "way" is the difference of the models."""
BENT = le(sp.sqrt(_square("turn")), b.L_sup * sp.sqrt(WAY))
DEFINES = (SENT, LENGTH, NOISE, CLIENTS, TASKS, TURNED, BENT)

_BOUNDED, _SMOOTH = le(b.g_sup, b.B), le(b.L_sup, b.L)
OF_SENT = (_BOUNDED, SENT)
OF_NOISE = (le(b.noise_sup, b.sigma_L2), NOISE)
OF_CLIENTS = (le(b.client_sup, b.sigma_G2), CLIENTS)
OF_TASKS = (le(b.task_sup, b.sigma_T2), TASKS)
OF_TURNS, OF_BENDS = (_SMOOTH, TURNED), (_SMOOTH, BENT)
"""An assumption, and the definition that applies it to single gradients."""
Right = tuple[Condition, Condition]


def turns(*pairs: tuple[Array, Array]) -> Values:
    """Squared changes of gradients and squared distances of models, (batch, ..., d) each, for each pair."""
    changes, ways = [], []
    for change, way in pairs:
        turned, walked = sq(change), sq(way)
        changes.append((turned + 0 * walked).reshape(turned.shape[0], -1))
        ways.append((walked + 0 * turned).reshape(turned.shape[0], -1))
    return {"turn2_each": concatenate(changes, 1), "way2_each": concatenate(ways, 1)}


def terms_at(world: World, models: Array) -> Values:
    """The terms of the suprema at some models (batch, n, d), and between the first model and the others."""
    wide = models[..., None, :] + 0 * stack([models] * world.n_clients, -2)
    tasks = range(world.n_tasks)
    grads = stack([world.grad(wide, task) for task in tasks], 2)  # (batch, n, K, M, d)
    signs = atoms("axis", models.shape[-1])[0].astype(float)
    noise = stack([stack([world.at(task).scale * u + 0 * wide for u in signs], -2) for task in tasks], 2)
    each = grads.sum(axis=3) / world.n_clients
    return {
        "sent2_each": sq(grads[..., None, :] + noise),
        "noise2_each": sq(noise).sum(axis=-1) / len(signs),
        "client2_each": sq(grads - each[..., None, :]),
        "task2_each": sq(each - each[:, :, :1]),
        **turns((grads - grads[:, :1], (models - models[:, :1])[:, :, None, None])),
    }


def terms(shape: Shape, values: Named) -> Values:
    """The terms of the suprema at the start, at the clients' centres, slopes or waves, half the way to them, and beyond."""
    some = next(values[name] for name in ("centre", "slope", "wave") if name in values)
    apart = some.reshape(some.shape[0], -1, shape["d"])
    models = concatenate([origin(shape, values), apart, apart / 2, 4 * apart], 1)
    return terms_at(build(shape, values), models)

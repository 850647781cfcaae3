"""Quantities of rounds of C-FLAG, under the names of the paper: inner products, losses, constants of a run.

Arrays are (batch, path) in one round and (batch, round, path) in several; quantities of clients have a further axis.
"""

from __future__ import annotations

from collections.abc import Sequence

from nqm.fields import Array, amax, amin, dot, norm, sq, stack
from verify.engine.model.scene import Named, Shape, Values
from verify.scenes.cflag.memories import (
    Clients,
    IntArray,
    clients_of,
    one_draw,
    ratio,
    spread_at,
    suprema,
    together,
)
from verify.scenes.cflag.memory_rounds import SERVER, Round, Rule, play, run, start


def measured(now: Round) -> Values:
    """Squared norms and inner products of a round."""
    b = now.b
    return {
        **{"gf2": sq(now.gf), "fd2": sq(now.fd), "gg2": sq(now.gg), "gh2": sq(now.gh), "b2": sq(b)},
        **{"fb": dot(now.gf, b), "fs": dot(now.gf, now.s), "bs": dot(b, now.s), "ds": dot(now.fd, now.s)},
        **{"bs_late": dot(b, now.s_late), "ds_late": dot(now.fd, now.s_late)},
        **{"s2": sq(now.s), "s2_late": sq(now.s_late), "rho2": sq(now.rho), "e2": sq(now.e)},
        **{
            "fd_rho": dot(now.fd, now.rho),
            "fd_e": dot(now.fd, now.e),
            "gap2": sq(now.gg - now.fd),
            "gs": dot(now.gg, now.s),
        },
        **{"gf2_i": sq(now.gf_i + 0 * now.fd_i), "b2_i": sq(now.fd_i - now.gf_i), "fd2_i": sq(now.fd_i)},
    }


def norms(now: Round) -> Values:
    """Norms of a round, for the lines of the proofs that contain norms."""
    vectors = {"fd_n": now.fd, "gg": now.gg, "rho": now.rho, "ebar": now.e}
    return {name: norm(vector) for name, vector in vectors.items()}


def ratios(values: Named, rounds: Sequence[Round]) -> Values:
    """The smallest r_i (batch, N) and r (batch,) of Assumption 3 that are valid in all given rounds on every path, with slack."""
    each = [ratio(norm(now.fd_i), norm(now.gg)[..., None]) for now in rounds]
    largest = amax(stack(each, axis=1), (1, 2))
    more = 1 + values["room"]
    return {"r_i": largest * more[:, None], "r": amax(largest, -1) * more}


def clients_and_round(shape: Shape, values: Named) -> tuple[Clients, IntArray, Round]:
    """The clients, every draw of their memories, and a round from the model x with each of them."""
    clients, kept = clients_of(shape, values), one_draw(shape)
    return clients, kept, play(shape, values, clients, kept, start(values, len(kept)))


def one_round(shape: Shape, values: Named, rule: Rule = SERVER["eq24"]) -> Values:
    """A round from the model x with every memory, and its change of the past loss; the server moves by `rule`."""
    clients, _, now = clients_and_round(shape, values)
    loss = clients.of_all(clients.past.mean(3)).loss
    after = rule(now, *(values[name][:, None, None] for name in ("alpha", "beta")))
    return {
        **measured(now),
        **suprema(clients),
        "f_now": loss(now.x),
        "f_next": loss(after),
        "along": dot(now.gf, after - now.x),
        "moved2": sq(after - now.x),
    }


def bounded_round(shape: Shape, values: Named) -> Values:
    """The round of `one_round` with norms, the quantities of Assumption 3, omega^2, and the loss of memory and current data."""
    clients, kept, now = clients_and_round(shape, values)
    after = SERVER["eq24"](now, *(values[name][:, None, None] for name in ("alpha", "beta")))
    joint, found = together(clients, kept), ratios(values, [now])
    return {
        **measured(now),
        **suprema(clients),
        **norms(now),
        **{"h_now": joint.loss(now.x), "h_next": joint.loss(after)},
        **found,
        "r_i": found["r_i"][:, None],
        "omega2": spread_at(shape, clients, kept, now.x),
    }


def by_round(rounds: Sequence[Round]) -> dict[str, Array]:
    """`measured` of every round, (batch, round, path, ...)."""
    each = [measured(now) for now in rounds]
    return {name: stack([one[name] for one in each], axis=1) for name in each[0]}


def whole_run(shape: Shape, values: Named, clients: Clients, kept: IntArray) -> Values:
    """T rounds with the memories `kept` (path, T, N, m0): every round, the past loss before each, and the constants."""
    rounds, after = run(shape, values, clients, kept)
    loss = clients.of_all(clients.past.mean(3)).loss
    found = ratios(values, rounds)
    return {
        **by_round(rounds),
        **suprema(clients),
        "f": stack([loss(x) for x in (*(now.x for now in rounds), after)], axis=1),
        **found,
        "r_i": found["r_i"][:, None, None],
        "m_i": values["m_i"][:, None],
    }


def joint_losses(shape: Shape, values: Named, clients: Clients, kept: IntArray) -> Values:
    """Loss of memory and current data along T rounds with memories drawn once, (batch, round, path), and omega^2."""
    rounds, after = run(shape, values, clients, kept)
    joint = together(clients, kept[:, 0])
    spread = [spread_at(shape, clients, kept[:, 0], now.x) for now in rounds]
    return {
        "h": stack([joint.loss(x) for x in (*(now.x for now in rounds), after)], axis=1),
        "omega2": amax(stack(spread, axis=1), 1),
    }


def forgotten(L: Array, alpha: Array, beta: Array, s2: Array, ds: Array) -> Array:
    """Gamma(t), from the squared sum of delayed gradients and its inner product with the memory gradient."""
    return L / 2 * beta**2 * s2 - beta * (1 - L * alpha) * ds


def expected(values: Named, found: Named) -> Values:
    """Expectations over the memories of the quantities of `whole_run`: indexed ones (round, batch, 1), others (batch, round)."""
    mean = lambda x: x.sum(axis=2) / x.shape[2]  # noqa: E731
    each = lambda name: values[name][:, None]  # noqa: E731
    alpha, beta, L = (each(name) for name in ("alpha", "beta", "L"))
    known = {
        name: mean(found[name])
        for name in ("gf2", "fb", "bs", "bs_late", "s2", "s2_late", "ds", "ds_late", "f")
    }
    over = lambda along: (L * alpha**2 - alpha) * known["fb"] + beta * known[along]  # noqa: E731
    forget = lambda squared, along: forgotten(L, alpha, beta, known[squared], known[along])  # noqa: E731
    first = lambda x: x.swapaxes(0, 1)[..., None]  # noqa: E731
    named = {
        "fs_mean": "f",
        "fbs": "fb",
        "bss": "bs",
        "bss_late": "bs_late",
        "s2s": "s2",
        "s2s_late": "s2_late",
    }
    named |= {"dss": "ds", "dss_late": "ds_late"}
    return {
        **{name: first(known[of]) for name, of in named.items()},
        "each_gf2": known["gf2"],
        "least_gf2": amin(known["gf2"], 1),
        "average_gf2": known["gf2"].sum(axis=1) / known["gf2"].shape[1],
        "falls": known["f"][:, :-1] - known["f"][:, 1:],
        "F": known["f"][:, 0] - known["f"][:, -1],
        "F_path": found["f"][:, 0] - found["f"][:, -1],
        **{"over_each": over("bs"), "over_each_late": over("bs_late")},
        **{"forget_each": forget("s2", "ds"), "forget_each_late": forget("s2_late", "ds_late")},
    }

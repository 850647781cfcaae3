"""What is measured in rounds of C-FLAG, under the names of the paper: inner products, losses, constants of a run.

Arrays are (batch, path) in one round and (batch, round, path) in several; quantities of clients have a further axis.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nqm.fields import Array, amax, dot, norm, sq, stack
from verify.engine.memories import IntArray, clients_of, one_draw, ratio, spread_at, together
from verify.engine.memory_rounds import SERVER, Round, Rule, play, run, start
from verify.engine.scene import Shape, Values

Named = Mapping[str, Any]


def measured(now: Round) -> Values:
    """Squared norms and inner products of a round."""
    b = now.b
    return {
        **{"gf2": sq(now.gf), "fd2": sq(now.fd), "gg2": sq(now.gg), "gh2": sq(now.gh), "b2": sq(b)},
        **{"fb": dot(now.gf, b), "fs": dot(now.gf, now.s), "bs": dot(b, now.s), "ds": dot(now.fd, now.s)},
        **{"bs_late": dot(b, now.s_late), "ds_late": dot(now.fd, now.s_late)},
        **{"s2": sq(now.s), "s2_late": sq(now.s_late), "rho2": sq(now.rho), "e2": sq(now.e)},
        **{"fd_rho": dot(now.fd, now.rho), "fd_e": dot(now.fd, now.e), "gap2": sq(now.gg - now.fd)},
    }


def norms(now: Round) -> Values:
    """Norms of a round, for those lines of the proofs that speak of norms."""
    vectors = {"fd_n": now.fd, "gg": now.gg, "rho": now.rho, "ebar": now.e}
    return {name: norm(vector) for name, vector in vectors.items()}


def bounded(values: Named, rounds: Sequence[Round]) -> Values:
    """Both sides of Assumptions 2 and 3 in the given rounds, (batch, round, path, N), and r_i and r with room.

    The r_i are the least numbers that serve in all of these rounds, on every path.
    """
    gather = lambda of: stack([of(now) for now in rounds], axis=1)  # noqa: E731
    fd_i, gg = gather(lambda now: now.fd_i), gather(lambda now: now.gg)
    more, largest = 1 + values["room"], amax(ratio(norm(fd_i), norm(gg)[..., None]), (1, 2))
    return {
        "gf2_i": gather(lambda now: sq(now.gf_i + 0 * now.fd_i)),
        "b2_i": gather(lambda now: sq(now.fd_i - now.gf_i)),
        "m_i": values["m_i"][:, None],
        "fd2_i": sq(fd_i),
        "gg2_i": sq(gg)[..., None],
        "r_i": largest[:, None, None] * more[:, None, None, None],
        "r": amax(largest, -1) * more,
    }


def one_round(shape: Shape, values: Named, rule: Rule = SERVER["eq24"]) -> Values:
    """A round from the model x with every memory; the server moves by `rule`."""
    clients, kept = clients_of(shape, values), one_draw(shape)
    now = play(shape, values, clients, kept, start(values, len(kept)))
    after = rule(now, *(values[name][:, None, None] for name in ("alpha", "beta")))
    past, joint = clients.of_all(clients.past.mean(3)), together(clients, kept)
    return {
        **measured(now),
        **{"f_now": past.loss(now.x), "f_next": past.loss(after)},
        **{"h_now": joint.loss(now.x), "h_next": joint.loss(after)},
        "along": dot(now.gf, after - now.x),
        "moved2": sq(after - now.x),
        "omega2": spread_at(shape, clients, kept, now.x),
        **one_round_bounds(values, now),
    }


def one_round_bounds(values: Named, now: Round) -> Values:
    """`bounded` of a single round, without the axis of rounds."""
    found = bounded(values, [now])
    squeezed = {name: found[name][:, 0] for name in ("gf2_i", "b2_i", "fd2_i", "gg2_i", "m_i", "r_i")}
    return {**squeezed, "r": found["r"]}


Draws = Callable[[Shape], IntArray]
"""shape -> memories of every path, (path, T, N, m0)."""


def several_rounds(shape: Shape, values: Named, draws: Draws) -> tuple[list[Values], Values]:
    """What is measured in each of T rounds, (batch, path), and what concerns the run as a whole."""
    clients, kept = clients_of(shape, values), draws(shape)
    rounds, after = run(shape, values, clients, kept)
    past = clients.of_all(clients.past.mean(3))
    each = [{**measured(now), "f": past.loss(now.x)} for now in rounds]
    return each, {**bounded(values, rounds), "f_end": past.loss(after)}

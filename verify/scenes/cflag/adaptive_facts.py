"""Facts about clients with rates of their own (C-FLAG, Table 1 and Lemma 7): sums over any clients of any terms.

A client's term depends on its weight, its Lambda_i and the square of its sum alone, so these may be any numbers, but that
the sum of a client with Lambda_i > 0 is not zero.
"""

from __future__ import annotations

from itertools import combinations

from bounds.catalogue import statement
from bounds.cflag.symbols import L, alpha, fd2
from bounds.relations import gt, le
from nqm.fields import Array, sq
from verify.engine.scene import Box, Fact, Named, Scene, Shape, Values


def of_clients(shape: Shape, values: Named) -> Values:
    """Terms of clients of which the first `r` keep beta and raise alpha, the others keep alpha and take their best beta."""
    cases = {"av": 1, "w": shape["N"]}
    found = [_of_case(case, factor, shape, values) for case, factor in cases.items()]
    return {name: value for parts in found for name, value in parts.items()} | {"fd2": values["fd2"]}


def _of_case(case: str, factor: int, shape: Shape, values: Named) -> Values:
    """Quantities of the case with this factor on p_i, and what Lemma 6 and the best rates leave."""
    p, Lam = values["p_each"], values["Lam_any"]
    alpha, L, fd2 = (values[name] for name in ("alpha", "L", "fd2"))
    agree = 1 - L * alpha
    interfering, transferring = range(shape["r"]), range(shape["r"], shape["N"])
    squares = [
        values["a2_interfering" if i in interfering else "a2_transferring"][:, i] for i in range(shape["N"])
    ]

    def term(i: int, on_memory: Array, on_current: Array) -> Array:
        square = L * on_current**2 / 2 * factor * p[:, i] * squares[i]
        return p[:, i] * (square - on_current * (1 - L * on_memory) * Lam[:, i])

    cost = lambda i: L * factor * p[:, i] * squares[i]  # noqa: E731
    over = lambda part, clients: sum(map(part, clients), 0 * alpha)  # noqa: E731
    common = lambda i: term(i, alpha, alpha)  # noqa: E731
    raised = lambda i: term(i, alpha * (1 - Lam[:, i] / fd2), alpha)  # noqa: E731
    best = lambda i: term(i, alpha, agree * Lam[:, i] / cost(i))  # noqa: E731
    least = lambda i: -p[:, i] * (agree * Lam[:, i]) ** 2 / (2 * cost(i))  # noqa: E731
    gained = lambda i: L * p[:, i] * (alpha * Lam[:, i] / fd2) ** 2 * values["room_fd2"]  # noqa: E731
    short = lambda i: p[:, i] * (cost(i) * alpha - agree * Lam[:, i]) ** 2 / (2 * cost(i))  # noqa: E731
    found = {
        "ad": over(raised, interfering) + over(best, transferring),
        "ad_I": over(raised, interfering),
        "ad_T": over(best, transferring),
        "sum": over(common, range(shape["N"])),
        "sum_I": over(common, interfering),
        "sum_T": over(common, transferring),
        "best_T": over(least, transferring),
        "slack eq197": over(gained, interfering),
        "slack eq198": over(short, transferring),
    }
    return {f"{name}_{case}": value for name, value in found.items()}


_CLIENTS = Scene(
    name="terms of any clients, some of which interfere",
    shapes=tuple({"N": N, "r": r} for N in (1, 2, 3) for r in range(N + 1)),
    space=lambda shape: {
        **{name: Box(0.1, 1, (shape["N"],)) for name in ("p_each", "a2_transferring")},
        **{name: Box(-2, 2, (shape["N"],)) for name in ("Lam_any", "a2_interfering")},
        **{name: Box(0.1, 1) for name in ("alpha", "L", "fd2", "room_fd2")},
    },
    compute=of_clients,
    covers="an identity between terms of up to 3 clients of which any first ones interfere, the same for every further client; "
    "a client with Lambda_i > 0 has a sum that is not zero",
)


def in_two_parts(shape: Shape, values: Named) -> Values:
    """Sums over the first `r` clients, over the others and over all, of any terms."""
    first, last = (
        values["each"][:, part].sum(axis=1) for part in (slice(shape["r"]), slice(shape["r"], None))
    )
    sums = {"ad": values["each"].sum(axis=1), "ad_I": first, "ad_T": last}
    return {f"{name}_{case}": value for case in ("av", "w") for name, value in sums.items()}


_TERMS = Scene(
    name="any terms of clients, some of which interfere",
    shapes=_CLIENTS.shapes,
    space=lambda shape: {"each": Box(-2, 2, (shape["N"],))},
    compute=in_two_parts,
    covers="an identity between terms of up to 3 clients, the same for every further one",
)


def _facts(case: str, suffix: str) -> tuple[Fact, ...]:
    relation = lambda number: statement(f"cflag.eq{number}.{case}").compared  # noqa: E731
    divided = {"room_fd2": ("fd2", gt(fd2, 0))}
    return (
        Fact(relation(196), _TERMS),
        Fact(relation(197), _CLIENTS, f"slack eq197_{suffix}", divided),
        Fact(relation(198), _CLIENTS, f"slack eq198_{suffix}"),
        Fact(relation(199), _CLIENTS),
    )


OF_CLIENTS = (*_facts("average", "av"), *_facts("worst", "w"))
"""Lemma 7, Eq. (196) to (199), in both cases."""


# ------------------------------------------------------------------------------- the forgetting term of the round


def in_round(shape: Shape, values: Named) -> Values:
    """The forgetting term of a round at worst-case rates, in which each client moves the model by any vector.

    That of a transferring client, p_i beta_i a_i, is 1 - L alpha times Lambda_i a_i / (L N |a_i|^2), which is any vector, too.
    """
    N, r = shape["N"], shape["r"]
    alpha, L, fd2, against = (values[name] for name in ("alpha", "L", "fd2", "against"))
    agree = 1 - L * alpha
    moves, ways = values["moves"][:, :r], values["moves"][:, r:]
    ways2 = sq(ways).sum(axis=1)
    along = L * N * agree * ways2
    everyone = [*(moves[:, i] for i in range(r)), *(agree[:, None] * ways[:, i] for i in range(N - r))]
    apart = sum((sq(a - b) for a, b in combinations(everyone, 2)), 0 * L)
    raised = alpha * (1 + against / fd2)
    spare = L * N * values["room_agree"] * ways2 * values["room_little"] / 2 + L * (alpha * against) ** 2
    return {
        "round_w": L / 2 * sq(sum(everyone)) - (1 - L * raised) * (along - alpha * against),
        "sum_I_w": L * N / 2 * sq(moves).sum(axis=1) + alpha * agree * against,
        "best_T_w": -L * N / 2 * agree**2 * ways2,
        "along_T_w": along,
        "against_I_w": against,
        "fd2": fd2,
        "left_agree": agree,
        "left_little": agree * fd2 - 2 * L * alpha * against,
        "slack interfering": L / 2 * apart,
        "slack little": L / 2 * apart + values["room_fd2"] * spare / fd2**2,
    }


_ROUND = Scene(
    name="a round at worst-case rates with any moves of clients, some of whom interfere",
    shapes=tuple({**shape, "d": 1} for shape in _CLIENTS.shapes),
    space=lambda shape: {
        "moves": Box(-2, 2, (shape["N"], shape["d"])),
        "against": Box(-2, 2),
        **{name: Box(0.1, 1) for name in ("alpha", "L", "fd2", "room_fd2", "room_agree", "room_little")},
    },
    compute=in_round,
    covers="an identity between any moves of up to 3 clients of which any first ones interfere, the same in every coordinate; the "
    "slack is a sum of squares over pairs of clients, and what little interference leaves",
)
_interfering, _little = (statement(f"cflag.lem7/interfering{more}") for more in ("", "-little"))
SOME_INTERFERE = (
    Fact(_interfering.compared, _ROUND, "slack interfering"),
    Fact(
        _little.compared,
        _ROUND,
        "slack little",
        {
            "room_fd2": ("fd2", gt(fd2, 0)),
            "room_agree": ("left_agree", le(alpha, 1 / L)),
            "room_little": ("left_little", _little.conditions[-1]),
        },
    ),
)
"""What is true of Lemma 7 where some clients interfere."""

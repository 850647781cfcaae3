"""C-FLAG, Algorithm 3: what is run against Table 1 and against the server rule (24), line by line.

Letters with `alg` are those that Algorithm 3 computes, the others those of Table 1.
"""

from __future__ import annotations

from collections.abc import Callable

from bounds.cflag.adaptive import INTERFERE, POSITIVE, TRANSFER, Lam_i, a2, client_term
from bounds.cflag.symbols import CFLAG, N, alpha, at, beta, fd2
from bounds.relations import eq, gt, le
from bounds.statement import Statement

_positive, _real = CFLAG.positive, CFLAG.real

# A client, at the end of its local steps
a_i = _real("a_i", "sum of a client's delayed gradients", r"\mathbf a_i")
a_alg = _real("a_alg", "a_i of line 4", r"\mathbf a_i^{\text{line 4}}")
Lam_alg = _real("Lam_alg", "Lambda_i of line 5", r"\Lambda_{t,i}^{\text{line 5}}")
beta_tab = _real(
    "beta_tab", "beta_{t,i} of Table 1, worst case, under transference", r"\beta_{t,i}^{\text{Table 1}}"
)
beta_alg = _real("beta_alg", "beta_{t,i} of line 8", r"\beta_{t,i}^{\text{line 8}}")
alpha_tab = _real("alpha_tab", "alpha_{t,i} of Table 1 under interference", r"\alpha_{t,i}^{\text{Table 1}}")
alpha_alg = _real("alpha_alg", "alpha_{t,i} of line 10", r"\alpha_{t,i}^{\text{line 10}}")
sum_13 = _real("sum_13", "a_i after line 13, with any rates", r"\mathbf a_i^{\text{line 13}}")
Delta_14 = _real("Delta_14", "what line 14 sends, with any rates", r"\Delta\mathbf x_t^i")
alpha_any = _positive("alpha_any", "rate of a client on the memory, any", r"\alpha_{t,i}")
beta_any = _positive("beta_any", "rate of a client on the current data, any", r"\beta_{t,i}")
fd_i = _real("fd_i", "memory gradient, beside each client", r"\nabla f^\dagger(\mathbf x_t)")
moved_i = _real("moved_i", "update of a client", r"\mathbf x_t-\mathbf x_{t,E}^i")

# The server
next_24 = _real("next_24", "model after a round by Eq. (24)", r"\mathbf x_{t+1}")
next_own = _real("next_own", "model after line 12 with the clients' own rates")
next_sum = _real(
    "next_sum",
    "model with the sums of the clients at their own rates",
    r"\mathbf x_t-\sum_ip_i\alpha_{t,i}\nabla f^\dagger-\sum_ip_i\beta_{t,i}\mathbf a_i",
)
next_same = _real("next_same", "model after line 12 with line 14 at the common rates")


def _alg3(line: int, lines: str) -> Callable[..., Statement]:
    """Maker of what a line of Algorithm 3 says."""
    return at(f"Algorithm 3, line {line}; Table 1", lines)


STATEMENTS = (
    alg3_line4 := _alg3(4, "1002, 189")(
        "alg3.line4", "a_i is the sum of the delayed gradients", eq(a_alg, a_i)
    ),
    alg3_line4.variant(
        "scaled",
        eq(a_alg, beta * a_i),
        says="a_i is the sum of the delayed gradients, times beta",
        changes="the factor beta",
    ),
    alg3_line5 := _alg3(5, "1003, 180")(
        "alg3.line5", "Lambda_i is that of Table 1", eq(Lam_alg, Lam_i), uses=("alg3.line4",)
    ),
    alg3_line5.variant(
        "scaled",
        eq(Lam_alg, beta * Lam_i),
        says="Lambda_i is that of Table 1, times beta",
        uses=(),
        changes="the factor beta",
    ),
    alg3_line8 := _alg3(8, "1006, 195-200")(
        "alg3.line8",
        "beta_i is that of Table 1, worst case",
        eq(beta_alg, beta_tab),
        conditions=(*POSITIVE, *TRANSFER),
        uses=("alg3.line4", "alg3.line5"),
    ),
    alg3_line8.variant(
        "scaled",
        eq(beta_alg, beta_tab / beta),
        says="beta_i is that of Table 1, worst case, divided by beta",
        conditions=(),
        uses=(),
        changes="the factor 1/beta",
    ),
    alg3_line10 := _alg3(10, "1008, 195-200")(
        "alg3.line10",
        "alpha_i is that of Table 1",
        eq(alpha_alg, alpha_tab),
        conditions=(*POSITIVE, *INTERFERE, gt(fd2, 0)),
        uses=("alg3.line4", "alg3.line5"),
    ),
    alg3_line10.variant(
        "scaled",
        eq(alpha_alg, alpha * (1 - beta * Lam_i / fd2)),
        says="alpha_i is that of Table 1 with beta times its Lambda_i",
        conditions=(gt(fd2, 0),),
        uses=(),
        changes="the factor beta on Lambda_i",
    ),
    _alg3(11, "1009, 195-200")(
        "alg3.line11",
        "the rate on current data that an interfering client keeps, beta, is that of Table 1, alpha",
        eq(beta, alpha),
    ),
    _alg3(13, "1011, 187")(
        "alg3.line13",
        "the rescaled sum is beta_i times the sum of the delayed gradients",
        eq(sum_13, beta_any * a_i),
    ),
    _alg3(14, "1012, 187")(
        "alg3.line14",
        "a client sends alpha_i grad f-dagger and its update scaled by beta_i/beta",
        eq(Delta_14, alpha_any * fd_i + beta_any / beta * moved_i),
    ),
    alg3_line14_server := at("Algorithm 3, line 14; Eq. (21)-(24)", "1012, 426-438")(
        "alg3.line14.server",
        "so the server subtracts the sums of the clients at their own rates: the tracking terms cancel",
        eq(next_own, next_sum),
        uses=("alg3.line14",),
    ),
    alg3_line14_server.variant(
        "common",
        eq(next_same, next_24),
        says="so the server subtracts the sums of the clients: the tracking terms cancel",
        changes="the common rates for all clients",
    ),
    at("Algorithm 3, line 8; Appendix 3.2", "1006, 1046")(
        "alg3.transference",
        "Algorithm 3 does not raise the contribution of a transferring client, worst case",
        le(client_term(N, alpha, beta_alg), client_term(N, alpha, beta)),
        conditions=(*POSITIVE, *TRANSFER, gt(a2, 0)),
        uses=("alg3.line8",),
    ),
    at("Algorithm 3, lines 10-11; Lemma 6", "1008-1009, 1054-1068")(
        "alg3.interference",
        "Algorithm 3 does not raise the contribution of an interfering client, worst case",
        le(client_term(N, alpha_alg, beta), client_term(N, alpha, beta)),
        conditions=(*POSITIVE, *INTERFERE, gt(fd2, 0)),
        uses=("alg3.line10",),
    ),
)

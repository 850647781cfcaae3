"""An algorithm of one's own: FedProx whose clients solve their proximal problems exactly, on quadratics."""

from algorithms.algorithm import Algorithm, download, start
from algorithms.combining import server_average
from verify import Box, Notes, run, worlds
from verify.quantities import L, distance2, distance2_before, mu, zeta2


def exact_prox(penalty):
    """One Newton step solves f(y) + penalty/2 |y - x|^2; differences of gradients of a quadratic give its curvature."""

    def begin(state, clients, oracle):
        local = download(state, clients, oracle)
        return {**local, "h": oracle.grad(local["x"] + 1) - oracle.grad(local["x"])}

    def solve(state, local, g):
        return {**local, "x": local["x"] - g / (local["h"] + penalty[..., None, None])}

    return Algorithm("FedProx, exact", start, solve, server_average(1), begin_round=begin)


notes = Notes("prox")
rho = notes.positive("rho")
scene = run(exact_prox, worlds.quadratics(clients=(1, 2)), penalty=("rho", Box(0.1, 10, scale="log")))
notes.claim("contracts", distance2 <= distance2_before / (1 + mu / rho), scene=scene)
notes.claim("biased", distance2 <= distance2_before / (1 + mu / rho) + L**2 * zeta2 / mu**4, scene=scene)
CLAIMS = notes.claims

"""One round with sampled clients: the variance that sampling costs, and the same without the correction for few clients."""

from verify import Notes, run, worlds
from verify.quantities import L, M, N, distance2, distance2_before, eta, mu, zeta2

notes = Notes("sampling")
family = worlds.quadratics(clients=(2, 3, 4), dim=(1,))
fedavg = run("fedavg", family, rounds=(1,), sampled=(1, 2, 3), local_lr="eta")
contracted = (1 - eta * mu) * distance2_before
finite = 2 * eta**2 * (M - N) / (N * (M - 1)) * zeta2
notes.claim("finite", distance2 <= contracted + finite, eta <= 1 / (2 * L), scene=fedavg)
notes.claim("finite/halved", distance2 <= contracted + finite / 4, eta <= 1 / (2 * L), scene=fedavg)
CLAIMS = notes.claims

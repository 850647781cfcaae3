"""Theorems about federated methods. Judge them with `python -m verify check THIS_FILE`."""

from verify import Notes, run, worlds
from verify.quantities import E, L, distance2, distance2_before, drift2, eta, grad2_before, mu, sigma2, zeta2

notes = Notes("mine")  # the first part of every id

# Any method of `algorithms` by name (python -m verify.networks --list). Expectations over the sampled clients and the
# noise are exact: every outcome is enumerated. zeta2 is the mean squared gradient of the clients at the optimum.
sampled = run(
    "fedavg", worlds.quadratics(clients=(2, 3), noisy=(0, 1)), rounds=(1,), sampled=(1,), local_lr="eta"
)
local = run(
    "fedavg", worlds.quadratics(clients=(1, 2), dim=(1,)), rounds=(1,), local_steps=(1, 2, 3), local_lr="eta"
)

one_round = (1 - eta * mu) * distance2_before + eta**2 * (2 * zeta2 + sigma2)
notes.claim("sampling", distance2 <= one_round, eta <= 1 / (2 * L), scene=sampled)
notes.claim(
    "drift", drift2 <= 2 * eta**2 * E**2 * (L**2 * distance2_before + zeta2), eta <= 1 / (L * E), scene=local
)
notes.claim("drift/homogeneous", drift2 <= eta**2 * E**2 * grad2_before, eta <= 1 / (L * E), scene=local)

CLAIMS = notes.claims

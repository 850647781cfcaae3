"""FedAvg with two local steps does not converge to the optimum where clients differ."""

from verify import Notes, run, worlds
from verify.quantities import L, distance2, distance2_before, eta, mu, zeta2

notes = Notes("fedavg")
fedavg = run("fedavg", worlds.quadratics(clients=(1, 2)), local_steps=(1, 2), local_lr="eta")
shrunk = (1 - eta * mu) * distance2_before
notes.claim("converges", distance2 <= shrunk, eta <= 1 / (2 * L), scene=fedavg)
notes.claim("biased", distance2 <= shrunk + 4 * eta**3 * L**2 * zeta2 / mu, eta <= 1 / (2 * L), scene=fedavg)
CLAIMS = notes.claims

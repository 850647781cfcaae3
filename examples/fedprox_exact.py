"""FedProx whose clients solve their proximal problems: it contracts as one client does, but where clients differ it is biased."""

from verify import Box, Notes, run, worlds
from verify.quantities import L, distance2, distance2_before, mu, zeta2

notes = Notes("prox")
rho = notes.positive("rho")
penalty = ("rho", Box(0.1, 10, scale="log"))
alone, several = (run("fedprox_exact", worlds.quadratics(clients=m), mu=penalty) for m in ((1,), (1, 2)))
contracted = distance2_before / (1 + mu / rho)
notes.claim("alone", distance2 <= contracted / (1 + mu / rho), scene=alone)
notes.claim("contracts", distance2 <= contracted, scene=several)
notes.claim("biased", distance2 <= contracted + L**2 * zeta2 / mu**4, scene=several)
CLAIMS = notes.claims

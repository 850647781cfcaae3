"""SGD with constant steps on strongly convex functions contracts down to a floor; without noise term it is false."""

from verify import Notes, run, worlds
from verify.quantities import L, distance2, distance2_0, eta, mu, sigma2, t

notes = Notes("sgd")
sgd = run("fedavg", worlds.strongly_convex(noisy=(0, 1)), rounds=(1, 2), local_lr="eta")
contracted = (1 - eta * mu) ** t * distance2_0
notes.claim("floor", distance2 <= contracted + eta * sigma2 / mu, eta <= 1 / L, scene=sgd)
notes.claim("floor/none", distance2 <= contracted, eta <= 1 / L, scene=sgd)
CLAIMS = notes.claims

"""Gradient descent on smooth convex functions: the tight rate (Drori and Teboulle, 2014), and a factor too good."""

from verify import Notes, run, worlds
from verify.quantities import L, distance2_0, eta, gap, t

notes = Notes("gd")
descent = run("fedavg", worlds.convex(), rounds=(1, 2, 3, 5), local_lr="eta")
notes.claim("rate", gap <= distance2_0 / (eta * (4 * t + 2)), eta <= 1 / L, scene=descent)
notes.claim("rate/better", gap <= distance2_0 / (eta * (5 * t + 2)), eta <= 1 / L, scene=descent)
CLAIMS = notes.claims

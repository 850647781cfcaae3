"""Two theorems that say nothing: conditions that no step size meets, and a bound above that of smoothness alone."""

from verify import Notes, free_lunch, inequality, run, worlds
from verify.quantities import L, distance2, distance2_0, eta, gap, gap_0, t

notes = Notes("vacuous")
descent = run("fedavg", worlds.convex(), local_lr="eta")
notes.claim("no-step", gap <= distance2_0 / (4 * eta * t), eta <= 1 / (2 * L), eta >= 1 / L, scene=descent)
free = notes.claim("free", gap <= L * distance2 / 2, scene=descent)
checks = (inequality, free_lunch(free.statement))
notes.claim("dear", gap <= L * distance2 + gap_0 / 2, eta <= 1 / L, scene=descent, checks=checks)
CLAIMS = notes.claims

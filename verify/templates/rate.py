"""A rate of gradient descent. Judge it with `python -m verify check THIS_FILE`."""

from verify import Notes, run, worlds
from verify.quantities import L, distance2, distance2_0, eta, gap, grad2_min, loss, loss_0, mu, t

notes = Notes("mine")  # the first part of every id

# Gradient descent is FedAvg with one client and one local step; `local_lr="eta"` makes eta its step size, which the
# search settles below the limits that the conditions put on it. Every number of rounds t is tried.
strong = run("fedavg", worlds.strongly_convex(), rounds=(1, 2, 5), local_lr="eta")
convex = run("fedavg", worlds.convex(), rounds=(1, 2, 5), local_lr="eta")
smooth = run("fedavg", worlds.smooth(), rounds=(1, 2, 5), local_lr="eta")

notes.claim("linear", distance2 <= (1 - eta * mu) ** (2 * t) * distance2_0, eta <= 1 / L, scene=strong)
notes.claim("sublinear", gap <= distance2_0 / (2 * eta * t), eta <= 1 / L, scene=convex)
notes.claim("stationary", grad2_min <= 2 * (loss_0 - loss) / (eta * t), eta <= 1 / L, scene=smooth)

CLAIMS = notes.claims

"""Descriptions of numbers of CFL's worlds that are no symbols of the paper (`Scene.told`)."""

from __future__ import annotations

from collections.abc import Mapping

ROUND: Mapping[str, str] = {
    "noisy": "1 if gradients are off by sigma, either way",
    "grow": "0: drifts are constant, 1: they grow with the gradient, 2: both at once, 3: they are constant and curved",
    "still": "1 if the round starts at a stationary point without drift",
    "dented": "1 if drifts have a dent",
    "h": "curvatures of the mean of all losses, which is least at the origin",
    "stiff": "by which h is multiplied",
    "model": "the server's model at the start of the round",
    "client": "client drift of each client, with either sign",
    "time": "time drift of each client and round, with either sign",
    "b": "client drift over the gradient, where it grows with that",
    "a": "time drift over the gradient, where it grows with that",
    "parting": "what parts a drift that is constant and grows: |u + v|^2 <= (1 + parting) |u|^2 + (1 + 1/parting) |v|^2",
    "bow": "client drift over the squared distance from the origin",
    "reach": "distance up to which a client drift is so curved",
    "share": "weights of past rounds, client by client, times their number",
    "lost": "information loss about a past round that does not depend on its drift",
    "tied": "the same that has the sign of that round's time drift",
    "sigma": "by how much gradients are off",
    "dent": "slope of a dent's flanks over the curvature",
    "aside": "where the dent is, from where a client's first step leads",
    "wide": "width of a dent over the longest that does not lengthen a drift",
    "room": "share by which constants are larger than they must be",
}
"""Numbers of worlds with one round (`round.py`, `nonconvex.py`, and their variants)."""
FLOOR: Mapping[str, str] = {
    "h": "curvature of the mean of all losses, which is least at the origin",
    "start": "distance of the first model from the origin",
    "client": "client drift of each client, with either sign",
    "time": "time drift of each client and round, with either sign",
    "lost": "information loss about each past round",
    "stiff": "L over mu",
    "common": "what the time drifts of a client share in all rounds, over all of it",
    "target": "by how much the accuracy eps is worse than it must be",
    "hidden": "the factor that the O is allowed to hide",
    "quiet": "what the search tries: client drift and information loss up to 2 (0), neither (1), information loss alone (2)",
    "memory": "1 if clients remember all rounds",
    "returning": "clients of a round that have taken part in all rounds before: none, or all N",
    "room": "share by which constants are larger than they must be",
    "floor_after": "mu/2 (rho^2 H + (1 - rho)^2 s), where rho = max(s/(H + s), (1 - 27 mu/(250 L))^T), or s/(H + s) if T > 2000; "
    "N mu^2 s is max(G^2/T, 2 D^2/(T (T + 1))) for new clients that remember all rounds, (G^2 + D^2)/T for new clients without "
    "memory, and G^2 + D^2/T for returning clients; drifts that all rounds share count to G^2 instead of D^2",
}
"""Numbers of the worlds whose error floors are compared with those of the theorems (`theorems.py`)."""

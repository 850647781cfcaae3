"""ProxSkip, Lemmas 3.4 and 3.5 and Theorem 3.6, for federated learning (Scaffnew, Algorithm 2).

The regulariser is the indicator of consensus: its proximal step is the mean over the clients. Norms of all clients' vectors
are means over the clients here, which divides both sides by the number of clients. Losses with mu = L differ by linear
functions only; they are limits of those with mu < L, which are judged.
"""

from __future__ import annotations

from bounds.relations import le, lt
from bounds.statement import Paper
from bounds.symbols import Glossary

GLOSSARY = Glossary("proxskip")
PAPER = Paper(
    key="proxskip",
    title="ProxSkip: Yes! Local Gradient Steps Provably Lead to Communication Acceleration! Finally!",
    version="ICML 2022",
    glossary=GLOSSARY,
)
at = PAPER.at
"""Maker of the statements that stand at one place, ``at(place, lines)(id, says, relation, ...)``."""

t = GLOSSARY.count("t", "iterations")
L = GLOSSARY.positive("L", "smoothness of every client's loss")
mu = GLOSSARY.positive("mu", "strong convexity of every client's loss", r"\mu")
gamma = GLOSSARY.positive("gamma", "step size", r"\gamma")
p = GLOSSARY.positive("p", "probability of communication")
zeta = GLOSSARY.positive("zeta", "rate, at most gamma mu and p^2", r"\zeta")
far = GLOSSARY.nonnegative("far", "mean squared distance of the local models", r"\|x_t-x_\star\|^2")
shift = GLOSSARY.nonnegative(
    "shift",
    "mean squared error of the control variates times gamma^2/p^2",
    r"\tfrac{\gamma^2}{p^2}\|h_t-h_\star\|^2",
)
stepped = GLOSSARY.nonnegative("stepped", "distance after a gradient step at both ends", r"\|w_t-w_\star\|^2")
psi_next = GLOSSARY.nonnegative("psi_next", "expected Lyapunov function", r"\mathbb E\Psi_{t+1}")
psi = GLOSSARY.nonnegative("psi", "expected Lyapunov function after t iterations", r"\mathbb E\Psi_t")
psi_0 = GLOSSARY.nonnegative("psi_0", "Lyapunov function at the start", r"\Psi_0")

STEP = (le(gamma, 1 / L), lt(mu, L))
PROBABILITY = (le(p, 1),)
RATES = (le(zeta, gamma * mu), le(zeta, p**2))

THEOREM = at("Theorem 3.6", conditions=(*STEP, *PROBABILITY, *RATES))(
    "thm3.6",
    "the expected Lyapunov function falls by 1 - min(gamma mu, p^2) in every iteration, for any heterogeneity",
    le(psi, (1 - zeta) ** t * psi_0),
    terms={"start": (1 - zeta) ** t * psi_0},
    uses=("thm3.6.step",),
)
STILL = at("Without the theorem", changes="not of the paper")(
    "thm3.6.free", "a run that stands still keeps its Lyapunov function", le(psi, psi_0)
)
STATEMENTS = (
    STILL,
    at("Lemma 3.4", conditions=(lt(mu, L), *PROBABILITY))(
        "lem3.4",
        "communication with probability p shrinks the error of the control variates by 1 - p^2",
        le(psi_next, stepped + (1 - p**2) * shift),
    ),
    at("Lemma 3.5", conditions=STEP)(
        "lem3.5",
        "a gradient step contracts squared distances by 1 - gamma mu",
        le(stepped, (1 - gamma * mu) * far),
    ),
    at("Theorem 3.6", conditions=(*STEP, *PROBABILITY, *RATES))(
        "thm3.6.step",
        "one iteration contracts the Lyapunov function",
        le(psi_next, (1 - zeta) * (far + shift)),
        uses=("lem3.4", "lem3.5"),
    ),
    THEOREM,
    THEOREM.variant(
        "long",
        conditions=(le(gamma, 2 / L), lt(mu, L), *PROBABILITY, *RATES),
        changes="steps up to 2/L instead of 1/L, which is false",
    ),
)

"""Two theorems about gradient descent on a quadratic, one of them wrong. Judge them with

python -m verify check docs/my_theorem.py
"""

import sympy as sp

from nqm.fields import abs_, amax, amin
from verify import Box, Claim, Glossary, Paper, Scene, bound

# The letters, each with its meaning and domain.
notes = Glossary("notes")
L = notes.positive("L", "largest curvature")
mu = notes.positive("mu", "smallest curvature", r"\mu")
gamma = notes.positive("gamma", "step size", r"\gamma")
t = notes.count("t", "steps")
start = notes.nonnegative("start", "largest coordinate of the initial error")
error = notes.nonnegative("error", "largest coordinate of the error after t steps")
paper = Paper("notes", "Notes on gradient descent", "draft", notes)

# What is claimed.
SMALL_STEPS = paper.statement(
    "thm1",
    "gradient descent contracts by 1 - gamma mu in every step",
    sp.Le(error, (1 - gamma * mu) ** t * start),
    "Theorem 1",
    conditions=(sp.Le(gamma, 1 / L),),
)
LONG_STEPS = SMALL_STEPS.variant(
    "long",
    says="the same for steps up to 2/L",
    conditions=(sp.Le(gamma, 2 / L),),
    changes="allows steps up to 2/L",
)


def descend(shape, values):
    """Every quantity of the theorem: curvatures h (batch, d), start x (batch, d), step gamma (batch,)."""
    factor = 1 - values["gamma"][:, None] * values["h"]
    return {
        "start": amax(abs_(values["x"]), axis=-1),
        "error": amax(abs_(factor ** shape["t"] * values["x"]), axis=-1),
    }


QUADRATICS = Scene(
    name="gradient descent on a quadratic",
    shapes=({"t": 1, "d": 1}, {"t": 1, "d": 2}, {"t": 2, "d": 2}),
    space=lambda shape: {
        "h": Box(0.1, 1, (shape["d"],)),
        "x": Box(-1, 1, (shape["d"],)),
        "gamma": Box(0.01, 1, scale="log"),
    },
    known=lambda shape, values: {"L": amax(values["h"], axis=-1), "mu": amin(values["h"], axis=-1)},
    compute=descend,
    steps=("gamma",),
)

CLAIMS = (Claim(SMALL_STEPS, (bound,), QUADRATICS), Claim(LONG_STEPS, (bound,), QUADRATICS))

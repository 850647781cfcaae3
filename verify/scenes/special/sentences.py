"""What a round of SPECIAL sends, and where it comes to rest with more local steps."""

from __future__ import annotations

from bounds.hypotheses import Hypothesis
from nqm.fields import amax, sq
from verify.engine.scene import Box, Named, Scene, Shape, Values
from verify.scenes.parameters import column


def messages(shape: Shape, values: Named) -> Values:
    """One model down and one update up, with the anchor, which never leaves the server, and without it."""
    model = values["any"] * 0 + shape["numbers"]
    return {"exchanged": model + model, "exchanged_fedavg": model + model}


MESSAGES = Scene(
    name="what a participating client receives and sends",
    shapes=tuple({"numbers": numbers} for numbers in (1, 2, 3)),
    space=lambda shape: {"any": Box(0, 1)},
    compute=messages,
    covers="one model each way, of any size, by lines 3 to 10 of Algorithm 1",
)


def at_rest(shape: Shape, values: Named) -> Values:
    """One client with curvatures h around the origin, from the anchor: (gamma_G (1 - rho) + lambda) theta = lambda anchor."""
    rho = 1 - column(values["gamma_L"], 1) * values["h"]
    gain, lam = column(values["gamma_G"], 1), column(values["lam"], 1)
    rest = lambda E: lam * values["anchor"] / (lam + gain * (1 - rho**E))  # noqa: E731
    return {"rest_off2": sq(rest(shape["E"])), "rest_off2_more": sq(rest(shape["E"] + 1))}


MORE_STEPS = Scene(
    name="rest points of SPECIAL with one local step more",
    shapes=tuple({"E": E, "d": d} for E in (1, 2, 3) for d in (1, 2)),
    space=lambda shape: {
        **{name: Box(0.05, 4, (shape["d"],), scale="log") for name in ("h",)},
        "anchor": Box(-2, 2, (shape["d"],)),
        "lam": Box(0.05, 4, scale="log"),
        "gamma_G": Box(0.01, 2, scale="log"),
        "gamma_L": Box(0.01, 1, scale="log"),
    },
    known=lambda shape, values: {"L": amax(values["h"], -1)},
    compute=at_rest,
    steps=("gamma_L",),
    restricts=(Hypothesis.QUADRATIC, Hypothesis.ONE_CLIENT, Hypothesis.NO_NOISE),
)

"""Facts about steps along batch gradients one after the other: what each does, what the rates leave, how it begins."""

from __future__ import annotations

import bounds.fedmes.descent as b
from bounds.catalogue import statement
from bounds.relations import eq
from nqm.fields import Array
from verify.engine.scene import Box, Condition, Fact, Named, Scene, Shape, Values
from verify.scenes.fedmes.descent_facts import WITHIN, Compute, anything, left_by
from verify.scenes.fedmes.samples import SIZES, batches, mean

STEP = statement("fedmes.eq37").compared
STARTS = (eq(b.gap_mean, b.gap_1), eq(b.shrunk_before, 1))
"""Before the first step."""


def one_more(before: Array, least: Array, rate: Array) -> Array:
    """A product of 1 - eta_i c mu A_i with one more factor, of c mu = `least` and eta_i A_i = `rate`."""
    return before * (1 - least * rate)


def shrinking(least: Array, rates: Array, r: int) -> Values:
    """These products after r, r + 1 and r + 2 steps, with rates (batch, r + 2 or more), and the rates after r steps."""
    over = [1 + 0 * least]
    for step in range(r + 2):
        over.append(one_more(over[-1], least, rates[:, step]))
    return {
        **{"shrunk_before": over[r], "shrunk": over[r + 1], "shrunk_more": over[r + 2]},
        **{"eta_s": rates[:, r], "eta_next": rates[:, r + 1]},
    }


def facts_of_several(one_step: Compute) -> tuple[Fact, ...]:
    """What a step does, its rate, and what the product of the rates becomes."""
    return _step(one_step), _within(), _shrinks()


def _step(one_step: Compute) -> Fact:
    """Eq. (37) at any model: its terms are what each of the assumptions leaves, and what the rate does."""
    rooms: dict[str, Condition] = {
        **{f"room_{id}": statement(f"fedmes.{id}").compared for id in b.ASSUMED},
        "room_rate": b.RATE,
    }

    def compute(shape: Shape, values: Named) -> Values:
        found, known = (
            one_step(shape, values),
            {name: values[name] for name in ("c", "L", "mu", "mu_G", "Mn", "M_V")},
        )
        batch, whole = batches(values, values["x"]), mean(values["h"])
        away = values["x"] - mean(values["h"] * values["c_sample"]) / whole
        M_G = known["M_V"] + known["mu_G"] ** 2
        size, mu, smooth, square = (
            values["eta_s"] * values["A_s"],
            known["mu"],
            known["L"],
            found["mem_gradient2"],
        )
        steep = (whole * values["more"] * away**2).sum(axis=-1)
        bent = mean((values["less"][:, None] * batch**2).sum(axis=-1))
        noisy = values["room_ass2.length"] + values["room_ass3"]
        return {
            **found,
            **known,
            "M_G": M_G,
            **left_by(values, whole),
            "left_ass2": found["align"] - mu * square,
            "left_ass2.length": known["mu_G"] ** 2 * square - found["mean2"],
            "left_ass3": known["Mn"] + known["M_V"] * square - found["variance"],
            "left_rate": mu / (smooth * M_G) - size,
            "slack": size
            * (values["room_ass2"] + mu * steep / 2 + square * smooth * M_G * values["room_rate"] / 2)
            + size**2 * (bent + smooth * noisy) / 2,
        }

    scene = Scene(
        name="a step along any batch gradient, with any constants",
        shapes=SIZES,
        space=lambda shape: {
            **anything(shape),
            **dict.fromkeys(("mu", "mu_G", *rooms), Box(0.1, 1)),
            **dict.fromkeys(("Mn", "M_V"), Box(0, 1)),
        },
        compute=compute,
        covers="an identity for any quadratic losses of one and two samples in one and two dimensions, where what the "
        "constants and the assumptions leave is taken as it is; every coordinate and every sample is alike",
    )
    assumed = {room: (room.replace("room", "left"), condition) for room, condition in rooms.items()}
    assumed |= {"less": ("left_less", WITHIN[0]), "more": ("left_more", WITHIN[1])}
    return Fact(STEP, scene, "slack", assumed)


def _within() -> Fact:
    """The rate of every step is a share of what (35) allows."""
    scene = Scene(
        name="rates within (35)",
        shapes=({},),
        space=lambda shape: dict.fromkeys(("mu", "L", "M_G", "eta_s", "A_s", "room"), Box(0.1, 1)),
        compute=lambda shape, values: {
            "left": values["mu"] / (values["L"] * values["M_G"]) - values["eta_s"] * values["A_s"]
        },
        covers="how the rates are chosen",
    )
    return Fact(b.RATE, scene, "room", {"room": ("left", b.RATE)})


def _shrinks() -> Fact:
    names = ("c", "mu", "A_s", "eta_s", "shrunk_before")
    scene = Scene(
        name="what a step leaves of a product",
        shapes=({},),
        space=lambda shape: dict.fromkeys(names, Box(0.1, 1)),
        compute=lambda shape, values: {
            "shrunk": one_more(
                values["shrunk_before"], values["c"] * values["mu"], values["eta_s"] * values["A_s"]
            )
        },
        covers="the same for every step",
    )
    return Fact(b.SHRINKS, scene)


def starts(one_step: Compute) -> tuple[Fact, ...]:
    """The first step starts at w^(1)."""

    def compute(shape: Shape, values: Named) -> Values:
        alone = one_step(shape, {**values, "x": values["x"][:, None]})
        rates = values["eta_s"][:, None] + 0 * values["share"]
        return {
            **shrinking(values["c"], rates, 0),
            "gap_mean": mean(alone["gap"]),
            "gap_1": one_step(shape, values)["gap"],
        }

    scene = Scene(
        name="the first of several steps",
        shapes=SIZES,
        space=lambda shape: {**anything(shape), "share": Box(0.1, 1, (2,))},
        compute=compute,
        covers="nothing has been drawn before",
    )
    return tuple(Fact(start, scene) for start in STARTS)

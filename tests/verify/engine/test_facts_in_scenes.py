"""A fact is proved for arbitrary vectors; a scene that computes something else under the same names is refused."""

from __future__ import annotations

from typing import Any

import pytest
import sympy as sp

from nqm.fields import dot, sq
from tests.verify.engine.simple import QUICK, about, found
from tests.verify.engine.simple import of as relation
from verify.engine.checks import relation as checks
from verify.engine.checks.attack import attack_at_random
from verify.engine.model.scene import Box, Fact, Proved, Scene, Textbook
from verify.engine.proof.facts import _without, fact_of
from verify.engine.proof.grounds import Unfounded

before, after, gradient2, squares = sp.symbols("before after gradient2 squares", nonnegative=True)
along = sp.Symbol("along", real=True)
eta, M = sp.Symbol("eta", positive=True), sp.Symbol("M", integer=True, positive=True)

STEP = sp.Eq(after, before - 2 * eta * along + eta**2 * gradient2)
JENSEN = relation(sp.Le, gradient2, squares)
SHAPES = tuple({"M": m, "d": 2} for m in (1, 2, 3))


def space(shape: Any) -> dict[str, Box]:
    return {"x": Box(-1, 1, (shape["d"],)), "g": Box(-1, 1, (shape["M"], shape["d"])), "eta": Box(0.1, 1)}


def round_of(mean: Any, index: Any = lambda x: x) -> Any:
    """Quantities of a round in which the server steps along a mean of the clients' gradients."""

    def compute(shape: Any, values: Any) -> dict[str, Any]:
        x, g = values["x"], values["g"]
        true, step = g.sum(axis=1) / shape["M"], mean(shape, g)
        return {
            "before": sq(x),
            "after": sq(index(x) - values["eta"][:, None] * step),
            "along": dot(x, true),
            "gradient2": sq(true),
            "squares": sq(g).sum(axis=-1) / shape["M"],
        }

    return compute


over_clients = round_of(lambda shape, g: g.sum(axis=1) / shape["M"])
ANY = Scene("any vectors", SHAPES, space, over_clients, covers="vectors in two dimensions")
WRONG = {
    "the mean over coordinates": round_of(lambda shape, g: g[:, 0] * 0 + (g.sum(axis=-1) / 2)[:, :1]),
    "the sum": round_of(lambda shape, g: g.sum(axis=1)),
    "the first client": round_of(lambda shape, g: g[:, 0]),
    "another coordinate": round_of(lambda shape, g: g.sum(axis=1) / shape["M"], lambda x: x[:, ::-1]),
    "no step": round_of(lambda shape, g: 0 * g[:, 0]),
}


def scene(compute: Any, *known: Fact) -> Scene:
    return Scene("own rounds", SHAPES, space, Proved(compute, known))


LOOSE = relation(sp.Le, after, 10 * (before + eta**2 * gradient2 + 5))
"""Relations so nearly true that no search distinguishes the two steps."""
GIVEN = (relation(sp.Ge, along, -2), relation(sp.Le, eta, 1))


@pytest.mark.parametrize("how", WRONG)
def test_a_proof_by_a_fact_that_its_scene_breaks_is_no_proof(how: str) -> None:
    asked = about("a.step", LOOSE, *GIVEN, scene=scene(WRONG[how], Fact(STEP, ANY)), premises=(STEP,))
    assert attack_at_random(asked.question, QUICK, 0).witness is None
    with pytest.raises(Unfounded, match=r"'own rounds' computes must meet its fact Eq\(after.* at M = "):
        found(asked)


def test_a_proof_by_a_fact_that_its_scene_meets_is_one() -> None:
    asked = about("a.step", LOOSE, *GIVEN, scene=scene(over_clients, Fact(STEP, ANY)), premises=(STEP,))
    assert found(asked).details["facts"].keys() == {str(STEP)}


def test_a_fact_is_held_to_instances_that_meet_the_conditions() -> None:
    """The first client stands for all clients if there is one."""
    first = scene(WRONG["the first client"], Fact(STEP, ANY))
    assert fact_of(STEP, first, (sp.Eq(M, 1),)) is not None
    with pytest.raises(Unfounded, match="M = 2"):
        fact_of(STEP, first, ())


def test_a_fact_is_held_to_the_sizes_of_which_it_speaks() -> None:
    alone = Fact(STEP, ANY.variant("one client", shapes=SHAPES[:1]))
    shown = fact_of(STEP, scene(WRONG["the first client"], alone), ())
    assert shown is not None
    assert {shape["M"] for shape in shown.proof["sizes"]} == {1}
    several = (sp.Ge(M, 2),)
    assert fact_of(STEP, scene(over_clients, alone), several) is not None
    assert fact_of(STEP, scene(WRONG["the first client"], alone), several) is None


def test_a_statement_that_a_fact_proves_is_not_refuted_by_a_scene_of_something_else() -> None:
    slack = ANY.variant(
        "slack",
        compute=lambda shape, values: {
            **over_clients(shape, values),
            "spread": sq(values["g"] - (values["g"].sum(axis=1) / shape["M"])[:, None]).sum(axis=-1)
            / shape["M"],
        },
    )
    fact = Fact(JENSEN, slack, "spread")
    assert fact_of(JENSEN, scene(over_clients, fact), ()) is not None

    def halved(shape: Any, values: Any) -> dict[str, Any]:
        right = over_clients(shape, values)
        return {**right, "squares": right["squares"] / 2}

    for claim in (
        about("a.jensen", JENSEN, scene=scene(halved, fact)),
        about("a.step", STEP, scene=scene(WRONG["the sum"], Fact(STEP, ANY)), check=checks.identity),
    ):
        with pytest.raises(Unfounded, match="must meet its fact"):
            found(claim)


def test_a_fact_says_nothing_of_a_scene_that_does_not_compute_its_quantities() -> None:
    def without(shape: Any, values: Any) -> dict[str, Any]:
        return {name: value for name, value in over_clients(shape, values).items() if name != "along"}

    assert fact_of(STEP, scene(without, Fact(STEP, ANY)), ()) is None


slack, x, y = sp.Symbol("slack", nonnegative=True), *sp.symbols("x y", real=True)
MORE = sp.Eq(y, x + slack)
NUMBERS = Scene(
    "numbers",
    ({"d": 1},),
    lambda shape: {"x": Box(-1, 1), "slack": Box(0, 1)},
    lambda shape, values: {**values, "y": values["x"] + values["slack"]},
    covers="any numbers",
)


def shifted(sign: int) -> Scene:
    """y is x plus a slack of this sign."""

    def compute(shape: Any, values: Any) -> dict[str, Any]:
        more = sign * values["a"] / 8
        return {"y": values["x"] + more, "slack": more}

    known = Proved(compute, (Fact(MORE, NUMBERS),))
    return Scene("own", ({"d": 1},), lambda shape: {"x": Box(-1, 1), "a": Box(0, 1)}, known)


def test_a_fact_says_nothing_of_quantities_outside_of_their_domains() -> None:
    """Otherwise x <= y + 1 would follow from y = x + slack and slack >= 0, although slack is negative."""
    loose, cited = relation(sp.Le, x, y + 1), Textbook("more", MORE, "here", proof=Fact(MORE, NUMBERS))
    for sign in (1, -1):
        declared = shifted(sign).of_class("toys", cited)
        basis = found(about("a.cited", loose, scene=declared))
        assert (basis.proof is not None) == (sign == 1)
    assert found(about("a.fact", loose, scene=shifted(1), premises=(MORE,))).proof is not None
    with pytest.raises(Unfounded, match=r"must meet its fact .*, but slack >= 0 does not hold: 0 > -"):
        found(about("a.fact", loose, scene=shifted(-1), premises=(MORE,)))


def test_a_difference_that_is_rounding_breaks_no_fact() -> None:
    """Adding and subtracting 1e16 changes nothing in fractions, but does in floats."""

    def rounded(shape: Any, values: Any) -> dict[str, Any]:
        right = over_clients(shape, values)
        return {**right, "after": (right["after"] + 10**16) - 10**16}

    assert fact_of(STEP, scene(rounded, Fact(STEP, ANY)), ()) is not None


def test_a_parameter_is_zero_where_it_may_be():
    box = lambda shape: {"u": Box(-1 if shape["n"] > 1 else 0.5, 1), "w": Box(0, 2)}  # noqa: E731
    plain = Scene("zeros", ({"n": 1}, {"n": 2}), box, lambda shape, values: {})
    one, two = (_without("u", plain).space(shape) for shape in plain.shapes)
    assert one == plain.space({"n": 1})
    assert two == {"u": Box(0, 0), "w": Box(0, 2)}

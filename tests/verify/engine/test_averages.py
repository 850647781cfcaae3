"""Means over cases: relations that are linear in the varying quantities hold for means, and no others."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from bounds.statement import Paper
from bounds.symbols import Glossary
from verify.engine.checks.relation import bound
from verify.engine.model.claim import BUDGETS, Claim
from verify.engine.model.scene import Box, Fact, Named, Proved, Scene, Shape, Values
from verify.engine.proof.averages import averaged, averaging
from verify.engine.proof.basis import basis_of

LETTERS = Glossary("averages")
x = LETTERS.real("x", "a number for each case")
y = LETTERS.real("y", "its square")
own = LETTERS.real("own", "another number for each case")
shared = LETTERS.real("shared", "a number that is the same in all cases")
x_mean, y_mean = (LETTERS.real(f"{name}_mean", "mean") for name in "xy")
PAPER = Paper(key="averages", title="Means over cases", version="", glossary=LETTERS)
MEANS = {x: x_mean, y: y_mean}


def in_cases(shape: Shape, values: Named) -> Values:
    each = values["x"]
    mean = lambda of: of.sum(axis=1) / of.shape[1]  # noqa: E731
    return {"y": each**2, "x_mean": mean(each), "y_mean": mean(each**2)}


def _tangent() -> Fact:
    scene = Scene(
        name="a square and its tangent",
        shapes=({},),
        space=lambda shape: {"x": Box(-2, 2), "shared": Box(-2, 2)},
        compute=lambda shape, values: {"y": values["x"] ** 2, "slack": (values["x"] - values["shared"]) ** 2},
        covers="any two numbers",
    )
    return Fact(TANGENT, scene, "slack")


TANGENT = sp.Ge(y, 2 * shared * x - shared**2)
SCENE = Scene(
    name="numbers in cases",
    shapes=tuple({"cases": n} for n in (1, 2, 3)),
    space=lambda shape: {**dict.fromkeys(("x", "own"), Box(-2, 2, (shape["cases"],))), "shared": Box(-2, 2)},
    compute=Proved(in_cases, (_tangent(),)),
)


def claimed(relation: sp.Basic, **changes: object) -> Claim:
    statement = PAPER.at("here", "1")("means", "a relation between means", relation)
    return replace(Claim(statement, (bound,), SCENE, (TANGENT,), means=MEANS), **changes)


def proved(claim: Claim) -> bool:
    return basis_of(claim, BUDGETS["quick"]).outcome == "proved"


def test_what_is_linear_in_cases_is_true_of_means() -> None:
    assert averaged(TANGENT, MEANS) == sp.Ge(y_mean, 2 * shared * x_mean - shared**2)
    assert proved(claimed(sp.Ge(y_mean, 2 * shared * x_mean - shared**2)))


def test_a_relation_whose_sides_have_one_mean_is_a_relation_still() -> None:
    both = averaged(sp.Le(x, y, evaluate=False), {x: x_mean, y: x_mean})
    assert (both.lhs, both.rhs) == (x_mean, x_mean)


@pytest.mark.parametrize("relation", [sp.Eq(y, x**2), sp.Le(x * y, 1), sp.Lt(x, y), sp.Le(sp.Abs(x), y)])
def test_nothing_else_is_averaged(relation: sp.Basic) -> None:
    assert averaged(relation, MEANS) == relation


def test_means_must_be_means() -> None:
    assert averaging(MEANS, (TANGENT,), SCENE, ()) > 64
    wrong = {x: y_mean, y: x_mean}
    assert averaging(wrong, (TANGENT,), SCENE, ()) == 0
    assert not proved(claimed(sp.Ge(x_mean, 2 * shared * y_mean - shared**2), means=wrong))


@pytest.mark.parametrize(("size", "wrong"), [(1.0, 1e-6), (1e8, 1e-6), (1e-6, 1e-2)])
def test_means_are_those_up_to_rounding_of_any_size(size: float, wrong: float) -> None:
    def scaled(factor: float) -> Scene:
        def compute(shape: Shape, values: Named) -> Values:
            each, n = values["x"], shape["cases"]
            return {"y": each, "x_mean": factor * (each / n).sum(axis=1), "y_mean": (each / n).sum(axis=1)}

        box = lambda shape: {"x": Box(size, 2 * size, (shape["cases"],)), "shared": Box(-2, 2)}  # noqa: E731
        return SCENE.variant("numbers of one size", space=box, compute=compute)

    relation = (sp.Le(x, y + shared),)
    assert averaging(MEANS, relation, scaled(1.0), ()) > 64
    assert averaging(MEANS, relation, scaled(1 + wrong), ()) == 0


def test_what_else_differs_between_cases_forbids_it() -> None:
    """The mean of products with a factor that differs between cases is not the factor times the mean."""
    assert averaging(MEANS, (sp.Le(own * x, y),), SCENE, ()) == 0


def test_nothing_false_of_means_is_proved() -> None:
    assert not proved(claimed(sp.Le(y_mean, x_mean**2), premises=(TANGENT, sp.Eq(y, x**2))))


def test_cases_may_be_the_last_of_several_axes() -> None:
    """Means over steps on each path: a quantity with one value per path counts as shared, a quantity with one per step
    does not.
    """

    def on_paths(shape: Shape, values: Named) -> Values:
        each = values["x"]
        mean = lambda of: of.sum(axis=-1) / of.shape[-1]  # noqa: E731
        return {"y": each**2, "x_mean": mean(each), "y_mean": mean(each**2)}

    paths = SCENE.variant(
        "numbers in cases on paths",
        space=lambda shape: {
            **dict.fromkeys(("x", "own"), Box(-2, 2, (2, shape["cases"]))),
            "shared": Box(-2, 2, (2,)),
        },
        compute=on_paths,
    )
    assert averaging(MEANS, (TANGENT,), paths, ()) > 64
    assert averaging(MEANS, (sp.Le(own * x, y),), paths, ()) == 0
    assert averaging({x: y_mean, y: x_mean}, (TANGENT,), paths, ()) == 0

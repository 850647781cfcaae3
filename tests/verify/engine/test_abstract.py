"""Proofs between abstract vectors: in every dimension, and only for forms in inner products."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from nqm.fields import amax, dot, sq
from verify.check_proof import Refused, check
from verify.engine.certificates.recheck import Rejected, recheck
from verify.engine.coq.export import theorem
from verify.engine.model.abstract import abstract, folded
from verify.engine.model.expressions import symbolic_values
from verify.engine.model.scene import Box, Fact, Fold, Scene
from verify.engine.model.vectors import Inner, NoForm, Vector, coordinate, inner, representing
from verify.engine.proof.facts import shown_of
from verify.report.wording import sentence

a2, b2, ab, sum2, length, lengths = sp.symbols("a2 b2 ab sum2 length lengths", real=True)


def pair(compute, **more):
    """A scene of two vectors in one and two dimensions."""
    return Scene(
        name=f"two vectors {sorted(more)} {compute.__code__.co_firstlineno}",
        shapes=({"d": 1}, {"d": 2}),
        space=lambda shape: {
            **dict.fromkeys(("a", "b"), Box(-1, 1, (shape["d"],))),
            "c": Box(0.1, 1),
            **more,
        },
        compute=lambda shape, values: compute(values),
        covers="two vectors",
    )


def products(values):
    a, b = values["a"], values["b"]
    gap = sq(a - b)
    return {"a2": sq(a), "b2": sq(b), "ab": dot(a, b), "sum2": sq(a + b), "slack": gap, "of": a - 2 * b}


PAIR = pair(products)


@pytest.mark.parametrize(
    ("relation", "slack"),
    [(sp.Eq(sum2, a2 + b2 + 2 * ab, evaluate=False), ""), (sp.Le(2 * ab, a2 + b2, evaluate=False), "slack")],
)
def test_a_form_in_inner_products_is_proved_in_every_dimension_and_in_coq(relation, slack):
    shown = shown_of(Fact(relation, PAIR, slack))
    assert shown is not None
    assert shown.proof["sizes"] is None
    (certificate,) = shown.proof["certificates"]
    assert set(certificate["symbols"].values()) == {"vector"}
    assert "vector" in theorem("t", certificate)


@pytest.mark.parametrize(
    ("relation", "slack"),
    [
        (sp.Le(3 * ab, a2 + b2, evaluate=False), "slack"),  # a factor
        (sp.Le(a2 + b2, 2 * ab, evaluate=False), "slack"),  # a sign
        (sp.Eq(sum2, a2 + b2 - 2 * ab, evaluate=False), ""),
        (sp.Eq(sum2, a2 + b2 + ab, evaluate=False), ""),
    ],
)
def test_false_relations_have_no_proof(relation, slack):
    assert shown_of(Fact(relation, PAIR, slack)) is None


def test_both_checkers_refuse_a_changed_certificate():
    (certificate,) = shown_of(Fact(sp.Le(2 * ab, a2 + b2, evaluate=False), PAIR, "slack")).proof[
        "certificates"
    ]
    sign, small, large = certificate["claim"]
    false = [sign, ["*", "2", small], large]
    forged = {**certificate, "lines": [{**certificate["lines"][0], "show": false}], "claim": false}
    with pytest.raises(Refused):
        check(forged)
    with pytest.raises(Rejected):
        recheck(forged)


def test_an_equation_between_vectors_is_one_of_all_coordinates():
    scene = pair(lambda values: {"x": values["a"] - values["b"], "y": -(values["b"] - values["a"])})
    x, y = sp.symbols("x y", real=True)
    assert shown_of(Fact(sp.Eq(x, y, evaluate=False), scene)).proof["sizes"] is None
    assert shown_of(Fact(sp.Eq(x, 2 * y, evaluate=False), scene)) is None


def test_what_is_no_form_in_inner_products_keeps_its_dimensions():
    """Largest coordinates, first coordinates, and sums of a vector and a number are not made of inner products."""
    turned = pair(lambda values: {"a2": amax(values["a"], -1)})
    shared = pair(lambda values: {"a2": (values["a"] + 1).sum(axis=-1)})
    first = pair(lambda values: {"a2": values["a"][..., 0] * values["b"][..., 0]})
    for scene in (turned, shared, first):
        assert abstract(scene, frozenset({"a2"})) is None
    again = pair(lambda v: {"a2": v["a"], "b2": v["a"] + 0 * v["b"]}), sp.Eq(a2, b2, evaluate=False)
    assert shown_of(Fact(again[1], again[0])).proof["sizes"] is None


def test_curvatures_of_coordinates_are_noticed_in_two_dimensions():
    """In one dimension h x x equals <h, x> x; instances in two dimensions differ."""
    scene = replace(
        pair(lambda values: {"a2": (values["h"] * values["a"] * values["a"]).sum(axis=-1) * values["b"]}),
        space=lambda shape: dict.fromkeys("abh", Box(-1, 1, (shape["d"],))),
    )
    assert abstract(scene, frozenset({"a2"})) is None


def test_sizes_that_count_vectors_stay():
    scene = replace(
        PAIR,
        name="several vectors",
        shapes=({"n": 1, "d": 1}, {"n": 2, "d": 1}, {"n": 2, "d": 2}),
        space=lambda shape: {"v": Box(-1, 1, (shape["n"], shape["d"]))},
        compute=lambda shape, values: {
            "sum2": sq(values["v"].sum(axis=1)),
            "a2": shape["n"] * sq(values["v"]).sum(axis=-1),
            "slack": sum(
                (sq(values["v"][:, i] - values["v"][:, j]) for i in range(shape["n"]) for j in range(i)),
                0 * sq(values["v"][:, 0]),
            ),
        },
    )
    shown = shown_of(Fact(sp.Le(sum2, a2, evaluate=False), scene, "slack"))
    assert shown.proof["sizes"] == [{"n": 1}, {"n": 2}]


# ------------------------------------------------------------------------------------------------------- folding


def clients(parameters, compute=None):
    """Clients with weights that sum to one, folded to a single one by a function of parameters."""

    def weighted(shape, values):
        p = values["raw"] / values["raw"].sum(axis=1)[:, None]
        mean = (p[..., None] * values["v"]).sum(axis=1)
        return {
            "a2": sq(mean),
            "ab": dot(mean, values["w"]),
            "b2": sq(values["w"]),
            "sum2": sq(mean + values["w"]),
        }

    return Scene(
        name=f"clients {parameters.__code__.co_firstlineno}",
        shapes=({"N": 1, "d": 1}, {"N": 2, "d": 1}),
        space=lambda shape: {
            "raw": Box(0.1, 1, (shape["N"],)),
            "v": Box(-1, 1, (shape["N"], shape["d"])),
            "w": Box(-1, 1, (shape["d"],)),
        },
        compute=compute or weighted,
        folds=Fold({"N": 1}, parameters),
        covers="clients",
    )


def means(values, weights):
    return {"raw": 1 + 0 * weights[:, :1], "v": (weights[..., None] * values["v"]).sum(axis=1)[:, None]}


def summing_to_one(shape, values):
    return means(values, values["raw"] / values["raw"].sum(axis=1)[:, None])


SQUARED = sp.Eq(sum2, a2 + 2 * ab + b2, evaluate=False)


def test_clients_that_enter_by_their_mean_may_be_any_number():
    shown = shown_of(Fact(SQUARED, clients(summing_to_one)))
    assert shown.proof["sizes"] is None
    assert sentence(shown.reason) == "at all sizes: between vectors of any dimension"
    assert shown_of(Fact(sp.Eq(sum2, a2 + ab + b2, evaluate=False), clients(summing_to_one))) is None


@pytest.mark.parametrize(
    "wrong",
    [
        lambda shape, values: means(values, values["raw"]),  # weights that do not sum to one
        lambda shape, values: {"raw": values["raw"][:, :1], "v": values["v"][:, -1:]},  # another index
        lambda shape, values: means(values, -values["raw"] / values["raw"].sum(axis=1)[:, None]),  # a sign
        lambda shape, values: means(
            values, 2 * values["raw"] / values["raw"].sum(axis=1)[:, None]
        ),  # a factor
        lambda shape, values: {},  # as many clients as before
        lambda shape, values: {
            **summing_to_one(shape, values),
            "raw": -values["raw"][:, :1],
        },  # beyond its range
    ],
)
def test_wrong_folds_are_not_believed(wrong):
    """The proof then covers only the sizes of the scene."""
    assert shown_of(Fact(SQUARED, clients(wrong))).proof["sizes"] == [{"N": 1}, {"N": 2}]


def test_what_enters_otherwise_than_by_sums_keeps_its_sizes():
    squares = lambda shape, values: {"a2": sq(values["v"]).sum(axis=1)}  # noqa: E731
    scene = clients(summing_to_one, squares)
    assert folded(scene, frozenset({"a2"})) is None
    assert folded(clients(summing_to_one), frozenset({"a2", "N"})) is None


# ------------------------------------------------------------------------------------------------------ vectors

x, y = Vector.named("x"), Vector.named("y")
NUMBERS = st.fractions(min_value=-3, max_value=3, max_denominator=5)


@given(*(NUMBERS for _ in range(4)), st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=3))
def test_inner_products_are_those_of_their_coordinates(p, q, r, s, coordinates):
    product = inner(p * x + q * y, r * x + s * y)
    found = sum(
        product.xreplace({part: part.in_one_dimension for part in product.atoms(Inner)}).subs(
            {"x": u, "y": v}
        )
        for u, v in coordinates
    )
    assert found == sp.sympify(sum((p * u + q * v) * (r * u + s * v) for u, v in coordinates))


@pytest.mark.parametrize(
    "operation",
    [lambda: x + 1, lambda: 1 / x, lambda: x / y, lambda: x**3, lambda: abs(x), lambda: sp.Symbol("c") - x],
)
def test_other_operations_are_refused(operation):
    with pytest.raises(NoForm):
        operation()


def test_combinations_are_what_numpy_makes_of_arrays():
    array = np.array([[x], [y]], dtype=object)
    assert coordinate(array.sum(axis=0)[0]) == inner(x + y, Vector.named("axis"))
    assert not (array - array)[0, 0]
    assert (0 * array + array)[1, 0] == y
    assert sq(array)[0] == inner(x, x)
    assert inner(x, x).is_nonnegative
    assert inner(x, y).is_nonnegative is None


def test_the_gradient_of_a_quadratic_function_is_found_by_central_differences():
    scale = inner(y, y) / inner(x, x)
    value = lambda at: np.array([inner(at, at) / 2 - scale * inner(at, y)], dtype=object)  # noqa: E731
    (slope,) = representing(lambda e: (value(x + e) - value(x - e)) / 2)
    assert slope == x - scale * y
    for curved in (lambda e: inner(e, e), lambda e: inner(x, e) ** 2, lambda e: inner(x, e) + inner(x, x)):
        with pytest.raises(NoForm):
            representing(curved)


def test_symbolic_values_have_vectors_where_a_range_says_so():
    variant = abstract(PAIR, frozenset({"of"}))
    (entry,) = symbolic_values(variant, {})["of"].ravel()
    assert entry == Vector.named("a[0]") - 2 * Vector.named("b[0]")

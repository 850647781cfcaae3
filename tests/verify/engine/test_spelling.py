"""Formulas and relations in Coq's syntax, and unsupported ones."""

import pytest

from verify.engine.certificates.field import Undefined
from verify.engine.coq.spelling import Spelling
from verify.engine.coq.vectors import NotExported

SYMBOLS = {
    "x": "real",
    "z": "nonnegative",
    "p": "positive",
    "t": "whole",
    "n": "count",
    "a b": "real",
    "s": "sequence positive",
}


@pytest.mark.parametrize(
    ("formula", "spelled"),
    [
        ("3", "3"),
        ("-3", "(-3)"),
        ("3/4", "(3 / 4)"),
        ("x", "x_x"),
        ("a b", "x_a_b"),
        (["+"], "0"),
        (["*"], "1"),
        (["+", "x", "1", "z"], "(x_x + 1 + x_z)"),
        (["*", "x", "z"], "(x_x * x_z)"),
        (["-", "x"], "(- x_x)"),
        (["-", "x", "z"], "(x_x - x_z)"),
        (["/", "x", "p"], "(x_x / x_p)"),
        (["^", "x", "2"], "(x_x ^ 2)"),
        (["^", "x", "-1"], "(/ x_x)"),
        (["^", "x", "-2"], "(/ (x_x ^ 2))"),
        (["^", "x", ["-", "3", "1"]], "(x_x ^ 2)"),
        (["^", "x", ["-", "2", "1"]], "x_x"),
        (["^", "x", ["-", "t", "t"]], "1"),
        (["^", "x", "t"], "x_power"),
        (["^", "x", ["+", "t", "2"]], "(x_power * (x_x ^ 2))"),
        (["^", "x", "n"], "(x_power * x_x)"),
        (["^", "p", ["-", "t", "1"]], "(x_power / x_p)"),
        (["^", "p", ["-", "t", "2"]], "(x_power / (x_p ^ 2))"),
        (["root", "2", "z"], "(sqrt x_z)"),
        (["root", "3", "z"], "(root 3 x_z)"),
        (["root", "10", "z"], "(root 10 x_z)"),
        (["abs", "x"], "(Rabs x_x)"),
        (["max", "x"], "x_x"),
        (["max", "x", "z"], "(Rmax x_x x_z)"),
        (["min", "x", "z", "p"], "(Rmin x_x (Rmin x_z x_p))"),
        (["call", "f", "x"], "x_f"),
        (["at", "s", "t"], "x_s_"),
    ],
    ids=str,
)
def test_formulas_are_spelled_for_coq(formula, spelled):
    assert Spelling(SYMBOLS).formula(formula) == spelled


def test_the_same_power_has_one_name_and_another_another():
    export = Spelling(SYMBOLS)
    assert export.formula(["^", "x", "t"]) == export.formula(["^", "x", ["+", "t", "0"]]) == "x_power"
    assert export.formula(["^", "z", "t"]) == "x_power_"
    assert export.formula(["^", "p", ["*", "2", "t"]]) == "x_power__"
    assert export.powers == {"x_power": "x_x", "x_power_": "x_z", "x_power__": "x_p"}


def test_names_that_look_alike_stay_apart():
    assert Spelling({"a b": "real", "a_b": "real"}).names == {"a b": "x_a_b", "a_b": "x_a_b_"}


@pytest.mark.parametrize("formula", [["^", "x", "1/2"], ["dot", "x", "x"], ["total", "x"]], ids=str)
def test_what_coq_is_not_told(formula):
    with pytest.raises((NotExported, Undefined)):
        Spelling(SYMBOLS).formula(formula)


OF_VECTORS = {
    "n": "count",
    "m": "count",
    "u": "family n",
    "v": "family n",
    "a": "vector",
    "b": "vector",
    "c": "real",
}


@pytest.mark.parametrize(
    ("formula", "spelled"),
    [
        ("n", "(INR x_n)"),
        ("m", "x_m"),
        (["dot", "a", "b"], "(dot dimension x_a x_b)"),
        (["dot", ["total", "u"], ["+", "a", "b"]], "(dot dimension (total x_n x_u) (plus x_a x_b))"),
        (["each", "n", "u", "a"], "(each x_n dimension x_u (all x_a))"),
        (
            ["each", "n", ["-", "u", ["*", ["/", "1", "n"], ["total", "u"]]], ["*", "c", ["-", "v", "a"]]],
            "(each x_n dimension (all_minus x_u (all (times (1 / (INR x_n)) (total x_n x_u)))) "
            "(all_times x_c (all_minus x_v (all x_a))))",
        ),
    ],
    ids=str,
)
def test_vectors_are_spelled_for_coq(formula, spelled):
    assert Spelling(OF_VECTORS).formula(formula) == spelled


@pytest.mark.parametrize("formula", [["dot", "u", "a"], ["dot", "c", "c"], ["each", "n", "u", "c"]], ids=str)
def test_what_is_no_vector_is_not_exported(formula):
    with pytest.raises(NotExported):
        Spelling(OF_VECTORS).formula(formula)


def test_products_of_vectors_are_written_in_one_order():
    expanding = Spelling(OF_VECTORS).vectors.expanding()
    assert expanding.startswith(
        "autorewrite with products in *; rewrite ?(dot_swap dimension x_b x_a) in *; "
    )
    assert "rewrite ?(dot_swap dimension (total x_n x_v) (total x_n x_u)) in *; " in expanding
    assert "rewrite ?(each_swap x_n dimension x_v x_u) in *; " in expanding
    assert Spelling(SYMBOLS).vectors.expanding() == ""


@pytest.mark.parametrize(
    ("sign", "spelled"),
    [
        ("<=", "x_x <= x_z"),
        ("<", "x_x < x_z"),
        (">=", "x_z <= x_x"),
        (">", "x_z < x_x"),
        ("=", "x_x = x_z"),
        ("!=", "x_x <> x_z"),
    ],
)
def test_relations_point_one_way(sign, spelled):
    assert Spelling(SYMBOLS).relation([sign, "x", "z"]) == spelled


def test_counters_are_natural_numbers():
    export = Spelling(SYMBOLS, {"t"})
    assert export.formula(["at", "s", "0"]) == "(x_s 0%nat)"
    assert export.formula(["at", "s", "t"]) == "(x_s x_t)"
    assert export.formula(["at", "s", ["+", "1", "t"]]) == "(x_s (S x_t))"
    assert export.formula(["at", "s", ["+", "t", "2"]]) == "(x_s (S (S x_t)))"
    assert export.formula(["+", "t", "1"]) == "((INR x_t) + 1)"
    for wrong in (["at", "s", ["*", "2", "t"]], ["at", "s", ["+", "-1", "t"]]):
        with pytest.raises(NotExported, match="an index"):
            export.formula(wrong)
    with pytest.raises(NotExported, match="no sum of counters"):
        export.formula(["at", "s", "n"])


def test_a_counter_is_its_least_value_plus_a_natural_number():
    export = Spelling({"k": "count", "t": "whole", "s": "sequence real"}, {"k", "t"})
    assert export.formula("k") == "(INR x_k + 1)"
    assert export.formula(["at", "s", ["+", "-1", "k"]]) == "(x_s x_k)"
    for least, spelled in ((0, "(S x_t)"), (1, "x_t")):
        assert export.natural(["+", "t", "1"], least) == spelled
    assert [export.natural("2", least) for least in (0, 1, 2)] == ["2%nat", "1%nat", "0%nat"]
    for number, least in (("t", 1), ("0", 1), ("2", 3)):
        with pytest.raises(NotExported, match="index"):
            export.natural(number, least)


def test_powers_with_counters_are_powers():
    export = Spelling({"k": "count", "t": "whole", "m": "whole", "p": "positive"}, {"k", "t"})
    assert export.formula(["^", "p", ["+", "t", "1"]]) == "(((x_p ^ x_t)) * x_p)"
    assert export.formula(["^", "p", "k"]) == "(((x_p ^ x_k)) * x_p)"
    assert (
        export.formula(["^", "p", ["+", ["*", "2", "t"], "k"]]) == "(((x_p ^ x_t) ^ 2 * (x_p ^ x_k)) * x_p)"
    )
    assert export.powers == {}
    with pytest.raises(NotExported, match="no sum of counters"):
        export.formula(["^", "p", ["+", "t", "m"]])

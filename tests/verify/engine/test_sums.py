"""Relations between sums over any number of vectors: proved with two small matrices, consistent with samples."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sympy as sp

from verify import facts
from verify.check_proof import Refused, check
from verify.engine.certificates.question import Undecided
from verify.engine.certificates.recheck import Rejected, recheck
from verify.engine.coq.export import theorem
from verify.engine.model.sums import Bounded, Sums
from verify.engine.proof.facts import shown_of
from verify.engine.tactics.sums import NUMBER, _share, form_shown
from verify.report.wording import sentence

MANY = {"n": "count", "u": "family n", "v": "family n", "w": "vector", "c": "positive"}


def each(x: Any, z: Any) -> Any:
    return ["each", "n", x, z]


def total(x: str) -> Any:
    return ["total", x]


def square(x: Any) -> Any:
    return ["dot", x, x]


UV = each("u", "v")
BOTH = ["+", each("u", "u"), each("v", "v")]
TRUE = {
    "of differences": ["<=", ["*", "2", UV], BOTH],
    "of sums": ["<=", ["*", "-2", UV], BOTH],
    "of unequal shares": ["<=", ["*", "4", UV], ["+", ["*", "4", each("u", "u")], each("v", "v")]],
    "of no products": ["<=", "0", BOTH],
    "Jensen": ["<=", square(total("u")), ["*", "n", each("u", "u")]],
    "two families": ["<=", ["*", "2", UV], ["+", ["*", "c", each("u", "u")], ["/", each("v", "v"), "c"]]],
    "with a vector": [
        "<=",
        ["*", "2", ["dot", total("u"), "w"]],
        ["+", each("u", "u"), ["*", "n", square("w")]],
    ],
    "Cauchy-Schwarz": ["<=", ["^", UV, "2"], ["*", each("u", "u"), each("v", "v")]],
    "of means": [
        "<=",
        ["^", ["/", UV, "n"], "2"],
        ["*", ["/", each("v", "v"), "n"], ["/", each("u", "u"), "n"]],
    ],
    "and a number": ["<=", ["*", "2", UV], ["+", BOTH, ["*", "c", "n"]]],
    "of one pair": ["<=", ["^", ["dot", "w", total("u")], "2"], ["*", square("w"), square(total("u"))]],
}
FALSE = {
    "without n": ["<=", square(total("u")), each("u", "u")],
    "the other way": ["<=", ["*", "n", each("u", "u")], square(total("u"))],
    "n less one": ["<=", square(total("u")), ["*", ["-", "n", "1"], each("u", "u")]],
    "half of Young": [
        "<=",
        ["*", "2", UV],
        ["+", ["*", "c", each("u", "u")], ["/", each("v", "v"), ["*", "2", "c"]]],
    ],
    "a vector too many": ["<=", ["*", "2", ["dot", total("u"), "w"]], ["+", each("u", "u"), square("w")]],
    "half of Cauchy-Schwarz": ["<=", ["^", UV, "2"], ["/", ["*", each("u", "u"), each("v", "v")], "2"]],
    "less a number": ["<=", ["*", "2", UV], ["-", BOTH, "c"]],
    "a number of either sign": ["<=", ["*", "2", UV], ["+", BOTH, ["-", "c", "1"]]],
    "one factor twice": ["<=", ["^", UV, "2"], ["*", each("u", "u"), each("u", "u")]],
    "totals for sums": ["<=", ["^", UV, "2"], ["*", square(total("u")), square(total("v"))]],
}


@pytest.mark.parametrize("claim", TRUE.values(), ids=TRUE)
def test_forms_are_shown_for_any_number_of_vectors(claim: Any) -> None:
    certificate = form_shown(MANY, claim)
    assert not isinstance(certificate, Undecided), certificate.tried
    assert not [line for line in certificate["lines"] if "given" in line]
    check(dict(certificate))
    recheck(certificate)


@pytest.mark.parametrize(
    ("name", "squares"),
    [("of differences", 2), ("of no products", 4), ("Jensen", 1), ("two families", 2), ("with a vector", 2)],
)
def test_no_square_is_written_that_weighs_nothing(name: str, squares: int) -> None:
    certificate = form_shown(MANY, TRUE[name])
    assert not isinstance(certificate, Undecided)
    head, *summands = certificate["lines"][-1]["as"]
    assert (head, len(summands)) == ("+", squares)


@pytest.mark.parametrize("size", "km")
def test_families_of_two_sizes_are_told_apart(size: str) -> None:
    two = {**MANY, size: "count", "f": f"family {size}", "g": f"family {size}"}
    more = [["each", size, x, z] for x, z in ("fg", "ff", "gg")]
    claim = ["<=", ["+", ["*", "2", UV], ["*", "2", more[0]]], ["+", BOTH, *more[1:]]]
    certificate = form_shown(two, claim)
    assert not isinstance(certificate, Undecided)
    check(dict(certificate))


@pytest.mark.parametrize(("many", "shown"), [(60, True), (61, False)])
def test_what_speaks_of_more_than_there_is_room_for_is_not_shown(many: int, shown: Any) -> None:
    unknown = ["+", *(["call", "f", str(k)] for k in range(many))]
    assert isinstance(form_shown({}, ["=", unknown, unknown]), Undecided) is not shown


@pytest.mark.parametrize("claim", FALSE.values(), ids=FALSE)
def test_no_false_form_is_shown(claim: Any) -> None:
    assert isinstance(form_shown(MANY, claim), Undecided)


@pytest.mark.parametrize("false", FALSE.values(), ids=FALSE)
@pytest.mark.parametrize("true", TRUE.values(), ids=TRUE)
def test_a_proof_of_one_form_shows_no_other(true: Any, false: Any) -> None:
    certificate = form_shown(MANY, true)
    assert not isinstance(certificate, Undecided)
    forged = {**certificate, "claim": false, "lines": [*certificate["lines"][:-1]]}
    forged["lines"].append({**certificate["lines"][-1], "show": false})
    with pytest.raises(Refused):
        check(forged)
    with pytest.raises(Rejected):
        recheck(forged)


error2, spread, A, B, U2, W2, S2 = sp.symbols("error2 spread A B U2 W2 S2", nonnegative=True)
x = sp.Symbol("x", real=True)
n, k = sp.symbols("n k", integer=True, positive=True)
LIMIT = Bounded(("u",), (sp.Le(A, B), sp.Le(U2, A**2)), "n")
"""Each u_i is at most B long."""
OF_TOTAL = Sums(
    sp.Le(S2, n**2 * B**2), {S2: square(total("u"))}, {"n": "count", "u": "family n"}, bounded=(LIMIT,)
)
IN_PARTS = Sums(
    sp.Le(S2, n * B**2),
    {S2: each("u", "u")},
    {"n": "count", "u": "family n", "v": "family n"},
    bounded=(replace(LIMIT, parts=("u", "v")),),
)
"""Parts of vectors with bounded length that are uncorrelated with the rest."""
OF_TURNS = Sums(
    sp.Le(S2, n**2 * B**2 * W2),
    {S2: square(total("u")), W2: square("w")},
    {"n": "count", "u": "family n", "w": "vector"},
    bounded=(Bounded(("u",), (sp.Le(A, B), sp.Le(U2, A**2 * W2)), "n"),),
)
"""The bound is itself a square."""
OF_SUMS = Sums(
    sp.Le(S2, k * n**2 * B**2),
    {S2: ["each", "k", "v", "v"]},
    {"n": "count", "v": "family k", "k": "count"},
    bounded=(Bounded(("v",), OF_TOTAL, "k"),),
)
"""k vectors, each the sum of n short ones."""
SHORT = {"a sum": OF_TOTAL, "parts": IN_PARTS, "turns": OF_TURNS, "sums": OF_SUMS}


@pytest.mark.parametrize("name", SHORT)
def test_sums_of_short_vectors_are_short(name: str) -> None:
    fact = SHORT[name]
    shown = shown_of(fact)
    assert shown is not None
    assert shown.proof["sizes"] is None
    assert sp.Le(A, B) in shown.needed
    for certificate in shown.proof["certificates"]:
        check(dict(certificate))
        recheck(certificate)
        theorem(name, certificate)
    less = sp.Le(fact.relation.lhs, sp.Rational(99, 100) * fact.relation.rhs)
    assert shown_of(replace(fact, relation=less)) is None
    assert shown_of(replace(fact, bounded=())) is None


def test_a_bound_counts_only_if_it_is_one() -> None:
    backwards = replace(LIMIT, right=(sp.Le(A, B), sp.Ge(U2, A**2)))
    unproved = replace(OF_TOTAL, relation=sp.Le(S2, n * B**2))
    assert shown_of(replace(OF_TOTAL, bounded=(backwards,))) is None
    assert shown_of(replace(OF_SUMS, bounded=(replace(OF_SUMS.bounded[0], right=unproved),))) is None


@pytest.mark.parametrize(
    ("side", "head"), [(sp.Abs(x), "abs"), (sp.Max(x, 1), "max"), (W2 / sp.Abs(x), "abs"), (W2 / x, "dot")]
)
def test_what_is_not_linear_in_sums_is_refused_by_its_name(side: sp.Expr, head: str) -> None:
    means = {x: ["dot", "u", "v"], W2: square("u")}
    with pytest.raises(ValueError, match=f"linear in them.* has '{head}'"):
        shown_of(Sums(sp.Le(side, W2), means, {"u": "vector", "v": "vector"}))


def test_a_formula_of_quantities_may_be_a_sum() -> None:
    """The square of a mean length is at most the mean of the squares."""
    mean = ["*", ["/", "1", "n"], total("u")]
    means = {A**2: square(mean), S2: ["/", each("u", "u"), "n"]}
    jensen = Sums(sp.Le(A**2, S2), means, {"n": "count", "u": "family n"})
    assert shown_of(jensen) is not None
    assert shown_of(replace(jensen, relation=sp.Le(2 * A**2, S2))) is None


def test_what_stands_for_a_sum_of_inner_products_is_real_whatever_its_letter_is() -> None:
    """Cauchy-Schwarz for a letter without declared assumptions: |C|^2 is C^2."""
    C = sp.Symbol("C")
    means = {C: UV, U2: each("u", "u"), W2: each("v", "v")}
    many = {"n": "count", "u": "family n", "v": "family n"}
    assert shown_of(Sums(sp.Le(sp.Abs(C) ** 2, U2 * W2), means, many)) is not None
    assert shown_of(Sums(sp.Le(sp.Abs(C) ** 2, U2 * W2 / 2), means, many)) is None


def value(tree: Any, vectors: np.ndarray, numbers: dict[str, int]) -> Any:
    """A sum over the rows of an array as a number, or one vector of the array."""
    match tree:
        case str(x):
            return numbers[x] if x in numbers else vectors if x == "v" else float(x)
        case ["total", x]:
            return value(x, vectors, numbers).sum(axis=0)
        case ["dot", x, z]:
            return value(x, vectors, numbers) @ value(z, vectors, numbers)
        case ["each", _, x, z]:
            return (value(x, vectors, numbers) * value(z, vectors, numbers)).sum()
    head, *inside = tree
    first, *rest = (value(part, vectors, numbers) for part in inside)
    for other in rest:
        first = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "^": np.power}[head](
            first, other
        )
    return first


@pytest.mark.parametrize("many", [2, 3, 4])
@pytest.mark.parametrize("few", [1, 2])
def test_samples_are_what_the_proofs_take_them_for(many: int, few: int) -> None:
    """Mean squared errors over all possible draws."""
    vectors = np.random.default_rng(many).normal(size=(many, 2))
    mean, numbers = vectors.mean(axis=0), {"n": many, "k": few}
    for fact, draws in (
        (facts.sampling_without_replacement(error2, spread, n, k), combinations(range(many), few)),
        (facts.sampling_with_replacement(error2, spread, k), product(range(many), repeat=few)),
    ):
        errors = [((vectors[list(drawn)].mean(axis=0) - mean) ** 2).sum() for drawn in draws]
        assert fact.proof is not None
        means = fact.proof.means
        assert value(means[error2], vectors, numbers) == pytest.approx(np.mean(errors), abs=1e-12)
        assert value(means[spread], vectors, numbers) == pytest.approx(((vectors - mean) ** 2).sum() / many)


def test_the_proof_says_that_it_speaks_of_all_sizes() -> None:
    fact = facts.sampling_without_replacement(error2, spread, n, k)
    shown = shown_of(fact.proof)
    assert shown is not None
    assert shown.proof["sizes"] is None
    assert "all sizes" in sentence(shown.reason)
    assert (
        shown_of(
            replace(fact.proof, means={**fact.proof.means, spread: ["*", "2", fact.proof.means[spread]]})
        )
        is None
    )


def test_a_share_of_a_number_is_what_holds_its_letters_in_whatever_sizes() -> None:
    a, b, n = sp.symbols("a b n", positive=True)
    draft: Any = SimpleNamespace(symbols={"a": "positive", "b": "positive", "n": "count"})
    assert sp.expand(_share(draft, {NUMBER: a / n + a + b / a}, {NUMBER: a})) == 1 + 1 / n
    assert _share(draft, {NUMBER: a + b}, {NUMBER: a * n}) == 1 / n
    assert _share(draft, {}, {NUMBER: a}) == 0

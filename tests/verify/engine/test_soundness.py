"""Regression tests: false statements that were once proved, and true ones that were once refuted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sympy as sp

from nqm.fields import abs_
from verify import Box, Claim, Fact, Notes, Proved, Scaling, Scene, facts, judge, order
from verify.engine.links import _of_any_numbers, with_final_verdicts
from verify.engine.model.expressions import symbolic_values
from verify.engine.model.scene import Branching
from verify.engine.model.shapes import grown
from verify.engine.model.validation import validate
from verify.engine.proof.facts import conditions_of, fact_of, valid_definitions
from verify.engine.theorem import theorems_in
from verify.engine.work.errors import UsageError
from verify.report.wording import sentence

notes = Notes("sound")
x, y, x_0 = notes.real("x y x_0")
p, q = notes.positive("p q")
M, N, t = notes.count("M N t")
k = sp.Symbol("k", integer=True)
exactly = lambda left, right: sp.Eq(left, right, evaluate=False)  # noqa: E731


def scene(compute: Any, low: float = -1, shapes: Any = ({"n": 1},), **more: Any) -> Scene:
    return Scene(
        "made up", shapes, lambda s: {"a": Box(low, 1, (s["n"],))}, compute, covers="clearly", **more
    )


def verdict(id: str, relation: Any, *conditions: Any, **more: Any) -> str:
    return str(judge(notes.claim(id, relation, *conditions, **more), "quick", 0)["verdict"])


LENGTHS = scene(lambda s, v: {"x": v["a"][:, 0], "y": abs_(v["a"][:, 0])})
LABELS = Scene(
    "labels",
    ({"d": 1},),
    lambda s: {"a": Box(-1, 1, (2,)), "a_0": Box(-1, 1)},
    lambda s, v: {"x": v["a"][:, 0], "x_0": v["a_0"]},
    covers="clearly",
)
FALSE = {
    "a length is no negative number": (exactly(y, -x), (), {"scene": LENGTHS}),
    "nothing is less than itself": (sp.Lt(x, x, evaluate=False), (), {}),
    "entries and names": (exactly(x, x_0), (), {"scene": LABELS}),
    "a sum from five on": (exactly(sp.Sum(1, (k, 5, t)), t - 4), (), {}),
    "a decimal is what it says": (sp.Le(p / 3, p * sp.Float("0.333333333333333"), evaluate=False), (), {}),
    "a count of eleven": (sp.Le(N, 10), (), {}),
    "a count of six hundred and one": (sp.Le(N, 600), (), {}),
    "a condition with equality": (sp.Le(p, q), (sp.Eq(p + q, 10),), {}),
    "an identity that fails at a size left out": (
        exactly(x, y),
        (),
        {
            "scene": scene(
                lambda s, v: {"x": v["a"].sum(axis=1), "y": v["a"].sum(axis=1) * (2 if s["n"] == 2 else 1)},
                shapes=({"n": 1}, {"n": 3}),
            )
        },
    ),
    "an inequality that fails at a size left out": (
        sp.Le(x, y),
        (),
        {
            "scene": scene(
                Branching(
                    lambda s, v: {
                        "x": v["a"].sum(axis=1) ** 2,
                        "y": (v["a"] ** 2).sum(axis=1) * (1 if s["n"] == 2 else s["n"]),
                    },
                    "any numbers",
                ),
                shapes=({"n": 1}, {"n": 3}),
            )
        },
    ),
    "an identity that fails at size four": (
        exactly(x, y),
        (),
        {
            "scene": scene(
                lambda s, v: {"x": v["a"].sum(axis=1), "y": v["a"][:, :3].sum(axis=1)},
                shapes=tuple({"n": n} for n in (1, 2, 3)),
            )
        },
    ),
}


@pytest.mark.parametrize("name", FALSE)
def test_what_is_false_is_refuted(name: str) -> None:
    relation, conditions, more = FALSE[name]
    assert verdict(name.replace(" ", "-"), relation, *conditions, **more) == "refuted"


SAME = scene(lambda s, v: {"x": v["a"].sum(axis=1), "y": v["a"].sum(axis=1)}, low=0)
NOTHING = {
    "a quotient that is nowhere defined": (exactly(1 / (M - N), 2 / (M - N)), (sp.Eq(M, N),), {}),
    "an order of what is nowhere defined": (
        sp.Le(1 / (M - N), 1 / (M - N) + 1, evaluate=False),
        (sp.Eq(M, N),),
        {},
    ),
    "an identity that no instance meets": (exactly(x, y), (x >= 2,), {"scene": SAME}),
    "no numbers at all": (exactly(x, y), (), {"scene": replace(SAME, shapes=({"n": 0},))}),
    "a root of what is negative": (exactly(sp.sqrt(x), 5), (x <= -1,), {}),
    "a root of a negative product": (exactly(sp.sqrt(x * y), 7), (x >= 1, y <= -1), {}),
    "a root that a zero multiplies": (exactly(p * sp.sqrt(q - 1), p), (q <= sp.Rational(1, 2),), {}),
    "a bound on such a root": (sp.Le(sp.sqrt(x), 5), (x <= -1,), {}),
    "a condition on such a root": (sp.Le(y, 5), (sp.Le(sp.sqrt(x), 10), x <= -1), {}),
}


@pytest.mark.parametrize("name", NOTHING)
def test_nothing_is_proved_of_nothing(name: str) -> None:
    relation, conditions, more = NOTHING[name]
    assert verdict(name.replace(" ", "-"), relation, *conditions, **more) != "proved"


def test_an_instance_where_a_side_is_undefined_is_none() -> None:
    record = judge(notes.claim("undefined", exactly(sp.sqrt(x), 5), x <= -1), "quick", 0)
    assert "a side of Eq(sqrt(x), 5) has no value" in sentence(record["reason"])
    half = judge(notes.claim("half", sp.Le(-1, sp.sqrt(x))), "quick", 0)
    assert 0 < half["evidence"][0]["trials"] < 50  # of 64
    whole = judge(notes.claim("whole", sp.Le(sp.sqrt(N - 3), N - 3, evaluate=False)), "quick", 0)
    assert whole["verdict"] == "unrefuted", whole["reason"]


@pytest.mark.parametrize("shapes", [({"n": 1}, {"n": 2}), tuple({"n": n} for n in (1, 3))])
def test_a_fact_of_a_textbook_says_nothing_of_sizes_at_which_it_was_not_tried(shapes: Any) -> None:
    """The relation fails for means of four or more numbers."""
    squares, square = notes.paper.glossary["p"].symbol, notes.paper.glossary["q"].symbol
    late = scene(
        lambda s, v: {
            "q": v["a"].mean(axis=1) ** 2 + (1 if s["n"] > 3 else 0),
            "p": (v["a"] ** 2).mean(axis=1),
        },
        low=sp.Rational(1, 10),
        shapes=shapes,
        textbook=(facts.jensen(square, squares),),
    )
    assert verdict("late", square <= squares, scene=late) == "refuted"


def test_a_table_without_rows_says_nothing() -> None:
    with pytest.raises(ValueError, match="`rows` must have a row at least"):
        notes.table("empty", x < y, {})


def test_decimals_are_one_number_in_every_arithmetic() -> None:
    assert verdict("tenths", exactly(p * sp.Float("0.1") * 3, p * sp.Rational(3, 10))) == "proved"


def test_symbols_of_a_scene_are_what_their_range_says_and_no_more() -> None:
    values = symbolic_values(LENGTHS, {"n": 1})
    assert values["x"].item().is_positive is None
    assert values["y"].item() == sp.Abs(values["x"].item())
    assert symbolic_values(SAME, {"n": 1})["x"].item().is_nonnegative


def test_no_parameter_is_called_like_an_entry_of_another() -> None:
    clash = replace(LABELS, space=lambda s: {"a": Box(-1, 1, (2,)), "a[0]": Box(-1, 1)})
    with pytest.raises(ValueError, match="like an entry of another"):
        symbolic_values(clash, {"d": 1})


BELOW = scene(lambda s, v: {"p": v["a"][:, 0], "q": v["a"][:, 0] ** 2})


def test_a_scene_keeps_the_domains_that_are_declared() -> None:
    claim = notes.claim("domains", sp.Le(-p, q, evaluate=False), scene=BELOW)
    assert judge(claim, "quick", 0)["verdict"] == "proved"  # wherever p is positive
    with pytest.raises(UsageError, match="`p` must be positive as it is declared, got -"):
        validate(claim)


@pytest.mark.parametrize(
    ("computed", "said"),
    [(lambda a: a, "a count, a whole number,"), (lambda a: 0.5, "a count"), (lambda a: -2, "a count")],
)
def test_counts_and_numbers_alike_keep_their_domains(computed: Any, said: str) -> None:
    claim = notes.claim(
        "counted", sp.Le(N, N**2, evaluate=False), scene=scene(lambda s, v: {"N": computed(v["a"][:, 0])})
    )
    with pytest.raises(UsageError, match=f"`N` must be {said}"):
        validate(claim)


def test_a_quantity_that_is_never_in_its_domain_is_named() -> None:
    claim = notes.claim(
        "never", sp.Gt(p + 1, 1, evaluate=False), scene=scene(lambda s, v: {"p": 0 * v["a"][:, 0]})
    )
    assert "p is positive in none of" in sentence(judge(claim, "quick", 0)["reason"])


@pytest.mark.parametrize("condition", [None, "clearly"])
def test_a_fact_names_the_condition_that_keeps_its_slack(condition: Any) -> None:
    with pytest.raises(ValueError, match=r"`assumed\['spare'\]` must name the condition"):
        Fact(sp.Le(x, y), SAME, "slack", {"spare": ("left", condition)})


def used(limit: float) -> Scene:
    """y is at most the limit, by a definition that is true if the limit is 1."""
    bounded = scene(
        lambda s, v: {"x": v["c"], "y": v["a"][:, 0], "left": v["c"] - v["a"][:, 0], "slack": v["spare"]},
        low=0,
    )
    bounded = replace(bounded, space=lambda s: {"a": Box(0, 1, (1,)), "c": Box(0, 1), "spare": Box(0, 1)})
    fact = Fact(sp.Ge(x, y), bounded, "slack", {"spare": ("left", sp.Le(y, x))})
    compute = Proved(lambda s, v: {"x": 0 * v["a"][:, 0] + limit, "y": v["a"][:, 0]}, (fact,), (sp.Le(y, x),))
    return SAME.variant(f"limit {limit}", compute=compute)


def test_a_definition_counts_where_no_instance_breaks_it() -> None:
    true, false = used(1), used(0.9)
    assert valid_definitions(true)
    shown = fact_of(sp.Ge(x, y), true, ())
    assert shown is not None
    assert "by definition y <= x" in sentence(shown.reason)
    assert not valid_definitions(false)
    assert fact_of(sp.Ge(x, y), false, ()) is None
    assert conditions_of(true.compute.facts[0]) == {sp.Le(y, x)}


def of_vectors(*sizes: int, of: Any = lambda compute: compute) -> Scene:
    """The square of a sum of this number of vectors, and a multiple of the sum of their squares."""

    def compute(shape: Any, values: Any) -> Any:
        each = values["a"]
        return {"x": values["c"] * each.sum(axis=1) ** 2, "y": values["c"] * (each**2).sum(axis=1)}

    return Scene(
        "sums",
        tuple({"n": size} for size in sizes),
        lambda s: {"a": Box(-1, 1, (s["n"],)), "c": Box(0, 1)},
        of(compute),
        covers="any numbers",
    )


@pytest.mark.parametrize(
    "of",
    [
        lambda compute: compute,
        lambda compute: Branching(compute, "any numbers"),
        lambda compute: Proved(compute, (Fact(exactly(x, y), of_vectors(0, 1)),)),
    ],
    ids=["an identity", "ways", "a fact"],
)
def test_nothing_is_proved_of_no_vectors(of: Any) -> None:
    """Every relation about empty sums would be true."""
    assert verdict("empty", exactly(x, y), scene=of_vectors(0, of=of)) == "not judged"
    assert verdict("larger", sp.Le(x, y + 1), scene=of_vectors(0, of=of)) == "not judged"
    assert verdict("wrong", sp.Le(x + 1, y), scene=of_vectors(0, of=of)) == "refuted"
    assert verdict("one", exactly(x, y), scene=of_vectors(0, 1, of=of)) == "proved"
    assert verdict("two", exactly(x, y), scene=of_vectors(0, 1, 2, of=of)) == "refuted"


def test_a_fact_of_no_vectors_is_none() -> None:
    empty = of_vectors(1, of=lambda compute: Proved(compute, (Fact(exactly(x, y), of_vectors(0)),)))
    assert fact_of(exactly(x, y), empty, ()) is None


def linked_with(other: Scene | None, symbol: sp.Symbol) -> str:
    """The verdict of y <= x + 1, derived from y <= x, a statement at another place."""
    own = Notes("links")
    first, second = own.real("y x")
    one = scene(lambda s, v: {"x": v["a"][:, 0] ** 2 + 1, "y": v["a"][:, 0]})
    premise = own.claim("premise", sp.Le(symbol, second), scene=one if other is None else other)
    derived = own.claim("derived", sp.Le(first, second + 1), scene=one, premises=(sp.Le(first, second),))
    records = [judge(claim, "quick", 0, (premise, derived)) for claim in (premise, derived)]
    records[0]["verdict"] = "proved"
    return str(with_final_verdicts(records)[1]["verdict"])


def test_a_premise_is_supplied_about_the_same_quantities_only() -> None:
    elsewhere = scene(lambda s, v: {"x": v["a"][:, 0] ** 2 + 2, "y": v["a"][:, 0]})
    assert linked_with(None, y) == "proved"
    assert linked_with(elsewhere, y) == "unrefuted"
    assert linked_with(None, sp.Symbol("y", positive=True)) == "unrefuted"


SUPPLIED = """
from nqm.fields import abs_
from verify import Box, Notes, Scene
from verify.report.wording import sentence
import sympy as sp
notes = Notes("ranges")
x, y = notes.real("x y")
p = notes.positive("p")
of = lambda shape, values: {"x": values["a"], "y": abs_(values["a"]), "p": values["a"]}
within = lambda low: Scene(f"from {low} on", ({},), lambda shape: {"a": Box(low, 1)}, of, covers="any number")
notes.claim("premise", sp.Eq(y, x), scene=within(0.1))
more = sp.Le(x, x + p, evaluate=False)
notes.claim("free", more)
notes.claim("where-it-is-so", y <= x + 2, scene=within(0.5), premises=(sp.Eq(y, x),))
notes.claim("where-it-is-not", y <= x + 2, scene=within(-1), premises=(sp.Eq(y, x),))
notes.claim("another-sign", x <= y, scene=within(-1), premises=(more,))
CLAIMS = notes.claims
"""


def test_a_premise_that_is_proved_elsewhere_is_asked_of_the_scene_that_takes_it(tmp_path: Path) -> None:
    file = tmp_path / "ranges.py"
    file.write_text(SUPPLIED)
    claims = theorems_in(file).claims
    records = with_final_verdicts([judge(claim, "quick", 0, claims) for claim in claims])
    assert [record["verdict"] for record in records] == [
        "proved",
        "proved",
        "proved",
        "unrefuted",
        "unrefuted",
    ]
    says = [says["same"] for record in records[2:] for says in record["cites"].values()]
    assert says == [["ranges.premise"], [], []]


def test_an_induction_says_nothing_of_quantities_of_the_same_names() -> None:
    record: dict[str, Any] = {"proof": {"certificate": {}, "rests_on": {"premises": []}, "sizes": None}}
    assert _of_any_numbers(record)
    assert not any(
        _of_any_numbers({"proof": {**record["proof"], more: {}}}) for more in ("induction", "means")
    )


def test_sizes_grow_as_those_listed_are_related() -> None:
    shapes = tuple({"M": M, "N": N, "d": 1, "noisy": M % 2} for M, N in ((1, 1), (2, 1), (3, 2)))
    assert {"M": 4, "N": 2, "d": 1, "noisy": 1} in grown(shapes)
    assert all(s["N"] <= s["M"] and s["d"] == 1 for s in grown(shapes))
    assert grown(({"T": 2, "K": 2}, {"T": 3, "K": 3})) == [{"T": 4, "K": 4}, {"T": 5, "K": 5}]
    assert grown(({"n": 1}, {"n": 5}), 1) == [{"n": 2}, {"n": 6}]


@pytest.mark.parametrize(
    ("term", "claimed", "verdict_of"),
    [
        (M * N / (M + N), sp.Integer(1), "gap"),
        (sp.log(M) / M, 1 / M, "gap"),
        (sp.log(M * N) / M, sp.log(M) / M, "gap"),
        (1 / (M + N), 1 / M, "proved"),
    ],
)
def test_orders_are_of_variables_that_grow_alone_and_together(
    term: sp.Expr, claimed: sp.Expr, verdict_of: str
) -> None:
    scaling = Scaling({"term": term}, {}, claimed, (M, N) if N in term.free_symbols else (M,))
    statement = notes.paper.statement("order", "an order", scaling, "order")
    assert judge(Claim(statement, (order,)), "quick", 0)["verdict"] == verdict_of


def test_two_claims_of_one_id_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "twice.py"
    file.write_text(
        "from verify import Notes\nnotes = Notes('twice')\nx = notes.positive('x')\n"
        "notes.claim('one', x <= x**2)\nnotes.claim('one', x <= 1)\nCLAIMS = notes.claims\n"
    )
    with pytest.raises(UsageError, match=r"`id` must be unique, got 'twice\.one'"):
        theorems_in(file)

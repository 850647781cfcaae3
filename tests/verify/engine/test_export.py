"""The Coq export: notation of domains, lines and theorems."""

import pytest

from verify.engine.certificates.field import WHOLE
from verify.engine.certificates.formulas import with_part
from verify.engine.coq.export import PRELUDE, VECTORS, file_of, theorem


def certificate(symbols, claim, *lines):
    return {"symbols": symbols, "claim": claim, "lines": list(lines)}


def shown(relation, by, **more):
    return {"show": relation, "as": by, **more}


def given(relation, **more):
    return {"given": relation, "by": "condition", **more}


def test_a_theorem_has_its_domains_and_what_is_given_as_hypotheses():
    claim = ["<", "x", ["+", "z", "p"]]
    symbols = {"x": "real", "z": "nonnegative", "p": "positive", "n": "count"}
    text = theorem(
        "a/b c", certificate(symbols, claim, given([">=", "z", "x"]), shown(claim, ["+", ["slack", 0], "p"]))
    )
    assert text.splitlines() == [
        "Theorem t_a_b_c (x_x x_z x_p x_n : R)",
        "  (Dx_z : 0 <= x_z)",
        "  (Dx_p : 0 < x_p)",
        "  (Dx_n : 1 <= x_n)",
        "  (given0 : x_x <= x_z)",
        "  : x_x < (x_z + x_p).",
        "Proof.",
        "  assert (0 < x_n) by lra.",
        "  rename given0 into fact0.",
        "  assert (fact1 : x_x < (x_z + x_p)).",
        "  {",
        "    apply (lt_of _ _ ((x_z - x_x) + x_p)).",
        "    - same.",
        "    - positive.",
        "  }",
        "  assumption.",
        "Qed.",
    ]


def test_entries_of_sequences_keep_their_sign_outside_inductions():
    entry = ["at", "s", ["+", "T", "1"]]
    symbols = {"s": "sequence nonnegative", "r": "sequence real", "T": "whole"}
    claim = [">=", ["+", entry, ["^", ["at", "r", "0"], "2"]], "0"]
    text = theorem("entry", certificate(symbols, claim, shown(claim, claim[1])))
    assert "  (Dx_s_ : 0 <= x_s_)" in text.splitlines()
    assert "Dx_r" not in text


def test_equations_are_put_in_and_closed_by_what_vanishes():
    claim = ["=", "x", ["+", "z", "1"]]
    text = theorem(
        "put",
        certificate(
            {"x": "real", "y": "real", "z": "nonnegative"},
            claim,
            given(["=", "x", "y"]),
            given(["=", "y", ["+", "z", "1"]]),
            shown(claim, ["slack", 1], put=[0]),
        ),
    )
    assert "- subst x_x; same." in text
    assert "- subst x_x; vanishes." in text
    assert "apply (eq_of _ _ ((x_z + 1) - x_y))." in text


@pytest.mark.parametrize("sign", ["<=", ">="])
def test_what_a_fact_has_more_is_its_large_side_less_its_small_one(sign):
    sides = ["x", "z"] if sign == "<=" else ["z", "x"]
    claim = ["<=", "x", ["+", "z", "1"]]
    lines = given([sign, *sides]), shown(claim, ["+", ["slack", 0], "1"])
    text = theorem("s", certificate({"x": "real", "z": "real"}, claim, *lines))
    assert "(given0 : x_x <= x_z)" in text
    assert "apply (le_of _ _ ((x_z - x_x) + 1))." in text


LAWS = {
    "root": (
        ["root", "2", "z"],
        ["assert (0 <= (sqrt x_z)) by root_law.", "assert (x_z = (sqrt x_z) ^ 2) by root_law."],
    ),
    "root of another degree": (
        ["root", "5", "z"],
        ["assert (0 <= (root 5 x_z)) by root_law.", "assert (x_z = (root 5 x_z) ^ 5) by root_law."],
    ),
    "abs": (
        ["abs", "x"],
        [
            "pose proof (Rabs_pos x_x).",
            "assert (x_x <= (Rabs x_x)) by apply Rle_abs.",
            "assert (0 <= (Rabs x_x) + x_x) by (unfold Rabs; destruct (Rcase_abs x_x); lra).",
            "assert (x_x ^ 2 = (Rabs x_x) ^ 2) by (symmetry; apply pow2_abs).",
        ],
    ),
    "max": (
        ["max", "x", "z"],
        [
            "assert (x_x <= (Rmax x_x x_z)) by (unfold Rmax; repeat destruct Rle_dec; lra).",
            "assert (x_z <= (Rmax x_x x_z)) by (unfold Rmax; repeat destruct Rle_dec; lra).",
        ],
    ),
    "min": (
        ["min", "x", "z"],
        [
            "assert ((Rmin x_x x_z) <= x_x) by (unfold Rmin; repeat destruct Rle_dec; lra).",
            "assert ((Rmin x_x x_z) <= x_z) by (unfold Rmin; repeat destruct Rle_dec; lra).",
        ],
    ),
}


@pytest.mark.parametrize("name", LAWS)
def test_laws_of_roots_lengths_and_extremes_are_asserted_once_where_they_are_used(name):
    formula, laws = LAWS[name]
    claim = ["<=", "0", ["+", formula, "p"]]
    symbols = {"x": "real", "z": "nonnegative", "p": "positive"}
    text = theorem("law", certificate(symbols, claim, shown(claim, ["+", formula, "p"])))
    lines = [line.strip() for line in text.splitlines()]
    assert lines[lines.index("{") + 1 : next(k for k, line in enumerate(lines) if "le_of" in line)] == laws


def in_cases(by, parts, goal=("<=", "0", "z")):
    goal = list(goal)
    inside = [[shown(goal, "z")] for _ in range(parts)]
    symbols = {"x": "real", "y": "real", "z": "nonnegative"}
    return theorem("split", certificate(symbols, goal, {"show": goal, "split": by, "parts": inside}))


def test_cases_are_those_of_the_line():
    two = in_cases("x", 2)
    assert (
        "assert (cases : x_x <= 0 \\/ 0 < x_x) by (destruct (Rle_or_lt x_x 0); [left | right]; lra)." in two
    )
    assert "destruct cases as [fact0 | fact0]." in two
    assert two.count("assert (fact1 : 0 <= x_z).") == 2
    of_length = in_cases(["abs", "x"], 2)
    assert "cases : (Rabs x_x) = x_x \\/ (Rabs x_x) = (- x_x)) by (unfold Rabs;" in of_length
    three = in_cases(["max", "x", "y", "z"], 3)
    largest = "(Rmax x_x (Rmax x_y x_z))"
    assert f"cases : {largest} = x_x \\/ {largest} = x_y \\/ {largest} = x_z) by (unfold Rmax;" in three
    assert "destruct cases as [fact0 | [fact0 | fact0]]." in three
    one = in_cases(["max", "x"], 1)
    assert "assert (cases : x_x = x_x) by" in one
    assert "rename cases into fact0." in one


def test_cases_of_whole_numbers_are_those_of_an_integer():
    goal = ["<=", "0", "z"]
    inside = [[shown(goal, "z")]] * 2
    cases = {"show": goal, "split": ["-", ["*", "2", "n"], ["+", "t", "3"]], "whole": True, "parts": inside}
    text = theorem("w", certificate({"n": "count", "t": "whole", "z": "nonnegative"}, goal, cases))
    assert text.startswith("Theorem t_w (x_z : R) (x_n x_t : nat)\n  (Dx_n : 1 <= (INR x_n))")
    either = "((2 * (INR x_n)) - ((INR x_t) + 3))"
    by = "whole_cases ((2) * Z.of_nat x_n + (-1) * Z.of_nat x_t + (-3))%Z"
    assert f"assert (cases : {either} <= 0 \\/ 1 <= {either}) by ({by})." in text


def test_what_is_not_zero_is_shown_by_what_is_not():
    claim = ["!=", "p", "0"]
    text = theorem("nonzero", certificate({"p": "positive"}, claim, shown(claim, "p")))
    assert "apply (ne_of _ _ x_p)." in text
    assert "- nonzero." in text


def growing(domain="whole"):
    """s(t + 1) >= s(t) for all t and s >= 1 at the first t give s(t) >= 1 for all t."""
    first = str(WHOLE[domain])
    goal = lambda index: ["<=", "1", ["at", "s", index]]  # noqa: E731
    step = ["<=", ["at", "s", "t"], ["at", "s", ["+", "t", "1"]]]
    here = {"show": step, "every": 0, "at": "t"}
    by_step = shown(goal(["+", "t", "1"]), ["+", ["slack", 2], ["slack", 3]])
    return certificate(
        {"t": domain, "s": "sequence nonnegative"},
        goal("t"),
        given(step, **{"for": "t"}),
        given(["=", ["at", "s", first], "1"]),
        {
            "show": goal("t"),
            "induct": "t",
            "base": [shown(goal(first), ["-", ["slack", 1]])],
            "step": [here, by_step],
        },
    )


def test_an_induction_is_one_in_coq():
    text = theorem("grows", growing())
    assert text.splitlines()[:6] == [
        "Theorem t_grows (x_t : nat) (x_s : nat -> R)",
        "  (Dx_s : forall n : nat, 0 <= (x_s n))",
        "  (every0 : forall x_t : nat, (x_s x_t) <= (x_s (S x_t)))",
        "  (given1 : (x_s 0%nat) = 1)",
        "  : 1 <= (x_s x_t).",
        "Proof.",
    ]
    for line in (
        "  pose proof (every0 x_t) as fact0.",
        "  pose proof (pos_INR x_t).",
        "  assert (every2 : forall x_n : nat, 1 <= (x_s x_n)).",
        "  { clear fact0.",
        "    induction x_n as [| x_n fact2].",
        "    { pose proof (every0 x_n) as fact0. pose proof (pos_INR x_n).",
        "        pose proof (Dx_s (S x_n)).",
        "        agrees (every0 x_n).",
        "      agrees fact4.",
        "  pose proof (every2 x_t) as fact2.",
    ):
        assert line in text.splitlines(), line
    base, step = (
        text.index("assert (fact2 : 1 <= (x_s 0%nat))"),
        text.index("assert (fact4 : 1 <= (x_s (S x_n)))"),
    )
    assert base < step


def test_an_induction_from_1_counts_what_is_beyond():
    text = theorem("grows", growing("count"))
    for line in (
        "  (every0 : forall x_t : nat, (x_s (S x_t)) <= (x_s (S (S x_t))))",
        "  (given1 : (x_s 1%nat) = 1)",
        "  : 1 <= (x_s (S x_t)).",
        "  assert (every2 : forall x_n : nat, 1 <= (x_s (S x_n))).",
        "      assert (fact3 : (x_s (S x_n)) <= (x_s (S (S x_n)))).",
        "        agrees (every0 x_n).",
    ):
        assert line in text.splitlines(), line


def test_roots_of_the_same_number_are_alike_and_numerators_are_told():
    x, p = "x", "p"
    claim = ["<=", ["root", "2", ["+", p, p]], ["+", ["root", "2", ["*", "2", p]], "1"]]
    text = theorem("roots", certificate({"p": "positive"}, claim, shown(claim, "1")))
    one, other = "(sqrt (x_p + x_p))", "(sqrt (2 * x_p))"
    assert f"- alike {one} {other}; same." in text or f"- alike {other} {one}; same." in text
    turned = ["<=", claim[2][1], ["+", claim[1], "1"]]
    assert " alike " in theorem("turned", certificate({"p": "positive"}, turned, shown(turned, "1")))
    one, other = (["^", base, "t"] for base in (["+", "1", ["/", "1", "t"]], ["+", ["/", "1", "t"], "1"]))
    claim = ["<=", ["*", one, "t"], ["+", ["*", other, "t"], "1"]]
    lines = [{"given": ["<=", "0", "t"], "by": "law", "for": "t"}, shown(claim, "1")]
    text = theorem("powers", {"symbols": {"t": "count"}, "lines": lines, "claim": claim})
    assert " alike (" in text
    below = ["+", "1", ["/", "1", p]]
    claim = ["<=", ["/", x, below], ["+", ["/", x, below], "1"]]
    text = theorem("numerators", certificate({"x": "real", "p": "positive"}, claim, shown(claim, "1")))
    assert "numerator (1 + (1 / x_p)) (x_p + 1) x_p; same." in text


def test_of_a_denominator_without_fractions_nothing_is_told():
    both = ["+", "1", "p"]
    claim = ["<=", ["/", "x", both], ["+", ["/", "x", both], "1"]]
    text = theorem("plain", certificate({"x": "real", "p": "positive"}, claim, shown(claim, "1")))
    assert "(x_x / (1 + x_p))" in text
    assert "numerator" not in text
    assert "differs" not in text


def test_what_a_slack_divides_by_is_told_though_the_relation_does_not_divide():
    """x/(1 + 1/p) <= z, so x <= z (1 + 1/p): the denominator appears when the slack is written out."""
    both = ["+", "1", ["/", "1", "p"]]
    claim = ["<=", "x", ["*", "z", both]]
    lines = given(["<=", ["/", "x", both], "z"]), shown(claim, ["*", both, ["slack", 0]])
    text = theorem("s", certificate({"x": "real", "z": "real", "p": "positive"}, claim, *lines))
    assert "((1 + (1 / x_p)) * (x_z - (x_x / (1 + (1 / x_p)))))" in text
    assert "- numerator (1 + (1 / x_p)) (x_p + 1) x_p; same." in text


def test_parts_of_formulas_are_replaced_wherever_they_stand():
    slack, new = ["slack", 1], ["-", "x", "z"]
    assert with_part(slack, slack, new) == new
    assert with_part(["+", slack, ["*", "2", slack], ["slack", 0]], slack, new) == [
        "+",
        new,
        ["*", "2", new],
        ["slack", 0],
    ]
    assert with_part("x", slack, new) == "x"


def test_a_file_has_what_its_theorems_need_before_them():
    claim = ["<=", "0", ["dot", "w", "w"]]
    plain = theorem("plain", certificate({"x": "real"}, ["<=", "x", "x"], shown(["<=", "x", "x"], "0")))
    vectors = theorem("vectors", certificate({"w": "vector"}, claim, shown(claim, ["dot", "w", "w"])))
    family = theorem(
        "family",
        certificate(
            {"n": "count", "u": "family n"},
            ["<=", "0", ["each", "n", "u", "u"]],
            shown(["<=", "0", ["each", "n", "u", "u"]], ["each", "n", "u", "u"]),
        ),
    )
    assert file_of([plain]) == f"{PRELUDE}\n{plain}"
    for some in ([vectors], [plain, vectors], [family, plain]):
        assert file_of(some) == "\n".join([PRELUDE, VECTORS, *some])

"""Tables: every row is recomputed, and the record has the share of random numbers that would fail."""

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy as sp

from tests.verify import known as k
from tests.verify.engine.simple import LINE, QUICK, n, of, u, v, x, y
from verify.engine.checks.power import _places, alike, by_row, of_groups, of_marks
from verify.engine.checks.table import ASKED, claimed_of, leading, row, table
from verify.engine.model.claim import Claim
from verify.engine.model.scene import Box
from verify.engine.verdict import Verdict
from verify.report.wording import sentence


def test_tables_are_recomputed_row_by_row():
    statement = k.known("table", of(sp.Eq, x, y + n))
    rows = {
        "right": row({"n": 1}, {"x": "1.5", "y": "0.5"}),
        "wrong": row({"n": 2}, {"x": "1.5", "y": "0.5"}),
    }
    finding = table(rows)(claimed_of(statement, rows), QUICK, 0)
    assert finding.verdict is Verdict.INCONSISTENT
    assert (
        sentence(finding.reason)
        == "1 of 2 rows differ: wrong; of numbers at random in place of x 1.98 of 2 would differ"
    )
    assert finding.witness.relation.fails
    assert [finding.details["rows"][name]["holds"] for name in rows] == [True, False]
    assert finding.trials == 2
    alone = {"right": rows["right"]}
    assert table(alone)(claimed_of(statement, alone), QUICK, 0).verdict is Verdict.PROVED
    below = claimed_of(k.known("cond", of(sp.Eq, x, y + n), of(sp.Le, x, 1)), rows)
    with pytest.raises(ValueError, match="row 'right' does not meet x <= 1"):
        table(rows)(below, QUICK, 0)
    with pytest.raises(ValueError, match="needs a scene"):
        table(rows)(Claim(statement, ()), QUICK, 0)
    printed = claimed_of(statement, rows).scene
    assert printed.shapes == ({"n": 1},)
    assert printed.space({"n": 1}) == dict.fromkeys("xy", Box(1e-6, 1e6, scale="log"))


@pytest.mark.parametrize("twos", range(5))
@pytest.mark.parametrize("fives", range(4))
def test_decimals_have_as_many_places_as_they_are_printed_with(twos, fives):
    number = Fraction(3, 2**twos * 5**fives)
    places = _places(number)
    assert (number * 10**places).denominator == 1
    assert places == 0 or (number * 10 ** (places - 1)).denominator > 1
    assert _places(number / 3) == places
    assert _places(number / 9) is None


def test_rows_of_a_table_count_by_how_many_numbers_would_fail():
    statement = k.known("counted", of(sp.Eq, x, y + n))
    rows = {name: row({"n": 1}, {"x": "1.5", "y": "0.5"}) for name in ("sharp", "half", "blunt")}
    power = {"sharp": Fraction(1), "half": Fraction(1, 2), "blunt": Fraction(0)}
    powers = {id(instance): power[name] for name, instance in rows.items()}

    def found(*names):
        chosen = {name: rows[name] for name in names}
        return table(chosen, by_row(lambda one: powers[id(one)]))(claimed_of(statement, rows), QUICK, 0)

    whole = found("sharp", "half", "blunt")
    assert (whole.check, whole.verdict, whole.trials) == ("table", Verdict.PROVED, 2)
    assert whole.details["power"] == {"sharp": 1, "half": 0.5}
    assert sentence(whole.reason).endswith(
        "of numbers at random 1.5 of 2 would differ; 1 rows that cannot fail are left out"
    )
    assert sentence(found("sharp", "half").reason).endswith("of numbers at random 1.5 of 2 would differ")
    none = found("blunt")
    assert none.verdict is Verdict.NOT_JUDGED
    assert sentence(none.reason).startswith("none of 1 rows can fail (power 0)")


def judged_rows(relation, rows, **how):
    return table(rows, **how)(claimed_of(k.known("powers", relation), rows), QUICK, 0)


def test_numbers_at_random_have_the_digits_of_their_column():
    assert alike([Fraction("0.5"), Fraction("3")]) == [Fraction(k, 10) for k in range(100)]
    assert alike([Fraction("-7"), Fraction("12")]) == list(range(-99, 100))
    assert alike([Fraction("0.5312")]) == [Fraction(k, 100) for k in range(100)]
    assert alike([Fraction(1), Fraction(0)]) == alike([Fraction(1)]) == [0, 1]
    assert alike([Fraction(0), Fraction("0.5"), Fraction(1)]) == [Fraction(k, 10) for k in range(100)]
    assert alike([Fraction(1, 3), Fraction(1)]) == []


def test_power_is_the_share_of_numbers_that_would_fail():
    below = judged_rows(of(sp.Le, x, y), {"row": row({}, {"x": "0.2", "y": "0.5"})})
    assert below.verdict is Verdict.PROVED
    # Numbers other than x fail more often (0.6 to 0.9) than numbers other than y (0.0 and 0.1)
    assert sentence(below.reason).endswith("of numbers at random in place of x 0.4 of 1 would differ")
    assert below.details["power"] == {"row": 0.4}
    near = judged_rows(
        of(sp.Le, sp.Abs(x - y), sp.Rational(1, 10)), {"row": row({}, {"x": "3.1", "y": "3.0"})}
    )
    assert near.details["power"] == {"row": 0.97}
    counted = judged_rows(of(sp.Le, n, 4), {"row": row({"n": 3}, {})})
    assert counted.details["power"] == {"row": float(Fraction(5, 9))}


def test_numbers_at_which_a_side_is_not_defined_are_not_printed():
    ratio = judged_rows(of(sp.Le, x / y, 1), {"row": row({}, {"x": "3", "y": "4"})})
    assert ratio.details["power"] == {"row": 0.5}  # 5 to 9 in place of x; 1 and 2, of 1 to 9, in place of y


def test_of_a_list_the_first_number_is_another():
    of_list = replace(LINE, space=lambda shape: {"x": Box(0, 9, axes=(2,))}, compute=lambda shape, values: {})
    claim = Claim(k.known("first", of(sp.Le, x, 5)), (), of_list)
    finding = table({"row": row({"n": 1}, {"x": ["2", "3"]})})(claim, QUICK, 0)
    assert finding.details["power"] == {"row": 0.4}


def test_columns_count_where_the_relation_names_them_or_a_scene_reads_them():
    exact = judged_rows(of(sp.Eq, x, sp.Rational("12.34")), {"row": row({}, {"x": "12.34"})})
    assert exact.details["power"] == {"row": 1}  # 0 to 99 in place of x
    read = replace(LINE, space=lambda shape: {}, compute=lambda shape, values: {"u": 2 * values["x"]})
    claim = Claim(k.known("read", of(sp.Le, u, 1)), (), read)
    finding = table({"row": row({"n": 1}, {"x": "0.2"})})(claim, QUICK, 0)
    assert finding.details["power"] == {"row": 0.4}
    assert sentence(finding.reason).endswith("of numbers at random in place of x 0.4 of 1 would differ")
    every = replace(read, compute=lambda shape, values: {"u": values["x"]})
    claim = Claim(k.known("every", of(sp.Eq, u, sp.Rational("12.34"))), (), every)
    exact = table({"row": row({"n": 1}, {"x": "12.34"})})(claim, QUICK, 0)
    assert (exact.verdict, exact.details["power"]) == (Verdict.PROVED, {"row": 1})
    # A column that the relation does not use has no power, although its numbers change at random, too
    idle = table({"row": row({"n": 1}, {"x": "12.3", "w": "7"})})(claim, QUICK, 0)
    assert sentence(idle.reason).endswith("of numbers at random in place of x 1 of 1 would differ")


def test_what_cannot_fail_is_named_so():
    finding = judged_rows(of(sp.Le, x, 10), {"row": row({}, {"x": "3"})})
    assert finding.verdict is Verdict.NOT_JUDGED
    assert sentence(finding.reason).startswith("none of 1 rows can fail (power 0)")


@pytest.mark.parametrize(
    ("numbers", "power"), [("3 2 1", Fraction(2, 3)), ("9 5 4 1", Fraction(3, 4)), ("2 2", 1)]
)
def test_a_mark_at_random_is_right_once_in_its_column(numbers, power):
    first, *others = numbers.split()
    scores = {("a", first): Fraction(first)} | {("a", f"{k}"): Fraction(v) for k, v in enumerate(others)}
    rows = leading(scores, [("a", first)])
    assert judged_rows(
        of(sp.Gt, u, v),
        {
            name: row({}, {"u": one.parameters["ahead"], "v": one.parameters["behind"]})
            for name, one in rows.items()
        },
        power=of_marks,
    ).details["power"] == {"a: " + first: float(power)}


def test_two_groups_of_numbers_at_random():
    group = replace(
        LINE,
        space=lambda shape: {},
        compute=lambda shape, values: {"u": values["x"].max(-1), "v": values["y"].min(-1)},
    )
    claim = Claim(k.known("groups", of(sp.Lt, u, v)), (), group)
    rows = {"row": row({"n": 1}, {"x": ["1", "2"], "y": ["3", "4"]})}
    finding = table(rows, of_groups(("x",), ("y",)))(claim, QUICK, 0)
    assert finding.details["power"] == {"row": float(1 - Fraction(1, 6))}
    assert sentence(finding.reason).endswith("of groups at random 0.833 of 1 would differ")


def test_a_question_of_our_own_is_refuted_and_contradicts_nothing():
    rows = {"row": row({}, {"x": "3", "y": "2"})}
    assert judged_rows(of(sp.Le, x, y), rows).verdict is Verdict.INCONSISTENT
    assert judged_rows(of(sp.Le, x, y), rows, failing=ASKED).verdict is Verdict.REFUTED


def test_leaders_are_compared_with_every_other_method_of_their_experiment():
    scores = {
        ("A", "one"): Fraction(3),
        ("A", "two"): Fraction(2),
        ("A", "three"): Fraction(4),
        ("B", "one"): Fraction(1),
        ("B", "two"): Fraction(0),
    }
    found = leading(scores, [("A", "one"), ("B", "one")])
    assert list(found) == ["A: one against two", "A: one against three", "B: one against two"]
    assert found["A: one against two"].parameters["ahead"] == 3
    assert found["A: one against two"].parameters["behind"] == 2

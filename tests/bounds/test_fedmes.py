"""FedMeS as data: right-hand sides compared with numbers by hand, and variants with the printed statements."""

from __future__ import annotations

import pytest

from bounds.catalogue import statement, statements
from bounds.evaluate import evaluate

AT = {
    "c": 0.5,
    "L": 2.0,
    "mu": 0.5,
    "mu_G": 2.0,
    "Mn": 3.0,
    "M_V": 1.0,
    "M_G": 5.0,
    "A_s": 2.0,
    "eta_s": 0.1,
    "mem_gradient2": 7.0,
    "gap": 4.0,
    "align": 6.0,
    "square2": 9.0,
    "gap_1": 8.0,
    "shrunk": 0.25,
    "shrunk_more": 0.125,
    "lam": 1.5,
    "eta_1": 0.2,
    "E": 2,
    "from_centre": 10.0,
    "off": 4.0,
    "error_before": 6.0,
    "left": 0.36,
    "least_left": 0.09,
}
FLOOR = 2 * 3 / (2 * 0.25 * 0.25)
NOISE = 0.01 * 2 * 3 * 4 / 2


@pytest.mark.parametrize(
    ("id", "by_hand"),
    [
        ("thm1", FLOOR),
        ("eq30.second", 3 + 7 + 4 * 7),
        ("eq34", -0.1 * 2 * 6 + 0.01 * 2 * 4 * 9 / 2),
        ("eq34.second", -0.1 * 0.5 * 2 * 7 + 0.01 * 2 * 4 * (3 + 5 * 7) / 2),
        ("eq34.third", (-0.5 - 0.1 * 2 * 5 * 2 / 2) * 0.1 * 2 * 7 + NOISE),
        ("eq36", 0.1 * 0.5 * 2 * 7 / 2 + NOISE),
        ("eq36.second", -0.1 * 0.5 * 0.5 * 2 * 4 + NOISE),
        ("eq37", (1 - 0.1 * 0.5 * 0.5 * 2) * 4 + NOISE),
        ("eq38", 0.25 * 8 + FLOOR),
        ("eq40", 0.5 * 0.25 / (2 * 25)),
        ("eq43", 0.95 * 0.25 * 8 + FLOOR),
        ("eq43.first", 0.95 * 4 + 0.5 * NOISE),
        ("eq44", 0.125 * 8 + FLOOR),
        ("thm2.left", 0.6**2),
        ("thm2/corrected", 0.36 * 10 + 1.5 / 2 * 4),
        ("thm2/persistent-corrected", 0.36 * 6 + 0.64 * 1.5 / 2 * 4),
        ("thm2.least-left", (1 - 0.2 * 3.5) ** 2),
        ("thm2.floor", 0.09 * 10),
    ],
)
def test_right_hand_sides(id: str, by_hand: float) -> None:
    assert float(evaluate(statement(f"fedmes.{id}").rhs, AT)) == pytest.approx(by_hand)


def test_corrected_lines_differ_from_printed_ones_in_what_they_say() -> None:
    for printed, other in (
        ("eq30", "eq30/corrected"),
        ("eq34.third", "eq34.third/corrected"),
        ("eq36", "eq36/corrected"),
        ("eq40", "eq40/corrected"),
        ("eq5", "eq5/gradient"),
    ):
        assert statement(f"fedmes.{printed}").relation != statement(f"fedmes.{other}").relation
        assert statement(f"fedmes.{other}").changes


def test_the_bound_of_theorem_1_at_numbers() -> None:
    theorem = statement("fedmes.thm1")
    assert theorem.at(L=2, c=0.5, mu=0.5, Mn=3) == pytest.approx(FLOOR)
    assert theorem.failing(L=0.25, c=0.5) == ["c <= L"]


def test_every_step_that_a_statement_uses_exists() -> None:
    known = statements("fedmes")
    for found in known.values():
        assert {*found.uses, *found.assumes} <= known.keys(), found.id


def test_every_equation_of_the_appendix_has_a_statement() -> None:
    ids = statements("fedmes")
    for number in range(14, 45):
        stem = f"fedmes.eq{number}"
        assert any(id == stem or id.startswith((f"{stem}.", f"{stem}/")) for id in ids), stem

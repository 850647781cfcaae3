"""Figures of the headline theorems: corrected statements hold in them, and refuted ones are visibly violated."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch

from bounds.catalogue import statements
from bounds.statement import Statement
from verify.curves.headlines import FLOOR, FREE, HEADLINES, PRINTED, TRUE
from verify.curves.theorems import compute
from verify.engine.judge import record_of
from verify.engine.links import with_final_verdicts
from verify.engine.records.answers import FOLDER, answers, is_kept
from verify.engine.search.sweep import course, ratios, tightest_world
from verify.engine.topics import claim_of, claims_of, topics

QUICK = [
    "special.thm4.10",
    "cfl.thm4.1.gc",
    "cflag.lem1",
    "fedmes.thm1",
    "fedmes.thm2",
    "cfl.thm4.7.variance",
]


def test_every_line_is_a_judged_statement_with_a_role() -> None:
    for name, lines in HEADLINES.items():
        assert (lines[0].id, lines[0].role) == (name, PRINTED)
        assert {line.role for line in lines[1:]} <= {TRUE, FREE, FLOOR}
        assert all(line.id in statements() and claim_of(line.id) for line in lines)
        assert "/" not in name


@pytest.mark.parametrize("paper", ["cfl", "fedmes", "special"])
def test_every_repaired_theorem_is_drawn_beside_what_is_printed(paper: str) -> None:
    drawn = {line.id for lines in HEADLINES.values() for line in lines if line.role == TRUE}
    repaired = {id for id in statements() if re.fullmatch(rf"{paper}\.(thm|lem).*/repaired", id)}
    assert repaired
    assert repaired <= drawn


def test_an_order_is_drawn_along_one_of_its_letters() -> None:
    """sqrt(E/(N T)) along T."""
    order, *_ = compute("special.cor4.12", 0)["lines"]
    np.testing.assert_allclose(order["order"], np.sqrt(order["values"][0] / np.array(order["values"])))


def broken(line: dict) -> np.ndarray:
    """The relative amount by which each admissible point of a course breaks its bound; a floor is a bound from below."""
    exact, bound = (np.array(line[side], dtype=float)[np.array(line["met"])] for side in ("exact", "bound"))
    gap = bound - exact if line["role"] == FLOOR else exact - bound
    return gap / np.maximum(np.abs(exact) + np.abs(bound), 1e-300)


def holds_of_what_is_true(name: str) -> dict:
    found = compute(name, 0)
    for line in found["lines"]:
        if "exact" in line and line["role"] != PRINTED:
            assert np.any(line["met"]), line["id"]
            assert np.all(broken(line) <= 1e-9), line["id"]
            assert line["peak"] is None or line["peak"]["ratio"] <= 1 + 1e-6, line["id"]
    return found


@pytest.mark.parametrize("name", QUICK)
def test_what_is_called_true_is_not_broken(name: str) -> None:
    holds_of_what_is_true(name)


def test_sizes_that_go_together_do() -> None:
    """Correction s comes after s - 1 others, so the gap differs for every s."""
    _, repaired = compute("fedmes.thm1", 0)["lines"]
    assert (np.diff(repaired["exact"]) != 0).any()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(HEADLINES) - set(QUICK)))
def test_what_is_called_true_is_not_broken_anywhere(name: str) -> None:
    holds_of_what_is_true(name)


@pytest.mark.parametrize("name", ["fedmes.thm1", "fedmes.thm2", "cflag.lem1"])
def test_a_refuted_theorem_is_seen_to_be_broken(name: str) -> None:
    printed = compute(name, 0)["lines"][0]
    assert broken(printed).max() > 0.1
    assert printed["peak"]["ratio"] > 1


def test_a_free_bound_is_shown_in_the_run_of_the_theorem() -> None:
    printed, free, _ = compute("special.thm4.10", 0)["lines"]
    np.testing.assert_array_equal(printed["exact"], free["exact"])
    assert not free["own_world"]


def test_both_sides_follow_the_rounds() -> None:
    """With linear losses |theta^t - theta^0| is the share 1 - (1 + lambda)^-t of the bound of Lemma 4.9."""
    question = claim_of("special.lem4.9").question
    shape = {**question.scene.shapes[0], "t": 1}
    lam = torch.tensor([0.5], dtype=torch.float64)
    world = tightest_world(question, shape, {"lam": lam}, 64, 0)
    assert world["lam"] == lam
    found = course(question, shape, world, "t", (1, 2, 3))
    shares = found.left / found.right
    steps = np.array([1 - 1.5**-t for t in (1, 2, 3)])
    np.testing.assert_allclose(shares / shares[0], (steps / steps[0]) ** 2)
    assert list(found.at) == [1, 2, 3]
    assert found.met.all()


def test_ratios_count_only_what_meets_the_conditions() -> None:
    found = ratios(claim_of("cflag.lem7.average").question, {"N": 1, "E": 1, "d": 1}, "m", (0.5, 2.0), 64, 0)
    assert found.trials[0] == 0
    assert np.isnan(found.largest[0])
    assert 0 < found.median[1] <= found.largest[1] <= 1 + 1e-9
    assert found.trials[1] > 0


def test_worlds_that_meet_no_condition_are_named() -> None:
    question = claim_of("cflag.lem7.average").question
    with pytest.raises(ValueError, match=r"none of 4 worlds meets the conditions of cflag\.lem7\.average"):
        tightest_world(
            question, {"N": 1, "E": 1, "d": 1}, {"m": torch.tensor([0.5], dtype=torch.float64)}, 4, 0
        )


@pytest.mark.core
def test_what_is_drawn_as_true_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Notices proofs that a change of the prover loses."""
    for printed in ("latex", "text"):  # no verdict depends on them
        monkeypatch.setattr(Statement, printed, lambda _: "")
    found = [
        record_of(claim, kept[id]["evidence"], kept[id]["cites"], 0.0, "default", 0)
        for topic in topics()
        for kept in [answers(FOLDER, topic) if is_kept(topic) else {}]
        for claim in (claims_of(topic) if kept else ())
        if (id := claim.statement.id) in kept
    ]
    verdicts = {record["id"]: record["verdict"] for record in with_final_verdicts(found)}
    drawn = {line.id for lines in HEADLINES.values() for line in lines if line.role in (TRUE, FREE, FLOOR)}
    assert {id: verdicts[id] for id in drawn if verdicts[id] not in ("proved", "proved (cited)")} == {}

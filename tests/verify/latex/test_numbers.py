"""Lemmas about sequences and families of numbers, and about orders."""

from pathlib import Path

import pytest

from bounds.statement import Scaling
from tests.verify.latex.test_methods import read
from verify.judged import judge

STEP = r"Let $a_0, a_1, \dots$ be nonnegative numbers. Suppose $a_{t+1} \le a_t/2 + \eta$"


@pytest.mark.parametrize(
    "words",
    [
        rf"{STEP} for all $t \ge 0$.",
        rf"{STEP} for $t = 0, 1, \dots, T-1$.",
        rf"{STEP} for $t = 0, 1, 2, \dots$.",
        r"For a nonnegative sequence $(a_t)_{t\ge0}$ suppose $a_{t+1} \le a_t/2 + \eta$ for all $t \ge 0$.",
        r"Let $a_t$ be a nonnegative sequence. Suppose $a_{t+1} \le a_t/2 + \eta$ for all $t \ge 0$.",
    ],
)
def test_a_recursion_holds_for_every_step(tmp_path: Path, words: str) -> None:
    (claim,), mistakes = read(tmp_path, words, r"a_T \le a_0 + 2\eta.")
    assert not mistakes
    assert str(claim.statement.relation) == "a[T] <= 2*eta + a[0]"
    assert [str(one) for one in claim.statement.conditions] == ["a[t] <= eta + a[t - 1]/2"]


def test_a_recursion_is_proved_and_its_false_twin_refuted(tmp_path: Path) -> None:
    words = f"{STEP} for all $t \\ge 0$."
    (claim,), _ = read(tmp_path, words, r"a_T \le a_0 + 2\eta.")
    assert judge(claim).verdict == "proved"
    (twin,), _ = read(tmp_path, words, r"a_T \le \frac{a_0}{2} + \frac{\eta}{2}.")
    assert judge(twin).verdict == "refuted"


@pytest.mark.parametrize("noun", ["numbers", "weights", "coefficients"])
def test_a_counterexample_names_the_entries_of_the_sequence(tmp_path: Path, noun: str) -> None:
    words = rf"Let $p_1, \dots, p_N$ be nonnegative {noun} with $\sum_{{i=1}}^N p_i = 1$."
    (claim,), _ = read(tmp_path, words, r"\sum_{i=1}^N p_i^2 \le \frac2N.")
    record = judge(claim)
    assert record.verdict == "refuted"
    entries = record.witness["sequences"]["p"]
    assert list(entries) == [str(k) for k in range(1, record.witness["shape"]["N"] + 1)]


def test_an_order_fixes_everything_but_the_counts_in_it(tmp_path: Path) -> None:
    (claim,), _ = read(
        tmp_path, r"Let $\eta = 1/\sqrt{T}$.", r"\frac{1}{\eta T} + \eta\sigma^2 = O(1/\sqrt{T})."
    )
    assert isinstance(claim.statement.relation, Scaling)
    assert judge(claim).verdict == "proved"
    (twin,), _ = read(tmp_path, r"Let $\eta = 1/\sqrt{T}$.", r"\frac{1}{\eta T} + \eta\sigma^2 = O(1/T).")
    assert judge(twin).verdict == "gap"


@pytest.mark.parametrize(
    ("words", "formula", "said"),
    [
        (f"{STEP}.", r"a_T \le a_0.", "has no first value"),
        (rf"{STEP} and $a_t \le \eta$ for $t = 0, 1, \dots, T-1$.", r"a_T \le a_0.", "has an upper end"),
        (f"{STEP} for $t = 0, 1, \\dots, T-1$.", r"a_{T+1} \le a_0 + 2\eta.", "beyond the end"),
        (f"{STEP} for $t = 0, 1, \\dots, T-1$.", r"\sum_{t=0}^N a_t \le N a_0.", "beyond the end"),
        (r"Let $p_1, \dots, p_N$ be real numbers with $p_i \le 1$ for $1 \le i \le N$.", r"p_{N+1} \le 1.", "beyond the end"),
        (r"Let $\eta \le 1/T$.", r"\eta = O(1/T).", "must define a symbol"),
        ("", r"\frac KT = O(1/T).", "K is missing in O"),
        ("", r"\frac1K + \frac1T = O(1/K + 1/T).", "must be a product of powers"),
        ("", r"\eta = O(\eta).", "contains no whole number that grows"),
        (
            r"Let $a_0, a_1, \dots$ be real numbers.",
            r"\sum_{i=1}^N a_{i,t} \le N.",
            "indices",
        ),
    ],
)  # fmt: skip
def test_what_is_not_judged(tmp_path: Path, words: str, formula: str, said: str) -> None:
    claims, mistakes = read(tmp_path, words, formula)
    assert not claims
    assert said in mistakes[0]

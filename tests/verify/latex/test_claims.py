"""Formulas: which are read and which raise a question, and that the printed form parses to the same claim."""

import re
import time

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.latex.claims import read_formula
from verify.latex.errors import Unclear, message_with_caret
from verify.latex.glossary import kinds
from verify.latex.macros import macros_in
from verify.latex.printing import require_read_back

REAL = r"a, b, c, d: real; \Delta: nonnegative; \mathcal{Q}: map"


def relation(text: str, declared: str = REAL) -> str:
    reading = read_formula(text, kinds(declared))
    require_read_back(reading)
    return ", ".join(map(str, (*reading.relations, *reading.conditions)))


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        (r"\frac1N \le \tfrac12a", "1/N <= a/2"),
        (r"x^T_i = x^{T}_i", ""),
        (r"\left(1-\mu/L\right)^T \le 1", "(1 - mu/L)**T <= 1"),
        (r"a^2b \le ab^2", "a**2*b <= a*b**2"),
        (r"a \le b \\ &\le c", "a <= b, b <= c"),
        (r"a \le b \\ c &\le d", "a <= b, c <= d"),
        (r"a \le 3, \quad t = 0, 1, \dots, T-1", "a <= 3, t >= 0, t <= T - 1"),
        (r"a \le 3 \text{ for all } b \in [0,1)", "a <= 3, b >= 0, b < 1"),
        (r"\max\{a,b\} \le |a|+|b|", "Max(a, b) <= Abs(a) + Abs(b)"),
        (r"\log T \le \log(1+T)", "log(T) <= log(T + 1)"),
        (r"\tilde{O}(1/T) \ge a", "SoftO(1/T) >= a"),
        (r"\mu \ge 0 \text{ and } L > 0", "mu >= 0, L > 0"),
        (r"a \overset{(i)}{\le} b \\[2pt] &\stackrel{(b)}{\leq} c", "a <= b, b <= c"),
        (r"\underbrace{a+b}_{\text{drift}} c \le 1", "c*(a + b) <= 1"),
        (r"\mathbb E\left[\left.a\right|\mathcal F_t\right] \le 1", "Expect(a, ., \\mathcal{F}_{t}) <= 1"),
        (r"\|x^\prime\| \le 1", "Norm(x_prime) <= 1"),
        (r"a_t \le b,\quad 1 \le t \le T", "a[t] <= b, 1 <= t, t <= T"),
        (
            r"f(x) - f_* \le f(x) - \inf f",
            "-f_star + Loss(f, x) <= -Extreme(inf, Loss(f, x), (x,)) + Loss(f, x)",
        ),
        (r"\rho^t \le (\Delta)^{t}", "rho**t <= Delta**t"),
        (r"\Delta^{(t+1)} \le \Delta^{(t)}", "Delta_up1[t + 1] <= Delta_up1[t]"),
        (r"\min_{x\in\mathbb{R}^d} f(x) \le a", "Extreme(min, Loss(f, x), (x,)) <= a"),
        (r"\mathcal{Q}(x) = x", "Eq(Apply(Q_mathcal, x), x)"),
        (r"\pi a \le 4", "pi*a <= 4"),
    ],
)
def test_a_formula_has_its_meaning(text: str, meaning: str) -> None:
    if meaning:
        assert relation(text) == meaning
    else:
        assert relation(text)


@pytest.mark.parametrize(
    ("text", "place", "question"),
    [
        (r"1/2L \le a", 3, "denominator"),
        (r"a \le Q", 6, "what is Q"),
        (r"E[f(x)] \le 1", 0, "expectation"),
        (r"E \|x\|^2 \le 1", 0, "expectation"),
        (r"\mathbb E(x)^2 \le 1", 9, "inside"),
        (r"\sum_i a_i \le 1", 5, "from where"),
        (r"\sum_{i=1}^N a_i + a_i \le 1", 19, "does the sum"),
        (r"a \le b \quad c \le d", 14, "gap"),
        (r"a \le b, c \le d", 9, "second claim"),
        (r"\log a b \le 1", 7, "reach"),
        (r"x^T y \le 1", 4, "two vectors cannot be multiplied"),
        (r"x^2 \le 1", 2, "power or an index"),
        (r"\eta(t) \le 1", 0, "function"),
        (r"\eta^t \le 1", 4, "power"),
        (r"1 + x \le 2", 4, "added"),
        (r"{a+b}^2 \le 1", 0, "braces"),
        (r"f \le 1", 0, "loss"),
        (r"f'(x) \le 1", 0, "derivative"),
        (r"a \lesssim b", 2, "lesssim"),
        (r"\min_t a_t \le 1", 5, "from where"),
        (r"\prod_{i=1}^N a_i b \le 1", 18, "reach"),
        (r"a_1 + \sum_{i=1}^N a_i \le 1", 0, "member"),
        (r"a \le", 2, "too early"),
        (r"a + b", 0, "relation"),
        (r"\frac{a \le b", 5, "never closed"),
        (r"\Delta^{t+1} \le \Delta^t", 6, "power or has"),
        (r"\rho^{t+1} \le \rho^t", 4, "power or has"),
        (r"\rho^t \|x^t\| \le 1", 4, "power or has"),
        (r"e^{t} \le 1", 1, "power or has"),
        (r"a(b) \le 1", 0, "function"),
        (r"\sigma^2(T) \le 1", 0, "function"),
        (r"\|\delta(x_t)\| \le 1", 2, "function"),
        (r"\pi(a) \le 1", 0, "function"),
        (r"f^*(0) \le 1", 0, "function"),
        (r"E_t[\|x_t\|^2] \le 1", 0, "expectation"),
        (r"\frac{d}{dt} a \le 1", 0, "derivative"),
        (r"a_+ \le 1", 0, "positive part"),
        (r"\min_{x\in\mathbb{R}^d} F(x) := \frac1N\sum_{i=1}^N F_i(x)", 29, "objective"),
        (r"\Delta x = 1", 7, "one vector"),
        (r"a \iff b", 2, "two claims"),
        (r"a^b^c \le 1", 3, "two superscripts"),
        (r"a_t \le b, t \ge 1, c \le d", 20, "second claim"),
        (r"m_t + x_t = 0", 6, "by default: m as count"),
    ],
)
def test_what_is_not_clear_is_asked_at_its_place(text: str, place: int, question: str) -> None:
    with pytest.raises(Unclear, match=question) as caught:
        relation(text)
    assert caught.value.position == place


def test_a_question_has_line_column_and_caret() -> None:
    source = "a \\le b\n  \\le Q"
    with pytest.raises(Unclear) as caught:
        relation(source)
    lines = message_with_caret(source, caught.value, "lemma.tex").splitlines()
    assert lines[0].startswith("lemma.tex:2:7: what is Q")
    assert lines[2].index("^") == lines[1].index("Q")


def test_case_matters_and_a_power_of_T_is_no_transpose() -> None:
    left = read_formula(r"(1-\mu/L)^T \le l + k", kinds("l: real; k: real")).relations[0]
    assert {symbol.name for symbol in left.free_symbols} == {"mu", "L", "T", "l", "k"}


def test_a_common_name_may_be_zero_where_the_formula_says_so() -> None:
    reading = read_formula(r"\mu \le 1 \text{ if } \mu \ge 0", kinds())
    assert next(iter(reading.relations[0].free_symbols)).is_positive is None


def test_macros_are_expanded_as_they_print() -> None:
    macros = macros_in(r"\newcommand{\sq}[1]{\left\|#1\right\|^2} \newcommand{\sumab}{a+b}")
    assert str(read_formula(r"\sq{x-y} \ge 0", kinds(), macros).relations[0]) == "Norm(x - y)**2 >= 0"
    assert str(read_formula(r"\sumab c \ge 0", kinds(REAL), macros).relations[0]) == "a + b*c >= 0"


@pytest.mark.parametrize(
    "text",
    [
        "{" * 5000,
        r"\frac" * 5000,
        "(" * 3000 + "a" + ")" * 3000,
        r"\sqrt{" * 200 + "a" + "}" * 200,
        "a+" * 30000,
        r"\bomb",
        "\x00\x01 \\",
        "$" * 100,
        r"a^{b^{c^{d}}} \le " + "|" * 101,
        "a^" * 500 + r"a \le 1",
        r"9^{9^{9^{9^{9}}}} \le 1",
    ],
)
def test_a_hostile_formula_is_refused_in_time(text: str) -> None:
    macros = macros_in(r"\newcommand{\bomb}{\bomb\bomb}")
    begin = time.perf_counter()
    with pytest.raises(Unclear):
        read_formula(text, kinds(REAL), macros)
    assert time.perf_counter() - begin < 10


numbers = st.sampled_from(["a", "b", "c", r"\eta", "L", "N", "2", "7"])
expressions = st.recursive(
    numbers,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: rf"\frac{{{p[0]}}}{{1+\left({p[1]}\right)^2}}"),
        st.tuples(inner, inner).map(lambda p: rf"\left({p[0]}\right)\left({p[1]}\right)"),
        st.tuples(inner, inner).map(lambda p: f"{p[0]}+{p[1]}"),
        st.tuples(inner, inner).map(lambda p: rf"{p[0]}-\left({p[1]}\right)"),
        inner.map(lambda p: rf"\sqrt{{1+\left({p}\right)^2}}"),
        inner.map(lambda p: rf"\left|{p}\right|"),
        inner.map(lambda p: rf"\log(1+|{p}|)"),
        inner.map(lambda p: rf"\sum_{{i=1}}^N\left({p}\right)"),
    ),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(expressions, expressions)
def test_what_is_printed_reads_the_same(left: str, right: str) -> None:
    reading = read_formula(rf"{left} \le {right}", kinds(REAL))
    require_read_back(reading)
    assert isinstance(reading.relations[0], sp.Le)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x_i^t", "x^t_i"),
        ("w_{k}^{t,e}", "w^{t,e}_{k}"),
        (r"\mathbf{w}_k^{(t)}", r"\mathbf{w}^{(t)}_k"),
        (r"\bar x_{i,j}^{t+1}", r"\bar x^{t+1}_{i,j}"),
    ],
)
def test_scripts_mean_the_same_in_either_order(one: str, other: str) -> None:
    declared = kinds("e: index")
    first, second = (read_formula(rf"\|{name}\| \le \|y\|", declared).relations for name in (one, other))
    assert first == second
    (entry,) = first[0].atoms(sp.Indexed)
    assert len(set(map(str, entry.indices))) == len(entry.indices)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (r"a^23 \le 1", "is the script 2 or 23"),
        (r"10^-3 \le a", "is the script - or -3"),
        (r"\mathbb{E}[a]^2 \le 1", "inside the expectation or outside"),
        (r"\log[a]^2 \le 1", "inside \\log or outside"),
        (r"a \succeq b", "matrices"),
    ],
)
def test_what_has_two_meanings_is_asked(text: str, said: str) -> None:
    with pytest.raises(Unclear, match=re.escape(said)):
        relation(text)


def test_a_short_script_is_followed_by_anything_else() -> None:
    assert relation(r"a^2b \le 1") == relation(r"a^{2} b \le 1")
    assert relation(r"\frac12 a^2 3 \le 1") == relation(r"\frac{1}{2} a^{2} \cdot 3 \le 1")

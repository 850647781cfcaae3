"""Statements as data: they can be printed, evaluated, differentiated and minimised, and their order determined."""

import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from bounds.catalogue import statement, statements
from bounds.evaluate import FLOATS, Arithmetic, evaluate
from bounds.orders import exponents
from bounds.special.symbols import SPECIAL, E, K, L, M, N, T, gamma_G, gamma_L, lam
from bounds.special.theorems import BKT, DRIFT, RATE, RATE_FULL
from bounds.statement import ConditionNotMet, Paper, Scaling, Statement
from bounds.symbols import DOMAINS, Glossary, Quantity, domain_of

CONSTANTS = {"L": 2.0, "B": 1.5, "sigma_L2": 0.3, "sigma_G2": 0.2, "sigma_T2": 0.7, "G0": 0.4}
RUN = {
    "K": 5,
    "M": 8,
    "N": 3,
    "E": 4,
    "T": 50,
    "lam": 0.5,
    "gamma_G": 0.2,
    "gamma_L": 0.01,
    "f0": 3.0,
    "fstar": 0.5,
}


def psi_by_hand(K, M, N, E, T, lam, gamma_G, gamma_L, f0, fstar, L, B, sigma_L2, sigma_G2, sigma_T2, G0):
    """Theorem 4.10, transcribed from the paper a second time, in another form than in `bounds.special.theorems`."""
    g = gamma_G * gamma_L
    inside = 12 * g * (M - N) * E * K * L * sigma_G2 / ((1 + lam) * N * (M - 1))
    inside += (
        (gamma_L * E * L / lam) ** 2 + K + 3 * g * (M - N) * E * K * L / ((1 + lam) * N * (M - 1))
    ) * B**2
    inside += (sigma_L2 + 6 * E * sigma_G2) * (
        5 * gamma_L**2 * K * E * L**2
        + 60 * gamma_G * gamma_L**3 * (M - N) * E**2 * K * L**3 / ((1 + lam) * N * (M - 1))
    )
    inside += 3 * g * L * sigma_L2 / (2 * N * (1 + lam)) + G0**2
    inside += (K - 1) ** 2 * E / K * 3 * g * L / (1 + lam) * (0.5 + 4 * (M - N) / (N * (M - 1))) * sigma_T2
    return (f0 - fstar) * 2 * (1 + lam) / ((1 - 1 / K) * E * g * T) + 2 / (1 - 1 / K) * inside


def test_theorem_4_10_agrees_with_a_second_transcription():
    assert RATE.at(**RUN, **CONSTANTS) == pytest.approx(psi_by_hand(**RUN, **CONSTANTS), rel=1e-13)


def test_named_terms_add_up():
    assert sum(RATE.terms_at(**RUN, **CONSTANTS).values()) == pytest.approx(RATE.at(**RUN, **CONSTANTS))


def test_arrays_go_through_and_agree_with_scalars():
    rounds = np.array([10, 100, 1000])
    values = RATE.at(**{**RUN, "T": rounds}, **CONSTANTS)
    assert values == pytest.approx([RATE.at(**{**RUN, "T": int(t)}, **CONSTANTS) for t in rounds])


def test_full_participation_is_the_limit_of_partial():
    full = {**RUN, "N": RUN["M"]}
    assert RATE.at(**full, **CONSTANTS) == pytest.approx(RATE_FULL.at(**full, **CONSTANTS))


def test_failing_conditions_are_named():
    assert RATE.failing(**RUN, **CONSTANTS) == []
    assert RATE.failing(**{**RUN, "gamma_L": 1.0}, **CONSTANTS) == [
        "gamma_L <= 1/(8*E*L)",
        "gamma_G*gamma_L <= (lam + 1)/(3*E*L)",
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"N": 9}, "N <= M"),
        ({"lam": -0.1}, "lam > 0"),
        ({"K": 1}, "K >= 2"),
        ({"sigma_G2": -1.0}, "sigma_G2 >= 0"),
        ({"E": 2.5}, "E a whole number >= 1"),
    ],
)
def test_values_outside_the_conditions_raise(change, said):
    with pytest.raises(ConditionNotMet, match=said.replace(".", r"\.")):
        RATE.at(**{**RUN, **CONSTANTS, **change})


def test_bad_values_are_named():
    with pytest.raises(ValueError, match="`lam` must be finite, got nan"):
        RATE.at(**{**RUN, **CONSTANTS, "lam": float("nan")})
    with pytest.raises(ValueError, match="`mu` is no quantity"):
        RATE.at(**RUN, **CONSTANTS, mu=1.0)
    with pytest.raises(ValueError, match="a value is missing for B"):
        DRIFT.at(gamma_G=1.0, gamma_L=1.0, E=1, lam=1.0)


def test_derivative_has_the_sign_of_the_remark():
    slope = DRIFT.derivative("lam")
    assert slope.subs(dict.fromkeys(slope.free_symbols, 1)) < 0


def test_best_lambda_is_a_minimum_under_the_conditions():
    values = {k: v for k, v in {**RUN, **CONSTANTS}.items() if k != "lam"}
    best, height = RATE.best("lam", **values)
    assert height == pytest.approx(RATE.at(**values, lam=best))
    for factor in (0.9, 0.99, 1.01, 1.1):
        assert RATE.at(**values, lam=best * factor) >= height * (1 - 1e-12)


def test_best_says_so_when_nothing_is_allowed():
    with pytest.raises(ConditionNotMet, match=r"no value of `lam` .*: gamma_L <= 1/\(8\*E\*L\)"):
        RATE.best("lam", **{**{k: v for k, v in RUN.items() if k != "lam"}, **CONSTANTS, "gamma_L": 9.0})


def test_exponents_of_the_named_terms():
    table = RATE.exponents({gamma_L: 1 / (E * L), gamma_G: 1 / K}, (T, E))
    assert table["lead"] == {"T": -1, "E": 0}
    assert table["psi_drift_B"] == {"T": 0, "E": 0}
    assert table["psi_init"] == {"T": 0, "E": 0}


def test_exponents_see_through_sums():
    n = sp.Symbol("n", positive=True)
    table = exponents({"a": 1 / (n + n**2), "b": (n**3 + n) / n, "c": sp.Integer(7)}, {}, (n,))
    assert [row["n"] for row in table.values()] == [-2, 2, 0]


@pytest.mark.parametrize("term", ["Min(n, a)", "Max(1/n, a)", "(-1)**n*a", "sin(n)", "a**n", "floor(n/2)"])
def test_what_has_no_order_is_refused_by_name(term):
    n, a = sp.Symbol("n", integer=True, positive=True), sp.Symbol("a", positive=True)
    formula = sp.sympify(term, locals={"n": n, "a": a})
    with pytest.raises(ValueError, match=r"term `b` must have an order in n: powers, .* got") as refused:
        exponents({"b": formula}, {}, (n,))
    assert str(formula) in str(refused.value)


def test_what_has_a_limit_that_is_no_power_has_an_order():
    T, K = sp.symbols("T K", positive=True)
    table = exponents({"lost": T - T * (1 - 1 / K) ** K}, {}, (T, K))
    assert table["lost"] == {"T": 1, "K": 0}


def test_what_sympy_does_not_find_a_limit_of_is_refused_by_name(monkeypatch):
    n = sp.Symbol("n", positive=True)

    def endless(*_):
        raise RecursionError

    monkeypatch.setattr(sp, "limit", endless)
    with pytest.raises(ValueError, match=r"term `b` must have an order in n: .* got n"):
        exponents({"b": n**2 + 1}, {}, (n,))


def test_what_grows_or_falls_faster_than_any_power_has_an_infinite_exponent():
    n = sp.Symbol("n", positive=True)
    terms = {"up": 2**n, "down": sp.exp(-n) * n**3, "log": sp.log(n) / n, "nothing": sp.S.Zero}
    found = [row["n"] for row in exponents(terms, {}, (n,)).values()]
    assert found == [sp.oo, -sp.oo, -1, -sp.oo]


@given(x=st.fractions(Fraction(1, 100), 100), y=st.fractions(Fraction(1, 100), 100), n=st.integers(1, 9))
def test_evaluate_agrees_with_sympy_in_every_arithmetic(x, y, n):
    a, b, k = sp.symbols("a b k", positive=True)
    expression = (a**2 - b / k) / (1 + a) ** 3 + sp.Max(a, b) * k - 3 * a / (4 * b * k)
    exact = Arithmetic(
        lambda q: Fraction(int(q.p), int(q.q)), lambda b, e: b**e, max, min, abs, math.exp, math.log
    )
    truth = expression.subs({a: sp.Rational(x), b: sp.Rational(y), k: n})
    assert evaluate(expression, {"a": x, "b": y, "k": n}, exact) == Fraction(int(truth.p), int(truth.q))
    assert evaluate(expression, {"a": float(x), "b": float(y), "k": n}, FLOATS) == pytest.approx(
        float(truth), abs=1e-9
    )


def test_evaluate_sums_over_an_index():
    tau, t, r = sp.Symbol("tau", integer=True), sp.Symbol("t", integer=True), sp.Symbol("r")
    series = sp.Sum(r**tau * sp.IndexedBase("x")[tau], (tau, 0, t - 1))
    assert evaluate(series, {"r": 2.0, "t": 3, "x": [1.0, 10.0, 100.0]}) == 1 + 20 + 400


def test_statements_print():
    assert r"\gamma_G" in DRIFT.latex()
    assert r"\lambda" in DRIFT.latex()
    assert DRIFT.text() == "drift2 <= B**2*E**2*gamma_G**2*gamma_L**2/lam**2"
    for found in statements().values():
        assert found.latex()
        assert found.text()
        assert found.source.place, found.id


def test_every_symbol_is_in_the_glossary_with_its_domain():
    for found in statements().values():
        if isinstance(found.relation, Scaling):
            continue
        for symbol in found.symbols:
            entry = found.glossary[symbol.name]
            assert (entry.symbol, entry.domain) == (symbol, domain_of(symbol)), found.id


def test_letters_of_one_relation_look_different():
    for id, found in statements().items():
        if isinstance(found.relation, sp.Basic):
            letters = [found.glossary.latex(symbol) for symbol in found.relation.free_symbols]
            assert len(set(letters)) == len(letters), id


def test_used_and_assumed_statements_exist():
    known = statements()
    missing = {(s.id, u) for s in known.values() for u in (*s.uses, *s.assumes) if u not in known}
    assert not missing


def test_every_statement_is_found_by_itself():
    for id, found in statements().items():
        assert statement(id) is found


def test_one_statement_is_found_without_reading_its_whole_paper():
    code = (
        "import sys; from bounds.catalogue import statement; statement('special.lemC.2'); print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "bounds.special.lemmas" in loaded
    assert "bounds.special.reported" not in loaded


def test_unknown_ids_get_a_suggestion():
    with pytest.raises(KeyError, match=r"did you mean special\.thm4\.10"):
        statement("special.thm4.11")


def test_statements_check_themselves():
    fields = {"says": "x", "source": DRIFT.source}
    with pytest.raises(TypeError, match="claims nothing"):
        Statement("a", relation=sp.Le(1, 2), **fields)
    with pytest.raises(ValueError, match="`terms` must add up"):
        Statement("a", relation=sp.Le(lam, K), terms={"one": L}, **fields)
    with pytest.raises(ValueError, match="`changes` must say"):
        Statement("a/other", relation=sp.Le(lam, K), **fields)


def test_glossaries_refuse_doubles_and_unknown_domains():
    words = Glossary("words")
    x = words.define("x", "a number", "positive")
    assert domain_of(x) == "positive"
    with pytest.raises(ValueError, match="must be new"):
        words.define("x", "again")
    with pytest.raises(ValueError, match="`domain` must be one of"):
        words.define("y", "a number", "complex")
    assert SPECIAL["lam"].latex == r"\lambda"


def test_a_glossary_has_a_maker_for_every_domain():
    words = Glossary("words")
    for domain in DOMAINS:
        letter = getattr(words, domain)(f"a_{domain}", "a number", "a")
        assert words[f"a_{domain}"] == Quantity(letter, "a number", "a", domain)
        assert domain_of(letter) == domain


def test_words_stand_upright_unless_the_glossary_prints_them_otherwise():
    words = Glossary("words")
    letters = [words.real(name, "a number") for name in ("reach", "drift_more", "gamma_L", "th2", "x")]
    upright = [r"\mathrm{reach}", r"\mathrm{drift}_{\mathrm{more}}", r"\gamma_{L}", r"\mathrm{th}_{2}", "x"]
    assert [words[letter.name].latex for letter in letters] == upright


def test_a_sequence_is_printed_with_its_letter():
    words, index = Glossary("words"), sp.Symbol("i")
    late = sp.IndexedBase("s2s_late")
    words.series(late, "squared sums, by round", r"\|s\|^2")
    assert words.latex(late[index]) == r"{\|s\|^2}_{i}"
    with pytest.raises(ValueError, match="`name` must be new"):
        words.series(late, "again", "s")


def test_every_sequence_of_a_statement_has_a_letter():
    for found in statements().values():
        if isinstance(found.relation, sp.Basic):
            for base in found.relation.atoms(sp.IndexedBase):
                assert found.glossary[base.label.name].symbol == base.label, found.id


def test_the_correction_of_theorem_4_7():
    values = {
        "K": 3,
        "t": 2,
        "E": 5,
        "M": 4,
        "N": 2,
        "eps": 0.5,
        "sigma_L2": 0.1,
        "G0": 0.3,
        "L": 2.0,
        "B": 1.0,
    }
    by_hand = 2 * 0.25 * 0.1 * 0.09 / (2 * 2 * 5 * 4 * 2 * 2.0)
    assert BKT.terms_at(F_0=1.0, **values)["correction"] == pytest.approx(by_hand)
    assert (SPECIAL["M"].symbol, SPECIAL["N"].symbol) == (M, N)


def test_ids_may_leave_out_the_key_of_the_paper() -> None:
    x = sp.Symbol("x")
    paper = Paper("short", "A paper", "v1", Glossary("short"))
    printed = paper.statement("one", "says", sp.Le(x, 1), "Eq. (1)", uses=("two", "short.three"))
    assert printed.uses == ("short.two", "short.three")
    variant = printed.variant("other", changes="what it assumes", assumes=("four",))
    assert (variant.uses, variant.assumes) == (printed.uses, ("short.four",))


def test_a_letter_that_is_a_sum_stands_in_brackets() -> None:
    notes = Glossary("notes")
    a = notes.define("a", "a number")
    gap = notes.define("gap", "how much is missing", latex=r"f(x_{t-1})-f^*")
    plus = notes.define("plus", "no sum", latex=r"w^+")
    assert notes.latex(gap) == r"f(x_{t-1})-f^*"
    assert notes.latex(sp.Le(gap, a, evaluate=False)) == r"f(x_{t-1})-f^* \leq a"
    assert notes.latex(a * gap) == r"a \left(f(x_{t-1})-f^*\right)"
    assert notes.latex(sp.Le(a, -gap, evaluate=False)) == r"a \leq - \left(f(x_{t-1})-f^*\right)"
    assert notes.latex(a * plus) == "a w^+"


def test_a_notebook_shows_formula_conditions_and_source():
    assert RATE._repr_latex_().startswith(r"$\displaystyle \min_{t\in[T]}")
    shown = RATE._repr_markdown_()
    assert r"if $N \leq M$" in shown
    assert "Theorem 4.10" in shown
    ordered = next(s for s in statements().values() if isinstance(s.relation, Scaling))
    assert r"\mathcal{O}" in ordered._repr_latex_()

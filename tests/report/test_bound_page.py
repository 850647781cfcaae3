"""The page of a bound in a browser: it gives the values of Python, names violated conditions, and is accessible."""

import shutil

import numpy as np
import pytest
import sympy as sp

from bounds.catalogue import statement
from verify.report.bound_page import first_values, page, script

LOOKS = [(1400, "light"), (390, "dark")]
IDS = ["special.thm4.10", "special.thm4.7", "cfl.thm4.1.sc", "cflag.lem13", "cflag.eq179", "cfl.phi.split"]


@pytest.fixture(scope="module")
def browser():
    if shutil.which("chromium") is None:
        pytest.skip("there is no chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, tmp_path, request):
    width, scheme = getattr(request, "param", LOOKS[0])
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    tab, complaints = context.new_page(), []
    tab.on("console", lambda message: complaints.append(message.text))
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.on("request", lambda asked: None if asked.url.startswith("file:") else complaints.append(asked.url))

    def at(id, values=(), other=None, runs=()):
        file = tmp_path / "bound.html"
        file.write_text(page(statement(id), dict(values), statement(other) if other else None, runs))
        tab.goto(f"file://{file}")
        return tab

    yield at
    context.close()
    assert complaints == []


@pytest.mark.parametrize("id", IDS)
def test_the_page_computes_what_python_computes(opened, id):
    bound, tab = statement(id), opened(id)
    rng = np.random.default_rng(0)
    sliders = tab.evaluate("CONTENT.sliders")
    for _ in range(20):
        values = {s["name"]: round(s["start"] * float(rng.uniform(0.5, 2)), 3) for s in sliders}
        values |= {s["name"]: max(1, round(values[s["name"]])) for s in sliders if s["scale"] == "whole"}
        values = tab.evaluate("v => complete(v)", values)
        there = tab.evaluate("v => COMPUTE.bound(v)", values)
        here = {symbol: values[symbol.name] for symbol in bound.rhs.free_symbols}
        exact = complex(sp.N(bound.rhs.subs(here)))
        if abs(exact.imag) < 1e-15 and np.isfinite(exact.real):
            assert there == pytest.approx(exact.real, rel=1e-9)
            assert sum(tab.evaluate("v => COMPUTE.terms.map(f => f(v))", values)) == pytest.approx(
                there, rel=1e-9
            )
        known = {symbol.name: values[symbol.name] for symbol in bound.symbols if symbol.name in values}
        failing = set(bound.failing(**known))
        said = tab.evaluate(
            "v => CONTENT.limits.filter((l, i) => !COMPUTE.limits[i](v)).map(l => l.text)", values
        )
        assert set(said) == failing & set(tab.evaluate("CONTENT.limits.map(l => l.text)"))


def test_it_opens_where_all_conditions_are_met(opened):
    assert opened("special.thm4.10").inner_text("#verdict") == "All conditions are met."
    bound = statement("special.thm4.10")
    chosen = first_values(bound, {symbol.name: symbol for symbol in bound.symbols}, {"K": 7})
    assert bound.met(**chosen)
    assert chosen["K"] == 7


def test_a_number_typed_moves_everything(opened):
    tab = opened("special.thm4.10", {"K": 4, "E": 5, "L": 2.0}, "special.thm4.10/free.start")
    before = tab.inner_text("#value")
    tab.fill("#number-gamma_L", "0.5")
    assert tab.inner_text("#value") != before
    assert tab.inner_text("#verdict") == "These conditions fail:"
    assert tab.query_selector_all("#failing li math")
    assert tab.query_selector_all("#chart .fail")
    tab.focus("#range-gamma_L")
    for _ in range(3):
        tab.keyboard.press("ArrowLeft")
    assert float(tab.input_value("#number-gamma_L")) < 0.5


@pytest.mark.parametrize("opened", LOOKS, indirect=True, ids=str)
def test_an_exact_run_is_drawn_as_dots_and_told_in_words_accessibly(opened):
    from axe_playwright_python.sync_playwright import Axe

    runs = [{"name": "T", "points": [1.0, 10.0, 100.0], "values": [3.0, 2.0, 1.0], "says": "special"}]
    tab = opened("special.thm4.10", {"T": 10}, "special.thm4.10/free.start", runs)
    assert len(tab.query_selector_all("#chart .run")) == 3
    assert tab.inner_text("#exact") == "Exact run at T = 10: 2."
    assert "exact run of special" in tab.inner_text("main")
    tab.focus("#number-T")
    tab.keyboard.press("Control+A")
    tab.keyboard.type("90")
    assert tab.inner_text("#exact") == "Exact run at T = 100: 1."
    assert tab.get_attribute("#exact", "aria-live") == "polite"
    found = Axe().run(tab)
    assert found.violations_count == 0, found.generate_report()
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("opened", LOOKS, indirect=True, ids=str)
def test_every_term_has_a_fill_of_its_own(opened):
    tab = opened("special.thm4.10")
    fills = tab.eval_on_selector_all("#chart polygon", "found => found.map(e => e.getAttribute('fill'))")
    swatches = tab.eval_on_selector_all("#terms .swatch", "found => found.map(e => e.style.background)")
    assert len(set(fills)) == len(set(swatches)) == 11
    assert tab.query_selector_all("#chart pattern")


def test_a_page_opens_where_every_value_is_given(opened):
    bound = statement("special.lem4.9")
    chosen = first_values(bound, {symbol.name: symbol for symbol in bound.symbols}, {})
    assert opened("special.lem4.9", chosen).inner_text("#verdict") == "All conditions are met."


def test_what_a_page_cannot_compute_is_refused():
    u = sp.IndexedBase("u")
    with pytest.raises(ValueError, match="entries of a sequence"):
        script(u[1])


def test_a_sum_is_a_loop(browser):
    i, n = sp.symbols("i n", integer=True, positive=True)
    code = script(sp.Sum(i**2, (i, 1, n)) + n)
    tab = browser.new_page()
    assert tab.evaluate(f"(() => {{ const v = {{n: 4}}; return {code}; }})()") == 34
    tab.close()


def test_a_quantity_that_is_defined_by_a_defined_one_has_a_value():
    one = statement("special.alg2.surrogate/alone")
    start = first_values(one, {symbol.name: symbol for symbol in one.symbols}, {})
    assert start["N"] == start["M"] == 1


def test_an_equation_defines_a_quantity_in_which_it_is_linear():
    one = statement("feedback.thm1")
    values = first_values(one, {symbol.name: symbol for symbol in one.symbols}, {})
    assert one.failing(**values) == []


def test_a_page_opens_at_values_that_break_a_condition():
    one = statement("feedback.cgd")
    values = {"L": 1.0, "mu": 2.0, "s": 0.5, "gap": 1.0, "gap_next": 1.0, "eta": 1.0}
    assert first_values(one, {symbol.name: symbol for symbol in one.symbols}, values) == values

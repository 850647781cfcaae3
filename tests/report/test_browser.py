"""The report in a real browser: it opens, filters, sorts, focuses, folds, and is accessible; without errors."""

import shutil
import time

import pytest

from tests.report.cases import judged
from verify.report.html import page as report

pytestmark = pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no chromium")
GRAPH = "#theorem-special\\.lem4\\.9 figure.proof"
LOOKS = [(1300, "light"), (390, "dark")]
"""Both widths with both colour schemes, once each: overflow depends on the width only, contrast on the scheme only."""


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(report(judged()))
    return path


@pytest.fixture
def opened(browser, file, request):
    """Opens the file at an address; at the end there must have been no error and no request."""
    width, scheme = getattr(request, "param", LOOKS[0])
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    tab, complaints = context.new_page(), []
    tab.on("console", lambda message: complaints.append(message.text))
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.on(
        "request",
        lambda asked: complaints.append(asked.url) if not asked.url.startswith(("file:", "data:")) else None,
    )

    def at(address=""):
        tab.goto(f"file://{file}{address}")
        return tab

    yield at
    context.close()
    assert complaints == []


def seen(tab):
    return [card.get_attribute("data-id") for card in tab.query_selector_all(".card:not([hidden])")]


def test_it_opens_on_the_overview_and_leads_to_the_papers(opened):
    tab = opened()
    assert tab.is_visible("#overview")
    assert not tab.is_visible("#paper-special")
    tab.click("nav >> text=special")
    assert tab.is_visible("#title-special")
    assert not tab.is_visible("#overview")


def test_a_link_to_a_statement_opens_it(opened):
    tab = opened("#special.eq27")
    assert tab.is_visible("text=python -m verify replay results/records/special.eq27.json")


def test_filters_and_search(opened):
    tab = opened("#everything")
    assert len(seen(tab)) == len(judged())
    tab.select_option("[name=verdict]", "refuted")
    assert (
        seen(tab)
        == [id for id in seen(tab) if next(e for e in judged() if e.id == id).verdict == "refuted"]
        != []
    )
    tab.select_option("[name=verdict]", "damaged")
    assert set(seen(tab)) == {entry.id for entry in judged() if entry.damaged}
    assert tab.inner_text("output[name=shown]").startswith(f"{len(seen(tab))} of {len(judged())}")
    tab.click("text=Clear")
    tab.wait_for_function(f"document.querySelectorAll('.card:not([hidden])').length === {len(judged())}")
    tab.fill("[name=text]", "recursion unrolled")
    assert "special.eq27" in seen(tab)
    assert len(seen(tab)) < len(judged())
    tab.fill("[name=text]", "there is no such word")
    assert seen(tab) == []


def test_columns_are_sorted_and_turned(opened):
    tab = opened("#paper-special")
    tab.click("[data-sort=id]")
    up = seen(tab)
    tab.click("[data-sort=id]")
    assert seen(tab) == up[::-1]
    tab.click("[data-sort=weight]")
    assert set(seen(tab)) == set(up)
    tab.click("[data-sort=ratio]")
    ratios = [next(e for e in judged() if e.id == id).record["tightness"] for id in seen(tab)]
    known = [ratio for ratio in ratios if ratio is not None]
    assert ratios == [*sorted(known, reverse=True), *[None] * (len(ratios) - len(known))]


def test_a_node_is_focused_with_what_it_rests_on_and_serves(opened):
    tab = opened("#theorem-special.lem4.9")
    node = f"{GRAPH} [data-view=steps] [data-id='special.eq27']"
    tab.eval_on_selector(
        node, "node => node.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))"
    )
    near = tab.eval_on_selector_all(f"{GRAPH} .node.near", "nodes => nodes.map(node => node.dataset.id)")
    assert {"special.eq27", "special.eq26", "special.lem4.9"} <= set(near)
    assert "special.eq38" in near
    tab.select_option(f"{GRAPH} [data-tool=depth]", "1")
    nearer = tab.eval_on_selector_all(f"{GRAPH} .node.near", "nodes => nodes.map(node => node.dataset.id)")
    assert set(nearer) < set(near)
    assert "rests on" in tab.inner_text(f"{GRAPH} output")


def test_what_serves_only_a_node_folds_and_unfolds(opened):
    tab = opened("#theorem-special.lem4.9~special.eq37")
    assert not tab.is_disabled(f"{GRAPH} [data-tool=fold]")
    tab.click(f"{GRAPH} [data-tool=fold]")
    gone = tab.eval_on_selector_all(f"{GRAPH} .node.gone", "nodes => nodes.map(node => node.dataset.id)")
    assert gone
    assert "special.eq37" not in gone
    tab.click(f"{GRAPH} [data-tool=all]")
    assert tab.query_selector(f"{GRAPH} .node.gone") is None


def test_the_way_to_the_first_broken_step_is_marked(opened):
    tab = opened("#theorem-special.lem4.9")
    ends = tab.eval_on_selector_all(
        f"{GRAPH} .edge.fault[data-a]", "found => found.map(e => [e.dataset.a, e.dataset.b])"
    )
    assert ["special.lem4.9", "special.eq27"] in ends


@pytest.mark.parametrize("opened", LOOKS, indirect=True, ids=str)
@pytest.mark.parametrize("address", ["", "#special.eq27", "#theorem-special.lem4.9"])
def test_it_is_accessible_and_fits_the_width(opened, address):
    from axe_playwright_python.sync_playwright import Axe

    tab = opened(address)
    found = Axe().run(tab)
    assert found.violations_count == 0, found.generate_report()
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_it_is_readable_without_javascript(browser, file):
    """No script runs in a sandbox, so the browser shows the page as without scripts."""
    frame = file.with_name("sandbox.html")
    frame.write_text(f'<iframe sandbox src="{file.name}#special.eq27" width="1200" height="800"></iframe>')
    tab = browser.new_page()
    tab.goto(f"file://{frame}")
    inside = tab.frames[1]
    inside.wait_for_selector("#overview")
    assert inside.is_visible("#title-special")
    assert not inside.is_visible(".filters")
    inside.wait_for_selector('article[id="special.eq27"] .command')
    assert inside.query_selector_all("article math")
    tab.close()


def test_it_prints_every_statement(opened):
    tab = opened("#paper-special")
    tab.emulate_media(media="print")
    assert not tab.is_visible("nav")
    pages = [page.get_attribute("id") for page in tab.query_selector_all(".page")]
    tab.evaluate(
        "addEventListener('beforeprint', () => { window.printed = document.querySelectorAll('.page').length; })"
    )
    assert tab.pdf()[:4] == b"%PDF"
    assert tab.evaluate("window.printed") == 1 < len(pages)
    assert [page.get_attribute("id") for page in tab.query_selector_all(".page")] == pages
    assert tab.query_selector_all(".card:not([open])") == []


def test_it_is_ready_soon(opened):
    """Not a benchmark: only a guard against excessive loading times."""
    start = time.perf_counter()
    opened().click("nav >> text=special")
    assert time.perf_counter() - start < 30

"""Large reports are packed: their details are one compressed text, and nothing is lost."""

import re
import shutil

import pytest

from tests.report.cases import judged
from verify.report.html import page
from verify.report.packed import MOST, SLOT, packed, unpacked

LIKE = (
    "<math><mi>x</mi></math>",
    '<svg><path d="M0,0"/></svg>',
    "<math><mi>y</mi></math>",
    "<template>{}</template>",
)
SMALL = '<p>a</p><noscript data-pack><article id="x">é &lt;</article><!--end of pack--></noscript><!--packed details--><div data-pack><p>b</p><!--end of pack--></div>'
WHOLE = '<p>a</p><noscript><article id="x">é &lt;</article></noscript><div><p>b</p></div>'


def test_a_small_page_is_whole():
    assert packed(SMALL) == unpacked(packed(SMALL)) == WHOLE


def test_a_large_page_is_compressed_and_comes_back():
    small = packed(SMALL, most=10)
    assert "article" not in small
    assert unpacked(small) == WHOLE


def test_drawings_files_and_formulas_come_back_in_their_order():
    page = "".join(f"<div data-pack>{a} and {b}<!--end of pack--></div>" for a in LIKE for b in LIKE) + SLOT
    assert unpacked(packed(page, most=10)) == packed(page)


def test_reports_of_one_topic_need_no_scripts():
    content = page(judged())
    assert len(content) < MOST
    assert 'id="packed"' not in content
    assert "data-pack" not in re.sub(r"(?s)<script>.*</script>", "", content)


@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no chromium")
def test_a_browser_unfolds_a_large_report(tmp_path, monkeypatch):
    from playwright.sync_api import sync_playwright

    monkeypatch.setattr("verify.report.html.packed", lambda text: packed(text, most=10))
    file = tmp_path / "report.html"
    file.write_text(page(judged()))
    assert file.read_text().count("Needs JavaScript") > len(judged())
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab, complaints = browser.new_page(accept_downloads=True), []
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.goto(f"file://{file}#special.eq27")
        tab.wait_for_selector('article[id="special.eq27"] .command', state="visible")
        assert tab.query_selector_all('article[id="special.eq27"] math')
        with tab.expect_download() as started:
            tab.click('article[id="special.eq27"] [data-file="special.eq27.json"]')
        assert '"statement": "special.eq27"' in started.value.path().read_text()
        tab.goto(f"file://{file}#theorem-special.lem4.9")
        tab.wait_for_selector("figure.proof .node", state="visible")
        tab.goto(f"file://{file}#everything")
        tab.fill("[name=text]", "\\lambda")
        shown = tab.eval_on_selector_all(".card:not([hidden])", "all => all.map(card => card.dataset.id)")
        assert "special.lem4.9" in shown
        tab.fill("[name=text]", "lambda")
        assert "special.lem4.9" in tab.eval_on_selector_all(
            ".card:not([hidden])", "all => all.map(card => card.dataset.id)"
        )
        browser.close()
    assert complaints == []

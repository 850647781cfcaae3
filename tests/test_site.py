"""The documentation in a browser: code blocks intact, formulas rendered, no broken link, no error, readable on phones."""

import functools
import http.server
import os
import re
import shutil
import subprocess
import sys
import threading
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

import pytest
from filelock import FileLock

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
FENCE = re.compile(r"^```\w*.*?\n(.*?)^```", re.S | re.M)
BUILT_PAPER = "fedmes"
BUILT_LANDMARKS = ("noniid", "gem")
"""One paper, and one landmark of each table, are enough here: the evidence of all takes most of a minute. `make docs` builds
all.
"""

pytestmark = pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no chromium")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "site"
    with FileLock(f"{folder}.lock"):  # processes of one run of the tests share the work
        if not folder.exists():
            build = [
                sys.executable,
                "-m",
                "mkdocs",
                "build",
                "--strict",
                "--quiet",
                "--site-dir",
                str(folder),
            ]
            more = {
                "DOCS_PAPERS": " ".join((BUILT_PAPER, *BUILT_LANDMARKS)),
                "NO_MKDOCS_2_WARNING": "1",
                "PYTHONPATH": str(ROOT),
            }
            done = subprocess.run(build, cwd=ROOT, env={**os.environ, **more}, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
    return folder


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address(site):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def tabs(browser):
    """Browser tabs by width; all pages share one, with its cache."""
    yield functools.cache(
        lambda width: browser.new_context(viewport={"width": width, "height": 900}).new_page()
    )
    for context in browser.contexts:
        context.close()


@pytest.fixture
def tab(tabs, address, request):
    """A browser tab of a given width; at its end there must have been no error and no request to another host."""
    page, complaints = tabs(getattr(request, "param", 1200)), []
    listeners = {
        "console": lambda said: complaints.append(said.text) if said.type == "error" else None,
        "pageerror": lambda error: complaints.append(str(error)),
        "request": lambda asked: (
            None if asked.url.startswith((address, "data:")) else complaints.append(asked.url)
        ),
    }
    for event, listener in listeners.items():
        page.on(event, listener)
    yield page
    page.goto("about:blank")
    for event, listener in listeners.items():
        page.remove_listener(event, listener)
    assert complaints == []


WITH_CODE = sorted(page for page in DOCS.glob("*.md") if "```" in page.read_text())


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.stem)
def test_code_is_whole(tab, address, page):
    tab.goto(f"{address}/{page.stem}.html")
    shown = [
        block.strip()
        for block in tab.eval_on_selector_all("pre code", "all => all.map(one => one.textContent)")
    ]
    written = [block.strip() for block in FENCE.findall(page.read_text())]
    assert not [block for block in written if block not in shown]
    heights = tab.eval_on_selector_all(
        "pre code", "all => all.map(one => one.getBoundingClientRect().height)"
    )
    for block, height in zip(shown, heights, strict=True):
        assert height >= 12 * len(block.splitlines()), block


def test_formulas_are_drawn(tab, address):
    tab.goto(f"{address}/papers/{BUILT_PAPER}.html")
    boxes = tab.eval_on_selector_all(
        ".formula math", "all => all.map(one => one.getBoundingClientRect().toJSON())"
    )
    assert len(boxes) > 5
    assert all(box["width"] > 20 and box["height"] > 8 for box in boxes)
    fractions = tab.eval_on_selector_all("mfrac", "all => all.map(one => one.getBoundingClientRect().height)")
    assert fractions
    assert min(fractions) > 12
    assert r"\frac" not in tab.inner_text("article")


class Links(HTMLParser):
    """Targets and ids of a page."""

    def __init__(self, text):
        super().__init__()
        self.targets, self.ids = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        self.ids |= {named[name] for name in ("id", "name") if named.get(name)}
        self.targets += [named[name] for name in ("href", "src") if named.get(name)]


def test_every_link_leads_somewhere(site):
    pages = {file.relative_to(site).as_posix(): Links(file.read_text()) for file in site.rglob("*.html")}
    assert len(pages) > 25
    broken = []
    for name, page in pages.items():
        if name == "404.html":
            continue
        for target in page.targets:
            if target.startswith(("http:", "https:", "mailto:", "data:", "javascript:")):
                continue
            place, anchor = urldefrag(urljoin(f"/{name}", target))
            file = unquote(place).lstrip("/") or "index.html"
            file = f"{file}index.html" if file.endswith("/") else file
            if not (site / file).exists() or (
                anchor and file in pages and unquote(anchor) not in pages[file].ids
            ):
                broken.append((name, target))
    assert broken == []


@pytest.mark.parametrize("tab", [390], indirect=True)
@pytest.mark.parametrize(
    "name",
    [
        *sorted(page.stem for page in DOCS.glob("*.md")),
        "gallery",
        "sentences",
        "vacuity",
        f"papers/{BUILT_PAPER}",
    ],
)
def test_a_phone_shows_every_page_without_scrolling_sideways(tab, address, name):
    tab.goto(f"{address}/{name}.html")
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    assert tab.inner_text("h1").strip()


def test_search_finds_a_page(tab, address):
    tab.goto(f"{address}/index.html")
    tab.click("label.md-header__button[for=__search]") if not tab.is_visible(".md-search__input") else None
    tab.fill(".md-search__input", "counterexample")
    tab.wait_for_selector(".md-search-result__item", timeout=20_000)
    assert tab.query_selector_all(".md-search-result__item")


def test_the_gallery_has_every_figure_that_is_drawn(site):
    text = (site / "gallery.html").read_text()
    for picture in (DOCS / "pictures").glob("*.webp"):
        assert f"pictures/{picture.name}" in text
        assert f"python -m verify curves {picture.stem}\n" in text

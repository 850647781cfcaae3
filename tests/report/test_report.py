"""The content of the report: on the terminal, as HTML, LaTeX and Markdown, compared with another run."""

import copy
import io
import re
import shutil
import subprocess
from collections import Counter
from functools import partial
from html.parser import HTMLParser

import pytest
from PIL import Image

from tests.report.cases import judged, made
from verify.commands.main import main
from verify.engine.records.files import write_json
from verify.engine.verdict import because
from verify.engine.work.errors import UsageError
from verify.engine.work.progress import Progress
from verify.report.against import changes
from verify.report.entries import Entry, entries, records_in, select
from verify.report.erratum import erratum, rendered_erratum
from verify.report.figures import Figure, drawn_figures
from verify.report.html import page
from verify.report.story import story
from verify.report.terminal import summary
from verify.report.texts import md, tex, text
from verify.report.values import again, certificates

REPLAY = partial(again, folder="results/records")
CERTIFICATE = {
    "symbols": {"a": "positive", "b": "positive"},
    "lines": [
        {"given": [">=", "a", "1"], "by": "condition"},
        {
            "show": ["<=", ["*", "2", "a", "b"], ["+", ["^", "a", "2"], ["^", "b", "2"]]],
            "as": ["^", ["+", "a", "b"], "2"],
        },
    ],
}


class Page(HTMLParser):
    """Ids, targets and addresses of a page, and whether its elements close in order."""

    void = frozenset(("meta", "link", "input", "img", "br"))

    def __init__(self, content):
        super().__init__()
        self.ids, self.targets, self.outside, self.open = Counter(), set(), [], []
        self.feed(content)

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        if tag not in self.void:
            self.open.append(tag)
        if "id" in named:
            self.ids[named["id"]] += 1
        for name in ("href", "src"):
            address = named.get(name) or "data:,"
            if address.startswith("#"):
                self.targets.add(address[1:])
            elif not address.startswith("data:"):
                self.outside.append(address)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_complete_well_formed_and_needs_nothing_else():
    content = page(judged())
    found = Page(content)
    assert found.open == []
    assert found.outside == ["https://arxiv.org/abs/2601.22274v2"]  # a link, which loads nothing
    assert [id for id, times in found.ids.items() if times > 1] == []
    assert found.targets <= {*found.ids, "everything"}
    assert {entry.id for entry in judged()} <= set(found.ids)
    assert "python -m verify replay results/records/special.eq27.json" in content
    assert "<script src" not in content
    assert "@import" not in content


def test_a_paper_that_nobody_listed_appears_by_itself():
    content = page([*judged(), made("fifth.thm1", "refuted", ["fifth.a"]), made("fifth.a", "gap")])
    assert 'id="paper-fifth"' in content
    assert 'id="theorem-fifth.thm1"' in content


def test_text_of_a_record_is_escaped():
    content = page([made("n.thm1", reason=because("error", error="a < b & <script>alert(1)</script>"))])
    assert "<script>alert" not in content


def test_numbers_that_are_no_letters_of_the_source_are_explained_where_they_stand():
    entries = [copy.deepcopy(entry) for entry in judged()]
    witness = next(f["witness"] for entry in entries for f in entry.record["evidence"] if f["witness"])
    witness["told"] = {"start": "how far away <all> begins"}
    assert "<code>start</code> how far away &lt;all&gt; begins" in page(entries)


def test_a_figure_stands_with_its_theorem():
    content = page(
        judged(),
        [
            Figure(
                "drift", ("special.lem4.9", "special.eq27"), "how far it moves", "data:image/png;base64,AAAA"
            )
        ],
    )
    body = content[content.index('id="theorem-special.lem4.9"') :]
    assert "data:image/png;base64,AAAA" in body[: body.index("</article>")]
    assert content.count("data:image/png;base64,AAAA") == 1
    assert 'alt="Figure drift: how far it moves"' in content
    other = content[content.index('<article id="special.eq27"') :]
    assert 'figure of <a href="#special.lem4.9"' in other[: other.index("</article>")]


def test_records_to_compare_with_are_read_before_figures_are_drawn(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        "verify.report.figures.drawn_figures", lambda folder: pytest.fail("figures are drawn")
    )
    record, old = tmp_path / "special.lem4.9.json", tmp_path / "old.json"
    write_json(record, made("notes.a").record)
    old.write_text("no JSON")
    assert main(["report", "--records", str(record), "--against", str(old)]) == 2
    assert "old.json is not JSON" in capsys.readouterr().err


def test_drawn_figures_are_found_by_their_curves_and_fit_a_page(tmp_path):
    import base64

    picture = Image.new("RGB", (1300, 260), "red")
    (tmp_path / "figures").mkdir()
    picture.save(tmp_path / "figures" / "drift.png")
    write_json(tmp_path / "curves" / "drift.json", {"shows": ["special.lem4.9"], "says": "how far"})
    write_json(tmp_path / "curves" / "undrawn.json", {"shows": ["special.lem4.9"]})
    [figure] = drawn_figures(tmp_path)
    assert (figure.name, figure.shows, figure.caption) == ("drift", ("special.lem4.9",), "how far")
    shown = Image.open(io.BytesIO(base64.b64decode(figure.url.partition(",")[2])))
    assert shown.size == (1000, 200)
    red, green, blue = shown.convert("RGB").getpixel((500, 100))
    assert (red > 250, green < 5, blue < 5) == (True, True, True)


def test_certificates_are_written_line_by_line():
    first, second = certificates({"certificates": [[CERTIFICATE], [CERTIFICATE]]})
    assert first == second == certificates({"certificate": CERTIFICATE})[0]
    assert first == [
        "given (a >= 1), by condition",
        "show ((2 * a * b) <= ((a ^ 2) + (b ^ 2))): as ((a + b) ^ 2)",
    ]
    proof = {"certificate": CERTIFICATE, "rests_on": {"conditions": ["a >= 1"]}, "sizes": None}
    entry = made("n.thm1", "proved", proof=proof)
    assert "given (a &gt;= 1), by condition" in page([entry])
    assert "rests_on" in page([entry])
    assert "0. given (a >= 1), by condition" in story(entry, [entry], REPLAY)


def test_proofs_of_any_other_form_are_shown_as_they_are():
    content = page(
        [made("n.thm1", "proved", proof={"kind": "sum of squares", "steps": [{"multiplier": "2"}]})]
    )
    assert "sum of squares" in content
    assert "multiplier = 2" in content


@pytest.mark.parametrize("content", ["[]", "{", '{"shows": "special.eq27"}', '{"shows": ["a"], "says": 3}'])
def test_curves_that_are_none_are_named(tmp_path, content):
    (tmp_path / "curves").mkdir()
    (tmp_path / "curves" / "psi.json").write_text(content)
    with pytest.raises(UsageError, match=r"psi\.json"):
        drawn_figures(tmp_path)


def test_what_replays_a_witness_of_the_users_own_file_names_it():
    command = again({"id": "notes.thm1/long", "theorem": "my_theorem.py"}, "results/own")
    assert command == "python -m verify replay results/own/notes.thm1__long.json --theorem my_theorem.py"


def test_progress_tells_the_time_left(monkeypatch):
    stream, clock = io.StringIO(), iter([0.0, 10.0, 20.0])
    monkeypatch.setattr("verify.engine.work.progress.time.monotonic", lambda: next(clock))
    progress = Progress(4, stream)
    progress.tell("a")
    progress.tell("b")
    assert stream.getvalue() == "[1/4] a, about 30 s left\n[2/4] b, about 20 s left\n"


def test_a_story_has_numbers_the_tree_and_what_is_true_instead():
    known = {entry.id: entry for entry in judged()}
    told = story(known["special.lem4.9"], judged(), REPLAY)
    assert "drift2 <= B**2*E**2*gamma_G**2*gamma_L**2/lam**2" in told
    assert "special.lem4.9 -> special.eq27 (refuted); the conclusion survives" in told
    assert "special.eq27/corrected" in told
    broken = story(known["special.eq27"], judged(), REPLAY)
    assert "left side   0.5\n" in broken
    assert "right side  0.25\n" in broken
    assert "python -m verify replay results/records/special.eq27.json" in broken


def test_the_tightest_instance_of_a_vacuous_statement_breaks_nothing():
    holding = copy.deepcopy(next(e for e in judged() if e.record["evidence"][0]["witness"] and e.stands))
    vacuous = Entry({**holding.record, "verdict": "vacuous"})
    others = [vacuous if entry.id == vacuous.id else entry for entry in judged()]
    assert "the tightest world" in story(vacuous, others, REPLAY)
    assert "counterexample" not in story(vacuous, others, REPLAY).partition("its proof")[0]
    assert page([vacuous]).count("The tightest world found") == 1
    assert "ightest world" in text([vacuous], "markdown", [vacuous], REPLAY)
    assert "ightest world" in text([vacuous], "latex", [vacuous], REPLAY)


def outputs(found):
    yield "terminal", summary(found, width=118)
    yield "page", page(found)
    yield from ((kind, text(found, kind, found, REPLAY)) for kind in ("markdown", "latex", "table"))
    told = erratum(found, "n")
    yield from ((f"erratum {kind}", rendered_erratum(told, kind)) for kind in ("html", "markdown", "latex"))


def test_the_sizes_of_a_proof_are_listed_where_it_is_explained():
    entry = made("n.thm1", "proved", sizes=[{"N": 1, "t": 1}, {"N": 2, "t": 2}])
    told = story(entry, [entry], REPLAY)
    assert told.startswith("n.thm1  proved (2 sizes with N <= 2, t <= 2)")
    assert told.endswith("the sizes of its proof\n  N, t = 1, 1; 2, 2")


def test_sizes_stand_wherever_a_verdict_does():
    upto7 = [{"K": k} for k in range(1, 8)]
    alone, theorem = made("n.thm2", "proved", sizes=upto7), made("n.thm1", "refuted", uses=("n.eq1",))
    step, variant = made("n.eq1", "gap"), made("n.thm1/mild", "proved", sizes=upto7)
    other = made("n.eq1/fixed", "proved", sizes=upto7)
    for kind, content in outputs([theorem, alone, step, variant, other]):
        words = re.sub(r"<[^>=]*>|\\ensuremath|[\\${}]", "", content).replace("&lt;", "<")
        words = re.sub(r"(?s)<(style|script|svg).*?</\1>|What the verdicts mean.*?</details>", "", words)
        assert "proved (K <" in words, kind
        assert not re.search(r"(thm1/mild|thm2|eq1/fixed)`?[ ,(:]+proved(?! \(K)", words), kind


def test_nothing_changed_between_a_run_and_itself():
    assert changes(judged(), judged()) == []


def test_changes_are_told_by_kind():
    old = [
        made("n.a", "unrefuted", tightness=0.5),
        made("n.b", "unrefuted", seconds=2.0),
        made("n.c"),
        made("n.same"),
    ]
    new = [
        made("n.a", "refuted", tightness=1.5),
        made("n.b", "unrefuted", seconds=9.0),
        made("n.d"),
        made("n.same"),
    ]
    found = [(change.id, change.what, change.before, change.after) for change in changes(old, new)]
    assert found == [
        ("n.a", "verdict", "unrefuted", "refuted"),
        ("n.d", "new", "", "unrefuted"),
        ("n.c", "gone", "unrefuted", ""),
        ("n.a", "tightness", "0.5", "1.5"),
        ("n.b", "time", "2.0 s", "9.0 s"),
    ]
    assert 'id="changes"' in page(new, changes=changes(old, new))


def test_fewer_sizes_are_a_change_of_verdict():
    old, new = ([made("n.a", "proved", sizes=[{"K": k + 1} for k in range(most)])] for most in (7, 3))
    (change,) = changes(old, new)
    assert (change.what, change.before, change.after) == ("verdict", "proved (K <= 7)", "proved (K <= 3)")


@pytest.mark.parametrize(
    ("words", "shown"), [("a_b & 50%", r"a\_b \& 50\%"), ("a^b", r"a\textasciicircum{}b")]
)
def test_words_are_escaped_for_tex(words, shown):
    assert tex(words) == shown


def test_words_are_escaped_for_markdown():
    assert md("B**2 <= a_b | c") == r"B\*\*2 &lt;= a\_b &#124; c"


def test_markdown_has_every_statement_once():
    content = text(judged(), "markdown", judged(), REPLAY)
    for entry in judged():
        assert content.count(f"\n`{entry.id}`: ") == 1


def test_a_table_has_a_line_for_every_statement():
    lines = text(judged(), "table", judged(), REPLAY).splitlines()
    for entry in judged():
        (line,) = (line for line in lines if line.startswith(f"| `{entry.id}` | "))
        assert len(re.findall(r"(?<!\\)\|", line)) == 5
        assert md(entry.printed_verdict.replace("_", " ")) in line


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
def test_latex_compiles_with_a_plain_installation(tmp_path):
    (tmp_path / "report.tex").write_text(text(judged(), "latex", judged(), REPLAY))
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "report.tex"],
        cwd=tmp_path,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "report.pdf").stat().st_size > 10_000


def test_records_are_read_from_a_folder_or_from_one_file(tmp_path):
    records = [dict(entry.record) for entry in judged()]
    write_json(tmp_path / "all.json", records)
    for record in records:
        write_json(tmp_path / "records" / f"{record['id'].replace('/', '__')}.json", record)
    listed, folder = entries(records_in(tmp_path / "all.json")), entries(records_in(tmp_path / "records"))
    assert (
        [entry.id for entry in listed] == [entry.id for entry in folder] == [entry.id for entry in judged()]
    )
    assert [entry.verdict for entry in listed] == [entry.verdict for entry in judged()]


@pytest.mark.parametrize("content", ["{", '{"a": 1}', "[]"])
def test_what_is_no_record_is_refused_with_the_reason(content, tmp_path):
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(UsageError, match=re.escape(str(tmp_path))):
        records_in(tmp_path / "x.json")


def test_a_selection_is_of_papers_ids_patterns_or_topics():
    found = list(judged())
    assert select(found, []) == found
    assert select(found, ["special"]) == found
    assert select(found, ["special_drift"]) == found
    assert [entry.id for entry in select(found, ["special.eq27*"])] == [
        "special.eq27",
        "special.eq27/corrected",
    ]
    with pytest.raises(UsageError, match="would judge it"):
        select(found, ["special.thm4.10"])

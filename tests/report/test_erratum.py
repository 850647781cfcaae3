"""Errata: few entries, theorems first, each with its counterexample and the proved correction, in the paper's notation."""

import copy
import re
import shutil
import subprocess
from argparse import Namespace
from dataclasses import replace

import pytest
import sympy as sp

from bounds.relations import ge
from bounds.statement import Original, Paper, Scaling
from bounds.symbols import Glossary
from tests.report.cases import judged, made
from verify.commands.erratum import run
from verify.engine.work.errors import UsageError
from verify.report.entries import Entry
from verify.report.erratum import MOST, _in_words, erratum, rendered_erratum
from verify.report.values import condition, numbers, printed, side_texts, sides

KINDS = ["markdown", "latex", "html"]
BROKEN = [
    made("n.thm1", "refuted", uses=("n.eq1", "n.eq2")),
    made("n.thm1/mild", "proved"),
    made("n.thm1/wild", "refuted"),
    made("n.thm2", uses=("n.eq2",)),
    made("n.eq1"),
    made("n.eq2", "gap"),
    made("n.eq3", "vacuous"),
    made("n.eq3/better", "unrefuted"),
]


def ids(found):
    return [one.entry.id for one in found.corrections]


def test_theorems_come_first_then_broken_steps_then_what_else_is_damaged():
    found = erratum(BROKEN, "n")
    assert ids(found) == ["n.thm1", "n.eq2", "n.eq3"]
    assert found.further == 0


def test_only_what_is_proved_is_true_instead():
    one, step, vacuous = erratum(BROKEN, "n").corrections
    assert [e.id for e in one.instead] == ["n.thm1/mild"]
    assert (step.instead, vacuous.instead) == ((), ())


@pytest.mark.parametrize("kind", KINDS)
def test_variants_that_were_not_judged_are_not_called_open(kind):
    found = erratum([made("n.eq1", "refuted")], "n", ["n.eq1", "n.eq1/mild"])
    assert found.corrections[0].unjudged == ("n.eq1/mild",)
    assert "not judged in these records: n.eq1/mild" in rendered_erratum(found, kind)
    judged = erratum(
        [made("n.eq1", "refuted"), made("n.eq1/mild", "unrefuted")], "n", ["n.eq1", "n.eq1/mild"]
    )
    assert judged.corrections[0].unjudged == ()
    assert "instead is open" in rendered_erratum(judged, kind)


def test_a_variant_for_every_size_comes_before_one_at_sizes():
    few, every = made("n.eq1/few", "proved"), made("n.eq1/more", "proved")
    few.record["sizes"] = [{"t": 1}, {"t": 2}]
    (only,) = erratum([made("n.eq1", "refuted"), few, every], "n").corrections
    assert [one.id for one in only.instead] == ["n.eq1/more"]


def test_where_nothing_is_proved_instead_the_repair_of_the_broken_step_is_named():
    found = [
        made("n.thm1", "refuted", uses=("n.eq1",)),
        made("n.eq1", "refuted"),
        made("n.eq1/mild", "proved"),
    ]
    theorem, step = erratum(found, "n").corrections
    assert [e.id for e in theorem.instead] == [e.id for e in step.instead] == ["n.eq1/mild"]
    assert theorem.argument[-1] == "Its proof breaks at n.eq1: what n.eq1 says."


def test_where_a_step_has_no_true_variant_that_of_what_rests_on_it_is_named():
    other = [made(f"n.eq{k}", "refuted") for k in range(3, 3 + MOST - 1)]
    step, rests = made("n.lem1", "refuted"), made("n.eq99", "refuted", uses=("n.lem1",))
    found = erratum([step, *other, rests, made("n.eq99/mild", "proved")], "n").corrections
    (one,) = (each for each in found if each.entry.id == "n.lem1")
    assert [each.id for each in one.instead] == ["n.eq99/mild"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_formula_of_the_source_is_printed_where_a_consequence_of_it_was_judged(kind):
    entry = _about("n.thm1", ge(after, 1), "refuted")
    said = Original("the loss is large, <as> said", ge(before, 1))
    found = Entry(entry.record, replace(entry.statement, original=said))
    content = rendered_erratum(erratum([found], "n"), kind)
    assert re.search(r"Printed: the loss is large, \S+as\S+ said", content)
    assert "what n.thm1 says" not in content
    assert erratum([found], "n").corrections[0].pieces == (r"\mathrm{before}", r"\geq 1")


def test_codes_of_kinds_are_written_as_words():
    assert _in_words("0: linear losses, 1: wells, which are flat", "1") == ("wells, which are flat", "")
    assert _in_words("1 if clients remember", "1") == ("clients remember", "")
    assert _in_words("1 for convex losses, -1 for concave ones", "-1") == ("concave ones", "")
    both = "1 if a correction sees one sample, 0 if it sees all, -1 if it sees none"
    assert [_in_words(both, number)[0] for number in ("1", "0", "-1")] == [
        *("a correction sees one sample", "it sees all", "it sees none")
    ]
    assert _in_words(both, "(1, 0)") == (both, "(1, 0)")
    assert _in_words("distance", "3/2") == ("distance", "3/2")


def test_what_is_free_is_not_true_instead():
    (one,) = erratum([made("n.thm1", "vacuous"), made("n.thm1/free.start", "proved")], "n").corrections
    assert one.instead == ()


def test_steps_that_repeat_a_broken_one_have_no_entry_of_their_own():
    chain = [made(f"n.eq{k}", "refuted", uses=(f"n.eq{k - 1}",)) for k in range(1, 40)]
    found = erratum([made("n.eq0", "refuted"), *chain], "n")
    assert len(found.corrections) == MOST
    assert sum(bool(one.repeats) for one in found.corrections) > 0


@pytest.mark.parametrize("number", [MOST - 1, MOST, MOST + 7])
def test_a_page_has_at_most_so_many_entries(number):
    found = erratum([made(f"n.eq{k}", "refuted") for k in range(number)], "n")
    assert (len(found.corrections), found.further) == (min(number, MOST), max(number - MOST, 0))


def test_what_the_source_does_not_say_is_not_to_be_corrected():
    asked = made("n.eq2", "refuted", changes="our own question: nobody says so")
    sampled = made("n.eq3", "refuted")
    sampled.record["method"] = "sampled"
    found = erratum([made("n.thm1", "refuted"), made("n.eq1", "refuted"), asked, sampled], "n")
    assert ids(found) == ["n.thm1", "n.eq1"]


def test_theorems_stand_in_the_order_of_the_lines():
    late, early = made("n.thm1", "refuted"), made("n.thm2", "refuted")
    for entry, lines in ((late, "950-954"), (early, "96, 201")):
        entry.record["source"]["lines"] = lines
    assert ids(erratum([late, early], "n")) == ["n.thm2", "n.thm1"]


NOTES = Glossary("n")
before, after = NOTES.real("before", "loss before"), NOTES.real("after", "the same one step later")
rise = NOTES.nonnegative("rise", "what a step adds")


def _about(id: str, relation: sp.Basic, verdict: str) -> Entry:
    statement = Paper("n", "Notes", "draft", NOTES).statement(id.partition(".")[2], id, relation, id)
    return Entry(made(id, verdict).record, statement)


@pytest.mark.parametrize("kind", KINDS)
def test_letters_are_explained_with_what_their_meanings_point_back_to(kind):
    found = erratum([_about("n.thm1", ge(after, 1), "refuted")], "n")
    assert [letter.meaning for letter in found.letters] == ["loss before", "the same one step later"]
    assert "the same one step later" in rendered_erratum(found, kind)


def test_a_counterexample_gives_every_letter_its_value_and_both_sides():
    (one,) = (c for c in erratum(judged(), "special").corrections if c.entry.id == "special.eq27")
    given = {value.latex: value.text for value in one.values}
    assert given["M"] == given["N"] == "1"
    letters = {s.name for s in one.entry.statement.symbols}
    assert len(given) >= len(letters - {"tau"})
    assert re.fullmatch(r"The left side is \S+ and the right side is \S+\.", one.argument[1])
    assert len(one.argument) <= 3
    assert [e.id for e in one.instead] == ["special.eq27/corrected"]


def test_one_formula_that_stands_twice_has_one_entry():
    first, again = _about("n.eq1", ge(after, 1), "refuted"), _about("n.eq2", ge(after, 1), "refuted")
    (only,) = erratum([first, again], "n").corrections
    assert (only.entry.id, only.repeats) == ("n.eq1", ("n.eq2",))


def test_a_wrong_order_is_shown_in_numbers():
    """The sum of 3 sqrt(rise) and rise over the claimed sqrt(rise) is 3 + sqrt(rise), of which the second term outgrows."""
    scaling = Scaling({"slow": 3 * sp.sqrt(rise), "fast": rise}, {}, sp.sqrt(rise), (rise,))
    argument = erratum([_about("n.thm1", scaling, "refuted")], "n").corrections[0].argument
    assert argument == (
        "The claim has the power 1/2 of what a step adds, but terms of the bound have a larger one: 1.",
        "With 100 for what a step adds and 1 for every other letter, their sum divided by the claimed order is 10; "
        "with 10000 it is 100.",
    )


def test_a_sequence_is_given_with_all_entries_and_its_meaning():
    """Eq. (27) sums the updates of the rounds: without them its counterexample cannot be checked."""
    found = erratum(judged(), "special")
    (one,) = (c for c in found.corrections if c.entry.id == "special.eq27")
    (delta,) = (value for value in one.values if value.latex == r"\Delta")
    assert delta.text == "(0, 1, 0)"
    assert r"\Delta" in [letter.latex for letter in found.letters]


def with_told(**told):
    """The numbers of the counterexample to Eq. (27), if its parameters have these meanings."""
    entries = [copy.deepcopy(entry) for entry in judged()]
    (own,) = (entry for entry in entries if entry.id == "special.eq27")
    witness = next(found["witness"] for found in own.record["evidence"] if found["witness"])
    witness["told"] = told
    (one,) = (c for c in erratum(entries, "special").corrections if c.entry.id == "special.eq27")
    return [meaning for meaning, _ in one.given]


def test_numbers_that_the_counterexample_does_not_need_are_left_out():
    """The models depend on the sent updates but not on gamma_L, although it is a step size of the scene."""
    needed = "what the clients send"
    assert with_told(sent=needed, start="share by which constants are larger than they must be") == [needed]
    assert with_told(sent=needed, start="the L of Assumption 1, no smaller than any curvature") == [needed]


@pytest.mark.parametrize("kind", KINDS)
def test_no_internal_name_is_written(kind):
    content = rendered_erratum(erratum(judged(), "special"), kind)
    assert not re.search(r"special\.[a-z]+\d|verify replay|Eq\(|lhs/rhs", content)


@pytest.mark.parametrize("kind", KINDS)
def test_no_text_of_a_record_is_markup(kind):
    bad = [made("n.thm1", "refuted")]
    bad[0].record["statement"]["says"] = "a < b & <script>x_1</script>"
    content = rendered_erratum(erratum(bad, "n"), kind)
    assert ("<script>" in content) is False


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
def test_latex_compiles_with_a_plain_installation(tmp_path):
    (tmp_path / "e.tex").write_text(rendered_erratum(erratum(judged(), "special"), "latex"))
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "e.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-2000:]


def test_numbers_that_are_no_letters_of_the_source_are_explained():
    entries = [copy.deepcopy(entry) for entry in judged()]
    (own,) = (entry for entry in entries if entry.id == "special.eq27")
    witness = next(found["witness"] for found in own.record["evidence"] if found["witness"])
    witness["told"] = {"start": "how far away all begins"}
    assert "how far away all begins =" in rendered_erratum(erratum(entries, "special"), "markdown")


@pytest.mark.parametrize(("relation", "ends"), [("a >= b", (2, 1)), ("a <= b", (1, 2)), ("Eq(a, b)", (1, 2))])
def test_sides_of_a_witness_stand_as_the_relation_is_written(relation, ends):
    assert sides({"relation": relation, "lhs": 1, "rhs": 2}) == ends


def test_sides_that_differ_late_have_more_digits():
    assert side_texts({"lhs": [1.0, 1.0], "rhs": [1 - 2e-9] * 2}) == ("1", "0.999999998")
    assert side_texts({"lhs": [2.0, 2.0], "rhs": [1.0, 1.0]}) == ("2", "1")


def test_an_unknown_paper_is_named_with_those_that_there_are():
    with pytest.raises(UsageError, match=r"no record speaks of 'm'; there are records of n"):
        erratum(BROKEN, "m")


def test_numbers_of_tables_are_decimals_and_fillers_are_left_out():
    row = {
        "shape": {"K": 4},
        "parameters": {"entry": "532/25", "all": ["1/100", "1/3"], "nothing": "0"},
        "steps": {},
    }
    assert printed(row) == "K = 4, entry = 21.28, all = (0.01, 1/3)"
    assert numbers(row) == "K = 4, entry = 532/25, all = (1/100, 1/3)"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("N <= M", "N <= M"),
        ("Eq(N, M)", "N = M"),
        ("Eq(M2, Max(0, D2 - F2))", "M2 = Max(0, D2 - F2)"),
        ("Eq(f(a, b), 1/(L*(m + 1)))", "f(a, b) = 1/(L*(m + 1))"),
    ],
)
def test_conditions_are_written_with_their_sign(text, told):
    assert condition(text) == told


def test_the_command_takes_stored_answers_where_no_records_are_named(tmp_path, monkeypatch, capsys):
    doubted = {"special.eq28": "a certificate is missing"}
    monkeypatch.setattr("verify.report.stored.stored_entries", lambda paper: (judged(), doubted))
    options = Namespace(paper="special", format="markdown", records=None, out=tmp_path / "e.md")
    assert run(options) == 0
    assert "Eq. (27)" in options.out.read_text()
    assert "special.eq28 is left out: a certificate is missing" in capsys.readouterr().err


def test_the_command_names_the_papers_and_how_answers_are_made(tmp_path, monkeypatch):
    monkeypatch.setattr("verify.report.stored.stored_entries", lambda paper: ([], {}))
    asked = {"format": "markdown", "records": None, "out": tmp_path / "e.md"}
    with pytest.raises(UsageError, match="must be the key of a paper, got 'spezial'; write "):
        run(Namespace(paper="spezial", **asked))
    with pytest.raises(
        UsageError, match="no answers are stored for 'special'; `python -m verify keep` stores them"
    ):
        run(Namespace(paper="special", **asked))

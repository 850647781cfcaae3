"""Errata: every damaged statement once, with its reason and what is true instead, or the step that resists."""

import copy
import shutil
import subprocess
from functools import partial

import pytest
import sympy as sp

from bounds.relations import eq, ge, le
from bounds.statement import Paper
from bounds.symbols import Glossary
from tests.report.cases import judged, made
from verify.engine.errors import UsageError
from verify.report.entries import Entry
from verify.report.erratum import erratum, written
from verify.report.figures import Figure
from verify.report.wording import again, condition, numbers, printed, sides

REPLAY = partial(again, folder="results/records")
BROKEN = [
    made("n.thm1", "refuted", uses=("n.eq1", "n.eq2")),
    made("n.thm1/mild", "proved"),
    made("n.thm1/wild", "refuted"),
    made("n.thm2", uses=("n.eq2",)),
    made("n.eq1"),
    made("n.eq2", "gap"),
    made("n.eq3", "vacuous"),
    made("n.eq3/better", "holds"),
]


def test_theorems_come_first_then_what_else_is_damaged():
    found = erratum(BROKEN, "n")
    assert [c.entry.id for c in found.theorems] == ["n.thm1", "n.thm2"]
    assert [c.entry.id for c in found.others] == ["n.eq2", "n.eq3"]
    assert [c.entry.id for c in found.damaged] == ["n.thm1", "n.eq2", "n.eq3"]
    assert found.repaired == 1


def test_each_says_what_is_true_instead_or_what_resists():
    one, two, gap, void = (
        c for group in ("theorems", "others") for c in getattr(erratum(BROKEN, "n"), group)
    )
    assert [e.id for e in one.instead] == ["n.thm1/mild"]
    assert [e.id for e in one.tried] == ["n.thm1/wild"]
    assert one.resists == ""
    assert (two.fault.path, two.resists) == (("n.thm2", "n.eq2"), "n.eq2")
    assert gap.resists == "n.eq2"
    assert [e.id for e in void.instead] == ["n.eq3/better"]


def test_proved_readings_come_before_those_that_only_hold():
    found = erratum([made("n.thm1", "refuted"), made("n.thm1/a"), made("n.thm1/b", "proved")], "n")
    assert [e.id for e in found.theorems[0].instead] == ["n.thm1/b", "n.thm1/a"]


def test_parts_of_another_reading_are_no_readings():
    found = erratum(
        [
            made("n.thm1", "refuted"),
            made("n.thm1/mild", "proved", uses=("n.thm1/mild.step", "n.thm1/plain")),
            made("n.thm1/mild.step", "proved", uses=("n.thm1/mild.deep",)),
            made("n.thm1/mild.deep", "proved"),
            made("n.thm1/mild.order", "proved"),
            made("n.thm1/plain", "proved"),
        ],
        "n",
    )
    assert [e.id for e in found.theorems[0].instead] == ["n.thm1/mild", "n.thm1/mild.order", "n.thm1/plain"]


def test_what_is_free_is_not_what_is_true_instead():
    (one,) = erratum([made("n.thm1", "vacuous"), made("n.thm1/free.start", "proved")], "n").theorems
    assert (one.instead, [e.id for e in one.free], one.resists) == ((), ["n.thm1/free.start"], "n.thm1")


def test_a_broken_step_is_repaired_by_ends_of_proofs_not_by_their_steps():
    found = [
        made("n.thm1", uses=("n.eq1",)),
        made("n.eq1", "refuted"),
        made("n.eq1/mild", "proved", uses=("n.eq1/mild.step",)),
        made("n.eq1/mild.step", "proved"),
        made("n.eq1/free", "proved"),
    ]
    (one,) = erratum(found, "n").theorems
    assert [e.id for e in one.fault.instead] == ["n.eq1/mild"]


def test_steps_of_what_is_true_instead_are_no_theorems_of_the_source():
    found = [
        made("n.thm1", "refuted", uses=("n.thm1.used",)),
        made("n.thm1/mild", "proved", uses=("n.thm1.step", "n.thm1.used")),
        made("n.thm1.step", "proved", uses=("n.thm1.deep",)),
        made("n.thm1.deep", "proved", uses=("n.eq1",)),
        made("n.thm1.used", "proved", uses=("n.eq1",)),
        made("n.eq1", "proved"),
    ]
    told = erratum(found, "n")
    assert [c.entry.id for c in told.theorems] == ["n.thm1"]
    assert [c.entry.id for c in told.plain] == ["n.thm1.used"]


@pytest.mark.parametrize("kind", ["markdown", "latex", "html"])
def test_where_two_places_differ_nothing_true_is_missed(kind):
    content = written(erratum([made("n.eq1", "inconsistent")], "n"), kind, REPLAY)
    assert "the source alone can say" in content
    assert "Not repaired" not in content


def test_what_the_source_does_not_say_is_not_to_be_corrected():
    asked = made("n.eq2", "refuted", changes="our own question: nobody says so")
    found = erratum([made("n.thm1", "refuted"), made("n.eq1", "refuted"), asked], "n")
    assert [one.entry.id for one in found.others] == ["n.eq1"]


def test_an_inconsistency_of_which_a_reading_fell_is_not_repaired():
    (one,) = erratum([made("n.eq1", "inconsistent"), made("n.eq1/wild", "refuted")], "n").theorems
    assert not one.differs
    assert one.resists == "n.eq1"


def _about(id: str, relation: sp.Basic, verdict: str) -> Entry:
    statement = Paper("n", "Notes", "draft", NOTES).statement(id.partition(".")[2], id, relation, id)
    return Entry(made(id, verdict).record, statement)


NOTES = Glossary("n")
before, after = NOTES.real("before", "loss before"), NOTES.real("after", "the same one step later")
rise = NOTES.nonnegative("rise", "what a step adds")


def test_what_else_is_proved_of_the_same_quantities_stands_beside_what_has_no_other_reading():
    found = [
        _about("n.thm1", le(rise, 1), "proved"),
        _about("n.thm1.text", le(after, before), "refuted"),
        _about("n.thm1.rises", ge(after, before + rise), "proved"),
        _about("n.thm1.falls", ge(after, before - rise), "holds"),
        _about("n.thm2.rises", ge(after, before + rise), "proved"),
    ]
    (text,) = erratum(found, "n").damaged
    assert [e.id for e in text.beside] == ["n.thm1.rises"]


@pytest.mark.parametrize("kind", ["markdown", "latex", "html"])
def test_letters_are_explained_with_what_their_meanings_point_back_to(kind):
    found = erratum([_about("n.thm1", ge(after, 1), "refuted")], "n")
    assert [letter.meaning for letter in found.letters] == ["loss before", "the same one step later"]
    assert "the same one step later" in written(found, kind, REPLAY)


@pytest.mark.parametrize("kind", ["markdown", "latex", "html"])
def test_what_simply_stands_is_listed_without_its_formula(kind):
    found = erratum([made("n.thm1", "proved"), made("n.thm2", "refuted")], "n")
    assert ([c.entry.id for c in found.plain], [c.entry.id for c in found.theorems]) == (
        ["n.thm1"],
        ["n.thm2"],
    )
    content = written(found, kind, REPLAY)
    assert (
        content.index("what n.thm2 says") < content.index("What stands") < content.index("what n.thm1 says")
    )


def test_equal_formulas_on_both_sides_say_nothing_of_a_broken_proof():
    broken = made("n.eq1", "refuted")
    same, other = (_about("n.thm1", eq(rise, side), "proved") for side in (rise, 2 * rise))
    for theorem in (same, other):
        theorem.record["uses"] = ["n.eq1"]
    assert [c.entry.id for c in erratum([same, broken], "n").plain] == ["n.thm1"]
    assert [c.entry.id for c in erratum([other, broken], "n").theorems] == ["n.thm1"]


def test_what_is_proved_has_nothing_to_be_repaired():
    (one,) = erratum([made("n.thm1", "proved", uses=("n.eq1",)), made("n.eq1", "refuted")], "n").theorems
    assert (one.fault.path, one.resists) == (("n.thm1", "n.eq1"), "")


def test_conclusions_come_before_what_they_rest_on():
    found = [
        made("n.thm1", "refuted", uses=("n.eq1",)),
        made("n.thm1/whole.order", "proved", uses=("n.thm1/whole",)),
        made("n.thm1/lemma", "proved"),
        made("n.thm1/whole", "proved", uses=("n.thm1/lemma",)),
        made("n.eq1", "refuted"),
        made("n.eq1/lemma", "proved"),
        made("n.eq1/whole", "proved", uses=("n.eq1/lemma",)),
    ]
    (one,) = erratum(found, "n").theorems
    assert [e.id for e in one.instead] == ["n.thm1/whole", "n.thm1/whole.order", "n.thm1/lemma"]
    assert [e.id for e in one.fault.instead] == ["n.eq1/whole"]


def test_a_reading_that_says_something_else_is_quoted():
    plain, other = made("n.thm1/mild", "proved"), made("n.thm1/wild", "proved")
    plain.record["statement"]["says"] = "what n.thm1 says"
    (one,) = erratum([made("n.thm1", "refuted"), plain, other], "n").theorems
    assert one.told(plain) == "another reading"
    assert one.told(other) == "what n.thm1/wild says; another reading"


def test_corrections_stand_in_the_order_of_the_lines():
    late, early = made("n.thm1", "refuted"), made("n.thm2", "refuted")
    for entry, lines in ((late, "950-954"), (early, "96, 201")):
        entry.record["source"]["lines"] = lines
    assert [c.entry.id for c in erratum([late, early], "n").theorems] == ["n.thm2", "n.thm1"]


@pytest.mark.parametrize(("relation", "ends"), [("a >= b", (2, 1)), ("a <= b", (1, 2)), ("Eq(a, b)", (1, 2))])
def test_sides_of_a_witness_stand_as_the_relation_is_written(relation, ends):
    assert sides({"relation": relation, "lhs": 1, "rhs": 2}) == ends


def test_an_unknown_paper_is_named_with_those_that_there_are():
    with pytest.raises(UsageError, match=r"no record speaks of 'm'; there are records of n"):
        erratum(BROKEN, "m")


@pytest.mark.parametrize("kind", ["markdown", "latex", "html"])
def test_every_format_tells_the_same(kind):
    content = written(erratum(judged(), "special"), kind, REPLAY)
    assert "python -m verify replay results/records/special.eq27.json" in content.replace("\\_", "_")
    assert "eq27/corrected" in content
    for entry in judged():
        if entry.damaged and entry.id == entry.printed:
            assert entry.record["statement"]["says"].split("$")[0][:20] in content


def test_no_text_of_a_record_is_markup():
    bad = [made("n.thm1", "refuted", reason="a < b & <script>x_1</script>")]
    bad[0].record["evidence"][0]["reason"] = "a < b & <script>x_1</script>"
    assert "<script>" not in written(erratum(bad, "n"), "html", REPLAY)
    assert "\\<script\\>" in written(erratum(bad, "n"), "markdown", REPLAY)
    assert r"x\_1" in written(erratum(bad, "n"), "latex", REPLAY)


def test_a_theorem_has_its_figure():
    figure = Figure("n.thm1", ("n.thm1",), "both sides", "data:image/png;base64,AAAA")
    content = written(erratum(BROKEN, "n", [figure]), "html", REPLAY)
    assert content.count("data:image/png;base64,AAAA") == 1
    assert 'alt="both sides"' in content


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
def test_latex_compiles_with_a_plain_installation(tmp_path):
    (tmp_path / "e.tex").write_text(written(erratum(judged(), "special"), "latex", REPLAY))
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "e.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.parametrize("kind", ["markdown", "latex", "html"])
def test_numbers_that_are_no_letters_of_the_source_are_explained(kind):
    entries = [copy.deepcopy(entry) for entry in judged()]
    (own,) = (entry for entry in entries if entry.id == "special.eq27")
    witness = next(found["witness"] for found in own.record["evidence"] if found["witness"])
    assert "how far away all begins" not in written(erratum(entries, "special"), kind, REPLAY)
    witness["told"] = {"start": "how far away all begins"}
    assert "start: how far away all begins" in written(erratum(entries, "special"), kind, REPLAY)


def test_no_question_about_a_theorem_is_a_part_of_it():
    question = made("n.thm1.applicability", "gap", uses=["n.thm1"], changes="our own question")
    found = erratum([*BROKEN, question], "n")
    assert [c.entry.id for c in found.theorems] == ["n.thm1", "n.thm2"]
    assert question.id not in {c.entry.id for c in (*found.plain, *found.others)}


@pytest.mark.parametrize("kind", ["markdown", "latex", "html"])
def test_only_what_is_proved_is_called_true(kind):
    found = [made("n.thm1", "refuted"), made("n.thm1/a", "proved"), made("n.thm1/b", "holds")]
    content = written(erratum(found, "n"), kind, REPLAY)
    assert (content.count("True instead:"), content.count("Not refuted instead:")) == (1, 1)


@pytest.mark.parametrize("kind", ["markdown", "latex", "html"])
def test_readings_that_fall_are_told_though_another_stands(kind):
    content = written(erratum(BROKEN, "n"), kind, REPLAY)
    assert "n.thm1/wild" in content.partition("Tried and fallen")[2]


def test_a_reading_whose_sides_are_one_formula_is_told_in_words():
    same = _about("n.same", sp.Eq(rise, rise, evaluate=False), "proved").statement
    found = [made("n.thm1", "refuted"), Entry(made("n.thm1/same", "proved").record, same)]
    content = written(erratum(found, "n"), "markdown", REPLAY)
    assert content.count("$$") == 2
    assert "n.thm1/same" in content


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

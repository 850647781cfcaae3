"""Messages of the engine if it finds nothing, or if its input is too large or unsupported."""

import signal
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from bounds.statement import Scaling
from tests.verify.engine.simple import LINE, QUICK, about, at, of, u, v, x, y
from verify.engine import theorem, topics
from verify.engine.certificates import store
from verify.engine.certificates.field import Field, Undefined
from verify.engine.certificates.question import Undecided
from verify.engine.checks import attack as attacks
from verify.engine.model.claim import Question
from verify.engine.model.comparing import answering
from verify.engine.model.expressions import Excess
from verify.engine.model.scene import Fact, Scene
from verify.engine.model.validation import _check_relation, validate
from verify.engine.proof import premises
from verify.engine.proof.extremes import excess_tree
from verify.engine.proof.facts import shown_of
from verify.engine.proof.grounds import _certificate
from verify.engine.proof.sizes import identity_at
from verify.engine.proof.succession import _same
from verify.engine.records import answers, replay
from verify.engine.search.points import Translation, Untranslatable, _solver
from verify.engine.search.reach import _told_by_gap
from verify.engine.tactics.counting import by_exponents
from verify.engine.tactics.draft import Draft
from verify.engine.tactics.growth import order_proof
from verify.engine.tactics.prove import proved
from verify.engine.work import processes
from verify.engine.work.errors import UsageError

a, b = sp.symbols("a b", positive=True)
z = sp.Symbol("z", real=True)


def test_sequences_and_families_are_declared():
    field = Field({"x": "real", "f": "sequence real", "n": "count"})
    assert field.value(["at", "f", "n"]).key != field.value(["at", "f", "1"]).key
    with pytest.raises(Undefined, match="x is no sequence"):
        field.value(["at", "x", "n"])
    with pytest.raises(Undefined, match="x is no number of vectors"):
        field.value(["each", "x", "u", "u"])


def test_what_divides_by_nothing_is_not_within_the_limits():
    found = proved({"x": "real"}, ["<=", "0", ["/", "x", "0"]], [])
    assert isinstance(found, Undecided)
    assert found.tried == "not within the limits: division by zero"


def test_a_premise_that_divides_by_nothing_shows_nothing():
    found = proved({"x": "real"}, ["<=", "0", "x"], [(["<=", ["/", "1", "0"], "x"], "said")])
    assert isinstance(found, Undecided)
    assert found.tried.startswith("combinations of products")


@pytest.mark.parametrize(
    ("claimed", "shown"), [(a**2 * b**2 - a * b**2, True), (a**2 * b**2 - a * b**2 - a**2 * b, False)]
)
def test_what_is_taken_away_must_lack_a_power_of_one_variable(claimed, shown):
    assert (order_proof(sp.S.One, 1 / claimed, (a, b)) is None) or shown
    assert (order_proof(1 / claimed, sp.S.One, (a, b)) is not None) == shown


def test_inductions_pass_over_numbers_of_vectors():
    claim = ["<=", "1", ["^", "q", "m"]]
    given = {"given": ["<=", "1", "q"], "by": "said"}
    for more, shown in (({}, True), ({"v": "family m"}, False)):
        draft = Draft({"q": "positive", "m": "count", **more}, 200, 30)
        draft.define(given["given"])
        draft.add(given)
        draft.define(claim)
        assert by_exponents(draft, claim) == shown


def test_stored_answers_lie_beside_the_claims():
    assert any("certificate" in entry for entry in store.entries().values())
    assert {topic for topic in topics.topics() if (answers.FOLDER / f"{topic}.json").is_file()} == {
        topic for topic in topics.topics() if answers.is_kept(topic)
    }


def test_topics_are_the_modules_that_carry_the_name_of_a_paper():
    found = topics.topics()
    assert "special_rate" in found
    assert not {"engine", "scenes", "check_proof", "__main__"} & set(found)


def test_beyond_the_sizes_of_a_scene_nothing_may_be_computed():
    def compute(shape, values):
        if shape["d"] > 2:
            raise ValueError("no such size")
        return LINE.compute(shape, values)

    question = Question("sizes", of(sp.Le, u, 2), (), LINE)
    assert attacks.beyond(question, 0) is not None
    assert attacks.beyond(replace(question, scene=replace(LINE, compute=compute)), 0) is None


def test_no_instance_no_nearest():
    question = Question("none", of(sp.Le, u, 2), (of(sp.Ge, v, 3),), LINE)
    result = attacks.attack(question, QUICK, 0)
    assert attacks.nearest(question, result) is None


def test_formulas_are_compared_with_formulas_alone():
    asked = []
    with answering(lambda question: bool(asked.append(question))):
        assert x != "x + 1"
        assert x != "y"
    assert not asked


def test_a_fact_needs_sizes_at_which_there_is_something():
    squares = replace(LINE, covers="any number")
    assert shown_of(Fact(of(sp.Eq, v, u**2), squares)) is not None
    assert shown_of(Fact(of(sp.Eq, v, u**2), replace(squares, shapes=()))) is None


def test_what_has_no_formula_has_no_certificate():
    first, second, r = *sp.symbols("i j", integer=True), sp.Symbol("r", real=True)
    twice = sp.Sum(x, (first, 1, 2), (second, 1, sp.Symbol("n", integer=True)))
    assert _certificate(of(sp.Ge, x, 0), (of(sp.Ge, x, 1),)) is not None
    assert _certificate(of(sp.Ge, twice, 0), (of(sp.Ge, x, 1),)) is None
    pieces = sp.Piecewise((r, r > 0), (0, True))
    for value, shown in ((r, True), (pieces, False)):
        values = {name: np.array([value]) for name in "uv"}
        assert (identity_at(of(sp.Eq, u, v), values) is not None) == shown


def test_points_are_asked_for_by_relations_of_order():
    class Beside(sp.Le):
        """A relation of an unsupported kind."""

    translation = Translation(_solver(1))
    assert str(translation.relation(of(sp.Le, sp.S.One, sp.Integer(2)))) == "1 <= 2"
    with pytest.raises(Untranslatable, match="1 <= 2"):
        translation.relation(Beside(sp.S.One, sp.Integer(2), evaluate=False))


def test_an_identity_is_asked_of_what_is_computed():
    other = of(sp.Eq, sp.Symbol("nobody", real=True), v)
    assert premises.identity_of(other, LINE, ()) is None


def test_gaps_lead_where_there_are_some():
    question = Question("gap", of(sp.Le, u, v), (), LINE)
    found = _told_by_gap(question, {"d": 1}, 0)
    assert found is not None
    assert found.relation.rhs == 1
    same = replace(question, relation=of(sp.Le, u, u))
    assert _told_by_gap(same, {"d": 1}, 0) is None


def test_without_masks_of_signals_children_are_started_all_the_same(monkeypatch):
    monkeypatch.delattr(signal, "pthread_sigmask", raising=False)
    done = []
    with processes.unheard_by_heirs():
        done.append(1)
    assert done


def test_a_witness_is_given_so_much_of_a_processor(monkeypatch):
    def compute(shape, values):
        total = 0
        while True:
            total += 1

    monkeypatch.setattr(replay, "SECONDS", 0.2)
    question = Question("slow", of(sp.Le, u, v), (), replace(LINE, compute=compute))
    with pytest.raises(UsageError, match=r"cannot be evaluated within 0.2 s of CPU time"):
        replay._evaluated(question, at(u=1))


def test_what_is_no_list_of_sizes_stays_for_the_judge():
    assert Scene("five", 5, LINE.space, LINE.compute).shapes == 5


def test_what_sympy_decided_is_decided():
    for answer in (sp.true, sp.false):
        assert _same(answer, {}, np.array([True])) == bool(answer)


def test_lengths_and_extremes_of_several_kinds_are_not_taken_apart():
    assert excess_tree(Excess(z + sp.Max(u, v), u * v)) is None


def test_a_relation_is_between_real_numbers():
    with pytest.raises(UsageError, match=r"`conditions` must be between real numbers, got .* in Eq"):
        _check_relation("conditions", of(sp.Eq, x, 1 + 2 * sp.I))
    order = about("order", x <= y)
    validate(replace(order, statement=replace(order.statement, relation=Scaling({"one": x}, {}, x, (x,)))))


def test_what_is_no_text_is_no_theorem_file(tmp_path, monkeypatch):
    file = tmp_path / "mine.py"
    file.write_bytes(b"x = 1\0\n")
    with pytest.raises(UsageError, match=r"mine.py:1: .*; a file is Python in UTF-8"):
        theorem._parsed(file)

    def refused(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(file), "read_bytes", refused)
    with pytest.raises(UsageError, match=r"cannot read .*mine.py: Permission denied"):
        theorem._parsed(file)

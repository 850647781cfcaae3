"""A small run of the fuzzer of certificates, and a test that it notices a wrong checker."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import pytest

from tests.fuzz import certificates
from tests.fuzz.instances import Instance, Undefined, Unknown, broken
from verify.check_proof import check


def test_no_checker_accepts_what_is_false_or_ends_without_an_answer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert certificates.main(["--number", "400", "--seed", "7"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert not found["wrong"]
    assert not found["internal errors"]
    assert found["accepted"]["by both"] > 40
    assert found["accepted"]["claims evaluated"] > 40


def test_a_checker_that_accepts_everything_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def lenient(proof):
        try:
            check(proof)
        except certificates.Refused as refused:
            if "its sign" not in str(refused):  # as if signs were not checked
                raise

    monkeypatch.setattr(certificates, "check", lenient)
    found = certificates.run(300, 3)
    assert found["wrong"]
    assert found["unsound disagreements"] == found["wrong"]


def test_a_checker_that_fails_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(proof):
        raise KeyError("lines")

    monkeypatch.setattr(certificates, "recheck", failing)
    assert len(certificates.run(5, 0)["internal errors"]) == 5


def test_the_same_seed_makes_the_same_certificates() -> None:
    kept = certificates.stored()[:20]
    one, other = ([certificates.mutant(kept[k], random.Random(k)) for k in range(20)] for _ in range(2))
    assert one == other
    assert certificates.made(random.Random(5)) == certificates.made(random.Random(5))


def proof(claim, *given, **symbols):
    lines = [{"given": relation, "by": "condition"} for relation in given]
    return {"symbols": symbols, "lines": lines, "claim": claim}


@pytest.mark.parametrize(
    ("certificate", "false"),
    [
        (proof(["<=", "0", "x"], x="real"), True),
        (proof(["<=", "0", "x"], [">=", "x", "0"], x="real"), False),
        (proof(["=", ["/", "x", "x"], "1"], x="real"), True),
        (proof(["=", ["/", "x", "x"], "1"], ["!=", "x", "0"], x="real"), False),
        (proof(["<=", "0", ["root", "2", "x"]], x="real"), True),
        (proof(["<=", "0", ["dot", "w", "w"]], w="vector"), False),
        (proof(["<=", "0", ["dot", "v", "w"]], w="vector", v="vector"), True),
        (proof(["=", ["call", "f", "x"], ["call", "f", ["+", "x", "0"]]], x="real"), False),
        (proof(["=", ["call", "f", "x"], ["call", "f", "y"]], x="real", y="real"), True),
        (proof(["<", "0", ["at", "a", "t"]], a="sequence positive", t="whole"), False),
        (proof(["=", ["^", "0", "t"], "0"], t="whole"), True),
    ],
    ids=str,
)
def test_a_claim_is_broken_where_it_is_false_or_undefined(certificate, false):
    met, point = broken(certificate, random.Random(0), 300)
    assert met
    assert (point is not None) == false


def test_sums_of_vectors_are_those_of_their_members():
    instance = Instance({"n": "count", "u": "family n", "w": "vector"}, random.Random(1))
    instance.numbers["n"] = Fraction(3)
    left, right = ["each", "n", "u", "w"], ["dot", ["total", "u"], "w"]
    assert instance.value(left) == instance.value(right)
    assert instance.value(["each", "n", "w", "w"]) == 3 * instance.value(["dot", "w", "w"])


def test_what_is_no_fraction_is_unknown():
    instance = Instance({}, random.Random(0))
    assert instance.value(["root", "3", "8/27"]) == Fraction(2, 3)
    with pytest.raises(Unknown):
        instance.value(["root", "2", "2"])
    with pytest.raises(Undefined):
        instance.value(["^", "0", "-1"])

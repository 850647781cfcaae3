"""Signs that a proof does not need: each is removed if the proof stands without it, and named otherwise."""

import pytest
import sympy as sp

from tests.verify.engine.simple import of
from verify.check_proof import check
from verify.engine.certificates import Question, Undecided, prove
from verify.engine.certificates.weaken import _is, declares, weakened

w0, w1 = sp.symbols("w[0] w[1]", positive=True)
z0 = sp.Symbol("z[0]", nonnegative=True)
p = sp.Symbol("p", positive=True)
w, z = sp.symbols("w z", real=True)


def less(relation, said=None):
    """Domains and signs of the weakened proof of `relation`, used as a proof of `said` (default: the relation itself)."""
    found = prove(Question(relation, ()))
    assert not isinstance(found, Undecided)
    certificate, signs = weakened(found, relation if said is None else said)
    check(dict(certificate))
    return certificate["symbols"], signs


U = sp.Symbol("u", real=True)


@pytest.mark.parametrize(
    ("relation", "domains", "signs"),
    [
        (of(sp.Ge, w0**2 + w1**2, 0), {"w[0]": "real", "w[1]": "real"}, []),
        (of(sp.Ge, w0 + w1, 0), {"w[0]": "nonnegative", "w[1]": "nonnegative"}, [w >= 0]),
        (of(sp.Gt, w0, 0), {"w[0]": "positive"}, [w > 0]),
        (of(sp.Ge, w0 * z0**2, 0), {"w[0]": "nonnegative", "z[0]": "real"}, [w >= 0]),
        (of(sp.Ge, w0**2 * z0, 0), {"w[0]": "real", "z[0]": "nonnegative"}, [z >= 0]),
        (of(sp.Ge, w0 * z0, 0), {"w[0]": "nonnegative", "z[0]": "nonnegative"}, [w >= 0, z >= 0]),
    ],
    ids=str,
)
def test_no_sign_is_kept_that_is_not_needed(relation, domains, signs):
    found = less(relation, sp.Ge(U, 0))
    assert (found[0], set(found[1])) == (domains, set(signs))


def test_what_the_relation_itself_declares_is_kept():
    assert less(of(sp.Ge, p * w0, 0), sp.Ge(U * p, 0)) == ({"p": "positive", "w[0]": "nonnegative"}, [w >= 0])
    assert less(of(sp.Ge, p**2, 0)) == ({"p": "positive"}, [])
    weak = sp.Symbol("p", nonnegative=True)
    assert less(of(sp.Ge, p**2, 0), sp.Ge(weak, U)) == ({"p": "real"}, [])


@pytest.mark.parametrize(
    ("symbol", "positive", "nonnegative"),
    [(None, False, False), (p, True, True), (z0, False, True), (w, False, False)],
)
def test_a_symbol_is_declared_to_be_what_it_is_known_to_be(symbol, positive, nonnegative):
    assert _is(symbol, "positive") is positive
    assert _is(symbol, "nonnegative") is nonnegative


@pytest.mark.parametrize(
    ("symbol", "positive", "nonnegative"),
    [({"positive": True}, True, True), ({"nonnegative": True}, False, True), ({"real": True}, False, False)],
    ids=str,
)
def test_a_relation_declares_what_its_symbols_are(symbol, positive, nonnegative):
    relation = of(sp.Le, sp.Symbol("w", **symbol), U)
    assert declares(relation, w > 0) is positive
    assert declares(relation, w >= 0) is nonnegative
    assert not declares(relation, z >= 0)

"""Free numbers: drawn in their domains, up to the ends that conditions set."""

import pytest
import sympy as sp

from tests.verify import known as k
from tests.verify.engine.simple import of, u
from verify.engine.model.scalars import scalar_scene
from verify.engine.model.scene import Box

x, n = k.x, k.n
z = sp.Symbol("z", nonnegative=True)


def test_free_numbers_are_drawn_in_their_domains():
    found = scalar_scene((of(sp.Le, x, u), of(sp.Le, z, n)))
    space = found.space({"n": 1})
    assert space.keys() == {"x", "u", "z"}
    assert (space["x"].low, space["x"].scale) == (1e-3, "log")
    assert space["z"].low == 0
    assert space["u"].low == -space["u"].high
    assert found.grows == ("n",)
    counts = [shape["n"] for shape in found.shapes]
    assert counts == sorted(set(counts))
    assert counts[0] == 1
    assert max(counts) > 5
    assert scalar_scene((of(sp.Le, n, 2),)).space({}) == {"nothing": Box(0.0, 1.0)}
    assert scalar_scene((of(sp.Le, x, 2),)).shapes == ({},)
    two = scalar_scene((of(sp.Le, n, sp.Symbol("m", integer=True, positive=True)),)).shapes
    assert {"m": 1, "n": 1} in two
    assert {"m": 2, "n": 2} in two
    assert {"m": 3, "n": 3} in two
    assert any(shape["m"] != shape["n"] for shape in two)
    assert [sum(shape.values()) for shape in two] == sorted(sum(shape.values()) for shape in two)
    assert len(two) > 16
    assert two[:4] == ({"m": 1, "n": 1}, {"m": 2, "n": 1}, {"m": 1, "n": 2}, {"m": 2, "n": 2})


RANGES = {
    "an end": ([of(sp.Le, z, sp.Rational(2001, 1000))], "z", (0, 2.001)),
    "a share": ([of(sp.Ge, 1, z / 2)], "z", (0, 2)),
    "a multiple": ([of(sp.Ge, 3, 2 * z)], "z", (0, 1.5)),
    "the narrowest": ([of(sp.Le, z, 2), of(sp.Le, z, 1), of(sp.Ge, z, sp.Rational(1, 2))], "z", (0.5, 1)),
    "beyond the usual": ([of(sp.Le, u, 20)], "u", (-10, 20)),
    "only beyond it": ([of(sp.Ge, u, 50)], "u", (50, 60)),
    "only below it": ([of(sp.Le, u, -50)], "u", (-60, -50)),
    "below it": ([of(sp.Le, x, sp.Rational(1, 10**5))], "x", (1e-8, 1e-5)),
    "an end that its domain excludes": ([of(sp.Ge, z, -sp.Rational(1, 2))], "z", (0, 10)),
    "one number": ([of(sp.Eq, u, 3)], "u", (3, 3)),
    "zero": ([of(sp.Le, z, 0)], "z", (0, 0)),
    "only beyond the usual scale": ([of(sp.Ge, x, 10**5)], "x", (1e5, 1e8)),
    "far away": ([of(sp.Le, u, 10**6)], "u", (-10, 10)),
    "nothing is left": ([of(sp.Le, z, 1), of(sp.Ge, z, 2)], "z", (0, 10)),
    "far below": ([of(sp.Ge, u, -500)], "u", (-10, 10)),
    "of another number": ([of(sp.Le, u, 3), of(sp.Ge, z, sp.Rational(1, 2))], "u", (-10, 3)),
    "of another number before it": ([of(sp.Ge, u, 3), of(sp.Le, z, 2)], "z", (0, 2)),
    "of two numbers": ([of(sp.Le, z, u)], "z", (0, 10)),
    "not quite there, twice": ([of(sp.Ge, u, 2), of(sp.Gt, u, 2)], "u", (2 + 8 * 2.0**-20, 10)),
    "the other way round": ([of(sp.Gt, u, 2), of(sp.Ge, u, 2)], "u", (2 + 8 * 2.0**-20, 10)),
    "above, too": ([of(sp.Le, u, 2), of(sp.Lt, u, 2)], "u", (-10, 2 - 12 * 2.0**-20)),
    "above, the other way round": ([of(sp.Lt, u, 2), of(sp.Le, u, 2)], "u", (-10, 2 - 12 * 2.0**-20)),
    "not linear": ([of(sp.Le, u**2, 4)], "u", (-10, 10)),
    "its own domain": ([of(sp.Gt, x, 0)], "x", (1e-3, 1e3)),
}


@pytest.mark.parametrize("name", RANGES)
def test_a_free_number_ends_where_conditions_on_it_alone_say(name):
    conditions, number, ends = RANGES[name]
    box = scalar_scene(conditions, conditions).space({})[number]
    assert (box.low, box.high) == pytest.approx(ends, rel=1e-9)
    assert scalar_scene(conditions).space({})[number] in (
        Box(-10, 10),
        Box(0, 10),
        Box(1e-3, 1e3, scale="log"),
    )


def test_an_end_that_is_not_quite_allowed_is_a_hair_inside():
    for end in (of(sp.Lt, z, 2), of(sp.Le, z, sp.sqrt(2))):
        box = scalar_scene([end], [end]).space({})["z"]
        assert 0 < float(end.rhs) - box.high < 1e-5


def test_numbers_that_equations_define_are_chosen_by_name():
    """A set has another order in each process, and a counterexample must replay in all of them."""
    names = sp.symbols("h1 h2 c1 c2 c3 theta2", positive=True)
    h1, h2, c1, c2, _, theta2 = names
    equation = sp.Eq((h1 + h2) * theta2, h1 * c1 + h2 * c2, evaluate=False)
    assert scalar_scene((equation,), (equation,)).steps == ("h1",)

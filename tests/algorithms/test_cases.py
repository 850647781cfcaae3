"""The shared cases of this package have the properties that their names promise."""

from dataclasses import fields, replace

import numpy as np

from nqm.fields import to_exact
from tests.algorithms.cases import converted, drawn


def test_converted_draws_differ_in_their_noise_alone() -> None:
    draws = replace(drawn(), weights=np.full(5, 1 / 5))
    exact = converted(draws, to_exact)
    assert {f.name for f in fields(draws) if getattr(exact, f.name) is not getattr(draws, f.name)} == {
        "noise"
    }
    assert (exact.noise(0, 0) == draws.noise(0, 0)).all()

"""A property-based test of a bound of one's own: run it with pytest. The claim comes from a file beside it."""

from hypothesis import given, settings
from sgd_floor import CLAIMS

from verify import strategies


@settings(max_examples=20, deadline=None)
@given(strategies.instances(CLAIMS[0]))
def test_the_floor_of_sgd(instance):
    assert not strategies.sides_at(CLAIMS[0], instance).fails


@given(strategies.numbers(CLAIMS[0].statement))
def test_the_floor_grows_with_the_noise(numbers):
    bound = CLAIMS[0].statement.at
    assert bound(**{**numbers, "sigma2": numbers["sigma2"] + 1}) >= bound(**numbers)

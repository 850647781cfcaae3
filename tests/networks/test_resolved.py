"""Numbers that exist on the host and on the device: slices agree, and computed numbers are not mistaken for them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from verify.networks.training.resolved import on_device, resolved

DRAWN = np.arange(24).reshape(2, 3, 4) - 1
WHERE = torch.zeros(1)


@pytest.mark.parametrize("key", [np.s_[..., 1, :], np.s_[..., :2], np.s_[..., 0], np.s_[0]])
def test_slices_stay_where_they_are(key) -> None:
    whole = resolved(WHERE, DRAWN)
    part = whole[key]
    assert part.there is not None
    assert part.there.data_ptr() == whole.there[key].data_ptr()  # no copy
    np.testing.assert_array_equal(part, DRAWN[key])
    assert on_device(part, "cpu").tolist() == DRAWN[key].tolist()


def test_what_is_computed_is_brought_anew() -> None:
    whole = resolved(WHERE, DRAWN)
    for changed in (whole % 5, whole[..., 0] + 1, np.maximum(whole, 3), whole >= 0):
        assert getattr(changed, "there", None) is None
        assert on_device(changed, "cpu").tolist() == np.asarray(changed).tolist()
    plain = DRAWN[0]
    assert on_device(plain, "cpu").tolist() == plain.tolist()

"""Trivial bounds for FedMeS: runs of models that do not move, and facts about them."""

from __future__ import annotations

from functools import partial

import verify.scenes.fedmes.personal_facts as f
from verify.engine.model.scene import Proved
from verify.scenes.fedmes.coordinate_facts import STILL, STILL_SO_FAR
from verify.scenes.fedmes.learning import AGAIN, LEARNING, one_step, several_steps, stands_still
from verify.scenes.fedmes.personal import (
    DITTO_ROUND,
    FEDMES_ROUND,
    as_ditto,
    as_fedmes,
    coupled_errors,
    errors,
)
from verify.scenes.fedmes.placebos import going

NO_CORRECTION = LEARNING.variant(
    "no correction",
    compute=Proved(partial(one_step, stands_still), (STILL,)),
    covers="",
    shapes=LEARNING.shapes[:3],
    restricts=(),
)
NO_CORRECTIONS = AGAIN.variant(
    "no corrections at all",
    compute=Proved(partial(several_steps, stands_still), (STILL_SO_FAR,)),
    covers="",
    restricts=(),
)

_downloaded, _own = going(0, "x", as_fedmes), going(0, "v", as_ditto)
DOWNLOADED = FEDMES_ROUND.variant(
    "personal models that stay where they were downloaded",
    compute=Proved(partial(errors, _downloaded), (*f.AROUND, f.STILL), f.BENT),
)
OWN = DITTO_ROUND.variant(
    "personal models of Ditto that stand still",
    compute=Proved(partial(coupled_errors, _own), (f.STILL_OWN, *f.OF_ANY), f.BENT),
)

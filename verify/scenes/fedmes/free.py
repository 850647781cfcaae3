"""Trivial bounds for FedMeS: runs of models that do not move, and facts about them."""

from __future__ import annotations

from functools import partial

import verify.scenes.fedmes.personal_facts as f
from verify.engine.model.scene import Proved
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

_COVERS = "equal as polynomials in one and two dimensions; a model that stands still is where it was, after any number of steps"

NO_CORRECTION = LEARNING.variant(
    "no correction",
    compute=partial(one_step, stands_still),
    covers=_COVERS,
    shapes=LEARNING.shapes[:3],
    restricts=(),
)
NO_CORRECTIONS = AGAIN.variant(
    "no corrections at all", compute=partial(several_steps, stands_still), covers=_COVERS, restricts=()
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

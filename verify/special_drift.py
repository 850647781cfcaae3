"""SPECIAL: the drift of the global model within a task (Lemma 4.9, Eq. 25-27)."""

from __future__ import annotations

from bounds.catalogue import statement
from verify.commands.main import main
from verify.engine.checks.relation import bound, entailment, identity
from verify.engine.claim import Claim
from verify.engine.scene import Proved, Scene
from verify.scenes.federated import known_constants, sizes, world_space
from verify.scenes.special.drift import SERVER, UNROLLED, run, steps_space
from verify.scenes.special.drift_facts import FACTS, JENSEN, reached

DRIFT = Scene(
    name="drift of SPECIAL",
    shapes=(
        sizes(),
        sizes(t=2),
        sizes(t=3),
        sizes(M=2, N=1, t=2),
        sizes(t=2, noisy=1),
        sizes(M=2, N=1, E=2, t=2, noisy=1),
        sizes(t=2, d=2),
        sizes(t=2, curved=1),
        sizes(t=3, E=2, curved=1),
        sizes(M=2, N=1, E=2, t=2, curved=1),
    ),
    space=lambda shape: {**world_space(shape), **steps_space(shape)},
    room="room",
    known=known_constants,
    compute=Proved(run, (reached(statement("special.lem4.9").relation), *FACTS)),
    steps=("gamma_G", "gamma_L"),
    free_step=lambda name, shape, values: 2,
)

CLAIMS = (
    Claim(statement("special.lem4.9"), (bound,), DRIFT),
    Claim(statement("special.eq25"), (identity,), SERVER),
    Claim(statement("special.eq26"), (identity,), SERVER),
    Claim(statement("special.eq27"), (identity,), UNROLLED),
    Claim(statement("special.eq27/corrected"), (identity,), UNROLLED),
    Claim(statement("special.eq37"), (bound,), DRIFT),
    Claim(statement("special.eq37/corrected"), (bound,), DRIFT),
    Claim(statement("special.b1"), (bound,), DRIFT, (statement("special.lem4.9").relation, JENSEN)),
    Claim(statement("special.eq38"), (entailment,)),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_drift"))

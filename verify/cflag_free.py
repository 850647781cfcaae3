"""C-FLAG: trivial bounds, with which its theorems are compared."""

from __future__ import annotations

from bounds.catalogue import statement
from verify.commands.main import main
from verify.engine.checks.relation import bound, identity
from verify.engine.model.claim import Claim, claims_about
from verify.engine.model.scene import Scene
from verify.facts import descent
from verify.scenes.cflag.free import ANY_ANGLE, FROM_INFIMUM, NO_STEPS
from verify.scenes.cflag.joint import BOWLS
from verify.scenes.cflag.redrawn import REDRAWN
from verify.scenes.cflag.repairs import KEPT

_claim = claims_about("cflag", bound)


def _smooth(id: str, scene: Scene) -> Claim:
    """A bound on a gradient by the loss above its infimum; it follows from the descent lemma for a gradient step."""
    return _claim(id, scene.of_class("smooth losses", descent(statement(f"cflag.{id}").compared)))


CLAIMS = (
    _smooth("thm5.free", KEPT),
    _smooth("thm5.free.redrawn", REDRAWN),
    _smooth("lem1.free", FROM_INFIMUM),
    _smooth("lem3.free", BOWLS),
    _claim("lem4.free", ANY_ANGLE),
    _claim("lem7.free", NO_STEPS, identity),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_free"))

"""GEM: a step that agrees with the gradient of a past task, over all smooth losses in every dimension."""

from __future__ import annotations

from bounds.hypotheses import Hypothesis
from verify import worlds
from verify.commands.main import main
from verify.engine.checks.relation import inequality
from verify.engine.checks.vacuity import needed, nothing_free
from verify.engine.model.claim import claims_about, for_each
from verify.running import points

SMOOTH = points(worlds.smooth())
CONVEX = points(worlds.convex()).variant("two points of convex losses", restricts=(Hypothesis.CONVEX,))
STANDING = nothing_free("a model that stands still keeps its past loss, but does not learn the new task")
_claim = claims_about("gem", inequality)
_claims = for_each(_claim)
CLAIMS = (
    _claim("eq4", SMOOTH),
    _claim("eq4/short", SMOOTH, beside=(needed, STANDING)),
    *_claims("eq4/long eq4.descent eq4.violated", SMOOTH),
    _claim("eq4.violated/convex", CONVEX),
    _claim("eq4.violated/not-less", SMOOTH),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="gem_theorem"))

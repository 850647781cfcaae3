"""CFL, Appendix C.1.1 and Algorithms 4 to 6: what the splitting of data computes, and how much rounds share."""

from __future__ import annotations

from bounds.cfl.algorithms import IMAGES, POINTERS, PROTOCOL
from verify.commands.main import main
from verify.engine.checks.relation import entailment, identity, inequality
from verify.engine.checks.table import printed_in, row
from verify.engine.claim import claims_about
from verify.engine.instance import Instance
from verify.scenes.cfl.algorithms import (
    AT_ONCE,
    BACK,
    CLIENTS,
    CLIENTS_MEANT,
    DIVIDED,
    FIRST_PASS,
    IN_PLACE,
    NEXT_DRAW,
    NEXT_DRAW_MEANT,
    REMOVED,
    RING,
    ROUNDED_DOWN,
    ROUNDS,
    SIZE,
)


def _overlaps() -> dict[str, Instance]:
    return {
        name: row(
            {"pointer_step": int(step), "local_size": SIZE},
            {"overlap_printed": share, "printed_unit": "0.01"},
        )
        for name, (step, share) in POINTERS.items()
    }


def _images(which: str) -> dict[str, Instance]:
    sizes = {"subsets_all": int(PROTOCOL["all"]), "local_size": SIZE, "images": int(IMAGES[which])}
    return {f"{which} images": row(sizes, {})}


def _subsets() -> dict[str, Instance]:
    counts = {name: int(PROTOCOL[name]) for name in ("clients", "subsets")}
    return {"7 times 30": row({**counts, "subsets_all": int(PROTOCOL["all"])}, {})}


def _rounds() -> dict[str, Instance]:
    held = int(PROTOCOL["subsets"]) * SIZE
    return {"500 rounds": row({"held": held, "parts": int(PROTOCOL["rounds"]), "local_size": SIZE}, {})}


_claim = claims_about("cfl", identity)
_printed = printed_in("cfl")
CLAIMS = (
    _claim("alg5", IN_PLACE),
    _claim("alg5/at-once", AT_ONCE),
    _claim("alg5/division", DIVIDED),
    _claim("alg5.ratios", IN_PLACE),
    _claim("alg5.ratios/at-once", AT_ONCE),
    _claim("alg5.whole", AT_ONCE),
    _claim("alg5.whole/removed", REMOVED),
    _claim("alg6", CLIENTS),
    _claim("alg6/meant", CLIENTS_MEANT),
    _claim("alg6.disjoint", CLIENTS, inequality),
    _claim("alg6.chance", NEXT_DRAW),
    _claim("alg6.chance/meant", NEXT_DRAW_MEANT),
    _claim("alg6.variance"),
    _claim("alg6.drift", None, inequality),
    _claim("alg4", ROUNDS, entailment),
    _claim("alg4/divides", ROUNDS, entailment),
    _claim("alg4.enough", ROUNDS, entailment),
    _claim("alg4.enough/rounded-down", ROUNDED_DOWN, entailment),
    _printed("alg4.clients", _subsets()),
    _printed("alg4.rounds", _rounds()),
    _claim("overlap", BACK),
    _claim("overlap/ring", RING),
    _printed("overlap.numbers", _overlaps()),
    _printed("overlap.images", _images("training")),
    _printed("overlap.images/all", _images("training and test")),
    _claim("overlap.case1", BACK, entailment),
    _claim("overlap.case1/first-pass", FIRST_PASS, entailment),
    _claim("overlap.case2", BACK, entailment),
    _claim("overlap.case2/first-pass", FIRST_PASS, entailment),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_algorithms"))

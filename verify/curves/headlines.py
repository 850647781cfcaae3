"""The headline theorems with figures: the statements that are drawn together, and the quantity on the axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Line:
    """One statement in a figure, of which both sides are drawn.

    Attributes
    ----------
    id : str
        Id of the statement. For an order, the claimed curve is drawn up to a constant factor.
    role : str
        "printed", "true instead", "for free" (a trivial bound) or "floor" (a lower bound).
    axis : str
        Size or parameter of its scene on the axis.
    values : sequence of float
        Values on the axis; by default the whole range of a parameter.
    sizes : mapping
        Sizes of the world that differ from those of the scene's first shape.
    shown : str
        Quantity on the axis instead of the parameter; it must be a function of the parameter only.
    """

    id: str
    role: str
    axis: str
    values: Sequence[float] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    shown: str = ""


def _lines(
    printed: str, beside: Mapping[str, str], axis: str, values: Sequence[float] = (), **sizes: int
) -> tuple[Line, ...]:
    """Lines along one axis."""
    return tuple(Line(id, role, axis, values, sizes) for id, role in {printed: PRINTED, **beside}.items())


def drawn_in() -> dict[str, str]:
    """Id of each statement with the role "printed" or "true instead" -> the headline whose figure shows it."""
    return {
        line.id: name for name, lines in HEADLINES.items() for line in lines if line.role in (PRINTED, TRUE)
    }


PRINTED, TRUE, FREE, FLOOR = "printed", "true instead", "for free", "floor"
FEW, MORE, MANY = (1, 2, 3, 4, 5, 6, 7, 8), (1, 2, 3, 4, 6, 8, 12, 16, 24, 32), (200, 400, 600, 1000, 2000)
LATER = (0, 1, 3, 7, 15, 31, 63, 127, 255)
HEADLINES: Mapping[str, tuple[Line, ...]] = {lines[0].id: lines for lines in (
    _lines("special.thm4.7", {"special.thm4.7/repaired": TRUE}, "t", FEW, curved=1, noisy=1),
    _lines("special.lem4.9", {"special.lem4.9/finite": TRUE}, "t", MORE, curved=1),
    (*_lines("special.thm4.10", {"special.thm4.10/free.drift": FREE}, "T", MORE, N=2, curved=1),
     Line("special.thm4.10/surrogate", TRUE, "t", FEW, {"N": 1, "E": 2, "curved": 1})),
    _lines("special.cor4.12", {"special.cor4.12/floor": FLOOR, "special.cor4.12/sandwich": TRUE}, "T", MORE,
           N=2, curved=1),
    (*_lines("cfl.thm4.1.sc", {}, "T", MANY),
     Line("cfl.thm4.1.sc/repaired", TRUE, "r", LATER, {"memory": 1}, "T"),
     Line("cfl.thm4.1.sc/kept", TRUE, "T", FEW[:6])),
    (*_lines("cfl.thm4.1.gc", {}, "T", MANY),
     Line("cfl.thm4.1.gc/repaired", TRUE, "r", LATER, {"memory": 1}, "T")),
    (*_lines("cfl.thm4.1.nc", {}, "T", MANY[:2]),
     Line("cfl.thm4.1.nc/repaired", TRUE, "r", LATER[:-2], {"memory": 1}, "T")),
    (*_lines("cfl.thm4.4.sc", {}, "T", MANY),
     Line("cfl.thm4.4.sc/repaired", TRUE, "r", LATER, shown="T")),
    (*_lines("cfl.thm4.4.gc", {}, "T", MANY),
     Line("cfl.thm4.4.gc/repaired", TRUE, "r", LATER, shown="T")),
    (*_lines("cfl.thm4.7.sc", {}, "T", MANY),
     Line("cfl.thm4.7.sc/repaired", TRUE, "r", LATER, {"memory": 1}, "T")),
    (*_lines("cfl.thm4.7.gc", {}, "T", MANY),
     Line("cfl.thm4.7.gc/repaired", TRUE, "r", LATER, {"memory": 1}, "T")),
    (*_lines("cfl.thm4.4.nc", {}, "T", MANY[:2]),
     Line("cfl.thm4.4.nc/repaired", TRUE, "r", LATER[:-2], shown="T")),
    (*_lines("cfl.thm4.7.nc", {}, "T", MANY[:2]),
     Line("cfl.thm4.7.nc/repaired", TRUE, "r", LATER[:-2], {"memory": 1}, "T")),
    _lines("cfl.thm4.7.variance", {"cfl.thm4.7.variance/corrected": TRUE}, "F2", t=3),
    tuple(Line(id, role, "half", sizes={"t": 3}, shown="alpha")
          for id, role in {"cfl.thm4.9.bound": PRINTED, "cfl.thm4.9.bound/nonnegative": TRUE}.items()),
    (*_lines("cfl.thmB.5.sc", {}, "T", MANY),
     Line("cfl.thmB.5.sc/repaired", TRUE, "r", LATER, {"memory": 1}, "T")),
    (*_lines("cfl.thmB.5.gc", {}, "T", MANY),
     Line("cfl.thmB.5.gc/repaired", TRUE, "r", LATER, {"memory": 1}, "T")),
    (*_lines("cfl.thmB.6.sc", {}, "T", MANY),
     Line("cfl.thmB.6.sc/repaired", TRUE, "r", LATER, shown="T")),
    (*_lines("cfl.thmB.6.gc", {}, "T", MANY),
     Line("cfl.thmB.6.gc/repaired", TRUE, "r", LATER, shown="T")),
    _lines("cflag.thm2", {"cflag.thm2/redrawn": TRUE, "cflag.thm2/fixed": TRUE}, "T", FEW, S=2),
    _lines("cflag.thm5", {"cflag.thm5.floor": FLOOR, "cflag.thm5/fixed": TRUE}, "T", MORE),
    _lines("cflag.lem1", {"cflag.lem1/all-steps": TRUE}, "alpha", E=2),
    (*_lines("cflag.lem4", {"cflag.lem4.floor": FLOOR}, "T", FEW), Line("cflag.lem4/heterogeneity", TRUE, "beta")),
    (*_lines("cflag.lem7.worst", {}, "m", N=2), Line("cflag.lem7.worst/transferring", TRUE, "alpha", sizes={"N": 2})),
    _lines("cflag.lem13", {"cflag.lem13/tight": TRUE}, "beta", E=12, S=12),
    (*_lines("cflag.lem18", {"cflag.lem18.floor": FLOOR}, "T", FEW), Line("cflag.lem18/heterogeneity", TRUE, "alpha")),
    _lines("fedmes.thm1", {"fedmes.thm1/repaired": TRUE}, "s", (2, 3, 4, 6, 8, 12, 16)),
    _lines("fedmes.thm2", {"fedmes.thm2/repaired": TRUE}, "r", FEW),
)}  # fmt: skip

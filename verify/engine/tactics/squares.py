"""The Cauchy-Schwarz inequality for quadratic forms in vectors, as one line of a certificate."""

from __future__ import annotations

from typing import Any

from verify.engine.certificates.formulas import Tree, parts, with_part


def cauchy_schwarz_line(claim: Tree, k: int) -> dict[str, Any] | None:
    """The line of a certificate that shows F(u, v)^2 <= F(u, u) F(v, v) after k facts; None if the claim has another
    form.

    With a, b and c for F(u, u), F(v, v) and F(u, v), the slack s has (a + b) s = F(b u - c v, b u - c v) +
    F(a v - c u, a v - c u); where a + b is 0, F(u - v, u - v) F(u + v, u + v) is -4 c^2 + (a + b)^2.
    """
    match claim:
        case ["<=", ["^", c, "2"], ["*", a, b]]:
            inside = next(
                (part for part in parts(c) if isinstance(part, list) and part[0] in ("dot", "each")), None
            )
        case _:
            return None
    if inside is None:
        return None
    u, v = inside[-2:]

    def form(x: Tree, y: Tree) -> Tree:
        return with_part(c, inside, [*inside[:-2], x, y])

    if [a, b] == [form(v, v), form(u, u)]:
        u, v = v, u
    if [a, b] != [form(u, u), form(v, v)]:
        return None
    both = ["+", a, b]
    ways = [["-", ["*", b, u], ["*", c, v]], ["-", ["*", a, v], ["*", c, u]]]
    along = [form(way, way) for way in ways]
    apart = ["*", form(["-", u, v], ["-", u, v]), form(["+", u, v], ["+", u, v])]
    none = ["+", ["*", "1/4", apart], ["*", "1/4", both, ["slack", k]], ["*", a, b]]
    cases = [none, ["/", ["+", *along], both]]
    return {"show": claim, "split": both, "parts": [[{"show": claim, "as": case}] for case in cases]}

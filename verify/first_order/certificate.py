"""Write a proof of a claim about a run as a certificate, which both checkers must accept, and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from verify.check_proof import check
from verify.engine.certificates.formulas import Tree
from verify.engine.certificates.question import Certificate
from verify.engine.certificates.recheck import recheck
from verify.first_order.exact import Proof
from verify.first_order.forms import Form, Vector
from verify.first_order.program import Program

OPTIMUM = "*"


def certificate(
    program: Program, proof: Proof, small: Form, large: Form, least: Mapping[str, Sequence[Form]] = {}
) -> Certificate:
    """The certificate of the claim small <= large, after both checkers have accepted it.

    The conditions are premises ("given"). The last line shows that large - small is the sum of multiplier times slack over
    all conditions, plus squares, plus a nonnegative constant.

    Parameters
    ----------
    program, proof :
        The program, and its multipliers and squares.
    least : mapping
        Scalar that stands for the minimum of several forms -> these forms.

    Raises
    ------
    verify.check_proof.Refused, verify.engine.certificates.recheck.Rejected
        If a checker does not accept the certificate.
    """
    places = {name: ["min", *map(form_tree, parts)] for name, parts in least.items()}
    lines: list[dict[str, Any]] = []
    parts: list[Tree] = []

    def use(weight: Fraction, name: str, slack: Form, sign: str) -> None:
        # A condition "form >= minimum" is no premise: it follows from the definition of the minimum, so it is shown.
        own = [key[0] for key in slack.terms if key and key[0] in places]
        relation = [sign, form_tree(slack), "0"]
        if own:
            above = form_tree(slack + Form({(own[0],): Fraction(1)}))
            relation = [">=", above, places[own[0]]]
            lines.append({"show": relation, "as": ["-", above, places[own[0]]]})
        else:
            lines.append({"given": relation, "by": name})
        parts.append(_times(weight, ["slack", len(lines) - 1]))

    for k, weight in proof.multipliers:
        use(weight, *_name_and_slack(program.inequalities[k]), ">=")
    for k, weight in proof.free:
        name, slack = program.equations[k]
        # the slack of an equation is right - left
        lines.append({"given": ["=", form_tree(slack), "0"], "by": name})
        parts.append(_times(-weight, ["slack", len(lines) - 1]))
    for weight, vector in proof.squares:
        written = vector_tree(vector)
        parts.append(_times(weight, ["dot", written, written]))
    if proof.rest:
        parts.append(str(proof.rest))
    goal = _substituted(["<=", form_tree(small), form_tree(large)], places)
    lines.append({"show": goal, "as": ["+", *parts] if len(parts) > 1 else parts[0] if parts else "0"})
    symbols = {**symbols_of(small, large), **dict.fromkeys(program.vectors, "vector")}
    symbols |= dict.fromkeys(program.scalars, "real")
    found = {"symbols": {n: d for n, d in symbols.items() if n not in places}, "lines": lines, "claim": goal}
    check(found)
    recheck(found)
    return found


def _name_and_slack(pair: tuple[str, Form]) -> tuple[str, Form]:
    """The name of a premise, and its slack: interpolation conditions have names with a colon, other conditions do not."""
    name, slack = pair
    return f"interpolation {name}" if ": " in name else f"condition {name}", slack


def _substituted(tree: Tree, places: Mapping[str, Tree]) -> Tree:
    """The formula with names replaced by formulas."""
    if isinstance(tree, list):
        return [tree[0], *(_substituted(part, places) for part in tree[1:])]
    return places.get(tree, tree)


def form_tree(form: Form) -> Tree:
    """A form as a formula of certificates."""
    terms = [_times(c, _key(key)) if key else str(c) for key, c in form.terms.items()]
    return ["+", *terms] if len(terms) > 1 else terms[0] if terms else "0"


def symbols_of(*forms: Form) -> dict[str, str]:
    """Domains of all vectors and scalars that occur in forms."""
    keys = [key for form in forms for key in form.terms]
    return {name: "vector" if len(key) == 2 else "real" for key in keys for name in key}


def _key(key: tuple[str, ...]) -> Tree:
    return ["dot", *key] if len(key) == 2 else key[0]


def vector_tree(vector: Vector) -> Tree:
    """A vector as a formula of certificates."""
    found: Tree = None
    for name, coefficient in vector.parts.items():
        term = _times(coefficient, name)
        found = term if found is None else ["+", found, term]
    return found


def _times(weight: Fraction, tree: Tree) -> Tree:
    return tree if weight == 1 else ["*", str(weight), tree]


# ----------------------------------------------------------------------------------------------------- words


def in_words(program: Program, proof: Proof) -> list[str]:
    """The proof as lines of text: the inequalities with their multipliers, and the remaining squares."""
    lines = ["Add these inequalities, each times its multiplier:"]
    for k, weight in proof.multipliers:
        name, slack = program.inequalities[k]
        lines.append(f"  {weight} times  0 <= {form_text(slack)}   ({name})")
    for k, weight in proof.free:
        name, slack = program.equations[k]
        lines.append(f"  {weight} times  0 = {form_text(slack)}   ({name})")
    left = [f"{_scaled(weight)}|{vector_text(v)}|^2" for weight, v in proof.squares]
    left += [str(proof.rest)] if proof.rest else []
    return [*lines, f"The right side exceeds the left one by the sum, and by {' + '.join(left) or '0'} >= 0."]


def form_text(form: Form) -> str:
    """A form as text, such as ``|x|^2 - 2 <g, x>``."""
    return _sum(
        [(c, f"<{key[0]}, {key[1]}>" if len(key) == 2 else "".join(key)) for key, c in _squares(form)]
    )


def _squares(form: Form) -> list[tuple[tuple[str, ...], Fraction]]:
    return [
        ((f"|{key[0]}|^2",) if len(key) == 2 and key[0] == key[1] else key, c)
        for key, c in form.terms.items()
    ]


def vector_text(vector: Vector) -> str:
    """A vector as text, such as ``x - 1/2 g``."""
    return _sum([(c, name) for name, c in vector.parts.items()])


def _sum(terms: Sequence[tuple[Fraction, str]]) -> str:
    text = ""
    for coefficient, name in terms:
        sign = " - " if coefficient < 0 else " + "
        text += (sign if text else sign.strip(" +")) + (
            f"{_scaled(abs(coefficient))}{name}" if name else str(abs(coefficient))
        )
    return text or "0"


def _scaled(weight: Fraction) -> str:
    return "" if weight == 1 else f"{weight} "

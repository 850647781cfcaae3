"""A second check of certificates, through python-flint; it shares no code with `verify/check_proof.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from verify.engine.certificates.field import NUMBER, ROOM, SCALARS, WHOLE, Field, Quotient, laws
from verify.engine.certificates.formulas import Tree, parts
from verify.engine.certificates.grammar import well_formed

Certificate = Mapping[str, Any]
NEGATIVE, ZERO, POSITIVE = 1, 2, 4
ANY = NEGATIVE | ZERO | POSITIVE
OF_DOMAIN = {
    "positive": POSITIVE,
    "count": POSITIVE,
    "nonnegative": ZERO | POSITIVE,
    "whole": ZERO | POSITIVE,
}
OF_SLACK = {
    "<=": ZERO | POSITIVE,
    ">=": ZERO | POSITIVE,
    "<": POSITIVE,
    ">": POSITIVE,
    "=": ZERO,
    "!=": NEGATIVE | POSITIVE,
}


class Rejected(ValueError):
    """The certificate is not a proof."""


def _require(truth: object, why: str) -> None:
    if not truth:
        raise Rejected(why)


def mirrored(sign: int) -> int:
    """Possible signs of the negative of a number."""
    return (sign & ZERO) | (POSITIVE if sign & NEGATIVE else 0) | (NEGATIVE if sign & POSITIVE else 0)


def product(a: int, b: int) -> int:
    """Possible signs of a product."""
    if not a or not b:
        return 0
    found = ZERO if (a | b) & ZERO else 0
    a, b = a & ~ZERO, b & ~ZERO
    if not a or not b:
        return found
    if (a & NEGATIVE and b & POSITIVE) or (a & POSITIVE and b & NEGATIVE):
        found |= NEGATIVE
    if (a & POSITIVE and b & POSITIVE) or (a & NEGATIVE and b & NEGATIVE):
        found |= POSITIVE
    return found


def total(a: int, b: int) -> int:
    """Possible signs of a sum."""
    if not a or not b:
        return 0
    if a == ZERO or b == ZERO:
        return a | b if a == b else (b if a == ZERO else a)
    either = (a | b) & ~ZERO
    if either == NEGATIVE | POSITIVE:
        return ANY
    return either | (ZERO if a & b & ZERO else 0)


class Checked(Field):
    """The facts known so far, and the signs that follow from them."""

    def __init__(self, symbols: Mapping[str, str], room: int = ROOM) -> None:
        super().__init__(dict(symbols), room)
        for name, domain in symbols.items():
            _require(self._is_domain(domain), f"{domain!r} is no domain of {name}")
        self.signs: dict[str, int] = {}
        self.quantified: dict[int, str] = {}

    def _is_domain(self, domain: str) -> bool:
        match domain.split(" ", 1):
            case ["sequence", inside]:
                return inside in SCALARS
            case ["family", size]:
                return self.symbols.get(size) in WHOLE
        return domain in SCALARS or domain == "vector"

    def copy(self) -> Checked:
        """An independent copy with the same facts; both share the names of their variables."""
        other = Checked.__new__(Checked)
        other.__dict__.update(self.__dict__)
        other.facts, other.signs = list(self.facts), dict(self.signs)
        other.equal, other.quantified = dict(self.equal), dict(self.quantified)
        return other

    # ---------------------------------------------------------------------------------------------- signs

    def sign(self, formula: Tree) -> int:
        """Possible signs of a formula."""
        seen = self.by_parts(formula)
        if seen in (NEGATIVE, ZERO, POSITIVE):
            return seen
        value = self.value(formula)
        if value.constant is not None:
            return seen & (ZERO if value.constant == 0 else POSITIVE if value.constant > 0 else NEGATIVE)
        return seen & self.signs.get(self._ray(value), ANY)

    def _ray(self, quotient: Quotient) -> str:
        if quotient.top.is_zero():
            return "0"
        return Quotient(quotient.top * (1 / abs(quotient.top.leading_coefficient())), quotient.bottom).key

    def by_parts(self, formula: Tree) -> int:
        """Possible signs of a formula by the signs of its parts alone."""
        for formed in self._subjects(formula):
            for sign, law in laws(formed, self.symbols):
                if law == formula:
                    return OF_SLACK[sign]
        if isinstance(formula, str):
            if NUMBER.fullmatch(formula):
                above = int(formula.partition("/")[0])
                return NEGATIVE if above < 0 else POSITIVE if above else ZERO
            return OF_DOMAIN.get(self.symbols.get(formula, ""), ANY)
        head, *inside = formula
        return self._sign_of[head](self, *inside) if head in self._sign_of else ANY

    def _subjects(self, formula: Tree) -> list[Tree]:
        """Formulas whose differences or sums may have a law: the parts of a formula, and the bases of powers among
        them.
        """
        if not isinstance(formula, list) or formula[0] not in ("-", "+"):
            return []
        sides = formula[1:] + [side[1] for side in formula[1:] if isinstance(side, list) and side[0] == "^"]
        return [side for side in sides if not isinstance(side, str) or self.symbols.get(side) in WHOLE]

    def _sign_sum(self, *terms: Tree) -> int:
        found = ZERO
        for term in terms:
            found = total(found, self.sign(term))
        return found

    def _sign_difference(self, *terms: Tree) -> int:
        if len(terms) == 1:
            return mirrored(self.sign(terms[0]))
        return total(self.sign(terms[0]), mirrored(self.sign(terms[1])))

    def _sign_product(self, *factors: Tree) -> int:
        found = POSITIVE
        for factor in factors:
            found = product(found, self.sign(factor))
        return found

    def _sign_power(self, base: Tree, exponent: Tree) -> int:
        below, power = self.sign(base), self.value(exponent).constant
        if power is not None and power != 0:
            return product(below, below) & (POSITIVE | (below & ZERO)) if power.p % 2 == 0 else below
        return POSITIVE if below == POSITIVE else ANY if below & NEGATIVE else ZERO | POSITIVE

    def _sign_root(self, _: str, inside: Tree) -> int:
        return self._sign_abs(inside)

    def _sign_abs(self, inside: Tree) -> int:
        found = self.sign(inside)
        return (found & ZERO) | (POSITIVE if found & ~ZERO else 0)

    def _sign_slack(self, k: int) -> int:
        return OF_SLACK[self.facts[k][0]]

    def _sign_at(self, name: str, _: Tree) -> int:
        return OF_DOMAIN.get(self.symbols[name].split(" ")[1], ANY)

    def _sign_dot(self, u: Tree, v: Tree) -> int:
        return ZERO | POSITIVE if u == v else ANY

    def _sign_each(self, _: str, u: Tree, v: Tree) -> int:
        return self._sign_dot(u, v)

    _sign_of: ClassVar[Mapping[str, Callable[..., int]]] = {
        "+": _sign_sum,
        "-": _sign_difference,
        "*": _sign_product,
        "/": _sign_product,
        "^": _sign_power,
        "root": _sign_root,
        "abs": _sign_abs,
        "slack": _sign_slack,
        "at": _sign_at,
        "dot": _sign_dot,
        "each": _sign_each,
    }
    """Laws of signs by heads; other heads have none."""

    # ---------------------------------------------------------------------------------------------- lines

    def defined(self, formula: Tree) -> None:
        """Check that no divisor may be zero and no radicand may be negative.

        Raises
        ------
        Rejected
            Otherwise.
        """
        for part in parts(formula):
            match part:
                case ["/", _, below]:
                    _require(not self.sign(below) & ZERO, f"{below} may be zero")
                case ["root", degree, inside]:
                    _require(degree in tuple("23456789"), f"no root of the degree {degree}")
                    _require(not self.sign(inside) & NEGATIVE, f"{inside} may be negative")
                case ["^", base, exponent]:
                    self._power_is_defined(base, self.value(exponent))

    def _power_is_defined(self, base: Tree, exponent: Quotient) -> None:
        sign, least = self.sign(base), self.least(exponent)
        if exponent.constant is not None:
            least = int(exponent.constant.p)
        if least is None:
            _require(sign == POSITIVE, f"{base} may not be positive")
        elif least < 0:
            _require(not sign & ZERO, f"{base} may be zero")

    def learn(self, relation: Tree) -> None:
        """Add a fact."""
        self._note(relation)
        self.facts.append(relation)

    def _note(self, relation: Tree) -> None:
        slack, sign = self.slack(relation), OF_SLACK[relation[0]]
        for way, seen in ((slack, sign), (-slack, mirrored(sign))):
            ray = self._ray(way)
            self.signs[ray] = self.signs.get(ray, ANY) & seen

    def put_in(self, equations: Sequence[int]) -> None:
        """Substitute equations x = .. for their symbols, also in all known facts.

        Raises
        ------
        Rejected
            If a fact is not such an equation.
        """
        for k in equations:
            kind, name, value = self.facts[k]
            _require(
                k >= 0 and kind == "=" and self.symbols.get(name) in SCALARS,
                f"fact {k} is no equation for a symbol",
            )
            self.equal, self.signs = {**self.equal, name: self.value(value)}, dict(self.signs)
            for fact in filter(None, self.facts):
                self._note(fact)

    @contextmanager
    def _aside(self, every: str = "") -> Any:
        """Facts learned inside the block are forgotten; assumptions about one value of `every` cannot be used inside."""
        facts, signs, quantified = self.facts, self.signs, self.quantified
        self.quantified = dict(quantified)
        self.forget(every)
        yield
        self.facts, self.signs, self.quantified = facts, signs, quantified

    def forget(self, every: str) -> None:
        """Invalidate the facts about one value of `every`; the others keep their numbers."""
        facts, self.facts, self.signs = self.facts, [], {}
        for k, fact in enumerate(facts):
            if fact is None or (every and every in list(parts(fact)) and self.quantified.get(k) != every):
                self.facts.append(None)
            else:
                self.learn(fact)

    def _reaches(self, assumed: list[Tree], lines: list[Any], goal: Tree, every: str = "") -> None:
        with self._aside(every):
            for relation in assumed:
                self.defined(relation)
                self.learn(relation)
            for line in lines:
                _require("show" in line, "an assumption in the middle of a proof")
                self.line(line)
            _require(self.facts and self.facts[-1] == goal, "a part does not reach its goal")

    def line(self, line: Mapping[str, Any]) -> None:
        """Check one line of a certificate.

        Raises
        ------
        Rejected
            If it does not follow.
        """
        _require(("given" in line) != ("show" in line), f"either given or shown: {line}")
        _require("show" in line or isinstance(line.get("by"), str), f"given by no right: {line}")
        reasons = [reason for reason in ("given", "as", "split", "induct", "every") if reason in line]
        _require(len(reasons) == 1, f"not one reason, but {reasons}")
        relation = line["given"] if "given" in line else line["show"]
        place = len(self.facts)
        kind = "for" if reasons == ["given"] and "for" in line else reasons[0]
        if kind in ("for", "induct"):
            name = line[kind]
            fits = self.symbols.get(name) in WHOLE and f"family {name}" not in self.symbols.values()
            _require(fits and not NUMBER.fullmatch(name), f"{name} is no whole number")
        if kind == "for":
            self._reaches([relation], [], relation, line["for"])
        self.defined(relation)
        if "show" in line:
            self._follows[kind](self, relation, line)
        if kind in ("for", "induct"):
            self.quantified[place] = line[kind]
        self.learn(relation)

    def _by_as(self, goal: Tree, line: Mapping[str, Any]) -> None:
        shown = line["as"]
        before = self.equal, self.signs
        self.put_in(line.get("put", ()))
        self.defined(shown)
        difference = self.slack(goal) - self.value(shown)
        _require(difference.top.is_zero(), f"both sides of a line differ by {str(difference.top)[:200]}")
        _require(not self.sign(shown) & ~OF_SLACK[goal[0]], "the right side may have another sign")
        self.equal, self.signs = before

    def _by_split(self, goal: Tree, line: Mapping[str, Any]) -> None:
        by = line["split"]
        if "whole" in line:
            for powers, factor in self.value(by).top.terms():
                whole = [name for name in self.names if powers[self.names[name]]]
                _require(factor.q == 1 and sum(powers) <= 1, f"{by} is no whole number")
                kinds = [self.symbols[name] if isinstance(name, str) else "" for name in whole]
                _require(all(kind in WHOLE for kind in kinds), f"{by} is no whole number")
            _require(self.value(by).bottom.is_constant(), f"{by} is no whole number")
            cases = [["<=", by, "0"], [">=", by, "1"]]
        elif isinstance(by, list) and by[0] in ("max", "min"):
            cases = [["=", by, choice] for choice in by[1:]]
        elif isinstance(by, list) and by[0] == "abs":
            cases = [["=", by, by[1]], ["=", by, ["-", by[1]]]]
        else:
            cases = [["<=", by, "0"], [">", by, "0"]]
        _require(cases and len(line["parts"]) == len(cases), "a case is missing")
        for case, lines in zip(cases, line["parts"], strict=True):
            self._reaches([case], lines, goal)

    def _by_induct(self, goal: Tree, line: Mapping[str, Any]) -> None:
        name = line["induct"]
        least = WHOLE.get(self.symbols.get(name, ""))
        _require(least is not None, f"{name} is no whole number")
        self._reaches([], line["base"], replaced(goal, name, str(least)), name)
        self._reaches([goal], line["step"], replaced(goal, name, ["+", name, "1"]), name)

    def _by_every(self, goal: Tree, line: Mapping[str, Any]) -> None:
        fact, value = line["every"], line["at"]
        name = self.quantified[fact]
        least = self.least(self.value(value))
        _require(least is not None and least >= WHOLE[self.symbols[name]], f"{value} is no value of {name}")
        _require(goal == replaced(self.facts[fact], name, value), f"fact {fact} does not say that")

    _follows: ClassVar[Mapping[str, Callable[..., None]]] = {
        "as": _by_as,
        "split": _by_split,
        "induct": _by_induct,
        "every": _by_every,
    }


def replaced(formula: Tree, name: str, value: Tree) -> Tree:
    """A formula with a symbol replaced."""
    if isinstance(formula, list):
        head = formula[: 2 if formula[0] == "call" else 1]
        return [*head, *(replaced(part, name, value) for part in formula[len(head) :])]
    return value if formula == name else formula


def recheck(certificate: Certificate) -> None:
    """Check a certificate a second time.

    Raises
    ------
    Rejected
        If it is not a proof of its claim.
    """
    try:
        well_formed(certificate)
        checked = Checked(certificate["symbols"], room=ROOM + _opaque(certificate["lines"]))
        for line in certificate["lines"]:
            checked.line(line)
        last = certificate["lines"][-1]
        _require("show" in last and last["show"] == certificate["claim"], "the last line is not the claim")
    except Rejected:
        raise
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise Rejected(f"no certificate: {error!r}") from error


def _opaque(content: Any) -> int:
    """Number of places with roots, powers and similar parts."""
    if isinstance(content, Mapping):
        return sum(map(_opaque, content.values()))
    if not isinstance(content, list):
        return 0
    here = bool(content) and content[0] in ("root", "max", "min", "abs", "call", "at", "dot", "each", "^")
    return 3 * here * (content[0] != "^" or not isinstance(content[2], str)) + sum(map(_opaque, content))

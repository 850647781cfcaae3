"""Checks proofs of equations and inequalities between real numbers. It searches nothing and trusts nothing.

    python verify/check_proof.py CERTIFICATE.json ...        exit status 0: everything in the files is proved

A file holds one certificate or {name: certificate}: a JSON object with `symbols` and their domains, `lines`, and `claim`.
A formula (Tree) is "3/4", "x" or [head, part, ...], see `Proof.value`; a relation is [sign, left, right]. The lines:

    {"given": R, "by": why}                 an assumption: a condition, a statement, a textbook fact
    {"show": R, "as": A}                    large - small equals A, and A has the right sign by the signs of its parts
    {"show": R, "as": A, "put": [k, ...]}   the same with the equations x = .. of these facts put in, one after the other
    {"show": R, "split": E, "parts": [..]}  cases E <= 0 and E > 0 (`whole`: E <= 0 and E >= 1), or which of its parts a
                                            max, min or abs is; every part is a list of lines that ends with R
    {"show": R, "induct": t, "base": [..], "step": [..]}    R at the least t; R at t + 1, where R at t is the next fact
    {"show": R, "every": k, "at": E}        fact k, given or shown `for` every t, at t = E

given and show are facts, numbered from 0. ["slack", k] is large - small of fact k. What
is divided by must be known to differ from zero, and what a root is taken of to be nonnegative, from the lines before.
"""

import json
import re
import sys
from fractions import Fraction
from typing import Any

Tree = Any  # a formula or a relation
Poly = dict[int, Any]  # monomial -> coefficient; a monomial is the sum of exponent << FIELD * variable
Sign = frozenset[int]  # which of -1, 0 and 1 the sign of a number can be
ANY, NOT_NEGATIVE, POSITIVE, ZERO, NOT_ZERO = map(frozenset, ({-1, 0, 1}, {0, 1}, {1}, {0}, {-1, 1}))
SIGNS = {"<": POSITIVE, "<=": NOT_NEGATIVE, "=": ZERO, "!=": NOT_ZERO, ">": POSITIVE, ">=": NOT_NEGATIVE}
LEAST = {"count": 1, "whole": 0}  # domains of whole numbers
DOMAINS = {"positive": POSITIVE, "nonnegative": NOT_NEGATIVE, "real": ANY, "count": POSITIVE}
DOMAINS["whole"] = (
    NOT_NEGATIVE  # and "sequence DOMAIN"; "vector", of any dimension; "family n", vectors u_1, .., u_n
)
FIELD, REACH, TERMS, DIGITS = 32, 2**28, 300_000, 4_000  # limits on exponents, polynomials, numbers
NUMBER = re.compile(r"-?\d+(/\d*[1-9]\d*)?")


class Refused(Exception):
    """The certificate is no proof; the message says where, and what was expected."""


def need(truth: Any, why: str, tree: Tree = "") -> None:
    if not truth:
        raise Refused(f"{why} {text(tree)[:300]}".strip())


def text(tree: Tree) -> str:
    return f"({f' {tree[0]} '.join(map(text, tree[1:]))})" if isinstance(tree, list) else str(tree)


def mentions(tree: Tree, name: str) -> bool:
    return any(mentions(part, name) for part in tree) if isinstance(tree, list) else tree == name


def put(tree: Tree, name: str, new: Tree) -> Tree:
    """A formula with another in place of a symbol; heads and names of functions are no symbols."""
    if not isinstance(tree, list):
        return new if tree == name else tree
    kept = 2 if tree[0] == "call" else 1
    return tree[:kept] + [put(part, name, new) for part in tree[kept:]]


class Ratio:
    """A polynomial over powers of polynomials (kept as factors); no exponent in it is beyond `reach`."""

    def __init__(self, top: Poly, bottom: dict[Any, int], reach: int = 0) -> None:
        need(reach < REACH and len(top) <= TERMS, "an exponent or a polynomial is too large")
        self.top, self.bottom, self.reach = {m: c for m, c in top.items() if c}, bottom, reach
        self.constant = self.top.get(0, 0) if set(self.top) <= {0} and not bottom else None

    def over(self, bottom: dict[Any, int]) -> Poly:
        """Numerator over a larger denominator."""
        out = Ratio(self.top, {})
        for factor, power in bottom.items():
            for _ in range(power - self.bottom.get(factor, 0)):
                out *= Ratio(dict(factor), {})
        return out.top

    def __mul__(self, other: "Ratio") -> "Ratio":
        top: Poly = {}
        for m, a in self.top.items():
            need(len(top) <= TERMS, "a polynomial is too large")
            for n, b in other.top.items():
                top[m + n] = top.get(m + n, 0) + a * b
        bottom = {f: self.bottom.get(f, 0) + other.bottom.get(f, 0) for f in {**self.bottom, **other.bottom}}
        return Ratio(top, bottom, self.reach + other.reach)

    def __add__(self, other: "Ratio") -> "Ratio":
        pairs = [(f, part.bottom[f]) for part in (self, other) for f in part.bottom]
        bottom = {f: max(power for g, power in pairs if f == g) for f, _ in pairs}
        top = dict(self.over(bottom))
        for m, c in other.over(bottom).items():
            top[m] = top.get(m, 0) + c
        return Ratio(top, bottom, self.reach + other.reach if bottom else max(self.reach, other.reach))

    def inverse(self) -> "Ratio":
        need(self.top, "division by zero")
        lead, first = max(self.top), Fraction(self.top[max(self.top)])
        top = {m: c / first for m, c in number(1).over(self.bottom).items()}
        if len(self.top) == 1:
            return Ratio({m - lead: c for m, c in top.items()}, {}, 2 * self.reach)
        return Ratio(top, {frozenset((m, c / first) for m, c in self.top.items()): 1}, 2 * self.reach)

    def key(self, sign: int = 0) -> Any:
        """The same for nothing else; with a sign for its positive (1) or negative (-1) multiples alone."""
        scale = sign / abs(Fraction(self.top[max(self.top)])) if sign and self.top else 1
        return frozenset((m, c * scale) for m, c in self.top.items()), frozenset(self.bottom.items())


def number(x: Any) -> Ratio:
    return Ratio({0: x}, {})


class Proof:
    """Symbols, and the facts known so far."""

    def __init__(self, symbols: dict[str, str]) -> None:
        self.symbols = {name: domain for name, domain in symbols.items() if not NUMBER.fullmatch(name)}
        self.variables: dict[Any, int] = {}
        self.equal: dict[str, Ratio] = {}  # what stands for some symbols at the moment
        self.facts: list[Tree] = []
        self.signs: dict[Any, Sign] = {}
        self.every: dict[int, str] = {}  # facts that hold for every value of a symbol

    def variable(self, *name: Any) -> Ratio:
        return Ratio({1 << FIELD * self.variables.setdefault(name, len(self.variables)): 1}, {}, 1)

    def value(self, tree: Tree) -> Ratio:
        """A formula as a quotient of polynomials in symbols and in what is neither sum, product nor whole power."""
        match tree:
            case str(x) if NUMBER.fullmatch(x):
                need(len(x) < DIGITS, "a number has too many digits")
                return number(Fraction(x) if "/" in x else int(x))
            case str(x) if self.symbols.get(x) in DOMAINS:
                return self.equal[x] if x in self.equal else self.variable(x)
            case ["+" | "*" as head, *parts]:
                out = number(int(head == "*"))
                for part in parts:
                    out = out * self.value(part) if head == "*" else out + self.value(part)
                return out
            case ["-", *parts] if len(parts) in (1, 2):
                return self.value(["+", *parts[:-1]]) + number(-1) * self.value(parts[-1])
            case ["/", a, b]:
                need(0 not in self.sign(b), "not known to differ from zero:", b)
                return self.value(a) * self.value(b).inverse()
            case ["^", base, exponent]:
                return self.power(base, self.value(exponent))
            case ["root", str(n), part]:  # the nonnegative one
                need(re.fullmatch("[2-9]", n) and -1 not in self.sign(part), "may be negative:", part)
                return self.variable("root", n, self.value(part).key())
            case ["max" | "min" as head, _, *_] | ["abs" as head, _]:
                return self.variable(head, *(self.value(part).key() for part in tree[1:]))
            case ["call" | "at" as head, str(name), *parts]:  # value of a function, member of a sequence
                return self.variable(head, name, *(self.value(part).key() for part in parts))
            case ["slack", int(k)] if 0 <= k < len(self.facts) and self.facts[k]:
                return self.slack(self.facts[k])
            case ["dot", u, v]:  # inner product of two vectors
                return self.paired(self.vector(u), self.vector(v))
            case ["each", str(n), u, v]:  # the sum of <u_i, v_i>: of means, and of deviations, which sum to 0
                both = [self.paired(self.vector(u, n, side), self.vector(v, n, side)) for side in (1, -1)]
                return self.value(n) * number(Fraction(1, 2)) * (both[0] + both[1])
        raise Refused(f"nothing that can be used here: {text(tree)[:300]}")

    def vector(self, tree: Tree, n: str = "", side: int = 1) -> dict[Any, Ratio]:
        """A vector as a combination of named ones; inside `each`, members of a family as mean + side * deviation."""
        match tree:
            case str(x) if self.symbols.get(x) == "vector":
                return {x: number(1)}
            case str(x) if n and self.symbols.get(x) == f"family {n}":
                return {("mean", x): number(1), ("apart", x): number(side)}
            case ["total", str(x)] if self.symbols.get(x, "").startswith("family "):  # the sum of all members
                return {("mean", x): self.value(self.symbols[x].split(" ")[1])}
            case ["*", scale, u]:
                return {x: self.value(scale) * c for x, c in self.vector(u, n, side).items()}
            case ["+" | "-" as head, u, v]:
                out, turn = self.vector(u, n, side), number(1 if head == "+" else -1)
                for x, c in self.vector(v, n, side).items():
                    out[x] = out.get(x, number(0)) + turn * c
                return out
        raise Refused(f"no vector: {text(tree)[:300]}")

    def paired(self, u: dict[Any, Ratio], v: dict[Any, Ratio]) -> Ratio:
        out = number(0)
        for a, c in u.items():
            for b, d in v.items():
                out += c * d * self.variable("dot", *sorted(map(repr, (a, b))))
        return out

    def power(self, base: Tree, e: Ratio) -> Ratio:
        """base^(e - low) base^low, where the first is a variable, and `low` the least value of e if it is whole."""
        low = self.least(e) if e.constant is None else e.constant
        need(low is not None or self.sign(base) <= POSITIVE, "a power of what may not be positive:", base)
        low, out = low or 0, number(1)
        need(Fraction(low).denominator == 1 and abs(low) < 1000, f"not an exponent: {low}")
        need(low >= 0 or 0 not in self.sign(base), "not known to differ from zero:", base)
        if e.constant is None:
            out = self.variable("^", self.value(base).key(), (e + number(-low)).key())
        for _ in range(abs(int(low))):
            out *= self.value(base) if low > 0 else self.value(base).inverse()
        return out

    def whole(self, name: str) -> None:
        """A symbol for whole numbers, which no family has as its size."""
        sizes = [domain.removeprefix("family ") for domain in self.symbols.values()]
        need(self.symbols.get(name) in LEAST and name not in sizes, f"not whole: {name}")

    def least(self, a: Ratio, falls: int = 0) -> Any:
        """Least value of a sum of whole symbols with whole coefficients (at least 0 if not `falls`), else None."""
        domains = {1 << FIELD * k: self.symbols.get(name[0], "") for name, k in self.variables.items()}
        for m, c in a.top.items():
            if Fraction(c).denominator != 1 or (m and (domains.get(m) not in LEAST or (c < 0 and not falls))):
                return None
        return None if a.bottom else sum(c * LEAST[domains[m]] if m else c for m, c in a.top.items())

    def slack(self, relation: Tree) -> Ratio:
        sign, left, right = relation
        need(sign in SIGNS, "no relation:", relation)
        return self.value(["-", left, right] if sign in (">=", ">") else ["-", right, left])

    def sign(self, tree: Tree) -> Sign:
        """What the sign of a formula can be, by the signs of its parts, and by what is known of its multiples."""
        found = self.evident(tree)
        if len(found) > 1:
            value = self.value(tree)
            found &= self.signs.get(value.key(1), ANY) & {-s for s in self.signs.get(value.key(-1), ANY)}
        return found

    def evident(self, tree: Tree) -> Sign:
        match tree:
            case str(x):
                known = DOMAINS.get(self.symbols.get(x, ""), ANY)
                return frozenset({(Fraction(x) > 0) - (Fraction(x) < 0)}) if NUMBER.fullmatch(x) else known
            case ["slack", k]:
                return SIGNS[self.facts[k][0]]
            case ["at", name, _]:
                return DOMAINS[self.symbols[name].removeprefix("sequence ")]
            case ["dot", u, v] | ["each", _, u, v]:
                return NOT_NEGATIVE if u == v else ANY
            case ["abs", x] | ["root", _, x]:
                return frozenset(map(abs, self.sign(x)))
            case ["-" | "+", ["abs", x], y] if x == y:
                return NOT_NEGATIVE
            case ["-", ["max", *parts], x] | ["-", x, ["min", *parts]] if x in parts:
                return NOT_NEGATIVE
            case ["-", ["^", ["root", m, x], n], y] | ["-", ["^", ["abs", x], m], ["^", y, "2" as n]] if [
                x,
                m,
            ] == [y, n]:
                return ZERO
            case ["-", x, y] if (
                isinstance(x, str) and x in self.symbols and y == str(LEAST.get(self.symbols[x]))
            ):
                return NOT_NEGATIVE
            case ["^", base, n]:
                found, exponent = self.sign(base), self.value(n).constant
                if exponent:
                    return frozenset(s**2 if exponent % 2 == 0 else s for s in found)
                return POSITIVE if found <= POSITIVE else NOT_NEGATIVE if found <= NOT_NEGATIVE else ANY
            case ["-", *parts, last] if len(parts) <= 1:
                turned = frozenset(-s for s in self.sign(last))
                return self.total([self.sign(part) for part in parts] + [turned])
            case ["+", *parts]:
                return self.total([self.sign(part) for part in parts])
            case ["*" | "/", *parts]:
                found = POSITIVE
                for part in parts:
                    found = frozenset(a * b for a in found for b in self.sign(part))
                return found
        return ANY

    @staticmethod
    def total(signs: list[Sign]) -> Sign:
        found = ZERO.union(*signs)
        return ANY if len(found) == 3 else found - ZERO if any(0 not in sign for sign in signs) else found

    def learn(self, relation: Tree) -> None:
        """One more fact; its formulas must be defined by what is known before."""
        self.note(relation)
        self.facts.append(relation)

    def note(self, relation: Tree) -> None:
        way = self.slack(relation).key(1)
        self.signs[way] = self.signs.get(way, ANY) & SIGNS[relation[0]]

    def under(self, assumed: list[Tree], lines: list[Any], goal: Tree, every: str = "") -> None:
        """Lines lead from what is assumed to the goal, whatever the value of `every`; all is forgotten afterwards."""
        saved = self.facts, self.signs, self.every
        self.facts, self.signs, self.every = [], {}, dict(self.every)
        for k, fact in enumerate(saved[0]):
            if fact and (not mentions(fact, every) or self.every.get(k) == every):
                self.learn(fact)
            else:
                self.facts.append(None)
        for relation in assumed:
            self.learn(relation)
        self.run(lines, inside=1)
        need(self.facts and self.facts[-1] == goal, "the lines do not end with", goal)
        self.facts, self.signs, self.every = saved

    def run(self, lines: list[Any], inside: int = 0) -> None:
        for line in lines:
            match line:
                case {"given": relation, "by": str()} if not inside:
                    if "for" in line:
                        self.whole(line["for"])
                        self.under([relation], [], relation, line["for"])
                        self.every[len(self.facts)] = line["for"]
                    self.learn(relation)
                case {"show": relation}:
                    self.show(relation, line)
                    self.learn(relation)
                case _:
                    raise Refused(f"no line: {str(line)[:300]}")

    def show(self, goal: Tree, line: dict[str, Any]) -> None:
        match line:
            case {"as": tree}:
                saved = self.equal, self.signs
                for sign, name, to in (self.facts[k] for k in line.get("put", [])):
                    need(sign == "=" and self.symbols.get(name) in DOMAINS, "no equation for a symbol:", name)
                    self.equal, self.signs = {**self.equal, name: self.value(to)}, dict(self.signs)
                    for fact in filter(None, self.facts):
                        self.note(fact)
                rest = self.slack(goal) + number(-1) * self.value(tree)
                need(not rest.top, "it does not equal what is shown:", tree)
                need(self.sign(tree) <= SIGNS[goal[0]], f"its sign does not show {goal[0]}:", tree)
                self.equal, self.signs = saved
            case {"split": tree, "parts": parts}:
                cases = [["<=", tree, "0"], [">", tree, "0"]]
                if "whole" in line:
                    need(self.least(self.value(tree), falls=1) is not None, "no whole number:", tree)
                    cases[1] = [">=", tree, "1"]
                elif isinstance(tree, list) and tree[0] in ("max", "min", "abs"):
                    choices = [tree[1], ["-", tree[1]]] if tree[0] == "abs" else tree[1:]
                    cases = [["=", tree, choice] for choice in choices]
                need(
                    self.value(tree) and len(parts) == len(cases), f"{len(cases)} parts are needed for", tree
                )
                for case, part in zip(cases, parts, strict=True):
                    self.under([case], part, goal)
            case {"induct": str(t), "base": base, "step": step}:
                self.whole(t)
                self.under([], base, put(goal, t, str(LEAST[self.symbols[t]])), t)
                self.under([goal], step, put(goal, t, ["+", t, "1"]), t)
                self.every[len(self.facts)] = t
            case {"every": int(k), "at": tree}:
                low = self.least(self.value(tree))
                need(low is not None and low >= LEAST[self.symbols[self.every[k]]], "not to be put in:", tree)
                need(goal == put(self.facts[k], self.every[k], tree), "that fact does not say", goal)
            case _:
                raise Refused(f"no reason is given for {text(goal)[:300]}")


def check(certificate: dict[str, Any]) -> list[str]:
    """What the claim rests on.

    Raises
    ------
    Refused
        If the certificate is no proof of its claim.
    """
    try:
        lines = certificate["lines"]
        Proof(certificate["symbols"]).run(lines)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise Refused(f"not well formed: {error!r}") from error
    need(lines and lines[-1].get("show") == certificate["claim"], "the last line does not show the claim")
    return [f"{text(line['given'])}: {line['by']}" for line in lines if "given" in line]


def main(paths: list[str]) -> int:
    failed = not paths
    for path in paths:
        with open(path) as file:
            content = json.load(file)
        for name, certificate in {path: content}.items() if "claim" in content else content.items():
            try:
                rests_on = "".join(f"\n    given {line}" for line in check(certificate))
                print(f"{name}: proved {text(certificate['claim'])}{rests_on}")
            except Refused as refused:
                failed = True
                print(f"{name}: REFUSED. {refused}")
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

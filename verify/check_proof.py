"""Checks proofs of equations and inequalities between real numbers. It searches nothing and trusts nothing.

    python verify/check_proof.py CERTIFICATE.json ...        exit status 0: all is proved, 1: not, 2: not well formed

A file holds one certificate, or several by name: JSON objects with `symbols` and their domains, `lines`, and `claim`.
A formula (Tree) is "3/4", "x" or [head, part, ...], see `Proof.formed`; a relation is [sign, left, right]. The lines:

    {"given": R, "by": why}                 an assumption: a condition, a statement, a textbook fact
    {"show": R, "as": A}                    large - small equals A, and A has the right sign by the signs of its parts
    {"show": R, "as": A, "put": [k, ...]}   the same with the equations x = .. of these facts put in, one after the other
    {"show": R, "split": E, "parts": [..]}  cases E <= 0 and E > 0 (`whole`: E <= 0 and E >= 1), or which of its parts a
                                            max, min or abs is; every part is a list of lines that ends with R
    {"show": R, "induct": t, "base": [..], "step": [..]}    R at the least t; R at t + 1, where R at t is the next fact
    {"show": R, "every": k, "at": E}        fact k, given or shown `for` every t, at t = E

These relations are the facts, numbered from 0; ["slack", k] is large - small of fact k. What is divided by must be
known to differ from zero, and what a root is taken of to be nonnegative, from the lines before.
"""
# fmt: off
# ruff: noqa: E701 (cases and guards of one line)

import json
import re
import sys
from collections import Counter
from fractions import Fraction
from math import gcd, lcm, prod
from typing import Any

Tree = Any  # a formula or a relation
Poly = dict[int, int]  # monomial -> coefficient; a monomial is the sum of exponent << FIELD * variable
Sign = frozenset[int]  # which of -1, 0 and 1 the sign of a number can be
ANY, AT_LEAST_0, ABOVE_0, ZERO, NOT_ZERO = map(frozenset, ({-1, 0, 1}, {0, 1}, {1}, {0}, {-1, 1}))
SIGNS = {"<": ABOVE_0, "<=": AT_LEAST_0, "=": ZERO, "!=": NOT_ZERO, ">": ABOVE_0, ">=": AT_LEAST_0}
LEAST = {"count": 1, "whole": 0}  # domains of whole numbers
# Beside these domains: "sequence DOMAIN"; "vector", of any dimension; "family n", vectors u_1, .., u_n for a symbol n of whole numbers
DOMAINS = {"positive": ABOVE_0, "nonnegative": AT_LEAST_0, "real": ANY, "count": ABOVE_0, "whole": AT_LEAST_0}
FIELD, REACH, TERMS, DIGITS, BITS, NOTHING = 32, 2**28, 300_000, 4_000, 2**20, Counter[Any]()  # limits on exponents, polynomials, numbers
NUMBER = re.compile(r"-?\d+(/\d*[1-9]\d*)?")

class Refused(Exception): """The certificate is no proof; the message says where, and what was expected."""
def need(truth: Any, why: str, tree: Tree = "") -> None:
    if not truth: raise Refused(f"{why} {text(tree)[:300]}".strip())
def text(tree: Tree) -> str:
    return f"({f' {tree[0]} '.join(map(text, tree[1:]))})" if isinstance(tree, list) else str(tree)

def put(tree: Tree, name: str, new: Tree) -> Tree:
    """A formula with another in place of a symbol; heads and names of functions are no symbols."""
    if not isinstance(tree, list): return new if tree == name else tree
    return tree[: (kept := 2 if tree[0] == "call" else 1)] + [put(part, name, new) for part in tree[kept:]]

class Ratio:
    """A polynomial over a whole number and powers of polynomials (factors), and its possible signs; no exponent is beyond `reach`."""

    def __init__(self, top: Poly, whole: int = 1, bottom: Counter[Any] = NOTHING, sign: Sign = ANY, reach: int = 0) -> None:
        need(reach < REACH and len(top) <= TERMS, "an exponent or a polynomial is too large")
        self.top, self.whole, self.bottom, self.reach = top if all(top.values()) else {m: c for m, c in top.items() if c}, whole, bottom, reach
        if whole > 1 and (common := gcd(whole, *self.top.values())) > 1: self.top, self.whole = {m: c // common for m, c in self.top.items()}, whole // common
        self.constant = None if bottom or len(self.top) > (0 in self.top) else self.top.get(0, 0)  # over `whole`
        self.sign = sign if self.constant is None else sign & {(self.constant > 0) - (self.constant < 0)}

    def over(self, bottom: Counter[Any], whole: int) -> Poly:
        """Numerator over a larger denominator."""
        if whole == self.whole and (bottom is self.bottom or bottom == self.bottom): return self.top
        top = Ratio({m: c * (whole // self.whole) for m, c in self.top.items()})
        return prod((Ratio(dict(factor)) for factor in (bottom - self.bottom).elements()), start=top).top

    def __mul__(self, other: "Ratio") -> "Ratio":
        few, many, top = *((self.top, other.top) if len(self.top) <= len(other.top) else (other.top, self.top)), Poly()
        for m, a in few.items():
            need(len(top) <= TERMS, "a polynomial is too large")
            for n, b in many.items() if top else (): top[m + n] = top.get(m + n, 0) + a * b
            top = top or {m + n: a * b for n, b in many.items()}
        sign, bottom = frozenset(a * b for a in self.sign for b in other.sign), self.bottom + other.bottom if self.bottom or other.bottom else NOTHING
        return Ratio(top, self.whole * other.whole, bottom, sign, self.reach + other.reach)

    def plus(self, *others: "Ratio") -> "Ratio":
        """A sum over the least common denominator, from its longest part on."""
        parts, whole, bottom = (self, *others), lcm(self.whole, *(part.whole for part in others)), self.bottom
        for part in others: bottom = bottom | part.bottom if part.bottom else bottom
        longest, *tops = sorted((part.over(bottom, whole) for part in parts), key=len, reverse=True)
        top, both, zero = {**longest}, self.sign.union(*(part.sign for part in others)), all(0 in part.sign for part in parts)
        for m, c in (term for few in tops for term in few.items()): top[m] = top.get(m, 0) + c
        return Ratio(top, whole, bottom, ANY if {-1, 1} <= both else both if zero else both - ZERO, sum(part.reach for part in parts))
    __add__ = plus

    def inverse(self, tree: Tree) -> "Ratio":
        need(0 not in self.sign, "not known to differ from zero:", tree)
        lead, size = max(self.top), gcd(*self.top.values())
        way = self.whole if self.top[lead] > 0 else -self.whole
        top = {m: c * way for m, c in Ratio({0: 1}).over(self.bottom, 1).items()}
        if len(self.top) == 1: return Ratio({m - lead: c for m, c in top.items()}, size, NOTHING, self.sign, 2 * self.reach)
        factor = frozenset((m, c * way // (self.whole * size)) for m, c in self.top.items())  # its leading coefficient is positive
        return Ratio(top, size, Counter([factor]), self.sign, 2 * self.reach)

    def key(self, sign: int = 0) -> Any:
        """The same for nothing else; with a sign for its positive (1) or negative (-1) multiples alone."""
        size = sign * gcd(*self.top.values()) or 1
        return frozenset((m, c // size) for m, c in self.top.items()), not sign and self.whole, frozenset(self.bottom.items())

def number(x: Any) -> Ratio: return Ratio({0: x.numerator}, x.denominator)
NONE, ONE, MINUS = map(number, (0, 1, -1))

class Proof:
    """Symbols, and the facts known so far."""
    def __init__(self, symbols: dict[str, str]) -> None:
        domains = {*DOMAINS, "vector", *(f"sequence {x}" for x in DOMAINS), *(f"family {n}" for n, x in symbols.items() if x in LEAST)}
        need(domains.issuperset(symbols.values()), "not the domains of symbols:", [*symbols.values()])
        self.symbols = {name: domain for name, domain in symbols.items() if not NUMBER.fullmatch(name)}
        self.variables: dict[Any, int] = {}
        self.equal: dict[str, Ratio] = {}  # what stands for some symbols at the moment
        self.facts: list[Tree] = []
        self.signs: dict[Any, Sign] = {}  # by keys; under numbers, how many terms those of the keys have
        self.every: dict[int, str] = {}  # facts that hold for every value of a symbol
        self.values: dict[str, Ratio] = {}  # of formulas, by facts of the moment, if not by all

    def variable(self, *name: Any, of: Any = (), sign: Sign = ANY) -> Ratio:
        name += tuple(self.value(part).key() for part in of)
        return Ratio({1 << FIELD * self.variables.setdefault(name, len(self.variables)): 1}, 1, NOTHING, sign, 1)

    def value(self, tree: Tree) -> Ratio:
        """A formula as a quotient, with the signs that are possible by its parts and by facts about its multiples."""
        if (name := repr(tree)) in self.values: return self.values[name]
        self.values[name] = out = self.formed(tree)
        out.sign &= self.law(tree)
        if len(out.sign) > 1 and len(out.top) in self.signs:
            above, below = (self.signs.get(out.key(way), ANY) for way in (1, -1))
            out.sign &= above & {-s for s in below}
        return out
    def known(self, tree: Tree, sign: Sign = ANY) -> Ratio:
        """A value with one of some signs; reckoned anew, by all facts, where what was known before does not tell that much."""
        try: need(self.value(tree).sign <= sign, "")
        except Refused: self.values = {}
        return self.value(tree)

    def formed(self, tree: Tree) -> Ratio:
        """A formula from symbols, and from what is neither sum, product nor whole power."""
        match tree:
            case str(x) if NUMBER.fullmatch(x) and len(x) < DIGITS: return number(Fraction(x) if "/" in x else int(x))
            case str(x) if self.symbols.get(x) in DOMAINS: return self.equal[x] if x in self.equal else self.variable(x)
            case ["+", *parts]: return NONE.plus(*map(self.value, parts))
            case ["*", *parts]: return prod(map(self.value, parts), start=ONE)
            case ["-", a]: return MINUS * self.value(a)
            case ["-", a, b]: return self.value(a) + MINUS * self.value(b)
            case ["/", a, b]: return self.value(a) * self.value(b).inverse(b)
            case ["^", base, exponent]: return self.power(base, self.value(exponent))
            case ["root", str(n), part] if re.fullmatch("[2-9]", n):  # the nonnegative one
                need(-1 not in self.value(part).sign, "may be negative:", part)
                return self.variable("root", n, of=[part])
            case ["max" | "min" | "abs" as head, _, *parts] if not parts or head != "abs": return self.variable(head, of=tree[1:])
            case ["call", str(name), *parts]: return self.variable("call", name, of=parts)  # f(x)
            case ["at", str(name), k] if self.symbols[name].startswith("sequence"): return self.variable("at", name, of=[k])  # u_k
            case ["slack", int(k)] if k >= 0 and self.facts[k]: return self.value(self.slack(self.facts[k]))
            case ["dot", u, v]: return self.paired(self.vector(u), self.vector(v))  # inner product of two vectors
            case ["each", str(n), u, v] if self.symbols[n] in LEAST:  # the sum of <u_i, v_i>: of means, and of deviations, which sum to 0
                a, b = (self.paired(self.vector(u, n, side), self.vector(v, n, side)) for side in (1, -1))
                return self.value(["/", n, "2"]) * (a + b)
        raise Refused(f"nothing that can be used here: {text(tree)[:300]}")

    def law(self, tree: Tree) -> Sign:
        """Signs that a formula can have because of what its symbols, lengths, extremes and roots are."""
        match tree:
            case str(x): return DOMAINS.get(self.symbols.get(x, ""), ANY)
            case ["slack", k]: return SIGNS[self.facts[k][0]]
            case ["at", str(x), _]: return DOMAINS.get(self.symbols.get(x, "").partition("sequence ")[2], ANY)
            case ["-", str(x), y] if y == str(LEAST.get(self.symbols.get(x, ""))): return AT_LEAST_0
            case ["dot", u, v] | ["each", _, u, v] if u == v: return AT_LEAST_0
            case ["abs", x] | ["root", _, x]: return frozenset(map(abs, self.value(x).sign))
            case ["-" | "+", ["abs", x], y] if x == y: return AT_LEAST_0
            case ["-", a, b] if (a[:1] == ["max"] and b in a[1:]) or (b[:1] == ["min"] and a in b[1:]): return AT_LEAST_0
            case ["-", ["^", ["root", m, x], n], y] if [m, x] == [n, y]: return ZERO
            case ["-", ["^", ["abs", x], "2"], ["^", y, "2"]] if x == y: return ZERO
        return ANY

    def vector(self, tree: Tree, n: str = "", side: int = 1) -> dict[Any, Ratio]:
        """A vector as a combination of named ones; inside `each`, members of a family as mean + side * deviation."""
        match tree:
            case str(x) if self.symbols.get(x) == "vector": return {x: number(1)}
            case str(x) if n and self.symbols.get(x) == f"family {n}": return {("mean", x): number(1), ("apart", x): number(side)}
            case ["total", str(x)] if self.symbols[x].startswith("family"): return {("mean", x): self.value(self.symbols[x].split(" ", 1)[1])}  # the sum of all
            case ["*", scale, u]: return {x: self.value(scale) * c for x, c in self.vector(u, n, side).items()}
            case ["-", u, v]: return self.vector(["+", u, ["*", "-1", v]], n, side)
            case ["+", u, v]:
                a, b = self.vector(u, n, side), self.vector(v, n, side)
                return {x: a.get(x, number(0)) + b.get(x, number(0)) for x in {**a, **b}}
        raise Refused(f"no vector: {text(tree)[:300]}")
    def paired(self, u: dict[Any, Ratio], v: dict[Any, Ratio]) -> Ratio:
        return NONE.plus(*(c * d * self.variable("dot", *sorted(map(repr, (a, b)))) for a, c in u.items() for b, d in v.items()))

    def power(self, tree: Tree, e: Ratio) -> Ratio:
        """base^(e - low) base^low, where the first is a variable, and `low` the least value of e if it is whole."""
        base, out, low = self.value(tree), number(1), self.least(e) if e.constant is None else Fraction(e.constant, e.whole)
        need(low is not None or base.sign <= ABOVE_0, "a power of what may not be positive:", tree)
        low, size = Fraction(low or 0), max(map(int.bit_length, (base.whole, *base.top.values())))
        need(low.denominator == 1 and abs(low) < 1000 and abs(low) * size < BITS, f"not an exponent, or too large: {low}")
        for _ in range(abs(int(low))): out *= base if low > 0 else base.inverse(tree)
        out.sign = frozenset(s ** (int(low) % 2 or 2) for s in base.sign) if low else out.sign
        if e.constant is None:
            sign = ABOVE_0 if base.sign <= ABOVE_0 else ANY if -1 in base.sign else AT_LEAST_0
            out *= self.variable("^", base.key(), (e + number(-low)).key(), sign=sign)
        return out
    def least(self, a: Ratio, falls: int = 0) -> Any:
        """Least value of a sum of whole symbols with whole coefficients (at least 0 if not `falls`), else None."""
        domains = {1 << FIELD * k: self.symbols.get(name[0], "") for name, k in self.variables.items() if len(name) == 1}
        for m, c in a.top.items():
            if a.whole > 1 or (m and (domains.get(m) not in LEAST or (c < 0 and not falls))): return None
        return None if a.bottom else sum(c * LEAST[domains[m]] if m else c for m, c in a.top.items())

    def slack(self, relation: Tree) -> Tree:
        sign, left, right = relation
        need(sign in SIGNS, "no relation:", relation)
        return ["-", left, right] if sign in (">=", ">") else ["-", right, left]
    def learn(self, facts: list[Tree]) -> None:
        """More facts; their formulas must be defined by what is known before each."""
        for fact in facts:
            way = (shown := self.known(self.slack(fact))).key(1) if fact else None
            if fact: self.signs |= {len(shown.top): ANY, way: self.signs.get(way, ANY) & SIGNS[fact[0]]}
            self.facts.append(fact)
        if sum(len(value.top) for value in self.values.values()) > TERMS: self.values = {}

    def under(self, assumed: list[Tree], lines: list[Any], goal: Tree, every: str | None = None) -> None:
        """Lines lead from what is assumed to the goal, whatever the value of `every`, if of any; all is forgotten afterwards."""
        saved = facts, signs, known, _ = self.facts, self.signs, self.every, self.values
        self.facts, self.signs, self.every, self.values = [*facts], {**signs}, {**known}, {}  # values would keep what a case tells of them
        if every is not None:
            self.facts, self.signs = [], {}
            self.learn([None if put(fact, every, "0") != fact and known.get(k) != every else fact for k, fact in enumerate(facts)])
        self.learn(assumed)
        self.run(lines, inside=1)
        need(self.facts and self.facts[-1] == goal, "the lines do not end with", goal)
        self.facts, self.signs, self.every, self.values = saved
    def for_every(self, t: str, parts: list[Any]) -> None:
        need(self.symbols[t] in LEAST and f"family {t}" not in self.symbols.values(), "not whole:", t)
        for assumed, lines, goal in parts: self.under(assumed, lines, goal, t)
        self.every[len(self.facts)] = t

    def run(self, lines: list[Any], inside: int = 0) -> None:
        for line in lines:
            self.show((relation := line["show"] if "show" in line else line["given"]), line, inside)
            self.learn([relation])

    def show(self, goal: Tree, line: dict[str, Any], inside: int) -> None:
        need(len(line.keys() & {"given", "as", "split", "induct", "every"}) == 1, "one reason is needed for", goal)
        match line:
            case {"given": _, "by": str()} if not inside and "show" not in line:
                if "for" in line: self.for_every(line["for"], [([goal], [], goal)])
            case {"as": tree}:
                saved = _, facts, _, _ = self.equal, self.facts, self.signs, self.values
                for k, (sign, name, to) in ((k, facts[k]) for k in line.get("put", [])):
                    need(k >= 0 and sign == "=" and self.symbols.get(name) in DOMAINS, "no equation for a symbol:", name)
                    self.equal = {**self.equal, name: self.known(to, frozenset())}
                    self.facts, self.signs, self.values = [], {}, {}
                    self.learn(facts)
                shown = self.known(tree, SIGNS[goal[0]])
                need(not (self.known(self.slack(goal)) + MINUS * shown).top, "it does not equal what is shown:", tree)
                need(shown.sign <= SIGNS[goal[0]], f"its sign does not show {goal[0]}:", tree)
                self.equal, self.facts, self.signs, self.values = saved
            case {"split": tree, "parts": parts}:
                cases = [["<=", tree, "0"], [">=", tree, "1"] if "whole" in line else [">", tree, "0"]]
                if "whole" in line: need(self.least(self.known(tree), falls=1) is not None, "no whole number:", tree)
                elif isinstance(tree, list) and tree[0] in ("max", "min", "abs"):
                    cases = [["=", tree, x] for x in ([tree[1], ["-", tree[1]]] if tree[0] == "abs" else tree[1:])]
                need(cases and len(parts) == len(cases), f"{len(cases)} parts are needed for", tree)
                for case, part in zip(cases, parts, strict=True): self.under([case], part, goal)
            case {"induct": str(t), "base": base, "step": step}:
                self.for_every(t, [([], base, put(goal, t, str(LEAST[self.symbols[t]]))), ([goal], step, put(goal, t, ["+", t, "1"]))])
            case {"every": int(k), "at": tree}:
                low = self.least(self.known(tree))
                need(low is not None and low >= LEAST[self.symbols[self.every[k]]], "not to be put in:", tree)
                need(goal == put(self.facts[k], self.every[k], tree), "that fact does not say", goal)
            case _: raise Refused(f"no reason is given for {text(goal)[:300]}")

def check(certificate: dict[str, Any]) -> list[str]:
    """The claim, and what it rests on; `Refused` if the certificate is no proof of it."""
    if not isinstance(certificate, dict): raise Refused(f"not well formed: {certificate!r:.300}")
    need("undecided" not in certificate, "undecided:", certificate.get("undecided", ""))
    try:
        Proof(certificate["symbols"]).run(lines := certificate["lines"])
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise Refused(f"not well formed: {error!r}") from error
    need(lines and lines[-1].get("show") == certificate["claim"], "the last line does not show the claim")
    return [text(certificate["claim"])] + [f"given {text(x['given'])}: {x['by']}" for x in lines if "given" in x]
def once(pairs: list[tuple[str, Any]]) -> Any: return dict(pairs) if len(dict(pairs)) == len(pairs) else None  # no name twice

def main(paths: list[str]) -> int:
    status = 0 if paths else 2
    for path in paths:
        try:
            with open(path) as file: content = json.load(file, object_pairs_hook=once)
            found = {path: content} if not content or "claim" in content or "lines" in content else dict(content)
        except (OSError, RecursionError, TypeError, ValueError) as error: found = {path: error}
        for name, entry in found.items():
            proof = entry.get("certificate", entry) if isinstance(entry, dict) else entry
            try: print(f"{name}: proved", *check(proof), sep="\n    ")
            except Refused as refused:
                status = max(status, 2 if "not well formed" in str(refused) else 1)
                print(f"{name}: REFUSED. {refused}")
    return status

if __name__ == "__main__": raise SystemExit(main(sys.argv[1:]))

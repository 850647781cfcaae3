"""Checks proofs of equations and inequalities between real numbers. It searches nothing and trusts nothing.

    python verify/check_proof.py CERTIFICATE.json ...       status 0: all are proofs, 1: one is not, 2: one is malformed

docs/checker.md explains each rule and why it is sound. A file holds one certificate, or several by name: objects
with `symbols` (name -> domain), `lines` and `claim`. A formula is a number ("3", "-3/4"), a symbol, or a list that begins with its head:

    ["+", a, ..] ["*", a, ..] ["-", a] ["-", a, b] ["/", a, b] ["^", a, b] ["max", a, ..] ["min", a, ..] ["abs", a]
    ["root", "n", a]       the nonnegative root of degree 2 to 9
    ["call", "f", a, ..]   a function of which nothing is known
    ["at", "u", a]         an entry of a sequence
    ["dot", u, v]          the inner product of two vectors
    ["each", "n", u, v]    the sum of <u_i, v_i> over i = 1, .., n, where a family stands for its i-th vector
    ["slack", k]           large side minus small side of fact k; only inside `as`

A vector is a symbol, ["total", "u"] (the sum of a family), ["*", a, u], ["+", u, v] or ["-", u, v]. A relation is
[sign, a, b]. The relations of the lines are the facts, numbered from 0:

    {"given": R, "by": why}         an assumption; with "for": t it is made for every value of t
    {"show": R, "as": A}            large minus small side equals A, whose sign follows from the signs of its parts;
                                    "put": [k, ..]: after the equations x = .. of these facts are put in
    {"show": R, "split": E, "parts": [[..], [..]]}        in both cases E <= 0 and E > 0, or in each case of what E,
                                                          a max, min or abs, can be; "whole": true: E <= 0 and E >= 1
    {"show": R, "induct": t, "base": [..], "step": [..]}  R at the least t, and R at t + 1, where R at t is a fact
    {"show": R, "every": k, "at": E}                      fact k, which holds for every t, at t = E
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from fractions import Fraction
from math import gcd, lcm, prod
from typing import Any

Tree = Any  # a formula, a vector or a relation
Poly = dict[int, int]  # monomial -> coefficient; a monomial is the sum of exponent << FIELD * variable
Sign = frozenset[int]  # which of -1, 0 and 1 the sign of a number can be

ANY, AT_LEAST_0, ABOVE_0, ZERO, NOT_ZERO = map(frozenset, ({-1, 0, 1}, {0, 1}, {1}, {0}, {-1, 1}))
SIGNS = {"<": ABOVE_0, "<=": AT_LEAST_0, "=": ZERO, "!=": NOT_ZERO, ">": ABOVE_0, ">=": AT_LEAST_0}
LEAST = {"count": 1, "whole": 0}  # domains of whole numbers
DOMAINS = {"positive": ABOVE_0, "nonnegative": AT_LEAST_0, "real": ANY, "count": ABOVE_0, "whole": AT_LEAST_0}
KEYS = """by given, by for given, as show, as put show, parts show split, parts show split whole,
base induct show step, at every show""".replace("\n", " ").split(", ")
NUMBER = re.compile(r"-?[0-9]+(/[0-9]*[1-9][0-9]*)?")
NAME = re.compile(r"[^\W\d]\w*( \w+)*(\[\d+(,\d+)*\])?")  # x, x before, x[0,1]
FIELD, REACH = 32, 2**28  # bits of an exponent in a monomial, and the largest exponent
TERMS, DIGITS, POWER, BITS = 300_000, 4_000, 1_000, 2**20  # limits on polynomials, numbers and powers
NOTHING: Counter[Any] = Counter()  # factors: polynomials, as sets of their terms -> exponent
MALFORMED = "not well formed:"


class Refused(Exception):
    """The certificate is no proof; the message says where, and what was expected."""


def need(truth: Any, why: str, tree: Tree = "") -> None:
    if not truth:
        raise Refused(f"{why} {text(tree)[:300]}".strip())


def text(tree: Tree) -> str:
    """A formula as text. Different formulas have different texts; functions of which nothing is known are quoted.

    Signs and fractions are bracketed, as -x^2 would read as -(x^2).
    """
    match tree:
        case ["call", name, *inside]:
            return f"{json.dumps(name)}({', '.join(map(text, inside))})"
        case [head, _, _, *_] if head in {*SIGNS, *"+-*/^"}:
            return f"({f' {head} '.join(map(text, tree[1:]))})"
        case ["-", inside]:
            return f"(- {text(inside)})"
        case [head, *inside]:
            return f"{head}({', '.join(map(text, inside))})"
    return f"({tree})" if NUMBER.fullmatch(str(tree)) and not str(tree).isdigit() else str(tree)


def substituted(tree: Tree, name: str, new: Tree) -> Tree:
    """A formula with a symbol replaced by another formula; heads and names of functions are no symbols."""
    if not isinstance(tree, list):
        return new if tree == name else tree
    kept = 2 if tree[0] == "call" else 1
    return tree[:kept] + [substituted(part, name, new) for part in tree[kept:]]


def ends(tree: Tree) -> list[Any]:
    """All parts of a formula that are no lists: heads, symbols, numbers."""
    return [end for part in tree for end in ends(part)] if isinstance(tree, list) else [tree]


def difference(relation: Tree) -> Tree:
    """The large side minus the small side; its sign makes the relation true or false."""
    sign, left, right = relation
    return ["-", left, right] if sign in (">=", ">") else ["-", right, left]


class Ratio:
    """A number as top / (whole * product of factors), and which signs it can have.

    `top` has integer coefficients and exponents of any sign. Only nonzero numbers are divided by (`inverse`), so the rules
    for numbers hold for quotients. No exponent exceeds `reach`; hence different monomials are different integers.
    """

    __slots__ = ("bottom", "constant", "reach", "sign", "top", "whole")

    def __init__(self, top: Poly, whole=1, bottom=NOTHING, sign=ANY, reach=0) -> None:
        need(reach < REACH and len(top) <= TERMS, "an exponent or a polynomial is too large")
        if not all(top.values()):
            top = {m: c for m, c in top.items() if c}
        common = gcd(whole, *top.values()) if whole > 1 else 1
        if common > 1:
            top, whole = {m: c // common for m, c in top.items()}, whole // common
        self.top, self.whole, self.bottom, self.reach = top, whole, bottom, reach
        # Of what is a number (no factor, no monomial but 1), this number times `whole`
        self.constant = None if bottom or len(top) > (0 in top) else top.get(0, 0)
        self.sign = sign if self.constant is None else sign & {(self.constant > 0) - (self.constant < 0)}

    def over(self, bottom: Counter[Any], whole: int) -> Poly:
        """The numerator over a multiple of its denominator."""
        if whole == self.whole and (bottom is self.bottom or bottom == self.bottom):
            return self.top
        top = Ratio({m: c * (whole // self.whole) for m, c in self.top.items()})
        return prod((Ratio(dict(factor)) for factor in (bottom - self.bottom).elements()), start=top).top

    def __mul__(self, other: "Ratio") -> "Ratio":
        few, many = (self.top, other.top) if len(self.top) <= len(other.top) else (other.top, self.top)
        (first, x), *others = few.items() if few else [(0, 0)]
        top = {first + n: x * y for n, y in many.items()}
        for m, x in others:
            need(len(top) <= TERMS, "a polynomial is too large")
            for n, y in many.items():
                top[m + n] = top.get(m + n, 0) + x * y
        bottom = self.bottom + other.bottom if self.bottom or other.bottom else NOTHING
        sign = frozenset(a * b for a in self.sign for b in other.sign)
        return Ratio(top, self.whole * other.whole, bottom, sign, self.reach + other.reach)

    def inverse(self, tree: Tree) -> "Ratio":
        """The reciprocal: a single monomial moves to the numerator, any other polynomial becomes a factor below it."""
        need(0 not in self.sign, "not known to differ from zero:", tree)
        lead, size = max(self.top), gcd(*self.top.values())
        way = 1 if self.top[lead] > 0 else -1  # a normal form: equal factors are written the same
        top = {m: c * way * self.whole for m, c in ONE.over(self.bottom, 1).items()}
        if len(self.top) == 1:
            return Ratio({m - lead: c for m, c in top.items()}, size, NOTHING, self.sign, 2 * self.reach)
        factor = frozenset((m, c // (way * size)) for m, c in self.top.items())
        return Ratio(top, size, Counter([factor]), self.sign, 2 * self.reach)

    def key(self, sign: int = 0) -> Any:
        """A key that different numbers never share; with a sign, only positive (1) or negative (-1) multiples share it."""
        size = sign * gcd(*self.top.values()) or 1
        top = frozenset((m, c // size) for m, c in self.top.items())
        return top, not sign and self.whole, frozenset(self.bottom.items())


def total(parts: list[Ratio]) -> Ratio:
    """A sum over the least common denominator, from its longest part on."""
    whole, bottom = lcm(*(part.whole for part in parts)), NOTHING
    for part in parts:
        bottom = bottom | part.bottom if part.bottom else bottom
    longest, *others = sorted((part.over(bottom, whole) for part in parts), key=len, reverse=True)
    top = {**longest}
    for other in others:
        for m, c in other.items():
            top[m] = top.get(m, 0) + c
    # Numbers of both signs can have any sum; numbers of one sign have the sum zero only if all of them can be zero
    either = frozenset[int]().union(*(part.sign for part in parts))
    same = either if all(0 in part.sign for part in parts) else either - ZERO
    return Ratio(top, whole, bottom, ANY if {-1, 1} <= either else same, sum(part.reach for part in parts))


NONE, ONE, MINUS = (Ratio({0: c}) for c in (0, 1, -1))


class Proof:
    """The state of a proof: the facts hold wherever the symbols are in their domains and all assumptions hold.

    `facts`: relations by number (None: forgotten); `every`: the symbol for all values of which a fact holds; `signs`: signs
    of formulas by facts; `equal`: replacements of symbols; `values`: values computed since a fact was last forgotten.
    """

    def __init__(self, symbols: dict[str, str]) -> None:
        sizes = [name for name, domain in symbols.items() if domain in LEAST]
        domains = {*DOMAINS, "vector", *(f"sequence {x}" for x in DOMAINS), *(f"family {n}" for n in sizes)}
        for name, domain in symbols.items():
            need(NAME.fullmatch(name) and domain in domains, f"{MALFORMED} symbol or domain", [name, domain])
        self.symbols = symbols
        self.variables: dict[Any, int] = {}
        self.least_of: dict[int, int] = {0: 1}  # least values of monomials: of whole symbols, and of 1
        self.facts: list[Tree] = []
        self.every: dict[int, str] = {}
        self.signs: dict[Any, Sign] = {}  # by keys; also, by their number of terms, which sums have any
        self.equal: dict[str, Ratio] = {}
        self.values: dict[str, Ratio] = {}

    def variable(self, *name: Any, sign: Sign = ANY) -> Ratio:
        """A number that is no sum, product or integer power, named by its kind and its parts: equal names, equal numbers."""
        monomial = 1 << FIELD * self.variables.setdefault(name, len(self.variables))
        if len(name) == 1 and self.symbols[name[0]] in LEAST:
            self.least_of[monomial] = LEAST[self.symbols[name[0]]]
        return Ratio({monomial: 1}, sign=sign, reach=1)

    def value(self, tree: Tree) -> Ratio:
        """A formula as a quotient, with the signs that its parts, `law` and the facts allow; refused if undefined."""
        name = repr(tree)
        if name in self.values:
            return self.values[name]
        value = self.formed(tree)
        sign = value.sign & self.law(tree)
        if len(sign) > 1 and len(value.top) in self.signs:
            # A positive multiple of a formula has its sign, a negative multiple the opposite one
            sign &= self.signs.get(value.key(1), ANY) & {-s for s in self.signs.get(value.key(-1), ANY)}
        value.sign, self.values[name] = sign, value
        return value

    def current_value(self, tree: Tree, sign: Sign = ANY) -> Ratio:
        """The value of a formula; computed again with all current facts if its stored signs allow more than `sign`."""
        try:
            need(self.value(tree).sign <= sign, "")
        except Refused:
            self.values = {}
        return self.value(tree)

    def formed(self, tree: Tree) -> Ratio:
        """The value of a formula from its parts. This is also the grammar: a formula that fits no case is refused."""
        match tree:
            case str(x) if self.symbols.get(x) in DOMAINS:
                return self.equal[x] * ONE if x in self.equal else self.variable(x)
            case str(x) if NUMBER.fullmatch(x) and len(x) < DIGITS:
                top, _, whole = x.partition("/")
                return Ratio({0: int(top)}, int(whole or 1))
            case ["*", *parts]:
                return prod(map(self.value, parts), start=ONE)
            case ["+", *parts]:
                return total([NONE, *map(self.value, parts)])
            case ["/", a, b]:
                return self.value(a) * self.value(b).inverse(b)
            case ["^", base, exponent]:
                return self.power(base, self.value(exponent))
            case ["-", a]:
                return MINUS * self.value(a)
            case ["-", a, b]:
                return total([self.value(a), MINUS * self.value(b)])
            case ["root", "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" as n, part]:
                need(-1 not in self.value(part).sign, "may be negative:", part)
                return self.variable("root", n, self.value(part).key())
            case ["max" | "min" as head, _, *_] | ["abs" as head, _]:
                return self.variable(head, *(self.value(part).key() for part in tree[1:]))
            case ["call", str(name), *parts] if name.isprintable():
                return self.variable("call", name, *(self.value(part).key() for part in parts))
            case ["at", str(name), index] if self.symbols.get(name, "").startswith("sequence "):
                return self.variable("at", name, self.value(index).key())
            case ["slack", k]:
                return self.value(difference(self.fact(k)))
            case ["dot", u, v]:
                return self.paired(self.vector(u), self.vector(v))
            case ["each", str(n), u, v] if self.symbols.get(n) in LEAST:
                # With u_i = m + p_i and v_i = l + q_i, where the p_i and the q_i sum to 0, the sum is n <m, l> plus
                # the sum of the <p_i, q_i>. Let <p, q> stand for the mean of the <p_i, q_i>: so it is n/2 times
                # <m + p, l + q> + <m - p, l - q>. A vector that is the same for all i has no deviation.
                sides = [self.paired(self.vector(u, n, side), self.vector(v, n, side)) for side in (1, -1)]
                return self.value(["/", n, "2"]) * total(sides)
        raise Refused(f"{MALFORMED} no formula: {tree!r:.300}")

    def law(self, tree: Tree) -> Sign:
        """Signs that a formula can have by the definitions of symbols, lengths, extremes and roots."""
        match tree:
            case str(x):
                return DOMAINS.get(self.symbols.get(x, ""), ANY)
            case ["slack", k]:
                return SIGNS[self.facts[k][0]]
            case ["at", x, _]:
                return DOMAINS[self.symbols[x].removeprefix("sequence ")]
            case ["dot", u, v] | ["each", _, u, v] | ["-" | "+", ["abs", u], v] if u == v:
                return AT_LEAST_0
            case ["abs", x] | ["root", _, x]:
                return frozenset(map(abs, self.value(x).sign))
            case ["-", str(n), low] if self.symbols.get(n) in LEAST and low == str(LEAST[self.symbols[n]]):
                return AT_LEAST_0
            case ["-", ["max", *parts], x] if x in parts:
                return AT_LEAST_0
            case ["-", x, ["min", *parts]] if x in parts:  # x may be a maximum itself
                return AT_LEAST_0
            case ["-", ["^", ["root", m, x], n], y] if [m, x] == [n, y]:
                return ZERO
            case ["-", ["^", ["abs", x], "2"], ["^", y, "2"]] if x == y:
                return ZERO
        return ANY

    def power(self, tree: Tree, e: Ratio) -> Ratio:
        """base^e as base^low times base^(e - low), which is a variable; `low` is the least value of e.

        A number is its own least value. If e is a sum of whole symbols, e - low is a whole number and at least 0, and
        the law holds for any base, with 0^0 = 1. Any other exponent needs a positive base, and low is 0.
        """
        base, least = self.value(tree), self.least(e) if e.constant is None else Fraction(e.constant, e.whole)
        need(least is not None or base.sign <= ABOVE_0, "a power of what may not be positive:", tree)
        low, size = int(least or 0), max(map(int.bit_length, (base.whole, *base.top.values())))
        small = low == (least or 0) and abs(low) < POWER and abs(low) * size < BITS
        need(small, f"no whole exponent, or too large: {least}")
        factor, out = base if low >= 0 else base.inverse(tree), ONE
        for _ in range(abs(low)):
            out *= factor
        if low:
            out.sign = frozenset(s if low % 2 else s * s for s in base.sign)
        if e.constant is None:
            sign = ABOVE_0 if base.sign <= ABOVE_0 else ANY if -1 in base.sign else AT_LEAST_0
            out *= self.variable("^", base.key(), total([e, Ratio({0: -low})]).key(), sign=sign)
        return out

    def whole(self, a: Ratio) -> bool:
        """Whether it is a sum of whole symbols with whole coefficients."""
        return not a.bottom and a.whole == 1 and a.top.keys() <= self.least_of.keys()

    def least(self, a: Ratio) -> int | None:
        """Least value of a sum of whole symbols with whole coefficients, none of them negative; else None."""
        if not self.whole(a) or any(c < 0 for m, c in a.top.items() if m):
            return None
        return sum(c * self.least_of[m] for m, c in a.top.items())

    def vector(self, tree: Tree, n: str = "", side: int = 1) -> dict[Any, Ratio]:
        """A vector as a combination of named ones; inside `each`, a member of a family is mean + side * deviation."""
        match tree:
            case str(x) if self.symbols.get(x) == "vector":
                return {x: ONE}
            case str(x) if n and self.symbols.get(x) == f"family {n}":
                return {("mean", x): ONE, ("deviation", x): Ratio({0: side})}
            case ["total", str(x)] if self.symbols.get(x, "").startswith("family "):
                return {("mean", x): self.value(self.symbols[x].removeprefix("family "))}
            case ["*", scale, u]:
                return {x: self.value(scale) * c for x, c in self.vector(u, n, side).items()}
            case ["+" | "-" as head, u, v]:
                a, b, way = self.vector(u, n, side), self.vector(v, n, side), ONE if head == "+" else MINUS
                return {x: total([a.get(x, NONE), way * b.get(x, NONE)]) for x in {**a, **b}}
        raise Refused(f"{MALFORMED} no vector: {tree!r:.300}")

    def paired(self, u: dict[Any, Ratio], v: dict[Any, Ratio]) -> Ratio:
        """The inner product of two vectors; only bilinearity, symmetry and `law` are used."""
        pairs = [(c * d, sorted(map(repr, (a, b)))) for a, c in u.items() for b, d in v.items()]
        return total([NONE, *(factor * self.variable("dot", *names) for factor, names in pairs)])

    def fact(self, k: int) -> Tree:
        need(type(k) is int and 0 <= k < len(self.facts) and self.facts[k], f"no known fact: {k}")
        return self.facts[k]

    def learn(self, fact: Tree) -> None:
        """Add a fact, whose formulas the earlier facts must define; None keeps the number of a forgotten one."""
        if fact is not None:
            slack = self.current_value(difference(fact))
            way = slack.key(1)
            self.signs |= {len(slack.top): ANY, way: self.signs.get(way, ANY) & SIGNS[fact[0]]}
        self.facts.append(fact)
        if sum(len(value.top) for value in self.values.values()) > TERMS:
            self.values = {}

    @contextmanager
    def aside(self) -> Iterator[None]:
        """A context whose facts and replacements are forgotten at its end."""
        saved = self.facts, self.signs, self.every, self.equal, self.values
        self.facts, self.signs, self.every, self.values = [*self.facts], {**self.signs}, {**self.every}, {}
        try:
            yield
        finally:
            self.facts, self.signs, self.every, self.equal, self.values = saved

    def only(self, facts: list[Tree]) -> None:
        """Keep only these facts; their formulas are computed again."""
        self.facts, self.signs, self.values = [], {}, {}
        for fact in facts:
            self.learn(fact)

    def under(self, assumed: list[Tree], lines: list[Any], goal: Tree, every: str = "") -> None:
        """Check that lines prove the goal; with `every`, only facts without this symbol or for all its values are used."""
        with self.aside():
            if every:
                fits = [self.every.get(k) == every or every not in ends(R) for k, R in enumerate(self.facts)]
                self.only([R if fit else None for R, fit in zip(self.facts, fits, strict=True)])
            for relation in assumed:
                self.learn(relation)
            self.run(lines, inside="a case")
            need(self.facts and self.facts[-1] == goal, "the lines do not end with", goal)

    def run(self, lines: list[Any], inside: str = "") -> None:
        need(isinstance(lines, list), f"{MALFORMED} no list of lines:", str(lines))
        for line in lines:
            need(" ".join(sorted(line)) in KEYS, f"{MALFORMED} no line with the keys", [*line])
            need("show" in line or not inside, f"an assumption in {inside}:", line.get("given"))
            relation = line["show"] if "show" in line else line["given"]
            need(isinstance(relation, list) and relation[0] in SIGNS, f"{MALFORMED} no relation:", relation)
            # A slack refers to a fact by its number, so `put` and `ends` would not see the symbols of the fact
            fixed = [relation, line.get("split", ""), line.get("at", "")]
            need({*map(type, ends(fixed))} == {str}, f"{MALFORMED} a slack outside `as`:", relation)
            self.show(relation, line)
            self.learn(relation)

    def show(self, goal: Tree, line: dict[str, Any]) -> None:
        """Check one line: its goal is an assumption, or follows from the facts by the rule that the line names."""
        match line:
            case {"by": str(why)} if why.isprintable():
                if "for" in line:
                    self.for_every(line["for"], [([goal], [], goal)])  # it must be defined for every value
            case {"as": tree}:
                self.equals(goal, tree, line.get("put", []))
            case {"split": tree, "parts": parts}:
                cases = self.cases(tree, line)
                need(len(parts) == len(cases), f"{len(cases)} parts are needed for", tree)
                for case, lines in zip(cases, parts, strict=True):
                    self.under([case], lines, goal)
            case {"induct": str(t), "base": base, "step": step}:
                first, later = str(LEAST[self.symbols[t]]), ["+", t, "1"]
                self.for_every(
                    t, [([], base, substituted(goal, t, first)), ([goal], step, substituted(goal, t, later))]
                )
            case {"every": k, "at": tree}:
                t, low = self.every[k], self.least(self.current_value(tree))
                need(low is not None and low >= LEAST[self.symbols[t]], "not to be put in:", tree)
                need(goal == substituted(self.fact(k), t, tree), "that fact does not say", goal)
            case _:
                raise Refused(f"{MALFORMED} no line: {line!r:.300}")

    def for_every(self, t: str, parts: list[Any]) -> None:
        """Prove that the next fact holds for every value of t, from facts that hold for every value."""
        free = self.symbols.get(t) in LEAST and f"family {t}" not in self.symbols.values()
        need(free, "no whole symbol, or a family depends on it:", t)
        for assumed, lines, goal in parts:
            self.under(assumed, lines, goal, t)
        self.every[len(self.facts)] = t

    def equals(self, goal: Tree, tree: Tree, places: list[int]) -> None:
        """Check that large minus small side equals a formula whose signs imply the goal; x = E replaces x by E."""
        need(isinstance(places, list), f"{MALFORMED} no list of facts:", str(places))
        with self.aside() if places else nullcontext():
            for k in places:
                sign, name, to = self.fact(k)
                need(sign == "=" and name in self.symbols, "no equation for a symbol:", [sign, name, to])
                self.values = {}
                self.equal = {**self.equal, name: self.value(to)}
                self.only(self.facts)
            shown = self.current_value(tree, SIGNS[goal[0]])
            apart = total([self.current_value(difference(goal)), MINUS * shown])
            need(not apart.top, "it does not equal what is shown:", tree)
            need(shown.sign <= SIGNS[goal[0]], f"its sign does not show {goal[0]}:", tree)

    def cases(self, tree: Tree, line: dict[str, Any]) -> list[Tree]:
        """Relations of which at least one holds wherever the formula is defined."""
        value = self.current_value(tree)
        if "whole" in line:
            need(line["whole"] is True and self.whole(value), "no whole number:", tree)
            return [["<=", tree, "0"], [">=", tree, "1"]]
        match tree:
            case ["abs", x]:
                return [["=", tree, x], ["=", tree, ["-", x]]]
            case ["max" | "min", *choices]:
                return [["=", tree, choice] for choice in choices]
        return [["<=", tree, "0"], [">", tree, "0"]]


def check(certificate: Any) -> list[str]:
    """What a certificate proves, by lines: its symbols, what it assumes, its claim; `Refused` if it is no proof."""
    try:
        need("undecided" not in certificate, f"undecided: {certificate.get('undecided')!s:.300}")
        need({*certificate} == {"symbols", "lines", "claim"}, f"{MALFORMED} other keys:", [*certificate])
        symbols, lines, claim = (certificate[key] for key in ("symbols", "lines", "claim"))
        Proof(symbols).run(lines)
        need("show" in lines[-1] and lines[-1]["show"] == claim, "the last line does not show the claim")
        statement = [f"for every {name}: {domain}" for name, domain in symbols.items()]
        for line in (line for line in lines if "given" in line):
            every = f"for every {line['for']}, " if "for" in line else ""
            statement.append(f"if {every}{text(line['given'])}   [{line['by']}]")
        return [*statement, f"then {text(claim)}"]
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise Refused(f"{MALFORMED} {error!r:.300}") from error


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError(f"a name stands twice in one object: {[name for name, _ in pairs]}")
    return dict(pairs)


def plain(words: str) -> str:
    """Words in one line, without characters that could change how the output is displayed."""
    return words if words.isprintable() else json.dumps(words)


def main(paths: list[str]) -> int:
    status = 0 if paths else 2
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                content = json.load(file, object_pairs_hook=once)
        except (OSError, RecursionError, ValueError) as error:
            content = error
        several = isinstance(content, dict) and content and "claim" not in content and "lines" not in content
        for name, entry in content.items() if several else [(path, content)]:
            inner = entry["certificate"] if isinstance(entry, dict) and "certificate" in entry else entry
            try:
                print(f"{plain(name)}: proved", *check(inner), sep="\n    ")
            except Refused as refused:
                status = max(status, 2 if str(refused).startswith(MALFORMED) else 1)
                print(f"{plain(name)}: REFUSED. {plain(str(refused))}")
    return status


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

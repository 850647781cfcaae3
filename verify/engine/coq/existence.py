"""Values that exist, as theorems for Coq: `exists x, conditions /\\ relation`, proved by the theorems of its parts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from verify.engine.certificates.field import NUMBER, WHOLE
from verify.engine.certificates.formulas import Tree, parts
from verify.engine.certificates.recheck import NEGATIVE
from verify.engine.coq.export import DOMAINS, Certificate, Exporter, Stated, stated
from verify.engine.coq.vectors import NotExported
from verify.engine.elementary.law import LAW


@dataclass(frozen=True)
class Value:
    """A formula for a value, and the relations that it meets where the relations `given` hold.

    In place of a `formula`, `least` is a number from which on every whole number meets the relations.
    """

    symbol: str
    domain: str
    given: Sequence[Tree]
    shown: Sequence[Tree]
    formula: Tree = ""
    least: Tree = ""

    def theorem(self, name: str, certificates: Sequence[Certificate]) -> str:
        """The theorem that the value exists, after the theorems of its parts.

        Parameters
        ----------
        certificates : sequence
            Certificates in order. Each may use the claims of earlier ones, and that the symbol equals the formula.

        Raises
        ------
        NotExported
            If a part is no theorem about real numbers, a relation contains a function of the value, or a whole value is no
            `ceiling` of a visibly nonnegative number.
        """
        found = [stated(f"{name} {k}", certificate) for k, certificate in enumerate(certificates, 1)]
        return "\n".join([*(part.text for part in found), self._joined(name, found, certificates).text])

    def _joined(self, name: str, found: Sequence[Stated], certificates: Sequence[Certificate]) -> Stated:
        if any(self._hides(part) for relation in self.shown for part in parts(relation)):
            raise NotExported(f"a function of {self.symbol}")
        whole = self.domain in WHOLE
        symbols = {s: d for certificate in certificates for s, d in certificate["symbols"].items()}
        joint = Exporter({**symbols, self.symbol: self.domain}, whole=[self.symbol] if whole else ())
        value, spelled = joint.names[self.symbol], joint.formula(self.symbol)
        tactics = self._natural(joint) if whole else self._real(joint)
        laws = [line["given"] for c in certificates for line in c["lines"] if _is_law(line)]
        rounded = self._rounded(laws, symbols)
        joint.names |= dict.fromkeys(rounded, spelled)
        laws = [
            law for law in laws if not any(part in rounded for part in parts(law) if isinstance(part, str))
        ]
        if any(self.symbol in parts(law) for law in laws):
            raise NotExported(f"a law about {self.symbol}")
        assumed = list(dict.fromkeys(map(joint.relation, [*self.given, *laws])))
        for k, (part, certificate) in enumerate(zip(found, certificates, strict=True)):
            claim = joint.relation(certificate["claim"])
            tactics.append(f"  assert (part{k} : {claim}) by {_applied(part, joint)}.")
            if (
                not k and not self.least
            ):  # the first part says that the formula is in the domain of the symbol
                tactics += self._in_domain(joint)
        within = [DOMAINS[self.domain].format(spelled)] if self.domain in DOMAINS else []
        claim = " /\\ ".join(f"({part})" for part in (*within, *map(joint.relation, self.shown)))
        others = [s for s in symbols if s != self.symbol and s not in rounded]
        numbers = [joint.names[s] for s in others]
        numbers += [n for n in joint.opaque.values() if n != spelled]
        domains = [
            f"(D{joint.names[s]} : {DOMAINS[symbols[s]].format(joint.names[s])})"
            for s in others
            if symbols[s] in DOMAINS
        ]
        return Stated(
            "exists_" + re.sub(r"\W", "_", name),
            {"R": numbers} if numbers else {},
            [*domains, *(f"(given{k} : {relation})" for k, relation in enumerate(assumed))],
            f"exists {value} : {'nat' if whole else 'R'}, {claim}",
            [
                *(f"  assert (0 < {joint.names[s]}) by lra." for s in others if symbols[s] == "count"),
                *tactics,
                f"  exists {value}.",
                "  repeat match goal with |- _ /\\ _ => apply conj end; assumption.",
            ],
            comments=[
                f"(* {n} stands for {formula} *)" for formula, n in joint.opaque.items() if n != spelled
            ],
        )

    def _hides(self, formula: Tree) -> bool:
        """Whether a formula with the symbol stands for any number in Coq: a function, or a power without a number as exponent."""
        if not isinstance(formula, list) or self.symbol not in parts(formula):
            return False
        return formula[0] in ("call", "at") or (formula[0] == "^" and not NUMBER.fullmatch(str(formula[2])))

    def _real(self, joint: Exporter) -> list[str]:
        """Tactics that introduce a real number equal to the formula."""
        value, formula = joint.names[self.symbol], joint.formula(self.formula)
        equal = f"exists {value} : R, {value} = {formula}"
        return [
            f"  assert (there : {equal}) by (exists {formula}; reflexivity).",
            f"  destruct there as [{value} equal].",
        ]

    def _natural(self, joint: Exporter) -> list[str]:
        """Tactics that introduce a natural number of at least `least`, or next to the argument of the ceiling."""
        value, spelled = joint.names[self.symbol], joint.formula(self.symbol)
        if self.least:
            beyond = f"  destruct (natural_from {joint.formula(self.least)}) as [{value} [within above]]."
            return [beyond, f"  pose proof (pos_INR {value})."]
        match self.formula:
            case ["call", "ceiling", inside] if not joint.field.sign(inside) & NEGATIVE:
                pass
            case _:
                raise NotExported(f"a whole value that is no ceiling of a nonnegative number, {self.formula}")
        joint.opaque[str(self.formula)] = spelled
        return [
            f"  destruct (ceiling_exists {joint.formula(inside)}) as [{value} [above below]]; [nonnegative |].",
            f"  pose proof (pos_INR {value}).",
        ]

    def _rounded(self, laws: Sequence[Tree], symbols: Mapping[str, str]) -> set[str]:
        """Symbols that laws introduce for the whole number that is the value."""
        found = {law[2]: law[1] for law in laws if law[0] == "=" and symbols.get(str(law[2])) == "whole"}
        if any(call != self.formula for call in found.values()):
            raise NotExported("another whole number than the value")
        return {*found}

    def _in_domain(self, joint: Exporter) -> list[str]:
        if self.domain not in ("count", "positive", "nonnegative"):
            return []
        relation = DOMAINS[self.domain].format(joint.formula(self.symbol))
        how = "apply natural_above; assumption" if self.domain == "count" else "rewrite equal; assumption"
        return [f"  assert (within : {relation}) by ({how})."]


def _is_law(line: Mapping[str, Any]) -> bool:
    return "given" in line and line["by"].startswith(LAW)


def _applied(part: Stated, joint: Exporter) -> str:
    """Tactics that apply the theorem of a part to the numbers of the whole theorem."""
    if any(kind != "R" for kind in part.kinds):
        raise NotExported("a part about natural numbers, vectors or sequences")
    numbers = []
    for name in part.kinds.get("R", ()):
        meaning = part.meanings[name]
        known = joint.formula(meaning) if meaning in joint.names else joint.opaque.get(meaning, "0")
        numbers.append(known)
    at = " ".join([part.name, *numbers])
    return f"(apply ({at}); first [assumption | reflexivity | lra])"

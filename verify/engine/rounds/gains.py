"""Conditions for every index in which a sequence with a recursion of its own is a gain, as conditions on a potential."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import sympy as sp

from verify.engine.certificates.question import Question
from verify.engine.elementary.stronger import bounded_entries
from verify.engine.model.scene import Condition
from verify.engine.model.sequences import for_every
from verify.engine.rounds.fewer import of_an_entry, with_fewer_sequences
from verify.engine.rounds.potentials import terms_of


def suggesting(question: Question) -> tuple[Condition, ...]:
    """Conditions of a question that suggest stronger claims and lemmas, also those with fewer sequences and with potentials."""
    given = tuple(relation for relation, by in question.given if by == "condition")
    return with_gains_in_potentials(with_fewer_sequences(question.relation, given))


@lru_cache(maxsize=64)
def with_gains_in_potentials(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """The conditions, and those for every index in which the recursion of a gain replaces it.

    With e[t] <= (1 - a) e[t - 1], f[t] <= f[t - 1] - d[t] + e[t - 1] gives f[t] + e[t]/a <= f[t - 1] + e[t - 1]/a - d[t].
    Like conditions with fewer sequences they only suggest claims.
    """
    return (*conditions, *_replaced(conditions))


def _replaced(conditions: tuple[Condition, ...]) -> Iterator[Condition]:
    recursions = list(bounded_entries(conditions))
    for condition, index in for_every(conditions) if len(recursions) > 1 else ():
        if not isinstance(condition, sp.Le | sp.Ge):
            continue
        slack = sp.expand(condition.gts - condition.lts)
        terms = terms_of(slack)
        for entry, other, before, bound in recursions:
            bound, now, then = (part.subs(other, index) for part in (sp.expand(bound), entry, before))
            kept = bound.coeff(then)
            rest = sp.expand(bound - kept * then)
            speaks = kept.has(sp.Indexed) or index in kept.free_symbols or rest.has(entry.base)
            gains = [gain for gain in (now, then) if terms.get(gain, sp.S.Zero).is_positive]
            if speaks or kept == 1 or len(gains) != 1 or (gains == [then] and now in terms):
                continue
            (gain,) = gains
            share = terms[gain] / sp.factor(1 - kept)
            falls = (kept if gain == now else 1) * (then - now)
            more = sp.expand(slack - terms[gain] * gain + share * (falls + rest), deep=False)
            yield of_an_entry(sp.expand(more), index)

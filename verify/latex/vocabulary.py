"""Commands and words of LaTeX that the reader knows, and the type of token that each becomes."""

from __future__ import annotations

from collections.abc import Mapping


def _each(names: str) -> list[str]:
    return names.split()


GREEK = frozenset(
    _each(
        "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho varrho sigma tau upsilon phi "
        "varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell"
    )
)
PLAIN: dict[str, str] = {
    **dict.fromkeys((r"\le", r"\leq", r"\leqslant"), "LE"),
    **dict.fromkeys((r"\ge", r"\geq", r"\geqslant"), "GE"),
    **{
        "<": "LT",
        r"\lt": "LT",
        ">": "GT",
        r"\gt": "GT",
        "=": "EQ",
        r"\ne": "NE",
        r"\neq": "NE",
        r"\in": "IN",
    },
    **dict.fromkeys((r"\coloneqq", r"\triangleq", r"\equiv", r"\coloneq"), "DEF"),
    **{"+": "PLUS", "-": "MINUS", r"\cdot": "TIMES", r"\times": "TIMES", "/": "SLASH", "!": "FACTORIAL"},
    **{
        ",": "COMMA",
        ";": "SEMI",
        r"\mid": "MID",
        r"\middle|": "MID",
        "'": "PRIME",
        r"\prime": "PRIME",
        r"\nabla": "NABLA",
    },
    **{"(": "LPAR", ")": "RPAR", "[": "LSQ", "]": "RSQ", r"\{": "LCURLY", r"\}": "RCURLY"},
    **{r"\lbrace": "LCURLY", r"\rbrace": "RCURLY", r"\lbrack": "LSQ", r"\rbrack": "RSQ"},
    **{r"\langle": "LANGLE", r"\rangle": "RANGLE", r"\lfloor": "LFLOOR", r"\rfloor": "RFLOOR"},
    **{r"\lceil": "LCEIL", r"\rceil": "RCEIL", r"\lVert": "LNORM", r"\rVert": "RNORM"},
    **{r"\lvert": "LABS", r"\rvert": "RABS", r"\top": "TOP", r"\intercal": "TOP"},
    **dict.fromkeys((r"\dots", r"\ldots", r"\cdots"), "DOTS"),
    **dict.fromkeys((r"\star", r"\ast", "*"), "STAR"),
    **dict.fromkeys((r"\sum", r"\prod", r"\max", r"\min", r"\sup", r"\inf"), "BIG"),
    **dict.fromkeys((r"\log", r"\ln", r"\exp"), "FUNCTION"),
}
DROPPED = frozenset(
    _each(r"""\, \; \! \: \  \> ~ & \displaystyle \textstyle \scriptstyle \limits \nolimits \nonumber \notag \big \Big \bigg \Bigg
    \bigl \bigr \Bigl \Bigr \biggl \biggr \Biggl \Biggr \bigm \Bigm \left \right \allowbreak \thinspace \hfill \noindent \it \rm""")
) | {"\\ "}
SKIPPED = (r"\label", r"\tag", r"\hspace", r"\vspace", r"\mspace", r"\phantom", r"\tag*", r"\hspace*")
"""Commands with one argument that do not change the meaning of a formula; command and argument are dropped."""
UNREAD: Mapping[str, str] = {
    **dict.fromkeys(
        (r"\Pr", r"\mathbb{P}"), "probabilities are not read; name this one by a symbol of kind nonnegative"
    ),
    **dict.fromkeys(
        (r"\lim", r"\limsup", r"\liminf"), "limits are not read; write the bound for every number of steps"
    ),
    **dict.fromkeys(
        (r"\approx", r"\sim", r"\propto", r"\lesssim", r"\gtrsim"),
        "is no exact relation; write \\le with a constant, or \\mathcal{O}(..)",
    ),
    **dict.fromkeys(
        (r"\preceq", r"\succeq", r"\prec", r"\succ"),
        "matrices are not read; write an inequality of numbers, such as \\langle x, Ax\\rangle \\le L \\|x\\|^2 with a map A",
    ),
    **dict.fromkeys((r"\mapsto", r"\to", r"\rightarrow"), "says no relation; write one, such as f(x) \\le a"),
    **dict.fromkeys((r"\iff", r"\Leftrightarrow"), "joins two claims; write each as a lemma of its own"),
    **dict.fromkeys(
        (r"\implies", r"\Rightarrow"), "joins a condition and a claim; write CLAIM \\text{if} CONDITION"
    ),
    **dict.fromkeys(
        (r"\int", r"\partial"), "integrals and derivatives are not read; name this one by a symbol"
    ),
    **dict.fromkeys(
        ("argmin", "argmax", r"\arg", r"\argmin", r"\argmax"),
        "is not read; write `with minimiser $x^*$` in the words of the lemma",
    ),
}
"""Commands that the reader recognises but does not support, with the message."""
STACKED = (r"\overset", r"\stackrel", r"\underset")
"""Commands that put a mark above or below a relation sign."""
BRACED = {r"\underbrace": "_", r"\overbrace": "^"}
"""Commands that label a part of a formula, with the script that holds the label."""
STACKS: Mapping[str, str] = {
    **dict.fromkeys((r"\frac", r"\tfrac", r"\dfrac", r"\cfrac"), "FRAC"),
    **dict.fromkeys((r"\binom", r"\tbinom", r"\dbinom"), "BINOM"),
}
"""Commands with two arguments, one above the other."""
ACCENTS = tuple(
    rf"\{name}" for name in _each("bar hat tilde widehat widetilde vec dot check overline underline")
)
FONTS = tuple(
    rf"\{name}" for name in _each("mathbf bm boldsymbol mathcal mathbb mathrm mathsf mathfrak mathscr mathit")
)
TEXTS = (
    r"\text",
    r"\textrm",
    r"\mbox",
    r"\textnormal",
    r"\textit",
    r"\operatorname",
    r"\operatorname*",
    r"\mathop",
)
ORDERS = (r"\mathcal{O}", r"\tilde{O}", r"\widetilde{O}", r"\tilde{\mathcal{O}}", r"\widetilde{\mathcal{O}}")
"""Names of O(.) and of O(.) up to logarithms."""
_OPERANDS = {
    "RPAR",
    "RSQ",
    "RCURLY",
    "RANGLE",
    "RNORM",
    "RABS",
    "END",
    "NUMBER",
    "NAME",
    "PRIME",
    "FACTORIAL",
}
ENDS = _OPERANDS | {"RFLOOR", "RCEIL", "DOTS", "STAR", "TOP"}
OPEN = {"LPAR", "LSQ", "LCURLY", "LANGLE", "GROUP", "LFLOOR", "LCEIL", "LNORM", "LABS"}
CLOSE = {"RPAR", "RSQ", "RCURLY", "RANGLE", "END", "RFLOOR", "RCEIL", "RNORM", "RABS"}
LAYOUTS = frozenset(
    _each("equation align aligned split gather gathered multline eqnarray alignat displaymath math")
)
"""Environments that only arrange a formula in lines; they do not change its meaning."""
WORDS: Mapping[str, str] = {
    **dict.fromkeys(("for all", "for any", "for every", "for", "for each"), "FORALL"),
    **dict.fromkeys(
        ("if", "when", "whenever", "where", "with", "provided that", "assuming", "such that", "s.t."), "IF"
    ),
    **dict.fromkeys(("and", "as well as"), "AND"),
}
"""Words between formulas that separate a claim from its conditions."""

RELATIONS = frozenset(("LE", "GE", "LT", "GT", "EQ", "NE", "DEF", "IN"))
SIGNS = frozenset(("PLUS", "MINUS"))
JOINS = frozenset(("TIMES", "SLASH", "COMMA", "SEMI", "FORALL", "IF", "AND", "MID")) | RELATIONS

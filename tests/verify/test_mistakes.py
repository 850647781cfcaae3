"""Frequent mistakes of new users: the message says what to write instead."""

import pytest

from verify.engine.theorem import theorems_in
from verify.engine.work.errors import UsageError

START = 'import math\nimport numpy as np\nimport sympy as sp\nfrom verify import Notes, run, worlds\nfrom verify.quantities import distance2, distance2_0\nn = Notes("m")\na = n.positive("a")\nb = n.real("b")\n'
MISTAKES = {
    'n.claim("x", np.sqrt(a) <= a)': "write sp.sqrt for symbols",
    'n.claim("x", math.sqrt(a) <= a)': "write sp.sqrt, sp.exp or sp.log for symbols",
    'n.claim("x", a^2 <= a)': "write a power as a**2",
    'n.claim("x", 0 < b < 1)': "claim `a < b < c` as notes.chain(id, (a, '<', b, '<', c)), write it as two relations in conditions",
    'n.claim("x", a > -1)': "sp.Le(a, b, evaluate=False)",
    'n.claim("x", a == b)': "write sp.Eq(a, b) for a == b",
    'n.claim("x", a**2)': "`relation` must be a SymPy relation, got a**2",
    'n.claim("x", distance2 <= distance2_0)': "write scene=run(...)",
    'n.claim("x", distance2 <= distance2_0, run("fedavg", worlds.convex(), local_lr="eta"))': "write scene=...",
    'run("fedavg", worlds.convex, local_lr="eta")': "call the family of losses, as in worlds.convex()",
    'run("fedavgg", worlds.convex(), local_lr="eta")': "`algorithm` must be one of",
    'run("fedavg", worlds.convex(), rounds=3, local_lr="eta")': "`rounds` must be a sequence of whole numbers >= 1, as (1,), got 3",
    'run("fedavg", worlds.convex(), lr="eta")': "`lr` is no hyper-parameter of the algorithm; it has",
    'n.claim("x", a <= 1, needs=a)': "a claim has no needs; conditions follow the relation",
    'n.claim("x y", a <= 1)': "letters",
    "n.claim(a <= 1, a <= 2)": "`id` must be a text, got a <= 1; write notes.claim('name', relation",
    "n.claim(a <= 1)": "write notes.claim('name', relation, condition, ...)",
    'n.claim("x", "a <= 1")': "got 'a <= 1'; write it without quotes",
    'n.claim("x", (a <= 1, b <= 1))': "a claim for each relation",
    'n.claim("x", (a <= b) & (b <= 1))': "write notes.chain(id, (a, '<=', b, '<=', c))",
    'n.claim("x", a <= 1, "a <= b")': "got 'a <= b'; write it without quotes",
    'n.claim("x", 1 / b <= 1, b != 0)': "sp.Ne(a, b) for a != b",
    'n.claim("x", max(a, b) <= 1)': "sp.Max(a, b) for max(a, b)",
    'n.claim("x", sum(a for _ in range(a)) <= 1)': "write a sum as sp.Sum(term, (i, 1, n))",
    'n.claim("x", a <= 1, b in sp.Interval(0, 1))': "write each bound of an interval as a condition",
    'm = n.integer("m")': "symbols are defined by notes.real",
    'run("fedavg", worlds.convex())': 'write local_lr=0.1, local_lr="eta" for a step size',
    'run("fedavg", worlds.convex(), local_lr="0.1")': "got the text '0.1'; write a number without quotes",
    'run("fedprox_exact", worlds.shifted(), mu=("rho", (0, 1)))': """as ("rho", Box(0, 4)), got ('rho', (0, 1))""",
    'run("fedavgg", worlds.convex(), global_lr=1)': "did you mean 'fedavg'?",
    "points(worlds.smooth)": "write `from verify import points`",
    'n.claim("x", gap <= 1)': "write `from verify.quantities import gap`",
    'n.claim("x", z <= 1)': "define it, as in z = notes.real('z'), or check its spelling",
    'm = sympy.Symbol("m")': "write `import sympy`",
    'n.claim("x", a.norm() <= 1)': "a symbol is a number: write abs(a)",
    "n.claims()": "`notes.claims` is a list: write it without ()",
    'lambda = n.positive("lambda")': "`lambda` is a reserved word of Python, take another name",
    'run("fedavg", local_lr="eta")': "write run(method, worlds.convex())",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_message_says_what_to_write(line, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(f"{START}{line}\nCLAIMS = n.claims\n")
    theorems_in.cache_clear()
    with pytest.raises(UsageError) as raised:
        theorems_in(file)
    mistake = str(raised.value)
    assert MISTAKES[line] in mistake
    assert f"{file}:9: " in mistake

"""The metrics and the tables of all papers: do their numbers follow from their definitions and from each other?

It judges the topics of `verify.engine.topics.GROUPS["tables"]`.
"""

from __future__ import annotations

from verify.commands.main import main

if __name__ == "__main__":
    raise SystemExit(main(topic="tables"))

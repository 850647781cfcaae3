"""Facts of this library."""

from __future__ import annotations

from verify.engine.scene import Textbook


class Known(Textbook):
    """A fact of this library, whose source stands for it where it is calculus and has no proof here."""

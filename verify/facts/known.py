"""Facts of this library."""

from __future__ import annotations

from verify.engine.model.scene import Textbook


class Known(Textbook):
    """A fact of this library; if it is from calculus and has no proof here, it rests on its source."""

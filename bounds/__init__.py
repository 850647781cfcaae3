"""What papers say: statements, symbols, relations and printed tables."""

from bounds import signs as signs

"""What papers say: statements, symbols, relations and printed tables."""

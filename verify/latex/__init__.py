"""Lemmas in LaTeX: a formula is read to a SymPy relation by a typed glossary, or refused with a question."""

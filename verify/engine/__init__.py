"""The engine: from a claim to its verdict. It knows no paper.

`model` holds scenes, claims and questions, `search` looks for counterexamples, `proof` for certificates about scenes,
with the steps in `tactics`, laws of functions, numbers and sums in `elementary`, `classical`, `pieces` and `summation`, and
recursions in `rounds`. `certificates` holds the format of certificates and their
second checker, `coq` writes them for Coq, `checks` has one module per kind of check, `records` stores and revalidates
results, and `work` distributes work and reports progress.
"""

"""Forgetting of tasks in turn in linear regression (Evron, Moroshko, Ward, Srebro and Soudry, COLT 2022)."""

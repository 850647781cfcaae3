"""What is judged: scenes and their instances, claims, questions, and scenes as formulas."""

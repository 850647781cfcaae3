"""Files that `python -m verify new` copies: theorems to start from, each of which runs as it is."""
